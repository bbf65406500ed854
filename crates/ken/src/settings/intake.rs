//! Settings of what comes in from outside.

use anyhow::Result;
use kenning_curate::intake::score::Rules;
use serde::Deserialize;

use crate::hint::Hinted;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IntakeSettings {
    relevance: f32,
    actionability: f32,
    depth: f32,
    authority: f32,
    keep: f32,
    review: f32,
    /// Folders that notes may go into.
    pub(crate) folders: Vec<String>,
    /// A folder whose files are taken in while `ken watch` runs; empty for none.
    pub(crate) inbox: String,
}

impl IntakeSettings {
    /// Returns what items are judged by.
    pub(crate) fn rules(&self) -> Result<Rules> {
        let weights = [
            self.relevance,
            self.actionability,
            self.depth,
            self.authority,
        ];
        let is_bad = |value: &f32| !(0.0..=1.0).contains(value);
        if weights.iter().any(is_bad) || weights.iter().sum::<f32>() <= 0.0 {
            return Err(Hinted::error(
                "the weights of [intake] have to be from 0 to 1, and not all 0",
                "see `ken doctor` for where the settings are",
            ));
        }
        if is_bad(&self.keep) || is_bad(&self.review) || self.review > self.keep {
            return Err(Hinted::error(
                "keep and review of [intake] have to be from 0 to 1, and review not above keep",
                "see `ken doctor` for where the settings are",
            ));
        }
        Ok(Rules {
            relevance: self.relevance,
            actionability: self.actionability,
            depth: self.depth,
            authority: self.authority,
            keep: self.keep,
            review: self.review,
        })
    }
}
