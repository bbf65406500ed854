//! `ken serve`: every route, what is wrong and how it is told, and the compatibility servers.

use std::fs;
use std::io::Write;

use serde_json::{Value, json};

use crate::server::{Server, read};
use crate::vault::TestVault;

const BOILER: &str = "2-Areas/Home/Boiler.md";

fn ids(answer: &Value) -> Vec<String> {
    let hits = answer["hits"].as_array().unwrap();
    assert!(!hits.is_empty(), "{answer}");
    hits.iter().map(|hit| hit["id"].to_string()).collect()
}

#[test]
fn health_and_node_tell_what_a_search_rests_on() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    for at in ["", "/d/vault"] {
        let get = |path: &str| server.get(&format!("{at}{path}")).json();
        let answer = get("/search?q=boiler+service&k=2&mode=lexical");
        let health = get("/health");
        assert_eq!(health["status"], "ok");
        assert_eq!(
            (&health["domain"], &health["dimension"], &health["model"]),
            (
                &json!("vault"),
                &json!(256),
                &json!("minishlab/potion-base-8M")
            )
        );
        let root = vault.root().canonicalize().unwrap();
        assert_eq!(health["vault"].as_str().unwrap(), root.to_str().unwrap());
        assert!(
            health["index"].as_str().unwrap().contains("data"),
            "{health}"
        );
        let node = get("/node/2-Areas/Home/Boiler.md?lines=3-9");
        let chunks = node["chunks"].as_array().unwrap();
        assert!(
            chunks
                .iter()
                .all(|chunk| chunk["start_line"].as_u64() <= Some(9))
        );
        let whole = get("/node/Boiler");
        let listed = whole["chunks"].as_array().unwrap();
        assert!(listed.len() > chunks.len() && !chunks.is_empty(), "{whole}");
        let hit = &answer["hits"][0];
        let same = listed
            .iter()
            .find(|chunk| chunk["id"] == hit["id"])
            .unwrap();
        assert_eq!(
            (&same["text"], &same["end_line"]),
            (&hit["text"], &hit["end_line"])
        );
    }
}

#[test]
fn every_question_is_answered_at_the_root_and_under_its_domain() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    for at in ["", "/d/vault"] {
        let get = |path: &str| server.get(&format!("{at}{path}")).json();
        let post = |path: &str, body: Value| {
            let reply = server.post(&format!("{at}{path}"), &body.to_string());
            reply.json()
        };
        assert_eq!(get("/health")["status"], "ok");
        let answer = get("/search?q=boiler+service&k=2&mode=lexical&per_note=1&explain=true");
        assert_eq!(answer["mode"], "lexical");
        assert_eq!(answer["hits"][0]["path"], BOILER);
        assert!(answer["hits"][0]["explain"].is_array());
        let node = get("/node/2-Areas/Home/Boiler.md?lines=3-9");
        assert_eq!(
            (&node["start_line"], &node["end_line"]),
            (&json!(3), &json!(9))
        );
        assert_eq!(get("/node/2-Areas%2FHome%2FBoiler.md")["path"], BOILER);
        assert_eq!(get("/node/heating")["path"], BOILER);
        assert!(get("/links/Boiler")["backlinks"].is_array());
        let walk = get("/traverse/Kitchen%20Renovation?q=who+pays&depth=2&k=3&compare=true");
        assert_eq!(walk["params"]["hops"], 2);
        assert!(walk["compare"].is_object());
        let notes = get("/notes?prefix=2-Areas/&tag=home&offset=1&limit=2");
        assert_eq!(notes["notes"].as_array().unwrap().len(), 2);
        assert!(notes["n_notes"].as_u64().unwrap() > 2);
        assert_eq!(get("/status")["notes"], 47);
        let quote = json!({"path": BOILER, "quote": "no such words stand there"});
        let checked = post("/verify", json!({"citations": [quote]}));
        assert_eq!(checked["citations"][0]["citation_reason"], "not_found");
        let written = json!({"answer": "\"no such words stand there\" [[Boiler]]"});
        assert_eq!(post("/verify", written)["citations_status"], "has_mismatch");
        assert_eq!(post("/reload", json!({}))["unchanged"], 47);
        assert_eq!(post("/reload", json!({}))["changed"], 0);
        server.post(&format!("{at}/promote"), "{}").problem(403);
    }
    let domains = server.get("/domains").json();
    assert_eq!(
        domains["domains"],
        json!([{"name": "vault", "default": true, "indexed": true}])
    );
}

#[test]
fn the_same_question_has_the_same_hits_everywhere() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    for query in [
        "tax documents",
        "people who do design",
        "\"north gutter\" OR boiler",
    ] {
        let typed = vault.ken(&["search", "--format", "json", query]).json();
        let sent = server
            .post("/search", &json!({"q": query}).to_string())
            .json();
        let query: String = query.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let asked = server.get(&format!("/search?q={query}")).json();
        assert_eq!(ids(&typed), ids(&sent));
        assert_eq!(ids(&typed), ids(&asked));
    }
}

#[test]
fn what_is_wrong_is_told_as_a_problem() {
    let vault = TestVault::example();
    vault.write("a/Twin.md", "# Twin\n");
    vault.write("b/Twin.md", "# Twin\n");
    let server = Server::start(&vault, &[]);
    let asked = |path: &str, status: u16, detail: &str, hint: &str| {
        let problem = server.get(path).problem(status);
        let (said, hinted) = (problem["detail"].as_str().unwrap(), &problem["hint"]);
        assert!(said.contains(detail), "{path}: {problem}");
        assert!(
            hinted.as_str().unwrap_or_default().contains(hint),
            "{path}: {problem}"
        );
    };
    asked(
        "/search?q=a&lmit=3",
        400,
        "unknown parameter `lmit`",
        "did you mean `",
    );
    asked("/status?q=a", 400, "unknown parameter `q`", "");
    asked("/search", 400, "missing parameter `q`", "");
    asked("/search?q=", 400, "q is empty", "");
    asked("/search?q=%20%09", 400, "q is empty", "");
    asked("/search?q=a&q=b", 400, "duplicate", "");
    asked(
        "/search?q=a&k=0",
        422,
        "k is not a number from 1 to 1000",
        "",
    );
    asked("/search?q=a&k=1e99", 422, "k: ", "");
    asked("/search?q=a&mode=psychic", 422, "mode: ", "");
    for score in ["NaN", "inf", "-1", "1e999"] {
        asked(
            &format!("/search?q=a&min_score={score}"),
            422,
            "min_score",
            "",
        );
    }
    asked("/node/Boiler?lines=9-3", 422, "lines", "");
    asked("/node/Twin", 409, "fits 2 notes", "a/Twin.md");
    asked("/node/No%20Such%20Note", 404, "nothing is known", "/notes");
    asked("/node/%ff", 400, "UTF-8", "");
    asked(
        "/nowhere",
        404,
        "there is nothing at /nowhere",
        "/openapi.json",
    );
    asked(
        "/d/other/status",
        404,
        "there is no domain \"other\"",
        "known domains: vault",
    );
    // Signs that mean nothing to anybody are only not found.
    for path in [
        "/search?q=%00%01%1f",
        "/search?q=%F0%9F%8F%A0",
        "/search?q=%22%28%2A%5B",
    ] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
}

#[test]
fn a_body_that_is_wrong_is_told_as_a_problem() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let sent = |body: &str, status: u16, detail: &str| {
        let problem = server.post("/search", body).problem(status);
        let said = problem["detail"].as_str().unwrap();
        assert!(said.contains(detail), "{body}: {problem}");
    };
    sent("{\"q\":", 400, "not valid JSON");
    sent("[]", 422, "not an object");
    sent("{\"q\":\"a\",\"limit\":1}", 400, "unknown field `limit`");
    sent("{\"q\":1}", 422, "q: ");
    sent("{\"q\":\"a\",\"min_score\":1e300}", 422, "min_score");
    let long = format!("{{\"q\":\"{}\"}}", "a".repeat(5000));
    sent(&long, 422, "longer than 4096");
    let reply = server.client().ask("POST", "/search", &[], "q=a");
    reply.problem(415);
    server.post("/verify", "{}").problem(422);
    let slip = json!({"citations": [{"pth": "a", "quote": "b"}]}).to_string();
    let problem = server.post("/verify", &slip).problem(400);
    assert_eq!(problem["hint"], "did you mean `path`?");
    let reply = server.client().ask("DELETE", "/search", &[], "");
    reply.problem(405);
    assert_eq!(reply.header("allow"), Some("GET,HEAD,POST"));
}

#[test]
fn without_an_index_there_is_advice_and_a_reload_makes_one() {
    let vault = TestVault::example();
    let args = ["serve", "--port", "0", "--no-update"];
    let server = Server::start_command(vault.command(&args));
    let reply = server.get("/search?q=boiler");
    let problem = reply.problem(503);
    assert_eq!(reply.header("retry-after"), Some("1"));
    assert!(problem["hint"].as_str().unwrap().contains("POST /reload"));
    let lines = [("Accept", "application/x-ndjson")];
    let reply = server.client().ask("POST", "/reload", &lines, "");
    assert_eq!(reply.header("content-type"), Some("application/x-ndjson"));
    let lines: Vec<Value> = reply
        .body
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines[0]["progress"]["total"].is_u64(), "{}", reply.body);
    assert_eq!(lines.last().unwrap()["report"]["added"], 47);
    vault.write("New.md", "# Quinquereme\n");
    assert_eq!(server.post("/reload", "").json()["added"], 1);
    let answer = server.get("/search?q=quinquereme").json();
    assert_eq!(answer["hits"][0]["path"], "New.md");
}

#[test]
fn the_description_names_every_route_and_every_route_is_there() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let document = server.get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() >= 20);
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().unwrap() {
            let path = path
                .replace("{domain}", "vault")
                .replace("{path}", "Boiler");
            let reply = server.client().ask(&method.to_uppercase(), &path, &[], "");
            let answer = &operation["responses"][reply.status.to_string()];
            let kind = reply.header("content-type").unwrap();
            assert!(
                answer["content"][kind].is_object(),
                "{method} {path}: {reply:?}"
            );
        }
    }
}

#[test]
fn answers_are_compressed_and_not_kept() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let reply = server.get_with("/notes", &[("Accept-Encoding", "gzip")]);
    assert_eq!(reply.header("content-encoding"), Some("gzip"));
    let reply = server.get("/notes");
    assert_eq!(reply.header("content-encoding"), None);
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(reply.header("access-control-allow-origin"), None);
}

#[test]
fn results_are_kept_beside_the_index_without_credentials() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let text = server.get("/node/Boiler").json()["text"].clone();
    let quote = text.as_str().unwrap().lines().last().unwrap().to_owned();
    let result = json!({
        "query": "who serviced the boiler",
        "note": "heating",
        "text": format!("It was done; the key is {token}."),
        "citations": [{"path": BOILER, "quote": quote}],
    });
    let kept = server.post("/deep", &result.to_string()).json();
    assert_eq!(kept["note"], BOILER);
    assert_eq!(kept["citations_status"], "all_verified", "{quote}");
    let verdict = &kept["citations"][0];
    assert_eq!(
        (&verdict["citation_verified"], &verdict["citation_reason"]),
        (&json!(true), &json!("match"))
    );
    assert!(kept["text"].as_str().unwrap().contains("[REDACTED:"));
    let second = json!({"query": "b", "text": format!("It says \"{quote}\" [[Boiler]].")});
    let second = server.post("/deep", &second.to_string()).json();
    assert_eq!(second["citations_status"], "all_verified", "{second}");
    let list = server.get("/deep?limit=1&offset=1").json();
    assert_eq!(list["n_results"], 2);
    assert_eq!(list["results"], json!([kept]));
    let files = fs::read_dir(vault.beside("data")).unwrap();
    for file in files.map(|file| file.unwrap().path()) {
        let bytes = fs::read(&file).unwrap();
        let is_leaked = bytes
            .windows(token.len())
            .any(|part| part == token.as_bytes());
        assert!(!is_leaked, "{}", file.display());
    }
    let unknown = json!({"query": "a", "text": "b", "note": "nobody"}).to_string();
    server.post("/deep", &unknown).problem(404);
    let long = json!({"query": "a", "text": "b".repeat(70_000)}).to_string();
    server.post("/deep", &long).problem(422);
    let empty = json!({"query": "a", "text": " "}).to_string();
    server.post("/deep", &empty).problem(422);
}

#[cfg(unix)]
#[test]
fn what_runs_may_finish_when_the_server_ends() {
    let vault = TestVault::example();
    let mut server = Server::start(&vault, &[]);
    let body = "{\"q\":\"boiler\"}";
    let head = server.client().head(
        "POST",
        "/search",
        &[
            ("Content-Type", "application/json"),
            ("Expect", "100-continue"),
        ],
    );
    let mut stream = server.client().connect();
    let head = format!("{head}Content-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).unwrap();
    // The server says that it waits for the body: the request runs.
    let mut waits = [0; 25];
    std::io::Read::read_exact(&mut stream, &mut waits).unwrap();
    assert_eq!(&waits, b"HTTP/1.1 100 Continue\r\n\r\n");
    server.tell_to_end();
    stream.write_all(body.as_bytes()).unwrap();
    assert_eq!(read(&mut stream).json()["hits"][0]["path"], BOILER);
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn omnisearch_is_answered_in_its_place() {
    let vault = TestVault::example();
    let args = ["--compat", "omnisearch", "--omnisearch-port", "0"];
    let server = Server::start(&vault, &args);
    let compat = server.compat(1);
    let notes = compat.ask("GET", "/search?q=boiler", &[], "").json();
    let first = &notes[0];
    assert_eq!(first["path"], BOILER);
    assert_eq!(first["basename"], "Boiler");
    assert_eq!(first["vault"], "vault");
    assert_eq!(first["foundWords"], json!(["boiler"]));
    assert!(first["score"].is_f64() && first["excerpt"].is_string());
    let text = server.get("/node/Boiler").json()["text"].clone();
    let offset = first["matches"][0]["offset"].as_u64().unwrap() as usize;
    let text: Vec<u16> = text.as_str().unwrap().encode_utf16().collect();
    let word = String::from_utf16(&text[offset..offset + 6]).unwrap();
    assert_eq!(first["matches"][0]["match"], word);
    assert_eq!(compat.ask("GET", "/search?q=", &[], "").json(), json!([]));
    let origin = [("Origin", "app://obsidian.md")];
    let reply = compat.ask("GET", "/search?q=boiler", &origin, "");
    assert_eq!(
        reply.header("access-control-allow-origin"),
        Some("app://obsidian.md")
    );
    assert_eq!(compat.ask("OPTIONS", "/search", &origin, "").status, 204);
    let elsewhere = [("Origin", "https://evil.example")];
    compat
        .ask("GET", "/search?q=boiler", &elsewhere, "")
        .problem(403);
    let host = [("Host", "evil.example")];
    compat
        .ask("GET", "/search?q=boiler", &host, "")
        .problem(403);
    compat.post("/search", "{}").problem(405);
}

#[test]
fn miyo_is_answered_in_its_place() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &["--compat", "miyo", "--miyo-port", "0"]);
    let compat = server.compat(1);
    let health = compat.ask("GET", "/v0/health", &[], "").json();
    assert_eq!(
        (&health["status"], &health["indexed_files"]),
        (&json!("ok"), &json!(47))
    );
    let root = vault.root().canonicalize().unwrap().display().to_string();
    let search = |body: Value| compat.post("/v0/search", &body.to_string());
    let found = search(json!({"query": "boiler", "folder_path": root, "limit": 3})).json();
    assert_eq!(found["count"], found["results"].as_array().unwrap().len());
    assert_eq!(found["results"][0]["path"], format!("{root}/{BOILER}"));
    assert_eq!(found["results"][0]["extension"], ".md");
    assert!(found["results"][0]["mtime"].as_i64().unwrap() > 1_600_000_000);
    let found =
        search(json!({"query": "penalty", "folder_name": "vault", "path": "FINANCE"})).json();
    let paths = found["results"].as_array().unwrap().iter();
    let paths: Vec<&str> = paths.map(|hit| hit["path"].as_str().unwrap()).collect();
    assert!(!paths.is_empty());
    assert!(
        paths
            .iter()
            .all(|path| path.starts_with("vault/2-Areas/Finance/")),
        "{paths:?}"
    );
    let old = json!([{"field": "mtime", "lt": 1_000_000_000}]);
    let found = search(json!({"query": "boiler", "filters": old})).json();
    assert_eq!(found["count"], 0);
    search(json!({"query": "boiler", "filters": [{"field": "mood", "gt": 1}]})).problem(400);
    search(json!({"limit": 3})).problem(400);
    search(json!({"query": "boiler", "folder_path": "/elsewhere"})).problem(404);
    let like = json!({"file_path": format!("{root}/{BOILER}"), "limit": 4}).to_string();
    let found = compat.post("/v0/search/related", &like).json();
    assert_eq!(found["count"], 4);
    assert!(
        !found["results"].to_string().contains("Boiler.md"),
        "{found}"
    );
    let folders = compat.ask("GET", "/v0/folder", &[], "").json();
    assert_eq!(folders["folders"][0]["path"], root);
    assert_eq!(
        compat.ask("GET", "/v0/folder?path=vault", &[], "").json()["recursive"],
        true
    );
    compat
        .ask("GET", "/v0/folder?path=/elsewhere", &[], "")
        .problem(404);
    compat
        .post("/v0/folder", &json!({"path": root}).to_string())
        .problem(409);
    compat
        .post("/v0/folder", "{\"path\":\"/elsewhere\"}")
        .problem(501);
    for (method, path) in [
        ("PATCH", "/v0/folder"),
        ("DELETE", "/v0/folder"),
        ("POST", "/v0/folder/pause"),
    ] {
        compat.ask(method, path, &[], "{}").problem(501);
    }
    let scan = compat.post("/v0/scan", "{\"path\":\"vault\",\"force\":true}");
    assert_eq!(
        (scan.status, &scan.json()["status"]),
        (202, &json!("started"))
    );
}
