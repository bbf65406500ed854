//! The write flow: compare stamps, then mask, parse, chunk, embed and store what changed.
//!
//! Workers prepare notes on all cores; one thread writes them, in order. What was committed stays,
//! whatever happens after.

mod fresh;
mod graph;
mod prepare;
mod understand;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

pub use crate::chunk::Profile;
pub use fresh::{Freshness, freshness};
pub use understand::findings;

use crate::embed::{Embedder, ModelId};
use crate::error::{Error, Result};
use crate::extract::{self, Reader};
use crate::note::Format;
use crate::secrets;
use crate::store::{self, FileId, NoteRecord, StoreWriter};
use crate::vault::{self, Found, Skipped, Source, Stamp};
use prepare::{Group, Outcome, Tools};

/// Notes that a worker takes at once; enough to fill an embedding batch.
const GROUP_NOTES: usize = 32;
/// Text after which the work so far is committed.
const COMMIT_BYTES: u64 = 96 << 20;
/// Notes that the text dictionary is learnt from, and how much of each.
const SAMPLE_NOTES: usize = 256;
const SAMPLE_BYTES: usize = 4 << 10;

/// What the write flow works with.
pub struct IndexContext<'a> {
    /// Where the notes are.
    pub source: &'a dyn Source,
    /// The index file.
    pub store: &'a Path,
    /// Reads the files that are not Markdown.
    pub reader: &'a dyn Reader,
    /// Makes the vectors.
    pub embedder: &'a dyn Embedder,
    /// Seconds since 1970.
    pub now: i64,
    /// How to work.
    pub options: &'a IndexOptions,
    /// Called from the writing thread after each note.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Set from outside to finish with what is done so far.
    pub stop: &'a AtomicBool,
}

/// How to index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexOptions {
    /// How notes are cut.
    pub profile: Profile,
    /// Make the index anew, even if nothing changed.
    pub full: bool,
    /// Threads that prepare notes.
    pub n_threads: usize,
    /// How long to wait for another writer.
    pub patience: Duration,
    /// Read the whole file first, to find damage where nothing else would look.
    pub check: bool,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            full: false,
            n_threads: 2,
            patience: Duration::from_secs(5),
            check: false,
        }
    }
}

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Notes done.
    pub n_done: usize,
    /// Notes to do.
    pub n_total: usize,
    /// Bytes of text done.
    pub n_bytes: u64,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Notes that are new.
    pub n_added: usize,
    /// Notes whose text changed.
    pub n_changed: usize,
    /// Notes that are gone.
    pub n_removed: usize,
    /// Notes that moved: counted here and not as added and removed.
    pub n_renamed: usize,
    /// Notes left as they were.
    pub n_unchanged: usize,
    /// Chunks written.
    pub n_chunks: usize,
    /// Bytes of text read.
    pub n_bytes: u64,
    /// Files that could not be taken.
    pub skipped: Vec<Skipped>,
    /// Notes with something that could not be understood: path, line, message.
    pub warnings: Vec<(String, u32, String)>,
    /// Credentials masked: path, line, pattern.
    pub masked: Vec<(String, u32, &'static str)>,
    /// Why everything was made anew.
    pub rebuilt: Option<Rebuild>,
    /// Whether the run was stopped before it was done.
    pub is_stopped: bool,
}

/// Why an index was made anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rebuild {
    /// There was none.
    New,
    /// It was asked for.
    Asked,
    /// It was of another schema version.
    Schema {
        /// That version.
        found: i64,
    },
    /// It was made with another model.
    Model {
        /// That model.
        from: ModelId,
    },
    /// Notes are cut differently now.
    Settings,
    /// It was damaged.
    Damaged {
        /// What was found.
        reason: String,
        /// Where the damaged file is now.
        aside: Option<PathBuf>,
    },
}

/// Brings the index up to date with the source.
pub fn update(cx: &IndexContext<'_>) -> Result<Report> {
    or_anew(cx, update_all)
}

/// Brings one file up to date, whether it changed, is new or is gone.
pub fn update_file(cx: &IndexContext<'_>, path: &str, stamp: Option<Stamp>) -> Result<Report> {
    or_anew(cx, |cx| update_one(cx, path, stamp))
}

/// Runs; where the index turns out to be damaged, puts it aside and makes a new one.
fn or_anew(
    cx: &IndexContext<'_>,
    run: impl Fn(&IndexContext<'_>) -> Result<Report>,
) -> Result<Report> {
    let seen = FileId::of(cx.store);
    match (run(cx), seen) {
        (Err(Error::StoreCorrupt { reason, .. }), Some(seen)) => {
            let aside = store::set_aside(cx.store, seen, cx.options.patience)?;
            let rebuilt = Some(Rebuild::Damaged { reason, aside });
            let report = update_all(cx)?;
            Ok(Report { rebuilt, ..report })
        }
        (done, _) => done,
    }
}

fn update_all(cx: &IndexContext<'_>) -> Result<Report> {
    let walk = cx.source.list();
    let (mut writer, rebuilt) = open(cx, &walk.found)?;
    let mut report = Report {
        rebuilt,
        skipped: walk.skipped,
        ..Report::default()
    };
    learn_history(cx, &mut writer)?;
    let known: HashMap<String, (Stamp, [u8; 16])> = writer
        .stamps()?
        .into_iter()
        .map(|(path, stamp, hash)| (path, (stamp, hash)))
        .collect();
    let changed: Vec<&Found> = walk
        .found
        .iter()
        .filter(|found| {
            known
                .get(&found.path)
                .is_none_or(|(stamp, _)| *stamp != found.stamp)
        })
        .collect();
    report.n_unchanged = walk.found.len() - changed.len();
    write_changed(cx, &mut writer, &changed, &known, &mut report)?;
    if !report.is_stopped {
        remove_gone(&mut writer, &walk.found, &known, &mut report)?;
        writer.set_fact("checked_at", &cx.now.to_string())?;
        report.skipped.sort();
        writer.set_skipped(&report.skipped)?;
        writer.set_attachments(&walk.attachments)?;
        writer.set_left_out(&walk.left_out)?;
        graph::refresh(&mut writer)?;
    }
    writer.commit(cx.now)?;
    writer.close()?;
    Ok(report)
}

fn update_one(cx: &IndexContext<'_>, path: &str, stamp: Option<Stamp>) -> Result<Report> {
    let (mut writer, rebuilt) = open(cx, &[])?;
    if rebuilt.is_some() {
        drop(writer);
        let report = update_all(cx)?;
        return Ok(Report { rebuilt, ..report });
    }
    let mut report = Report::default();
    learn_history(cx, &mut writer)?;
    let known: HashMap<String, (Stamp, [u8; 16])> = writer
        .stamp_of(path)?
        .into_iter()
        .map(|known| (path.to_owned(), known))
        .collect();
    match stamp {
        Some(stamp) => {
            let path = path.to_owned();
            let found = Found { path, stamp };
            write_changed(cx, &mut writer, &[&found], &known, &mut report)?;
        }
        None if known.is_empty() => {
            return Err(Error::NotFound {
                name: path.to_owned(),
            });
        }
        None => {
            writer.remove(path)?;
            report.n_removed = 1;
        }
    }
    let reason = report
        .skipped
        .first()
        .map(|skipped| skipped.reason.as_str());
    writer.set_skipped_file(path, reason)?;
    graph::refresh(&mut writer)?;
    writer.commit(cx.now)?;
    writer.close()?;
    Ok(report)
}

/// Opens the writer; empties the index where its content is of no more use.
fn open(cx: &IndexContext<'_>, found: &[Found]) -> Result<(StoreWriter, Option<Rebuild>)> {
    let mut outdated = None;
    let patience = cx.options.patience;
    let mut writer = match StoreWriter::open(cx.store, patience) {
        Err(Error::StoreOutdated { found, .. }) => {
            StoreWriter::discard_outdated(cx.store, patience)?;
            outdated = Some(Rebuild::Schema { found });
            StoreWriter::open(cx.store, patience)?
        }
        other => other?,
    };
    if cx.options.check {
        writer.check_pages()?;
    }
    let settings = cx.options.profile.name().to_owned();
    let vault = cx.source.root().map(vault::name_of).unwrap_or_default();
    let of = writer.fact("vault")?.unwrap_or_default();
    let stored = writer.model()?;
    if stored.is_some() && of != vault && !cx.options.full {
        return Err(Error::StoreOfAnother {
            path: cx.store.to_owned(),
            vault: of,
        });
    }
    let rebuild = match stored {
        None => Some(outdated.unwrap_or(Rebuild::New)),
        Some(_) if cx.options.full => Some(Rebuild::Asked),
        Some(from) if from != *cx.embedder.id() => Some(Rebuild::Model { from }),
        Some(_) if writer.fact("settings")?.as_deref() != Some(&settings) => {
            Some(Rebuild::Settings)
        }
        Some(_) => None,
    };
    if rebuild.is_some() {
        let dictionary = learn_dictionary(cx.source, found);
        let center = prepare::center(cx.embedder)?;
        writer.reset(cx.embedder.id(), &center, &dictionary)?;
        writer.set_fact("settings", &settings)?;
        writer.set_fact("vault", &vault)?;
    }
    Ok((writer, rebuild))
}

/// Learns how this vault's texts look, from masked text only: the dictionary is stored.
fn learn_dictionary(source: &dyn Source, found: &[Found]) -> Vec<u8> {
    let step = found.len().div_ceil(SAMPLE_NOTES).max(1);
    let samples: Vec<String> = found
        .iter()
        .step_by(step)
        .filter(|file| !matches!(Format::of(&file.path), Some(Format::Other(_))))
        .filter_map(|file| extract::decode(source.read(&file.path).ok()?).ok())
        .map(|text| {
            let mut text = secrets::mask(text).0.into_string();
            text.truncate(text.floor_char_boundary(SAMPLE_BYTES));
            text
        })
        .collect();
    let samples: Vec<&str> = samples.iter().map(String::as_str).collect();
    store::train_dictionary(&samples)
}

/// Learns what was committed since the last run.
fn learn_history(cx: &IndexContext<'_>, writer: &mut StoreWriter) -> Result<()> {
    let known = writer.fact("git_head")?;
    let Some(history) = cx.source.history(known.as_deref()) else {
        return Ok(());
    };
    if known.as_ref() != Some(&history.head) {
        writer.set_committed(&history.days, history.is_whole)?;
        writer.set_fact("git_head", &history.head)?;
    }
    Ok(())
}

/// Prepares changed notes on all threads and writes them in order.
fn write_changed(
    cx: &IndexContext<'_>,
    writer: &mut StoreWriter,
    changed: &[&Found],
    known: &HashMap<String, (Stamp, [u8; 16])>,
    report: &mut Report,
) -> Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let (dictionary, center) = writer.packing()?;
    let committed = writer.committed()?;
    let tools = Tools::new(cx, &dictionary, center, known, &committed);
    let groups: Vec<&[&Found]> = changed.chunks(GROUP_NOTES).collect();
    let next = AtomicUsize::new(0);
    let is_failed = AtomicBool::new(false);
    let n_threads = cx.options.n_threads.clamp(1, groups.len());
    std::thread::scope(|scope| {
        let (sender, receiver) = crossbeam_channel::bounded(2 * n_threads);
        for _ in 0..n_threads {
            let sender = sender.clone();
            let (tools, groups, next, is_failed) = (&tools, &groups, &next, &is_failed);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let is_over =
                        cx.stop.load(Ordering::Relaxed) || is_failed.load(Ordering::Relaxed);
                    if number >= groups.len() || is_over {
                        return;
                    }
                    if sender
                        .send((number, prepare::group(tools, groups[number])))
                        .is_err()
                    {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let written = write_groups(cx, writer, receiver, changed.len(), report);
        is_failed.store(written.is_err(), Ordering::Relaxed);
        written
    })?;
    report.is_stopped = cx.stop.load(Ordering::Relaxed);
    Ok(())
}

type Prepared = (usize, Result<Group>);

/// Writes groups in their order, whatever order they were prepared in.
fn write_groups(
    cx: &IndexContext<'_>,
    writer: &mut StoreWriter,
    receiver: crossbeam_channel::Receiver<Prepared>,
    n_total: usize,
    report: &mut Report,
) -> Result<()> {
    let mut early: HashMap<usize, Group> = HashMap::new();
    let (mut next, mut n_done, mut uncommitted) = (0, 0, 0);
    for (number, group) in receiver {
        early.insert(number, group?);
        while let Some(Group { outcomes, blocks }) = early.remove(&next) {
            next += 1;
            let blocks = writer.put_blocks(&blocks)?;
            for outcome in outcomes {
                let n_bytes = write_outcome(writer, outcome, &blocks, report)?;
                n_done += 1;
                uncommitted += n_bytes;
                report.n_bytes += n_bytes;
                (cx.progress)(Progress {
                    n_done,
                    n_total,
                    n_bytes: report.n_bytes,
                });
            }
            if uncommitted >= COMMIT_BYTES {
                writer.commit(cx.now)?;
                uncommitted = 0;
            }
        }
    }
    Ok(())
}

/// Writes one prepared note; returns the bytes of text it had.
fn write_outcome(
    writer: &mut StoreWriter,
    outcome: Outcome,
    blocks: &[i64],
    report: &mut Report,
) -> Result<u64> {
    match outcome {
        Outcome::Record {
            record,
            is_new,
            n_bytes,
        } => {
            count(&record, is_new, report);
            writer.put(*record, blocks)?;
            Ok(n_bytes)
        }
        Outcome::Same { path, stamp } => {
            report.n_unchanged += 1;
            writer.touch(&path, stamp, prepare::file_date(stamp).as_deref())?;
            Ok(0)
        }
        // The last good version stays: the file may only be out of reach for a moment.
        Outcome::Unreadable(skipped) => {
            report.skipped.push(skipped);
            Ok(0)
        }
    }
}

fn count(record: &NoteRecord, is_new: bool, report: &mut Report) {
    if is_new {
        report.n_added += 1;
    } else {
        report.n_changed += 1;
    }
    report.n_chunks += record.chunks.len();
    for warning in &record.warnings {
        report
            .warnings
            .push((record.path.clone(), warning.line, warning.message.clone()));
    }
    for finding in &record.masked {
        report
            .masked
            .push((record.path.clone(), finding.line, finding.pattern));
    }
}

/// Removes notes whose files are gone; one that turned up elsewhere counts as renamed.
fn remove_gone(
    writer: &mut StoreWriter,
    found: &[Found],
    known: &HashMap<String, (Stamp, [u8; 16])>,
    report: &mut Report,
) -> Result<()> {
    let present: std::collections::HashSet<&str> =
        found.iter().map(|file| file.path.as_str()).collect();
    // A file that is there but cannot be read now keeps its last good version.
    let kept: std::collections::HashSet<&str> = report
        .skipped
        .iter()
        .map(|skipped| skipped.path.as_str())
        .collect();
    let mut gone: Vec<(&String, &[u8; 16])> = known
        .iter()
        .filter(|(path, _)| !present.contains(path.as_str()) && !is_below(path, &kept))
        .map(|(path, (_, hash))| (path, hash))
        .collect();
    if gone.is_empty() {
        return Ok(());
    }
    gone.sort();
    let mut appeared: HashMap<[u8; 16], usize> = HashMap::new();
    for (path, _, hash) in writer.stamps()? {
        if !known.contains_key(&path) {
            *appeared.entry(hash).or_default() += 1;
        }
    }
    for (path, hash) in gone {
        writer.remove(path)?;
        match appeared.get_mut(hash) {
            Some(n) if *n > 0 => {
                *n -= 1;
                report.n_renamed += 1;
                report.n_added -= 1;
            }
            _ => report.n_removed += 1,
        }
    }
    Ok(())
}

/// Whether the path is one of `skipped` or lies in a folder that is.
fn is_below(path: &str, skipped: &std::collections::HashSet<&str>) -> bool {
    // The vault itself could not be walked: nothing is known to be gone.
    skipped.contains("")
        || skipped.contains(path)
        || path
            .match_indices('/')
            .any(|(end, _)| skipped.contains(&path[..end]))
}
