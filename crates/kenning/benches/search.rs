//! Warm speed of the stages a person waits for.
//!
//! The vault comes from `KEN_BENCH_DATA`, or is the example vault. It is indexed once into a
//! temporary folder. Questions are titles of its notes. For the quantiles, which are printed first,
//! every question is new to the process: some warm it, others are measured, each asked once. divan's
//! table goes round and round over all of them.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use kenning::budget::Budget;
use kenning::chunk::{self, Profile};
use kenning::embed::{self, Embedder};
use kenning::extract::{self, InProcess};
use kenning::index::{self, IndexContext, IndexOptions};
use kenning::note::{self, Format, Note};
use kenning::search::{self, Mode, SearchContext, SearchOptions, Tuning};
use kenning::secrets;
use kenning::store::Store;
use kenning::vault::{Vault, WalkRules};
use tempfile::TempDir;

/// Notes whose titles are asked for.
const QUERIES: usize = 2_048;
/// Notes that single stages are measured on, in turn.
const NOTES: usize = 256;

const MODES: [Mode; 3] = [Mode::Lexical, Mode::Vector, Mode::Hybrid];

#[expect(clippy::print_stdout, reason = "a benchmark reports to people")]
fn main() {
    // What cargo hands to a benchmark, and not to a list of them.
    if std::env::args().any(|arg| arg == "--bench") {
        // One share of the questions to warm up, one for each mode.
        let n_shares = MODES.len() + 1;
        asked(0, n_shares).for_each(asker(Mode::Hybrid));
        for (share, mode) in (1..).zip(MODES) {
            let times = times(mode, asked(share, n_shares));
            let [p50, p99] = quantiles(&times).map(|time| time.as_secs_f64() * 1e3);
            println!(
                "{:<8} p50 {p50:.2} ms, p99 {p99:.2} ms, {} questions never asked before",
                mode.name(),
                times.len()
            );
        }
    }
    divan::main();
}

/// Returns one of `n` shares of the questions.
fn asked(share: usize, n: usize) -> impl Iterator<Item = &'static str> {
    let queries = BED.queries.iter().skip(share).step_by(n);
    queries.map(String::as_str)
}

/// Returns how long each question took, sorted.
fn times<'a>(mode: Mode, queries: impl Iterator<Item = &'a str>) -> Vec<Duration> {
    let ask = asker(mode);
    let mut times: Vec<Duration> = queries
        .map(|query| {
            let started = Instant::now();
            ask(query);
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times
}

/// Returns the median, and the time that 99 of 100 stay below.
fn quantiles(times: &[Duration]) -> [Duration; 2] {
    [times.len() / 2, times.len() * 99 / 100].map(|at| times[at])
}

/// Returns a function that asks one question.
fn asker(mode: Mode) -> impl Fn(&str) {
    let options = SearchOptions {
        mode,
        ..SearchOptions::at(0)
    };
    let tuning = Tuning::default();
    move |query| {
        let cx = SearchContext {
            store: &BED.store,
            embedder: embed::embedded(),
            tuning: &tuning,
            budget: &Budget::default(),
        };
        black_box(search::search(&cx, query, &options).expect("the store answers"));
    }
}

/// A vault with its index, ready to be asked.
struct Bed {
    store: Store,
    queries: Vec<String>,
    /// Path and text of some notes.
    texts: Vec<(String, String)>,
    _folder: TempDir,
}

static BED: LazyLock<Bed> = LazyLock::new(|| {
    let folder = TempDir::new().expect("a temporary folder can be made");
    let path = folder.path().join("bench.db");
    let vault = Vault::open(&data(), WalkRules::default()).expect("KEN_BENCH_DATA is a folder");
    index::update(&IndexContext {
        source: &vault,
        store: &path.as_path().into(),
        reader: &InProcess::default(),
        embedder: embed::embedded(),
        now: 0,
        options: &IndexOptions::default(),
        progress: &|_| {},
        stop: &AtomicBool::new(false),
    })
    .expect("the vault can be indexed");
    let texts = sample(&vault, NOTES);
    let mut queries: Vec<String> = sample(&vault, QUERIES)
        .iter()
        .map(|(path, text)| parsed(path, text).title)
        .filter(|title| title.contains(' '))
        .collect();
    // In no order, so that neighbours in the vault are not asked for one after the other.
    queries.sort_by_key(|query| *blake3::hash(query.as_bytes()).as_bytes());
    queries.dedup();
    assert!(!queries.is_empty(), "the vault has no titles to ask for");
    Bed {
        store: Store::open(&path).expect("the index was just made"),
        queries,
        texts,
        _folder: folder,
    }
});

fn data() -> PathBuf {
    match std::env::var_os("KEN_BENCH_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/vault"),
    }
}

/// Reads notes from all over the vault.
fn sample(vault: &Vault, n_notes: usize) -> Vec<(String, String)> {
    let found = vault.walk().found;
    let step = found.len().div_ceil(n_notes).max(1);
    found
        .into_iter()
        .step_by(step)
        .filter_map(|file| {
            let text = extract::decode(vault.read(&file.path).ok()?).ok()?;
            Some((file.path, text))
        })
        .collect()
}

fn parsed(path: &str, text: &str) -> Note {
    let clean = secrets::mask(text.to_owned()).0;
    let format = Format::of(path).unwrap_or(Format::Markdown);
    note::parse(path, clean, format).0
}

/// Hands out one of `items` after the other.
fn in_turn<'a, T>(items: &'a [T]) -> impl Fn() -> &'a T {
    let next = AtomicUsize::new(0);
    move || &items[next.fetch_add(1, Ordering::Relaxed) % items.len()]
}

#[divan::bench(args = ["lexical", "vector", "hybrid"])]
fn search_warm(bencher: Bencher<'_, '_>, mode: &str) {
    let mode = MODES
        .into_iter()
        .find(|known| known.name() == mode)
        .expect("the argument is a mode");
    let ask = asker(mode);
    // The first questions fill the caches; they are not what is measured.
    BED.queries.iter().for_each(|query| ask(query));
    let next = in_turn(&BED.queries);
    bencher.bench(|| ask(next()));
}

#[divan::bench]
fn embed_chunk(bencher: Bencher<'_, '_>) {
    let mut chunks = Vec::new();
    for (path, text) in &BED.texts {
        let note = parsed(path, text);
        for chunk in chunk::chunk(&note, Profile::default()) {
            chunks.push(note.text[chunk.range].to_owned());
        }
    }
    let next = in_turn(&chunks);
    let mut row = Vec::new();
    bencher.bench_local(|| {
        row.clear();
        embed::embedded()
            .embed_passages(&[next().as_str()], &mut row)
            .expect("the model in the binary never fails");
        black_box(row.len())
    });
}

#[divan::bench]
fn mask_note(bencher: Bencher<'_, '_>) {
    let next = in_turn(&BED.texts);
    bencher
        .with_inputs(|| next().1.clone())
        .input_counter(BytesCount::of_str)
        .bench_values(secrets::mask);
}

#[divan::bench]
fn parse_note(bencher: Bencher<'_, '_>) {
    let next = in_turn(&BED.texts);
    bencher
        .with_inputs(|| {
            let (path, text) = next();
            (path.as_str(), secrets::mask(text.clone()).0)
        })
        .input_counter(|(_, text)| BytesCount::of_str(text.as_str()))
        .bench_values(|(path, text)| note::parse(path, text, Format::Markdown));
}

#[divan::bench]
fn chunk_note(bencher: Bencher<'_, '_>) {
    let notes: Vec<Note> = BED
        .texts
        .iter()
        .map(|(path, text)| parsed(path, text))
        .collect();
    let next = in_turn(&notes);
    bencher
        .with_inputs(next)
        .input_counter(|note| BytesCount::of_str(&note.text))
        .bench_values(|note| chunk::chunk(note, Profile::default()));
}
