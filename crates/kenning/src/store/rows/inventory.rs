//! What the store keeps of files beside the notes: their stamps, which were left out and why, which
//! ones links may lead to, and when they were committed.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, Statement, params};

use crate::embed::PassageKey;
use crate::store::Known;
use crate::store::{DATE_FROM_FILE, DATE_FROM_GIT};
use crate::vault::{Rule, Skipped, Stamp};

/// What is known of a vault beside its notes.
pub enum Inventory<'a> {
    /// Everything that a walk saw, in place of what was seen before.
    Walk {
        /// Files that could not be taken.
        skipped: &'a [Skipped],
        /// Folders, and when a file last came or went in each.
        folders: &'a [(String, i64)],
        /// Other files that links may lead to, by path.
        attachments: &'a [String],
        /// What rules left out.
        left_out: &'a [(String, Rule)],
    },
    /// Whether one file could be taken, and why not.
    File {
        /// Its path.
        path: &'a str,
        /// Why it could not, if so.
        skipped: Option<&'a str>,
    },
    /// Days of last commits; notes that have no date of their own follow.
    Commits {
        /// Paths and days.
        days: &'a HashMap<String, String>,
        /// Whether there are no others.
        is_whole: bool,
    },
}

/// Writes it.
pub(in crate::store) fn set(
    connection: &Connection,
    inventory: &Inventory<'_>,
) -> rusqlite::Result<()> {
    match *inventory {
        Inventory::Walk {
            skipped,
            folders,
            attachments,
            left_out,
        } => {
            let mut add = replacing(connection, "skipped", "path, reason")?;
            for file in skipped {
                add.execute((&file.path, &file.reason))?;
            }
            let mut add = replacing(connection, "folder", "path, mtime_ns")?;
            for (path, mtime_ns) in folders {
                add.execute((path, mtime_ns))?;
            }
            let mut add = replacing(connection, "left_out", "path, rule")?;
            for (path, rule) in left_out {
                add.execute((path, rule.name()))?;
            }
            set_attachments(connection, attachments)
        }
        Inventory::File { path, skipped } => set_file(connection, path, skipped),
        Inventory::Commits { days, is_whole } => set_commits(connection, days, is_whole),
    }
}

/// Takes one file off the list of those that could not be taken, or puts it there.
fn set_file(connection: &Connection, path: &str, skipped: Option<&str>) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM skipped WHERE path = ?1", [path])?;
    if let Some(reason) = skipped {
        connection.execute(
            "INSERT INTO skipped (path, reason) VALUES (?1, ?2)",
            [path, reason],
        )?;
    }
    Ok(())
}

fn set_commits(
    connection: &Connection,
    days: &HashMap<String, String>,
    is_whole: bool,
) -> rusqlite::Result<()> {
    if is_whole {
        connection.execute("DELETE FROM committed", [])?;
    }
    let mut add =
        connection.prepare("INSERT OR REPLACE INTO committed (path, day) VALUES (?1, ?2)")?;
    let mut date = connection.prepare(
        "UPDATE note SET date = ?2, date_source = ?3
         WHERE path = ?1 AND coalesce(date_source, ?4) IN (?3, ?4)",
    )?;
    for (path, day) in days {
        add.execute([path, day])?;
        date.execute(params![path, day, DATE_FROM_GIT, DATE_FROM_FILE])?;
    }
    Ok(())
}

/// Empties a table of two columns and returns what fills it again.
fn replacing<'c>(
    connection: &'c Connection,
    table: &str,
    columns: &str,
) -> rusqlite::Result<Statement<'c>> {
    connection.execute(&format!("DELETE FROM {table}"), [])?;
    connection.prepare(&format!(
        "INSERT OR REPLACE INTO {table} ({columns}) VALUES (?1, ?2)"
    ))
}

/// There may be many, and they seldom change.
fn set_attachments(connection: &Connection, paths: &[String]) -> rusqlite::Result<()> {
    let known: Vec<String> = connection
        .prepare("SELECT path FROM attachment ORDER BY path")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    if known == paths {
        return Ok(());
    }
    connection.execute("DELETE FROM attachment", [])?;
    let mut add = connection.prepare("INSERT OR IGNORE INTO attachment (path) VALUES (?1)")?;
    paths
        .iter()
        .try_for_each(|path| add.execute([path]).map(drop))
}

pub(in crate::store) fn committed(
    connection: &Connection,
) -> rusqlite::Result<HashMap<String, String>> {
    connection
        .prepare("SELECT path, day FROM committed")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// What is kept beside the notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Folders, and when a file last came or went in each.
    pub folders: Vec<(String, i64)>,
    /// Days of last commits, by path.
    pub committed: HashMap<String, String>,
    /// The texts that a second model made vectors of.
    pub text_vectors: Vec<PassageKey>,
}

pub(in crate::store) fn surroundings(connection: &Connection) -> rusqlite::Result<Surroundings> {
    let folders = connection
        .prepare("SELECT path, mtime_ns FROM folder ORDER BY path")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let text_vectors = connection
        .prepare("SELECT key FROM text_vector ORDER BY key")?
        .query_map([], |row| row.get(0).map(PassageKey))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Surroundings {
        folders,
        committed: committed(connection)?,
        text_vectors,
    })
}

/// A note as it was when it was indexed, to compare with its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownNote {
    /// Path below the vault.
    pub path: String,
    /// Stamp of its file.
    pub stamp: Stamp,
    /// Hash of its bytes.
    pub hash: [u8; 16],
}

/// Lists notes with their stamps, by path.
pub(in crate::store) fn known(
    connection: &Connection,
    which: Known,
) -> rusqlite::Result<Vec<KnownNote>> {
    let (n_before, n) = match which {
        Known::Every => (0, -1),
        Known::Window { n_before, n } => (n_before as i64, n as i64),
    };
    connection
        .prepare_cached(
            "SELECT path, size, mtime_ns, inode, ctime_ns, hash FROM note ORDER BY path LIMIT ?2 OFFSET ?1",
        )?
        .query_map([n_before, n], |row| {
            Ok(KnownNote {
                path: row.get(0)?,
                stamp: stamp(row, 1)?,
                hash: row.get(5)?,
            })
        })?
        .collect()
}

/// Reads when a file last came or went in a folder.
pub(in crate::store) fn folder_time(
    connection: &Connection,
    folder: &str,
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT mtime_ns FROM folder WHERE path = ?1")?
        .query_row([folder], |row| row.get(0))
        .optional()
}

/// Reads stamp and hash of the note at a path, or of every note.
pub(in crate::store) fn stamps(
    connection: &Connection,
    path: Option<&str>,
) -> rusqlite::Result<HashMap<String, (Stamp, [u8; 16])>> {
    let columns = "SELECT path, size, mtime_ns, inode, ctime_ns, hash FROM note";
    let read = |row: &Row<'_>| Ok((row.get(0)?, (stamp(row, 1)?, row.get(5)?)));
    match path {
        Some(path) => connection
            .prepare_cached(&format!("{columns} WHERE path = ?1"))?
            .query_map([path], read)?
            .collect(),
        None => connection.prepare(columns)?.query_map([], read)?.collect(),
    }
}

fn stamp(row: &Row<'_>, first: usize) -> rusqlite::Result<Stamp> {
    Ok(Stamp {
        size: row.get::<_, i64>(first)? as u64,
        mtime_ns: row.get(first + 1)?,
        inode: row.get::<_, i64>(first + 2)? as u64,
        ctime_ns: row.get(first + 3)?,
    })
}
