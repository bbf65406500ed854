//! Reads `name = value` in its many spellings: shell, YAML, JSON, XML, source code, flags, tables, prose.
//!
//! The keyword must end the name (`client_secret`, not `secretName`). What a name promises is decided in
//! [`super::names`], what a value is worth in [`super::value`].

use std::ops::Range;

use super::names::{Kind, has_any, judge};
use super::shape::{ALNUM, DIGIT, is, run_length};
use super::{Hit, Span, tokens};

/// Checks the assignment whose name ends with the keyword.
pub(super) fn detect(text: &[u8], kind: Kind, hit: Hit) -> Option<Span> {
    let name_end = name_end(text, hit.end)?;
    let start = name_start(text, hit.start, hit.floor);
    let operator = operator(text, start, name_end)?;
    let found = value_at(text, operator)?;
    if let Some(span) = tokens::at(text, found.start) {
        return Some(span);
    }
    let value = &text[found.start..found.end];
    if tokens::is_public(value) {
        return None;
    }
    let name = text[start..hit.start].to_ascii_lowercase();
    let pattern = judge(kind, &name, value)?;
    Some(Span {
        start: found.start,
        end: found.end,
        pattern,
    })
}

/// Returns where the name ends, or nothing when the keyword is only the beginning of another word.
fn name_end(text: &[u8], keyword_end: usize) -> Option<usize> {
    const SUFFIXES: [&[u8]; 11] = [
        b"base",
        b"value",
        b"prod",
        b"production",
        b"dev",
        b"staging",
        b"test",
        b"live",
        b"base64",
        b"b64",
        b"hex",
    ];
    let mut end = keyword_end;
    let is_credential = text[keyword_end - 1] | 32 == b'l';
    if is_credential
        && matches!(text.get(end), Some(b's' | b'S'))
        && !text.get(end + 1).is_some_and(|&byte| is(byte, ALNUM))
    {
        end += 1;
    }
    end += run_length(&text[end..], DIGIT, 3);
    if matches!(text.get(end), Some(b'_' | b'-')) {
        let word = &text[end + 1..];
        let length = run_length(word, ALNUM, 11);
        if SUFFIXES
            .iter()
            .any(|suffix| word[..length].eq_ignore_ascii_case(suffix))
            || length > 0 && length < 3 && word[..length].iter().all(u8::is_ascii_digit)
        {
            end += 1 + length;
        }
    }
    (!text
        .get(end)
        .is_some_and(|&byte| is(byte, ALNUM) || matches!(byte, b'_' | b'-') || !byte.is_ascii()))
    .then_some(end)
}

/// Looks this far back for the beginning of a line, so that a note of one line costs no more than others.
const LINE_BYTES_MAX: usize = 512;

/// Looks this far back for the beginning of a name.
const NAME_BYTES_MAX: usize = 60;

fn name_start(text: &[u8], keyword: usize, floor: usize) -> usize {
    let from = floor.max(keyword.saturating_sub(NAME_BYTES_MAX));
    let is_name = |byte: u8| is(byte, ALNUM) || matches!(byte, b'_' | b'-' | b'.');
    let mut start = keyword;
    while start > from && is_name(text[start - 1]) {
        start -= 1;
    }
    // "API key" and "client secret" in prose: one word before the keyword belongs to the name.
    if start == keyword && start > from && text[start - 1] == b' ' {
        start -= 1;
        while start > from && is_name(text[start - 1]) {
            start -= 1;
        }
    }
    start
}

/// What stands between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
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
}

#[derive(Debug, Clone, Copy)]
struct Operator {
    sign: Sign,
    /// First byte after the operator and its blanks.
    end: usize,
}

fn operator(text: &[u8], name_start: usize, name_end: usize) -> Option<Operator> {
    let before = name_start.checked_sub(1).map(|position| text[position]);
    let mut at = name_end;
    let mut is_quoted = false;
    while at < name_end + 4
        && matches!(
            text.get(at),
            Some(b'"' | b'\'' | b'`' | b']' | b'*' | b'\\')
        )
    {
        is_quoted |= matches!(text[at], b'"' | b'\'');
        at += 1;
    }
    let after_blanks = skip_blanks(text, at);
    let sign = match *text.get(after_blanks)? {
        b'=' | b'?' | b'.' | b'+' | b':' | b'-' | b'|'
            if let Some((sign, end)) = sign_at(text, after_blanks) =>
        {
            let sign = if matches!(before, Some(b'?' | b'&')) {
                Sign::Query
            } else {
                sign
            };
            return Some(Operator {
                sign,
                end: skip_break(text, end, sign),
            });
        }
        b'|' if is_in_row(text, name_start) => Sign::Cell,
        b',' if is_quoted => Sign::Next,
        b'>' if before == Some(b'<') => Sign::Element,
        b'"' | b'\'' if after_blanks > at && !is_quoted => {
            return Some(Operator {
                sign: Sign::Next,
                end: after_blanks,
            });
        }
        _ if after_blanks > at && is_flag(text, name_start..at) => {
            return Some(Operator {
                sign: Sign::Flag,
                end: after_blanks,
            });
        }
        _ if after_blanks > at => return typed_operator(text, after_blanks),
        _ => return None,
    };
    Some(Operator {
        sign,
        end: skip_break(text, after_blanks + 1, sign),
    })
}

/// Says whether a blank is enough between name and value: after `--name`, after `sshpass -p`, and in `.netrc` after `login`.
fn is_flag(text: &[u8], name: Range<usize>) -> bool {
    let is_option = text[name.clone()].starts_with(b"--") && !text[name.clone()].contains(&b' ');
    let line = line_before(text, name.start);
    is_option
        || text[name].ends_with(b"sshpass -p")
        || line.starts_with(b"machine ") && has_any(line, &[b" login "])
}

/// Says whether the line that `position` stands on is a row of a table.
fn is_in_row(text: &[u8], position: usize) -> bool {
    line_before(text, position)
        .trim_ascii_start()
        .starts_with(b"|")
}

/// Returns the line up to `position`, or the end of it where the line is very long.
fn line_before(text: &[u8], position: usize) -> &[u8] {
    let before = &text[position.saturating_sub(LINE_BYTES_MAX)..position];
    before
        .rsplit(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default()
}

/// Reads `=`, `:`, `:=`, `=>` and their kin, and returns where they end.
fn sign_at(text: &[u8], start: usize) -> Option<(Sign, usize)> {
    const EQUALS: [&[u8]; 11] = [
        b":::=", b"::=", b"||=", b":=", b"?=", b".=", b"+=", b"=>", b"->", b"==", b"=",
    ];
    if let Some(sign) = EQUALS.iter().find(|sign| text[start..].starts_with(sign)) {
        return Some((Sign::Equals, start + sign.len()));
    }
    if !text[start..].starts_with(b":") || text[start + 1..].starts_with(b":") {
        return None;
    }
    // A type between colon and equals sign: `password: str = "…"`.
    let typed = typed_operator(text, skip_blanks(text, start + 1));
    Some(typed.map_or((Sign::Colon, start + 1), |operator| {
        (Sign::Equals, operator.end)
    }))
}

/// Reads `string =` and the like: the type of the name, then the sign.
fn typed_operator(text: &[u8], start: usize) -> Option<Operator> {
    const TYPES: [&[u8]; 8] = [
        b"string",
        b"String",
        b"str",
        b"&str",
        b"&'static str",
        b"SecretStr",
        b"Optional[str]",
        b"[]byte",
    ];
    let name = TYPES
        .iter()
        .filter(|name| text[start..].starts_with(name))
        .max_by_key(|name| name.len())?;
    let at = skip_blanks(text, start + name.len());
    (text.get(at) == Some(&b'=')).then(|| Operator {
        sign: Sign::Equals,
        end: skip_blanks(text, at + 1),
    })
}

fn skip_blanks(text: &[u8], from: usize) -> usize {
    from + text[from..]
        .iter()
        .take(40)
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

/// Skips blanks, and for elements and arguments also one line break.
fn skip_break(text: &[u8], from: usize, sign: Sign) -> usize {
    let at = skip_blanks(text, from);
    match (sign, text.get(at)) {
        (Sign::Element | Sign::Next, Some(b'\n')) => skip_blanks(text, at + 1),
        _ => at,
    }
}

/// The bytes of a value, without its quotes.
#[derive(Debug, Clone, Copy)]
struct Value {
    start: usize,
    end: usize,
}

/// No credential of an assignment is longer; keeps a missing quote from eating the note.
const VALUE_BYTES_MAX: usize = 4096;

fn value_at(text: &[u8], operator: Operator) -> Option<Value> {
    let mut start = operator.end;
    // String prefixes as in Python and Rust, and the emphasis of Markdown.
    if matches!(text.get(start), Some(b'b' | b'r' | b'u' | b'@'))
        && matches!(text.get(start + 1), Some(b'"' | b'\''))
    {
        start += 1;
    }
    while text.get(start..start + 2) == Some(b"**") {
        start += 2;
    }
    let escapes = run_of(text, start, b'\\', 3);
    let quote = text
        .get(start + escapes)
        .copied()
        .filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    match quote {
        Some(quote) => quoted_at(text, start + escapes + 1, quote, escapes > 0),
        None if escapes > 0 || operator.sign == Sign::Next => None,
        None => bare_at(text, start, operator.sign),
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
            byte if byte == quote || byte == b'\\' => return Some(Value { start, end }),
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
        Sign::Colon | Sign::Cell => is_last_on_line(text, start + length),
        _ => true,
    };
    (trimmed > 0 && !is_code && is_closed).then_some(Value {
        start,
        end: start + trimmed,
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
        b'"' | b'\'' | b'`' | b'<' | b'>' | b';' => true,
        // An escape inside of a quoted string, or a line that goes on.
        b'\\' => rest.get(1).is_none_or(|next| b"nrt\"'\\\n".contains(next)),
        b'&' => sign == Sign::Query,
        b'|' => sign == Sign::Cell,
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
    rest.first().is_none_or(|byte| {
        matches!(
            byte,
            b'\n'
                | b'\r'
                | b'#'
                | b'|'
                | b'\\'
                | b'"'
                | b'\''
                | b'`'
                | b'<'
                | b'}'
                | b';'
                | b'&'
                | b'('
                | b'-'
        )
    })
}
