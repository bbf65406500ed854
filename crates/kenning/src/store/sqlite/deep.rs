//! Looks at everything that an index holds, and whether its parts tell the same.
//!
//! A page that is whole may still hold what no run would have written: made up by somebody, or left by a fault
//! of our own. So every row is decoded, every posting read, and rows, words and vectors are compared with each other.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::Connection;
use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::store::lexical::whole;
use crate::store::rows::chunks::{self, ChunkRow};
use crate::store::rows::meta;
use crate::store::sqlite::read::SqliteStore;
use crate::store::vector::whole as vectors;
use crate::store::{NoteId, Part, Reads, Select, Wanted};

/// Problems of one kind that are told one by one; more are counted.
const TOLD_MAX: usize = 10;
/// Columns that hold JSON.
const JSON_COLUMNS: [&str; 6] = [
    "tags",
    "aliases",
    "properties",
    "headings",
    "anchor_texts",
    "warnings",
];
/// Counts that are kept, and what they count.
const COUNTS: [(&str, &str); 3] = [
    ("n_notes", "note"),
    ("n_chunks", "chunk"),
    ("n_links", "link"),
];

/// Looks for one kind of problem.
type Look = fn(&SqliteStore) -> Result<Vec<String>>;

impl SqliteStore {
    /// Reads the whole index and compares its parts; returns everything that is wrong.
    pub(in crate::store) fn differences(&self) -> Result<Vec<String>> {
        let mut problems = Vec::new();
        let looks: [Look; 5] = [
            |store| store.sql(rows),
            |store| store.sql(json),
            Self::passages,
            Self::word_entries,
            Self::vector_rows,
        ];
        for look in looks {
            // Tantivy panics over what it cannot make sense of.
            let found = catch_unwind(AssertUnwindSafe(|| look(self)))
                .unwrap_or_else(|_| Ok(vec!["the word index makes no sense".to_owned()]));
            problems.extend(cut(found.unwrap_or_else(|error| vec![error.to_string()])));
        }
        Ok(problems)
    }

    /// Every passage lies inside its note, and nowhere between two letters.
    fn passages(&self) -> Result<Vec<String>> {
        let mut problems = Vec::new();
        for note in self.select(Select::Every, Wanted::NAMES)?.iter() {
            let wrong = self
                .passage_problem(note.id)
                .unwrap_or_else(|error| Some(error.to_string()));
            problems.extend(wrong.map(|wrong| format!("{}: {wrong}", note.path)));
        }
        Ok(problems)
    }

    fn passage_problem(&self, id: NoteId) -> Result<Option<String>> {
        let note = self.note(id)?;
        let text = self.text(id, &Part::Whole)?;
        let chunks = self.sql(|connection| chunks::of_note(connection, id))?;
        let is_sound = |(ordinal, chunk): (usize, &ChunkRow)| {
            chunk.ordinal as usize == ordinal
                && text.get(chunk.range.clone()).is_some()
                && chunk.start_line <= chunk.end_line
                && chunk.heading.is_none_or(|at| at < note.headings.len())
        };
        let unsound = chunks.iter().enumerate().position(|chunk| !is_sound(chunk));
        Ok(unsound.map(|number| format!("its passage {number} is not part of it")))
    }

    /// Every posting can be read, and words and rows know of the same passages.
    fn word_entries(&self) -> Result<Vec<String>> {
        let Some(words) = self.words()? else {
            return Ok(Vec::new());
        };
        let mut problems =
            whole::problems(words).map_err(crate::store::lexical_error(self.path()))?;
        let stored = self.sql(chunk_notes)?;
        let n_entries = words.n_chunks();
        if stored.len() != n_entries {
            problems.push(format!(
                "{} passages are stored but {n_entries} are in the word index",
                stored.len()
            ));
        }
        for (chunk, note) in stored {
            if words.note_of_vector(chunk) != Some(note) {
                problems.push(format!(
                    "passage {chunk} is of another note in the word index"
                ));
            }
        }
        Ok(problems)
    }

    /// Every passage has a vector, or is known to have none, and their sum is what was kept of it.
    fn vector_rows(&self) -> Result<Vec<String>> {
        let ids = self.sql(chunk_notes)?.into_iter().map(|(id, _)| id);
        let ids: FxHashSet<usize> = ids.collect();
        let without = self.without_vector()?.into_iter();
        let without: FxHashSet<usize> = without.map(|chunk| chunk.0 as usize).collect();
        let center = self.sql(meta::center)?;
        vectors::problems(self.connection(), center, &ids, &without)
            .map_err(|error| crate::store::sqlite_error(self.path(), error))
    }
}

/// What rows say of each other.
fn rows(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut problems: Vec<String> = connection
        .prepare("PRAGMA foreign_key_check")?
        .query_map([], |row| {
            let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
            Ok(format!(
                "a row of `{table}` belongs to a `{parent}` that is not there"
            ))
        })?
        .collect::<rusqlite::Result<_>>()?;
    for (key, table) in COUNTS {
        let kept: Option<i64> = meta::get(connection, key)?;
        let count = format!("SELECT COUNT(*) FROM {table}");
        let count: i64 = connection.query_row(&count, [], |row| row.get(0))?;
        if kept.is_some_and(|kept| kept != count) {
            problems.push(format!(
                "{count} rows of `{table}`, and {} were counted",
                kept.unwrap_or_default()
            ));
        }
    }
    for (what, query) in [
        (
            "a note has no text",
            "SELECT path FROM note WHERE id NOT IN (SELECT note FROM note_text)",
        ),
        (
            "a note cannot be called by any name",
            "SELECT path FROM note WHERE named_by_file AND id NOT IN (SELECT note FROM name)",
        ),
        (
            "a text belongs to no note",
            "SELECT id FROM text_block WHERE id NOT IN (SELECT block FROM note_text)",
        ),
        (
            "a passage is in use and free at once",
            "SELECT id FROM free_vector_id WHERE id IN (SELECT id FROM chunk)",
        ),
    ] {
        let mut statement = connection.prepare(query)?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            let which: rusqlite::types::Value = row.get(0)?;
            problems.push(match which {
                rusqlite::types::Value::Text(path) => format!("{path}: {what}"),
                _ => what.to_owned(),
            });
        }
    }
    Ok(problems)
}

/// Lists that are no lists would be taken for empty ones.
fn json(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut problems = Vec::new();
    for column in JSON_COLUMNS {
        let query = format!("SELECT path FROM note WHERE NOT json_valid({column})");
        let mut statement = connection.prepare(&query)?;
        for path in statement.query_map([], |row| row.get::<_, String>(0))? {
            problems.push(format!("{}: its `{column}` cannot be read", path?));
        }
    }
    Ok(problems)
}

/// Every passage by its id, with its note.
fn chunk_notes(connection: &Connection) -> rusqlite::Result<Vec<(usize, NoteId)>> {
    connection
        .prepare("SELECT id, note FROM chunk ORDER BY id")?
        .query_map([], |row| Ok((row.get(0)?, NoteId(row.get(1)?))))?
        .collect()
}

/// The first of many problems, and how many more there are.
fn cut(mut problems: Vec<String>) -> Vec<String> {
    let n_more = problems.len().saturating_sub(TOLD_MAX);
    problems.truncate(TOLD_MAX);
    if n_more > 0 {
        problems.push(format!("and {n_more} more of this kind"));
    }
    problems
}
