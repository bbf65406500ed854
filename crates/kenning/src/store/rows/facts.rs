//! Describing notes beside their text, and the index as a whole.

use rusqlite::{Connection, Row};

use super::meta::Meta;
use super::notes::{list, memory_type};
use crate::embed::ModelId;
use crate::note::MemoryType;
use crate::store::{NoteId, Select, Wanted};
use crate::vault::Skipped;
use crate::words::Language;

/// What conditions on notes look at, and what a list of them shows.
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
    /// What it is to an agent's memory.
    pub memory_type: Option<MemoryType>,
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
    /// The day of its last commit, where git tells it.
    pub committed: Option<String>,
    /// How it came and what became of it.
    pub standing: Standing,
    /// What it was read from.
    pub source: Source,
}

/// What age and replacement look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Who wrote it.
    pub author: Option<String>,
    /// What kind of note it says it is.
    pub kind: Option<String>,
    /// It does not age.
    pub is_evergreen: bool,
    /// Another note replaces it.
    pub is_superseded: bool,
}

/// What a note was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Format it was read as.
    pub format: String,
    /// Where its date comes from.
    pub date_source: Option<String>,
    /// Whether its text was read out of the file, and is not the file as it stands.
    pub is_extracted: bool,
}

impl NoteFacts {
    /// Whether it has a tag or one below it.
    pub fn has_tag(&self, tag: &str) -> bool {
        (self.tags.iter()).any(|own| crate::note::is_tag_or_below(own, tag))
    }
}

/// The index as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// Number of notes.
    pub n_notes: u64,
    /// Number of chunks.
    pub n_chunks: u64,
    /// Chunks that no vector was made of yet: they are found by their words only.
    pub n_chunks_without_vector: u64,
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
    /// Files that are not notes: extension and how many, commonest first.
    pub attachments: Vec<(String, u64)>,
    /// Files that could not be taken.
    pub skipped: Vec<Skipped>,
    /// Notes with something that could not be understood: path, line, message.
    pub warnings: Vec<(String, u32, String)>,
}

/// Describes notes.
pub(in crate::store) fn select(
    connection: &Connection,
    which: Select<'_>,
    wanted: Wanted,
) -> rusqlite::Result<Vec<NoteFacts>> {
    let columns = columns(wanted);
    match which {
        Select::Every => connection
            .prepare_cached(&format!("{columns} ORDER BY note.id"))?
            .query_map([], note_facts)?
            .collect(),
        Select::Newest(n) => connection
            .prepare_cached(&format!(
                "{columns} ORDER BY mtime_ns DESC, note.path LIMIT ?1"
            ))?
            .query_map([n], note_facts)?
            .collect(),
        Select::Notes(notes) => {
            let mut statement =
                connection.prepare_cached(&format!("{columns} WHERE note.id = ?1"))?;
            let mut read = |note: &NoteId| statement.query_row([note.0], note_facts);
            notes.iter().map(&mut read).collect()
        }
    }
}

/// Returns about how much memory a listing needs.
pub fn n_bytes(listing: &[NoteFacts]) -> usize {
    let n_bytes = |facts: &NoteFacts| {
        let texts = facts.tags.iter().chain(&facts.aliases).map(String::len);
        let own = size_of::<NoteFacts>() + facts.path.len() + facts.title.len();
        own + texts.sum::<usize>() + PROPERTY_BYTES * facts.properties.len()
    };
    listing.iter().map(n_bytes).sum()
}

/// The columns of [`note_facts`], those that are not wanted empty.
fn columns(wanted: Wanted) -> String {
    let or = |is_wanted, columns: &'static str, empty: &'static str| match is_wanted {
        true => columns,
        false => empty,
    };
    let tags = or(wanted.tags, "tags", "NULL");
    let properties = or(wanted.properties, "aliases, properties", "NULL, NULL");
    let commits = or(wanted.commits, "committed.day", "NULL");
    let standing = or(
        wanted.standing,
        "author, kind, evergreen, superseded_by IS NOT NULL",
        "NULL, NULL, 0, 0",
    );
    let source = or(
        wanted.source,
        "format, date_source, own_start IS NOT NULL",
        "'', NULL, 0",
    );
    let of_commits = or(wanted.commits, "LEFT JOIN committed USING (path)", "");
    let of_texts = or(
        wanted.source,
        "LEFT JOIN note_text ON note_text.note = note.id",
        "",
    );
    format!(
        "SELECT note.id, note.path, title, {tags}, {properties}, date, published, created, modified,
            mtime_ns, {commits}, {standing}, {source}, memory_type
         FROM note {of_commits} {of_texts}"
    )
}

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
        committed: row.get(11)?,
        standing: Standing {
            author: row.get(12)?,
            kind: row.get(13)?,
            is_evergreen: row.get(14)?,
            is_superseded: row.get(15)?,
        },
        source: Source {
            format: row.get(16)?,
            date_source: row.get(17)?,
            is_extracted: row.get(18)?,
        },
        memory_type: memory_type(row, 19)?,
    })
}

/// About what a property takes.
const PROPERTY_BYTES: usize = 100;

/// Counts what is there, and lists what there is to complain of.
pub(in crate::store) fn status(connection: &Connection, meta: &Meta) -> rusqlite::Result<Status> {
    let count = |table: &str| -> rusqlite::Result<u64> {
        connection.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| {
            row.get(0)
        })
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
        n_chunks_without_vector: count("chunk_without_vector")?,
        n_links: count("link")?,
        n_masked: count("masked")?,
        left_out: left_out(connection)?,
        attachments: kinds_of_attachments(connection)?,
        model: meta.model.clone(),
        languages: meta.languages.clone(),
        checked_at: meta.checked_at,
        skipped,
        warnings,
    })
}

/// A credential that was masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked {
    /// Path of its note.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// What gave it away.
    pub pattern: String,
}

/// Lists the credentials that were masked.
pub(in crate::store) fn masked(connection: &Connection) -> rusqlite::Result<Vec<Masked>> {
    connection
        .prepare(
            "SELECT note.path, masked.line, masked.pattern FROM masked
             JOIN note ON note.id = masked.note ORDER BY note.path, masked.line, masked.pattern",
        )?
        .query_map([], |row| {
            Ok(Masked {
                path: row.get(0)?,
                line: row.get(1)?,
                pattern: row.get(2)?,
            })
        })?
        .collect()
}

/// Returns the day of a time in nanoseconds since 1970, in UTC; none of a file without one.
pub fn day_of_ns(time_ns: i64) -> Option<jiff::civil::Date> {
    let time = jiff::Timestamp::from_nanosecond(i128::from(time_ns)).ok()?;
    let day = time.to_zoned(jiff::tz::TimeZone::UTC).date();
    (time_ns > 0).then_some(day)
}

fn left_out(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    connection
        .prepare("SELECT rule, path FROM left_out ORDER BY rule, path")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Counts the files that are not notes by their extension, commonest first.
fn kinds_of_attachments(connection: &Connection) -> rusqlite::Result<Vec<(String, u64)>> {
    let paths: Vec<String> = connection
        .prepare("SELECT path FROM attachment")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(kinds_of_files(&paths))
}

/// Counts files by their extension, commonest first.
pub fn kinds_of_files(paths: &[String]) -> Vec<(String, u64)> {
    let mut counts = std::collections::BTreeMap::<String, u64>::new();
    for path in paths {
        let name = path.rsplit('/').next().unwrap_or(path);
        let kind = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        *counts.entry(kind.to_lowercase()).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    counts
}
