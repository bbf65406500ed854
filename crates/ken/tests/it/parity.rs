//! The same question gives the same hits in the same order, whoever asks and however.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use kenning::budget::Budget;
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
    "how much does Marlys charge for the boiler service",
    "how long does a soaked book take to dry",
    "what to do with glossy art books after a flood",
    "how cold was it when the heating failed",
    "someone with a severe nut allergy",
    "why did we give up the wood stove",
    "ice dams over the north eave",
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
        budget: &Budget::default(),
    };
    let options = SearchOptions {
        limit: LIMIT,
        ..SearchOptions::at(i64::MAX >> 24)
    };
    let answer = search(&cx, query, &options).unwrap();
    let hits = answer.hits.iter();
    hits.map(|hit| format!("#{:08x}", hit.chunk.handle))
        .collect()
}

/// What a hook gives is the beginning of the same list: as much of it as is sure and fits.
fn from_hook(vault: &TestVault, session: usize, query: &str) -> Ids {
    hook_says(vault, &format!("parity-{session}"), query);
    let log = fs::read_to_string(vault.beside("data/hook/log.jsonl")).unwrap();
    let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    let given = last["given"].as_array().unwrap().iter();
    given.map(|id| id.as_str().unwrap().to_owned()).collect()
}

/// Returns what a hook writes for a prompt.
fn hook_says(vault: &TestVault, session: &str, prompt: &str) -> String {
    let input = json!({
        "session_id": session,
        "cwd": vault.root(),
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
    });
    let mut child = vault
        .command(&["hook", "prompt"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.to_string().as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
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
        // To a hook, what would be an operator is a word like others.
        let expected = match query.contains(':') {
            true => from_terminal(&vault, &query.replace([':', '#'], " ")),
            false => expected,
        };
        assert!(
            expected.starts_with(&given),
            "hook: {query}: {given:?} of {expected:?}"
        );
        let is_prompt = number < PROMPTS.len();
        assert!(!given.is_empty() || !is_prompt, "nothing for {query}");
    }
}

#[test]
fn a_time_is_understood_and_switched_off_whoever_asks() {
    let vault = TestVault::empty();
    vault.write("New.md", "The roof leaks again.");
    vault.write("Old.md", "---\ncreated: 2019-05-05\n---\nThe roof leaks.");
    let question = "where does the roof leak this year";
    let server = Server::start(&vault, &[]);
    let mut client = Client::modern(&vault, &[]);
    let check = |answer: &Value, dates: bool, what: &str| {
        let hits = answer.get("hits").unwrap_or(&answer["results"]);
        let n_hits = hits.as_array().unwrap().len();
        let notices = answer["notices"].to_string();
        let says_how = notices.contains("`dates = false`");
        assert_eq!(
            (n_hits, says_how),
            (2 - usize::from(dates), dates),
            "{what}: {answer}"
        );
    };
    for dates in [true, false] {
        let args: &[&str] = if dates { &[] } else { &["--no-dates"] };
        let run = vault.ken(&[&["search", "-f", "json", question][..], args].concat());
        check(&run.json(), dates, "terminal");
        let body = json!({"q": question, "dates": dates}).to_string();
        check(&server.post("/search", &body).json(), dates, "POST /search");
        let encoded = question.replace(' ', "+");
        let got = server.get(&format!("/search?q={encoded}&dates={dates}"));
        check(&got.json(), dates, "GET /search");
        let result = client.call("search", json!({"query": question, "dates": dates}));
        check(&result["structuredContent"], dates, "MCP");
    }
}

#[test]
fn what_stands_in_several_notes_is_given_once_whoever_asks() {
    let vault = TestVault::empty();
    let text = "The gutter on the north side was replaced in October, for 1,180 in all.";
    for path in ["a.md", "b.md", "c.md"] {
        vault.write(path, text);
    }
    let question = "when was the north gutter replaced";
    let shown = "also in b.md, c.md";
    let run = vault.ken(&["search", question]);
    assert!(run.stdout.contains(shown), "{}", run.stdout);
    let mut client = Client::modern(&vault, &[]);
    let result = client.call("search", json!({"query": question}));
    let said = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(said.matches(shown).count(), 1, "{said}");
    assert_eq!(
        result["structuredContent"]["results"][0]["also_in"],
        json!(["b.md", "c.md"])
    );
    let given = hook_says(&vault, "several", question);
    assert_eq!(given.matches(shown).count(), 1, "{given}");
}

/// Checks that the answer for few hits is the beginning of the one for many.
#[track_caller]
fn check_beginning(n: usize, few: &Value, many: &Value, what: &str) {
    let hits = |answer: &Value| {
        let hits = answer.get("hits").unwrap_or(&answer["results"]);
        hits.as_array().unwrap().clone()
    };
    for key in ["evidence", "confidence"] {
        assert_eq!(few[key], many[key], "{key} of {n}: {what}");
    }
    let (few, many) = (hits(few), hits(many));
    assert_eq!(few, many[..n.min(many.len())], "{n}: {what}");
}

const TWO_DOMAINS: &str = "\
areas:
  include: [2-Areas/]
others:
  legacy: true
";

#[test]
fn a_short_list_is_the_beginning_of_a_long_one_whoever_asks() {
    let vault = TestVault::example();
    let queries = || PROMPTS.into_iter().chain(OTHERS).chain(["gutter"]);
    let server = Server::start(&vault, &[]);
    let mut client = Client::modern(&vault, &[]);
    for query in queries() {
        let http = |n: usize| {
            let body = json!({"q": query, "k": n, "explain": true}).to_string();
            server.post("/search", &body).json()
        };
        let mut mcp = |n: usize| {
            let result = client.call("search", json!({"query": query, "limit": n}));
            result["structuredContent"].clone()
        };
        for n in [1, 2, 4] {
            check_beginning(n, &http(n), &http(10), query);
            check_beginning(n, &mcp(n), &mcp(10), query);
        }
    }
    for args in [
        &[][..],
        &["--fusion", "rrf"],
        &["--mode", "lexical"],
        &["--mode", "vector"],
    ] {
        for query in [
            "gutter",
            "who repaired the roof",
            "kitchen OR garden",
            "bioler servise",
        ] {
            let ask = |n: &str| {
                let all = ["search", "-f", "json", "-n", n];
                vault.ken(&[&all[..], args, &["--", query]].concat()).json()
            };
            check_beginning(1, &ask("1"), &ask("10"), query);
            check_beginning(3, &ask("3"), &ask("10"), query);
        }
    }
}

#[test]
fn a_short_list_of_several_domains_is_the_beginning_of_a_long_one() {
    let vault = TestVault::example();
    vault.write("_domains.yaml", TWO_DOMAINS);
    let mut client = Client::modern(&vault, &[]);
    for query in [
        "gutter",
        "who repaired the roof",
        "April Jane",
        "iron gall ink",
    ] {
        let terminal = |n: &str| {
            vault
                .ken(&["search", "-f", "json", "-n", n, "--", query])
                .json()
        };
        let mut mcp = |n: usize| {
            let result = client.call("search", json!({"query": query, "limit": n}));
            result["structuredContent"].clone()
        };
        for n in [1, 2, 5] {
            check_beginning(n, &terminal(&n.to_string()), &terminal("10"), query);
            check_beginning(n, &mcp(n), &mcp(10), query);
        }
    }
}

#[test]
fn what_the_lowest_score_leaves_nothing_of_is_no_silence_of_the_notes() {
    let vault = TestVault::example();
    let run = vault.ken(&["search", "--min-score", "0.99", "gutter"]);
    let run = run.expect_code(1);
    assert!(
        run.stderr.contains("no hit reaches the lowest score"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("do not seem to say"), "{}", run.stderr);
    let answer = vault.ken(&["search", "-f", "json", "--min-score", "0.99", "gutter"]);
    let all = vault.ken(&["search", "-f", "json", "gutter"]).json();
    assert_eq!(answer.json()["evidence"], all["evidence"]);
}
