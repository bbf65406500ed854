//! Recovery phrases of wallets: twelve or more words of the list that BIP 39 fixes, one after the other.
//!
//! The list leaves out the little words that every sentence needs, so a dozen of its words in a row are not prose.

use super::shape::{ALPHA, LOWER, is};
use super::{Hit, Span};

/// The shortest phrase in use.
const PHRASE_WORDS_MIN: usize = 12;
/// The longest phrase in use.
const PHRASE_WORDS_MAX: usize = 24;
/// How far behind a telling word a phrase may begin.
const REACH_BYTES: usize = 320;
/// More than this between two words is a new paragraph, or another cell.
const GAP_BYTES_MAX: usize = 12;

static LIST: &[u8] = include_bytes!("phrase.txt");
const N_WORDS: usize = 2048;

/// The words as numbers, in order: eight letters fit into eight bytes.
static WORDS: [u64; N_WORDS] = words();

const fn words() -> [u64; N_WORDS] {
    let mut table = [0; N_WORDS];
    let (mut at, mut word, mut filled) = (0, 0u64, 0);
    while at < LIST.len() {
        if LIST[at].is_ascii_lowercase() {
            word = word << 8 | LIST[at] as u64;
        } else if word != 0 {
            table[filled] = aligned(word);
            word = 0;
            filled += 1;
        }
        at += 1;
    }
    assert!(filled == N_WORDS, "the list has 2048 words");
    table
}

/// Moves the first letter to the highest byte, so that numbers are in the order of the words.
const fn aligned(word: u64) -> u64 {
    word << (word.leading_zeros() / 8 * 8)
}

/// Finds a phrase behind a word that speaks of one; says also how far it looked.
pub(super) fn detect(text: &[u8], hit: Hit) -> (Option<Span>, usize) {
    let mut start = hit.end;
    let reach = text.len().min(hit.end + REACH_BYTES);
    while start < reach {
        match is(text[start], ALPHA) {
            true => {
                let (span, end) = phrase_at(text, start, true);
                if span.is_some() {
                    return (span, end);
                }
                start = end.max(start + 1);
            }
            false => start += 1,
        }
    }
    (None, reach)
}

/// Finds a phrase that begins with a line.
pub(super) fn begins(text: &[u8], line: usize) -> Option<Span> {
    let marks = text[line..]
        .iter()
        .take(GAP_BYTES_MAX)
        .take_while(|&&byte| is_gap(byte) && byte != b'\n')
        .count();
    let start = line + marks;
    text.get(start)
        .filter(|&&byte| is(byte, LOWER))
        .and_then(|_| phrase_at(text, start, false).0)
}

/// Reads as many words of the list as follow each other; returns where it stopped, too.
fn phrase_at(text: &[u8], start: usize, reaches_on: bool) -> (Option<Span>, usize) {
    let (mut at, mut end) = (start, start);
    let mut words = Vec::new();
    while words.len() < PHRASE_WORDS_MAX {
        let length = text[at..]
            .iter()
            .take(9)
            .take_while(|&&byte| is(byte, ALPHA))
            .count();
        let Some(word) = listed(&text[at..at + length]) else {
            return (phrase(start, end, &words), (at + length).max(end));
        };
        words.push(word);
        end = at + length;
        let is_between = |&&byte: &&u8| is_gap(byte) && (reaches_on || byte != b'\n');
        let gap = text[end..]
            .iter()
            .take(GAP_BYTES_MAX)
            .take_while(is_between)
            .count();
        at = end + gap;
        if gap == 0 {
            break;
        }
    }
    (phrase(start, end, &words), end)
}

fn phrase(start: usize, end: usize, words: &[u64]) -> Option<Span> {
    let mut distinct = words.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    // Chance seldom draws a word twice; an enumeration repeats itself.
    let is_drawn = distinct.len() * 6 >= words.len() * 5;
    (words.len() >= PHRASE_WORDS_MIN && is_drawn).then_some(Span {
        start,
        end,
        pattern: "recovery-phrase",
    })
}

/// What may stand between two words: blanks, numbers of a list, commas, cells.
fn is_gap(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\r' | b'\n' | b',' | b'.' | b')' | b'-' | b'*' | b'|' | b'`' | b'>' | b':'
    ) || byte.is_ascii_digit()
}

fn listed(word: &[u8]) -> Option<u64> {
    if !(3..=8).contains(&word.len()) {
        return None;
    }
    let number = word
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(byte | 32));
    WORDS
        .binary_search(&aligned(number))
        .ok()
        .map(|position| WORDS[position])
}
