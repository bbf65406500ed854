//! `ken mcp` over standard input and output, as clients of both eras of the protocol see it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::vault::TestVault;

const TOOLS: [&str; 9] = [
    "search",
    "memory_search",
    "get",
    "multi_get",
    "traverse",
    "links",
    "status",
    "list_notes",
    "verify_citations",
];

/// A client that speaks plain JSON-RPC, so that every byte is seen.
pub(crate) struct Client {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// What a client of 2026-07-28 sends along with each request.
    meta: Option<Value>,
    n_sent: u64,
}

impl Client {
    fn start(vault: &TestVault, args: &[&str]) -> Self {
        let mut all = vec!["mcp"];
        all.extend(args);
        let mut command = match args {
            [] => vault.command(&all),
            _ => vault.bare_command(&all),
        };
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            input: process.stdin.take(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process,
            meta: None,
            n_sent: 0,
        }
    }

    /// A client of 2026-07-28: no handshake, every request stands alone.
    pub(crate) fn modern(vault: &TestVault, args: &[&str]) -> Self {
        let mut client = Self::start(vault, args);
        client.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        }));
        client
    }

    /// An older client, after its handshake. Returns what the server said in it, too.
    pub(crate) fn legacy(vault: &TestVault, version: &str) -> (Self, Value) {
        let mut client = Self::start(vault, &[]);
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let result = client.ask("initialize", params)["result"].take();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        (client, result)
    }

    fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    #[track_caller]
    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    #[track_caller]
    fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.n_sent += 1;
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        let id = self.n_sent;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&message.to_string());
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool and returns its whole result.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }

    /// Calls a tool that works and returns what it says as JSON.
    #[track_caller]
    fn answer(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].take()
    }

    /// Calls a tool that refuses, and returns its message and hint.
    #[track_caller]
    fn refusal(&mut self, tool: &str, arguments: Value) -> (String, String) {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.ends_with("Nothing was executed."), "{text}");
        let said = &result["structuredContent"];
        assert_eq!(said["executed"], false);
        let word = |name: &str| said[name].as_str().unwrap_or_default().to_owned();
        (word("error"), word("hint"))
    }

    /// Ends the input and returns how long the server took to go.
    fn end(mut self) -> Duration {
        drop(self.input.take());
        let started = Instant::now();
        assert!(self.process.wait().unwrap().success());
        started.elapsed()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn indexed() -> TestVault {
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
fn check_plain(schema: &Value, place: &str) {
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
fn search_gives_the_hits_of_the_terminal_with_addresses_and_text() {
    let vault = indexed();
    let expected = vault
        .ken(&["search", "-n", "5", "--format", "json", "kitchen floor"])
        .json();
    let mut client = Client::modern(&vault, &[]);
    for tool in ["search", "memory_search"] {
        let result = client.call(tool, json!({"query": "kitchen floor"}));
        let found = &result["structuredContent"];
        assert_eq!(found["evidence"], expected["evidence"]);
        let ids = |list: &Value| -> Vec<Value> {
            let list = list.as_array().unwrap().iter();
            list.map(|hit| json!([hit["id"], hit["score"], hit["start_line"], hit["text"]]))
                .collect()
        };
        assert_eq!(ids(&found["results"]), ids(&expected["hits"]));
        let content = result["content"].as_array().unwrap();
        let text = content[0]["text"].as_str().unwrap();
        let first = &found["results"][0];
        assert!(text.contains(first["path"].as_str().unwrap()) && text.contains("> "));
        assert_eq!(content[1]["type"], "resource_link");
        assert_eq!(content[1]["uri"], first["uri"]);
        let read = client.ask("resources/read", json!({"uri": first["uri"]}))["result"].take();
        let note = read["contents"][0]["text"].as_str().unwrap();
        assert!(note.contains(first["text"].as_str().unwrap().lines().next().unwrap()));
        assert_eq!(read["contents"][0]["mimeType"], "text/markdown");
    }
    let few = client.answer(
        "search",
        json!({"query": "kitchen", "limit": 2, "mode": "lexical"}),
    );
    assert_eq!(
        (few["results"].as_array().unwrap().len(), &few["mode"]),
        (2, &json!("lexical"))
    );
    let short = client.answer("search", json!({"query": "kitchen", "max_tokens": 60}));
    let n_chars: usize = short["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["text"].as_str().unwrap().chars().count())
        .sum();
    assert!(n_chars <= 240, "{n_chars}");
}

#[test]
fn what_the_notes_do_not_say_is_said() {
    let vault = TestVault::empty();
    vault.write(
        "Roof.md",
        "# Roof\n\nEsko repaired the north gutter in May.\n",
    );
    vault.ken(&["index"]).expect_code(0);
    let mut client = Client::modern(&vault, &[]);
    let result = client.call("search", json!({"query": "xylophone", "mode": "lexical"}));
    let found = &result["structuredContent"];
    assert_eq!(found["evidence"], "none");
    assert_eq!(found["results"], json!([]));
    assert_eq!(found["message"], "your notes do not say");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("your notes do not say"), "{text}");
    assert_eq!(result["isError"], false);
}

#[test]
fn notes_are_read_whole_in_part_and_together() {
    let vault = indexed();
    let mut client = Client::modern(&vault, &[]);
    let path = "2-Areas/People/April Jane.md";
    let whole = client.answer("get", json!({"reference": "AJ"}));
    assert_eq!(
        (&whole["path"], &whole["start_line"]),
        (&json!(path), &json!(1))
    );
    assert_eq!(whole["uri"], "ken://vault/2-Areas/People/April%20Jane.md");
    let lines: Vec<&str> = whole["text"].as_str().unwrap().lines().collect();
    let part = client.answer(
        "get",
        json!({"reference": whole["uri"], "from": 2, "to": 3}),
    );
    assert_eq!(part["text"], lines[1..3].join("\n"));
    let tail = client.answer("get", json!({"reference": path, "from": lines.len()}));
    assert_eq!(tail["text"], lines[lines.len() - 1]);

    let many = client.answer("multi_get", json!({"references": ["AJ:1-2", "Nobody"]}));
    assert_eq!(many["notes"][0]["end_line"], 2);
    assert_eq!(many["missing"][0]["reference"], "Nobody");
    assert!(
        many["missing"][0]["error"]
            .as_str()
            .unwrap()
            .contains("Nobody")
    );

    for (from, to) in [(lines.len() + 1, 99), (3, 2)] {
        let beyond = json!({"reference": path, "from": from, "to": to});
        let (error, hint) = client.refusal("get", beyond);
        assert!(error.contains("has no lines"), "{error}");
        assert!(hint.contains(&format!("1 to {}", lines.len())), "{hint}");
    }

    let (error, hint) = client.refusal("get", json!({"reference": "Nobody"}));
    assert!(
        error.contains("Nobody") && hint.contains("search"),
        "{error} {hint}"
    );
}

#[test]
fn links_walks_and_lists_lead_to_notes() {
    let vault = indexed();
    let mut client = Client::modern(&vault, &[]);
    let links = client.answer("links", json!({"reference": "Kitchen Renovation"}));
    let paths = |list: &Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|item| item["path"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(paths(&links["outgoing"]).contains(&"2-Areas/People/Dale Pruitt.md".to_owned()));
    assert!(paths(&links["backlinks"]).contains(&"1-Projects/Garage Bench.md".to_owned()));

    let walk = json!({"reference": "Kitchen Renovation", "query": "who pays", "depth": 1});
    let walked = client.answer("traverse", walk);
    assert!(paths(&walked["retained"]).contains(&"2-Areas/People/Dale Pruitt.md".to_owned()));
    assert_eq!(walked["hops_walked"], 1);

    let all = client.answer("list_notes", json!({}));
    let first = client.answer("list_notes", json!({"limit": 2}));
    assert_eq!(
        (&first["n_notes"], &first["next_offset"]),
        (&all["n_notes"], &json!(2))
    );
    let next = client.answer("list_notes", json!({"limit": 2, "offset": 2}));
    assert_eq!(paths(&all["notes"])[2..4], paths(&next["notes"]));
    let finance = client.answer(
        "list_notes",
        json!({"prefix": "2-Areas/", "tag": "finance"}),
    );
    assert!(
        paths(&finance["notes"])
            .iter()
            .all(|path| path.starts_with("2-Areas/"))
    );

    let status = client.answer("status", json!({}));
    assert_eq!(status["domains"][0]["domain"], "vault");
    assert_eq!(status["domains"][0]["notes"], all["n_notes"]);
}

#[test]
fn citations_are_checked_from_markdown_and_one_by_one() {
    let vault = indexed();
    let mut client = Client::modern(&vault, &[]);
    let quote = "Graphic designer, letterpress printer";
    let right = client.answer(
        "verify_citations",
        json!({"answer": format!("She is a \"{quote}\" [[April Jane]].")}),
    );
    assert_eq!(right["status"], "all_verified", "{right}");
    let uri = "ken://vault/2-Areas/People/April%20Jane.md";
    let citations = json!([
        {"path": uri, "quote": quote},
        {"path": "April Jane", "quote": "Astronaut, letterpress printer"},
        {"path": "ken://elsewhere/April%20Jane.md", "quote": quote},
    ]);
    let mixed = client.answer("verify_citations", json!({"citations": citations}));
    assert_eq!(mixed["status"], "has_mismatch");
    let reasons: Vec<&str> = mixed["citations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|verdict| verdict["reason"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["match", "not_found", "no_chunk_text"]);
    let (error, _) = client.refusal("verify_citations", json!({}));
    assert!(error.contains("answer"), "{error}");
}

#[test]
fn wrong_arguments_are_refused_and_the_right_ones_named() {
    let vault = indexed();
    let mut client = Client::modern(&vault, &[]);
    let (error, hint) = client.refusal("search", json!({"query": "x", "domian": "vault"}));
    assert!(
        error.contains("`domian`") && hint.contains("`domain`"),
        "{error} {hint}"
    );
    let (error, _) = client.refusal("search", json!({}));
    assert!(error.contains("`query`"), "{error}");
    let (error, _) = client.refusal("search", json!({"query": "  "}));
    assert!(error.contains("nothing to look for"), "{error}");
    let (error, hint) = client.refusal("search", json!({"query": "x", "limit": 1000}));
    assert!(
        error.contains("`limit`") && hint.contains("100"),
        "{error} {hint}"
    );
    let (error, hint) = client.refusal("get", json!({"reference": "AJ", "domain": "nowhere"}));
    assert!(
        error.contains("nowhere") && hint.contains("vault"),
        "{error} {hint}"
    );
    let lost = client.ask("tools/call", json!({"name": "serch", "arguments": {}}));
    assert_eq!(lost["error"]["code"], -32602);
    assert!(
        lost["error"]["message"]
            .as_str()
            .unwrap()
            .contains("known tools: search")
    );
    assert_eq!(
        client.ask("tools/destroy", json!({}))["error"]["code"],
        -32601
    );
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
        let text = "Harbour lights were seen again from the pier. ".repeat(40);
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
    client.send("this is no JSON");
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

/// Two domains; what stands in the second must not be seen through the first.
fn two_domains() -> TestVault {
    let vault = TestVault::empty();
    for (domain, text) in [
        (
            "work",
            "# Plan\n\nThe quarterly plan of the team, see [[Diary]].\n",
        ),
        (
            "home",
            "# Diary\n\nThe secret xylophone lesson on Tuesday.\n",
        ),
    ] {
        let folder = vault.beside(domain);
        std::fs::create_dir(&folder).unwrap();
        let name = if domain == "work" {
            "Plan.md"
        } else {
            "Diary.md"
        };
        std::fs::write(folder.join(name), text).unwrap();
        let folder = folder.to_str().unwrap().to_owned();
        vault
            .bare_ken(&["domain", "add", domain, &folder])
            .expect_code(0);
        vault
            .bare_ken(&["index", "--domain", domain])
            .expect_code(0);
    }
    vault
}

#[test]
fn a_domain_that_is_not_served_does_not_exist() {
    let vault = two_domains();
    let mut client = Client::modern(&vault, &["--domain", "work"]);
    let found = client.answer("search", json!({"query": "xylophone", "mode": "lexical"}));
    assert_eq!(found["results"], json!([]));
    let uri = "ken://home/Diary.md";
    for (tool, arguments) in [
        ("search", json!({"query": "xylophone", "domain": "home"})),
        ("get", json!({"reference": "Diary"})),
        ("get", json!({"reference": uri})),
        ("get", json!({"reference": "../home/Diary.md"})),
        ("get", json!({"reference": vault.beside("home/Diary.md")})),
        ("links", json!({"reference": uri})),
        ("traverse", json!({"reference": uri})),
        ("list_notes", json!({"domain": "home"})),
        ("status", json!({"domain": "home"})),
        ("verify_citations", json!({"answer": "x", "domain": "home"})),
    ] {
        let (_, hint) = client.refusal(tool, arguments.clone());
        assert!(!hint.contains("home"), "{tool} {arguments}: {hint}");
    }
    for uri in [
        uri,
        "ken://work/../home/Diary.md",
        "ken://work/%2E%2E/home/Diary.md",
    ] {
        let lost = client.ask("resources/read", json!({"uri": uri}));
        assert_eq!(lost["error"]["code"], -32602, "{uri}");
    }
    let everything = [
        client.ask("server/discover", json!({})),
        client.ask("resources/list", json!({})),
        client.ask("tools/list", json!({})),
        client.answer("status", json!({})),
        client.answer("list_notes", json!({})),
        client.answer("multi_get", json!({"references": ["Diary"]})),
        client.answer(
            "verify_citations",
            json!({"citations": [{"path": "Diary", "quote": "secret xylophone lesson"}]}),
        ),
    ];
    for answer in everything {
        let text = answer.to_string();
        assert!(
            !text.contains("lesson on Tuesday") && !text.contains("home"),
            "{text}"
        );
    }
}

#[test]
fn all_domains_are_asked_where_none_is_named() {
    let vault = two_domains();
    let mut client = Client::modern(&vault, &["--domain", "work,home"]);
    let found = client.answer("search", json!({"query": "xylophone lesson"}));
    assert_eq!(found["results"][0]["uri"], "ken://home/Diary.md", "{found}");
    assert_eq!(found["results"][0]["domain"], "home");
    let found = client.answer(
        "search",
        json!({"query": "xylophone", "domain": "work", "mode": "lexical"}),
    );
    assert_eq!(found["results"], json!([]));
    assert_eq!(
        client.answer("get", json!({"reference": "Diary"}))["domain"],
        "home"
    );
    let listed = client.answer("list_notes", json!({"limit": 1, "offset": 1}));
    assert_eq!(
        (&listed["n_notes"], &listed["notes"][0]["domain"]),
        (&json!(2), &json!("home"))
    );
    let cited = json!({"citations": [{"path": "Diary", "quote": "secret xylophone lesson"}]});
    assert_eq!(
        client.answer("verify_citations", cited)["status"],
        "all_verified"
    );
    // The settings know them as well.
    let mut client = Client::modern(&vault, &["--quiet"]);
    let status = client.answer("status", json!({}));
    assert_eq!(status["domains"].as_array().unwrap().len(), 2, "{status}");
}

#[test]
fn tools_are_printed_for_other_agent_loops() {
    let vault = TestVault::empty();
    let names = |style: &str, of: fn(&Value) -> (&Value, &Value)| {
        let list = vault
            .bare_ken(&["tools", "--style", style])
            .expect_code(0)
            .json();
        for tool in list.as_array().unwrap() {
            let (name, schema) = of(tool);
            check_plain(schema, &name.to_string());
            assert_eq!(schema["type"], "object");
        }
        let list = list.as_array().unwrap().iter();
        list.map(|tool| of(tool).0.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names("anthropic", |tool| (&tool["name"], &tool["input_schema"])),
        TOOLS
    );
    for style in ["openai", "ollama"] {
        let of: fn(&Value) -> (&Value, &Value) = |tool| {
            assert_eq!(tool["type"], "function");
            (&tool["function"]["name"], &tool["function"]["parameters"])
        };
        assert_eq!(names(style, of), TOOLS);
    }
}
