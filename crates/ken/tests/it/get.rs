//! `ken get`: one note by any of its addresses.

use std::fs;

use crate::vault::TestVault;

#[test]
fn every_address_of_a_note_opens_it() {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    let file = fs::read_to_string(vault.root().join("2-Areas/People/April Jane.md")).unwrap();
    for reference in [
        "2-Areas/People/April Jane.md",
        "2-Areas/People/April Jane",
        "April Jane",
        "april jane",
        "April Jane.md",
        "[[April Jane]]",
        "AJ",
    ] {
        let run = vault.ken(&["get", reference]).expect_code(0);
        assert_eq!(run.stdout, file, "{reference}");
        assert_eq!(run.stderr, "", "{reference}");
    }
}

#[test]
fn an_id_from_a_search_opens_its_passage() {
    let vault = TestVault::example();
    let answer = vault.ken(&["search", "-f", "json", "abatement"]).json();
    let hit = &answer["hits"][0];
    let run = vault
        .ken(&["get", hit["id"].as_str().unwrap()])
        .expect_code(0);
    assert_eq!(run.stdout.trim_end(), hit["text"].as_str().unwrap());
}

#[test]
fn lines_can_be_chosen_and_numbered() {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    let file = fs::read_to_string(vault.root().join("2-Areas/People/April Jane.md")).unwrap();
    let lines: Vec<&str> = file.lines().collect();
    let run = vault.ken(&["get", "AJ:2-4"]).expect_code(0);
    assert_eq!(run.stdout.lines().collect::<Vec<_>>(), lines[1..4]);
    let run = vault.ken(&["get", "AJ:3"]).expect_code(0);
    assert_eq!(run.stdout.lines().collect::<Vec<_>>(), lines[2..3]);
    let run = vault.ken(&["get", "AJ:20-"]).expect_code(0);
    assert_eq!(run.stdout.lines().collect::<Vec<_>>(), lines[19..]);
    let run = vault
        .ken(&["get", "--line-numbers", "AJ:2-3"])
        .expect_code(0);
    assert_eq!(
        run.stdout,
        format!("    2  {}\n    3  {}\n", lines[1], lines[2])
    );
}

#[test]
fn json_tells_where_the_lines_are_from() {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    let note = vault
        .ken(&["get", "--json", "AJ:8-10"])
        .expect_code(0)
        .json();
    let keys: Vec<&String> = note.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "path",
            "title",
            "format",
            "category",
            "area",
            "start_line",
            "end_line",
            "n_lines",
            "tags",
            "aliases",
            "date",
            "date_source",
            "properties",
            "text"
        ]
    );
    assert_eq!(note["path"], "2-Areas/People/April Jane.md");
    assert_eq!(
        (note["start_line"].as_u64(), note["end_line"].as_u64()),
        (Some(8), Some(10))
    );
}

#[test]
fn an_unknown_or_ambiguous_name_is_an_error_with_advice() {
    let vault = TestVault::empty();
    vault.write("a/Plan.md", "# One\n\nThis is one plan, and a good one.\n");
    vault.write("b/Plan.md", "# Two\n\nThis is another plan, not so good.\n");
    vault.ken(&["index"]).expect_code(0);
    vault
        .ken(&["get", "Nobody"])
        .expect_hint("nothing is known by the name", "ken search");
    vault
        .ken(&["get", "Plan"])
        .expect_hint("fits 2 notes", "a/Plan.md, b/Plan.md");
    vault.ken(&["get", "b/Plan"]).expect_code(0);
}
