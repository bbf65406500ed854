//! How a provider writes requests and replies: the part in which providers differ. No network here.

use serde_json::{Map, Value, json};

use super::error::Trouble;
use super::{ChatEvent, ChatReply, ChatRequest, Listener, Message, Tool, ToolCall};

/// What a provider's requests and replies look like.
pub(super) trait Wire: Send + Sync {
    /// Returns the headers that every request carries, key included.
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)>;

    /// Returns where and how a question is asked; a model that can think is told to, or not to.
    fn chat(&self, request: &ChatRequest, thinking: Option<bool>) -> Call;

    /// Returns how the events of a streamed reply are told apart.
    fn framing(&self) -> Framing;

    /// Returns what understands one reply.
    fn decoder(&self) -> Box<dyn Decoder>;

    /// Returns how the list of models is asked for.
    fn models(&self) -> Call;

    /// Returns the names in that list.
    fn model_names(&self, list: &Value) -> Vec<String>;

    /// Returns how vectors are asked for; `None` where the provider makes none.
    fn embed(&self, model: &str, texts: &[&str]) -> Option<Call>;

    /// Returns one row for each text, in their order.
    fn rows(&self, reply: Value) -> Option<Vec<Vec<f32>>>;
}

/// One request: its path below the address of the provider, and what is sent, if anything.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) path: &'static str,
    pub(super) body: Option<Value>,
}

impl Call {
    pub(super) fn get(path: &'static str) -> Self {
        Self { path, body: None }
    }

    pub(super) fn post(path: &'static str, body: Value) -> Self {
        let body = Some(body);
        Self { path, body }
    }
}

/// How events stand behind each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events: `data: …` and an empty line.
    Events,
    /// One JSON object a line.
    Lines,
    /// The whole body is one.
    Whole,
}

/// Puts one reply together, event by event.
pub(super) trait Decoder: Send {
    /// Takes the data of one event. Returns whether the reply is complete.
    fn take(&mut self, data: &str, events: Listener<'_>) -> Result<bool, Garbled>;

    /// Returns the reply once the stream has ended; `None` if it ended too early.
    fn finish(&mut self, events: Listener<'_>) -> Option<ChatReply>;
}

/// Why an event could not be taken.
#[derive(Debug)]
pub(super) enum Garbled {
    /// It is not what the provider says it sends.
    Shape(String),
    /// The server says within the stream that something went wrong: a status as of HTTP, and its words.
    Told { status: u16, message: String },
}

/// Reads the data of an event.
pub(super) fn parse(data: &str) -> Result<Value, Garbled> {
    serde_json::from_str(data).map_err(|error| Garbled::Shape(error.to_string()))
}

/// Returns the words of an error in any of the shapes in use: `{"error": {"message": …}}`,
/// `{"error": …}`, `{"message": …}`, `{"detail": …}`.
pub(super) fn error_text(value: &Value) -> Option<String> {
    let error = value.get("error").unwrap_or(value);
    let text = error
        .as_str()
        .or_else(|| error.get("message")?.as_str())
        .or_else(|| value.get("detail")?.as_str());
    text.map(str::to_owned)
}

/// Returns the arguments of a call from their text. Small models write other things than JSON.
pub(super) fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(text) {
        // Some encode them twice.
        Ok(Value::String(inner)) => serde_json::from_str(&inner).unwrap_or(Value::String(inner)),
        Ok(value) => value,
        Err(_) => Value::String(text.to_owned()),
    }
}

/// What a piece of a reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Thought,
    Text,
}

/// Takes a piece of a reply, if there is anything in it.
pub(super) fn take(reply: &mut ChatReply, said: Said, text: &str, events: Listener<'_>) {
    if text.is_empty() {
        return;
    }
    let (whole, event) = match said {
        Said::Thought => (&mut reply.thinking, ChatEvent::Thinking(text.to_owned())),
        Said::Text => (&mut reply.text, ChatEvent::Text(text.to_owned())),
    };
    whole.push_str(text);
    events(event);
}

/// Takes a piece of text, if there is any.
pub(super) fn take_text(reply: &mut ChatReply, text: Option<&Value>, events: Listener<'_>) {
    let text = text.and_then(Value::as_str).unwrap_or_default();
    take(reply, Said::Text, text, events);
}

/// Takes a piece of thought, if there is any.
pub(super) fn take_thought(reply: &mut ChatReply, text: Option<&Value>, events: Listener<'_>) {
    let text = text.and_then(Value::as_str).unwrap_or_default();
    take(reply, Said::Thought, text, events);
}

/// Takes a call that is complete.
pub(super) fn take_call(reply: &mut ChatReply, call: ToolCall, events: Listener<'_>) {
    reply.tool_calls.push(call.clone());
    events(ChatEvent::ToolCall(call));
}

/// Returns the header that most servers know a key by.
pub(super) fn bearer(key: Option<&str>) -> Vec<(&'static str, String)> {
    let bearer = |key| ("authorization", format!("Bearer {key}"));
    key.map(bearer).into_iter().collect()
}

/// Returns the messages of a request, the rules first; `message` writes each.
pub(super) fn messages(request: &ChatRequest, message: fn(&Message) -> Value) -> Vec<Value> {
    let rules =
        (!request.system.is_empty()).then(|| json!({"role": "system", "content": request.system}));
    let said = request.messages.iter().map(message);
    rules.into_iter().chain(said).collect()
}

/// Returns what a model said and which tools it called, as OpenAI tells it, and others after it; `tool_call`
/// writes each call.
pub(super) fn assistant(
    text: &str,
    tool_calls: &[ToolCall],
    tool_call: fn(&ToolCall) -> Value,
) -> Value {
    let mut said = json!({"role": "assistant", "content": text});
    if !tool_calls.is_empty() {
        said["tool_calls"] = tool_calls.iter().map(tool_call).collect();
    }
    said
}

/// Returns a tool as OpenAI describes one, and others after it.
pub(super) fn function(tool: &Tool) -> Value {
    json!({"type": "function", "function": {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }})
}

/// Returns a count of tokens.
pub(super) fn count(value: Option<&Value>) -> Option<u32> {
    u32::try_from(value?.as_u64()?).ok()
}

/// Returns the strings that `key` has in the objects of a list.
pub(super) fn names(list: Option<&Value>, key: &str) -> Vec<String> {
    let entries = list.and_then(Value::as_array).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.get(key)?.as_str());
    names.map(str::to_owned).collect()
}

/// Sorts a refusal by its status and the words of the server, which are all that tells some apart.
pub(super) fn trouble(status: u16, words: &str) -> Trouble {
    let words = words.to_lowercase();
    let says = |all: &[&str]| all.iter().all(|word| words.contains(word));
    let is_unknown = says(&["model", "not found"])
        || says(&["model", "not exist"])
        || says(&["model", "no such"])
        || says(&["not_found_error", "model"]);
    let is_long = says(&["context", "exceed"])
        || says(&["context", "length"])
        || says(&["tokens", "too large"])
        || says(&["prompt is too long"])
        || says(&["too many tokens"]);
    match status {
        401 | 403 => Trouble::KeyRefused,
        404 if is_unknown => Trouble::ModelUnknown,
        400..=499 if says(&["support", "tool"]) || says(&["tools", "jinja"]) => Trouble::NoTools,
        400..=499 if says(&["think"]) => Trouble::NoThinking,
        400..=599 if says(&["support", "image"]) || says(&["image", "mmproj"]) => {
            Trouble::NoPictures
        }
        408 | 409 | 425 | 429 | 503 | 529 => Trouble::Busy,
        400..=499 if is_unknown => Trouble::ModelUnknown,
        400..=599 if is_long => Trouble::TooLong,
        500..=599 => Trouble::Failed,
        _ => Trouble::Refused,
    }
}
