//! What can go wrong, cut by what the caller can do about it.

use std::io;
use std::path::{Path, PathBuf};

use crate::embed::{EmbedError, ModelId};

/// Result of the engine.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An engine error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The vault folder is not there or is not a folder.
    #[error("there is no vault at {path}")]
    VaultMissing {
        /// The path that was looked for.
        path: PathBuf,
    },
    /// A pattern for files cannot be read.
    #[error("{pattern:?} is not a file pattern: {reason}")]
    BadPattern {
        /// As written.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No index has been made yet.
    #[error("there is no index at {path}")]
    StoreMissing {
        /// Where it would be.
        path: PathBuf,
    },
    /// Another process is writing.
    #[error("another process is writing to the index at {path}")]
    StoreBusy {
        /// The index file.
        path: PathBuf,
    },
    /// The file is an index of another schema version.
    #[error("the index at {path} has schema {found}, this version needs {expected}")]
    StoreOutdated {
        /// The index file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The schema version of this program.
        expected: i64,
    },
    /// The index was made by a later version of this program, for others who have that.
    #[error("the index at {path} is of version {found}, and this program knows {expected}")]
    StoreNewer {
        /// Where it is kept.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest one that this program knows.
        expected: i64,
    },
    /// The file is not an index of ours at all.
    #[error("{path} is not a Kenning index ({reason})")]
    StoreForeign {
        /// The file.
        path: PathBuf,
        /// What was found instead.
        reason: String,
    },
    /// The file is the index of another vault.
    #[error("{path} is the index of another vault, {vault}")]
    StoreOfAnother {
        /// The index file.
        path: PathBuf,
        /// The vault that it was made from.
        vault: String,
    },
    /// There is an index already, which is not to be overwritten unasked.
    #[error("there is an index of {n_notes} notes at {path} already")]
    StoreFilled {
        /// Where it is.
        path: PathBuf,
        /// How many notes it has.
        n_notes: usize,
    },
    /// The file is ours but damaged.
    #[error("the index at {path} is damaged: {reason}")]
    StoreCorrupt {
        /// The index file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// The disk is full.
    #[error("no space left for the index at {path}")]
    StoreFull {
        /// The index file.
        path: PathBuf,
    },
    /// The server that keeps the index does not answer as it should.
    #[error("the index at {path} cannot be reached: {reason}")]
    StoreUnreachable {
        /// Where it is kept.
        path: PathBuf,
        /// What happened.
        reason: String,
    },
    /// The index was made with another embedding model.
    #[error("the index was made with model {stored} but {current} is in use")]
    ModelMismatch {
        /// Model written into the index.
        stored: ModelId,
        /// Model handed in.
        current: ModelId,
    },
    /// A model could not be loaded or failed.
    #[error(transparent)]
    Model(#[from] EmbedError),
    /// The store failed in another way, which only its own parts could tell more of.
    #[error("the index at {path} failed: {source}")]
    Store {
        /// The index.
        path: PathBuf,
        /// The error of the part that failed.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Something named in the request is not there.
    #[error("nothing is known by the name {name:?}")]
    NotFound {
        /// The name.
        name: String,
    },
    /// A name fits several notes.
    #[error("{name:?} fits {} notes", candidates.len())]
    Ambiguous {
        /// The name.
        name: String,
        /// What it could be.
        candidates: Vec<String>,
    },
    /// A question asks for more than one question may.
    #[error("the question is too costly: {reason}")]
    TooCostly {
        /// What is too much.
        reason: String,
    },
    /// Nobody waits for the answer any more.
    #[error("the answer is no longer waited for")]
    Stopped,
    /// The database of conversations cannot be used.
    #[error("the conversations at {path} {trouble}")]
    Conversations {
        /// The file.
        path: PathBuf,
        /// Why.
        trouble: ConversationsTrouble,
    },
    /// No conversation or turn is known by an id.
    #[error("there is no conversation {id:?}")]
    ConversationUnknown {
        /// The id.
        id: String,
    },
    /// An evaluation file could not be understood.
    #[error("{path}: {reason}")]
    BadCollection {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Reading or writing a file failed.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// What a server says that lets nobody in, or not to that: the source of an [`Error::Store`] that can be helped by another
/// login, or by whoever gives rights.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// What is wrong with the database of conversations.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConversationsTrouble {
    /// The file is somebody else's.
    #[error("are none ({0})")]
    Foreign(String),
    /// The file is ours but damaged.
    #[error("are damaged: {0}")]
    Damaged(String),
    /// A later version of this program has written it.
    #[error("are of version {found}, and this program knows {expected}")]
    Newer {
        /// Its version.
        found: i64,
        /// The newest one that this program knows.
        expected: i64,
    },
    /// Another process is writing.
    #[error("are being written by another process")]
    Busy,
    /// The disk is full.
    #[error("have no space left")]
    Full,
    /// SQLite failed in another way.
    #[error("failed: {0}")]
    Failed(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Wraps an I/O error with its path.
    pub fn io(path: impl AsRef<Path>, source: io::Error) -> Self {
        Self::Io {
            path: path.as_ref().to_owned(),
            source,
        }
    }
}
