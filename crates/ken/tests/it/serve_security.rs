//! `ken serve` among people who mean harm: names, pages, tokens, domains, paths and floods.

use std::fs;
use std::io::{Read, Write};

use serde_json::json;

use crate::server::{Server, read};
use crate::vault::TestVault;

#[test]
fn who_calls_the_server_by_a_foreign_name_is_turned_away() {
    let vault = TestVault::example();
    let server = Server::start(
        &vault,
        &[
            "--allow-host",
            "notes.example",
            "--allow-origin",
            "https://page.example",
        ],
    );
    let with = |name: &str, value: &str| server.get_with("/health", &[(name, value)]);
    for host in ["localhost", "127.0.0.1:1", "[::1]", "notes.example:7117"] {
        assert_eq!(with("Host", host).status, 200, "{host}");
    }
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "0.0.0.0",
        "notes.example.evil",
    ] {
        with("Host", host).problem(403);
    }
    assert_eq!(with("Origin", "https://page.example").status, 200);
    for origin in [
        "https://evil.example",
        "null",
        "http://127.0.0.1:1",
        "file://",
    ] {
        with("Origin", origin).problem(403);
    }
    let twice = [("Host", "localhost"), ("Host", "evil.example")];
    server.get_with("/health", &twice).problem(400);
    // A whole address in the first line counts as much as the header.
    server.get("http://evil.example/health").problem(403);
}

#[test]
fn only_what_is_indexed_can_be_read() {
    let vault = TestVault::example();
    fs::write(
        vault.beside("outside.md"),
        "# Outside\n\nquinquereme of Nineveh\n",
    )
    .unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(vault.beside("outside.md"), vault.root().join("Escape.md")).unwrap();
        symlink(vault.beside(""), vault.root().join("Escape")).unwrap();
    }
    let server = Server::start(&vault, &[]);
    let outside = vault.beside("outside.md").display().to_string();
    for path in [
        "../outside.md",
        "../../etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e/etc/passwd",
        "..%5c..%5cetc%5cpasswd",
        "..%252f..%252fetc%252fpasswd",
        "2-Areas/../../outside.md",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "Boiler.md%00",
        "file:///etc/passwd",
        "Escape.md",
        "Escape/outside.md",
        "Templates/Person.md",
        outside.as_str(),
    ] {
        for route in ["node", "links", "traverse"] {
            server.get(&format!("/{route}/{path}")).problem(404);
        }
    }
    let answer = server.get("/search?q=quinquereme&mode=lexical").json();
    assert_eq!(answer["hits"], json!([]));
}

/// Two domains, and clients for both and for one of them.
fn two_domains() -> (TestVault, Server) {
    let vault = TestVault::example();
    fs::create_dir(vault.beside("private")).unwrap();
    fs::write(
        vault.beside("private/Diary.md"),
        "# Diary\n\nquinquereme of Nineveh\n",
    )
    .unwrap();
    let settings = format!(
        "[domains.open]\npath = {:?}\n[domains.private]\npath = {:?}\n\
         [clients.owner]\ntoken_env = \"OWNER\"\n\
         [clients.guest]\ntoken = \"guest-token\"\ndomains = [\"open\"]\n",
        vault.root(),
        vault.beside("private"),
    );
    fs::write(vault.beside("config.toml"), settings).unwrap();
    for domain in ["open", "private"] {
        vault
            .bare_ken(&["index", "--domain", domain])
            .expect_code(0);
    }
    let mut command = vault.bare_command(&[
        "serve",
        "--port",
        "0",
        "--compat",
        "miyo",
        "--miyo-port",
        "0",
    ]);
    command.env("OWNER", "owner-token");
    let server = Server::start_command(command);
    (vault, server)
}

#[test]
fn a_token_is_needed_once_there_are_clients() {
    let (_vault, server) = two_domains();
    let with = |value: &str| server.get_with("/status", &[("Authorization", value)]);
    let reply = server.get("/status");
    reply.problem(401);
    let scheme = reply.header("www-authenticate").unwrap();
    assert!(scheme.starts_with("Bearer"), "{scheme}");
    for wrong in [
        "Bearer guest-toke",
        "Bearer guest-tokenn",
        "Bearer ",
        "Basic guest-token",
        "guest-token",
    ] {
        with(wrong).problem(401);
    }
    for right in ["Bearer guest-token", "bearer owner-token"] {
        assert_eq!(with(right).status, 200, "{right}");
    }
    // Only health is told to anybody, and nothing about which paths there are.
    let health = server.get("/health").json();
    let told: Vec<&String> = health.as_object().unwrap().keys().collect();
    assert_eq!(told, ["status", "version"]);
    // Who is known is told of the domains they may ask only.
    let health = server.get_with("/health", &[("Authorization", "Bearer guest-token")]);
    assert_eq!(health.json()["domain"], "open");
    for path in [
        "/openapi.json",
        "/nowhere",
        "/d/open/health",
        "/d/private/health",
        "/domains",
    ] {
        server.get(path).problem(401);
    }
    server.post("/reload", "").problem(401);
    // A compatibility server is not a way around it.
    server
        .compat(1)
        .ask("GET", "/v0/health", &[], "")
        .problem(401);
}

#[test]
fn a_domain_that_a_client_may_not_ask_does_not_exist() {
    let (_vault, server) = two_domains();
    let guest = |path: &str| server.get_with(path, &[("Authorization", "Bearer guest-token")]);
    let owner = |path: &str| server.get_with(path, &[("Authorization", "Bearer owner-token")]);
    assert_eq!(owner("/d/private/node/Diary").json()["title"], "Diary");
    for route in [
        "health",
        "status",
        "notes",
        "node/Diary",
        "links/Diary",
        "traverse/Diary",
        "search?q=quinquereme",
        "deep",
    ] {
        let hidden = guest(&format!("/d/private/{route}"));
        let missing = guest(&format!("/d/nothing/{route}"));
        hidden.problem(404);
        assert_eq!(hidden.body.replace("private", "nothing"), missing.body);
    }
    guest("/node/Diary").problem(404);
    guest("/node/Diary.md").problem(404);
    let answer = guest("/search?q=quinquereme&mode=lexical").json();
    assert_eq!(answer["hits"], json!([]));
    let names = |reply: crate::server::Reply| {
        let domains = reply.json()["domains"].clone();
        let domains = domains.as_array().unwrap().iter();
        domains
            .map(|domain| domain["name"].to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(guest("/domains")), ["\"open\""]);
    assert_eq!(names(owner("/domains")).len(), 2);
    let folder = json!({"query": "quinquereme", "folder_name": "private"}).to_string();
    let headers = [
        ("Authorization", "Bearer guest-token"),
        ("Content-Type", "application/json"),
    ];
    let compat = server.compat(1);
    compat
        .ask("POST", "/v0/search", &headers, &folder)
        .problem(404);
}

#[test]
fn other_machines_need_a_token_that_cannot_be_guessed() {
    let vault = TestVault::example();
    let args = ["serve", "--bind", "0.0.0.0", "--port", "0"];
    vault.ken(&args).expect_hint("no token is set", "KEN_TOKEN");
    let mut command = vault.command(&args);
    command.env("KEN_TOKEN", "short");
    crate::vault::finish(command).expect_hint("less than 16 characters", "openssl rand");
    fs::write(vault.beside("token"), "a-token-of-some-length\n").unwrap();
    let token_file = [
        "serve",
        "--bind",
        "0.0.0.0",
        "--port",
        "0",
        "--token-file",
        "token",
    ];
    vault.ken(&["index"]).expect_code(0);
    let server = Server::start_command(vault.command(&token_file));
    let host = ("Host", "127.0.0.1");
    server.get_with("/status", &[host]).problem(401);
    let token = ("Authorization", "Bearer a-token-of-some-length");
    assert_eq!(server.get_with("/status", &[host, token]).status, 200);
    server
        .get_with("/status", &[("Host", "evil.example"), token])
        .problem(403);
}

#[test]
fn mistakes_about_clients_are_told() {
    let vault = TestVault::example();
    let check = |settings: &str, message: &str, hint: &str| {
        fs::write(vault.beside("config.toml"), settings).unwrap();
        vault
            .ken(&["serve", "--port", "0"])
            .expect_hint(message, hint);
    };
    check("[clients.a]\n", "needs either token or token_env", "edit ");
    check(
        "[clients.a]\ntoken_env = \"NOWHERE_SET\"\n",
        "which is not set",
        "NOWHERE_SET",
    );
    check(
        "[clients.a]\ntoken = \"two words\"\n",
        "cannot be sent",
        "openssl",
    );
    check(
        "[clients.a]\ntoken = \"a\"\ndomains = [\"b\"]\n",
        "there is no domain \"b\"",
        "known domains: vault",
    );
    check(
        "[clients.a]\ntokn = \"a\"\n",
        "unknown field `tokn`",
        "did you mean `token`?",
    );
    let twins = "[clients.a]\ntoken = \"a\"\n[clients.b]\ntoken = \"a\"\n";
    check(twins, "have the same token", "edit ");
    fs::write(vault.beside("config.toml"), "").unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let args = [
        "serve",
        "--port",
        "0",
        "--compat",
        "miyo",
        "--miyo-port",
        &port,
    ];
    vault
        .ken(&args)
        .expect_hint("cannot listen on", "--miyo-port");
    let bind = ["serve", "--bind", "nowhere"];
    vault
        .ken(&bind)
        .expect_hint("not an address to listen on", "127.0.0.1:7117");
}

#[test]
fn a_body_that_is_too_large_is_refused() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let json = ("Content-Type", "application/json");
    // What is announced is not even read.
    let head = server
        .client()
        .head("POST", "/search", &[json, ("Content-Length", "99999999")]);
    let mut stream = server.client().connect();
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    read(&mut stream).problem(413);
    // What is not announced is read until it is too much.
    let head = server
        .client()
        .head("POST", "/search", &[json, ("Transfer-Encoding", "chunked")]);
    let mut stream = server.client().connect();
    let piece = "a".repeat(0x10000);
    let mut body = format!("{head}\r\n");
    for _ in 0..16 {
        body.push_str(&format!("10000\r\n{piece}\r\n"));
    }
    body.push_str("1\r\na\r\n");
    stream.write_all(body.as_bytes()).unwrap();
    read(&mut stream).problem(413);
    let large = json!({"q": "a", "mode": "b".repeat(1 << 19)}).to_string();
    server.post("/search", &large).problem(422);
}

#[test]
fn who_sends_slowly_is_not_waited_for() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &["--read-timeout-ms", "100"]);
    let headers = [
        ("Content-Type", "application/json"),
        ("Content-Length", "20"),
    ];
    let head = server.client().head("POST", "/search", &headers);
    let mut stream = server.client().connect();
    stream
        .write_all(format!("{head}\r\n{{\"q\"").as_bytes())
        .unwrap();
    read(&mut stream).problem(408);
    // A head that never ends is not answered at all.
    let mut stream = server.client().connect();
    stream
        .write_all(b"GET /health HTTP/1.1\r\nHost: local")
        .unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/1.1 200"), "{rest:?}");
}

#[test]
fn what_another_site_asks_for_is_turned_away() {
    let vault = TestVault::example();
    let options = "--compat omnisearch,miyo --omnisearch-port 0 --miyo-port 0";
    let server = Server::start(&vault, &options.split(' ').collect::<Vec<_>>());
    let paths = [
        (0, "/health"),
        (0, "/search?q=boiler"),
        (0, "/status"),
        (0, "/openapi.json"),
        (0, "/mcp"),
        (1, "/search?q=boiler"),
        (2, "/v0/health"),
    ];
    for (compat, path) in paths {
        let with = |site: &str, mode: &str| {
            let headers = [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode)];
            server.compat(compat).ask("GET", path, &headers, "")
        };
        for site in ["cross-site", "same-site"] {
            // A page that asks in the background, and a link that somebody follows.
            with(site, "no-cors").problem(403);
            with(site, "navigate").problem(403);
        }
        for site in ["none", "same-origin"] {
            assert_ne!(with(site, "navigate").status, 403, "{path} {site}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn who_does_not_read_is_not_waited_for() {
    let vault = TestVault::empty();
    let line = "An oar of a boat, and another one, and so on.\n";
    vault.write("long.md", &line.repeat(100_000));
    let server = Server::start(&vault, &["--read-timeout-ms", "300"]);
    let mut stream = server.client().connect();
    let head = server.client().head("GET", "/node/long.md", &[]);
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    let (client, port) = (
        stream.local_addr().unwrap().port(),
        stream.peer_addr().unwrap().port(),
    );
    // The client sees nothing of the end before it reads; the system knows.
    let is_open = || {
        let table = fs::read_to_string("/proc/net/tcp").unwrap();
        let connection = format!("0100007F:{port:04X} 0100007F:{client:04X} 01 ");
        table.contains(&connection)
    };
    let started = std::time::Instant::now();
    while is_open() {
        assert!(started.elapsed().as_secs() < 60, "it is still waited for");
        std::thread::yield_now();
    }
    assert_eq!(server.get("/search?q=oar").status, 200);
    drop(stream);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_what_is_kept_is_not_waited_for() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let files = fs::read_dir(vault.beside("data")).unwrap();
    let mut indexes = files.map(|file| file.unwrap().path());
    let is_index = |path: &std::path::PathBuf| path.extension().is_some_and(|kind| kind == "db");
    let kept = indexes.find(is_index).unwrap().with_extension("deep.jsonl");
    let made = std::process::Command::new("mkfifo").arg(&kept).status();
    assert!(made.unwrap().success());
    let body = json!({"query": "boiler", "text": "It was serviced."}).to_string();
    assert_eq!(server.get("/deep").status, 500);
    assert_eq!(server.post("/deep", &body).status, 500);
    fs::remove_file(&kept).unwrap();
    // Nor is anything written through a link.
    let target = vault.beside("target.txt");
    fs::write(&target, "").unwrap();
    std::os::unix::fs::symlink(&target, &kept).unwrap();
    assert_eq!(server.post("/deep", &body).status, 500);
    assert_eq!(fs::read(&target).unwrap(), b"");
    fs::remove_file(&kept).unwrap();
    assert_eq!(server.post("/deep", &body).status, 201);
    assert_eq!(server.get("/deep").json()["n_results"], 1);
}
