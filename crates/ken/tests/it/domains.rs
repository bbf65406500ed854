//! Domains that a vault lists in `_domains.yaml`: their folders, their indexes, their boundaries.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::server::{Reply, Server};
use crate::vault::TestVault;
#[cfg(feature = "postgres")]
use crate::vault::finish;

const LIST: &str = "\
home:
  legacy: true
work:
  include: [Work/]
  exclude: [Work/Archive/]
  lexical: { weight: 0.5 }
  decay: { mode: off }
";

/// A vault with two domains, each with a note about the same thing.
fn two_domains() -> TestVault {
    let vault = TestVault::empty();
    vault.write("_domains.yaml", LIST);
    vault.write(
        "Garden.md",
        "# Garden\n\nThe quince tree needs a deep watering in July.\n",
    );
    vault.write(
        "Work/Orchard.md",
        "# Orchard\n\nThe client wants every quince tree counted. See [[Garden]].\n",
    );
    vault.write(
        "Work/Archive/Old.md",
        "# Old\n\nA quince tree of last year.\n",
    );
    vault
}

#[test]
fn each_domain_has_its_folders_and_its_own_index() {
    let vault = two_domains();
    vault.ken(&["index"]).expect_code(0);
    let stores = fs::read_dir(vault.beside("data")).unwrap();
    let stores = stores.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name().into_string().unwrap();
        name.ends_with(".db")
    });
    assert_eq!(stores.count(), 2);
    let paths = |domain: &str| {
        let args = ["search", "-f", "paths", "-d", domain, "quince tree"];
        vault.ken(&args).expect_code(0).stdout
    };
    assert_eq!(paths("home"), "Garden.md\n");
    assert_eq!(paths("work"), "Work/Orchard.md\n");
    let list = vault.ken(&["domain", "list", "--json"]).json();
    assert_eq!(list[0]["name"], "home");
    assert_eq!(list[1]["indexed"], true);
}

#[test]
fn several_domains_are_searched_as_one() {
    let vault = two_domains();
    for args in [
        &["search", "-f", "json", "quince tree"][..],
        &[
            "search",
            "-f",
            "json",
            "--domain",
            "work,home",
            "quince tree",
        ],
    ] {
        let answer = vault.ken(args).expect_code(0).json();
        let hits = answer["hits"].as_array().unwrap();
        let mut domains: Vec<&str> = hits
            .iter()
            .filter_map(|hit| hit["domain"].as_str())
            .collect();
        domains.sort_unstable();
        assert_eq!(domains, ["home", "work"]);
        assert_eq!((&hits[0]["rank"], &hits[1]["rank"]), (&1.into(), &2.into()));
    }
}

#[test]
fn a_domain_is_a_boundary() {
    let vault = two_domains();
    vault.ken(&["index"]).expect_code(0);
    // Neither by name, by path, by walking along a link nor by a condition.
    for args in [
        &["get", "-d", "work", "Garden"][..],
        &["get", "-d", "work", "Garden.md"],
        &["get", "-d", "work", "../Garden.md"],
        &["links", "-d", "work", "Garden"],
        &["traverse", "-d", "work", "Garden"],
    ] {
        vault.ken(args).expect_code(2);
    }
    let links = vault
        .ken(&["links", "-d", "work", "--json", "Orchard"])
        .json();
    assert_eq!(links["outgoing"].as_array().unwrap().len(), 0);
    let walk = vault
        .ken(&["traverse", "-d", "work", "--deep", "--json", "Orchard"])
        .json();
    assert!(!walk.to_string().contains("Garden.md"), "{walk}");
    vault
        .ken(&["search", "-d", "work", "path:Garden"])
        .expect_code(1);
    let run = vault.ken(&[
        "search",
        "-d",
        "work",
        "-f",
        "paths",
        "deep watering in July",
    ]);
    assert!(!run.stdout.contains("Garden.md"));
}

#[test]
fn a_vault_cannot_send_its_index_to_a_server_of_its_own() {
    let vault = two_domains();
    for store in ["postgres://thief:s3cret@127.0.0.1:1/x", "elsewhere"] {
        let list = format!("work:\n  include: [Work/]\n  store: \"{store}\"\n");
        vault.write("_domains.yaml", &list);
        let run = vault.ken(&["index"]);
        assert!(!run.stderr.contains("s3cret"), "{}", run.stderr);
        run.expect_hint("there is no store", "[stores]");
    }
}

/// Where nobody answers.
#[cfg(feature = "postgres")]
const NO_SERVER: &str = "postgres://ann:s3cret@127.0.0.1:1/notes";

#[test]
#[cfg(feature = "postgres")]
fn a_folder_that_is_named_is_the_vault_of_a_domain_on_a_server() {
    let vault = TestVault::example();
    let (root, args) = (vault.root(), ["--store", NO_SERVER, "--domain", "work"]);
    let typed = vault.bare_ken(&[&["index", root.to_str().unwrap()], &args[..]].concat());
    typed.expect_hint("127.0.0.1:1/notes#ken_work cannot be reached", "");
    // Both of them may stand in the environment of a service.
    let mut command = vault.command(&["index", "--store", NO_SERVER]);
    command.env("KEN_DOMAIN", "work");
    finish(command).expect_hint("127.0.0.1:1/notes#ken_work cannot be reached", "");
    // But one that was typed is not that of a vault which is named for everything.
    vault
        .ken(&[&["index"], &args[..]].concat())
        .expect_hint("no vault was named", "ken index PATH");
}

#[test]
#[cfg(feature = "postgres")]
fn an_address_that_cannot_be_read_is_told_how_to_write_one() {
    let vault = TestVault::example();
    for address in [
        "postgres:///notes",
        "postgres://ann:s3cret@db:s3cret/notes",
        "postgres://ann:s3cret@db/notes?sslmode=s3cret",
    ] {
        let run = vault.bare_ken(&["search", "-d", "work", "--store", address, "roof"]);
        assert!(!run.stderr.contains("s3cret"), "{}", run.stderr);
        run.expect_hint("the address", "written as %40");
    }
    fs::write(vault.beside("ca.pem"), "none").unwrap();
    for file in ["ca.pem", "nowhere.pem"] {
        let address = format!("postgres://ann:s3cret@db/notes?sslrootcert={file}");
        let run = vault.bare_ken(&["search", "-d", "work", "--store", &address, "roof"]);
        assert!(!run.stderr.contains("s3cret"), "{}", run.stderr);
        run.expect_hint(file, "sslrootcert=FILE");
    }
}

#[test]
#[cfg(feature = "postgres")]
fn a_vault_that_lists_domains_has_no_others_on_a_server() {
    let vault = two_domains();
    let root = vault.root();
    let args = ["index", root.to_str().unwrap(), "--store", NO_SERVER];
    vault
        .bare_ken(&[&args[..], &["-d", "wrok"]].concat())
        .expect_hint("there is no domain \"wrok\"", "did you mean work?");
}

#[test]
fn mistakes_in_the_list_are_told() {
    let vault = two_domains();
    vault.write("_domains.yaml", "work:\n  inclde: [Work/]\n");
    vault
        .ken(&["index"])
        .expect_hint("_domains.yaml", "did you mean `include`?");
    vault.write("_domains.yaml", "work: [\n");
    vault.ken(&["index"]).expect_hint("_domains.yaml", "edit");
    vault.write(
        "_domains.yaml",
        "work:\n  include: [Work/]\n  chunking: slices\n",
    );
    vault.ken(&["index"]).expect_hint("slices", "edit");
    vault.write("_domains.yaml", LIST);
    vault
        .ken(&["search", "-d", "play", "quince"])
        .expect_hint("there is no domain \"play\"", "known domains: home, work");
    vault
        .ken(&["backup", "copy.db"])
        .expect_hint("there are several: home, work", "--domain NAME");
}

#[test]
fn a_domain_names_its_model() {
    let vault = two_domains();
    vault.write(
        "_domains.yaml",
        "work:\n  embedding: minishlab/potion-base-8M\n  embedding_dim: 256\n",
    );
    vault.ken(&["index"]).expect_code(0);
    vault.write("_domains.yaml", "work:\n  embedding_dim: 1024\n");
    vault
        .ken(&["search", "quince"])
        .expect_hint("wants 1024 dimensions", "embedding_dim");
    vault.write(
        "_domains.yaml",
        "work:\n  embedding: BAAI/bge-large-en-v1.5\n",
    );
    let run = vault.ken(&["index"]).expect_code(2);
    assert!(
        run.stderr.contains("the model of the domain work"),
        "{}",
        run.stderr
    );
}

/// Asks a tool over MCP at an address, with a token.
fn mcp_call(server: &Server, path: &str, token: &str, tool: &str, arguments: &Value) -> Reply {
    let message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": tool,
            "arguments": arguments,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });
    let token = format!("Bearer {token}");
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", tool),
        ("Authorization", token.as_str()),
    ];
    let body = message.to_string();
    server.client().ask("POST", path, &headers, &body)
}

/// Serves both domains, to a client that may ask one of them. Returns its token, too.
fn serving_work_only(vault: &TestVault) -> (Server, String) {
    let token = "t".repeat(24);
    let settings = format!("[clients.agent]\ntoken = \"{token}\"\ndomains = [\"work\"]\n");
    fs::write(vault.beside("config.toml"), settings).unwrap();
    (Server::start(vault, &[]), token)
}

#[test]
fn several_domains_are_searched_at_once() {
    let vault = two_domains();
    let server = Server::start(&vault, &[]);
    let found = server.get("/search?q=quince+tree&domains=work,home").json();
    let hits = found["hits"].as_array().unwrap();
    let from = |name: &str| hits.iter().filter(|hit| hit["domain"] == name).count();
    assert!(from("work") > 0 && from("home") > 0, "{found}");
    let ranks = hits.iter().map(|hit| hit["rank"].as_u64().unwrap());
    assert!(ranks.eq(1..=hits.len() as u64), "{found}");
    let sent = server.post("/search", r#"{"q":"quince tree","domains":"work,home"}"#);
    assert_eq!(sent.json()["hits"], found["hits"]);
    // One of them is asked as ever, and what is not known is told.
    let one = server.get("/search?q=quince+tree&domains=home").json();
    assert_eq!(
        one["hits"],
        server.get("/d/home/search?q=quince+tree").json()["hits"]
    );
    server
        .get("/search?q=quince&domains=work,attic")
        .problem(404);
    server.get("/search?q=quince&domains=").problem(404);
    let page = server.get("/?q=quince+tree&domain=work,home");
    assert!(page.body.contains("hit-domain\">home") && page.body.contains("&amp;of=work"));
}

#[test]
fn a_client_of_one_domain_cannot_reach_another() {
    let vault = two_domains();
    let (server, token) = serving_work_only(&vault);
    let bearer = format!("Bearer {token}");
    let headers = [("Authorization", bearer.as_str())];
    let get = |path: &str| server.get_with(path, &headers);
    let own = get("/search?q=quince+tree");
    assert_eq!(own.status, 200);
    assert!(own.body.contains("Orchard.md") && !own.body.contains("Garden.md"));
    for path in [
        "/d/home/search?q=quince",
        "/d/home/node/Garden.md",
        "/d/home/status",
        "/node/Garden.md",
        "/node/..%2FGarden.md",
        "/links/Garden.md",
        "/traverse/Garden.md",
        "/d/work/node/Garden.md",
        "/search?q=quince&domains=work,home",
        "/d/work/search?q=quince&domains=home",
    ] {
        let reply = get(path);
        assert_eq!(reply.status, 404, "{path}: {}", reply.body);
        assert!(!reply.body.contains("deep watering"), "{path}");
    }
    assert!(!get("/domains").body.contains("home"));
    assert!(!get("/notes").body.contains("Garden"));
}

#[test]
fn a_client_of_one_domain_cannot_reach_another_over_mcp() {
    let vault = two_domains();
    let (server, token) = serving_work_only(&vault);
    for (path, tool, arguments) in [
        ("/mcp", "get", json!({"reference": "Garden.md"})),
        (
            "/mcp",
            "search",
            json!({"query": "quince", "domain": "home"}),
        ),
        ("/mcp", "list_notes", json!({})),
        (
            "/d/work/mcp",
            "search",
            json!({"query": "deep watering in July"}),
        ),
        ("/d/home/mcp", "search", json!({"query": "quince"})),
    ] {
        let reply = mcp_call(&server, path, &token, tool, &arguments);
        assert!(
            !reply.body.contains("deep watering in July."),
            "{path} {tool}: {}",
            reply.body
        );
        assert!(
            !reply.body.contains("ken://home"),
            "{path} {tool}: {}",
            reply.body
        );
    }
    let reply = mcp_call(
        &server,
        "/d/home/mcp",
        &token,
        "search",
        &json!({"query": "quince"}),
    );
    assert_eq!(reply.status, 404, "{}", reply.body);
    let found = mcp_call(
        &server,
        "/d/work/mcp",
        &token,
        "search",
        &json!({"query": "quince tree"}),
    );
    assert!(found.body.contains("Orchard.md"), "{}", found.body);
    let wrong = mcp_call(&server, "/mcp", "wrong", "status", &json!({}));
    assert_eq!(wrong.status, 401, "{}", wrong.body);
}

#[test]
fn a_hook_asks_the_domain_of_its_folder() {
    let vault = two_domains();
    vault.ken(&["index"]).expect_code(0);
    let given = |folder: &str| {
        let input = json!({
            "session_id": folder,
            "cwd": vault.root().join(folder),
            "hook_event_name": "UserPromptSubmit",
            "prompt": "what do we know about the quince tree that is to be counted?",
        });
        let mut command = vault.bare_command(&["hook", "prompt"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.to_string().as_bytes()).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(!given("Work").contains("Garden.md"));
    assert!(!given("").contains("Orchard.md"));
    let log = fs::read_to_string(vault.beside("data/hook/log.jsonl")).unwrap();
    let domains: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["domains"].take())
        .collect();
    assert_eq!(domains, [json!(["work"]), json!(["home"])]);
}
