//! The lock file that makes its holder the one writer.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use super::beside;
use super::version::identity_of;
use crate::error::{Error, Result};

/// Becomes the one writer, or says that somebody else is.
pub(in crate::store) fn take(path: &Path, patience: Duration) -> Result<File> {
    refuse_link(path)?;
    make_folder(path)?;
    let lock_path = beside(path, ".lock");
    let lock = open(&lock_path)?;
    let pause = Duration::from_millis(20);
    let mut waited = Duration::ZERO;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if waited < patience => {
                std::thread::sleep(pause);
                waited += pause;
            }
            Err(TryLockError::WouldBlock) => {
                return Err(Error::StoreBusy {
                    path: path.to_owned(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(Error::io(&lock_path, error)),
        }
    }
}

/// Makes the folder that an index lies in.
pub(in crate::store) fn make_folder(path: &Path) -> Result<()> {
    match path.parent() {
        Some(folder) => fs::create_dir_all(folder).map_err(|error| Error::io(folder, error)),
        None => Ok(()),
    }
}

/// An index is not written through a symbolic link: it may lead to anything.
pub(in crate::store) fn refuse_link(path: &Path) -> Result<()> {
    let is_link = |found: Metadata| found.file_type().is_symlink();
    if fs::symlink_metadata(path).is_ok_and(is_link) {
        return Err(Error::StoreForeign {
            path: path.to_owned(),
            reason: "a symbolic link".to_owned(),
        });
    }
    Ok(())
}

/// Opens a lock file, or makes one. It is empty: one with anything in it is somebody else's.
fn open(path: &Path) -> Result<File> {
    let io = |error| Error::io(path, error);
    // A new file is never made where a link is.
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made.map_err(io),
    }
    let found = fs::symlink_metadata(path).map_err(io)?;
    let foreign = || Error::StoreForeign {
        path: path.to_owned(),
        reason: "there is no room for a lock".to_owned(),
    };
    if !found.is_file() || found.len() > 0 {
        return Err(foreign());
    }
    let lock = OpenOptions::new().write(true).open(path).map_err(io)?;
    let opened = lock.metadata().map_err(io)?;
    match identity_of(&opened) == identity_of(&found) {
        true => Ok(lock),
        false => Err(foreign()),
    }
}
