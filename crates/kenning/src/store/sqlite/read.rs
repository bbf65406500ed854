//! One snapshot of an index file: what is asked of it, answered by SQL, postings and codes.
//!
//! What the questions mean is told where they are asked: `store/read.rs`.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use rusqlite::Connection;

use crate::budget::Budget;
use crate::embed::PassageKey;
use crate::error::{Error, Result};
use crate::store::cache::Cache;
use crate::store::lexical::directory::{self, SharedConnection, SqlDirectory, locked};
use crate::store::lexical::{Asking, LexicalReader, LexicalResults, Place, Positions, TermGroup};
use crate::store::question::{
    By, Known, LexicalQuery, LinksOf, Name, NearQuery, NoteSet, Part, Select, Wanted,
};
use crate::store::rows::chunks::{self, ChunkRow};
use crate::store::rows::facts::{self, Masked, NoteFacts, Status};
use crate::store::rows::inventory::{self, KnownNote, Surroundings};
use crate::store::rows::links::{self, LinkRow};
use crate::store::rows::meta::{self, Meta};
use crate::store::rows::notes::{self, Named, NoteRow};
use crate::store::text::passages::Texts;
use crate::store::vector::quantise::{CodedVector, Coder};
use crate::store::vector::{Nearest, Neighbour, VectorReader, by_text, ids as vector_ids};
use crate::store::{ChunkId, NoteId, Reads};
use crate::words::Language;

/// Bytes of note rows that stay in memory.
const NOTE_BYTES_CACHED_MAX: usize = 12 << 20;
/// Bytes of chunk rows that stay in memory.
const CHUNK_BYTES_CACHED_MAX: usize = 12 << 20;
/// Bytes of listings of all notes that stay in memory.
const LISTING_BYTES_CACHED_MAX: usize = 48 << 20;
/// From so many entries on, words and vectors are asked on a core each. Fewer are done before the other is awake.
const BESIDE_MIN: usize = 250_000;

/// A snapshot of an index, never blocked by a writer.
pub(in crate::store) struct SqliteStore {
    path: PathBuf,
    connection: SharedConnection,
    words: OnceLock<Option<LexicalReader>>,
    vectors: OnceLock<VectorReader>,
    pub(in crate::store) texts: Texts,
    meta: OnceLock<Arc<Meta>>,
    notes: Cache<i64, NoteRow>,
    chunks: Cache<i64, ChunkRow>,
    listings: Cache<Wanted, Vec<NoteFacts>>,
}

impl SqliteStore {
    /// Opens the index at `path`.
    pub(in crate::store) fn open(path: &Path) -> Result<Self> {
        let connection = crate::store::file::open_checked(path, true)?;
        let begin = || -> rusqlite::Result<()> {
            connection.execute_batch("BEGIN")?;
            // The snapshot is taken by the first read.
            connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))
        };
        begin().map_err(|error| crate::store::sqlite_error(path, error))?;
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
}

impl Reads for SqliteStore {
    fn meta(&self) -> Result<Arc<Meta>> {
        if let Some(meta) = self.meta.get() {
            return Ok(Arc::clone(meta));
        }
        let meta = Arc::new(self.sql(meta::read)?);
        Ok(Arc::clone(self.meta.get_or_init(|| meta)))
    }

    fn identity(&self) -> Result<Vec<u8>> {
        self.sql(meta::identity)
    }

    fn status(&self) -> Result<Status> {
        let meta = self.meta()?;
        self.sql(|connection| facts::status(connection, &meta))
    }

    fn masked(&self) -> Result<Vec<Masked>> {
        self.sql(facts::masked)
    }

    fn select(&self, which: Select<'_>, wanted: Wanted) -> Result<Arc<Vec<NoteFacts>>> {
        let read = || self.sql(|connection| facts::select(connection, which, wanted));
        match which {
            Select::Every => self.listings.get(&wanted, read),
            _ => Ok(Arc::new(read()?)),
        }
    }

    fn lexical(
        &self,
        query: &LexicalQuery<'_>,
        within: &NoteSet,
        also: &[ChunkId],
        budget: &Budget,
    ) -> Result<LexicalResults> {
        self.lexical_beside(query, within, || also.to_vec(), budget)
    }

    fn near_and_lexical(
        &self,
        near: &NearQuery<'_>,
        query: &LexicalQuery<'_>,
        within: &NoteSet,
        budget: &Budget,
    ) -> Result<(Nearest, LexicalResults)> {
        let n_entries = self.guarded(|| Ok(self.words()?.map_or(0, LexicalReader::n_entries)))?;
        let look = || self.near(near, within);
        std::thread::scope(|scope| {
            let looking = (n_entries >= BESIDE_MIN).then(|| scope.spawn(look));
            let mut nearest = None;
            let also = || {
                let found = match looking {
                    Some(looking) => looking.join().unwrap_or_else(|panic| resume_unwind(panic)),
                    None => look(),
                };
                let found = nearest.insert(found).as_ref();
                found.map_or(Vec::new(), |found| query.also_of(found))
            };
            let words = self.lexical_beside(query, within, also, budget);
            // An index without words does not ask.
            let nearest = nearest.unwrap_or_else(look)?;
            Ok((nearest, words?))
        })
    }

    fn nearest(&self, vector: &[f32], k: usize, within: &NoteSet) -> Result<Nearest> {
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
            let (nearest, mean) =
                nearest.map_err(|error| crate::store::sqlite_error(&self.path, error))?;
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

    fn cosines(&self, vector: &[f32], chunks: &[ChunkId]) -> Result<Vec<(ChunkId, f32)>> {
        self.of_vectors(chunks, |vectors, ids| {
            vectors.cosines(&self.connection, vector, ids)
        })
    }

    fn coder(&self) -> Result<Coder> {
        self.sql(meta::center).map(Coder::new)
    }

    fn coded_vectors(&self, chunks: &[ChunkId]) -> Result<Vec<(ChunkId, CodedVector)>> {
        self.of_vectors(chunks, |vectors, ids| vectors.coded(&self.connection, ids))
    }

    fn text_vectors(&self, keys: &[PassageKey]) -> Result<Vec<Option<Vec<f32>>>> {
        self.sql(|connection| by_text::read(connection, keys))
    }

    fn lacks_text_vectors(&self, keys: &[PassageKey]) -> Result<Vec<bool>> {
        self.sql(|connection| by_text::missing(connection, keys))
    }

    fn chunk_ids(&self) -> Result<Vec<ChunkId>> {
        self.sql(chunks::ids)
    }

    fn without_vector(&self) -> Result<Vec<ChunkId>> {
        self.sql(|connection| {
            let ids = vector_ids::missing(connection)?.into_iter();
            let mut ids: Vec<ChunkId> = ids.map(|id| ChunkId(id as i64)).collect();
            ids.sort_unstable();
            Ok(ids)
        })
    }

    fn note_vectors(&self) -> Result<Vec<(NoteId, Vec<f32>)>> {
        self.guarded(|| {
            let Some(words) = self.words()? else {
                return Ok(Vec::new());
            };
            let note_of = |id| words.note_of_vector(id);
            let means = self.vectors()?.note_means(&self.connection, note_of);
            means.map_err(|error| crate::store::sqlite_error(&self.path, error))
        })
    }

    fn positions(&self, groups: &[TermGroup], chunks: &[ChunkId]) -> Result<Vec<Positions>> {
        let nowhere = vec![Positions::default(); chunks.len()];
        self.of_words(nowhere, |words| words.positions(groups, chunks))
    }

    fn has_term(&self, terms: &[String], language: Option<Language>) -> Result<bool> {
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

    fn notes(&self, ids: &[NoteId]) -> Result<Vec<Arc<NoteRow>>> {
        self.sql(|connection| {
            let read = |id: &NoteId| self.notes.get(&id.0, || notes::by_id(connection, *id));
            ids.iter().map(read).collect()
        })
    }

    fn chunks(&self, by: By<'_>) -> Result<Vec<Arc<ChunkRow>>> {
        self.sql(|connection| match by {
            By::Ids(ids) => {
                let read = |id: &ChunkId| self.chunks.get(&id.0, || chunks::by_id(connection, *id));
                ids.iter().map(read).collect()
            }
            By::Note(note) => chunks::of_note(connection, note).map(shared),
            By::Handle(handle) => chunks::by_handle(connection, handle).map(shared),
        })
    }

    fn text(&self, note: NoteId, part: &Part) -> Result<String> {
        self.read_text(note, part)
    }

    fn resolve(&self, name: Name<'_>) -> Result<Vec<Named>> {
        self.sql(|connection| notes::named(connection, name))
    }

    fn links(&self, of: LinksOf<'_>) -> Result<Vec<LinkRow>> {
        self.sql(|connection| links::read(connection, of))
    }

    fn files(&self) -> Result<Vec<String>> {
        self.sql(links::files)
    }

    fn known(&self, which: Known) -> Result<Vec<KnownNote>> {
        self.sql(|connection| inventory::known(connection, which))
    }

    fn folder_time(&self, folder: &str) -> Result<Option<i64>> {
        self.sql(|connection| inventory::folder_time(connection, folder))
    }

    fn surroundings(&self) -> Result<Surroundings> {
        self.sql(inventory::surroundings)
    }

    fn verify(&self) -> Result<Vec<String>> {
        self.problems()
    }

    fn cross_check(&self) -> Result<Vec<String>> {
        self.differences()
    }

    fn map_pages(&self) -> Result<()> {
        self.map_file()
    }
}

/// Shorter ways to ask the same.
impl SqliteStore {
    pub(in crate::store) fn note(&self, id: NoteId) -> Result<Arc<NoteRow>> {
        Ok(self.notes(&[id])?.remove(0))
    }

    pub(in crate::store) fn chunk(&self, id: ChunkId) -> Result<Arc<ChunkRow>> {
        Ok(self.chunks(By::Ids(&[id]))?.remove(0))
    }

    pub(in crate::store) fn passage(&self, chunk: &ChunkRow) -> Result<String> {
        self.text(chunk.note, &Part::Passage(chunk.range.clone()))
    }
}

/// What the rooms of the store share.
impl SqliteStore {
    /// Finds the chunks that hold the words best, and asks last which others to score.
    fn lexical_beside(
        &self,
        query: &LexicalQuery<'_>,
        within: &NoteSet,
        also: impl FnOnce() -> Vec<ChunkId>,
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
            words.search_beside(query, within, also, &asking)
        })?;
        budget.check()?;
        trouble.take().map_or(Ok(found), Err)
    }

    pub(in crate::store) fn path(&self) -> &Path {
        &self.path
    }

    pub(in crate::store) fn connection(&self) -> &SharedConnection {
        &self.connection
    }

    pub(in crate::store) fn corrupt(&self, reason: String) -> Error {
        Error::StoreCorrupt {
            path: self.path.clone(),
            reason,
        }
    }

    pub(in crate::store) fn sql<T>(
        &self,
        run: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        run(&locked(&self.connection))
            .map_err(|error| crate::store::sqlite_error(&self.path, error))
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
            Some(words) => ask(words).map_err(crate::store::lexical_error(&self.path)),
            None => Ok(nothing),
        })
    }

    pub(in crate::store) fn words(&self) -> Result<Option<&LexicalReader>> {
        if let Some(words) = self.words.get() {
            return Ok(words.as_ref());
        }
        let words = if self.sql(directory::has_index)? {
            let directory = SqlDirectory::open(&self.connection)
                .map_err(|error| crate::store::sqlite_error(&self.path, error))?;
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
        ask(vectors, &ids).map_err(|error| crate::store::sqlite_error(&self.path, error))
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
