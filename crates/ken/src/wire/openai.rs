//! The JSON that clients of OpenAI's chat completions send and expect, with what was cited beside it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rag::{RagCitation, RagScope};

/// A chat, as clients write it. What else they say, of temperatures and penalties, is left to the model.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CompletionParams {
    /// `kenning`, or one of `GET /v1/models`.
    pub(crate) model: Option<String>,
    pub(crate) messages: Vec<CompletionMessage>,
    pub(crate) stream: Option<bool>,
    pub(crate) stream_options: Option<StreamOptions>,
    pub(crate) max_tokens: Option<u32>,
    pub(crate) max_completion_tokens: Option<u32>,
    /// The only notes that may be read; no part of OpenAI's own.
    pub(crate) scope: Option<RagScope>,
}

/// What is wanted beside the text.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct StreamOptions {
    pub(crate) include_usage: Option<bool>,
}

/// One message.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CompletionMessage {
    /// `system`, `developer`, `user`, `assistant` or `tool`.
    pub(crate) role: String,
    pub(crate) content: Option<Content>,
}

/// What a message says.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Content {
    Text(String),
    Parts(Vec<Part>),
}

/// A piece of a message.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Part {
    Text {
        text: String,
    },
    ImageUrl {
        image_url: ImageUrl,
    },
    File {
        file: FilePart,
    },
    #[serde(other)]
    Other,
}

/// A picture: only `data:` addresses, since nothing is fetched.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ImageUrl {
    pub(crate) url: String,
}

/// A file: its name, and a `data:` address.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FilePart {
    pub(crate) filename: Option<String>,
    pub(crate) file_data: Option<String>,
}

/// A whole answer.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Completion {
    pub(crate) id: String,
    pub(crate) object: &'static str,
    pub(crate) created: i64,
    pub(crate) model: String,
    pub(crate) choices: Vec<Choice>,
    pub(crate) usage: CompletionUsage,
    pub(crate) kenning: Beside,
}

/// The one answer.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Choice {
    pub(crate) index: u32,
    pub(crate) message: Answered,
    /// `stop`, or `length` where a limit ended it.
    pub(crate) finish_reason: &'static str,
}

/// What is answered.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Answered {
    pub(crate) role: &'static str,
    pub(crate) content: String,
}

/// A piece of an answer that is told as it forms.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct CompletionChunk {
    pub(crate) id: String,
    pub(crate) object: &'static str,
    pub(crate) created: i64,
    pub(crate) model: String,
    pub(crate) choices: Vec<ChunkChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<CompletionUsage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kenning: Option<Beside>,
}

/// What a piece adds.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ChunkChoice {
    pub(crate) index: u32,
    pub(crate) delta: Delta,
    pub(crate) finish_reason: Option<&'static str>,
}

/// More of the answer.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub(crate) struct Delta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<String>,
    /// What the model thinks, under the name that clients know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning_content: Option<String>,
}

/// What it cost.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub(crate) struct CompletionUsage {
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
    pub(crate) total_tokens: u64,
}

/// What OpenAI's shape has no place for.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub(crate) struct Beside {
    pub(crate) citations: Vec<RagCitation>,
    pub(crate) citations_status: &'static str,
    /// "4 of 5 verified".
    pub(crate) verified: String,
    pub(crate) evidence: &'static str,
    pub(crate) notices: Vec<String>,
}

/// The models that can be asked.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ModelsResponse {
    pub(crate) object: &'static str,
    pub(crate) data: Vec<ListedModel>,
}

/// One model.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ListedModel {
    pub(crate) id: String,
    pub(crate) object: &'static str,
    pub(crate) created: i64,
    pub(crate) owned_by: String,
}
