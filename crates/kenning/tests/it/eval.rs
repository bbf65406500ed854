//! Questions a vault answers about itself, and weights chosen by them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::hash::{DefaultHasher, Hash, Hasher};

use kenning::embed::{EmbedError, Embedder, ModelId};
use kenning::eval::{self, Judgements, Weight};
use kenning::search::tuning::Rerank;
use kenning::search::{Fusion, Tuning};

use crate::support::{EMBEDDER, TestVault, vault};

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
