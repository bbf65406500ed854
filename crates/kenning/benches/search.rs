//! Warm speed of the stages a person waits for.
//!
//! The vault comes from `KEN_BENCH_DATA`, or is the example vault. It is indexed once into a
//! temporary folder. Questions are titles of its notes, asked in turn, so that no run profits from
//! having just been asked the same. Quantiles are printed first, then divan's table.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use kenning::chunk::{self, Profile};
use kenning::embed::{self, Embedder};
use kenning::extract::InProcess;
use kenning::index::{self, IndexContext, IndexOptions};
use kenning::note::{self, Format, Note};
use kenning::search::{self, Mode, SearchContext, SearchOptions, Tuning};
use kenning::secrets;
use kenning::store::Store;
use kenning::vault::{Vault, WalkRules, decode};
use tempfile::TempDir;

/// Questions asked in turn.
const QUERIES: usize = 64;
/// Notes that single stages are measured on, in turn.
const NOTES: usize = 256;

/// Rounds over all questions for the quantiles.
const ROUNDS: usize = 16;

#[expect(clippy::print_stdout, reason = "a benchmark reports to people")]
fn main() {
    // What cargo hands to a benchmark, and not to a list of them.
    if std::env::args().any(|arg| arg == "--bench") {
        println!("{} questions, {ROUNDS} rounds, warm", BED.queries.len());
        for mode in [Mode::Lexical, Mode::Vector, Mode::Hybrid] {
            let [p50, p99] = quantiles(mode).map(|time| time.as_secs_f64() * 1e3);
            println!("{:<8} p50 {p50:.2} ms, p99 {p99:.2} ms", mode.name());
        }
    }
    divan::main();
}

/// Returns the median time of a search, and the one that 99 of 100 stay below.
fn quantiles(mode: Mode) -> [Duration; 2] {
    let ask = asker(mode);
    BED.queries.iter().for_each(|query| ask(query));
    let mut times: Vec<Duration> = (0..ROUNDS)
        .flat_map(|_| &BED.queries)
        .map(|query| {
            let started = Instant::now();
            ask(query);
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    [times.len() / 2, times.len() * 99 / 100].map(|at| times[at])
}

/// Returns a function that asks one question.
fn asker(mode: Mode) -> impl Fn(&str) {
    let options = SearchOptions {
        mode,
        ..SearchOptions::default()
    };
    let tuning = Tuning::default();
    move |query| {
        let cx = SearchContext {
            store: &BED.store,
            embedder: embed::embedded(),
            tuning: &tuning,
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
        store: &path,
        reader: &InProcess::default(),
        embedder: embed::embedded(),
        now: 0,
        options: &IndexOptions::default(),
        progress: &|_| {},
        stop: &AtomicBool::new(false),
    })
    .expect("the vault can be indexed");
    let texts = sample(&vault);
    let queries: Vec<String> = texts
        .iter()
        .map(|(path, text)| parsed(path, text).title)
        .filter(|title| title.contains(' '))
        .take(QUERIES)
        .collect();
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
fn sample(vault: &Vault) -> Vec<(String, String)> {
    let found = vault.walk().found;
    let step = found.len().div_ceil(NOTES).max(1);
    found
        .into_iter()
        .step_by(step)
        .filter_map(|file| {
            let text = decode::text(vault.read(&file.path).ok()?).ok()?;
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
    let mode = [Mode::Lexical, Mode::Vector, Mode::Hybrid]
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
            .embed(&[next().as_str()], &mut row)
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
