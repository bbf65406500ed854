//! Which index a file is, and how often it was committed, so that a log is taken only for its own.
//!
//! SQLite applies whatever log lies beside a file. Where the file was exchanged, as when a backup is put
//! back after a crash, pages of two indexes would be mixed, each of them whole. So every commit writes one
//! page that says whose it is; a log goes on from its file, or is none of it.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use rusqlite::Connection;

use super::log;
use super::seal::{PAGE_BYTES, is_sealed};
use super::{beside, corrupt};
use crate::error::Result;

/// Where the identity lies: the first table of a file begins on its second page.
const PAGE: u64 = 2;
/// A random name, and a number.
const NAME_BYTES: usize = 16;
const TOKEN_BYTES: usize = NAME_BYTES + 8;
/// Most bytes of a log that are looked at: it begins with what tells.
const LOG_BYTES_MAX: u64 = 64 << 20;

/// A name that no other index has, and the number of commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    name: [u8; NAME_BYTES],
    n_commits: u64,
}

/// Says that there is one commit more.
pub(in crate::store) fn advance(connection: &Connection) -> rusqlite::Result<()> {
    let token: Vec<u8> =
        connection.query_row("SELECT token FROM identity", [], |row| row.get(0))?;
    let Some(identity) = Identity::of(&token) else {
        return Err(rusqlite::Error::BlobSizeError);
    };
    let n_commits = identity.n_commits.wrapping_add(1);
    let token = [&identity.name[..], &n_commits.to_be_bytes()].concat();
    connection.execute("UPDATE identity SET token = ?1", [token])?;
    Ok(())
}

/// Looks whether the log beside a file is its own. What cannot be told is left to SQLite.
pub(in crate::store) fn check(path: &Path) -> Result<()> {
    let Some(before) = of_file(path) else {
        return Ok(());
    };
    let is_foreign = match of_log(&beside(path, "-wal")) {
        Some((first, last)) => {
            let goes_on = first.n_commits <= before.n_commits.saturating_add(1);
            let is_of_it = first.name == before.name && goes_on;
            !is_of_it || last.n_commits < before.n_commits
        }
        None => false,
    };
    // Somebody may just be moving the log into the file, and beginning another.
    if is_foreign && of_file(path) == Some(before) {
        return Err(corrupt(path, "the log beside it is not its own"));
    }
    Ok(())
}

impl Identity {
    fn of(token: &[u8]) -> Option<Self> {
        let (name, n_commits) = token.split_first_chunk()?;
        Some(Self {
            name: *name,
            n_commits: u64::from_be_bytes(n_commits.try_into().ok()?),
        })
    }

    /// Reads it from a page that holds one row of one blob, as SQLite writes it.
    fn on(page: &[u8; PAGE_BYTES]) -> Option<Self> {
        let start = usize::from(u16::from_be_bytes([page[8], page[9]]));
        let is_one_row = page[0] == 0x0d && page[3..5] == [0, 1];
        let row = page.get(start..start + 4 + TOKEN_BYTES)?;
        // Bytes of the record, the row's number, bytes of its head, and what the head says: a blob.
        let head = [TOKEN_BYTES as u8 + 2, 1, 2, 12 + 2 * TOKEN_BYTES as u8];
        (is_one_row && row[..4] == head).then(|| Self::of(&row[4..]))?
    }
}

fn of_file(path: &Path) -> Option<Identity> {
    let mut page = [0; PAGE_BYTES];
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start((PAGE - 1) * PAGE_BYTES as u64))
        .ok()?;
    file.read_exact(&mut page).ok()?;
    is_sealed(&page, PAGE).then(|| Identity::on(&page))?
}

/// Returns the first and the last identity that a log tells of.
fn of_log(log: &Path) -> Option<(Identity, Identity)> {
    let mut reader = BufReader::new(File::open(log).ok()?.take(LOG_BYTES_MAX));
    let mut head = [0; log::HEADER_BYTES];
    let mut frame = [0; log::FRAME_BYTES];
    reader.read_exact(&mut head).ok()?;
    let (mut found, mut open) = (None, None);
    while reader.read_exact(&mut frame).is_ok() {
        let Some((number, n_pages)) = log::frame_of(&frame, &head) else {
            break;
        };
        if number == PAGE {
            open = frame.last_chunk().and_then(Identity::on);
        }
        if n_pages > 0
            && let Some(last) = open.take()
        {
            let first = found.map_or(last, |(first, _)| first);
            found = Some((first, last));
        }
    }
    found
}
