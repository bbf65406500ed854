//! Candidates of two retrievers into one ranking. Pure.

use super::Mode;
use super::decay::Decayed;
use super::graph::Terms;
use super::rerank::Features;
use super::tuning::{Fusion, Tuning};
use crate::store::{Beside, ChunkId, NoteId};

/// A chunk that at least one retriever named.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The chunk.
    pub chunk: ChunkId,
    /// Its note.
    pub note: NoteId,
    /// Word score, 0 to 1.
    pub lexical: f32,
    /// The shares of its note and of itself that the word score is made of.
    pub lexical_parts: (f32, f32),
    /// Words it has beside those of its text.
    pub beside: Beside,
    /// 1-based rank by words.
    pub lexical_rank: Option<u32>,
    /// Cosine with the question.
    pub cosine: Option<f32>,
    /// 1-based rank by meaning.
    pub vector_rank: Option<u32>,
    /// Cosine of an unrelated chunk.
    pub background: f32,
    /// How near in meaning it is, on the scale that all models share.
    pub meaning: f32,
    /// Meaning score, 0 to 1.
    pub vector: f32,
    /// Score of both retrievers together, 0 to 1.
    pub fused: f32,
    /// What being of the time that was asked for adds.
    pub period: f32,
    /// What the closer look found.
    pub look: Option<Features>,
    /// What it may score at most, being a stub beside a note that explains.
    pub stub_most: Option<f32>,
    /// Whether it does not show what its note was let through for.
    pub is_unshown: bool,
    /// What age did.
    pub decay: Option<Decayed>,
    /// What links did.
    pub graph: Option<Terms>,
    /// What it may score at most, standing below others.
    pub most: Option<f32>,
    /// What it is ranked by.
    pub score: f32,
}

impl Candidate {
    /// Makes a candidate that nobody has scored yet.
    pub fn new(chunk: ChunkId, note: NoteId) -> Self {
        Self {
            chunk,
            note,
            lexical: 0.0,
            lexical_parts: (0.0, 0.0),
            beside: Beside::default(),
            lexical_rank: None,
            cosine: None,
            vector_rank: None,
            background: 0.0,
            meaning: 0.0,
            vector: 0.0,
            fused: 0.0,
            period: 0.0,
            look: None,
            stub_most: None,
            is_unshown: false,
            decay: None,
            graph: None,
            most: None,
            score: 0.0,
        }
    }

    /// Whether its words stand for its meaning, too: others were compared with the question, but no vector
    /// was made of it yet.
    fn is_judged_by_words(&self, is_meant: bool) -> bool {
        is_meant && self.cosine.is_none()
    }
}

/// Whether meaning was asked for at all.
fn is_meant(candidates: &[Candidate]) -> bool {
    candidates
        .iter()
        .any(|candidate| candidate.cosine.is_some())
}

/// Scores the candidates for the given mode.
pub fn fuse(mut candidates: Vec<Candidate>, mode: Mode, tuning: &Tuning) -> Vec<Candidate> {
    match (mode, tuning.fusion) {
        (Mode::Lexical, _) => candidates.iter_mut().for_each(|c| c.score = c.lexical),
        (Mode::Vector, _) => blend(&mut candidates, 1.0),
        (Mode::Hybrid, Fusion::Blend { vector }) => blend(&mut candidates, vector),
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
            let is_meant = is_meant(&candidates);
            for candidate in &mut candidates {
                let by_words = candidate.lexical_rank;
                let by_meaning = match candidate.is_judged_by_words(is_meant) {
                    true => by_words,
                    false => candidate.vector_rank,
                };
                let ranks = [(by_words, lexical), (by_meaning, vector)];
                candidate.score = reciprocal_rank(&ranks, k, missing_rank) / most;
            }
        }
    }
    for candidate in &mut candidates {
        candidate.fused = candidate.score;
    }
    candidates
}

/// Returns `Σ weight / (k + rank)` over the lists that have the candidate.
pub fn reciprocal_rank(ranks: &[(Option<u32>, f32)], k: f32, missing: Option<u32>) -> f32 {
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
fn blend(candidates: &mut [Candidate], vector_share: f32) {
    let best = candidates
        .iter()
        .filter_map(|candidate| candidate.cosine)
        .fold(0f32, f32::max);
    let is_meant = is_meant(candidates);
    for candidate in candidates {
        let above = |cosine: f32| cosine - candidate.background;
        let vector = match candidate.cosine {
            Some(cosine) if above(best) > f32::EPSILON => (above(cosine) / above(best)).max(0.0),
            None if candidate.is_judged_by_words(is_meant) => candidate.lexical,
            _ => 0.0,
        };
        candidate.vector = vector;
        candidate.score = (1.0 - vector_share) * candidate.lexical + vector_share * vector;
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
        let tuning = Tuning {
            fusion: super::super::tuning::RRF,
            ..Tuning::default()
        };
        let mut first = candidate(1);
        (first.lexical_rank, first.vector_rank) = (Some(1), Some(1));
        let fused = fuse(vec![first], Mode::Hybrid, &tuning);
        assert!((fused[0].score - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_order_of_candidates_does_not_matter() {
        let scored = |id: i64, lexical: f32, cosine: f32| Candidate {
            lexical,
            cosine: Some(cosine),
            background: 0.1,
            ..candidate(id)
        };
        let list = vec![
            scored(1, 1.0, 0.2),
            scored(2, 0.4, 0.9),
            scored(3, 0.0, 0.1),
        ];
        let reversed: Vec<_> = list.iter().rev().cloned().collect();
        let mut backwards = fuse(reversed, Mode::Hybrid, &Tuning::default());
        backwards.reverse();
        assert_eq!(fuse(list, Mode::Hybrid, &Tuning::default()), backwards);
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
        let rrf = Tuning {
            fusion: super::super::tuning::RRF,
            ..Tuning::default()
        };
        for tuning in [Tuning::default(), rrf] {
            let list = vec![scored(1, 0.9, None), scored(2, 0.8, Some(0.7))];
            let fused = fuse(list, Mode::Hybrid, &tuning);
            assert!(fused[0].score >= fused[1].score, "{fused:?}");
            // Where nothing was compared, nothing is made up.
            let list = vec![scored(1, 0.9, None)];
            let before = fuse(list, Mode::Hybrid, &tuning)[0].score;
            assert!(before < 0.9, "{before}");
        }
    }
}
