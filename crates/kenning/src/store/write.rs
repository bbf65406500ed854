//! The seam of the write flow: notes in, notes out, one transaction per batch.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::ChunkId;
use super::encode::{Encoded, Encoder};
use super::rows::inventory::Inventory;
use super::rows::links::{ChangedGraph, NoteStanding};
use super::rows::meta::Meta;
use super::sqlite::write::SqliteWriter;
use crate::embed::{ModelId, PassageKey};
use crate::error::Result;
use crate::vault::Stamp;

/// Where a date comes from that the note itself does not tell.
pub const DATE_FROM_FILE: &str = "modification time";
/// Where a date comes from that git tells.
pub const DATE_FROM_GIT: &str = "git";

/// A writer of a store. What it does stands in [`Writes`].
pub struct StoreWriter(Box<dyn Writes>);

/// Paths of files with what tells whether they changed.
pub type Stamps = HashMap<String, (Stamp, [u8; 16])>;

/// The changes: what a kind of store takes.
pub trait Writes {
    /// Reads all of the index: an error if something is not what was written.
    fn check_pages(&self) -> Result<()>;

    /// Tells what is known of the index as a whole, with what this writer noted down so far.
    fn meta(&self) -> Result<Meta>;

    /// Returns what encodes notes for this index, on any thread.
    fn encoder(&self) -> Result<Encoder>;

    /// Returns what tells who takes which note, where several may write at once; nothing where there is only one.
    fn claims(&mut self) -> Result<Option<Box<dyn Claims>>> {
        Ok(None)
    }

    /// Returns stamp and hash of the note at a path, or of every note.
    fn known(&self, path: Option<&str>) -> Result<Stamps>;

    /// Returns the day of each file's last commit.
    fn committed(&self) -> Result<HashMap<String, String>>;

    /// Returns notes and links, if any came or went since the graph was last counted.
    fn changed_graph(&self) -> Result<Option<ChangedGraph>>;

    /// Writes what the links say of the notes.
    fn set_graph(&mut self, standings: &[NoteStanding]) -> Result<()>;

    /// Replaces what is known of a vault beside its notes, or a part of it.
    fn set_inventory(&mut self, inventory: &Inventory<'_>) -> Result<()>;

    /// Has nothing of what follows be seen before the next commit, and keeps other writers out until then. Stores
    /// that show what is done batch by batch have to be told; a file always does so.
    fn begin_whole(&mut self) -> Result<()> {
        Ok(())
    }

    /// Empties the index and names the model it is filled with from now on, with what it makes of everyday
    /// text on average. The samples are texts like those that will come.
    fn reset(&mut self, model: &ModelId, center: &[f32], samples: &[String]) -> Result<()>;

    /// Forgets the texts that the encoding was learnt from, and learns it from these: fragments of notes that
    /// are gone may stand in it. In the end, what was there before is encoded anew, too.
    fn relearn(&mut self, samples: &[String]) -> Result<()>;

    /// Sets a fact about the index as a whole, or takes it back.
    fn set_fact(&mut self, key: &str, value: Option<&str>) -> Result<()>;

    /// Writes notes, replacing what was known of their paths.
    fn put(&mut self, encoded: Encoded) -> Result<()>;

    /// Writes the vectors of chunks that had none, one for each.
    fn put_vectors(
        &mut self,
        chunks: &[ChunkId],
        vectors: &mut dyn Iterator<Item = &[f32]>,
    ) -> Result<()>;

    /// Sets what the codes of vectors are taken around, before there are any.
    fn set_center(&mut self, center: &[f32]) -> Result<()>;

    /// Records that an unchanged file has a new stamp, and the date that follows from it.
    fn touch(&mut self, path: &str, stamp: Stamp, date: Option<&str>) -> Result<()>;

    /// Removes every trace of a note.
    fn remove(&mut self, path: &str) -> Result<()>;

    /// Moves what is held in memory into the index, as part of what the next commit makes visible.
    fn flush(&mut self) -> Result<()>;

    /// Keeps vectors that a second model made of texts.
    fn put_text_vectors(&mut self, vectors: &[(PassageKey, Vec<f32>)]) -> Result<()>;

    /// Removes those of texts that are gone; returns how many that were.
    fn keep_text_vectors(&mut self, used: &FxHashSet<PassageKey>) -> Result<usize>;

    /// Leaves the index as it was at the last commit.
    fn abandon(self: Box<Self>) -> Result<()>;

    /// Makes everything since the last commit visible at once. `now` is in seconds since 1970.
    fn commit(&mut self, now: i64) -> Result<()>;

    /// Leaves the index as whoever copies it would like to find it.
    fn close(self: Box<Self>) -> Result<()>;
}

/// Who takes which note, among those who write into one index. Any thread may ask. What somebody claimed who is no
/// longer there is free again.
pub trait Claims: Send + Sync {
    /// Claims files that are to be taken, as they are now; tells of each whose it is. `waits` is for whoever has nothing else to do: then
    /// it takes a moment to find out that the first of them is still somebody else's.
    fn take(&self, files: &[(&str, Stamp)], waits: bool) -> Result<Vec<Claim>>;

    /// Gives back what is done.
    fn release(&self, paths: &[&str]) -> Result<()>;
}

/// Whose a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Whoever asked takes it, and releases it then.
    Own,
    /// Another writer is about to take it.
    Others,
    /// It is in the index as it is now.
    Done,
}

impl Deref for StoreWriter {
    type Target = dyn Writes;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl DerefMut for StoreWriter {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

impl StoreWriter {
    /// Wraps a writer of any kind.
    pub fn new(writer: impl Writes + 'static) -> Self {
        Self(Box::new(writer))
    }

    /// Opens the index file at `path` for writing, or makes a new one; waits for another writer for up
    /// to `patience`.
    pub fn open(path: &Path, patience: Duration) -> Result<Self> {
        SqliteWriter::open(path, patience).map(Self::new)
    }

    /// Removes an index file of another schema version so that [`StoreWriter::open`] makes a new one.
    ///
    /// Only files that carry our mark are removed.
    pub fn discard_outdated(path: &Path, patience: Duration) -> Result<()> {
        SqliteWriter::discard_outdated(path, patience)
    }

    /// Leaves the index as it was at the last commit.
    pub fn abandon(self) -> Result<()> {
        self.0.abandon()
    }

    /// Leaves the index as whoever copies it would like to find it: a file without a write-ahead log.
    pub fn close(self) -> Result<()> {
        self.0.close()
    }
}
