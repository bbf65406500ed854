//! The stages of the ranking that move what was reranked: age, links, names that were called.

use std::sync::Arc;

use jiff::civil::Date;

use super::decay::{self, Aging, Decay};
use super::fuse::Fused;
use super::plan::Plan;
use super::ranked::{Promise, Ranked};
use super::rerank::Pieces;
use super::tuning::Tuning;
use super::{links, rerank};
use crate::error::Result;
use crate::store::{By, ChunkId, Name, NoteId, Store};

/// All candidates after fusion, and which of them follow the best.
pub(super) struct Rest {
    /// All of them.
    pub(super) fused: Vec<Fused>,
    /// Indexes of those below the best, in their order.
    pub(super) order: Vec<usize>,
}

impl Rest {
    fn iter(&self) -> impl Iterator<Item = &Fused> {
        self.order.iter().map(|&index| &self.fused[index])
    }
}

/// Opens the best candidates, each with the word pieces of its passage; the others follow them.
pub(super) fn open_best(
    store: &Store,
    fused: Vec<Fused>,
    plan: &Plan<'_>,
) -> Result<(Vec<Ranked>, Pieces, Rest)> {
    let tuning = &plan.tuning;
    let mut order = sorted(&fused);
    let n_best = tuning.rerank.n_reranked.min(fused.len());
    settle(store, &fused, &mut order, n_best)?;
    let rest = order.split_off(n_best);
    let reads_texts = plan.selection.shows_texts()
        || rerank::is_used(tuning, plan.mode) && rerank::reads_texts(tuning);
    let ids: Vec<ChunkId> = (order.iter())
        .map(|&index| fused[index].candidate.chunk)
        .collect();
    let chunks = store.chunks(By::Ids(&ids))?;
    let ids: Vec<NoteId> = chunks.iter().map(|chunk| chunk.note).collect();
    let notes = store.notes(&ids)?;
    let mut best = Vec::with_capacity(order.len());
    let mut pieces = Pieces::with_capacity(order.len());
    for ((&index, chunk), note) in order.iter().zip(&chunks).zip(notes) {
        pieces.push(chunk);
        let mut ranked = Ranked::new(fused[index].clone(), Arc::clone(chunk), note);
        if reads_texts {
            ranked.read_text(store)?;
        }
        best.push(ranked);
    }
    Ok((best, pieces, Rest { fused, order: rest }))
}

/// Returns the indexes of candidates by score. They are large: most are never moved at all.
pub(super) fn sorted(fused: &[Fused]) -> Vec<usize> {
    let mut order: Vec<(f32, ChunkId, usize)> = (fused.iter().enumerate())
        .map(|(index, fused)| (fused.score(), fused.candidate.chunk, index))
        .collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.into_iter().map(|(_, _, index)| index).collect()
}

/// Where some of equal score are among the best and others are not, path and line decide: ids tell only in
/// which order notes were indexed.
fn settle(store: &Store, fused: &[Fused], order: &mut [usize], n_best: usize) -> Result<()> {
    let score = |index: usize| fused[index].score();
    let Some(&first_below) = order.get(n_best).filter(|_| n_best > 0) else {
        return Ok(());
    };
    let equal = score(first_below);
    let start = order.partition_point(|&index| score(index) > equal);
    let end = order.partition_point(|&index| score(index) >= equal);
    if start == n_best {
        return Ok(());
    }
    let mut group = Vec::with_capacity(end - start);
    for &index in &order[start..end] {
        let chunk = store.chunk(fused[index].candidate.chunk)?;
        group.push((store.note(chunk.note)?, chunk.start_line, index));
    }
    group.sort_by(|a, b| (&a.0.path, a.1).cmp(&(&b.0.path, b.1)));
    let settled = group.into_iter().map(|(_, _, index)| index);
    for (index, settled) in order[start..end].iter_mut().zip(settled) {
        *index = settled;
    }
    Ok(())
}

/// Lets notes age by the domain's rule. Where links count, they add what being recent is worth.
pub(super) fn age(best: &mut [Ranked], today: Date, rule: &Decay, do_links_count: bool) {
    let dated: Vec<decay::Dated<'_>> = best
        .iter()
        .map(|ranked| decay::Dated {
            score: ranked.score,
            author: ranked.note.author.as_deref(),
            kind: ranked.note.kind.as_deref(),
            path: &ranked.note.path,
            date: ranked.note.day(),
            modified: ranked.note.modified_day(),
            is_evergreen: ranked.note.is_evergreen,
            is_superseded: ranked.note.superseded_by.is_some(),
        })
        .collect();
    let decayed = decay::weigh(&dated, today, rule);
    for (ranked, mut decayed) in best.iter_mut().zip(decayed) {
        if do_links_count {
            decayed.boost = 0.0;
        }
        ranked.score = decayed.score(ranked.score);
        ranked.decay = Some(decayed);
    }
}

/// Returns how links count, if they do and there are enough of them around the candidates.
pub(super) fn link_weights(best: &[Ranked], tuning: &Tuning) -> Option<links::Weights> {
    let mut weights = tuning.graph?;
    if let Aging::RankedGrouped(grouped) = &tuning.decay.mode {
        weights.recent = grouped.recency_boost_amount;
        weights.recent_days = grouped.recency_boost_days;
    }
    let linked: Vec<links::Linked<'_>> = best
        .iter()
        .map(|ranked| links::Linked {
            key: crate::note::path_key(&ranked.note.path),
            n_edges: ranked.note.n_neighbours,
            links_to: &ranked.note.links_to,
        })
        .collect();
    (links::edges_around(&linked) >= weights.edges_min).then_some(weights)
}

/// Lifts notes that links vouch for.
pub(super) fn follow_links(best: &mut [Ranked], today: Date, weights: &links::Weights) {
    for ranked in best {
        let note = &ranked.note;
        let known = links::Known {
            score: ranked.score,
            pagerank: note.pagerank,
            centrality: note.centrality,
            // Being recent does not make up for being replaced.
            modified: note.modified_day().filter(|_| note.superseded_by.is_none()),
        };
        let terms = links::terms(&known, today, weights);
        ranked.score = terms.total();
        ranked.links = Some(terms);
    }
}

/// Puts the best chunk of each note that was called by name in front.
pub(super) fn pin(
    store: &Store,
    best: &mut Vec<Ranked>,
    rest: &Rest,
    plan: &Plan<'_>,
    named: &[NoteId],
) -> Result<()> {
    let mut pinned = Vec::with_capacity(named.len());
    for &note in named {
        pinned.extend(best_of(store, best, rest, note)?);
    }
    open_named(store, &mut pinned, plan)?;
    best.retain(|ranked| (pinned.iter()).all(|pinned| pinned.chunk.id != ranked.chunk.id));
    best.splice(..0, pinned);
    Ok(())
}

/// Returns the best chunk of a note, its first if none is a candidate.
fn best_of(store: &Store, best: &[Ranked], rest: &Rest, note: NoteId) -> Result<Option<Ranked>> {
    let is_of_note = |fused: &&Fused| fused.candidate.note == note;
    let ranked = if let Some(ranked) = best.iter().find(|ranked| ranked.note.id == note) {
        ranked.clone()
    } else if let Some(fused) = rest.iter().find(is_of_note) {
        let chunk = store.chunk(fused.candidate.chunk)?;
        Ranked::open(store, fused.clone(), chunk)?
    } else if let Some(chunk) = store.chunks(By::Note(note))?.into_iter().next() {
        Ranked::unscored(store, chunk)?
    } else {
        return Ok(None);
    };
    Ok(Some(Ranked {
        score: 1.0,
        promise: Some(Promise::Name),
        ..ranked
    }))
}

/// Shows the opening of a note that all of the query is the name of, unless a filter asks for
/// something in its text.
fn open_named(store: &Store, pinned: &mut [Ranked], plan: &Plan<'_>) -> Result<()> {
    if pinned.is_empty() || plan.selection.reads_texts() {
        return Ok(());
    }
    let named = store.resolve(Name::Key(&plan.query.name_key))?;
    for ranked in pinned {
        let is_named = named.iter().any(|named| named.note == ranked.note.id);
        let opening = match is_named {
            true => store.chunks(By::Note(ranked.note.id))?.into_iter().next(),
            false => None,
        };
        if let Some(opening) = opening.filter(|opening| opening.id != ranked.chunk.id) {
            ranked.show(opening, None);
        }
    }
    Ok(())
}
