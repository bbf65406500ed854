//! Anthropic's messages, as its documentation shows them.

use serde_json::json;

use super::super::{Message, Picture, Stop, ToolCall, Usage};
use super::stub::{Reply, Stub};
use super::*;

const STREAM: &str = r#"event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"tiny","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Look it up."}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBCgIYAhIM1g=="}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: ping
data: {"type":"ping"}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Let me "}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"see …"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_01T1x","name":"weather","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"city\": \"Zür"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"ich\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":89}}

event: message_stop
data: {"type":"message_stop"}

"#;

async fn with(replies: impl IntoIterator<Item = Reply>) -> (Stub, Provider) {
    let stub = Stub::start(replies).await;
    let provider = with_key(provider(ProviderKind::Anthropic, &stub.url));
    (stub, provider)
}

#[tokio::test]
async fn blocks_become_thoughts_words_and_calls() {
    let (stub, mut provider) = with([Reply::events(STREAM), Reply::events(STREAM)]).await;
    provider.thinking = Some(true);
    let model = model(provider);
    let mut request = question();
    request.tools = vec![weather()];
    request.temperature = Some(0.2);
    let (events, reply) = ask(&model, &request).await;
    let call = ToolCall {
        id: "toolu_01T1x".to_owned(),
        name: "weather".to_owned(),
        arguments: json!({"city": "Zürich"}),
    };
    let expected = [
        ChatEvent::Thinking("Look it up.".to_owned()),
        ChatEvent::Text("Let me ".to_owned()),
        ChatEvent::Text("see …".to_owned()),
        ChatEvent::ToolCall(call.clone()),
    ];
    assert_eq!(events, expected);
    let thoughts =
        json!([{"type": "thinking", "thinking": "Look it up.", "signature": "EqQBCgIYAhIM1g=="}]);
    let expected = ChatReply {
        text: "Let me see …".to_owned(),
        thinking: "Look it up.".to_owned(),
        tool_calls: vec![call],
        usage: Usage {
            input_tokens: Some(25),
            output_tokens: Some(89),
        },
        stop: Stop::ToolCalls,
        carried: Some(thoughts.clone()),
    };
    let reply = reply.unwrap();
    assert_eq!(reply, expected);

    request.messages.push(reply.into_message());
    for text in ["21", "22"] {
        request.messages.push(Message::ToolResult {
            id: "toolu_01T1x".to_owned(),
            name: "weather".to_owned(),
            text: text.to_owned(),
            is_error: text == "22",
        });
    }
    ask(&model, &request).await.1.unwrap();
    let asked = stub.asked();
    assert!(asked[0].head.starts_with("post /messages http/1.1\r\n"));
    assert!(asked[0].head.contains("anthropic-version: 2023-06-01\r\n"));
    assert!(asked[0].head.contains(&format!("x-api-key: {}\r\n", key())));
    let expected = json!({
        "model": "tiny",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "How warm is it in Zürich?"}]},
            {"role": "assistant", "content": [
                thoughts[0],
                {"type": "text", "text": "Let me see …"},
                {"type": "tool_use", "id": "toolu_01T1x", "name": "weather", "input": {"city": "Zürich"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_01T1x", "content": "21", "is_error": false},
                {"type": "tool_result", "tool_use_id": "toolu_01T1x", "content": "22", "is_error": true},
            ]},
        ],
        "stream": true,
        "system": "Be short.",
        "tools": [{"name": "weather", "description": "The weather of a city", "input_schema": weather().parameters}],
        "thinking": {"type": "enabled", "budget_tokens": 4096},
        "max_tokens": 8192,
    });
    assert_eq!(asked[1].json(), expected);
}

#[tokio::test]
async fn an_overload_within_the_stream_is_waited_for() {
    let overloaded = "event: error\ndata: {\"type\": \"error\", \"error\": {\"type\": \"overloaded_error\", \"message\": \"Overloaded\"}}\n\n";
    let (stub, provider) = with([
        Reply::json(529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}"#)
            .header("retry-after: 0.01"),
        Reply::events(overloaded),
        Reply::events(STREAM),
    ])
    .await;
    let reply = ask(&model(provider), &question()).await.1.unwrap();
    assert_eq!(reply.tool_calls.len(), 1);
    assert_eq!(stub.asked().len(), 3);
}

#[tokio::test]
async fn pictures_go_along() {
    let (stub, provider) = with([Reply::events(STREAM)]).await;
    let mut request = question();
    request.messages = vec![Message::User {
        text: "What is it?".to_owned(),
        pictures: vec![Picture {
            mime: "image/png".to_owned(),
            bytes: b"png".to_vec(),
        }],
    }];
    ask(&model(provider), &request).await.1.unwrap();
    assert_eq!(
        stub.asked()[0].json()["messages"][0]["content"][0],
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cG5n"}})
    );
}
