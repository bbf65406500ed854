//! Every ranking constant, with its meaning and where the value comes from.

use super::decay::Decay;
use super::links::Weights;
use super::signals::{SignalId, SignalWeights};
use crate::embed::Calibration;
use crate::store::{FieldWeights, LexicalOptions};
use crate::words::Language;

/// Confidence from which evidence is strong, moderate and weak.
pub(super) const CONFIDENCE_STRONG: f32 = 0.85;
pub(super) const CONFIDENCE_MODERATE: f32 = 0.5;
pub(super) const CONFIDENCE_WEAK: f32 = 0.05;
/// What coverage, nearness, likeness of words and meaning add to the logarithm of the odds that a
/// passage answers, and what they must outweigh. Fitted to the ten collections, each asked what another
/// answers, and four vaults (docs/benchmarks.md).
pub(super) const CONFIDENCE_WEIGHTS: [f32; 4] = [6.5, 1.0, 3.5, 5.5];
pub(super) const CONFIDENCE_BIAS: f32 = 6.1;
/// The same where no note says the rarest word of the question, and the passage nothing like it.
pub(super) const CONFIDENCE_UNHEARD_OF: f32 = 0.6;
/// The same where a passage neither says what was asked for of something, such as a birthday, nor has it.
pub(super) const CONFIDENCE_LACKING: f32 = 2.5;
/// What is to be outweighed beside that, for each unit of the rarity of a word that no note says: the more
/// notes there are, the likelier one holds some of the words by chance.
pub(super) const CONFIDENCE_BY_CHANCE: f32 = 0.23;
/// Meaning where it was not asked for: of a passage with none of the words, and what all of them add.
pub(super) const MEANING_OF_NONE: f32 = 0.05;
pub(super) const MEANING_OF_WORDS: f32 = 0.3;
/// Meaning below which it is not evidence by itself; half of what a passage has that says the same.
pub(super) const MEANING_WEAK: f32 = Calibration::NEAR / 2.0;

/// What a note of the time that a question names is lifted by, as a share of the best score.
pub(super) const PERIOD_LIFT: f32 = 0.15;
/// The same for a time without beginning or end: no word of the question speaks for it any more, so that
/// it counts for more than meaning does among notes that are alike by words.
pub(super) const BOUND_LIFT: f32 = 0.3;

/// How both retrievers become one list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fusion {
    /// Adds normalised scores; the better by every measurement in docs/benchmarks.md.
    Blend {
        /// Share of the vector score.
        vector: f32,
    },
    /// Adds reciprocal ranks: `Σ weight / (k + rank)`.
    Rrf {
        /// Flattens the difference between ranks.
        k: f32,
        /// Weight of the lexical list.
        lexical: f32,
        /// Weight of the vector list.
        vector: f32,
        /// Rank given to what a list does not have; `None` adds nothing for it.
        missing_rank: Option<u32>,
    },
}

/// What a passage keeps of its score at least, however often it repeats what was asked for.
pub(super) const STUFFED_MIN: f32 = 0.25;

/// What a passage loses of its score that holds the words only in text that many notes repeat.
pub(super) const REPEATED_LOSS: f32 = 0.6;

/// How rare a word must be, measured by the rarest of the query, to tell what it is about.
pub(super) const TELLING_SHARE: f32 = 0.5;

/// Share of the query's words, by rarity, whose parts tell what a passage is about.
pub(super) const COMPOUND_TELLING: f32 = 0.3;

/// How much more word pieces count where words are joined.
const JOINED_SIMILARITY: f32 = 5.0 / 3.0;

/// How the best candidates are reranked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rerank {
    /// What each signal adds.
    pub weights: SignalWeights,
    /// Candidates that are reranked.
    pub n_reranked: usize,
}

impl Rerank {
    /// Returns the same for notes in the given languages, commonest first.
    ///
    /// Where words are joined ("Mietvertrag"), their parts tell more, and word pieces with them; where
    /// they are not, a part of a word is mostly another word. Measured on German only.
    pub(crate) fn for_languages(&self, languages: &[(Language, u64)]) -> Self {
        let n_all: u64 = languages.iter().map(|(_, n)| n).sum();
        let joining = languages
            .iter()
            .filter(|(language, _)| language.joins_words());
        let n_joining: u64 = joining.map(|(_, n)| n).sum();
        let mut weights = self.weights;
        if n_joining * 2 > n_all {
            let similarity = weights.get(SignalId::Similarity) * JOINED_SIMILARITY;
            weights.set(SignalId::Similarity, similarity);
        } else {
            weights.set(SignalId::Compound, 0.0);
        }
        Self { weights, ..*self }
    }
}

impl Default for Rerank {
    fn default() -> Self {
        Self {
            weights: SignalWeights::default(),
            n_reranked: 50,
        }
    }
}

/// How to rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// BM25 and its field weights.
    pub lexical: LexicalOptions,
    /// Chunks taken from each retriever.
    pub candidates: usize,
    /// Chunks of one note among them.
    pub candidates_per_note: usize,
    /// How they are joined.
    pub fusion: Fusion,
    /// Whether what was typed, a name or a question, moves the share of meaning.
    pub leans: bool,
    /// How the best of them are reranked; hybrid `blend` only.
    pub rerank: Rerank,
    /// How notes age.
    pub decay: Decay,
    /// How links count; `None` leaves them out.
    pub graph: Option<Weights>,
}

impl Tuning {
    /// Returns the tuning as it suits the languages of the notes. Where the model does not know the
    /// script of a question, what it says of it is noise, and has no share in the score.
    pub(super) fn suited(&self, languages: &[(Language, u64)], is_known: bool) -> Self {
        let mut suited = self.clone();
        suited.rerank = self.rerank.for_languages(languages);
        if !is_known {
            suited.rerank.weights.set(SignalId::Similarity, 0.0);
            if let Fusion::Blend { vector } = &mut suited.fusion {
                *vector = 0.0;
            }
        }
        suited
    }
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            lexical: LexicalOptions {
                k1: 1.2,
                b: 0.75,
                k3: 1.0,
                weights: FieldWeights {
                    text: 1.0,
                    file_name: 2.0,
                    title: 2.0,
                    aliases: 2.0,
                    tags: 1.0,
                    area: 0.5,
                    summary: 1.0,
                    properties: 1.0,
                    section: 0.5,
                    compound: 0.4,
                    context: 0.5,
                },
                note_share: 0.5,
                forgiving_words_max: 5,
            },
            candidates: 200,
            candidates_per_note: 3,
            fusion: Fusion::Blend { vector: 0.25 },
            leans: true,
            rerank: Rerank::default(),
            decay: Decay::default(),
            graph: None,
        }
    }
}

/// Reciprocal rank fusion as it is usually set up.
pub const RRF: Fusion = Fusion::Rrf {
    k: 60.0,
    lexical: 1.0,
    vector: 1.0,
    missing_rank: None,
};
