//! What is put into a store and what is asked of it, without a model or a vault. Every kind of store runs it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::time::Duration;

use kenning::budget::Budget;
use kenning::chunk::{Chunk, Prints};
use kenning::embed::ModelId;
use kenning::note::{self, Format};
use kenning::search::Tuning;
use kenning::secrets;
use kenning::store::{
    By, LexicalHit, LexicalQuery, NoteId, NoteSet, Place, PreparedChunk, PreparedNote, TermGroup,
    Terms,
};
use kenning::vault::Stamp;

use crate::support::scratch_place;

fn model(dimensions: usize) -> ModelId {
    ModelId {
        name: "test".to_owned(),
        revision: String::new(),
        dimensions,
    }
}

/// A note of one passage for each vector that is or is not there.
pub(crate) fn prepared(path: &str, text: &str, vectors: &[Option<Vec<f32>>]) -> PreparedNote {
    let (clean, _) = secrets::mask(text.to_owned());
    let (note, warnings) = note::parse(path, clean, Format::Markdown);
    let chunk = |vector: &Option<Vec<f32>>| PreparedChunk {
        chunk: Chunk {
            range: 0..text.len(),
            start_line: 1,
            end_line: 1,
            heading: None,
            page: None,
            picture: None,
        },
        handle: 1,
        prints: Prints::default(),
        text_terms: format!("{text} "),
        section_terms: String::new(),
        compound_terms: String::new(),
        n_terms: 2,
        vector: vector.clone(),
        pieces: vec![3, 5],
    };
    PreparedNote {
        path: path.to_owned(),
        stamp: Stamp {
            size: 1,
            mtime_ns: 2,
            inode: 3,
            ctime_ns: 4,
        },
        hash: [0; 16],
        format: Format::Markdown,
        date: None,
        is_named_by_file: true,
        names: Vec::new(),
        terms: Terms::default(),
        chunks: vectors.iter().map(chunk).collect(),
        warnings,
        masked: Vec::new(),
        note,
    }
}

pub(crate) fn put(place: &Place, dimensions: usize, notes: Vec<PreparedNote>) {
    let mut writer = place.write(Duration::from_secs(5)).unwrap();
    if writer.meta().unwrap().model.is_none() {
        writer
            .reset(&model(dimensions), &vec![0.0; dimensions], &[])
            .unwrap();
    }
    let encoded = writer.encoder().unwrap().encode(notes).unwrap();
    writer.put(encoded).unwrap();
    writer.commit(1).unwrap();
    writer.close().unwrap();
}

/// A vector that points along one axis.
pub(crate) fn axis(dimensions: usize, at: usize) -> Vec<f32> {
    (0..dimensions)
        .map(|index| f32::from(u8::from(index == at)))
        .collect()
}

#[test]
fn a_chunk_without_a_vector_is_found_by_its_words_only() {
    let Some(scratch) = scratch_place() else {
        return;
    };
    let place = &scratch.place;
    let vector = axis(64, 7);
    put(
        place,
        64,
        vec![
            prepared("near.md", "red roof", &[Some(vector.clone())]),
            prepared("later.md", "red roof", &[None]),
        ],
    );
    let store = place.read().unwrap();
    let (near, later) = (store.note_at("near.md"), store.note_at("later.md"));
    let (near, later) = (near.unwrap().unwrap(), later.unwrap().unwrap());
    assert_eq!(store.status().unwrap().n_chunks_without_vector, 1);

    let nearest = store.nearest(&vector, 10, &NoteSet::every()).unwrap();
    let notes: Vec<NoteId> = nearest.hits.iter().map(|hit| hit.note).collect();
    assert_eq!(notes, [near]);
    let chunk = |note| store.chunks(By::Note(note)).unwrap().remove(0).id;
    let both = [chunk(near), chunk(later)];
    let cosines = store.cosines(&vector, &both).unwrap();
    assert_eq!(cosines.len(), 1);
    assert!(cosines[0].0 == both[0] && cosines[0].1 > 0.9);

    let groups = [TermGroup {
        terms: vec!["roof".to_owned()],
        is_prefix: false,
    }];
    let options = Tuning::default().lexical;
    let query = LexicalQuery {
        groups: &groups,
        typed: &[],
        options: &options,
        limit: 10,
        per_note: 2,
    };
    let found = store
        .lexical(&query, &NoteSet::every(), &[], &Budget::default())
        .unwrap();
    assert_eq!(found.hits.len(), 2);
    assert_eq!(found.hits[0].score, found.hits[1].score);

    // Its vector comes later, and it goes as if it had been there at once.
    put(
        place,
        64,
        vec![prepared("later.md", "red roof", &[Some(vector.clone())])],
    );
    let store = place.read().unwrap();
    assert_eq!(store.status().unwrap().n_chunks_without_vector, 0);
    let nearest = store.nearest(&vector, 10, &NoteSet::every()).unwrap();
    assert_eq!(nearest.hits.len(), 2);
    assert_eq!(store.verify().unwrap(), Vec::<String>::new());
}

#[test]
fn hits_keep_to_their_notes_and_tell_of_others() {
    let Some(scratch) = scratch_place() else {
        return;
    };
    let place = &scratch.place;
    let note = |name: &str, at| prepared(name, "red roof", &[Some(axis(384, at))]);
    put(
        place,
        384,
        vec![note("a.md", 1), note("b.md", 2), note("c.md", 3)],
    );
    let store = place.read().unwrap();
    let id = |name| store.note_at(name).unwrap().unwrap();
    let within: NoteSet = [id("b.md")].into_iter().collect();
    let nearest = store.nearest(&axis(384, 1), 10, &within).unwrap();
    assert_eq!(nearest.hits.len(), 1);
    assert_eq!(nearest.hits[0].note, id("b.md"));
    let every = store.nearest(&axis(384, 1), 1, &NoteSet::every()).unwrap();
    assert_eq!(every.hits[0].note, id("a.md"));
    assert!(every.hits[0].cosine > 0.9, "{every:?}");

    let also = [store.chunks(By::Note(id("c.md"))).unwrap()[0].id];
    let options = Tuning::default().lexical;
    let query = LexicalQuery {
        groups: &[TermGroup {
            terms: vec!["red".to_owned()],
            is_prefix: false,
        }],
        typed: &[],
        options: &options,
        limit: 10,
        per_note: 2,
    };
    let found = store
        .lexical(&query, &within, &also, &Budget::default())
        .unwrap();
    let notes = |hits: &[LexicalHit]| hits.iter().map(|hit| hit.note).collect::<Vec<_>>();
    assert_eq!(notes(&found.hits), [id("b.md")]);
    assert_eq!(notes(&found.also), [id("c.md")]);
    assert!(found.also[0].score > 0.0);
}

#[test]
fn a_note_that_is_gone_leaves_nothing_behind() {
    let Some(scratch) = scratch_place() else {
        return;
    };
    let place = &scratch.place;
    let note = |name: &str, text: &str| prepared(name, text, &[Some(axis(64, 3))]);
    put(
        place,
        64,
        vec![note("a.md", "red roof"), note("b.md", "blue door")],
    );
    let before = place.read().unwrap();
    let mut writer = place.write(Duration::from_secs(5)).unwrap();
    writer.remove("a.md").unwrap();
    writer.commit(2).unwrap();
    writer.close().unwrap();
    // Who reads goes on with what it saw.
    assert!(before.note_at("a.md").unwrap().is_some());
    let after = place.read().unwrap();
    assert_eq!(after.note_at("a.md").unwrap(), None);
    assert!(after.note_at("b.md").unwrap().is_some());
    assert!(!after.has_term(&["roof".to_owned()], None).unwrap());
    assert_eq!(
        after
            .nearest(&axis(64, 3), 9, &NoteSet::every())
            .unwrap()
            .hits
            .len(),
        1
    );
    assert_ne!(before.identity().unwrap(), after.identity().unwrap());
    assert_eq!(after.verify().unwrap(), Vec::<String>::new());
}
