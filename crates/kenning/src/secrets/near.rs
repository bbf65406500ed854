//! A telling word and a random value near each other, with no sign between them that says which belongs to which.

use std::ops::Range;

use super::names::{Kind, OPEN_KEYS, PUBLIC, has_any, is_other_word};
use super::shape::{ALNUM, BASE64, DOT, EQUALS, TILDE, URL64, is, run_length, run_length_back};
use super::value::{is_random, is_shouting, is_strong, is_uuid};
use super::{Span, tokens};

/// How far behind the word a value may begin.
const REACH_BYTES: usize = 56;
/// Right behind the word, a value needs this length; with other words between, the longer one.
const TOUCHING_BYTES_MIN: usize = 16;
const NEAR_BYTES_MIN: usize = 20;
/// Hexadecimal digits are written for so much else that they have to be as many as in a key.
const HEX_BYTES_MIN: usize = 32;

const RANDOM: u16 = URL64 | BASE64 | EQUALS | TILDE | DOT;

/// Words between name and value that say what else the value is.
const OTHER: &[&[u8]] = &[
    b"hash",
    b"sha",
    b"md5",
    b"commit",
    b"digest",
    b"checksum",
    b"fingerprint",
    b"uuid",
    b"guid",
    b"revision",
    b"etag",
    b"thumbprint",
    b"integrity",
    b"public",
    b"http",
    b"version",
    b"image",
    b"pubkey",
];

/// Finds a random value on the line behind a name; `name` is in lower case and stops before the telling word.
pub(super) fn behind(text: &[u8], kind: Kind, name: &[u8], from: usize) -> Option<Span> {
    let pattern = pattern(kind)?;
    if kind == Kind::Key && is_other_word(name) {
        return None;
    }
    if has_any(name, PUBLIC) || has_any(name, OPEN_KEYS) || has_any(name, OTHER) {
        return None;
    }
    let reach = text.len().min(from + REACH_BYTES);
    let mut at = from;
    while at < reach {
        match text[at] {
            b'\n' => return None,
            b'.' | b'!' | b'?' if text.get(at + 1) == Some(&b' ') => return None,
            byte if !is(byte, RANDOM) => {
                at += if byte.is_ascii() { 1 } else { 2 };
                continue;
            }
            _ => {}
        }
        if let Some(span) = tokens::at(text, at) {
            return Some(span);
        }
        let start = at;
        at += run_length(&text[at..], RANDOM, 512);
        if at - start < TOUCHING_BYTES_MIN {
            continue;
        }
        let between = text[from..start].to_ascii_lowercase();
        return value(text, kind, &between, start..at).map(|value| Span {
            start: value.start,
            end: value.end,
            pattern,
        });
    }
    None
}

fn value(text: &[u8], kind: Kind, between: &[u8], run: Range<usize>) -> Option<Range<usize>> {
    // Signs that belong to the sentence, not to the value.
    let mut start = run.start;
    while start < run.end && matches!(text[start], b'-' | b'=' | b'.' | b'+' | b'/') {
        start += 1;
    }
    let mut end = run.end;
    while end > start && matches!(text[end - 1], b'.' | b'-' | b'/') {
        end -= 1;
    }
    let value = &text[start..end];
    let is_touching = !between.iter().any(|&byte| is(byte, ALNUM)) && between.len() < 8;
    let is_cut = text[..start]
        .last()
        .is_some_and(|byte| b"@#$%&\\/".contains(byte))
        || text
            .get(end)
            .is_some_and(|byte| b"([{@".contains(byte) || *byte == "…".as_bytes()[0])
        || text[end..].starts_with(b"...");
    if is_cut
        || has_any(between, OTHER)
        || kind == Kind::Near && !is_touching
        || tokens::is_public(value)
    {
        return None;
    }
    let is_hex = value.iter().all(|byte| byte.is_ascii_hexdigit());
    let length_min = match (is_hex, is_touching) {
        (true, _) => HEX_BYTES_MIN,
        (false, true) => TOUCHING_BYTES_MIN,
        (false, false) => NEAR_BYTES_MIN,
    };
    let is_found = match is_uuid(value) {
        true => is_touching,
        false => is_random(value, length_min),
    };
    is_found.then_some(start..end)
}

/// What a value near a word of this kind is called; words of other kinds promise nothing.
fn pattern(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Password | Kind::Word => Some("password"),
        Kind::Secret => Some("secret"),
        Kind::Token => Some("token"),
        Kind::Key | Kind::Near => Some("api-key"),
        _ => None,
    }
}

/// How far before a name a value may end.
const BEFORE_BYTES: usize = 20;

/// Words that may stand between a value and what it is.
const LINKS: [&[u8]; 9] = [
    b"", b"is", b"the", b"my", b"our", b"a", b"an", b"as", b"this",
];

/// Finds a random value in front of a name, as in "… is the API key"; `room` is what may be looked at.
pub(super) fn before(text: &[u8], kind: Kind, name: &[u8], room: Range<usize>) -> Option<Span> {
    let pattern = pattern(kind).filter(|_| kind != Kind::Near)?;
    let reach = room.start.max(room.end.saturating_sub(BEFORE_BYTES));
    // The value is the first row of letters that is longer than a word.
    let (mut start, mut end) = (room.end, room.end);
    while end > reach && end - start < NEAR_BYTES_MIN {
        end = start;
        while end > reach && !is(text[end - 1], RANDOM) {
            end -= 1;
        }
        let floor = room.start.max(end.saturating_sub(512));
        start = end - run_length_back(text, end, floor, RANDOM);
    }
    let between = text[end..room.end].to_ascii_lowercase();
    let is_linked = between
        .split(|&byte| !is(byte, ALNUM))
        .all(|word| LINKS.contains(&word));
    let is_open = has_any(name, PUBLIC) || has_any(name, OPEN_KEYS) || has_any(name, OTHER);
    let is_sentence = |byte: &u8| is(*byte, ALNUM) || b" `\"'()|#,:-".contains(byte);
    if end - start < NEAR_BYTES_MIN || !is_linked || !between.iter().all(is_sentence) || is_open {
        return None;
    }
    value(text, kind, b" is ", start..end).map(|value| Span {
        start: value.start,
        end: value.end,
        pattern,
    })
}

/// Finds the value that a dash or dot joins to the telling word, as in `vendor-secret-…`.
pub(super) fn joined(text: &[u8], kind: Kind, name: &[u8], keyword_end: usize) -> Option<Span> {
    let joint = *text.get(keyword_end)?;
    matches!(joint, b'-' | b'_' | b'.' | b':')
        .then(|| behind(text, kind, name, keyword_end + 1))
        .flatten()
        .filter(|span| span.start == keyword_end + 1)
}

/// Finds a password that only a blank parts from its word; it must be one beyond doubt.
pub(super) fn after_blank(text: &[u8], kind: Kind, name: Range<usize>) -> Option<Span> {
    let from = name.end;
    if !kind.is_password() || text.get(from) != Some(&b' ') {
        return None;
    }
    let start = from + 1 + usize::from(matches!(text.get(from + 1), Some(b'`' | b'"' | b'\'')));
    let length = text[start..]
        .iter()
        .take(64)
        .take_while(|&&byte| byte > b' ' && !matches!(byte, b'`' | b'"' | b'\'' | b')'))
        .count();
    let word = &text[start..start + length];
    let end = start + length
        - word
            .iter()
            .rev()
            .take_while(|byte| matches!(byte, b'.' | b',' | b';'))
            .count();
    // "pw" does not occur in sentences, and parentheses hold nothing but the password.
    let is_own = name.len() == 2 || text[..name.start].last() == Some(&b'(');
    let is_real = is_shouting(&text[start..end]) || is_own && is_strong(&text[start..end]);
    is_real.then_some(Span {
        start,
        end,
        pattern: "password",
    })
}
