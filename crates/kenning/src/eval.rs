//! Measures search against judged collections; a client of the two flows, nothing more.

mod collection;
pub mod metrics;

use std::collections::HashMap;
use std::time::{Duration, Instant};

pub use collection::{Collection, Judgements, Question};
pub use metrics::Metrics;

use crate::embed::Embedder;
use crate::error::Result;
use crate::search::{self, Mode, SearchContext, SearchOptions, Tuning};
use crate::store::Store;

/// Ranks looked at for each question.
const RANKS: usize = 100;

/// How one way of searching did on a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Mean over all questions.
    pub metrics: Metrics,
    /// Each question's id and its own figures, in the collection's order.
    pub by_question: Vec<(String, Metrics)>,
    /// Median time of a question.
    pub median: Duration,
    /// Time that 99 of 100 questions stay below.
    pub p99: Duration,
}

/// Asks every question in the given mode and compares the ranked notes with the judgements.
pub fn run(
    store: &Store,
    embedder: &dyn Embedder,
    tuning: &Tuning,
    questions: &Judgements,
    mode: Mode,
) -> Result<Outcome> {
    let cx = SearchContext {
        store,
        embedder,
        tuning,
    };
    let options = SearchOptions {
        mode,
        limit: RANKS + questions.most_excluded(),
        per_note: 1,
        ..SearchOptions::default()
    };
    let mut by_question = Vec::new();
    let mut times = Vec::new();
    for question in &questions.questions {
        let started = Instant::now();
        let mut paths = search::note_paths(&cx, &question.text, &options)?;
        times.push(started.elapsed());
        paths.retain(|path| !question.excluded.contains(path));
        paths.truncate(RANKS);
        by_question.push((question.id.clone(), Metrics::of(&paths, &question.relevant)));
    }
    times.sort_unstable();
    let quantile = |share: f64| {
        let last = times.len().saturating_sub(1);
        times
            .get((last as f64 * share).round() as usize)
            .copied()
            .unwrap_or_default()
    };
    Ok(Outcome {
        metrics: Metrics::mean(by_question.iter().map(|(_, metrics)| metrics)),
        median: quantile(0.5),
        p99: quantile(0.99),
        by_question,
    })
}

/// Grades by note path.
pub type Relevant = HashMap<String, f64>;
