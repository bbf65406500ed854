//! Opens what every verb needs: the clock, the model, the vault and a fresh enough index.

use std::fmt;
use std::io::{self, IsTerminal, Read, Seek, Write, stderr};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use kenning::embed::{self, EmbedError, Embedder, Reranked};
use kenning::index::{self, IndexOptions, Progress, Rebuild, Report, Stage};
use kenning::store::{self, FileId, Store};
use kenning::vault::{self, Source, Vault};
use kenning::{Error, Kenning, Update};

use crate::git;
use crate::hint::Hinted;
use crate::llm::RemoteEmbedder;
use crate::memory;
use crate::models;
use crate::private;
use crate::reader::Readers;
use crate::reader::pictures::Pictures;
use crate::render::say;
use crate::settings::{Embedding, Located, RerankerPlace, Settings};

/// Returns the seconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// Returns the date of this machine, `YYYY-MM-DD`.
pub(crate) fn today() -> String {
    day().to_string()
}

/// The same as a day.
pub(crate) fn day() -> jiff::civil::Date {
    let now = jiff::Timestamp::from_second(now()).unwrap_or_default();
    now.to_zoned(jiff::tz::TimeZone::system()).date()
}

/// Returns the processor time that this process has taken so far; nothing where that cannot be told.
pub(crate) fn cpu_time() -> Duration {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        let taken = clock_gettime(ClockId::ProcessCPUTime);
        Duration::try_from(taken).unwrap_or_default()
    }
    #[cfg(not(unix))]
    Duration::ZERO
}

/// Returns a number that goes up by one each time an index is asked, whoever asks: those who look at a part
/// of its notes see all of them in the end. It is kept beside the index. Where nothing can be written, each
/// process counts for itself.
pub(crate) fn turn(index: &Path) -> i64 {
    next_turn(index).unwrap_or_else(|_| own_turn())
}

/// What the file that counts the turns of an index is called behind the name of the index.
pub(crate) const TURN_SUFFIX: &str = ".turn";
/// More bytes than a number has.
const TURN_BYTES_MAX: u64 = 32;

fn next_turn(index: &Path) -> io::Result<i64> {
    let mut path = index.as_os_str().to_owned();
    path.push(TURN_SUFFIX);
    let mut file = private::rewrite(Path::new(&path))?;
    // Whoever comes at the same moment counts for itself, and never waits.
    file.try_lock()?;
    let mut last = String::new();
    (&file).take(TURN_BYTES_MAX).read_to_string(&mut last)?;
    let is_ours = last.bytes().all(|byte| byte.is_ascii_digit());
    if !is_ours || file.metadata()?.len() > TURN_BYTES_MAX {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let turn = last.parse().unwrap_or(0_i64).wrapping_add(1).max(0);
    file.rewind()?;
    file.set_len(0)?;
    file.write_all(turn.to_string().as_bytes())?;
    Ok(turn)
}

/// A number that goes up by one each time, from somewhere else in each process. Seconds would not do;
/// what asks once a minute would see the same part again and again.
fn own_turn() -> i64 {
    static FIRST: OnceLock<i64> = OnceLock::new();
    static N_TURNS: AtomicI64 = AtomicI64::new(0);
    let first = FIRST.get_or_init(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        i64::from(since.unwrap_or_default().subsec_micros())
    });
    first + N_TURNS.fetch_add(1, Ordering::Relaxed)
}

/// The model in use: the one in the binary, or one that was read from a folder.
pub(crate) enum Model {
    Loaded(Arc<dyn Embedder>),
    /// It is named, but cannot be read, for this reason. Words can be searched without it.
    Lost(String),
}

impl Model {
    /// Loads the model the settings name.
    pub(crate) fn load(settings: &Settings) -> Result<Self> {
        let model = Self::named(&settings.model, settings.embedding(&settings.model)?)?;
        Ok(model.reranked(settings.reranker_place().as_ref()))
    }

    /// Loads the model of a domain to ask it; one that is lost takes only the meaning with it.
    pub(crate) fn asked(located: &Located) -> Result<Self> {
        match Self::of(located) {
            Err(error) if error.is::<EmbedError>() => Ok(Self::Lost(format!("{error:#}"))),
            loaded => Ok(loaded?.reranked(located.reranker.as_ref())),
        }
    }

    /// Has what is found read again. Without the second model, the first one still answers.
    fn reranked(self, place: Option<&RerankerPlace>) -> Self {
        let (Self::Loaded(model), Some(place)) = (&self, place) else {
            return self;
        };
        match models::reranker(place) {
            Ok(reranker) => Self::Loaded(Arc::new(Reranked::new(Arc::clone(model), reranker))),
            Err(error) => {
                say(&format!("note: nothing is read again: {error:#}"));
                self
            }
        }
    }

    /// Loads the model of a domain.
    pub(crate) fn of(located: &Located) -> Result<Self> {
        let model = Self::named(&located.model, embedding_of(located))
            .with_context(|| format!("the model of the domain {}", located.name))?;
        let id = model.embedder()?.id();
        match located.model_dimensions {
            Some(wanted) if wanted != id.dimensions && id.dimensions != 0 => Err(Hinted::error(
                format!(
                    "the domain {} wants {wanted} dimensions, but {id} has {}",
                    located.name, id.dimensions
                ),
                "correct `embedding_dim` or `embedding` of the domain",
            )),
            _ => Ok(model),
        }
    }

    /// Loads a model: one that a provider runs, or by its folder; the one in the binary is called
    /// `default`, or by its own name.
    fn named(name: &str, embedding: Option<Embedding>) -> Result<Self> {
        if let Some(embedding) = embedding {
            return Ok(Self::Loaded(Arc::new(RemoteEmbedder::open(embedding)?)));
        }
        let own = embed::embedded();
        if name == "default" || name == own.id().name {
            return Ok(Self::Loaded(Arc::new(own)));
        }
        Ok(Self::Loaded(models::static_model(Path::new(name))?))
    }

    /// Returns what turns text into vectors.
    pub(crate) fn embedder(&self) -> Result<&Arc<dyn Embedder>> {
        match self {
            Self::Loaded(model) => Ok(model),
            Self::Lost(why) => Err(Hinted::error(
                why.clone(),
                "put the model back, choose another with `ken model use`, or search words alone with `--mode lexical`",
            )),
        }
    }
}

/// Returns the model of a place that a provider runs, with its dimensions where anybody knows them: those that
/// the domain wants, or those of the index. Otherwise the provider would be asked each time.
fn embedding_of(located: &Located) -> Option<Embedding> {
    let mut embedding = located.embedding.clone()?;
    let stored = || {
        let model = store(located).ok()?.meta().ok()?.model.clone()?;
        let is_same = RemoteEmbedder::id_of(&embedding).fits(&model);
        (is_same && model.dimensions > 0).then_some(model.dimensions)
    };
    embedding.dimensions = embedding
        .dimensions
        .or(located.model_dimensions)
        .or_else(stored);
    Some(embedding)
}

/// Names the index of a place, to be asked with its model. Words can be asked for without a model.
pub(crate) fn index_of(located: &Located, model: &Model) -> Kenning {
    let index = Kenning::new(located.place(), now).index_options(IndexOptions {
        n_threads: n_threads(),
        ..IndexOptions::default()
    });
    let index = match model {
        Model::Loaded(model) => index.embedder(Arc::clone(model)),
        Model::Lost(_) => index,
    };
    match &located.vault {
        Some(vault) => index.of_vault(vault::name_of(vault)),
        None => index,
    }
}

/// Opens the index of a place, if it is the one that was made from its vault.
pub(crate) fn store(located: &Located) -> kenning::Result<Store> {
    match &located.vault {
        Some(vault) => located.place().read_of(&vault::name_of(vault)),
        None => located.place().read(),
    }
}

/// Whether an index has to be made before it can be asked.
pub(crate) fn is_to_be_made(error: &Error) -> bool {
    matches!(
        error,
        Error::StoreMissing { .. } | Error::StoreOutdated { .. }
    )
}

/// Returns what is wrong with an index, if that is why something failed. Where only indexes lie, what
/// does not look like one was one.
pub(crate) fn damage(located: &Located, error: &anyhow::Error) -> Option<String> {
    match error.downcast_ref()? {
        Error::StoreCorrupt { reason, .. } => Some(reason.clone()),
        Error::StoreForeign { reason, .. } if located.is_own_place => Some(reason.clone()),
        _ => None,
    }
}

/// Puts an index aside that was seen to be damaged, and makes a new one from the notes.
pub(crate) fn remake(located: &Located, reason: &str, seen: Option<FileId>) -> Result<String> {
    let patience = IndexOptions::default().patience;
    let aside = match seen {
        Some(seen) => store::set_aside(&located.store, seen, patience)?,
        None => None,
    };
    reload(located, How::default(), &|_| {})?;
    let kept = aside.map(|aside| format!("; the damaged one is kept as {}", aside.display()));
    Ok(format!(
        "the index was damaged ({reason}) and has been made again from the notes{}",
        kept.unwrap_or_default()
    ))
}

/// How an index is brought up to date.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct How {
    /// Every note is taken again.
    pub(crate) full: bool,
    /// The whole file is looked at for damage first.
    pub(crate) check: bool,
    /// Notes that are gone are gone, however many.
    pub(crate) accept_removals: bool,
    /// Somebody waits for an answer: few vectors are made of what is new, and no pictures read.
    pub(crate) is_hurried: bool,
}

/// Vectors that are made while somebody waits for an answer.
const HURRIED_VECTORS_MAX: usize = 64;

impl How {
    fn options(self, located: &Located) -> IndexOptions {
        IndexOptions {
            full: self.full,
            check: self.check,
            accept_removals: self.accept_removals,
            vectors_max: match self.is_hurried {
                true => HURRIED_VECTORS_MAX,
                false => usize::MAX,
            },
            reads_pictures: !self.is_hurried,
            profile: located.profile,
            n_threads: n_threads(),
            ..IndexOptions::default()
        }
    }
}

/// Opens the folder of the notes. Where it is gone, the index is told so, for those who ask it.
fn vault_of(located: &Located, folder: &Path) -> Result<Vault> {
    let opened = Vault::open(folder, located.rules.clone());
    if matches!(opened, Err(Error::VaultMissing { .. })) {
        // What cannot be noted down is still the error that is returned.
        let _ = index::note_closed(&located.place(), FOLDER_GONE, Duration::ZERO, now());
    }
    Ok(opened?.with_git(git::log))
}

/// What is said of a vault whose folder is gone.
pub(crate) const FOLDER_GONE: &str = "the folder is not there";

/// Brings the whole index up to date, with a progress bar for people.
pub(crate) fn update(located: &Located, folder: &Path, how: How) -> Result<(Report, f64)> {
    let vault = vault_of(located, folder)?;
    with_bar(located, &vault, &how.options(located), |update| {
        update.run()
    })
}

/// Brings the whole index up to date, and tells somebody else how far it is.
pub(crate) fn reload(
    located: &Located,
    how: How,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Report, f64)> {
    let folder = located.vault.as_deref().ok_or_else(|| {
        Hinted::error(
            "only an index is known here, not the vault it was made from",
            "name the vault with `--vault PATH`",
        )
    })?;
    let vault = vault_of(located, folder)?;
    let options = how.options(located);
    run_update(located, &vault, &options, progress, |update| update.run())
}

/// Brings one file up to date.
pub(crate) fn update_file(located: &Located, vault: &Vault, path: &str) -> Result<(Report, f64)> {
    let options = IndexOptions {
        profile: located.profile,
        n_threads: 1,
        ..IndexOptions::default()
    };
    with_bar(located, vault, &options, |update| {
        let stamp = vault.find(path).map(|found| found.stamp);
        update.run_file(path, stamp)
    })
}

/// Notes after which freed memory is given back to the system.
const GIVEN_BACK_AFTER: usize = 8_192;

fn with_bar(
    located: &Located,
    source: &dyn Source,
    options: &IndexOptions,
    run: impl Fn(Update<'_>) -> kenning::Result<Report>,
) -> Result<(Report, f64)> {
    let bar = Bar::new();
    let n_given_back = AtomicUsize::new(0);
    let progress = |progress: Progress| {
        bar.show(progress);
        // What threads freed stays with them; of a large vault that is half of all memory.
        let n_due = progress.n_done / GIVEN_BACK_AFTER;
        if n_given_back.fetch_max(n_due, Ordering::Relaxed) < n_due {
            memory::give_back();
        }
    };
    let report = run_update(located, source, options, &progress, run);
    bar.shown.finish_and_clear();
    report
}

fn run_update(
    located: &Located,
    source: &dyn Source,
    options: &IndexOptions,
    progress: &(dyn Fn(Progress) + Sync),
    run: impl Fn(Update<'_>) -> kenning::Result<Report>,
) -> Result<(Report, f64)> {
    let model = Model::of(located)?;
    let index = Kenning::new(located.place(), now)
        .embedder(Arc::clone(model.embedder()?))
        .reader(Arc::new(readers(located)))
        .index_options(options.clone());
    let started = Instant::now();
    let run = || run(index.updating(source).progress(progress).stop(stop_flag()));
    let seen = FileId::of(&located.store);
    let report = match (run(), seen) {
        (Err(Error::StoreForeign { reason, .. }), Some(seen)) if located.is_own_place => {
            let aside = store::set_aside(&located.store, seen, options.patience)?;
            let rebuilt = Some(Rebuild::Damaged { reason, aside });
            let report = run()?;
            Report { rebuilt, ..report }
        }
        (report, _) => report?,
    };
    if private::close_one(&located.store) {
        let index = located.store.display();
        say(&format!(
            "note: {index} was open to others; now it is yours only"
        ));
    }
    Ok((report, started.elapsed().as_secs_f64()))
}

/// Returns what reads the foreign files of a place, pictures among them.
pub(crate) fn readers(located: &Located) -> Readers {
    let tools = located.pictures.clone();
    let pictures = |tools| Pictures::new(tools, located.place(), (now, stop_flag()));
    Readers::with_pictures(tools.map(pictures))
}

pub(crate) fn n_threads() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// Shows how many passages have a vector, on a terminal; what is returned is told.
#[cfg(feature = "onnx")]
pub(crate) fn vector_bar() -> impl Fn(usize, usize) {
    let bar = Bar::new();
    move |n_done, n_total| {
        bar.show(Progress {
            stage: Stage::Vectors,
            n_done,
            n_total,
            n_bytes: 0,
        });
    }
}

/// Shows how many bytes of a file are fetched, on a terminal; what is returned is told.
#[cfg(feature = "onnx")]
pub(crate) fn byte_bar() -> impl Fn(&str, u64, Option<u64>) {
    let shown = match stderr().is_terminal() {
        true => ProgressBar::no_length(),
        false => ProgressBar::hidden(),
    };
    let template = "{bar:30.cyan/dim} {bytes}/{total_bytes} {msg} · {bytes_per_sec} · {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        shown.set_style(style);
    }
    move |file, n_bytes, total| {
        shown.set_message(file.to_owned());
        shown.set_length(total.unwrap_or(n_bytes));
        shown.set_position(n_bytes);
        if total == Some(n_bytes) {
            shown.finish_and_clear();
        }
    }
}

/// How far the work is, on a terminal; nothing anywhere else.
struct Bar {
    shown: ProgressBar,
    counted: Mutex<Stage>,
}

impl Bar {
    fn new() -> Self {
        let shown = match stderr().is_terminal() {
            true => ProgressBar::no_length(),
            false => ProgressBar::hidden(),
        };
        let own = Self {
            shown,
            counted: Mutex::new(Stage::Notes),
        };
        own.count(name_of(Stage::Notes));
        own.shown.enable_steady_tick(Duration::from_millis(100));
        own
    }

    fn count(&self, what: &str) {
        let template =
            format!("{{bar:30.cyan/dim}} {{pos}}/{{len}} {what} · {{rate}} · {{eta}} left");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            // By itself, it tells ten-thousandths of a note.
            let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
                let _ = write!(out, "{:.0}/s", state.per_sec());
            };
            self.shown.set_style(style.with_key("rate", rate));
        }
    }

    fn show(&self, progress: Progress) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if *counted != progress.stage {
            *counted = progress.stage;
            self.count(name_of(progress.stage));
            // What is left is told by how long vectors take, not notes.
            self.shown.reset();
        }
        self.shown.set_length(progress.n_total as u64);
        self.shown.set_position(progress.n_done as u64);
    }
}

fn name_of(stage: Stage) -> &'static str {
    match stage {
        Stage::Notes => "notes",
        Stage::Pictures => "files with pictures",
        Stage::Vectors => "vectors",
    }
}

/// Counts what is done one by one, on a terminal; nothing anywhere else.
pub(crate) fn counter(what: &str) -> impl Fn(usize, usize) + use<> {
    let bar = Bar::new();
    bar.count(what);
    move |n_done, n_total| {
        bar.shown.set_length(n_total as u64);
        bar.shown.set_position(n_done as u64);
    }
}

/// Ends the process at the first Ctrl-C, once nothing is being written: what was committed stays.
pub(crate) fn exit_on_interrupt() {
    STAYS.store(false, Ordering::Relaxed);
    stop_flag();
}

/// Whether the first Ctrl-C only asks the work to stop.
static STAYS: AtomicBool = AtomicBool::new(true);

/// Set by the first Ctrl-C, which keeps what is done; the second ends at once.
pub(crate) fn stop_flag() -> &'static AtomicBool {
    static STOP: AtomicBool = AtomicBool::new(false);
    static HANDLER: OnceLock<()> = OnceLock::new();
    HANDLER.get_or_init(|| {
        // Without a handler Ctrl-C just ends the process, and the last commit stays: no harm.
        let _ = ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::Relaxed) || !STAYS.load(Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
    });
    &STOP
}
