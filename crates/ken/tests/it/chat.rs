//! `ken chat` without a terminal: questions in, answers and sources out, all of it kept.

use std::fs;

use serde_json::Value;

use crate::hook::send;
use crate::vault::{Run, TestVault};

fn chat(vault: &TestVault, args: &[&str], lines: &str) -> Run {
    send(vault.command(&[&["chat"], args].concat()), lines)
}

fn listed(vault: &TestVault) -> Vec<Value> {
    let run = vault.ken(&["chat", "list", "--json"]);
    run.json()["conversations"].as_array().unwrap().clone()
}

fn indexed() -> TestVault {
    let vault = TestVault::example();
    vault.ken(&["index", "--quiet"]).expect_code(0);
    vault
}

#[test]
fn a_question_is_answered_with_checked_sources_and_kept() {
    let vault = indexed();
    let run = chat(&vault, &[], "who fixed the north gutter?\n").expect_code(0);
    assert!(run.stdout.contains("Esko"), "{}", run.stdout);
    assert!(run.stdout.contains("[1] ✓ "), "{}", run.stdout);
    assert!(run.stdout.contains("(verified)"), "{}", run.stdout);
    let all = listed(&vault);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0]["title"], "who fixed the north gutter?");
    let id = all[0]["id"].as_str().unwrap();
    // Another process goes on with it.
    let run = chat(
        &vault,
        &["--resume", &id[..6]],
        "zebra quantum chromodynamics\n",
    );
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (1, "Your notes do not say.\n")
    );
    let shown = vault
        .ken(&["chat", "show", "--json", id])
        .expect_code(0)
        .json();
    let turns = shown["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 2);
    assert_eq!(turns[0]["sources"][0]["citation_verified"], true);
    assert!(shown["memory"]["used"].as_u64().unwrap() > 20);
}

#[test]
fn a_question_is_edited_and_the_old_one_is_kept() {
    let vault = indexed();
    let lines = "who fixed the north gutter?\nhow cold was it when the heating failed\n\
        /edit 1 what is the boiler igniter part number\n/list\n";
    let run = chat(&vault, &[], lines).expect_code(0);
    assert!(
        run.stdout
            .ends_with("1. what is the boiler igniter part number\n"),
        "{}",
        run.stdout
    );
    let id = listed(&vault)[0]["id"].as_str().unwrap().to_owned();
    let shown = vault.ken(&["chat", "show", "--json", &id]).json();
    assert_eq!(shown["n_turns"], 3);
    assert_eq!(shown["turns"].as_array().unwrap().len(), 1);
    assert_eq!(
        shown["turns"][0]["alternatives"].as_array().unwrap().len(),
        2
    );
    let run = chat(&vault, &["--last"], "/regenerate\n/sources\n").expect_code(0);
    assert!(run.stdout.contains("“"), "{}", run.stdout);
    assert_eq!(
        vault.ken(&["chat", "show", "--json", &id]).json()["n_turns"],
        4
    );
}

#[test]
fn a_scope_limits_who_answers() {
    let vault = indexed();
    let question = "who fixed the north gutter?\n";
    let run = chat(&vault, &["--scope", "path:1-Projects"], question);
    assert!(!run.stdout.contains("2-Areas"), "{}", run.stdout);
    let lines = format!("/scope path:1-Projects\n{question}/scope all\n{question}");
    let run = chat(&vault, &[], &lines).expect_code(0);
    assert!(
        run.stderr
            .contains("only notes with path:1-Projects answer"),
        "{}",
        run.stderr
    );
    assert!(run.stdout.contains("Esko"), "{}", run.stdout);
}

#[test]
fn conversations_are_managed() {
    let vault = indexed();
    let token = format!("ghp_{}", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    chat(
        &vault,
        &[],
        &format!("who fixed the north gutter? {token}\n"),
    );
    let id = listed(&vault)[0]["id"].as_str().unwrap().to_owned();
    vault
        .ken(&["chat", "rename", &id, "The", "roof"])
        .expect_code(0);
    let run = vault.ken(&["chat", "list"]).expect_code(0);
    assert!(
        run.stdout.starts_with(&id) && run.stdout.contains("The roof"),
        "{}",
        run.stdout
    );
    vault
        .ken(&["chat", "search", "GUTTER", "north"])
        .expect_code(0);
    vault.ken(&["chat", "search", "cellar"]).expect_code(1);
    let run = vault.ken(&["chat", "export", &id]).expect_code(0);
    assert!(run.stdout.starts_with("# The roof\n"), "{}", run.stdout);
    assert!(!run.stdout.contains(&token), "{}", run.stdout);
    vault
        .ken(&["chat", "export", &id, "roof.md"])
        .expect_code(0);
    assert_eq!(
        fs::read_to_string(vault.beside("roof.md")).unwrap(),
        run.stdout
    );
    vault
        .ken(&["chat", "export", &id, "roof.md"])
        .expect_hint("roof.md", "does not exist yet");
    vault.ken(&["chat", "delete", &id]).expect_code(0);
    vault.ken(&["chat", "list"]).expect_code(1);
    vault
        .ken(&["chat", "show", &id])
        .expect_hint("there is no conversation", "ken chat list");
    chat(&vault, &["--last"], "x\n").expect_hint("no conversation to go on with", "ken chat");
}

#[test]
fn slips_are_told_and_do_not_end_it() {
    let vault = indexed();
    let lines = "/regnerate\n/edit\n/edit 7 who?\n/sources\n/model\n/help\nwho fixed the north gutter?\n/quit\nnever asked\n";
    let run = chat(&vault, &[], lines).expect_code(0);
    assert!(
        run.stderr.contains("did you mean /regenerate?"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("there is no such question"),
        "{}",
        run.stderr
    );
    assert!(
        run.stdout.contains("Esko") && !run.stdout.contains("never"),
        "{}",
        run.stdout
    );
}
