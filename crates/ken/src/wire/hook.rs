//! What hooks say to an agent, and what they remember of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What an agent reads. Codex drops the whole object for one field it does not know, so there is
/// nothing in it that is not needed.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HookResponse {
    pub(crate) hook_specific_output: HookOutput,
}

/// Text for the agent, and for Claude also what it sees instead of a tool's output.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HookOutput {
    pub(crate) hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) updated_tool_output: Option<Value>,
}

/// One call of a hook.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
pub(crate) struct Receipt {
    /// Seconds since 1970.
    pub(crate) time: i64,
    pub(crate) event: String,
    pub(crate) agent: Option<String>,
    pub(crate) session: String,
    pub(crate) domains: Vec<String>,
    /// `given`, or why nothing was.
    pub(crate) why: String,
    /// Ids of the passages that were given.
    pub(crate) given: Vec<String>,
    /// Ids of passages given before that the agent has made use of since.
    pub(crate) used: Vec<String>,
    pub(crate) chars: usize,
    pub(crate) ms: u64,
    pub(crate) index_age_s: Option<i64>,
}

/// What a session is remembered by, line by line.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SessionRecord {
    /// A passage was given.
    Given(GivenPassage),
    /// A passage that was given was used; its id.
    Used(String),
    /// What the person last asked.
    Prompt(String),
}

/// A passage that was given to an agent.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub(crate) struct GivenPassage {
    pub(crate) id: String,
    pub(crate) domain: String,
    pub(crate) path: String,
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    #[serde(default)]
    pub(crate) page: Option<u32>,
    pub(crate) title: String,
    /// The call of a tool that it was given for: that call itself does not count as using it.
    pub(crate) tool_call: Option<String>,
}
