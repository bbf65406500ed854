//! Walks the vault and reads its files; the only reader of vault files, and it never writes.
//!
//! Ignore rules, symlink containment and stamps live here. What cannot be read is reported with
//! its path and the reason; it never stops the walk.

mod history;
mod ignored;
mod lists;
mod names;
mod others;
mod regular;
mod repository;

use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ignore::{DirEntry, WalkBuilder, WalkState};

pub use history::{AskGit, CommitLog, History};
pub use lists::PathList;
pub use others::Territory;
pub use regular::{Links, open_regular, read_regular, read_regular_text};
pub use repository::Repository;

use crate::error::{Error, Result};
use crate::note::Format;
use others::{Verdict, judge};

/// A folder of notes.
#[derive(Clone, Debug)]
pub struct Vault {
    root: PathBuf,
    rules: WalkRules,
    ask_git: Option<AskGit>,
}

/// Which files of a vault are notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkRules {
    /// Walk into folders and files whose name starts with a dot.
    pub hidden: bool,
    /// Follow symbolic links that lead out of the vault.
    pub follow_links: bool,
    /// Larger files are reported and left out.
    pub file_bytes_max: u64,
    /// Only these folders and files; everything when the list is empty.
    pub allowed: PathList,
    /// Never these, whatever is allowed.
    pub excluded: PathList,
    /// Ask git when a file was last committed.
    pub git_dates: bool,
    /// Pictures are notes, too: somebody can read them.
    pub pictures: bool,
    /// Other domains, which have what is theirs for themselves.
    pub others: Vec<Territory>,
}

impl WalkRules {
    /// Whether a file of this name is a note.
    fn is_note(&self, path: &str) -> bool {
        match Format::of(path) {
            Some(format) => self.pictures || !format.is_picture(),
            None => false,
        }
    }
}

impl Default for WalkRules {
    fn default() -> Self {
        Self {
            hidden: false,
            follow_links: false,
            file_bytes_max: 16 << 20,
            allowed: PathList::default(),
            excluded: PathList::default(),
            git_dates: true,
            pictures: false,
            others: Vec::new(),
        }
    }
}

/// What tells that a file has not changed, without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Inode, 0 where the system has none.
    pub inode: u64,
    /// When the system last saw it change, in nanoseconds since 1970; 0 where it does not tell. Unlike
    /// the modification time nobody can set it.
    pub ctime_ns: i64,
}

impl Stamp {
    /// Whether both could be of the same text: a copy of a file has another inode.
    pub fn is_alike(&self, other: &Self) -> bool {
        (self.size, self.mtime_ns) == (other.size, other.mtime_ns)
    }

    /// Whether both are of one file, as far as a file system numbers them.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        self.inode == other.inode
    }
}

/// A note file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Path below the vault, `/` between folders, otherwise verbatim.
    pub path: String,
    /// Its stamp.
    pub stamp: Stamp,
}

/// A file that could not be taken, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Path below the vault.
    pub path: String,
    /// Why, for a person.
    pub reason: String,
}

/// Where notes come from: a vault, or anything else that can list and read them.
pub trait Source: Sync {
    /// Lists every note.
    fn list(&self) -> Walk;
    /// Reads one note, or says why it cannot.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;
    /// Whether the file name says what the note is about.
    fn names_by_file(&self) -> bool;
    /// Tells when notes were last committed, since the commit `known`; `None` when nobody knows.
    fn history(&self, known: Option<&str>) -> Option<History> {
        let _ = known;
        None
    }
    /// Returns the folder of the notes, if they lie in one.
    fn root(&self) -> Option<&Path> {
        None
    }
    /// Returns what tells the file system that the notes lie on from others.
    fn device(&self) -> Option<u64> {
        None
    }
}

/// Returns a vault's path as an index remembers it. No two paths have the same one.
pub fn name_of(root: &Path) -> String {
    let name = root.to_str().map(str::to_owned);
    name.unwrap_or_else(|| format!("{root:?}"))
}

impl Source for Vault {
    fn list(&self) -> Walk {
        self.walk()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.read(path)
    }

    fn names_by_file(&self) -> bool {
        true
    }

    fn history(&self, known: Option<&str>) -> Option<History> {
        let ask_git = self.ask_git.filter(|_| self.rules.git_dates)?;
        let mut history = history::read(&self.root, known, ask_git)?;
        let is_own = |path: &String| self.judge(&self.root.join(path), false) == Verdict::Taken;
        history.days.retain(|path, _| is_own(path));
        Some(names::mask_history(history))
    }

    fn root(&self) -> Option<&Path> {
        Some(&self.root)
    }

    fn device(&self) -> Option<u64> {
        self.device()
    }
}

/// What a walk found.
#[derive(Debug, Default)]
pub struct Walk {
    /// Note files, by path.
    pub found: Vec<Found>,
    /// Everything that should have been readable and was not.
    pub skipped: Vec<Skipped>,
    /// Paths of other files, which links may lead to.
    pub attachments: Vec<String>,
    /// Folders, and when a file last came or went in each, in nanoseconds since 1970.
    pub folders: Vec<(String, i64)>,
    /// What a rule left out, with the rule: files, and folders with a `/` behind.
    pub left_out: Vec<(String, Rule)>,
}

impl Walk {
    fn append(&mut self, other: &mut Self) {
        self.found.append(&mut other.found);
        self.skipped.append(&mut other.skipped);
        self.attachments.append(&mut other.attachments);
        self.folders.append(&mut other.folders);
        self.left_out.append(&mut other.left_out);
    }
}

/// A rule that leaves files out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// It is not among the allowed folders.
    NotAllowed,
    /// It is on the list of excluded ones.
    Excluded,
    /// Obsidian's own settings exclude it.
    Obsidian,
}

impl Rule {
    /// Returns the rule that is called so.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::NotAllowed, Self::Excluded, Self::Obsidian];
        all.into_iter().find(|rule| rule.name() == name)
    }

    /// Returns the rule for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotAllowed => "not among the allowed folders",
            Self::Excluded => "excluded by the settings",
            Self::Obsidian => "excluded in Obsidian",
        }
    }
}

impl Vault {
    /// Opens the folder at `root`.
    pub fn open(root: &Path, rules: WalkRules) -> Result<Self> {
        let missing = || Error::VaultMissing {
            path: root.to_owned(),
        };
        let root = root.canonicalize().map_err(|_| missing())?;
        if !root.is_dir() {
            return Err(missing());
        }
        Ok(Self {
            root,
            rules,
            ask_git: None,
        })
    }

    /// Lets git be asked for the days of commits.
    pub fn with_git(mut self, ask_git: AskGit) -> Self {
        self.ask_git = Some(ask_git);
        self
    }

    /// Returns the canonical path of the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Finds every note file.
    pub fn walk(&self) -> Walk {
        let mut walk = self.walk_below(|_| true);
        walk.found.sort_by(|a, b| a.path.cmp(&b.path));
        walk.skipped.sort();
        walk.attachments.sort();
        walk.folders.sort();
        walk.left_out.sort();
        if self.rules.follow_links {
            drop_twins(&mut walk.found);
        }
        walk
    }

    /// Finds one note file by the same rules; `None` when it is gone, left out or no note.
    pub fn find(&self, path: &str) -> Option<Found> {
        let wanted = relative(&self.root, &names::real(&self.root, path))?;
        let walk = self.walk_below(move |folder| {
            folder == wanted
                || wanted
                    .strip_prefix(folder)
                    .is_some_and(|rest| rest.starts_with('/'))
        });
        walk.found.into_iter().find(|found| found.path == path)
    }

    /// Walks into what `is_wanted` says, which is asked with paths below the vault.
    fn walk_below(&self, is_wanted: impl Fn(&str) -> bool + Send + Sync + 'static) -> Walk {
        if let Some(name) = ignored::unusable(&self.root) {
            let skipped = vec![not_walked(String::new(), name)];
            return Walk {
                skipped,
                ..Walk::default()
            };
        }
        let obsidian = ignored::ObsidianFilters::read(&self.root);
        let collected = Arc::new(Mutex::new(Walk::default()));
        let mut builder = WalkBuilder::new(&self.root);
        let (root, rules, refused) = (self.root.clone(), self.rules.clone(), collected.clone());
        builder
            .hidden(!self.rules.hidden)
            .follow_links(self.rules.follow_links)
            .require_git(false)
            .ignore(false)
            .git_global(false)
            .add_custom_ignore_filename(".kenignore")
            .threads(2)
            .filter_entry(move |entry| {
                let path = relative(&root, entry.path());
                if entry.depth() == 0 || path.is_some_and(|path| !is_wanted(&path)) {
                    return entry.depth() == 0;
                }
                let told = refusal(&root, &rules, entry);
                if let Some(mut told) = told {
                    if let Ok(mut walk) = refused.lock() {
                        walk.append(&mut told);
                    }
                    return false;
                }
                true
            });
        builder.build_parallel().run(|| {
            let mut batch = Batch {
                walk: Walk::default(),
                collected: &collected,
            };
            let obsidian = &obsidian;
            Box::new(move |entry| {
                match entry {
                    Ok(entry) => self.visit(&entry, obsidian, &mut batch.walk),
                    Err(error) => batch.walk.skipped.push(self.walk_error(&error)),
                }
                WalkState::Continue
            })
        });
        let walk = collected.lock().map(|mut walk| std::mem::take(&mut *walk));
        names::mask_walk(&self.root, walk.unwrap_or_default())
    }

    /// Returns the stamp of a file that is known to be a note, `None` when it is gone.
    pub fn stamp(&self, path: &str) -> Option<Stamp> {
        let metadata = fs::metadata(names::real(&self.root, path)).ok()?;
        metadata.is_file().then(|| stamp(&metadata))
    }

    /// Returns when a file was last made, moved or removed in a folder; `None` when it is gone.
    pub(crate) fn folder_time(&self, folder: &str) -> Option<i64> {
        let metadata = fs::metadata(names::real(&self.root, folder)).ok()?;
        Some(stamp(&metadata).mtime_ns)
    }

    /// Returns what tells the file system of the vault from others.
    pub fn device(&self) -> Option<u64> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            fs::metadata(&self.root).ok().map(|metadata| metadata.dev())
        }
        #[cfg(not(unix))]
        None
    }

    /// Reads a file of the vault.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let full = names::real(&self.root, path);
        let links = match self.rules.follow_links {
            // It may have been another one when the vault was walked.
            true if self.judge(&full, false) != Verdict::Taken => {
                return Err(LEADS_ELSEWHERE.to_owned());
            }
            true => Links::Followed,
            false => Links::Refused,
        };
        read_regular(&full, self.rules.file_bytes_max, links).map_err(|error| error.to_string())
    }

    /// Returns the path of a file as the store knows it, `None` when it lies outside the vault.
    pub fn relative(&self, file: &Path) -> Option<String> {
        let parent = std::path::absolute(file).ok()?;
        let parent = parent.parent()?.canonicalize().ok()?;
        let full = parent.join(file.file_name()?);
        relative(&self.root, &full).map(|path| names::shown(&path).into_owned())
    }

    fn judge(&self, path: &Path, is_folder: bool) -> Verdict {
        judge(&self.root, &self.rules, path, is_folder)
    }

    fn visit(&self, entry: &DirEntry, obsidian: &ignored::ObsidianFilters, walk: &mut Walk) {
        let Some(kind) = entry.file_type() else {
            return;
        };
        if kind.is_symlink() {
            walk.skipped.extend(self.refuse_link(entry.path()));
            return;
        }
        if kind.is_dir() {
            self.visit_folder(entry, walk);
        }
        if !kind.is_file() {
            return;
        }
        let Some(path) = relative(&self.root, entry.path()) else {
            if entry.path().extension().is_some_and(|e| e == "md") {
                walk.skipped.push(Skipped {
                    path: shown(&self.root, entry.path()),
                    reason: "the file name is not valid UTF-8".to_owned(),
                });
            }
            return;
        };
        if obsidian.hides(&path) {
            walk.left_out.push((path, Rule::Obsidian));
            return;
        }
        if !self.rules.is_note(&path) {
            walk.attachments.push(path);
            return;
        }
        match entry.metadata() {
            Ok(metadata) if metadata.len() > self.rules.file_bytes_max => {
                let reason = too_large(metadata.len(), self.rules.file_bytes_max);
                walk.skipped.push(Skipped { path, reason });
            }
            Ok(metadata) => walk.found.push(Found {
                path,
                stamp: stamp(&metadata),
            }),
            Err(error) => walk.skipped.push(Skipped {
                path,
                reason: error.to_string(),
            }),
        }
    }

    /// Folders are looked at before what is in them: what comes later changes their time.
    fn visit_folder(&self, entry: &DirEntry, walk: &mut Walk) {
        let path = relative(&self.root, entry.path());
        if let (Some(path), Ok(metadata)) = (path, fs::metadata(entry.path())) {
            walk.folders.push((path, stamp(&metadata).mtime_ns));
        }
    }

    /// A link to a note inside the vault is found under its own name; one that leads out is told.
    fn refuse_link(&self, link: &Path) -> Option<Skipped> {
        let path = relative(&self.root, link)?;
        let reason = match link.canonicalize() {
            Ok(target) if target.starts_with(&self.root) => return None,
            Ok(target) if target.is_file() && !self.rules.is_note(&path) => return None,
            Ok(_) => "a symbolic link that leads out of the vault".to_owned(),
            Err(error) => format!("a symbolic link that leads nowhere ({error})"),
        };
        Some(Skipped { path, reason })
    }

    fn walk_error(&self, error: &ignore::Error) -> Skipped {
        let (mut path, mut inner) = (None, error);
        loop {
            match inner {
                ignore::Error::WithPath { path: at, err } => {
                    let shown = || at.to_string_lossy().into_owned();
                    path = Some(relative(&self.root, at).unwrap_or_else(shown));
                    inner = err;
                }
                ignore::Error::WithDepth { err, .. }
                | ignore::Error::WithLineNumber { err, .. } => {
                    inner = err;
                }
                ignore::Error::Loop { child, .. } => {
                    return Skipped {
                        path: relative(&self.root, child).unwrap_or_default(),
                        reason: "a symbolic link that leads back into itself".to_owned(),
                    };
                }
                _ => break,
            }
        }
        Skipped {
            path: path.unwrap_or_default(),
            reason: inner.to_string(),
        }
    }
}

/// Returns what is to be told of a file or folder that is not walked into; `None` if it is.
fn refusal(root: &Path, rules: &WalkRules, entry: &DirEntry) -> Option<Walk> {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let path = || relative(root, entry.path()).unwrap_or_else(|| shown(root, entry.path()));
    let mut told = Walk::default();
    match judge(root, rules, entry.path(), is_folder) {
        Verdict::Taken if !is_folder => return None,
        Verdict::Taken => {
            let name = ignored::unusable(entry.path())?;
            told.skipped.push(not_walked(path(), name));
        }
        Verdict::LeftOut(rule) => {
            let mark = if is_folder { "/" } else { "" };
            told.left_out.push((path() + mark, rule));
        }
        // What lies below a link that leads elsewhere bears names of elsewhere.
        Verdict::Elsewhere if entry.path_is_symlink() => told.skipped.push(Skipped {
            path: path(),
            reason: LEADS_ELSEWHERE.to_owned(),
        }),
        Verdict::Elsewhere | Verdict::Anothers => {}
    }
    Some(told)
}

/// Hands a thread's finds over once, when the thread is done.
struct Batch<'a> {
    walk: Walk,
    collected: &'a Mutex<Walk>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        if let Ok(mut all) = self.collected.lock() {
            all.append(&mut self.walk);
        }
    }
}

/// With links followed, the same file may be reached twice; the first path wins.
fn drop_twins(found: &mut Vec<Found>) {
    let mut seen = HashSet::new();
    found.retain(|file| file.stamp.inode == 0 || seen.insert((file.stamp.inode, file.stamp.size)));
}

fn not_walked(path: String, name: &str) -> Skipped {
    Skipped {
        path,
        reason: format!("nothing below it was read: its {name} cannot be read"),
    }
}

fn too_large(size: u64, limit: u64) -> String {
    format!(
        "{:.1} MB is more than the limit of {:.0} MB",
        size as f64 / 1e6,
        limit as f64 / 1e6
    )
}

/// Why a link is not followed.
const LEADS_ELSEWHERE: &str = "a symbolic link that leads to what is left out here";

/// Returns a path below the vault for people, whether or not it is UTF-8.
fn shown(root: &Path, full: &Path) -> String {
    let path = full.strip_prefix(root).unwrap_or(full);
    path.to_string_lossy().into_owned()
}

fn relative(root: &Path, full: &Path) -> Option<String> {
    let path = full.strip_prefix(root).ok()?.to_str()?;
    Some(if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    })
}

fn stamp(metadata: &Metadata) -> Stamp {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Stamp {
            size: metadata.len(),
            mtime_ns: metadata.mtime() * 1_000_000_000 + metadata.mtime_nsec(),
            inode: metadata.ino(),
            ctime_ns: metadata.ctime() * 1_000_000_000 + metadata.ctime_nsec(),
        }
    }
    #[cfg(not(unix))]
    {
        let since = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Stamp {
            size: metadata.len(),
            mtime_ns: since.map_or(0, |since| since.as_nanos() as i64),
            inode: 0,
            ctime_ns: 0,
        }
    }
}

#[cfg(test)]
mod tests;
