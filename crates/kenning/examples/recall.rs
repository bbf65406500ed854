//! How many of the true nearest passages a search by meaning finds.
//!
//! ```text
//! cargo run --release -p kenning --example recall -- INDEX.db < QUESTIONS
//! ```
//!
//! Questions are lines. The nearest fifty of each are compared with those that the cosines of all
//! passages say; the mean share that was found is printed, and that of the worst question.
#![expect(clippy::print_stdout, reason = "an example shows something")]

use std::io::stdin;
use std::path::Path;

use kenning::embed::{self, Embedder};
use kenning::store::{ChunkId, NoteSet, Store};

const NEAREST: usize = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name an index")?;
    let store = Store::open(Path::new(&path))?;
    let chunks = store.chunk_ids()?;
    let mut shares = Vec::new();
    for line in stdin().lines() {
        shares.push(recall(&store, &chunks, &line?)?);
    }
    let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    let worst = shares.iter().copied().fold(1.0, f64::min);
    println!(
        "{mean:.4} mean, {worst:.2} worst of {} questions",
        shares.len()
    );
    Ok(())
}

/// Returns the share of the nearest passages that is found.
fn recall(
    store: &Store,
    chunks: &[ChunkId],
    question: &str,
) -> Result<f64, Box<dyn std::error::Error>> {
    let vector = embed::embedded().embed_query(question)?;
    let mut all = store.cosines(&vector, chunks)?;
    let n = NEAREST.min(all.len());
    if n == 0 {
        return Ok(1.0);
    }
    all.select_nth_unstable_by(n - 1, |a, b| b.1.total_cmp(&a.1));
    let bar = all[..n]
        .iter()
        .map(|(_, cosine)| *cosine)
        .fold(f32::MAX, f32::min);
    let found = store.nearest(&vector, NEAREST, &NoteSet::every())?;
    // Passages that say the same are equally near: it does not matter which of them are found.
    let n_found = found.hits.iter().filter(|hit| hit.cosine >= bar).count();
    Ok(n_found as f64 / n as f64)
}
