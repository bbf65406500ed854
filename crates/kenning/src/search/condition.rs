//! Conditions on the text: the passage that meets them is the one to show.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::ranked::Ranked;
use super::select::Selection;
use crate::error::Result;
use crate::store::{By, ChunkId, NoteId, Store};

/// What a passage that does not show why its note was let through keeps of its score.
pub(super) const NOT_SHOWN: f32 = 0.5;

/// Shows of each note the passage that has what the conditions ask for.
pub(super) fn show(store: &Store, best: &mut Vec<Ranked>, selection: &Selection<'_>) -> Result<()> {
    for index in 0..best.len() {
        let Ranked { note, chunk, .. } = &best[index];
        if selection.is_shown_by(note, chunk, best[index].passage()) {
            continue;
        }
        let note = Arc::clone(note);
        let taken: Vec<ChunkId> = best.iter().map(|ranked| ranked.chunk.id).collect();
        let ranked = &mut best[index];
        let mut better = None;
        for chunk in store.chunks(By::Note(note.id))? {
            let text = store.passage(&chunk)?;
            if !taken.contains(&chunk.id) && selection.is_shown_by(&note, &chunk, &text) {
                better = Some((chunk, text));
                break;
            }
        }
        match better {
            Some((chunk, text)) => ranked.show(chunk, Some(text)),
            None => {
                ranked.is_unshown = true;
                ranked.score *= NOT_SHOWN;
            }
        }
    }
    if selection.shows_tasks() {
        drop_idle(best);
    }
    Ok(())
}

/// Where tasks are asked for, a passage without one is only shown if its note has no other.
fn drop_idle(best: &mut Vec<Ranked>) {
    let is_shown = |ranked: &&Ranked| !ranked.is_unshown;
    let shown: FxHashSet<NoteId> = (best.iter().filter(is_shown))
        .map(|ranked| ranked.note.id)
        .collect();
    best.retain(|ranked| !ranked.is_unshown || !shown.contains(&ranked.note.id));
}
