//! Nothing is lost: notes that are out of reach stay, a run is one step for those who read, and what is
//! not finished says so.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use kenning::index::{
    self, Freshness, IndexContext, Progress, Report, Withheld, caveats, freshness,
};
use kenning::store::{Part, Store};
use kenning::vault::{Skipped, Source, Vault, Walk};

use crate::support::{NOW, TestVault};

/// A vault of so many notes, half of them in a folder.
fn vault_of(n_notes: usize) -> TestVault {
    let vault = TestVault::empty();
    for n in 0..n_notes {
        vault.write(&path_of(n), format!("# Note {n}\n\nheron number {n}\n"));
    }
    vault
}

fn path_of(n: usize) -> String {
    let folder = if n.is_multiple_of(2) { "even" } else { "odd" };
    format!("{folder}/{n}.md")
}

fn remove(vault: &TestVault, numbers: impl Iterator<Item = usize>) {
    numbers.for_each(|n| vault.remove(&path_of(n)));
}

fn n_notes(vault: &TestVault) -> u64 {
    vault.store().meta().unwrap().n_notes
}

fn withheld(vault: &TestVault) -> Option<Withheld> {
    caveats(&vault.store()).unwrap().withheld
}

fn removals(n_gone: usize, n_known: usize) -> Option<Withheld> {
    Some(Withheld::Removals { n_gone, n_known })
}

fn is_fresh(vault: &TestVault) -> bool {
    freshness(&vault.store(), &vault.open(), false, NOW).unwrap() == Freshness::Fresh
}

/// What a vault says when something is wrong with it, as a source that can be changed.
struct Changed {
    vault: Vault,
    device: Option<u64>,
    unreadable: HashSet<String>,
    skipped: Option<Skipped>,
}

impl Changed {
    fn new(vault: &TestVault) -> Self {
        Self {
            vault: vault.open(),
            device: Some(1),
            unreadable: HashSet::new(),
            skipped: None,
        }
    }

    fn update(&self, vault: &TestVault) -> Report {
        vault
            .with_context(|cx| index::update(&IndexContext { source: self, ..cx }))
            .unwrap()
    }
}

impl Source for Changed {
    fn list(&self) -> Walk {
        let mut walk = self.vault.walk();
        if let Some(skipped) = &self.skipped {
            let is_out = |path: &str| path.starts_with(&skipped.path);
            walk.found.retain(|found| !is_out(&found.path));
            walk.skipped.push(skipped.clone());
        }
        walk
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match self.unreadable.contains(path) {
            true => Err("permission denied".to_owned()),
            false => self.vault.read(path),
        }
    }

    fn names_by_file(&self) -> bool {
        true
    }

    fn root(&self) -> Option<&Path> {
        Some(self.vault.root())
    }

    fn device(&self) -> Option<u64> {
        self.device
    }
}

#[test]
fn a_vault_that_is_empty_all_of_a_sudden_stays_in_the_index() {
    let mut vault = vault_of(30);
    vault.update();
    remove(&vault, 0..30);
    let report = vault.update();
    assert_eq!((report.n_removed, report.withheld), (0, removals(30, 30)));
    assert_eq!((n_notes(&vault), withheld(&vault)), (30, removals(30, 30)));
    assert_eq!(vault.paths("heron").len(), 10);
    // It is not news, so that a search does not look again and again.
    assert!(is_fresh(&vault));
    // A new index of everything does not get around it.
    vault.options.full = true;
    assert_eq!(vault.update().withheld, removals(30, 30));
    assert_eq!(n_notes(&vault), 30);

    vault.options.full = false;
    vault.options.accept_removals = true;
    let report = vault.update();
    assert_eq!((report.n_removed, report.withheld), (30, None));
    assert_eq!((n_notes(&vault), withheld(&vault)), (0, None));
}

/// Nothing of the vectors of another model can be kept, so nothing is done at all.
#[test]
fn another_model_is_no_way_around_it_either() {
    let vault = vault_of(30);
    vault.update();
    let before = vault.contents();
    remove(&vault, 0..30);
    let other = kenning::embed::HashEmbedder::new(64);
    let report = vault.update_with(&other).unwrap();
    assert_eq!((report.withheld, report.rebuilt), (removals(30, 30), None));
    assert_eq!(vault.contents(), before);
}

#[test]
fn half_of_the_notes_or_few_of_them_are_removed_without_asking() {
    for (n_known, n_gone) in [(60, 30), (60, 19), (19, 19), (5, 5)] {
        let vault = vault_of(n_known);
        vault.update();
        remove(&vault, 0..n_gone);
        let report = vault.update();
        assert_eq!(
            (report.n_removed, report.withheld),
            (n_gone, None),
            "{n_gone} of {n_known}"
        );
    }
}

#[test]
fn notes_that_come_back_are_as_if_they_had_never_been_gone() {
    let vault = vault_of(40);
    vault.update();
    let before = vault.contents();
    let away = vault.root().with_extension("away");
    fs::rename(vault.root(), &away).unwrap();
    fs::create_dir(vault.root()).unwrap();
    assert_eq!(vault.update().withheld, removals(40, 40));
    fs::remove_dir(vault.root()).unwrap();
    fs::rename(&away, vault.root()).unwrap();
    assert!(!is_fresh(&vault), "what is said of it is to be taken back");
    let report = vault.update();
    assert_eq!((report.n_unchanged, report.withheld), (40, None));
    assert_eq!((vault.contents(), withheld(&vault)), (before, None));
}

#[test]
fn what_is_there_goes_on_being_indexed_while_the_rest_is_waited_for() {
    let vault = vault_of(40);
    vault.update();
    remove(&vault, 0..25);
    vault.write("odd/39.md", "a stork");
    assert_eq!(vault.update().withheld, removals(25, 40));
    assert_eq!(vault.paths("stork"), ["odd/39.md"]);
    // So many come that those that are gone are no longer the greater part.
    for n in 100..140 {
        vault.write(&path_of(n), "a plover");
    }
    assert_eq!(vault.update().withheld, removals(25, 40));
    assert!(is_fresh(&vault));
    assert_eq!(n_notes(&vault), 80);
}

#[test]
fn notes_that_moved_are_not_gone() {
    let vault = vault_of(60);
    vault.update();
    for folder in ["even", "odd"] {
        let to = vault.root().join("all").join(folder);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(vault.root().join(folder), to).unwrap();
    }
    let report = vault.update();
    assert_eq!((report.n_renamed, report.withheld), (60, None));
    assert_eq!(n_notes(&vault), 60);
}

#[test]
fn another_file_system_is_not_taken_for_the_vault() {
    let mut vault = vault_of(5);
    let mut source = Changed::new(&vault);
    source.update(&vault);
    // Devices are often numbered anew; the files are the same.
    source.device = Some(2);
    let report = source.update(&vault);
    assert_eq!((report.is_elsewhere, report.withheld), (false, None));
    remove(&vault, 0..5);
    vault.write("stray.md", "a stray note");
    source.device = Some(3);
    let (n_gone, n_known) = (5, 5);
    let other = Some(Withheld::OtherFileSystem { n_gone, n_known });
    let report = source.update(&vault);
    assert_eq!((report.withheld, n_notes(&vault)), (other.clone(), 5));
    assert_eq!(withheld(&vault), other);
    // The disk is there again.
    source.device = Some(2);
    vault.write(&path_of(0), "# Note 0\n\nheron number 0\n");
    assert_eq!(source.update(&vault).withheld, None);

    source.device = Some(3);
    remove(&vault, 0..1);
    vault.remove("stray.md");
    vault.write("new.md", "a heron of the new disk");
    assert!(source.update(&vault).withheld.is_some());
    vault.options.accept_removals = true;
    let report = source.update(&vault);
    assert_eq!((report.is_elsewhere, report.withheld), (true, None));
    // It is remembered.
    vault.options.accept_removals = false;
    let report = source.update(&vault);
    assert_eq!((report.is_elsewhere, report.withheld), (false, None));
    assert_eq!(vault.paths("heron"), ["new.md"]);
}

#[test]
fn a_backup_that_was_put_back_is_said_once() {
    let vault = vault_of(5);
    let mut source = Changed::new(&vault);
    source.update(&vault);
    // Copies have other inodes, and the times of the originals.
    for n in 0..5 {
        let full = vault.root().join(path_of(n));
        let modified = fs::metadata(&full).unwrap().modified().unwrap();
        fs::copy(&full, full.with_extension("copy")).unwrap();
        fs::rename(full.with_extension("copy"), &full).unwrap();
        let file = fs::File::options().write(true).open(&full).unwrap();
        file.set_modified(modified).unwrap();
    }
    source.device = Some(2);
    let report = source.update(&vault);
    assert_eq!((report.is_elsewhere, report.withheld), (true, None));
    let report = source.update(&vault);
    assert_eq!((report.is_elsewhere, report.n_unchanged), (false, 5));
}

#[test]
fn what_cannot_be_listed_is_not_gone() {
    let vault = vault_of(50);
    let mut source = Changed::new(&vault);
    source.update(&vault);
    for (path, is_closed) in [("odd", false), ("", true)] {
        let (path, reason) = (path.to_owned(), "permission denied".to_owned());
        source.skipped = Some(Skipped { path, reason });
        let report = source.update(&vault);
        assert_eq!((report.n_removed, n_notes(&vault)), (0, 50));
        assert_eq!(withheld(&vault).is_some(), is_closed);
        assert_eq!(report.withheld.is_some(), is_closed);
    }
    source.skipped = None;
    source.update(&vault);
    assert_eq!(withheld(&vault), None);
}

/// A list of what to leave out that cannot be read leaves nothing out and nothing in.
#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_an_ignore_file_keeps_the_index() {
    for name in [".gitignore", ".kenignore"] {
        let vault = vault_of(3);
        vault.update();
        rustix::fs::mkfifoat(
            rustix::fs::CWD,
            vault.root().join(name),
            rustix::fs::Mode::RUSR,
        )
        .unwrap();
        let report = vault.update();
        assert_eq!((report.n_removed, n_notes(&vault)), (0, 3));
        let Some(Withheld::Closed { reason }) = report.withheld else {
            panic!("{:?}", report.withheld);
        };
        assert!(reason.contains(name), "{reason}");
        assert!(is_fresh(&vault));
        fs::remove_file(vault.root().join(name)).unwrap();
        assert!(!is_fresh(&vault));
        assert_eq!(vault.update().withheld, None);
    }
}

#[test]
fn a_full_run_keeps_the_last_good_version_of_what_cannot_be_read() {
    let mut vault = vault_of(6);
    let mut source = Changed::new(&vault);
    source.update(&vault);
    let before = vault.contents();
    source.unreadable = HashSet::from([path_of(1), path_of(4)]);
    vault.options.full = true;
    let report = source.update(&vault);
    let skipped: Vec<&str> = report.skipped.iter().map(|file| &*file.path).collect();
    assert_eq!(
        (report.n_added, skipped),
        (4, vec!["even/4.md", "odd/1.md"])
    );
    assert_eq!(vault.paths("heron number 4")[0], "even/4.md");
    source.unreadable.clear();
    source.update(&vault);
    assert_eq!(vault.contents(), before);
    assert_eq!(vault.store().verify().unwrap(), Vec::<String>::new());
}

/// A dictionary learns from notes; what is gone must not live on in it, nor what is kept be lost with it.
#[test]
fn a_full_run_forgets_the_old_dictionary_and_keeps_the_texts_packed_with_it() {
    let mut vault = TestVault::empty();
    let text = |n: usize, bird: &str| {
        let line = |k: usize| format!("The {bird} of the {k}th day went to pond {}.\n", n * k % 17);
        (0..60).map(line).collect::<String>()
    };
    for n in 0..40 {
        vault.write(&path_of(n), text(n, "corncrake"));
    }
    let mut source = Changed::new(&vault);
    source.update(&vault);
    let dictionary = |vault: &TestVault| {
        let sql = "SELECT value FROM meta WHERE key = 'dictionary'";
        let store = crate::support::look_into(vault.store_path());
        store
            .query_row(sql, [], |row| row.get::<_, Vec<u8>>(0))
            .unwrap()
    };
    let has_bird = |bytes: &[u8]| bytes.windows(9).any(|part| part == b"corncrake");
    assert!(has_bird(&dictionary(&vault)));
    for n in 1..40 {
        vault.write(&path_of(n), text(n, "lapwing"));
    }
    source.unreadable = HashSet::from([path_of(0)]);
    vault.options.full = true;
    source.update(&vault);
    let store = vault.store();
    let kept = store
        .text(store.note_at(&path_of(0)).unwrap().unwrap(), &Part::Whole)
        .unwrap();
    assert_eq!(kept.as_str(), text(0, "corncrake"));
    assert!(!has_bird(&dictionary(&vault)));
    assert_eq!(store.verify().unwrap(), Vec::<String>::new());
}

/// Runs with as little memory as can be, and returns how many notes a reader sees at each note.
fn seen_meanwhile(vault: &mut TestVault, full: bool) -> Vec<(u64, bool)> {
    vault.options.full = full;
    vault.options.step_bytes = 1;
    let seen = Mutex::new(Vec::new());
    let path = vault.store_path().to_owned();
    let progress = |_: Progress| {
        if let Ok(store) = Store::open(&path) {
            let is_finished = caveats(&store).unwrap().unfinished.is_none();
            seen.lock()
                .unwrap()
                .push((store.meta().unwrap().n_notes, is_finished));
        }
    };
    vault
        .with_context(|cx| {
            let progress = &progress;
            index::update(&IndexContext { progress, ..cx })
        })
        .unwrap();
    let mut seen = seen.into_inner().unwrap();
    seen.dedup();
    seen
}

#[test]
fn a_run_is_one_step_for_those_who_read_whatever_its_size() {
    let mut vault = vault_of(150);
    let first = seen_meanwhile(&mut vault, false);
    assert!(
        first.len() > 2,
        "the first run shows what there is: {first:?}"
    );
    assert!(first.iter().all(|(_, is_finished)| !is_finished));
    assert_eq!(caveats(&vault.store()).unwrap().unfinished, None);
    let before = vault.contents();
    assert_eq!(seen_meanwhile(&mut vault, true), [(150, true)]);
    assert_eq!(vault.contents(), before);
    for n in 100..400 {
        vault.write(&path_of(n), format!("# Note {n}\n\nstork number {n}\n"));
    }
    assert_eq!(seen_meanwhile(&mut vault, false), [(150, true)]);
    assert_eq!(n_notes(&vault), 400);
    assert_eq!(vault.store().verify().unwrap(), Vec::<String>::new());
    let updated = vault.contents();
    vault.options.full = true;
    vault.update();
    assert_eq!(vault.contents(), updated);
}

/// Stops a run at its first note.
fn stop_at_once(vault: &TestVault) -> Report {
    let stop = AtomicBool::new(false);
    let progress = |_: Progress| stop.store(true, Ordering::Relaxed);
    vault
        .with_context(|cx| {
            let (progress, stop) = (&progress, &stop);
            index::update(&IndexContext {
                progress,
                stop,
                ..cx
            })
        })
        .unwrap()
}

#[test]
fn a_first_run_that_was_stopped_is_known_to_be_unfinished() {
    let mut vault = vault_of(200);
    vault.options.n_threads = 1;
    let report = stop_at_once(&vault);
    assert!(report.is_stopped && !report.is_undone);
    let n_done = 200 - report.n_left;
    let unfinished = caveats(&vault.store()).unwrap().unfinished;
    assert_eq!(unfinished, Some((n_done as u64, 200)));
    assert!(!is_fresh(&vault));
    vault.update();
    assert_eq!(caveats(&vault.store()).unwrap().unfinished, None);
    assert_eq!(n_notes(&vault), 200);
}

#[test]
fn a_full_run_that_was_stopped_leaves_the_index_as_it_was() {
    let mut vault = vault_of(200);
    vault.update();
    let before = vault.contents();
    vault.options.n_threads = 1;
    vault.options.step_bytes = 1;
    vault.options.full = true;
    vault.write("new.md", "a stork");
    let report = stop_at_once(&vault);
    assert!(report.is_stopped && report.is_undone);
    assert_eq!(vault.contents(), before);
    assert_eq!(vault.store().verify().unwrap(), Vec::<String>::new());
}

/// The clock was far ahead when the index was made, and has been set right since.
#[test]
fn a_clock_that_goes_back_hides_no_change() {
    let vault = TestVault::empty();
    for n in 0..2_010 {
        vault.write(&format!("{}/{n}.md", n / 100), "text");
    }
    let now = NOW + 100 * 365 * 86_400;
    vault
        .with_context(|cx| index::update(&IndexContext { now, ..cx }))
        .unwrap();
    let is_seen = || {
        let told = |turn| freshness(&vault.store(), &vault.open(), false, turn).unwrap();
        (0..9).any(|turn| told(turn) == Freshness::Stale)
    };
    assert!(!is_seen());
    vault.write("12/new.md", "text");
    assert!(is_seen());
    vault.update();
    assert_eq!(n_notes(&vault), 2_011);
    assert!(!is_seen());
    vault.remove("3/333.md");
    assert!(is_seen());
}

/// Some programs put back the time of a file that they have changed.
#[cfg(unix)]
#[test]
fn a_change_that_hides_its_time_is_seen() {
    let vault = vault_of(1);
    vault.update();
    let full = vault.root().join(path_of(0));
    let modified = fs::metadata(&full).unwrap().modified().unwrap();
    let text = fs::read_to_string(&full).unwrap().replace("heron", "stork");
    fs::write(&full, text).unwrap();
    let file = fs::File::options().write(true).open(&full).unwrap();
    file.set_modified(modified).unwrap();
    assert!(!is_fresh(&vault));
    assert_eq!(vault.update().n_changed, 1);
    assert_eq!(vault.paths("stork"), [path_of(0)]);
}
