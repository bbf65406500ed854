//! Reading: one snapshot of the store, never blocked by a writer.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use rusqlite::{Connection, OptionalExtension, Row};

use super::directory::{self, SharedConnection, SqlDirectory, locked};
use super::lexical::{self, LexicalOptions, LexicalReader, LexicalScores, TermGroup};
use super::text::TextReader;
use super::vectors::{Neighbour, VectorReader};
use super::{ChunkId, NoteId};
use crate::embed::ModelId;
use crate::error::{Error, Result};
use crate::note::Heading;
use crate::vault::{Skipped, Stamp};
use crate::words::Language;

/// A snapshot of an index.
pub struct Store {
    path: PathBuf,
    connection: SharedConnection,
    lexical: OnceLock<Option<LexicalReader>>,
    vectors: OnceLock<VectorReader>,
    texts: OnceLock<TextReader>,
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
    /// Number of lines.
    pub n_lines: u32,
}

impl NoteRow {
    /// Returns PARA category and area.
    pub fn para(&self) -> (Option<&str>, Option<&str>) {
        crate::note::para(&self.path)
    }
}

/// What else is known of a note: everything its front matter says, and where it belongs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NoteDetails {
    /// Every property as written.
    pub properties: serde_json::Map<String, serde_json::Value>,
    /// Where the date comes from.
    pub date_source: Option<String>,
    /// PARA category: the first folder.
    pub category: Option<String>,
    /// PARA area: the second folder.
    pub area: Option<String>,
    /// Format it was read as.
    pub format: String,
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
    /// 1-based first line.
    pub start_line: u32,
    /// 1-based last line, inclusive.
    pub end_line: u32,
    /// Page, slide or sheet, where the format has one.
    pub page: Option<u32>,
    /// Short public id.
    pub handle: u32,
}

/// Path and stamp of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteSummary {
    /// Path below the vault.
    pub path: String,
    /// Stamp when it was indexed.
    pub stamp: Stamp,
}

/// The index as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// Number of notes.
    pub n_notes: u64,
    /// Number of chunks.
    pub n_chunks: u64,
    /// Number of links.
    pub n_links: u64,
    /// Number of credentials that were masked.
    pub n_masked: u64,
    /// Model of the vectors.
    pub model: Option<ModelId>,
    /// Languages and how many notes are written in each.
    pub languages: Vec<(Language, u64)>,
    /// Seconds since 1970 at which the vault was last compared with the index.
    pub checked_at: Option<i64>,
    /// What rules left out: rule and path.
    pub left_out: Vec<(String, String)>,
    /// Files that are no notes: extension and how many, commonest first.
    pub attachments: Vec<(String, u64)>,
    /// Files that could not be taken.
    pub skipped: Vec<Skipped>,
    /// Notes with something that could not be understood: path, line, message.
    pub warnings: Vec<(String, u32, String)>,
}

impl Store {
    /// Opens the index at `path`.
    pub fn open(path: &Path) -> Result<Self> {
        let connection = super::open_checked(path, true)?;
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
            texts: OnceLock::new(),
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the model the vectors were made with.
    pub fn model(&self) -> Result<Option<ModelId>> {
        self.sql(model)
    }

    /// Returns a fact about the index as a whole.
    pub fn fact(&self, key: &str) -> Result<Option<String>> {
        self.sql(|connection| meta(connection, key))
    }

    /// Returns the languages of the notes, commonest first.
    pub fn languages(&self) -> Result<Vec<(Language, u64)>> {
        let json: Option<String> = self.fact("languages")?;
        let counts: Vec<(String, u64)> =
            serde_json::from_str(&json.unwrap_or_default()).unwrap_or_default();
        Ok(counts
            .into_iter()
            .map(|(code, n_notes)| (Language::from_code(&code), n_notes))
            .collect())
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

    /// Returns path and stamp of up to `n` notes with ids above `after`.
    pub fn notes_between(&self, after: u64, n: u64) -> Result<Vec<NoteSummary>> {
        self.sql(|connection| {
            connection
                .prepare("SELECT path, size, mtime_ns, inode FROM note WHERE id > ?1 ORDER BY id LIMIT ?2")?
                .query_map([after, n], |row| {
                    Ok(NoteSummary {
                        path: row.get(0)?,
                        stamp: stamp(row, 1)?,
                    })
                })?
                .collect()
        })
    }

    /// Returns the counts and complaints of the index.
    pub fn status(&self) -> Result<Status> {
        let languages = self.languages()?;
        let checked_at = self.checked_at()?;
        self.sql(|connection| {
            let count = |table: &str| -> rusqlite::Result<u64> {
                connection.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0))
            };
            let skipped = connection
                .prepare("SELECT path, reason FROM skipped ORDER BY path")?
                .query_map([], |row| {
                    Ok(Skipped {
                        path: row.get(0)?,
                        reason: row.get(1)?,
                    })
                })?
                .collect::<rusqlite::Result<_>>()?;
            let warnings = connection
                .prepare(
                    "SELECT note.path, w.value ->> 0, w.value ->> 1 FROM note, json_each(warnings) AS w
                     WHERE warnings IS NOT NULL ORDER BY note.path",
                )?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                .collect::<rusqlite::Result<_>>()?;
            Ok(Status {
                n_notes: count("note")?,
                n_chunks: count("chunk")?,
                n_links: count("link")?,
                n_masked: count("masked")?,
                left_out: left_out(connection)?,
                attachments: kinds_of_attachments(connection)?,
                model: model(connection)?,
                languages,
                checked_at,
                skipped,
                warnings,
            })
        })
    }

    /// Scores every note and chunk by the words of the query; `None` when nothing is indexed.
    pub fn score_words(
        &self,
        groups: &[TermGroup],
        options: &LexicalOptions,
    ) -> Result<Option<LexicalScores<'_>>> {
        let Some(reader) = self.lexical()? else {
            return Ok(None);
        };
        reader
            .score(groups, options)
            .map(Some)
            .map_err(super::lexical(&self.path))
    }

    /// Returns the nearest chunks, best first, and what an unrelated chunk scores.
    pub fn nearest(&self, query: &[f32], limit: usize) -> Result<(Vec<Neighbour>, f32)> {
        let Some(entries) = self.lexical()? else {
            return Ok((Vec::new(), 0.0));
        };
        let vectors = self.vectors()?;
        self.sql(|connection| {
            vectors.nearest(connection, query, limit, |slot| entries.has_slot(slot))
        })
    }

    /// Returns the cosine of the query with each of the chunks, in order of their ids.
    pub fn cosines(&self, query: &[f32], chunks: &[ChunkId]) -> Result<Vec<Neighbour>> {
        let mut slots: Vec<usize> = chunks.iter().map(|chunk| chunk.0 as usize).collect();
        slots.sort_unstable();
        let vectors = self.vectors()?;
        self.sql(|connection| vectors.cosines(connection, query, &slots))
    }

    /// Returns the note of a chunk.
    pub fn note_of(&self, chunk: ChunkId) -> Result<Option<NoteId>> {
        Ok(self.lexical()?.and_then(|entries| entries.note_of(chunk)))
    }

    /// Returns one note.
    pub fn note(&self, id: NoteId) -> Result<NoteRow> {
        self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT id, path, title, tags, aliases, headings, date, language,
                            superseded_by, n_lines
                     FROM note WHERE id = ?1",
                )?
                .query_row([id.0], note_row)
        })
    }

    /// Returns what else is known of a note.
    pub fn details(&self, id: NoteId) -> Result<NoteDetails> {
        self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT properties, date_source, category, area, format FROM note WHERE id = ?1",
                )?
                .query_row([id.0], |row| {
                    let json: Option<String> = row.get(0)?;
                    Ok(NoteDetails {
                        properties: json
                            .and_then(|json| serde_json::from_str(&json).ok())
                            .unwrap_or_default(),
                        date_source: row.get(1)?,
                        category: row.get(2)?,
                        area: row.get(3)?,
                        format: row.get(4)?,
                    })
                })
        })
    }

    /// Returns one chunk.
    pub fn chunk(&self, id: ChunkId) -> Result<ChunkRow> {
        self.sql(|connection| {
            connection
                .prepare_cached(&format!("{CHUNK_COLUMNS} WHERE id = ?1"))?
                .query_row([id.0], chunk_row)
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

    /// Returns the text of a note.
    pub fn text(&self, note: NoteId) -> Result<String> {
        let (packed, start, n_bytes) = self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT data, start, n_bytes FROM note_text JOIN text_block ON id = block
                     WHERE note = ?1",
                )?
                .query_row([note.0], |row| {
                    let range: (usize, usize) = (row.get(1)?, row.get(2)?);
                    Ok((row.get::<_, Vec<u8>>(0)?, range.0, range.1))
                })
        })?;
        let texts = match self.texts.get() {
            Some(texts) => texts,
            None => {
                let dictionary: Option<Vec<u8>> =
                    self.sql(|connection| meta(connection, "dictionary"))?;
                self.texts
                    .get_or_init(|| TextReader::new(&dictionary.unwrap_or_default()))
            }
        };
        let corrupt = |reason: String| Error::StoreCorrupt {
            path: self.path.clone(),
            reason,
        };
        let block = texts
            .unpack(&packed)
            .map_err(|error| corrupt(error.to_string()))?;
        let text = block.get(start..start + n_bytes).map(<[u8]>::to_vec);
        text.and_then(|text| String::from_utf8(text).ok())
            .ok_or_else(|| corrupt("a note's text is not where it should be".to_owned()))
    }

    /// Returns the notes called by a name (see [`crate::words::name_key`]): those whose file name
    /// it is first, then aliases, then titles; by path among equals.
    pub fn notes_named(&self, key: &str) -> Result<Vec<(NoteId, u8)>> {
        self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT note, rank FROM name JOIN note ON note.id = name.note
                     WHERE key = ?1 ORDER BY rank, path",
                )?
                .query_map([key], |row| Ok((NoteId(row.get(0)?), row.get(1)?)))?
                .collect()
        })
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

    /// Checks the file from end to end; returns what is wrong.
    pub fn verify(&self) -> Result<Vec<String>> {
        let mut problems = self.sql(|connection| {
            let mut problems: Vec<String> = connection
                .prepare("PRAGMA quick_check")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            problems.retain(|line| line != "ok");
            Ok(problems)
        })?;
        let n_notes: u64 =
            self.sql(|c| c.query_row("SELECT COUNT(*) FROM note", [], |row| row.get(0)))?;
        let n_entries = self.lexical()?.map_or(0, lexical::n_notes);
        if n_notes != n_entries {
            problems.push(format!(
                "{n_notes} notes are stored but {n_entries} are in the word index"
            ));
        }
        for note in self.notes()? {
            if let Some(id) = self.note_at(&note.path)?
                && let Err(error) = self.text(id)
            {
                problems.push(format!("{}: {error}", note.path));
            }
        }
        Ok(problems)
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

    fn lexical(&self) -> Result<Option<&LexicalReader>> {
        if let Some(reader) = self.lexical.get() {
            return Ok(reader.as_ref());
        }
        let reader = if self.sql(directory::has_index)? {
            let directory = SqlDirectory::open(&self.connection)
                .map_err(|error| super::sqlite(&self.path, error))?;
            Some(LexicalReader::open(directory, &self.path)?)
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

const CHUNK_COLUMNS: &str = "SELECT id, note, ordinal, heading, start_byte, end_byte, start_line,
    end_line, page, handle FROM chunk";

fn left_out(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    connection
        .prepare("SELECT rule, path FROM left_out ORDER BY rule, path")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Counts the files that are no notes by their extension, commonest first.
fn kinds_of_attachments(connection: &Connection) -> rusqlite::Result<Vec<(String, u64)>> {
    let paths: Vec<String> = connection
        .prepare("SELECT path FROM attachment")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut counts = std::collections::BTreeMap::<String, u64>::new();
    for path in &paths {
        let name = path.rsplit('/').next().unwrap_or(path);
        let kind = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        *counts.entry(kind.to_lowercase()).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    Ok(counts)
}

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
    })
}

fn note_row(row: &Row<'_>) -> rusqlite::Result<NoteRow> {
    let list = |column: usize| -> rusqlite::Result<Vec<String>> {
        let json: Option<String> = row.get(column)?;
        Ok(json.map_or_else(Vec::new, |json| {
            serde_json::from_str(&json).unwrap_or_default()
        }))
    };
    let headings: Option<String> = row.get(5)?;
    let headings: Vec<(u8, String)> = headings.map_or_else(Vec::new, |json| {
        serde_json::from_str(&json).unwrap_or_default()
    });
    let language: String = row.get(7)?;
    Ok(NoteRow {
        id: NoteId(row.get(0)?),
        path: row.get(1)?,
        title: row.get(2)?,
        tags: list(3)?,
        aliases: list(4)?,
        headings: headings
            .into_iter()
            .map(|(level, text)| Heading {
                level,
                text,
                start: 0,
            })
            .collect(),
        date: row.get(6)?,
        language: Language::from_code(&language),
        superseded_by: row.get(8)?,
        n_lines: row.get(9)?,
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

pub(super) fn stamps(connection: &Connection) -> rusqlite::Result<Vec<(String, Stamp, [u8; 16])>> {
    connection
        .prepare("SELECT path, size, mtime_ns, inode, hash FROM note ORDER BY path")?
        .query_map([], |row| Ok((row.get(0)?, stamp(row, 1)?, row.get(4)?)))?
        .collect()
}

pub(super) fn stamp_of(
    connection: &Connection,
    path: &str,
) -> rusqlite::Result<Option<(Stamp, [u8; 16])>> {
    connection
        .prepare("SELECT size, mtime_ns, inode, hash FROM note WHERE path = ?1")?
        .query_row([path], |row| Ok((stamp(row, 0)?, row.get(3)?)))
        .optional()
}

fn stamp(row: &Row<'_>, first: usize) -> rusqlite::Result<Stamp> {
    Ok(Stamp {
        size: row.get::<_, i64>(first)? as u64,
        mtime_ns: row.get(first + 1)?,
        inode: row.get::<_, i64>(first + 2)? as u64,
    })
}
