//! `POST /rag`: an answer that is told line by line as it forms. Who goes away stops it.

use std::sync::Arc;

use anyhow::Result;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::spawn_blocking;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tokio_stream::{Stream, StreamExt};

use super::App;
use super::handlers::{check_query, within};
use super::input::{At, Every, Sent};
use super::problem::Problem;
use super::reload::NDJSON;
use crate::agent::attach::{self, Attachments, FILE_BYTES_MAX, FILES_MAX, SentFile};
use crate::agent::{self, Event, Events, Library, Limits, Options, Question, turns};
use crate::llm::ChatModel;
use crate::searcher::{Searcher, Searchers};
use crate::wire::rag::{
    NAMES_MAX, PASSAGES_MAX, RagFile, RagLine, RagParams, RagScope, TURN_CHARS_MAX, TURNS_MAX,
};

/// The name that asks for an answer in the words of the notes.
pub(super) const EXTRACT: &str = "extract";

pub(super) async fn rag(
    State(app): State<App>,
    At(searcher): At,
    Every(searchers): Every,
    Sent(asked): Sent<RagParams>,
) -> Result<Response, Problem> {
    check(&asked)?;
    let scope = checked_scope(asked.scope)?;
    let files = asked.files.unwrap_or_default();
    let files = files
        .into_iter()
        .map(decoded)
        .collect::<Result<Vec<_>, _>>()?;
    let history = asked.messages.unwrap_or_default().into_iter();
    let options = app.options();
    let wanted = Wanted {
        question: Question {
            text: asked.question,
            history: turns(history.map(|message| (message.role, message.content))),
            attachments: attached(files).await?,
            is_deep: asked.deep.unwrap_or_default(),
            ..Question::default()
        },
        scope,
        model: asked.model,
        options: Options {
            passages: asked.passages.unwrap_or(options.passages),
            expand: asked.expand.unwrap_or(options.expand),
            ..options
        },
    };
    let lines = app
        .answer(&searcher, &searchers, wanted)?
        .map(|event| line(event.into()));
    let body = Body::from_stream(lines.map(Ok::<_, std::convert::Infallible>));
    Ok(([(header::CONTENT_TYPE, NDJSON)], body).into_response())
}

fn line(line: RagLine) -> Bytes {
    let mut text = serde_json::to_string(&line).expect("every line is plain data");
    text.push('\n');
    text.into()
}

fn check(asked: &RagParams) -> Result<(), Problem> {
    check_query(&asked.question)?;
    if asked.question.trim().is_empty() {
        return Err(Problem::bad("question is empty"));
    }
    within("passages", asked.passages, PASSAGES_MAX)?;
    let messages = asked.messages.as_deref().unwrap_or_default();
    if messages.len() > TURNS_MAX {
        return Err(Problem::bad_value(format!(
            "these are more than {TURNS_MAX} messages"
        )));
    }
    let is_long = |text: &str| text.chars().nth(TURN_CHARS_MAX).is_some();
    if messages.iter().any(|message| is_long(&message.content)) {
        return Err(Problem::bad_value(format!(
            "a message is longer than {TURN_CHARS_MAX} characters"
        )));
    }
    Ok(())
}

/// Checks that a scope names something wherever it does.
pub(super) fn checked_scope(scope: Option<RagScope>) -> Result<Limits, Problem> {
    let scope = scope.unwrap_or_default();
    let is_nothing = |name: &String| name.trim().trim_matches(['/', '#']).is_empty();
    if scope.names().any(is_nothing) {
        return Err(Problem::bad_value("a name in scope is empty"));
    }
    if scope.names().count() > NAMES_MAX {
        return Err(Problem::bad_value(format!(
            "these are more than {NAMES_MAX} names in scope"
        )));
    }
    Ok(scope.into())
}

fn decoded(file: RagFile) -> Result<SentFile, Problem> {
    let bytes = STANDARD.decode(file.data.trim());
    let bytes =
        bytes.map_err(|_| Problem::bad_value(format!("{}: data is not base64", file.name)))?;
    Ok(SentFile {
        name: file.name,
        bytes,
    })
}

/// Reads files, for this request only.
pub(super) async fn attached(files: Vec<SentFile>) -> Result<Attachments, Problem> {
    if files.is_empty() {
        return Ok(Attachments::default());
    }
    if files.len() > FILES_MAX {
        return Err(Problem::bad_value(format!(
            "these are more than {FILES_MAX} files"
        )));
    }
    if let Some(large) = files.iter().find(|file| file.bytes.len() > FILE_BYTES_MAX) {
        return Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("{} is larger than {FILE_BYTES_MAX} bytes", large.name),
        ));
    }
    let read = spawn_blocking(move || attach::read(files)).await;
    let read = read.unwrap_or_else(|_| Err("a file could not be read; that is a bug".to_owned()));
    read.map_err(Problem::bad_value)
}

/// What is to be answered, however it was asked.
pub(super) struct Wanted {
    pub(super) question: Question,
    pub(super) scope: Limits,
    /// The provider that answers, [`EXTRACT`] for none; without it, the settings decide.
    pub(super) model: Option<String>,
    pub(super) options: Options,
}

impl App {
    /// Returns how far an agent may go, as the settings have it.
    pub(super) fn options(&self) -> Options {
        self.0.answers
    }

    /// Begins an answer. When the stream is dropped, so is all work on it.
    pub(super) fn answer(
        &self,
        searcher: &Arc<Searcher>,
        searchers: &Searchers,
        wanted: Wanted,
    ) -> Result<impl Stream<Item = Event> + use<>, Problem> {
        let place = self.chat_place()?;
        let model = self.model(wanted.model.as_deref())?;
        let turns = self.0.questions.turns();
        let library = Library::open(searchers, searcher, wanted.scope, turns)
            .map_err(|error| Problem::from(error).with_status(StatusCode::NOT_FOUND))?;
        let (sender, events) = unbounded_channel();
        let Wanted {
            question, options, ..
        } = wanted;
        tokio::spawn(async move {
            agent::answer(question, library, model, options, Events::new(sender)).await;
            drop(place);
        });
        Ok(UnboundedReceiverStream::new(events))
    }

    fn model(&self, name: Option<&str>) -> Result<Option<Arc<dyn ChatModel>>, Problem> {
        let unknown = |error| Problem::from(error).with_status(StatusCode::UNPROCESSABLE_ENTITY);
        match name {
            Some(EXTRACT) => Ok(None),
            Some(name) => self.0.models.named(name).map(Some).map_err(unknown),
            None => self.0.models.answering().map_err(unknown),
        }
    }

    /// An answer may take minutes, most of which a model works elsewhere: there may be more of them than
    /// questions, but not without end.
    fn chat_place(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let place = Arc::clone(&self.0.chats).try_acquire_owned();
        place.map_err(|_| {
            let full = "too many answers are being written already";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, full).hint("try again in a second")
        })
    }
}
