//! `ken hook install`, `remove` and `status`: the settings of agents are somebody else's.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::vault::{Run, TestVault, finish};

fn hook(vault: &TestVault, args: &[&str]) -> Run {
    let mut command = vault.bare_command(&[&["hook"], args].concat());
    command
        .env("CLAUDE_CONFIG_DIR", vault.beside("claude"))
        .env("CODEX_HOME", vault.beside("codex"));
    finish(command)
}

fn claude(vault: &TestVault) -> PathBuf {
    vault.beside("claude/settings.json")
}

fn write_own(vault: &TestVault) -> String {
    let own = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"say done\"\n          }\n        ]\n      }\n    ]\n  },\n  \"apiKeyHelper\": \"x\"\n}\n";
    fs::create_dir_all(vault.beside("claude")).unwrap();
    fs::write(claude(vault), own).unwrap();
    own.to_owned()
}

#[test]
fn hooks_are_added_once_and_taken_out_again() {
    let vault = TestVault::empty();
    let own = write_own(&vault);
    hook(&vault, &["status", "--agent", "claude"]).expect_code(1);
    hook(&vault, &["install", "--agent", "claude"]).expect_code(0);
    let first = fs::read_to_string(claude(&vault)).unwrap();
    assert_eq!(
        fs::read_to_string(vault.beside("claude/settings.json.bak")).unwrap(),
        own
    );
    hook(&vault, &["status", "--agent", "claude"]).expect_code(0);
    let again = hook(&vault, &["install", "--agent", "claude"]).expect_code(0);
    assert!(again.stderr.contains("there already"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(claude(&vault)).unwrap(), first);
    let value: Value = serde_json::from_str(&first).unwrap();
    let handler = &value["hooks"]["UserPromptSubmit"][0]["hooks"][0];
    assert_eq!(handler["command"], env!("CARGO_BIN_EXE_ken"));
    assert_eq!(
        handler["args"],
        json!(["hook", "prompt", "--agent", "claude"])
    );
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["model", "hooks", "apiKeyHelper"]);
    hook(&vault, &["remove", "--agent", "claude"]).expect_code(0);
    assert_eq!(fs::read_to_string(claude(&vault)).unwrap(), own);
    hook(&vault, &["remove", "--agent", "claude"]).expect_code(1);
}

#[test]
fn settings_that_cannot_be_read_are_left_alone() {
    let vault = TestVault::empty();
    for text in [
        "{ \"model\": ",
        "[]",
        "{\"hooks\": []}",
        "{\"hooks\": {\"Stop\": {}}}",
    ] {
        write_own(&vault);
        fs::write(claude(&vault), text).unwrap();
        hook(&vault, &["install", "--agent", "claude"])
            .expect_hint("cannot be read", "nothing was changed");
        hook(&vault, &["remove", "--agent", "claude"])
            .expect_hint("cannot be read", "nothing was changed");
        assert_eq!(fs::read_to_string(claude(&vault)).unwrap(), text);
    }
}

#[test]
fn the_notes_that_are_meant_can_be_named() {
    let vault = TestVault::empty();
    let root = vault.root().canonicalize().unwrap().display().to_string();
    let run = hook(
        &vault,
        &[
            "install",
            "--agent",
            "claude",
            "--dry-run",
            "--vault",
            &root,
        ],
    )
    .expect_code(0);
    let args = &run.json()["hooks"]["UserPromptSubmit"][0]["hooks"][0]["args"];
    assert_eq!(
        *args,
        json!(["hook", "prompt", "--agent", "claude", "--vault", root])
    );
    hook(
        &vault,
        &["install", "--agent", "claude", "--domain", "nowhere"],
    )
    .expect_hint("there is no domain", "ken domain add nowhere");
}

#[test]
fn a_dry_run_changes_nothing() {
    let vault = TestVault::empty();
    let run = hook(&vault, &["install", "--agent", "codex", "--dry-run"]).expect_code(0);
    let command = run.json()["hooks"]["SessionStart"][0]["hooks"][0]["command"].clone();
    assert!(
        command
            .as_str()
            .unwrap()
            .ends_with("ken\" hook session-start --agent codex"),
        "{command}"
    );
    assert!(!vault.beside("codex").exists());
}

#[test]
fn every_agent_has_its_own_file_and_shape() {
    let vault = TestVault::empty();
    hook(&vault, &["install", "--agent", "codex"]).expect_code(0);
    let codex: Value =
        serde_json::from_str(&fs::read_to_string(vault.beside("codex/hooks.json")).unwrap())
            .unwrap();
    // Codex refuses a file with anything else in it.
    assert_eq!(
        codex.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["hooks"]
    );
    for (agent, file) in [
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("copilot", ".github/hooks/ken.json"),
    ] {
        hook(&vault, &["install", "--agent", agent, "--project"]).expect_code(0);
        assert!(vault.beside(file).exists(), "{file}");
    }
    let copilot = fs::read_to_string(vault.beside(".github/hooks/ken.json")).unwrap();
    let copilot: Value = serde_json::from_str(&copilot).unwrap();
    assert_eq!(copilot["version"], 1);
    let handler = &copilot["hooks"]["userPromptSubmitted"][0];
    assert!(
        handler["bash"]
            .as_str()
            .unwrap()
            .ends_with("hook prompt --agent copilot")
    );
    assert!(handler["powershell"].as_str().unwrap().starts_with("& \""));
    assert_eq!(handler["timeoutSec"], 5);
    hook(&vault, &["remove", "--agent", "copilot", "--project"]).expect_code(0);
    assert!(
        !vault.beside(".github/hooks/ken.json").exists(),
        "nothing but ours was in it"
    );
}
