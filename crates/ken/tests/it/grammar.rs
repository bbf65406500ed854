//! The query language from the outside: conditions hold, slips are told, dates are understood.

use crate::vault::TestVault;

fn vault() -> TestVault {
    let vault = TestVault::empty();
    vault.write(
        "Work/roof.md",
        "---\ntags: [house/roof]\nstatus: open\ncost: 1200\ndate: 2026-03-05\n---\n# Roof\n\nThe red roof leaks.\n\n- [ ] call the roofer\n- [x] buy tar\n",
    );
    vault.write(
        "Work/garden.md",
        "---\ntags: garden\ndate: 2025-06-01\n---\n# Garden\n\nRed roses near the roof.\n",
    );
    vault.write(
        "Old/attic.md",
        "---\ndate: 2019-01-01\n---\n# Attic\n\nA leak in the attic, below the roof.\n",
    );
    vault
}

fn check(vault: &TestVault, query: &str, expected: &[&str]) {
    let mut found = vault.paths(query);
    found.sort();
    assert_eq!(found, expected, "{query}");
}

#[test]
fn conditions_hold_for_every_hit() {
    let vault = vault();
    check(&vault, "roof tag:house", &["Work/roof.md"]);
    check(
        &vault,
        "roof -path:old",
        &["Work/garden.md", "Work/roof.md"],
    );
    check(&vault, "\"red roof\"", &["Work/roof.md"]);
    check(
        &vault,
        "roof since:2025",
        &["Work/garden.md", "Work/roof.md"],
    );
    check(&vault, "roof before:2020", &["Old/attic.md"]);
    check(&vault, "roof [status:open]", &["Work/roof.md"]);
    check(&vault, "roof [cost:>1000]", &["Work/roof.md"]);
    check(&vault, "task-todo:roofer", &["Work/roof.md"]);
    check(&vault, "/leaks?/ path:old", &["Old/attic.md"]);
    check(
        &vault,
        "tag:garden OR file:attic",
        &["Old/attic.md", "Work/garden.md"],
    );
    check(&vault, "roof as-of:2019", &["Old/attic.md"]);
}

#[test]
fn whatever_is_typed_is_an_answer() {
    let vault = vault();
    for query in [
        "roof (", "\"roof", "tag:", "OR", "/(/ roof", "[", "roof ))", "a:b:c", "🏠",
    ] {
        let run = vault.ken(&["search", "--format", "json", "--", query]);
        assert!(run.code < 2, "{query}: {}", run.stderr);
    }
    let json = vault.ken(&["search", "-f", "json", "roof ("]).json();
    assert!(!json["notices"].as_array().unwrap().is_empty());
    assert!(!json["hits"].as_array().unwrap().is_empty());
}

#[test]
fn names_and_tags_in_a_query_are_among_the_results() {
    let vault = vault();
    assert_eq!(vault.paths("leaks [[Garden]]")[0], "Work/garden.md");
    let run = vault.ken(&["search", "-n", "1", "-f", "paths", "leak #garden"]);
    assert_eq!(run.stdout, "Work/garden.md\n");
}

#[test]
fn the_punctuation_of_a_sentence_is_no_condition() {
    let vault = vault();
    let asked = "why does the \"reddish\" roof leak -dash (or the attic) /perhaps/ in spring?";
    assert!(vault.paths(asked).contains(&"Work/roof.md".to_owned()));
    let asked = "why does the red roof leak in spring -garden";
    assert!(!vault.paths(asked).contains(&"Work/garden.md".to_owned()));
}

#[test]
fn slips_are_forgiven_and_told() {
    let vault = vault();
    let json = vault.ken(&["search", "-f", "json", "atttic"]).json();
    assert_eq!(json["hits"][0]["path"], "Old/attic.md");
    assert_eq!(
        json["notices"][0],
        "no note says \"atttic\"; looked for attic instead"
    );
    // The start of a word is enough where that is asked for.
    assert_eq!(vault.paths("gard*")[0], "Work/garden.md");
}

#[test]
fn every_stage_is_explained() {
    let vault = vault();
    let json = vault
        .ken(&["search", "-f", "json", "--explain", "red roof"])
        .json();
    let stages: Vec<&str> = json["hits"][0]["explain"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| stage["stage"].as_str().unwrap())
        .collect();
    assert_eq!(stages, ["words", "meaning", "fusion", "rerank", "scale"]);
}

#[test]
fn old_notes_fall_behind_where_that_is_set() {
    let vault = TestVault::empty();
    let note = |date: &str| format!("---\ndate: {date}\n---\nThe walrus sleeps.\n");
    vault.write("a-old.md", &note("2001-01-01"));
    vault.write("b-new.md", &note("2026-01-01"));
    let paths = || {
        let run = vault.ken(&["search", "-m", "lexical", "-f", "paths", "walrus"]);
        run.stdout
    };
    assert_eq!(paths(), "a-old.md\nb-new.md\n");
    std::fs::write(
        vault.beside("config.toml"),
        "[search]\ndecay = \"half_life\"\n",
    )
    .unwrap();
    assert_eq!(paths(), "b-new.md\na-old.md\n");
    std::fs::write(vault.beside("config.toml"), "[search]\ndecay = \"fast\"\n").unwrap();
    vault
        .ken(&["search", "walrus"])
        .expect_hint("is not off, half_life or ranked_grouped", "edit");
}
