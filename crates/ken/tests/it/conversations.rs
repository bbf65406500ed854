//! Conversations over HTTP, and in backups.

use std::fs;

use serde_json::{Value, json};

use crate::server::{Reply, Server};
use crate::vault::TestVault;

fn ask(server: &Server, method: &str, path: &str, token: &str, body: &Value) -> Reply {
    let bearer = format!("Bearer {token}");
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
    ];
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    server.client().ask(method, path, &headers, &body)
}

fn json_of(reply: &Reply) -> Value {
    serde_json::from_str(&reply.body).unwrap_or_else(|error| panic!("{error}: {reply:?}"))
}

/// Two domains of one vault, and two clients: one may ask both, the other what is said.
fn two_clients(vault: &TestVault, phone: &str) {
    let root = vault.root();
    let config = format!(
        "[domains.home]\npath = '{root}'\ninclude = [\"2-Areas\"]\n\
         [domains.work]\npath = '{root}'\ninclude = [\"1-Projects\"]\n\
         [clients.desk]\ntoken = \"desk-token\"\n\
         [clients.phone]\ntoken = \"phone-token\"\ndomains = [{phone}]\n",
        root = root.display()
    );
    fs::write(vault.beside("config.toml"), config).unwrap();
}

fn serve(vault: &TestVault) -> Server {
    let args = [
        "serve",
        "--port",
        "0",
        "--domain",
        "home,work",
        "--no-update",
    ];
    Server::start_command(vault.bare_command(&args))
}

fn begin(server: &Server, token: &str, domains: &Value) -> String {
    let body = json!({"title": "Roof", "domains": domains});
    let reply = ask(server, "POST", "/conversations", token, &body);
    assert_eq!(reply.status, 201, "{reply:?}");
    json_of(&reply)["id"].as_str().unwrap().to_owned()
}

fn list(server: &Server, path: &str, token: &str) -> Vec<String> {
    let reply = ask(server, "GET", path, token, &Value::Null);
    let all = json_of(&reply)["conversations"].as_array().unwrap().clone();
    let id = |one: &Value| one["id"].as_str().unwrap().to_owned();
    let mut ids: Vec<_> = all.iter().map(id).collect();
    ids.sort();
    ids
}

#[test]
fn a_client_sees_its_own_conversations_about_its_own_domains() {
    let vault = TestVault::example();
    two_clients(&vault, "'home', 'work'");
    vault
        .bare_ken(&["index", "--domain", "home,work"])
        .expect_code(0);
    let server = serve(&vault);
    let desk = begin(&server, "desk-token", &json!(["home"]));
    let both = begin(&server, "phone-token", &json!(["home", "work"]));
    let home = begin(&server, "phone-token", &json!(["home"]));
    let all = "/conversations";
    assert_eq!(list(&server, all, "desk-token"), [desk.as_str()]);
    let mut own = [both, home.clone()];
    own.sort();
    assert_eq!(list(&server, all, "phone-token"), own);
    // Under a domain, only those that ask nothing else.
    let under = "/d/home/conversations";
    assert_eq!(list(&server, under, "phone-token"), [home.as_str()]);
    for (method, path, body) in [
        ("GET", "", Value::Null),
        ("GET", "/export", Value::Null),
        ("PATCH", "", json!({"title": "Mine"})),
        ("DELETE", "", Value::Null),
    ] {
        let path = format!("{all}/{desk}{path}");
        let reply = ask(&server, method, &path, "phone-token", &body);
        assert_eq!(reply.status, 404, "{method} {reply:?}");
    }
    let body = json!({"domains": ["cellar"]});
    assert_eq!(ask(&server, "POST", all, "desk-token", &body).status, 422);
    drop(server);
    // A client that may ask less from now on sees less; a restart loses nothing.
    two_clients(&vault, "'home'");
    let server = serve(&vault);
    assert_eq!(list(&server, all, "phone-token"), [home]);
    assert_eq!(list(&server, all, "desk-token"), [desk]);
}

#[test]
fn a_conversation_is_renamed_searched_exported_and_deleted() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let ask = |method: &str, path: &str, body: Value| ask(&server, method, path, "", &body);
    let begun = json_of(&ask("POST", "/conversations", json!({})));
    let id = begun["id"].as_str().unwrap();
    assert_eq!(
        begun["memory"],
        json!({"used": 0, "budget": 48_000, "dropped_turns": 0})
    );
    let path = format!("/conversations/{id}");
    let token = format!("ghp_{}", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    let changed = ask("PATCH", &path, json!({"title": format!("Gutter {token}")}));
    let title = json_of(&changed)["title"].as_str().unwrap().to_owned();
    assert!(
        title.starts_with("Gutter ") && !title.contains(&token),
        "{title}"
    );
    let found = |q: &str| {
        json_of(&ask("GET", &format!("/conversations?q={q}"), Value::Null))["n_conversations"]
            .clone()
    };
    assert_eq!((found("gutter"), found("cellar")), (json!(1), json!(0)));
    let export = ask("GET", &format!("{path}/export"), Value::Null);
    assert!(export.body.starts_with("# Gutter "), "{export:?}");
    for (body, status) in [
        (json!({}), 422),
        (json!({"title": " "}), 422),
        (json!({"titel": "x"}), 400),
        (json!({"rewind": 77}), 404),
    ] {
        assert_eq!(ask("PATCH", &path, body.clone()).status, status, "{body}");
    }
    assert_eq!(ask("DELETE", &path, Value::Null).status, 200);
    assert_eq!(ask("GET", &path, Value::Null).status, 404);
    assert_eq!(ask("GET", "/conversations/%25", Value::Null).status, 404);
}

#[test]
fn a_backup_has_the_conversations_too() {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let begun = server.post("/conversations", "{\"title\":\"Roof\"}");
    let id = json_of(&begun)["id"].as_str().unwrap().to_owned();
    drop(server);
    let run = vault.ken(&["backup", "copy.db"]).expect_code(0);
    assert!(
        run.stderr
            .contains("copied the conversations to copy.conversations.db"),
        "{}",
        run.stderr
    );
    // Put back, they are there again.
    fs::remove_dir_all(vault.beside("data")).unwrap();
    fs::create_dir(vault.beside("data")).unwrap();
    fs::rename(
        vault.beside("copy.conversations.db"),
        vault.beside("data/conversations.db"),
    )
    .unwrap();
    let server = Server::start(&vault, &[]);
    assert_eq!(
        json_of(&server.get(&format!("/conversations/{id}")))["title"],
        "Roof"
    );
    drop(server);
    fs::write(vault.beside("new.conversations.db"), "precious").unwrap();
    vault
        .ken(&["backup", "new.db"])
        .expect_hint("new.conversations.db", "does not exist yet");
    assert!(!vault.beside("new.db").exists());
}

#[test]
fn conversations_never_lie_in_a_vault() {
    let vault = TestVault::example();
    let mut command = vault.command(&["serve", "--port", "0"]);
    command.env("KEN_DATA_DIR", vault.root().join("data"));
    let server = Server::start_command(command);
    let reply = server.post("/conversations", "{}");
    assert_eq!(reply.status, 409, "{reply:?}");
    assert!(reply.body.contains("KEN_DATA_DIR"), "{reply:?}");
    assert!(!vault.root().join("data/conversations.db").exists());
}
