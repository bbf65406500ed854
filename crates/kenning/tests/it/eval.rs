//! Questions a vault answers about itself, and weights chosen by them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use kenning::embed::{Adapter, EmbedError, Embedder, ModelId, TokenVectors, embedded};
use kenning::eval::{self, Adaptation, Judgements, Weight};
use kenning::search::tuning::Rerank;
use kenning::search::{Fusion, Mode, SearchOptions, Tuning};

use crate::support::{EMBEDDER, NOW, TestVault, ask, vault};

fn questions(vault: &TestVault) -> Judgements {
    vault.update();
    eval::known_items(&vault.store()).unwrap()
}

/// Each question as `id -> path`, and the paths that do not count behind a minus.
fn listed(judgements: &Judgements) -> Vec<String> {
    judgements
        .questions
        .iter()
        .map(|question| {
            let mut line = format!("{} -> ", question.id);
            line.extend(question.relevant.keys().map(String::as_str));
            let mut excluded: Vec<&String> = question.excluded.iter().collect();
            excluded.sort();
            for path in excluded {
                line += &format!(" - {path}");
            }
            line
        })
        .collect()
}

#[test]
fn aliases_titles_headings_and_link_texts_are_asked_for() {
    let vault = vault(
        "-- a/April Jane.md --\n---\naliases: [AJ]\n---\n# April Jane\n\n## Wood type workshop\n\nx\n\n## Notes\n\n\
         -- b/Boiler.md --\nSee [[April Jane|the designer friend]] and [[April Jane|AJ]], [[Boiler#x|my own place]].\n\n\
         -- c/Roof.md --\nAsk [[April Jane|the designer friend]] or [heat](../b/Boiler.md), \
         [the web](https://example.org), [no note](missing.md).\n",
    );
    assert_eq!(
        listed(&questions(&vault)),
        [
            "alias: AJ -> a/April Jane.md",
            "title: April Jane -> a/April Jane.md",
            "title: Boiler -> b/Boiler.md",
            "title: Roof -> c/Roof.md",
            "heading: Wood type workshop -> a/April Jane.md",
            "link: heat -> b/Boiler.md - c/Roof.md",
            "link: the designer friend -> a/April Jane.md - b/Boiler.md - c/Roof.md",
        ]
    );
}

#[test]
fn what_stands_for_several_notes_is_left_out() {
    let vault = vault(
        "-- a/Plan.md --\n---\naliases: [the big one]\n---\n## Open questions\n\nx [[Budget|some old numbers]]\n\
         -- b/Plan.md --\n## Open questions\n\nx [[b/Plan|see this]] [[a/Plan|some old numbers]]\n\
         -- Budget.md --\n## The big one\n\nx\n\n## Yearly sums\n",
    );
    assert_eq!(
        listed(&questions(&vault)),
        [
            "title: Budget -> Budget.md",
            "heading: Yearly sums -> Budget.md"
        ]
    );
}

#[test]
fn a_sample_is_bounded_and_always_the_same() {
    let vault = TestVault::empty();
    for number in 0..250 {
        vault.write(&format!("Note number {number}.md"), "x");
    }
    let first = questions(&vault);
    assert_eq!(first.questions.len(), 200);
    vault.write("One more.md", "x");
    let second = questions(&vault);
    let n_same = second
        .questions
        .iter()
        .filter(|q| first.questions.contains(q))
        .count();
    assert!(n_same >= 199, "{n_same}");
}

/// A model that knows nothing: it embeds a number made of the text.
struct Blind;

impl Embedder for Blind {
    fn id(&self) -> &ModelId {
        EMBEDDER.id()
    }

    fn embed_passages(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError> {
        let numbers: Vec<String> = texts.iter().map(|text| number(text)).collect();
        let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
        EMBEDDER.embed_passages(&numbers, rows)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        EMBEDDER.embed_query(&number(text))
    }
}

fn number(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish().to_string()
}

#[test]
fn a_gain_is_proposed_only_if_it_holds_on_other_questions() {
    let vault = TestVault::empty();
    for number in 0..60 {
        let text = format!("# Log {number}\n\n## Serial k{number}x of pump\n\nIt runs.\n");
        vault.write(&format!("{number}.md"), text);
    }
    vault.update_with(&Blind).unwrap();
    let store = vault.store();
    let questions = eval::known_items(&store).unwrap();
    let tune = |vector: f32, weights: Option<&[Weight]>| {
        let current = Tuning {
            fusion: Fusion::Blend { vector },
            leans: false,
            // Reranking would make up for what the blend gets wrong.
            rerank: Rerank {
                n_reranked: 0,
                ..Rerank::default()
            },
            ..Tuning::default()
        };
        let all = eval::weights(&current);
        let weights = weights.unwrap_or(&all);
        eval::tune(&store, &Blind, &current, &questions, weights).unwrap()
    };
    let proposal = tune(1.0, None);
    assert_eq!(proposal.n_fit, questions.questions.len().div_ceil(2));
    let chosen = &proposal.chosen[0];
    assert_eq!((chosen.name.as_str(), chosen.before), ("vector_share", 1.0));
    assert!(chosen.after < 1.0 && proposal.is_gain(), "{proposal:?}");
    // What is best already stays.
    let proposal = tune(chosen.after, None);
    assert!(proposal.chosen.is_empty() && !proposal.is_gain());
    assert_eq!(proposal.tested.0, proposal.tested.1);
    // A weight that does nothing is never chosen.
    let idle = &eval::weights(&Tuning::default())[1..];
    assert!(!idle.is_empty() && tune(1.0, Some(idle)).chosen.is_empty());
}

#[test]
fn a_vault_with_few_names_is_not_adapted_to() {
    let vault =
        vault("-- Boiler.md --\n# Boiler\n\nIt warms the house.\n\n-- Roof.md --\nIt leaks.\n");
    vault.update_with(embedded()).unwrap();
    let found = eval::adapt(&vault.store(), embedded(), &Tuning::default()).unwrap();
    let Adaptation::LeftAlone(reason) = found else {
        panic!("{found:?}");
    };
    assert!(reason.contains("too few names"), "{reason}");
}

/// Writes down that one word counts much.
fn emphasis(word: &str) -> Adapter {
    let model = embedded();
    let mut tokens = Vec::new();
    model.tokens(word, &mut tokens);
    let factor = |token| if tokens.contains(&token) { "7f" } else { "00" };
    let n = model.n_tokens();
    let factors: String = (0..n as u32).map(factor).collect();
    let text = format!("1 {} {n} 0 0 {factors}", model.id().revision);
    Adapter::read(&text).unwrap()
}

#[test]
fn what_was_learnt_counts_until_it_is_dropped() {
    let vault = vault(
        "-- Heating.md --\nThe boiler warms the house.\n\n-- Outside.md --\nThe garden has roses and a lawn.\n",
    );
    vault.update_with(embedded()).unwrap();
    let place = vault.store_path().into();
    let keep = |adapter: Option<&Adapter>| {
        eval::keep_adapter(&place, adapter, Duration::ZERO, NOW).unwrap()
    };
    let options = SearchOptions {
        mode: Mode::Vector,
        ..SearchOptions::at(NOW)
    };
    let first = || {
        let found = ask(&vault.store(), embedded(), "boiler garden", &options).unwrap();
        let first = &found.hits[0];
        (first.note.path.clone(), first.score)
    };
    let plain = first();
    assert!(!keep(Some(&emphasis("garden"))));
    assert_eq!(first().0, "Outside.md");
    // Notes come and go; what was learnt stays.
    vault.write("Cellar.md", "The cellar is damp.");
    vault.update_with(embedded()).unwrap();
    assert_eq!(first().0, "Outside.md");
    assert!(keep(Some(&emphasis("boiler"))));
    assert_eq!(first().0, "Heating.md");
    vault.remove("Cellar.md");
    vault.update_with(embedded()).unwrap();
    assert!(keep(None) && !keep(None));
    assert_eq!(first(), plain);
}
