//! Several writers at once, and readers meanwhile.

use std::time::Duration;

use kenning::store::{By, NoteSet};

use crate::seam::{axis, prepared, put};
use crate::support::{ScratchPlace, scratch_place};

const WRITERS: usize = 4;
const NOTES: usize = 12;

/// An index of one note.
fn scratch_with(path: &str, text: &str) -> Option<ScratchPlace> {
    let scratch = scratch_place()?;
    let note = prepared(path, text, &[Some(axis(64, 0))]);
    put(&scratch.place, 64, vec![note]);
    Some(scratch)
}

#[test]
fn writers_of_the_same_notes_leave_each_of_them_whole() {
    let Some(scratch) = scratch_with("first.md", "begun") else {
        return;
    };
    let place = &scratch.place;
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || {
                for round in 0..3 {
                    let note = |number: usize| {
                        // Not the same order for everybody, nor the same number of passages.
                        let number = (number * (2 * writer + 1) + round) % NOTES;
                        let vectors = vec![Some(axis(64, writer)); 1 + (writer + round) % 3];
                        prepared(&format!("{number}.md"), &format!("word{writer}"), &vectors)
                    };
                    put(place, 64, (0..NOTES).step_by(3).map(note).collect());
                }
            });
        }
        for _ in 0..10 {
            let store = place.read().unwrap();
            assert!(store.note_at("first.md").unwrap().is_some());
            assert_eq!(store.verify().unwrap(), Vec::<String>::new());
        }
    });
    let store = place.read().unwrap();
    assert_eq!(store.verify().unwrap(), Vec::<String>::new());
    let status = store.status().unwrap();
    let mut n_chunks = 0;
    for note in store
        .select(kenning::store::Select::Every, kenning::store::Wanted::NAMES)
        .unwrap()
        .iter()
    {
        let chunks = store.chunks(By::Note(note.id)).unwrap();
        let text = store.text(note.id, &kenning::store::Part::Whole).unwrap();
        // All passages are of the writer that wrote the text.
        assert!(
            store.has_term(&[text.trim().to_owned()], None).unwrap(),
            "{text}"
        );
        n_chunks += chunks.len();
    }
    assert_eq!(status.n_chunks, n_chunks as u64);
    let nearest = store
        .nearest(&axis(64, 1), 1_000, &NoteSet::every())
        .unwrap();
    assert_eq!(nearest.hits.len(), n_chunks);
}

#[test]
fn whoever_empties_the_index_waits_for_writers() {
    let Some(scratch) = scratch_with("a.md", "red roof") else {
        return;
    };
    let place = &scratch.place;
    let busy = place.write(Duration::from_millis(50)).unwrap();
    let mut other = place.write(Duration::from_millis(50)).unwrap();
    let model = other.meta().unwrap().model.unwrap();
    let refused = other.reset(&model, &[0.0; 64], &[]).err();
    assert!(
        matches!(refused, Some(kenning::error::Error::StoreBusy { .. })),
        "{refused:?}"
    );
    assert!(place.read().unwrap().note_at("a.md").unwrap().is_some());
    busy.close().unwrap();
    other.reset(&model, &[0.0; 64], &[]).unwrap();
    other.commit(1).unwrap();
    assert_eq!(place.read().unwrap().note_at("a.md").unwrap(), None);
}
