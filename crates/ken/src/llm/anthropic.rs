//! Anthropic's messages: content in blocks, tools among them, thoughts with a signature that goes back as
//! it came. There are no vectors.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::wire::{
    Call, Decoder, Framing, Garbled, Wire, arguments, count, error_text, names, parse, take_call,
    take_text, take_thought,
};
use super::{ChatReply, ChatRequest, Listener, Message, Picture, Stop, Tool, ToolCall};
use crate::settings::Provider;

/// The version of the interface that is spoken here.
const VERSION: &str = "2023-06-01";
/// A limit must be told; this much, if nobody says otherwise.
const TOKENS_MAX: u32 = 4096;
/// How much a model that thinks may think, on top.
const THINKING_TOKENS: u32 = 4096;

/// Anthropic.
pub(super) struct Anthropic {
    model: String,
}

impl Anthropic {
    pub(super) fn new(provider: &Provider) -> Self {
        let model = provider.model.clone();
        Self { model }
    }
}

impl Wire for Anthropic {
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let mut headers = vec![("anthropic-version", VERSION.to_owned())];
        headers.extend(key.map(|key| ("x-api-key", key.to_owned())));
        headers
    }

    fn chat(&self, request: &ChatRequest, thinking: Option<bool>) -> Call {
        let mut max_tokens = request.max_tokens.unwrap_or(TOKENS_MAX);
        let mut body = json!({
            "model": self.model,
            "messages": messages(&request.messages),
            "stream": true,
        });
        if !request.system.is_empty() {
            body["system"] = request.system.as_str().into();
        }
        if !request.tools.is_empty() {
            body["tools"] = request.tools.iter().map(tool).collect();
        }
        if thinking == Some(true) {
            max_tokens = max_tokens.saturating_add(THINKING_TOKENS);
            body["thinking"] = json!({"type": "enabled", "budget_tokens": THINKING_TOKENS});
        } else if let Some(temperature) = request.temperature {
            // A model that thinks does not let itself be told.
            body["temperature"] = temperature.into();
        }
        if !request.stop.is_empty() {
            body["stop_sequences"] = request.stop.clone().into();
        }
        body["max_tokens"] = max_tokens.into();
        Call::post("/messages", body)
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(Reply::default())
    }

    fn models(&self) -> Call {
        Call::get("/models?limit=1000")
    }

    fn model_names(&self, list: &Value) -> Vec<String> {
        names(list.get("data"), "id")
    }

    fn embed(&self, _: &str, _: &[&str]) -> Option<Call> {
        None
    }

    fn rows(&self, _: Value) -> Option<Vec<Vec<f32>>> {
        None
    }
}

fn tool(tool: &Tool) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.parameters,
    })
}

/// Turns follow each other by turns: what tools said belongs to the user, all of it in one.
fn messages(messages: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message {
            Message::Assistant { .. } => ("assistant", blocks(message)),
            _ => ("user", blocks(message)),
        };
        match turns.last_mut() {
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    let turns = turns.into_iter().filter(|(_, blocks)| !blocks.is_empty());
    let turns = turns.map(|(role, content)| json!({"role": role, "content": content}));
    turns.collect()
}

fn blocks(message: &Message) -> Vec<Value> {
    match message {
        Message::User { text, pictures } => {
            pictures.iter().map(picture).chain(said(text)).collect()
        }
        Message::Assistant {
            text,
            tool_calls,
            carried,
        } => {
            let thoughts = carried.as_ref().and_then(Value::as_array);
            let thoughts = thoughts.into_iter().flatten().cloned();
            let calls = tool_calls.iter().map(tool_use);
            thoughts.chain(said(text)).chain(calls).collect()
        }
        Message::ToolResult {
            id, text, is_error, ..
        } => vec![json!({
            "type": "tool_result",
            "tool_use_id": id,
            "content": text,
            "is_error": is_error,
        })],
    }
}

/// Blocks without text are refused.
fn said(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

fn picture(picture: &Picture) -> Value {
    json!({"type": "image", "source": {
        "type": "base64",
        "media_type": picture.mime,
        "data": BASE64_STANDARD.encode(&picture.bytes),
    }})
}

fn tool_use(call: &ToolCall) -> Value {
    let input = match &call.arguments {
        Value::Object(_) => call.arguments.clone(),
        other => json!({"arguments": other}),
    };
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
}

/// A reply as it comes in, block by block.
#[derive(Default)]
struct Reply {
    reply: ChatReply,
    block: Block,
    /// Thoughts as they go back.
    thoughts: Vec<Value>,
    is_done: bool,
}

/// The block that is being written.
#[derive(Default)]
enum Block {
    #[default]
    Other,
    ToolUse {
        id: String,
        name: String,
        input: String,
    },
    Thinking {
        thought: String,
        signature: String,
    },
}

impl Decoder for Reply {
    fn take(&mut self, data: &str, events: Listener<'_>) -> Result<bool, Garbled> {
        let event = parse(data)?;
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => self.take_usage(&event["message"]["usage"]),
            "content_block_start" => self.start(&event["content_block"], events),
            "content_block_delta" => self.add(&event["delta"], events),
            "content_block_stop" => self.stop(events),
            "message_delta" => {
                self.take_usage(&event["usage"]);
                if let Some(reason) = event["delta"]["stop_reason"].as_str() {
                    self.reply.stop = stop(reason);
                }
            }
            "message_stop" => self.is_done = true,
            "error" => return Err(told(&event)),
            // There will be others, and they are not for us.
            _ => {}
        }
        Ok(self.is_done)
    }

    fn finish(&mut self, _: Listener<'_>) -> Option<ChatReply> {
        let thoughts = std::mem::take(&mut self.thoughts);
        self.reply.carried = (!thoughts.is_empty()).then(|| thoughts.into());
        self.is_done.then(|| std::mem::take(&mut self.reply))
    }
}

impl Reply {
    fn take_usage(&mut self, usage: &Value) {
        let own = &mut self.reply.usage;
        own.input_tokens = count(usage.get("input_tokens")).or(own.input_tokens);
        own.output_tokens = count(usage.get("output_tokens")).or(own.output_tokens);
    }

    fn start(&mut self, block: &Value, events: Listener<'_>) {
        let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
        self.block = match block["type"].as_str() {
            Some("tool_use") => Block::ToolUse {
                id: text("id"),
                name: text("name"),
                input: String::new(),
            },
            Some("thinking") => {
                take_thought(&mut self.reply, block.get("thinking"), events);
                Block::Thinking {
                    thought: text("thinking"),
                    signature: text("signature"),
                }
            }
            Some("redacted_thinking") => {
                self.thoughts.push(block.clone());
                Block::Other
            }
            _ => {
                take_text(&mut self.reply, block.get("text"), events);
                Block::Other
            }
        };
    }

    fn add(&mut self, delta: &Value, events: Listener<'_>) {
        let text = |key: &str| delta[key].as_str().unwrap_or_default();
        match (delta["type"].as_str(), &mut self.block) {
            (Some("text_delta"), _) => take_text(&mut self.reply, delta.get("text"), events),
            (Some("input_json_delta"), Block::ToolUse { input, .. }) => {
                input.push_str(text("partial_json"));
            }
            (Some("thinking_delta"), Block::Thinking { thought, .. }) => {
                thought.push_str(text("thinking"));
                take_thought(&mut self.reply, delta.get("thinking"), events);
            }
            (Some("signature_delta"), Block::Thinking { signature, .. }) => {
                signature.push_str(text("signature"));
            }
            _ => {}
        }
    }

    fn stop(&mut self, events: Listener<'_>) {
        match std::mem::take(&mut self.block) {
            Block::ToolUse { id, name, input } => {
                let arguments = arguments(&input);
                let call = ToolCall {
                    id,
                    name,
                    arguments,
                };
                take_call(&mut self.reply, call, events);
            }
            Block::Thinking { thought, signature } => self.thoughts.push(json!({
                "type": "thinking", "thinking": thought, "signature": signature,
            })),
            Block::Other => {}
        }
    }
}

/// What goes wrong within a stream has a name, each of which has a status outside of one.
fn told(event: &Value) -> Garbled {
    let status = match event["error"]["type"].as_str().unwrap_or_default() {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "overloaded_error" => 529,
        _ => 500,
    };
    let message = error_text(event).unwrap_or_default();
    Garbled::Told { status, message }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "tool_use" => Stop::ToolCalls,
        "refusal" => Stop::Refused,
        _ => Stop::Done,
    }
}
