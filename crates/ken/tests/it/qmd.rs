//! The verbs and shapes of qmd.

use serde_json::{Value, json};

use crate::vault::TestVault;

fn with_collection() -> TestVault {
    let vault = TestVault::example();
    let root = vault.root().display().to_string();
    let run = vault
        .bare_ken(&["collection", "add", &root, "--name", "home"])
        .expect_code(0);
    assert!(run.stderr.contains("indexed"), "{}", run.stderr);
    vault
}

#[test]
fn a_search_prints_what_qmd_prints() {
    let vault = with_collection();
    let run = vault
        .bare_ken(&["query", "IRS penalty", "-c", "home", "--json", "-n", "3"])
        .expect_code(0);
    let hits = run.json();
    let first = &hits[0];
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "docid", "score", "file", "line", "title", "context", "snippet"
        ]
    );
    assert_eq!(first["file"], "qmd://home/2-Areas/Finance/IRS-Letter.md");
    assert!(hits.as_array().unwrap().len() <= 3);
    let full = vault
        .bare_ken(&["vsearch", "tax letters", "--json", "--full"])
        .expect_code(0)
        .json();
    assert!(full[0]["body"].is_string() && full[0].get("snippet").is_none());
    let listed = vault
        .bare_ken(&["vector-search", "tax letters", "--files"])
        .expect_code(0)
        .stdout;
    assert!(
        listed.starts_with('#') && listed.contains(",qmd://home/"),
        "{listed}"
    );
    let same = vault
        .ken(&["search", "--format", "qmd", "IRS penalty"])
        .expect_code(0)
        .json();
    assert_eq!(same[0]["docid"], first["docid"]);
}

#[test]
fn nothing_found_is_an_empty_list() {
    let vault = with_collection();
    let run = vault
        .bare_ken(&["query", "zyzzyva", "--json", "--min-score", "0.99"])
        .expect_code(1);
    assert_eq!(run.json(), json!([]));
    let run = vault
        .ken(&["search", "-m", "lexical", "-f", "qmd", "zyzzyva quokka"])
        .expect_code(1);
    assert_eq!(run.json(), json!([]));
}

#[test]
fn notes_are_had_by_their_addresses() {
    let vault = with_collection();
    let whole = vault
        .bare_ken(&["get", "qmd://home/2-Areas/Home/Boiler.md"])
        .expect_code(0)
        .stdout;
    let part = vault
        .bare_ken(&["get", "qmd://home/2-Areas/Home/Boiler.md:2:3"])
        .expect_code(0)
        .stdout;
    let lines: Vec<&str> = whole.lines().skip(1).take(3).collect();
    assert_eq!(part.lines().collect::<Vec<_>>(), lines);
    let asked = vault
        .bare_ken(&["get", "Boiler", "--from", "2", "-l", "3"])
        .expect_code(0);
    assert_eq!(asked.stdout, part);
    vault
        .bare_ken(&["get", "qmd://work/Boiler.md"])
        .expect_hint("there is no domain", "known domains: home");
}

#[test]
fn several_notes_are_had_at_once() {
    let vault = with_collection();
    let run = vault
        .bare_ken(&["multi-get", "2-Areas/Home/*.md", "--json", "-l", "2"])
        .expect_code(0);
    let notes: Vec<Value> = run.json().as_array().unwrap().clone();
    assert_eq!(notes.len(), 4);
    assert!(
        notes
            .iter()
            .all(|note| note["body"].as_str().unwrap().lines().count() <= 2)
    );
    let listed = vault
        .bare_ken(&[
            "multi-get",
            "Boiler, qmd://home/2-Areas/Home/Paint Colors.md",
            "--files",
        ])
        .expect_code(0)
        .stdout;
    assert_eq!(
        listed,
        "qmd://home/2-Areas/Home/Boiler.md\nqmd://home/2-Areas/Home/Paint Colors.md\n"
    );
    let run = vault
        .bare_ken(&["multi-get", "Boiler, No Such Note", "--files"])
        .expect_code(1);
    assert!(run.stderr.contains("No Such Note"), "{}", run.stderr);
}

#[test]
fn collections_are_domains() {
    let vault = with_collection();
    let listed = vault
        .bare_ken(&["collection", "list", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(listed, vault.bare_ken(&["domain", "list", "--json"]).json());
    vault.bare_ken(&["collection", "rm", "home"]).expect_code(0);
    vault.bare_ken(&["collection", "list"]).expect_code(1);
}

#[test]
fn the_seat_is_not_in_the_help() {
    let help = TestVault::empty().bare_ken(&["--help"]).stdout;
    assert!(
        !help.contains("vsearch") && help.contains("  hook "),
        "{help}"
    );
}
