//! The links between notes, and what they say of them.

use std::sync::Arc;

use rusqlite::{Connection, Row};
use rustc_hash::FxHashSet;

use super::columns;
use crate::note::{Link, LinkKind};
use crate::store::{LinksOf, NoteId};

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

/// Reads links.
pub(in crate::store) fn read(
    connection: &Connection,
    of: LinksOf<'_>,
) -> rusqlite::Result<Vec<LinkRow>> {
    match of {
        LinksOf::Every => connection
            .prepare(&format!("{COLUMNS} ORDER BY source, line, rowid"))?
            .query_map([], link_row)?
            .collect(),
        LinksOf::Note(note) => connection
            .prepare_cached(&format!("{COLUMNS} WHERE source = ?1 ORDER BY line, rowid"))?
            .query_map([note.0], link_row)?
            .collect(),
        LinksOf::Target(name) => that_may_lead_to(connection, name),
    }
}

fn that_may_lead_to(connection: &Connection, name: &str) -> rusqlite::Result<Vec<LinkRow>> {
    let name = name.to_lowercase();
    let mut statement = connection.prepare(&format!("{COLUMNS} ORDER BY source, line"))?;
    let rows = statement.query_map([], link_row)?;
    // Names may hold any letter, and SQLite folds the case of ASCII only.
    rows.filter(|row| {
        row.as_ref()
            .map_or(true, |link| link.target.to_lowercase().contains(&name))
    })
    .collect()
}

/// Lists the paths of every file that a link may lead to.
pub(in crate::store) fn files(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection
        .prepare("SELECT path FROM note UNION SELECT path FROM attachment ORDER BY path")?
        .query_map([], |row| row.get(0))?
        .collect()
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
    /// Anchor texts: what other notes call it when they link to it, the commonest first.
    pub anchor_texts: Vec<String>,
    /// Keys of the paths it links to.
    pub links_to: Vec<u32>,
}

/// Where a link leads, and what it shows instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTarget {
    /// The note it stands in.
    pub source: NoteId,
    /// As written. Links that lead to the same share it: there are millions of them in a large vault.
    pub target: Arc<str>,
    /// What is shown, unless it is the target itself.
    pub shown: Option<Arc<str>>,
}

/// Notes and links, for those who count what links say.
pub struct ChangedGraph {
    /// Id and path of every note, by path.
    pub notes: Vec<(NoteId, String)>,
    /// Every link that may lead to another note.
    pub links: Vec<LinkTarget>,
}

/// Reads notes and links.
pub(in crate::store) fn graph(connection: &Connection) -> rusqlite::Result<ChangedGraph> {
    let mut names = FxHashSet::default();
    let mut shared = |name: &str| -> Arc<str> {
        if let Some(known) = names.get(name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = Arc::from(name);
        names.insert(Arc::clone(&name));
        name
    };
    let links = connection
        .prepare(
            "SELECT source, target, shown FROM link WHERE target <> ''
             ORDER BY source, rowid",
        )?
        .query_map([], |row| {
            let shown = row.get_ref(2)?.as_str_or_null()?;
            Ok(LinkTarget {
                source: NoteId(row.get(0)?),
                target: shared(row.get_ref(1)?.as_str()?),
                shown: shown.map(&mut shared),
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(ChangedGraph {
        notes: paths(connection)?,
        links,
    })
}

/// Writes what the links say of the notes.
pub(in crate::store) fn set_graph(
    connection: &Connection,
    standings: &[NoteStanding],
) -> rusqlite::Result<()> {
    let mut set = connection.prepare(
        "UPDATE note SET pagerank = ?2, centrality = ?3, n_neighbours = ?4, anchor_texts = ?5,
            links_to = ?6
         WHERE id = ?1 AND (pagerank IS NOT ?2 OR centrality IS NOT ?3
            OR n_neighbours IS NOT ?4 OR anchor_texts IS NOT ?5 OR links_to IS NOT ?6)",
    )?;
    for standing in standings {
        set.execute(rusqlite::params![
            standing.note.0,
            standing.pagerank,
            standing.centrality,
            standing.n_neighbours,
            columns::list(&standing.anchor_texts),
            columns::keys(&standing.links_to),
        ])?;
    }
    Ok(())
}

/// Whether a note that is about to be written links where it did before.
pub(in crate::store) fn are_same(
    connection: &Connection,
    known: Option<NoteId>,
    links: &[Link],
) -> rusqlite::Result<bool> {
    let Some(note) = known else {
        return Ok(false);
    };
    let before: Vec<(String, Option<String>)> = connection
        .prepare_cached("SELECT target, shown FROM link WHERE source = ?1 ORDER BY rowid")?
        .query_map([note.0], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let now = links
        .iter()
        .map(|link| (link.target.clone(), link.shown.clone()));
    Ok(before.into_iter().eq(now))
}

fn paths(connection: &Connection) -> rusqlite::Result<Vec<(NoteId, String)>> {
    connection
        .prepare("SELECT id, path FROM note ORDER BY path")?
        .query_map([], |row| Ok((NoteId(row.get(0)?), row.get(1)?)))?
        .collect()
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
