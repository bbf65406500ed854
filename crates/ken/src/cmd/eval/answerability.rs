//! `ken eval --answerability`: collections asked what they can and what they cannot answer.

use std::sync::Arc;

use anyhow::Result;
use kenning::budget::Budget;
use kenning::embed::Embedder;
use kenning::eval::{self, Collection, Judgements};
use kenning::search::{SearchContext, Tuning};

use super::{Found, TemporaryIndex, name, tables};
use crate::args::EvalArgs;
use crate::render;
use crate::settings::Settings;
use crate::wire::eval::{AnswerabilityReport, AnswerablePair};

pub(super) fn run(
    settings: &Settings,
    model: &Arc<dyn Embedder>,
    tuning: &Tuning,
    args: &EvalArgs,
) -> Result<Found> {
    let folders = &args.answerability;
    let questions = folders
        .iter()
        .map(|folder| Judgements::read(folder))
        .collect::<kenning::Result<Vec<_>>>()?;
    let mut collections = Vec::new();
    for (at, folder) in folders.iter().enumerate() {
        let index =
            TemporaryIndex::make(&Collection::read(folder)?, settings.profile(None)?, model)?;
        let cx = SearchContext {
            store: &index.store,
            embedder: &**model,
            tuning,
            budget: &Budget::default(),
        };
        // The questions of each collection go to the next one, those of the last to the first.
        let other = (at + folders.len() - 1) % folders.len();
        let texts = |of: usize| questions[of].questions.iter().map(|q| q.text.as_str());
        let found = eval::abstention(&cx, texts(at), texts(other))?;
        collections.push(AnswerablePair {
            collection: name(folder),
            questions_of: name(&folders[other]),
            abstention: (&found).into(),
        });
    }
    let aurocs: Vec<f64> = collections
        .iter()
        .filter_map(|pair| pair.abstention.auroc)
        .collect();
    let report = AnswerabilityReport {
        mean_auroc: (!aurocs.is_empty()).then(|| aurocs.iter().sum::<f64>() / aurocs.len() as f64),
        collections,
    };
    if args.json {
        render::print_json(&report)?;
    } else {
        render::print(&tables::answerable(&report))?;
    }
    Ok(Found::Something)
}
