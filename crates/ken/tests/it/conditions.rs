//! Options of `ken search` that are conditions, orders and formats, and searches that are saved.

use std::fs;

use insta::assert_snapshot;

use crate::vault::TestVault;

fn dated() -> TestVault {
    let vault = TestVault::empty();
    vault.write("Home/Paint.md", "---\ntags: [kitchen]\ndate: 2025-03-01\ntype: plan\n---\n# Paint\n\nPaint the kitchen wall in green.\n");
    vault.write("Home/Tiles.md", "---\ntags: [kitchen/floor]\ndate: 2026-01-05\n---\n# Tiles\n\nThe kitchen wants new tiles.\n\nLay them in May.\n\nSeal the kitchen joints.\n");
    vault.write(
        "Work/Wall.md",
        "---\ndate: 2024-07-01\n---\n# Wall\n\nA wall of kitchen text at work.\n",
    );
    vault.ken(&["index", "-q"]).expect_code(0);
    vault
}

#[test]
fn options_are_the_query_language() {
    let vault = dated();
    for (options, query) in [
        (&["kitchen", "--tag", "kitchen"][..], "kitchen tag:kitchen"),
        (&["kitchen", "--path", "Home"], "kitchen path:Home"),
        (&["kitchen", "--since", "2025-06"], "kitchen since:2025-06"),
        (&["kitchen", "--before", "2025"], "kitchen before:2025"),
        (&["kitchen", "--type", "plan"], "kitchen type:plan"),
        (&["--tag", "kitchen"], "tag:kitchen"),
        (
            &["tiles OR wall", "--path", "Home"],
            "(tiles OR wall) path:Home",
        ),
    ] {
        let args = [&["search", "-f", "paths"], options].concat();
        let run = vault.ken(&args).expect_code(0);
        let expected = vault.ken(&["search", "-f", "paths", query]).expect_code(0);
        assert_eq!(run.stdout, expected.stdout, "{options:?}");
    }
    vault
        .ken(&["search", "kitchen", "--since", "whenever"])
        .expect_hint("--since", "a date is 2025");
}

#[test]
fn hits_can_be_counted_and_put_in_order_of_their_dates() {
    let vault = dated();
    let count = |args: &[&str]| vault.ken(&[&["search", "--count"], args].concat()).stdout;
    assert_eq!(count(&["--tag", "kitchen"]), "2\n");
    assert_eq!(count(&["kitchen"]), "3\n");
    let run = vault
        .ken(&["search", "--count", "tag:nowhere"])
        .expect_code(1);
    assert_eq!(run.stdout, "0\n");
    let paths = |args: &[&str]| {
        vault
            .ken(&[&["search", "-f", "paths", "--sort", "date"], args].concat())
            .stdout
    };
    assert_snapshot!(paths(&["kitchen"]), @r"
    Home/Tiles.md
    Home/Paint.md
    Work/Wall.md
    ");
    // All that meet a condition are put in order, not the first few.
    assert_eq!(paths(&["-n", "1", "--path", "."]), "Home/Tiles.md\n");
}

#[test]
fn scripts_get_paths_and_lines() {
    let vault = dated();
    let root = vault.root().canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let run = vault
        .ken(&["search", "-f", "lines", "green paint", "-n", "1"])
        .expect_code(0);
    assert_eq!(
        run.stdout.replace(root, "ROOT"),
        "ROOT/Home/Paint.md:6:Paint the kitchen wall in green.\n"
    );
    let run = vault.ken(&[
        "search",
        "-f",
        "paths",
        "--absolute",
        "-0",
        "--tag",
        "kitchen",
    ]);
    let mut paths: Vec<&str> = run.stdout.split_terminator('\0').collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            format!("{root}/Home/Paint.md"),
            format!("{root}/Home/Tiles.md")
        ]
    );
}

#[test]
fn lines_around_the_words_are_shown() {
    let vault = dated();
    let run = vault
        .ken(&["search", "-C", "0", "kitchen", "--path", "Tiles"])
        .expect_code(0);
    let lines: Vec<&str> = run.stdout.lines().skip(2).collect();
    assert_snapshot!(lines.join("\n"), @r"
        7  The kitchen wants new tiles.
       …
       11  Seal the kitchen joints.
    ");
}

#[test]
fn a_search_is_saved_asked_and_forgotten() {
    let vault = dated();
    let save = [
        "search", "-q", "-f", "paths", "--save", "kitchen", "paint", "--tag", "kitchen",
    ];
    let first = vault.ken(&save).expect_code(0);
    let config = fs::read_to_string(vault.beside("config.toml")).unwrap();
    assert!(
        config.contains("kitchen = 'paint tag:\"kitchen\"'"),
        "{config}"
    );
    let again = vault
        .ken(&["search", "-f", "paths", "@kitchen"])
        .expect_code(0);
    assert_eq!(first.stdout, again.stdout);
    let more = vault
        .ken(&["search", "-f", "paths", "@kitchen", "path:Paint"])
        .expect_code(0);
    assert_eq!(more.stdout, "Home/Paint.md\n");
    assert_eq!(
        vault.ken(&["search", "--saved"]).stdout,
        "@kitchen  paint tag:\"kitchen\"\n"
    );
    vault
        .ken(&["search", "@kitchn"])
        .expect_hint("no search is saved", "did you mean @kitchen?");
    vault.ken(&["search", "--forget", "kitchen"]).expect_code(0);
    vault.ken(&["search", "--saved"]).expect_code(1);
}
