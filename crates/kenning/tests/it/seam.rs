//! What is put into a store and what is asked of it, without a model or a vault.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;
use std::time::Duration;

use kenning::budget::Budget;
use kenning::chunk::{Chunk, Prints};
use kenning::embed::ModelId;
use kenning::note::{self, Format};
use kenning::search::Tuning;
use kenning::secrets;
use kenning::store::{
    By, LexicalHit, LexicalQuery, NoteId, NoteSet, PreparedChunk, PreparedNote, Store, StoreWriter,
    TermGroup, Terms,
};
use kenning::vault::Stamp;

use crate::support::look_into;

fn model(dimensions: usize) -> ModelId {
    ModelId {
        name: "test".to_owned(),
        revision: String::new(),
        dimensions,
    }
}

/// A note of one passage for each vector that is or is not there.
fn prepared(path: &str, text: &str, vectors: &[Option<Vec<f32>>]) -> PreparedNote {
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

fn put(path: &Path, dimensions: usize, notes: Vec<PreparedNote>) {
    let mut writer = StoreWriter::open(path, Duration::ZERO).unwrap();
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
fn axis(dimensions: usize, at: usize) -> Vec<f32> {
    (0..dimensions)
        .map(|index| f32::from(u8::from(index == at)))
        .collect()
}

#[test]
fn a_chunk_without_a_vector_is_found_by_its_words_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let vector = axis(64, 7);
    put(
        &path,
        64,
        vec![
            prepared("near.md", "red roof", &[Some(vector.clone())]),
            prepared("later.md", "red roof", &[None]),
        ],
    );
    let store = Store::open(&path).unwrap();
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
        &path,
        64,
        vec![prepared("later.md", "red roof", &[Some(vector.clone())])],
    );
    let store = Store::open(&path).unwrap();
    assert_eq!(store.status().unwrap().n_chunks_without_vector, 0);
    let nearest = store.nearest(&vector, 10, &NoteSet::every()).unwrap();
    assert_eq!(nearest.hits.len(), 2);
    assert_eq!(store.verify().unwrap(), Vec::<String>::new());
}

#[test]
fn hits_keep_to_their_notes_and_tell_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let note = |name: &str, at| prepared(name, "red roof", &[Some(axis(384, at))]);
    put(
        &path,
        384,
        vec![note("a.md", 1), note("b.md", 2), note("c.md", 3)],
    );
    let store = Store::open(&path).unwrap();
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

/// Bytes that a thousand vectors take in a file.
fn vector_bytes(dimensions: usize) -> i64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let vectors: Vec<_> = (0..1_000)
        .map(|n| Some(axis(dimensions, n % dimensions)))
        .collect();
    put(
        &path,
        dimensions,
        vec![prepared("a.md", "red roof", &vectors)],
    );
    let connection = look_into(&path);
    let sum = "SELECT (SELECT SUM(LENGTH(data)) FROM vector_code)
        + (SELECT SUM(LENGTH(data)) FROM vector_row)";
    connection.query_row(sum, [], |row| row.get(0)).unwrap()
}

#[test]
fn vectors_take_no_more_room_than_they_have_dimensions() {
    // Five bits a dimension and a scale, in blocks of 1,024 vectors.
    for dimensions in [384, 1_024] {
        let expected = 1_024 * (dimensions * 5 / 8 + 4);
        assert_eq!(vector_bytes(dimensions), expected as i64);
    }
}
