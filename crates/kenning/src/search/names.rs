//! Which notes were called by name, and so stand first.

use super::Query;
use super::plan::Plan;
use super::select::Selection;
use crate::error::Result;
use crate::store::{Name, Named, NoteId, Store};

/// Notes that were called by name: `[[name]]` in the query, or all of it a file name or alias;
/// a title only when nothing else is. Where no note is called so, what a question asks for may be the
/// name of one.
///
/// A link in the query is there in any case, if it may be read; what merely happens to be a name keeps
/// to the filter.
pub(super) fn pinned_notes(store: &Store, plan: &Plan<'_>) -> Result<Vec<NoteId>> {
    let Plan {
        query, selection, ..
    } = plan;
    let mut pinned = Vec::new();
    let linked = plan.typed.request.pinned.iter();
    let keys = linked.map(|name| (crate::words::name_key(name), true));
    for (key, is_link) in keys.chain([(query.name_key.clone(), false)]) {
        for note in best_of(&store.resolve(Name::Key(&key))?) {
            let is_wanted = match is_link {
                true => selection.may_read(note),
                false => selection.has(note)?,
            };
            if is_wanted && !pinned.contains(&note) {
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
        match best_of(&store.resolve(Name::Key(key))?)[..] {
            [] => {}
            [note] => {
                let is_selected = selection.has(note)?;
                return Ok(Some(note).filter(|_| is_selected));
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// Those whose file name or alias it is; those whose title it is only where there are no others.
fn best_of(named: &[Named]) -> Vec<NoteId> {
    let best = named.iter().map(|named| named.rank.min(1)).min();
    let is_best = |named: &&Named| Some(named.rank.min(1)) == best;
    named
        .iter()
        .filter(is_best)
        .map(|named| named.note)
        .collect()
}
