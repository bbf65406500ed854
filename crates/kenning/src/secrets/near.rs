//! A telling word and a random value near each other, with no sign between them that says which belongs to which.

use super::names::{Kind, OPEN_KEYS, PUBLIC, has_any, is_other_word};
use super::shape::{ALNUM, BASE64, DOT, EQUALS, TILDE, URL64, is, run_length};
use super::value::{is_random, is_shouting, is_uuid};
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

fn value(
    text: &[u8],
    kind: Kind,
    between: &[u8],
    run: std::ops::Range<usize>,
) -> Option<std::ops::Range<usize>> {
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

/// Finds the value that a dash or dot joins to the telling word, as in `vendor-secret-…`.
pub(super) fn joined(text: &[u8], kind: Kind, name: &[u8], keyword_end: usize) -> Option<Span> {
    let joint = *text.get(keyword_end)?;
    matches!(joint, b'-' | b'_' | b'.' | b':')
        .then(|| behind(text, kind, name, keyword_end + 1))
        .flatten()
        .filter(|span| span.start == keyword_end + 1)
}

/// Finds a password that only a blank parts from its word; it must be one beyond doubt.
pub(super) fn after_blank(text: &[u8], kind: Kind, from: usize) -> Option<Span> {
    let is_password = matches!(kind, Kind::Password | Kind::Word | Kind::Pass);
    if !is_password || text.get(from) != Some(&b' ') {
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
    is_shouting(&text[start..end]).then_some(Span {
        start,
        end,
        pattern: "password",
    })
}
