//! The write flow: compare stamps, then mask, parse, chunk, embed and store what changed.
//!
//! Workers prepare notes on all cores; one thread writes them, in order. A run is one step for those who
//! read meanwhile, however large it is; only a first build shows what it has so far, and says so.

mod changed;
mod copy;
mod fresh;
mod gone;
mod pictures;
mod prepare;
mod report;
mod reread;
mod standing;
mod understand;
mod vectors;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub use crate::chunk::Profile;
pub use copy::{Copied, CopyContext, copy};
pub use fresh::{Freshness, freshness, is_sampled};
pub use gone::Withheld;
pub use report::{Caveats, Progress, Rebuild, Report, Stage, caveats};
pub use reread::{Coverage, FillContext, coverage, fill, keep_asked, told_coverage};
pub use understand::{attached_text, findings};

use crate::embed::Embedder;
use crate::error::{Error, Result};
use crate::extract::{self, Reader};
use crate::note::Format;
use crate::secrets;
use crate::store::{self, FileId, Inventory, Place, StoreWriter};
use crate::vault::{self, Found, Source, Stamp, Walk};
use changed::{Todo, write_changed};
use gone::{Ground, Known};
use pictures::Pictures;

/// Notes that the text dictionary is learnt from, and how much of each.
const SAMPLE_NOTES: usize = 256;
const SAMPLE_BYTES: usize = 4 << 10;

/// What the write flow works with.
pub struct IndexContext<'a> {
    /// Where the notes are.
    pub source: &'a dyn Source,
    /// Where the index is kept.
    pub store: &'a Place,
    /// Reads the files that are not Markdown.
    pub reader: &'a dyn Reader,
    /// Makes the vectors.
    pub embedder: &'a dyn Embedder,
    /// Seconds since 1970.
    pub now: i64,
    /// How to work.
    pub options: &'a IndexOptions,
    /// Called from the writing thread after each note, and after vectors that were made elsewhere.
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
    /// Notes that are gone are gone, however many; the file system they lie on is the right one.
    pub accept_removals: bool,
    /// Text after which what was done goes from memory into the file.
    pub step_bytes: u64,
    /// Most vectors to make with a model that runs elsewhere. Somebody may be waiting for an answer.
    pub vectors_max: usize,
    /// Read pictures that nobody read before, which takes seconds for each. Otherwise they wait.
    pub reads_pictures: bool,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            full: false,
            n_threads: 2,
            patience: Duration::from_secs(5),
            check: false,
            accept_removals: false,
            step_bytes: 32 << 20,
            vectors_max: usize::MAX,
            reads_pictures: true,
        }
    }
}

/// Brings the index up to date with the source.
pub fn update(cx: &IndexContext<'_>) -> Result<Report> {
    or_anew(cx, update_all)
}

/// Brings one file up to date, whether it changed, is new or is gone.
pub fn update_file(cx: &IndexContext<'_>, path: &str, stamp: Option<Stamp>) -> Result<Report> {
    or_anew(cx, |cx| update_one(cx, path, stamp))
}

/// Has an index say that its vault is not there at all, for whoever asks it next.
pub fn note_closed(store: &Place, reason: &str, patience: Duration, now: i64) -> Result<()> {
    if !store.exists() {
        return Ok(());
    }
    let mut writer = store.write(patience)?;
    if writer.meta()?.model.is_some() {
        let reason = reason.to_owned();
        gone::note_down(&mut writer, Some(&Withheld::Closed { reason }))?;
        writer.commit(now)?;
    }
    writer.close()
}

/// Runs; where the index turns out to be damaged, puts it aside and makes a new one.
fn or_anew(
    cx: &IndexContext<'_>,
    run: impl Fn(&IndexContext<'_>) -> Result<Report>,
) -> Result<Report> {
    let seen = cx.store.file().and_then(FileId::of);
    match (run(cx), seen) {
        (Err(Error::StoreCorrupt { reason, .. }), Some(seen)) => {
            let aside = store::set_aside(cx.store.name(), seen, cx.options.patience)?;
            let rebuilt = Some(Rebuild::Damaged { reason, aside });
            let report = update_all(cx)?;
            Ok(Report { rebuilt, ..report })
        }
        (done, _) => done,
    }
}

fn update_all(cx: &IndexContext<'_>) -> Result<Report> {
    let mut walk = cx.source.list();
    let (mut writer, plan) = open(cx)?;
    let mut known = writer.known(None)?;
    let mut report = Report {
        n_found: walk.found.len(),
        ..Report::default()
    };
    if plan.is_of_another {
        known.clear();
    }
    let reason = reason_to_leave_alone(cx, &writer, &plan, &walk, &known, &mut report)?;
    if let Some(withheld) = reason {
        return leave_alone(cx, writer, walk, withheld, report, known.len());
    }
    if plan.is_full() && !plan.is_first {
        writer.begin_whole()?;
    }
    if plan.is_reset {
        reset(cx, &mut writer, &plan, &walk.found)?;
        known.clear();
    } else if plan.is_full() {
        writer.relearn(&samples(cx.source, &walk.found))?;
    }
    report.rebuilt = plan.rebuild.clone();
    report.skipped = std::mem::take(&mut walk.skipped);
    learn_history(cx, &mut writer)?;
    let mut pictures = Pictures::among(walk.found.iter().map(|found| &found.path));
    if !plan.is_full() {
        pictures.again = pictures::showing(cx, &pictures::differing(&walk.found, &known))?;
        pictures::recall(&writer, &mut report)?;
    }
    let is_outdated = |found: &&Found| {
        let known = known.get(&found.path);
        plan.is_full()
            || known.is_none_or(|(stamp, _)| *stamp != found.stamp)
            || pictures.again.contains(&found.path)
    };
    let changed: Vec<&Found> = walk.found.iter().filter(is_outdated).collect();
    report.n_unchanged = walk.found.len() - changed.len();
    let todo = Todo {
        changed: &changed,
        pictures: &pictures,
        known: &known,
    };
    changed::write_shared(cx, &mut writer, &plan, &todo, &mut report)?;
    if report.is_stopped && plan.is_full() && !plan.is_first {
        // Half of a new index is worth less than all of the old one.
        report.is_undone = true;
        writer.abandon()?;
        return Ok(report);
    }
    if !report.is_stopped {
        let accept = cx.options.accept_removals;
        gone::remove(&mut writer, &walk, &known, accept, &mut report)?;
        finish(cx, &mut writer, &walk, &mut report)?;
    }
    complete(cx, writer, &plan, report)
}

/// Makes what was done visible, and then what takes long: pictures, and the vectors that are still missing.
fn complete(
    cx: &IndexContext<'_>,
    mut writer: StoreWriter,
    plan: &Plan,
    mut report: Report,
) -> Result<Report> {
    pictures::note_down(&mut writer, &report)?;
    writer.commit(cx.now)?;
    if !report.is_stopped {
        pictures::fill(cx, &mut writer, plan, &mut report)?;
        vectors::fill(cx, &mut writer, &mut report)?;
    }
    writer.close()?;
    Ok(report)
}

/// Returns why nothing at all is to be changed: the vault may not be the one that it was.
fn reason_to_leave_alone(
    cx: &IndexContext<'_>,
    writer: &StoreWriter,
    plan: &Plan,
    walk: &Walk,
    known: &Known,
    report: &mut Report,
) -> Result<Option<Withheld>> {
    if known.is_empty() {
        return Ok(None);
    }
    if let Some(closed) = gone::closed(walk) {
        return Ok(Some(closed));
    }
    let before = writer.meta()?.device;
    let n_known = known.len();
    match gone::ground(before, cx.source.device(), known, &walk.found) {
        Ground::Other { n_gone } if !cx.options.accept_removals => {
            Ok(Some(Withheld::OtherFileSystem { n_gone, n_known }))
        }
        ground => {
            report.is_elsewhere = ground != Ground::Same;
            // What is not kept note by note is kept as a whole.
            let is_at_risk = plan.is_reset && !cx.options.accept_removals;
            Ok(gone::too_many(walk, known).filter(|_| is_at_risk))
        }
    }
}

/// Keeps the index as it is, and has it say why.
fn leave_alone(
    cx: &IndexContext<'_>,
    mut writer: StoreWriter,
    walk: Walk,
    withheld: Withheld,
    mut report: Report,
    n_known: usize,
) -> Result<Report> {
    gone::note_down(&mut writer, Some(&withheld))?;
    writer.commit(cx.now)?;
    writer.close()?;
    report.n_unchanged = n_known;
    report.skipped = walk.skipped;
    report.withheld = Some(withheld);
    Ok(report)
}

/// Notes down what is known of the vault as a whole, once all of it was looked at.
fn finish(
    cx: &IndexContext<'_>,
    writer: &mut StoreWriter,
    walk: &Walk,
    report: &mut Report,
) -> Result<()> {
    gone::note_down(writer, report.withheld.as_ref())?;
    writer.set_fact(report::UNFINISHED, None)?;
    if let Some(device) = cx.source.device() {
        writer.set_fact(gone::DEVICE, Some(&device.to_string()))?;
    }
    writer.set_fact("checked_at", Some(&cx.now.to_string()))?;
    report.skipped.sort();
    writer.set_inventory(&Inventory::Walk {
        skipped: &report.skipped,
        folders: &walk.folders,
        attachments: &walk.attachments,
        left_out: &walk.left_out,
    })?;
    standing::refresh(writer)
}

fn update_one(cx: &IndexContext<'_>, path: &str, stamp: Option<Stamp>) -> Result<Report> {
    let (mut writer, plan) = open(cx)?;
    if plan.rebuild.is_some() {
        drop(writer);
        let report = update_all(cx)?;
        let rebuilt = plan.rebuild;
        return Ok(Report { rebuilt, ..report });
    }
    let mut report = Report::default();
    learn_history(cx, &mut writer)?;
    pictures::recall(&writer, &mut report)?;
    let known: Known = writer.known(Some(path))?;
    match stamp {
        Some(stamp) => {
            let found = Found {
                path: path.to_owned(),
                stamp,
            };
            take_one(cx, &mut writer, &plan, Some(&found), path, &mut report)?;
        }
        None if known.is_empty() => {
            return Err(Error::NotFound {
                name: path.to_owned(),
            });
        }
        None => {
            writer.remove(path)?;
            report.n_removed = 1;
            report.unread.remove(path);
            take_one(cx, &mut writer, &plan, None, path, &mut report)?;
        }
    }
    let skipped = report.skipped.first();
    writer.set_inventory(&Inventory::File {
        path,
        skipped: skipped.map(|skipped| skipped.reason.as_str()),
    })?;
    standing::refresh(&mut writer)?;
    complete(cx, writer, &plan, report)
}

/// Takes a file, and the notes that show it if it is a picture, whether it came, changed or went.
fn take_one(
    cx: &IndexContext<'_>,
    writer: &mut StoreWriter,
    plan: &Plan,
    found: Option<&Found>,
    path: &str,
    report: &mut Report,
) -> Result<()> {
    let known: Known = writer.known(None)?;
    let mut pictures = Pictures::among(known.keys().chain(found.map(|found| &found.path)));
    pictures.again = pictures::showing(cx, &[path])?;
    let showing = pictures::known_among(&known, &pictures.again);
    let changed: Vec<&Found> = found.into_iter().chain(&showing).collect();
    let todo = Todo {
        changed: &changed,
        pictures: &pictures,
        known: &known,
    };
    write_changed(cx, writer, plan, &todo, report)
}

/// What a run is to do with what is there.
struct Plan {
    /// Why every note is taken again.
    rebuild: Option<Rebuild>,
    /// Whether nothing of what is there can be kept.
    is_reset: bool,
    /// Whether it is the index of another vault, which is given up.
    is_of_another: bool,
    /// Whether there was no whole index before. Then what is done so far may be seen.
    is_first: bool,
}

impl Plan {
    fn is_full(&self) -> bool {
        self.rebuild.is_some()
    }
}

/// Opens the writer, and decides what becomes of what is there.
fn open(cx: &IndexContext<'_>) -> Result<(StoreWriter, Plan)> {
    let mut outdated = None;
    let patience = cx.options.patience;
    let writer = match cx.store.write(patience) {
        Err(Error::StoreOutdated { found, .. }) => {
            cx.store.discard_outdated(patience)?;
            outdated = Some(Rebuild::Schema { found });
            cx.store.write(patience)?
        }
        other => other?,
    };
    if cx.options.check {
        writer.check_pages()?;
    }
    let vault = vault_name(cx);
    let meta = writer.meta()?;
    let of = meta.vault.clone().unwrap_or_default();
    let stored = meta.model.clone();
    let is_new = stored.is_none();
    let is_of_another = !is_new && of != vault;
    if is_of_another && !cx.options.full {
        return Err(Error::StoreOfAnother {
            path: cx.store.name().to_owned(),
            vault: of,
        });
    }
    let settings = cx.options.profile.name();
    let is_other_model = (stored.as_ref()).is_some_and(|from| !cx.embedder.id().fits(from));
    let rebuild = match stored {
        None => Some(outdated.unwrap_or(Rebuild::New)),
        Some(_) if cx.options.full => Some(Rebuild::Asked),
        Some(from) if is_other_model => Some(Rebuild::Model { from }),
        Some(_) if meta.fact("settings") != Some(settings) => Some(Rebuild::Settings),
        Some(_) => None,
    };
    let plan = Plan {
        rebuild,
        is_reset: is_new || is_other_model || is_of_another,
        is_of_another,
        is_first: is_new || meta.fact(report::UNFINISHED).is_some(),
    };
    Ok((writer, plan))
}

fn vault_name(cx: &IndexContext<'_>) -> String {
    cx.source.root().map(vault::name_of).unwrap_or_default()
}

/// Empties the index, in the same step in which it is filled again.
fn reset(
    cx: &IndexContext<'_>,
    writer: &mut StoreWriter,
    plan: &Plan,
    found: &[Found],
) -> Result<()> {
    vectors::reset(cx.embedder, writer, &samples(cx.source, found))?;
    writer.set_fact("vault", Some(&vault_name(cx)))?;
    match plan.is_first {
        true => writer.set_fact(report::UNFINISHED, Some(&found.len().to_string())),
        false => Ok(()),
    }
}

/// Returns how this vault's texts look, masked: what is learnt from them is stored.
fn samples(source: &dyn Source, found: &[Found]) -> Vec<String> {
    let step = found.len().div_ceil(SAMPLE_NOTES).max(1);
    found
        .iter()
        .step_by(step)
        .filter(|file| !matches!(Format::of(&file.path), Some(Format::Other(_))))
        .filter_map(|file| extract::decode(source.read(&file.path).ok()?).ok())
        .map(|text| {
            let mut text = secrets::mask(text).0.into_string();
            text.truncate(text.floor_char_boundary(SAMPLE_BYTES));
            text
        })
        .collect()
}

/// Learns what was committed since the last run.
fn learn_history(cx: &IndexContext<'_>, writer: &mut StoreWriter) -> Result<()> {
    let meta = writer.meta()?;
    let known = meta.fact("git_head");
    let Some(history) = cx.source.history(known) else {
        return Ok(());
    };
    if known != Some(history.head.as_str()) {
        writer.set_inventory(&Inventory::Commits {
            days: &history.days,
            is_whole: history.is_whole,
        })?;
        writer.set_fact("git_head", Some(&history.head))?;
    }
    Ok(())
}
