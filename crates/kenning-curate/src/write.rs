//! Writing safely: the one way into a vault. Several files change all or none, whatever fails and whenever
//! the process is killed; what a person changed meanwhile is never overwritten; and a run can be undone.
//!
//! A run is written down in a journal outside of the vault first (`write/journal.rs`). Then every new file is
//! made beside the one that it replaces and flushed, and only then are they put in place, one after the other. A
//! run that did not come that far is swept away by the next one; one that did is finished, or taken back
//! where that is not possible.

mod journal;
mod recover;

use std::collections::{BTreeSet, HashSet};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::disk::{Disk, Kind, Like, Lock, Meta};
use crate::error::{Error, Result};
use journal::{Entry, Held, Journal, Manifest, Stage};

/// Files that are larger are not changed.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// Threads that make new files and put them in place: waiting for one takes as long as waiting for several.
const THREADS_MAX: usize = 16;

/// Changes the files of one vault.
pub struct Writer<'a> {
    disk: &'a dyn Disk,
    root: PathBuf,
    journal: PathBuf,
}

/// A file as it was read.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Path below the vault.
    pub path: String,
    /// What it held.
    pub bytes: Vec<u8>,
    meta: Meta,
}

/// Changes that are made together or not at all.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    verb: String,
    detail: String,
    undoes: Option<u64>,
    dropped: Vec<String>,
    changes: Vec<Change>,
}

/// A change of one file.
#[derive(Clone, Debug)]
pub struct Change {
    /// Path below the vault.
    pub path: String,
    /// What was read; `None` where there must be no file.
    pub before: Option<Seen>,
    /// What it is to hold; `None` if it is deleted.
    pub after: Option<Vec<u8>>,
    like: Option<Like>,
}

/// A run that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its number, which goes up.
    pub id: u64,
    /// The command that made it.
    pub verb: String,
    /// What it did, for a person.
    pub detail: String,
    /// Seconds since 1970.
    pub at: i64,
    /// The files that it changed.
    pub paths: Vec<String>,
    /// Whether it was undone.
    pub is_undone: bool,
}

/// Which run is undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone<'a> {
    /// The last one.
    Last,
    /// The last one of a command.
    Of(&'a str),
    /// This one, if it is the last: whoever saw it so means no other.
    Run(u64),
}

/// A run that was stopped half-way, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The command that made it.
    pub verb: String,
    /// Whether it was finished, or taken back.
    pub is_finished: bool,
}

impl Batch {
    /// Begins a run of a command; `detail` says what it does, for a person.
    pub fn new(verb: &str, detail: &str) -> Self {
        Self {
            verb: verb.to_owned(),
            detail: detail.to_owned(),
            ..Self::default()
        }
    }

    /// Writes a file anew that was read. What stays the same is no change.
    pub fn write(&mut self, seen: Seen, bytes: Vec<u8>) {
        if seen.bytes != bytes {
            self.changes.push(Change {
                path: seen.path.clone(),
                before: Some(seen),
                after: Some(bytes),
                like: None,
            });
        }
    }

    /// Makes a file.
    pub fn create(&mut self, path: &str, bytes: Vec<u8>) {
        self.changes.push(Change {
            path: path.to_owned(),
            before: None,
            after: Some(bytes),
            like: None,
        });
    }

    /// Moves a file, with what it is to hold then.
    pub fn rename(&mut self, seen: Seen, to: &str, bytes: Vec<u8>) {
        let is_same = seen.bytes == bytes;
        let mtime_ns = seen.meta.like.mtime_ns.filter(|_| is_same);
        self.changes.push(Change {
            path: to.to_owned(),
            before: None,
            after: Some(bytes),
            like: Some(Like {
                mtime_ns,
                ..seen.meta.like
            }),
        });
        self.remove(seen);
    }

    /// Deletes a file.
    pub fn remove(&mut self, seen: Seen) {
        self.changes.push(Change {
            path: seen.path.clone(),
            before: Some(seen),
            after: None,
            like: None,
        });
    }

    /// Returns what is to be changed.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

impl<'a> Writer<'a> {
    /// Names a vault and the folder of its journal, which lies outside of it.
    pub fn new(disk: &'a dyn Disk, root: &Path, journal: &Path) -> Self {
        Self {
            disk,
            root: root.to_owned(),
            journal: journal.to_owned(),
        }
    }

    /// Reads a file that may be changed; `None` where there is none.
    pub fn read(&self, path: &str) -> Result<Option<Seen>> {
        self.check_path(path)?;
        let file = self.root.join(path);
        let io = |error| Error::io(&file, error);
        // Its state is taken first: a change between the two is seen as one.
        let Some(meta) = self.disk.meta(&file).map_err(io)? else {
            return Ok(None);
        };
        if meta.stamp.0 > FILE_BYTES_MAX {
            return Err(io(ErrorKind::FileTooLarge.into()));
        }
        Ok(Some(Seen {
            path: path.to_owned(),
            bytes: self.disk.read(&file).map_err(io)?,
            meta,
        }))
    }

    /// Makes all changes or none, and returns the number of the run; `None` if there were none.
    ///
    /// # Errors
    ///
    /// After every error but [`Error::Unfinished`] the vault is as it was.
    pub fn commit(&self, batch: &Batch, now: i64) -> Result<Option<u64>> {
        let lock = self.lock()?;
        self.settle()?;
        let run = self.run(batch, now)?;
        drop(lock);
        Ok(run)
    }

    /// Finishes or takes back a run that was stopped half-way, if there is one.
    pub fn recover(&self) -> Result<Vec<Recovered>> {
        if self.disk.meta(&self.journal).ok().flatten().is_none() {
            return Ok(Vec::new());
        }
        let _lock = self.lock()?;
        self.settle()
    }

    /// Lists the runs that are remembered, the last one first.
    pub fn runs(&self) -> Result<Vec<Run>> {
        let runs = self.journal_io(|journal| journal.runs())?;
        let undone: HashSet<u64> = runs.iter().filter_map(|(_, run)| run.undoes).collect();
        let done = runs.into_iter().rev();
        let done = done.filter(|(stage, run)| *stage == Stage::Done && run.undoes.is_none());
        let run = |(_, run): (Stage, Manifest)| Run {
            is_undone: undone.contains(&run.id),
            id: run.id,
            verb: run.verb,
            detail: run.detail,
            at: run.at,
            paths: run.files.into_iter().map(|file| file.path).collect(),
        };
        Ok(done.map(run).collect())
    }

    /// Undoes the last run that was not yet, or the last one of a command: every file gets back what it held.
    pub fn undo(&self, which: Undone<'_>, now: i64) -> Result<Run> {
        let lock = self.lock()?;
        self.settle()?;
        let is_wanted = |run: &Run| match which {
            Undone::Of(verb) => !run.is_undone && run.verb == verb,
            Undone::Last | Undone::Run(_) => !run.is_undone,
        };
        let found = self.runs()?.into_iter().find(is_wanted);
        let is_meant = |run: &Run| !matches!(which, Undone::Run(id) if id != run.id);
        let Some(run) = found.filter(is_meant) else {
            return Err(Error::Nothing {
                what: match which {
                    Undone::Run(_) => "something else was written or taken back since".to_owned(),
                    _ => "there is nothing to take back".to_owned(),
                },
                hint: match which {
                    Undone::Of(verb) => format!("only what `ken {verb}` wrote can be taken back"),
                    _ => "`ken undo --list` shows what was written".to_owned(),
                },
            });
        };
        let batch = self.reverse(&run)?;
        self.run(&batch, now)?;
        drop(lock);
        Ok(run)
    }

    /// Returns what takes a run back, if every file still is as the run left it.
    fn reverse(&self, run: &Run) -> Result<Batch> {
        let runs = self.journal_io(|journal| journal.runs())?;
        let manifest = runs.into_iter().find(|(_, manifest)| manifest.id == run.id);
        let Some((_, manifest)) = manifest else {
            return Ok(Batch::default());
        };
        let mut batch = Batch::new("undo", &format!("took back `{}`", run.verb));
        let all = self.journal_io(|journal| journal.before(run.id))?;
        batch.undoes = Some(run.id);
        batch.dropped = manifest.folders.iter().rev().cloned().collect();
        for entry in &manifest.files {
            let seen = self.read(&entry.path)?;
            if seen.as_ref().map(|seen| digest(&seen.bytes)) != entry.after {
                return Err(Error::Changed {
                    path: entry.path.clone(),
                });
            }
            let before = match &entry.before {
                Some(held) => Some(self.journal_io(|_| held.among(&all))?.to_vec()),
                None => None,
            };
            // Where the bytes come from a file that was moved, its time comes back, too.
            let is_moved = seen.is_none();
            let like = entry.before.as_ref().map(|held| Like {
                mtime_ns: held.like.mtime_ns.filter(|_| is_moved),
                ..held.like
            });
            batch.changes.push(Change {
                path: entry.path.clone(),
                before: seen,
                after: before,
                like,
            });
        }
        Ok(batch)
    }

    fn lock(&self) -> Result<Lock> {
        let io = |error| Error::io(&self.journal, error);
        self.make_journal().map_err(io)?;
        self.disk.lock(&self.journal.join("lock")).map_err(io)
    }

    fn make_journal(&self) -> io::Result<()> {
        let mut missing = Vec::new();
        for folder in self.journal.ancestors() {
            if self.disk.meta(folder)?.is_some() {
                break;
            }
            missing.push(folder);
        }
        for folder in missing.into_iter().rev() {
            match self.disk.make_folder(folder, Like::PRIVATE_FOLDER) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => made?,
            }
        }
        Ok(())
    }

    fn journal_io<T>(&self, run: impl FnOnce(&Journal<'_>) -> io::Result<T>) -> Result<T> {
        let journal = Journal {
            disk: self.disk,
            folder: &self.journal,
        };
        run(&journal).map_err(|error| Error::io(&self.journal, error))
    }

    fn run(&self, batch: &Batch, now: i64) -> Result<Option<u64>> {
        if batch.is_empty() {
            return Ok(None);
        }
        let folders = self.check(batch)?;
        let runs = self.journal_io(|journal| journal.runs())?;
        let id = runs.last().map_or(0, |(_, last)| last.id) + 1;
        let (manifest, before) = plan(batch, id, now, folders);
        if let Err(error) = self.prepare(batch, &manifest, &before) {
            // What cannot be swept away now is by the next run.
            let _ = self.abandon(&manifest);
            return Err(error);
        }
        // From here on the next run would finish what this one cannot.
        let committed = self
            .journal_io(|journal| journal.advance(id, Stage::Committing))
            .and_then(|()| self.apply(batch, &manifest))
            .and_then(|()| self.finish(&manifest));
        if let Err(error) = committed {
            self.take_back(&manifest).map_err(|trouble| match trouble {
                Error::Io { path, source } => Error::Unfinished { path, source },
                other => other,
            })?;
            return Err(error);
        }
        // A run more or less that is remembered is no reason to say that this one failed.
        let _ = self.journal_io(|journal| journal.prune(&runs));
        Ok(Some(id))
    }

    /// Checks that everything is as it was read and may be changed. Returns the folders that are missing.
    fn check(&self, batch: &Batch) -> Result<Vec<String>> {
        let mut folders = Vec::new();
        let mut paths = HashSet::new();
        for change in &batch.changes {
            self.check_path(&change.path)?;
            if !paths.insert(&change.path) {
                return Err(Error::BadPath {
                    path: change.path.clone(),
                });
            }
            self.missing_folders(&change.path, &mut folders)?;
            self.check_unchanged(change)?;
        }
        Ok(folders)
    }

    fn check_path(&self, path: &str) -> Result<()> {
        let is_name = |name: &str| !matches!(name, "" | "." | "..") && !name.contains('\0');
        match path.split('/').all(is_name) && !(cfg!(windows) && path.contains(['\\', ':'])) {
            true => Ok(()),
            false => Err(Error::BadPath {
                path: path.to_owned(),
            }),
        }
    }

    fn check_unchanged(&self, change: &Change) -> Result<()> {
        let file = self.root.join(&change.path);
        let found = self
            .disk
            .meta(&file)
            .map_err(|error| Error::io(&file, error))?;
        let path = change.path.clone();
        match (&change.before, found) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(Error::Taken { path }),
            (Some(seen), Some(found)) if found == seen.meta => match found.is_writable() {
                true => Ok(()),
                false => Err(Error::ReadOnly { path }),
            },
            (Some(_), _) => Err(Error::Changed { path }),
        }
    }

    /// Collects the folders above a file that have to be made. Nothing is written through a link, which may lead
    /// out of the vault.
    fn missing_folders(&self, path: &str, missing: &mut Vec<String>) -> Result<()> {
        for (at, _) in path.match_indices('/') {
            let name = &path[..at];
            let folder = self.root.join(name);
            let found = self.disk.meta(&folder);
            match found.map_err(|error| Error::io(&folder, error))? {
                Some(found) if found.kind == Kind::Folder => {}
                Some(_) => return Err(Error::NotAFolder { path: folder }),
                None if missing.iter().any(|known| known == name) => {}
                None => missing.push(name.to_owned()),
            }
        }
        Ok(())
    }

    /// Writes down what is to be done, and makes every new file beside the one that it will replace.
    fn prepare(&self, batch: &Batch, manifest: &Manifest, before: &[u8]) -> Result<()> {
        self.journal_io(|journal| journal.begin(manifest, before))?;
        for folder in &manifest.folders {
            let folder = self.root.join(folder);
            let made = self.disk.make_folder(&folder, self.like_above(&folder));
            made.map_err(|error| Error::io(&folder, error))?;
        }
        self.make_files(batch, manifest)
    }

    fn make_files(&self, batch: &Batch, manifest: &Manifest) -> Result<()> {
        each(&batch.changes, |index, change| {
            self.make_file(change, manifest, index)
        })
    }

    fn make_file(&self, change: &Change, manifest: &Manifest, index: usize) -> Result<()> {
        let Some(bytes) = &change.after else {
            return Ok(());
        };
        let temp = self.temp(manifest, index);
        let like = match (change.like, &change.before) {
            (Some(like), _) => like,
            (None, Some(seen)) => Like {
                mtime_ns: None,
                ..seen.meta.like
            },
            (None, None) => self.like_folder(&temp),
        };
        let made = self.disk.put(&temp, bytes, like);
        made.map_err(|error| Error::io(self.root.join(&change.path), error))
    }

    /// A new note may be read by those who may read its folder.
    fn like_folder(&self, file: &Path) -> Like {
        let above = self.like_above(file);
        Like {
            mode: above.mode.map(|mode| mode & 0o666),
            ..above
        }
    }

    /// A new folder may be used by those who may use the one around it.
    fn like_above(&self, path: &Path) -> Like {
        let folder = path
            .parent()
            .and_then(|folder| self.disk.meta(folder).ok()?);
        Like {
            mode: folder.and_then(|folder| folder.like.mode),
            ..Like::default()
        }
    }

    fn temp(&self, manifest: &Manifest, index: usize) -> PathBuf {
        let file = self.root.join(&manifest.files[index].path);
        file.with_file_name(manifest.temp(index))
    }

    /// Puts every new file in its place, unless somebody has changed what is there.
    fn apply(&self, batch: &Batch, manifest: &Manifest) -> Result<()> {
        each(&batch.changes, |index, change| {
            self.check_unchanged(change)?;
            let how = (change.before.is_some(), change.after.is_some());
            self.put_in_place(manifest, index, how)
        })
    }

    fn put_in_place(&self, manifest: &Manifest, index: usize, how: (bool, bool)) -> Result<()> {
        let path = &manifest.files[index].path;
        let (file, temp) = (self.root.join(path), self.temp(manifest, index));
        let done = match how {
            (true, true) => self.disk.rename(&temp, &file),
            (false, true) => self.disk.rename_new(&temp, &file),
            (_, false) => self.disk.remove(&file),
        };
        done.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Error::Taken { path: path.clone() },
            _ => Error::io(&file, error),
        })
    }

    /// Has what was put in place outlive a power cut, and notes down that it is done.
    fn finish(&self, manifest: &Manifest) -> Result<()> {
        let above = |path: &str| self.root.join(path).parent().map(Path::to_owned);
        let touched = manifest.files.iter().map(|file| file.path.as_str());
        let made = manifest.folders.iter().map(String::as_str);
        let folders: BTreeSet<PathBuf> = touched.chain(made).filter_map(above).collect();
        let folders: Vec<PathBuf> = folders.into_iter().collect();
        each(&folders, |_, folder| {
            let synced = self.disk.sync_folder(folder);
            synced.map_err(|error| Error::io(folder, error))
        })?;
        self.journal_io(|journal| journal.advance(manifest.id, Stage::Done))?;
        for folder in &manifest.dropped {
            // One that is no longer empty is somebody's.
            let _ = self.disk.remove_folder(&self.root.join(folder));
        }
        Ok(())
    }
}

/// Does something to each of them, several at once where there are many; the first trouble ends it. Most of the time of a file
/// operation is spent waiting for the disk, for many of them at once as long as for one.
fn each<T: Sync>(items: &[T], work: impl Fn(usize, &T) -> Result<()> + Sync) -> Result<()> {
    let next = AtomicUsize::new(0);
    let trouble = Mutex::new(None);
    let go_on = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return;
            };
            if let Err(error) = work(index, item) {
                next.store(items.len(), Ordering::Relaxed);
                if let Ok(mut trouble) = trouble.lock() {
                    trouble.get_or_insert(error);
                }
            }
        }
    };
    match items.len() {
        0..THREADS_MAX => go_on(),
        _ => std::thread::scope(|scope| {
            for _ in 0..THREADS_MAX {
                scope.spawn(go_on);
            }
        }),
    }
    match trouble.into_inner() {
        Ok(Some(error)) => Err(error),
        _ => Ok(()),
    }
}

/// Returns what is to be written down, and the bytes of all files that will be replaced.
fn plan(batch: &Batch, id: u64, now: i64, folders: Vec<String>) -> (Manifest, Vec<u8>) {
    let mut before = Vec::new();
    let entry = |change: &Change| Entry {
        path: change.path.clone(),
        before: change.before.as_ref().map(|seen| {
            let offset = before.len() as u64;
            before.extend_from_slice(&seen.bytes);
            Held {
                digest: digest(&seen.bytes),
                offset,
                n_bytes: seen.bytes.len() as u64,
                like: seen.meta.like,
            }
        }),
        after: change.after.as_deref().map(digest),
    };
    let files = batch.changes.iter().map(entry).collect();
    let manifest = Manifest {
        id,
        verb: batch.verb.clone(),
        detail: batch.detail.clone(),
        at: now,
        undoes: batch.undoes,
        folders,
        dropped: batch.dropped.clone(),
        files,
    };
    (manifest, before)
}

fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

#[cfg(test)]
pub(crate) mod tests;
