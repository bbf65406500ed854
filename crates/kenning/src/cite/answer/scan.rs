//! Where quotes and references to notes stand in a paragraph. Pure.

use std::ops::Range;

use super::numbers;
use crate::note::Format;

/// Longest reference in brackets, in bytes.
const REFERENCE_BYTES_MAX: usize = 240;
/// Longest quote, in bytes: what opens and never closes must not be looked for to the end.
const QUOTE_BYTES_MAX: usize = 4_096;
/// Digits of the short id of a passage.
const ID_DIGITS: usize = 8;
/// Quotation marks that open, and those that close what they opened.
const QUOTATION_MARKS: [(char, &[char]); 6] = [
    ('“', &['”']),
    ('„', &['“', '”']),
    ('«', &['»']),
    ('»', &['«']),
    ('「', &['」']),
    ('『', &['』']),
];

/// Something in a paragraph that belongs to a citation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// What stands between quotation marks.
    Quote(String),
    /// The name of a note.
    Reference(Reference),
}

/// What is cited, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    /// Path or name of a note, or `#` and the short id of a passage.
    pub(super) name: String,
    /// First and last line.
    pub(super) lines: Option<(u32, u32)>,
}

/// What counts as a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Names of notes.
    Names,
    /// Numbers in brackets, too.
    Numbers,
}

/// Finds quotes and references, in order.
pub(super) fn marks(text: &str, style: Style) -> Vec<(Range<usize>, Mark)> {
    let mut marks = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let numbers = match c {
            '[' | '【' if style == Style::Numbers => numbers::group(&text[at..]),
            _ => None,
        };
        let numbers =
            numbers.map(|(n_bytes, reference)| (n_bytes, Some(Mark::Reference(reference))));
        match numbers.or_else(|| mark_at(text, at, c)) {
            Some((n_bytes, mark)) => {
                let end = at + n_bytes;
                marks.extend(mark.map(|mark| (at..end, mark)));
                at = end;
            }
            None => at += c.len_utf8(),
        }
    }
    marks
}

/// Reads what begins at a character: its length, and what it is unless it is nothing to us.
fn mark_at(text: &str, at: usize, c: char) -> Option<(usize, Option<Mark>)> {
    let rest = &text[at..];
    let before = text[..at].chars().next_back();
    let is_word_start = before.is_none_or(|c| !c.is_alphanumeric());
    match c {
        '[' if rest.starts_with("[[") => wikilink(rest),
        '[' => markdown_link(rest),
        '(' => {
            let (inner, n_bytes) = between(rest, '(', ')')?;
            Some((n_bytes, Some(Mark::Reference(path_reference(inner, true)?))))
        }
        '`' => {
            let (inner, n_bytes) = between(rest, '`', '`')?;
            let reference = path_reference(inner, true).or_else(|| id_reference(inner));
            Some((n_bytes, reference.map(Mark::Reference)))
        }
        '#' if is_word_start => {
            let reference = id_reference(rest.get(..=ID_DIGITS)?)?;
            let is_longer = rest[ID_DIGITS + 1..].starts_with(char::is_alphanumeric);
            (!is_longer).then_some((ID_DIGITS + 1, Some(Mark::Reference(reference))))
        }
        '"' => straight_quote(rest, before),
        _ if QUOTATION_MARKS.iter().any(|(open, _)| *open == c) => curly_quote(rest, c),
        _ if before.is_none_or(char::is_whitespace) && !c.is_whitespace() => bare_path(rest),
        _ => None,
    }
}

fn quote(inner: &str, n_bytes: usize) -> Option<(usize, Option<Mark>)> {
    let mark = Mark::Quote(inner.trim().to_owned());
    (!inner.trim().is_empty()).then_some((n_bytes, Some(mark)))
}

fn curly_quote(rest: &str, open: char) -> Option<(usize, Option<Mark>)> {
    let (_, closing) = QUOTATION_MARKS.iter().find(|(known, _)| *known == open)?;
    let inner = beginning(&rest[open.len_utf8()..], QUOTE_BYTES_MAX);
    let (end, close) = inner.char_indices().find(|(_, c)| closing.contains(c))?;
    quote(&inner[..end], open.len_utf8() + end + close.len_utf8())
}

/// A straight mark opens in front of a word and closes behind one; `5"` is a measure.
fn straight_quote(rest: &str, before: Option<char>) -> Option<(usize, Option<Mark>)> {
    let inner = beginning(&rest[1..], QUOTE_BYTES_MAX);
    let opens = before.is_none_or(|c| c.is_whitespace() || "([{*_>—–-:".contains(c))
        && !inner.starts_with(char::is_whitespace);
    let end = inner.match_indices('"').map(|(end, _)| end).find(|&end| {
        !inner[..end].ends_with(char::is_whitespace)
            && !inner[end + 1..].starts_with(char::is_alphanumeric)
    })?;
    if opens {
        quote(&inner[..end], end + 2)
    } else {
        None
    }
}

/// `[[Note#Heading|shown]]`, with lines behind it or not.
fn wikilink(rest: &str) -> Option<(usize, Option<Mark>)> {
    let end = beginning(rest, REFERENCE_BYTES_MAX).find("]]")?;
    let inner = &rest[2..end];
    let name = inner.split('|').next().unwrap_or(inner);
    let name = name.trim_end_matches('\\').trim();
    if name.is_empty() || name.contains('\n') {
        return None;
    }
    let (n_bytes, lines) = lines_behind(&rest[end + 2..]);
    let reference = Reference {
        name: name.to_owned(),
        lines,
    };
    Some((end + 2 + n_bytes, Some(Mark::Reference(reference))))
}

/// `[shown](path)`, if the path is one of a note; `[path:12-20]`.
fn markdown_link(rest: &str) -> Option<(usize, Option<Mark>)> {
    let (shown, n_shown) = between(rest, '[', ']')?;
    let Some((target, n_target)) = between(&rest[n_shown..], '(', ')') else {
        return Some((n_shown, Some(Mark::Reference(path_reference(shown, true)?))));
    };
    let target = target.trim_matches(['<', '>']).replace("%20", " ");
    if target.contains("://") {
        return None;
    }
    let reference = path_reference(&target, false)?;
    Some((n_shown + n_target, Some(Mark::Reference(reference))))
}

/// Returns what stands between two marks on one line, and the length with both of them.
fn between(rest: &str, open: char, close: char) -> Option<(&str, usize)> {
    let inner = rest.strip_prefix(open)?;
    let end = beginning(inner, REFERENCE_BYTES_MAX).find(close)?;
    let inside = &inner[..end];
    (!inside.contains('\n')).then_some((inside, end + 2))
}

/// Returns a text up to a number of bytes.
fn beginning(text: &str, n_bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(n_bytes_max)]
}

fn id_reference(text: &str) -> Option<Reference> {
    let digits = text.strip_prefix('#')?;
    let is_id = digits.len() == ID_DIGITS && digits.bytes().all(|b| b.is_ascii_hexdigit());
    is_id.then(|| Reference {
        name: text.to_owned(),
        lines: None,
    })
}

/// `path.md:12-20` without anything around it.
fn bare_path(rest: &str) -> Option<(usize, Option<Mark>)> {
    let token = rest.split_whitespace().next()?;
    let token = token.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_plain = !token.contains(['[', '(', '"', '“', '`']);
    if !is_plain || token.contains("://") {
        return None;
    }
    let reference = path_reference(token, false)?;
    Some((token.len(), Some(Mark::Reference(reference))))
}

/// Reads a path with or without lines. In brackets any name with lines is one: `(Roof:3-9)`.
fn path_reference(text: &str, is_bracketed: bool) -> Option<Reference> {
    let text = text.trim();
    let (name, lines) = split_lines(text);
    let is_note = Format::of(name).is_some();
    let is_named = lines.is_some()
        && is_bracketed
        && name.contains(char::is_alphabetic)
        && !ends_in_time(text);
    let has_marks = name.contains(['[', ']', '"', '“', '„', '#']);
    ((is_note || is_named) && !has_marks).then(|| Reference {
        name: name.to_owned(),
        lines,
    })
}

/// `at 10:30`
fn ends_in_time(text: &str) -> bool {
    let last = text.rsplit(' ').next().unwrap_or(text);
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    last.split_once(':').is_some_and(|(hours, minutes)| {
        (1..=2).contains(&hours.len())
            && minutes.len() == 2
            && is_number(hours)
            && is_number(minutes)
    })
}

/// Splits `:12`, `:12-20`, `#L12-L20` or `, lines 12-20` off.
fn split_lines(text: &str) -> (&str, Option<(u32, u32)>) {
    for (at, c) in text.char_indices().rev() {
        if matches!(c, ':' | '#' | ',' | ' ') {
            let (n_bytes, lines) = lines_behind(&text[at..]);
            if lines.is_some() && at + n_bytes == text.len() {
                return (text[..at].trim_end_matches(','), lines);
            }
        }
    }
    (text, None)
}

/// Reads lines behind a name: their length in bytes and, if there are any, the lines.
fn lines_behind(text: &str) -> (usize, Option<(u32, u32)>) {
    let heads = [":L", ":", "#L", ", lines ", ", line ", " lines ", " line "];
    let Some(head) = heads.into_iter().find(|head| {
        text.strip_prefix(head)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    }) else {
        return (0, None);
    };
    let number = |text: &str| -> Option<(usize, u32)> {
        let end = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        text[..end].parse().ok().map(|number| (end, number))
    };
    let Some((n_digits, from)) = number(&text[head.len()..]) else {
        return (0, None);
    };
    let n_bytes = head.len() + n_digits;
    let dash = ["-L", "–L", "-", "–"]
        .into_iter()
        .find(|dash| text[n_bytes..].starts_with(dash));
    let to = dash.and_then(|dash| {
        let (n_digits, to) = number(&text[n_bytes + dash.len()..])?;
        Some((dash.len() + n_digits, to))
    });
    match to {
        Some((n_more, to)) => (n_bytes + n_more, Some((from, to))),
        None => (n_bytes, Some((from, from))),
    }
}
