//! `ken mcp` asked by the official clients for Python and TypeScript, in both eras of the protocol.
//! They are installed once below `target/`; where they cannot be, the test says that it skipped.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::mcp::TOOLS;
use crate::server::Server;
use crate::vault::{TestVault, finish, repository};

fn folder() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    target.join("mcp-clients")
}

/// Installs the clients of a language; false where that cannot be done.
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn is_installed(language: &str) -> bool {
    let run = finish({
        let mut command = Command::new(repository().join("scripts/mcp-clients"));
        command
            .args(["install", language])
            .env("MCP_CLIENTS", folder());
        command
    });
    if run.code != 0 {
        eprintln!("the {language} client was not tried: {}", run.stderr.trim());
    }
    run.code == 0
}

/// Lets a client ask everything over both ways in, and checks what it has seen.
#[track_caller]
fn check(program: &Path, script: &str, mode: &str) {
    let vault = TestVault::example();
    let server = Server::start(&vault, &[]);
    let client = || {
        let mut command = Command::new(program);
        command
            .arg(repository().join("crates/ken/tests/clients").join(script))
            .arg(mode)
            .env("MCP_CLIENTS", folder());
        command
    };
    let ken = vault.command(&["mcp"]);
    let mut command = client();
    command.arg(ken.get_program()).args(ken.get_args());
    for (name, value) in ken.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    check_seen(&finish(command).expect_code(0).json(), mode);
    let mut command = client();
    command.arg(server.url("/mcp"));
    check_seen(&finish(command).expect_code(0).json(), mode);
}

#[track_caller]
fn check_seen(seen: &Value, mode: &str) {
    assert_eq!(seen["server"], "ken");
    assert!(seen["instructions"].as_str().unwrap().contains("47 notes"));
    assert_eq!(seen["tools"].as_array().unwrap().len(), TOOLS.len());
    assert_eq!(seen["prompts"][0], "answer_from_notes");
    assert!(seen["prompt"].as_str().unwrap().contains("Who?"));
    check_calls(&seen["calls"]);
    assert_eq!(seen["template"], "ken://{domain}/{+path}");
    assert!(seen["uri"].as_str().unwrap().starts_with("ken://vault/"));
    assert!(!seen["text"].as_str().unwrap().is_empty());
    let (version, gone) = match mode {
        "legacy" => ("2025-11-25", -32002),
        _ => ("2026-07-28", -32602),
    };
    if !seen["version"].is_null() {
        assert_eq!(seen["version"], version);
    }
    assert_eq!(seen["gone"], gone);
}

#[track_caller]
fn check_calls(calls: &Value) {
    let (last, calls) = calls.as_array().unwrap().split_last().unwrap();
    for call in calls {
        assert_eq!(call["error"], false, "{call}");
        assert!(call["structured"].is_object(), "{call}");
        assert_eq!(call["content"][0], "text");
    }
    let found = &calls[0];
    assert_eq!(
        found["structured"]["results"][0]["path"],
        "2-Areas/Finance/IRS-Letter.md"
    );
    assert_eq!(found["content"].as_array().unwrap().len(), 1);
    assert_eq!(calls[9]["structured"]["citations_status"], "all_verified");
    assert_eq!(last["error"], true);
    assert!(
        last["structured"]["hint"]
            .as_str()
            .unwrap()
            .contains("`limit`")
    );
}

#[test]
fn the_python_client_is_served() {
    if is_installed("python") {
        for mode in ["legacy", "auto"] {
            check(&folder().join("venv/bin/python"), "client.py", mode);
        }
    }
}

#[test]
fn the_typescript_clients_are_served() {
    if is_installed("node") {
        for mode in ["legacy", "2026-07-28"] {
            check(Path::new("node"), "client.mjs", mode);
        }
    }
}
