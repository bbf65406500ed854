//! The `breadcrumb` profile: one chunk per H1, H2 or H3, however long, each under its whole path.

use super::pieces::{Piece, join_small, n_chars, pack_blocks, split_at_headings};
use crate::note::Note;

/// Only a section beyond this is cut: no reader, person or model, takes more at once.
const CHARS_MAX: usize = 8_000;

pub(super) fn cut(note: &Note) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for section in split_at_headings(note, note.body_start..note.text.len(), None, 3) {
        if n_chars(&note.text[section.range.clone()]) <= CHARS_MAX {
            pieces.push(section);
        } else {
            pack_blocks(note, &section, CHARS_MAX, &mut pieces);
        }
    }
    join_small(note, pieces, 1, CHARS_MAX)
}
