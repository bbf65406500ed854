//! An item as a note: what the file is called, and what stands in it. Pure.

use kenning::note::{file_stem, front_matter};

use super::item::Item;
use super::score::Scores;
use crate::page::line_end;

/// Longest name of a file, in characters.
const NAME_CHARS_MAX: usize = 100;

/// Returns a name that a file can have on every system, and a link can lead to.
pub fn file_name(title: &str) -> String {
    let plain: String = title
        .chars()
        .map(|c| match c {
            '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '#' | '^' | '[' | ']' => ' ',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let name: String = words.join(" ").chars().take(NAME_CHARS_MAX).collect();
    let name = name.trim_matches(['.', ' ', '_']);
    match name.is_empty() {
        true => "Untitled".to_owned(),
        false => name.to_owned(),
    }
}

/// Returns the note that an item becomes.
pub fn text(item: &Item, id: &str, path: &str, facts: &[(&str, String)]) -> String {
    let mut lines = Vec::new();
    let mut put = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            lines.push(format!("{name}: {value}"));
        }
    };
    if file_stem(path) != item.title && !begins_with_title(item) {
        put("title", Some(quoted(&item.title)));
    }
    put(
        "source",
        item.url.as_deref().or(item.source.as_deref()).map(quoted),
    );
    put("author", item.author.as_deref().map(quoted));
    put("date", item.published.clone());
    let own: Vec<&String> = item
        .tags
        .iter()
        .filter(|tag| kenning::note::is_tag(tag))
        .collect();
    if item.kind == "note" && !own.is_empty() {
        put("tags", Some(list(own.into_iter().map(String::as_str))));
    }
    put("intake", Some(quoted(id)));
    for (name, value) in facts {
        put(name, Some(value.clone()));
    }
    format!("---\n{}\n---\n{}", lines.join("\n"), item.text)
}

/// Adds what intake found out to a note that lies in the vault already; nothing else of it changes.
pub fn added(text: &str, facts: &[(&str, String)]) -> String {
    let end = line_end(text);
    let lines = |known: &str| -> String {
        let is_new = |name: &str| {
            !known
                .lines()
                .any(|line| line.starts_with(&format!("{name}:")))
        };
        let new = facts.iter().filter(|(name, _)| is_new(name));
        new.map(|(name, value)| format!("{name}: {value}{end}"))
            .collect()
    };
    match front_matter(text) {
        Some(range) => {
            let new = lines(&text[range.clone()]);
            let at = range.end;
            let gap = if text[..at].ends_with('\n') { "" } else { end };
            format!("{}{gap}{new}{}", &text[..at], &text[at..])
        }
        None => format!("---{end}{}---{end}{text}", lines("")),
    }
}

/// Returns what intake found out, as properties.
pub fn facts(scores: &Scores, proposed: &[String], day: &str) -> Vec<(&'static str, String)> {
    let number = |value: f32| format!("{value:.2}");
    let mut facts = vec![
        ("received", day.to_owned()),
        ("score", number(scores.total)),
        ("relevance", number(scores.relevance.value)),
        ("actionability", number(scores.actionability.value)),
        ("depth", number(scores.depth.value)),
        ("authority", number(scores.authority.value)),
    ];
    if !proposed.is_empty() {
        facts.push(("proposed_tags", list(proposed.iter().map(String::as_str))));
    }
    facts
}

fn begins_with_title(item: &Item) -> bool {
    let first = item.text.lines().next().unwrap_or_default();
    first
        .strip_prefix("# ")
        .is_some_and(|heading| heading.trim() == item.title)
}

/// A text as YAML reads it in any case: JSON's way of quoting is one of YAML's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let items: Vec<String> = items.map(quoted).collect();
    format!("[{}]", items.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_files() {
        let check = |title: &str, expected: &str| assert_eq!(file_name(title), expected);
        check("How to: fix [[a]] #roof?", "How to fix a roof");
        check("../../etc/passwd", "etc passwd");
        check("...", "Untitled");
        check("_taxonomy", "taxonomy");
        assert_eq!(file_name(&"é".repeat(500)).chars().count(), NAME_CHARS_MAX);
    }

    #[test]
    fn properties_are_read_as_they_were_meant() {
        let item = Item {
            kind: "signal".to_owned(),
            title: "A: \"b\" # c".to_owned(),
            url: Some("https://a.example/?x=1".to_owned()),
            author: Some("Ada: - [x]".to_owned()),
            published: Some("2024-03-01".to_owned()),
            text: "Body.\n".to_owned(),
            ..Item::default()
        };
        let proposed = ["home/attic".to_owned()];
        let text = text(
            &item,
            "ab12",
            "Home/A b c.md",
            &facts(&Scores::default(), &proposed, "2024-03-02"),
        );
        let (clean, _) = kenning::secrets::mask(text.clone());
        let (note, warnings) =
            kenning::note::parse("Home/A b c.md", clean, kenning::note::Format::Markdown);
        assert!(warnings.is_empty(), "{warnings:?}\n{text}");
        assert_eq!(note.title, item.title);
        assert_eq!(note.facts.author, item.author);
        assert_eq!(note.facts.published, item.published);
        assert_eq!(note.properties["proposed_tags"][0], "home/attic");
        assert!(note.tags.is_empty() && text.ends_with("---\nBody.\n"));
    }

    #[test]
    fn a_note_that_is_there_keeps_its_lines() {
        let facts = [("score", "0.50".to_owned()), ("title", "x".to_owned())];
        let check = |text: &str, expected: &str| assert_eq!(added(text, &facts), expected);
        check(
            "---\ntitle: A\n---\nB\n",
            "---\ntitle: A\nscore: 0.50\n---\nB\n",
        );
        check(
            "---\r\ntitle: A\r\n---\r\nB",
            "---\r\ntitle: A\r\nscore: 0.50\r\n---\r\nB",
        );
        check("B\n", "---\nscore: 0.50\ntitle: x\n---\nB\n");
    }
}
