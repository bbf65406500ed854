//! Private keys over several lines: PEM, OpenSSH and PGP blocks, also inside quoted strings.

use super::shape::{BASE64, EQUALS, begins_word, is, run_length};
use super::{Hit, Span};

/// A block with fewer base64 characters is an illustration, not a key.
const BODY_CHARS_MIN: usize = 40;
/// The largest keys in use (RSA 16384, PGP with subkeys) stay below this.
const BLOCK_BYTES_MAX: usize = 64 * 1024;

/// Masks from `-----BEGIN … PRIVATE KEY` to the end marker, or to the last line that looks like key material.
pub(super) fn detect(text: &[u8], hit: Hit) -> Option<Span> {
    let block = &text[hit.start..text.len().min(hit.start + BLOCK_BYTES_MAX)];
    let title_end = hit.end - hit.start + find(&block[hit.end - hit.start..], b"-----")?;
    let title = &block[hit.end - hit.start..title_end];
    if title.contains(&b'\n') || find(title, b"PRIVATE KEY").is_none() {
        return None;
    }
    let body_start = title_end + 5;
    let body = &block[body_start..];
    let body_end = match find(body, b"-----") {
        Some(end) if body[end..].starts_with(b"-----END") && is_mostly_key(&body[..end]) => end,
        _ => key_lines_length(body),
    };
    if key_chars(&body[..body_end]) < BODY_CHARS_MIN {
        return None;
    }
    let mut end = hit.start + body_start + body_end;
    if text[end..].starts_with(b"-----END") {
        let rest = &text[end + 8..text.len().min(end + 80)];
        end += 8 + find(rest, b"-----").map_or(0, |dashes| dashes + 5);
    }
    Some(Span {
        start: hit.start,
        end,
        pattern: "private-key",
    })
}

/// How the bodies of private keys begin: the numbers that say so stand in front of the key itself.
pub(super) const BODY_HEADS: &[&str] = &[
    "MII",
    "MHcCAQEE",
    "MHQCAQEE",
    "MIGHAgEA",
    "MIGEAgEA",
    "MIGTAgEA",
    "MIG2AgEA",
    "MIGkAgEB",
    "MIHcAgEB",
    "MC4CAQAw",
    "b3BlbnNzaC1rZXktdjE",
];

/// Masks the body of a private key that lost its frame, or lies in a field by itself.
pub(super) fn detect_body(text: &[u8], hit: Hit) -> Option<Span> {
    let body = &text[hit.start..text.len().min(hit.start + BLOCK_BYTES_MAX)];
    if !begins_word(text, hit.start, hit.floor) || !is_private(body) {
        return None;
    }
    let length = key_lines_length(body).max(run_length(body, BASE64 | EQUALS, usize::MAX));
    (key_chars(&body[..length]) >= BODY_CHARS_MIN).then_some(Span {
        start: hit.start,
        end: hit.start + length,
        pattern: "private-key",
    })
}

/// Certificates and public keys begin with `MII`, too; a private key goes on with a version number, or with the way
/// it is encrypted.
fn is_private(body: &[u8]) -> bool {
    match body {
        [
            b'M',
            b'I',
            b'I',
            _,
            _,
            b'A' | b'Q' | b'g' | b'w',
            b'I',
            b'B',
            b'A',
            ..,
        ] => true,
        [b'M', b'I', b'I', ..] => find(&body[..body.len().min(40)], b"gkqhkiG9w0BBQ").is_some(),
        _ => true,
    }
}

/// Masks the private lines of a key as PuTTY writes it.
pub(super) fn detect_putty(text: &[u8], hit: Hit) -> Option<Span> {
    let line = text[hit.end..]
        .iter()
        .take(12)
        .position(|&byte| byte == b'\n')?;
    let start = hit.end + line + 1;
    let body = &text[start..text.len().min(start + BLOCK_BYTES_MAX)];
    let length = key_lines_length(body);
    (key_chars(&body[..length]) >= BODY_CHARS_MIN).then_some(Span {
        start,
        end: start + length,
        pattern: "private-key",
    })
}

/// Says whether a body is key material; an end marker pages later belongs to something else.
fn is_mostly_key(body: &[u8]) -> bool {
    key_chars(body) * 2
        > body
            .iter()
            .filter(|byte| !byte.is_ascii_whitespace())
            .count()
}

/// Counts base64 characters in runs long enough to be key material rather than words.
fn key_chars(body: &[u8]) -> usize {
    let mut total = 0;
    let mut position = 0;
    while position < body.len() {
        let length = run_length(&body[position..], BASE64, usize::MAX);
        if length >= 16 {
            total += length;
        }
        position += length + 1;
    }
    total
}

/// Length of the lines after the title that hold nothing but base64, for a key that was cut off.
fn key_lines_length(body: &[u8]) -> usize {
    let is_material = |byte: u8| is(byte, BASE64 | EQUALS) || byte.is_ascii_whitespace();
    // Looking for line ends beyond the first foreign byte would make many short blocks cost as one long one each.
    let reach = body.iter().take_while(|&&byte| is_material(byte)).count();
    let body = &body[..body.len().min(reach + 1)];
    let mut length = 0;
    for line in body.split_inclusive(|&byte| byte == b'\n') {
        let material = line.trim_ascii();
        let is_key_line = material.iter().all(|&byte| is(byte, BASE64 | EQUALS));
        if !is_key_line || length > 0 && material.is_empty() {
            break;
        }
        length += line.len();
    }
    body[..length].trim_ascii_end().len()
}

fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    text.windows(needle.len())
        .position(|window| window == needle)
}
