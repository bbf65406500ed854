//! What can go wrong while a vault is changed, cut by what a person can do about it.

use std::io;
use std::path::{Path, PathBuf};

/// Result of curation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why nothing was changed, or not all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Somebody else has changed a file since it was read.
    #[error("{path} was changed by somebody else meanwhile, so nothing was written")]
    Changed {
        /// Path below the vault.
        path: String,
    },
    /// There is a file where a new one was to be.
    #[error("there is a file at {path} already")]
    Taken {
        /// Path below the vault.
        path: String,
    },
    /// A path leads through a link, which may lead out of the vault, or through a file.
    #[error("{path} is not a folder")]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// A path that leads out of the vault, or is none.
    #[error("{path:?} is not a path below the vault")]
    BadPath {
        /// The path.
        path: String,
    },
    /// Whoever owns the file does not want it changed.
    #[error("{path} is read-only")]
    ReadOnly {
        /// Path below the vault.
        path: String,
    },
    /// The text of a note is written in a way that cannot be changed safely.
    #[error("{path} is written in a way that cannot be changed safely: {reason}")]
    Unclear {
        /// Path below the vault.
        path: String,
        /// What is in the way.
        reason: String,
    },
    /// A name that cannot be one.
    #[error("{name:?} is not {wanted}")]
    BadName {
        /// As typed.
        name: String,
        /// What is wanted instead.
        wanted: &'static str,
    },
    /// There is nothing of that kind.
    #[error("{what}")]
    Nothing {
        /// What there is not.
        what: String,
        /// What helps.
        hint: String,
    },
    /// A run was stopped half-way and could be neither finished nor taken back; the next one tries again.
    #[error(
        "{path}: {source}; what was begun is finished or taken back by the next command that writes"
    )]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The engine said no.
    #[error(transparent)]
    Engine(#[from] kenning::Error),
    /// Reading or writing a file failed, and nothing was changed.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl Error {
    /// Wraps an I/O error with its path.
    pub fn io(path: impl AsRef<Path>, source: io::Error) -> Self {
        Self::Io {
            path: path.as_ref().to_owned(),
            source,
        }
    }

    /// Returns what a person can do about it.
    pub fn hint(&self) -> Option<&str> {
        Some(match self {
            Self::Changed { .. } => "try again, or edit the note yourself",
            Self::Taken { .. } => "choose another name",
            Self::NotAFolder { .. } => {
                "nothing is written through a link; name another folder, or set `folder` under [memory] to one"
            }
            Self::BadPath { .. } => "name it from the root of the vault, such as Projects/Roof.md",
            Self::ReadOnly { .. } => "make it writable first; nothing was changed",
            Self::Unclear { .. } => "edit that note by hand, then try again; nothing was changed",
            Self::BadName { .. } => "see docs/curation.md",
            Self::Nothing { hint, .. } => hint,
            Self::Unfinished { .. } => "see to the disk, then run `ken undo --list`",
            Self::Engine(_) | Self::Io { .. } => return None,
        })
    }
}
