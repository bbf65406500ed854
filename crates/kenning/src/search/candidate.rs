//! What the retrievers say of a chunk, before anything is made of it. Pure.

use crate::store::{Beside, ChunkId, NoteId};

/// A chunk that at least one retriever named.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    /// The chunk.
    pub(super) chunk: ChunkId,
    /// Its note.
    pub(super) note: NoteId,
    /// Word score, 0 to 1.
    pub(super) lexical: f32,
    /// The shares of its note and of itself that the word score is made of.
    pub(super) lexical_parts: (f32, f32),
    /// Words it has beside those of its text.
    pub(super) beside: Beside,
    /// 1-based rank by words.
    pub(super) lexical_rank: Option<u32>,
    /// Cosine with the question.
    pub(super) cosine: Option<f32>,
    /// 1-based rank by meaning.
    pub(super) vector_rank: Option<u32>,
    /// The mean similarity: the cosine of an unrelated chunk.
    pub(super) mean_similarity: f32,
    /// How near in meaning it is, on the scale that all models share.
    pub(super) meaning: f32,
}

impl Candidate {
    /// Makes a candidate that no retriever has scored yet.
    pub(super) fn new(chunk: ChunkId, note: NoteId) -> Self {
        Self {
            chunk,
            note,
            lexical: 0.0,
            lexical_parts: (0.0, 0.0),
            beside: Beside::default(),
            lexical_rank: None,
            cosine: None,
            vector_rank: None,
            mean_similarity: 0.0,
            meaning: 0.0,
        }
    }

    /// Whether its words stand for its meaning, too: others were compared with the question, but no vector
    /// was made of it yet.
    pub(super) fn is_judged_by_words(&self, is_meant: bool) -> bool {
        is_meant && self.cosine.is_none()
    }
}
