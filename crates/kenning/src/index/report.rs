//! What a run did, and what is to be said of an index as it is.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;

use super::gone::{self, Withheld};
use super::pictures;
use crate::embed::ModelId;
use crate::error::Result;
use crate::store::Store;
use crate::vault::Skipped;

/// The number of notes that a first build is to take, as long as it is not done.
pub(super) const UNFINISHED: &str = "unfinished";

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Notes that are read and stored.
    Notes,
    /// Files whose pictures are read.
    Pictures,
    /// Passages that a model elsewhere makes vectors of.
    Vectors,
}

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is counted.
    pub stage: Stage,
    /// How many are done.
    pub n_done: usize,
    /// How many there are to do.
    pub n_total: usize,
    /// Bytes of text done.
    pub n_bytes: u64,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Notes that are new.
    pub n_added: usize,
    /// Notes whose text changed.
    pub n_changed: usize,
    /// Notes that are gone.
    pub n_removed: usize,
    /// Notes that moved: counted here and not as added and removed.
    pub n_renamed: usize,
    /// Notes left as they were.
    pub n_unchanged: usize,
    /// Notes that others took meanwhile, who index the same vault into the same place.
    pub n_by_others: usize,
    /// Chunks written.
    pub n_chunks: usize,
    /// Files whose pictures were read.
    pub n_pictures: usize,
    /// Files with pictures that wait to be read.
    pub unread: BTreeSet<String>,
    /// Vectors that a model elsewhere made.
    pub n_vectors: usize,
    /// Passages that have no vector yet: they are found by their words only.
    pub n_without_vector: usize,
    /// Notes that no vector could be made of, and why.
    pub unembedded: Vec<Skipped>,
    /// What helps against that.
    pub vector_hint: Option<String>,
    /// Bytes of text read.
    pub n_bytes: u64,
    /// Files that could not be taken.
    pub skipped: Vec<Skipped>,
    /// Notes with something that could not be understood: path, line, message.
    pub warnings: Vec<(String, u32, String)>,
    /// Credentials masked: path, line, pattern.
    pub masked: Vec<(String, u32, Cow<'static, str>)>,
    /// Why everything was made anew.
    pub rebuilt: Option<Rebuild>,
    /// Whether the run was stopped before it was done.
    pub is_stopped: bool,
    /// Notes that were found.
    pub n_found: usize,
    /// Notes that were not looked at because the run was stopped.
    pub n_left: usize,
    /// Whether a run that was stopped left the index as it was before.
    pub is_undone: bool,
    /// Why notes are kept whose files are gone.
    pub withheld: Option<Withheld>,
    /// Whether the vault lies on another file system than before, with all its notes.
    pub is_elsewhere: bool,
}

/// Why an index was made anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rebuild {
    /// There was none.
    New,
    /// It was asked for.
    Asked,
    /// It was of another schema version.
    Schema {
        /// That version.
        found: i64,
    },
    /// It was made with another model.
    Model {
        /// That model.
        from: ModelId,
    },
    /// Notes are cut differently now.
    Settings,
    /// It was damaged.
    Damaged {
        /// What was found.
        reason: String,
        /// Where the damaged file is now.
        aside: Option<PathBuf>,
    },
}

/// What those who ask an index should know of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caveats {
    /// Its first build has not come to its end: notes that are in it, and that there were to take; 0
    /// where it did not get as far as to count them.
    pub unfinished: Option<(u64, u64)>,
    /// Notes are kept though their files are gone.
    pub withheld: Option<Withheld>,
    /// Passages that have no vector yet.
    pub n_without_vector: usize,
    /// Files with pictures that nobody read yet.
    pub n_unread: usize,
}

/// Returns what is to be said of an index.
pub fn caveats(store: &Store) -> Result<Caveats> {
    let meta = store.meta()?;
    let n_total = meta.fact(UNFINISHED).and_then(|n| n.parse().ok());
    // An index is made empty, and names its model when it is first filled.
    let is_blank = meta.model.is_none();
    let n_total = n_total.or(is_blank.then_some(0));
    Ok(Caveats {
        unfinished: n_total.map(|n_total| (meta.n_notes, n_total)),
        withheld: meta.fact(gone::WITHHELD).and_then(Withheld::from_fact),
        n_without_vector: store.without_vector()?.len(),
        n_unread: pictures::n_unread(store)?,
    })
}
