//! Opens notes for somebody who may read only some of them. The others are not known, by any name.

use std::sync::Arc;

use anyhow::Result;
use kenning::Error;
use kenning::budget::Budget;
use kenning::search::{self, Passage, Piece, Scope};
use kenning::store::{ChunkRow, NoteRow, Store};

use super::{Searcher, masked, named};

impl Searcher {
    /// Returns a note or some of its lines, if it may be read.
    pub(crate) fn scoped_passage(&self, reference: &str, scope: Option<&Scope>) -> Result<Passage> {
        self.with_store(|store| match scope {
            Some(scope) => Ok(readable(store, reference, scope, &self.budget())?),
            None => Ok(named(store, reference)?),
        })
    }

    /// Returns a passage with its note, if it may be read.
    pub(crate) fn piece(
        &self,
        chunk: &Arc<ChunkRow>,
        scope: Option<&Scope>,
    ) -> Result<Option<(Arc<NoteRow>, Piece)>> {
        self.with_store(|store| {
            if let Some(scope) = scope
                && !scope.has(store, chunk.note, &self.budget())?
            {
                return Ok(None);
            }
            Ok(Some(search::piece(store, chunk)?))
        })
    }
}

fn readable(
    store: &Store,
    reference: &str,
    scope: &Scope,
    budget: &Budget,
) -> kenning::Result<Passage> {
    let candidates = match named(store, reference) {
        Ok(passage) => vec![passage],
        Err(Error::Ambiguous { candidates, .. }) => {
            let each = candidates.iter().map(|path| named(store, path));
            each.collect::<kenning::Result<_>>()?
        }
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for passage in candidates {
        if scope.has(store, passage.note.id, budget)? {
            found.push(passage);
        }
    }
    budget.check()?;
    match found.len() {
        0 | 1 => found.pop().ok_or_else(|| Error::NotFound {
            name: masked(reference),
        }),
        _ => Err(Error::Ambiguous {
            name: masked(reference),
            candidates: found
                .iter()
                .map(|passage| passage.note.path.clone())
                .collect(),
        }),
    }
}
