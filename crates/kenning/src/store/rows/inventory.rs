//! What the store keeps of files beside the notes: their stamps, which were left out and why, which
//! ones links may lead to, and when they were committed.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::Result;
use crate::store::write::{DATE_FROM_FILE, DATE_FROM_GIT, StoreWriter};
use crate::vault::{Rule, Skipped, Stamp};

impl StoreWriter {
    /// Replaces the list of files that could not be taken.
    pub fn set_skipped(&mut self, skipped: &[Skipped]) -> Result<()> {
        self.begin()?;
        self.sql(|connection| {
            connection.execute("DELETE FROM skipped", [])?;
            let mut add = connection
                .prepare("INSERT OR REPLACE INTO skipped (path, reason) VALUES (?1, ?2)")?;
            for file in skipped {
                add.execute((&file.path, &file.reason))?;
            }
            Ok(())
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

    /// Replaces the list of other files that links may lead to.
    pub fn set_attachments(&mut self, paths: &[String]) -> Result<()> {
        let known: Vec<String> = self.sql(|connection| {
            connection
                .prepare("SELECT path FROM attachment ORDER BY path")?
                .query_map([], |row| row.get(0))?
                .collect()
        })?;
        if known == paths {
            return Ok(());
        }
        self.begin()?;
        self.sql(|connection| {
            connection.execute("DELETE FROM attachment", [])?;
            let mut add =
                connection.prepare("INSERT OR IGNORE INTO attachment (path) VALUES (?1)")?;
            for path in paths {
                add.execute([path])?;
            }
            Ok(())
        })
    }

    /// Replaces what is known of the folders.
    pub fn set_folders(&mut self, folders: &[(String, i64)]) -> Result<()> {
        self.begin()?;
        self.sql(|connection| {
            connection.execute("DELETE FROM folder", [])?;
            let mut add = connection
                .prepare("INSERT OR REPLACE INTO folder (path, mtime_ns) VALUES (?1, ?2)")?;
            for (path, mtime_ns) in folders {
                add.execute(params![path, mtime_ns])?;
            }
            Ok(())
        })
    }

    /// Replaces the list of what rules left out.
    pub fn set_left_out(&mut self, left_out: &[(String, Rule)]) -> Result<()> {
        self.begin()?;
        self.sql(|connection| {
            connection.execute("DELETE FROM left_out", [])?;
            let mut add = connection
                .prepare("INSERT OR REPLACE INTO left_out (path, rule) VALUES (?1, ?2)")?;
            for (path, rule) in left_out {
                add.execute((path, rule.name()))?;
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
