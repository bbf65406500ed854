//! Text to vectors: the trait every model keeps, the model inside the binary, and loading others.
//!
//! In the write flow this room stands between `chunk` and `store`; in the read flow it turns the
//! question into a vector. It holds no store, reads no vault and never touches the network.

mod accumulate;
mod adapter;
mod asset;
mod directory;
pub mod family;
mod rerank;
mod static_model;
mod tokens;
mod unicode;
mod wide;
mod wordpiece;

use std::ops::Range;
use std::path::{Path, PathBuf};

pub(crate) use accumulate::product;
pub use adapter::Adapter;
pub(crate) use adapter::OnTrial;
pub use directory::TokenTable;
pub use rerank::{PassageKey, ReadPassage, Reranked, Reranker};
pub use static_model::{StaticModel, embedded};
pub use tokens::TokenVectors;
pub(crate) use wide::WideRows;

/// Which model made a vector. Vectors of different models must never be compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelId {
    /// The name people know it by, such as `minishlab/potion-base-8M`.
    pub name: String,
    /// The published revision, or a hash of the content where there is none.
    pub revision: String,
    /// Floats per row; 0 as long as nobody knows.
    pub dimensions: usize,
}

impl std::fmt::Display for ModelId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let short = self.revision.get(..8).unwrap_or(&self.revision);
        match self.dimensions {
            0 => write!(f, "{} ({short})", self.name),
            n => write!(f, "{} ({short}, {n} dimensions)", self.name),
        }
    }
}

impl ModelId {
    /// Whether vectors of this model can be compared with those of an index. A model that was away when it
    /// was asked how long its rows are has no dimensions, and may still be the same.
    pub fn fits(&self, stored: &Self) -> bool {
        let is_same_length = self.dimensions == stored.dimensions || self.dimensions == 0;
        is_same_length && self.name == stored.name && self.revision == stored.revision
    }
}

/// Turns texts into vectors. Whatever ranking must know about a model is here, so that a model can be
/// added without touching it.
pub trait Embedder: Send + Sync {
    /// Returns which model this is.
    fn id(&self) -> &ModelId;

    /// Appends one L2-normalised row of `dimensions` floats per text.
    ///
    /// A text in which the model knows nothing gets the zero row, which is as far from every
    /// vector as from every other.
    fn embed_passages(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError>;

    /// Returns the row of a question; models that treat questions differently do so here.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// Does the same, adapted to a vault, where the adapter is one of this model.
    fn embed_adapted(&self, text: &str, adapter: Option<&Adapter>) -> Result<Vec<f32>, EmbedError> {
        match (adapter, self.token_vectors()) {
            (Some(adapter), Some(tokens)) if adapter.fits(self.id()) => {
                Ok(adapter.row(tokens, text))
            }
            _ => self.embed_query(text),
        }
    }

    /// Returns how many passages it is best asked for at once.
    fn batch_hint(&self) -> usize {
        usize::MAX
    }

    /// Whether it takes long, or may be away: notes are then stored without vectors first, and found by words.
    fn is_slow(&self) -> bool {
        false
    }

    /// Hands the rows of texts to `made` as they come, some neighbours at a time and in any order. What fails
    /// does not stop the others. It ends early when `made` returns false.
    fn embed_each(&self, texts: &[&str], made: &mut MadeFn<'_>) {
        let mut rows = Vec::new();
        let done = self.embed_passages(texts, &mut rows);
        made(0..texts.len(), done.map(|()| rows));
    }

    /// Returns what its similarities mean.
    fn calibration(&self) -> Calibration {
        Calibration::default()
    }

    /// Returns the vectors of single tokens, for models that have them.
    fn token_vectors(&self) -> Option<&dyn TokenVectors> {
        None
    }

    /// Does the same as [`Embedder::embed_passages`], and returns the tokens of each text, in order of their ids
    /// and each once; none for models without vectors for them.
    fn embed_with_tokens(
        &self,
        texts: &[&str],
        rows: &mut Vec<f32>,
    ) -> Result<Vec<Vec<u32>>, EmbedError> {
        self.embed_passages(texts, rows)?;
        let Some(model) = self.token_vectors() else {
            return Ok(vec![Vec::new(); texts.len()]);
        };
        let tokens = |text: &&str| {
            let mut tokens = Vec::new();
            model.tokens(text, &mut tokens);
            distinct(tokens)
        };
        Ok(texts.iter().map(tokens).collect())
    }

    /// Returns the model that reads the best passages again, where there is one.
    fn reranker(&self) -> Option<&dyn Reranker> {
        None
    }
}

/// Takes the rows of some texts, behind each other, by their places; returns whether to go on.
pub type MadeFn<'a> = dyn FnMut(Range<usize>, Result<Vec<f32>, EmbedError>) -> bool + 'a;

/// Whoever holds a model for good, such as the one inside the binary, may lend it.
impl<T: Embedder + ?Sized> Embedder for &T {
    fn id(&self) -> &ModelId {
        (**self).id()
    }

    fn embed_passages(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError> {
        (**self).embed_passages(texts, rows)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        (**self).embed_query(text)
    }

    fn batch_hint(&self) -> usize {
        (**self).batch_hint()
    }

    fn is_slow(&self) -> bool {
        (**self).is_slow()
    }

    fn embed_each(&self, texts: &[&str], made: &mut MadeFn<'_>) {
        (**self).embed_each(texts, made);
    }

    fn calibration(&self) -> Calibration {
        (**self).calibration()
    }

    fn token_vectors(&self) -> Option<&dyn TokenVectors> {
        (**self).token_vectors()
    }

    fn embed_with_tokens(
        &self,
        texts: &[&str],
        rows: &mut Vec<f32>,
    ) -> Result<Vec<Vec<u32>>, EmbedError> {
        (**self).embed_with_tokens(texts, rows)
    }

    fn reranker(&self) -> Option<&dyn Reranker> {
        (**self).reranker()
    }
}

/// What the similarities of a model mean. Every threshold that was fitted to one model is here; the
/// default is that of the model inside the binary. What an unrelated passage scores is measured in
/// each vault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Where a passage lies that says the same in other words, between an unrelated one, 0, and an
    /// equal one, 1.
    pub near: f32,
    /// Most of the nearest passage's cosine that an unrelated one has: in a vault of one topic the mean of all
    /// passages is not what an unrelated one would have.
    pub unrelated_max: f32,
    /// Share of a text's letters that the model must know to be asked for its meaning.
    pub known_share_min: f32,
    /// How like an unrelated passage is to a word that it does not hold, by token vectors.
    pub token_unrelated: f32,
    /// How like a passage must be to a word to say it by another one.
    pub token_same: f32,
    /// How like a passage must be to the words of a question, taken together, to be about it.
    pub tokens_near: f32,
}

impl Calibration {
    /// What a passage that says the same in other words has of meaning, whatever the model.
    pub const NEAR: f32 = 0.5;

    /// Returns how near in meaning a cosine is, on the same scale for every model: 0 for an unrelated
    /// passage, whose cosine is `unrelated`, and [`Calibration::NEAR`] for one that says the same.
    pub fn meaning(&self, cosine: f32, unrelated: f32) -> f32 {
        let above = (cosine - unrelated) / (1.0 - unrelated).max(f32::EPSILON);
        above.max(0.0) * (Self::NEAR / self.near)
    }

    /// Returns how like a passage is to a word that it does not hold, where the model has no vectors for
    /// tokens: what says the same as the question says its words by others.
    pub(crate) fn token_likeness(&self, meaning: f32) -> f32 {
        let same = self.token_same - self.token_unrelated;
        (self.token_unrelated + meaning / Self::NEAR * same).clamp(0.0, 1.0)
    }
}

impl Default for Calibration {
    fn default() -> Self {
        Self {
            near: Self::NEAR,
            unrelated_max: 0.5,
            known_share_min: 0.5,
            token_unrelated: 0.4,
            token_same: 0.7,
            tokens_near: 0.5,
        }
    }
}

/// Passages as the index keeps them.
pub(crate) struct Embedded {
    /// One row for each, behind each other.
    pub(crate) rows: Vec<f32>,
    /// The tokens of each, in order and once; empty for models without vectors for them.
    pub(crate) tokens: Vec<Vec<u32>>,
}

/// Embeds passages for the index.
pub(crate) fn passages(embedder: &dyn Embedder, texts: &[&str]) -> Result<Embedded, EmbedError> {
    let mut rows = Vec::with_capacity(texts.len() * embedder.id().dimensions);
    let mut tokens = Vec::with_capacity(texts.len());
    for batch in texts.chunks(embedder.batch_hint().max(1)) {
        tokens.extend(embedder.embed_with_tokens(batch, &mut rows)?);
    }
    Ok(Embedded { rows, tokens })
}

/// Brings tokens in order of their ids, each once.
fn distinct(mut tokens: Vec<u32>) -> Vec<u32> {
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// Returns one row for each text, behind each other, asking for as many at once as the model likes best.
pub(crate) fn rows(embedder: &dyn Embedder, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
    let mut rows = Vec::with_capacity(texts.len() * embedder.id().dimensions);
    for batch in texts.chunks(embedder.batch_hint().max(1)) {
        embedder.embed_passages(batch, &mut rows)?;
    }
    Ok(rows)
}

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// There is no such file or directory.
    #[error("there is no model at {}", path.display())]
    ModelMissing {
        /// What was looked for.
        path: PathBuf,
    },
    /// A file of the model is damaged or cannot be read.
    #[error("cannot read the model file {}: {reason}", path.display())]
    ModelUnreadable {
        /// The file at fault.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The model runs elsewhere, and does not answer.
    #[error("the model {model} does not answer: {reason}")]
    Unavailable {
        /// What it is called.
        model: String,
        /// What was tried and what happened.
        reason: String,
        /// What helps.
        hint: String,
    },
    /// The model is sound, but asks for something Kenning does not do.
    #[error("{}: {what} is not supported", path.display())]
    Unsupported {
        /// The file that asks for it.
        path: PathBuf,
        /// What it asks for.
        what: String,
    },
}

impl EmbedError {
    /// Returns what helps, where the model itself knows.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Unavailable { hint, .. } => Some(hint),
            _ => None,
        }
    }
}

/// Reads a model from a Model2Vec directory or from a file in Kenning's own format.
pub fn load(path: &Path) -> Result<StaticModel, EmbedError> {
    StaticModel::load(path)
}

/// Brings a row to signed bytes; multiplied by the scale, they are the row again, nearly.
///
/// The largest component becomes 127, so nothing is clipped. The zero row has scale 0.
pub fn quantise(row: &[f32]) -> (f32, Vec<i8>) {
    let largest = row
        .iter()
        .fold(0.0f32, |largest, component| largest.max(component.abs()));
    let scale = largest / 127.0;
    if scale == 0.0 {
        return (0.0, vec![0; row.len()]);
    }
    let bytes = row
        .iter()
        .map(|component| (component / scale).round_ties_even() as i8);
    (scale, bytes.collect())
}

/// Brings a row to length 1; the zero row stays as it is.
///
/// The squares are added in eight lanes, in an order that does not depend on the processor.
fn normalise(row: &mut [f32]) {
    let mut lanes = [0.0f32; 8];
    for eight in row.chunks(lanes.len()) {
        for (lane, component) in lanes.iter_mut().zip(eight) {
            *lane += component * component;
        }
    }
    let length = lanes.iter().sum::<f32>().sqrt();
    if length > 0.0 {
        row.iter_mut().for_each(|component| *component /= length);
    }
}

/// A toy for tests: texts that share words are near each other, and nothing else is meant by it.
///
/// Each lower-cased word adds 1 to or takes 1 from four dimensions chosen by its hash. The same
/// text gives the same row on every machine and in every release.
pub struct HashEmbedder {
    id: ModelId,
}

impl HashEmbedder {
    /// Makes an embedder with rows of this many floats.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn new(dimensions: usize) -> Self {
        assert!(dimensions > 0, "a row needs at least one dimension");
        let (name, revision) = ("hash".to_owned(), "1".to_owned());
        Self {
            id: ModelId {
                name,
                revision,
                dimensions,
            },
        }
    }
}

impl Embedder for HashEmbedder {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn embed_passages(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError> {
        for text in texts {
            let start = rows.len();
            rows.resize(start + self.id.dimensions, 0.0);
            let row = &mut rows[start..];
            let lower = text.to_lowercase();
            for word in lower
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
            {
                let mut hash = word.bytes().fold(asset::SEED_START, asset::hash_byte);
                for _ in 0..4 {
                    hash = asset::hash_byte(hash ^ hash >> 32, 1);
                    let at = (hash >> 8) % row.len() as u64;
                    row[at as usize] += if hash >> 7 & 1 == 1 { 1.0 } else { -1.0 };
                }
            }
            normalise(row);
        }
        Ok(())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut row = Vec::with_capacity(self.id.dimensions);
        self.embed_passages(&[text], &mut row)?;
        Ok(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meaning_is_on_the_same_scale_for_every_model() {
        let crowded = Calibration {
            near: 0.8,
            ..Calibration::default()
        };
        for calibration in [Calibration::default(), crowded] {
            let unrelated = 0.4;
            let same = unrelated + calibration.near * (1.0 - unrelated);
            assert_eq!(calibration.meaning(unrelated, unrelated), 0.0);
            assert_eq!(calibration.meaning(0.1, unrelated), 0.0);
            let near = calibration.meaning(same, unrelated);
            assert!((near - Calibration::NEAR).abs() < 1e-6, "{near}");
            assert_eq!(calibration.token_likeness(0.0), calibration.token_unrelated);
            let likeness = calibration.token_likeness(Calibration::NEAR);
            assert!(
                (likeness - calibration.token_same).abs() < 1e-6,
                "{likeness}"
            );
            assert_eq!(calibration.token_likeness(2.0), 1.0);
        }
    }

    #[test]
    fn a_model_is_asked_for_as_much_as_it_likes_at_once() {
        struct Small(HashEmbedder);
        impl Embedder for Small {
            fn id(&self) -> &ModelId {
                self.0.id()
            }
            fn embed_passages(
                &self,
                texts: &[&str],
                rows: &mut Vec<f32>,
            ) -> Result<(), EmbedError> {
                assert!(texts.len() <= self.batch_hint());
                self.0.embed_passages(texts, rows)
            }
            fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
                self.0.embed_query(text)
            }
            fn batch_hint(&self) -> usize {
                2
            }
        }
        let (small, whole) = (Small(HashEmbedder::new(16)), HashEmbedder::new(16));
        let texts = ["a", "b c", "d", "e", "f"];
        let (small, whole) = (passages(&small, &texts), passages(&whole, &texts));
        let (small, whole) = (small.unwrap(), whole.unwrap());
        assert_eq!((small.rows, small.tokens.len()), (whole.rows, texts.len()));
    }
}
