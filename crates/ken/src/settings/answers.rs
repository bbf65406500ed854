//! How a question is answered: how much a model is given, and how far it may go.

use std::time::Duration;

use anyhow::Result;
use serde::Deserialize;

use super::Settings;

/// `[answers]`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerSettings {
    /// Passages that a model is given with the question.
    pub(crate) passages: u32,
    /// Whether the model adds words to a thin question.
    pub(crate) expand: bool,
    /// Whether the model translates a question in another language than the notes.
    pub(crate) translate: bool,
    /// Times that a model may call tools.
    pub(crate) steps: usize,
    /// Most tokens of one reply.
    pub(crate) tokens: u32,
    seconds: u64,
}

const PASSAGES_MAX: u32 = 20;
const STEPS_MAX: usize = 50;

impl AnswerSettings {
    /// Returns the longest time that an answer may take.
    pub(crate) fn time_max(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

impl Settings {
    pub(super) fn check_answers(&self) -> Result<()> {
        let own = &self.answers;
        let bad = |key: &str, value: &dyn ToString, wanted: &str| {
            Err(self.bad_value(&format!("answers.{key}"), &value.to_string(), wanted))
        };
        match own {
            _ if !(1..=PASSAGES_MAX).contains(&own.passages) => {
                bad("passages", &own.passages, "a number from 1 to 20")
            }
            _ if own.steps > STEPS_MAX => bad("steps", &own.steps, "a number from 0 to 50"),
            _ if own.tokens == 0 => bad("tokens", &own.tokens, "at least 1"),
            _ if own.seconds == 0 => bad("seconds", &own.seconds, "at least 1"),
            _ => Ok(()),
        }
    }
}
