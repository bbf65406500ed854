//! Vectors of the model that reads passages again, made ahead of questions: those of the most linked notes
//! first. What is made is committed step by step; nothing is made twice.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::vectors::passages;
use crate::embed::{EmbedError, Embedder, PassageKey};
use crate::error::Result;
use crate::store::{ChunkId, Place, Store, StoreWriter};

/// Passages that are looked at, and of which vectors are made, between two commits.
const STEP_PASSAGES: usize = 64;
/// Passages whose vectors are looked for at once.
const LOOKED_UP: usize = 1_024;

/// How far the vectors of an index are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Passages of the index.
    pub n_passages: usize,
    /// Those that have a vector.
    pub n_covered: usize,
    /// Vectors of texts that are gone, which were removed.
    pub n_removed: usize,
    /// Why the model could not go on.
    pub trouble: Option<String>,
}

/// Who fills an index with vectors, and for how long.
pub struct FillContext<'a> {
    /// Where the index is kept.
    pub store: &'a Place,
    /// The model that reads again.
    pub embedder: &'a dyn Embedder,
    /// Seconds since 1970.
    pub now: i64,
    /// How long to wait for another writer.
    pub patience: Duration,
    /// Is told how many passages are covered, and of how many.
    pub progress: &'a dyn Fn(usize, usize),
    /// Ends the work with what is done so far.
    pub stop: &'a AtomicBool,
    /// Vectors that were made while questions were answered.
    pub made: Vec<(PassageKey, Vec<f32>)>,
}

/// Tells how many passages of an index have a vector of a model.
pub fn coverage(store: &Store, embedder: &dyn Embedder) -> Result<Coverage> {
    let chunks = store.chunk_ids()?;
    let wanted = wanted(store, embedder, &chunks, &mut FxHashSet::default())?;
    Ok(Coverage {
        n_passages: chunks.len(),
        n_covered: chunks.len() - wanted.len(),
        ..Coverage::default()
    })
}

/// Makes the vectors that an index lacks. The one writer is asked for only to write: others may update the
/// index meanwhile.
pub fn fill(cx: FillContext<'_>) -> Result<Coverage> {
    write(&cx, |writer| writer.put_text_vectors(&cx.made))?;
    let store = cx.store.read()?;
    let chunks = store.chunk_ids()?;
    let mut used = FxHashSet::default();
    let wanted = wanted(&store, cx.embedder, &chunks, &mut used)?;
    let mut coverage = Coverage {
        n_passages: chunks.len(),
        n_covered: chunks.len() - wanted.len(),
        n_removed: write(&cx, |writer| writer.keep_text_vectors(&used))?,
        trouble: None,
    };
    for step in wanted.chunks(STEP_PASSAGES) {
        (cx.progress)(coverage.n_covered, coverage.n_passages);
        if cx.stop.load(Ordering::Relaxed) {
            break;
        }
        match made(cx.embedder, &passages(&store, step)?) {
            Ok(vectors) => write(&cx, |writer| writer.put_text_vectors(&vectors))?,
            Err(error) => {
                coverage.trouble = Some(error.to_string());
                break;
            }
        }
        coverage.n_covered += step.len();
    }
    (cx.progress)(coverage.n_covered, coverage.n_passages);
    Ok(coverage)
}

fn write<T>(cx: &FillContext<'_>, change: impl FnOnce(&mut StoreWriter) -> Result<T>) -> Result<T> {
    let mut writer = cx.store.write(cx.patience)?;
    let changed = change(&mut writer)?;
    writer.commit(cx.now)?;
    writer.close()?;
    Ok(changed)
}

/// Returns the passages without a vector, those of the most linked notes first, and notes every key in use.
fn wanted(
    store: &Store,
    embedder: &dyn Embedder,
    chunks: &[ChunkId],
    used: &mut FxHashSet<PassageKey>,
) -> Result<Vec<ChunkId>> {
    let mut wanted = Vec::new();
    for some in chunks.chunks(LOOKED_UP) {
        let keys: Vec<PassageKey> = (passages(store, some)?.iter())
            .map(|(_, text)| PassageKey::of(embedder.id(), text))
            .collect();
        used.extend(keys.iter().copied());
        let missing = store.lacks_text_vectors(&keys)?;
        for (&chunk, _) in some
            .iter()
            .zip(missing)
            .filter(|(_, is_missing)| *is_missing)
        {
            let note = store.note(store.chunk(chunk)?.note)?;
            wanted.push((std::cmp::Reverse(note.n_neighbours), chunk));
        }
    }
    wanted.sort_unstable();
    Ok(wanted.into_iter().map(|(_, chunk)| chunk).collect())
}

/// Vectors by what they were made of.
type Made = Vec<(PassageKey, Vec<f32>)>;

/// Makes the vectors of some passages.
fn made(embedder: &dyn Embedder, passages: &[(String, String)]) -> Result<Made, EmbedError> {
    let texts: Vec<&str> = passages.iter().map(|(_, text)| text.as_str()).collect();
    let mut rows = Vec::new();
    embedder.embed_passages(&texts, &mut rows)?;
    let rows = rows
        .chunks(embedder.id().dimensions.max(1))
        .map(<[f32]>::to_vec);
    let keys = texts.iter().map(|text| PassageKey::of(embedder.id(), text));
    Ok(keys.zip(rows).collect())
}
