//! A short list is the beginning of a long one: limits cut, and change nothing else.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use kenning::budget::Budget;
use kenning::search::decay::{Aging, Decay, HalfLife, RankedGrouped};
use kenning::search::links::Weights;
use kenning::search::tuning::{RRF, Rerank};
use kenning::search::{self, Answer, Hit, Mode, SearchContext, SearchOptions, Tuning};
use kenning::store::Store;
use proptest::prelude::*;

use crate::property::{QUERIES, text};
use crate::support::{CountingEmbedder, EMBEDDER, TestVault, paths};

/// More hits than any vault here has.
const ALL: usize = 100;

fn ways() -> Vec<(Mode, Tuning)> {
    let default = Tuning::default();
    let rrf = Tuning {
        fusion: RRF,
        ..default.clone()
    };
    let aged = Tuning {
        decay: Decay {
            mode: Aging::HalfLife(HalfLife::default()),
            ..Decay::default()
        },
        graph: Some(Weights {
            edges_min: 0,
            ..Weights::default()
        }),
        ..default.clone()
    };
    // So few are looked at that lists go on below them, and nets must be cast wider.
    let narrow = Tuning {
        candidates: 3,
        rerank: Rerank {
            n_reranked: 4,
            ..Rerank::default()
        },
        decay: Decay {
            mode: Aging::RankedGrouped(RankedGrouped::default()),
            ..Decay::default()
        },
        ..default.clone()
    };
    let narrow_rrf = Tuning {
        fusion: RRF,
        ..narrow.clone()
    };
    vec![
        (Mode::Hybrid, default),
        (Mode::Hybrid, rrf.clone()),
        (Mode::Lexical, rrf.clone()),
        (Mode::Vector, rrf),
        (Mode::Hybrid, aged),
        (Mode::Hybrid, narrow),
        (Mode::Hybrid, narrow_rrf),
    ]
}

fn questions() -> impl Iterator<Item = &'static str> {
    let others = [
        "heron #bird",
        "path:x lake",
        "tag:#bird",
        "[[lake]] reed",
        "hron winter",
        "who saw the heron",
        "how many herons?",
    ];
    QUERIES.into_iter().chain(others)
}

fn ask(store: &Store, tuning: &Tuning, query: &str, options: &SearchOptions) -> Answer {
    let cx = SearchContext {
        store,
        embedder: &*EMBEDDER,
        tuning,
        budget: &Budget::default(),
    };
    search::search(&cx, query, options).unwrap()
}

fn vault(texts: &[String]) -> TestVault {
    let vault = TestVault::empty();
    for (number, text) in texts.iter().enumerate() {
        let folder = ["", "x/", "lake/"][number % 3];
        vault.write(&format!("{folder}{number}.md"), text);
    }
    vault.write("lake.md", "The lake in winter. The heron waits.");
    vault.update();
    vault
}

/// Follows the stages from zero.
fn recomputed(hit: &Hit) -> f32 {
    hit.stages.iter().fold(0.0, |score, stage| {
        // Both retrievers must add up to what is called their fusion.
        assert!(
            stage.name != "fusion" || (score - stage.value).abs() < 1e-5,
            "{hit:?}"
        );
        let after = stage.effect.on(score, stage.value);
        assert!(
            (after - stage.score).abs() < 1e-5,
            "{stage:?} after {score}"
        );
        after
    })
}

/// Whether `few` is what is left of `all` when some are cut out.
fn is_cut_of(few: &[Hit], all: &[Hit]) -> bool {
    let mut all = all.iter();
    few.iter().all(|hit| all.any(|other| other == hit))
}

#[test]
fn nobody_looks_on_for_what_would_be_dropped() {
    let texts: Vec<String> = (0..200)
        .map(|n| format!("reed{n} stone{n} boat{n}"))
        .collect();
    let vault = vault(&texts);
    let store = vault.store();
    let tuning = Tuning {
        candidates: 3,
        ..Tuning::default()
    };
    let embedder = CountingEmbedder::new();
    let cx = SearchContext {
        store: &store,
        embedder: &embedder,
        tuning: &tuning,
        budget: &Budget::default(),
    };
    let options = SearchOptions {
        limit: 20,
        ..SearchOptions::at(0)
    };
    let answer = search::search(&cx, "heron", &options).unwrap();
    assert_eq!(paths(&answer.hits), ["lake.md"]);
    // One retrieval for the order, and one that shows that there is nothing below it.
    assert!(embedder.take_texts() <= 3);
}

/// A passage that answers stood above the place that was kept for it, and was put below worse ones.
#[test]
fn an_answer_that_stands_higher_stays_there() {
    let mut texts = vec![String::new(); 9];
    texts[0] = "heron herons herons heron.\n\n".to_owned();
    texts[2] = "Winter Winter.\n\n## heron\n\nheron heron heron Häuser heron.\n\n".to_owned();
    texts[8] =
        "heron heron heron heron heron herons herons heron herons heron heron heron lake lake \
                Winter heron.\n\n"
            .to_owned();
    let vault = vault(&texts);
    let options = SearchOptions {
        limit: ALL,
        ..SearchOptions::at(0)
    };
    let (_, tuning) = &ways()[0];
    let found = ask(&vault.store(), tuning, "who saw the heron", &options);
    let scores: Vec<f32> = found.hits.iter().map(|hit| hit.score).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}

/// What is recent may score above one, until certainty is known; an answer beside it was given no more than one.
#[test]
fn an_answer_beside_recent_passages_scores_as_much() {
    let mut texts = vec![String::new(); 8];
    texts[1] = "---\naliases: heron\n---\nherons.".to_owned();
    // What looks like a name stands in a passage that neither words nor meaning find.
    texts[2] = "Haus Haus herons\n# heron\npassword \"q8Zt5vX2pLw9RmKd\"\n".to_owned();
    texts[7] = "heron Häuser".to_owned();
    let vault = vault(&texts);
    let options = SearchOptions {
        limit: ALL,
        ..SearchOptions::at(0)
    };
    for (_, tuning) in &ways() {
        let found = ask(&vault.store(), tuning, "who saw the heron", &options);
        let scores: Vec<f32> = found.hits.iter().map(|hit| hit.score).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_short_list_is_the_beginning_of_a_long_one(
        texts in prop::collection::vec(text(), 3..40),
    ) {
        let vault = vault(&texts);
        let store = vault.store();
        for (mode, tuning) in ways() {
            for query in questions() {
                let wanted = |limit| SearchOptions {
                    mode,
                    limit,
                    is_explained: true,
                    ..SearchOptions::at(0)
                };
                let all = ask(&store, &tuning, query, &wanted(ALL));
                let scores: Vec<f32> = all.hits.iter().map(|hit| hit.score).collect();
                prop_assert!(scores.is_sorted_by(|a, b| a >= b), "{query} {mode:?} {scores:?}");
                for hit in &all.hits {
                    prop_assert!((recomputed(hit) - hit.score).abs() < 1e-5, "{query}: {hit:?}");
                }
                for limit in [1, 2, 3, 5, 9, 10, 11, 30] {
                    let few = ask(&store, &tuning, query, &wanted(limit));
                    prop_assert_eq!((few.evidence, few.confidence), (all.evidence, all.confidence));
                    let n = limit.min(all.hits.len());
                    prop_assert_eq!(&few.hits[..], &all.hits[..n], "{} {:?} {}", query, mode, limit);
                }
            }
        }
    }

    #[test]
    fn other_limits_cut_as_well(texts in prop::collection::vec(text(), 3..25)) {
        let vault = vault(&texts);
        let store = vault.store();
        for (mode, tuning) in ways() {
            for query in questions() {
                let all = SearchOptions { mode, limit: ALL, per_note: 9, ..SearchOptions::at(0) };
                let every = ask(&store, &tuning, query, &all);
                let Some(last) = every.hits.last() else { continue };
                let cuts = [
                    SearchOptions { per_note: 1, ..all },
                    SearchOptions { per_note: 2, limit: 7, ..all },
                    SearchOptions { min_score: last.score + 0.01, ..all },
                    SearchOptions { min_score: 1.1, ..all },
                ];
                for cut in cuts {
                    let few = ask(&store, &tuning, query, &cut);
                    prop_assert_eq!((few.evidence, few.confidence), (every.evidence, every.confidence));
                    prop_assert!(is_cut_of(&few.hits, &every.hits), "{query} {mode:?} {cut:?}");
                }
                let few = ask(&store, &tuning, query, &SearchOptions { max_tokens: Some(60), ..all });
                for (few, hit) in few.hits.iter().zip(&every.hits).skip(1) {
                    prop_assert_eq!(few, hit);
                }
            }
        }
    }
}

#[test]
fn what_the_lowest_score_leaves_nothing_of_is_told() {
    let vault = TestVault::empty();
    vault.write("a.md", "The heron stands in the shallow water and waits.");
    vault.update();
    let options = |min_score| SearchOptions {
        min_score,
        mode: Mode::Lexical,
        ..SearchOptions::at(0)
    };
    let (some, none) = (options(0.0), options(1.1));
    let (some, none) = (vault.ask("heron", &some), vault.ask("heron", &none));
    assert_eq!(some.evidence, none.evidence);
    assert_eq!((some.notices.len(), none.hits.len()), (0, 0));
    assert_eq!(
        none.notices,
        ["no hit reaches the lowest score asked for, 1.1; the best one has 1"]
    );
    assert!(vault.ask("zebra", &options(1.1)).notices.is_empty());
}

#[test]
fn a_tag_that_is_named_is_among_the_first_hits() {
    let vault = TestVault::empty();
    for number in 0..20 {
        let text =
            format!("The heron of the lake waits in the reed, {number} times; lake and reed.");
        vault.write(&format!("{number}.md"), text);
    }
    vault.write("tagged.md", "Something else. #lake/north");
    vault.write(
        "worded.md",
        "A heron was seen once, says a long tale about other birds. #reed",
    );
    vault.update();
    let has = |query: &str, n: usize, path: &str| {
        let hits = &vault.search(query)[..n];
        assert!(
            hits.iter().any(|hit| hit.note.path == path),
            "{query}: {:?}",
            paths(hits)
        );
    };
    has("heron #lake", 3, "tagged.md");
    has("heron #lake #reed", 4, "tagged.md");
    has("heron #lake #reed", 4, "worded.md");
}
