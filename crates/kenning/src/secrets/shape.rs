//! Character classes and the small pattern language of the vendor table.
//!
//! A shape is a row of literals and runs. Runs are greedy and never give back, which is enough for every token
//! format in use, needs no regex engine, and is linear in the length of the token.

/// A set of ASCII bytes: one bit per group of [`GROUP`].
pub(super) type Class = u16;

pub(super) const DIGIT: Class = 1;
const HEX_LOWER: Class = 1 << 1;
const LOWER_REST: Class = 1 << 2;
const HEX_UPPER: Class = 1 << 3;
const UPPER_REST: Class = 1 << 4;
const UNDERSCORE: Class = 1 << 5;
const DASH: Class = 1 << 6;
pub(super) const DOT: Class = 1 << 7;
const BASE64_REST: Class = 1 << 8;
pub(super) const EQUALS: Class = 1 << 9;
pub(super) const TILDE: Class = 1 << 10;
const PERCENT: Class = 1 << 11;

pub(super) const HEX: Class = DIGIT | HEX_LOWER;
pub(super) const ANY_HEX: Class = HEX | HEX_UPPER;
pub(super) const LOWER: Class = HEX_LOWER | LOWER_REST;
pub(super) const UPPER: Class = HEX_UPPER | UPPER_REST;
pub(super) const ALPHA: Class = LOWER | UPPER;
pub(super) const ALNUM: Class = ALPHA | DIGIT;
/// Lower-case letters and digits.
pub(super) const LOWNUM: Class = LOWER | DIGIT;
/// Upper-case letters and digits.
pub(super) const UPNUM: Class = UPPER | DIGIT;
/// Letters, digits, underscore.
pub(super) const WORD: Class = ALNUM | UNDERSCORE;
/// Base64 as used in URLs: letters, digits, `_` and `-`.
pub(super) const URL64: Class = WORD | DASH;
/// Base64 without padding: letters, digits, `+` and `/`.
pub(super) const BASE64: Class = ALNUM | BASE64_REST;
/// URL64 with dots and padding.
pub(super) const OPAQUE: Class = URL64 | DOT | EQUALS;
/// What Azure allows in a client secret.
pub(super) const AZURE: Class = URL64 | DOT | TILDE;
/// Base64 as it stands in a query string.
pub(super) const QUERY64: Class = URL64 | PERCENT;

/// The group of every byte; bytes outside of all groups have none.
static GROUP: [Class; 256] = groups();

const fn groups() -> [Class; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'f' => HEX_LOWER,
            b'g'..=b'z' => LOWER_REST,
            b'A'..=b'F' => HEX_UPPER,
            b'G'..=b'Z' => UPPER_REST,
            b'_' => UNDERSCORE,
            b'-' => DASH,
            b'.' => DOT,
            b'+' | b'/' => BASE64_REST,
            b'=' => EQUALS,
            b'~' => TILDE,
            b'%' => PERCENT,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// Says whether `byte` belongs to `class`.
pub(super) fn is(byte: u8, class: Class) -> bool {
    GROUP[byte as usize] & class != 0
}

/// One part of a shape.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    /// Exactly this text.
    Text(&'static str),
    /// Between `min` and `max` bytes of a class, as many as there are.
    Run {
        class: Class,
        min: usize,
        max: usize,
    },
    /// Like `Text`, but may be missing.
    Maybe(&'static str),
    /// Nothing more, but what came before ends with this text.
    Ends(&'static str),
}

/// Returns the end of `parts` when they match at `start`.
pub(super) fn match_at(text: &[u8], start: usize, parts: &[Part]) -> Option<usize> {
    let mut position = start;
    for part in parts {
        match *part {
            Part::Text(literal) => {
                if !text[position..].starts_with(literal.as_bytes()) {
                    return None;
                }
                position += literal.len();
            }
            Part::Maybe(literal) => {
                if text[position..].starts_with(literal.as_bytes()) {
                    position += literal.len();
                }
            }
            Part::Ends(literal) => {
                if !text[start..position].ends_with(literal.as_bytes()) {
                    return None;
                }
            }
            Part::Run { class, min, max } => {
                let length = run_length(&text[position..], class, max);
                if length < min {
                    return None;
                }
                position += length;
            }
        }
    }
    Some(position)
}

/// Counts the leading bytes of `class`, up to `max`.
pub(super) fn run_length(text: &[u8], class: Class, max: usize) -> usize {
    text.iter()
        .take(max)
        .take_while(|&&byte| is(byte, class))
        .count()
}

/// Counts the bytes of `class` that end at `end`, looking back no further than `floor`.
pub(super) fn run_length_back(text: &[u8], end: usize, floor: usize, class: Class) -> usize {
    text[floor..end]
        .iter()
        .rev()
        .take_while(|&&byte| is(byte, class))
        .count()
}

/// Says whether a token may begin at `start`: not in the middle of a word or a file name.
pub(super) fn begins_word(text: &[u8], start: usize, floor: usize) -> bool {
    if start == floor {
        return true;
    }
    let before = text[start - 1];
    if !is(before, ALNUM | DOT) {
        return true;
    }
    // The n of an escaped newline inside a quoted string is not a letter of the word.
    matches!(before, b'n' | b't' | b'r') && start >= floor + 2 && text[start - 2] == b'\\'
}

/// Shannon entropy in bits per byte.
pub(super) fn entropy(text: &[u8]) -> f32 {
    let mut counts = [0u16; 256];
    for &byte in text {
        counts[byte as usize] = counts[byte as usize].saturating_add(1);
    }
    let length = text.len() as f32;
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| {
            let share = f32::from(count) / length;
            -share * share.log2()
        })
        .sum()
}
