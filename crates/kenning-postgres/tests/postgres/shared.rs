//! Several processes index one vault into one place: they share out the work, and what one of them leaves undone when it
//! is killed, another one does.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use kenning::{IndexOptions, Kenning, Vault, WalkRules};

use crate::support::{address, scratch_place};

/// Notes of the vault: several groups for each.
const NOTES: usize = 300;
/// Says to the test below that it is a process of its own: which vault, and which domain.
const VAULT: &str = "KEN_TEST_SHARED_VAULT";
const DOMAIN: &str = "KEN_TEST_SHARED_DOMAIN";

fn fill(folder: &Path) {
    for number in 0..NOTES {
        let text = format!(
            "# Note {number}\n\nThe roof of house {number}, [[{}]].\n",
            number / 2
        );
        std::fs::write(folder.join(format!("{number}.md")), text).unwrap();
    }
}

/// An indexer in a process of its own.
struct Indexer {
    child: Child,
    says: BufReader<ChildStdout>,
    hears: ChildStdin,
}

impl Indexer {
    fn start(vault: &Path, domain: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "shared::indexes_for_another_test", "--nocapture"])
            .env(VAULT, vault)
            .env(DOMAIN, domain)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            says: BufReader::new(child.stdout.take().unwrap()),
            hears: child.stdin.take().unwrap(),
            child,
        }
    }

    /// Waits until it says something that begins so; returns the rest.
    fn hear(&mut self, beginning: &str) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(
                self.says.read_line(&mut line).unwrap(),
                0,
                "it said no {beginning}"
            );
            if let Some((_, rest)) = line.split_once(beginning) {
                return rest.trim().to_owned();
            }
        }
    }

    fn go_on(&mut self) {
        self.hears.write_all(b"\n").unwrap();
    }
}

/// Indexes, if it is told what; says when it has written something, and waits for a word then.
#[test]
fn indexes_for_another_test() {
    let (Ok(vault), Ok(domain), Some(address)) =
        (std::env::var(VAULT), std::env::var(DOMAIN), address())
    else {
        return;
    };
    let vault = Vault::open(vault.as_ref(), WalkRules::default()).unwrap();
    let place = kenning_postgres::place(&address, &domain).unwrap();
    let index = Kenning::new(place, || 7).index_options(IndexOptions {
        n_threads: 1,
        ..IndexOptions::default()
    });
    let is_begun = AtomicBool::new(false);
    let report = index
        .updating(&vault)
        .progress(&|_| {
            if !is_begun.swap(true, Ordering::Relaxed) {
                say("BEGUN");
                let _ = std::io::stdin().read(&mut [0]).unwrap();
            }
        })
        .run()
        .unwrap();
    say(&format!("TAKEN {} {}", report.n_added, report.n_by_others));
}

fn say(what: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{what}").unwrap();
    out.flush().unwrap();
}

#[test]
fn two_processes_take_each_note_once() {
    let Some(scratch) = scratch_place() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let mut indexers = [(); 2].map(|()| Indexer::start(folder.path(), &scratch.domain));
    // Both have written something before either goes on.
    for indexer in &mut indexers {
        indexer.hear("BEGUN");
    }
    let mut n_added = Vec::new();
    for indexer in &mut indexers {
        indexer.go_on();
    }
    for indexer in &mut indexers {
        let said = indexer.hear("TAKEN ");
        let (added, by_others) = said.split_once(' ').unwrap();
        let (added, by_others): (usize, usize) =
            (added.parse().unwrap(), by_others.parse().unwrap());
        assert!(added > 0 && by_others > 0, "{said}");
        n_added.push(added);
        assert!(indexer.child.wait().unwrap().success());
    }
    assert_eq!(n_added.iter().sum::<usize>(), NOTES, "{n_added:?}");
    let store = scratch.place.read().unwrap();
    assert_eq!(store.status().unwrap().n_notes, NOTES as u64);
    assert_eq!(store.verify().unwrap(), Vec::<String>::new());
    assert_eq!(store.meta().unwrap().fact("unfinished"), None);
}

#[test]
fn what_a_killed_process_had_claimed_is_done_by_the_other() {
    let Some(scratch) = scratch_place() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let mut killed = Indexer::start(folder.path(), &scratch.domain);
    killed.hear("BEGUN");
    let mut other = Indexer::start(folder.path(), &scratch.domain);
    other.hear("BEGUN");
    other.go_on();
    killed.child.kill().unwrap();
    killed.child.wait().unwrap();
    other.hear("TAKEN ");
    assert!(other.child.wait().unwrap().success());
    let store = scratch.place.read().unwrap();
    assert_eq!(store.status().unwrap().n_notes, NOTES as u64);
    assert_eq!(store.verify().unwrap(), Vec::<String>::new());
}
