//! Reading: one snapshot of the store, never blocked by a writer.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use rusqlite::{Connection, OptionalExtension, Row};

use super::cache::Kept;
use super::lexical::directory::{self, SharedConnection, SqlDirectory, locked};
use super::lexical::{
    Asking, LexicalOptions, LexicalReader, LexicalScores, Place, Places, TermGroup, Typed,
};
use super::rows::inventory::stamps;
use super::text::passages::Texts;
use super::vector::{Neighbour, VectorReader};
use super::{ChunkId, NoteId};
use crate::budget::Budget;
use crate::chunk::Prints;
use crate::embed::ModelId;
use crate::error::{Error, Result};
use crate::note::{Format, Heading};
use crate::vault::Stamp;
use crate::words::Language;

/// Rows of notes that are kept.
const NOTE_BYTES_KEPT_MAX: usize = 12 << 20;
/// Rows of chunks that are kept, with their word pieces.
const CHUNK_BYTES_KEPT_MAX: usize = 12 << 20;

/// A snapshot of an index.
pub struct Store {
    path: PathBuf,
    connection: SharedConnection,
    lexical: OnceLock<Option<LexicalReader>>,
    vectors: OnceLock<VectorReader>,
    pub(super) texts: Texts,
    model: OnceLock<Option<ModelId>>,
    languages: OnceLock<Vec<(Language, u64)>>,
    notes: Kept<NoteRow>,
    chunks: Kept<ChunkAndPieces>,
}

/// What is shown of a note.
#[derive(Clone, Debug, PartialEq)]
pub struct NoteRow {
    /// Its id.
    pub id: NoteId,
    /// Path below the vault.
    pub path: String,
    /// Title.
    pub title: String,
    /// Tags without `#`.
    pub tags: Vec<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// Headings in order; their offsets are not kept.
    pub headings: Vec<Heading>,
    /// Date, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Language.
    pub language: Language,
    /// Name of the note that replaces this one.
    pub superseded_by: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// Its `kind` or `type`.
    pub kind: Option<String>,
    /// Whether it does not age.
    pub is_evergreen: bool,
    /// PageRank, the vault's best being 1.
    pub pagerank: Option<f32>,
    /// Eigenvector centrality, the vault's best being 1.
    pub centrality: Option<f32>,
    /// Notes it links to or is linked from.
    pub n_neighbours: u32,
    /// What other notes call it when they link to it, the commonest first.
    pub called: Vec<String>,
    /// Keys of the paths it links to, see `note::path_key`.
    pub links_to: Vec<u32>,
    /// Number of lines.
    pub n_lines: u32,
    /// Nanoseconds since 1970 at which its file was last modified.
    pub mtime_ns: i64,
    /// Whether the path says what it is called.
    pub is_named_by_file: bool,
}

impl NoteRow {
    /// Returns the name of its file, if that is a name.
    pub fn file_name(&self) -> Option<&str> {
        (self.is_named_by_file).then(|| crate::note::file_stem(&self.path))
    }

    /// Returns about how much memory it needs.
    fn n_bytes(&self) -> usize {
        let headings = self.headings.iter().map(|heading| heading.text.len());
        let lists = [&self.tags, &self.aliases, &self.called];
        let texts = lists.into_iter().flatten().map(String::len).chain(headings);
        let own = size_of::<Self>() + self.path.len() + self.title.len() + 4 * self.links_to.len();
        own + texts.map(|n| n + size_of::<Heading>()).sum::<usize>()
    }

    /// Whether its lines can be pointed at: those of a PDF or an office file are nowhere to be seen.
    pub fn has_lines(&self) -> bool {
        has_lines(&self.path)
    }

    /// Returns its date as a day.
    pub fn day(&self) -> Option<jiff::civil::Date> {
        self.date.as_deref()?.parse().ok()
    }

    /// Returns PARA category and area.
    pub fn para(&self) -> (Option<&str>, Option<&str>) {
        crate::note::para(&self.path)
    }
}

/// Whether lines of the file at `path` can be pointed at.
pub fn has_lines(path: &str) -> bool {
    Format::of(path).is_none_or(Format::has_lines)
}

/// Where a chunk lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkRow {
    /// Its id.
    pub id: ChunkId,
    /// Its note.
    pub note: NoteId,
    /// Position among the note's chunks.
    pub ordinal: u32,
    /// Innermost heading, as an index into the note's headings.
    pub heading: Option<usize>,
    /// Byte range in the note's text.
    pub range: std::ops::Range<usize>,
    /// 1-based first line of the file, or of its text as read where it has none.
    pub start_line: u32,
    /// 1-based last line, inclusive.
    pub end_line: u32,
    /// Page, slide or sheet, where the format has one.
    pub page: Option<u32>,
    /// Short public id.
    pub handle: u32,
    /// Fingerprints of its text.
    pub prints: Prints,
}

/// A chunk's row, and the word pieces of its text and of what stands above it.
pub struct ChunkAndPieces {
    /// The row.
    pub row: ChunkRow,
    packed: Box<[u8]>,
}

impl ChunkAndPieces {
    /// Appends the pieces, each once and in order.
    pub fn pieces(&self, out: &mut Vec<u32>) {
        super::rows::pieces::unpack(&self.packed, out);
    }

    fn n_bytes(&self) -> usize {
        size_of::<Self>() + self.packed.len()
    }
}

/// Path and stamp of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteSummary {
    /// Path below the vault.
    pub path: String,
    /// Stamp when it was indexed.
    pub stamp: Stamp,
}

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
            lexical: OnceLock::new(),
            vectors: OnceLock::new(),
            texts: Texts::default(),
            model: OnceLock::new(),
            languages: OnceLock::new(),
            notes: Kept::new(NOTE_BYTES_KEPT_MAX, NoteRow::n_bytes),
            chunks: Kept::new(CHUNK_BYTES_KEPT_MAX, ChunkAndPieces::n_bytes),
        })
    }

    /// Opens the index at `path`, but only if it was made from the vault that is called so (see
    /// `vault::name_of`).
    pub fn open_of(path: &Path, vault: &str) -> Result<Self> {
        let store = Self::open(path)?;
        match store.fact("vault")? {
            Some(found) if found != vault => Err(Error::StoreOfAnother {
                path: path.to_owned(),
                vault: found,
            }),
            _ => Ok(store),
        }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the model the vectors were made with.
    pub fn model(&self) -> Result<Option<&ModelId>> {
        if let Some(model) = self.model.get() {
            return Ok(model.as_ref());
        }
        let model = self.sql(model)?;
        Ok(self.model.get_or_init(|| model).as_ref())
    }

    /// Returns a fact about the index as a whole.
    pub fn fact(&self, key: &str) -> Result<Option<String>> {
        self.sql(|connection| meta(connection, key))
    }

    /// Returns the languages of the notes, commonest first.
    pub fn languages(&self) -> Result<&[(Language, u64)]> {
        if let Some(languages) = self.languages.get() {
            return Ok(languages);
        }
        let json: Option<String> = self.fact("languages")?;
        let counts: Vec<(String, u64)> =
            serde_json::from_str(&json.unwrap_or_default()).unwrap_or_default();
        let counts = counts.into_iter();
        let languages = counts.map(|(code, n_notes)| (Language::from_code(&code), n_notes));
        Ok(self.languages.get_or_init(|| languages.collect()))
    }

    /// Returns when the vault was last compared with the index, in seconds since 1970.
    pub fn checked_at(&self) -> Result<Option<i64>> {
        Ok(self.fact("checked_at")?.and_then(|text| text.parse().ok()))
    }

    /// Returns path and stamp of every note, by path.
    pub fn notes(&self) -> Result<Vec<NoteSummary>> {
        let stamps = self.sql(stamps)?;
        Ok(stamps
            .into_iter()
            .map(|(path, stamp, _)| NoteSummary { path, stamp })
            .collect())
    }

    /// Returns the number of notes.
    pub fn n_notes(&self) -> Result<u64> {
        Ok(self
            .sql(|connection| meta(connection, "n_notes"))?
            .unwrap_or(0))
    }

    /// Scores every note and chunk by the words of the query; `None` when nothing is indexed. `typed` are
    /// the words that the groups stand for; what no note says of them may be looked for in another spelling.
    pub fn score_words(
        &self,
        groups: &[TermGroup],
        typed: &[Typed],
        options: &LexicalOptions,
        budget: &Budget,
    ) -> Result<Option<LexicalScores<'_>>> {
        // What cannot be read is damage, and no reason to find something else.
        let trouble = Cell::new(None);
        let said = |place: &Place| {
            self.said(place)
                .map_err(|error| trouble.set(Some(error)))
                .ok()
        };
        let scores = self.guarded(|| {
            let Some(reader) = self.lexical()? else {
                return Ok(None);
            };
            reader
                .score(
                    groups,
                    typed,
                    options,
                    &Asking {
                        read: &said,
                        budget,
                    },
                )
                .map(Some)
                .map_err(super::lexical(&self.path))
        })?;
        budget.check()?;
        trouble.take().map_or(Ok(scores), Err)
    }

    /// Returns the nearest chunks, best first, and what an unrelated chunk scores; only of notes that
    /// `is_wanted`, if it is given.
    pub fn nearest(
        &self,
        query: &[f32],
        limit: usize,
        is_wanted: Option<&dyn Fn(NoteId) -> bool>,
    ) -> Result<(Vec<Neighbour>, f32)> {
        self.guarded(|| {
            let Some(entries) = self.lexical()? else {
                return Ok((Vec::new(), 0.0));
            };
            let vectors = self.vectors()?;
            // Not under the lock of the connection: most of it is arithmetic.
            let nearest = match is_wanted {
                None => {
                    let is_any = |slot| entries.has_slot(slot);
                    vectors.nearest(&self.connection, query, limit, is_any)
                }
                Some(is_wanted) => {
                    let is_wanted = |slot| entries.note_of_slot(slot).is_some_and(is_wanted);
                    vectors.nearest(&self.connection, query, limit, is_wanted)
                }
            };
            nearest.map_err(|error| super::sqlite(&self.path, error))
        })
    }

    /// Returns the cosine of the query with each of the chunks, in order of their ids.
    pub fn cosines(&self, query: &[f32], chunks: &[ChunkId]) -> Result<Vec<Neighbour>> {
        let mut slots: Vec<usize> = chunks.iter().map(|chunk| chunk.0 as usize).collect();
        slots.sort_unstable();
        let vectors = self.vectors()?;
        vectors
            .cosines(&self.connection, query, &slots)
            .map_err(|error| super::sqlite(&self.path, error))
    }

    /// Returns the note of a chunk.
    pub fn note_of(&self, chunk: ChunkId) -> Result<Option<NoteId>> {
        Ok(self.lexical()?.and_then(|entries| entries.note_of(chunk)))
    }

    /// Returns one note.
    pub fn note(&self, id: NoteId) -> Result<Arc<NoteRow>> {
        Ok(self.notes_of(&[id])?.remove(0))
    }

    /// Returns some notes, in the order in which they are asked for.
    pub fn notes_of(&self, ids: &[NoteId]) -> Result<Vec<Arc<NoteRow>>> {
        self.sql(|connection| {
            let mut statement = connection.prepare_cached(NOTE_BY_ID)?;
            let mut read = |id: &NoteId| {
                let row = || statement.query_row([id.0], note_row);
                self.notes.get(id.0, row)
            };
            ids.iter().map(&mut read).collect()
        })
    }

    /// Returns one chunk with its word pieces.
    pub fn chunk(&self, id: ChunkId) -> Result<Arc<ChunkAndPieces>> {
        Ok(self.chunks(&[id])?.remove(0))
    }

    /// Returns some chunks, in the order in which they are asked for.
    pub fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<Arc<ChunkAndPieces>>> {
        self.sql(|connection| {
            let mut statement = connection.prepare_cached(CHUNK_BY_ID)?;
            let mut read = |id: &ChunkId| {
                let row = || statement.query_row([id.0], chunk_and_pieces);
                self.chunks.get(id.0, row)
            };
            ids.iter().map(&mut read).collect()
        })
    }

    /// Returns where the words of a query stand in each of the chunks.
    pub fn places(&self, groups: &[TermGroup], chunks: &[ChunkId]) -> Result<Vec<Places>> {
        self.guarded(|| {
            let Some(reader) = self.lexical()? else {
                return Ok(vec![Places::default(); chunks.len()]);
            };
            reader
                .places(groups, chunks)
                .map_err(super::lexical(&self.path))
        })
    }

    /// Returns the chunks of a note in order.
    pub fn chunks_of(&self, note: NoteId) -> Result<Vec<ChunkRow>> {
        self.chunks_where("note = ?1 ORDER BY ordinal", note.0)
    }

    /// Returns the chunks with a short public id: one, unless two happen to share it.
    pub fn chunks_by_handle(&self, handle: u32) -> Result<Vec<ChunkRow>> {
        self.chunks_where("handle = ?1 ORDER BY id", i64::from(handle))
    }

    pub(super) fn corrupt(&self, reason: String) -> Error {
        Error::StoreCorrupt {
            path: self.path.clone(),
            reason,
        }
    }

    /// Returns the notes called by a name (see [`crate::words::name_key`]): those whose file name
    /// it is first, then aliases, then titles; by path among equals.
    pub fn notes_named(&self, key: &str) -> Result<Vec<(NoteId, u8)>> {
        let mut named: Vec<(u8, String, NoteId)> = self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT rank, path, note FROM name JOIN note ON note.id = name.note
                     WHERE key = ?1",
                )?
                .query_map([key], |row| {
                    Ok((row.get(0)?, row.get(1)?, NoteId(row.get(2)?)))
                })?
                .collect()
        })?;
        // They are few: SQLite would make room for a page of them.
        named.sort_unstable();
        Ok(named
            .into_iter()
            .map(|(rank, _, note)| (note, rank))
            .collect())
    }

    /// Returns the note at a path.
    pub fn note_at(&self, path: &str) -> Result<Option<NoteId>> {
        self.sql(|connection| {
            connection
                .prepare_cached("SELECT id FROM note WHERE path = ?1")?
                .query_row([path], |row| row.get(0).map(NoteId))
                .optional()
        })
    }

    fn chunks_where(&self, condition: &str, value: i64) -> Result<Vec<ChunkRow>> {
        self.sql(|connection| {
            connection
                .prepare_cached(&format!("{CHUNK_COLUMNS} WHERE {condition}"))?
                .query_map([value], chunk_row)?
                .collect()
        })
    }

    pub(super) fn sql<T>(&self, run: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        run(&locked(&self.connection)).map_err(|error| super::sqlite(&self.path, error))
    }

    /// Runs what reads the word index. Whole pages hold what was written, unless somebody made them up:
    /// tantivy panics over what it cannot make sense of, and that is damage, too.
    pub(super) fn guarded<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        catch_unwind(AssertUnwindSafe(run))
            .unwrap_or_else(|_| Err(self.corrupt("the word index makes no sense".to_owned())))
    }

    pub(super) fn lexical(&self) -> Result<Option<&LexicalReader>> {
        if let Some(reader) = self.lexical.get() {
            return Ok(reader.as_ref());
        }
        let reader = if self.sql(directory::has_index)? {
            let directory = SqlDirectory::open(&self.connection)
                .map_err(|error| super::sqlite(&self.path, error))?;
            Some(self.guarded(|| LexicalReader::open(directory, &self.path))?)
        } else {
            None
        };
        Ok(self.lexical.get_or_init(|| reader).as_ref())
    }

    fn vectors(&self) -> Result<&VectorReader> {
        if let Some(vectors) = self.vectors.get() {
            return Ok(vectors);
        }
        let vectors = self.sql(|connection| VectorReader::open(connection, center(connection)?))?;
        Ok(self.vectors.get_or_init(|| vectors))
    }
}

const NOTE_BY_ID: &str = "SELECT id, path, title, tags, aliases, headings, date, language,
    superseded_by, n_lines, author, kind, evergreen, pagerank, centrality, n_neighbours, called,
    links_to, mtime_ns, named_by_file FROM note WHERE id = ?1";
const CHUNK_COLUMNS: &str = "SELECT id, note, ordinal, heading, start_byte, end_byte, start_line,
    end_line, page, handle, print, first_print, last_print FROM chunk";
const CHUNK_BY_ID: &str = "SELECT id, note, ordinal, heading, start_byte, end_byte, start_line,
    end_line, page, handle, print, first_print, last_print, pieces FROM chunk WHERE id = ?1";
/// Where the pieces stand in it.
const PIECES_COLUMN: usize = 13;

fn chunk_row(row: &Row<'_>) -> rusqlite::Result<ChunkRow> {
    Ok(ChunkRow {
        id: ChunkId(row.get(0)?),
        note: NoteId(row.get(1)?),
        ordinal: row.get(2)?,
        heading: row.get(3)?,
        range: row.get(4)?..row.get(5)?,
        start_line: row.get(6)?,
        end_line: row.get(7)?,
        page: row.get(8)?,
        handle: row.get(9)?,
        prints: Prints {
            whole: row.get(10)?,
            first: row.get(11)?,
            last: row.get(12)?,
        },
    })
}

fn chunk_and_pieces(row: &Row<'_>) -> rusqlite::Result<ChunkAndPieces> {
    let packed = row.get_ref(PIECES_COLUMN)?.as_blob_or_null()?;
    Ok(ChunkAndPieces {
        row: chunk_row(row)?,
        packed: packed.unwrap_or_default().into(),
    })
}

pub(super) fn list(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<String>> {
    let json: Option<String> = row.get(column)?;
    Ok(json.map_or_else(Vec::new, |json| {
        serde_json::from_str(&json).unwrap_or_default()
    }))
}

fn note_row(row: &Row<'_>) -> rusqlite::Result<NoteRow> {
    let headings: Option<String> = row.get(5)?;
    let headings: Vec<(u8, String, usize)> = headings.map_or_else(Vec::new, |json| {
        serde_json::from_str(&json).unwrap_or_default()
    });
    let language: String = row.get(7)?;
    Ok(NoteRow {
        id: NoteId(row.get(0)?),
        path: row.get(1)?,
        title: row.get(2)?,
        tags: list(row, 3)?,
        aliases: list(row, 4)?,
        headings: headings
            .into_iter()
            .map(|(level, text, start)| Heading { level, text, start })
            .collect(),
        date: row.get(6)?,
        language: Language::from_code(&language),
        superseded_by: row.get(8)?,
        n_lines: row.get(9)?,
        author: row.get(10)?,
        kind: row.get(11)?,
        is_evergreen: row.get(12)?,
        pagerank: row.get(13)?,
        centrality: row.get(14)?,
        n_neighbours: row.get::<_, Option<u32>>(15)?.unwrap_or(0),
        called: list(row, 16)?,
        links_to: super::rows::links::unpacked(
            row.get_ref(17)?.as_blob_or_null()?.unwrap_or_default(),
        ),
        mtime_ns: row.get(18)?,
        is_named_by_file: row.get(19)?,
    })
}

pub(super) fn meta<T: rusqlite::types::FromSql>(
    connection: &Connection,
    key: &str,
) -> rusqlite::Result<Option<T>> {
    connection
        .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()
}

pub(super) fn model(connection: &Connection) -> rusqlite::Result<Option<ModelId>> {
    let Some(name) = meta(connection, "model_name")? else {
        return Ok(None);
    };
    Ok(Some(ModelId {
        name,
        revision: meta(connection, "model_revision")?.unwrap_or_default(),
        dimensions: meta(connection, "model_dimensions")?.unwrap_or_default(),
    }))
}

pub(super) fn center(connection: &Connection) -> rusqlite::Result<Vec<f32>> {
    let bytes: Vec<u8> = meta(connection, "code_center")?.unwrap_or_default();
    Ok(bytes
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect())
}
