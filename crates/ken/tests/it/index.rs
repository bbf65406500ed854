//! `ken index` and `ken status`: what a run did and what is in the index.

use std::fs;

use insta::assert_snapshot;

use crate::vault::TestVault;

const REPORT_KEYS: [&str; 19] = [
    "added",
    "changed",
    "removed",
    "renamed",
    "unchanged",
    "chunks",
    "vectors",
    "pictures",
    "unread_pictures",
    "without_vector",
    "unembedded",
    "bytes",
    "rebuilt",
    "stopped",
    "skipped",
    "warnings",
    "masked",
    "notices",
    "took_ms",
];

fn report(vault: &TestVault, args: &[&str]) -> serde_json::Value {
    let run = vault
        .ken(&[&["index", "--json"], args].concat())
        .expect_code(0);
    assert_eq!(run.stderr, "");
    run.json()
}

#[test]
fn the_report_counts_what_changed() {
    let vault = TestVault::example();
    let first = report(&vault, &[]);
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(keys, REPORT_KEYS);
    assert_eq!(
        (&first["added"], &first["rebuilt"]),
        (&47.into(), &"there was no index yet".into())
    );
    let second = report(&vault, &[]);
    assert_eq!(
        (&second["added"], &second["unchanged"]),
        (&0.into(), &47.into())
    );
    assert!(second["rebuilt"].is_null());

    vault.write(
        "Inbox/Ships.md",
        "# Ships\n\nA quinquereme from distant Ophir.\n",
    );
    vault.write(
        "Daily/2026-02-10.md",
        "# Changed\n\nNothing is left of what stood here.\n",
    );
    fs::remove_file(vault.root().join("Inbox/Loose Ideas.md")).unwrap();
    fs::rename(
        vault.root().join("4-Archive/Chicago Offer.md"),
        vault.root().join("4-Archive/Offer.md"),
    )
    .unwrap();
    let third = report(&vault, &[]);
    let counts = ["added", "changed", "removed", "renamed", "unchanged"]
        .map(|key| third[key].as_u64().unwrap());
    assert_eq!(counts, [1, 1, 1, 1, 44], "{third}");
    vault.ken(&["doctor"]).expect_code(0);

    let whole = report(&vault, &["--full"]);
    assert_eq!(
        (&whole["added"], &whole["rebuilt"]),
        (&47.into(), &"as asked".into())
    );
}

#[test]
fn one_file_can_be_indexed_by_itself() {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    vault.write(
        "Inbox/Ships.md",
        "# Ships\n\nA quinquereme from distant Ophir.\n",
    );
    let file = vault.root().join("Inbox/Ships.md");
    let added = report(&vault, &[file.to_str().unwrap()]);
    assert_eq!((&added["added"], &added["removed"]), (&1.into(), &0.into()));
    fs::remove_file(&file).unwrap();
    let removed = report(&vault, &[file.to_str().unwrap()]);
    assert_eq!(
        (&removed["added"], &removed["removed"]),
        (&0.into(), &1.into())
    );
}

#[test]
fn an_updated_index_answers_like_a_new_one() {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    for n in 0..12 {
        let path = format!("Inbox/Ship {}.md", n % 5);
        let text = format!("# Ship\n\nThe kitchen of the boat has {n} windows and a boiler.\n");
        vault.write(&path, &text);
        vault.ken(&["index"]).expect_code(0);
    }
    fs::remove_file(vault.root().join("Inbox/Ship 3.md")).unwrap();
    vault.ken(&["index"]).expect_code(0);
    let hits = |vault: &TestVault| {
        let answer = vault
            .ken(&[
                "search",
                "-n",
                "30",
                "-f",
                "json",
                "kitchen windows and boiler",
            ])
            .expect_code(0);
        answer.json()["hits"].clone()
    };
    let updated = hits(&vault);
    vault.ken(&["index", "--full"]).expect_code(0);
    assert_eq!(updated, hits(&vault));
}

#[test]
fn what_is_wrong_with_a_note_is_told_and_the_rest_is_indexed() {
    let vault = TestVault::empty();
    vault.write("good.md", "# Good\n\nNothing is wrong with this note.\n");
    vault.write(
        "bad.md",
        "---\ntags: [open\n---\n# Bad\n\nThe front matter is broken here.\n",
    );
    let run = vault.ken(&["index"]).expect_code(0);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("warning bad.md:"), "{}", run.stderr);
    assert!(run.stderr.contains("indexed 2 added"), "{}", run.stderr);
    let quiet = vault.ken(&["index", "--full", "--quiet"]).expect_code(0);
    assert_eq!(quiet.stderr, "");
    let status = vault.ken(&["status", "--json"]).expect_code(0).json();
    assert_eq!(status["warnings"][0]["path"], "bad.md");
}

#[test]
fn status_tells_what_is_there() {
    let vault = TestVault::example();
    vault
        .ken(&["status"])
        .expect_hint("there is no index at", "ken index");
    vault.ken(&["index"]).expect_code(0);
    let run = vault.ken(&["status"]).expect_code(0);
    let names: Vec<&str> = run
        .stdout
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_snapshot!(names.join(" "), @"vault index checked notes chunks links languages model masked left");
    let status = vault.ken(&["status", "--json"]).expect_code(0).json();
    let keys: Vec<&str> = status
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_snapshot!(keys.join(" "), @"vault store bytes notes chunks without_vector links masked model adapted languages index_age_s left_out other_files skipped warnings notices");
    assert_eq!(status["notes"], 47);
    assert!(status["chunks"].as_u64().unwrap() > 100);
    assert_eq!(status["languages"][0][0], "en");
}

#[test]
fn a_missing_vault_is_an_error_with_advice() {
    let vault = TestVault::empty();
    vault
        .bare_ken(&["index", "nowhere"])
        .expect_hint("there is no vault at nowhere", "--vault PATH");
    vault
        .bare_ken(&["index"])
        .expect_hint("no vault was named", "--vault PATH");
}
