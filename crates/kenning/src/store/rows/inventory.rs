//! What the store keeps of files beside the notes: their stamps, which were left out and why, which
//! ones links may lead to, and when they were committed.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, Statement, params};

use crate::error::Result;
use crate::store::write::{DATE_FROM_FILE, DATE_FROM_GIT, StoreWriter};
use crate::vault::{Rule, Skipped, Stamp};

/// What is known of a vault beside its notes.
pub struct Inventory<'a> {
    /// Files that could not be taken.
    pub skipped: &'a [Skipped],
    /// Folders, and when a file last came or went in each.
    pub folders: &'a [(String, i64)],
    /// Other files that links may lead to, by path.
    pub attachments: &'a [String],
    /// What rules left out.
    pub left_out: &'a [(String, Rule)],
}

impl StoreWriter {
    /// Replaces what is known of a vault beside its notes.
    pub fn set_inventory(&mut self, inventory: &Inventory<'_>) -> Result<()> {
        self.begin()?;
        self.sql(|connection| {
            let mut add = replacing(connection, "skipped", "path, reason")?;
            for file in inventory.skipped {
                add.execute((&file.path, &file.reason))?;
            }
            let mut add = replacing(connection, "folder", "path, mtime_ns")?;
            for (path, mtime_ns) in inventory.folders {
                add.execute((path, mtime_ns))?;
            }
            let mut add = replacing(connection, "left_out", "path, rule")?;
            for (path, rule) in inventory.left_out {
                add.execute((path, rule.name()))?;
            }
            set_attachments(connection, inventory.attachments)
        })
    }

    /// Takes one file off the list of those that could not be taken, or puts it there.
    pub fn set_skipped_file(&mut self, path: &str, reason: Option<&str>) -> Result<()> {
        self.begin()?;
        self.sql(|connection| {
            connection.execute("DELETE FROM skipped WHERE path = ?1", [path])?;
            if let Some(reason) = reason {
                connection.execute(
                    "INSERT INTO skipped (path, reason) VALUES (?1, ?2)",
                    [path, reason],
                )?;
            }
            Ok(())
        })
    }

    /// Adds the days of last commits, or replaces all of them; notes that have no date of their
    /// own follow.
    pub fn set_committed(&mut self, days: &HashMap<String, String>, is_whole: bool) -> Result<()> {
        self.begin()?;
        self.sql(|connection| {
            if is_whole {
                connection.execute("DELETE FROM committed", [])?;
            }
            let mut add = connection
                .prepare("INSERT OR REPLACE INTO committed (path, day) VALUES (?1, ?2)")?;
            let mut date = connection.prepare(
                "UPDATE note SET date = ?2, date_source = ?3
                 WHERE path = ?1 AND coalesce(date_source, ?4) IN (?3, ?4)",
            )?;
            for (path, day) in days {
                add.execute([path, day])?;
                date.execute(params![path, day, DATE_FROM_GIT, DATE_FROM_FILE])?;
            }
            Ok(())
        })
    }

    /// Returns the day of each file's last commit.
    pub fn committed(&self) -> Result<HashMap<String, String>> {
        self.sql(committed)
    }
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

pub(in crate::store) fn stamps(
    connection: &Connection,
) -> rusqlite::Result<Vec<(String, Stamp, [u8; 16])>> {
    connection
        .prepare("SELECT path, size, mtime_ns, inode, ctime_ns, hash FROM note ORDER BY path")?
        .query_map([], |row| Ok((row.get(0)?, stamp(row, 1)?, row.get(5)?)))?
        .collect()
}

pub(in crate::store) fn stamp_of(
    connection: &Connection,
    path: &str,
) -> rusqlite::Result<Option<(Stamp, [u8; 16])>> {
    connection
        .prepare("SELECT size, mtime_ns, inode, ctime_ns, hash FROM note WHERE path = ?1")?
        .query_row([path], |row| Ok((stamp(row, 0)?, row.get(4)?)))
        .optional()
}

pub(in crate::store) fn stamp(row: &Row<'_>, first: usize) -> rusqlite::Result<Stamp> {
    Ok(Stamp {
        size: row.get::<_, i64>(first)? as u64,
        mtime_ns: row.get(first + 1)?,
        inode: row.get::<_, i64>(first + 2)? as u64,
        ctime_ns: row.get(first + 3)?,
    })
}
