//! What a searcher returns: what the engine says, and what was asked. Interfaces make of it what they
//! send.

use std::path::PathBuf;
use std::sync::Arc;

use kenning::ask::Extracted;
use kenning::embed::ModelId;
use kenning::index::{Coverage, Report};
use kenning::search::decay::Decay;
use kenning::search::{Answer, Mode};
use kenning::store::{NoteFacts, NoteRow, Status};
use kenning::traverse::{Comparison, Traversal};

/// The answer to a search.
#[derive(Debug)]
pub(crate) struct Answered {
    /// What was asked, credentials masked.
    pub(crate) query: String,
    pub(crate) mode: Mode,
    pub(crate) is_explained: bool,
    pub(crate) took_ms: f64,
    /// Seconds since the index was known to be what the vault says.
    pub(crate) index_age_s: Option<i64>,
    /// Name of the vault's folder, as Obsidian calls the vault.
    pub(crate) vault: String,
    pub(crate) answer: Answer,
}

/// The answer to a question, in the words of the notes.
#[derive(Debug)]
pub(crate) struct Asked {
    /// What was asked, credentials masked.
    pub(crate) question: String,
    pub(crate) is_deep: bool,
    pub(crate) took_ms: f64,
    /// Seconds since the index was known to be what the vault says.
    pub(crate) index_age_s: Option<i64>,
    pub(crate) extracted: Extracted,
}

/// A walk from one note.
pub(crate) struct Walk {
    pub(crate) note: Arc<NoteRow>,
    pub(crate) query: Option<String>,
    pub(crate) is_deep: bool,
    pub(crate) decay: Decay,
    pub(crate) took_ms: f64,
    pub(crate) walked: Walked,
}

/// What was walked: as asked, or a narrow walk beside a wide one.
pub(crate) enum Walked {
    Once(Traversal),
    Compared(Box<Comparison>),
}

/// A page of the list of notes.
pub(crate) struct NotesPage {
    /// How many notes meet the conditions, on this page or not.
    pub(crate) n_notes: usize,
    pub(crate) offset: usize,
    pub(crate) notes: Vec<NoteFacts>,
}

/// The index as a whole.
pub(crate) struct Indexed {
    pub(crate) status: Status,
    pub(crate) vault: Option<PathBuf>,
    pub(crate) store: PathBuf,
    pub(crate) n_bytes: u64,
    /// Seconds since the index was known to be what the vault says.
    pub(crate) age_s: Option<i64>,
    /// Whether questions are adapted to the words of the notes.
    pub(crate) is_adapted: bool,
    /// The model that reads again by vectors, and how far those are.
    pub(crate) reread: Option<(ModelId, Coverage)>,
    /// What is not as it should be, and what to do about it.
    pub(crate) notices: Vec<String>,
}

/// What bringing an index up to date did.
pub(crate) struct Updated {
    pub(crate) report: Report,
    pub(crate) seconds: f64,
    pub(crate) notices: Vec<String>,
}
