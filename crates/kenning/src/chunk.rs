//! A note into chunks. Pure.
//!
//! A chunk is a byte range of the note's text; nothing is copied. Chunks are in order. Those of
//! `section`, `paragraph` and `breadcrumb` do not overlap, and together cover every word of the
//! body except lists of links at the end of notes.

mod breadcrumb;
mod context;
mod paragraph;
mod parts;
mod pieces;
mod prints;
mod recursive;
mod section;
mod window;

use std::ops::Range;

pub(crate) use context::{CONTEXT_BYTES_MAX, Context};
pub use prints::{Prints, paragraphs, print, prints};

use crate::note::{Heading, LineCounter, Note, file_lines};

/// A passage of a note that reads by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Byte range in the note's text.
    pub range: Range<usize>,
    /// 1-based first line of the file, or of its text as read where it has none.
    pub start_line: u32,
    /// 1-based last line, inclusive.
    pub end_line: u32,
    /// Index of the innermost heading it stands under.
    pub heading: Option<usize>,
    /// Page, slide or sheet it begins on.
    pub page: Option<u32>,
    /// The file with the picture that it was read from, if it was.
    pub picture: Option<String>,
}

/// How notes are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Along headings, cut further above 2,000 characters.
    #[default]
    Section,
    /// Windows of 600 words per H2, 80 shared.
    Window,
    /// Paragraphs merged to about 800 characters.
    Paragraph,
    /// 1,000 characters with 100 shared, for text without structure.
    Recursive,
    /// One chunk per H1, H2 and H3.
    Breadcrumb,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 5] = [
        Self::Section,
        Self::Window,
        Self::Paragraph,
        Self::Recursive,
        Self::Breadcrumb,
    ];

    /// Returns the name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Section => "section",
            Self::Window => "window",
            Self::Paragraph => "paragraph",
            Self::Recursive => "recursive",
            Self::Breadcrumb => "breadcrumb",
        }
    }

    /// Returns the profile of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }
}

/// Cuts a note into chunks.
pub fn chunk(note: &Note, profile: Profile) -> Vec<Chunk> {
    let pieces = match profile {
        _ if !note.parts.is_empty() => parts::cut(note),
        Profile::Section => section::cut(note),
        Profile::Window => window::cut(note),
        Profile::Paragraph => paragraph::cut(note),
        Profile::Recursive => recursive::cut(note),
        Profile::Breadcrumb => breadcrumb::cut(note),
    };
    lined(note, pieces)
}

/// Gives each piece its lines.
fn lined(note: &Note, pieces: Vec<pieces::Piece>) -> Vec<Chunk> {
    let mut lines = LineCounter::new(&note.text);
    pieces
        .into_iter()
        .map(|piece| {
            let last = piece.range.end.saturating_sub(1).max(piece.range.start);
            let (start, end) = (lines.line_of(piece.range.start), lines.line_of(last));
            let (start_line, end_line) = file_lines(&note.lines, start, end);
            let part = parts::part_at(note, piece.range.start);
            Chunk {
                start_line,
                end_line,
                page: part.and_then(|part| part.page),
                picture: part.and_then(|part| part.picture.clone()),
                range: piece.range,
                heading: piece.heading,
            }
        })
        .collect()
}

/// Returns the texts of the headings above and including `heading`, outermost first.
pub fn heading_path(headings: &[Heading], heading: Option<usize>) -> Vec<&str> {
    let Some(innermost) = heading else {
        return Vec::new();
    };
    let mut path = Vec::new();
    push_heading_path(headings, innermost, &mut path);
    path
}

/// So many headings above a passage are looked at for those it stands under.
const HEADINGS_ABOVE_MAX: usize = 4_096;

fn push_heading_path<'a>(headings: &'a [Heading], innermost: usize, path: &mut Vec<&'a str>) {
    let start = path.len();
    let mut level = u8::MAX;
    let above = headings.get(..=innermost).unwrap_or(headings);
    for heading in above.iter().rev().take(HEADINGS_ABOVE_MAX) {
        if heading.level < level {
            level = heading.level;
            path.push(&heading.text);
        }
        if level == 1 {
            break;
        }
    }
    path[start..].reverse();
}

/// As many as most passages have above them: a title and three headings.
const CRUMBS: usize = 4;

/// Returns title and heading path without naming the same thing twice in a row.
pub fn breadcrumb<'a>(
    title: &'a str,
    headings: &'a [Heading],
    heading: Option<usize>,
) -> Vec<&'a str> {
    let mut crumbs = Vec::with_capacity(CRUMBS);
    crumbs.push(title);
    if let Some(innermost) = heading {
        push_heading_path(headings, innermost, &mut crumbs);
    }
    crumbs.dedup();
    crumbs
}

#[cfg(test)]
mod tests;
