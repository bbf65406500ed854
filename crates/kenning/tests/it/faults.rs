//! Files that are not an index, and runs that end in the middle: afterwards there is the old state or
//! the new one, and nothing between.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kenning::Error;
use kenning::index::{self, IndexContext, Rebuild};
use kenning::search::{Mode, SearchOptions};
use kenning::store::{Store, StoreWriter, backup};
use rusqlite::Connection;

use crate::support::{EMBEDDER, TestVault, ask, contents, fixture, paths, vault, write_into};

fn two_notes() -> TestVault {
    vault("-- a.md --\nalpha and heron\n-- b.md --\nbeta\n")
}

/// Reading, writing and copying are all refused with the same kind of error, and the file stays.
#[track_caller]
fn check_refused(vault: &TestVault, is_expected: impl Fn(&Error) -> bool) {
    let path = vault.store_path();
    let before = fs::read(path).unwrap();
    let copy = path.with_extension("copy");
    let errors = [
        Store::open(path).err(),
        vault.try_update().err(),
        vault.update_file("a.md").err(),
        StoreWriter::discard_outdated(path, Duration::ZERO).err(),
        backup(path, &copy).err(),
    ];
    for error in errors {
        let error = error.expect("it is not an index that can be used");
        assert!(is_expected(&error), "{error:?}");
    }
    assert!(!copy.exists());
    assert!(fs::read(path).unwrap() == before, "the file was changed");
}

fn put(vault: &TestVault, bytes: &[u8]) {
    fs::create_dir_all(vault.store_path().parent().unwrap()).unwrap();
    fs::write(vault.store_path(), bytes).unwrap();
}

#[test]
fn a_missing_or_empty_file_is_a_new_index() {
    let vault = two_notes();
    let is_missing = || {
        let opened = Store::open(vault.store_path()).err();
        matches!(opened, Some(Error::StoreMissing { .. }))
    };
    assert!(is_missing());
    // What a crash right after creation leaves behind.
    put(&vault, b"");
    assert!(is_missing());
    assert_eq!(vault.update().rebuilt, Some(Rebuild::New));
    assert_eq!(vault.paths("alpha"), ["a.md"]);
}

#[test]
fn a_file_of_somebody_else_is_never_touched() {
    let vault = two_notes();
    let is_foreign = |error: &Error| matches!(error, Error::StoreForeign { .. });
    put(
        &vault,
        b"Dear diary, this is not an index.\n"
            .repeat(100)
            .as_slice(),
    );
    check_refused(&vault, is_foreign);
    put(&vault, b"SQLite format 3\0");
    check_refused(&vault, is_foreign);

    for version in [0, 1, 7] {
        fs::remove_file(vault.store_path()).unwrap();
        let other = Connection::open(vault.store_path()).unwrap();
        let sql = format!(
            "CREATE TABLE note (id INTEGER PRIMARY KEY, path TEXT);
             INSERT INTO note (path) VALUES ('mine');
             PRAGMA user_version = {version}"
        );
        other.execute_batch(&sql).unwrap();
        drop(other);
        check_refused(&vault, is_foreign);
    }
}

/// Closing the last connection of a database moves its log into it, so it must not even be opened.
#[test]
fn a_database_of_somebody_else_keeps_its_log() {
    let vault = two_notes();
    let original = vault.store_path().with_file_name("original.db");
    put(&vault, b"");
    let other = Connection::open(&original).unwrap();
    other
        .execute_batch(
            "PRAGMA journal_mode = WAL; CREATE TABLE note (path TEXT);
             INSERT INTO note VALUES ('mine')",
        )
        .unwrap();
    // What a program that was killed leaves: a file and a log that belongs to it.
    let log = beside(vault.store_path(), "-wal");
    fs::copy(&original, vault.store_path()).unwrap();
    fs::copy(beside(&original, "-wal"), &log).unwrap();
    let before = fs::read(&log).unwrap();
    assert!(!before.is_empty());
    check_refused(&vault, |error| matches!(error, Error::StoreForeign { .. }));
    assert!(fs::read(&log).unwrap() == before, "the log was changed");
}

#[test]
fn a_truncated_index_is_an_error_to_readers_and_made_again_by_a_writer() {
    let vault = fixture("tiny");
    vault.update();
    let (whole, contents) = (fs::read(vault.store_path()).unwrap(), vault.contents());
    for n_bytes in [100, 512, 4_095, 4_096, whole.len() / 2, whole.len() - 1] {
        put(&vault, &whole[..n_bytes]);
        let copy = vault.store_path().with_extension("copy");
        for error in [
            Store::open(vault.store_path()).err(),
            backup(vault.store_path(), &copy).err(),
        ] {
            assert!(
                matches!(error, Some(Error::StoreCorrupt { .. })),
                "{error:?}"
            );
        }
        assert!(!copy.exists());
        let rebuilt = vault.update().rebuilt;
        let Some(Rebuild::Damaged {
            aside: Some(aside), ..
        }) = rebuilt
        else {
            panic!("{rebuilt:?}");
        };
        assert!(fs::read(&aside).unwrap() == whole[..n_bytes], "it is kept");
        fs::remove_file(aside).unwrap();
        assert_eq!(vault.contents(), contents);
    }
    // Of so little nobody can say whose it is.
    put(&vault, &whole[..99]);
    check_refused(&vault, |error| matches!(error, Error::StoreForeign { .. }));
}

#[test]
fn an_index_of_another_version_is_made_anew() {
    let vault = two_notes();
    vault.update();
    let current = vault.contents();
    for version in [0, 99] {
        let connection = write_into(vault.store_path());
        connection
            .pragma_update(None, "user_version", version)
            .unwrap();
        drop(connection);
        let opened = Store::open(vault.store_path()).err();
        assert!(matches!(opened, Some(Error::StoreOutdated { found, .. }) if found == version));
        let report = if version == 0 {
            vault.update()
        } else {
            vault.update_file("a.md").unwrap()
        };
        assert_eq!(report.rebuilt, Some(Rebuild::Schema { found: version }));
        assert_eq!(report.n_added, 2);
        assert_eq!(vault.contents(), current);
    }
}

#[test]
fn a_second_writer_is_told_that_it_is_one() {
    let vault = two_notes();
    let writer = StoreWriter::open(vault.store_path(), Duration::ZERO).unwrap();
    let is_busy = |result: Result<_, Error>| matches!(result, Err(Error::StoreBusy { .. }));
    assert!(is_busy(vault.try_update().map(drop)));
    assert!(is_busy(vault.update_file("a.md").map(drop)));
    let discarded = StoreWriter::discard_outdated(vault.store_path(), Duration::ZERO);
    assert!(is_busy(discarded));
    drop(writer);
    vault.update();
    // Whoever holds the lock, reading and copying go on.
    let _writer = StoreWriter::open(vault.store_path(), Duration::ZERO).unwrap();
    assert_eq!(vault.paths("alpha"), ["a.md"]);
    backup(
        vault.store_path(),
        &vault.store_path().with_extension("copy"),
    )
    .unwrap();
}

#[test]
fn a_writer_may_be_waited_for() {
    let mut vault = two_notes();
    vault.options.patience = Duration::from_secs(60);
    let writer = StoreWriter::open(vault.store_path(), Duration::ZERO).unwrap();
    let vault = &vault;
    std::thread::scope(|scope| {
        let (begun, is_begun) = std::sync::mpsc::channel();
        let (root, store) = (vault.root().to_owned(), vault.store_path().to_owned());
        let options = vault.options.clone();
        let waiting = scope.spawn(move || {
            let mut vault = TestVault::at(root, store);
            vault.options = options;
            begun.send(()).unwrap();
            vault.update().n_added
        });
        is_begun.recv().unwrap();
        drop(writer);
        assert_eq!(waiting.join().unwrap(), 2);
    });
}

fn by_word() -> SearchOptions<'static> {
    SearchOptions {
        mode: Mode::Lexical,
        ..SearchOptions::at(0)
    }
}

#[test]
fn a_reader_keeps_its_snapshot_and_a_new_one_sees_the_new_state() {
    let vault = two_notes();
    vault.update();
    let found = |store: &Store, query: &str| {
        let answer = ask(store, &*EMBEDDER, query, &by_word());
        paths(&answer.unwrap().hits)
    };
    let (used, unused) = (vault.store(), vault.store());
    assert_eq!(found(&used, "heron"), ["a.md"]);
    vault.write("a.md", "aardvark");
    vault.remove("b.md");
    for number in 0..40 {
        vault.write(
            &format!("new/{number}.md"),
            format!("heron number {number}"),
        );
    }
    // In the middle of the run nobody sees anything of it.
    let n_looks = AtomicUsize::new(0);
    let path = vault.store_path().to_owned();
    let look = |_| {
        let store = Store::open(&path).unwrap();
        let found = ask(&store, &*EMBEDDER, "heron", &by_word());
        assert_eq!(paths(&found.unwrap().hits), ["a.md"]);
        n_looks.fetch_add(1, Ordering::Relaxed);
    };
    let report = vault.with_context(|cx| {
        let progress = &look;
        index::update(&IndexContext { progress, ..cx })
    });
    assert_eq!(report.unwrap().n_added, 40);
    assert_eq!(n_looks.into_inner(), 41);

    // Old snapshots stay whole, also where they had not looked yet.
    for store in [&used, &unused] {
        assert_eq!(found(store, "heron"), ["a.md"]);
        assert_eq!(found(store, "beta"), ["b.md"]);
        assert_eq!(found(store, "aardvark"), Vec::<String>::new());
        assert_eq!(store.meta().unwrap().n_notes, 2);
        assert_eq!(store.verify().unwrap(), Vec::<String>::new());
    }
    let new = vault.store();
    assert_eq!(found(&new, "aardvark"), ["a.md"]);
    assert_eq!(found(&new, "beta"), Vec::<String>::new());
    assert_eq!(new.meta().unwrap().n_notes, 41);
}

#[test]
fn a_backup_in_the_middle_of_a_run_answers_like_before_it() {
    let vault = fixture("tiny");
    vault.update();
    let before = vault.contents();
    let hits = vault.search("the letter about the walls");
    vault.remove("2-Areas/Finance/IRS-Letter.md");
    vault.write("new.md", "A letter about new walls.\n");
    let copy = vault.store_path().with_extension("copy");
    let source = vault.store_path().to_owned();
    let make_copy = |progress: index::Progress| {
        if progress.n_done == 1 {
            backup(&source, &copy).unwrap();
        }
    };
    vault
        .with_context(|cx| {
            let progress = &make_copy;
            index::update(&IndexContext { progress, ..cx })
        })
        .unwrap();
    assert_eq!(contents(&copy), before);
    let copied = TestVault::at(vault.root().to_owned(), copy.clone());
    assert_eq!(copied.search("the letter about the walls"), hits);
    assert_eq!(copied.store().verify().unwrap(), Vec::<String>::new());
    let again = backup(vault.store_path(), &copy);
    assert!(
        matches!(again, Err(Error::Io { .. })),
        "nothing is overwritten"
    );

    // A backup is an index like any other.
    copied.update();
    assert_eq!(copied.contents(), vault.contents());
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
