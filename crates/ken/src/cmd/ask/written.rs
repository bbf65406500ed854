//! `ken ask` with a language model: the answer as it forms, and below it what it rests on and whether that
//! is so.

use std::sync::Arc;

use anyhow::Result;
use tokio::sync::Semaphore;

use super::{Found, Update, asked};
use crate::agent::{Event, Library, Limits, Models, Options, Question, Request, answer_here};
use crate::args::{AskArgs, AskFormat, Place};
use crate::llm::ChatModel;
use crate::render;
use crate::runtime;
use crate::searcher::Searchers;
use crate::settings::Settings;

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
    let searchers = Searchers::at(settings, places)?;
    let turns = Arc::new(Semaphore::new(runtime::n_threads()));
    let library = Library::open(&searchers, None, Limits::default(), turns)?;
    let question = Question {
        text: args.question.join(" "),
        is_deep: args.deep,
        ..Question::default()
    };
    // A second Ctrl-C is not needed: nothing is lost that could be kept.
    runtime::exit_on_interrupt();
    let streamed = !args.json && args.format != AskFormat::Json;
    let request = Request {
        question,
        library,
        model: Some(model),
        options: Options::of(settings),
    };
    let heard = answer_here(request, None, &mut |event| match event {
        Event::Text(text) if streamed => render::print(text),
        _ => Ok(()),
    })?;
    let (failed, found) = (heard.failure(), heard.says_something());
    let answer = heard.written()?;
    match streamed {
        false if failed.is_some() => {}
        false => render::print_json(&answer)?,
        true if args.format == AskFormat::Md => render::written_markdown(&answer)?,
        true => render::written(&answer, place.quiet)?,
    }
    // What came before it is shown, and whether that is so.
    match (failed, found) {
        (Some(error), _) => Err(error),
        (None, true) => Ok(Found::Something),
        (None, false) => Ok(Found::Nothing),
    }
}
