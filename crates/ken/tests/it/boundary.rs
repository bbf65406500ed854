//! The boundary between domains: what belongs to one is neither read nor named through another, whatever
//! route is asked and however a file is reached.

use std::fs;

use serde_json::{Value, json};

use crate::server::Server;
use crate::vault::TestVault;

/// Everything of the other domain is called so, and nothing else is.
const SECRET: &str = "quinquereme";

const GUEST: (&str, &str) = ("Authorization", "Bearer guest-token");

/// A vault that lists two domains; a guest may ask one of them.
fn shared_vault() -> TestVault {
    let vault = TestVault::empty();
    vault.write(
        "Open/a.md",
        "# Oars\n\nAbout oars. See [[Quinquereme plan]].\n",
    );
    vault.write(
        "Open/archive/old.md",
        "# Old\n\nLeft out by its own rule.\n",
    );
    vault.write(
        "Quinquereme/Quinquereme plan.md",
        "# Quinquereme\n\nA quinquereme.\n",
    );
    vault.write("Quinquereme/quinquereme.png", "");
    vault.write("quinquereme.md", "A quinquereme at the top.\n");
    vault.write(
        "_domains.yaml",
        "open:\n  include: [Open/]\n  exclude: [Open/archive/]\nhidden:\n  legacy: true\n",
    );
    vault.write("settings.toml", "");
    fs::write(
        vault.beside("config.toml"),
        "[index]\nfollow_links = true\n[clients.guest]\ntoken = \"guest-token\"\ndomains = [\"open\"]\n",
    )
    .unwrap();
    vault
}

fn serve(vault: &TestVault) -> Server {
    let compat = "serve --port 0 --compat miyo,omnisearch --miyo-port 0 --omnisearch-port 0";
    let mut command = vault.command(&compat.split(' ').collect::<Vec<_>>());
    command.arg("--config").arg(vault.beside("config.toml"));
    Server::start_command(command)
}

/// What a guest is told by every route there is.
fn told(server: &Server) -> Vec<(String, String)> {
    let json = ("Content-Type", "application/json");
    let accept = ("Accept", "application/json, text/event-stream");
    let mut told = Vec::new();
    let mut ask = |compat: usize, method: &str, path: &str, body: Value| {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let headers = [GUEST, json, accept];
        let reply = server.compat(compat).ask(method, path, &headers, &body);
        told.push((format!("{method} {path} {body}"), reply.body));
    };
    ask(0, "POST", "/reload", Value::Null);
    for path in [
        "/status",
        "/health",
        "/domains",
        "/notes",
        "/deep",
        "/d/open/status",
        "/d/open/health",
        "/d/none/status",
        "/links/a",
        "/links/Open/a.md",
        "/traverse/a?deep=true&compare=true",
        "/node/a",
        "/search?q=oars&explain=true",
        "/search?q=oras",
        "/node/b",
        "/nowhere",
    ] {
        ask(0, "GET", path, Value::Null);
    }
    for (tool, arguments) in [
        ("status", json!({})),
        ("list_notes", json!({})),
        ("search", json!({"query": "oars"})),
        ("get", json!({"note": "plan"})),
        ("links", json!({"note": "a"})),
        ("status", json!({"domain": "none"})),
    ] {
        let params = json!({"name": tool, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        ask(0, "POST", "/mcp", call);
    }
    for method in ["resources/list", "tools/list"] {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}});
        ask(0, "POST", "/mcp", call);
    }
    for path in ["/v0/health", "/v0/folder", "/v0/folder/files?limit=100"] {
        ask(1, "GET", path, Value::Null);
    }
    ask(1, "POST", "/v0/search", json!({"query": "oars"}));
    ask(2, "GET", "/search?q=oars", Value::Null);
    told
}

/// Nobody is told anything of the other domain, but for what their own notes say of it.
#[track_caller]
fn check_silent(server: &Server) {
    for (asked, body) in told(server) {
        let body = body.to_lowercase().replace("[[quinquereme plan]]", "");
        let body = body.replace("\"target\":\"quinquereme plan\"", "");
        let body = body.replace("quinquereme plan", "");
        assert!(!body.contains(SECRET), "{asked}: {body}");
    }
}

#[test]
fn a_domain_is_not_named_by_another() {
    let vault = shared_vault();
    let server = serve(&vault);
    check_silent(&server);
    // What its own rules leave out is still told.
    let status = server.get_with("/status", &[GUEST]).json();
    assert!(
        status["left_out"].to_string().contains("Open/archive/"),
        "{status}"
    );
    // The owner of the vault sees the other domain.
    vault
        .ken(&["search", "--domain", "hidden", SECRET])
        .expect_code(0);
}

#[cfg(unix)]
#[test]
fn a_link_does_not_carry_a_domain_into_another() {
    use std::os::unix::fs::symlink;
    let vault = shared_vault();
    let root = vault.root();
    symlink(root.join("Quinquereme"), root.join("Open/folder")).unwrap();
    symlink(
        root.join("Quinquereme/Quinquereme plan.md"),
        root.join("Open/file.md"),
    )
    .unwrap();
    symlink(&root, root.join("Open/all")).unwrap();
    symlink(root.join("Open/archive"), root.join("Open/again")).unwrap();
    let server = serve(&vault);
    check_silent(&server);
    let answer = server.get_with(&format!("/search?q={SECRET}&mode=lexical"), &[GUEST]);
    let hits = answer.json()["hits"].clone();
    let paths: Vec<_> = hits
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| &hit["path"])
        .collect();
    assert_eq!(paths, ["Open/a.md"], "{hits}");
    let notes = server.get_with("/notes", &[GUEST]).json();
    assert_eq!(notes["n_notes"], 1, "{notes}");
}

#[cfg(unix)]
#[test]
fn domains_of_the_settings_have_their_folders_for_themselves() {
    use std::os::unix::fs::symlink;
    let vault = TestVault::empty();
    vault.write("a.md", "About oars.\n");
    vault.write("inner/b.md", "A quinquereme.\n");
    vault.write("sub/c.md", "About oars, too.\n");
    fs::create_dir(vault.beside("other")).unwrap();
    fs::write(vault.beside("other/d.md"), "Another quinquereme.\n").unwrap();
    fs::create_dir(vault.beside("nobodys")).unwrap();
    fs::write(vault.beside("nobodys/e.md"), "Nobody's oars.\n").unwrap();
    symlink(vault.beside("other"), vault.root().join("link")).unwrap();
    symlink(vault.beside("nobodys"), vault.root().join("free")).unwrap();
    let settings = |include: &str| {
        let (root, other) = (vault.root(), vault.beside("other"));
        let text = format!(
            "[index]\nfollow_links = true\n[domains.outer]\npath = {root:?}\n{include}\n\
             [domains.inner]\npath = {:?}\n[domains.other]\npath = {other:?}\n",
            root.join("inner"),
        );
        fs::write(vault.beside("config.toml"), text).unwrap();
        let run = vault.bare_ken(&["search", "--domain", "outer", "--format", "paths", SECRET]);
        let all = vault.bare_ken(&[
            "search", "--domain", "outer", "--format", "paths", "path:md",
        ]);
        let mut paths: Vec<String> = all.stdout.lines().map(str::to_owned).collect();
        paths.sort();
        (run.stdout.clone(), paths.join(" "))
    };
    let (found, all) = settings("");
    assert_eq!(
        (found.as_str(), all.as_str()),
        ("", "a.md free/e.md sub/c.md")
    );
    // Who wants the inner one in the outer, too, says so; a link to another is never followed.
    let (_, all) = settings("include = [\"**\"]");
    assert_eq!(all, "a.md free/e.md inner/b.md sub/c.md");
}
