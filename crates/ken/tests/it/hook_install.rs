//! `ken hook install`, `remove` and `status`: the settings of agents are somebody else's.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::vault::{Run, TestVault, finish};

fn hook(vault: &TestVault, args: &[&str]) -> Run {
    let mut command = vault.bare_command(&[&["hook"], args].concat());
    command
        .env("CLAUDE_CONFIG_DIR", vault.beside("claude"))
        .env("CODEX_HOME", vault.beside("codex"));
    finish(command)
}

/// Returns a path as a shell has to read it; those of tests hold no quotes.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    match path.chars().all(is_plain) {
        true => path.to_owned(),
        false => format!("'{path}'"),
    }
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
    // One line: not every version knows more.
    assert_eq!(
        handler["command"],
        format!(
            "{} hook prompt --agent claude",
            quoted(env!("CARGO_BIN_EXE_ken"))
        )
    );
    assert_eq!(handler.get("args"), None);
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
    let command = &run.json()["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"];
    let expected = format!("hook prompt --agent claude --vault {}", quoted(&root));
    assert!(command.as_str().unwrap().ends_with(&expected), "{command}");
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
            .ends_with("ken hook session-start --agent codex"),
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
    assert!(handler["powershell"].as_str().unwrap().starts_with("& "));
    assert_eq!(handler["timeoutSec"], 5);
    hook(&vault, &["remove", "--agent", "copilot", "--project"]).expect_code(0);
    assert!(
        !vault.beside(".github/hooks/ken.json").exists(),
        "nothing but ours was in it"
    );
}

#[test]
fn hooks_that_old_agents_cannot_read_are_told_and_mended() {
    let vault = TestVault::empty();
    let mut settings = String::from("{\"hooks\":{");
    for (name, verb) in [
        ("UserPromptSubmit", "prompt"),
        ("SessionStart", "session-start"),
        ("PreToolUse", "pre-tool"),
        ("PostToolUse", "post-tool"),
    ] {
        settings += &format!(
            "\"{name}\":[{{\"hooks\":[{{\"type\":\"command\",\"command\":\"ken\",\
             \"args\":[\"hook\",\"{verb}\",\"--agent\",\"claude\"]}}]}}],"
        );
    }
    let settings = settings.trim_end_matches(',').to_owned() + "}}";
    fs::create_dir_all(vault.beside("claude")).unwrap();
    fs::write(claude(&vault), settings).unwrap();
    let before = hook(&vault, &["status", "--agent", "claude"]).expect_code(1);
    assert_eq!(before.stdout.matches(" outdated ").count(), 4);
    assert!(before.stderr.contains("2.1.139") && before.stderr.contains("ken hook install"));
    hook(&vault, &["install", "--agent", "claude"]).expect_code(0);
    let after = hook(&vault, &["status", "--agent", "claude"]).expect_code(0);
    assert_eq!(after.stdout.matches(" installed ").count(), 4);
    let text = fs::read_to_string(claude(&vault)).unwrap();
    assert!(!text.contains("args"), "{text}");
    assert_eq!(text.matches("hook prompt").count(), 1, "{text}");
}

#[test]
fn codex_is_said_to_want_trust() {
    let vault = TestVault::empty();
    let told = hook(&vault, &["status", "--agent", "codex"]).expect_code(1);
    assert_eq!(told.stderr, "", "nothing is installed");
    for verb in ["install", "status"] {
        let run = hook(&vault, &[verb, "--agent", "codex"]).expect_code(0);
        assert!(run.stderr.contains("trust it") && run.stderr.contains("/hooks"));
    }
    let run = hook(&vault, &["install", "--agent", "claude"]).expect_code(0);
    assert!(!run.stderr.contains("trust"), "{}", run.stderr);
}

#[test]
fn every_other_byte_of_the_settings_stays() {
    let vault = TestVault::empty();
    fs::create_dir_all(vault.beside("claude")).unwrap();
    for own in [
        "{\"a\": 1e5, \"b\": 1.0, \"c\": 123456789012345678901234567890, \"a\": 1E5}",
        "\u{feff}{\r\n\t// mine\r\n\t\"model\": \"opus\", // best\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [], /* none */\r\n\t},\r\n}\r\n\r\n",
        "{\n   \"z\": [1,  2],\n   \"a\": {}\n}",
    ] {
        fs::write(claude(&vault), own).unwrap();
        hook(&vault, &["install", "--agent", "claude"]).expect_code(0);
        let added = fs::read_to_string(claude(&vault)).unwrap();
        assert!(added.contains("hook prompt"), "{added}");
        hook(&vault, &["status", "--agent", "claude"]).expect_code(0);
        hook(&vault, &["install", "--agent", "claude"]).expect_code(0);
        assert_eq!(fs::read_to_string(claude(&vault)).unwrap(), added);
        hook(&vault, &["remove", "--agent", "claude"]).expect_code(0);
        assert_eq!(fs::read_to_string(claude(&vault)).unwrap(), own);
    }
    let twice = "{\"hooks\": {}, \"hooks\": {}}";
    fs::write(claude(&vault), twice).unwrap();
    hook(&vault, &["install", "--agent", "claude"])
        .expect_hint("cannot be changed", "nothing was changed");
    assert_eq!(fs::read_to_string(claude(&vault)).unwrap(), twice);
}

#[cfg(unix)]
#[test]
fn a_link_to_the_settings_stays_a_link() {
    use std::os::unix::fs::symlink;
    let vault = TestVault::empty();
    fs::create_dir_all(vault.beside("claude")).unwrap();
    fs::create_dir_all(vault.beside("dotfiles")).unwrap();
    // A manager of dotfiles links settings, also before there are any.
    let kept = vault.beside("dotfiles/claude.json");
    symlink("../dotfiles/claude.json", claude(&vault)).unwrap();
    hook(&vault, &["install", "--agent", "claude"]).expect_code(0);
    assert!(claude(&vault).is_symlink());
    assert!(fs::read_to_string(&kept).unwrap().contains("hook prompt"));
    // The copy of what was there takes the place of a link, and does not go through it.
    let victim = vault.beside("victim");
    fs::write(&victim, "precious").unwrap();
    let copy = vault.beside("dotfiles/claude.json.bak");
    let _ = fs::remove_file(&copy);
    symlink(&victim, &copy).unwrap();
    hook(&vault, &["remove", "--agent", "claude"]).expect_code(0);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    // A link in a project was made by somebody else.
    fs::create_dir_all(vault.beside(".claude")).unwrap();
    let outside = tempfile::tempdir().unwrap();
    let other = outside.path().join("other.json");
    fs::write(&other, "{}").unwrap();
    symlink(&other, vault.beside(".claude/settings.json")).unwrap();
    hook(&vault, &["install", "--agent", "claude", "--project"])
        .expect_hint("leads out of the project", "nothing was changed");
    assert_eq!(fs::read_to_string(&other).unwrap(), "{}");
}
