//! `ken eval`: how well search does on judged questions.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use kenning::eval::{self, Collection, Judgements, Outcome};
use kenning::index::{self, IndexContext, IndexOptions, Profile};
use kenning::search::Mode;
use kenning::store::Store;
use kenning::vault::{Source, Vault};
use serde_json::json;

use super::{Found, open};
use crate::args::{EvalArgs, FusionArg, Place};
use crate::reader::Readers;
use crate::render;
use crate::settings::Settings;
use crate::wire::EvalShape;

pub(super) fn run(settings: &Settings, place: &Place, args: &EvalArgs) -> Result<Found> {
    let judgements = Judgements::read(&args.collection)?;
    let (source, profile) = source(settings, place, args)?;
    let model = open::Model::load(settings)?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("eval.db");
    let reader = Readers::default();
    index::update(&IndexContext {
        source: source.as_ref(),
        store: &path,
        reader: &reader,
        embedder: &model,
        now: open::now(),
        options: &IndexOptions {
            profile,
            n_threads: open::n_threads(),
            ..IndexOptions::default()
        },
        progress: &|_| {},
        stop: &AtomicBool::new(false),
    })?;
    let store = Store::open(&path)?;
    let status = store.status()?;
    let tuning = settings.tuning(args.fusion);
    let mut shape = EvalShape {
        collection: name(args),
        queries: judgements.questions.len(),
        documents: status.n_notes,
        chunks: status.n_chunks,
        fusion: match args.fusion {
            Some(FusionArg::Rrf) => "rrf",
            _ => "blend",
        },
        modes: serde_json::Map::new(),
    };
    let mut table = format!(
        "{}: {} queries, {} notes, {} chunks\n{:<8} {:>8} {:>10} {:>11} {:>8} {:>9} {:>9}\n",
        shape.collection,
        shape.queries,
        shape.documents,
        shape.chunks,
        "mode",
        "nDCG@10",
        "recall@10",
        "recall@100",
        "MRR@10",
        "p50 ms",
        "p99 ms"
    );
    for mode in [Mode::Lexical, Mode::Vector, Mode::Hybrid] {
        let outcome = eval::run(&store, &model, &tuning, &judgements, mode)?;
        table += &row(mode, &outcome);
        shape
            .modes
            .insert(mode.name().to_owned(), figures(&outcome));
    }
    if args.json {
        render::print_json(&shape)?;
    } else {
        render::print(&table)?;
    }
    Ok(Found::Something)
}

/// The notes that are searched, and how they are cut: the collection's own, or those of a vault
/// that was named.
fn source(
    settings: &Settings,
    place: &Place,
    args: &EvalArgs,
) -> Result<(Box<dyn Source>, Profile)> {
    Ok(if Settings::is_place_named(place) {
        let located = settings.locate(place)?;
        let folder = located.vault.unwrap_or_default();
        (
            Box::new(Vault::open(&folder, located.rules)?),
            located.profile,
        )
    } else {
        let collection = Collection::read(&args.collection)?;
        (Box::new(collection), settings.profile(None)?)
    })
}

fn name(args: &EvalArgs) -> String {
    let folder = args
        .collection
        .canonicalize()
        .unwrap_or_else(|_| args.collection.clone());
    folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn row(mode: Mode, outcome: &Outcome) -> String {
    let m = &outcome.metrics;
    format!(
        "{:<8} {:>8.4} {:>10.4} {:>11.4} {:>8.4} {:>9.2} {:>9.2}\n",
        mode.name(),
        m.ndcg_at_10,
        m.recall_at_10,
        m.recall_at_100,
        m.mrr_at_10,
        outcome.median.as_secs_f64() * 1e3,
        outcome.p99.as_secs_f64() * 1e3
    )
}

fn figures(outcome: &Outcome) -> serde_json::Value {
    let m = &outcome.metrics;
    json!({
        "ndcg_at_10": m.ndcg_at_10,
        "recall_at_10": m.recall_at_10,
        "recall_at_100": m.recall_at_100,
        "mrr_at_10": m.mrr_at_10,
        "p50_ms": outcome.median.as_secs_f64() * 1e3,
        "p99_ms": outcome.p99.as_secs_f64() * 1e3,
    })
}
