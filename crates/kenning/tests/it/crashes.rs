//! Runs that are killed, and disks that are full or locked: the index is what it was before or
//! what it should be afterwards, it opens, and the next run completes it.
//!
//! A test cannot kill itself, so this binary runs itself once more; `a_process_of_its_own` is what
//! that process does. It ends at the Nth call or the Nth byte, never by the clock.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod vfs;

use std::env;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use kenning::Error;
use kenning::index::{self, IndexContext};
use kenning::store::{Store, backup};

use crate::support::{CountingEmbedder, TestVault, contents};

const ROLE: &str = "KENNING_TEST_ROLE";
const NUMBER: &str = "KENNING_TEST_NUMBER";
const ROOT: &str = "KENNING_TEST_ROOT";
const STORE: &str = "KENNING_TEST_STORE";
const NOBODY: u32 = 65_534;

/// Does nothing unless another test of this file runs it, with a role to play.
#[test]
fn a_process_of_its_own() {
    let Ok(role) = env::var(ROLE) else { return };
    let path = |name| PathBuf::from(env::var_os(name).unwrap());
    let vault = TestVault::at(path(ROOT), path(STORE));
    let number: usize = env::var(NUMBER).unwrap().parse().unwrap();
    match role.as_str() {
        "abort at a note" => abort_at_note(&vault, number),
        "abort at the model" => abort_at_model(&vault, number),
        "update" => drop(vault.update()),
        "fill the disk" => fill(&vault, |error| matches!(error, Error::StoreFull { .. })),
        "write too much" => fill(&vault, |_| true),
        "stay outside" => stay_outside(&vault),
        "fail in turn" => vfs::fail_in_turn(),
        _ => panic!("{role} is nobody's role"),
    }
}

/// Makes the process that plays a role, run by the words in front.
fn process(words: &[&str], role: &str, number: usize, vault: &TestVault) -> Command {
    let own = env::current_exe().unwrap();
    let mut words = words.to_vec();
    words.push(own.to_str().unwrap());
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .args(["--exact", "crashes::a_process_of_its_own", "--nocapture"])
        .env(ROLE, role)
        .env(NUMBER, number.to_string())
        .env(ROOT, vault.root())
        .env(STORE, vault.store_path());
    command
}

#[track_caller]
fn check_success(command: &mut Command) {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&text)
    );
}

fn abort_at_note(vault: &TestVault, number: usize) {
    let progress = |progress: index::Progress| {
        if progress.n_done == number {
            std::process::abort();
        }
    };
    vault
        .with_context(|cx| {
            let progress = &progress;
            index::update(&IndexContext { progress, ..cx })
        })
        .unwrap();
}

fn abort_at_model(vault: &TestVault, number: usize) {
    let embedder = CountingEmbedder::failing(move |call| {
        if call == number {
            std::process::abort();
        }
        Ok(())
    });
    vault.update_with(&embedder).unwrap();
}

/// A vault that changed since it was indexed, or was never indexed.
struct Scene {
    vault: TestVault,
    /// The index file before the run, if there is one.
    file: Option<Vec<u8>>,
    old: Vec<String>,
    new: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Old,
    New,
}

fn note(number: usize) -> String {
    let words: String = (0..40)
        .map(|n| format!("word{} ", number * n % 97))
        .collect();
    format!("# Note {number}\n\n{words}\n\n## Part\n\nSee [[{number}]], the {words}\n")
}

impl Scene {
    /// A vault without an index.
    fn fresh() -> Self {
        let vault = TestVault::empty();
        for number in 0..60 {
            vault.write(&format!("{number}.md"), note(number));
        }
        let new = made_anew(&vault);
        Self {
            vault,
            file: None,
            old: Vec::new(),
            new,
        }
    }

    /// A vault with notes that changed, moved, came and went.
    fn changed() -> Self {
        let mut scene = Self::fresh();
        let vault = &scene.vault;
        vault.update();
        scene.file = Some(fs::read(vault.store_path()).unwrap());
        scene.old = scene.new;
        for number in 0..36 {
            vault.write(&format!("{number}.md"), note(100 + number));
        }
        for number in 40..46 {
            vault.remove(&format!("{number}.md"));
            vault.write(&format!("new/{number}.md"), note(200 + number));
        }
        vault.rename("50.md", "moved.md");
        scene.new = made_anew(vault);
        scene
    }

    /// Puts everything back as it was before the run.
    fn rewind(&self) {
        let folder = self.vault.store_path().parent().unwrap();
        if folder.exists() {
            fs::remove_dir_all(folder).unwrap();
        }
        fs::create_dir(folder).unwrap();
        if let Some(file) = &self.file {
            fs::write(self.vault.store_path(), file).unwrap();
        }
    }

    /// Runs a process that may die, and looks at what it left.
    #[track_caller]
    fn play(&self, mut command: Command) -> (ExitStatus, State) {
        self.rewind();
        let status = command.output().unwrap().status;
        let state = self.state(&format!("{status:?} of {command:?}"));
        self.vault.update();
        assert!(self.vault.contents() == self.new, "{command:?}");
        assert_eq!(self.vault.store().verify().unwrap(), Vec::<String>::new());
        (status, state)
    }

    #[track_caller]
    fn state(&self, after: &str) -> State {
        let store = match Store::open(self.vault.store_path()) {
            Err(Error::StoreMissing { .. }) if self.file.is_none() => return State::Old,
            opened => opened.unwrap_or_else(|error| panic!("{error:?} after {after}")),
        };
        assert_eq!(store.verify().unwrap(), Vec::<String>::new(), "{after}");
        let contents = self.vault.contents();
        if contents == self.old {
            State::Old
        } else {
            assert!(contents == self.new, "something between after {after}");
            State::New
        }
    }
}

/// What an index of the vault would hold if it were made now.
fn made_anew(vault: &TestVault) -> Vec<String> {
    let elsewhere = vault.root().with_extension("anew");
    TestVault::at(vault.root().to_owned(), elsewhere.clone()).update();
    let contents = contents(&elsewhere);
    fs::remove_file(elsewhere).unwrap();
    contents
}

#[test]
fn a_run_that_aborts_leaves_the_old_state() {
    let without_core = ["sh", "-c", "ulimit -c 0 && exec \"$@\"", "sh"];
    for scene in [Scene::fresh(), Scene::changed()] {
        let moments = [
            ("abort at the model", vec![1, 2]),
            ("abort at a note", vec![1, 32, 43]),
        ];
        for (role, numbers) in moments {
            for number in numbers {
                let command = process(&without_core, role, number, &scene.vault);
                let (status, state) = scene.play(command);
                assert!(status.signal().is_some(), "{role} {number}: {status:?}");
                assert_eq!(state, State::Old, "{role} {number}");
            }
        }
        let (status, state) = scene.play(process(&[], "update", 0, &scene.vault));
        assert!(status.success());
        assert_eq!(state, State::New);
    }
}

/// The system kills a process that writes beyond a limit: in the log, in the commit, in the
/// checkpoint, wherever the limit happens to lie.
#[test]
fn a_run_that_is_killed_while_it_writes_leaves_the_old_or_the_new_state() {
    let limits = [0, 1, 8, 16, 64, 150, 300, 400, 500, 800, 9_999];
    let limited = "ulimit -c 0 && ulimit -f $0 && exec \"$@\"";
    let mut states = Vec::new();
    for scene in [Scene::fresh(), Scene::changed()] {
        for limit in limits {
            let limit = limit.to_string();
            let words = ["sh", "-c", limited, &limit];
            let (status, state) = scene.play(process(&words, "update", 0, &scene.vault));
            assert!(status.success() || status.signal().is_some(), "{status:?}");
            states.push((limit, status, state));
        }
    }
    let is_seen = |is_success, state| {
        let is_it = |seen: &(_, ExitStatus, _)| (seen.1.success(), seen.2) == (is_success, state);
        states.iter().any(is_it)
    };
    assert!(is_seen(false, State::Old), "{states:?}");
    assert!(is_seen(true, State::New), "{states:?}");
}

/// Indexes more than there is room for.
fn fill(vault: &TestVault, is_expected: impl Fn(&Error) -> bool) {
    vault.update();
    let before = vault.contents();
    let mut dice = 1u64;
    for number in 0..20 {
        let word = |_| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            format!("{:x} ", dice >> 20)
        };
        vault.write(
            &format!("big{number}.md"),
            (0..8_000).map(word).collect::<String>(),
        );
    }
    let error = vault.try_update().expect_err("there is no room for it");
    assert!(is_expected(&error), "{error:?}");
    assert_eq!(vault.contents(), before);
    assert_eq!(vault.store().verify().unwrap(), Vec::<String>::new());
    for number in 0..20 {
        vault.remove(&format!("big{number}.md"));
    }
    vault.update();
    assert_eq!(vault.contents(), before);
}

#[test]
fn writing_that_fails_is_an_error_and_loses_nothing() {
    let vault = TestVault::empty();
    vault.write("a.md", note(1));
    let limited = "trap '' XFSZ && ulimit -f $0 && exec \"$@\"";
    let words = ["sh", "-c", limited, "2000"];
    check_success(&mut process(&words, "write too much", 0, &vault));
}

#[test]
fn a_full_disk_is_an_error_and_loses_nothing() {
    let vault = TestVault::empty();
    vault.write("a.md", note(1));
    let folder = vault.store_path().parent().unwrap();
    fs::create_dir(folder).unwrap();
    let folder = folder.to_str().unwrap();
    let mount = "mount -t tmpfs -o size=1500k kenning \"$0\" && exec \"$@\"";
    let words = ["unshare", "--mount", "sh", "-c", mount, folder];
    let is_possible = Command::new(words[0])
        .args(&words[1..])
        .arg("true")
        .output();
    if is_possible.is_ok_and(|output| output.status.success()) {
        check_success(&mut process(&words, "fill the disk", 0, &vault));
    } else {
        println!("left out: mounting a small disk is not allowed here");
    }
}

fn stay_outside(vault: &TestVault) {
    let written = vault.try_update();
    assert!(matches!(written, Err(Error::Io { .. })), "{written:?}");
    // Reading needs nothing to be written.
    assert_eq!(vault.store().meta().unwrap().n_notes, 1);
    assert!(!vault.search("word5").is_empty());
    let copy = vault.store_path().with_extension("copy");
    backup(vault.store_path(), &copy).expect_err("there is no room for a copy");
}

#[test]
fn a_folder_that_may_not_be_written_to_is_an_error_and_loses_nothing() {
    let vault = TestVault::empty();
    vault.write("a.md", note(1));
    vault.update();
    let (file, folder) = (vault.store_path(), vault.store_path().parent().unwrap());
    let before = (fs::read(file).unwrap(), vault.contents());
    vault.write("b.md", note(2));
    let allow =
        |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    allow(folder.parent().unwrap(), 0o755);
    for entry in fs::read_dir(folder).unwrap() {
        allow(&entry.unwrap().path(), 0o444);
    }
    allow(folder, 0o555);
    let mut command = process(&[], "stay outside", 0, &vault);
    // Nothing is closed to root.
    if fs::File::create(folder.join("probe")).is_ok() {
        fs::remove_file(folder.join("probe")).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output();
    allow(folder, 0o755);
    for entry in fs::read_dir(folder).unwrap() {
        allow(&entry.unwrap().path(), 0o644);
    }
    match output {
        Ok(output) => assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&[output.stdout, output.stderr].concat())
        ),
        Err(error) => println!("left out: {error}"),
    }
    assert!((fs::read(file).unwrap(), vault.contents()) == before);
    assert_eq!(vault.update().n_added, 1);
}
