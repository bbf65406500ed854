//! `ken traverse`: a walk along links, in both directions, with a reason for everything.

use insta::assert_snapshot;
use serde_json::Value;

use crate::vault::TestVault;

fn example() -> TestVault {
    let vault = TestVault::example();
    vault.ken(&["index"]).expect_code(0);
    vault
}

fn list<'a>(walk: &'a Value, name: &str) -> &'a Vec<Value> {
    walk[name].as_array().unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().unwrap();
    object.keys().map(String::as_str).collect()
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "one list of keys, read from top to bottom"
)]
fn json_names_every_parameter_and_reason() {
    let vault = example();
    let walk = vault
        .ken(&["traverse", "Kitchen Renovation", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(
        keys(&walk),
        [
            "path",
            "title",
            "query",
            "mode",
            "params",
            "decay",
            "hops_walked",
            "stopped_early",
            "took_ms",
            "retained",
            "dropped"
        ]
    );
    assert_eq!(
        walk["params"].to_string(),
        r#"{"beam":5,"hops":4,"seeds":3,"k":10,"prune":0.5,"stop_mean":0.65,"decay_scored":true}"#
    );
    assert_eq!(
        walk["decay"].to_string(),
        r#"{"mode":"off","weight":null,"half_life_days":null,"ladder":null,"superseded":0.5}"#
    );
    let seed = &walk["retained"][0];
    assert_eq!(
        keys(seed),
        [
            "rank",
            "path",
            "title",
            "date",
            "id",
            "start_line",
            "end_line",
            "hop",
            "score",
            "similarity",
            "cosine",
            "decay_weight",
            "decay_zero",
            "via",
            "way",
            "retain_reason"
        ]
    );
    for kept in list(&walk, "retained") {
        let reason = kept["retain_reason"].as_str().unwrap();
        assert_eq!(reason == "seed", kept["hop"] == 0, "{kept}");
        assert!(["seed", "above_prune_floor"].contains(&reason));
        assert_eq!(kept["via"].is_null(), kept["hop"] == 0, "{kept}");
        let way = list(kept, "way");
        assert_eq!(way.len() as u64, kept["hop"].as_u64().unwrap() + 1);
        assert_eq!(way[0], walk["path"]);
        assert_eq!(way.last(), Some(&kept["path"]));
    }
    for left in list(&walk, "dropped") {
        let reason = left["drop_reason"].as_str().unwrap();
        let known = ["below_prune_threshold", "beam_overflow"];
        assert!(known.contains(&reason), "{reason}");
    }
    let deep = vault
        .ken(&["traverse", "Kitchen Renovation", "--deep", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(
        deep["params"].to_string(),
        r#"{"beam":12,"hops":4,"seeds":8,"k":50,"prune":0.3,"stop_mean":null,"decay_scored":false}"#
    );
}

/// A chain of notes: Start links to Middle, End links to Middle.
fn chain() -> TestVault {
    let vault = TestVault::empty();
    vault.write(
        "Start.md",
        "---\nevergreen: true\n---\n# Start\n\nBread is baked from flour and water. See [[Middle|the next]].\n",
    );
    vault.write(
        "Middle.md",
        "---\nevergreen: true\n---\n# Middle\n\nBread dough is flour, water and salt, baked.\n",
    );
    vault.write(
        "End.md",
        "---\nevergreen: true\n---\n# End\n\nBaking bread: flour, water.\n\nFrom [[Middle]].\n",
    );
    vault.write("Alone.md", "# Alone\n\nBread, flour, water, baked.\n");
    vault.ken(&["index"]).expect_code(0);
    vault
}

#[test]
fn links_are_walked_in_both_directions() {
    let vault = chain();
    let run = vault.ken(&["traverse", "Start", "bread of flour and water", "--deep"]);
    let run = run.expect_code(0);
    assert_snapshot!(run.stdout, @"
    Start.md  hop 0 · 0.77
    └─ Middle.md  hop 1 · 1.00 · → wikilink in line 6
       └─ End.md  hop 2 · 0.88 · ← wikilink in line 8
    ");
    let walk = vault
        .ken(&[
            "traverse",
            "start",
            "bread of flour and water",
            "--json",
            "--deep",
        ])
        .expect_code(0)
        .json();
    let via = |name: &str| {
        let kept = list(&walk, "retained").iter();
        let mut found = kept.filter(|kept| kept["path"] == name);
        found.next().unwrap()["via"].to_string()
    };
    assert_eq!(
        via("Middle.md"),
        r#"{"direction":"outgoing","kind":"wikilink","from":"Start.md","line":6,"target":"Middle","anchor":null,"shown":"the next"}"#
    );
    assert_eq!(
        via("End.md"),
        r#"{"direction":"backlink","kind":"wikilink","from":"End.md","line":8,"target":"Middle","anchor":null,"shown":null}"#
    );
}

#[test]
fn depth_and_limit_are_kept() {
    let vault = chain();
    let paths = |args: &[&str]| -> Vec<String> {
        let args: Vec<&str> = ["traverse", "Start", "bread of flour and water", "--json"]
            .iter()
            .chain(args)
            .copied()
            .collect();
        let walk = vault.ken(&args).json();
        let mut paths: Vec<String> = list(&walk, "retained")
            .iter()
            .map(|kept| kept["path"].as_str().unwrap().to_owned())
            .collect();
        paths.sort();
        paths
    };
    assert_eq!(paths(&["--deep"]), ["End.md", "Middle.md", "Start.md"]);
    // Start and Middle are enough: their mean is above .65, though ten were asked for.
    assert_eq!(paths(&[]), ["Middle.md", "Start.md"]);
    assert_eq!(paths(&["--depth", "1"]), ["Middle.md", "Start.md"]);
    assert_eq!(paths(&["--limit", "1"]).len(), 1);
    vault
        .ken(&["traverse", "Start", "--depth", "0"])
        .expect_code(2);
}

#[test]
fn a_comparison_tells_what_the_fast_walk_missed() {
    let vault = example();
    let query = ["traverse", "IRS-Letter", "money", "--compare"];
    let text = vault.ken(&query);
    let walk = vault
        .ken(&["traverse", "IRS-Letter", "money", "--compare", "--json"])
        .json();
    let compare = &walk["compare"];
    assert_eq!(keys(compare), ["fast", "deep", "missed"]);
    let missed = list(compare, "missed");
    assert!(!missed.is_empty());
    for one in missed {
        let is_told = one["drop_reason"].is_string();
        assert_eq!(one["dropped_at"].is_string(), is_told, "{one}");
        assert!(is_told || compare["fast"]["stopped_early"] == true, "{one}");
    }
    assert!(
        text.stdout.contains("only the deep walk found"),
        "{}",
        text.stdout
    );
}

#[test]
fn nothing_around_a_note_is_exit_code_one() {
    let vault = chain();
    let run = vault.ken(&["traverse", "Alone"]).expect_code(1);
    assert!(
        run.stderr.contains("No note links to this one"),
        "{}",
        run.stderr
    );
    let run = vault
        .ken(&["traverse", "Start", "quarterly tax penalty"])
        .expect_code(1);
    assert!(
        run.stderr.contains("`--deep` looks wider"),
        "{}",
        run.stderr
    );
    vault
        .ken(&["traverse", "Nobody"])
        .expect_hint("nothing is known by the name", "ken search");
}

#[test]
fn a_walk_ages_notes_as_its_domain_does() {
    let vault = TestVault::empty();
    vault.write(
        "_domains.yaml",
        "home:\n  decay: { mode: ranked_grouped, ladder: [1.0, 0.0] }\n",
    );
    let note = |year: u32, links: &str| {
        format!("---\nauthor: Ann\ndate: {year}-01-01\n---\nBread of flour and water. {links}\n")
    };
    vault.write("Start.md", &note(2026, "[[Old]] [[New]]"));
    vault.write("Old.md", &note(2020, ""));
    vault.write("New.md", "Bread of flour and water, baked.\n");
    vault.ken(&["index"]).expect_code(0);
    let walk = |args: &[&str]| {
        let base = ["traverse", "Start", "bread of flour and water", "--json"];
        vault.ken(&[&base[..], args].concat()).expect_code(0).json()
    };
    let fast = walk(&[]);
    assert_eq!(fast["decay"]["mode"], "ranked_grouped");
    assert_eq!(fast["decay"]["ladder"].to_string(), "[1.0,0.0]");
    let dropped = &fast["dropped"][0];
    assert_eq!(dropped["path"], "Old.md");
    assert_eq!(dropped["decay_zero"], true);
    assert_eq!(dropped["drop_reason"], "below_prune_threshold");
    let deep = walk(&["--deep"]);
    let reason = |path: &str| {
        let mut kept = list(&deep, "retained").iter();
        let found = kept.find(|kept| kept["path"] == path).unwrap();
        found["retain_reason"].as_str().unwrap().to_owned()
    };
    assert_eq!(reason("Start.md"), "seed");
    assert_eq!(reason("New.md"), "above_prune_floor");
    assert_eq!(reason("Old.md"), "kept_despite_decay_zero");
}
