//! Providers against a server that replays what their documentation shows, trouble included.

mod anthropic;
mod embed;
mod ollama;
mod openai;
#[cfg(unix)]
mod real;
pub(crate) mod stub;
mod trouble;

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::{ChatEvent, ChatModel, ChatReply, ChatRequest, Message, ModelError, Tool, open};
use crate::settings::{Key, Provider, ProviderKind, Proxies};

/// A provider of this kind at this address.
pub(crate) fn provider(kind: ProviderKind, url: &str) -> Provider {
    Provider {
        name: "test".to_owned(),
        kind,
        base_url: url.to_owned(),
        model: "tiny".to_owned(),
        key: Key::None,
        context_tokens: 8192,
        tools: true,
        pictures: true,
        thinking: None,
        connect: Duration::from_secs(5),
        first_token: Duration::from_secs(5),
        total: Duration::from_secs(10),
        proxies: Proxies::default(),
    }
}

/// A key that looks like one, and is made here so that nobody finds it in the source.
fn key() -> String {
    ["sk", "test", "0123456789abcdef"].join("-")
}

fn with_key(mut provider: Provider) -> Provider {
    provider.key = Key::Set {
        variable: "TEST_KEY".to_owned(),
        key: key(),
    };
    provider
}

fn question() -> ChatRequest {
    ChatRequest {
        system: "Be short.".to_owned(),
        messages: vec![Message::user("How warm is it in Zürich?")],
        ..ChatRequest::default()
    }
}

fn weather() -> Tool {
    Tool {
        name: "weather".to_owned(),
        description: "The weather of a city".to_owned(),
        parameters: json!({"type": "object", "properties": {"city": {"type": "string"}}}),
    }
}

/// Asks, and returns what was heard on the way and what came of it.
async fn ask(
    model: &Arc<dyn ChatModel>,
    request: &ChatRequest,
) -> (Vec<ChatEvent>, Result<ChatReply, ModelError>) {
    let mut events = Vec::new();
    let reply = model.chat(request, &mut |event| events.push(event)).await;
    (events, reply)
}

fn model(provider: Provider) -> Arc<dyn ChatModel> {
    open(provider).unwrap()
}
