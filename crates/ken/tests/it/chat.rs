//! `ken chat` without a terminal: questions in, answers and sources out, all of it kept.

use std::fs;

use serde_json::{Value, json};

use crate::hook::send;
use crate::model::{Model, Say, said_by};
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
    chat(&vault, &["--scope", "1-Projects"], question)
        .expect_hint("\"1-Projects\" is not a condition", "folder:Home");
    chat(&vault, &["--scope", "domain:cellar"], question)
        .expect_hint("there is no domain \"cellar\"", "known domains");
    let lines = format!("/scope path:1-Projects\n{question}/scope all\n{question}");
    let run = chat(&vault, &[], &lines).expect_code(0);
    assert!(
        run.stderr
            .contains("only notes in the folder \"1-Projects\" answer, "),
        "{}",
        run.stderr
    );
    assert!(run.stdout.contains("Esko"), "{}", run.stdout);
}

#[test]
fn a_model_answers_with_tools_within_the_scope_and_what_it_says_is_checked() {
    let vault = indexed();
    let model = Model::start(|asked| match said_by(asked, "tool").len() {
        0 => Say::Calls(vec![
            (
                "search_knowledge_base",
                json!({"query": "north gutter Esko"}),
            ),
            (
                "analyze_document",
                json!({"document": "2-Areas/Home/Boiler.md"}),
            ),
        ]),
        _ => Say::Text("It is \"made up from nothing\" [1].".to_owned()),
    });
    model.configure(&vault, "");
    let lines = "who fixed the north gutter?\n/scope folder:1-Projects\n/regenerate\n/sources\n/model\n\
        /model extract\n/scope all\n/regenerate\n/model nobody\n";
    let run = chat(&vault, &[], lines).expect_code(0);
    assert!(
        run.stdout.contains("[1] ✗ ") && run.stdout.contains("“made up from nothing”"),
        "{}",
        run.stdout
    );
    assert!(run.stderr.contains("0 of 1 verified"), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("stub/tiny answers; /model takes stub/tiny, extract"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("no model \"nobody\""), "{}", run.stderr);
    // Extracted at last, from all notes.
    assert!(run.stdout.contains("**Esko"), "{}", run.stdout);
    let asked = model.asked();
    // Twice each time, and once to analyse the note that is in scope the first time only.
    assert_eq!(asked.len(), 5);
    let scope = "only notes in the folder \"1-Projects\"";
    let told = |asked: &Value, role: &str| said_by(asked, role).concat();
    assert!(!told(&asked[0], "system").contains("only notes"));
    assert!(told(&asked[3], "system").contains(scope) && told(&asked[3], "user").contains(scope));
    let tools = told(&asked[4], "tool");
    assert!(!tools.contains("file=\"2-Areas"), "{tools}");
    assert!(tools.contains("nothing is known"), "{tools}");
    let id = listed(&vault)[0]["id"].as_str().unwrap().to_owned();
    let shown = vault.ken(&["chat", "show", "--json", &id]).json();
    assert_eq!(shown["n_turns"], 3);
    assert_eq!(shown["turns"][0]["model"], "extract");
    assert_eq!(shown["scope"], Value::Null);
}

#[test]
fn who_is_meant_is_known_from_the_question_before() {
    let vault = indexed();
    let lines = "who fixed the north gutter?\nand what did he charge?\n";
    let run = chat(&vault, &[], lines).expect_code(0);
    let (_, second) = run.stdout.split_once("(verified)").unwrap();
    assert!(second.contains("$1,180"), "{}", run.stdout);
    // What nobody's question is about is not found by it either.
    let run = chat(&vault, &["--last"], "zebra quantum chromodynamics\n");
    assert_eq!(run.stdout, "Your notes do not say.\n");
}

#[test]
fn what_was_said_is_told_again_and_a_model_that_breaks_off_is_kept_as_far_as_it_came() {
    let vault = indexed();
    let model = Model::start(|asked| match said_by(asked, "user").len() {
        1 => Say::Text("Esko did [1].".to_owned()),
        _ => Say::Break("In the spring, and".to_owned()),
    });
    model.configure(&vault, "tools = false");
    let run = chat(
        &vault,
        &[],
        "who fixed the north gutter?\nand when was that?\n",
    )
    .expect_code(0);
    assert!(run.stdout.contains("In the spring, and"), "{}", run.stdout);
    assert!(run.stderr.contains("error: "), "{}", run.stderr);
    assert_eq!(said_by(&model.asked()[1], "assistant"), ["Esko did [1]."]);
    let id = listed(&vault)[0]["id"].as_str().unwrap().to_owned();
    let shown = vault.ken(&["chat", "show", "--json", &id]).json();
    assert_eq!(
        (&shown["turns"][1]["state"], &shown["turns"][1]["answer"]),
        (&json!("stopped"), &json!("In the spring, and"))
    );
    assert_eq!(shown["turns"][0]["model"], "stub/tiny");
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
