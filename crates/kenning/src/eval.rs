//! Measures search against judged collections; a client of the two flows, nothing more.

mod abstention;
mod adapt;
mod answers;
mod baseline;
mod collection;
mod fit;
mod known_items;
pub mod metrics;
pub mod significance;
mod tune;

use std::collections::HashMap;
use std::time::{Duration, Instant};

pub use abstention::{Abstention, Doubt, Misjudged, abstention};
pub use adapt::{Adaptation, Adapted, Measured, adapt, keep_adapter};
pub use answers::{
    AnswerFigures, AnswerOutcome, Answerable, Given, answerable, answers, f1, holds,
};
pub use baseline::{Change, Changed, compare};
pub use collection::{Collection, Judgements, Question};
pub use fit::{Fitted, ReadSentence, Reading, fit, readings};
pub use known_items::known_items;
pub use metrics::Metrics;
pub use significance::Comparison;
pub use tune::{Chosen, Proposal, Trial, Weight, tune, weights};

use crate::budget::Budget;
use crate::embed::Embedder;
use crate::error::Result;
use crate::search::{self, Mode, SearchContext, SearchOptions, Tuning};
use crate::store::Store;

/// Ranks looked at for each question.
const RANKS: usize = 100;
/// When judged questions are asked: figures must not depend on the day on which they are measured.
const JUDGED_AT: i64 = 0;

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
        budget: &Budget::default(),
    };
    let options = SearchOptions {
        mode,
        limit: RANKS + questions.most_excluded(),
        per_note: 1,
        ..SearchOptions::at(JUDGED_AT)
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

impl Outcome {
    /// Returns kind, number of questions and means for each kind, in order of appearance.
    /// `questions` are those that were asked; without kinds there is nothing to tell.
    pub fn by_kind<'a>(&self, questions: &'a Judgements) -> Vec<(&'a str, usize, Metrics)> {
        let mut kinds: Vec<(&str, Vec<&Metrics>)> = Vec::new();
        for (question, (_, metrics)) in questions.questions.iter().zip(&self.by_question) {
            match kinds.iter_mut().find(|(kind, _)| *kind == question.kind) {
                Some((_, all)) => all.push(metrics),
                None => kinds.push((&question.kind, vec![metrics])),
            }
        }
        kinds
            .into_iter()
            .filter(|(kind, _)| !kind.is_empty())
            .map(|(kind, all)| (kind, all.len(), Metrics::mean(all.into_iter())))
            .collect()
    }
}

/// Grades by note path.
pub type Relevant = HashMap<String, f64>;
