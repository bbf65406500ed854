//! The index: what is asked of it and what is put into it, and the one SQLite file that usually keeps it.
//!
//! [`Store`] reads a snapshot and is never blocked; [`StoreWriter`] writes. What they ask of a kind of store are
//! the traits [`Reads`] and [`Writes`]; a [`Place`] opens one. The SQLite file owns all SQL and all of tantivy
//! here. Rows, vectors and the word index change in the same transaction or not at all.

mod cache;
mod conversations;
mod encode;
mod file;
mod lexical;
mod place;
mod prepared;
mod question;
mod read;
mod rows;
mod sqlite;
mod text;
mod vector;
mod write;

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, ffi};
use tantivy::TantivyError;

pub use cache::Cache;
pub use conversations::{AnswerRecord, AskedAt, Conversations, FoundConversation, NewConversation};
pub use encode::{Encoded, EncodedNote, Encoder};
pub use file::damage::{FileId, set_aside};
pub use file::version::IndexVersion;
pub use lexical::{
    Asking, Beside, Correction, FieldWeights, LexicalHit, LexicalOptions, LexicalResults,
    Positions, TermGroup, Typed,
};
pub use lexical::{
    Entries, Place as WordPlace, Postings, Read as ReadPlace, Within, WordField, WordReader,
    split_terms,
};
pub use place::{Backend, Place, Watch};
pub use prepared::{PreparedChunk, PreparedNote, Terms};
pub use question::{
    By, Known, LexicalQuery, LinksOf, Name, NearQuery, NoteSet, Part, Select, Wanted,
};
pub use read::{Reads, Store};
pub use rows::chunks::ChunkRow;
pub use rows::columns;
pub use rows::facts::{
    Masked, NoteFacts, Source, Standing, Status, day_of_ns, kinds_of_files,
    n_bytes as listing_bytes,
};
pub use rows::inventory::{Inventory, KnownNote, Surroundings};
pub use rows::links::{ChangedGraph, LinkRow, LinkTarget, NoteStanding};
pub(crate) use rows::meta::ADAPTER;
pub use rows::meta::Meta;
pub use rows::notes::{Named, NoteRow, has_lines};
pub use vector::by_text::{packed as packed_text_vector, unpacked as unpacked_text_vector};
pub use vector::mean::VectorSum;
pub use vector::notes::mean_direction;
pub use vector::quantise::{CodedQuery, CodedVector, Coder};
pub use vector::{Nearest, Neighbour};
pub use write::{Claim, Claims, DATE_FROM_FILE, DATE_FROM_GIT, Stamps, StoreWriter, Writes};

use crate::error::{Error, Result};
use file::open_checked;

/// Version of `schema.sql` and of everything kept in its tables.
pub const SCHEMA_VERSION: i64 = 26;
/// Marks a SQLite file as ours ("KENN").
const APPLICATION_ID: i64 = 0x4B45_4E4E;
/// How long a statement waits for another connection before it gives up.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Identifies a note within one store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NoteId(i64);

/// Identifies a chunk within one store, and its vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkId(i64);

impl NoteId {
    /// The note that a store knows by a number.
    pub fn new(number: i64) -> Self {
        Self(number)
    }

    /// Returns the number, for the store that gave it.
    pub fn number(self) -> i64 {
        self.0
    }
}

impl ChunkId {
    /// The chunk that a store knows by a number.
    pub fn new(number: i64) -> Self {
        Self(number)
    }

    /// Returns the number, for the store that gave it.
    pub fn number(self) -> i64 {
        self.0
    }
}

#[cfg(test)]
impl ChunkId {
    /// A chunk of no store, for tests of what only tells chunks apart.
    pub(crate) fn of_test(number: i64) -> (Self, NoteId) {
        (Self(number), NoteId(number))
    }
}

/// Copies the index at `source` into a new file, consistent even while it is written to.
pub fn backup(source: &Path, target: &Path) -> Result<()> {
    let connection = open_checked(source, true)?;
    copy_into(&connection, target, |error| match is_damage(&error) {
        true => sqlite_error(source, error),
        false => sqlite_error(target, error),
    })
}

/// Copies what a connection sees into a new file.
fn copy_into(
    connection: &Connection,
    target: &Path,
    sorted: impl Fn(rusqlite::Error) -> Error,
) -> Result<()> {
    let io = |error| Error::io(target, error);
    // Made by us, so that nothing is overwritten and no link is followed.
    let made = OpenOptions::new().write(true).create_new(true).open(target);
    drop(made.map_err(io)?);
    let name = target.to_string_lossy();
    let copied = connection.execute("VACUUM INTO ?1", [&name]);
    if copied.is_err() {
        // What is there is no copy.
        std::fs::remove_file(target).map_err(io)?;
    }
    copied.map(drop).map_err(sorted)
}

/// Sorts a SQLite error by what the caller can do.
fn sqlite_error(path: &Path, source: rusqlite::Error) -> Error {
    let path = path.to_owned();
    if is_damage(&source) {
        let reason = reason(&source);
        return Error::StoreCorrupt { path, reason };
    }
    match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::StoreBusy { path },
        Some(ErrorCode::DiskFull) => Error::StoreFull { path },
        _ => Error::Store {
            path,
            source: source.into(),
        },
    }
}

/// Whether an error says that the file is not what was written into it. By the time SQLite sees a file
/// it is known to be ours, so what does not fit is damage, whatever SQLite calls it.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error as E;
    match error {
        E::FromSqlConversionFailure(..)
        | E::IntegralValueOutOfRange(..)
        | E::Utf8Error(..)
        | E::InvalidColumnType(..)
        | E::QueryReturnedNoRows
        | E::BlobSizeError => true,
        _ => error.sqlite_error().is_some_and(|error| {
            matches!(
                error.extended_code,
                ffi::SQLITE_IOERR_DATA | ffi::SQLITE_IOERR_SHORT_READ | ffi::SQLITE_IOERR_CORRUPTFS
            ) || matches!(
                error.code,
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase
            ) || is_no_such(error.extended_code)
        }),
    }
}

/// Statements are the same for every index: where one cannot be prepared, tables are missing.
fn is_no_such(extended_code: i32) -> bool {
    extended_code == ffi::SQLITE_ERROR
}

fn reason(error: &rusqlite::Error) -> String {
    let code = error.sqlite_error().map(|error| error.extended_code);
    match code {
        Some(ffi::SQLITE_IOERR_DATA) => "a page is not what was written".to_owned(),
        Some(ffi::SQLITE_IOERR_SHORT_READ) => "a page is missing".to_owned(),
        _ => error.to_string(),
    }
}

/// Sorts a tantivy error by what the caller can do, with the path of the store.
fn lexical_error(path: &Path) -> impl Fn(TantivyError) -> Error + '_ {
    move |source| match is_lexical_damage(&source) {
        true => file::corrupt(path, &source.to_string()),
        false => Error::Store {
            path: path.to_owned(),
            source: source.into(),
        },
    }
}

/// Whether tantivy could not make sense of what it read.
fn is_lexical_damage(error: &TantivyError) -> bool {
    use tantivy::directory::error::OpenReadError;
    let is_damaged_read = |error: &io::Error| {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
        inner.is_none_or(is_damage)
    };
    match error {
        TantivyError::IoError(error) => is_damaged_read(error),
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. }) => {
            is_damaged_read(io_error)
        }
        TantivyError::OpenReadError(_)
        | TantivyError::DataCorruption(_)
        | TantivyError::IncompatibleIndex(_)
        | TantivyError::SchemaError(_)
        | TantivyError::FieldNotFound(_)
        | TantivyError::InternalError(_) => true,
        _ => false,
    }
}
