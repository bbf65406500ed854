//! Opens files that somebody else may have put there. Only a regular file is read, and only so much
//! of it; that is asked of the open file, which nobody can swap any more.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Whether a name that is a symbolic link is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// What it leads to is opened; for files that the user named.
    Followed,
    /// It is an error; for files of a vault.
    Refused,
}

/// Opens a regular file for reading. Pipes, devices and sockets are errors, and never waited for.
pub fn open_regular(path: &Path, links: Links) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        if links == Links::Refused {
            flags |= OFlags::NOFOLLOW;
        }
        options.custom_flags(flags.bits().cast_signed());
    }
    #[cfg(not(unix))]
    if links == Links::Refused && path.symlink_metadata()?.is_symlink() {
        return Err(refused("a symbolic link"));
    }
    let file = options.open(path).map_err(|error| explain(path, error))?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(refused("not a regular file")),
    }
}

/// Reads a regular file of at most `bytes_max` bytes; a larger one is an error.
pub fn read_regular(path: &Path, bytes_max: u64, links: Links) -> Result<Vec<u8>> {
    let file = open_regular(path, links)?;
    let size = file.metadata()?.len();
    let too_large = |size| Error::new(ErrorKind::FileTooLarge, super::too_large(size, bytes_max));
    if size > bytes_max {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(size as usize + 1);
    // A file may grow while it is read; the limit holds all the same.
    file.take(bytes_max + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 {
        size if size > bytes_max => Err(too_large(size)),
        _ => Ok(bytes),
    }
}

/// Like [`read_regular`], for files that are text.
pub fn read_regular_text(path: &Path, bytes_max: u64, links: Links) -> Result<String> {
    let bytes = read_regular(path, bytes_max, links)?;
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "not UTF-8"))
}

fn refused(what: &str) -> Error {
    Error::new(ErrorKind::InvalidInput, what)
}

/// The system's own words for a link or a socket that was not opened help nobody.
fn explain(path: &Path, error: Error) -> Error {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() && error.kind() != ErrorKind::NotFound => {
            refused("a symbolic link")
        }
        Ok(metadata) if !metadata.is_file() && !metadata.is_symlink() => {
            refused("not a regular file")
        }
        _ => error,
    }
}
