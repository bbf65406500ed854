//! What all profiles share: pieces of a note, trimming, cutting what is too long.

use std::ops::Range;

use crate::note::{Block, BlockKind, Note};

/// A byte range of a note and the heading it stands under.
pub(super) struct Piece {
    pub(super) range: Range<usize>,
    pub(super) heading: Option<usize>,
}

/// Splits `range` before every heading of at most `level`.
pub(super) fn split_at_headings(
    note: &Note,
    range: Range<usize>,
    outer: Option<usize>,
    level: u8,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut start, mut current) = (range.start, outer);
    // Headings stand in the order of the text.
    let first = note
        .headings
        .partition_point(|heading| heading.range.start < range.start);
    for (index, heading) in note.headings.iter().enumerate().skip(first) {
        if heading.range.start >= range.end {
            break;
        }
        if heading.level > level {
            continue;
        }
        push_trimmed(note, start..heading.range.start, current, &mut pieces);
        (start, current) = (heading.range.start, Some(index));
    }
    push_trimmed(note, start..range.end, current, &mut pieces);
    pieces
}

/// Fills pieces of at most `max` characters with whole blocks; a block that is too long by itself
/// is cut inside.
pub(super) fn pack_blocks(note: &Note, piece: &Piece, max: usize, out: &mut Vec<Piece>) {
    let mut ends = Vec::new();
    for block in blocks_within(note, &piece.range) {
        let range = block.range.start..block.range.end.min(piece.range.end);
        if exceeds(&note.text[range.clone()], max) {
            cut_block(&note.text, range, block.kind, max, &mut ends);
        } else {
            ends.push((range.end, block.kind == BlockKind::Heading));
        }
    }
    if let Some(last) = ends.last_mut() {
        *last = (piece.range.end, false);
    }
    let (mut start, mut end) = (piece.range.start, piece.range.start);
    let mut is_glued = false;
    for (next, is_heading) in ends {
        let is_full = exceeds(&note.text[start..next], max);
        if is_full && end > start && (!is_glued || exceeds(&note.text[start..end], max)) {
            push_trimmed(note, start..end, piece.heading, out);
            start = end;
        }
        // A heading belongs to what follows it, unless there is nothing but headings.
        is_glued = is_heading;
        end = next;
    }
    push_trimmed(note, start..piece.range.end, piece.heading, out);
}

/// Adds a piece unless nothing is left of it after trimming.
pub(super) fn push_trimmed(
    note: &Note,
    range: Range<usize>,
    heading: Option<usize>,
    out: &mut Vec<Piece>,
) {
    let range = trim(&note.text, range);
    if !range.is_empty() {
        out.push(Piece { range, heading });
    }
}

/// Joins pieces with fewer than `min` characters below their heading to a neighbour, so that no
/// word is lost, as long as the two stay below `max`; drops what has no word at all. Only a bare
/// heading joins what follows it: text above a heading does not belong to it.
pub(super) fn join_small(note: &Note, pieces: Vec<Piece>, min: usize, max: usize) -> Vec<Piece> {
    let fits = |from: usize, to: usize| !exceeds(&note.text[from..to], max + min);
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut pending: Option<Piece> = None;
    for mut piece in pieces {
        if let Some(small) = pending.take() {
            let is_bare = !below_heading(note, &small.range).contains(char::is_alphanumeric);
            let is_near = touches(note, &small.range, &piece.range);
            if is_bare && is_near && fits(small.range.start, piece.range.end) {
                piece.range.start = small.range.start;
            } else {
                joined.push(small);
            }
        }
        if n_chars(below_heading(note, &piece.range)) >= min {
            joined.push(piece);
            continue;
        }
        match joined.last_mut() {
            Some(last)
                if touches(note, &last.range, &piece.range)
                    && fits(last.range.start, piece.range.end) =>
            {
                last.range.end = piece.range.end;
            }
            _ => pending = Some(piece),
        }
    }
    joined.extend(pending);
    joined.retain(|piece| note.text[piece.range.clone()].contains(char::is_alphanumeric));
    joined
}

/// Returns the blocks that start within `range`.
pub(super) fn blocks_within<'a>(
    note: &'a Note,
    range: &Range<usize>,
) -> impl Iterator<Item = &'a Block> {
    let range = range.clone();
    let first = note
        .blocks
        .partition_point(|block| block.range.start < range.start);
    note.blocks[first..]
        .iter()
        .take_while(move |block| block.range.start < range.end)
}

/// Whether a text has more than `max` characters; no more of it is looked at.
pub(super) fn exceeds(text: &str, max: usize) -> bool {
    text.len() > max && text.chars().nth(max).is_some()
}

/// Returns the number of characters, quickly where they are bytes.
pub(super) fn n_chars(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().count()
    }
}

/// Returns the end of the first `max` characters.
pub(super) fn chars_end(text: &str, max: usize) -> usize {
    text.char_indices()
        .nth(max)
        .map_or(text.len(), |(end, _)| end)
}

/// Ends of sentences, in several scripts.
pub(super) const SENTENCE_ENDS: [&str; 9] =
    [". ", "! ", "? ", ".\n", "!\n", "?\n", "。", "！", "？"];

/// Returns the end of the last separator in `window`, if it is not in its first third.
pub(super) fn last_end(window: &str, separators: &[&str]) -> Option<usize> {
    separators
        .iter()
        .filter_map(|separator| Some(window.rfind(separator)? + separator.len()))
        .max()
        .filter(|&end| end > window.len() / 3)
}

/// Pushes the ends of parts of at most `max` characters: between lines, else between sentences,
/// else between words, else anywhere.
fn cut_block(
    text: &str,
    range: Range<usize>,
    kind: BlockKind,
    max: usize,
    ends: &mut Vec<(usize, bool)>,
) {
    let mut start = range.start;
    while exceeds(&text[start..range.end], max) {
        let rest = &text[start..range.end];
        let window = &rest[..chars_end(rest, max)];
        let cut = match kind {
            BlockKind::Lines | BlockKind::List => last_end(window, &["\n"]),
            _ => last_end(window, &SENTENCE_ENDS),
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

fn touches(note: &Note, before: &Range<usize>, after: &Range<usize>) -> bool {
    note.text[before.end..after.start].trim().is_empty()
}

fn below_heading<'a>(note: &'a Note, range: &Range<usize>) -> &'a str {
    let text = &note.text[range.clone()];
    let starts_with_heading = note
        .headings
        .binary_search_by_key(&range.start, |heading| heading.range.start)
        .is_ok();
    match text.split_once('\n') {
        Some((_, rest)) if starts_with_heading => rest.trim(),
        None if starts_with_heading => "",
        _ => text,
    }
}

/// Leaves out blank lines around; blanks before the first word stay, they may be indented code.
fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = &text[range.clone()];
    let first = range.start + (piece.len() - piece.trim_start().len());
    let end = range.start + piece.trim_end().len();
    let line_start = text[range.start..first]
        .rfind('\n')
        .map_or(first, |at| range.start + at + 1);
    line_start.min(end)..end
}
