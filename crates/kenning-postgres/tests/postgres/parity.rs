//! The same notes give the same hits, whatever keeps the index.

use kenning::{Kenning, Vault, WalkRules};

use crate::support::scratch_place;

/// Questions of every kind: a name, words, a prefix, a slip, a filter, a time, a sentence.
const QUESTIONS: [&str; 8] = [
    "roof",
    "boiler pressure",
    "gutt*",
    "boilr",
    "tag:home roof",
    "\"the roof\"",
    "when was the boiler last serviced?",
    "who repaired the gutters in March",
];

#[test]
fn the_example_vault_is_answered_as_by_a_file() {
    let Some(scratch) = scratch_place() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let vault = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/vault");
    let vault = Vault::open(vault.as_ref(), WalkRules::default()).unwrap();
    let now = || 1_700_000_000;
    let file = Kenning::new(folder.path().join("index.db"), now);
    let server = Kenning::new(scratch.place.clone(), now);
    let (of_file, of_server) = (file.update(&vault).unwrap(), server.update(&vault).unwrap());
    assert_eq!(of_file.n_added, of_server.n_added);
    // Nothing changed: the second run finds nothing to do.
    assert_eq!(
        server.update(&vault).unwrap().n_unchanged,
        of_server.n_added
    );
    for question in QUESTIONS {
        let (a, b) = (
            file.search(question).unwrap(),
            server.search(question).unwrap(),
        );
        let shown = |answer: &kenning::Answer| -> Vec<String> {
            let hits = answer.hits.iter();
            hits.map(|hit| format!("{}:{}", hit.note.path, hit.chunk.start_line))
                .collect()
        };
        assert_eq!(shown(&a), shown(&b), "{question}");
        for (a, b) in a.hits.iter().zip(&b.hits) {
            assert!(
                (a.score - b.score).abs() < 1e-3,
                "{question}: {} {}",
                a.score,
                b.score
            );
        }
    }
}
