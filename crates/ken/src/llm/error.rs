//! Why a model did not answer: what happened and where, and what helps. A key is never part of it.

use std::fmt;
use std::time::Duration;

/// What kind of trouble it is, cut by what the caller can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The settings do not fit together.
    Settings,
    /// The variable that should hold the key is not set.
    KeyMissing,
    /// The key is not taken.
    KeyRefused,
    /// Nobody listens there, or the way is blocked.
    Unreachable,
    /// It took too long.
    TimedOut,
    /// There is no such model.
    ModelUnknown,
    /// The model knows no tools: ask again without.
    NoTools,
    /// The model cannot be told to think, or not to.
    NoThinking,
    /// The model sees no pictures: ask again without.
    NoPictures,
    /// The conversation is longer than the model can see.
    TooLong,
    /// Too much was asked, of us or of everybody; later it may work.
    Busy,
    /// The server failed.
    Failed,
    /// The server does not want this request.
    Refused,
    /// The answer broke off.
    Cut,
    /// The answer is not what the provider says it sends, or larger than anything sensible.
    BadReply,
}

/// Why a model did not answer.
#[derive(Clone, Debug)]
pub(crate) struct ModelError {
    pub(crate) trouble: Trouble,
    message: String,
    hint: String,
    /// How long the server wants to be left alone.
    pub(super) retry_after: Option<Duration>,
}

impl ModelError {
    pub(super) fn new(
        trouble: Trouble,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            trouble,
            message: message.into(),
            hint: hint.into(),
            retry_after: None,
        }
    }

    /// Returns what helps.
    pub(crate) fn hint(&self) -> &str {
        &self.hint
    }

    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        let hint = hint.into();
        Self { hint, ..self }
    }

    /// Whether what came so far is good, and the rest is missing.
    #[cfg(feature = "onnx")]
    pub(crate) fn is_cut(&self) -> bool {
        self.trouble == Trouble::Cut
    }

    /// Whether the same request may work a moment later.
    pub(super) fn is_passing(&self) -> bool {
        use Trouble::{Busy, Cut, Failed, Unreachable};
        matches!(self.trouble, Busy | Cut | Failed | Unreachable)
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ModelError {}
