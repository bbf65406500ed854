//! `ken ask`: sentences of the notes that answer, the same through every interface, and quotes that hold.

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::server::Server;
use crate::vault::TestVault;

const QUESTIONS: [&str; 6] = [
    "who hung the new gutter?",
    "how much does Marlys charge for the boiler service",
    "Wann wurde Mamas Knie operiert?",
    "why did we give up the wood stove",
    "when is the next estimated payment due",
    "who has a severe nut allergy",
];

/// What is said, without what depends on the moment.
fn said(answer: &Value) -> Value {
    json!([
        answer["answer"],
        answer["evidence"],
        answer["sought"],
        answer["sentences"]
    ])
}

#[test]
fn every_interface_answers_alike_and_every_quote_holds() {
    let vault = TestVault::example();
    vault.ken(&["index", "--quiet"]).expect_code(0);
    let server = Server::start(&vault, &[]);
    let mut client = Client::modern(&vault, &[]);
    for question in QUESTIONS {
        let told = vault
            .ken(&["ask", "--format", "json", question])
            .expect_code(0)
            .json();
        let sentences = told["sentences"].as_array().unwrap();
        assert!((1..=3).contains(&sentences.len()), "{told}");
        let encoded: String = question
            .bytes()
            .map(|byte| format!("%{byte:02X}"))
            .collect();
        let got = server.get(&format!("/ask?q={encoded}")).json();
        assert_eq!(said(&got), said(&told), "GET /ask: {question}");
        let posted = server
            .post("/ask", &json!({"q": question}).to_string())
            .json();
        assert_eq!(said(&posted), said(&told), "POST /ask: {question}");
        let called = client.answer("ask", json!({"question": question}));
        assert_eq!(called["evidence"], told["evidence"], "MCP: {question}");
        let quotes = |answer: &Value| -> Vec<Value> {
            let sentences = answer["sentences"].as_array().unwrap().iter();
            sentences.map(|one| one["quote"].clone()).collect()
        };
        assert_eq!(quotes(&called), quotes(&told), "MCP: {question}");
        let citations: Vec<Value> = sentences
            .iter()
            .map(|one| {
                json!({"path": one["path"], "start_line": one["start_line"],
                       "end_line": one["end_line"], "quote": one["quote"]})
            })
            .collect();
        let checked = server.post("/verify", &json!({"citations": citations}).to_string());
        assert_eq!(
            checked.json()["citations_status"],
            "all_verified",
            "{question}: {told}"
        );
    }
}

#[test]
fn an_answer_is_shown_with_its_place() {
    let vault = TestVault::example();
    vault.ken(&["index", "--quiet"]).expect_code(0);
    let run = vault.ken(&["ask", QUESTIONS[0]]).expect_code(0);
    assert!(run.stdout.contains("Esko"), "{}", run.stdout);
    assert!(
        run.stdout.contains("2-Areas/Home/Roof and Gutters.md:"),
        "{}",
        run.stdout
    );
    assert!(run.stderr.contains("evidence"), "{}", run.stderr);
    let page = vault
        .ken(&["ask", "--format", "md", QUESTIONS[0]])
        .expect_code(0);
    assert!(
        page.stdout.contains("> ") && page.stdout.contains("**"),
        "{}",
        page.stdout
    );
    let deep = vault
        .ken(&["ask", "--deep", "--json", QUESTIONS[0]])
        .expect_code(0);
    assert_eq!(deep.json()["deep"], true);
}

#[test]
fn what_the_notes_do_not_say_exits_with_one() {
    let vault = TestVault::example();
    vault.ken(&["index", "--quiet"]).expect_code(0);
    let run = vault
        .ken(&["ask", "--mode", "lexical", "zyzzyva quokka"])
        .expect_code(1);
    assert_eq!(run.stdout, "");
    assert!(
        run.stderr.contains("Your notes do not say."),
        "{}",
        run.stderr
    );
    let told = vault
        .ken(&["ask", "--json", "--mode", "lexical", "zyzzyva quokka"])
        .expect_code(1)
        .json();
    assert_eq!(
        (&told["message"], &told["evidence"]),
        (&json!("your notes do not say"), &json!("none"))
    );
    vault.ken(&["ask"]).expect_code(2);
    for empty in ["", "  "] {
        vault
            .ken(&["ask", empty])
            .expect_hint("there is no question", "ken ask");
    }
}
