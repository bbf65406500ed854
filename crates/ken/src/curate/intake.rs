//! Takes things in from outside: from a shell, over HTTP and from a watched folder, all the same way.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use kenning::vault::{Links, read_regular};
use kenning_curate::disk::Machine;
use kenning_curate::intake::around::Place;
use kenning_curate::intake::item::Item;
use kenning_curate::intake::log::{Entry, Fate, Log};
use kenning_curate::intake::prints::Prints;
use kenning_curate::intake::read::{self, Given};
use kenning_curate::intake::{self, Intake, Judged};
use kenning_curate::library::Library;
use kenning_curate::tags::Vocabulary;

use super::{Curator, tags};
use crate::hint::Hinted;
use crate::reader::Readers;
use crate::runtime::{self, Model};
use crate::searcher::Searcher;
use crate::settings::Located;

/// What is kept of intake beside an index.
const FOLDER_SUFFIX: &str = ".intake";
/// Larger files are not taken in.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// How deep folders are looked into.
const DEPTH_MAX: usize = 32;

/// What became of what was given.
pub(crate) struct TakenIn {
    pub(crate) judged: Vec<Judged>,
    /// The run that made notes.
    pub(crate) run: Option<u64>,
    /// What could not be read, and why.
    pub(crate) skipped: Vec<(String, String)>,
    pub(crate) notices: Vec<String>,
}

/// What was given, read.
#[derive(Default)]
pub(crate) struct Brought {
    pub(crate) items: Vec<Item>,
    pub(crate) skipped: Vec<(String, String)>,
}

/// Returns the log of a place.
pub(crate) fn log(located: &Located) -> Log<'static> {
    Log::new(&Machine, &folder(located))
}

fn folder(located: &Located) -> PathBuf {
    let mut folder = located.store.as_os_str().to_owned();
    folder.push(FOLDER_SUFFIX);
    PathBuf::from(folder)
}

/// Returns what came in before, but for what was undone, which counts as if it never had.
pub(crate) fn entries(curator: &Curator<'_>) -> Result<(Vec<Entry>, Option<String>)> {
    let (mut entries, n_unread) = log(curator.located).read()?;
    let runs = curator.writer.runs()?.into_iter();
    let undone: HashSet<u64> = runs.filter(|run| run.is_undone).map(|run| run.id).collect();
    entries.retain(|entry| entry.run.is_none_or(|run| !undone.contains(&run)));
    let notice = (n_unread > 0).then(|| {
        format!("{n_unread} lines of the log of intake cannot be read; they are left as they are")
    });
    Ok((entries, notice))
}

/// Reads what was given.
pub(crate) fn brought(given: Vec<Given>) -> Brought {
    let readers = Readers::default();
    let mut brought = Brought::default();
    for one in given {
        brought.add(one, &readers);
    }
    brought
}

/// Reads files and folders.
pub(crate) fn bring(curator: &Curator<'_>, paths: &[PathBuf]) -> Brought {
    let readers = Readers::default();
    let mut brought = Brought::default();
    for path in paths {
        let mut files = Vec::new();
        let is_folder = path.is_dir();
        match is_folder {
            true => walk(path, 0, &mut files),
            false => files.push(path.clone()),
        }
        for file in files {
            let name = file.display().to_string();
            match read_regular(&file, FILE_BYTES_MAX, Links::Followed) {
                Ok(bytes) => {
                    let in_vault = curator.vault.relative(&file);
                    brought.add(
                        Given {
                            name,
                            bytes,
                            in_vault,
                        },
                        &readers,
                    );
                }
                Err(error) => brought.skipped.push((name, error.to_string())),
            }
        }
    }
    brought
}

/// Lists the files below a folder, by name; hidden ones are not looked at, and links are not followed.
fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        match entry.file_type() {
            Ok(kind) if kind.is_file() && !is_hidden => files.push(entry.path()),
            Ok(kind) if kind.is_dir() && !is_hidden && depth < DEPTH_MAX => {
                walk(&entry.path(), depth + 1, files)
            }
            _ => {}
        }
    }
}

impl Brought {
    /// Adds what came with it.
    pub(crate) fn join(&mut self, other: Self) {
        self.items.extend(other.items);
        self.skipped.extend(other.skipped);
    }

    /// Reads one file.
    fn add(&mut self, given: Given, readers: &Readers) {
        let name = given.name.clone();
        match read::read(given, readers) {
            Ok(taken) => {
                self.items.extend(taken.items);
                let troubles = taken.troubles.into_iter();
                self.skipped
                    .extend(troubles.map(|trouble| (name.clone(), trouble)));
            }
            Err(reason) => self.skipped.push((name, reason)),
        }
    }
}

/// Judges what was brought and, unless it is a dry run, makes notes of what is kept.
pub(crate) fn take(searcher: &Searcher, brought: Brought, is_dry: bool) -> Result<TakenIn> {
    let mut curator = Curator::open(searcher.located())?;
    let (entries, notice) = entries(&curator)?;
    curator.notices.extend(notice);
    let known: HashSet<&str> = entries.iter().map(|entry| &*entry.id).collect();
    let is_known = |item: &Item| known.contains(&*item.id());
    let items = brought.items;
    let judged = match items.iter().all(is_known) {
        true => intake::known(items, &entries),
        false => {
            curator.refresh()?;
            with_intake(searcher, &curator, |intake, prints| {
                Ok(intake.judge(items.clone(), &entries, prints)?)
            })?
        }
    };
    finish(curator, judged, brought.skipped, is_dry)
}

/// Judges again what came in before and was not kept.
pub(crate) fn replay(searcher: &Searcher, is_dry: bool) -> Result<TakenIn> {
    let mut curator = Curator::open(searcher.located())?;
    let (mut entries, notice) = entries(&curator)?;
    curator.notices.extend(notice);
    entries.retain(|entry| !matches!(entry.fate, Fate::Kept { .. } | Fate::Dropped));
    curator.refresh()?;
    let mut judged = with_intake(searcher, &curator, |intake, prints| {
        Ok(intake.judge_again(&entries, prints)?)
    })?;
    // What would be the same again is not told, and not logged.
    let before = |judged: &Judged| entries.iter().find(|entry| entry.id == judged.id);
    judged.retain(|judged| {
        before(judged).is_none_or(|entry| entry.fate.name() != judged.fate.name())
    });
    finish(curator, judged, Vec::new(), is_dry)
}

/// Makes notes of what is kept, and logs everything.
fn finish(
    mut curator: Curator<'_>,
    mut judged: Vec<Judged>,
    skipped: Vec<(String, String)>,
    is_dry: bool,
) -> Result<TakenIn> {
    let batch = intake::plan(&curator.writer, &mut judged, &runtime::today())?;
    for change in batch.changes() {
        curator.refuse_left_out(&change.path, "name folders of the domain under [intake]")?;
    }
    let n_masked: usize = judged
        .iter()
        .filter(|one| !one.is_known)
        .map(|one| one.item.n_masked)
        .sum();
    if n_masked > 0 {
        let notice = format!("{n_masked} credentials were masked; what was given still has them");
        curator.notices.push(notice);
    }
    let mut run = None;
    if !is_dry {
        // Notes come first: what is written and not logged is known again by its text.
        run = curator.commit(&batch)?;
        let new = judged.iter().filter(|judged| !judged.is_known);
        let new: Vec<Entry> = new
            .map(|judged| judged.entry(run, runtime::now()))
            .collect();
        log(curator.located).add(&new)?;
    }
    Ok(TakenIn {
        judged,
        run,
        skipped,
        notices: curator.notices,
    })
}

/// Opens what items are judged by.
fn with_intake<T>(
    searcher: &Searcher,
    curator: &Curator<'_>,
    run: impl Fn(&Intake<'_>, &Prints) -> Result<T>,
) -> Result<T> {
    let located = searcher.located();
    let settings = searcher.settings();
    let rules = settings.intake.rules()?;
    let own = tags::vocabulary(curator)?;
    let model = Model::asked(located)?;
    let left_out = [
        settings.intake.inbox.clone(),
        settings.memory.folder.clone(),
    ];
    let file = folder(located).join("prints");
    log(located).make_folder()?;
    searcher.with_store(|store| {
        let library = Library::read(store)?;
        let in_use = || Vocabulary::in_use(library.notes.iter().flat_map(|note| &note.tags));
        let vocabulary = own.clone().unwrap_or_else(in_use);
        let embedder = model
            .embedder()
            .ok()
            .map(|model| &**model as &dyn kenning::Embedder);
        let prints = Prints::read(&Machine, &file, store)?;
        let place = Place::new(store, &library, embedder)?;
        let folders = (settings.intake.folders.as_slice(), left_out.as_slice());
        let intake = Intake::new(place, rules, &vocabulary, folders)?;
        run(&intake, &prints)
    })
}

/// Returns what waits for a person, the best first.
pub(crate) fn waiting(curator: &Curator<'_>) -> Result<Vec<Entry>> {
    let (mut entries, _) = entries(curator)?;
    entries.retain(|entry| entry.fate == Fate::Queued);
    entries.sort_by(|a, b| {
        b.scores[0]
            .total_cmp(&a.scores[0])
            .then_with(|| a.id.cmp(&b.id))
    });
    Ok(entries)
}

/// Finds what waits by its id, or the beginning of it.
pub(crate) fn waiting_one(curator: &Curator<'_>, id: &str) -> Result<Entry> {
    let mut found = waiting(curator)?;
    found.retain(|entry| !id.is_empty() && entry.id.starts_with(id));
    match (found.len(), found.pop()) {
        (1, Some(entry)) => Ok(entry),
        (0, _) => Err(Hinted::error(
            format!("nothing with the id {id:?} waits"),
            "`ken intake review --list` shows what does",
        )),
        _ => Err(Hinted::error(
            format!("several items have an id that begins with {id:?}"),
            "give more of it",
        )),
    }
}

/// Keeps what waited, in a folder, and returns the path of its note and the run.
pub(crate) fn keep(
    curator: &mut Curator<'_>,
    entry: &Entry,
    folder: Option<&str>,
) -> Result<(String, Option<u64>)> {
    let folder = folder.unwrap_or(&entry.folder);
    let (batch, path) = intake::keep(&curator.writer, entry, folder, &runtime::today())?;
    curator.refuse_left_out(&path, "name a folder of the domain")?;
    let run = curator.commit(&batch)?;
    let fate = Fate::Kept { path: path.clone() };
    log(curator.located).became(&entry.id, &fate, run, runtime::now())?;
    Ok((path, run))
}

/// Drops what waited; it stays in the log.
pub(crate) fn drop_one(curator: &Curator<'_>, entry: &Entry) -> Result<()> {
    Ok(log(curator.located).became(&entry.id, &Fate::Dropped, None, runtime::now())?)
}

/// What is measured of intake.
pub(crate) struct Measured {
    pub(crate) routing: Vec<intake::measure::Routing>,
    pub(crate) doubles: Vec<intake::measure::Doubles>,
    /// Label, outcome, and title of each labelled item.
    pub(crate) judged: Vec<(String, Judged)>,
}

/// Measures intake on the notes of a vault, and on labelled items; nothing is changed.
pub(crate) fn measure(
    searcher: &Searcher,
    labelled: Vec<(String, Item)>,
    n_notes: usize,
) -> Result<Measured> {
    let curator = Curator::open(searcher.located())?;
    curator.refresh()?;
    let (labels, items): (Vec<String>, Vec<Item>) = labelled.into_iter().unzip();
    let judged = match items.is_empty() {
        true => Vec::new(),
        false => with_intake(searcher, &curator, |intake, prints| {
            Ok(intake.judge(items.clone(), &[], prints)?)
        })?,
    };
    let settings = searcher.settings();
    let model = Model::asked(searcher.located())?;
    log(searcher.located()).make_folder()?;
    let file = folder(searcher.located()).join("prints");
    let started = std::time::Instant::now();
    let clock = || started.elapsed().as_secs_f64() * 1e3;
    let (routing, doubles) = match labels.is_empty() {
        false => Default::default(),
        true => searcher.with_store(|store| {
            let library = Library::read(store)?;
            let embedder = model
                .embedder()
                .ok()
                .map(|model| &**model as &dyn kenning::Embedder);
            let place = Place::new(store, &library, embedder)?;
            let prints = Prints::read(&Machine, &file, store)?;
            let routing = intake::measure::routing(&place, &settings.intake.folders, n_notes)?;
            let doubles = intake::measure::doubles(&place, &prints, n_notes, &clock)?;
            Ok((routing, doubles))
        })?,
    };
    Ok(Measured {
        routing,
        doubles,
        judged: labels.into_iter().zip(judged).collect(),
    })
}
