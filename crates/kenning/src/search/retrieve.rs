//! Asks both retrievers: which passages hold the words, which are near in meaning.

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::select::Selection;
use super::spelling;
use super::{Candidate, Mode, Query, SearchContext};
use crate::embed::Embedder;
use crate::error::{Error, Result};
use crate::store::{ChunkId, LexicalHit, LexicalScores, Neighbour, NoteId, Respelled, Store};

/// Candidates of both retrievers, and what tells a good match from a bad one.
pub(super) struct Retrieved {
    pub(super) candidates: Vec<Candidate>,
    pub(super) strength: Strength,
    /// Whether asking for more would find nothing else.
    pub(super) is_all: bool,
}

/// What the retrievers are asked, however many candidates are wanted of them.
#[derive(Clone, Copy)]
pub(super) struct Net<'a> {
    pub(super) cx: &'a SearchContext<'a>,
    pub(super) query: &'a Query,
    pub(super) selection: &'a Selection<'a>,
    pub(super) mode: Mode,
    /// Whether the model knows the script of the question.
    pub(super) is_known: bool,
    /// Nothing but conditions was typed.
    pub(super) is_listing: bool,
}

/// Absolute signals; ranks and relative scores cannot tell whether anything matched at all.
#[derive(Clone, Debug, Default)]
pub(super) struct Strength {
    /// Inverse document frequency of each word of the query.
    pub(super) idf: Vec<f32>,
    /// The same of a word that no note says.
    pub(super) unsaid: f32,
    /// Meaning of the nearest passage; 0 where meaning was not asked for.
    pub(super) meaning: f32,
    /// Words that no note says, and what was looked for instead.
    pub(super) respelled: Vec<Respelled>,
}

/// Share of a question's letters that the model must know to be asked for its meaning.
const KNOWN_SHARE_MIN: f32 = 0.5;

/// Whether a model knows the script of a question.
pub(super) fn is_known(embedder: &dyn Embedder, text: &str) -> bool {
    let model = embedder.token_vectors();
    model.is_none_or(|model| model.known_share(text) >= KNOWN_SHARE_MIN)
}

/// Returns the candidates among the selected notes: the best `n_wanted` of each retriever.
pub(super) fn retrieve(net: &Net<'_>, n_wanted: usize) -> Result<Retrieved> {
    let Net {
        cx,
        query,
        selection,
        mode,
        is_known,
        is_listing,
    } = *net;
    let asks_meaning = mode == Mode::Vector || mode == Mode::Hybrid && is_known;
    if is_listing {
        return listed(cx.store, selection, n_wanted);
    }
    let mut found = Candidates::with_capacity(2 * n_wanted);
    let mut strength = Strength::default();
    let mut is_all = true;
    let typed = spelling::typed(query);
    let scores = (cx.store).score_words(&query.groups, &typed, &cx.tuning.lexical, cx.budget)?;
    if let Some(scores) = &scores {
        strength.idf.clone_from(&scores.idf);
        strength.unsaid = scores.unsaid;
    }
    // Where meaning alone is asked for, words say how far the notes answer, but find nothing.
    let scores = scores.filter(|_| mode != Mode::Vector);
    if let Some(scores) = &scores {
        strength.respelled.clone_from(&scores.respelled);
        let hits = by_words(scores, selection, n_wanted, cx.tuning.candidates_per_note)?;
        is_all &= hits.len() < n_wanted;
        for (rank, hit) in ranks(hits.iter().map(|hit| hit.score)).zip(&hits) {
            let candidate = found.candidate(hit.chunk);
            candidate.lexical = hit.score;
            candidate.lexical_rank = Some(rank);
        }
    }
    if asks_meaning && !query.text.is_empty() {
        let vector = embed(cx, &query.text)?;
        let (nearest, background) = by_meaning(cx.store, &vector, selection, n_wanted)?;
        is_all &= nearest.len() < n_wanted;
        let calibration = cx.embedder.calibration();
        let meaning = |cosine| calibration.meaning(cosine, background);
        strength.meaning = nearest.first().map_or(0.0, |best| meaning(best.cosine));
        for (rank, neighbour) in ranks(nearest.iter().map(|n| n.cosine)).zip(&nearest) {
            let candidate = found.candidate(neighbour.chunk);
            candidate.cosine = Some(neighbour.cosine);
            candidate.vector_rank = Some(rank);
        }
        complete(cx.store, &vector, scores.as_ref(), &mut found)?;
        for candidate in &mut found.all {
            candidate.background = background;
            candidate.meaning = candidate.cosine.map_or(0.0, meaning);
        }
    }
    if let Some(scores) = &scores {
        for candidate in &mut found.all {
            candidate.lexical_parts = scores.parts(candidate.chunk);
            candidate.beside = scores.beside(candidate.chunk);
        }
    }
    cx.budget.check()?;
    Ok(Retrieved {
        candidates: found.all,
        strength,
        is_all,
    })
}

/// Nothing but conditions: the first passage of every note that meets them, newest first; every one that
/// has a task, where tasks are asked for.
fn listed(store: &Store, selection: &Selection<'_>, n_wanted: usize) -> Result<Retrieved> {
    let notes = selection.all()?;
    let mut candidates = Vec::new();
    for (place, &note) in notes.iter().take(n_wanted).enumerate() {
        for chunk in listed_of(store, selection, note)? {
            candidates.push(Candidate {
                lexical: 1.0 - place as f32 / (2 * notes.len()) as f32,
                ..Candidate::new(chunk)
            });
        }
    }
    Ok(Retrieved {
        candidates,
        strength: Strength::default(),
        is_all: notes.len() <= n_wanted,
    })
}

fn listed_of(store: &Store, selection: &Selection<'_>, note: NoteId) -> Result<Vec<ChunkId>> {
    let chunks = store.chunks_of(note)?;
    let mut ids = Vec::new();
    if selection.shows_tasks() {
        for chunk in &chunks {
            if selection.is_shown_by(&store.passage(chunk)?) {
                ids.push(chunk.id);
            }
        }
    }
    if ids.is_empty() {
        ids.extend(chunks.first().map(|chunk| chunk.id));
    }
    Ok(ids)
}

/// What was found so far, each chunk once. Candidates are large: they are made in their place, and
/// never moved.
struct Candidates {
    all: Vec<Candidate>,
    places: FxHashMap<ChunkId, usize>,
}

impl Candidates {
    fn with_capacity(n: usize) -> Self {
        Self {
            all: Vec::with_capacity(n),
            places: FxHashMap::with_capacity_and_hasher(n, FxBuildHasher),
        }
    }

    /// Returns the candidate of a chunk, a new one if it was not found before.
    fn candidate(&mut self, chunk: ChunkId) -> &mut Candidate {
        let place = *self.places.entry(chunk).or_insert_with(|| {
            self.all.push(Candidate::new(chunk));
            self.all.len() - 1
        });
        &mut self.all[place]
    }
}

/// The best passages by words. Where texts decide, they are read from the best downwards, so that
/// few are read.
fn by_words(
    scores: &LexicalScores<'_>,
    selection: &Selection<'_>,
    n_wanted: usize,
    per_note: usize,
) -> Result<Vec<LexicalHit>> {
    if !selection.reads_texts() {
        return Ok(scores.best(n_wanted, per_note, |note| selection.has_row(note)));
    }
    let mut hits = Vec::new();
    for hit in scores.best(usize::MAX, per_note, |note| selection.may_have(note)) {
        if selection.has(hit.note)? {
            hits.push(hit);
        }
        if hits.len() >= n_wanted {
            break;
        }
    }
    Ok(hits)
}

/// The nearest passages, and what an unrelated one scores.
fn by_meaning(
    store: &Store,
    vector: &[f32],
    selection: &Selection<'_>,
    n_wanted: usize,
) -> Result<(Vec<Neighbour>, f32)> {
    if selection.is_everything() {
        return store.nearest(vector, n_wanted, None);
    }
    let (nearest, background) =
        store.nearest(vector, n_wanted * 4, Some(&|note| selection.has_row(note)))?;
    if !selection.reads_texts() {
        return Ok((nearest.into_iter().take(n_wanted).collect(), background));
    }
    let mut kept = Vec::new();
    for neighbour in nearest {
        if let Some(note) = store.note_of(neighbour.chunk)?
            && selection.has(note)?
        {
            kept.push(neighbour);
        }
        if kept.len() >= n_wanted {
            break;
        }
    }
    Ok((kept, background))
}

/// Returns the 1-based ranks of scores in falling order. Equal scores share a rank: ids, which tell
/// only in which order notes were indexed, must not count.
fn ranks(scores: impl Iterator<Item = f32>) -> impl Iterator<Item = u32> {
    let mut last = None;
    (1..).zip(scores).map(move |(position, score)| match last {
        Some((rank, equal)) if equal == score => rank,
        _ => {
            last = Some((position, score));
            position
        }
    })
}

/// What one retriever did not list still has a score with it; both are asked about every candidate.
fn complete(
    store: &Store,
    vector: &[f32],
    scores: Option<&LexicalScores<'_>>,
    found: &mut Candidates,
) -> Result<()> {
    let missing: Vec<ChunkId> = found
        .all
        .iter()
        .filter(|candidate| candidate.cosine.is_none())
        .map(|candidate| candidate.chunk)
        .collect();
    for neighbour in store.cosines(vector, &missing)? {
        found.candidate(neighbour.chunk).cosine = Some(neighbour.cosine);
    }
    if let Some(scores) = scores {
        let unlisted = found.all.iter_mut().filter(|c| c.lexical_rank.is_none());
        for candidate in unlisted {
            candidate.lexical = scores.of(candidate.chunk);
        }
    }
    Ok(())
}

/// Embeds the question, refusing to compare it with vectors of another model.
fn embed(cx: &SearchContext<'_>, text: &str) -> Result<Vec<f32>> {
    let current = cx.embedder.id();
    match cx.store.model()? {
        Some(stored) if stored != current => Err(Error::ModelMismatch {
            stored: stored.clone(),
            current: current.clone(),
        }),
        _ => Ok(cx.embedder.embed_query(text)?),
    }
}
