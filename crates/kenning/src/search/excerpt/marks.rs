//! Where in an excerpt the words asked for stand. Pure.

use super::Matcher;
use crate::words::Language;

/// Fewest characters of a match in a script whose letters do not mean anything by themselves but
/// whose words have no blanks between them.
const RUN_CHARS_MIN: usize = 4;

/// Character ranges of the words asked for; neighbours in unspaced script are joined.
pub(super) fn highlights(
    text: &str,
    matcher: &mut Matcher<'_>,
    language: Language,
) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    matcher.each_or_part(text, language, |_, start, end| match ranges.last_mut() {
        Some(last) if last.1 >= start => last.1 = last.1.max(end),
        _ => ranges.push((start, end)),
    });
    let ranges = match text.contains(is_unspaced) {
        true => settled(text, &matcher.query.text, ranges),
        false => ranges,
    };
    in_chars(text, &ranges)
}

/// Makes whole matches of what was found of unspaced script, which is two letters at a time and never
/// a vowel sign: each grows as far as the query says the same, and what is too short to be a word is
/// left out where something longer is there.
fn settled(text: &str, query: &str, found: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for (start, end) in found {
        let (start, end) = match text[start..end].contains(is_unspaced) {
            true => grown(text, query, start, end),
            false => (start, end),
        };
        match ranges.last_mut() {
            Some(last) if last.1 >= start => last.1 = last.1.max(end),
            _ => ranges.push((start, end)),
        }
    }
    let n_chars = |&(start, end): &(usize, usize)| text[start..end].chars().count();
    let is_stray = |range: &(usize, usize)| {
        text[range.0..range.1].chars().all(is_lettered) && n_chars(range) < RUN_CHARS_MIN
    };
    if ranges.iter().any(|range| !is_stray(range)) {
        ranges.retain(|range| !is_stray(range));
    }
    ranges
}

/// Grows a range to both sides while some place of the query goes on alike.
fn grown(text: &str, query: &str, start: usize, end: usize) -> (usize, usize) {
    let own = &text[start..end];
    let mut best = (start, end);
    for (at, _) in query.match_indices(own) {
        let before = text[..start].chars().rev().zip(query[..at].chars().rev());
        let after = text[end..].chars().zip(query[at + own.len()..].chars());
        let alike = |(a, b): &(char, char)| a == b && is_unspaced(*a);
        let n_before: usize = before.take_while(alike).map(|(c, _)| c.len_utf8()).sum();
        let n_after: usize = after.take_while(alike).map(|(c, _)| c.len_utf8()).sum();
        if n_before + n_after > (start - best.0) + (best.1 - end) {
            best = (start - n_before, end + n_after);
        }
    }
    best
}

fn in_chars(text: &str, ranges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let (mut at_byte, mut at_char) = (0, 0);
    let mut chars_before = |byte: usize| {
        at_char += text[at_byte..byte].chars().count();
        at_byte = byte;
        at_char
    };
    ranges
        .iter()
        .map(|&(start, end)| (chars_before(start), chars_before(end)))
        .collect()
}

/// Letters and signs of scripts that put no blanks between words.
fn is_unspaced(c: char) -> bool {
    is_lettered(c)
        || matches!(c,
            '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Those of them that are written with letters: Thai, Lao, Tibetan, Burmese and Khmer.
fn is_lettered(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}
