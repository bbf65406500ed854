//! A second model reads the best passages again.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::sync::Arc;
use std::time::Duration;

use kenning::Kenning;
use kenning::embed::{
    EmbedError, Embedder, HashEmbedder, ModelId, PassageKey, ReadPassage, Reranked, Reranker,
    embedded,
};
use kenning::index::{FillContext, coverage, fill};
use kenning::search::{Answer, Effect};
use kenning::store::Store;

use crate::support::{NOW, TestVault, vault};

const VAULT: &str = "\
-- a.md --
# Alpha
The roof was repaired by Esko, who brought the tiles.
-- b.md --
# Beta
The roof is repaired every ten years, says the roof builder.
-- c.md --
# Gamma
Roof roof, repaired or not, the roof leaks.
-- d.md --
# Delta
A roof that was repaired twice.
";

/// Judges by what a function says of a text.
struct Judge {
    id: ModelId,
    judge: fn(&ReadPassage) -> Option<f32>,
    is_broken: bool,
}

impl Reranker for Judge {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn share(&self, _: &[ReadPassage]) -> f32 {
        0.7
    }

    fn n_passages(&self) -> usize {
        30
    }

    fn uses_vectors(&self) -> bool {
        true
    }

    fn judge(&self, _: &str, passages: &[ReadPassage]) -> Result<Vec<Option<f32>>, EmbedError> {
        if self.is_broken {
            return Err(EmbedError::Unavailable {
                model: "judge".to_owned(),
                reason: "it is asleep".to_owned(),
                hint: String::new(),
            });
        }
        Ok(passages.iter().map(self.judge).collect())
    }
}

fn asked(judge: fn(&ReadPassage) -> Option<f32>, is_broken: bool, limit: usize) -> Answer {
    let vault = vault(VAULT);
    let id = HashEmbedder::new(8).id().clone();
    let judge = Judge {
        id,
        judge,
        is_broken,
    };
    let model = Reranked::new(Arc::new(embedded()), Arc::new(judge));
    let index = Kenning::new(vault.store_path(), || NOW).embedder(Arc::new(model));
    index.update(&vault.open()).unwrap();
    index
        .query("repaired roof")
        .limit(limit)
        .explained()
        .run()
        .unwrap()
}

fn scores(answer: &Answer) -> Vec<(String, f32)> {
    let mut scores: Vec<(String, f32)> = (answer.hits.iter())
        .map(|hit| (hit.note.path.clone(), hit.score))
        .collect();
    scores.sort_by(|a, b| a.0.cmp(&b.0));
    scores
}

fn says_esko(passage: &ReadPassage) -> Option<f32> {
    Some(if passage.text.contains("Esko") {
        0.9
    } else {
        0.2
    })
}

#[test]
fn what_it_thinks_best_comes_first_and_the_score_is_accounted_for() {
    let plain = asked(|_| None, false, 10);
    let read = asked(says_esko, false, 10);
    assert_eq!(read.hits[0].note.path, "a.md");
    assert!(
        plain
            .hits
            .iter()
            .all(|hit| hit.stages.iter().all(|stage| stage.name != "reread"))
    );
    for hit in &read.hits {
        let walked = hit
            .stages
            .iter()
            .fold(0.0, |score, stage| stage.effect.on(score, stage.value));
        assert!((walked - hit.score).abs() < 1e-4, "{}", hit.note.path);
        let is_told =
            |stage: &kenning::search::Stage| stage.name == "reread" && stage.effect == Effect::Adds;
        assert!(hit.stages.iter().any(is_told));
    }
    assert_eq!(asked(says_esko, false, 1).hits[0].score, read.hits[0].score);
}

#[test]
fn a_passage_that_was_not_read_is_neither_better_nor_worse_for_it() {
    let plain = asked(|_| None, false, 10);
    let partly = asked(
        |passage| {
            Some(0.3)
                .filter(|_| !passage.text.contains("Esko"))
                .map(|x| x + passage.text.len() as f32 / 1e3)
        },
        false,
        10,
    );
    let of = |answer: &Answer| {
        scores(answer)
            .into_iter()
            .find(|(path, _)| path == "a.md")
            .unwrap()
            .1
    };
    assert!((of(&plain) - of(&partly)).abs() < 1e-6);
    // Those that were read are at the same level as before, all together.
    let sum = |answer: &Answer| {
        scores(answer)
            .iter()
            .filter(|(path, _)| path != "a.md")
            .map(|(_, score)| score)
            .sum::<f32>()
    };
    assert!(
        (sum(&plain) - sum(&partly)).abs() < 0.02,
        "{} {}",
        sum(&plain),
        sum(&partly)
    );
}

#[test]
fn a_model_that_fails_leaves_the_order_of_the_first_and_says_so() {
    let plain = asked(|_| None, false, 10);
    let broken = asked(says_esko, true, 10);
    assert_eq!(scores(&plain), scores(&broken));
    assert!(
        broken
            .notices
            .iter()
            .any(|notice| notice.contains("asleep")),
        "{:?}",
        broken.notices
    );
}

fn filled(vault: &TestVault, model: &HashEmbedder) -> kenning::index::Coverage {
    fill(&FillContext {
        store: &vault.store_path().into(),
        embedder: model,
        now: || NOW,
        patience: Duration::from_secs(1),
        progress: &|_, _| {},
        goes_on: &|| true,
        asked: None,
    })
    .unwrap()
}

#[test]
fn vectors_are_kept_for_the_same_text_and_go_with_it() {
    let vault = vault(VAULT);
    let index = Kenning::new(vault.store_path(), || NOW);
    index.update(&vault.open()).unwrap();
    let model = HashEmbedder::new(8);
    let none = coverage(&Store::open(vault.store_path()).unwrap(), &model).unwrap();
    assert_eq!((none.n_covered, none.n_passages), (0, 4));
    assert_eq!(filled(&vault, &model).n_covered, 4);
    // A note that moves keeps them, and so does one that is taken again.
    vault.rename("a.md", "moved.md");
    index.updating(&vault.open()).full().run().unwrap();
    let moved = coverage(&Store::open(vault.store_path()).unwrap(), &model).unwrap();
    assert_eq!((moved.n_covered, moved.n_passages), (4, 4));
    vault.remove("b.md");
    index.update(&vault.open()).unwrap();
    let less = filled(&vault, &model);
    assert_eq!((less.n_covered, less.n_passages, less.n_removed), (3, 3, 1));
    // Another model has none of them.
    let other = HashEmbedder::new(16);
    let key = PassageKey::of(other.id(), "x");
    assert_ne!(key, PassageKey::of(model.id(), "y"));
}
