//! The same question gives the same hits in the same order, whoever asks and however.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use kenning::embed;
use kenning::search::{SearchContext, SearchOptions, Tuning, search};
use kenning::store::Store;
use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::server::Server;
use crate::vault::TestVault;

/// Prompts that the example vault answers, so that a hook has something to say to each.
const PROMPTS: [&str; 20] = [
    "halvard logbook treatment",
    "paint code 7114",
    "forty kegs of nails",
    "why did we decide not to wash the pages of the ship log",
    "may I treat private clients' things in the museum lab",
    "what pay rise should I ask for",
    "how long does a soaked book take to dry",
    "what to do with glossy art books after a flood",
    "how cold was it when the heating failed",
    "someone with a severe nut allergy",
    "who looks after the dog while we travel",
    "ratio of starch to water",
    "what do the status words in my notes mean",
    "self-employment and estimated tax",
    "heating and winter problems of the house",
    "iron gall ink corrosion",
    "Wann wurde Mamas Knie operiert?",
    "Papier nach dem Wässern wieder leimen",
    "Wer hat einen Schlüssel zur Wohnung meiner Mutter?",
    "when is the next estimated payment due",
];

/// What a hook says nothing about: names, operators, slips, and what no note answers.
const OTHERS: [&str; 12] = [
    "IRS penalty",
    "AJ",
    "who repaired the roof",
    "\"north gutter\"",
    "tag:#finance penalty",
    "path:People design",
    "kitchen -budget",
    "kitchen OR garden",
    "since:2025-01-01 renovation",
    "[[Kitchen Renovation]] costs",
    "bioler servise",
    "zebra quantum chromodynamics",
];

/// Hits that are asked for.
const LIMIT: usize = 5;

type Ids = Vec<String>;

fn ids(hits: &Value) -> Ids {
    let hits = hits
        .as_array()
        .unwrap_or_else(|| panic!("no hits in {hits}"));
    let ids = hits
        .iter()
        .map(|hit| hit["id"].as_str().unwrap().to_owned());
    ids.collect()
}

fn from_terminal(vault: &TestVault, query: &str) -> Ids {
    let n = LIMIT.to_string();
    let run = vault.ken(&["search", "-f", "json", "-n", &n, "--", query]);
    ids(&run.json()["hits"])
}

fn from_http(server: &Server, query: &str) -> (Ids, Ids) {
    let encoded: String = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let got = server.get(&format!("/search?q={encoded}&k={LIMIT}"));
    let posted = server.post("/search", &json!({"q": query, "k": LIMIT}).to_string());
    let hits = |body: &str| ids(&serde_json::from_str::<Value>(body).unwrap()["hits"]);
    (hits(&got.body), hits(&posted.body))
}

fn from_mcp(client: &mut Client, query: &str) -> Ids {
    let result = client.call("search", json!({"query": query, "limit": LIMIT}));
    ids(&result["structuredContent"]["results"])
}

fn from_mcp_http(server: &Server, query: &str) -> Ids {
    let message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "search",
            "arguments": {"query": query, "limit": LIMIT},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "search"),
    ];
    let reply = server
        .client()
        .ask("POST", "/mcp", &headers, &message.to_string());
    let answer: Value = serde_json::from_str(&reply.body)
        .unwrap_or_else(|error| panic!("{error}: {} {:?}", reply.status, reply.body));
    ids(&answer["result"]["structuredContent"]["results"])
}

fn from_engine(store: &Store, query: &str) -> Ids {
    let cx = SearchContext {
        store,
        embedder: embed::embedded(),
        tuning: &Tuning::default(),
    };
    let options = SearchOptions {
        limit: LIMIT,
        now: i64::MAX >> 24,
        ..SearchOptions::default()
    };
    let answer = search(&cx, query, &options).unwrap();
    let hits = answer.hits.iter();
    hits.map(|hit| format!("#{:08x}", hit.chunk.handle))
        .collect()
}

/// What a hook gives is the beginning of the same list: as much of it as is sure and fits.
fn from_hook(vault: &TestVault, session: usize, query: &str) -> Ids {
    let input = json!({
        "session_id": format!("parity-{session}"),
        "cwd": vault.root(),
        "hook_event_name": "UserPromptSubmit",
        "prompt": query,
    });
    let mut child = vault
        .command(&["hook", "prompt"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.to_string().as_bytes()).unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    let log = fs::read_to_string(vault.beside("data/hook/log.jsonl")).unwrap();
    let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    let given = last["given"].as_array().unwrap().iter();
    given.map(|id| id.as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_interface_gives_the_same_hits_in_the_same_order() {
    let vault = TestVault::example();
    // A hook keeps to itself what it is not sure of; here it may say all it finds.
    let settings = "[hooks]\nmin_confidence = 0.0\nprompt_tokens = 20000\n";
    fs::write(vault.beside("config.toml"), settings).unwrap();
    let server = Server::start(&vault, &[]);
    let (mut legacy, _) = Client::legacy(&vault, "2025-06-18");
    let mut modern = Client::modern(&vault, &[]);
    let file = fs::read_dir(vault.beside("data")).unwrap();
    let mut files = file.map(|entry| entry.unwrap().path());
    let file = files.find(|path| path.extension().is_some_and(|e| e == "db"));
    let store = Store::open(&file.unwrap()).unwrap();
    for (number, query) in PROMPTS.into_iter().chain(OTHERS).enumerate() {
        let expected = from_terminal(&vault, query);
        let (got, posted) = from_http(&server, query);
        assert_eq!(got, expected, "GET /search: {query}");
        assert_eq!(posted, expected, "POST /search: {query}");
        assert_eq!(
            from_mcp(&mut legacy, query),
            expected,
            "MCP 2025-06-18: {query}"
        );
        assert_eq!(
            from_mcp(&mut modern, query),
            expected,
            "MCP 2026-07-28: {query}"
        );
        assert_eq!(
            from_mcp_http(&server, query),
            expected,
            "MCP over HTTP: {query}"
        );
        assert_eq!(from_engine(&store, query), expected, "the engine: {query}");
        let given = from_hook(&vault, number, query);
        assert!(
            expected.starts_with(&given),
            "hook: {query}: {given:?} of {expected:?}"
        );
        let is_prompt = number < PROMPTS.len();
        assert!(!given.is_empty() || !is_prompt, "nothing for {query}");
    }
}
