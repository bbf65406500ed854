//! An answer as it is heard: its pieces in, all of it with what it cites out. Whoever shows an answer or
//! writes it down begins here.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval};

use super::event::{Event, Events};
use super::prompt::NOT_SAID;
use super::{Request, answer};
use crate::hint::Hinted;
use crate::wire::KeptSource;
use crate::wire::rag::{RagChecked, RagCitation, RagOutcome, WrittenAnswer};

/// How often somebody looks whether the answer is to stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Who answers where no model does.
const EXTRACT: &str = "extract";

/// An answer as far as it came.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// Who answers.
    pub(crate) model: String,
    pub(crate) text: String,
    pub(crate) citations: Vec<RagCitation>,
    /// What it came to, once it is over.
    pub(crate) outcome: Option<RagOutcome>,
    /// What went wrong, and what helps.
    pub(crate) failed: Option<(String, Option<String>)>,
}

impl Heard {
    /// Begins to hear the answer to a request.
    pub(crate) fn of(request: &Request) -> Self {
        let model = request.model.as_ref().map(|model| model.id().to_owned());
        Self {
            model: model.unwrap_or_else(|| EXTRACT.to_owned()),
            ..Self::default()
        }
    }

    /// Takes the next piece.
    pub(crate) fn hear(&mut self, event: Event) {
        match event {
            Event::Text(text) => self.text += &text,
            Event::Found(source) => self.citations.push((*source).into()),
            Event::Checked(checked) => self.citations.push((*checked).into()),
            Event::Failed { message, hint } => self.failed = Some((message, hint)),
            Event::Done(outcome) => self.outcome = Some((*outcome).into()),
            Event::Thinking(_) | Event::Memory(_) => {}
        }
    }

    /// Whether the answer came to its end by itself.
    pub(crate) fn is_whole(&self) -> bool {
        self.outcome
            .as_ref()
            .is_some_and(|outcome| outcome.complete)
    }

    /// Whether the notes say something.
    pub(crate) fn says_something(&self) -> bool {
        !["", NOT_SAID].contains(&self.text.trim())
    }

    /// Returns what it cites, as it is written down.
    pub(crate) fn sources(&self) -> Vec<KeptSource> {
        let checked = self.citations.iter();
        checked
            .filter_map(|citation| match &citation.checked {
                RagChecked::Cited(cited) => {
                    let found = |own: &&RagCitation| own.number == citation.number;
                    let found = self.citations.iter().find(found);
                    Some(KeptSource::new(citation, cited, found))
                }
                RagChecked::Found(_) => None,
            })
            .collect()
    }

    /// Returns what went wrong.
    pub(crate) fn failure(&self) -> Option<anyhow::Error> {
        let (message, hint) = self.failed.clone()?;
        Some(Hinted::error(message, hint.unwrap_or_default()))
    }

    /// Returns all of it, as far as it came.
    pub(crate) fn written(self) -> Result<WrittenAnswer> {
        let outcome = self.outcome;
        Ok(WrittenAnswer {
            outcome: outcome.context("the answer never ended; that is a bug")?,
            citations: self.citations,
        })
    }
}

/// Answers on this thread, and shows each piece as it comes. Ctrl-C ends it with what is there; so does
/// whatever cannot be shown, and the model stops.
pub(crate) fn answer_here(
    request: Request,
    stop: Option<&AtomicBool>,
    show: &mut dyn FnMut(&Event) -> Result<()>,
) -> Result<Heard> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("there is no way to wait for a model")?;
    let mut heard = Heard::of(&request);
    runtime.block_on(async {
        let (sender, events) = unbounded_channel();
        let answering = answer(request, Events::new(sender));
        let ((), listened) = tokio::join!(answering, listen(events, stop, show, &mut heard));
        listened
    })?;
    Ok(heard)
}

/// Nobody listens any more when this ends.
async fn listen(
    mut events: UnboundedReceiver<Event>,
    stop: Option<&AtomicBool>,
    show: &mut dyn FnMut(&Event) -> Result<()>,
    heard: &mut Heard,
) -> Result<()> {
    let mut looks = interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            _ = looks.tick() => match stop {
                Some(stop) if stop.swap(false, Ordering::Relaxed) => return Ok(()),
                _ => continue,
            },
        };
        let Some(event) = event else { return Ok(()) };
        show(&event)?;
        heard.hear(event);
    }
}
