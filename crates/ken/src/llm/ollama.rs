//! Ollama's own way: `/api/chat`, `/api/tags`, `/api/embed`. It shows a model as much as it is asked to,
//! which its OpenAI-compatible way cannot be told.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::thoughts::Thoughts;
use super::wire::{
    Call, Decoder, Framing, Garbled, Wire, arguments, assistant, bearer, count, error_text,
    function, messages, names, parse, take, take_call, take_thought,
};
use super::{ChatReply, ChatRequest, Listener, Message, Stop, ToolCall, Usage};
use crate::settings::Provider;

/// An Ollama server.
pub(super) struct Ollama {
    model: String,
    context_tokens: u32,
}

impl Ollama {
    pub(super) fn new(provider: &Provider) -> Self {
        Self {
            model: provider.model.clone(),
            context_tokens: provider.context_tokens,
        }
    }

    fn options(&self, request: &ChatRequest) -> Value {
        let mut options = json!({"num_ctx": self.context_tokens});
        if let Some(max_tokens) = request.max_tokens {
            options["num_predict"] = max_tokens.into();
        }
        if let Some(temperature) = request.temperature {
            options["temperature"] = temperature.into();
        }
        if !request.stop.is_empty() {
            options["stop"] = request.stop.clone().into();
        }
        options
    }
}

impl Wire for Ollama {
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn chat(&self, request: &ChatRequest, thinking: Option<bool>) -> Call {
        let mut body = json!({
            "model": self.model,
            "messages": messages(request, message),
            "stream": true,
            "options": self.options(request),
        });
        if !request.tools.is_empty() {
            body["tools"] = request.tools.iter().map(function).collect();
        }
        if let Some(thinking) = thinking {
            body["think"] = thinking.into();
        }
        Call::post("/api/chat", body)
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(Reply::default())
    }

    fn models(&self) -> Call {
        Call::get("/api/tags")
    }

    fn model_names(&self, list: &Value) -> Vec<String> {
        names(list.get("models"), "name")
    }

    fn embed(&self, model: &str, texts: &[&str]) -> Option<Call> {
        // Without this it would cut what is too long, and say nothing.
        let body = json!({"model": model, "input": texts, "truncate": false});
        Some(Call::post("/api/embed", body))
    }

    fn rows(&self, mut reply: Value) -> Option<Vec<Vec<f32>>> {
        serde_json::from_value(reply["embeddings"].take()).ok()
    }
}

fn message(message: &Message) -> Value {
    match message {
        Message::User { text, pictures } => {
            let mut asked = json!({"role": "user", "content": text});
            if !pictures.is_empty() {
                let pictures = pictures.iter();
                let encoded = pictures.map(|picture| BASE64_STANDARD.encode(&picture.bytes));
                asked["images"] = encoded.collect();
            }
            asked
        }
        Message::Assistant {
            text, tool_calls, ..
        } => assistant(text, tool_calls, tool_call),
        Message::ToolResult { name, text, .. } => {
            json!({"role": "tool", "tool_name": name, "content": text})
        }
    }
}

fn tool_call(call: &ToolCall) -> Value {
    // It wants an object, whatever the model wrote.
    let arguments = match &call.arguments {
        Value::Object(_) => call.arguments.clone(),
        other => json!({"arguments": other}),
    };
    json!({"function": {"name": call.name, "arguments": arguments}})
}

/// A reply as it comes in.
#[derive(Default)]
struct Reply {
    reply: ChatReply,
    thoughts: Thoughts,
    is_done: bool,
}

impl Decoder for Reply {
    fn take(&mut self, data: &str, events: Listener<'_>) -> Result<bool, Garbled> {
        let line = parse(data)?;
        if line.get("error").is_some() {
            let message = error_text(&line).unwrap_or_default();
            let status = 500;
            return Err(Garbled::Told { status, message });
        }
        let said = &line["message"];
        take_thought(&mut self.reply, said.get("thinking"), events);
        let text = said.get("content").and_then(Value::as_str);
        let reply = &mut self.reply;
        self.thoughts
            .take(text.unwrap_or_default(), &mut |said, text| {
                take(reply, said, text, events);
            });
        for call in said["tool_calls"].as_array().into_iter().flatten() {
            let call = self.call(call);
            take_call(&mut self.reply, call, events);
        }
        self.is_done = line["done"].as_bool().unwrap_or(false);
        if self.is_done {
            self.reply.usage = Usage {
                input_tokens: count(line.get("prompt_eval_count")),
                output_tokens: count(line.get("eval_count")),
            };
            self.reply.stop = match line["done_reason"].as_str() {
                _ if !self.reply.tool_calls.is_empty() => Stop::ToolCalls,
                Some("length") => Stop::Length,
                _ => Stop::Done,
            };
        }
        Ok(self.is_done)
    }

    fn finish(&mut self, events: Listener<'_>) -> Option<ChatReply> {
        let reply = &mut self.reply;
        self.thoughts
            .end(&mut |said, text| take(reply, said, text, events));
        self.is_done.then(|| std::mem::take(&mut self.reply))
    }
}

impl Reply {
    fn call(&self, call: &Value) -> ToolCall {
        let function = &call["function"];
        let id = call.get("id").and_then(Value::as_str);
        let own = || format!("call_{}", self.reply.tool_calls.len());
        ToolCall {
            id: id.map_or_else(own, str::to_owned),
            name: function["name"].as_str().unwrap_or_default().to_owned(),
            arguments: match &function["arguments"] {
                Value::String(text) => arguments(text),
                Value::Null => arguments(""),
                value => value.clone(),
            },
        }
    }
}
