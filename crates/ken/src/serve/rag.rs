//! `POST /rag`: an answer that is told line by line as it forms. Who goes away stops it.

use std::sync::Arc;

use anyhow::Result;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::spawn_blocking;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::UnboundedReceiverStream;

use super::App;
use super::form::SentQuestion;
use super::handlers::{check_query, within};
use super::input::Asking;
use super::problem::Problem;
use super::reload::NDJSON;
use crate::agent::attach::{self, Attachments, FILE_BYTES_MAX, FILES_MAX, SentFile};
use crate::agent::{self, Event, Events, Library, Limits, Options, Question, Request, exchanges};
use crate::llm::ChatModel;
use crate::searcher::{Searcher, Searchers};
use crate::wire::rag::{
    NAMES_MAX, PASSAGES_MAX, RagLine, RagParams, RagScope, TURN_CHARS_MAX, TURNS_MAX,
};

/// The name that asks for an answer in the words of the notes.
pub(super) const EXTRACT: &str = "extract";

pub(super) async fn rag(
    State(app): State<App>,
    asking: Asking,
    SentQuestion(asked, files): SentQuestion,
) -> Result<Response, Problem> {
    check(&asked)?;
    let options = app.options();
    let options = Options {
        passages: asked.passages.unwrap_or(options.passages),
        expand: asked.expand.unwrap_or(options.expand),
        translate: options.translate,
        ..options
    };
    let model = app.model(asked.model.as_deref())?;
    let mut question = Question {
        attachments: attached(files).await?,
        is_deep: asked.deep.unwrap_or_default(),
        ..Question::default()
    };
    if asked.conversation.is_some() {
        let kept = app.begin_turn(&asking, asked).await?;
        (question.text, question.history) = (kept.question.clone(), kept.before.clone());
        let library = app.library(&kept.searchers, None, kept.scope.clone())?;
        let request = Request {
            question,
            library,
            model,
            options,
        };
        return Ok(streamed(app.answer_kept(request, asking, kept)?));
    }
    question.text = asked.question.unwrap_or_default();
    let said = asked.messages.unwrap_or_default().into_iter();
    question.history = exchanges(said.map(|message| (message.role, message.content)));
    let scope = asked.scope.unwrap_or_default();
    let first = asking.searchers.get(None)?;
    let request = Request {
        question,
        library: app.library(&asking.searchers, Some(first), scope)?,
        model,
        options,
    };
    let events = UnboundedReceiverStream::new(app.answer(request)?);
    Ok(streamed(events.map(RagLine::from)))
}

fn streamed(lines: impl tokio_stream::Stream<Item = RagLine> + Send + 'static) -> Response {
    let lines = lines.map(|line| Ok::<_, std::convert::Infallible>(line_of(&line)));
    let body = Body::from_stream(lines);
    ([(header::CONTENT_TYPE, NDJSON)], body).into_response()
}

fn line_of(line: &RagLine) -> Bytes {
    let mut text = serde_json::to_string(line).expect("every line is plain data");
    text.push('\n');
    text.into()
}

fn check(asked: &RagParams) -> Result<(), Problem> {
    let question = asked.question.as_deref();
    check_query(question.unwrap_or_default())?;
    let is_again = asked.regenerate.unwrap_or_default();
    match question.map(str::trim) {
        Some("") => return Err(Problem::bad("question is empty")),
        None if !is_again => return Err(Problem::bad("missing field `question`")),
        Some(_) if is_again => {
            return Err(Problem::bad_value(
                "a question that is answered again is not asked in other words",
            )
            .hint("leave out `question`, or `regenerate`"));
        }
        _ => {}
    }
    let of_conversation = is_again || asked.instead_of.is_some();
    if of_conversation && asked.conversation.is_none() {
        return Err(Problem::bad_value("there is no conversation to go back in")
            .hint("name it with `conversation`"));
    }
    if asked.conversation.is_some() && asked.messages.is_some() {
        return Err(
            Problem::bad_value("a conversation knows what was said before")
                .hint("leave out `messages`, or `conversation`"),
        );
    }
    within("passages", asked.passages, PASSAGES_MAX)?;
    check_scope(asked.scope.as_ref())?;
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
pub(super) fn check_scope(scope: Option<&RagScope>) -> Result<(), Problem> {
    let Some(scope) = scope else { return Ok(()) };
    let is_nothing = |name: &String| name.trim().trim_matches(['/', '#']).is_empty();
    if scope.names().any(is_nothing) {
        return Err(Problem::bad_value("a name in scope is empty"));
    }
    if scope.names().count() > NAMES_MAX {
        return Err(Problem::bad_value(format!(
            "these are more than {NAMES_MAX} names in scope"
        )));
    }
    Ok(())
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

impl App {
    /// Returns how far an agent may go, as the settings have it.
    pub(super) fn options(&self) -> Options {
        self.0.answers
    }

    /// Opens what may be read of what a client may ask.
    pub(super) fn library(
        &self,
        searchers: &Searchers,
        asked: Option<&Arc<Searcher>>,
        scope: RagScope,
    ) -> Result<Library, Problem> {
        let turns = self.0.questions.turns();
        Library::open(searchers, asked, Limits::from(scope), turns)
            .map_err(|error| Problem::from(error).with_status(StatusCode::NOT_FOUND))
    }

    /// Begins an answer. When what it returns is dropped, so is all work on it.
    pub(super) fn answer(&self, request: Request) -> Result<UnboundedReceiver<Event>, Problem> {
        let place = self.chat_place()?;
        let (sender, events) = unbounded_channel();
        tokio::spawn(async move {
            agent::answer(request, Events::new(sender)).await;
            drop(place);
        });
        Ok(events)
    }

    /// Returns who answers: a provider, nobody for [`EXTRACT`], or whom the settings name.
    pub(super) fn model(&self, name: Option<&str>) -> Result<Option<Arc<dyn ChatModel>>, Problem> {
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
