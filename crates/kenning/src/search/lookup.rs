//! Opens one note by any of its addresses: path, name, alias, `#handle`, with or without lines.

use crate::error::{Error, Result};
use crate::store::{NoteId, NoteRow, Store};
use crate::words::name_key;

/// Part of a note, by lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// The note.
    pub note: NoteRow,
    /// 1-based first line.
    pub start_line: u32,
    /// 1-based last line, inclusive.
    pub end_line: u32,
    /// The lines.
    pub text: String,
}

/// Returns what `reference` names: `path`, `name`, `alias` or `#handle`, and `:from` or
/// `:from-to` behind it.
pub fn passage(store: &Store, reference: &str) -> Result<Passage> {
    let (name, lines) = split_lines(reference);
    let (id, own_lines) = resolve(store, name)?;
    let note = store.note(id)?;
    let (from, to) = lines.or(own_lines).unwrap_or((1, note.n_lines.max(1)));
    let text = store.text(id)?;
    let end_line = to.min(note.n_lines.max(1));
    let start_line = from.clamp(1, end_line.max(1));
    let wanted = (end_line + 1).saturating_sub(start_line) as usize;
    let text: Vec<&str> = text
        .lines()
        .skip(start_line as usize - 1)
        .take(wanted)
        .collect();
    Ok(Passage {
        note,
        start_line,
        end_line,
        text: text.join("\n"),
    })
}

type Lines = (u32, u32);

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
    if let Some(handle) = name
        .strip_prefix('#')
        .and_then(|hex| u32::from_str_radix(hex, 16).ok())
    {
        let chunks = store.chunks_by_handle(handle)?;
        if let Some(chunk) = chunks.first() {
            return Ok((chunk.note, Some((chunk.start_line, chunk.end_line))));
        }
    }
    let bare = name.trim_start_matches("[[").trim_end_matches("]]");
    let stem = bare.strip_suffix(".md").unwrap_or(bare);
    if let Some(note) = store.note_at(&format!("{stem}.md"))? {
        return Ok((note, None));
    }
    let named = store.notes_named(&name_key(stem))?;
    let best = named.first().map(|(_, rank)| *rank);
    let equal: Vec<NoteId> = named
        .into_iter()
        .filter(|(_, rank)| Some(*rank) == best)
        .map(|(note, _)| note)
        .collect();
    match equal.as_slice() {
        [] => Err(Error::NotFound {
            name: name.to_owned(),
        }),
        [note] => Ok((*note, None)),
        several => Err(Error::Ambiguous {
            name: name.to_owned(),
            candidates: several
                .iter()
                .map(|&note| Ok(store.note(note)?.path))
                .collect::<Result<_>>()?,
        }),
    }
}
