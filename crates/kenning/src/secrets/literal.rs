//! Reads a value where it is written: in quotes, bare, in brackets, or on the lines below its name.

use std::ops::Range;

use super::MARK;
use super::value::is_strong;

/// What stands between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// `=`, `:=`, `=>` and their kin.
    Equals,
    /// `:`, as in YAML and prose.
    Colon,
    /// The next argument or list item, or a string after a blank.
    Next,
    /// The text of an XML element.
    Element,
    /// A blank after `--name`.
    Flag,
    /// The next cell of a table.
    Cell,
    /// `=` inside of a query string.
    Query,
    /// "is", as in a sentence.
    Is,
    /// `::` inside of brackets, as Dataview writes it.
    Bracket,
}

/// The bytes of a value, without its quotes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_quoted: bool,
}

/// No credential of an assignment is longer; keeps a missing quote from eating the note.
const VALUE_BYTES_MAX: usize = 4096;

/// Reads the value that begins at `start`.
pub(super) fn value_at(text: &[u8], start: usize, sign: Sign) -> Option<Value> {
    let mut start = start;
    // String prefixes as in Python and Rust, and the emphasis of Markdown.
    if matches!(text.get(start), Some(b'b' | b'r' | b'u' | b'@'))
        && matches!(text.get(start + 1), Some(b'"' | b'\''))
    {
        start += 1;
    }
    while matches!(text.get(start..start + 2), Some(b"**" | b"__" | b"==")) {
        start += 2;
    }
    let escapes = run_of(text, start, b'\\', 3);
    let quote = text
        .get(start + escapes)
        .copied()
        .filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    match quote {
        Some(quote) => quoted_at(text, start + escapes + 1, quote, escapes > 0),
        None if escapes > 0 || sign == Sign::Next => None,
        None => bare_at(text, start, sign),
    }
}

/// Reads to the closing quote. Inside of a string that is itself quoted, that one is escaped.
fn quoted_at(text: &[u8], start: usize, quote: u8, is_escaped: bool) -> Option<Value> {
    let start = start + run_of(text, start, quote, 2);
    let mut end = start;
    while end < text.len().min(start + VALUE_BYTES_MAX) {
        match text[end] {
            b'\n' => return None,
            b'\\' if !is_escaped => end += 1,
            byte if byte == quote || byte == b'\\' => {
                return Some(Value {
                    start,
                    end,
                    is_quoted: true,
                });
            }
            _ => {}
        }
        end += 1;
    }
    None
}

/// Reads a value without quotes, to the next blank or closing sign.
fn bare_at(text: &[u8], start: usize, sign: Sign) -> Option<Value> {
    let window = &text[start..text.len().min(start + VALUE_BYTES_MAX)];
    let length = match (0..window.len()).find(|&at| ends_bare(&window[at..], sign)) {
        Some(length) => length,
        None if window.len() == VALUE_BYTES_MAX => return None,
        None => window.len(),
    };
    let bare = &window[..length];
    let trimmed = trim_bare(bare);
    let is_code = bare.contains(&b'(') || bare.ends_with(b"...");
    let is_closed = match sign {
        Sign::Element => text[start + length..].trim_ascii_start().starts_with(b"</"),
        Sign::Colon => is_last_on_line(text, start + length) || is_strong(&bare[..trimmed]),
        Sign::Cell => ends_cell(text, start + length),
        _ => true,
    };
    (trimmed > 0 && !is_code && is_closed).then_some(Value {
        start,
        end: start + trimmed,
        is_quoted: false,
    })
}

fn run_of(text: &[u8], start: usize, byte: u8, max: usize) -> usize {
    text[start..]
        .iter()
        .take(max)
        .take_while(|&&seen| seen == byte)
        .count()
}

fn ends_bare(rest: &[u8], sign: Sign) -> bool {
    match rest[0] {
        b'"' | b'\'' | b'`' | b'>' | b';' => true,
        // A tag, or the rest of an element; elsewhere just a sign.
        b'<' => rest
            .get(1)
            .is_none_or(|&next| next == b'/' || next == b'!' || next.is_ascii_alphabetic()),
        // An escape inside of a quoted string, or a line that goes on.
        b'\\' => rest.get(1).is_none_or(|next| b"nrt\"'\\\n".contains(next)),
        b'&' | b'#' => sign == Sign::Query,
        b'|' => sign == Sign::Cell,
        b']' | b')' => sign == Sign::Bracket,
        byte => byte <= b' ',
    }
}

fn trim_bare(value: &[u8]) -> usize {
    let n_closing = value
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b',' | b')' | b']' | b'}' | b'.' | b':' | b'*'))
        .count();
    value.len() - n_closing
}

/// In prose a value after a colon is the last word of its line; a sentence goes on.
fn is_last_on_line(text: &[u8], end: usize) -> bool {
    let rest = &text[skip_blanks(text, end)..];
    rest.first()
        .is_none_or(|byte| b"\n\r#|\\\"'`<};&(-".contains(byte))
}

/// The value of a cell is all of it.
fn ends_cell(text: &[u8], end: usize) -> bool {
    let rest = &text[skip_blanks(text, end)..];
    rest.first().is_none_or(|byte| b"|\n\r`*".contains(byte))
}

pub(super) fn skip_blanks(text: &[u8], from: usize) -> usize {
    from + text[from..]
        .iter()
        .take(40)
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

/// A list of values below a name has no more items than are looked at.
const ITEMS_MAX: usize = 256;

/// Calls `each` with the values on the lines below `end`, the end of a line: a list, a block, or a line by itself.
pub(super) fn values_below(text: &[u8], end: usize, mut each: impl FnMut(Value)) {
    let mut line = end + 1;
    let mut n_blank = 0;
    let mut is_first = true;
    for _ in 0..ITEMS_MAX {
        let Some(rest) = text.get(line..).filter(|rest| !rest.is_empty()) else {
            return;
        };
        let length = rest
            .iter()
            .take(VALUE_BYTES_MAX)
            .position(|&byte| byte == b'\n');
        let line_end = line + length.unwrap_or(rest.len().min(VALUE_BYTES_MAX));
        let content = trimmed(text, line..line_end);
        let is_rule = text[content.clone()]
            .iter()
            .all(|byte| matches!(byte, b'-' | b'='));
        let is_fence = is_rule
            || text[content.clone()].starts_with(b"```")
            || text[content.clone()].starts_with(b"~~~");
        if content.is_empty() || is_fence {
            n_blank += 1;
            if !is_first || n_blank > 2 {
                return;
            }
            line = line_end + 1;
            continue;
        }
        let is_inset = content.start > line;
        match alone(text, content) {
            Some(value) => each(value),
            None => return,
        }
        if !is_inset {
            return;
        }
        is_first = false;
        line = line_end + 1;
    }
}

/// Takes indentation and the marks of lists and quotations off a line.
fn trimmed(text: &[u8], line: Range<usize>) -> Range<usize> {
    let mut start = line.start;
    let mut end = line.end;
    while start < end && matches!(text[start], b' ' | b'\t' | b'>') {
        start += 1;
    }
    if matches!(text.get(start..end), Some([b'-' | b'*' | b'+', b' ', ..])) {
        start += 2;
    }
    while start < end && text[start] == b' ' {
        start += 1;
    }
    while start < end && matches!(text[end - 1], b' ' | b'\t' | b'\r' | b',') {
        end -= 1;
    }
    start..end
}

/// Returns the value that has a line for itself.
fn alone(text: &[u8], line: Range<usize>) -> Option<Value> {
    let content = &text[line.clone()];
    let inner = match content {
        [first @ (b'"' | b'\'' | b'`'), inner @ .., last] if first == last => inner,
        [b'*', b'*', inner @ .., b'*', b'*'] => inner,
        _ => content,
    };
    let start = line.start + (content.len() - inner.len()) / 2;
    let is_one = !inner.iter().any(|byte| byte.is_ascii_whitespace())
        || inner.starts_with(MARK.as_bytes()) && inner.ends_with(b"]");
    (is_one && !inner.ends_with(b":") && !inner.is_empty()).then_some(Value {
        start,
        end: start + inner.len(),
        is_quoted: inner.len() < content.len(),
    })
}
