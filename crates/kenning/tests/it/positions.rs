//! Where words stand, as the index knows it.

use kenning::store::{By, Known, TermGroup};
use kenning::words;

use crate::support::{fixture, vault};

/// Where words of a query stand is asked of the index; the text must say the same.
#[test]
fn positions_in_the_index_are_those_in_the_text() {
    let vault = fixture("tiny");
    vault.update();
    // A second segment, and entries of the first that are gone.
    vault.write("New.md", "# New\nthe oak, THE oaks and the house");
    vault.write("Empty Shelf.md", "oak house\n\n# Below\nhouses of oak");
    vault.update();
    let store = vault.store();
    let group = |terms: &[&str], is_prefix| TermGroup {
        terms: terms.iter().map(|&term| term.to_owned()).collect(),
        is_prefix,
    };
    let groups = [
        group(&["oak"], false),
        group(&["hous", "haus"], false),
        group(&["the", "oak"], false),
        group(&["re"], true),
    ];
    let mut n_found = 0;
    for note in store.known(Known::Every).unwrap() {
        let id = store.note_at(&note.path).unwrap().unwrap();
        let language = store.note(id).unwrap().language;
        let chunks = store.chunks(By::Note(id)).unwrap();
        let ids: Vec<_> = chunks.iter().rev().map(|chunk| chunk.id).collect();
        let positions = store.positions(&groups, &ids).unwrap();
        for (chunk, positions) in chunks.iter().rev().zip(&positions) {
            let text = store.passage(chunk).unwrap();
            let words: Vec<String> = words::words(&text)
                .map(|word| words::term_of(&word, language))
                .collect();
            let stands_for = |term: &String| {
                groups.iter().position(|group| match group.is_prefix {
                    true => group.terms.iter().any(|prefix| term.starts_with(prefix)),
                    false => group.terms.contains(term),
                })
            };
            let expected: Vec<(usize, u32)> = (0..)
                .zip(&words)
                .filter_map(|(place, term)| Some((stands_for(term)?, place)))
                .collect();
            assert_eq!(positions.found, expected, "{}: {text}", note.path);
            assert_eq!(positions.n_words as usize, words.len());
            n_found += expected.len();
        }
    }
    assert!(n_found > 20, "{n_found}");
}

/// Parts of names stand at the end of a passage of code, where they are nobody's neighbours.
#[test]
fn parts_of_different_names_are_no_neighbours() {
    let vault = vault("-- a.js --\nfunction addUser() { return listEvents(); }\n");
    vault.update();
    let store = vault.store();
    let chunks = store
        .chunks(By::Note(store.note_at("a.js").unwrap().unwrap()))
        .unwrap();
    let group = |term: &str| TermGroup {
        terms: vec![term.to_owned()],
        is_prefix: term == "listev",
    };
    let groups = ["add", "user", "list", "listev"].map(group);
    let positions = store.positions(&groups, &[chunks[0].id]).unwrap().remove(0);
    let place = |group| {
        positions
            .found
            .iter()
            .find(|(of, _)| *of == group)
            .unwrap()
            .1
    };
    assert_eq!(place(1) - place(0), 1);
    assert!(place(2) - place(1) > 50, "{positions:?}");
    assert!(place(0) - place(3) > 50, "{positions:?}");
}
