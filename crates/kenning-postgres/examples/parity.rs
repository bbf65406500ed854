//! Compares the hits of both kinds of stores on judged collections:
//! `cargo run --release -p kenning-postgres --example parity -- postgres://… COLLECTION...`
//!
//! For each collection: nDCG@10 from a file and from the server, how much of the first ten is the same, how long
//! indexing and a question take, and how large the index is. What is made for it is removed again.
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use kenning::budget::Budget;
use kenning::embed::{self, Embedder};
use kenning::eval::{self, Collection, Judgements};
use kenning::search::{SearchContext, note_paths};
use kenning::store::{Place, Store};
use kenning::{IndexOptions, Kenning, Mode, SearchOptions, Tuning};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The domain that is made on the server, and removed.
const DOMAIN: &str = "parity";
/// Hits that are compared.
const FIRST: usize = 10;

fn main() -> Outcome<()> {
    let mut words = std::env::args().skip(1);
    let address = words
        .next()
        .ok_or("an address is needed, and collections")?;
    println!(
        "| collection | notes | questions | nDCG@10 file | nDCG@10 server | same of the first ten | identical lists | index s, file / server | question ms p50, file / server | MB, file / server |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for folder in words.map(PathBuf::from) {
        compare(&address, &folder)?;
    }
    Ok(())
}

fn compare(address: &str, folder: &Path) -> Outcome<()> {
    let model = embed::embedded();
    let scratch = tempfile::tempdir()?;
    let file = scratch.path().join("index.db");
    let server = kenning_postgres::place(address, DOMAIN)?;
    clear(address)?;
    let (source, judgements) = (Collection::read(folder)?, Judgements::read(folder)?);
    let file_s = index(file.as_path().into(), &source)?;
    let server_s = index(server.clone(), &source)?;
    let stores = [Store::open(&file)?, server.read()?];
    let tuning = Tuning::default();
    let run = |store| eval::run(store, model, &tuning, &judgements, Mode::Hybrid);
    // The second run is one of a process that stays.
    let outcomes = [run(&stores[0])?, run(&stores[1])?];
    let (mut n_same, mut n_all, mut n_identical) = (0usize, 0usize, 0usize);
    for question in &judgements.questions {
        let first = |store| first_notes(store, model, &tuning, &question.text);
        let (a, b) = (first(&stores[0])?, first(&stores[1])?);
        n_same += a.iter().filter(|path| b.contains(path)).count();
        n_all += a.len().max(b.len());
        n_identical += usize::from(a == b);
    }
    let mb = |n: u64| n as f64 / 1e6;
    println!(
        "| {} | {} | {} | {:.4} | {:.4} | {:.4} | {:.4} | {file_s:.1} / {server_s:.1} | {:.1} / {:.1} | {:.1} / {:.1} |",
        folder.file_name().unwrap_or_default().to_string_lossy(),
        stores[0].meta()?.n_notes,
        judgements.questions.len(),
        outcomes[0].metrics.ndcg_at_10,
        outcomes[1].metrics.ndcg_at_10,
        n_same as f64 / n_all.max(1) as f64,
        n_identical as f64 / judgements.questions.len().max(1) as f64,
        outcomes[0].median.as_secs_f64() * 1e3,
        outcomes[1].median.as_secs_f64() * 1e3,
        mb(std::fs::metadata(&file)?.len()),
        mb(server_bytes(address)?),
    );
    drop(stores);
    clear(address)
}

fn index(place: Place, source: &Collection) -> Outcome<f64> {
    let started = Instant::now();
    let options = IndexOptions {
        n_threads: std::thread::available_parallelism()?.get(),
        ..IndexOptions::default()
    };
    Kenning::new(place, || 0)
        .index_options(options)
        .update(source)?;
    Ok(started.elapsed().as_secs_f64())
}

fn first_notes(
    store: &Store,
    embedder: &dyn Embedder,
    tuning: &Tuning,
    text: &str,
) -> Outcome<Vec<String>> {
    let cx = SearchContext {
        store,
        embedder,
        tuning,
        budget: &Budget::default(),
    };
    let options = SearchOptions {
        limit: FIRST,
        per_note: 1,
        ..SearchOptions::at(0)
    };
    Ok(note_paths(&cx, text, &options)?)
}

fn clear(address: &str) -> Outcome<()> {
    let mut operator = postgres::Client::connect(address, postgres::NoTls)?;
    Ok(operator.batch_execute(&format!("DROP SCHEMA IF EXISTS ken_{DOMAIN} CASCADE"))?)
}

fn server_bytes(address: &str) -> Outcome<u64> {
    let mut operator = postgres::Client::connect(address, postgres::NoTls)?;
    let row = operator.query_one(
        "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
         WHERE c.relnamespace = ($1::text)::regnamespace AND c.relkind = 'r'",
        &[&format!("ken_{DOMAIN}")],
    )?;
    Ok(row.get::<_, i64>(0) as u64)
}
