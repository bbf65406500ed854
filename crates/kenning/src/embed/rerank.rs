//! A second, slower model that reads the best passages of a search again.
//!
//! The first model answers from the first second on. What the second one makes of passages is kept in the
//! index, or made while somebody waits, as far as there is time.

use std::sync::Arc;

use super::{Calibration, EmbedError, Embedder, MadeFn, ModelId, TokenVectors};

/// Judges how well passages answer a question.
pub trait Reranker: Send + Sync {
    /// Returns which model this is.
    fn id(&self) -> &ModelId;

    /// Returns its share in the scores of these passages, 0 to 1: less where it does not know their language.
    fn share(&self, passages: &[ReadPassage]) -> f32;

    /// Returns how many passages it is asked about at most, the best ones.
    fn n_passages(&self) -> usize;

    /// Whether it goes by vectors of passages, which the index keeps for it.
    fn uses_vectors(&self) -> bool;

    /// Returns how well each passage answers. Only order and distances mean something. Those that there
    /// was no time for have none.
    fn judge(
        &self,
        question: &str,
        passages: &[ReadPassage],
    ) -> Result<Vec<Option<f32>>, EmbedError>;

    /// Returns the model that makes vectors of passages, for one that goes by them: they can be made ahead.
    fn maker(&self) -> Option<Result<Arc<dyn Embedder>, EmbedError>> {
        None
    }

    /// Returns the vectors that were made for questions since the last time, to be written down.
    fn take_made(&self) -> Vec<(PassageKey, Vec<f32>)> {
        Vec::new()
    }

    /// Returns the passages that questions lacked a vector of since the last time, the most wanted first.
    fn take_missed(&self) -> Vec<PassageKey> {
        Vec::new()
    }
}

/// A passage that is read again.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadPassage {
    /// What is embedded of it.
    pub text: String,
    /// Tells the same text for the same model again.
    pub key: PassageKey,
    /// What the index has of it.
    pub vector: Option<Vec<f32>>,
}

/// A digest of a model and a text: a vector is used again wherever the same text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PassageKey(pub [u8; 16]);

impl PassageKey {
    /// Returns the key of what a model makes of a text.
    pub fn of(model: &ModelId, text: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(model.revision.as_bytes());
        hasher.update(&[0]);
        hasher.update(text.as_bytes());
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(key)
    }
}

/// A model with another one that reads again what it found. The index is that of the first.
pub struct Reranked {
    model: Arc<dyn Embedder>,
    reranker: Arc<dyn Reranker>,
}

impl Reranked {
    /// Joins two models.
    pub fn new(model: Arc<dyn Embedder>, reranker: Arc<dyn Reranker>) -> Self {
        Self { model, reranker }
    }
}

impl Embedder for Reranked {
    fn id(&self) -> &ModelId {
        self.model.id()
    }

    fn embed_passages(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError> {
        self.model.embed_passages(texts, rows)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.model.embed_query(text)
    }

    fn batch_hint(&self) -> usize {
        self.model.batch_hint()
    }

    fn is_slow(&self) -> bool {
        self.model.is_slow()
    }

    fn embed_each(&self, texts: &[&str], made: &mut MadeFn<'_>) {
        self.model.embed_each(texts, made);
    }

    fn calibration(&self) -> Calibration {
        self.model.calibration()
    }

    fn token_vectors(&self) -> Option<&dyn TokenVectors> {
        self.model.token_vectors()
    }

    fn embed_with_tokens(
        &self,
        texts: &[&str],
        rows: &mut Vec<f32>,
    ) -> Result<Vec<Vec<u32>>, EmbedError> {
        self.model.embed_with_tokens(texts, rows)
    }

    fn reranker(&self) -> Option<&dyn Reranker> {
        Some(&*self.reranker)
    }
}
