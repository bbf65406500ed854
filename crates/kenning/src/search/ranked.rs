//! A candidate among the best, with its rows at hand and what each stage of the ranking found.

use std::cmp::Ordering;
use std::sync::Arc;

use super::candidate::Candidate;
use super::decay::Decayed;
use super::features::Features;
use super::fuse::Fused;
use super::links::Terms;
use crate::error::Result;
use crate::store::{ChunkRow, NoteRow, Store};

/// Why a passage stands where it does, whatever its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Promise {
    /// Its note was called by name.
    Name,
    /// Its note has a tag that was named.
    Tag,
    /// It holds every word, and is the best by words.
    Words,
    /// It has what the question asks for: a name, a day, an amount.
    Answer,
}

/// What came of reading a passage again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reread {
    /// What the model said.
    pub(super) judgement: f32,
    /// What that added to the score.
    pub(super) added: f32,
}

/// A candidate on its way to the list of hits. Each stage adds its own findings, from which the score
/// can be explained.
#[derive(Clone)]
pub(super) struct Ranked {
    /// What both retrievers said.
    pub(super) fused: Fused,
    pub(super) chunk: Arc<ChunkRow>,
    pub(super) note: Arc<NoteRow>,
    /// The passage, once it is needed.
    pub(super) text: Option<String>,
    /// What reranking saw; nothing below the best candidates.
    pub(super) features: Option<Features>,
    /// What it may score at most, being a stub beside a note that explains.
    pub(super) stub_most: Option<f32>,
    /// What a slower model made of it.
    pub(super) reread: Option<Reread>,
    /// Whether it does not show what its note was let through for.
    pub(super) is_unshown: bool,
    /// What age did.
    pub(super) decay: Option<Decayed>,
    /// What links did.
    pub(super) links: Option<Terms>,
    /// What it may score at most, standing below others.
    pub(super) most: Option<f32>,
    /// What it is ranked by so far.
    pub(super) score: f32,
    pub(super) promise: Option<Promise>,
    /// Other notes that have the same passage.
    pub(super) also_in: Vec<String>,
}

impl Ranked {
    pub(super) fn new(fused: Fused, chunk: Arc<ChunkRow>, note: Arc<NoteRow>) -> Self {
        Self {
            score: fused.score(),
            fused,
            chunk,
            note,
            text: None,
            features: None,
            stub_most: None,
            reread: None,
            is_unshown: false,
            decay: None,
            links: None,
            most: None,
            promise: None,
            also_in: Vec::new(),
        }
    }

    /// Reads the note of a candidate.
    pub(super) fn open(store: &Store, fused: Fused, chunk: Arc<ChunkRow>) -> Result<Self> {
        let note = store.note(chunk.note)?;
        Ok(Self::new(fused, chunk, note))
    }

    /// Reads the note of a chunk that no retriever named.
    pub(super) fn unscored(store: &Store, chunk: Arc<ChunkRow>) -> Result<Self> {
        let candidate = Candidate::new(chunk.id, chunk.note);
        Self::open(store, Fused::unscored(candidate), chunk)
    }

    /// Returns what the retrievers said of it.
    pub(super) fn candidate(&self) -> &Candidate {
        &self.fused.candidate
    }

    /// Whether its note was called by name.
    pub(super) fn is_pinned(&self) -> bool {
        self.promise == Some(Promise::Name)
    }

    /// Returns the passage.
    pub(super) fn passage(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Reads the passage, unless it is there.
    pub(super) fn read_text(&mut self, store: &Store) -> Result<()> {
        if self.text.is_none() {
            self.text = Some(store.passage(&self.chunk)?);
        }
        Ok(())
    }

    /// Shows another passage of the same note.
    pub(super) fn show(&mut self, chunk: Arc<ChunkRow>, text: Option<String>) {
        self.fused.candidate.chunk = chunk.id;
        self.chunk = chunk;
        self.text = text;
    }
}

/// Best first; ties by path, then by line.
pub(super) fn by_score_and_place(a: &Ranked, b: &Ranked) -> Ordering {
    (b.score.total_cmp(&a.score))
        .then_with(|| a.note.path.cmp(&b.note.path))
        .then_with(|| a.chunk.start_line.cmp(&b.chunk.start_line))
}
