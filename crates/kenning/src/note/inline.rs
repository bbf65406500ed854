//! Obsidian's inline syntax: `[[wikilinks]]`, `![[embeds]]`, `#tags`, `%%comments%%`; and what HTML hides.

use std::ops::Range;

/// A link from one note to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// How it was written.
    pub kind: LinkKind,
    /// Name or path of the target note; empty when the link stays inside its own note.
    pub target: String,
    /// `#Heading` or `#^block` part, without the first `#`.
    pub anchor: Option<String>,
    /// The text shown instead of the target.
    pub shown: Option<String>,
    /// 1-based line it stands on.
    pub line: u32,
}

/// How a [`Link`] was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkKind {
    /// `[[Note]]`
    Wiki,
    /// `![[Note]]`
    Embed,
    /// `[text](note.md)`
    Markdown,
    /// `[[Note#^block]]`
    Block,
    /// A link in a front-matter property.
    Property,
}

impl LinkKind {
    /// Returns the kind the store keeps as a number, which is its position here.
    pub fn from_number(number: u8) -> Self {
        [
            Self::Wiki,
            Self::Embed,
            Self::Markdown,
            Self::Block,
            Self::Property,
        ]
        .get(usize::from(number))
        .copied()
        .unwrap_or(Self::Wiki)
    }

    /// Returns the name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wiki => "wikilink",
            Self::Embed => "embed",
            Self::Markdown => "markdown",
            Self::Block => "block",
            Self::Property => "property",
        }
    }
}

impl Link {
    pub(super) fn new(kind: LinkKind, target: &str, shown: Option<&str>, line: u32) -> Self {
        let (target, anchor) = match target.split_once('#') {
            Some((target, anchor)) => (target, Some(anchor.trim().to_owned())),
            None => (target, None),
        };
        let is_block = anchor
            .as_deref()
            .is_some_and(|anchor| anchor.starts_with('^'));
        Self {
            kind: match kind {
                LinkKind::Wiki if is_block => LinkKind::Block,
                kind => kind,
            },
            target: target.trim().to_owned(),
            anchor,
            shown: shown
                .map(|shown| shown.trim().to_owned())
                .filter(|shown| !shown.is_empty()),
            line,
        }
    }
}

/// Calls `found(target, shown, offset)` for each `[[target|shown]]`.
pub(super) fn wikilinks(text: &str, mut found: impl FnMut(&str, Option<&str>, usize)) {
    let find = |what: &str, from: usize| text[from..].find(what).map(|i| from + i);
    let mut next = find("[[", 0);
    let mut close = 0;
    while let Some(open) = next {
        let inner_start = open + 2;
        next = find("[[", inner_start);
        // Many brackets may wait for the same end, which is looked for once.
        if close < inner_start {
            let Some(found) = find("]]", inner_start) else {
                return;
            };
            close = found;
        }
        let inner = &text[inner_start..close];
        if next.is_some_and(|next| next < close) || inner.contains('\n') {
            continue;
        }
        // Inside a table the bar is written `\|`.
        let (target, shown) = match inner.split_once('|') {
            Some((target, shown)) => (target.trim_end_matches('\\'), Some(shown)),
            None => (inner, None),
        };
        if !target.trim().is_empty() {
            found(target, shown, open);
        }
    }
}

/// Calls `found(tag, offset)` for each `#tag` in text that is not code; the offset is that of its name.
pub(super) fn tags(text: &str, mut found: impl FnMut(&str, usize)) {
    for (at, _) in text.match_indices('#') {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| !c.is_whitespace() && !matches!(c, '(' | ',' | ';' | '"' | '\''))
        {
            continue;
        }
        let rest = &text[at + 1..];
        if let Some(name) = rest.strip_prefix("[[").and_then(bracketed) {
            found(name, offset_in(text, name));
            continue;
        }
        let len = rest.find(|c: char| !is_tag_char(c)).unwrap_or(rest.len());
        let tag = rest[..len].trim_end_matches('/');
        // `#123` is an issue number, not a tag.
        if tag.chars().any(|c| !c.is_ascii_digit() && c != '/') {
            found(tag, at + 1);
        }
    }
}

/// Returns where a piece of a text stands in it.
pub(super) fn offset_in(text: &str, piece: &str) -> usize {
    piece.as_ptr() as usize - text.as_ptr() as usize
}

/// Logseq writes a tag of several words as `#[[like this]]`.
fn bracketed(rest: &str) -> Option<&str> {
    // What cannot be part of the name ends the search, so that no text is looked through twice.
    let end = rest.find(['\n', '[', '|']).unwrap_or(rest.len());
    let (name, _) = rest[..end].split_once("]]")?;
    Some(name.trim()).filter(|name| !name.is_empty())
}

/// Calls `found(key, value)` if the line is a field `key:: value`, in a list or not.
pub(super) fn field(line: &str, found: impl FnOnce(&str, &str)) {
    let line = line
        .trim_start()
        .trim_start_matches(['-', '*', '+'])
        .trim_start();
    let Some((key, value)) = line.split_once(":: ") else {
        return;
    };
    let is_key = (1..=40).contains(&key.len())
        && key.starts_with(char::is_alphabetic)
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '/'));
    // What Logseq keeps for itself says nothing about the note.
    let is_internal = matches!(key, "id" | "collapsed") || key.starts_with("logseq");
    if is_key && !is_internal && !value.trim().is_empty() {
        found(key, value.trim());
    }
}

fn is_tag_char(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '_' | '-' | '/')
        || (!c.is_ascii() && !c.is_whitespace() && !is_general_punctuation(c))
}

fn is_general_punctuation(c: char) -> bool {
    matches!(c as u32, 0x2000..=0x206F | 0x3000..=0x303F | 0xFF00..=0xFF0F | 0x00A0..=0x00BF)
}

/// Returns the ranges that nobody sees who reads the note: `%%…%%`, `<!--…-->`, and styles and scripts
/// that begin a line. What starts inside `code` is shown.
pub(super) fn hidden(text: &str, from: usize, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = from;
    let mut is_last_comment = false;
    while let Some(open) = text[at..].find(['%', '<']).map(|found| at + found) {
        at = open + 1;
        let Some((mark, close, is_block)) = hidden_mark(text, open) else {
            continue;
        };
        if is_last_comment && !is_block {
            continue;
        }
        let before = code.partition_point(|range| range.start <= open);
        if let Some(range) = code[..before].last().filter(|range| range.end > open) {
            at = range.end;
            continue;
        }
        // Left open, a block hides the rest of the note, as it does in Obsidian; inside of a line it
        // is text.
        match end_of(&text[open + mark..], close) {
            Some(end) => at = open + mark + end,
            None if is_block => at = text.len(),
            None => {
                is_last_comment = true;
                continue;
            }
        }
        ranges.push(open..at);
    }
    ranges
}

/// Returns how long the mark at `open` is that hides what follows it, what ends it, and whether it
/// needs no end.
fn hidden_mark(text: &str, open: usize) -> Option<(usize, &'static str, bool)> {
    let rest = &text.as_bytes()[open..];
    let is = |mark: &str| {
        let head = rest.get(..mark.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(mark.as_bytes()))
    };
    let begins_line = || {
        let before = text[..open].trim_end_matches(' ');
        before.is_empty() || before.ends_with('\n')
    };
    if is("%%") {
        return Some((2, "%%", true));
    }
    if is("<!--") {
        return Some((4, "-->", begins_line()));
    }
    let tags = [("<style", "</style>"), ("<script", "</script>")];
    let (tag, close) = tags.into_iter().find(|(tag, _)| is(tag))?;
    let is_tag = rest
        .get(tag.len())
        .is_none_or(|next| b" \t\r\n>".contains(next));
    (is_tag && begins_line()).then_some((tag.len(), close, true))
}

/// Returns where the first `close` ends, in upper or lower case.
fn end_of(text: &str, close: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let first = close.chars().next()?;
    let mut starts = text.match_indices(first).map(|(at, _)| at);
    starts.find_map(|at| {
        let found = bytes.get(at..at + close.len())?;
        let is_close = found.eq_ignore_ascii_case(close.as_bytes());
        is_close.then_some(at + close.len())
    })
}
