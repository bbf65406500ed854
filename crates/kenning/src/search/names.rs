//! Which notes were called by name, and so stand first.

use super::Query;
use super::grammar::Request;
use super::select::Selection;
use crate::error::Result;
use crate::store::{NoteId, Store};

/// Notes that were called by name: `[[name]]` in the query, or all of it a file name or alias;
/// a title only when nothing else is. Where it is none, what a question asks for may be the name of one.
///
/// A link in the query is there in any case; what merely happens to be a name keeps to the filter.
pub(super) fn pinned_notes(
    store: &Store,
    request: &Request,
    query: &Query,
    selection: &Selection<'_>,
) -> Result<Vec<NoteId>> {
    let mut pinned = Vec::new();
    let keys = request
        .pinned
        .iter()
        .map(|name| (crate::words::name_key(name), true));
    for (key, is_link) in keys.chain([(query.name_key.clone(), false)]) {
        let named = store.notes_named(&key)?;
        let best = named.iter().map(|(_, rank)| rank.min(&1)).min().copied();
        for (note, rank) in named {
            let is_best = Some(rank.min(1)) == best;
            if is_best && !pinned.contains(&note) && (is_link || selection.has(note)?) {
                pinned.push(note);
            }
        }
    }
    if pinned.is_empty() {
        pinned.extend(asked_note(store, query, selection)?);
    }
    Ok(pinned)
}

/// The one note whose name is all that a question asks for; one of several would be a guess.
fn asked_note(store: &Store, query: &Query, selection: &Selection<'_>) -> Result<Option<NoteId>> {
    for key in &query.asked_names {
        let named = store.notes_named(key)?;
        let best = named.iter().map(|(_, rank)| rank.min(&1)).min().copied();
        let mut called = named.iter().filter(|(_, rank)| Some(*rank.min(&1)) == best);
        match (called.next(), called.next()) {
            (Some((note, _)), None) => {
                let is_selected = selection.has(*note)?;
                return Ok(Some(*note).filter(|_| is_selected));
            }
            (Some(_), Some(_)) => return Ok(None),
            (None, _) => {}
        }
    }
    Ok(None)
}
