//! `ken eval --answers`: how often `ken ask` shows the answer, and in what.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use kenning::budget::Budget;
use kenning::embed::Embedder;
use kenning::eval::{self, Answerable, Collection};
use kenning::search::{SearchContext, Tuning};
use kenning::vault::Vault;

use super::{Found, TemporaryIndex, golden, name, tables};
use crate::args::{EvalArgs, Place};
use crate::hint::Hinted;
use crate::render;
use crate::settings::Settings;
use crate::wire::eval::{self as wire, AnswersReport};

/// File with the answers to a collection's questions.
const ANSWERS: &str = "answers.jsonl";
const QUESTIONS: &str = "queries.jsonl";

/// Questions with their answers, and an index of the notes that should give them.
struct Set {
    name: String,
    questions: Vec<Answerable>,
    index: TemporaryIndex,
}

pub(super) fn run(
    settings: &Settings,
    place: &Place,
    model: &Arc<dyn Embedder>,
    tuning: &Tuning,
    answers: &Path,
    args: &EvalArgs,
) -> Result<Found> {
    let mut reports = Vec::new();
    let mut answer = |set: Set| -> Result<()> {
        let cx = SearchContext {
            store: &set.index.store,
            embedder: &**model,
            tuning,
            budget: &Budget::default(),
        };
        match (args.tune, args.json) {
            (true, true) => {
                for reading in eval::readings(&cx, &set.questions)? {
                    render::print_json(&wire::reading(&reading))?;
                }
            }
            (true, false) => render::print(&tables::fitted(&eval::fit(&cx, &set.questions)?))?,
            (false, _) => reports.push(measured(&cx, set.name, &set.questions)?),
        }
        Ok(())
    };
    if answers.is_file() {
        answer(of_vault(settings, place, model, answers)?)?;
    } else {
        for (folder, answers) in pairs(args.collection.as_deref().unwrap_or(answers), answers)? {
            answer(of_collection(settings, model, &folder, &answers)?)?;
        }
    }
    match args.json {
        _ if args.tune => {}
        true => render::print_json(&reports)?,
        false => render::print(&tables::answers(&reports))?,
    }
    Ok(Found::Something)
}

fn of_collection(
    settings: &Settings,
    model: &Arc<dyn Embedder>,
    folder: &Path,
    answers: &Path,
) -> Result<Set> {
    let questions = eval::answerable(folder, answers)?;
    let source = Collection::read(folder)?;
    Ok(Set {
        name: name(folder),
        questions,
        index: TemporaryIndex::make(&source, settings.profile(None)?, model)?,
    })
}

/// Questions written by hand, put to the notes of a vault.
fn of_vault(
    settings: &Settings,
    place: &Place,
    model: &Arc<dyn Embedder>,
    file: &Path,
) -> Result<Set> {
    let located = settings.locate(place)?;
    let folder = located.vault.unwrap_or_default();
    let whole = folder.canonicalize().ok();
    let questions = golden::answerable(file, whole.as_deref())?;
    let vault = Vault::open(&folder, located.rules)?.with_git(crate::git::log);
    Ok(Set {
        name: name(&folder),
        questions,
        index: TemporaryIndex::make(&vault, located.profile, model)?,
    })
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
            "`--answers` takes a folder with answers.jsonl, one with a folder for each collection, or a file of questions with --vault",
        )),
        false => Ok(pairs),
    }
}
