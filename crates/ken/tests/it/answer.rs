//! The formats of an answer: JSON for programs, text for people, and three between.

use insta::assert_snapshot;
use serde_json::Value;

use crate::vault::TestVault;

const ANSWER_KEYS: [&str; 8] = [
    "query",
    "mode",
    "evidence",
    "confidence",
    "took_ms",
    "index_age_s",
    "notices",
    "hits",
];

const HIT_KEYS: [&str; 21] = [
    "rank",
    "id",
    "path",
    "title",
    "category",
    "area",
    "section",
    "breadcrumb",
    "start_line",
    "end_line",
    "page",
    "score",
    "excerpt",
    "highlights",
    "text",
    "tags",
    "date",
    "uri",
    "sources",
    "lexical_rank",
    "vector_rank",
];

#[test]
fn json_has_every_key_with_its_type() {
    let vault = TestVault::example();
    let answer = vault
        .ken(&["search", "--format", "json", "IRS penalty"])
        .expect_code(0)
        .json();
    assert_eq!(keys(&answer), ANSWER_KEYS);
    assert_eq!(answer["query"], "IRS penalty");
    assert_eq!(answer["mode"], "hybrid");
    assert_eq!(answer["evidence"], "strong");
    assert!(answer["took_ms"].as_f64().unwrap() > 0.0);
    assert!(answer["index_age_s"].is_u64());
    assert_eq!(answer["notices"], serde_json::json!([]));
    let hits = answer["hits"].as_array().unwrap();
    assert!(!hits.is_empty());
    for (rank, hit) in (1..).zip(hits) {
        assert_eq!(hit["rank"], rank);
        check_hit(hit);
    }
}

/// Checks the types and what must hold between the fields of a hit.
fn check_hit(hit: &Value) {
    assert_eq!(keys(hit), HIT_KEYS);
    let text = |key: &str| hit[key].as_str().unwrap_or_else(|| panic!("{key}: {hit}"));
    let id = text("id").strip_prefix('#').unwrap();
    assert!(id.len() == 8 && id.chars().all(|c| c.is_ascii_hexdigit()));
    assert!(text("path").ends_with(".md"));
    assert!(!text("title").is_empty() && !text("text").is_empty());
    let crumbs = hit["breadcrumb"].as_array().unwrap();
    assert_eq!(crumbs[0], hit["title"]);
    match &hit["section"] {
        Value::Null => assert_eq!(crumbs.len(), 1),
        section => assert_eq!(crumbs.last(), Some(section)),
    }
    let (start, end) = (hit["start_line"].as_u64(), hit["end_line"].as_u64());
    assert!(start.unwrap() >= 1 && start <= end);
    assert!(hit["page"].is_null());
    assert!((0.0..=1.0).contains(&hit["score"].as_f64().unwrap()));
    let n_chars = text("excerpt").chars().count() as u64;
    for range in hit["highlights"].as_array().unwrap() {
        let (from, to) = (range[0].as_u64().unwrap(), range[1].as_u64().unwrap());
        assert!(from < to && to <= n_chars, "{range} of {n_chars}");
    }
    assert!(hit["tags"].as_array().unwrap().iter().all(Value::is_string));
    assert!(hit["date"].is_null() || text("date").len() == 10);
    assert!(text("uri").starts_with("obsidian://open?vault=vault&file="));
    assert!(!text("uri").contains([' ', '#']));
    for source in hit["sources"].as_array().unwrap() {
        assert!(["name", "lexical", "vector"].contains(&source.as_str().unwrap()));
    }
    for key in ["lexical_rank", "vector_rank"] {
        assert!(hit[key].is_null() || hit[key].as_u64() >= Some(1));
    }
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn highlights_mark_the_words_that_were_asked_for() {
    let vault = TestVault::example();
    let answer = vault.ken(&["search", "-f", "json", "abatement"]).json();
    let hit = &answer["hits"][0];
    let excerpt: Vec<char> = hit["excerpt"].as_str().unwrap().chars().collect();
    let ranges = hit["highlights"].as_array().unwrap();
    assert!(!ranges.is_empty());
    for range in ranges {
        let (from, to) = (range[0].as_u64().unwrap(), range[1].as_u64().unwrap());
        let word: String = excerpt[from as usize..to as usize].iter().collect();
        assert_eq!(word.to_lowercase(), "abatement");
    }
}

#[test]
fn jsonl_is_one_hit_per_line() {
    let vault = TestVault::example();
    let whole = vault.ken(&["search", "-f", "json", "kitchen"]).json();
    let run = vault.ken(&["search", "-f", "jsonl", "kitchen"]);
    let lines: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(whole["hits"], Value::from(lines));
}

#[test]
fn paths_are_each_printed_once() {
    let vault = TestVault::example();
    let whole = vault.ken(&["search", "-f", "json", "kitchen"]).json();
    let mut expected: Vec<&str> = Vec::new();
    for hit in whole["hits"].as_array().unwrap() {
        let path = hit["path"].as_str().unwrap();
        if !expected.contains(&path) {
            expected.push(path);
        }
    }
    assert_eq!(vault.paths("kitchen"), expected);
}

#[test]
fn markdown_quotes_the_passages() {
    let vault = TestVault::example();
    let run = vault.ken(&[
        "search", "-f", "md", "-n", "1", "--mode", "lexical", "boiler",
    ]);
    let mut lines = run.stdout.lines();
    assert_snapshot!(lines.next().unwrap(), @"### Boiler");
    assert_eq!(lines.next(), Some(""));
    let place = lines.next().unwrap();
    assert!(place.starts_with("`2-Areas/Home/Boiler.md:"), "{place}");
    assert_eq!(lines.next(), Some(""));
    assert!(lines.all(|line| line.is_empty() || line.starts_with('>')));
}

#[test]
fn text_names_path_lines_and_headings() {
    let vault = TestVault::example();
    let run = vault.ken(&["search", "-n", "1", "--explain", "April Jane"]);
    assert_snapshot!(run.stdout, @"
     1 2-Areas/People/April Jane.md:8-10  2022-03-14  #40fc4da6  1.00
       April Jane
       Graphic designer, letterpress printer, the person I call when something is wrong and also when
       nothing is. We met in a wood-type workshop in Two Rivers in September 2013, where she corrected
       my inking without being asked.
       words        + 0.7500  → 0.7500  rank 1 with 1.000, note 1.000, passage 1.000
       meaning      + 0.2500  → 1.0000  rank 1 with 1.000, cosine 0.430 above 0.049
       fusion       = 1.0000  → 1.0000  words, share of meaning 0.25
       rerank       + 1.0668  → 2.0668  phrase 1.00, proximity 1.00, title 1.00, link_text 0.48, heading 0.00, linked 0.45, compound 0.00, similarity 1.00, coverage 1.00
       scale        × 0.4255  → 0.8795  over 2.35, the most there is
       name         = 1.0000  → 1.0000  its note was called by name
    ");
    assert!(
        run.stderr.contains("1 hit · strong evidence"),
        "{}",
        run.stderr
    );
}

#[test]
fn colours_come_only_when_asked_for() {
    let vault = TestVault::example();
    let plain = vault.ken(&["search", "boiler"]);
    assert!(!plain.stdout.contains('\u{1b}') && !plain.stderr.contains('\u{1b}'));
    let coloured = vault.ken(&["search", "--color", "always", "boiler"]);
    assert!(coloured.stdout.contains('\u{1b}'));
    let json = vault.ken(&["search", "--color", "always", "-f", "json", "boiler"]);
    assert!(!json.stdout.contains('\u{1b}'));
}

#[test]
fn the_passage_that_answers_is_among_the_hits() {
    let vault = TestVault::example();
    for (question, answer) in [
        ("who repaired the roof", "Esko Niemi"),
        ("who fixed the gutter", "Esko Niemi"),
        ("what did the north gutter cost", "$1,180"),
        ("when was the gutter replaced", "21 October 2025"),
    ] {
        let run = vault.ken(&["search", "-f", "json", "-n", "5", question]);
        let hits = run.json()["hits"].as_array().unwrap().clone();
        let is_there = |hit: &serde_json::Value| hit["text"].as_str().unwrap().contains(answer);
        assert!(hits.iter().any(is_there), "{question}: {}", run.stdout);
    }
}

#[test]
fn the_same_passage_is_shown_once() {
    let vault = TestVault::empty();
    let text = "The gutter on the north side was replaced in October, for 1,180 in all.";
    for path in ["a.md", "b.md", "c.md", "d.md", "e.md"] {
        vault.write(path, text);
    }
    let run = vault.ken(&["search", "north gutter"]);
    assert!(
        run.stdout.contains("also in b.md, c.md, d.md and 1 more"),
        "{}",
        run.stdout
    );
    let hits = vault.ken(&["search", "-f", "json", "north gutter"]).json()["hits"].clone();
    assert_eq!(hits.as_array().unwrap().len(), 1);
    assert_eq!(
        hits[0]["also_in"],
        serde_json::json!(["b.md", "c.md", "d.md", "e.md"])
    );
}
