//! Reading what is known of notes beside their text, and of the index as a whole.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row};

use super::inventory::stamp;
use crate::embed::ModelId;
use crate::error::Result;
use crate::store::NoteId;
use crate::store::read::{NoteRow, NoteSummary, Store, list, model};
use crate::vault::Skipped;
use crate::words::Language;

/// What conditions on notes look at.
#[derive(Clone, Debug, PartialEq)]
pub struct NoteFacts {
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
    /// Every property as written.
    pub properties: serde_json::Map<String, serde_json::Value>,
    /// Date, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// What the front matter says of it.
    pub published: Option<String>,
    /// What the front matter says of it.
    pub created: Option<String>,
    /// What the front matter says of it.
    pub modified: Option<String>,
    /// Nanoseconds since 1970 at which its file was last modified.
    pub mtime_ns: i64,
}

impl NoteFacts {
    /// Whether it has a tag or one below it.
    pub fn has_tag(&self, tag: &str) -> bool {
        (self.tags.iter()).any(|own| crate::note::is_tag_or_below(own, tag))
    }
}

/// How much of the facts is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Path, title and date.
    Names,
    /// Tags, too.
    Tags,
    /// Everything.
    All,
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
    /// Returns what conditions look at, for every note. Lists and properties are kept as JSON and
    /// cost most of the time: what is not wanted is left empty.
    pub fn facts(&self, wanted: Wanted) -> Result<Vec<NoteFacts>> {
        let columns = match wanted {
            Wanted::Names => "NULL, NULL, NULL",
            Wanted::Tags => "tags, NULL, NULL",
            Wanted::All => "tags, aliases, properties",
        };
        self.sql(|connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT id, path, title, {columns}, {DATES} FROM note ORDER BY id"
                ))?
                .query_map([], note_facts)?
                .collect()
        })
    }

    /// Returns what conditions look at, for one note.
    pub fn facts_of(&self, id: NoteId) -> Result<NoteFacts> {
        self.sql(|connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT id, path, title, tags, aliases, properties, {DATES} FROM note
                     WHERE id = ?1"
                ))?
                .query_row([id.0], note_facts)
        })
    }

    /// Returns path and stamp of up to `n` notes behind the first `n_before`, by path.
    ///
    /// Ids would not do: they have gaps wherever notes were moved or went.
    pub fn notes_between(&self, n_before: u64, n: u64) -> Result<Vec<NoteSummary>> {
        self.sql(|connection| {
            connection
                .prepare(
                    "SELECT path, size, mtime_ns, inode, ctime_ns FROM note ORDER BY path LIMIT ?2 OFFSET ?1",
                )?
                .query_map([n_before, n], |row| {
                    Ok(NoteSummary {
                        path: row.get(0)?,
                        stamp: stamp(row, 1)?,
                    })
                })?
                .collect()
        })
    }

    /// Returns when a file last came or went in a folder, as of the last run that looked at it.
    pub fn folder_time(&self, folder: &str) -> Result<Option<i64>> {
        self.sql(|connection| {
            connection
                .prepare_cached("SELECT mtime_ns FROM folder WHERE path = ?1")?
                .query_row([folder], |row| row.get(0))
                .optional()
        })
    }

    /// Returns the file system that the vault was last seen on.
    pub fn device(&self) -> Result<Option<u64>> {
        Ok(self.fact("device")?.and_then(|id| id.parse().ok()))
    }

    /// Returns the day of each file's last commit, where git tells it.
    pub fn committed(&self) -> Result<HashMap<String, String>> {
        self.sql(super::inventory::committed)
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

    /// Returns the notes whose files changed last, the newest first.
    pub fn recently_changed(&self, limit: usize) -> Result<Vec<Arc<NoteRow>>> {
        let newest: Vec<NoteId> = self.sql(|connection| {
            connection
                .prepare_cached("SELECT id FROM note ORDER BY mtime_ns DESC, path LIMIT ?1")?
                .query_map([limit], |row| row.get(0).map(NoteId))?
                .collect()
        })?;
        newest.into_iter().map(|id| self.note(id)).collect()
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
                languages: languages.to_vec(),
                checked_at,
                skipped,
                warnings,
            })
        })
    }
}

impl NoteRow {
    /// Returns the day its file was last modified.
    pub fn modified_day(&self) -> Option<jiff::civil::Date> {
        day_of_ns(self.mtime_ns)
    }
}

/// Returns the day of a time in nanoseconds since 1970, in UTC; none of a file without one.
pub fn day_of_ns(time_ns: i64) -> Option<jiff::civil::Date> {
    let time = jiff::Timestamp::from_nanosecond(i128::from(time_ns)).ok()?;
    let day = time.to_zoned(jiff::tz::TimeZone::UTC).date();
    (time_ns > 0).then_some(day)
}

const DATES: &str = "date, published, created, modified, mtime_ns";

fn note_facts(row: &Row<'_>) -> rusqlite::Result<NoteFacts> {
    let properties: Option<String> = row.get(5)?;
    Ok(NoteFacts {
        id: NoteId(row.get(0)?),
        path: row.get(1)?,
        title: row.get(2)?,
        tags: list(row, 3)?,
        aliases: list(row, 4)?,
        properties: properties
            .and_then(|json| serde_json::from_str(&json).ok())
            .unwrap_or_default(),
        date: row.get(6)?,
        published: row.get(7)?,
        created: row.get(8)?,
        modified: row.get(9)?,
        mtime_ns: row.get(10)?,
    })
}

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
