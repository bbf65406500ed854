//! Ollama's replies, as its documentation shows them.

use serde_json::json;

use super::super::{Message, Stop, ToolCall, Usage};
use super::stub::{Reply, Stub};
use super::*;

const STREAM: &str = r#"{"model":"tiny","created_at":"2025-08-04T08:52:19.385406455-07:00","message":{"role":"assistant","content":"","thinking":"Hm."},"done":false}
{"model":"tiny","created_at":"2025-08-04T08:52:19.385406455-07:00","message":{"role":"assistant","content":"It is "},"done":false}
{"model":"tiny","created_at":"2025-08-04T08:52:19.385406455-07:00","message":{"role":"assistant","content":"21 °C."},"done":false}
{"model":"tiny","created_at":"2025-08-04T19:22:45.499127Z","message":{"role":"assistant","content":""},"done_reason":"length","done":true,"total_duration":4883583458,"load_duration":1334875,"prompt_eval_count":26,"prompt_eval_duration":342546000,"eval_count":282,"eval_duration":4535599000}
"#;

const TOOL_STREAM: &str = r#"{"model":"tiny","created_at":"2025-07-07T20:22:19.184789Z","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"weather","arguments":{"city":"Zürich"}}}]},"done":false}
{"model":"tiny","created_at":"2025-07-07T20:22:19.19314Z","message":{"role":"assistant","content":""},"done_reason":"stop","done":true,"prompt_eval_count":169,"eval_count":15}
"#;

async fn with(replies: impl IntoIterator<Item = Reply>) -> (Stub, Provider) {
    let stub = Stub::start(replies).await;
    let provider = provider(ProviderKind::Ollama, &stub.url);
    (stub, provider)
}

#[tokio::test]
async fn words_come_line_by_line() {
    let (stub, mut provider) = with([Reply::lines(STREAM)]).await;
    provider.thinking = Some(true);
    let mut request = question();
    request.max_tokens = Some(282);
    let (events, reply) = ask(&model(provider), &request).await;
    let expected = [
        ChatEvent::Thinking("Hm.".to_owned()),
        ChatEvent::Text("It is ".to_owned()),
        ChatEvent::Text("21 °C.".to_owned()),
    ];
    assert_eq!(events, expected);
    let expected = ChatReply {
        text: "It is 21 °C.".to_owned(),
        thinking: "Hm.".to_owned(),
        usage: Usage {
            input_tokens: Some(26),
            output_tokens: Some(282),
        },
        stop: Stop::Length,
        ..ChatReply::default()
    };
    assert_eq!(reply.unwrap(), expected);
    let asked = &stub.asked()[0];
    assert!(asked.head.starts_with("post /api/chat http/1.1\r\n"));
    let expected = json!({
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "How warm is it in Zürich?"},
        ],
        "stream": true,
        "options": {"num_ctx": 8192, "num_predict": 282},
        "think": true,
    });
    assert_eq!(asked.json(), expected);
}

#[tokio::test]
async fn tools_are_called_and_answered() {
    let (stub, provider) = with([Reply::lines(TOOL_STREAM), Reply::lines(STREAM)]).await;
    let model = model(provider);
    let mut request = question();
    request.tools = vec![weather()];
    let reply = ask(&model, &request).await.1.unwrap();
    let call = ToolCall {
        id: "call_0".to_owned(),
        name: "weather".to_owned(),
        arguments: json!({"city": "Zürich"}),
    };
    assert_eq!(
        (&reply.tool_calls[..], reply.stop),
        (&[call][..], Stop::ToolCalls)
    );
    request.messages.push(reply.into_message());
    request.messages.push(Message::ToolResult {
        id: "call_0".to_owned(),
        name: "weather".to_owned(),
        text: "21".to_owned(),
        is_error: false,
    });
    ask(&model, &request).await.1.unwrap();
    let asked = stub.asked()[1].json();
    assert_eq!(asked["tools"][0]["function"]["name"], "weather");
    assert_eq!(
        asked["messages"][2]["tool_calls"],
        json!([{"function": {"name": "weather", "arguments": {"city": "Zürich"}}}])
    );
    assert_eq!(
        asked["messages"][3],
        json!({"role": "tool", "tool_name": "weather", "content": "21"})
    );
}

#[tokio::test]
async fn thoughts_are_asked_for_and_never_needed() {
    let refusal = r#"{"error":"\"tiny\" does not support thinking"}"#;
    let (stub, mut provider) = with([Reply::json(400, refusal), Reply::lines(STREAM)]).await;
    provider.thinking = Some(true);
    ask(&model(provider), &question()).await.1.unwrap();
    let asked = stub.asked();
    assert_eq!(asked[0].json()["think"], true);
    assert_eq!(asked[1].json().get("think"), None);
}

#[tokio::test]
async fn an_unknown_model_is_answered_by_those_there_are() {
    let refusal = r#"{"error":"model \"tiny\" not found, try pulling it first"}"#;
    let tags =
        r#"{"models":[{"name":"gemma3:4b","model":"gemma3:4b","size":1},{"name":"tiny2:latest"}]}"#;
    let (_stub, provider) = with([Reply::json(404, refusal), Reply::json(200, tags)]).await;
    let url = provider.base_url.clone();
    let error = ask(&model(provider), &question()).await.1.unwrap_err();
    let message = format!("test ({url}) does not know the model \"tiny\"");
    assert_eq!(error.to_string(), message);
    assert_eq!(error.hint(), "it knows tiny2:latest, gemma3:4b");
}
