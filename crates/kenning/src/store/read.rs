//! The seam of the read flow: everything that is asked of an index.
//!
//! Every question takes plain values and gets owned ones, and any kind of store can answer it with a
//! statement or two and as much data as is asked for; the few that list everything say so. Which notes a
//! filter lets through is decided by its owner from the facts that [`Reads::select`] tells: the grammar of
//! filters stays in `search`.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use super::lexical::{LexicalResults, Positions, TermGroup};
use super::question::{
    By, Known, LexicalQuery, LinksOf, Name, NearQuery, NoteSet, Part, Select, Wanted,
};
use super::rows::chunks::ChunkRow;
use super::rows::facts::{Masked, NoteFacts, Status};
use super::rows::inventory::{KnownNote, Surroundings};
use super::rows::links::LinkRow;
use super::rows::meta::Meta;
use super::rows::notes::{Named, NoteRow};
use super::sqlite::read::SqliteStore;
use super::vector::Nearest;
use super::vector::quantise::{CodedVector, Coder};
use super::{ChunkId, NoteId};
use crate::budget::Budget;
use crate::embed::PassageKey;
use crate::error::{Error, Result};
use crate::words::Language;

/// A snapshot of an index, never blocked by a writer. What it is asked stands in [`Reads`].
pub struct Store(Box<dyn Reads>);

/// The questions: what a kind of store answers.
pub trait Reads: Send + Sync {
    /// Tells what is known of the index as a whole: model, languages, number of notes, when it was checked.
    fn meta(&self) -> Result<Arc<Meta>>;

    /// Returns what is the same only as long as nothing was committed: which index it is, and its number of commits.
    fn identity(&self) -> Result<Vec<u8>>;

    /// Counts what there is, and lists what is to be said of it.
    fn status(&self) -> Result<Status>;

    /// Lists the credentials that were masked, by path and line: where, never what.
    fn masked(&self) -> Result<Vec<Masked>>;

    /// Describes notes, so that it can be decided which are wanted.
    ///
    /// The listing of all notes is kept: a folder, a tag or a time is asked for again and again.
    fn select(&self, which: Select<'_>, wanted: Wanted) -> Result<Arc<Vec<NoteFacts>>>;

    /// Finds the chunks that hold the words best, among some notes; beside them tells what the chunks in
    /// `also` score. What cannot be done within the budget is an error.
    fn lexical(
        &self,
        query: &LexicalQuery<'_>,
        within: &NoteSet,
        also: &[ChunkId],
        budget: &Budget,
    ) -> Result<LexicalResults>;

    /// Finds the `k` chunks that are nearest to a vector, among some notes. What has no vector is not found.
    fn nearest(&self, vector: &[f32], k: usize, within: &NoteSet) -> Result<Nearest>;

    /// The same, of which only the first `n` count.
    fn near(&self, near: &NearQuery<'_>, within: &NoteSet) -> Result<Nearest> {
        let mut nearest = self.nearest(near.vector, near.k, within)?;
        nearest.hits.truncate(near.n);
        Ok(nearest)
    }

    /// Asks for both: the best by meaning, and by words, which beside their own tell what those score.
    fn near_and_lexical(
        &self,
        near: &NearQuery<'_>,
        query: &LexicalQuery<'_>,
        within: &NoteSet,
        budget: &Budget,
    ) -> Result<(Nearest, LexicalResults)> {
        let nearest = self.near(near, within)?;
        let words = self.lexical(query, within, &query.also_of(&nearest), budget)?;
        Ok((nearest, words))
    }

    /// Compares a vector with those of some chunks, in order of their ids. Those that have none are left out.
    fn cosines(&self, vector: &[f32], chunks: &[ChunkId]) -> Result<Vec<(ChunkId, f32)>>;

    /// Returns what turns vectors of this index into codes, and back.
    fn coder(&self) -> Result<Coder>;

    /// Returns the vectors of some chunks, in order of their ids, exactly as they are kept. Those that
    /// have none are left out.
    fn coded_vectors(&self, chunks: &[ChunkId]) -> Result<Vec<(ChunkId, CodedVector)>>;

    /// Reads the vectors that a second model made of texts.
    fn text_vectors(&self, keys: &[PassageKey]) -> Result<Vec<Option<Vec<f32>>>>;

    /// Tells which of some texts have none.
    fn lacks_text_vectors(&self, keys: &[PassageKey]) -> Result<Vec<bool>>;

    /// Lists every chunk.
    fn chunk_ids(&self) -> Result<Vec<ChunkId>>;

    /// Lists the chunks that no vector was made of yet, in order of their ids.
    fn without_vector(&self) -> Result<Vec<ChunkId>>;

    /// Returns the mean direction of the passages of each note that has vectors, by id: a listing. The numbers are
    /// those of the codes: distances and angles between notes mean something, single numbers do not.
    fn note_vectors(&self) -> Result<Vec<(NoteId, Vec<f32>)>>;

    /// Tells where the words of a query stand in each of some chunks.
    fn positions(&self, groups: &[TermGroup], chunks: &[ChunkId]) -> Result<Vec<Positions>>;

    /// Whether a note has one of the terms, wherever that is; one in a language, if that is given.
    fn has_term(&self, terms: &[String], language: Option<Language>) -> Result<bool>;

    /// Reads some notes, in the order in which they are asked for.
    fn notes(&self, ids: &[NoteId]) -> Result<Vec<Arc<NoteRow>>>;

    /// Reads some chunks, with their word pieces.
    fn chunks(&self, by: By<'_>) -> Result<Vec<Arc<ChunkRow>>>;

    /// Reads the text of a note, or a part of it.
    fn text(&self, note: NoteId, part: &Part) -> Result<String>;

    /// Finds the notes that are called so, best first; by path among equals.
    fn resolve(&self, name: Name<'_>) -> Result<Vec<Named>>;

    /// Reads links as they stand in notes.
    fn links(&self, of: LinksOf<'_>) -> Result<Vec<LinkRow>>;

    /// Lists the paths of every file that a link may lead to: what a link means depends on all of them.
    fn files(&self) -> Result<Vec<String>>;

    /// Tells how files looked when they were indexed, by path.
    fn known(&self, which: Known) -> Result<Vec<KnownNote>>;

    /// Tells when a file last came or went in a folder, as of the last run that looked at it.
    fn folder_time(&self, folder: &str) -> Result<Option<i64>>;

    /// Returns what is kept beside the notes and no question needs as a whole, for whoever copies the index.
    fn surroundings(&self) -> Result<Surroundings>;

    /// Checks the index from end to end; returns what is wrong.
    fn verify(&self) -> Result<Vec<String>>;

    /// Reads everything and compares the parts of an index with each other, once [`Reads::verify`] found nothing;
    /// returns where they do not tell the same.
    fn cross_check(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Is told that one question is asked and the process ends then: what only pays off later is left out.
    fn map_pages(&self) -> Result<()> {
        Ok(())
    }

    /// Is told that the question is answered, and the next may be long in coming.
    fn rest(&self) {}
}

impl Deref for Store {
    type Target = dyn Reads;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

/// Opening it.
impl Store {
    /// Wraps a store of any kind.
    pub fn new(store: impl Reads + 'static) -> Self {
        Self(Box::new(store))
    }

    /// Opens the index file at `path`.
    pub fn open(path: &Path) -> Result<Self> {
        SqliteStore::open(path).map(Self::new)
    }

    /// Opens the index file at `path`, but only if it was made from the vault that is called so (see
    /// `vault::name_of`).
    pub fn open_of(path: &Path, vault: &str) -> Result<Self> {
        Self::open(path)?.of_vault(path, vault)
    }

    /// Returns the store at a place, but only if it was made from the vault that is called so.
    pub(super) fn of_vault(self, place: &Path, vault: &str) -> Result<Self> {
        match &self.meta()?.vault {
            Some(found) if found != vault => Err(Error::StoreOfAnother {
                path: place.to_owned(),
                vault: found.clone(),
            }),
            _ => Ok(self),
        }
    }
}

/// Shorter ways to ask the same.
impl Store {
    /// Reads one note.
    pub fn note(&self, id: NoteId) -> Result<Arc<NoteRow>> {
        Ok(self.notes(&[id])?.remove(0))
    }

    /// Finds the note at a path.
    pub fn note_at(&self, path: &str) -> Result<Option<NoteId>> {
        let named = self.resolve(Name::Path(path))?;
        Ok(named.first().map(|named| named.note))
    }

    /// Reads one chunk.
    pub fn chunk(&self, id: ChunkId) -> Result<Arc<ChunkRow>> {
        Ok(self.chunks(By::Ids(&[id]))?.remove(0))
    }

    /// Returns the vectors of some chunks, in order of their ids, as near to what they were as their codes tell.
    pub fn chunk_vectors(&self, chunks: &[ChunkId]) -> Result<Vec<(ChunkId, Vec<f32>)>> {
        let coder = self.coder()?;
        let coded = self.coded_vectors(chunks)?.into_iter();
        let vectors = coded.map(|(id, kept)| (id, coder.vector(kept.scale, &kept.values)));
        Ok(vectors.collect())
    }

    /// Reads the text of a chunk.
    pub fn passage(&self, chunk: &ChunkRow) -> Result<String> {
        self.text(chunk.note, &Part::Passage(chunk.range.clone()))
    }
}
