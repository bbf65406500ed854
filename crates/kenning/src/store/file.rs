//! The index as a file: makes it, opens it, and looks at it before SQLite does.

pub(super) mod damage;
pub(super) mod identity;
pub(super) mod lock;
pub(super) mod log;
pub(super) mod seal;
pub(super) mod version;
pub(super) mod vfs;

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{APPLICATION_ID, BUSY_TIMEOUT, SCHEMA_VERSION, sqlite_error};
use crate::error::{Error, Result};
use seal::{PAGE_BYTES, SEAL_BYTES, is_sealed};

/// Bytes of a SQLite file that say what it is.
const HEADER_BYTES: usize = 100;
/// Pages that are looked at to tell a damaged index from a file of somebody else.
const PROBED_PAGES: u64 = 16;
/// Pages that a connection keeps, in KiB.
const CACHE_KIB: i64 = 4 << 10;

/// Opens an existing index and checks that it is one of ours and of this version.
pub(super) fn open_checked(path: &Path, read_only: bool) -> Result<Connection> {
    check_file(path)?;
    identity::check(path)?;
    let (connection, found) = connect(path, read_only)?;
    let n_tables: i64 = connection
        .query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|error| sqlite_error(path, error))?;
    if found == 0 && n_tables == 0 {
        // Our mark and nothing else: what is left when the very first run is killed.
        return Err(Error::StoreMissing {
            path: path.to_owned(),
        });
    }
    if found != SCHEMA_VERSION {
        return Err(outdated(path, found));
    }
    Ok(connection)
}

/// Copies the log into the file and empties it, if nobody needs it. A writer tries that, too, but whoever keeps a snapshot open
/// keeps it from being done, and the log would grow as long as somebody asks.
pub(super) fn copy_log(path: &Path) {
    let is_empty = |log: fs::Metadata| log.len() == 0;
    if fs::metadata(beside(path, "-wal")).map_or(true, is_empty) {
        return;
    }
    // Where this cannot be done now, it is tried again after the next update.
    if let Ok(connection) = open_checked(path, false) {
        let _ = connection.busy_timeout(Duration::ZERO);
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }
}

fn outdated(path: &Path, found: i64) -> Error {
    Error::StoreOutdated {
        path: path.to_owned(),
        found,
        expected: SCHEMA_VERSION,
    }
}

/// Connects, and returns the schema version, too: the first thing that is read.
fn connect(path: &Path, read_only: bool) -> Result<(Connection, i64)> {
    let access = if read_only {
        OpenFlags::SQLITE_OPEN_READ_ONLY
    } else {
        OpenFlags::SQLITE_OPEN_READ_WRITE
    };
    let open = |name: &Path, flags| -> rusqlite::Result<(Connection, i64)> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags_and_vfs(name, flags, vfs::name())?;
        prepare(&connection)?;
        let version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        Ok((connection, version))
    };
    let opened = match open(path, access) {
        // Readers of a log share notes in a file beside it. Where none can be made, nobody writes.
        Err(error) if read_only && is_closed_to_us(&error) && !has_log(path) => {
            open(&unchanging(path), access | OpenFlags::SQLITE_OPEN_URI)
        }
        opened => opened,
    };
    opened.map_err(|error| sqlite_error(path, error))
}

fn is_closed_to_us(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// Whether there is a write-ahead log with anything in it.
fn has_log(path: &Path) -> bool {
    let log = fs::metadata(beside(path, "-wal"));
    log.is_ok_and(|log| log.len() > 0)
}

/// Returns the name of a file that nobody changes, as SQLite wants it.
fn unchanging(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut name = "file:".to_owned();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                name.push(char::from(byte));
            }
            _ => name += &format!("%{byte:02x}"),
        }
    }
    PathBuf::from(name + "?immutable=1")
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // A plan never depends on what is asked, so a statement is not planned anew for each question.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // A crafted file must not run anything by being read.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)
}

/// Creates an empty index file, replacing nothing.
pub(super) fn create(path: &Path) -> Result<Connection> {
    lock::make_folder(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags_and_vfs(path, flags, vfs::name())
        .map_err(|error| sqlite_error(path, error))?;
    vfs::reserve(&connection);
    let build = || -> rusqlite::Result<()> {
        prepare(&connection)?;
        connection.pragma_update(None, "page_size", PAGE_BYTES as i64)?;
        // Before there is a log: our mark must stand in the file itself, whatever happens next.
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        connection.execute_batch(include_str!("schema.sql"))?;
        connection.pragma_update(None, "user_version", SCHEMA_VERSION)?;
        connection.execute_batch("COMMIT")
    };
    build().map_err(|error| sqlite_error(path, error))?;
    Ok(connection)
}

/// Looks at the first page before SQLite does: a foreign or cut file must never be touched.
fn check_file(path: &Path) -> Result<()> {
    let io = |error| Error::io(path, error);
    let mut file = open_file(path)?;
    let size = file.metadata().map_err(io)?.len();
    let mut header = Vec::with_capacity(HEADER_BYTES);
    let mut head = (&mut file).take(HEADER_BYTES as u64);
    head.read_to_end(&mut header).map_err(io)?;
    if header.is_empty() {
        // What a crash right after creation leaves behind.
        return Err(Error::StoreMissing {
            path: path.to_owned(),
        });
    }
    let mut foreign = |reason: &str| match has_page_of_ours(&mut file) {
        true => corrupt(path, "its first page is not an index's"),
        false => Error::StoreForeign {
            path: path.to_owned(),
            reason: reason.to_owned(),
        },
    };
    if !header.starts_with(b"SQLite format 3\0") || header.len() < HEADER_BYTES {
        return Err(foreign("not a SQLite database"));
    }
    // Asked of the bytes, not of SQLite, which would write a foreign file's log into it.
    if header[68..72] != (APPLICATION_ID as u32).to_be_bytes() {
        return Err(foreign("a SQLite database of another program"));
    }
    check_layout(path, &header, size)
}

/// Checks that pages are as this version writes them, and that there are as many as there should be.
fn check_layout(path: &Path, header: &[u8], size: u64) -> Result<()> {
    let word = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|byte| header[at + byte]));
    let page_bytes = usize::from(u16::from_be_bytes([header[16], header[17]]));
    if (page_bytes, usize::from(header[20])) != (PAGE_BYTES, SEAL_BYTES) {
        // Pages of older versions were not sealed.
        let found = i64::from(word(60) as i32);
        return Err(match found == SCHEMA_VERSION {
            true => corrupt(path, "its pages are not an index's"),
            false => outdated(path, found),
        });
    }
    if word(28) == 1 && size < PAGE_BYTES as u64 {
        // Not even the first page was written when the very first run was killed.
        return Err(Error::StoreMissing {
            path: path.to_owned(),
        });
    }
    // A run that was killed while it moved its log into the file leaves the log.
    if u64::from(word(28)) * PAGE_BYTES as u64 > size && !has_log(path) {
        return Err(corrupt(path, "the file is shorter than it says"));
    }
    Ok(())
}

fn open_file(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::StoreMissing {
            path: path.to_owned(),
        },
        _ => Error::io(path, error),
    })
}

/// Whether one of the first pages bears our seal: nobody else's would.
fn has_page_of_ours(file: &mut File) -> bool {
    let mut page = [0; PAGE_BYTES];
    (1..=PROBED_PAGES).any(|number| {
        let start = SeekFrom::Start((number - 1) * PAGE_BYTES as u64);
        file.seek(start).is_ok() && file.read_exact(&mut page).is_ok() && is_sealed(&page, number)
    })
}

pub(super) fn corrupt(path: &Path, reason: &str) -> Error {
    Error::StoreCorrupt {
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}

/// Returns the path of a file that SQLite or we keep beside the index.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
