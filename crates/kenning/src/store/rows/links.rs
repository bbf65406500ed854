//! Reading the links between notes.

use rusqlite::Row;

use crate::error::Result;
use crate::note::{Link, LinkKind};
use crate::store::NoteId;
use crate::store::read::Store;
use crate::store::write::StoreWriter;

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

/// What a walk along links needs to know of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedNote {
    /// Its id.
    pub id: NoteId,
    /// Path below the vault.
    pub path: String,
    /// Title.
    pub title: String,
    /// Date, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// What kind of note it says it is.
    pub kind: Option<String>,
    /// It does not age.
    pub is_evergreen: bool,
    /// Another note replaces it.
    pub is_superseded: bool,
}

impl Store {
    /// Returns every note, by path.
    pub fn linked_notes(&self) -> Result<Vec<LinkedNote>> {
        self.sql(|connection| {
            connection
                .prepare(
                    "SELECT id, path, title, date, author, kind, evergreen,
                            superseded_by IS NOT NULL
                     FROM note ORDER BY path",
                )?
                .query_map([], |row| {
                    Ok(LinkedNote {
                        id: NoteId(row.get(0)?),
                        path: row.get(1)?,
                        title: row.get(2)?,
                        date: row.get(3)?,
                        author: row.get(4)?,
                        kind: row.get(5)?,
                        is_evergreen: row.get(6)?,
                        is_superseded: row.get(7)?,
                    })
                })?
                .collect()
        })
    }

    /// Returns every link, by the note it stands in and in order.
    pub fn links(&self) -> Result<Vec<LinkRow>> {
        self.sql(|connection| {
            connection
                .prepare(&format!("{COLUMNS} ORDER BY source, line, rowid"))?
                .query_map([], link_row)?
                .collect()
        })
    }

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
        self.sql(paths)
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

/// What the links say of a note.
#[derive(Clone, Debug, PartialEq)]
pub struct NoteStanding {
    /// The note.
    pub note: NoteId,
    /// PageRank, the vault's best being 1.
    pub pagerank: Option<f32>,
    /// Eigenvector centrality, the vault's best being 1.
    pub centrality: Option<f32>,
    /// Notes it links to or is linked from.
    pub n_neighbours: u32,
    /// What other notes call it when they link to it, the commonest first.
    pub called: Vec<String>,
    /// Keys of the paths it links to.
    pub links_to: Vec<u32>,
}

/// Where a link leads, and what it shows instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTarget {
    /// The note it stands in.
    pub source: NoteId,
    /// As written.
    pub target: String,
    /// What is shown, unless it is the target itself.
    pub shown: Option<String>,
}

/// Notes and links, for those who count what links say.
pub struct ChangedGraph {
    /// Id and path of every note, by path.
    pub notes: Vec<(NoteId, String)>,
    /// Every link that may lead to another note.
    pub links: Vec<LinkTarget>,
}

impl StoreWriter {
    /// Returns notes and links, if any came or went since the graph was last counted.
    pub fn changed_graph(&self) -> Result<Option<ChangedGraph>> {
        if !self.is_graph_outdated {
            return Ok(None);
        }
        Ok(Some(ChangedGraph {
            notes: self.sql(paths)?,
            links: self.link_targets()?,
        }))
    }

    /// Returns every link that may lead to another note.
    fn link_targets(&self) -> Result<Vec<LinkTarget>> {
        self.sql(|connection| {
            connection
                .prepare(
                    "SELECT source, target, shown FROM link WHERE target <> ''
                     ORDER BY source, rowid",
                )?
                .query_map([], |row| {
                    Ok(LinkTarget {
                        source: NoteId(row.get(0)?),
                        target: row.get(1)?,
                        shown: row.get(2)?,
                    })
                })?
                .collect()
        })
    }

    /// Writes what the links say of the notes.
    pub fn set_graph(&mut self, standings: &[NoteStanding]) -> Result<()> {
        self.begin()?;
        self.is_graph_outdated = false;
        self.sql(|connection| {
            let mut set = connection.prepare(
                "UPDATE note SET pagerank = ?2, centrality = ?3, n_neighbours = ?4, called = ?5,
                    links_to = ?6
                 WHERE id = ?1 AND (pagerank IS NOT ?2 OR centrality IS NOT ?3
                    OR n_neighbours IS NOT ?4 OR called IS NOT ?5 OR links_to IS NOT ?6)",
            )?;
            for standing in standings {
                set.execute(rusqlite::params![
                    standing.note.0,
                    standing.pagerank,
                    standing.centrality,
                    standing.n_neighbours,
                    super::json_list(&standing.called),
                    packed(&standing.links_to),
                ])?;
            }
            Ok(())
        })
    }

    /// Whether a note that is about to be written links where it did before.
    pub(in crate::store) fn has_same_links(
        &self,
        known: Option<NoteId>,
        links: &[Link],
    ) -> Result<bool> {
        let Some(note) = known else {
            return Ok(false);
        };
        let before: Vec<(String, Option<String>)> = self.sql(|connection| {
            connection
                .prepare_cached("SELECT target, shown FROM link WHERE source = ?1 ORDER BY rowid")?
                .query_map([note.0], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })?;
        let now = links
            .iter()
            .map(|link| (link.target.clone(), link.shown.clone()));
        Ok(before.into_iter().eq(now))
    }
}

fn paths(connection: &rusqlite::Connection) -> rusqlite::Result<Vec<(NoteId, String)>> {
    connection
        .prepare("SELECT id, path FROM note ORDER BY path")?
        .query_map([], |row| Ok((NoteId(row.get(0)?), row.get(1)?)))?
        .collect()
}

/// Keys as they are kept, or nothing when there are none.
fn packed(keys: &[u32]) -> Option<Vec<u8>> {
    let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
    (!bytes.is_empty()).then_some(bytes)
}

/// Reads what [`packed`] keeps.
pub(in crate::store) fn unpacked(bytes: &[u8]) -> Vec<u32> {
    let (keys, _) = bytes.as_chunks();
    keys.iter().map(|key| u32::from_le_bytes(*key)).collect()
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
