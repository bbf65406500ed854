//! The `section` profile: one chunk per H2, cut at H3 and deeper, then between blocks, where a
//! section is too long.

use super::pieces::{Piece, blocks_within, join_small, n_chars, pack_blocks, split_at_headings};
use crate::note::{BlockKind, Note};

/// Above this many characters a section is cut further.
const CHARS_MAX: usize = 2_000;
/// A piece with fewer characters below its heading joins its neighbour.
const CHARS_MIN: usize = 30;
/// Sections of this name that hold nothing but a list are pointers to elsewhere, not content.
const LINK_SECTIONS: &[&str] = &[
    "related",
    "related notes",
    "related pages",
    "see also",
    "links",
    "references",
    "siehe auch",
    "verwandte notizen",
    "verweise",
    "voir aussi",
    "véase también",
];

pub(super) fn cut(note: &Note) -> Vec<Piece> {
    cut_to(note, CHARS_MAX, CHARS_MIN)
}

pub(super) fn cut_to(note: &Note, max: usize, min: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for section in split_at_headings(note, note.body_start..note.text.len(), None, 2) {
        if !is_link_list(note, &section) {
            divide(note, section, 3, max, &mut pieces);
        }
    }
    join_small(note, pieces, min, max)
}

/// Cuts a piece at ever deeper headings until it is short enough, and then between blocks.
fn divide(note: &Note, piece: Piece, level: u8, max: usize, out: &mut Vec<Piece>) {
    if n_chars(&note.text[piece.range.clone()]) <= max {
        out.push(piece);
    } else if level <= 6 {
        for inner in split_at_headings(note, piece.range, piece.heading, level) {
            divide(note, inner, level + 1, max, out);
        }
    } else {
        pack_blocks(note, &piece, max, out);
    }
}

/// Whether a section is one of [`LINK_SECTIONS`] and holds only lists below its heading.
fn is_link_list(note: &Note, section: &Piece) -> bool {
    let Some(index) = section.heading else {
        return false;
    };
    let name = note.headings[index].text.trim().to_lowercase();
    LINK_SECTIONS.contains(&name.trim_end_matches(':'))
        && blocks_within(note, &section.range)
            .all(|block| matches!(block.kind, BlockKind::Heading | BlockKind::List))
}
