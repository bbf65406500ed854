//! Tokens by the habit of vendors that no table knows: a short name, `_` or `-`, and a long random row of letters.

use super::Span;
use super::shape::{ALNUM, ALPHA, DIGIT, LOWER, UPPER, URL64, entropy, is};
use super::sound::is_unspeakable;
use super::value::is_stand_in;

/// What such a token is called where nothing knows it better.
pub(super) const PATTERN: &str = "unknown-token";

/// Shorter rows are names of files and versions.
const BODY_BYTES_MIN: usize = 24;
const BODY_BYTES_MAX: usize = 256;
/// The name in front is not longer.
const NAME_BYTES_MAX: usize = 24;

/// Adds tokens of unknown vendors.
pub(super) fn find(text: &[u8], spans: &mut Vec<Span>) {
    // A row of this length covers one of the places looked at; prose is left after a word's length.
    let mut at = BODY_BYTES_MIN - 1;
    while at < text.len() {
        let mut end = at;
        if is(text[at], ALNUM) {
            let start = body_start(text, at);
            end = at + body_length(&text[at..]);
            let is_whole = text.get(end).is_none_or(|&byte| !is(byte, URL64));
            if is_whole && end - start >= BODY_BYTES_MIN && is_body(&text[start..end]) {
                spans.extend(name_start(text, start).map(|start| Span {
                    start,
                    end,
                    pattern: PATTERN,
                }));
            }
        }
        at = end.max(at) + BODY_BYTES_MIN;
    }
}

fn body_start(text: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(BODY_BYTES_MAX);
    let length = text[from..at]
        .iter()
        .rev()
        .take_while(|&&byte| is(byte, ALNUM))
        .count();
    at - length
}

fn body_length(text: &[u8]) -> usize {
    text.iter()
        .take(BODY_BYTES_MAX)
        .take_while(|&&byte| is(byte, ALNUM))
        .count()
}

/// Says whether a row of letters is random: all three sorts, and no word could sound like it.
fn is_body(body: &[u8]) -> bool {
    let has = |class| body.iter().any(|&byte| is(byte, class));
    has(DIGIT)
        && has(LOWER)
        && has(UPPER)
        && entropy(body) >= 3.8
        && is_unspeakable(body)
        && !is_stand_in(body)
}

/// Returns where the name in front begins: a word, perhaps several, joined to the row by `_` or `-`.
fn name_start(text: &[u8], body: usize) -> Option<usize> {
    let from = body.saturating_sub(NAME_BYTES_MAX);
    let is_name = |byte: &&u8| is(**byte, ALNUM) || matches!(**byte, b'_' | b'-');
    let length = text[from..body].iter().rev().take_while(is_name).count();
    let name = &text[body - length..body];
    let is_joined = matches!(name, [first, .., b'_' | b'-'] if is(*first, ALPHA));
    let before = (body - length).checked_sub(1).map(|at| text[at]);
    let begins =
        before.is_none_or(|byte| !matches!(byte, b'/' | b'.' | b'=' | b'&' | b'%' | b'#' | b'+'));
    // Names are of one case; letters of both are one more piece of something random.
    let is_plain =
        !name.iter().any(|&byte| is(byte, UPPER)) || !name.iter().any(|&byte| is(byte, LOWER));
    // A dash joins words of a title, too: only one short name in front of it counts.
    let is_short = name.ends_with(b"_") || name.len() <= 6;
    let is_token = is_joined && begins && is_plain && is_short && length < NAME_BYTES_MAX;
    (is_token && !is_object(name) && !is_id(text, body - length)).then_some(body - length)
}

/// What services put in front of the names of things that are not secret: messages, customers, files.
#[rustfmt::skip]
const OBJECTS: &[&[u8]] = &[
    b"acct", b"asst", b"batch", b"call", b"cart", b"ch", b"chatcmpl", b"class", b"cmpl", b"cs", b"css", b"cus", b"doc",
    b"event", b"evt", b"file", b"ft", b"gen", b"id", b"image", b"img", b"in", b"item", b"job", b"li", b"mod", b"module",
    b"msg", b"obj", b"order", b"org", b"page", b"pi", b"pm", b"price", b"prod", b"proj", b"req", b"request", b"resp",
    b"rs", b"run", b"seti", b"si", b"step", b"sub", b"thread", b"tool", b"toolu", b"trace", b"txn", b"user", b"usr", b"vs",
];

fn is_object(name: &[u8]) -> bool {
    let word = name.split(|byte| matches!(byte, b'_' | b'-')).next();
    word.is_some_and(|word| {
        OBJECTS
            .iter()
            .any(|object| word.eq_ignore_ascii_case(object))
    })
}

/// Says whether the name of the value ends with `id`.
fn is_id(text: &[u8], start: usize) -> bool {
    let before = &text[start.saturating_sub(12)..start];
    let name = before
        .iter()
        .rposition(|&byte| is(byte, ALNUM))
        .map_or(&[][..], |at| &before[..=at]);
    name.to_ascii_lowercase().ends_with(b"id")
}
