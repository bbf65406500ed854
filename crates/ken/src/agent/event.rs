//! What an answer is made of, in the order in which it comes.

use kenning::conversation::Usage;
use tokio::sync::mpsc::UnboundedSender;

use super::check::{Checked, Tally};
use super::sources::Source;

/// One piece of an answer.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// What the model thinks, or what is being done. Nobody has to hear it.
    Thinking(String),
    /// A passage that the answer may rest on.
    Found(Box<Source>),
    /// A citation of the answer, checked.
    Checked(Box<Checked>),
    Text(String),
    /// How much of the conversation is told again with the next question.
    Memory(Usage),
    /// What went wrong, and what helps.
    Failed {
        message: String,
        hint: Option<String>,
    },
    /// The answer is over.
    Done(Box<Outcome>),
}

/// What an answer came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// All of its text.
    pub(crate) text: String,
    pub(crate) tally: Tally,
    /// How well the notes answer: `strong`, `moderate`, `weak` or `none`.
    pub(crate) evidence: &'static str,
    /// Who answered; `None` if it was extracted.
    pub(crate) model: Option<String>,
    /// What was added to a thin question.
    pub(crate) expanded: Option<String>,
    pub(crate) notices: Vec<String>,
    /// Times that the model was asked, and tools that it called.
    pub(crate) n_steps: usize,
    pub(crate) tools: Vec<String>,
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    /// Whether the answer is whole; what a limit cut off or an error ended is not.
    pub(crate) is_whole: bool,
}

/// Tells somebody who may have gone away.
#[derive(Clone)]
pub(crate) struct Events(UnboundedSender<Event>);

impl Events {
    pub(crate) fn new(sender: UnboundedSender<Event>) -> Self {
        Self(sender)
    }

    /// Whoever has gone away is noticed by `gone`, not here.
    pub(super) fn send(&self, event: Event) {
        let _ = self.0.send(event);
    }

    pub(super) fn thinking(&self, text: impl Into<String>) {
        self.send(Event::Thinking(text.into()));
    }

    pub(super) fn text(&self, text: impl Into<String>) {
        self.send(Event::Text(text.into()));
    }

    /// Waits until nobody listens any more.
    pub(super) async fn gone(&self) {
        self.0.closed().await;
    }
}
