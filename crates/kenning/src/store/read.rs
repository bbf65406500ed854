//! The seam of the read flow: everything that is asked of an index, on one type.
//!
//! Every method takes plain values and returns owned ones, and another kind of store could answer it with a
//! statement or two and as much data as is asked for; the few that list everything say so. Which notes a
//! filter lets through is decided by its owner from the facts that [`Store::select`] tells: the grammar of
//! filters stays in `search`.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use rusqlite::Connection;

use super::cache::Cache;
use super::lexical::directory::{self, SharedConnection, SqlDirectory, locked};
use super::lexical::{Asking, LexicalReader, LexicalResults, Place, Positions, TermGroup};
use super::question::{By, Known, LexicalQuery, LinksOf, Name, NoteSet, Part, Select, Wanted};
use super::rows::chunks::{self, ChunkRow};
use super::rows::facts::{self, Masked, NoteFacts, Status};
use super::rows::inventory::{self, KnownNote};
use super::rows::links::{self, LinkRow};
use super::rows::meta::{self, Meta};
use super::rows::notes::{self, Named, NoteRow};
use super::text::passages::Texts;
use super::vector::{Nearest, Neighbour, VectorReader, by_text, ids as vector_ids};
use super::{ChunkId, NoteId};
use crate::budget::Budget;
use crate::embed::PassageKey;
use crate::error::{Error, Result};
use crate::words::Language;

/// Bytes of note rows that stay in memory.
const NOTE_BYTES_CACHED_MAX: usize = 12 << 20;
/// Bytes of chunk rows that stay in memory.
const CHUNK_BYTES_CACHED_MAX: usize = 12 << 20;
/// Bytes of listings of all notes that stay in memory.
const LISTING_BYTES_CACHED_MAX: usize = 48 << 20;

/// A snapshot of an index, never blocked by a writer.
pub struct Store {
    path: PathBuf,
    connection: SharedConnection,
    words: OnceLock<Option<LexicalReader>>,
    vectors: OnceLock<VectorReader>,
    pub(super) texts: Texts,
    meta: OnceLock<Arc<Meta>>,
    notes: Cache<i64, NoteRow>,
    chunks: Cache<i64, ChunkRow>,
    listings: Cache<Wanted, Vec<NoteFacts>>,
}

/// The questions.
impl Store {
    /// Opens the index at `path`.
    pub fn open(path: &Path) -> Result<Self> {
        let connection = super::file::open_checked(path, true)?;
        let begin = || -> rusqlite::Result<()> {
            connection.execute_batch("BEGIN")?;
            // The snapshot is taken by the first read.
            connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))
        };
        begin().map_err(|error| super::sqlite(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            connection: Arc::new(Mutex::new(connection)),
            words: OnceLock::new(),
            vectors: OnceLock::new(),
            texts: Texts::default(),
            meta: OnceLock::new(),
            notes: Cache::new(NOTE_BYTES_CACHED_MAX, NoteRow::n_bytes),
            chunks: Cache::new(CHUNK_BYTES_CACHED_MAX, ChunkRow::n_bytes),
            listings: Cache::new(LISTING_BYTES_CACHED_MAX, |listing| facts::n_bytes(listing)),
        })
    }

    /// Opens the index at `path`, but only if it was made from the vault that is called so (see
    /// `vault::name_of`).
    pub fn open_of(path: &Path, vault: &str) -> Result<Self> {
        let store = Self::open(path)?;
        match &store.meta()?.vault {
            Some(found) if found != vault => Err(Error::StoreOfAnother {
                path: path.to_owned(),
                vault: found.clone(),
            }),
            _ => Ok(store),
        }
    }

    /// Tells what is known of the index as a whole: model, languages, number of notes, when it was checked.
    pub fn meta(&self) -> Result<Arc<Meta>> {
        if let Some(meta) = self.meta.get() {
            return Ok(Arc::clone(meta));
        }
        let meta = Arc::new(self.sql(meta::read)?);
        Ok(Arc::clone(self.meta.get_or_init(|| meta)))
    }

    /// Returns what is the same only as long as nothing was committed: which index it is, and its number of commits.
    pub fn identity(&self) -> Result<Vec<u8>> {
        self.sql(meta::identity)
    }

    /// Counts what there is, and lists what is to be said of it.
    pub fn status(&self) -> Result<Status> {
        let meta = self.meta()?;
        self.sql(|connection| facts::status(connection, &meta))
    }

    /// Lists the credentials that were masked, by path and line: where, never what.
    pub fn masked(&self) -> Result<Vec<Masked>> {
        self.sql(facts::masked)
    }

    /// Describes notes, so that it can be decided which are wanted.
    ///
    /// The listing of all notes is kept: a folder, a tag or a time is asked for again and again.
    pub fn select(&self, which: Select<'_>, wanted: Wanted) -> Result<Arc<Vec<NoteFacts>>> {
        let read = || self.sql(|connection| facts::select(connection, which, wanted));
        match which {
            Select::Every => self.listings.get(&wanted, read),
            _ => Ok(Arc::new(read()?)),
        }
    }

    /// Finds the chunks that hold the words best, among some notes; beside them tells what the chunks in
    /// `also` score. What cannot be done within the budget is an error.
    pub fn lexical(
        &self,
        query: &LexicalQuery<'_>,
        within: &NoteSet,
        also: &[ChunkId],
        budget: &Budget,
    ) -> Result<LexicalResults> {
        // What cannot be read is damage, and no reason to find something else.
        let trouble = Cell::new(None);
        let said = |place: &Place| {
            self.said(place)
                .map_err(|error| trouble.set(Some(error)))
                .ok()
        };
        let asking = Asking {
            read: &said,
            budget,
        };
        let found = self.of_words(LexicalResults::default(), |words| {
            words.search(query, within, also, &asking)
        })?;
        budget.check()?;
        trouble.take().map_or(Ok(found), Err)
    }

    /// Finds the `k` chunks that are nearest to a vector, among some notes. What has no vector is not found.
    pub fn nearest(&self, vector: &[f32], k: usize, within: &NoteSet) -> Result<Nearest> {
        self.guarded(|| {
            let Some(words) = self.words()? else {
                return Ok(Nearest::default());
            };
            let vectors = self.vectors()?;
            // Not under the lock of the connection: most of it is arithmetic.
            let nearest = if within.is_every() {
                let is_any = |id| words.has_vector_id(id);
                vectors.nearest(&self.connection, vector, k, is_any)
            } else {
                let is_wanted =
                    |id| (words.note_of_vector(id)).is_some_and(|note| within.contains(note));
                vectors.nearest(&self.connection, vector, k, is_wanted)
            };
            let (nearest, mean) = nearest.map_err(|error| super::sqlite(&self.path, error))?;
            let neighbour = |(chunk, cosine)| {
                let note = words.note_of(chunk)?;
                Some(Neighbour {
                    chunk,
                    note,
                    cosine,
                })
            };
            Ok(Nearest {
                hits: nearest.into_iter().filter_map(neighbour).collect(),
                mean,
            })
        })
    }

    /// Compares a vector with those of some chunks, in order of their ids. Those that have none are left out.
    pub fn cosines(&self, vector: &[f32], chunks: &[ChunkId]) -> Result<Vec<(ChunkId, f32)>> {
        self.of_vectors(chunks, |vectors, ids| {
            vectors.cosines(&self.connection, vector, ids)
        })
    }

    /// Returns the vectors of some chunks, in order of their ids, as exactly as they are kept. Those that
    /// have none are left out.
    pub fn chunk_vectors(&self, chunks: &[ChunkId]) -> Result<Vec<(ChunkId, Vec<f32>)>> {
        self.of_vectors(chunks, |vectors, ids| {
            vectors.vectors(&self.connection, ids)
        })
    }

    /// Reads the vectors that a second model made of texts.
    pub fn text_vectors(&self, keys: &[PassageKey]) -> Result<Vec<Option<Vec<f32>>>> {
        self.sql(|connection| by_text::read(connection, keys))
    }

    /// Tells which of some texts have none.
    pub fn lacks_text_vectors(&self, keys: &[PassageKey]) -> Result<Vec<bool>> {
        self.sql(|connection| by_text::missing(connection, keys))
    }

    /// Lists every chunk.
    pub fn chunk_ids(&self) -> Result<Vec<ChunkId>> {
        self.sql(chunks::ids)
    }

    /// Lists the chunks that no vector was made of yet, in order of their ids.
    pub fn without_vector(&self) -> Result<Vec<ChunkId>> {
        self.sql(|connection| {
            let ids = vector_ids::missing(connection)?.into_iter();
            let mut ids: Vec<ChunkId> = ids.map(|id| ChunkId(id as i64)).collect();
            ids.sort_unstable();
            Ok(ids)
        })
    }

    /// Returns the mean direction of the passages of each note that has vectors, by id: a listing. The numbers are
    /// those of the codes: distances and angles between notes mean something, single numbers do not.
    pub fn note_vectors(&self) -> Result<Vec<(NoteId, Vec<f32>)>> {
        self.guarded(|| {
            let Some(words) = self.words()? else {
                return Ok(Vec::new());
            };
            let note_of = |id| words.note_of_vector(id);
            let means = self.vectors()?.note_means(&self.connection, note_of);
            means.map_err(|error| super::sqlite(&self.path, error))
        })
    }

    /// Tells where the words of a query stand in each of some chunks.
    pub fn positions(&self, groups: &[TermGroup], chunks: &[ChunkId]) -> Result<Vec<Positions>> {
        let nowhere = vec![Positions::default(); chunks.len()];
        self.of_words(nowhere, |words| words.positions(groups, chunks))
    }

    /// Whether a note has one of the terms, wherever that is; one in a language, if that is given.
    pub fn has_term(&self, terms: &[String], language: Option<Language>) -> Result<bool> {
        for term in terms {
            let has_term = match language {
                None => self.of_words(false, |words| words.is_said(term))?,
                Some(language) => {
                    let notes = self.of_words(Vec::new(), |words| words.notes_saying(term))?;
                    self.is_any_in(&notes, language)?
                }
            };
            if has_term {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads some notes, in the order in which they are asked for.
    pub fn notes(&self, ids: &[NoteId]) -> Result<Vec<Arc<NoteRow>>> {
        self.sql(|connection| {
            let read = |id: &NoteId| self.notes.get(&id.0, || notes::by_id(connection, *id));
            ids.iter().map(read).collect()
        })
    }

    /// Reads some chunks, with their word pieces.
    pub fn chunks(&self, by: By<'_>) -> Result<Vec<Arc<ChunkRow>>> {
        self.sql(|connection| match by {
            By::Ids(ids) => {
                let read = |id: &ChunkId| self.chunks.get(&id.0, || chunks::by_id(connection, *id));
                ids.iter().map(read).collect()
            }
            By::Note(note) => chunks::of_note(connection, note).map(shared),
            By::Handle(handle) => chunks::by_handle(connection, handle).map(shared),
        })
    }

    /// Reads the text of a note, or a part of it.
    pub fn text(&self, note: NoteId, part: &Part) -> Result<String> {
        self.read_text(note, part)
    }

    /// Finds the notes that are called so, best first; by path among equals.
    pub fn resolve(&self, name: Name<'_>) -> Result<Vec<Named>> {
        self.sql(|connection| notes::named(connection, name))
    }

    /// Reads links as they stand in notes.
    pub fn links(&self, of: LinksOf<'_>) -> Result<Vec<LinkRow>> {
        self.sql(|connection| links::read(connection, of))
    }

    /// Lists the paths of every file that a link may lead to: what a link means depends on all of them.
    pub fn files(&self) -> Result<Vec<String>> {
        self.sql(links::files)
    }

    /// Tells how files looked when they were indexed, by path.
    pub fn known(&self, which: Known) -> Result<Vec<KnownNote>> {
        self.sql(|connection| inventory::known(connection, which))
    }

    /// Tells when a file last came or went in a folder, as of the last run that looked at it.
    pub fn folder_time(&self, folder: &str) -> Result<Option<i64>> {
        self.sql(|connection| inventory::folder_time(connection, folder))
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

    /// Reads the text of a chunk.
    pub fn passage(&self, chunk: &ChunkRow) -> Result<String> {
        self.text(chunk.note, &Part::Passage(chunk.range.clone()))
    }
}

/// What the rooms of the store share.
impl Store {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn corrupt(&self, reason: String) -> Error {
        Error::StoreCorrupt {
            path: self.path.clone(),
            reason,
        }
    }

    pub(super) fn sql<T>(&self, run: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        run(&locked(&self.connection)).map_err(|error| super::sqlite(&self.path, error))
    }

    /// Runs what reads the word index. Whole pages hold what was written, unless somebody made them up:
    /// tantivy panics over what it cannot make sense of, and that is damage, too.
    fn guarded<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        catch_unwind(AssertUnwindSafe(run))
            .unwrap_or_else(|_| Err(self.corrupt("the word index makes no sense".to_owned())))
    }

    /// Asks the word index; where nothing is indexed, the answer is `nothing`.
    fn of_words<T>(
        &self,
        nothing: T,
        ask: impl FnOnce(&LexicalReader) -> tantivy::Result<T>,
    ) -> Result<T> {
        self.guarded(|| match self.words()? {
            Some(words) => ask(words).map_err(super::lexical(&self.path)),
            None => Ok(nothing),
        })
    }

    pub(super) fn words(&self) -> Result<Option<&LexicalReader>> {
        if let Some(words) = self.words.get() {
            return Ok(words.as_ref());
        }
        let words = if self.sql(directory::has_index)? {
            let directory = SqlDirectory::open(&self.connection)
                .map_err(|error| super::sqlite(&self.path, error))?;
            Some(self.guarded(|| LexicalReader::open(directory, &self.path))?)
        } else {
            None
        };
        Ok(self.words.get_or_init(|| words).as_ref())
    }

    fn vectors(&self) -> Result<&VectorReader> {
        if let Some(vectors) = self.vectors.get() {
            return Ok(vectors);
        }
        let vectors =
            self.sql(|connection| VectorReader::open(connection, meta::center(connection)?))?;
        Ok(self.vectors.get_or_init(|| vectors))
    }

    fn of_vectors<T>(
        &self,
        chunks: &[ChunkId],
        ask: impl FnOnce(&VectorReader, &[usize]) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let vectors = self.vectors()?;
        let ids = chunks.iter().map(|chunk| chunk.0 as usize);
        let mut ids: Vec<usize> = ids.filter(|id| vectors.has_vector(*id)).collect();
        ids.sort_unstable();
        ask(vectors, &ids).map_err(|error| super::sqlite(&self.path, error))
    }

    fn is_any_in(&self, notes: &[NoteId], language: Language) -> Result<bool> {
        for &note in notes {
            if self.note(note)?.language == language {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn shared(chunks: Vec<ChunkRow>) -> Vec<Arc<ChunkRow>> {
    chunks.into_iter().map(Arc::new).collect()
}
