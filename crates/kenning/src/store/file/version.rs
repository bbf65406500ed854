//! Tells whether an index changed since it was last looked at, for those who keep one open.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::store::Watch;

/// The version of an index. Two are equal when nothing was committed between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexVersion {
    file: Option<FileState>,
    index: u64,
    version: i64,
}

impl IndexVersion {
    /// The version of an index that is no file: which index it is, and its number of commits.
    pub fn of(index: u64, n_commits: i64) -> Self {
        Self {
            file: None,
            index,
            version: n_commits,
        }
    }
}

/// What tells that a file was exchanged, or written by somebody who does not know what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileState {
    id: (u64, u64),
    n_bytes: u64,
    modified: Option<SystemTime>,
}

/// A connection that only asks for changes.
pub(in crate::store) struct VersionWatch {
    path: PathBuf,
    file: FileState,
    connection: Connection,
}

impl VersionWatch {
    /// Opens the index at `path`.
    pub(in crate::store) fn open(path: &Path) -> Result<Self> {
        let file = state(path)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            connection: super::open_checked(path, true)?,
        })
    }
}

impl Watch for VersionWatch {
    /// An index that was made anew is another file.
    fn now(&mut self) -> Result<IndexVersion> {
        let file = state(&self.path)?;
        if file.id != self.file.id || file.n_bytes < self.file.n_bytes {
            *self = Self::open(&self.path)?;
        }
        self.file = file;
        super::damage::mend_shared_notes(&self.path);
        let version = self
            .connection
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .map_err(|error| crate::store::sqlite_error(&self.path, error))?;
        Ok(IndexVersion {
            file: Some(self.file),
            index: 0,
            version,
        })
    }
}

/// Returns what tells one file from another of the same name.
pub(in crate::store) fn identity(path: &Path) -> Result<(u64, u64)> {
    state(path).map(|state| state.id)
}

fn state(path: &Path) -> Result<FileState> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::StoreMissing {
            path: path.to_owned(),
        },
        _ => Error::io(path, error),
    })?;
    Ok(FileState {
        id: identity_of(&metadata),
        n_bytes: metadata.len(),
        modified: metadata.modified().ok(),
    })
}

#[cfg(unix)]
pub(in crate::store) fn identity_of(metadata: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
pub(in crate::store) fn identity_of(metadata: &fs::Metadata) -> (u64, u64) {
    let made = metadata.created().ok();
    let made = made.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    (0, made.map_or(0, |time| time.as_nanos() as u64))
}
