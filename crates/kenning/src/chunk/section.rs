//! The `section` profile: one chunk per H2, cut at H3 and deeper, then between blocks, where a
//! section is too long.

use std::ops::Range;

use crate::chunk::{Chunk, ChunkOptions};
use crate::note::{Block, BlockKind, LineCounter, Note};

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

struct Piece {
    range: Range<usize>,
    heading: Option<usize>,
}

pub(super) fn cut(note: &Note, options: &ChunkOptions) -> Vec<Chunk> {
    let mut pieces = Vec::new();
    for section in split_at_headings(note, note.body_start..note.text.len(), None, 2) {
        if !is_link_list(note, &section) {
            divide(note, section, 3, options, &mut pieces);
        }
    }
    let pieces = join_small(note, pieces, options);
    let mut lines = LineCounter::new(&note.text);
    pieces
        .into_iter()
        .map(|piece| Chunk {
            start_line: lines.line_of(piece.range.start),
            end_line: lines.line_of(piece.range.end.saturating_sub(1).max(piece.range.start)),
            range: piece.range,
            heading: piece.heading,
        })
        .collect()
}

/// Splits `range` before every heading of at most `level`.
fn split_at_headings(
    note: &Note,
    range: Range<usize>,
    outer: Option<usize>,
    level: u8,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut start, mut current) = (range.start, outer);
    for (index, heading) in note.headings.iter().enumerate() {
        if heading.level > level || !range.contains(&heading.start) {
            continue;
        }
        pieces.push(Piece {
            range: start..heading.start,
            heading: current,
        });
        (start, current) = (heading.start, Some(index));
    }
    pieces.push(Piece {
        range: start..range.end,
        heading: current,
    });
    pieces.retain_mut(|piece| {
        piece.range = trim(&note.text, piece.range.clone());
        !piece.range.is_empty()
    });
    pieces
}

/// Cuts a piece at ever deeper headings until it is short enough, and then between blocks.
fn divide(note: &Note, piece: Piece, level: u8, options: &ChunkOptions, out: &mut Vec<Piece>) {
    if n_chars(&note.text[piece.range.clone()]) <= options.section_chars_max {
        out.push(piece);
    } else if level <= 6 {
        for inner in split_at_headings(note, piece.range, piece.heading, level) {
            divide(note, inner, level + 1, options, out);
        }
    } else {
        pack_blocks(note, &piece, options, out);
    }
}

/// Fills pieces with whole blocks; a block that is too long by itself is cut inside.
fn pack_blocks(note: &Note, piece: &Piece, options: &ChunkOptions, out: &mut Vec<Piece>) {
    let max = options.section_chars_max;
    let mut ends = Vec::new();
    for block in blocks_within(note, &piece.range) {
        let range = block.range.start..block.range.end.min(piece.range.end);
        if n_chars(&note.text[range.clone()]) > max {
            cut_block(&note.text, range, block.kind, max, &mut ends);
        } else {
            ends.push((range.end, block.kind == BlockKind::Heading));
        }
    }
    if let Some(last) = ends.last_mut() {
        *last = (piece.range.end, false);
    }
    let (mut start, mut end) = (piece.range.start, piece.range.start);
    let mut glued = false;
    for (next, is_heading) in ends {
        let is_full = n_chars(&note.text[start..next]) > max;
        if is_full && end > start && !glued {
            push_trimmed(note, start..end, piece.heading, out);
            start = end;
        }
        // A heading belongs to what follows it, however long that is.
        glued = is_heading;
        end = next;
    }
    push_trimmed(note, start..piece.range.end, piece.heading, out);
}

fn push_trimmed(note: &Note, range: Range<usize>, heading: Option<usize>, out: &mut Vec<Piece>) {
    let range = trim(&note.text, range);
    if !range.is_empty() {
        out.push(Piece { range, heading });
    }
}

/// Pushes the ends of pieces of at most `max` characters: between lines, else between sentences,
/// else between words, else anywhere.
fn cut_block(
    text: &str,
    range: Range<usize>,
    kind: BlockKind,
    max: usize,
    ends: &mut Vec<(usize, bool)>,
) {
    let mut start = range.start;
    while n_chars(&text[start..range.end]) > max {
        let rest = &text[start..range.end];
        let window = &rest[..rest.char_indices().nth(max).map_or(rest.len(), |(i, _)| i)];
        let cut = match kind {
            BlockKind::Lines | BlockKind::List => last_end(window, &["\n"]),
            _ => last_end(
                window,
                &[". ", "! ", "? ", ".\n", "!\n", "?\n", "。", "！", "？"],
            ),
        };
        let cut = cut
            .or_else(|| last_end(window, &["\n"]))
            .or_else(|| last_end(window, &[" "]))
            .unwrap_or(window.len());
        start += cut;
        ends.push((start, false));
    }
    ends.push((range.end, false));
}

/// Returns the end of the last separator in `window`, if it is not in its first third.
fn last_end(window: &str, separators: &[&str]) -> Option<usize> {
    separators
        .iter()
        .filter_map(|separator| Some(window.rfind(separator)? + separator.len()))
        .max()
        .filter(|&end| end > window.len() / 3)
}

/// Joins pieces that say too little by themselves to a neighbour, so that no word is lost.
fn join_small(note: &Note, pieces: Vec<Piece>, options: &ChunkOptions) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut pending: Option<Piece> = None;
    for mut piece in pieces {
        if let Some(small) = pending.take() {
            if touches(note, &small.range, &piece.range) {
                piece.range.start = small.range.start;
            } else {
                joined.push(small);
            }
        }
        if n_chars(below_heading(note, &piece.range)) >= options.section_chars_min {
            joined.push(piece);
            continue;
        }
        match joined.last_mut() {
            Some(last) if touches(note, &last.range, &piece.range) => {
                last.range.end = piece.range.end;
            }
            _ => pending = Some(piece),
        }
    }
    joined.extend(pending);
    joined.retain(|piece| note.text[piece.range.clone()].contains(char::is_alphanumeric));
    joined
}

fn touches(note: &Note, before: &Range<usize>, after: &Range<usize>) -> bool {
    note.text[before.end..after.start].trim().is_empty()
}

fn below_heading<'a>(note: &'a Note, range: &Range<usize>) -> &'a str {
    let text = &note.text[range.clone()];
    let starts_with_heading = note
        .headings
        .iter()
        .any(|heading| heading.start == range.start);
    match text.split_once('\n') {
        Some((_, rest)) if starts_with_heading => rest.trim(),
        None if starts_with_heading => "",
        _ => text,
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

fn blocks_within<'a>(note: &'a Note, range: &Range<usize>) -> impl Iterator<Item = &'a Block> {
    let range = range.clone();
    let first = note
        .blocks
        .partition_point(|block| block.range.start < range.start);
    note.blocks[first..]
        .iter()
        .take_while(move |block| block.range.start < range.end)
}

fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = &text[range.clone()];
    let start = range.start + (piece.len() - piece.trim_start().len());
    let end = range.start + piece.trim_end().len();
    // Leading blanks of the first line stay: they may be an indented code block.
    let line_start = text[range.start..start.max(range.start)]
        .rfind('\n')
        .map_or(start, |i| range.start + i + 1);
    line_start.min(end)..end
}

fn n_chars(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().count()
    }
}
