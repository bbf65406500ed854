//! Reranks the best candidates: what one score per passage cannot tell is read off their words and names
//! and added to their scores.

use rustc_hash::FxHashMap;

use super::features::{self, FeatureReader, NameFeatures, Names};
use super::maxsim::MaxSim;
use super::ranked::Ranked;
use super::repeat::Repeated;
use super::retrieve::Strength;
use super::signals::{self, SignalId, SignalWeights};
use super::tuning::{Fusion, Tuning};
use super::{Mode, Query, SearchContext};
use crate::chunk;
use crate::error::Result;
use crate::store::{ChunkId, ChunkRow, NoteId, NoteRow};

/// Whether the best candidates are reranked.
pub(super) fn is_used(tuning: &Tuning, mode: Mode) -> bool {
    mode == Mode::Hybrid && matches!(tuning.fusion, Fusion::Blend { .. })
}

/// Whether the texts of the passages are read for it: parts of words are.
pub(super) fn reads_texts(tuning: &Tuning) -> bool {
    tuning.rerank.weights.get(SignalId::Compound) > 0.0
}

/// Adds what the features of each passage tell to its score. `pieces` are those of the same passages.
pub(super) fn rerank(
    cx: &SearchContext<'_>,
    best: &mut [Ranked],
    pieces: &Pieces,
    query: &Query,
    strength: &Strength,
) -> Result<()> {
    let cosines = similar_words(cx, best.len(), pieces, query, strength);
    let mut reader = FeatureReader::new(query, &strength.idf);
    let repeated = Repeated::find(cx.store, best)?;
    let mut of_notes: FxHashMap<NoteId, NameFeatures> = FxHashMap::default();
    let chunks: Vec<ChunkId> = best.iter().map(|ranked| ranked.chunk.id).collect();
    let positions = cx.store.positions(&query.groups, &chunks)?;
    for ((ranked, positions), cosine) in best.iter_mut().zip(&positions).zip(cosines) {
        let note = &ranked.note;
        let crumbs = chunk::breadcrumb(&note.title, &note.headings, ranked.chunk.heading);
        let names = names(note);
        let of_note = (of_notes.entry(note.id)).or_insert_with(|| reader.names(&names));
        let passage = features::Passage {
            positions,
            headings: &crumbs[1..],
            beside: ranked.candidate().beside,
            text: (ranked.text.as_deref()).filter(|_| reads_texts(cx.tuning)),
            repeated: repeated.of(ranked).collect(),
        };
        ranked.features = Some(reader.features(&passage, &names, of_note, cosine));
    }
    add_signals(best, &cx.tuning.rerank.weights);
    cap_stubs(best);
    Ok(())
}

/// Returns how like the words of each passage are to those of the query, where that is measured.
fn similar_words(
    cx: &SearchContext<'_>,
    n_passages: usize,
    pieces: &Pieces,
    query: &Query,
    strength: &Strength,
) -> Vec<Option<f32>> {
    let is_measured = cx.tuning.rerank.weights.get(SignalId::Similarity) > 0.0;
    let Some(model) = cx.embedder.token_vectors().filter(|_| is_measured) else {
        return vec![None; n_passages];
    };
    let words = query.words.iter().map(String::as_str);
    let similar = MaxSim::new(model, words.zip(strength.idf.iter().copied()));
    let scores = similar.scores(&pieces.passages());
    scores.into_iter().map(Some).collect()
}

/// Adds up the signals, by their weights.
fn add_signals(best: &mut [Ranked], weights: &SignalWeights) {
    let features = (best.iter_mut()).filter_map(|ranked| ranked.features.as_mut());
    let mut values: Vec<_> = features.map(|features| &mut features.signals).collect();
    signals::scale(&mut values);
    for ranked in best {
        if let Some(features) = &ranked.features {
            let added = weights.weighted(&features.signals);
            ranked.score = features.kept() * (ranked.score + added) / (1.0 + weights.most());
        }
    }
}

/// Returns the score of a candidate that was not reranked: as if nothing had been seen.
pub(super) fn unseen_score(score: f32, tuning: &Tuning, mode: Mode) -> f32 {
    match is_used(tuning, mode) {
        true => score / (1.0 + tuning.rerank.weights.most()),
        false => score,
    }
}

/// Other words that a passage must have to explain something.
const EXPLAINING_WORDS_MIN: u32 = 40;
/// What a score is multiplied by to be just below another one.
const BELOW: f32 = 0.999;

/// A stub does not beat a note that holds all of what was asked for and explains it.
fn cap_stubs(best: &mut [Ranked]) {
    let explaining = best.iter().filter_map(|ranked| {
        let features = ranked.features?;
        let is_deep = features.n_others >= EXPLAINING_WORDS_MIN && !features.is_stub;
        (is_deep && features.coverage > 0.999).then_some(ranked.score)
    });
    let Some(most) = explaining.max_by(f32::total_cmp) else {
        return;
    };
    for ranked in best {
        let is_stub = ranked.features.is_some_and(|features| features.is_stub);
        if is_stub && ranked.score >= most {
            // Just below: among equals, paths would decide.
            ranked.stub_most = Some(most * BELOW);
            ranked.score = most * BELOW;
        }
    }
}

/// Returns what a note is called: by itself and by others.
pub(super) fn names(note: &NoteRow) -> Names<'_> {
    let title = note.title.as_str();
    let file_name = note.file_name().filter(|name| *name != title);
    let aliases = note.aliases.iter().map(String::as_str);
    let own = std::iter::once(title).chain(file_name).chain(aliases);
    Names {
        own: own.collect(),
        anchor_texts: &note.anchor_texts,
        tags: &note.tags,
        n_neighbours: note.n_neighbours,
        language: note.language,
    }
}

/// As many word pieces as most passages have, each counted once.
const PIECES_OF_PASSAGE: usize = 128;

/// The word pieces of passages, one behind the other.
pub(super) struct Pieces {
    all: Vec<u32>,
    ends: Vec<usize>,
}

impl Pieces {
    pub(super) fn with_capacity(n_passages: usize) -> Self {
        Self {
            all: Vec::with_capacity(n_passages * PIECES_OF_PASSAGE),
            ends: Vec::with_capacity(n_passages),
        }
    }

    pub(super) fn push(&mut self, chunk: &ChunkRow) {
        chunk.pieces(&mut self.all);
        self.ends.push(self.all.len());
    }

    fn passages(&self) -> Vec<&[u32]> {
        let mut start = 0;
        let mut next = |&end: &usize| &self.all[std::mem::replace(&mut start, end)..end];
        self.ends.iter().map(&mut next).collect()
    }
}
