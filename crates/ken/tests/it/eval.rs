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
