//! Chat completions as OpenAI writes them, and as nearly every other server does, too.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::thoughts::Thoughts;
use super::wire::{
    Call, Decoder, Framing, Garbled, Wire, arguments, assistant, bearer, count, error_text,
    function, messages, names, parse, take, take_call, take_thought,
};
use super::{ChatReply, ChatRequest, Listener, Message, Picture, Stop, ToolCall, Usage};
use crate::settings::Provider;

/// The end of a stream.
const DONE: &str = "[DONE]";
/// The host whose models want the limit of tokens by its new name, which others do not know.
const OPENAI_HOST: &str = "api.openai.com";

/// An OpenAI-compatible server.
pub(super) struct OpenAi {
    model: String,
    limit_key: &'static str,
}

impl OpenAi {
    pub(super) fn new(provider: &Provider) -> Self {
        let is_openai = provider.base_url.contains(OPENAI_HOST);
        Self {
            model: provider.model.clone(),
            limit_key: if is_openai {
                "max_completion_tokens"
            } else {
                "max_tokens"
            },
        }
    }
}

impl Wire for OpenAi {
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn chat(&self, request: &ChatRequest, _: Option<bool>) -> Call {
        let mut body = json!({
            "model": self.model,
            "messages": messages(request, message),
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        if !request.tools.is_empty() {
            body["tools"] = request.tools.iter().map(function).collect();
        }
        if let Some(max_tokens) = request.max_tokens {
            body[self.limit_key] = max_tokens.into();
        }
        if let Some(temperature) = request.temperature {
            body["temperature"] = temperature.into();
        }
        if !request.stop.is_empty() {
            body["stop"] = request.stop.clone().into();
        }
        Call::post("/chat/completions", body)
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(Reply::default())
    }

    fn models(&self) -> Call {
        Call::get("/models")
    }

    fn model_names(&self, list: &Value) -> Vec<String> {
        names(list.get("data"), "id")
    }

    fn embed(&self, model: &str, texts: &[&str]) -> Option<Call> {
        let body = json!({"model": model, "input": texts, "encoding_format": "float"});
        Some(Call::post("/embeddings", body))
    }

    fn rows(&self, mut reply: Value) -> Option<Vec<Vec<f32>>> {
        let mut rows = Vec::new();
        for (place, entry) in reply["data"].as_array_mut()?.iter_mut().enumerate() {
            let index = entry.get("index").and_then(Value::as_u64);
            let row = serde_json::from_value(entry["embedding"].take()).ok()?;
            rows.push((index.unwrap_or(place as u64), row));
        }
        rows.sort_by_key(|(index, _)| *index);
        Some(rows.into_iter().map(|(_, row)| row).collect())
    }
}

fn message(message: &Message) -> Value {
    match message {
        Message::User { text, pictures } if pictures.is_empty() => {
            json!({"role": "user", "content": text})
        }
        Message::User { text, pictures } => {
            let mut parts = vec![json!({"type": "text", "text": text})];
            parts.extend(pictures.iter().map(picture));
            json!({"role": "user", "content": parts})
        }
        Message::Assistant {
            text, tool_calls, ..
        } => assistant(text, tool_calls, tool_call),
        Message::ToolResult { id, text, .. } => {
            json!({"role": "tool", "tool_call_id": id, "content": text})
        }
    }
}

fn picture(picture: &Picture) -> Value {
    let data = BASE64_STANDARD.encode(&picture.bytes);
    let url = format!("data:{};base64,{data}", picture.mime);
    json!({"type": "image_url", "image_url": {"url": url}})
}

fn tool_call(call: &ToolCall) -> Value {
    let arguments = match &call.arguments {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

/// A reply as it comes in.
#[derive(Default)]
struct Reply {
    reply: ChatReply,
    thoughts: Thoughts,
    calls: Vec<Pending>,
    is_finished: bool,
}

/// A call whose arguments come in pieces.
#[derive(Default)]
struct Pending {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl Decoder for Reply {
    fn take(&mut self, data: &str, events: Listener<'_>) -> Result<bool, Garbled> {
        if data.trim() == DONE {
            return Ok(true);
        }
        let mut chunk = parse(data)?;
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            return Err(told(&chunk));
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.reply.usage = Usage {
                input_tokens: count(usage.get("prompt_tokens")),
                output_tokens: count(usage.get("completion_tokens")),
            };
        }
        let Some(choice) = chunk.get_mut("choices").and_then(|all| all.get_mut(0)) else {
            return Ok(false);
        };
        // A server that does not stream sends the whole message at once.
        let is_whole = choice.get("delta").is_none_or(Value::is_null);
        let said = choice[if is_whole { "message" } else { "delta" }].take();
        let thought = said.get("reasoning_content").or(said.get("reasoning"));
        take_thought(&mut self.reply, thought, events);
        let text = said.get("content").and_then(Value::as_str);
        let reply = &mut self.reply;
        self.thoughts
            .take(text.unwrap_or_default(), &mut |said, text| {
                take(reply, said, text, events);
            });
        for call in said["tool_calls"].as_array().into_iter().flatten() {
            self.take_call(call);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.is_finished = true;
            self.reply.stop = stop(reason);
        }
        Ok(is_whole)
    }

    fn finish(&mut self, events: Listener<'_>) -> Option<ChatReply> {
        if !self.is_finished {
            return None;
        }
        let reply = &mut self.reply;
        self.thoughts
            .end(&mut |said, text| take(reply, said, text, events));
        for (place, call) in std::mem::take(&mut self.calls).into_iter().enumerate() {
            let id = match call.id.is_empty() {
                true => format!("call_{place}"),
                false => call.id,
            };
            let call = ToolCall {
                id,
                name: call.name,
                arguments: arguments(&call.arguments),
            };
            take_call(&mut self.reply, call, events);
        }
        // Some servers say "stop" whatever comes with it.
        if !self.reply.tool_calls.is_empty() {
            self.reply.stop = Stop::ToolCalls;
        }
        Some(std::mem::take(&mut self.reply))
    }
}

impl Reply {
    /// Adds a piece of a call to the call it belongs to: the one with its index, or else a new one if it
    /// has an id of its own, or else the last.
    fn take_call(&mut self, piece: &Value) {
        let index = piece.get("index").and_then(Value::as_u64);
        let id = piece.get("id").and_then(Value::as_str).unwrap_or_default();
        let known = match index {
            Some(_) => self.calls.iter().position(|call| call.index == index),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().position(|call| call.id == id),
        };
        let place = known.unwrap_or_else(|| {
            self.calls.push(Pending {
                index,
                ..Pending::default()
            });
            self.calls.len() - 1
        });
        let call = &mut self.calls[place];
        if !id.is_empty() {
            id.clone_into(&mut call.id);
        }
        let function = &piece["function"];
        if let Some(name) = function.get("name").and_then(Value::as_str) {
            call.name.push_str(name);
        }
        match function.get("arguments") {
            Some(Value::String(text)) => call.arguments.push_str(text),
            Some(Value::Null) | None => {}
            Some(value) => call.arguments.push_str(&value.to_string()),
        }
    }
}

/// What a server says in the middle of a stream; a code is a status of HTTP or a word.
fn told(chunk: &Value) -> Garbled {
    let code = &chunk["error"]["code"];
    let status = code.as_u64().and_then(|code| u16::try_from(code).ok());
    let message = error_text(chunk).unwrap_or_else(|| chunk["error"].to_string());
    Garbled::Told {
        status: status.unwrap_or(500),
        message,
    }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "length" => Stop::Length,
        "tool_calls" | "function_call" => Stop::ToolCalls,
        "content_filter" => Stop::Refused,
        _ => Stop::Done,
    }
}
