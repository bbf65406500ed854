//! Tantivy's directory inside the SQLite file.
//!
//! Segment files are rows, read by range through the store's connection and its snapshot. New ones are
//! written into the writer's open transaction as they come, so that they need no memory, whatever their
//! size; only the list of segments waits in memory until the writer commits.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, MAIN_DB, OptionalExtension};
use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, OwnedBytes, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

use crate::store::cache::Cache;
use crate::store::file::seal::PAGE_BYTES;

const BLOCK_BYTES: usize = 64 << 10;
const BLOCK_BITS: u32 = 24;
/// Ranges kept in memory.
const CACHE_BYTES_MAX: usize = 48 << 20;
/// What a range costs beside its bytes: its key, its place in the cache, its owner. A merge reads the short lists
/// of a million rare words.
const RANGE_BYTES: usize = 192;
/// Tantivy's own list of files. It is made from the table, never stored.
const MANAGED_LIST: &str = ".managed.json";

/// A connection that tantivy's threads read through, too.
pub(in crate::store) type SharedConnection = Arc<Mutex<Connection>>;

pub(in crate::store) fn locked(connection: &SharedConnection) -> MutexGuard<'_, Connection> {
    // A panic of another thread leaves the connection itself sound; SQLite rolls back.
    connection
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A tantivy directory over one snapshot of the store.
#[derive(Clone)]
pub(in crate::store) struct SqlDirectory {
    shared: Arc<Shared>,
}

struct Shared {
    connection: SharedConnection,
    files: Mutex<Files>,
    ranges: Cache<ByteRange, OwnedBytes>,
    /// What went wrong when a file was written.
    failure: Mutex<Option<rusqlite::Error>>,
    n_bytes_all: usize,
}

#[derive(Default)]
struct Files {
    stored: HashMap<PathBuf, Stored>,
    /// Files that are being written.
    unfinished: HashSet<PathBuf>,
    staged: BTreeMap<PathBuf, OwnedBytes>,
    removed: Vec<i64>,
}

#[derive(Clone, Copy)]
struct Stored {
    id: i64,
    size: usize,
    is_column: bool,
}

/// A file's id, and where a range of it begins and ends.
type ByteRange = (i64, usize, usize);

impl SqlDirectory {
    /// Opens the snapshot that `connection` sees.
    ///
    /// The owner must not hold the connection's lock while it waits for tantivy.
    pub(in crate::store) fn open(shared: &SharedConnection) -> rusqlite::Result<Self> {
        let connection = locked(shared);
        // A file is no larger than all there is: a larger one would ask for memory without end.
        let n_pages: usize = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
        let stored: HashMap<PathBuf, Stored> = connection
            .prepare("SELECT name, id, size FROM lexical_file")?
            .query_map([], |row| {
                let name: String = row.get(0)?;
                let name = PathBuf::from(name);
                let file = Stored {
                    id: row.get(1)?,
                    size: row.get(2)?,
                    is_column: is_column(&name),
                };
                Ok((name, file))
            })?
            .collect::<rusqlite::Result<_>>()?;
        let n_bytes_all = n_pages.saturating_mul(PAGE_BYTES);
        let is_too_large = |file: &Stored| file.size > n_bytes_all;
        if stored.values().any(is_too_large) {
            return Err(rusqlite::Error::BlobSizeError);
        }
        let files = Files {
            stored,
            ..Files::default()
        };
        Ok(Self {
            shared: Arc::new(Shared {
                connection: Arc::clone(shared),
                files: Mutex::new(files),
                ranges: Cache::new(CACHE_BYTES_MAX, |bytes| bytes.len() + RANGE_BYTES),
                failure: Mutex::default(),
                n_bytes_all,
            }),
        })
    }

    /// Returns how large everything is together, the word index and all else.
    pub(in crate::store) fn n_bytes_all(&self) -> usize {
        self.shared.n_bytes_all
    }

    /// Writes staged files and removes collected ones, inside the caller's transaction.
    pub(in crate::store) fn flush(&self, transaction: &Connection) -> rusqlite::Result<()> {
        self.remove_collected(transaction)?;
        let mut files = self.files();
        for (path, data) in std::mem::take(&mut files.staged) {
            if let Some(old) = files.stored.remove(&path) {
                remove(transaction, old.id)?;
            }
            let id = add_file(transaction, &path)?;
            for (number, block) in (0..).zip(data.chunks(BLOCK_BYTES)) {
                add_block(transaction, id, number, block)?;
            }
            set_size(transaction, id, data.len())?;
        }
        Ok(())
    }

    /// Removes files that are of no more use, inside the caller's transaction.
    pub(in crate::store) fn remove_collected(
        &self,
        transaction: &Connection,
    ) -> rusqlite::Result<()> {
        let removed = std::mem::take(&mut self.files().removed);
        removed
            .into_iter()
            .try_for_each(|id| remove(transaction, id))
    }

    /// Returns what went wrong when a file was written, if it did.
    pub(in crate::store) fn take_failure(&self) -> Option<rusqlite::Error> {
        let failure = self.shared.failure.lock();
        failure.unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Writes a part of a file; what goes wrong is kept for the writer, which tantivy would not tell.
    fn write<T>(&self, run: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> io::Result<T> {
        let connection = locked(&self.shared.connection);
        if connection.is_autocommit() {
            return Err(io::Error::other("nobody has begun to write"));
        }
        run(&connection).map_err(|error| {
            let mut failure = self
                .shared
                .failure
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
            io::Error::other("the word index could not be written")
        })
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.shared
            .files
            .lock()
            .expect("no thread panics while it holds the file list")
    }

    /// Reads a byte range of a stored file. Columns are read once, when an index is opened, and kept in another shape.
    fn read(&self, file: Stored, range: Range<usize>) -> io::Result<OwnedBytes> {
        if file.is_column {
            let bytes = self.read_blocks(file, range).map_err(io::Error::other)?;
            return Ok(OwnedBytes::new(bytes));
        }
        let key = (file.id, range.start, range.end);
        let bytes = self.shared.ranges.get(&key, || {
            let bytes = self.read_blocks(file, range).map_err(io::Error::other)?;
            Ok::<_, io::Error>(OwnedBytes::new(bytes))
        })?;
        Ok(OwnedBytes::clone(&bytes))
    }

    fn read_blocks(&self, file: Stored, range: Range<usize>) -> rusqlite::Result<Vec<u8>> {
        let mut bytes = vec![0; range.len()];
        if range.is_empty() {
            return Ok(bytes);
        }
        let connection = locked(&self.shared.connection);
        let first = range.start / BLOCK_BYTES;
        let row = |number: usize| file.id << BLOCK_BITS | number as i64;
        let mut blob = connection.blob_open(MAIN_DB, "lexical_block", "data", row(first), true)?;
        let (mut at, mut filled) = (range.start, 0);
        while at < range.end {
            let number = at / BLOCK_BYTES;
            if number > first {
                blob.reopen(row(number))?;
            }
            let within = at % BLOCK_BYTES;
            let take = (BLOCK_BYTES - within).min(range.end - at);
            blob.read_at_exact(&mut bytes[filled..filled + take], within)?;
            at += take;
            filled += take;
        }
        Ok(bytes)
    }

    fn managed_list(&self) -> Vec<u8> {
        let files = self.files();
        let names: Vec<_> = files
            .stored
            .keys()
            .chain(&files.unfinished)
            .chain(files.staged.keys())
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        serde_json::to_vec(&names).expect("a list of strings is JSON")
    }
}

/// Whether a file of tantivy holds columns over all entries.
fn is_column(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "fast")
}

fn add_file(transaction: &Connection, path: &Path) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached("INSERT INTO lexical_file (name, size) VALUES (?1, 0)")?
        .insert([path.to_string_lossy()])
}

fn add_block(
    transaction: &Connection,
    file: i64,
    number: i64,
    data: &[u8],
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT INTO lexical_block (id, data) VALUES (?1, ?2)")?
        .execute((file << BLOCK_BITS | number, data))
        .map(drop)
}

fn set_size(transaction: &Connection, file: i64, n_bytes: usize) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE lexical_file SET size = ?2 WHERE id = ?1")?
        .execute((file, n_bytes))
        .map(drop)
}

fn remove(transaction: &Connection, file: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM lexical_file WHERE id = ?1")?
        .execute([file])?;
    transaction
        .prepare_cached("DELETE FROM lexical_block WHERE id BETWEEN ?1 AND ?2")?
        .execute([file << BLOCK_BITS, ((file + 1) << BLOCK_BITS) - 1])
        .map(drop)
}

impl fmt::Debug for SqlDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SqlDirectory")
    }
}

impl Directory for SqlDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let files = self.files();
        if let Some(bytes) = files.staged.get(path) {
            return Ok(Arc::new(bytes.clone()));
        }
        match files.stored.get(path) {
            Some(&file) => Ok(Arc::new(StoredFile {
                directory: self.clone(),
                file,
            })),
            None => Err(OpenReadError::FileDoesNotExist(path.to_owned())),
        }
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let mut files = self.files();
        let was_staged = files.staged.remove(path).is_some();
        match files.stored.remove(path) {
            Some(file) => files.removed.push(file.id),
            None if was_staged => {}
            None => return Err(DeleteError::FileDoesNotExist(path.to_owned())),
        }
        Ok(())
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        let files = self.files();
        Ok(files.staged.contains_key(path)
            || files.stored.contains_key(path)
            || files.unfinished.contains(path))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        if self.exists(path).unwrap_or(false) {
            return Err(OpenWriteError::FileAlreadyExists(path.to_owned()));
        }
        let id = self
            .write(|transaction| add_file(transaction, path))
            .map_err(|error| OpenWriteError::wrap_io_error(error, path.to_owned()))?;
        self.files().unfinished.insert(path.to_owned());
        Ok(BufWriter::new(Box::new(NewFile {
            directory: self.clone(),
            path: path.to_owned(),
            id,
            n_blocks: 0,
            rest: Vec::with_capacity(BLOCK_BYTES),
        })))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        if path == Path::new(MANAGED_LIST) {
            return Ok(self.managed_list());
        }
        let handle = self.get_file_handle(path)?;
        let bytes = handle
            .read_bytes(0..handle.len())
            .map_err(|error| OpenReadError::wrap_io_error(error, path.to_owned()))?;
        Ok(bytes.as_slice().to_vec())
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        if path != Path::new(MANAGED_LIST) {
            let bytes = OwnedBytes::new(data.to_vec());
            self.files().staged.insert(path.to_owned(), bytes);
        }
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    /// The store's own writer lock is the lock.
    fn acquire_lock(&self, _lock: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

struct StoredFile {
    directory: SqlDirectory,
    file: Stored,
}

impl fmt::Debug for StoredFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredFile({})", self.file.id)
    }
}

impl HasLen for StoredFile {
    fn len(&self) -> usize {
        self.file.size
    }
}

impl FileHandle for StoredFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        self.directory.read(self.file, range)
    }
}

/// A file that is being written, block by block.
struct NewFile {
    directory: SqlDirectory,
    path: PathBuf,
    id: i64,
    n_blocks: i64,
    /// What does not fill a block yet.
    rest: Vec<u8>,
}

impl NewFile {
    fn write_block(&mut self) -> io::Result<()> {
        let (id, number, rest) = (self.id, self.n_blocks, &self.rest);
        self.directory
            .write(|transaction| add_block(transaction, id, number, rest))?;
        self.n_blocks += 1;
        self.rest.clear();
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut left = bytes;
        while !left.is_empty() {
            let (now, later) = left.split_at(left.len().min(BLOCK_BYTES - self.rest.len()));
            self.rest.extend_from_slice(now);
            left = later;
            if self.rest.len() == BLOCK_BYTES {
                self.write_block()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for NewFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        let size = self.n_blocks as usize * BLOCK_BYTES + self.rest.len();
        if !self.rest.is_empty() {
            self.write_block()?;
        }
        let id = self.id;
        self.directory
            .write(|transaction| set_size(transaction, id, size))?;
        let mut files = self.directory.files();
        files.unfinished.remove(&self.path);
        let file = Stored {
            id,
            size,
            is_column: is_column(&self.path),
        };
        files.stored.insert(self.path.clone(), file);
        Ok(())
    }
}

/// Tells whether the store has a word index at all.
pub(in crate::store) fn has_index(connection: &Connection) -> rusqlite::Result<bool> {
    connection
        .query_row(
            "SELECT 1 FROM lexical_file WHERE name = 'meta.json'",
            [],
            |_| Ok(()),
        )
        .optional()
        .map(|found| found.is_some())
}
