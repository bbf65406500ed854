//! Damage: looks for it in the whole file, and puts a damaged index aside.

use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::beside;
use super::seal::{PAGE_BYTES, is_sealed};
use super::{lock, log, version};
use crate::error::{Error, Result};
use crate::store::sqlite::read::SqliteStore;
use crate::store::{Part, Reads, Select, Wanted, lexical};

/// SQLite never uses the page that holds this byte, which it locks files by.
const LOCKED_BYTE: u64 = 0x4000_0000;
/// Read at once.
const BUFFER_BYTES: usize = 64 * PAGE_BYTES;
/// Bytes of the shared notes of a log that is in use, at least.
const SHARED_BYTES_MIN: u64 = 32 << 10;
/// Damaged files that are kept beside an index.
const ASIDE_MAX: u32 = 3;

/// What tells one file from another of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId((u64, u64));

impl FileId {
    /// Returns which file the index is now, `None` if there is none.
    pub fn of(path: &Path) -> Option<Self> {
        version::identity(path).ok().map(Self)
    }
}

/// Moves a damaged index aside, so that a new one can be made; returns where it went. Does nothing
/// if the index is no longer the file that was `seen` to be damaged.
pub fn set_aside(path: &Path, seen: FileId, patience: Duration) -> Result<Option<PathBuf>> {
    let _lock = lock::take(path, patience)?;
    if FileId::of(path) != Some(seen) {
        return Ok(None);
    }
    let aside = free_name(path);
    // The log goes first: a file without its log is older, a log without its file would be taken for
    // that of the next one.
    rename(&beside(path, "-wal"), &beside(&aside, "-wal"))?;
    rename(path, &aside)?;
    match fs::remove_file(beside(path, "-shm")) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::io(beside(path, "-shm"), error))
        }
        _ => Ok(Some(aside)),
    }
}

/// Returns the first name that is not taken; when there are too many, the last one is.
fn free_name(path: &Path) -> PathBuf {
    let names = (1..=ASIDE_MAX).map(|number| beside(path, &format!(".damaged-{number}")));
    let mut last = path.to_owned();
    for name in names {
        if fs::symlink_metadata(&name).is_err() {
            return name;
        }
        last = name;
    }
    last
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(from, error)),
        _ => Ok(()),
    }
}

/// The file in which readers and writers of a log share notes is mapped into memory: where somebody cut
/// it short, looking at it would end the process. As long as before, and empty, it is made anew.
pub(in crate::store) fn mend_shared_notes(path: &Path) {
    let notes = beside(path, "-shm");
    if fs::metadata(&notes).is_ok_and(|found| found.is_file() && found.len() < SHARED_BYTES_MIN)
        && let Ok(file) = OpenOptions::new().write(true).open(&notes)
    {
        // Where this fails, so does the next look at the index.
        let _ = file.set_len(SHARED_BYTES_MIN);
    }
}

/// Reads every page of the file and returns the first that is not what was written. Nobody may write
/// meanwhile.
///
/// Pages that the log holds are read from there, and checked by its own sums: a run that was killed
/// while it copied the log into the file leaves them half written.
pub(in crate::store) fn first_damaged_page(path: &Path) -> Result<Option<u64>> {
    let io = |error| Error::io(path, error);
    let logged = logged_pages(&beside(path, "-wal"));
    let file = File::open(path).map_err(io)?;
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, file);
    let mut page = [0; PAGE_BYTES];
    // The first page says how many there are, or else the log does; what is appended to them is nobody's.
    let mut n_pages = logged.n_pages.unwrap_or(1);
    let mut number = 1;
    while number <= n_pages {
        let is_asked =
            number != LOCKED_BYTE / PAGE_BYTES as u64 + 1 && !logged.pages.contains(&number);
        match reader.read_exact(&mut page) {
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(io(error)),
            Ok(()) if is_asked && !is_sealed(&page, number) => return Ok(Some(number)),
            Err(_) if is_asked => return Ok(Some(number)),
            _ => {}
        }
        if number == 1 && logged.n_pages.is_none() {
            n_pages = u64::from(u32::from_be_bytes([page[28], page[29], page[30], page[31]]));
        }
        number += 1;
    }
    Ok(None)
}

/// What a log holds that was committed.
#[derive(Default)]
struct Logged {
    pages: FxHashSet<u64>,
    /// Pages of the file as the last transaction left it.
    n_pages: Option<u64>,
}

fn logged_pages(log: &Path) -> Logged {
    let mut logged = Logged::default();
    let mut open = Vec::new();
    let Ok(file) = File::open(log) else {
        return logged;
    };
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, file);
    let mut head = [0; log::HEADER_BYTES];
    let mut frame = [0; log::FRAME_BYTES];
    if reader.read_exact(&mut head).is_err() {
        return logged;
    }
    while reader.read_exact(&mut frame).is_ok() {
        // Frames of an earlier log have other salts.
        let Some((page, n_pages)) = log::frame_of(&frame, &head) else {
            break;
        };
        open.push(page);
        if n_pages > 0 {
            logged.pages.extend(open.drain(..));
            logged.n_pages = Some(n_pages);
        }
    }
    logged
}

/// As much of a file as is mapped.
const MAPPED_BYTES_MAX: i64 = 1 << 31;

impl SqliteStore {
    /// Maps the file into memory, for a process that asks one question and ends: pages that are not
    /// copied are read in less time, but a file that is cut short meanwhile ends the process.
    pub(in crate::store) fn map_file(&self) -> Result<()> {
        self.sql(|connection| connection.pragma_update(None, "mmap_size", MAPPED_BYTES_MAX))
    }

    /// Checks the file from end to end; returns what is wrong.
    pub(in crate::store) fn problems(&self) -> Result<Vec<String>> {
        // A page that is just being written is whole a moment later.
        let damaged = first_damaged_page(self.path())?;
        if let Some(page) = damaged
            && first_damaged_page(self.path())? == damaged
        {
            return Ok(vec![format!("page {page} is not what was written")]);
        }
        let mut problems = self.sql(|connection| {
            let mut problems: Vec<String> = connection
                .prepare("PRAGMA integrity_check")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            problems.retain(|line| line != "ok");
            Ok(problems)
        })?;
        let n_notes: u64 =
            self.sql(|c| c.query_row("SELECT COUNT(*) FROM note", [], |row| row.get(0)))?;
        let n_entries = self.words()?.map_or(0, lexical::n_notes);
        if n_notes != n_entries {
            problems.push(format!(
                "{n_notes} notes are stored but {n_entries} are in the word index"
            ));
        }
        for note in self.select(Select::Every, Wanted::NAMES)?.iter() {
            if let Err(error) = self.text(note.id, &Part::Whole) {
                problems.push(format!("{}: {error}", note.path));
            }
        }
        Ok(problems)
    }
}
