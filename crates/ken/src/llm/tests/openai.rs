//! Chat completions, as OpenAI documents them and as others vary them.

use serde_json::json;

use super::super::{ChatEvent, Message, Picture, Stop, ToolCall, Usage};
use super::stub::{Reply, Stub};
use super::*;

const STREAM: &str = r#"data: {"id":"c1","object":"chat.completion.chunk","model":"tiny","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"content":"It is "},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"content":"21 °C."},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"id":"c1","choices":[],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29}}

data: [DONE]

"#;

const TOOL_STREAM: &str = r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"Look it up."}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_DdmO9pD3","type":"function","function":{"name":"weather","arguments":""}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"Zürich\"}"}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_2","function":{"name":"weather","arguments":"not json"}}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

"#;

async fn with(replies: impl IntoIterator<Item = Reply>) -> (Stub, Arc<dyn ChatModel>) {
    let stub = Stub::start(replies).await;
    let model = model(with_key(provider(ProviderKind::OpenAi, &stub.url)));
    (stub, model)
}

#[tokio::test]
async fn words_come_one_by_one() {
    let (stub, model) = with([Reply::events(STREAM)]).await;
    let mut request = question();
    (request.max_tokens, request.temperature) = (Some(64), Some(0.5));
    request.stop = vec!["END".to_owned()];
    let (events, reply) = ask(&model, &request).await;
    assert_eq!(model.id(), "test/tiny");
    let text = |text: &str| ChatEvent::Text(text.to_owned());
    assert_eq!(events, [text("It is "), text("21 °C.")]);
    let expected = ChatReply {
        text: "It is 21 °C.".to_owned(),
        usage: Usage {
            input_tokens: Some(19),
            output_tokens: Some(10),
        },
        ..ChatReply::default()
    };
    assert_eq!(reply.unwrap(), expected);
    let asked = &stub.asked()[0];
    assert!(
        asked
            .head
            .starts_with("post /chat/completions http/1.1\r\n")
    );
    assert!(
        asked
            .head
            .contains(&format!("authorization: bearer {}\r\n", key()))
    );
    let expected = json!({
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "How warm is it in Zürich?"},
        ],
        "stream": true,
        "stream_options": {"include_usage": true},
        "max_tokens": 64,
        "temperature": 0.5,
        "stop": ["END"],
    });
    assert_eq!(asked.json(), expected);
}

#[tokio::test]
async fn tools_are_called_and_answered() {
    let (stub, model) = with([Reply::events(TOOL_STREAM), Reply::events(STREAM)]).await;
    let mut request = question();
    request.tools = vec![weather()];
    let (events, reply) = ask(&model, &request).await;
    let reply = reply.unwrap();
    let first = ToolCall {
        id: "call_DdmO9pD3".to_owned(),
        name: "weather".to_owned(),
        arguments: json!({"city": "Zürich"}),
    };
    let second = ToolCall {
        id: "call_2".to_owned(),
        name: "weather".to_owned(),
        arguments: json!("not json"),
    };
    let expected = [
        ChatEvent::Thinking("Look it up.".to_owned()),
        ChatEvent::ToolCall(first.clone()),
        ChatEvent::ToolCall(second.clone()),
    ];
    assert_eq!(events, expected);
    assert_eq!(
        (&reply.stop, &reply.tool_calls[..]),
        (&Stop::ToolCalls, &[first, second][..])
    );
    request.messages.push(reply.into_message());
    request.messages.push(Message::ToolResult {
        id: "call_DdmO9pD3".to_owned(),
        name: "weather".to_owned(),
        text: "21".to_owned(),
        is_error: false,
    });
    ask(&model, &request).await.1.unwrap();
    let asked = stub.asked()[1].json();
    assert_eq!(
        asked["tools"],
        json!([{"type": "function", "function": {"name": "weather", "description": "The weather of a city", "parameters": weather().parameters}}])
    );
    assert_eq!(
        asked["messages"][2],
        json!({"role": "assistant", "content": "", "tool_calls": [
            {"id": "call_DdmO9pD3", "type": "function", "function": {"name": "weather", "arguments": "{\"city\":\"Zürich\"}"}},
            {"id": "call_2", "type": "function", "function": {"name": "weather", "arguments": "not json"}},
        ]})
    );
    assert_eq!(
        asked["messages"][3],
        json!({"role": "tool", "tool_call_id": "call_DdmO9pD3", "content": "21"})
    );
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let body = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"21","tool_calls":[{"id":"a","type":"function","function":{"name":"weather","arguments":{"city":"Bern"}}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#;
    let (_stub, model) = with([Reply::json(200, body)]).await;
    let (events, reply) = ask(&model, &question()).await;
    let reply = reply.unwrap();
    assert_eq!((events.len(), reply.text.as_str()), (2, "21"));
    assert_eq!(reply.tool_calls[0].arguments, json!({"city": "Bern"}));
    assert_eq!(reply.stop, Stop::ToolCalls);
}

#[tokio::test]
async fn pictures_go_along() {
    let (stub, model) = with([Reply::events(STREAM)]).await;
    let mut request = question();
    request.messages = vec![Message::User {
        text: "What is it?".to_owned(),
        pictures: vec![Picture {
            mime: "image/png".to_owned(),
            bytes: b"png".to_vec(),
        }],
    }];
    ask(&model, &request).await.1.unwrap();
    assert_eq!(
        stub.asked()[0].json()["messages"][1]["content"][1],
        json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n"}})
    );
}

#[tokio::test]
async fn models_are_listed() {
    let list = r#"{"object":"list","data":[{"id":"tiny","object":"model"},{"id":"large"}]}"#;
    let (stub, model) = with([Reply::json(200, list)]).await;
    assert_eq!(model.models().await.unwrap(), ["tiny", "large"]);
    assert!(stub.asked()[0].head.starts_with("get /models "));
}
