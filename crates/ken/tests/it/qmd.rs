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
        .expect_code(0);
    assert_eq!(run.json(), json!([]));
    let run = vault
        .ken(&["search", "-m", "lexical", "-f", "qmd", "zyzzyva quokka"])
        .expect_code(0);
    assert_eq!(run.json(), json!([]));
    vault
        .bare_ken(&["search", "-m", "lexical", "zyzzyva quokka"])
        .expect_code(1);
}

#[test]
fn as_many_are_listed_as_qmd_lists() {
    let vault = with_collection();
    let n_listed = |args: &[&str]| {
        let run = vault.bare_ken(args).expect_code(0);
        run.json().as_array().unwrap().len()
    };
    let n_twenty = n_listed(&["query", "house", "--json", "-n", "20"]);
    assert!(n_twenty > 10, "more than Kenning itself shows");
    assert_eq!(n_listed(&["query", "house", "--json"]), n_twenty);
    assert_eq!(n_listed(&["search", "house", "--format", "qmd"]), n_twenty);
    let args = ["query", "house", "--json", "-n", "3", "-C", "9"];
    assert_eq!(n_listed(&args), 3);
    let listed = vault.bare_ken(&["query", "house", "--files"]).stdout;
    assert_eq!(listed.lines().count(), n_twenty);
}

#[test]
fn lines_of_a_query_say_how_they_are_asked() {
    let vault = with_collection();
    let files = |query: &str| -> Vec<String> {
        let run = vault.bare_ken(&["query", "--json", query]).expect_code(0);
        let hits = run.json().as_array().unwrap().clone();
        hits.iter().map(|hit| hit["docid"].to_string()).collect()
    };
    let ids = |mode: &str, query: &str| -> Vec<String> {
        let args = ["search", "-m", mode, "-f", "qmd", query];
        let hits = vault.bare_ken(&args).expect_code(0).json();
        let hits = hits.as_array().unwrap().clone();
        hits.iter().map(|hit| hit["docid"].to_string()).collect()
    };
    let words = ids("lexical", "boiler igniter");
    let meaning = ids("vector", "taxes");
    assert_eq!(files("lex: boiler igniter"), words);
    assert_eq!(files("vec: taxes"), meaning);
    let both = files("intent: the house\nlex: boiler igniter\nvec: taxes");
    assert_eq!(both[0], words[0], "what is asked first counts twice");
    assert!(both.contains(&meaning[0]), "{both:?}");
    vault
        .bare_ken(&["query", "lex: boiler\nigniter"])
        .expect_hint("does not say how to search", "lex:");
}

#[test]
fn files_are_told_by_their_place_on_disk() {
    let vault = with_collection();
    let file = vault.root().canonicalize().unwrap();
    let file = file.join("2-Areas/Home/Boiler.md").display().to_string();
    let whole = vault.bare_ken(&["get", "Boiler", "--no-line-numbers"]);
    let headed = vault.bare_ken(&["get", "Boiler", "--full-path"]).stdout;
    assert_eq!(headed, format!("{file}\n---\n\n{}", whole.stdout));
    let listed = vault
        .bare_ken(&[
            "multi-get",
            "Boiler",
            "--files",
            "--full-path",
            "--no-line-numbers",
        ])
        .expect_code(0);
    assert_eq!(listed.stdout, format!("{file}\n"));
    let hits = vault
        .bare_ken(&["query", "boiler igniter", "--json", "--full-path"])
        .expect_code(0)
        .json();
    assert_eq!(hits[0]["file"], file);
}

#[test]
fn collections_and_their_files_are_listed() {
    let vault = with_collection();
    let all = vault.bare_ken(&["ls"]).expect_code(0).stdout;
    assert_eq!(all, "home  (qmd://home/)  47 files\n");
    let home = vault.bare_ken(&["ls", "home/2-Areas/Home"]).expect_code(0);
    assert_eq!(home.stdout.lines().count(), 4);
    assert!(
        home.stdout
            .starts_with("qmd://home/2-Areas/Home/Boiler.md\n")
    );
    assert_eq!(
        vault.bare_ken(&["ls", "qmd://home/2-Areas/Home/"]).stdout,
        home.stdout
    );
    vault.bare_ken(&["ls", "home/nowhere"]).expect_code(1);
    vault
        .bare_ken(&["ls", "work"])
        .expect_hint("there is no domain", "known domains: home");
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
fn the_verbs_of_qmd_are_not_in_the_help() {
    let help = TestVault::empty().bare_ken(&["--help"]).stdout;
    assert!(
        !help.contains("vsearch") && help.contains("  hook "),
        "{help}"
    );
}
