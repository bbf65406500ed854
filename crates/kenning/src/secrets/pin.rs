//! Numbers that open something, where the note calls them so: `PIN: …`, `PUK …`, the code of a door.

use super::shape::{ALNUM, DIGIT, is};
use super::{Hit, Span};

/// How far behind the word the number may stand.
const BEHIND_BYTES: usize = 40;
const DIGITS_MIN: usize = 4;
const DIGITS_MAX: usize = 8;
/// Words that may stand between, beside names with a capital.
#[rustfmt::skip]
const BETWEEN: &[&[u8]] = &[
    b"code", b"kode", b"kod", b"koodi", b"cod", b"codice", b"number", b"nummer", b"no", b"nr", b"is", b"was", b"ist",
    b"lautet", b"est", b"es", b"er", b"on", b"van", b"for", b"of", b"the", b"my", b"de", b"du", b"la", b"le", b"del", b"der",
    b"die", b"das", b"zur", b"zum", b"sim", b"card", b"karte", b"phone", b"door", b"alarm", b"safe", b"bike", b"lock", b"numarasi", b"kodu",
];

/// Finds the number behind such a word.
pub(super) fn detect(text: &[u8], hit: Hit) -> Option<Span> {
    let before = hit.start.checked_sub(1).map_or(b' ', |at| text[at]);
    if is(before, ALNUM) || before >= 0x80 || matches!(before, b'_' | b'.' | b'/' | b'#' | b'-') {
        return None;
    }
    let behind = &text[hit.end..text.len().min(hit.end + BEHIND_BYTES)];
    let n_between = behind.iter().position(|&byte| is(byte, DIGIT))?;
    let has_sign = is_between(&behind[..n_between])?;
    let start = hit.end + n_between;
    let digits = text[start..].iter().take_while(|&&byte| is(byte, DIGIT));
    let end = start + digits.take(DIGITS_MAX + 1).count();
    (is_number(&text[start..end], has_sign) && stands_alone(&text[end..])).then_some(Span {
        start,
        end,
        pattern: "pin",
    })
}

/// Says whether what stands between leads from the word to its number, and whether by a sign.
fn is_between(between: &[u8]) -> Option<bool> {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80;
    // The word goes on, as in `pinned`, unless it is a compound such as `Pincode`.
    let has_sign = between
        .iter()
        .any(|byte| matches!(byte, b':' | b'=' | b'|'))
        || between.windows(3).any(|part| part == "→".as_bytes());
    if between.is_empty() || between.contains(&b'\n') {
        return None;
    }
    let words = between.split(|&byte| !is_letter(byte) && byte != b'\'');
    let knows = |word: &[u8]| {
        let word = word.to_ascii_lowercase();
        word.is_empty() || word == "→".as_bytes() || BETWEEN.contains(&word.as_slice())
    };
    let is_plain = between
        .iter()
        .all(|&byte| is_letter(byte) || b" \t-:=|*_`\"'()#>.".contains(&byte));
    let mut words = words;
    let is_known = words.all(knows) || (has_sign && is_plain && !is_letter(between[0]));
    (is_plain && is_known).then_some(has_sign)
}

/// A year is none, unless a sign says that it is meant.
fn is_number(digits: &[u8], has_sign: bool) -> bool {
    let first = digits.first().copied().unwrap_or_default();
    let is_year = digits.len() == 4 && (digits.starts_with(b"19") || digits.starts_with(b"20"));
    (DIGITS_MIN..=DIGITS_MAX).contains(&digits.len())
        && digits.iter().any(|&digit| digit != first)
        && (has_sign || !is_year)
}

/// A date, an amount or an address goes on.
fn stands_alone(behind: &[u8]) -> bool {
    match behind {
        [b'.' | b',' | b'-' | b':' | b'/', after, ..] => !is(*after, ALNUM),
        [next, ..] => !is(*next, ALNUM) && !matches!(next, b'%' | b'_' | b'@') && *next < 0x80,
        [] => true,
    }
}
