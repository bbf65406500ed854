//! `/v1/chat/completions` and `/v1/models`, as clients of OpenAI see them.

use serde_json::{Value, json};

use crate::model::{Model, Say, said_by};
use crate::server::Server;
use crate::vault::TestVault;

const ANSWER: &str = "It was \"$214 for the part\" [1].";

fn chat(stream: bool) -> Value {
    json!({
        "model": "kenning",
        "stream": stream,
        "stream_options": {"include_usage": true},
        "temperature": 0.7,
        "messages": [
            {"role": "system", "content": "Answer like a pirate."},
            {"role": "user", "content": "who is Marlys?"},
            {"role": "assistant", "content": "She services the boiler."},
            {"role": "user", "content": [{"type": "text", "text": "How much was the circulator cartridge of the boiler?"}]},
        ],
    })
}

#[test]
fn a_chat_is_answered_whole() {
    let vault = TestVault::example();
    let model = Model::start(|_| Say::Text(ANSWER.to_owned()));
    let server = model.serve(&vault, "tools = false");
    let reply = server
        .post("/v1/chat/completions", &chat(false).to_string())
        .json();
    assert_eq!(
        (&reply["object"], &reply["model"]),
        (&json!("chat.completion"), &json!("kenning"))
    );
    let choice = &reply["choices"][0];
    assert_eq!(
        (&choice["finish_reason"], &choice["message"]["role"]),
        (&json!("stop"), &json!("assistant"))
    );
    let content = choice["message"]["content"].as_str().unwrap();
    assert!(
        content.starts_with(ANSWER) && content.contains("\n\n[1] 2-Areas/Home/Boiler.md:"),
        "{content}"
    );
    assert!(content.ends_with("1 of 1 verified"), "{content}");
    assert_eq!(reply["kenning"]["citations_status"], "all_verified");
    let asked = &model.asked()[0];
    assert!(said_by(asked, "system")[0].contains("Answer like a pirate."));
    assert_eq!(said_by(asked, "user")[0], "who is Marlys?");
    assert_eq!(said_by(asked, "assistant")[0], "She services the boiler.");
}

#[test]
fn a_chat_is_streamed() {
    let vault = TestVault::example();
    let model = Model::start(|_| Say::Text(ANSWER.to_owned()));
    let server = model.serve(&vault, "tools = false");
    let reply = server.post("/d/vault/v1/chat/completions", &chat(true).to_string());
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    let events: Vec<&str> = reply
        .body
        .split("\n\n")
        .filter_map(|event| event.strip_prefix("data: "))
        .collect();
    assert_eq!(events.last(), Some(&"[DONE]"));
    let chunks: Vec<Value> = events[..events.len() - 1]
        .iter()
        .map(|event| serde_json::from_str(event).unwrap())
        .collect();
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    let text: String = chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str())
        .collect();
    assert!(
        text.starts_with(ANSWER) && text.ends_with("1 of 1 verified"),
        "{text}"
    );
    let ends: Vec<&Value> = chunks
        .iter()
        .filter(|chunk| chunk["choices"][0]["finish_reason"] == "stop")
        .collect();
    assert_eq!(ends.len(), 1);
    let last = chunks.last().unwrap();
    assert!(
        last["usage"]["total_tokens"].is_number() && last["kenning"]["citations"].is_array(),
        "{last}"
    );
}

#[test]
fn without_a_model_kenning_answers_itself() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let models = server.get("/v1/models").json();
    assert_eq!(models["data"][0]["id"], "kenning");
    let reply = server
        .post("/v1/chat/completions", &chat(false).to_string())
        .json();
    let content = reply["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(content.contains("$214"), "{content}");
}

#[test]
fn models_are_listed_and_chosen() {
    let vault = TestVault::example();
    let model = Model::start(|_| Say::Text("ok".to_owned()));
    let server = model.serve(
        &vault,
        "tools = false\n[llm.providers.other]\nkind = \"ollama\"\nmodel = \"a:1b\"",
    );
    let listed = server.get("/v1/models").json();
    let ids: Vec<&str> = listed["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| model["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["kenning", "stub/tiny", "other/a:1b"]);
    let mut asked = chat(false);
    asked["model"] = json!("stub/tiny");
    assert_eq!(
        server
            .post("/v1/chat/completions", &asked.to_string())
            .status,
        200
    );
    asked["model"] = json!("gpt-9");
    server
        .post("/v1/chat/completions", &asked.to_string())
        .problem(422);
}

#[test]
fn what_cannot_be_a_question_is_refused() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let refused = |messages: Value, detail: &str| {
        let body = json!({"model": "kenning", "messages": messages});
        let problem = server
            .post("/v1/chat/completions", &body.to_string())
            .problem(422);
        assert!(
            problem["detail"].as_str().unwrap().contains(detail),
            "{problem}"
        );
    };
    refused(json!([]), "not a question");
    refused(
        json!([{"role": "assistant", "content": "hello"}]),
        "not a question",
    );
    let fetched = json!({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}});
    refused(
        json!([{"role": "user", "content": [{"type": "text", "text": "x"}, fetched]}]),
        "nothing is fetched",
    );
}

#[test]
fn a_model_that_fails_is_a_bad_gateway() {
    let vault = TestVault::example();
    let model = Model::start(|_| Say::Refuse(400, "no such thing"));
    let server = model.serve(&vault, "tools = false");
    let problem = server
        .post("/v1/chat/completions", &chat(false).to_string())
        .problem(502);
    assert!(
        problem["detail"]
            .as_str()
            .unwrap()
            .contains("no such thing"),
        "{problem}"
    );
}
