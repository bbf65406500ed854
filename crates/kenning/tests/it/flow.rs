//! The write flow end to end: what a run counts, what it leaves alone, what it does anew.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use kenning::Error;
use kenning::chunk::Profile;
use kenning::embed::{Embedder, HashEmbedder};
use kenning::index::{self, Freshness, IndexContext, IndexOptions, Rebuild, Report, freshness};
use kenning::search::{SearchOptions, passage};
use kenning::store::{Known, backup};
use kenning::vault::WalkRules;

use crate::support::{
    CountingEmbedder, EMBEDDER, NOW, TestVault, ask, files_below, fixture, unpacked_texts, vault,
};

/// Added, changed, removed, renamed, unchanged.
#[track_caller]
fn check(report: &Report, expected: [usize; 5]) {
    let counts = [
        report.n_added,
        report.n_changed,
        report.n_removed,
        report.n_renamed,
        report.n_unchanged,
    ];
    assert_eq!(counts, expected, "{report:?}");
}

fn skipped(report: &Report) -> Vec<&str> {
    let paths = report.skipped.iter();
    paths.map(|skipped| skipped.path.as_str()).collect()
}

#[test]
fn a_run_counts_what_it_did() {
    let vault =
        vault("-- a.md --\nalpha\n-- b.md --\nbeta\n-- c.md --\ngamma\n-- d.md --\ndelta\n");
    let report = vault.update();
    check(&report, [4, 0, 0, 0, 0]);
    assert_eq!(report.rebuilt, Some(Rebuild::New));
    assert_eq!((report.n_chunks, report.n_bytes), (4, 23));

    vault.write("b.md", "beta and more");
    vault.write("e.md", "epsilon");
    vault.remove("c.md");
    vault.rename("d.md", "folder/dd.md");
    let report = vault.update();
    check(&report, [1, 1, 1, 1, 1]);
    assert_eq!(report.rebuilt, None);
    assert_eq!(vault.paths("delta"), ["folder/dd.md"]);
    assert_eq!(vault.paths("gamma"), Vec::<String>::new());

    check(&vault.update(), [0, 0, 0, 0, 4]);
}

#[test]
fn two_files_of_the_same_content_are_two_notes_when_they_move() {
    let vault = vault("-- a.md --\ntwin\n-- b.md --\ntwin\n");
    vault.update();
    vault.rename("a.md", "c.md");
    vault.remove("b.md");
    check(&vault.update(), [0, 0, 1, 1, 0]);
    assert_eq!(vault.paths("twin"), ["c.md"]);
}

#[test]
fn only_what_changed_is_embedded() {
    let vault = vault("-- a.md --\nalpha\n-- b.md --\nbeta\n");
    let embedder = CountingEmbedder::new();
    vault.update_with(&embedder).unwrap();
    embedder.take_texts();

    vault.touch("a.md");
    let before = vault.store().known(Known::Every).unwrap();
    check(&vault.update_with(&embedder).unwrap(), [0, 0, 0, 0, 2]);
    assert_eq!(embedder.take_texts(), 0);
    assert_ne!(
        vault.store().known(Known::Every).unwrap(),
        before,
        "the stamp is noted"
    );

    vault.write("b.md", "beta and more");
    vault.update_with(&embedder).unwrap();
    assert_eq!(embedder.take_texts(), 1);
}

/// The date of a note without one of its own is the file's, also when only that changed.
#[test]
fn a_touched_note_has_a_new_date() {
    let vault = vault("-- a.md --\nalpha\n-- b.md --\n---\ndate: 2020-02-02\n---\nbeta\n");
    vault.update();
    let dates = || {
        let hits = ["alpha", "beta"].map(|word| vault.search(word).remove(0));
        hits.map(|hit| hit.note.date.clone().unwrap())
    };
    let before = dates();
    vault.touch("a.md");
    vault.touch("b.md");
    vault.update();
    let after = dates();
    assert!(before[0] < after[0], "{before:?} {after:?}");
    assert_eq!(after[1], "2020-02-02");
}

#[test]
fn one_file_is_brought_up_to_date_by_itself() {
    let vault = vault("-- a.md --\nalpha\n-- b.md --\nbeta\n");
    vault.update();
    vault.write("a.md", "aardvark");
    vault.write("b.md", "badger");
    check(&vault.update_file("a.md").unwrap(), [0, 1, 0, 0, 0]);
    assert_eq!(vault.paths("aardvark"), ["a.md"]);
    assert_eq!(vault.paths("badger"), Vec::<String>::new());

    vault.write("new/c.md", "camel");
    check(&vault.update_file("new/c.md").unwrap(), [1, 0, 0, 0, 0]);
    assert_eq!(vault.paths("camel"), ["new/c.md"]);

    vault.remove("a.md");
    check(&vault.update_file("a.md").unwrap(), [0, 0, 1, 0, 0]);
    assert_eq!(vault.paths("aardvark"), Vec::<String>::new());

    let unknown = vault.update_file("nobody.md");
    assert!(matches!(unknown, Err(Error::NotFound { name }) if name == "nobody.md"));
}

/// There is nothing to bring up to date yet, so everything is indexed.
#[test]
fn one_file_of_a_new_vault_brings_all_the_others() {
    let vault = vault("-- a.md --\nalpha\n-- b.md --\nbeta\n");
    let report = vault.update_file("a.md").unwrap();
    check(&report, [2, 0, 0, 0, 0]);
    assert_eq!(report.rebuilt, Some(Rebuild::New));
    assert_eq!(vault.paths("beta"), ["b.md"]);
}

#[test]
fn what_cannot_be_read_is_reported_and_the_rest_indexed() {
    let mut vault = vault("-- good.md --\ngood\n");
    vault.rules = WalkRules {
        file_bytes_max: 1_000,
        ..WalkRules::default()
    };
    vault.write("binary.md", b"\x7fELF\0\0\0\0");
    vault.write("large.md", "large ".repeat(200));
    vault.write("wide.md", b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0");
    let report = vault.update();
    check(&report, [1, 0, 0, 0, 0]);
    assert_eq!(skipped(&report), ["binary.md", "large.md", "wide.md"]);
    assert_eq!(vault.store().status().unwrap().skipped, report.skipped);
    assert_eq!(vault.paths("good"), ["good.md"]);

    vault.write("binary.md", "repaired");
    vault.remove("large.md");
    let report = vault.update();
    assert_eq!(skipped(&report), ["wide.md"]);
    assert_eq!(vault.store().status().unwrap().skipped, report.skipped);
    assert_eq!(vault.paths("repaired"), ["binary.md"]);
}

#[test]
fn a_file_repaired_by_itself_is_no_longer_reported() {
    let vault = vault("-- good.md --\ngood\n");
    vault.write("bad.md", b"\0");
    assert_eq!(skipped(&vault.update()), ["bad.md"]);
    vault.write("bad.md", "repaired");
    vault.update_file("bad.md").unwrap();
    assert_eq!(vault.store().status().unwrap().skipped, []);

    vault.write("good.md", b"\0");
    assert_eq!(skipped(&vault.update_file("good.md").unwrap()), ["good.md"]);
    assert_eq!(vault.store().status().unwrap().skipped.len(), 1);
}

#[test]
fn a_file_that_becomes_unreadable_keeps_its_last_good_version() {
    let mut vault = vault("-- a.md --\nalpha\n-- b.md --\nbeta\n-- c.md --\ngamma\n");
    vault.rules.file_bytes_max = 1_000;
    vault.update();
    vault.write("a.md", b"\0\0\0\0");
    vault.write("b.md", "beta ".repeat(1_000));
    let report = vault.update();
    check(&report, [0, 0, 0, 0, 1]);
    assert_eq!(skipped(&report), ["a.md", "b.md"]);
    assert_eq!(vault.paths("alpha"), ["a.md"]);
    assert_eq!(vault.paths("beta"), ["b.md"]);
    assert_eq!(
        skipped(&vault.update()),
        ["a.md", "b.md"],
        "it is tried again"
    );

    vault.write("a.md", "aardvark");
    check(&vault.update(), [0, 1, 0, 0, 1]);
    assert_eq!(vault.paths("alpha"), Vec::<String>::new());
}

/// A drive that went away is not a person who deleted everything.
#[test]
fn a_vault_that_cannot_be_walked_loses_nothing() {
    let vault = vault("-- a.md --\nalpha\n-- folder/b.md --\nbeta\n");
    vault.update();
    let away = vault.root().with_extension("away");
    let report = vault.with_context(|cx| {
        fs::rename(vault.root(), &away).unwrap();
        let report = index::update(&cx);
        fs::rename(&away, vault.root()).unwrap();
        report.unwrap()
    });
    assert_eq!(report.skipped.len(), 1, "{report:?}");
    check(&report, [0, 0, 0, 0, 2]);
    assert_eq!(vault.paths("alpha"), ["a.md"]);
    assert_eq!(vault.paths("beta"), ["folder/b.md"]);
}

#[test]
fn another_model_or_another_setting_makes_everything_anew() {
    let mut vault = vault("-- a.md --\nalpha\n-- b.md --\nbeta\n");
    vault.update();
    let other = HashEmbedder::new(32);
    let mismatch = ask(&vault.store(), &other, "alpha", &SearchOptions::at(0));
    assert!(matches!(mismatch, Err(Error::ModelMismatch { .. })));

    let report = vault.update_with(&other).unwrap();
    check(&report, [2, 0, 0, 0, 0]);
    let from = EMBEDDER.id().clone();
    assert_eq!(report.rebuilt, Some(Rebuild::Model { from }));
    assert_eq!(
        vault.store().meta().unwrap().model.as_ref(),
        Some(other.id())
    );
    let answer = ask(&vault.store(), &other, "alpha", &SearchOptions::at(0)).unwrap();
    assert_eq!(answer.hits[0].note.path, "a.md");
    assert_eq!(vault.update_with(&other).unwrap().rebuilt, None);

    vault.update();
    vault.options.profile = Profile::Paragraph;
    assert_eq!(vault.update().rebuilt, Some(Rebuild::Settings));
    vault.options.full = true;
    assert_eq!(vault.update().rebuilt, Some(Rebuild::Asked));
}

/// Vectors of a model that cannot be asked must not replace those of one that can.
#[test]
fn a_model_that_fails_changes_nothing() {
    let vault = vault("-- a.md --\nalpha\n");
    vault.update();
    let before = vault.contents();
    vault.write("a.md", "aardvark");
    let broken = CountingEmbedder::failing(|_| {
        Err(kenning::embed::EmbedError::ModelMissing {
            path: "/nowhere".into(),
        })
    });
    let failed = vault.update_with(&broken);
    assert!(matches!(failed, Err(Error::Model(_))));
    assert_eq!(vault.contents(), before);
    assert_eq!(vault.paths("alpha"), ["a.md"]);
}

#[test]
fn a_stopped_run_keeps_what_it_did_and_the_next_completes_it() {
    let mut vault = TestVault::empty();
    vault.options.n_threads = 1;
    vault.write("old.md", "old");
    vault.update();
    vault.remove("old.md");
    let n_notes = 200;
    for number in 0..n_notes {
        vault.write(&format!("{number:03}.md"), format!("note {number}"));
    }
    let stop = AtomicBool::new(false);
    let first = vault.with_context(|cx| {
        let progress = |_| stop.store(true, Ordering::Relaxed);
        index::update(&IndexContext {
            progress: &progress,
            stop: &stop,
            ..cx
        })
    });
    let first = first.unwrap();
    assert!(first.is_stopped);
    assert!((1..n_notes).contains(&first.n_added), "{}", first.n_added);
    let store = vault.store();
    assert_eq!(store.meta().unwrap().n_notes as usize, first.n_added + 1);
    assert_eq!(store.verify().unwrap(), Vec::<String>::new());
    assert!(
        store.note_at("old.md").unwrap().is_some(),
        "not looked at yet"
    );

    let second = vault.update();
    assert!(!second.is_stopped);
    check(&second, [n_notes - first.n_added, 0, 1, 0, first.n_added]);
    let updated = vault.contents();
    vault.options.full = true;
    vault.update();
    assert_eq!(vault.contents(), updated);
}

#[test]
fn a_stop_before_the_first_note_does_nothing() {
    let vault = vault("-- a.md --\nalpha\n");
    let stop = AtomicBool::new(true);
    let report = vault.with_context(|cx| index::update(&IndexContext { stop: &stop, ..cx }));
    assert!(report.unwrap().is_stopped);
    assert_eq!(vault.store().meta().unwrap().n_notes, 0);
    check(&vault.update(), [1, 0, 0, 0, 0]);
}

#[test]
fn progress_tells_every_note_once() {
    let vault = vault("-- a.md --\nalpha\n-- b.md --\nbeta\n");
    vault.write("c.md", b"\0");
    let told = std::sync::Mutex::new(Vec::new());
    let progress = |progress: index::Progress| told.lock().unwrap().push(progress);
    vault.with_context(|cx| {
        let progress = &progress;
        index::update(&IndexContext { progress, ..cx }).unwrap()
    });
    let told = told.into_inner().unwrap();
    let done: Vec<_> = told
        .iter()
        .map(|told| (told.n_done, told.n_total))
        .collect();
    assert_eq!(done, [(1, 3), (2, 3), (3, 3)]);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut vault = fixture("hostile");
    vault.options.n_threads = 1;
    vault.update();
    let alone = vault.contents();
    vault.options = IndexOptions {
        n_threads: 8,
        full: true,
        ..vault.options
    };
    vault.update();
    assert_eq!(vault.contents(), alone);
}

/// A large vault is looked at window by window, and every change lies in one of them.
#[cfg(unix)]
#[test]
fn freshness_of_a_large_vault_is_told_by_a_window_that_moves() {
    let vault = TestVault::empty();
    for n in 0..2_010 {
        vault.write(&format!("{}/{n}.md", n / 100), "text");
    }
    vault.update();
    let n_stale = || {
        let told = |now| freshness(&vault.store(), &vault.open(), false, now).unwrap();
        let told: Vec<Freshness> = (NOW..NOW + 9).map(told).collect();
        assert!(!told.contains(&Freshness::Fresh));
        told.iter()
            .filter(|told| **told == Freshness::Stale)
            .count()
    };
    assert_eq!(n_stale(), 0);
    vault.write("7/777.md", "other text");
    assert_eq!(n_stale(), 1);
    vault.update();
    assert_eq!(n_stale(), 0);
    vault.write("12/new.md", "text");
    assert!((1..3).contains(&n_stale()));
}

/// Notes that were moved leave gaps among the ids; the windows must not fall into them.
#[cfg(unix)]
#[test]
fn freshness_of_a_large_vault_sees_an_edit_after_all_notes_were_moved() {
    let vault = TestVault::empty();
    for n in 0..2_500 {
        vault.write(&format!("{}/{n}.md", n / 100), format!("text {n}"));
    }
    vault.update();
    fs::create_dir(vault.root().join("moved")).unwrap();
    for n in 0..25 {
        let [from, to] = [n.to_string(), format!("moved/{n}")];
        fs::rename(vault.root().join(from), vault.root().join(&to)).unwrap();
    }
    vault.update();
    let n_stale = || {
        let told = |turn| freshness(&vault.store(), &vault.open(), false, turn).unwrap();
        (NOW..NOW + 10)
            .filter(|turn| told(*turn) == Freshness::Stale)
            .count()
    };
    assert_eq!(n_stale(), 0);
    for path in ["moved/0/7.md", "moved/13/1377.md", "moved/24/2499.md"] {
        let text = fs::read_to_string(vault.root().join(path)).unwrap();
        vault.write(path, "edited in place");
        assert_eq!(n_stale(), 1, "{path}");
        vault.write(path, &text);
        vault.update_file(path).unwrap();
    }
}

#[test]
fn freshness_sees_each_kind_of_change() {
    let vault = vault("-- a.md --\nalpha\n-- b.md --\nbeta\n");
    vault.update();
    let is_fresh = || freshness(&vault.store(), &vault.open(), false, NOW).unwrap();
    assert_eq!(is_fresh(), Freshness::Fresh);
    let edits: [&dyn Fn(); 4] = [
        &|| vault.write("a.md", "aardvark"),
        &|| vault.write("c.md", "camel"),
        &|| vault.rename("c.md", "d.md"),
        &|| vault.remove("b.md"),
    ];
    for edit in edits {
        edit();
        assert_eq!(is_fresh(), Freshness::Stale);
        vault.update();
        assert_eq!(is_fresh(), Freshness::Fresh);
    }
}

/// Path, time and content of everything in a folder.
fn image(folder: &Path) -> Vec<(String, std::time::SystemTime, Vec<u8>)> {
    let entry = |path: String| {
        let full = folder.join(&path);
        let modified = fs::metadata(&full).unwrap().modified().unwrap();
        (path, modified, fs::read(full).unwrap())
    };
    files_below(folder).into_iter().map(entry).collect()
}

#[test]
fn nothing_is_ever_written_into_the_vault() {
    for name in ["tiny", "obsidian", "hostile"] {
        let mut vault = fixture(name);
        let before = image(vault.root());
        vault.update();
        vault.options.full = true;
        vault.update();
        let path = vault.store().known(Known::Every).unwrap().remove(0).path;
        vault.update_file(&path).unwrap();
        vault.search("anything at all");
        passage(&vault.store(), &path).unwrap();
        backup(
            vault.store_path(),
            &vault.store_path().with_extension("copy"),
        )
        .unwrap();
        assert!(image(vault.root()) == before, "{name} was changed");
    }
}

/// A made-up GitHub token; put together here so that no scanner finds one in this file.
fn secret() -> String {
    let letters = (0..36u8).map(|n| char::from(b'a' + n * 7 % 26));
    let body: String = letters
        .zip("3Qz8".chars().cycle())
        .map(|(a, b)| if a > 'k' { a } else { b })
        .collect();
    format!("{}_{body}", "ghp")
}

#[test]
fn a_secret_is_nowhere_but_in_the_vault() {
    let secret = secret();
    let vault = TestVault::empty();
    vault.write(
        "keys.md",
        format!(
            "---\naliases: [\"{secret}\"]\ntoken: {secret}\ntags: [{secret}]\n---\n# Key {secret}\n\n\
             The token is {secret} and it works.\n\n[[{secret}]] `{secret}`\n"
        ),
    );
    vault.write("other.md", "The token of another day.\n");
    let report = vault.update();
    assert!(report.masked.len() >= 6, "{:?}", report.masked);
    let on_line = |line| report.masked.iter().any(|found| found.1 == line);
    assert!(
        [2, 3, 4, 6, 8, 10].into_iter().all(on_line),
        "{:?}",
        report.masked
    );
    assert_eq!(
        vault.store().status().unwrap().n_masked as usize,
        report.masked.len()
    );

    let is_clean = |what: &str, bytes: &[u8]| {
        // Half of it is a leak as well.
        for part in [&secret[..], &secret[4..24], &secret[20..]] {
            let lower = part.to_lowercase();
            for part in [part, &lower] {
                let found = bytes
                    .windows(part.len())
                    .any(|window| window == part.as_bytes());
                assert!(!found, "{what} holds the secret");
            }
        }
    };
    for file in files_below(vault.store_path().parent().unwrap()) {
        let full = vault.store_path().parent().unwrap().join(&file);
        is_clean(&file, &fs::read(full).unwrap());
    }
    is_clean("a row", vault.contents().join("\n").as_bytes());
    for block in unpacked_texts(vault.store_path()) {
        is_clean("a packed text", &block);
    }
    for query in ["token", "keys", &secret] {
        is_clean("a hit", format!("{:?}", vault.search(query)).as_bytes());
    }
    let passage = passage(&vault.store(), "keys.md").unwrap();
    assert!(passage.text.contains("[REDACTED:"));
    is_clean("a passage", format!("{passage:?}").as_bytes());
}

#[test]
fn a_slip_is_not_taken_for_a_word_of_a_note_that_is_gone() {
    // Enough others for the entry of what is gone to stay in the index for a while.
    let others: String = (0..20)
        .map(|n| format!("-- o{n}.md --\nplain words here {n}\n"))
        .collect();
    let vault = vault(&format!(
        "-- a.md --\nzymbolicus\n-- b.md --\nzymbolica\n{others}"
    ));
    vault.update();
    assert_eq!(vault.paths("zymbolicx"), ["b.md"]);
    vault.remove("b.md");
    vault.update();
    assert_eq!(vault.paths("zymbolicx"), ["a.md"]);
}
