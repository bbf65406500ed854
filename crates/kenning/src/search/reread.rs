//! The best passages are read again by a slower model, where there is one, and its judgement is joined with
//! their scores.
//!
//! A passage that there was no time for keeps its score. Judgements are brought to the level and the spread
//! of the scores of the same passages first, so that who was judged is neither better nor worse for it.

use super::SearchContext;
use super::ranked::{Ranked, Reread};
use crate::chunk::Context;
use crate::embed::{PassageKey, ReadPassage, Reranker};
use crate::error::Result;

/// Fewer judgements than this have no level.
const JUDGED_MIN: usize = 3;
/// What meaning by the first model loses of its weight for each unit of the second one's share: both say the same,
/// and the second says it better (docs/benchmarks.md).
const FIRST_LOSS: f32 = 0.25;

/// Reads the best passages again; returns what went wrong, if the model could not be asked.
pub(super) fn reread(
    cx: &SearchContext<'_>,
    best: &mut [Ranked],
    question: &str,
) -> Result<Option<String>> {
    let Some(reranker) = cx.embedder.reranker() else {
        return Ok(None);
    };
    let mut order: Vec<usize> = (0..best.len()).collect();
    order.sort_by(|&a, &b| super::ranked::by_score_and_place(&best[a], &best[b]));
    order.truncate(reranker.n_passages());
    let passages = passages(cx, best, &order, reranker)?;
    let judgements = match reranker.judge(question, &passages) {
        Ok(judgements) => judgements,
        Err(error) => {
            return Ok(Some(format!(
                "{error}; the order is that of the first model"
            )));
        }
    };
    let judged: Vec<(usize, f32)> = (order.into_iter().zip(judgements))
        .filter_map(|(place, judgement)| Some((place, judgement?)))
        .collect();
    if judged.len() >= JUDGED_MIN {
        let share = damped(reranker.share(&passages), judged.len(), passages.len());
        join(best, &judged, share);
    }
    Ok(None)
}

/// Returns what is read of passages, with what the index has of it.
fn passages(
    cx: &SearchContext<'_>,
    best: &mut [Ranked],
    order: &[usize],
    reranker: &dyn Reranker,
) -> Result<Vec<ReadPassage>> {
    let mut passages = Vec::with_capacity(order.len());
    for &place in order {
        let ranked = &mut best[place];
        ranked.read_text(cx.store)?;
        let note = &ranked.note;
        let context = Context {
            title: &note.title,
            headings: &note.headings,
            tags: &note.tags,
            summary: note.summary.as_deref(),
        };
        let text = context.text(ranked.chunk.heading, ranked.passage());
        passages.push(ReadPassage {
            key: PassageKey::of(reranker.id(), &text),
            text,
            vector: None,
        });
    }
    if reranker.uses_vectors() {
        let keys: Vec<PassageKey> = passages.iter().map(|passage| passage.key).collect();
        let vectors = cx.store.text_vectors(&keys)?;
        for (passage, vector) in passages.iter_mut().zip(vectors) {
            passage.vector = vector;
        }
    }
    Ok(passages)
}

/// Returns the share of a model that judged only some: level and spread of a few are guesses, so that it counts for less
/// (docs/benchmarks.md).
fn damped(share: f32, n_judged: usize, n_asked: usize) -> f32 {
    share * (n_judged as f32 / n_asked as f32).sqrt()
}

/// Moves the score of each passage that was judged towards its judgement.
fn join(best: &mut [Ranked], judged: &[(usize, f32)], share: f32) {
    let (score_mean, score_spread) = spread(judged.iter().map(|&(place, _)| best[place].score));
    let (mean, own_spread) = spread(judged.iter().map(|&(_, judgement)| judgement));
    if own_spread <= f32::EPSILON {
        return;
    }
    let (first_mean, _) = spread(judged.iter().map(|&(place, _)| best[place].fused.vector));
    for &(place, judgement) in judged {
        let ranked = &mut best[place];
        let level = score_mean + (judgement - mean) / own_spread * score_spread;
        // Measured from their mean, so that all together lose nothing by having been read.
        let first = share * FIRST_LOSS * (ranked.fused.vector - first_mean);
        // A score lies between 0 and 1, whatever a model says.
        let moved = (1.0 - share) * (ranked.score - first) + share * level.clamp(0.0, 1.0);
        let moved = moved.clamp(0.0, 1.0);
        ranked.reread = Some(Reread {
            judgement,
            added: moved - ranked.score,
        });
        ranked.score = moved;
    }
}

/// Returns mean and standard deviation.
fn spread(values: impl Iterator<Item = f32> + Clone) -> (f32, f32) {
    let n = values.clone().count().max(1) as f32;
    let mean = values.clone().sum::<f32>() / n;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f32>() / n;
    (mean, variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewer_were_judged_the_less_it_counts() {
        assert_eq!(damped(0.4, 30, 30), 0.4);
        assert_eq!(damped(0.4, 3, 12), 0.2);
    }
}
