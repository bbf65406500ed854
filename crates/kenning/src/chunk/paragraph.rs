//! The `paragraph` profile: paragraphs merged to about 800 characters, never across a heading; a
//! paragraph of more than one and a half times that is cut between sentences.

use super::pieces::{Piece, blocks_within, join_small, n_chars, pack_blocks, split_at_headings};
use crate::note::Note;

/// Characters a chunk is filled up to.
const CHARS_TARGET: usize = 800;
/// A paragraph longer than this is cut.
const CHARS_MAX: usize = CHARS_TARGET * 3 / 2;
/// A piece with fewer characters joins its neighbour.
const CHARS_MIN: usize = 30;

pub(super) fn cut(note: &Note) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for section in split_at_headings(note, note.body_start..note.text.len(), None, 6) {
        let longest = blocks_within(note, &section.range)
            .map(|block| n_chars(&note.text[block.range.clone()]))
            .max();
        // One paragraph a little above the target stays whole; only a really long one is cut.
        let max = match longest {
            Some(longest) if longest <= CHARS_MAX => longest.max(CHARS_TARGET),
            _ => CHARS_TARGET,
        };
        pack_blocks(note, &section, max, &mut pieces);
    }
    join_small(note, pieces, CHARS_MIN, CHARS_MAX)
}
