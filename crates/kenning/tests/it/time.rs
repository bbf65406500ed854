//! Time in questions: what it limits, what it prefers, and when it is let go of.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use insta::assert_snapshot;
use kenning::budget::Budget;
use kenning::embed::embedded;
use kenning::search::decay::{Aging, Decay, RankedGrouped};
use kenning::search::links::Weights;
use kenning::search::{self, Evidence, SearchContext, SearchOptions, Tuning};

use crate::support::{TestVault, ask, vault};

/// Noon of Tuesday, 17 November 2026.
const NOW: i64 = 1_794_916_800;

fn house() -> TestVault {
    let vault = vault(
        "-- Roof old.md --\n---\ncreated: 2024-03-05\n---\nThe roofer said that the roof needs new tiles.\n\
         -- Roof new.md --\n---\ncreated: 2026-11-11\n---\nThe roofer said that the roof is tight now.\n\
         -- House log.md --\n---\ncreated: 2019-01-01\n---\nLog of the house.\n\n2026-11-12: the roofer looked at the roof and the gutter.\n\
         -- Daily/2026-03-07.md --\nPlanted beans in the garden.\n\
         -- Budget 2024.md --\n---\ncreated: 2023-12-20\n---\nThe budget: 900 for the roof, 200 for the garden.\n\
         -- Budget 2026.md --\n---\ncreated: 2025-12-20\n---\nThe budget: 500 for the roof, 300 for the garden.\n\
         -- Boiler.md --\n---\ncreated: 2025-05-05\nupdated: 2026-11-10\n---\nThe boiler was serviced.\n",
    );
    vault.update_with(embedded()).unwrap();
    vault
}

/// Returns the notes that are found, by name, and what is said about them.
fn check(vault: &TestVault, query: &str, reads_dates: bool) -> String {
    let options = SearchOptions {
        per_note: 1,
        reads_dates,
        now: NOW,
        ..SearchOptions::at(0)
    };
    let answer = ask(&vault.store(), embedded(), query, &options).unwrap();
    let stems = answer
        .hits
        .iter()
        .map(|hit| hit.note.path.trim_end_matches(".md"));
    let stems: Vec<&str> = stems.collect();
    format!("{} ! {}", stems.join(", "), answer.notices.join(" ! "))
}

#[test]
fn what_is_told_from_today_limits() {
    let vault = house();
    // The old note says more of it, but is not of last week; the log says so in its text.
    let found = check(
        &vault,
        "what did the roofer say about the roof last week",
        true,
    );
    assert!(
        found.contains("Roof new") && found.contains("House log"),
        "{found}"
    );
    assert!(!found.contains("Roof old"), "{found}");
    assert!(
        found.ends_with("! only notes from 9 to 15 November 2026; `dates = false` (`--no-dates`) switches this off"),
        "{found}"
    );
    let found = check(&vault, "roofer roof letzte Woche", true);
    assert!(
        !found.contains("Roof old") && found.contains("only notes from"),
        "{found}"
    );
    let found = check(
        &vault,
        "what did the roofer say about the roof last week",
        false,
    );
    assert!(
        found.contains("Roof old") && !found.contains("only notes"),
        "{found}"
    );
}

#[test]
fn a_time_without_more_lists_its_notes() {
    let vault = house();
    assert_snapshot!(check(&vault, "what happened last week", true), @"Roof new, Boiler, House log ! only notes from 9 to 15 November 2026; `dates = false` (`--no-dates`) switches this off");
    let found = check(&vault, "what happened in March", true);
    assert!(found.starts_with("Daily/2026-03-07"), "{found}");
    assert!(found.contains("March 2026"), "{found}");
}

#[test]
fn where_nothing_of_the_time_answers_everything_is_searched() {
    let vault = house();
    let found = check(
        &vault,
        "what did the roofer say about tiles yesterday",
        true,
    );
    assert!(found.starts_with("Roof old"), "{found}");
    assert!(
        found.contains("no note from 16 November 2026 answers this"),
        "{found}"
    );
    // The words of the time are not looked for, and not mended either.
    let found = check(&vault, "roofer tiles letzten Monat", true);
    assert!(
        found.starts_with("Roof old") && !found.contains("looked for"),
        "{found}"
    );
    // Of last week there are notes, but none about tiles and the garden budget.
    let found = check(&vault, "budget for beans and tiles last week", true);
    assert!(
        found.contains("Budget") && found.contains("no note from 9 to 15"),
        "{found}"
    );
}

#[test]
fn what_the_calendar_tells_only_prefers() {
    let vault = house();
    let found = check(&vault, "2024 budget roof garden", true);
    assert!(found.starts_with("Budget 2024"), "{found}");
    assert!(
        found.contains("Budget 2026") && found.contains("notes from 2024 are preferred"),
        "{found}"
    );
    // The note that answers is of another date, and stays.
    let found = check(&vault, "boiler serviced in March", true);
    assert!(found.starts_with("Boiler"), "{found}");
}

#[test]
fn conditions_and_other_words_are_left_alone() {
    let vault = house();
    for query in [
        "may the roof leak",
        "roof since:2026",
        "\"last week\" roof",
        "roof as-of:2025",
    ] {
        let found = check(&vault, query, true);
        assert!(!found.contains("--no-dates"), "{query}: {found}");
    }
}

fn trips() -> TestVault {
    let vault = vault(
        "-- Oslo.md --\n---\ncreated: 2022-05-01\n---\nWe went to Oslo with the ferry. A fine trip.\n\
         -- Rome.md --\n---\ncreated: 2024-05-01\n---\nWe went to Rome with the ferry. A fine trip.\n\
         -- Bern.md --\n---\ncreated: 2026-05-01\n---\nWe went to Bern with the ferry. A fine trip.\n",
    );
    vault.update_with(embedded()).unwrap();
    vault
}

#[test]
fn what_begins_or_ends_with_a_time_is_understood() {
    let vault = trips();
    for (query, first, shown) in [
        ("ferry trip after 2024", "Bern", "1 January 2025 or later"),
        (
            "ferry trip later than May 2024",
            "Bern",
            "1 June 2024 or later",
        ),
        ("ferry trip from 2025 on", "Bern", "1 January 2025 or later"),
        ("ferry trip until 2022", "Oslo", "before 1 January 2023"),
        ("ferry trip before 2024", "Oslo", "before 1 January 2024"),
        ("ferry trip between 2023 and 2025", "Rome", "2023 to 2025"),
        ("ferry bis 2023", "Oslo", "before 1 January 2024"),
        ("ferry nach 2024", "Bern", "1 January 2025 or later"),
        ("ferry ab 2025", "Bern", "1 January 2025 or later"),
    ] {
        let found = check(&vault, query, true);
        assert!(found.starts_with(first), "{query}: {found}");
        let notice = format!("notes from {shown} are preferred;");
        assert!(found.contains(&notice), "{query}: {found}");
    }
}

/// Many notes name some year before another: that does not make them notes of that time.
#[test]
fn a_name_tells_nothing_of_a_time_without_beginning_or_end() {
    let vault = trips();
    for (path, day, text) in [
        (
            "2024 Flood.md",
            "2024-06-20",
            "The basement in 2024, as in 2019 and 2026.",
        ),
        (
            "Plans.md",
            "2026-02-02",
            "The kitchen of 2023 was dearer than the one of 1999.",
        ),
    ] {
        vault.write(path, format!("---\ncreated: {day}\n---\n{text}\n"));
    }
    vault.update_with(embedded()).unwrap();
    assert_snapshot!(check(&vault, "notes before 2024", true), @"Oslo ! only notes from before 1 January 2024; `dates = false` (`--no-dates`) switches this off");
    assert_snapshot!(check(&vault, "notes since 2026", true), @"Bern, Plans ! only notes from 1 January 2026 or later; `dates = false` (`--no-dates`) switches this off");
    // The year is not a word to search for.
    let found = check(&vault, "basement before 2024", true);
    assert!(!found.contains("Plans"), "{found}");
    // Where it is a plain time, a name counts.
    let found = check(&vault, "notes of 2019", true);
    assert!(found.starts_with("2024 Flood"), "{found}");
}

fn graded(vault: &TestVault, query: &str) -> (Evidence, String) {
    let options = SearchOptions {
        now: NOW,
        ..SearchOptions::at(0)
    };
    let answer = ask(&vault.store(), embedded(), query, &options).unwrap();
    let first = answer.hits.first().map(|hit| hit.note.path.clone());
    (answer.evidence, first.unwrap_or_default())
}

/// Nobody writes "in May 2022" into a note of that month.
#[test]
fn the_words_of_a_time_are_met_by_a_note_of_it() {
    let vault = trips();
    let strong = |path: &str| (Evidence::Strong, path.to_owned());
    assert_eq!(graded(&vault, "ferry trip").0, Evidence::Strong);
    for (query, path) in [
        ("ferry trip in May 2022", "Oslo.md"),
        ("ferry trip Q2 2024", "Rome.md"),
        ("ferry trip in spring 2026", "Bern.md"),
        ("ferry trip in May 2024", "Rome.md"),
        ("ferry trip after 2024", "Bern.md"),
    ] {
        assert_eq!(graded(&vault, query), strong(path), "{query}");
    }
    // None is of that time, and none says it.
    let (evidence, _) = graded(&vault, "ferry trip in May 2019");
    assert!(evidence < Evidence::Strong);
}

/// Where a word is in most notes and the other one in none, no note answers surely; those of the time
/// still answer as well as any.
#[test]
fn a_note_of_the_time_that_says_as_much_as_any_is_enough() {
    let vault = TestVault::empty();
    for (name, day) in [
        ("a", "2019-02-02"),
        ("b", "2024-01-05"),
        ("c", "2025-03-03"),
        ("d", "2026-11-11"),
    ] {
        let text = format!("---\ncreated: {day}\n---\nThe roofer brought slates, bill {name}.\n");
        vault.write(&format!("{name}.md"), text);
    }
    vault.update_with(embedded()).unwrap();
    assert_snapshot!(check(&vault, "what did the roofer say last week", true), @"d ! only notes from 9 to 15 November 2026; `dates = false` (`--no-dates`) switches this off");
}

#[test]
fn a_list_of_a_time_is_certain() {
    let options = SearchOptions {
        now: NOW,
        ..SearchOptions::at(0)
    };
    let answer = ask(
        &house().store(),
        embedded(),
        "notes from last week",
        &options,
    )
    .unwrap();
    assert_eq!(answer.evidence, Evidence::Strong);
}

/// A note that no link touches, one that is linked with `n_links` others, and their scores.
fn linked(n_links: usize, graph: bool, decay: bool) -> Vec<(String, f32)> {
    let vault = TestVault::empty();
    let links: Vec<String> = (0..n_links).map(|n| format!("[[n{n}]]")).collect();
    vault.write("Hub.md", format!("Bread of rye flour. {}", links.join(" ")));
    vault.write("Alone.md", "Bread of rye flour, alone.");
    for n in 0..n_links {
        vault.write(&format!("n{n}.md"), "Something else.");
    }
    vault.update_with(embedded()).unwrap();
    let tuning = Tuning {
        graph: graph.then(Weights::default),
        decay: Decay {
            mode: match decay {
                true => Aging::RankedGrouped(RankedGrouped::default()),
                false => Aging::Off,
            },
            ..Decay::default()
        },
        ..Tuning::default()
    };
    let store = vault.store();
    let cx = SearchContext {
        store: &store,
        embedder: embedded(),
        tuning: &tuning,
        budget: &Budget::default(),
    };
    // The files were written within thirty days of that.
    let options = SearchOptions {
        now: crate::support::NOW - 995 * 86_400,
        ..SearchOptions::at(0)
    };
    let answer = search::search(&cx, "bread rye flour", &options).unwrap();
    let hits = answer.hits.iter();
    hits.map(|hit| (hit.note.path.clone(), hit.score)).collect()
}

fn score(hits: &[(String, f32)], path: &str) -> f32 {
    hits.iter().find(|(own, _)| own == path).unwrap().1
}

#[test]
fn recency_is_added_once() {
    let plain = linked(12, false, false);
    let aged = linked(12, false, true);
    let both = linked(12, true, true);
    let (plain, aged, both) = (
        score(&plain, "Alone.md"),
        score(&aged, "Alone.md"),
        score(&both, "Alone.md"),
    );
    // All of it: the note has neither PageRank nor centrality, so that (.6 + .25 + .15)·score is its
    // score, and .05 is added by either of the two, never by both.
    assert!((aged - plain - 0.05).abs() < 1e-4, "{plain} {aged}");
    assert!((both - aged).abs() < 1e-4, "{aged} {both}");
}

#[test]
fn links_count_from_ten_on() {
    let is_moved = |n_links| {
        let (off, on) = (linked(n_links, false, false), linked(n_links, true, false));
        (score(&on, "Hub.md") - score(&off, "Hub.md")).abs() > 1e-4
    };
    assert!(!is_moved(9));
    assert!(is_moved(10));
}
