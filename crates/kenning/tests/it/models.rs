//! Models that are not the one inside the binary: whatever ranking and evidence must know of one, they
//! ask it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use kenning::Result;
use kenning::embed::{Calibration, EmbedError, Embedder, HashEmbedder, ModelId};
use kenning::search::{Answer, Evidence, Mode, SearchOptions};

use crate::support::{TestVault, ask, vault};

/// Words that mean the same, one dimension for each line.
const CONCEPTS: [&str; 5] = [
    "boiler heater furnace warms house heating",
    "repaired fixed mended serviced servicing",
    "gutter eaves downspout drainpipe",
    "roses flowers bloom blossom",
    "carpenter esko joiner craftsman",
];

/// Dimensions that words of no concept share.
const OTHERS: usize = 11;

/// A model of sentences without vectors for tokens, as transformers are. Like those, it puts all texts near
/// each other, and says itself what that means. It has as many dimensions as it likes: no power of two.
struct Sentences {
    id: ModelId,
    calibration: Calibration,
}

impl Sentences {
    fn new() -> Self {
        Self {
            id: ModelId {
                name: "made up".to_owned(),
                revision: "1".to_owned(),
                dimensions: CONCEPTS.len() + 1 + OTHERS,
            },
            calibration: Calibration {
                near: 0.4,
                ..Calibration::default()
            },
        }
    }
}

impl Embedder for Sentences {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn embed_passages(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError> {
        assert!(texts.len() <= self.batch_hint());
        for text in texts {
            let mut row = vec![0.0f32; self.id.dimensions];
            // What every text has in common.
            row[CONCEPTS.len()] = 1.0;
            let text = text.to_lowercase();
            for word in text.split(|c: char| !c.is_alphanumeric()) {
                let known = CONCEPTS.map(|words| words.split(' ').any(|known| known == word));
                match known.iter().position(|known| *known) {
                    Some(concept) => row[concept] = 1.5,
                    None if word.len() < 4 => {}
                    None => {
                        let sum = word
                            .bytes()
                            .fold(7, |sum, byte| (sum * 31 + usize::from(byte)) % 10_007);
                        row[CONCEPTS.len() + 1 + sum % OTHERS] += 1.0;
                    }
                }
            }
            let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            rows.extend(row.iter().map(|x| x / length));
        }
        Ok(())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut row = Vec::new();
        self.embed_passages(&[text], &mut row)?;
        Ok(row)
    }

    fn batch_hint(&self) -> usize {
        3
    }

    fn calibration(&self) -> Calibration {
        self.calibration
    }
}

fn house() -> TestVault {
    vault(
        "-- Boiler.md --\n# Boiler\n\nMarlys serviced the boiler in September.\n\
         -- Roof.md --\n# Roof\n\nEsko repaired the gutter in October.\n\
         -- Garden.md --\n# Garden\n\nThe roses bloom in June.\n\
         -- Tax.md --\n# Tax\n\nThe letter of the office came in March.\n\
         -- Bread.md --\n# Bread\n\nFlour, water and salt, ten hours of rest.\n",
    )
}

fn asked(vault: &TestVault, model: &dyn Embedder, query: &str, mode: Mode) -> Answer {
    let options = SearchOptions {
        mode,
        ..SearchOptions::at(0)
    };
    ask(&vault.store(), model, query, &options).unwrap()
}

#[track_caller]
fn check(answer: &Answer, path: &str, least: Evidence) {
    assert_eq!(answer.hits[0].note.path, path);
    assert!(answer.evidence >= least, "{answer:?}");
}

#[test]
fn evidence_reaches_its_full_scale_without_token_vectors() {
    let (sentences, hashes) = (Sentences::new(), HashEmbedder::new(96));
    for model in [&sentences as &dyn Embedder, &hashes] {
        let vault = house();
        vault.update_with(model).unwrap();
        for mode in [Mode::Hybrid, Mode::Vector] {
            let answer = asked(&vault, model, "who repaired the gutter", mode);
            check(&answer, "Roof.md", Evidence::Strong);
        }
        let answer = asked(&vault, model, "zeppelin harbour", Mode::Hybrid);
        assert!(answer.evidence <= Evidence::Weak, "{answer:?}");
    }
}

#[test]
fn a_model_of_sentences_answers_in_other_words() {
    let model = Sentences::new();
    let vault = house();
    vault.update_with(&model).unwrap();
    for mode in [Mode::Hybrid, Mode::Vector] {
        let answer = asked(&vault, &model, "joiner mended drainpipe", mode);
        check(&answer, "Roof.md", Evidence::Moderate);
        let answer = asked(&vault, &model, "heater servicing", mode);
        check(&answer, "Boiler.md", Evidence::Moderate);
    }
}

#[test]
fn vectors_of_another_model_are_not_compared() {
    let vault = house();
    vault.update_with(&Sentences::new()).unwrap();
    let options = SearchOptions::at(0);
    let other = ask(&vault.store(), &HashEmbedder::new(7), "gutter", &options);
    assert!(matches!(other, Err(kenning::Error::ModelMismatch { .. })));
}
