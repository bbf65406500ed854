//! How well the notes answer: from the words that are there and from meaning, never from a rank.

use super::rank::Ranked;
use super::retrieve::Strength;
use super::{Query, tuning};

/// How well the notes answer the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// The notes do not say.
    None,
    /// Something near it.
    Weak,
    /// Much of what was asked for.
    Moderate,
    /// All of what was asked for, or the very note that was named.
    Strong,
}

impl Evidence {
    /// Returns the name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Weak => "weak",
            Self::Moderate => "moderate",
            Self::Strong => "strong",
        }
    }
}

/// Returns how far a cosine lies above the vault's noise floor, 1 being equal to the question.
pub(super) fn above_floor(cosine: f32, floor: f32) -> f32 {
    ((cosine - floor) / (1.0 - floor).max(f32::EPSILON)).max(0.0)
}

/// What the grade is made of, each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Signals {
    /// Share of the query's words, by rarity, in the best passage.
    pub(super) coverage: f32,
    /// Share of them that stand together.
    pub(super) proximity: f32,
    /// Likeness of single words.
    pub(super) words: f32,
    /// Likeness of the passage as a whole, above what an unrelated one has.
    pub(super) meaning: f32,
}

impl Signals {
    /// Takes the best of the passages that are judged.
    pub(super) fn of(ranked: &[&Ranked], query: &Query, strength: &Strength) -> Self {
        let looks = || ranked.iter().filter_map(|ranked| ranked.candidate.look);
        let best = |signal: fn(&super::rerank::Features) -> f32| {
            looks().map(|look| signal(&look)).fold(0f32, f32::max)
        };
        let meaning = strength
            .cosine
            .map_or(0.0, |(best, floor)| above_floor(best, floor));
        let mut signals = Self {
            coverage: best(|look| look.coverage),
            proximity: best(|look| look.proximity),
            words: best(|look| look.cosine),
            meaning,
        };
        if looks().next().is_none() {
            let covered = ranked
                .iter()
                .map(|r| super::coverage(r, query, &strength.idf));
            signals.coverage = covered.fold(0f32, f32::max);
            signals.proximity = signals.coverage;
            signals.words = signals.coverage;
        }
        signals
    }

    /// Returns one figure from 0 to 1. The weights were chosen by how well the figure tells a
    /// collection's own questions from those of another (docs/benchmarks.md).
    pub(super) fn confidence(&self) -> f32 {
        let sum = 0.5 * self.coverage + 0.5 * self.proximity + 2.0 * self.words + self.meaning;
        (sum / 4.0).clamp(0.0, 1.0)
    }

    /// Returns the grade.
    pub(super) fn grade(&self) -> Evidence {
        let Self {
            coverage, meaning, ..
        } = *self;
        match () {
            () if coverage >= tuning::COVERAGE_STRONG => Evidence::Strong,
            () if coverage >= tuning::COVERAGE_MODERATE
                || meaning >= tuning::SIMILARITY_MODERATE =>
            {
                Evidence::Moderate
            }
            () if coverage > 0.0 || meaning >= tuning::SIMILARITY_WEAK => Evidence::Weak,
            () => Evidence::None,
        }
    }
}
