//! `GET /health` and `/live`: whether what is served can be asked, for those who send requests elsewhere if not.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{Reply, Server};
use crate::vault::TestVault;

/// Asks until the status is this one: what was seen counts for a second.
#[track_caller]
fn in_time(server: &Server, path: &str, status: u16) -> Value {
    let begun = Instant::now();
    loop {
        let reply = server.get(path);
        if reply.status == status {
            return body(&reply);
        }
        let is_late = begun.elapsed() > Duration::from_secs(30);
        assert!(!is_late, "{path}: {reply:?}");
    }
}

/// What is told of health is no problem, whatever its status.
#[track_caller]
fn body(reply: &Reply) -> Value {
    assert_eq!(reply.header("content-type"), Some("application/json"));
    let is_away = reply.status == 503;
    assert_eq!(reply.header("retry-after").is_some(), is_away, "{reply:?}");
    serde_json::from_str(&reply.body).unwrap()
}

#[test]
fn an_index_that_is_gone_or_damaged_is_told() {
    let vault = TestVault::example();
    let index = vault.beside("own.db");
    vault.ken(&["index", "--store", "own.db"]).expect_code(0);
    // Without a vault it cannot be made again.
    let args = ["serve", "--port", "0", "--store", "own.db", "--no-update"];
    let server = Server::start_command(vault.bare_command(&args));
    let check = |status: u16, told: &str, store: &str| {
        let health = in_time(&server, "/health", status);
        assert_eq!(
            (&health["status"], &health["store"]),
            (&json!(told), &json!(store))
        );
        assert_eq!(health["model"].is_null(), status == 503, "{health}");
        let domain = in_time(&server, "/d/own/health", status);
        assert_eq!(
            (&domain["status"], &domain["store"]),
            (&json!(told), &json!(store))
        );
        // The process itself is well.
        assert_eq!(server.get("/live").json()["status"], "ok");
    };
    check(200, "ok", "ready");
    let elsewhere = vault.beside("elsewhere.db");
    fs::rename(&index, &elsewhere).unwrap();
    check(503, "unavailable", "missing");
    assert_eq!(
        server.get("/domains").json()["domains"][0]["indexed"],
        false
    );
    fs::rename(&elsewhere, &index).unwrap();
    check(200, "ok", "ready");
    let mut bytes = fs::read(&index).unwrap();
    bytes[4_096..].fill(0xA5);
    fs::write(&index, &bytes).unwrap();
    check(503, "unavailable", "damaged");
}

#[test]
fn an_index_that_the_first_question_makes_is_no_trouble() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    assert_eq!(in_time(&server, "/health", 200)["status"], "ok");
    assert_eq!(server.get("/search?q=boiler").status, 200);
    // What was seen counts for a second.
    let begun = Instant::now();
    while in_time(&server, "/health", 200)["store"] != "ready" {
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}

#[test]
fn damage_that_only_a_question_meets_is_told_afterwards() {
    let vault = TestVault::example();
    let index = vault.beside("own.db");
    vault.ken(&["index", "--store", "own.db"]).expect_code(0);
    // What is asked for at the beginning is whole.
    let mut bytes = fs::read(&index).unwrap();
    let begin = bytes.len() / 4;
    bytes[begin..].fill(0xA5);
    fs::write(&index, &bytes).unwrap();
    let args = ["serve", "--port", "0", "--store", "own.db", "--no-update"];
    let server = Server::start_command(vault.bare_command(&args));
    let answer = server.get("/search?q=boiler");
    let problem = answer.problem(503);
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("damaged"), "{detail}");
    assert_eq!(in_time(&server, "/health", 503)["store"], "damaged");
}

#[test]
fn some_domains_that_cannot_be_asked_are_told_to_those_who_may_ask_them() {
    let vault = TestVault::empty();
    let settings = "[domains.open]\npath = \"open\"\n[domains.private]\npath = \"private\"\n\
                    [clients.guest]\ntoken = \"guest-token\"\ndomains = [\"open\"]\n\
                    [clients.owner]\ntoken = \"owner-token\"\n";
    let settings = settings
        .replace("\"open\"\n[d", &format!("{:?}\n[d", vault.beside("open")))
        .replace(
            "\"private\"\n[c",
            &format!("{:?}\n[c", vault.beside("private")),
        );
    fs::write(vault.beside("config.toml"), settings).unwrap();
    for name in ["open", "private"] {
        fs::create_dir(vault.beside(name)).unwrap();
        fs::write(vault.beside(name).join("Boats.md"), "# Boats\n\nOars.\n").unwrap();
    }
    vault.bare_ken(&["index", "-d", "open"]).expect_code(0);
    let command = vault.bare_command(&["serve", "--port", "0", "--no-update"]);
    let server = Server::start_command(command);
    let with = |path: &str, token: &str| {
        let reply = server.get_with(path, &[("Authorization", &format!("Bearer {token}"))]);
        (reply.status, body(&reply))
    };
    let (status, all) = with("/health", "owner-token");
    assert_eq!((status, &all["status"]), (200, &json!("degraded")));
    let states = json!([
        {"domain": "open", "store": "ready"},
        {"domain": "private", "store": "missing"}
    ]);
    assert_eq!(all["domains"], states);
    assert_eq!(with("/d/private/health", "owner-token").0, 503);
    // Whoever may ask one of them is not told of the other.
    let (status, own) = with("/health", "guest-token");
    assert_eq!((status, &own["status"]), (200, &json!("ok")));
    assert!(!own.to_string().contains("private"), "{own}");
    // A stranger is told whether it is worth asking, and nothing else.
    let told = server.get("/health").json();
    let version = &told["version"];
    assert_eq!(told, json!({"status": "degraded", "version": version}));
    let told = server.get("/live").json();
    assert_eq!(told, json!({"status": "ok", "version": version}));
    server.get("/d/private/health").problem(401);
}

#[test]
#[cfg(feature = "postgres")]
fn a_server_that_says_nothing_is_not_waited_for() {
    // It is there and takes connections, and never says a word.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let vault = TestVault::empty();
    let mut command = vault.bare_command(&["serve", "--port", "0", "-d", "work", "--no-update"]);
    let address = format!("postgres://ann:s3cret@127.0.0.1:{port}/notes");
    let server = Server::start_command({
        command.env("KEN_STORE", address);
        command
    });
    for path in ["/health", "/d/work/health"] {
        let begun = Instant::now();
        let reply = server.get(path);
        assert!(begun.elapsed() < Duration::from_secs(5), "{path}");
        let told = body(&reply);
        assert_eq!(
            (reply.status, &told["status"]),
            (503, &json!("unavailable"))
        );
        assert_eq!(told["store"], "unreachable");
        assert!(!told.to_string().contains("s3cret"), "{told}");
        assert!(!told.to_string().contains("ann"), "{told}");
    }
}

#[test]
#[cfg(feature = "postgres")]
fn nobody_waits_for_a_server_that_says_nothing_to_be_listened_to() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let vault = TestVault::example();
    let address = format!("postgres://ann:s3cret@127.0.0.1:{port}/notes?connect_timeout=40");
    let root = vault.root();
    let args = [
        "serve",
        "--port",
        "0",
        "-d",
        "work",
        "--vault",
        root.to_str().unwrap(),
    ];
    let mut command = vault.bare_command(&args);
    command.env("KEN_STORE", address);
    let begun = Instant::now();
    let server = Server::start_command(command);
    assert_eq!(server.get("/live").status, 200);
    assert_eq!(server.get("/health").status, 503);
    assert!(begun.elapsed() < Duration::from_secs(20));
}
