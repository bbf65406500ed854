//! The database of conversations as a file: makes it, opens it, brings it up to date, copies it. It is looked
//! at before SQLite sees it, and every page is checked, as those of the index are.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::{ConversationsTrouble, Error, Result};
use crate::store::file::seal::{PAGE_BYTES, SEAL_BYTES};
use crate::store::file::{identity, lock, vfs};
use crate::store::{BUSY_TIMEOUT, is_damage, reason};

/// Marks the file as ours ("KENC").
const APPLICATION_ID: i64 = 0x4B45_4E43;
/// What makes a database of each version from the one before it.
const MIGRATIONS: &[&str] = &[include_str!("1.sql")];
/// Bytes of a SQLite file that say what it is.
const HEADER_BYTES: usize = 100;

/// Opens the database, or makes it. One of an older version is brought up to date.
pub(super) fn open(path: &Path) -> Result<Connection> {
    lock::refuse_link(path).map_err(|_| foreign(path, "a symbolic link"))?;
    if is_new(path)? {
        create(path)?;
    } else {
        check(path)?;
    }
    let connection = connect(path)?;
    migrate(path, &connection, MIGRATIONS)?;
    Ok(connection)
}

/// Whether there is nothing yet, or what is left when the very first run is killed.
fn is_new(path: &Path) -> Result<bool> {
    match fs::metadata(path) {
        Ok(found) => Ok(found.is_file() && found.len() == 0),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) => Err(Error::io(path, error)),
    }
}

/// Makes an empty file that only its owner may read, and puts our mark into it.
fn create(path: &Path) -> Result<()> {
    lock::make_folder(path)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    match options.open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            return Err(Error::io(path, error));
        }
        _ => {}
    }
    let connection = connect(path)?;
    vfs::reserve(&connection);
    let build = || -> rusqlite::Result<()> {
        connection.pragma_update(None, "page_size", PAGE_BYTES as i64)?;
        // Before there is a log: our mark must stand in the file itself, whatever happens next.
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
        connection.pragma_update(None, "journal_mode", "WAL")
    };
    build().map_err(|error| trouble(path, error))
}

fn check(path: &Path) -> Result<()> {
    let mut header = Vec::with_capacity(HEADER_BYTES);
    let file = fs::File::open(path).map_err(|error| Error::io(path, error))?;
    let mut head = file.take(HEADER_BYTES as u64);
    head.read_to_end(&mut header)
        .map_err(|error| Error::io(path, error))?;
    if !header.starts_with(b"SQLite format 3\0") || header.len() < HEADER_BYTES {
        return Err(foreign(path, "not a SQLite database"));
    }
    if header[68..72] != (APPLICATION_ID as u32).to_be_bytes() {
        return Err(foreign(path, "a SQLite database of another program"));
    }
    let page_bytes = usize::from(u16::from_be_bytes([header[16], header[17]]));
    if (page_bytes, usize::from(header[20])) != (PAGE_BYTES, SEAL_BYTES) {
        return Err(damaged(path, "its pages are not those of conversations"));
    }
    // The log beside it may be that of another file, as when a backup was put back.
    identity::check(path).map_err(|_| damaged(path, "the log beside it is not its own"))
}

fn connect(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags_and_vfs(path, flags, vfs::name())?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.pragma_update(None, "mmap_size", 0)?;
        // What cannot be made again is on the disk when it is said to be.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        // What is deleted is gone.
        connection.pragma_update(None, "secure_delete", true)?;
        Ok(connection)
    };
    open().map_err(|error| trouble(path, error))
}

/// Takes an older database through every step that it lacks, all of them or none.
fn migrate(path: &Path, connection: &Connection, steps: &[&str]) -> Result<()> {
    let expected = steps.len() as i64;
    let version = || -> rusqlite::Result<i64> {
        connection.pragma_query_value(None, "user_version", |row| row.get(0))
    };
    let sql = |error| trouble(path, error);
    let found = version().map_err(sql)?;
    if found > expected {
        return Err(told(path, ConversationsTrouble::Newer { found, expected }));
    }
    if found == expected {
        return Ok(());
    }
    let run = || -> rusqlite::Result<()> {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        // Another process may have been quicker.
        let from = usize::try_from(version()?).unwrap_or(0);
        for step in &steps[from.min(steps.len())..] {
            connection.execute_batch(step)?;
        }
        connection.pragma_update(None, "user_version", expected)?;
        identity::advance(connection)?;
        connection.execute_batch("COMMIT")
    };
    run().map_err(|error| {
        let _ = connection.execute_batch("ROLLBACK");
        trouble(path, error)
    })
}

/// Sorts a SQLite error by what the caller can do.
pub(super) fn trouble(path: &Path, error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode;
    if is_damage(&error) {
        return damaged(path, &reason(&error));
    }
    let trouble = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ConversationsTrouble::Busy,
        Some(ErrorCode::DiskFull) => ConversationsTrouble::Full,
        _ => ConversationsTrouble::Failed(error.into()),
    };
    told(path, trouble)
}

fn foreign(path: &Path, reason: &str) -> Error {
    told(path, ConversationsTrouble::Foreign(reason.to_owned()))
}

fn damaged(path: &Path, reason: &str) -> Error {
    told(path, ConversationsTrouble::Damaged(reason.to_owned()))
}

fn told(path: &Path, trouble: ConversationsTrouble) -> Error {
    Error::Conversations {
        path: path.to_owned(),
        trouble,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDED: &str = "ALTER TABLE turn ADD COLUMN rating INTEGER;";

    fn columns(connection: &Connection) -> Vec<String> {
        connection
            .prepare("SELECT name FROM pragma_table_info('turn')")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<rusqlite::Result<_>>()
            .unwrap()
    }

    #[test]
    fn an_older_database_is_brought_up_to_date_and_keeps_what_it_has() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("conversations.db");
        let connection = open(&path).unwrap();
        let add = "INSERT INTO conversation VALUES ('ab', '', 'Roof', 0, '[]', NULL, 1, 2, NULL)";
        connection.execute(add, []).unwrap();
        let steps = [MIGRATIONS[0], ADDED];
        migrate(&path, &connection, &steps).unwrap();
        assert!(columns(&connection).contains(&"rating".to_owned()));
        let title: String = connection
            .query_row("SELECT title FROM conversation", [], |row| row.get(0))
            .unwrap();
        assert_eq!(title, "Roof");
        // This version does not know the second step.
        drop(connection);
        let error = open(&path).unwrap_err().to_string();
        assert!(
            error.ends_with("are of version 2, and this program knows 1"),
            "{error}"
        );
    }

    #[test]
    fn a_step_that_fails_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("conversations.db");
        let connection = open(&path).unwrap();
        let before = columns(&connection);
        let steps = [MIGRATIONS[0], ADDED, "CREATE nonsense"];
        assert!(migrate(&path, &connection, &steps).is_err());
        assert_eq!(columns(&connection), before);
        drop(connection);
        open(&path).unwrap();
    }
}
