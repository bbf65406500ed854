//! `ken eval --answers`: how often `ken ask` shows the answer, and in what.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use kenning::budget::Budget;
use kenning::embed::Embedder;
use kenning::eval::{self, Answerable, Collection};
use kenning::search::{SearchContext, Tuning};

use super::{Found, TemporaryIndex, name, tables};
use crate::args::EvalArgs;
use crate::hint::Hinted;
use crate::render;
use crate::settings::Settings;
use crate::wire::eval::AnswersReport;

/// File with the answers to a collection's questions.
const ANSWERS: &str = "answers.jsonl";
const QUESTIONS: &str = "queries.jsonl";

pub(super) fn run(
    settings: &Settings,
    model: &Arc<dyn Embedder>,
    tuning: &Tuning,
    answers: &Path,
    args: &EvalArgs,
) -> Result<Found> {
    let mut reports = Vec::new();
    for (collection, answers) in pairs(args.collection.as_deref().unwrap_or(answers), answers)? {
        let questions = eval::answerable(&collection, &answers)?;
        let source = Collection::read(&collection)?;
        let index = TemporaryIndex::make(&source, settings.profile(None)?, model)?;
        let cx = SearchContext {
            store: &index.store,
            embedder: &**model,
            tuning,
            budget: &Budget::default(),
        };
        if args.tune {
            render::print(&tables::fitted(&eval::fit(&cx, &questions)?))?;
        } else {
            reports.push(measured(&cx, name(&collection), &questions)?);
        }
    }
    match args.json {
        _ if args.tune => {}
        true => render::print_json(&reports)?,
        false => render::print(&tables::answers(&reports))?,
    }
    Ok(Found::Something)
}

fn measured(
    cx: &SearchContext<'_>,
    name: String,
    questions: &[Answerable],
) -> Result<AnswersReport> {
    let outcome = eval::answers(cx, questions)?;
    Ok(AnswersReport::new(name, questions, &outcome))
}

/// Returns each collection with the folder of its answers: both folders may hold one collection, or
/// several by name.
fn pairs(collection: &Path, answers: &Path) -> Result<Vec<(PathBuf, PathBuf)>> {
    let of = |collection: PathBuf| {
        let named = answers.join(name(&collection));
        let folder = [answers, named.as_path()]
            .into_iter()
            .find(|folder| folder.join(ANSWERS).is_file())?;
        Some((collection, folder.to_owned()))
    };
    let mut pairs = Vec::new();
    if collection.join(QUESTIONS).is_file() {
        pairs.extend(of(collection.to_owned()));
    } else if let Ok(entries) = fs::read_dir(collection) {
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.sort();
        folders.retain(|folder| folder.join(QUESTIONS).is_file());
        pairs.extend(folders.into_iter().filter_map(of));
    }
    match pairs.is_empty() {
        true => Err(Hinted::error(
            format!("there is no {ANSWERS} for {}", collection.display()),
            "`--answers` takes a folder with answers.jsonl, or one with a folder for each collection",
        )),
        false => Ok(pairs),
    }
}
