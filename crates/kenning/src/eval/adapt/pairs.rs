//! What a vault says of itself, as pairs: a text, the passage that it stands for, and passages that are like it and not meant.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::known_items::{Item, Kind};
use crate::embed::{Embedder, TokenVectors};
use crate::error::Result;
use crate::store::{By, ChunkId, NoteId, NoteSet, Store};

/// Passages of other notes that are nearest to a text by the model as it is.
const WRONG: usize = 12;
/// The nearest that are looked at for them: some are of the note that is meant.
const NEAREST: usize = 40;

/// A text and what it should find. Passages are told by their rows.
pub(super) struct Pair {
    pub(super) tokens: Vec<u32>,
    /// Path of the note that is meant.
    pub(super) note: String,
    pub(super) right: usize,
    pub(super) wrong: Vec<usize>,
}

/// Pairs and the vectors of their passages.
#[derive(Default)]
pub(super) struct Pairs {
    pub(super) all: Vec<Pair>,
    pub(super) rows: Vec<Vec<f32>>,
}

impl Pairs {
    /// Makes pairs of texts; what the model knows nothing of is left out.
    pub(super) fn of(store: &Store, embedder: &dyn Embedder, items: &[&Item]) -> Result<Self> {
        let mut own = Self::default();
        let Some(model) = embedder.token_vectors() else {
            return Ok(own);
        };
        let mut places = FxHashMap::default();
        let mut named = Vec::new();
        for item in items {
            if let Some((tokens, note, chunks)) = passages(store, model, item)? {
                for &chunk in &chunks {
                    let next = places.len();
                    places.entry(chunk).or_insert(next);
                }
                named.push((tokens, note, chunks));
            }
        }
        let mut chunks: Vec<ChunkId> = places.keys().copied().collect();
        chunks.sort_unstable();
        own.rows = vec![Vec::new(); places.len()];
        for (chunk, vector) in store.chunk_vectors(&chunks)? {
            own.rows[places[&chunk]] = vector;
        }
        let there: FxHashSet<usize> = (0..own.rows.len())
            .filter(|&row| !own.rows[row].is_empty())
            .collect();
        for (tokens, note, chunks) in named {
            let mut rows = chunks.iter().map(|chunk| places[chunk]);
            let right = rows.next().filter(|row| there.contains(row));
            let Some(right) = right else { continue };
            let wrong = rows.filter(|row| there.contains(row)).collect();
            own.all.push(Pair {
                tokens,
                note,
                right,
                wrong,
            });
        }
        Ok(own)
    }
}

/// Tokens of a text, the path of the note that is meant, the passage of it, and behind that passages of other notes.
type Named = (Vec<u32>, String, Vec<ChunkId>);

fn passages(store: &Store, model: &dyn TokenVectors, item: &Item) -> Result<Option<Named>> {
    let mut tokens = Vec::new();
    model.tokens(&item.text, &mut tokens);
    let Some(note) = store.note_at(&item.path)?.filter(|_| !tokens.is_empty()) else {
        return Ok(None);
    };
    let row = model.direction(&item.text);
    let Some(right) = right(store, &row, item, note)? else {
        return Ok(None);
    };
    let nearest = store.nearest(&row, NEAREST, &NoteSet::every())?;
    let others = nearest.hits.iter().filter(|hit| hit.note != note);
    let wrong = others.map(|hit| hit.chunk).take(WRONG);
    let chunks = std::iter::once(right).chain(wrong).collect();
    Ok(Some((tokens, item.path.clone(), chunks)))
}

/// Returns the passage below a heading; of other names the passage of the note that is nearest to it.
fn right(store: &Store, row: &[f32], item: &Item, note: NoteId) -> Result<Option<ChunkId>> {
    let chunks = store.chunks(By::Note(note))?;
    if item.kind == Kind::Heading {
        let headings = &store.note(note)?.headings;
        let is_below = |place: usize| headings.get(place).is_some_and(|h| h.text == item.text);
        let below = chunks
            .iter()
            .find(|chunk| chunk.heading.is_some_and(is_below));
        return Ok(below.map(|chunk| chunk.id));
    }
    let ids: Vec<ChunkId> = chunks.iter().map(|chunk| chunk.id).collect();
    let mut cosines = store.cosines(row, &ids)?;
    cosines.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    Ok(cosines.first().map(|(chunk, _)| *chunk))
}

/// Returns how rare each token is in the passages of a vault: the logarithm of its rarity, 0 on average.
pub(super) fn rarity(store: &Store, n_tokens: usize) -> Result<Vec<f32>> {
    let mut n_with = vec![0u32; n_tokens];
    let chunks = store.chunk_ids()?;
    let mut pieces = Vec::new();
    for some in chunks.chunks(1_024) {
        for chunk in store.chunks(By::Ids(some))? {
            pieces.clear();
            chunk.pieces(&mut pieces);
            for &piece in &pieces {
                if let Some(n) = n_with.get_mut(piece as usize) {
                    *n += 1;
                }
            }
        }
    }
    let n = chunks.len() as f32;
    let rare = |&with: &u32| (1.0 + n / (1.0 + with as f32)).ln().ln();
    let logs: Vec<f32> = n_with.iter().map(rare).collect();
    let seen: Vec<f32> = (logs.iter().zip(&n_with))
        .filter(|(_, n)| **n > 0)
        .map(|(log, _)| *log)
        .collect();
    let mean = seen.iter().sum::<f32>() / seen.len().max(1) as f32;
    Ok(logs.into_iter().map(|log| log - mean).collect())
}
