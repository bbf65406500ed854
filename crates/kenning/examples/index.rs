//! Keeps an index of a folder of notes in a file, and says what was done:
//! `cargo run --release -p kenning --example index -- examples/vault notes.ken`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use kenning::{IndexOptions, Kenning, Mode, Vault, WalkRules};

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs() as i64)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1).map(PathBuf::from);
    let folder = words.next();
    let folder =
        folder.unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/vault").into());
    let scratch = tempfile::tempdir()?;
    let file = words.next().unwrap_or(scratch.path().join("notes.ken"));

    let index = Kenning::open(file, now)?.index_options(IndexOptions {
        n_threads: std::thread::available_parallelism()?.get(),
        ..IndexOptions::default()
    });
    let vault = Vault::open(&folder, WalkRules::default())?;
    let report = index
        .updating(&vault)
        .progress(&|done| println!("{} of {} notes", done.n_done, done.n_total))
        .run()?;
    println!(
        "{} new, {} changed, {} removed",
        report.n_added, report.n_changed, report.n_removed
    );
    for skipped in report.skipped {
        println!("{} was left out: {}", skipped.path, skipped.reason);
    }
    // What was changed is all that the next run looks at.
    assert_eq!(index.update(&vault)?.n_added, 0);
    let answer = index.query("roof").mode(Mode::Lexical).limit(3).run()?;
    println!("{} passages about the roof", answer.hits.len());
    Ok(())
}
