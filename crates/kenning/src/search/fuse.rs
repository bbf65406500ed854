//! Candidates of two retrievers into one ranking. Pure.

use super::Mode;
use super::candidate::Candidate;
use super::tuning::Fusion;
use crate::store::NoteId;

/// A candidate with the score of both retrievers together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fused {
    /// What each of them says.
    pub(super) candidate: Candidate,
    /// Meaning score, 0 to 1.
    pub(super) vector: f32,
    /// Score of both together, 0 to 1.
    pub(super) blended: f32,
    /// What being of the time that was asked for adds.
    pub(super) period: f32,
}

impl Fused {
    /// Makes a candidate without a score, as it is before fusion.
    pub(super) fn unscored(candidate: Candidate) -> Self {
        Self {
            candidate,
            vector: 0.0,
            blended: 0.0,
            period: 0.0,
        }
    }

    /// Returns what it is ranked by until it is reranked.
    pub(super) fn score(&self) -> f32 {
        self.blended + self.period
    }
}

/// Scores the candidates for the given mode.
pub(super) fn fuse(candidates: Vec<Candidate>, mode: Mode, fusion: Fusion) -> Vec<Fused> {
    let mut fused: Vec<Fused> = candidates.into_iter().map(Fused::unscored).collect();
    match (mode, fusion) {
        (Mode::Lexical, _) => {
            for fused in &mut fused {
                fused.blended = fused.candidate.lexical;
            }
        }
        (Mode::Vector, _) => blend(&mut fused, 1.0),
        (Mode::Hybrid, Fusion::Blend { vector }) => blend(&mut fused, vector),
        (
            Mode::Hybrid,
            Fusion::Rrf {
                k,
                lexical,
                vector,
                missing_rank,
            },
        ) => {
            let most = (lexical + vector) / (k + 1.0);
            let is_meant = is_meant(&fused);
            for Fused {
                candidate, blended, ..
            } in &mut fused
            {
                let by_words = candidate.lexical_rank;
                let by_meaning = match candidate.is_judged_by_words(is_meant) {
                    true => by_words,
                    false => candidate.vector_rank,
                };
                let ranks = [(by_words, lexical), (by_meaning, vector)];
                *blended = reciprocal_rank(&ranks, k, missing_rank) / most;
            }
        }
    }
    fused
}

/// Whether meaning was asked for at all.
fn is_meant(fused: &[Fused]) -> bool {
    fused.iter().any(|fused| fused.candidate.cosine.is_some())
}

/// Lifts what is of the time that was asked for by a share of the best score. Words, meaning and ranks
/// each have a scale of their own.
pub(super) fn lift(fused: &mut [Fused], share: f32, is_of_time: impl Fn(NoteId) -> bool) {
    let lift = share * fused.iter().map(Fused::score).fold(0.0, f32::max);
    for fused in fused {
        if is_of_time(fused.candidate.note) {
            fused.period = lift;
        }
    }
}

/// Returns `Σ weight / (k + rank)` over the lists that have the candidate.
pub(super) fn reciprocal_rank(ranks: &[(Option<u32>, f32)], k: f32, missing: Option<u32>) -> f32 {
    ranks
        .iter()
        .filter_map(|&(rank, weight)| Some(weight / (k + rank.or(missing)? as f32)))
        // The sum of nothing is -0.
        .fold(0.0, |sum, share| sum + share)
}

/// Adds the word score and the cosine, each measured from nothing to the best.
///
/// Cosines have no natural zero: unrelated passages still share a language. What an unrelated
/// passage scores is taken as zero instead.
fn blend(fused: &mut [Fused], vector_share: f32) {
    let best = fused
        .iter()
        .filter_map(|fused| fused.candidate.cosine)
        .fold(0f32, f32::max);
    let is_meant = is_meant(fused);
    for Fused {
        candidate,
        vector,
        blended,
        ..
    } in fused
    {
        let above = |cosine: f32| cosine - candidate.mean_similarity;
        *vector = match candidate.cosine {
            Some(cosine) if above(best) > f32::EPSILON => (above(cosine) / above(best)).max(0.0),
            None if candidate.is_judged_by_words(is_meant) => candidate.lexical,
            _ => 0.0,
        };
        *blended = (1.0 - vector_share) * candidate.lexical + vector_share * *vector;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_is_not_less_than_nothing() {
        let nothing = super::reciprocal_rank(&[(None, 1.0)], 60.0, None);
        assert!(nothing == 0.0 && nothing.is_sign_positive());
    }

    use super::*;
    use crate::search::tuning::RRF;
    use crate::store::ChunkId;

    fn candidate(number: i64) -> Candidate {
        let (chunk, note) = ChunkId::of_test(number);
        Candidate::new(chunk, note)
    }

    #[test]
    fn the_worked_example_of_reciprocal_ranks() {
        let bm25 = [Some(3), Some(1), Some(7), Some(2), None];
        let vector = [Some(1), Some(8), Some(2), Some(12), Some(3)];
        let expected = [0.0323, 0.0311, 0.0310, 0.0300, 0.0159];
        for ((&a, b), expected) in bm25.iter().zip(vector).zip(expected) {
            let fused = reciprocal_rank(&[(a, 1.0), (b, 1.0)], 60.0, None);
            // The third is .03105, which the example rounds down.
            assert!((fused - expected).abs() < 6e-5, "{fused} is not {expected}");
        }
    }

    #[test]
    fn rrf_is_shown_from_zero_to_one() {
        let mut first = candidate(1);
        (first.lexical_rank, first.vector_rank) = (Some(1), Some(1));
        let fused = fuse(vec![first], Mode::Hybrid, RRF);
        assert!((fused[0].score() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_order_of_candidates_does_not_matter() {
        let scored = |id: i64, lexical: f32, cosine: f32| Candidate {
            lexical,
            cosine: Some(cosine),
            mean_similarity: 0.1,
            ..candidate(id)
        };
        let list = vec![
            scored(1, 1.0, 0.2),
            scored(2, 0.4, 0.9),
            scored(3, 0.0, 0.1),
        ];
        let reversed: Vec<_> = list.iter().rev().cloned().collect();
        let blend = Fusion::Blend { vector: 0.25 };
        let mut backwards = fuse(reversed, Mode::Hybrid, blend);
        backwards.reverse();
        assert_eq!(fuse(list, Mode::Hybrid, blend), backwards);
    }

    #[test]
    fn without_a_vector_words_alone_count() {
        let scored = |id: i64, lexical: f32, cosine: Option<f32>| Candidate {
            lexical,
            cosine,
            lexical_rank: Some(id as u32),
            vector_rank: cosine.map(|_| id as u32),
            ..candidate(id)
        };
        for fusion in [Fusion::Blend { vector: 0.25 }, RRF] {
            let list = vec![scored(1, 0.9, None), scored(2, 0.8, Some(0.7))];
            let fused = fuse(list, Mode::Hybrid, fusion);
            assert!(fused[0].score() >= fused[1].score(), "{fused:?}");
            // Where nothing was compared, nothing is made up.
            let list = vec![scored(1, 0.9, None)];
            let before = fuse(list, Mode::Hybrid, fusion)[0].score();
            assert!(before < 0.9, "{before}");
        }
    }
}
