//! Reading the links between notes.

use rusqlite::Row;

use super::NoteId;
use super::read::Store;
use crate::error::Result;
use crate::note::LinkKind;

/// A link as it stands in a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// The note it stands in.
    pub source: NoteId,
    /// 1-based line.
    pub line: u32,
    /// How it was written.
    pub kind: LinkKind,
    /// Name or path of its target.
    pub target: String,
    /// Heading or block within the target.
    pub anchor: Option<String>,
    /// Text shown instead of the target.
    pub shown: Option<String>,
}

impl Store {
    /// Returns the links of a note in order.
    pub fn links_from(&self, note: NoteId) -> Result<Vec<LinkRow>> {
        self.sql(|connection| {
            connection
                .prepare_cached(&format!("{COLUMNS} WHERE source = ?1 ORDER BY line, rowid"))?
                .query_map([note.0], link_row)?
                .collect()
        })
    }

    /// Returns the links whose target contains `name`; some may lead elsewhere.
    pub fn links_that_may_lead_to(&self, name: &str) -> Result<Vec<LinkRow>> {
        let name = name.to_lowercase();
        self.sql(|connection| {
            let mut statement = connection.prepare(&format!("{COLUMNS} ORDER BY source, line"))?;
            let rows = statement.query_map([], link_row)?;
            // Names may hold any letter, and SQLite folds the case of ASCII only.
            rows.filter(|row| {
                row.as_ref()
                    .map_or(true, |link| link.target.to_lowercase().contains(&name))
            })
            .collect()
        })
    }

    /// Returns id and path of every note.
    pub fn note_paths(&self) -> Result<Vec<(NoteId, String)>> {
        self.sql(|connection| {
            connection
                .prepare("SELECT id, path FROM note ORDER BY path")?
                .query_map([], |row| Ok((NoteId(row.get(0)?), row.get(1)?)))?
                .collect()
        })
    }

    /// Returns the paths of every file that a link may lead to.
    pub fn file_paths(&self) -> Result<Vec<String>> {
        self.sql(|connection| {
            connection
                .prepare("SELECT path FROM note UNION SELECT path FROM attachment ORDER BY path")?
                .query_map([], |row| row.get(0))?
                .collect()
        })
    }
}

const COLUMNS: &str = "SELECT source, line, kind, target, anchor, shown FROM link";

fn link_row(row: &Row<'_>) -> rusqlite::Result<LinkRow> {
    Ok(LinkRow {
        source: NoteId(row.get(0)?),
        line: row.get(1)?,
        kind: LinkKind::from_number(row.get(2)?),
        target: row.get(3)?,
        anchor: row.get(4)?,
        shown: row.get(5)?,
    })
}
