//! `ken mcp` over standard input and output, as clients of both eras of the protocol see it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::vault::TestVault;

pub(crate) const TOOLS: [&str; 11] = [
    "search",
    "memory_search",
    "ask",
    "get",
    "multi_get",
    "traverse",
    "links",
    "status",
    "list_notes",
    "verify_citations",
    "context",
];

pub(crate) fn indexed() -> TestVault {
    let vault = TestVault::example();
    vault.ken(&["index", "--quiet"]).expect_code(0);
    vault
}

#[test]
fn a_client_without_handshake_gets_results_that_stand_alone() {
    let vault = indexed();
    let mut client = Client::modern(&vault, &[]);
    let discovered = client.ask("server/discover", json!({}))["result"].take();
    assert_eq!(discovered["resultType"], "complete");
    let versions = discovered["supportedVersions"].as_array().unwrap();
    for version in ["2026-07-28", "2025-11-25", "2025-06-18"] {
        assert!(versions.contains(&version.into()), "{version}");
    }
    let instructions = discovered["instructions"].as_str().unwrap();
    assert!(instructions.len() < 2_048, "{}", instructions.len());
    for word in [
        "47 notes",
        "`search`",
        "`get`",
        "`verify_citations`",
        "not a request",
    ] {
        assert!(instructions.contains(word), "{word}: {instructions}");
    }
    for (method, list) in [
        ("tools/list", "tools"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ] {
        let first = client.ask(method, json!({}))["result"].take();
        assert_eq!(first["resultType"], "complete", "{method}");
        assert!(
            first["ttlMs"].is_u64() && first["cacheScope"].is_string(),
            "{method}"
        );
        let name = &first["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
        assert_eq!(name, "ken", "{method}");
        assert!(!first[list].as_array().unwrap().is_empty(), "{method}");
        assert_eq!(client.ask(method, json!({}))["result"], first, "{method}");
    }
    let called = client.call("search", json!({"query": "IRS penalty"}));
    assert_eq!(called["resultType"], "complete");
    assert!(called["_meta"].is_object());
    // A request that does not say what it is cannot be answered.
    let meta = client.meta.take();
    assert_eq!(client.ask("tools/list", json!({}))["error"]["code"], -32602);
    client.meta = meta;
    let lost = json!({"uri": "ken://vault/No such.md"});
    assert_eq!(client.ask("resources/read", lost)["error"]["code"], -32602);
}

#[test]
fn a_client_with_handshake_gets_what_its_version_knows() {
    let vault = indexed();
    for version in ["2025-06-18", "2025-11-25"] {
        let (mut client, said) = Client::legacy(&vault, version);
        assert_eq!(said["protocolVersion"], version);
        assert_eq!(said["serverInfo"]["name"], "ken");
        assert!(said["instructions"].as_str().unwrap().contains("47 notes"));
        let listed = client.ask("tools/list", json!({}))["result"].take();
        for newer in ["resultType", "ttlMs", "cacheScope", "_meta"] {
            assert_eq!(listed.get(newer), None, "{version} {newer}");
        }
        assert_eq!(listed["tools"].as_array().unwrap().len(), TOOLS.len());
        let found = client.answer("search", json!({"query": "IRS penalty"}));
        assert_eq!(found["results"][0]["path"], "2-Areas/Finance/IRS-Letter.md");
        assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
        let lost = json!({"uri": "ken://vault/No such.md"});
        assert_eq!(client.ask("resources/read", lost)["error"]["code"], -32002);
    }
    // A version nobody knows is answered with one that is known.
    let (_, said) = Client::legacy(&vault, "1999-01-01");
    assert_eq!(said["protocolVersion"], "2025-11-25");
}

#[test]
fn tools_are_described_without_unions_and_always_in_the_same_order() {
    let vault = indexed();
    let mut client = Client::modern(&vault, &[]);
    let tools = client.ask("tools/list", json!({}))["result"]["tools"].take();
    let tools = tools.as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, TOOLS);
    let loaded: Vec<&Value> = tools
        .iter()
        .filter(|tool| tool["_meta"]["anthropic/alwaysLoad"] == true)
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(loaded, ["search"]);
    for tool in tools {
        let hints = &tool["annotations"];
        let expected = [
            ("readOnlyHint", true),
            ("destructiveHint", false),
            ("idempotentHint", true),
            ("openWorldHint", false),
        ];
        for (hint, value) in expected {
            assert_eq!(hints[hint], value, "{hint}");
        }
        assert!(hints["title"].is_string());
        assert!(tool["description"].as_str().unwrap().len() < 2_048);
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object");
            check_plain(&tool[schema], &format!("{} {schema}", tool["name"]));
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
    }
}

/// Checks that a schema refers to nothing and has one type at every place.
#[track_caller]
pub(crate) fn check_plain(schema: &Value, place: &str) {
    let words = schema
        .as_object()
        .unwrap_or_else(|| panic!("{place}: {schema}"));
    for union in [
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "$defs",
        "prefixItems",
        "not",
    ] {
        assert!(!words.contains_key(union), "{place}: {union}");
    }
    if let Some(name) = words.get("type") {
        assert!(name.is_string() && name != "null", "{place}: {name}");
    }
    for (name, property) in words
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        check_plain(property, &format!("{place}.{name}"));
    }
    if let Some(items) = words.get("items") {
        check_plain(items, &format!("{place}[]"));
    }
}

#[test]
fn prompts_carry_what_was_asked() {
    let vault = indexed();
    let mut client = Client::modern(&vault, &[]);
    let params = json!({"name": "answer_from_notes", "arguments": {"question": "who pays?"}});
    let prompt = client.ask("prompts/get", params)["result"].take();
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(
        text.contains("who pays?") && text.contains("verify_citations"),
        "{text}"
    );
    let lost = client.ask("prompts/get", json!({"name": "answer_from_notes"}));
    assert_eq!(lost["error"]["code"], -32602);
}

#[test]
fn resources_come_in_pages() {
    let vault = TestVault::empty();
    for number in 0..120 {
        vault.write(
            &format!("n/{number:03}.md"),
            &format!("# Note {number}\n\nText of it, long enough.\n"),
        );
    }
    vault.ken(&["index"]).expect_code(0);
    let mut client = Client::modern(&vault, &[]);
    let first = client.ask("resources/list", json!({}))["result"].take();
    assert_eq!(first["resources"].as_array().unwrap().len(), 100);
    let cursor = &first["nextCursor"];
    let second = client.ask("resources/list", json!({"cursor": cursor}))["result"].take();
    assert_eq!(second["resources"].as_array().unwrap().len(), 20);
    assert_eq!(second["resources"][0]["uri"], "ken://vault/n/100.md");
    assert_eq!(second.get("nextCursor"), None);
    let lost = client.ask("resources/list", json!({"cursor": "elsewhere"}));
    assert_eq!(lost["error"]["code"], -32602);
}

#[test]
fn what_is_too_long_is_cut_and_can_be_had_in_parts() {
    let vault = TestVault::empty();
    let line = "The harbour log says \"all quiet\" and nothing more about that night.\n";
    vault.write("Long.md", &format!("# Long\n\n{}", line.repeat(3_000)));
    for number in 0..60 {
        let text = format!("Harbour lights were seen {number} times from the pier. ").repeat(40);
        vault.write(
            &format!("{number}.md"),
            &format!("# Harbour {number}\n\n{text}\n"),
        );
    }
    vault.ken(&["index"]).expect_code(0);
    let mut client = Client::modern(&vault, &[]);
    let mut n_lines = 0;
    let mut from = 1;
    while from <= 3_002 {
        let result = client.call("get", json!({"reference": "Long", "from": from}));
        assert!(
            result.to_string().len() < 100_000,
            "{}",
            result.to_string().len()
        );
        let got = &result["structuredContent"];
        assert_eq!(got["start_line"], from);
        n_lines += got["text"].as_str().unwrap().lines().count();
        let end = got["end_line"].as_u64().unwrap();
        if end < 3_002 {
            let notice = got["notices"][0].as_str().unwrap();
            assert!(
                notice.contains(&format!("\"from\": {}", end + 1)),
                "{notice}"
            );
        }
        from = end + 1;
    }
    assert_eq!(n_lines, 3_002);

    let result = client.call("search", json!({"query": "harbour lights", "limit": 100}));
    assert!(
        result.to_string().len() < 100_000,
        "{}",
        result.to_string().len()
    );
    let found = &result["structuredContent"];
    assert!(
        found["notices"].to_string().contains("left out"),
        "{}",
        found["notices"]
    );
    let references: Vec<String> = (0..50).map(|number| format!("{number}.md")).collect();
    let result = client.call("multi_get", json!({"references": references}));
    assert!(
        result.to_string().len() < 100_000,
        "{}",
        result.to_string().len()
    );
    assert_eq!(
        result["structuredContent"]["notes"]
            .as_array()
            .unwrap()
            .len(),
        50
    );
}

#[test]
fn a_changed_note_is_found_and_a_first_index_is_made() {
    let vault = TestVault::empty();
    vault.write(
        "Roof.md",
        "# Roof\n\nEsko repaired the north gutter in May.\n",
    );
    let mut client = Client::modern(&vault, &[]);
    let found = client.answer("search", json!({"query": "gutter"}));
    assert_eq!(found["results"][0]["path"], "Roof.md", "{found}");
    vault.write(
        "Boat.md",
        "# Boat\n\nThe bilge pump was replaced by Maija.\n",
    );
    let found = client.answer("search", json!({"query": "bilge pump"}));
    assert_eq!(found["results"][0]["path"], "Boat.md", "{found}");
    std::fs::remove_file(vault.root().join("Boat.md")).unwrap();
    let (error, _) = client.refusal("get", json!({"reference": "Boat.md"}));
    assert!(error.contains("Boat.md"), "{error}");
}

#[test]
fn lines_that_are_no_messages_are_answered() {
    let vault = indexed();
    let mut client = Client::modern(&vault, &[]);
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#);
    client.send("this is not JSON");
    assert_eq!(client.receive()["error"]["code"], -32700);
    client.send(r#"{"jsonrpc":"2.0","id":"a"}"#);
    let answer = client.receive();
    assert_eq!(
        (&answer["error"]["code"], &answer["id"]),
        (&json!(-32600), &json!("a"))
    );
    client.send(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#);
    assert_eq!(client.receive()["error"]["code"], -32600);
    client.send("");
    let answer = client.ask("tools/call", json!({"name": 5}));
    assert_eq!(answer["error"]["code"], -32602);
    let found = client.answer("search", json!({"query": "IRS penalty"}));
    assert_eq!(found["evidence"], "strong");
}

#[test]
fn the_end_of_input_is_the_end_of_the_server() {
    let promptly = Duration::from_secs(2);
    let vault = indexed();
    assert!(Client::start(&vault, &[]).end() < promptly);
    let mut idle = Client::modern(&vault, &[]);
    idle.answer("status", json!({}));
    assert!(idle.end() < promptly);

    // While answers are under way, and while notes are being indexed.
    let large = large();
    let mut busy = Client::modern(&large, &[]);
    let meta = busy.meta.clone();
    for id in 0..20 {
        let params =
            json!({"name": "search", "arguments": {"query": "harbour log"}, "_meta": meta});
        let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        busy.send(&message.to_string());
    }
    assert!(busy.end() < promptly);
}

/// A vault whose first index takes longer than a call waits, on most machines.
fn large() -> TestVault {
    let vault = TestVault::empty();
    for number in 0..3_000 {
        let text = format!("Word{number} and the harbour log of that day. ").repeat(60);
        let path = format!("{number}.md");
        vault.write(&path, &format!("# Note {number}\n\n{text}\n"));
    }
    vault
}

#[test]
fn notes_that_are_not_indexed_yet_are_not_taken_for_silence() {
    let vault = large();
    let mut client = Client::modern(&vault, &[]);
    let started = Instant::now();
    loop {
        let asked = Instant::now();
        let result = client.call("search", json!({"query": "harbour log", "mode": "lexical"}));
        assert!(
            asked.elapsed() < Duration::from_secs(5),
            "{:?}",
            asked.elapsed()
        );
        let text = result["content"][0]["text"].as_str().unwrap();
        if result["structuredContent"]["results"][0].is_object() {
            break;
        }
        assert!(text.contains("being indexed"), "{text}");
        assert!(!text.contains("your notes do not say"), "{text}");
        assert!(started.elapsed() < Duration::from_secs(60), "{text}");
    }
}

#[test]
fn answers_that_are_under_way_are_still_written() {
    let vault = indexed();
    let mut client = Client::modern(&vault, &[]);
    let params = json!({"name": "status", "arguments": {}, "_meta": client.meta});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    client.send(&message.to_string());
    drop(client.input.take());
    assert_eq!(client.receive()["id"], 1);
}
