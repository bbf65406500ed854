//! Questions of conversations that are kept: what is told again, edited, asked again, broken off.

use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};

use crate::model::{Lines, Model, Say, ask, said_by};
use crate::server::Server;
use crate::vault::TestVault;

const QUESTION: &str = "How much was the circulator cartridge of the boiler?";
const ANSWER: &str = "It was \"$214 for the part\" [1].";

fn answering() -> Model {
    Model::start(|_| Say::Text(ANSWER.to_owned()))
}

fn kept(server: &Server, id: &str) -> Value {
    server.get(&format!("/conversations/{id}")).json()
}

/// The conversation and the turn that the first line names.
fn named(lines: &Lines) -> (String, i64) {
    let first = &lines.0[0];
    assert_eq!(first["type"], "memory", "{first}");
    let id = first["conversation"].as_str().unwrap().to_owned();
    (id, first["turn"].as_i64().unwrap())
}

#[test]
fn what_is_asked_and_answered_is_kept_and_told_again() {
    let vault = TestVault::example();
    let model = answering();
    let server = model.serve(&vault, "tools = false");
    let lines = ask(
        &server,
        &json!({"question": QUESTION, "conversation": "new"}),
    );
    let (id, first) = named(&lines);
    let n_chars = QUESTION.len() + ANSWER.len();
    assert_eq!(lines.of("memory")[0]["used"], 0);
    assert_eq!(lines.of("memory")[1]["used"], n_chars);
    let lines = ask(
        &server,
        &json!({"question": "And who did it?", "conversation": id}),
    );
    assert_eq!(lines.of("memory")[0]["used"], n_chars);
    let asked = model.asked();
    assert_eq!(said_by(&asked[1], "user")[0], QUESTION);
    assert_eq!(said_by(&asked[1], "assistant"), [ANSWER]);
    let shown = kept(&server, &id);
    assert_eq!(shown["title"], QUESTION);
    let turn = &shown["turns"][0];
    assert_eq!(
        (&turn["answer"], &turn["state"], &turn["model"]),
        (&json!(ANSWER), &json!("answered"), &json!("stub/tiny"))
    );
    let source = &turn["sources"][0];
    assert_eq!(
        (&source["quote"], &source["citation_verified"]),
        (&json!("$214 for the part"), &json!(true))
    );
    assert_eq!(source["path"], "2-Areas/Home/Boiler.md");
    let used = lines.of("memory")[1]["used"].clone();
    assert_eq!(shown["memory"]["used"], used);

    // Asked in other words, it begins there again; the old branch stays.
    let edited = json!({"question": "What was the part?", "conversation": id, "instead_of": first});
    let (_, other) = named(&ask(&server, &edited));
    assert_eq!(
        said_by(&model.asked()[2], "assistant"),
        Vec::<String>::new()
    );
    let shown = kept(&server, &id);
    assert_eq!(shown["turns"].as_array().unwrap().len(), 1);
    assert_eq!(shown["turns"][0]["alternatives"], json!([first, other]));
    // And answered again, it is another answer to the same question.
    ask(&server, &json!({"conversation": id, "regenerate": true}));
    let shown = kept(&server, &id);
    assert_eq!(shown["turns"][0]["question"], "What was the part?");
    assert_eq!(
        shown["turns"][0]["alternatives"].as_array().unwrap().len(),
        3
    );
    assert_eq!(shown["n_turns"], 4);
    let export = server.get(&format!("/conversations/{id}/export")).body;
    assert!(export.contains(" · “$214 for the part”"), "{export}");
}

#[test]
fn a_conversation_keeps_its_scope() {
    let vault = TestVault::example();
    let model = answering();
    let server = model.serve(&vault, "tools = false");
    let folder = |lines: &Lines, folder: &str| {
        let found = lines.cited("found");
        found
            .iter()
            .all(|line| line["path"].as_str().unwrap().starts_with(folder))
    };
    let scope = json!({"folders": ["3-Resources"]});
    let lines = ask(
        &server,
        &json!({"question": QUESTION, "conversation": "new", "scope": scope}),
    );
    let (id, _) = named(&lines);
    assert!(folder(&lines, "3-Resources/"), "{:?}", lines.0);
    let again = json!({"conversation": id, "regenerate": true});
    assert!(folder(&ask(&server, &again), "3-Resources/"));
    assert_eq!(
        kept(&server, &id)["scope"]["folders"],
        json!(["3-Resources"])
    );
    let lifted = json!({"question": QUESTION, "conversation": id, "scope": {}});
    assert!(!folder(&ask(&server, &lifted), "3-Resources/"));
    assert_eq!(kept(&server, &id)["scope"], Value::Null);
}

#[test]
fn what_cannot_be_asked_in_a_conversation_is_a_problem() {
    let vault = TestVault::example();
    let model = answering();
    let server = model.serve(&vault, "tools = false");
    let (id, _) = named(&ask(
        &server,
        &json!({"question": QUESTION, "conversation": "new"}),
    ));
    for (body, status, detail) in [
        (
            json!({"question": "x", "conversation": "deadbeef"}),
            404,
            "no conversation",
        ),
        (
            json!({"question": "x", "conversation": id, "instead_of": 77}),
            404,
            "",
        ),
        (
            json!({"conversation": id, "regenerate": true, "instead_of": 77}),
            404,
            "no such question",
        ),
        (
            json!({"question": "x", "conversation": id, "regenerate": true}),
            422,
            "other words",
        ),
        (
            json!({"question": "x", "instead_of": 1}),
            422,
            "no conversation",
        ),
        (json!({"regenerate": true}), 422, "no conversation"),
        (
            json!({"conversation": "new", "regenerate": true}),
            422,
            "nothing was said",
        ),
        (
            json!({"question": "x", "conversation": id, "messages": []}),
            422,
            "knows",
        ),
        (
            json!({"question": "x", "conversation": id, "scope": {"domains": ["cellar"]}}),
            404,
            "cellar",
        ),
        (
            json!({"question": "x", "conversation": "new", "model": "nobody"}),
            422,
            "nobody",
        ),
        (json!({"conversation": id}), 400, "question"),
    ] {
        let problem = server.post("/rag", &body.to_string()).problem(status);
        assert!(
            problem["detail"].as_str().unwrap().contains(detail),
            "{problem}"
        );
    }
    // Nothing of that was written down.
    assert_eq!(kept(&server, &id)["n_turns"], 1);
    assert_eq!(server.get("/conversations").json()["n_conversations"], 1);
}

/// Asks, and hears until the model stalls.
fn stalled(server: &Server, body: &Value) -> (std::net::TcpStream, String) {
    let client = server.client();
    let mut stream = client.connect();
    let body = body.to_string();
    let headers = [
        ("Content-Type", "application/json"),
        ("Content-Length", &body.len().to_string()),
    ];
    let head = client.head("POST", "/rag", &headers);
    stream
        .write_all(format!("{head}\r\n{body}").as_bytes())
        .unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut line, mut id) = (String::new(), None);
    while !line.contains("\"citation_verified\":true") {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0);
        let told = line.split("\"conversation\":\"").nth(1);
        let told = told.and_then(|rest| rest.split('"').next());
        id = id.or(told.map(str::to_owned));
    }
    (stream, id.unwrap())
}

fn stalling() -> Model {
    Model::start(|_| Say::Stall(format!("{ANSWER} And")))
}

#[test]
fn who_goes_away_stops_the_model_and_what_came_is_kept() {
    let vault = TestVault::example();
    let model = stalling();
    let server = model.serve(&vault, "tools = false");
    let (stream, id) = stalled(
        &server,
        &json!({"question": QUESTION, "conversation": "new"}),
    );
    drop(stream);
    model.wait_gone();
    // It is written down a moment later.
    let turn = loop {
        let turn = kept(&server, &id)["turns"][0].clone();
        if turn["state"] != "asked" {
            break turn;
        }
    };
    assert_eq!(turn["state"], "stopped");
    assert!(
        turn["answer"].as_str().unwrap().starts_with(ANSWER),
        "{turn}"
    );
    assert_eq!(turn["sources"][0]["citation_verified"], true);
}

#[test]
fn a_server_that_is_killed_keeps_the_question() {
    let vault = TestVault::example();
    let model = stalling();
    let server = model.serve(&vault, "tools = false");
    let (stream, id) = stalled(
        &server,
        &json!({"question": QUESTION, "conversation": "new"}),
    );
    drop(server);
    model.wait_gone();
    drop(stream);
    let server = Server::start(&vault, &[]);
    let shown = kept(&server, &id);
    assert_eq!(shown["turns"][0]["question"], QUESTION);
    assert_ne!(shown["turns"][0]["state"], "answered");
}

#[test]
fn nobody_asks_in_the_conversation_of_somebody_else() {
    let vault = TestVault::example();
    let model = answering();
    model.configure(
        &vault,
        "tools = false\n[clients.desk]\ntoken = \"desk-token\"\n[clients.phone]\ntoken = \"phone-token\"\n",
    );
    let server = Server::start(&vault, &[]);
    let sent = |token: &str, body: Value| {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
        ];
        server
            .client()
            .ask("POST", "/rag", &headers, &body.to_string())
    };
    let desk = sent(
        "desk-token",
        json!({"question": QUESTION, "conversation": "new"}),
    );
    let (id, turn) = named(&crate::model::lines(&desk));
    for body in [
        json!({"question": "x", "conversation": id}),
        json!({"question": "x", "conversation": id, "instead_of": turn}),
        json!({"conversation": id, "regenerate": true}),
    ] {
        sent("phone-token", body).problem(404);
    }
    sent("desk-token", json!({"question": "x", "conversation": id}));
}
