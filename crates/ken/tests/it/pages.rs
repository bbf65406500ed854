//! `ken completions`, `ken man` and the help: what stands around the verbs.

use std::fs;

use crate::vault::{TestVault, finish, repository};

/// Returns the verbs that the help lists.
fn verbs(vault: &TestVault) -> Vec<String> {
    let help = vault.bare_ken(&["--help"]).expect_code(0).stdout;
    let verbs: Vec<String> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|verb| *verb != "help")
        .map(str::to_owned)
        .collect();
    assert!(verbs.len() > 10, "{help}");
    verbs
}

#[test]
fn every_verb_has_help_and_a_row_in_the_readme() {
    let vault = TestVault::empty();
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    for verb in verbs(&vault) {
        assert!(readme.contains(&format!("| `ken {verb}")), "{verb}");
        vault.bare_ken(&[&verb, "--help"]).expect_code(0);
    }
}

#[test]
fn without_a_verb_there_is_help() {
    let vault = TestVault::empty();
    let run = vault.bare_ken(&[]).expect_code(2);
    assert!(run.stderr.contains("Usage: ken"), "{}", run.stderr);
    let run = vault.bare_ken(&["--version"]).expect_code(0);
    assert!(run.stdout.starts_with("ken "), "{}", run.stdout);
}

/// Returns what a shell is offered for the last of some words.
fn completed(vault: &TestVault, words: &[&str]) -> Vec<String> {
    let words = [&["--", "ken"], words].concat();
    let mut command = vault.command(&words);
    command
        .env("KEN_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", (words.len() - 2).to_string())
        .env("_CLAP_COMPLETE_COMP_TYPE", "9")
        .env("_CLAP_IFS", "\n");
    let run = finish(command).expect_code(0);
    assert_eq!(run.stderr, "");
    run.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn each_shell_gets_a_script_that_asks_for_the_rest() {
    let vault = TestVault::empty();
    for shell in ["bash", "zsh", "fish"] {
        let run = vault.bare_ken(&["completions", shell]).expect_code(0);
        assert_eq!(run.stderr, "");
        assert!(run.stdout.contains("KEN_COMPLETE"), "{shell}");
    }
    let offered = completed(&vault, &[""]);
    for verb in verbs(&vault) {
        assert!(offered.contains(&verb), "{verb}");
    }
}

#[test]
fn domains_tags_and_notes_are_completed() {
    let vault = TestVault::example();
    vault.ken(&["index", "-q"]).expect_code(0);
    vault
        .ken(&["search", "-q", "--save", "kitchen", "paint"])
        .expect_code(0);
    vault
        .bare_ken(&["domain", "add", "mine", "vault"])
        .expect_code(0);
    assert_eq!(completed(&vault, &["search", "--domain", "mi"]), ["mine"]);
    assert_eq!(
        completed(&vault, &["search", "--tag", "work/"]),
        ["work/contract"]
    );
    assert_eq!(
        completed(&vault, &["get", "2-Areas/Home/Boi"]),
        ["2-Areas/Home/Boiler.md"]
    );
    assert_eq!(completed(&vault, &["open", "April"]), ["April Jane"]);
    assert_eq!(completed(&vault, &["search", "@k"]), ["@kitchen"]);
}

#[test]
fn the_manual_is_one_page_or_one_per_verb() {
    let vault = TestVault::empty();
    let run = vault.bare_ken(&["man"]).expect_code(0);
    assert!(run.stdout.contains(".TH ken 1"), "{}", run.stdout);
    let run = vault.bare_ken(&["man", "pages"]).expect_code(0);
    assert_eq!(run.stdout, "");
    assert!(vault.beside("pages/ken.1").exists());
    assert!(vault.beside("pages/ken-search.1").exists());
}
