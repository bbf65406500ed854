//! The second model, which reads the best passages again: which one, how much it counts, how long it may take.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::Settings;

/// `[reranker]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RerankerSettings {
    /// One of `ken model list`, or nobody.
    pub(crate) model: String,
    share: f32,
    passages: usize,
    deadline_ms: u64,
    #[serde(skip)]
    patience: Patience,
}

/// How long a question waits for vectors that are not there yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Not at all: the process ends with the answer, and what it made would be lost.
    #[default]
    None,
    /// Up to the deadline: what is made is kept.
    Deadline,
    /// As long as it takes, to measure.
    Endless,
}

/// A reranker by name.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(feature = "onnx"),
    expect(dead_code, reason = "only transformers are run with these")
)]
pub(crate) struct RerankerPlace {
    pub(crate) model: String,
    /// Where models lie that were added.
    pub(crate) models: PathBuf,
    pub(crate) share: f32,
    pub(crate) n_passages: usize,
    /// How long to wait; `None` is for as long as it takes.
    pub(crate) deadline: Option<Duration>,
}

impl Settings {
    /// Returns the folder of the models that were added.
    pub(crate) fn models_dir(&self) -> PathBuf {
        self.data_dir.join("models")
    }

    /// Has questions wait for vectors that are not there yet.
    pub(crate) fn waits(mut self, patience: Patience) -> Self {
        self.reranker.patience = patience;
        self
    }

    /// Returns the reranker, if there is one.
    pub(crate) fn reranker_place(&self) -> Option<RerankerPlace> {
        let own = &self.reranker;
        (!own.model.is_empty()).then(|| RerankerPlace {
            model: own.model.clone(),
            models: self.models_dir(),
            share: own.share,
            n_passages: own.passages,
            deadline: match own.patience {
                Patience::None => Some(Duration::ZERO),
                Patience::Deadline => Some(Duration::from_millis(own.deadline_ms)),
                Patience::Endless => None,
            },
        })
    }

    /// Returns a key of the reranker whose value cannot be, with that value and what it should be.
    pub(super) fn bad_reranker(&self) -> Option<(&'static str, String, &'static str)> {
        let own = &self.reranker;
        if !(0.0..=1.0).contains(&own.share) {
            return Some((
                "reranker.share",
                own.share.to_string(),
                "a number from 0 to 1",
            ));
        }
        let is_odd = !(1..=200).contains(&own.passages);
        is_odd.then(|| {
            (
                "reranker.passages",
                own.passages.to_string(),
                "a number from 1 to 200",
            )
        })
    }
}
