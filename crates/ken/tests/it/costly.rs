//! Questions that are made to cost: each interface refuses them, and the server goes on for the others.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::thread;

use serde_json::{Value, json};

use crate::server::Server;
use crate::vault::TestVault;

/// An expression that has to remember each of the last four thousand letters.
const EXPRESSION: &str = "/[a-e][a-j ]{4000}7/";

/// Notes whose letters tell nothing of those that follow.
fn large_vault() -> TestVault {
    let vault = TestVault::empty();
    for n in 0..40u32 {
        let letters = (n * 20_000..(n + 1) * 20_000).map(|n| n.wrapping_mul(2_654_435_761) >> 13);
        let text: String = letters
            .map(|n| char::from(b" abcdefghij"[n as usize % 11]))
            .collect();
        vault.write(&format!("{n}.md"), &format!("# Note {n}\n\n{text}\n"));
    }
    vault
}

fn conditions(n: usize) -> String {
    let all: Vec<String> = (0..n).map(|n| format!("-w{n}x")).collect();
    all.join(" ")
}

fn alternatives(n: usize) -> String {
    let all: Vec<String> = (0..n).map(|n| format!("w{n}x")).collect();
    all.join(" OR ")
}

#[test]
fn what_costs_too_much_is_refused_with_a_hint() {
    let vault = large_vault();
    vault.ken(&["index"]).expect_code(0);
    for (question, reason) in [
        (conditions(5_000), "5000 conditions"),
        (alternatives(10_000), "10000 conditions"),
        (EXPRESSION.to_owned(), "more work"),
    ] {
        let run = vault.ken(&["search", "--", &question]);
        run.expect_hint(reason, "fewer words and conditions");
    }
    // What people type is answered.
    vault
        .ken(&["search", "--", &conditions(100)])
        .expect_code(0);
    vault.ken(&["search", "--", "/b[a-j]+ a/"]).expect_code(0);
    vault
        .ken(&["search", "--", &format!("note OR {}", alternatives(300))])
        .expect_code(0);
}

#[test]
fn costly_questions_over_the_network_are_refused_and_others_answered() {
    let vault = large_vault();
    let server = Server::start(&vault, &[]);
    let costly = json!({"q": EXPRESSION}).to_string();
    // All at once, and half of them go away before they are answered.
    let gone: Vec<_> = (0..6)
        .map(|_| {
            let mut stream = server.client().connect();
            let headers = [("Content-Type", "application/json")];
            let head = server.client().head("POST", "/search", &headers);
            let head = format!("{head}Content-Length: {}\r\n\r\n{costly}", costly.len());
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    drop(gone);
    thread::scope(|scope| {
        let asking: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| server.post("/search", &costly)))
            .collect();
        let plain = server.get("/search?q=note&k=1");
        assert_eq!(plain.status, 200, "{plain:?}");
        for reply in asking {
            let problem = reply.join().unwrap().problem(422);
            assert!(
                problem["hint"]
                    .as_str()
                    .unwrap()
                    .contains("simpler expression")
            );
        }
    });
    let many: String = conditions(5_000);
    server
        .post("/search", &json!({"q": many}).to_string())
        .problem(422);
    let arguments = json!({"query": many});
    let params = json!({"name": "search", "arguments": arguments});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
    ];
    let reply = server
        .client()
        .ask("POST", "/mcp", &headers, &call.to_string())
        .json();
    assert_eq!(reply["result"]["isError"], true, "{reply}");
    assert!(reply.to_string().contains("5000 conditions"), "{reply}");
}

#[test]
fn costly_questions_of_agents_are_refused() {
    let vault = large_vault();
    vault.ken(&["index"]).expect_code(0);
    let mut command = vault.command(&["mcp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let hello = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    });
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    writeln!(input, "{hello}\n{ready}").unwrap();
    for (id, query) in [(1, EXPRESSION.to_owned()), (2, alternatives(10_000))] {
        let params = json!({"name": "search", "arguments": {"query": query}});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        writeln!(input, "{call}").unwrap();
    }
    // Answers to what was asked before: the hello, and two questions.
    let output = BufReader::new(child.stdout.take().unwrap());
    let replies: Vec<Value> = output
        .lines()
        .take(3)
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect();
    drop(input);
    child.wait().unwrap();
    for id in [1, 2] {
        let reply = replies.iter().find(|reply| reply["id"] == id).unwrap();
        assert_eq!(reply["result"]["isError"], true, "{reply}");
        assert!(reply.to_string().contains("too costly"), "{reply}");
    }
}
