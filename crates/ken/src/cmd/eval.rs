//! `ken eval`: how well search does on judged questions.

mod answerability;
mod answers;
mod golden;
mod tables;
mod tune;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use kenning::Kenning;
use kenning::budget::Budget;
use kenning::embed::Embedder;
use kenning::eval::{self, Abstention, Collection, Judgements, Outcome};
use kenning::index::{IndexOptions, Profile};
use kenning::search::{Fusion, Mode, SearchContext, Tuning};
use kenning::store::Store;
use kenning::vault::{Source, Vault};
use tempfile::TempDir;

use super::Found;
use crate::args::{EvalArgs, Place};
use crate::hint::Hinted;
use crate::reader::Readers;
use crate::render;
use crate::runtime;
use crate::settings::{Patience, Settings};
use crate::wire::eval::{
    self as wire, BaselineChange, EvalReport, MisjudgedQuestion, QuestionScores, SavedScores,
};

const MODES: [Mode; 3] = [Mode::Lexical, Mode::Vector, Mode::Hybrid];
/// Notes that questions name and the vault lacks, told one by one.
const SHOWN_MAX: usize = 20;

pub(super) fn run(settings: &Settings, place: &Place, args: &EvalArgs) -> Result<Found> {
    let args = &meant(args);
    let waiting = match args.as_server {
        true => &settings.clone().waits(Patience::Deadline),
        false => settings,
    };
    let model = runtime::Model::load(waiting)?;
    let model = model.embedder()?;
    let tuning = settings.tuning(args.fusion);
    if !args.answerability.is_empty() {
        return answerability::run(settings, model, &tuning, args);
    }
    if let Some(folder) = &args.answers {
        return answers::run(settings, place, model, &tuning, folder, args);
    }
    let asked = Asked::prepare(settings, place, args, model)?;
    if args.tune {
        return tune::run(&asked, &**model, &tuning, args);
    }
    let cx = SearchContext {
        store: &asked.index.store,
        embedder: &**model,
        tuning: &tuning,
        budget: &Budget::default(),
    };
    let (mut report, outcomes, abstention) = measure(&cx, &asked, args.as_server)?;
    if let (Some(report), Some(found), true) = (&mut report.abstention, &abstention, args.gate) {
        report.misjudged = Some(MisjudgedQuestion::all(found));
    }
    if let Some(file) = &args.baseline {
        report.baseline = Some(compare(file, &report.questions)?);
    }
    if let Some(file) = &args.save {
        fs::write(file, report.saved()?).map_err(|error| kenning::Error::io(file, error))?;
    }
    if args.json {
        render::print_json(&report)?;
    } else {
        render::print(&tables::measured(&report, &asked.judgements, &outcomes))?;
    }
    if !place.quiet {
        tell_doubts(&asked, &report)?;
        if args.label_free && model.token_vectors().is_some() {
            render::say("`ken model tune` tries to adapt the model to what these notes are called");
        }
    }
    let is_worse = (report.baseline.as_ref()).filter(|change| change.is_regression);
    if let Some(change) = is_worse {
        render::say(&format!("hybrid search is worse than {}", change.file));
        return Ok(Found::Nothing);
    }
    if args.gate && !abstention.is_some_and(|found| found.is_honest()) {
        render::say("evidence says too often what is not so");
        return Ok(Found::Nothing);
    }
    Ok(Found::Something)
}

/// `ken eval tune` reads like a command, and is meant as one unless there is such a file.
fn meant(args: &EvalArgs) -> EvalArgs {
    let mut meant = args.clone();
    let word = meant.golden.as_deref();
    if word.is_some_and(|word| word == Path::new("tune") && !word.exists()) {
        (meant.golden, meant.tune) = (None, true);
    }
    meant
}

/// Questions, and an index of the notes that should answer them.
struct Asked {
    name: String,
    judgements: Judgements,
    index: TemporaryIndex,
    is_vault: bool,
}

impl Asked {
    fn prepare(
        settings: &Settings,
        place: &Place,
        args: &EvalArgs,
        model: &Arc<dyn Embedder>,
    ) -> Result<Self> {
        // Questions are read first: a mistake in them should not wait for the index.
        let judgements = match (&args.golden, &args.collection) {
            (Some(file), _) => {
                let folder = settings.locate(place)?.vault;
                let folder = folder.and_then(|folder| folder.canonicalize().ok());
                Some((stem(file), golden::read(file, folder.as_deref())?))
            }
            (None, Some(folder)) => Some((name(folder), Judgements::read(folder)?)),
            (None, None) => None,
        };
        let collection = args.collection.as_deref();
        if let Some(folder) = collection.filter(|_| !Settings::is_place_named(place)) {
            let source = Collection::read(folder)?;
            let (name, judgements) = judgements.unwrap_or_default();
            let profile = settings.profile(None)?;
            let server = settings.scratch_store(place, &format!("eval_{name}"))?;
            let index = TemporaryIndex::of(server, &source, profile, model)?;
            return Ok(Self {
                name,
                judgements,
                index,
                is_vault: false,
            });
        }
        let located = settings.locate(place)?;
        let folder = located.vault.unwrap_or_default();
        let vault = Vault::open(&folder, located.rules)?.with_git(crate::git::log);
        let asked = judgements.as_ref();
        let domain = asked.map_or_else(|| name(&folder), |(name, _)| name.clone());
        let server = settings.scratch_store(place, &format!("eval_{domain}"))?;
        let index = TemporaryIndex::of(server, &vault, located.profile, model)?;
        let (name, judgements) = match judgements {
            Some(judgements) => judgements,
            None => (name(&folder), eval::known_items(&index.store)?),
        };
        Ok(Self {
            name,
            judgements,
            index,
            is_vault: true,
        })
    }
}

/// An index that goes away.
struct TemporaryIndex {
    store: Store,
    /// Removed after the store is closed.
    _folder: Option<TempDir>,
}

impl TemporaryIndex {
    /// Makes one where it was asked for: on a server, that is a domain of its own, which stays.
    fn of(
        server: Option<kenning::store::Place>,
        source: &dyn Source,
        profile: Profile,
        model: &Arc<dyn Embedder>,
    ) -> Result<Self> {
        match server {
            Some(server) => Ok(Self {
                store: Self::fill(server, source, profile, model)?,
                _folder: None,
            }),
            None => Self::make(source, profile, model),
        }
    }

    fn make(source: &dyn Source, profile: Profile, model: &Arc<dyn Embedder>) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let place = folder.path().join("eval.db").into();
        Ok(Self {
            store: Self::fill(place, source, profile, model)?,
            _folder: Some(folder),
        })
    }

    fn fill(
        place: kenning::store::Place,
        source: &dyn Source,
        profile: Profile,
        model: &Arc<dyn Embedder>,
    ) -> Result<Store> {
        let index = Kenning::new(place.clone(), runtime::now)
            .embedder(Arc::clone(model))
            .reader(Arc::new(Readers::default()))
            .index_options(IndexOptions {
                profile,
                n_threads: runtime::n_threads(),
                ..IndexOptions::default()
            });
        index.update(source)?;
        Ok(place.read()?)
    }
}

/// Asks everything in every mode.
fn measure(
    cx: &SearchContext<'_>,
    asked: &Asked,
    is_repeated: bool,
) -> Result<(EvalReport, [Outcome; 3], Option<Abstention>)> {
    let judgements = &asked.judgements;
    let status = cx.store.status()?;
    let mut modes = serde_json::Map::new();
    let mut run = |name: &str, mode| -> Result<Outcome> {
        let started = runtime::cpu_time();
        let outcome = eval::run(cx.store, cx.embedder, cx.tuning, judgements, mode)?;
        let spent = runtime::cpu_time().saturating_sub(started);
        modes.insert(name.to_owned(), wire::figures(&outcome, spent));
        Ok(outcome)
    };
    let outcomes = [
        run(MODES[0].name(), MODES[0])?,
        run(MODES[1].name(), MODES[1])?,
        run(MODES[2].name(), MODES[2])?,
    ];
    if is_repeated {
        run("again", Mode::Hybrid)?;
    }
    let mut kinds = serde_json::Map::new();
    for (mode, outcome) in MODES.iter().zip(&outcomes) {
        for (kind, n, metrics) in outcome.by_kind(judgements) {
            let of_kind = kinds
                .entry(kind)
                .or_insert_with(|| serde_json::json!({ "queries": n }));
            of_kind[mode.name()] = wire::metrics(&metrics);
        }
    }
    let abstention = if judgements.absent.is_empty() {
        None
    } else {
        let answerable = judgements.questions.iter().map(|q| q.text.as_str());
        let absent = judgements.absent.iter().map(String::as_str);
        Some(eval::abstention(cx, answerable, absent)?)
    };
    let report = EvalReport {
        collection: asked.name.clone(),
        queries: judgements.questions.len(),
        documents: status.n_notes,
        chunks: status.n_chunks,
        fusion: fusion_name(cx.tuning),
        modes,
        kinds,
        abstention: abstention.as_ref().map(Into::into),
        baseline: None,
        questions: QuestionScores::all(judgements, &outcomes),
    };
    Ok((report, outcomes, abstention))
}

/// Compares hybrid search with saved figures.
fn compare(file: &Path, questions: &[QuestionScores]) -> Result<BaselineChange> {
    let text = fs::read_to_string(file).map_err(|error| kenning::Error::io(file, error))?;
    let hint = || "write it anew with `ken eval … --save FILE`".to_owned();
    let saved: SavedScores = serde_json::from_str(&text)
        .map_err(|error| Hinted::error(format!("{}: {error}", file.display()), hint()))?;
    let figures = |all: &[QuestionScores]| -> Vec<(String, f64)> {
        all.iter()
            .map(|question| (question.id.clone(), question.ndcg_at_10.hybrid))
            .collect()
    };
    let change = eval::compare(&figures(&saved.questions), &figures(questions));
    let file = file.display().to_string();
    match change {
        Some(change) => Ok(BaselineChange::new(file, change)),
        None => Err(Hinted::error(
            format!("{file} has no question in common with what was asked"),
            hint(),
        )),
    }
}

/// Says what makes the figures worth less than they seem.
fn tell_doubts(asked: &Asked, report: &EvalReport) -> Result<()> {
    if asked.is_vault {
        let mut n_missing = 0usize;
        for question in &asked.judgements.questions {
            let mut paths: Vec<&String> = question.relevant.keys().collect();
            paths.sort();
            for path in paths {
                if asked.index.store.note_at(path)?.is_some() {
                    continue;
                }
                n_missing += 1;
                if n_missing <= SHOWN_MAX {
                    render::say(&format!("not in the vault: {path} ({})", question.id));
                }
            }
        }
        if n_missing > SHOWN_MAX {
            render::say(&format!("and {} more", n_missing - SHOWN_MAX));
        }
    }
    if let Some(change) = &report.baseline {
        let (n_new, n_missing) = (change.new.len(), change.missing.len());
        if n_new + n_missing > 0 {
            render::say(&format!(
                "not compared: {} not in {}, {n_missing} only there",
                render::counted(n_new, "question"),
                change.file
            ));
        }
    }
    Ok(())
}

fn fusion_name(tuning: &Tuning) -> &'static str {
    match tuning.fusion {
        Fusion::Blend { .. } => "blend",
        Fusion::Rrf { .. } => "rrf",
    }
}

/// Returns the name of a folder, wherever it was named from.
fn name(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn stem(file: &Path) -> String {
    file.file_stem()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
