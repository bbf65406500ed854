//! Tries a provider out: is it there, does it have the model, does it stream, does it call tools.

use std::time::{Duration, Instant};

use serde_json::json;

use super::error::{ModelError, Trouble};
use super::{ChatModel, ChatRequest, Message, Tool};

/// What was found.
pub(crate) struct Probe {
    /// How long the list of models took, and whether the model is in it, where there is such a list.
    pub(crate) list_ms: u128,
    pub(crate) is_listed: Option<bool>,
    /// What came of a question; `None` if no model is named.
    pub(crate) answer: Option<Answer>,
    pub(crate) tools: Option<ToolUse>,
}

/// What came of a question.
pub(crate) struct Answer {
    pub(crate) first_ms: u128,
    /// Pieces in which the answer came.
    pub(crate) n_pieces: usize,
}

/// What the model does with a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolUse {
    Called,
    /// It could have called it, and did not.
    Accepted,
    Unknown,
}

/// Tries a model out; `model` is its name at the provider, or empty.
pub(crate) async fn probe(chat: &dyn ChatModel, model: &str) -> Result<Probe, ModelError> {
    let started = Instant::now();
    let listed = match chat.models().await {
        Ok(names) => Some(names),
        // Not every server that answers has a list.
        Err(error) if matches!(error.trouble, Trouble::Refused | Trouble::BadReply) => None,
        Err(error) => return Err(error),
    };
    let mut probe = Probe {
        list_ms: started.elapsed().as_millis(),
        is_listed: listed.map(|names| names.iter().any(|name| is_same(name, model))),
        answer: None,
        tools: None,
    };
    if !model.is_empty() {
        probe.answer = Some(answer(chat).await?);
        probe.tools = Some(tools(chat).await?);
    }
    Ok(probe)
}

/// Ollama lists a model without a tag as the latest one.
fn is_same(listed: &str, model: &str) -> bool {
    listed == model || listed.strip_suffix(":latest") == Some(model)
}

async fn answer(chat: &dyn ChatModel) -> Result<Answer, ModelError> {
    let request = ChatRequest {
        messages: vec![Message::user("Count from one to five.")],
        max_tokens: Some(32),
        ..ChatRequest::default()
    };
    let started = Instant::now();
    let (mut first, mut n_pieces) = (None::<Duration>, 0);
    let mut heard = |_| {
        n_pieces += 1;
        first.get_or_insert_with(|| started.elapsed());
    };
    chat.chat(&request, &mut heard).await?;
    let first = first.unwrap_or_else(|| started.elapsed());
    Ok(Answer {
        first_ms: first.as_millis(),
        n_pieces,
    })
}

async fn tools(chat: &dyn ChatModel) -> Result<ToolUse, ModelError> {
    let tool = Tool {
        name: "current_time".to_owned(),
        description: "Returns the time of day".to_owned(),
        parameters: json!({"type": "object", "properties": {}}),
    };
    let request = ChatRequest {
        messages: vec![Message::user(
            "What time is it? Call the tool current_time.",
        )],
        tools: vec![tool],
        max_tokens: Some(256),
        ..ChatRequest::default()
    };
    match chat.chat(&request, &mut |_| {}).await {
        Ok(reply) if reply.tool_calls.is_empty() => Ok(ToolUse::Accepted),
        Ok(_) => Ok(ToolUse::Called),
        Err(error) if error.trouble == Trouble::NoTools => Ok(ToolUse::Unknown),
        Err(error) => Err(error),
    }
}
