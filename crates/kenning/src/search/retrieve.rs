//! Asks both retrievers: which passages hold the words, which are near in meaning.

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::candidate::Candidate;
use super::plan::Plan;
use super::select::Selection;
use super::spelling;
use super::{Mode, Query, SearchContext};
use crate::embed::EmbedError;
use crate::error::{Error, Result};
use crate::store::{
    By, ChunkId, Correction, LexicalHit, LexicalQuery, LexicalResults, NearQuery, Nearest, NoteId,
    Store, TermGroup, Typed,
};

/// Candidates of both retrievers, and what tells a good match from a bad one.
pub(super) struct Retrieved {
    pub(super) candidates: Vec<Candidate>,
    pub(super) strength: Strength,
    /// Whether asking for more would find nothing else.
    pub(super) is_all: bool,
    /// What anything that was not found yet means at most; `None` where it may still hold words that were asked for.
    pub(super) unseen_meaning: Option<f32>,
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
    pub(super) corrections: Vec<Correction>,
}

impl Strength {
    /// Returns what stands in for words that no note says, by their numbers.
    pub(super) fn corrected_groups(&self) -> impl Iterator<Item = (usize, &TermGroup)> {
        let corrections = self.corrections.iter();
        corrections.map(|correction| (correction.number, &correction.group))
    }
}

/// Returns the candidates among the notes that a plan selects: the best `n_wanted` of each retriever.
/// `query` is the plan's own, or that with its corrections.
pub(super) fn retrieve(
    cx: &SearchContext<'_>,
    plan: &Plan<'_>,
    query: &Query,
    n_wanted: usize,
) -> Result<Retrieved> {
    let (mode, selection) = (plan.mode, &plan.selection);
    if plan.is_listing {
        return listed(cx.store, selection, n_wanted);
    }
    let asks_meaning = mode == Mode::Vector || mode == Mode::Hybrid && plan.is_known;
    let vector = match asks_meaning && !query.text.is_empty() {
        true => Some(embed(cx, &query.text)?),
        false => None,
    };
    let (nearest, mut words) = ask(cx, plan, query, vector.as_deref(), n_wanted)?;
    let mut strength = Strength {
        idf: std::mem::take(&mut words.idf),
        unsaid: words.unsaid,
        meaning: 0.0,
        corrections: std::mem::take(&mut words.corrections),
    };
    if mode == Mode::Vector {
        strength.corrections.clear();
    }
    let mut found = Candidates::with_capacity(2 * n_wanted);
    found.add_words(&words);
    if let Some(vector) = &vector {
        let calibration = cx.embedder.calibration();
        let meaning = |cosine| calibration.meaning(cosine, nearest.mean);
        let best = nearest.hits.first();
        strength.meaning = best.map_or(0.0, |best| meaning(best.cosine));
        found.add_meaning(&nearest);
        found.score_words(&words.also);
        found.compare(cx.store, vector)?;
        for candidate in &mut found.all {
            candidate.mean_similarity = nearest.mean;
            candidate.meaning = candidate.cosine.map_or(0.0, meaning);
        }
    }
    cx.budget.check()?;
    let are_words_all = mode == Mode::Vector || words.hits.len() < n_wanted;
    let last = nearest.hits.last().filter(|_| are_words_all);
    let calibration = cx.embedder.calibration();
    Ok(Retrieved {
        candidates: found.all,
        strength,
        is_all: are_words_all && (vector.is_none() || nearest.hits.len() < n_wanted),
        unseen_meaning: last.map(|last| calibration.meaning(last.cosine, nearest.mean)),
    })
}

/// Asks for what is near, if there is a vector, and for what holds the words.
fn ask(
    cx: &SearchContext<'_>,
    plan: &Plan<'_>,
    query: &Query,
    vector: Option<&[f32]>,
    n_wanted: usize,
) -> Result<(Nearest, LexicalResults)> {
    let selection = &plan.selection;
    // Where meaning alone is asked for, words say how far the notes answer, but find nothing.
    let n_by_words = match plan.mode {
        Mode::Vector => 0,
        _ => n_wanted,
    };
    let Some(vector) = vector else {
        let words = by_words(cx, selection, query, n_by_words, &[])?;
        return Ok((Nearest::default(), words));
    };
    if selection.reads_texts() {
        let nearest = by_meaning(cx.store, vector, selection, n_wanted)?;
        let also: Vec<ChunkId> = match plan.mode {
            Mode::Vector => Vec::new(),
            _ => nearest.hits.iter().map(|hit| hit.chunk).collect(),
        };
        let words = by_words(cx, selection, query, n_by_words, &also)?;
        return Ok((nearest, words));
    }
    let typed = spelling::typed(&query.words, &query.n_said);
    let asked = words_asked(cx, query, &typed, n_by_words);
    let near = NearQuery {
        vector,
        k: n_near(selection, n_wanted),
        n: n_wanted,
    };
    (cx.store).near_and_lexical(&near, &asked, selection.by_rows(), cx.budget)
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
                ..Candidate::new(chunk, note)
            });
        }
    }
    Ok(Retrieved {
        candidates,
        strength: Strength::default(),
        is_all: notes.len() <= n_wanted,
        unseen_meaning: None,
    })
}

fn listed_of(store: &Store, selection: &Selection<'_>, note: NoteId) -> Result<Vec<ChunkId>> {
    let chunks = store.chunks(By::Note(note))?;
    let mut ids = Vec::new();
    if selection.shows_tasks() {
        let row = store.note(note)?;
        for chunk in &chunks {
            if selection.is_shown_by(&row, chunk, &store.passage(chunk)?) {
                ids.push(chunk.id);
            }
        }
    }
    if ids.is_empty() {
        ids.extend(chunks.first().map(|chunk| chunk.id));
    }
    Ok(ids)
}

/// What was found so far, each chunk once.
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
    fn candidate(&mut self, chunk: ChunkId, note: NoteId) -> &mut Candidate {
        let place = *self.places.entry(chunk).or_insert_with(|| {
            self.all.push(Candidate::new(chunk, note));
            self.all.len() - 1
        });
        &mut self.all[place]
    }

    /// Adds what was found by words.
    fn add_words(&mut self, words: &LexicalResults) {
        let scores = words.hits.iter().map(|hit| hit.score);
        for (rank, hit) in ranks(scores).zip(&words.hits) {
            let candidate = self.candidate(hit.chunk, hit.note);
            candidate.lexical_rank = Some(rank);
            set_words(candidate, hit);
        }
    }

    /// Adds what was found by meaning.
    fn add_meaning(&mut self, nearest: &Nearest) {
        let cosines = nearest.hits.iter().map(|hit| hit.cosine);
        for (rank, hit) in ranks(cosines).zip(&nearest.hits) {
            let candidate = self.candidate(hit.chunk, hit.note);
            candidate.cosine = Some(hit.cosine);
            candidate.vector_rank = Some(rank);
        }
    }

    /// What words did not list still has a score with them.
    fn score_words(&mut self, also: &[LexicalHit]) {
        for hit in also {
            let candidate = self.candidate(hit.chunk, hit.note);
            if candidate.lexical_rank.is_none() {
                set_words(candidate, hit);
            }
        }
    }

    /// What meaning did not list still has a cosine, unless no vector was made of it yet.
    fn compare(&mut self, store: &Store, vector: &[f32]) -> Result<()> {
        let missing = self.all.iter().filter(|one| one.cosine.is_none());
        let missing: Vec<ChunkId> = missing.map(|one| one.chunk).collect();
        for (chunk, cosine) in store.cosines(vector, &missing)? {
            if let Some(&place) = self.places.get(&chunk) {
                self.all[place].cosine = Some(cosine);
            }
        }
        Ok(())
    }
}

fn set_words(candidate: &mut Candidate, hit: &LexicalHit) {
    candidate.lexical = hit.score;
    candidate.lexical_parts = hit.parts;
    candidate.beside = hit.beside;
}

/// How many times as many are asked for where texts decide which of them are wanted.
const MORE: usize = 4;
/// The same, where these were too few.
const MANY_MORE: usize = 16;

/// The best passages by words, and what others score. Where texts decide, they are read from the best
/// downwards, so that few are read.
fn by_words(
    cx: &SearchContext<'_>,
    selection: &Selection<'_>,
    query: &Query,
    n_wanted: usize,
    also: &[ChunkId],
) -> Result<LexicalResults> {
    let typed = spelling::typed(&query.words, &query.n_said);
    let mut limit = match selection.reads_texts() {
        true => n_wanted.saturating_mul(MORE),
        false => n_wanted,
    };
    loop {
        let asked = words_asked(cx, query, &typed, limit);
        let mut found = (cx.store).lexical(&asked, selection.by_rows(), also, cx.budget)?;
        if !selection.reads_texts() {
            return Ok(found);
        }
        let is_all = found.hits.len() < limit;
        keep_selected(&mut found.hits, |hit| hit.note, selection, n_wanted)?;
        if is_all || found.hits.len() >= n_wanted {
            return Ok(found);
        }
        limit = limit.saturating_mul(MANY_MORE);
    }
}

/// What is asked of the words: the best so many.
fn words_asked<'q>(
    cx: &SearchContext<'q>,
    query: &'q Query,
    typed: &'q [Typed],
    limit: usize,
) -> LexicalQuery<'q> {
    LexicalQuery {
        groups: &query.groups,
        typed,
        options: &cx.tuning.lexical,
        limit,
        per_note: cx.tuning.candidates_per_note,
    }
}

/// Returns how many of the nearest are asked for.
fn n_near(selection: &Selection<'_>, n_wanted: usize) -> usize {
    match selection.of_time().is_every() && !selection.reads_texts() {
        true => n_wanted,
        false => n_wanted.saturating_mul(MORE),
    }
}

/// The nearest passages, and what an unrelated one scores.
fn by_meaning(
    store: &Store,
    vector: &[f32],
    selection: &Selection<'_>,
    n_wanted: usize,
) -> Result<Nearest> {
    let within = selection.of_time();
    let mut nearest = store.nearest(vector, n_near(selection, n_wanted), &within)?;
    if selection.reads_texts() {
        keep_selected(&mut nearest.hits, |hit| hit.note, selection, n_wanted)?;
    }
    nearest.hits.truncate(n_wanted);
    Ok(nearest)
}

/// Keeps the first `n_wanted` that may be hits.
fn keep_selected<T>(
    hits: &mut Vec<T>,
    note_of: impl Fn(&T) -> NoteId,
    selection: &Selection<'_>,
    n_wanted: usize,
) -> Result<()> {
    let mut kept = Vec::new();
    for hit in hits.drain(..) {
        if kept.len() >= n_wanted {
            break;
        }
        if selection.has(note_of(&hit))? {
            kept.push(hit);
        }
    }
    *hits = kept;
    Ok(())
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

/// Embeds the question, refusing to compare it with vectors of another model.
fn embed(cx: &SearchContext<'_>, text: &str) -> Result<Vec<f32>> {
    let current = cx.embedder.id();
    let meta = cx.store.meta()?;
    match &meta.model {
        // The model was away when the index was made.
        Some(stored) if stored.dimensions == 0 => Err(Error::Model(EmbedError::Unavailable {
            model: stored.name.clone(),
            reason: "it has made no vectors of this index yet".to_owned(),
            hint: "run `ken index`".to_owned(),
        })),
        Some(stored) if !current.fits(stored) => Err(Error::ModelMismatch {
            stored: stored.clone(),
            current: current.clone(),
        }),
        _ => Ok(cx.embedder.embed_adapted(text, meta.adapter())?),
    }
}
