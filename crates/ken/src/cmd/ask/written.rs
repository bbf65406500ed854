//! `ken ask` with a language model: the answer as it forms, and below it what it rests on and whether that
//! is so.

use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{Found, Update, asked};
use crate::agent::{self, Event, Events, Library, Limits, Models, NOT_SAID, Options, Question};
use crate::args::{AskArgs, AskFormat, Place};
use crate::llm::ChatModel;
use crate::render;
use crate::runtime;
use crate::searcher::Searchers;
use crate::settings::Settings;
use crate::wire::rag::{RagCitation, RagOutcome, WrittenAnswer};

/// Returns the model that is to answer, if any.
pub(super) fn model(settings: &Settings, args: &AskArgs) -> Result<Option<Arc<dyn ChatModel>>> {
    let models = Models::new(settings);
    match (&args.model, args.extract) {
        (_, true) => Ok(None),
        (Some(name), false) => models.named(name).map(Some),
        (None, false) => models.answering(),
    }
}

pub(super) fn run(
    settings: &Settings,
    place: &Place,
    args: &AskArgs,
    model: Arc<dyn ChatModel>,
) -> Result<Found> {
    let places = settings.locate_all(place)?;
    let update = Update {
        is_off: args.no_update,
        is_thorough: args.fresh,
        quiet: place.quiet,
    };
    for located in &places {
        asked(settings, located, update, |_, _, _| Ok(()))?;
    }
    let domains: Vec<String> = places.iter().map(|located| located.name.clone()).collect();
    let limits = Limits {
        domains: domains.into_iter().filter(|_| places.len() > 1).collect(),
        ..Limits::default()
    };
    let searchers = Searchers::at(settings, places)?;
    let turns = Arc::new(Semaphore::new(runtime::n_threads()));
    let library = Library::open(&searchers, searchers.get(None)?, limits, turns)?;
    let question = Question {
        text: args.question.join(" "),
        is_deep: args.deep,
        ..Question::default()
    };
    // A second Ctrl-C is not needed: nothing is lost that could be kept.
    runtime::exit_on_interrupt();
    let streamed = !args.json && args.format != AskFormat::Json;
    let answer = block_on(question, library, model, Options::of(settings), streamed)?;
    let found = match answer.outcome.answer.trim() {
        NOT_SAID | "" => Found::Nothing,
        _ => Found::Something,
    };
    match streamed {
        false => render::print_json(&answer)?,
        true if args.format == AskFormat::Md => render::written_markdown(&answer)?,
        true => render::written(&answer, place.quiet)?,
    }
    Ok(found)
}

/// Answers, and prints the text as it comes.
fn block_on(
    question: Question,
    library: Library,
    model: Arc<dyn ChatModel>,
    options: Options,
    streamed: bool,
) -> Result<WrittenAnswer> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("there is no way to wait for a model")?;
    runtime.block_on(async {
        let (sender, events) = unbounded_channel();
        let answering = agent::answer(question, library, Some(model), options, Events::new(sender));
        let ((), written) = tokio::join!(answering, listen(events, streamed));
        written
    })
}

/// Takes an answer in. Once it cannot be printed any more, nobody listens, and the model stops.
async fn listen(mut events: UnboundedReceiver<Event>, streamed: bool) -> Result<WrittenAnswer> {
    let mut citations: Vec<RagCitation> = Vec::new();
    let mut outcome = None;
    let mut failed = None;
    while let Some(event) = events.recv().await {
        match event {
            Event::Text(text) if streamed => render::print(&text)?,
            Event::Text(_) | Event::Thinking(_) | Event::Memory { .. } => {}
            Event::Found(source) => citations.push((*source).into()),
            Event::Checked(checked) => citations.push((*checked).into()),
            Event::Failed { message, hint } => failed = Some((message, hint)),
            Event::Done(done) => outcome = Some(RagOutcome::from(*done)),
        }
    }
    if let Some((message, hint)) = failed {
        if streamed {
            render::print("\n")?;
        }
        return Err(crate::hint::Hinted::error(
            message,
            hint.unwrap_or_default(),
        ));
    }
    let outcome = outcome.context("the answer never ended; that is a bug")?;
    Ok(WrittenAnswer { outcome, citations })
}
