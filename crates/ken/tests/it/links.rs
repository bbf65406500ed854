//! `ken links`: where a note leads and who leads there.

use crate::vault::TestVault;

#[test]
fn links_go_both_ways() {
    let vault = TestVault::empty();
    vault.write(
        "Here.md",
        "# Here\n\nSee [[There]] and [[Nowhere]] for more about it.\n",
    );
    vault.write(
        "There.md",
        "# There\n\nThis is the other end, where nothing leads on.\n",
    );
    vault.ken(&["index"]).expect_code(0);
    let here = vault
        .ken(&["links", "Here", "--json"])
        .expect_code(0)
        .json();
    let keys: Vec<&str> = here
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(keys, ["path", "outgoing", "backlinks", "unresolved"]);
    assert_eq!(here["path"], "Here.md");
    assert_eq!(here["outgoing"][0]["path"], "There.md");
    assert_eq!(here["outgoing"][0]["line"], 3);
    assert_eq!(here["unresolved"][0]["target"], "Nowhere");
    let there = vault
        .ken(&["links", "There", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(there["backlinks"][0]["path"], "Here.md");
    let text = vault.ken(&["links", "There"]).expect_code(0);
    assert!(
        text.stdout.starts_with("linked from\n  Here.md "),
        "{}",
        text.stdout
    );
    assert_eq!(text.stderr, "");
}

#[test]
fn a_note_without_links_is_exit_code_one() {
    let vault = TestVault::empty();
    vault.write(
        "Alone.md",
        "# Alone\n\nNothing leads here and nothing leads away.\n",
    );
    vault.ken(&["index"]).expect_code(0);
    let run = vault.ken(&["links", "Alone"]).expect_code(1);
    assert_eq!(run.stdout, "");
    vault
        .ken(&["links", "Nobody"])
        .expect_hint("nothing is known by the name", "ken search");
}
