//! Conversations over HTTP: each client's own, and of these only those about domains that it may ask.

use anyhow::Result;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use kenning::conversation::{Conversation, TurnId};

use super::App;
use super::handlers::{Answer, check_query, within};
use super::input::{Asking, Id, Params, Sent};
use super::problem::Problem;
use super::reply::Created;
use crate::conversations::{OwnConversations, export};
use crate::wire::http::LIMIT_MAX;
use crate::wire::{
    ConversationChanges, ConversationResponse, ConversationSummary, ConversationsParams,
    ConversationsResponse, NewConversationParams, TITLE_CHARS_MAX,
};

/// Conversations of a list where no number is told.
const LIMIT: u32 = 50;
pub(super) const MARKDOWN: &str = "text/markdown; charset=utf-8";

impl App {
    /// Opens the conversations that a client may see.
    pub(super) fn conversations(&self, asking: &Asking) -> Result<OwnConversations> {
        self.0.conversations.open(&asking.caller, &asking.searchers)
    }
}

pub(super) async fn list(
    State(app): State<App>,
    asking: Asking,
    Params(asked): Params<ConversationsParams>,
) -> Answer<ConversationsResponse> {
    let words = asked.q.unwrap_or_default();
    check_query(&words)?;
    let limit = within("limit", asked.limit, LIMIT_MAX)?.unwrap_or(LIMIT) as usize;
    let offset = asked.offset.unwrap_or_default() as usize;
    let shared = app.clone();
    app.ask(move || {
        let own = shared.conversations(&asking)?;
        let all: Vec<ConversationSummary> = match words.trim() {
            "" => own.list()?.into_iter().map(Into::into).collect(),
            words => own.search(words)?.into_iter().map(Into::into).collect(),
        };
        Ok(ConversationsResponse {
            n_conversations: all.len(),
            offset,
            conversations: all.into_iter().skip(offset).take(limit).collect(),
        })
    })
    .await
}

pub(super) async fn begin(
    State(app): State<App>,
    asking: Asking,
    Sent(asked): Sent<NewConversationParams>,
) -> Result<Created<ConversationResponse>, Problem> {
    let title = asked.title.as_deref().map(checked_title).transpose()?;
    let searchers = asking.searchers.all().iter();
    let names: Vec<String> = searchers.map(|one| one.name().to_owned()).collect();
    let domains = asked.domains.unwrap_or_else(|| names.clone());
    if let Some(unknown) = domains.iter().find(|domain| !names.contains(domain)) {
        let detail = format!("there is no domain {unknown:?}");
        return Err(Problem::bad_value(detail).hint(format!("known domains: {}", names.join(", "))));
    }
    let shared = app.clone();
    let begun = app.ask(move || {
        let mut own = shared.conversations(&asking)?;
        let begun = own.begin(domains, title.as_deref(), None)?;
        shown(&own, begun)
    });
    Ok(Created(begun.await?))
}

pub(super) async fn get(
    State(app): State<App>,
    asking: Asking,
    Id(id): Id,
) -> Answer<ConversationResponse> {
    let shared = app.clone();
    app.ask(move || {
        let own = shared.conversations(&asking)?;
        let found = own.get(&id)?;
        shown(&own, found)
    })
    .await
}

pub(super) async fn change(
    State(app): State<App>,
    asking: Asking,
    Id(id): Id,
    Sent(asked): Sent<ConversationChanges>,
) -> Answer<ConversationResponse> {
    let title = asked.title.as_deref().map(checked_title).transpose()?;
    if title.is_none() && asked.show.is_none() && asked.rewind.is_none() {
        return Err(Problem::bad_value("there is nothing to change"));
    }
    let shared = app.clone();
    app.ask(move || {
        let mut own = shared.conversations(&asking)?;
        let found = own.get(&id)?;
        if let Some(turn) = asked.show {
            own.show(&found, TurnId(turn))?;
        }
        if let Some(turn) = asked.rewind {
            own.rewind(&found, TurnId(turn))?;
        }
        if let Some(title) = &title {
            own.rename(&found, title)?;
        }
        let changed = own.get(&found.id)?;
        shown(&own, changed)
    })
    .await
}

pub(super) async fn delete(
    State(app): State<App>,
    asking: Asking,
    Id(id): Id,
) -> Answer<ConversationSummary> {
    let shared = app.clone();
    app.ask(move || {
        let mut own = shared.conversations(&asking)?;
        let found = own.get(&id)?;
        own.delete(&found)?;
        Ok(found.into())
    })
    .await
}

pub(super) async fn export(State(app): State<App>, asking: Asking, Id(id): Id) -> Response {
    let shared = app.clone();
    let written = app.0.questions.run(move || {
        let own = shared.conversations(&asking)?;
        let found = own.get(&id)?;
        let turns = own.turns(&found)?;
        Ok(export::markdown(&found, &turns))
    });
    match written.await {
        Ok(text) => (StatusCode::OK, [(header::CONTENT_TYPE, MARKDOWN)], text).into_response(),
        Err(problem) => problem.into_response(),
    }
}

fn shown(own: &OwnConversations, one: Conversation) -> Result<ConversationResponse> {
    let turns = own.turns(&one)?;
    let (_, usage) = own.history(&one)?;
    Ok(ConversationResponse::new(one, turns, usage))
}

fn checked_title(title: &str) -> Result<String, Problem> {
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    match title.chars().count() {
        0 => Err(Problem::bad_value("title is empty")),
        n if n > TITLE_CHARS_MAX => Err(Problem::bad_value(format!(
            "title is longer than {TITLE_CHARS_MAX} characters"
        ))),
        _ => Ok(title),
    }
}
