//! The `window` profile: per H2, windows of about 600 words of which neighbours share 80.

use super::pieces::{Piece, push_trimmed, split_at_headings};
use crate::note::Note;

/// Words of a window.
const WORDS: usize = 600;
/// Words that neighbouring windows share.
const WORDS_SHARED: usize = 80;

pub(super) fn cut(note: &Note) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for section in split_at_headings(note, note.body_start..note.text.len(), None, 2) {
        let starts = word_starts(&note.text[section.range.clone()]);
        let mut first = 0;
        loop {
            let at = |word: usize| {
                starts
                    .get(word)
                    .map_or(section.range.end, |at| section.range.start + at)
            };
            let start = if first == 0 {
                section.range.start
            } else {
                at(first)
            };
            push_trimmed(note, start..at(first + WORDS), section.heading, &mut pieces);
            if first + WORDS >= starts.len() {
                break;
            }
            first += WORDS - WORDS_SHARED;
        }
    }
    pieces.retain(|piece| note.text[piece.range.clone()].contains(char::is_alphanumeric));
    pieces
}

/// Byte offsets at which words start.
fn word_starts(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut was_blank = true;
    for (at, c) in text.char_indices() {
        let is_blank = c.is_whitespace();
        if was_blank && !is_blank {
            starts.push(at);
        }
        was_blank = is_blank;
    }
    starts
}
