//! The one SQLite file: opens it, checks that it is ours, owns all SQL and all of tantivy.
//!
//! [`Store`] reads a snapshot and is never blocked; [`StoreWriter`] holds the one writer lock.
//! Rows, vectors and the word index change in the same transaction or not at all.

mod codes;
mod directory;
mod facts;
mod files;
mod floor;
mod fuzzy;
mod kept;
mod lexical;
mod linked;
mod passages;
mod pieces;
mod pulse;
mod read;
mod rows;
mod slots;
mod terms;
mod text;
mod vectors;
mod write;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

pub(crate) use codes::Coder;
pub use facts::{NoteDetails, NoteFacts, Status, Wanted, day_of_ns};
pub use lexical::{
    FieldWeights, LexicalHit, LexicalOptions, LexicalScores, Places, Respelled, TermGroup, Typed,
};
pub use linked::{LinkRow, LinkTarget, LinkedNote, NoteStanding};
pub(crate) use pieces::pack as pack_pieces;
pub use pulse::{Beat, Pulse};
pub use read::{ChunkAndPieces, ChunkRow, NoteRow, NoteSummary, Store, has_lines};
pub use rows::{ChunkRecord, NoteRecord, Terms};
pub use text::PackedText;
pub(crate) use text::{TextPacker, train_dictionary};
pub use vectors::Neighbour;
pub use write::{DATE_FROM_FILE, DATE_FROM_GIT, StoreWriter};

use crate::error::{Error, Result};

/// Version of `schema.sql` and of everything kept in its tables.
pub const SCHEMA_VERSION: i64 = 11;
/// Marks a SQLite file as ours ("KENN").
const APPLICATION_ID: i64 = 0x4B45_4E4E;
/// How long a statement waits for another connection before it gives up.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Reads go through the page cache of the system, not through copies of our own.
const MMAP_BYTES: i64 = 1 << 31;

/// Identifies a note within one store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NoteId(pub i64);

/// Identifies a chunk within one store, and the slot its vector lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkId(pub i64);

/// Copies the index at `source` into a new file, consistent even while it is written to.
pub fn backup(source: &Path, target: &Path) -> Result<()> {
    if target.exists() {
        let exists = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
        return Err(Error::io(target, exists));
    }
    let connection = open_checked(source, true)?;
    let name = target.to_string_lossy();
    connection
        .execute("VACUUM INTO ?1", [&name])
        .map_err(|error| sqlite(target, error))?;
    Ok(())
}

/// Opens an existing index and checks that it is one of ours and of this version.
fn open_checked(path: &Path, read_only: bool) -> Result<Connection> {
    check_file(path)?;
    let access = if read_only {
        OpenFlags::SQLITE_OPEN_READ_ONLY
    } else {
        OpenFlags::SQLITE_OPEN_READ_WRITE
    };
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(path, flags).map_err(|error| sqlite(path, error))?;
    prepare(&connection).map_err(|error| sqlite(path, error))?;
    let pragma = |name: &str| -> Result<i64> {
        connection
            .pragma_query_value(None, name, |row| row.get(0))
            .map_err(|error| sqlite(path, error))
    };
    let found = pragma("user_version")?;
    let n_tables: i64 = connection
        .query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|error| sqlite(path, error))?;
    if found == 0 && n_tables == 0 {
        // Our mark and nothing else: what is left when the very first run is killed.
        return Err(Error::StoreMissing {
            path: path.to_owned(),
        });
    }
    if found != SCHEMA_VERSION {
        return Err(Error::StoreOutdated {
            path: path.to_owned(),
            found,
            expected: SCHEMA_VERSION,
        });
    }
    Ok(connection)
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // A plan never depends on what is asked, so a statement is not planned anew for each question.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "mmap_size", MMAP_BYTES)
}

/// Looks at the first page before SQLite does: a foreign or cut file must never be touched.
fn check_file(path: &Path) -> Result<()> {
    let mut header = Vec::with_capacity(100);
    let file = fs::File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::StoreMissing {
            path: path.to_owned(),
        },
        _ => Error::io(path, error),
    })?;
    let size = file
        .metadata()
        .map_err(|error| Error::io(path, error))?
        .len();
    file.take(100)
        .read_to_end(&mut header)
        .map_err(|error| Error::io(path, error))?;
    if header.is_empty() {
        // What a crash right after creation leaves behind.
        return Err(Error::StoreMissing {
            path: path.to_owned(),
        });
    }
    if !header.starts_with(b"SQLite format 3\0") || header.len() < 100 {
        return Err(Error::StoreForeign {
            path: path.to_owned(),
            reason: "not a SQLite database".to_owned(),
        });
    }
    // Asked of the bytes, not of SQLite, which would write a foreign file's log into it.
    if header[68..72] != (APPLICATION_ID as u32).to_be_bytes() {
        return Err(Error::StoreForeign {
            path: path.to_owned(),
            reason: "a SQLite database of another program".to_owned(),
        });
    }
    let page_size = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        size => u64::from(size),
    };
    let n_pages = u32::from_be_bytes([header[28], header[29], header[30], header[31]]);
    if u64::from(n_pages) * page_size > size {
        return Err(Error::StoreCorrupt {
            path: path.to_owned(),
            reason: "the file is shorter than it says".to_owned(),
        });
    }
    Ok(())
}

/// Creates an empty index file, replacing nothing.
fn create(path: &Path) -> Result<Connection> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| Error::io(folder, error))?;
    }
    let connection = Connection::open(path).map_err(|error| sqlite(path, error))?;
    let build = || -> rusqlite::Result<()> {
        prepare(&connection)?;
        connection.pragma_update(None, "page_size", 4_096)?;
        // Before there is a log: our mark must stand in the file itself, whatever happens next.
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        connection.execute_batch(include_str!("store/schema.sql"))?;
        connection.pragma_update(None, "user_version", SCHEMA_VERSION)?;
        connection.execute_batch("COMMIT")
    };
    build().map_err(|error| sqlite(path, error))?;
    Ok(connection)
}

/// Sorts a SQLite error by what the caller can do.
fn sqlite(path: &Path, source: rusqlite::Error) -> Error {
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::StoreBusy { path },
        Some(ErrorCode::DatabaseCorrupt) => Error::StoreCorrupt {
            path,
            reason: source.to_string(),
        },
        Some(ErrorCode::NotADatabase) => Error::StoreForeign {
            path,
            reason: "not a SQLite database".to_owned(),
        },
        Some(ErrorCode::DiskFull) => Error::StoreFull { path },
        _ => Error::Store { path, source },
    }
}

/// Wraps a tantivy error with the path of the store.
fn lexical(path: &Path) -> impl Fn(tantivy::TantivyError) -> Error + '_ {
    move |source| Error::Lexical {
        path: path.to_owned(),
        source,
    }
}

/// Returns the path of the file whose lock makes its holder the one writer.
fn lock_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}
