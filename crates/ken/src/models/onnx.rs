//! Transformers from ONNX files, in a binary that was built with them.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use kenning::embed::{Embedder, Reranker};
use kenning::index::{Coverage, FillContext};
use kenning::store::Place;
use kenning_onnx::{
    CrossEncoder, Folder, Patience, RerankOptions, Transformer, TransformerReranker, Watch,
};

use super::{Installed, RECORD};
use crate::hint::Hinted;
use crate::settings::RerankerPlace;

/// How long to wait for another writer of an index.
const PATIENCE: Duration = Duration::from_secs(5);

/// Copies a model into the data folder, if it can be used.
pub(crate) fn add(models: &Path, source: &Path, name: Option<&str>) -> Result<Installed> {
    let folder = Folder::open(source)?;
    let name = name.map_or_else(|| own_name(&folder.name), str::to_owned);
    if !is_name(&name) {
        return Err(Hinted::error(
            format!("{name:?} cannot be the name of a model"),
            "name it with `--name`: letters, digits, `-`, `_` and `.`",
        ));
    }
    let target = models.join(&name);
    if target.exists() {
        return Err(Hinted::error(
            format!("there is a model {name:?} already"),
            format!("remove it with `ken model remove {name}`, or choose another `--name`"),
        ));
    }
    let installed = checked(&folder, &name)?;
    fs::create_dir_all(models).map_err(|error| kenning::Error::io(models, error))?;
    let fresh = tempfile::Builder::new()
        .prefix(".adding-")
        .tempdir_in(models)
        .context("cannot write into the folder of models")?;
    for file in folder.files() {
        let (from, to) = (folder.path.join(&file), fresh.path().join(&file));
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent).map_err(|error| kenning::Error::io(parent, error))?;
        }
        fs::copy(&from, &to).map_err(|error| kenning::Error::io(&from, error))?;
    }
    let record = fresh.path().join(RECORD);
    let told = serde_json::json!({
        "name": installed.name,
        "revision": installed.revision,
        "dimensions": installed.dimensions,
        "is_cross_encoder": installed.is_cross_encoder,
        "window_tokens": installed.window_tokens,
    });
    fs::write(&record, format!("{told:#}\n"))
        .map_err(|error| kenning::Error::io(&record, error))?;
    let fresh = fresh.keep();
    fs::rename(&fresh, &target).map_err(|error| kenning::Error::io(&target, error))?;
    Ok(Installed {
        folder: target,
        ..installed
    })
}

/// Makes a name of what a folder is called.
fn own_name(folder: &str) -> String {
    let plain = |c: char| if is_plain(c) { c } else { '-' };
    let name: String = folder.to_lowercase().chars().map(plain).collect();
    name.trim_matches(['.', '-']).to_owned()
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Whether this can name a model: it is the name of a folder, too.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && name != "default" && name.chars().all(is_plain)
}

/// Runs a model once: what cannot be run is not added.
fn checked(folder: &Folder, name: &str) -> Result<Installed> {
    let dimensions = match folder.is_cross_encoder {
        true => 1,
        false => Transformer::of(folder.clone())?.id().dimensions,
    };
    // Nobody makes vectors of one number: that is a judgement.
    let is_cross_encoder = dimensions == 1;
    if is_cross_encoder {
        CrossEncoder::open(&folder.weights)?.score("a question", "a passage")?;
    }
    Ok(Installed {
        name: name.to_owned(),
        revision: folder.revision()?,
        dimensions: if is_cross_encoder { 0 } else { dimensions },
        is_cross_encoder,
        window_tokens: folder.window_tokens,
        folder: folder.path.clone(),
    })
}

pub(super) fn reranker(installed: Installed, place: &RerankerPlace) -> Arc<dyn Reranker> {
    let options = RerankOptions {
        share: place.share,
        n_passages: place.n_passages,
    };
    let patience = patience(place.deadline);
    let (id, folder) = (installed.id(), installed.folder);
    let reranker = match installed.is_cross_encoder {
        true => TransformerReranker::by_pairs,
        false => TransformerReranker::by_vectors,
    };
    Arc::new(reranker(id, folder, options, patience))
}

/// Counts from when a question is asked.
fn patience(deadline: Option<Duration>) -> Box<Patience> {
    Box::new(move || {
        let started = Instant::now();
        Watch {
            deadline,
            elapsed: Box::new(move || started.elapsed()),
        }
    })
}

/// Makes the vectors that the index of a place lacks.
pub(crate) fn fill(
    installed: &Installed,
    store: &Place,
    (now, stop): (fn() -> i64, &AtomicBool),
    progress: &dyn Fn(usize, usize),
) -> Result<Coverage> {
    let model = Transformer::open(&installed.folder)?;
    let coverage = kenning::index::fill(&FillContext {
        store,
        embedder: &model,
        now,
        patience: PATIENCE,
        progress,
        goes_on: &|| !stop.load(Ordering::Relaxed),
        asked: None,
    })?;
    Ok(coverage)
}

/// Returns how many milliseconds a passage and a question take, on texts of an index.
pub(crate) fn bench(installed: &Installed, texts: &[String]) -> Result<(f64, f64)> {
    let per = |n: usize, started: Instant| started.elapsed().as_secs_f64() * 1e3 / n.max(1) as f64;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let questions: Vec<&str> = texts
        .iter()
        .filter_map(|text| text.lines().next())
        .collect();
    if installed.is_cross_encoder {
        let model = CrossEncoder::open(&installed.folder)?;
        let started = Instant::now();
        for text in &texts {
            model.score(questions.first().unwrap_or(&""), text)?;
        }
        return Ok((per(texts.len(), started), 0.0));
    }
    let model = Transformer::open(&installed.folder)?;
    let started = Instant::now();
    model.embed_passages(&texts, &mut Vec::new())?;
    let passage = per(texts.len(), started);
    let started = Instant::now();
    for question in &questions {
        model.embed_query(question)?;
    }
    Ok((passage, per(questions.len(), started)))
}
