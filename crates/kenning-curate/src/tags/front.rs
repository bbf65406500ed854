//! The tags of the front matter, where they stand in it: a list, an inline list or a string. They are changed in
//! the style in which they are written.

use std::ops::Range;

use kenning::note::{self, Format};
use kenning::secrets;

use crate::page::Edit;

/// The `tags` of a front matter.
#[derive(Clone, Debug, Default)]
pub struct FrontTags {
    /// Every tag, in order.
    pub items: Vec<Item>,
    keys: Vec<Key>,
}

/// One tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The bytes of its name.
    pub name: Range<usize>,
    /// What goes with it if it is taken away.
    whole: Range<usize>,
    /// Position of its property.
    key: usize,
}

/// A property that holds tags.
#[derive(Clone, Debug)]
struct Key {
    style: Style,
    /// Where the next tag goes.
    end: usize,
    indent: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// `- a` on lines of their own.
    Block,
    /// `[a, b]`
    Flow,
    /// `a, b`
    Text,
    /// Nothing yet.
    Empty,
}

/// Finds the tags in the YAML of a text.
pub fn front_tags(text: &str, yaml: Range<usize>) -> FrontTags {
    let mut found = FrontTags::default();
    let mut at = yaml.start;
    while at < yaml.end {
        let line = line_at(text, at, yaml.end);
        let next = at + line.len();
        if let Some(value) = value_of_tags(line) {
            found.read(text, at + value, next, yaml.end);
        }
        at = next;
    }
    found
}

/// Returns where the value begins on a line that says `tags:` or `tag:`.
fn value_of_tags(line: &str) -> Option<usize> {
    if line.starts_with([' ', '\t', '-', '#']) {
        return None;
    }
    let (key, _) = line.split_once(':')?;
    let name = key.trim().trim_matches(['"', '\'']);
    let is_tags = name.eq_ignore_ascii_case("tags") || name.eq_ignore_ascii_case("tag");
    is_tags.then_some(key.len() + 1)
}

fn line_at(text: &str, at: usize, end: usize) -> &str {
    let rest = &text[at..end];
    rest.split_inclusive('\n').next().unwrap_or(rest)
}

impl FrontTags {
    /// Reads the value that begins at `start`; the next line begins at `next`.
    fn read(&mut self, text: &str, start: usize, next: usize, end: usize) {
        let value = bare(&text[start..next]);
        let from = start + (text[start..next].len() - text[start..next].trim_start().len());
        let key = self.keys.len();
        if value.is_empty() {
            self.read_block(text, next, end);
        } else if value.starts_with('[') && !value.starts_with("[[") {
            self.read_flow(text, from, end);
        } else {
            let range = from..from + value.len();
            self.read_scalar(text, unquoted(text, range.clone()), None, key);
            let end = self.items.last().map_or(range.end, |item| item.name.end);
            self.keys.push(Key {
                style: Style::Text,
                end,
                indent: String::new(),
            });
        }
    }

    fn read_block(&mut self, text: &str, start: usize, end: usize) {
        let key = self.keys.len();
        let (mut at, mut last, mut indent) = (start, start, "  ".to_owned());
        while at < end {
            let line = line_at(text, at, end);
            let content = line.trim_start();
            let blank = line.len() - content.len();
            let is_item = content.starts_with("- ") || content.trim_end() == "-";
            if !is_item && !content.trim().is_empty() && !content.starts_with('#') {
                break;
            }
            if is_item {
                indent = line[..blank].to_owned();
                let inner = &content[1..];
                let from = at + blank + 1 + (inner.len() - inner.trim_start().len());
                let range = from..from + bare(inner).len();
                let whole = at..at + line.len();
                self.read_scalar(text, unquoted(text, range), Some(whole), key);
                last = at + line.len();
            }
            at += line.len();
        }
        let style = if last == start {
            Style::Empty
        } else {
            Style::Block
        };
        self.keys.push(Key {
            style,
            end: last,
            indent,
        });
    }

    fn read_flow(&mut self, text: &str, open: usize, end: usize) {
        let key = self.keys.len();
        let n_before = self.items.len();
        let mut at = open + 1;
        let mut close = None;
        while at < end && close.is_none() {
            let len = item_len(&text[at..end]);
            let piece = &text[at..at + len];
            let content = bare(piece);
            let from = at + (piece.len() - piece.trim_start().len());
            if !content.is_empty() {
                let range = unquoted(text, from..from + content.len());
                self.read_scalar(text, range, Some(from..from + content.len()), key);
            }
            at += len;
            if text[at..end].starts_with(']') {
                close = Some(at);
            }
            at += 1;
        }
        let (Some(close), items) = (close, &mut self.items[n_before..]) else {
            return;
        };
        // What is taken away takes the comma before it along, or the first one the comma behind it.
        for index in (0..items.len()).rev() {
            let whole = items[index].whole.clone();
            items[index].whole = match (index, items.len()) {
                (0, 1) => whole,
                (0, _) => whole.start..items[1].name.start,
                _ => items[index - 1].whole.end..whole.end,
            };
        }
        let last = self.items[n_before..].last();
        self.keys.push(Key {
            style: Style::Flow,
            end: last.map_or(close, |item| item.whole.end),
            indent: String::new(),
        });
    }

    /// Takes the tags of one value: several may stand in it.
    fn read_scalar(
        &mut self,
        text: &str,
        range: Range<usize>,
        whole: Option<Range<usize>>,
        key: usize,
    ) {
        let value = &text[range.clone()];
        let n_before = self.items.len();
        let is_apart = |c: char| matches!(c, ' ' | ',');
        let pieces: Vec<&str> = match value.contains("[[") {
            true => vec![value],
            false => value.split(is_apart).collect(),
        };
        for piece in pieces {
            let name = piece
                .trim()
                .trim_start_matches('#')
                .trim_matches(['[', ']']);
            if !name.is_empty() {
                let start = range.start + (name.as_ptr() as usize - value.as_ptr() as usize);
                let name = start..start + name.len();
                self.items.push(Item {
                    whole: name.clone(),
                    name,
                    key,
                });
            }
        }
        let items = &mut self.items[n_before..];
        match (items.len(), whole) {
            (1, Some(whole)) => items[0].whole = whole,
            _ => {
                for index in 1..items.len() {
                    items[index].whole = items[index - 1].name.end..items[index].name.end;
                }
                if items.len() > 1 {
                    items[0].whole = items[0].name.start..items[1].name.start;
                }
            }
        }
    }

    /// Returns the edits that give tags other names; a name that is then there twice goes once.
    pub fn renamed(&self, text: &str, new_name: impl Fn(&str) -> Option<String>) -> Vec<Edit> {
        let names: Vec<&str> = self
            .items
            .iter()
            .map(|item| &text[item.name.clone()])
            .collect();
        let renamed: Vec<Option<String>> = names.iter().map(|name| new_name(name)).collect();
        let mut kept: Vec<String> = (names.iter().zip(&renamed))
            .filter(|(_, new)| new.is_none())
            .map(|(name, _)| name.to_lowercase())
            .collect();
        let mut edits = Vec::new();
        for (item, new) in self.items.iter().zip(renamed) {
            let Some(new) = new else {
                continue;
            };
            let lower = new.to_lowercase();
            match kept.contains(&lower) {
                true => edits.push((item.whole.clone(), String::new())),
                false => edits.push((item.name.clone(), new)),
            }
            kept.push(lower);
        }
        edits
    }

    /// Returns the edit that adds tags which are not there yet, in the style of those that are.
    pub fn added(&self, text: &str, yaml: Option<Range<usize>>, tags: &[String]) -> Option<Edit> {
        let has = |tag: &String| {
            let mut names = self.items.iter().map(|item| &text[item.name.clone()]);
            names.any(|name| name.to_lowercase() == tag.to_lowercase())
        };
        let new: Vec<String> = tags
            .iter()
            .filter(|tag| !has(tag))
            .map(|tag| written(tag))
            .collect();
        if new.is_empty() {
            return None;
        }
        let end = crate::page::line_end(text);
        let block = |indent: &str| -> String {
            new.iter()
                .map(|tag| format!("{indent}- {tag}{end}"))
                .collect()
        };
        let Some(key) = self.keys.first() else {
            return Some(match yaml {
                Some(yaml) => (yaml.end..yaml.end, format!("tags:{end}{}", block("  "))),
                None => {
                    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
                    let matter = format!("---{end}tags:{end}{}---{end}", block("  "));
                    (start..start, matter)
                }
            });
        };
        let at = key.end..key.end;
        let is_first = !self.items.iter().any(|item| item.key == 0);
        Some(match key.style {
            Style::Block | Style::Empty => {
                // The last line of a front matter always ends; that of a list does, too.
                (at, block(&key.indent))
            }
            Style::Flow if is_first => (at, new.join(", ")),
            Style::Flow => (at, format!(", {}", new.join(", "))),
            Style::Text => {
                let names: Vec<&Item> = self.items.iter().filter(|item| item.key == 0).collect();
                let has_comma =
                    |pair: &[&Item]| text[pair[0].name.end..pair[1].name.start].contains(',');
                let apart = match names.len() {
                    0 | 1 => ", ",
                    _ if names.windows(2).any(has_comma) => ", ",
                    _ => " ",
                };
                (at, format!("{apart}{}", new.join(apart)))
            }
        })
    }
}

/// Returns a value without blanks and comment around it.
fn bare(value: &str) -> &str {
    let value = value.trim();
    if value.starts_with('#') {
        return "";
    }
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    if let Some(quote) = quote
        && let Some(end) = value[1..].find(quote)
    {
        return &value[..end + 2];
    }
    let comment = value.find(" #").into_iter().chain(value.find("\t#")).min();
    value[..comment.unwrap_or(value.len())].trim_end()
}

fn unquoted(text: &str, range: Range<usize>) -> Range<usize> {
    let value = &text[range.clone()];
    let is_quoted =
        |quote: char| value.len() > 1 && value.starts_with(quote) && value.ends_with(quote);
    match is_quoted('"') || is_quoted('\'') {
        true => range.start + 1..range.end - 1,
        false => range,
    }
}

/// Returns how long an item of `[a, b]` is.
fn item_len(rest: &str) -> usize {
    let mut quote = None;
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') if rest[..at].trim().is_empty() => quote = Some(c),
            (None, ',' | ']') => return at,
            _ => {}
        }
    }
    rest.len()
}

/// Writes a tag so that YAML takes it for a text.
fn written(tag: &str) -> String {
    let words = [
        "true", "false", "null", "yes", "no", "on", "off", "y", "n", "~",
    ];
    let is_word = words.contains(&tag.to_lowercase().as_str());
    let is_plain = tag.starts_with(char::is_alphabetic) && !is_word;
    match is_plain {
        true => tag.to_owned(),
        false => format!("\"{tag}\""),
    }
}

/// Returns the tags of a front matter as the engine reads them, in lower case and once each.
pub(super) fn read_back(text: &str, yaml: Option<Range<usize>>) -> Vec<String> {
    let Some(yaml) = yaml else {
        return Vec::new();
    };
    let matter = format!("---\n{}\n---\n", &text[yaml]);
    let (clean, _) = secrets::mask(matter);
    let (note, _) = note::parse("a.md", clean, Format::Markdown);
    let mut tags: Vec<String> = note.tags.iter().map(|tag| tag.to_lowercase()).collect();
    tags.sort();
    tags.dedup();
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    use kenning::note::front_matter as yaml;

    #[track_caller]
    fn check(before: &str, renamed: &str, added: &str) {
        let range = yaml(before);
        let tags = range
            .clone()
            .map(|range| front_tags(before, range))
            .unwrap_or_default();
        let edits = tags.renamed(before, |name| (name == "a").then(|| "b".to_owned()));
        assert_eq!(crate::page::edited(before, edits), renamed);
        let edit = tags.added(before, range, &["x".to_owned(), "a".to_owned()]);
        assert_eq!(
            crate::page::edited(before, edit.into_iter().collect()),
            added
        );
        let mut expected = read_back(before, yaml(before));
        expected.extend(["x".to_owned(), "a".to_owned()]);
        expected.sort();
        expected.dedup();
        assert_eq!(read_back(added, yaml(added)), expected);
    }

    #[test]
    fn tags_are_changed_in_the_style_they_are_written_in() {
        check(
            "---\ntags: [a, c]\nx: 1\n---\n",
            "---\ntags: [b, c]\nx: 1\n---\n",
            "---\ntags: [a, c, x]\nx: 1\n---\n",
        );
        check(
            "---\r\ntags:\r\n- a # why\r\n- c\r\n---\r\n",
            "---\r\ntags:\r\n- b # why\r\n- c\r\n---\r\n",
            "---\r\ntags:\r\n- a # why\r\n- c\r\n- x\r\n---\r\n",
        );
        check(
            "---\ntags: a c\n---\n",
            "---\ntags: b c\n---\n",
            "---\ntags: a c x\n---\n",
        );
        check(
            "---\ntags: \"#a, c\"\n---\n",
            "---\ntags: \"#b, c\"\n---\n",
            "---\ntags: \"#a, c, x\"\n---\n",
        );
        check(
            "---\ntags: ['a',\n  \"c\"]\n---\n",
            "---\ntags: ['b',\n  \"c\"]\n---\n",
            "---\ntags: ['a',\n  \"c\", x]\n---\n",
        );
        check(
            "---\nt: 1\n---\na",
            "---\nt: 1\n---\na",
            "---\nt: 1\ntags:\n  - x\n  - a\n---\na",
        );
        check(
            "a\r\n",
            "a\r\n",
            "---\r\ntags:\r\n  - x\r\n  - a\r\n---\r\na\r\n",
        );
        check(
            "---\ntags:\n---\n",
            "---\ntags:\n---\n",
            "---\ntags:\n  - x\n  - a\n---\n",
        );
        check(
            "---\ntags: []\n---\n",
            "---\ntags: []\n---\n",
            "---\ntags: [x, a]\n---\n",
        );
    }

    #[test]
    fn a_name_that_is_there_twice_goes_once() {
        let check = |before: &str, after: &str| {
            let tags = front_tags(before, yaml(before).unwrap());
            let edits = tags.renamed(before, |name| (name == "a").then(|| "b".to_owned()));
            assert_eq!(crate::page::edited(before, edits), after);
        };
        check("---\ntags: [a, b, c]\n---\n", "---\ntags: [b, c]\n---\n");
        check("---\ntags: [b, a, c]\n---\n", "---\ntags: [b, c]\n---\n");
        check("---\ntags: [b, c, a]\n---\n", "---\ntags: [b, c]\n---\n");
        check(
            "---\ntags:\n  - a\n  - b\n---\n",
            "---\ntags:\n  - b\n---\n",
        );
        check("---\ntags: a, b\n---\n", "---\ntags: b\n---\n");
        check("---\ntags: b, a\n---\n", "---\ntags: b\n---\n");
    }
}
