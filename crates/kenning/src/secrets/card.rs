//! Numbers of payment cards, where the note says that it speaks of one.

use super::shape::{ALNUM, DIGIT, is};
use super::{Hit, Span};

/// How far before and behind the word a number may stand.
const BEFORE_BYTES: usize = 48;
const BEHIND_BYTES: usize = 96;

/// Finds a number near a word such as card or Visa.
pub(super) fn detect(text: &[u8], hit: Hit) -> Option<Span> {
    let from = hit.floor.max(hit.start.saturating_sub(BEFORE_BYTES));
    let to = text.len().min(hit.end + BEHIND_BYTES);
    let mut at = from;
    while at < to {
        if !is(text[at], DIGIT) {
            at += 1;
            continue;
        }
        let end = number_end(text, at);
        let begins = at == 0 || !is(text[at - 1], ALNUM) && text[at - 1] != b'.';
        if begins && at >= from && is_card(&text[at..end]) {
            return Some(Span {
                start: at,
                end,
                pattern: "card-number",
            });
        }
        at = end;
    }
    None
}

/// Reads digits with single blanks or dashes between them.
fn number_end(text: &[u8], start: usize) -> usize {
    let mut n_bytes = 0;
    for (at, byte) in text[start..].iter().take(32).enumerate() {
        match byte {
            b'0'..=b'9' => n_bytes = at + 1,
            b' ' | b'-' if n_bytes == at => {}
            _ => break,
        }
    }
    start + n_bytes
}

/// Says whether these are the digits of a card: 13 to 19, of a known network, with a right check digit.
pub(super) fn is_card(number: &[u8]) -> bool {
    let digits = || number.iter().filter(|byte| byte.is_ascii_digit());
    let first = number.first().copied().unwrap_or_default();
    let is_varied = digits().any(|&digit| digit != first);
    (13..=19).contains(&digits().count())
        && matches!(first, b'2'..=b'6')
        && is_varied
        && digits()
            .rev()
            .enumerate()
            .map(|(position, digit)| luhn(position, u32::from(digit - b'0')))
            .sum::<u32>()
            .is_multiple_of(10)
}

fn luhn(position: usize, digit: u32) -> u32 {
    match position % 2 {
        0 => digit,
        _ if digit > 4 => digit * 2 - 9,
        _ => digit * 2,
    }
}
