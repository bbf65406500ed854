//! `context` and `remember`: what an agent is told first, and what it may write down.

use anyhow::Result;
use kenning::note::MemoryType;
use rmcp::model::{JsonObject, PromptMessage, Role};

use super::arguments::{self, ContextArguments, RememberArguments};
use super::reply::Reply;
use super::{choose, text};
use crate::context::{self, ContextRequest};
use crate::hint::Hinted;
use crate::remember;
use crate::searcher::{Searcher, Searchers};
use crate::wire::ContextResponse;

pub(super) fn context(searchers: &Searchers, arguments: JsonObject) -> Result<Reply> {
    let asked: ContextArguments = arguments::read(arguments)?;
    let found = collect(searchers, asked)?;
    let mut reply = Reply::new(&found, text::context(&found))?;
    for block in &found.blocks {
        reply.link(&block.domain, &block.path, &block.title);
    }
    Ok(reply)
}

/// Returns the message of a person with what the notes say before it.
pub(super) fn opening(searchers: &Searchers, message: &str) -> Result<PromptMessage> {
    let asked = ContextArguments {
        message: message.to_owned(),
        limit: None,
        min_score: None,
        domain: None,
    };
    let found = collect(searchers, asked)?;
    let text = match found.text.is_empty() {
        true => message.to_owned(),
        false => format!("{}\n{message}", found.text),
    };
    Ok(PromptMessage::new_text(Role::User, text))
}

fn collect(searchers: &Searchers, asked: ContextArguments) -> Result<ContextResponse> {
    let searchers = choose::searchers(searchers, asked.domain.as_deref())?;
    let notices = choose::refresh(&searchers);
    let request = ContextRequest {
        message: asked.message,
        limit: asked.limit,
        min_score: asked.min_score,
        min_confidence: 0.0,
    };
    let found = context::collect(&searchers, &request, &Searcher::search, &|_, _| false)?;
    let mut response = found.response;
    response.notices.splice(..0, notices);
    response.notices.dedup();
    Ok(response)
}

pub(super) fn remember(searchers: &Searchers, arguments: JsonObject) -> Result<Reply> {
    let asked: RememberArguments = arguments::read(arguments)?;
    let searchers = choose::searchers(searchers, asked.domain.as_deref())?;
    let [searcher] = searchers.as_slice() else {
        let names: Vec<&str> = searchers.iter().map(|searcher| searcher.name()).collect();
        return Err(Hinted::error(
            "there are several domains, and it goes into one",
            format!("name one in `domain`: {}", names.join(", ")),
        ));
    };
    let memory = match &asked.r#type {
        Some(name) => MemoryType::from_name(name),
        None => None,
    };
    let written = remember::write(searcher, &asked.text, memory)?;
    let mut reply = Reply::new(&written, text::written(&written))?;
    reply.link(&written.domain, &written.path, &written.path);
    Ok(reply)
}
