//! The face of the library, as a program that uses the crate sees it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use kenning::embed::HashEmbedder;
use kenning::{Error, Kenning, Mode};

use crate::support::{NOW, TestVault, paths, vault};

fn notes() -> TestVault {
    vault(
        "-- Roof.md --\n# Roof\n\nEsko repaired the gutter. See [[Garden]].\n\
         -- Garden.md --\n# Garden\n\nThe roses bloom in June.\n",
    )
}

fn open(vault: &TestVault) -> Kenning {
    Kenning::open(vault.store_path(), || NOW).unwrap()
}

#[test]
fn an_index_is_opened_filled_and_asked() {
    let vault = notes();
    let index = open(&vault);
    let missing = index.search("gutter");
    assert!(matches!(missing, Err(Error::StoreMissing { .. })));
    assert_eq!(index.update(&vault.open()).unwrap().n_added, 2);
    let answer = index.search("who repaired the gutter").unwrap();
    assert_eq!(answer.hits[0].note.path, "Roof.md");
    assert!(index.get("Garden").unwrap().text.contains("roses"));
    assert_eq!(index.links("Roof").unwrap().outgoing[0].target, "Garden.md");
}

#[test]
fn builders_say_the_rest() {
    let vault = notes();
    let model = Arc::new(HashEmbedder::new(48));
    let index = open(&vault).embedder(model);
    let n_told = AtomicUsize::new(0);
    let told = |_| {
        n_told.fetch_add(1, Ordering::Relaxed);
    };
    let update = index.updating(&vault.open()).progress(&told).run();
    assert_eq!((update.unwrap().n_added, n_told.into_inner()), (2, 2));
    assert_eq!(
        index.updating(&vault.open()).full().run().unwrap().n_added,
        2
    );
    let found = index.query("the").mode(Mode::Lexical).limit(1).explained();
    let answer = found.run().unwrap();
    assert_eq!(answer.hits.len(), 1);
    assert!(!answer.hits[0].stages.is_empty());
    // Vectors of the model that is compiled in are not compared with those of another.
    let other = open(&vault).search("gutter");
    assert!(matches!(other, Err(Error::ModelMismatch { .. })));
}

#[test]
fn answers_are_as_new_as_the_file() {
    let vault = notes();
    let (index, writer) = (open(&vault), open(&vault));
    index.update(&vault.open()).unwrap();
    let ask = || {
        paths(
            &index
                .query("quince")
                .mode(Mode::Lexical)
                .run()
                .unwrap()
                .hits,
        )
    };
    assert!(ask().is_empty());
    vault.write("Orchard.md", "The quince tree is old.\n");
    let stamp = vault.open().stamp("Orchard.md");
    let updated = writer.updating(&vault.open()).run_file("Orchard.md", stamp);
    assert_eq!(updated.unwrap().n_added, 1);
    assert_eq!(ask(), ["Orchard.md"]);
}

#[test]
fn the_clock_is_asked_for_each_question() {
    let vault = vault("-- a.md --\n---\ncreated: 2025-12-30\n---\nThe quince tree.\n");
    let time = Arc::new(AtomicI64::new(NOW));
    let clock = Arc::clone(&time);
    let clock = move || clock.load(Ordering::Relaxed);
    let index = Kenning::open(vault.store_path(), clock).unwrap();
    index.update(&vault.open()).unwrap();
    let found = || paths(&index.search("quince since:\"last week\"").unwrap().hits);
    assert_eq!(found(), ["a.md"]);
    time.store(NOW + 90 * 86_400, Ordering::Relaxed);
    assert!(found().is_empty());
}

#[test]
fn a_file_that_is_no_index_is_not_opened() {
    let vault = notes();
    fs::create_dir_all(vault.store_path().parent().unwrap()).unwrap();
    fs::write(vault.store_path(), "dear diary, ".repeat(999)).unwrap();
    let opened = Kenning::open(vault.store_path(), || NOW).err();
    assert!(matches!(opened, Some(Error::StoreForeign { .. })));
}

#[test]
fn an_index_of_another_vault_is_not_asked() {
    let vault = notes();
    open(&vault).update(&vault.open()).unwrap();
    let other = open(&vault).of_vault("somewhere else".to_owned());
    let answer = other.search("gutter");
    assert!(matches!(answer, Err(Error::StoreOfAnother { .. })));
}

/// Somebody who keeps a snapshot open keeps the log of an index in use: it must not grow as long as a server runs.
#[test]
fn the_log_of_an_index_that_is_asked_all_the_time_does_not_grow() {
    let vault = notes();
    let index = open(&vault);
    index.update(&vault.open()).unwrap();
    let log = vault.store_path().with_extension("db-wal");
    for number in 0..6 {
        index.search("roses").unwrap();
        vault.write("Garden.md", format!("# Garden\n\nRose number {number}.\n"));
        assert_eq!(index.update(&vault.open()).unwrap().n_changed, 1);
        let n_bytes = fs::metadata(&log).map_or(0, |log| log.len());
        assert_eq!(n_bytes, 0, "after update {number}");
    }
    let answer = index.search("rose number").unwrap();
    assert!(answer.hits[0].text.contains("number 5"));
}
