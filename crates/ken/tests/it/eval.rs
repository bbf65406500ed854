//! `ken eval`: a judged collection in, figures out.

use std::fs;
use std::path::Path;

use crate::vault::TestVault;

fn write_collection(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let corpus = [
        r#"{"_id":"a","title":"Boilers","text":"How to bleed a boiler and its radiators in winter."}"#,
        r#"{"_id":"b","title":"Ships","text":"A quinquereme is a galley with five rows of oars."}"#,
        r#"{"_id":"c","title":"","text":"Wheat starch paste holds paper and can be undone again."}"#,
    ];
    let queries = [
        r#"{"_id":"1","text":"quinquereme"}"#,
        r#"{"_id":"2","text":"starch paste"}"#,
        r#"{"_id":"3","text":"nobody has judged this"}"#,
    ];
    let qrels = "query-id\tcorpus-id\tscore\n1\tb\t1\n2\tc\t2\n2\ta\t0\n";
    fs::write(folder.join("corpus.jsonl"), corpus.join("\n")).unwrap();
    fs::write(folder.join("queries.jsonl"), queries.join("\n")).unwrap();
    fs::write(folder.join("qrels.tsv"), qrels).unwrap();
}

#[test]
fn a_collection_gives_figures_for_each_mode() {
    let vault = TestVault::empty();
    write_collection(&vault.beside("tiny"));
    let figures = vault
        .bare_ken(&["eval", "--collection", "tiny", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(figures["collection"], "tiny");
    assert_eq!(figures["queries"], 2);
    for mode in ["lexical", "vector", "hybrid"] {
        for key in ["ndcg_at_10", "recall_at_10", "recall_at_100", "mrr_at_10"] {
            let value = figures["modes"][mode][key].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&value), "{mode} {key}: {value}");
        }
    }
    assert_eq!(figures["modes"]["lexical"]["ndcg_at_10"], 1.0);
    let table = vault
        .bare_ken(&["eval", "--collection", "tiny"])
        .expect_code(0)
        .stdout;
    assert!(
        table.starts_with("tiny: 2 queries, 3 notes, 3 chunks\nmode "),
        "{table}"
    );
    assert_eq!(table.lines().count(), 5);
}

#[test]
fn what_is_excluded_does_not_count() {
    let vault = TestVault::empty();
    let folder = vault.beside("tiny");
    write_collection(&folder);
    fs::write(folder.join("exclude.tsv"), "query-id\tcorpus-id\n1\tb\n").unwrap();
    let figures = vault
        .bare_ken(&["eval", "--collection", "tiny", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(figures["modes"]["lexical"]["ndcg_at_10"], 0.5);
}

#[test]
fn the_notes_of_a_vault_can_be_judged() {
    let vault = TestVault::example();
    let folder = vault.beside("judged");
    fs::create_dir(&folder).unwrap();
    fs::write(
        folder.join("queries.jsonl"),
        r#"{"_id":"1","text":"IRS penalty"}"#,
    )
    .unwrap();
    let qrels = "query-id\tcorpus-id\tscore\n1\t2-Areas/Finance/IRS-Letter.md\t1\n";
    fs::write(folder.join("qrels.tsv"), qrels).unwrap();
    let figures = vault
        .ken(&["eval", "--collection", "judged", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(figures["modes"]["hybrid"]["ndcg_at_10"], 1.0);
}

#[test]
fn a_broken_collection_is_told_with_the_line() {
    let vault = TestVault::empty();
    let folder = vault.beside("tiny");
    write_collection(&folder);
    fs::write(
        folder.join("corpus.jsonl"),
        "{\"_id\":\"a\",\"text\":\"x\"}\n{oops\n",
    )
    .unwrap();
    vault
        .bare_ken(&["eval", "--collection", "tiny"])
        .expect_hint("line 2", "docs/evaluation.md");
    vault
        .bare_ken(&["eval", "--collection", "nowhere"])
        .expect_code(2);
}

#[test]
fn a_vault_with_few_names_is_left_alone_and_told_why() {
    let vault = TestVault::example();
    let run = vault.ken(&["model", "tune"]).expect_code(1);
    assert!(
        run.stderr.contains("left alone: too few names"),
        "{}",
        run.stderr
    );
    let run = vault.ken(&["model", "tune", "--drop"]).expect_code(1);
    assert!(run.stderr.contains("nothing was learnt"), "{}", run.stderr);
}

/// Notes with four headings each; things and places are everyday words, which the model knows.
fn named(vault: &TestVault) {
    const THINGS: [&str; 12] = [
        "boiler", "garden", "bread", "bicycle", "violin", "river", "letter", "winter", "camera",
        "soup", "window", "horse",
    ];
    const PLACES: [&str; 11] = [
        "kitchen", "cellar", "school", "harbour", "forest", "station", "market", "office",
        "island", "attic", "museum",
    ];
    for (n, thing) in THINGS.iter().enumerate() {
        for (m, place) in PLACES.iter().enumerate() {
            let other = THINGS[(n + m + 1) % THINGS.len()];
            let mut text = format!(
                "# Page about {thing} and {place}\n\nSee [[{other}-{place}|the {other} of the {place}]].\n"
            );
            for what in ["cost", "repair", "history", "colour"] {
                text += &format!(
                    "\n## Page about {what} of {thing} in {place}\n\nThe {thing} of the {place} has a {what} of its own.\n"
                );
            }
            vault.write(&format!("{thing}-{place}.md"), &text);
        }
    }
}

#[test]
fn what_is_learnt_is_kept_only_if_it_is_said_to_help() {
    let vault = TestVault::empty();
    named(&vault);
    let dry = vault
        .ken(&["model", "tune", "--dry-run", "--json"])
        .expect_code(1)
        .json();
    assert_eq!(dry["kept"], false);
    let tried = &dry["tried"];
    assert!(tried["names"].as_u64().unwrap() >= 200, "{dry}");
    assert!(tried["hybrid"]["queries"].as_u64().unwrap() >= 100, "{dry}");
    assert!(tried["bytes"].as_u64().unwrap() <= 2_000_000, "{dry}");
    vault.ken(&["model", "tune", "--drop"]).expect_code(1);
    let run = vault.ken(&["model", "tune", "--json"]);
    let report = run.json();
    let without = &report["tried"]["hybrid_without_link_texts"];
    let is_better = without["low"].as_f64().unwrap() > 0.0;
    assert!(report["kept"] == false || is_better, "{report}");
    // What is said to be kept is what there is to forget.
    let code = if report["kept"] == true { 0 } else { 1 };
    assert_eq!(run.code, code);
    vault.ken(&["model", "tune", "--drop"]).expect_code(code);
}
