//! The `recursive` profile for text without structure: about 1,000 characters with 100 shared by
//! neighbours, cut at the coarsest gap that fits: paragraph, line, sentence, word.

use super::pieces::{Piece, SENTENCE_ENDS, chars_end, exceeds, last_end, push_trimmed};
use crate::note::Note;

/// Most characters of a chunk.
const CHARS_MAX: usize = 1_000;
/// Characters that neighbours share.
const CHARS_SHARED: usize = 100;
/// A rest with fewer characters joins the chunk before it.
const CHARS_MIN: usize = 100;

pub(super) fn cut(note: &Note) -> Vec<Piece> {
    let text = &note.text;
    let mut pieces = Vec::new();
    let mut start = note.body_start;
    while start < text.len() {
        let rest = &text[start..];
        let end = if exceeds(rest, CHARS_MAX + CHARS_MIN) {
            start + gap(&rest[..chars_end(rest, CHARS_MAX)])
        } else {
            text.len()
        };
        push_trimmed(note, start..end, heading_at(note, start), &mut pieces);
        if end == text.len() {
            break;
        }
        start = shared_start(text, start, end);
    }
    pieces.retain(|piece| text[piece.range.clone()].contains(char::is_alphanumeric));
    pieces
}

/// Where to cut a window that is full.
fn gap(window: &str) -> usize {
    last_end(window, &["\n\n"])
        .or_else(|| last_end(window, &["\n"]))
        .or_else(|| last_end(window, &SENTENCE_ENDS))
        .or_else(|| last_end(window, &[" "]))
        .unwrap_or(window.len())
}

/// Steps back from `end` by the shared part, to the start of a word.
fn shared_start(text: &str, start: usize, end: usize) -> usize {
    let back = text[start..end]
        .char_indices()
        .rev()
        .nth(CHARS_SHARED - 1)
        .map_or(start, |(at, _)| start + at);
    let word = text[back..end]
        .find(char::is_whitespace)
        .map_or(end, |at| back + at);
    // Always forward, or the end would never be reached.
    if word > start { word } else { end }
}

/// Returns the last heading that starts at or before `offset`.
pub(super) fn heading_at(note: &Note, offset: usize) -> Option<usize> {
    note.headings
        .partition_point(|heading| heading.range.start <= offset)
        .checked_sub(1)
}
