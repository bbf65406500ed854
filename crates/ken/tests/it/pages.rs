//! `ken completions`, `ken man` and the help: what stands around the verbs.

use std::fs;

use crate::vault::{TestVault, repository};

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

#[test]
fn each_shell_gets_a_script_that_knows_the_verbs() {
    let vault = TestVault::empty();
    for shell in ["bash", "zsh", "fish"] {
        let run = vault.bare_ken(&["completions", shell]).expect_code(0);
        assert_eq!(run.stderr, "");
        for verb in verbs(&vault) {
            assert!(run.stdout.contains(&verb), "{shell}: {verb}");
        }
    }
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
