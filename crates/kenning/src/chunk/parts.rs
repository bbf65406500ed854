//! Files that are not Markdown: one chunk per page, slide, batch of rows or section, cut where it
//! is too long.

use super::pieces::{Piece, join_small, n_chars, pack_blocks, push_trimmed};
use super::recursive::heading_at;
use crate::note::{Note, Part};

/// Above this many characters a part is cut further.
const CHARS_MAX: usize = 2_000;
/// Prose with fewer characters joins its neighbour; rows and slides from 20 stand alone.
const CHARS_MIN: usize = 100;
const STRUCTURED_CHARS_MIN: usize = 20;

pub(super) fn cut(note: &Note) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (index, part) in note.parts.iter().enumerate() {
        let end = note
            .parts
            .get(index + 1)
            .map_or(note.text.len(), |next| next.start);
        let mut own = Vec::new();
        push_trimmed(
            note,
            part.start..end,
            heading_at(note, part.start),
            &mut own,
        );
        for piece in own {
            if n_chars(&note.text[piece.range.clone()]) <= CHARS_MAX {
                pieces.push(piece);
            } else {
                pack_blocks(note, &piece, CHARS_MAX, &mut pieces);
            }
        }
    }
    let is_structured = note.parts.iter().any(|part| part.is_structured);
    let has_pages = note.parts.iter().any(|part| part.page.is_some());
    match (is_structured, has_pages) {
        (true, _) => join_small(note, pieces, STRUCTURED_CHARS_MIN, CHARS_MAX),
        // A short page stays a page: joined, its text would carry another page's number.
        (false, true) => join_small(note, pieces, 1, CHARS_MAX),
        (false, false) => join_small(note, pieces, CHARS_MIN, CHARS_MAX),
    }
}

/// Returns the part that `offset` lies in.
pub(super) fn part_at(note: &Note, offset: usize) -> Option<&Part> {
    let after = note.parts.partition_point(|part| part.start <= offset);
    note.parts.get(after.checked_sub(1)?)
}
