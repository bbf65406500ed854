//! Transformer models that a person brought: copied into the data folder, checked once, found by name.
//!
//! What is in a copy does not change, so its digest is written down beside it, and no question has to read the
//! weights to know which model made a vector.

#[cfg(feature = "onnx")]
mod known;
#[cfg(feature = "onnx")]
mod onnx;
#[cfg(feature = "onnx")]
pub(crate) mod pull;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use kenning::embed::{self, EmbedError, Embedder, ModelId, Reranker};
use serde::Deserialize;

use crate::hint::Hinted;
use crate::settings::RerankerPlace;
#[cfg(feature = "onnx")]
pub(crate) use onnx::{add, bench, fill};

/// The file that tells what a copy is.
const RECORD: &str = "model.json";
/// More bytes than it has.
const RECORD_BYTES_MAX: u64 = 1 << 20;

/// A model that was added.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Installed {
    pub(crate) name: String,
    pub(crate) revision: String,
    /// 0 for one that has no vectors.
    pub(crate) dimensions: usize,
    pub(crate) is_cross_encoder: bool,
    pub(crate) window_tokens: usize,
    /// Where the copy lies.
    #[serde(skip)]
    pub(crate) folder: PathBuf,
}

impl Installed {
    pub(crate) fn id(&self) -> ModelId {
        ModelId {
            name: self.name.clone(),
            revision: self.revision.clone(),
            dimensions: self.dimensions,
        }
    }

    fn read(folder: &Path) -> Option<Self> {
        let path = folder.join(RECORD);
        let is_small = fs::metadata(&path).is_ok_and(|found| found.len() <= RECORD_BYTES_MAX);
        let text = fs::read_to_string(path).ok().filter(|_| is_small)?;
        let mut installed: Self = serde_json::from_str(&text).ok()?;
        installed.folder = folder.to_owned();
        Some(installed)
    }
}

/// Lists the models that were added, by name.
pub(crate) fn all(models: &Path) -> Vec<Installed> {
    let Ok(entries) = fs::read_dir(models) else {
        return Vec::new();
    };
    let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut all: Vec<Installed> = folders
        .filter_map(|folder| Installed::read(&folder))
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// Finds a model by its name.
pub(crate) fn find(models: &Path, name: &str) -> Option<Installed> {
    all(models).into_iter().find(|model| model.name == name)
}

/// The same, as an error if there is none.
pub(crate) fn known(models: &Path, name: &str) -> Result<Installed> {
    find(models, name).ok_or_else(|| {
        Hinted::error(
            format!("there is no model {name:?}"),
            "`ken model list` lists those there are, `ken model add FOLDER` adds one",
        )
    })
}

/// Removes the copy of a model.
pub(crate) fn remove(models: &Path, name: &str) -> Result<()> {
    let folder = known(models, name)?.folder;
    fs::remove_dir_all(&folder).map_err(|error| kenning::Error::io(&folder, error).into())
}

/// Reads a static model from its folder or file; one whose tokenizer is not BERT's, where transformers are built in.
pub(crate) fn static_model(path: &Path) -> Result<Arc<dyn Embedder>, EmbedError> {
    match embed::load(path) {
        #[cfg(feature = "onnx")]
        Err(EmbedError::Unsupported { .. }) if path.is_dir() => {
            Ok(Arc::new(kenning_onnx::TokenModel::open(path)?))
        }
        loaded => Ok(Arc::new(loaded?)),
    }
}

/// Returns what reads passages again.
pub(crate) fn reranker(place: &RerankerPlace) -> Result<Arc<dyn Reranker>> {
    let installed = known(&place.models, &place.model)?;
    #[cfg(feature = "onnx")]
    return Ok(onnx::reranker(installed, place));
    #[cfg(not(feature = "onnx"))]
    Err(not_built(&installed.name))
}

/// Says that transformers are left out of this binary.
#[cfg(not(feature = "onnx"))]
pub(crate) fn not_built(what: &str) -> anyhow::Error {
    Hinted::error(
        format!("{what} is a transformer, and this ken was built without them"),
        "install it with `cargo install --locked --profile dist --path crates/ken --features onnx`",
    )
}
