//! Asks about a note that was called by its name; where there is none, names like it are told.

use anyhow::Result;
use kenning::Error;

use crate::hint::{self, Hinted};
use crate::searcher::{Searcher, Searchers};

/// Asks each searcher in turn until one knows the note.
pub(super) fn ask<T>(
    searchers: &Searchers,
    reference: &str,
    question: impl Fn(&Searcher) -> Result<T>,
) -> Result<T> {
    searchers.any(question).map_err(|error| {
        if !matches!(error.downcast_ref(), Some(Error::NotFound { .. })) {
            return error;
        }
        let near = searchers
            .all()
            .iter()
            .filter_map(|searcher| searcher.near(reference).ok());
        let mut near: Vec<String> = near.flatten().collect();
        near.dedup();
        let Some(last) = near.pop() else {
            return error;
        };
        let names = match near.is_empty() {
            true => last,
            false => format!("{} or {last}", near.join(", ")),
        };
        let usual = hint::of(&error).unwrap_or_default();
        Hinted::error(error.to_string(), format!("did you mean {names}? {usual}"))
    })
}
