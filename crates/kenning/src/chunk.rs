//! A note into chunks along its headings. Pure.
//!
//! A chunk is a byte range of the note's text; nothing is copied. Chunks are in order, do not
//! overlap, and together cover every word of the body except lists of links at the end of notes.

mod section;

use std::ops::Range;

use crate::note::{Heading, Note};

/// A passage of a note that reads by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Byte range in the note's text.
    pub range: Range<usize>,
    /// 1-based first line.
    pub start_line: u32,
    /// 1-based last line, inclusive.
    pub end_line: u32,
    /// Index of the innermost heading it stands under.
    pub heading: Option<usize>,
}

/// How notes are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkOptions {
    /// Above this many characters a section is cut further.
    pub section_chars_max: usize,
    /// A piece with fewer characters below its heading joins its neighbour.
    pub section_chars_min: usize,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        Self {
            section_chars_max: 2_000,
            section_chars_min: 30,
        }
    }
}

/// Cuts a note into chunks.
pub fn chunk(note: &Note, options: &ChunkOptions) -> Vec<Chunk> {
    section::cut(note, options)
}

/// Returns the texts of the headings above and including `heading`, outermost first.
pub fn heading_path(headings: &[Heading], heading: Option<usize>) -> Vec<&str> {
    let Some(innermost) = heading else {
        return Vec::new();
    };
    let mut level = u8::MAX;
    let mut path: Vec<&str> = headings[..=innermost]
        .iter()
        .rev()
        .filter(|heading| {
            let is_parent = heading.level < level;
            if is_parent {
                level = heading.level;
            }
            is_parent
        })
        .map(|heading| heading.text.as_str())
        .collect();
    path.reverse();
    path
}

/// Returns title and heading path without naming the same thing twice in a row.
pub fn breadcrumb(title: &str, headings: &[Heading], heading: Option<usize>) -> Vec<String> {
    let mut crumbs = vec![title.to_owned()];
    for text in heading_path(headings, heading) {
        if crumbs.last().is_some_and(|last| last != text) {
            crumbs.push(text.to_owned());
        }
    }
    crumbs
}

#[cfg(test)]
mod tests;
