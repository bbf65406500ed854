//! Asks a question about a folder of notes:
//! `cargo run --release -p kenning --example search -- "tax documents" examples/vault`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use kenning::{Kenning, Vault, WalkRules};

/// Seconds since 1970; the engine does not look at the clock by itself.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs() as i64)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let question = words.next().unwrap_or("tax documents".to_owned());
    let folder = words.next().map(PathBuf::from);
    let folder =
        folder.unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/vault").into());
    let scratch = tempfile::tempdir()?;

    let index = Kenning::open(scratch.path().join("notes.ken"), now)?;
    index.update(&Vault::open(&folder, WalkRules::default())?)?;
    for hit in index.search(&question)?.hits {
        println!("{}:{}", hit.note.path, hit.chunk.start_line);
        println!("    {}", hit.excerpt.text);
    }
    Ok(())
}
