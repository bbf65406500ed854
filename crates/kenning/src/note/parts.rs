//! Notes from files that are not Markdown: extracted parts, laid out as one text.

use std::ops::Range;

use super::body::parse_plain;
use super::{Block, BlockKind, Facts, Heading, Note, Part, file_stem};
use crate::extract::{Extracted, Lines, NO_LINES};
use crate::secrets::CleanText;
use crate::words;

/// The parts of a file as one text, and where each begins. Marks count lines, because masking
/// keeps lines and moves bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Composed {
    /// All parts, headings as Markdown.
    pub text: String,
    /// One mark per part.
    pub marks: Vec<PartMark>,
    /// What the file says about itself.
    pub title: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// When it was made, as `YYYY-MM-DD`.
    pub created: Option<String>,
    /// The file as it stands, where its lines can be pointed at.
    pub own: Option<String>,
    /// What lines of the file each line of the text comes from; empty where there are none.
    pub lines: Vec<Lines>,
}

/// Where a part begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartMark {
    /// 0-based line.
    pub line: usize,
    /// Page, slide or sheet, 1-based.
    pub page: Option<u32>,
    /// Level of the heading that its first line is.
    pub heading_level: Option<u8>,
    /// Rows, records, slides or code.
    pub is_structured: bool,
    /// The file with the picture that it was read from, if it was.
    pub picture: Option<String>,
}

/// Lays the parts of a file out as one text.
pub fn compose(extracted: Extracted) -> Composed {
    let mut composed = Composed {
        title: extracted.title,
        author: extracted.author,
        created: extracted.created,
        own: extracted.own,
        ..Composed::default()
    };
    let mut line = 0;
    for part in extracted.parts {
        composed.marks.push(PartMark {
            line,
            page: part.page,
            heading_level: part.heading.as_ref().map(|(level, _)| *level),
            is_structured: part.is_structured,
            picture: part.picture,
        });
        let start = composed.text.len();
        if let Some((level, heading)) = part.heading {
            let hashes = "#".repeat(usize::from(level.clamp(1, 6)));
            let heading = heading.split_whitespace().collect::<Vec<_>>().join(" ");
            composed.text.push_str(&format!("{hashes} {heading}\n\n"));
        }
        let n_above = composed.text[start..].matches('\n').count();
        composed.text.push_str(part.text.trim_end());
        composed.text.push_str("\n\n");
        line += composed.text[start..].matches('\n').count();
        if composed.own.is_some() {
            if n_above > 0 {
                composed.lines.push(part.heading_lines);
                composed.lines.push(NO_LINES);
            }
            composed.lines.extend(part.lines);
            composed.lines.resize(line, NO_LINES);
        }
    }
    composed
}

/// Returns what lines of the file the lines `start` to `end` of a text come from: from the first to
/// the last that any of them stands on.
pub(crate) fn file_lines(lines: &[Lines], start: u32, end: u32) -> Lines {
    if lines.is_empty() {
        return (start, end);
    }
    let (start, end) = (start as usize - 1, (end as usize).min(lines.len()));
    let is_known = |lines: &&Lines| **lines != NO_LINES;
    let own = lines.get(start..end).unwrap_or_default().iter();
    let found = own
        .filter(is_known)
        .copied()
        .reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)));
    let before = || lines[..start.min(lines.len())].iter().rev().find(is_known);
    found.or_else(|| before().copied()).unwrap_or((1, 1))
}

/// Makes a note of a composed text that has been masked since, as has the file's `own`.
pub fn parse_parts(
    path: &str,
    text: CleanText,
    own: Option<CleanText>,
    composed: &Composed,
) -> Note {
    let text = text.into_string();
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let (mut headings, mut blocks, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for (index, mark) in composed.marks.iter().enumerate() {
        let at = |line: usize| starts.get(line).copied().unwrap_or(text.len());
        let start = at(mark.line);
        let end = composed
            .marks
            .get(index + 1)
            .map_or(text.len(), |next| at(next.line));
        let mut body_start = start;
        if let Some(level) = mark.heading_level {
            body_start = at(mark.line + 1);
            headings.push(Heading {
                level,
                text: text[start..body_start]
                    .trim_matches(['#', ' ', '\n'])
                    .to_owned(),
                range: start..body_start,
                line: u32::try_from(mark.line + 1).unwrap_or(u32::MAX),
            });
            blocks.push(Block {
                range: start..body_start,
                kind: BlockKind::Heading,
            });
        }
        blocks.extend(blocks_of(&text, body_start..end, mark.is_structured));
        parts.push(Part {
            start,
            page: mark.page,
            is_structured: mark.is_structured,
            picture: mark.picture.clone(),
        });
    }
    Note {
        title: composed
            .title
            .clone()
            .filter(|title| !title.trim().is_empty())
            .unwrap_or_else(|| file_stem(path).to_owned()),
        language: words::detect(&text),
        body_start: 0,
        headings,
        blocks,
        properties: serde_json::Map::new(),
        tags: Vec::new(),
        aliases: Vec::new(),
        links: Vec::new(),
        parts,
        own: own.map(CleanText::into_string),
        lines: composed.lines.clone(),
        facts: Facts {
            author: composed.author.clone(),
            created: composed.created.clone(),
            ..Facts::default()
        },
        text,
    }
}

/// Returns the paragraphs of a part.
fn blocks_of(text: &str, range: Range<usize>, is_structured: bool) -> impl Iterator<Item = Block> {
    let blocks = parse_plain(&text[range.clone()]).blocks;
    let kind = match is_structured {
        true => BlockKind::Lines,
        false => BlockKind::Prose,
    };
    blocks.into_iter().map(move |block| Block {
        range: block.range.start + range.start..block.range.end + range.start,
        kind,
    })
}
