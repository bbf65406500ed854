//! The second model, which reads the best passages again: which one, how much it counts, how long it may take.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::Settings;
use super::domain::DomainSettings;

/// `[reranker]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RerankerSettings {
    /// One of `ken model list`, or nobody.
    pub(crate) model: String,
    share: f32,
    passages: usize,
    deadline_ms: u64,
    pub(crate) fill: Fill,
    #[serde(skip)]
    patience: Patience,
}

/// When `ken serve` and `ken watch` make vectors ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Fill {
    /// While nobody else needs the machine, and it is not on battery.
    Idle,
    Always,
    Never,
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
        self.reranker_place_of(None)
    }

    /// Returns the reranker of a domain, if there is one. A vault may only name what was added on this machine.
    pub(super) fn reranker_place_of(
        &self,
        domain: Option<&DomainSettings>,
    ) -> Option<RerankerPlace> {
        let own = &self.reranker;
        let named = domain.and_then(|domain| domain.reranker.as_ref());
        let model = named.unwrap_or(&own.model);
        (!model.is_empty()).then(|| RerankerPlace {
            model: model.clone(),
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
