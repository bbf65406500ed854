//! The passage that answers: who asks for a name, a day or an amount is shown a passage that has one,
//! beside the one that says most of the words.

use std::sync::Arc;

use super::maxsim::MaxSim;
use super::promise;
use super::ranked::{Promise, Ranked};
use super::retrieve::Strength;
use super::{Query, SearchContext, list};
use crate::error::Result;
use crate::question::{Question, Sought};
use crate::store::{By, ChunkId, ChunkRow, NoteId};

/// Notes that are searched for the passage that answers.
const NOTES_MAX: usize = 3;
/// Passages of a note that are read for it.
const PASSAGES_MAX: usize = 40;

/// Lets the second passage of each of the first notes be one that has what the question asks for,
/// if there is one.
pub(super) fn keep_answers(
    cx: &SearchContext<'_>,
    query: &Query,
    strength: &Strength,
    ranking: &mut Vec<Ranked>,
) -> Result<()> {
    let sought = Question::of(&query.text).sought;
    if !sought.is_told_by_form() {
        return Ok(());
    }
    for note in first_notes(ranking) {
        let usual = list::usual(ranking);
        let places: Vec<usize> = (usual.into_iter())
            .filter(|&place| ranking[place].note.id == note)
            .collect();
        for &place in &places {
            ranking[place].read_text(cx.store)?;
        }
        let has = |place: usize| {
            let ranked = &ranking[place];
            sought.is_in(ranked.passage(), ranked.note.language)
        };
        // Where to: in the place of the second passage; without one, only the best note gets one.
        let place = match places[..] {
            [_, second] if !has(second) => second,
            [first] if !has(first) && first == 0 => first + 1,
            _ => continue,
        };
        if let Some(answer) = answering(cx, query, strength, sought, ranking, places[0])? {
            promise::promote(ranking, answer, Some(place), Promise::Answer);
        }
    }
    Ok(())
}

/// The first notes that hold a telling word of the question, or were called by name.
fn first_notes(ranking: &[Ranked]) -> Vec<NoteId> {
    let mut notes = Vec::new();
    for ranked in ranking.iter().take(list::USUAL_LENGTH) {
        let is_telling = (ranked.features).is_none_or(|features| features.is_telling);
        if is_telling && notes.len() < NOTES_MAX && !notes.contains(&ranked.note.id) {
            notes.push(ranked.note.id);
        }
    }
    notes
}

/// The passage of a note that has what is sought, and is the most like the question. It is taken out
/// of the order if it is there.
fn answering(
    cx: &SearchContext<'_>,
    query: &Query,
    strength: &Strength,
    sought: Sought,
    ranking: &mut Vec<Ranked>,
    first: usize,
) -> Result<Option<Ranked>> {
    let Ranked { note, chunk, .. } = &ranking[first];
    let (language, shown) = (note.language, chunk.id);
    let mut ids: Vec<ChunkId> = Vec::new();
    let chunks = cx.store.chunks(By::Note(note.id))?;
    for chunk in chunks.iter().take(PASSAGES_MAX) {
        if chunk.id != shown && sought.is_in(&cx.store.passage(chunk)?, language) {
            ids.push(chunk.id);
        }
    }
    let chunks = cx.store.chunks(By::Ids(&ids))?;
    let Some(best) = most_like(cx, query, strength, &chunks) else {
        return Ok(None);
    };
    let chunk = Arc::clone(&chunks[best]);
    if let Some(place) = ranking
        .iter()
        .position(|ranked| ranked.chunk.id == chunk.id)
    {
        return Ok(Some(ranking.remove(place)));
    }
    Ranked::unscored(cx.store, chunk).map(Some)
}

/// Returns which passage is the most like the question, word by word; the first among equals.
fn most_like(
    cx: &SearchContext<'_>,
    query: &Query,
    strength: &Strength,
    chunks: &[Arc<ChunkRow>],
) -> Option<usize> {
    let Some(model) = cx.embedder.token_vectors() else {
        return (!chunks.is_empty()).then_some(0);
    };
    let words = query.words.iter().map(String::as_str);
    let similar = MaxSim::new(model, words.zip(strength.idf.iter().copied()));
    let pieces: Vec<Vec<u32>> = chunks
        .iter()
        .map(|chunk| {
            let mut pieces = Vec::new();
            chunk.pieces(&mut pieces);
            pieces
        })
        .collect();
    let passages: Vec<&[u32]> = pieces.iter().map(Vec::as_slice).collect();
    let scores = similar.scores(&passages);
    let tokens_near = cx.embedder.calibration().tokens_near;
    (0..chunks.len())
        .filter(|&place| scores[place] >= tokens_near)
        .max_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)))
}
