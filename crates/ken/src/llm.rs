//! Language models behind one trait, wherever they run: what is asked, what comes back, and what happens on
//! the way.
//!
//! Which models there are is said in the user's settings, never by a vault. The providers differ only in how
//! they write a request and a reply (`wire.rs` and one file for each); sending, waiting, trying again and
//! giving up is the same for all (`http.rs`, `chat.rs`). Nothing here knows of notes.

mod anthropic;
mod chat;
#[cfg(feature = "onnx")]
pub(crate) mod download;
mod embed;
pub(crate) mod error;
mod frames;
mod http;
mod ollama;
mod openai;
pub(crate) mod probe;
mod proxy;
mod retry;
#[cfg(test)]
mod tests;
mod thoughts;
mod window;
mod wire;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;

use crate::settings::{Provider, ProviderKind};
use chat::Remote;
pub(crate) use embed::RemoteEmbedder;
pub(crate) use error::ModelError;

/// A future that can be put into a trait object.
pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Hears what a model says while it says it.
pub(crate) type Listener<'a> = &'a mut (dyn FnMut(ChatEvent) + Send);

/// A model that answers.
pub(crate) trait ChatModel: Send + Sync {
    /// Returns its provider and name, as people know them: `local/qwen3:4b`.
    fn id(&self) -> &str;

    /// Returns what it can do, as far as the settings tell.
    fn abilities(&self) -> Abilities;

    /// Asks it, and tells what it says as it comes. To stop it, drop the future: the connection is closed
    /// and the server with it ends its work. What fails before the first event is tried again; an error
    /// after it means that what was told so far is all there is.
    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
        events: Listener<'a>,
    ) -> BoxFuture<'a, Result<ChatReply, ModelError>>;

    /// Returns the names of all models its provider has.
    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, ModelError>>;
}

/// What a model can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Abilities {
    /// It may be offered tools. Some say only when asked that they know none: [`error::Trouble::NoTools`].
    pub(crate) tools: bool,
    /// It may be shown pictures.
    pub(crate) pictures: bool,
    /// How much of a conversation it sees at once, its answer included.
    pub(crate) context_tokens: u32,
}

/// What a model is asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChatRequest {
    pub(crate) system: String,
    pub(crate) messages: Vec<Message>,
    pub(crate) tools: Vec<Tool>,
    /// Most tokens of the answer.
    pub(crate) max_tokens: Option<u32>,
    pub(crate) temperature: Option<f32>,
    /// Texts at which the answer ends.
    pub(crate) stop: Vec<String>,
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    User {
        text: String,
        pictures: Vec<Picture>,
    },
    /// What the model said before; [`ChatReply::into_message`] makes it.
    Assistant {
        text: String,
        tool_calls: Vec<ToolCall>,
        /// What its provider wants back as it was, such as signed thoughts.
        carried: Option<Value>,
    },
    /// What a tool said to the call of this id.
    ToolResult {
        id: String,
        name: String,
        text: String,
        is_error: bool,
    },
}

impl Message {
    /// A question without pictures.
    pub(crate) fn user(text: impl Into<String>) -> Self {
        let text = text.into();
        let pictures = Vec::new();
        Self::User { text, pictures }
    }
}

/// A picture for models that see.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picture {
    /// Such as `image/png`.
    pub(crate) mime: String,
    pub(crate) bytes: Vec<u8>,
}

/// Something a model may ask to be done.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) description: String,
    /// JSON schema of its arguments, an object.
    pub(crate) parameters: Value,
}

/// A model asks for a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolCall {
    /// Ties the result to the call.
    pub(crate) id: String,
    pub(crate) name: String,
    /// An object; or the text itself, where the model did not write JSON.
    pub(crate) arguments: Value,
}

/// What a model says, piece by piece.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ChatEvent {
    Thinking(String),
    Text(String),
    /// A call that is complete.
    ToolCall(ToolCall),
}

/// Everything a model said, once it is done.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ChatReply {
    pub(crate) text: String,
    pub(crate) thinking: String,
    pub(crate) tool_calls: Vec<ToolCall>,
    pub(crate) usage: Usage,
    pub(crate) stop: Stop,
    /// What the provider wants back with the next question.
    pub(crate) carried: Option<Value>,
}

impl ChatReply {
    /// Returns the turn to ask on with.
    pub(crate) fn into_message(self) -> Message {
        Message::Assistant {
            text: self.text,
            tool_calls: self.tool_calls,
            carried: self.carried,
        }
    }
}

/// What a reply cost, where the provider says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) input_tokens: Option<u32>,
    pub(crate) output_tokens: Option<u32>,
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It was done, or came to a text at which it should stop.
    #[default]
    Done,
    /// It may not say more.
    Length,
    /// It waits for tools.
    ToolCalls,
    /// It does not want to answer.
    Refused,
}

/// Opens a model. Nothing is sent until it is asked.
pub(crate) fn open(provider: Provider) -> Result<Arc<dyn ChatModel>, ModelError> {
    Ok(Arc::new(remote(provider)?))
}

fn remote(provider: Provider) -> Result<Remote, ModelError> {
    let wire: Box<dyn wire::Wire> = match provider.kind {
        ProviderKind::Ollama => Box::new(ollama::Ollama::new(&provider)),
        ProviderKind::OpenAi => Box::new(openai::OpenAi::new(&provider)),
        ProviderKind::Anthropic => Box::new(anthropic::Anthropic::new(&provider)),
    };
    Remote::new(provider, wire)
}
