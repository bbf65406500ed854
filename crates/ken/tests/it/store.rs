//! The index file: copies, foreign files, damaged files, checks.

use std::fs;

use crate::vault::{TestVault, finish};

#[test]
fn a_backup_can_be_searched_by_itself() {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    let run = vault.ken(&["backup", "copy.db"]).expect_code(0);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.starts_with("copied "), "{}", run.stderr);
    let args = ["search", "--store", "copy.db", "-f", "json", "boiler"];
    let from_copy = vault.bare_ken(&args).expect_code(0).json();
    let from_index = vault.ken(&["search", "-f", "json", "boiler"]).json();
    let ids = |answer: &serde_json::Value| -> Vec<serde_json::Value> {
        let hits = answer["hits"].as_array().unwrap();
        hits.iter().map(|hit| hit["id"].clone()).collect()
    };
    assert_eq!(ids(&from_copy), ids(&from_index));
    vault
        .bare_ken(&["get", "--store", "copy.db", "AJ"])
        .expect_code(0);
}

#[test]
fn a_backup_overwrites_nothing() {
    let vault = TestVault::example();
    vault
        .ken(&["backup", "copy.db"])
        .expect_hint("there is no index at", "ken index");
    vault.ken(&["index"]).expect_code(0);
    fs::write(vault.beside("copy.db"), "precious").unwrap();
    let run = vault.ken(&["backup", "copy.db"]).expect_code(2);
    assert!(run.stderr.starts_with("error: copy.db: "), "{}", run.stderr);
    assert_eq!(fs::read(vault.beside("copy.db")).unwrap(), b"precious");
}

#[test]
fn an_index_is_copied_with_all_that_belongs_to_it() {
    let vault = TestVault::example();
    vault
        .ken(&["store", "copy", "default", "copy.db"])
        .expect_hint("there is no index at", "ken index");
    vault.ken(&["index"]).expect_code(0);
    let run = vault
        .ken(&["store", "copy", "default", "copy.db"])
        .expect_code(0);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.starts_with("copied "), "{}", run.stderr);
    // Whoever goes on from the copy finds nothing to do.
    let again = vault.ken(&["index", "--store", "copy.db", "--json"]).json();
    assert_eq!((&again["added"], &again["changed"]), (&0.into(), &0.into()));
    for question in ["boiler", "who repaired the gutter", "tag:home roof"] {
        let hits = |args: &[&str]| {
            let args = [&["search", "-f", "json", question], args].concat();
            vault.ken(&args).json()["hits"].clone()
        };
        assert_eq!(hits(&["--store", "copy.db"]), hits(&[]), "{question}");
    }
    // Back, over what is there: only if that is wanted.
    vault
        .ken(&["store", "copy", "copy.db", "default"])
        .expect_hint("there is an index of", "--force");
    vault
        .ken(&["store", "copy", "copy.db", "default", "--force"])
        .expect_code(0);
    vault.ken(&["search", "boiler"]).expect_code(0);
}

/// What is typed for a store and is none, and what is said of it.
const SLIPS: [(&str, &str, &str); 12] = [
    (
        "postgre://ann:s3cret@db/notes",
        "\"postgre:…\" is not how",
        "postgres://USER@HOST",
    ),
    (
        "postgress://ann:s3cret@db/notes",
        "\"postgress:…\" is not",
        "postgres://USER@HOST",
    ),
    (
        "Postgres://ann:s3cret@db/notes",
        "\"Postgres:…\" is not",
        "postgres://USER@HOST",
    ),
    (
        "postgres:/ann:s3cret@db/notes",
        "\"postgres:…\" is not",
        "postgres://USER@HOST",
    ),
    (
        "pstgresql:db/notes",
        "\"pstgresql:…\" is not",
        "postgres://USER@HOST",
    ),
    (
        "mysql://ann:s3cret@db/notes",
        "kept at a mysql:// address",
        "a file as its path",
    ),
    (
        "file:///tmp/notes.db",
        "kept at a file:// address",
        "a file as its path",
    ),
    (
        "ann:s3cret@db/notes",
        "not how an address is written",
        "postgres://USER",
    ),
    (
        "host=db password=s3cret",
        "not how an address is written",
        "postgres://USER",
    ),
    (".", "is a folder", "notes.db"),
    ("nowhere/", "is a folder", "notes.db"),
    ("taem", "there is no store \"taem\"", "did you mean team?"),
];

#[test]
fn a_slip_in_a_store_makes_no_file() {
    let vault = TestVault::example();
    let settings = "[stores]\nteam = \"postgres://ann:s3cret@127.0.0.1:1/notes\"\n";
    fs::write(vault.beside("config.toml"), settings).unwrap();
    vault.ken(&["index"]).expect_code(0);
    let before = vault.listed();
    for (store, message, hint) in SLIPS {
        for args in [
            &["store", "copy", "default", store][..],
            &["store", "copy", store, "default", "--force"],
            &["index", "--store", store],
            &["search", "--store", store, "boiler"],
            &["eval", "golden.toml", "--store", store],
        ] {
            let run = vault.ken(args);
            assert!(!run.stderr.contains("s3cret"), "{}", run.stderr);
            run.expect_hint(message, hint);
        }
        let mut command = vault.command(&["status"]);
        command.env("KEN_STORE", store);
        finish(command).expect_hint(message, hint);
    }
    vault
        .ken(&["store", "copy", "copy.db", "defualt"])
        .expect_hint("there is no store", "did you mean default?");
    assert_eq!(vault.listed(), before);
    // A file may be called like anything if it is said to be one, or is there.
    vault
        .ken(&["store", "copy", "default", "./taem"])
        .expect_code(0);
    vault
        .ken(&["search", "--store", "taem", "boiler"])
        .expect_code(0);
}

#[test]
fn a_file_that_is_no_index_is_left_alone() {
    let vault = TestVault::example();
    fs::write(vault.beside("letter.db"), "Dear Sir or Madam").unwrap();
    for verb in [
        &["index"][..],
        &["search", "boiler"],
        &["get", "AJ"],
        &["status"],
    ] {
        let args = [verb, &["--store", "letter.db"]].concat();
        vault
            .ken(&args)
            .expect_hint("is not a Kenning index", "never overwritten");
        let text = fs::read_to_string(vault.beside("letter.db")).unwrap();
        assert_eq!(text, "Dear Sir or Madam", "{verb:?}");
    }
}

#[test]
fn a_damaged_index_without_its_vault_is_told_with_the_way_out() {
    let vault = TestVault::example();
    vault.ken(&["index", "--store", "own.db"]).expect_code(0);
    let bytes = fs::read(vault.beside("own.db")).unwrap();
    fs::write(vault.beside("own.db"), &bytes[..bytes.len() / 2]).unwrap();
    vault
        .bare_ken(&["search", "--store", "own.db", "boiler"])
        .expect_hint("is damaged", "run `ken index`");
    vault
        .ken(&["doctor", "--deep", "--store", "own.db"])
        .expect_code(1);
    let run = vault.ken(&["doctor", "--store", "own.db"]).expect_code(1);
    assert!(run.stdout.contains("BAD   index"), "{}", run.stdout);
    assert!(run.stdout.contains("hint: "), "{}", run.stdout);
}

#[test]
fn the_doctor_looks_at_everything() {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    let run = vault.ken(&["doctor"]).expect_code(0);
    let names: Vec<&str> = run
        .stdout
        .lines()
        .map(|line| line.split_whitespace().nth(1).unwrap())
        .collect();
    assert_eq!(
        names,
        ["settings", "data", "model", "vault", "index", "pictures"]
    );
    assert!(run.stdout.lines().all(|line| line.starts_with("ok ")));
    let deep = vault.ken(&["doctor", "--deep"]).expect_code(0);
    assert!(deep.stdout.contains("all of it read"), "{}", deep.stdout);
    let run = vault
        .bare_ken(&["doctor", "--vault", "nowhere"])
        .expect_code(1);
    assert!(run.stdout.contains("BAD   vault"), "{}", run.stdout);
}
