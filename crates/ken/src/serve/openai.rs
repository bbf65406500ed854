//! `POST /v1/chat/completions` and `GET /v1/models`: any client that speaks OpenAI's way can talk to the notes.
//!
//! The last message is the question, those before it are the conversation, and a system message is how the
//! person wants to be answered. What is cited stands below the text as footnotes, since most clients show
//! nothing else, and in a field of its own.

use std::convert::Infallible;

use anyhow::Result;
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tokio_stream::{Stream, StreamExt};

use super::App;
use super::handlers::check_query;
use super::input::{Asking, Every, Sent};
use super::problem::Problem;
use super::rag::{attached, check_scope};
use crate::agent::attach::SentFile;
use crate::agent::{Event, Options, Outcome, Question, Request, exchanges};
use crate::runtime;
use crate::wire::openai::{
    Answered, Beside, Choice, ChunkChoice, Completion, CompletionChunk, CompletionParams,
    CompletionUsage, Content, Delta, ListedModel, ModelsResponse, Part,
};
use crate::wire::rag::{RagCitation, RagRole};

/// The model that clients ask for where they must name one.
const OWN_NAME: &str = "kenning";
pub(super) const EVENT_STREAM: &str = "text/event-stream";

pub(super) async fn models(State(app): State<App>, _: Every) -> Json<ModelsResponse> {
    let own = [OWN_NAME.to_owned()];
    let names = own.into_iter().chain(app.0.models.names());
    let data = names.map(|id| ListedModel {
        owned_by: id.split('/').next().unwrap_or(&id).to_owned(),
        id,
        object: "model",
        created: 0,
    });
    Json(ModelsResponse {
        object: "list",
        data: data.collect(),
    })
}

pub(super) async fn completions(
    State(app): State<App>,
    asking: Asking,
    Sent(asked): Sent<CompletionParams>,
) -> Result<Response, Problem> {
    let is_streamed = asked.stream.unwrap_or_default();
    let usage = asked
        .stream_options
        .as_ref()
        .and_then(|options| options.include_usage);
    let mut reply = Reply::new(asked.model.clone(), usage.unwrap_or_default());
    let request = request(&app, &asking, asked).await?;
    let events = UnboundedReceiverStream::new(app.answer(request)?);
    if !is_streamed {
        return Ok(Json(reply.whole(events).await?).into_response());
    }
    let first = reply.begin();
    let chunks = events.map(move |event| reply.chunk(event));
    let all = tokio_stream::once(first).chain(chunks.filter(|chunk| !chunk.is_empty()));
    let body = Body::from_stream(all.map(Ok::<_, Infallible>));
    let headers = [(header::CONTENT_TYPE, EVENT_STREAM)];
    Ok((headers, body).into_response())
}

/// Makes a question of a chat.
async fn request(app: &App, asking: &Asking, asked: CompletionParams) -> Result<Request, Problem> {
    check_scope(asked.scope.as_ref())?;
    let mut files = Vec::new();
    let mut wishes: Vec<String> = Vec::new();
    let mut said: Vec<(RagRole, String)> = Vec::new();
    let last = asked.messages.len().saturating_sub(1);
    for (place, message) in asked.messages.into_iter().enumerate() {
        let text = text(message.content, (place == last).then_some(&mut files))?;
        match message.role.as_str() {
            "system" | "developer" => wishes.push(text),
            "user" => said.push((RagRole::User, text)),
            "assistant" => said.push((RagRole::Assistant, text)),
            // What a client's own tools said is nothing that we asked for.
            _ => {}
        }
    }
    let question = match said.pop() {
        Some((RagRole::User, question)) if !question.trim().is_empty() => question,
        _ => {
            return Err(Problem::bad_value(
                "the last message is not a question of the user",
            ));
        }
    };
    check_query(&question)?;
    let tokens = asked
        .max_completion_tokens
        .or(asked.max_tokens)
        .filter(|n| *n > 0);
    let options = app.options();
    let first = asking.searchers.get(None)?;
    let scope = asked.scope.unwrap_or_default();
    let model = asked.model.filter(|name| name != OWN_NAME);
    Ok(Request {
        library: app.library(&asking.searchers, Some(first), scope)?,
        model: app.model(model.as_deref())?,
        question: Question {
            text: question,
            history: exchanges(said),
            wishes: (!wishes.is_empty()).then(|| wishes.join("\n\n")),
            attachments: attached(files).await?,
            is_deep: false,
        },
        options: Options {
            tokens_max: tokens.unwrap_or(options.tokens_max).min(options.tokens_max),
            ..options
        },
    })
}

/// Returns the text of a message; files are taken from the last one, where `files` is given.
fn text(
    content: Option<Content>,
    mut files: Option<&mut Vec<SentFile>>,
) -> Result<String, Problem> {
    let parts = match content {
        None => return Ok(String::new()),
        Some(Content::Text(text)) => return Ok(text),
        Some(Content::Parts(parts)) => parts,
    };
    let mut texts = Vec::new();
    for part in parts {
        let sent = match part {
            Part::Text { text } => {
                texts.push(text);
                None
            }
            Part::ImageUrl { image_url } => Some(("picture".to_owned(), image_url.url)),
            Part::File { file } => {
                let name = file.filename.unwrap_or_else(|| "attachment.txt".to_owned());
                file.file_data.map(|data| (name, data))
            }
            Part::Other => None,
        };
        if let (Some((name, data)), Some(files)) = (sent, files.as_deref_mut()) {
            let bytes = data_bytes(&data)?;
            files.push(SentFile { name, bytes });
        }
    }
    Ok(texts.join("\n\n"))
}

/// Reads a `data:` address, or plain base64.
fn data_bytes(address: &str) -> Result<Vec<u8>, Problem> {
    if address.starts_with("http:") || address.starts_with("https:") {
        return Err(Problem::bad_value("nothing is fetched from elsewhere")
            .hint("send pictures and files as data: addresses in base64"));
    }
    let data = match address.strip_prefix("data:") {
        Some(rest) => rest.split_once(";base64,").map(|(_, data)| data),
        None => Some(address),
    };
    let bytes = data.and_then(|data| STANDARD.decode(data.trim()).ok());
    bytes.ok_or_else(|| Problem::bad_value("a picture or a file is not in base64"))
}

/// An answer in the shape that clients expect.
struct Reply {
    id: String,
    created: i64,
    model: String,
    citations: Vec<RagCitation>,
    has_usage: bool,
    failed: Option<(String, Option<String>)>,
}

impl Reply {
    fn new(model: Option<String>, has_usage: bool) -> Self {
        let created = runtime::now();
        Self {
            id: format!("chatcmpl-{created:x}{:08x}", fastrand::u32(..)),
            created,
            model: model.unwrap_or_else(|| OWN_NAME.to_owned()),
            citations: Vec::new(),
            has_usage,
            failed: None,
        }
    }

    /// Waits for the end.
    async fn whole(
        mut self,
        mut events: impl Stream<Item = Event> + Unpin,
    ) -> Result<Completion, Problem> {
        let mut done = None;
        while let Some(event) = events.next().await {
            match event {
                Event::Found(source) => self.citations.push((*source).into()),
                Event::Checked(checked) => self.citations.push((*checked).into()),
                Event::Failed { message, hint } => self.failed = Some((message, hint)),
                Event::Done(outcome) => done = Some(*outcome),
                Event::Thinking(_) | Event::Text(_) | Event::Memory(_) => {}
            }
        }
        let outcome = done.unwrap_or_default();
        if let Some((message, hint)) = self.failed.filter(|_| outcome.text.is_empty()) {
            let problem = Problem::new(axum::http::StatusCode::BAD_GATEWAY, message);
            return Err(match hint {
                Some(hint) => problem.hint(hint),
                None => problem,
            });
        }
        let content = outcome.text.clone() + &footnotes(&self.citations, &outcome);
        Ok(Completion {
            id: self.id,
            object: "chat.completion",
            created: self.created,
            model: self.model,
            choices: vec![Choice {
                index: 0,
                message: Answered {
                    role: "assistant",
                    content,
                },
                finish_reason: finish(&outcome),
            }],
            usage: usage(&outcome),
            kenning: beside(self.citations, outcome),
        })
    }

    /// The first piece, which says who speaks.
    fn begin(&self) -> Bytes {
        let delta = Delta {
            role: Some("assistant"),
            content: Some(String::new()),
            ..Delta::default()
        };
        self.piece(delta, None)
    }

    /// What an event adds to the stream.
    fn chunk(&mut self, event: Event) -> Bytes {
        match event {
            Event::Text(text) => self.piece(content(text), None),
            Event::Thinking(text) => self.piece(
                Delta {
                    reasoning_content: Some(text),
                    ..Delta::default()
                },
                None,
            ),
            Event::Found(source) => self.noted((*source).into()),
            Event::Checked(checked) => self.noted((*checked).into()),
            Event::Failed { message, hint } => {
                let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                self.piece(content(format!("\n\n[error: {message}{hint}]")), None)
            }
            Event::Memory(_) => Bytes::new(),
            Event::Done(outcome) => self.end(*outcome),
        }
    }

    fn noted(&mut self, citation: RagCitation) -> Bytes {
        self.citations.push(citation);
        Bytes::new()
    }

    /// Footnotes, the end, what it cost and what stands beside it.
    fn end(&mut self, outcome: Outcome) -> Bytes {
        let mut all = Vec::new();
        let citations = std::mem::take(&mut self.citations);
        let notes = footnotes(&citations, &outcome);
        if !notes.is_empty() {
            all.extend(self.piece(content(notes), None));
        }
        all.extend(self.piece(Delta::default(), Some(finish(&outcome))));
        let mut last = self.shape(Vec::new());
        last.usage = self.has_usage.then(|| usage(&outcome));
        last.kenning = Some(beside(citations, outcome));
        all.extend(event(&last));
        all.extend_from_slice(b"data: [DONE]\n\n");
        all.into()
    }

    fn piece(&self, delta: Delta, finish_reason: Option<&'static str>) -> Bytes {
        event(&self.shape(vec![ChunkChoice {
            index: 0,
            delta,
            finish_reason,
        }]))
        .into()
    }

    fn shape(&self, choices: Vec<ChunkChoice>) -> CompletionChunk {
        CompletionChunk {
            id: self.id.clone(),
            object: "chat.completion.chunk",
            created: self.created,
            model: self.model.clone(),
            choices,
            usage: None,
            kenning: None,
        }
    }
}

fn content(text: String) -> Delta {
    Delta {
        content: Some(text),
        ..Delta::default()
    }
}

fn event(chunk: &CompletionChunk) -> Vec<u8> {
    let json = serde_json::to_string(chunk).expect("every chunk is plain data");
    format!("data: {json}\n\n").into_bytes()
}

fn finish(outcome: &Outcome) -> &'static str {
    match outcome.is_whole {
        true => "stop",
        false => "length",
    }
}

fn usage(outcome: &Outcome) -> CompletionUsage {
    CompletionUsage {
        prompt_tokens: outcome.input_tokens,
        completion_tokens: outcome.output_tokens,
        total_tokens: outcome.input_tokens + outcome.output_tokens,
    }
}

fn beside(citations: Vec<RagCitation>, outcome: Outcome) -> Beside {
    Beside {
        citations,
        citations_status: outcome.tally.status,
        verified: outcome.tally.told,
        evidence: outcome.evidence,
        notices: outcome.notices,
    }
}

/// The passages that the answer cites, and how many of its citations are verified.
fn footnotes(citations: &[RagCitation], outcome: &Outcome) -> String {
    let is_cited = |number: usize| {
        let checked = citations
            .iter()
            .filter(|citation| citation.stage == "checked");
        checked
            .clone()
            .any(|citation| citation.number == Some(number))
    };
    let found = citations
        .iter()
        .filter(|citation| citation.stage == "found");
    let lines: Vec<String> = found
        .filter(|found| found.number.is_some_and(is_cited))
        .map(|found| {
            let number = found.number.unwrap_or_default();
            format!("[{number}] {}", found.place.as_deref().unwrap_or_default())
        })
        .collect();
    match lines.is_empty() {
        true => String::new(),
        false => format!("\n\n{}\n\n{}", lines.join("  \n"), outcome.tally.told),
    }
}
