//! Opens one note by any of its addresses: path, name, alias, `#handle`, with or without lines.

use std::borrow::Cow;
use std::sync::Arc;

use super::excerpt;
use crate::chunk;
use crate::error::{Error, Result};
pub use crate::note::PropertyType;
use crate::note::{Format, Heading, n_in_section};
use crate::store::{By, ChunkRow, Name, NoteFacts, NoteId, NoteRow, Part, Select, Store, Wanted};
use crate::words::name_key;

/// Part of a note, by lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// The note.
    pub note: Arc<NoteRow>,
    /// What else is known of it.
    pub facts: NoteFacts,
    /// 1-based first line.
    pub start_line: u32,
    /// 1-based last line, inclusive.
    pub end_line: u32,
    /// The lines.
    pub text: String,
}

/// Returns what `reference` names: `path`, `name`, `alias` or `#handle`; behind it `#Heading`,
/// `#^block`, `#page=3`, `:from` or `:from-to`. Lines are those of the file, where it has some.
pub fn passage(store: &Store, reference: &str) -> Result<Passage> {
    let (name, lines) = split_lines(reference);
    let (id, own_lines) = match resolve(store, name) {
        Ok(found) => found,
        Err(error) => match split_anchor(name) {
            Some((name, anchor)) => {
                let (id, _) = resolve(store, name)?;
                let found = anchored_in(store, id, anchor)?.ok_or_else(|| Error::NotFound {
                    name: format!("{name}#{anchor}"),
                })?;
                (id, Some(found))
            }
            None => return Err(error),
        },
    };
    let note = store.note(id)?;
    let text = store.text(id, &Part::File)?;
    let (from, to) = lines.or(own_lines).unwrap_or((1, note.n_lines.max(1)));
    let end_line = to.min(note.n_lines.max(1));
    let start_line = from.clamp(1, end_line.max(1));
    let wanted = (end_line + 1).saturating_sub(start_line) as usize;
    let text: Vec<&str> = text
        .lines()
        .skip(start_line as usize - 1)
        .take(wanted)
        .collect();
    Ok(Passage {
        facts: facts_of(store, id)?,
        note,
        start_line,
        end_line,
        text: text.join("\n"),
    })
}

pub(crate) fn facts_of(store: &Store, note: NoteId) -> Result<NoteFacts> {
    let wanted = Wanted {
        properties: true,
        source: true,
        ..Wanted::NAMES
    };
    let facts = store.select(Select::Notes(&[note]), wanted)?;
    Ok(Arc::unwrap_or_clone(facts).remove(0))
}

/// A passage that a note is searched by.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Where it lies.
    pub chunk: Arc<ChunkRow>,
    /// Title and headings above it, outermost first.
    pub breadcrumb: Vec<String>,
    /// Its text.
    pub text: String,
}

/// Returns the passages that stand on the lines of `passage`, in order.
pub fn chunks_on(store: &Store, passage: &Passage) -> Result<Vec<Piece>> {
    let note = &passage.note;
    let mut pieces = Vec::new();
    for chunk in store.chunks(By::Note(note.id))? {
        if chunk.start_line <= passage.end_line && chunk.end_line >= passage.start_line {
            pieces.push(piece_of(store, note, chunk)?);
        }
    }
    Ok(pieces)
}

/// Returns a passage with its note.
pub fn piece(store: &Store, chunk: &Arc<ChunkRow>) -> Result<(Arc<NoteRow>, Piece)> {
    let note = store.note(chunk.note)?;
    let piece = piece_of(store, &note, Arc::clone(chunk))?;
    Ok((note, piece))
}

fn piece_of(store: &Store, note: &NoteRow, chunk: Arc<ChunkRow>) -> Result<Piece> {
    let crumbs = chunk::breadcrumb(&note.title, &note.headings, chunk.heading);
    Ok(Piece {
        breadcrumb: crumbs.into_iter().map(str::to_owned).collect(),
        text: store.passage(&chunk)?,
        chunk,
    })
}

/// Returns the lines of what an anchor names: a heading, a block or a page.
fn anchored_in(store: &Store, note: NoteId, anchor: &str) -> Result<Option<Lines>> {
    let chunks = store.chunks(By::Note(note))?;
    let lines_of = |is_inside: &dyn Fn(&ChunkRow) -> bool| {
        let lines = chunks.iter().filter(|chunk| is_inside(chunk));
        let lines = lines.map(|chunk| (chunk.start_line, chunk.end_line));
        lines.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)))
    };
    if let Some(page) = anchor.strip_prefix("page=").and_then(|n| n.parse().ok()) {
        return Ok(lines_of(&|chunk| chunk.page == Some(page)));
    }
    let headings = &store.note(note)?.headings;
    if !facts_of(store, note)?.source.is_extracted {
        return Ok(anchored(&store.text(note, &Part::Whole)?, headings, anchor));
    }
    // The headings of such a file are known, but not where they stand in it.
    let wanted = name_key(anchor);
    let Some(first) = headings.iter().position(|h| name_key(&h.text) == wanted) else {
        return Ok(None);
    };
    let section = first..first + n_in_section(headings, first);
    Ok(lines_of(&|chunk| {
        let heading = chunk.heading.unwrap_or(usize::MAX);
        section.contains(&heading)
    }))
}

/// Splits `Note#Heading` and `Note#^block`; of `Note#One#Two` the last heading counts.
fn split_anchor(name: &str) -> Option<(&str, &str)> {
    let bare = name.trim_start_matches("[[").trim_end_matches("]]");
    let (note, anchor) = bare.split_once('#').filter(|(note, _)| !note.is_empty())?;
    let anchor = anchor.rsplit('#').next().unwrap_or(anchor);
    Some((note, anchor.split('|').next().unwrap_or(anchor).trim()))
}

/// Returns the lines of a section by its heading, or of a block by its id.
fn anchored(text: &str, headings: &[Heading], anchor: &str) -> Option<Lines> {
    match anchor.strip_prefix('^') {
        Some(id) => block(text, headings, id),
        None => section(text, headings, anchor),
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

/// Returns the lines from a heading to the next one that is not below it.
fn section(text: &str, headings: &[Heading], name: &str) -> Option<Lines> {
    let wanted = name_key(name);
    let first = headings.iter().position(|heading| {
        name_key(&heading.text) == wanted || name_key(heading.written(text)) == wanted
    })?;
    let end = match headings.get(first + n_in_section(headings, first)) {
        Some(next) => next.line - 1,
        None => u32::try_from(text.lines().count()).unwrap_or(u32::MAX),
    };
    Some((headings[first].line, end))
}

/// Returns the lines of the block that an id stands at the end of.
fn block(text: &str, headings: &[Heading], id: &str) -> Option<Lines> {
    let lines: Vec<&str> = text.lines().collect();
    let mark = format!("^{id}");
    let end = lines.iter().position(|line| {
        let line = line.trim_end();
        line == mark || line.ends_with(&format!(" {mark}"))
    })?;
    let is_gap = |index: usize| {
        let is_heading = headings.iter().any(|heading| heading.line == number(index));
        lines[index].trim().is_empty() || is_heading
    };
    // An id on a line of its own names the block above it.
    let is_alone = lines[end].trim() == mark;
    let is_item = lines[end].trim_start().starts_with(['-', '*', '+']);
    let mut start = end;
    while start > 0 && !is_item && (is_alone && start == end || !is_gap(start - 1)) {
        start -= 1;
    }
    Some((number(start), number(end)))
}

type Lines = (u32, u32);

/// Returns the lines that a reference asks for, as they were typed.
pub fn lines_asked(reference: &str) -> Option<(u32, u32)> {
    split_lines(reference).1
}

/// Splits `:12`, `:12-20` or `:12-` off.
fn split_lines(reference: &str) -> (&str, Option<Lines>) {
    let Some((name, lines)) = reference.rsplit_once(':') else {
        return (reference, None);
    };
    let range = match lines.split_once('-') {
        None => lines.parse().ok().map(|line| (line, line)),
        Some((from, "")) => from.parse().ok().map(|from| (from, u32::MAX - 1)),
        Some((from, to)) => from.parse().ok().zip(to.parse().ok()),
    };
    match range {
        Some(range) if !name.is_empty() => (name, Some(range)),
        _ => (reference, None),
    }
}

fn resolve(store: &Store, name: &str) -> Result<(NoteId, Option<Lines>)> {
    if let Some(note) = store.note_at(name)? {
        return Ok((note, None));
    }
    if let Some(hex) = name.strip_prefix('#')
        && let Some(found) = by_handle(store, hex)?
    {
        return Ok(found);
    }
    let not_found = || Error::NotFound {
        name: name.to_owned(),
    };
    let bare = name.trim_start_matches("[[").trim_end_matches("]]");
    let stem = bare.strip_suffix(".md").unwrap_or(bare);
    if let Some(note) = store.note_at(&format!("{stem}.md"))? {
        return Ok((note, None));
    }
    let named = store.resolve(Name::Key(&name_key(stem)))?;
    let best = named.first().map(|named| named.rank);
    let equal: Vec<NoteId> = named
        .into_iter()
        .filter(|named| Some(named.rank) == best)
        .map(|named| named.note)
        .collect();
    match equal.as_slice() {
        // An id is also pasted without its `#`; a note that is called so goes before it.
        [] if name.len() == HANDLE_DIGITS => by_handle(store, name)?.ok_or_else(not_found),
        [] => Err(not_found()),
        [note] => Ok((*note, None)),
        several => Err(Error::Ambiguous {
            name: name.to_owned(),
            candidates: several
                .iter()
                .map(|&note| Ok(store.note(note)?.path.clone()))
                .collect::<Result<_>>()?,
        }),
    }
}

/// Digits of a passage's short id.
const HANDLE_DIGITS: usize = 8;

/// Finds a passage by its short id, without the `#`.
fn by_handle(store: &Store, hex: &str) -> Result<Option<(NoteId, Option<Lines>)>> {
    let Ok(handle) = u32::from_str_radix(hex, 16) else {
        return Ok(None);
    };
    let chunks = store.chunks(By::Handle(handle))?;
    let found = chunks.first();
    Ok(found.map(|chunk| (chunk.note, Some((chunk.start_line, chunk.end_line)))))
}

/// Returns a passage of the note at `path` for a reader: HTML in Markdown is left out.
pub fn as_read<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    match Format::of(path) {
        Some(Format::Markdown) => excerpt::without_tags(text).into(),
        _ => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note;
    use crate::secrets;

    fn lines_of(text: &str, anchor: &str) -> Option<Lines> {
        let (clean, _) = secrets::mask(text.to_owned());
        let (note, _) = note::parse("a.md", clean, Format::Markdown);
        anchored(&note.text, &note.headings, anchor)
    }

    #[test]
    fn sections_and_blocks_are_found_by_their_anchors() {
        let text = "# One\na\n## Two\nb\n\nlong\nparagraph ^id1\n\n- item ^id2\n\n| t |\n\n^id3\n# Three\n";
        for (anchor, expected) in [
            ("Two", Some((3, 13))),
            ("one", Some((1, 13))),
            ("Three", Some((14, 14))),
            ("^id1", Some((6, 7))),
            ("^id2", Some((9, 9))),
            ("^id3", Some((11, 13))),
            ("Four", None),
            ("^no", None),
        ] {
            assert_eq!(lines_of(text, anchor), expected, "{anchor}");
        }
    }

    #[test]
    fn what_looks_like_a_heading_in_code_is_none() {
        let text =
            "# Build\n\n```sh\n# compile first\nmake\n```\n\ndone\n\nUnder *lined*\n---\n\nend\n";
        assert_eq!(lines_of(text, "Build"), Some((1, 13)));
        assert_eq!(lines_of(text, "compile first"), None);
        assert_eq!(lines_of(text, "Under lined"), Some((10, 13)));
        assert_eq!(lines_of(text, "Under *lined*"), Some((10, 13)));
    }
}
