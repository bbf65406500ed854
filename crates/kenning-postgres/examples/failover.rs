//! Ends the primary while it is asked and written to, and tells what became of it:
//! `cargo run --release -p kenning-postgres --example failover -- "$(scripts/postgres url both)"`
//!
//! 32 threads ask, one writes a note after the other. After five seconds the primary is killed, three seconds later
//! the standby is promoted (both by `scripts/postgres`, which must have brought up both). In the end every note
//! whose writing was confirmed must be there.
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kenning::{IndexOptions, Kenning, Mode, Vault, WalkRules};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const ASKERS: usize = 32;
const KILLED_AFTER: Duration = Duration::from_secs(5);
const PROMOTED_AFTER: Duration = Duration::from_secs(8);
const ENDED_AFTER: Duration = Duration::from_secs(25);

/// What was done, when it was over, and what went wrong.
type Done = (f64, Option<String>);

/// What happened so far.
struct Trial<'a> {
    index: &'a Kenning,
    vault: &'a Vault,
    folder: &'a Path,
    started: Instant,
    stop: AtomicBool,
    asked: Mutex<Vec<Done>>,
    written: Mutex<Vec<Done>>,
    /// Notes whose writing was confirmed.
    confirmed: Mutex<Vec<String>>,
}

impl Trial<'_> {
    fn record(&self, list: &Mutex<Vec<Done>>, error: Option<String>) {
        if let Ok(mut list) = list.lock() {
            list.push((self.started.elapsed().as_secs_f64(), error));
        }
    }

    fn ask(&self) {
        while !self.stop.load(Ordering::Relaxed) {
            let answer = self.index.query("red roof").mode(Mode::Hybrid).run();
            let error = match answer {
                Ok(answer) if answer.hits.iter().any(|hit| hit.note.path == "roof.md") => None,
                Ok(_) => Some("half an answer".to_owned()),
                Err(error) => Some(error.to_string()),
            };
            self.record(&self.asked, error);
        }
    }

    fn write(&self) {
        for number in 0.. {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let path = format!("note-{number}.md");
            let text = format!("# Note {number}\n\nWritten as number {number}.\n");
            let put = std::fs::write(self.folder.join(&path), text);
            let stamp = self.vault.find(&path).map(|found| found.stamp);
            let done = self.index.updating(self.vault).run_file(&path, stamp);
            if done.is_ok()
                && put.is_ok()
                && let Ok(mut confirmed) = self.confirmed.lock()
            {
                confirmed.push(path);
            }
            self.record(&self.written, done.err().map(|error| error.to_string()));
        }
    }

    fn run(&self) {
        std::thread::scope(|scope| {
            for _ in 0..ASKERS {
                scope.spawn(|| self.ask());
            }
            scope.spawn(|| self.write());
            at(self.started, KILLED_AFTER, &["kill", "1"]);
            at(self.started, PROMOTED_AFTER, &["promote"]);
            std::thread::sleep(ENDED_AFTER.saturating_sub(self.started.elapsed()));
            self.stop.store(true, Ordering::Relaxed);
        });
    }
}

fn main() -> Outcome<()> {
    let address = std::env::args().nth(1);
    let address = address.ok_or("an address with both hosts is needed")?;
    let place = kenning_postgres::place(&address, "failover")?;
    let folder = tempfile::tempdir()?;
    let text = "# Roof\n\nThe red roof was repaired in March.\n";
    std::fs::write(folder.path().join("roof.md"), text)?;
    let index = Kenning::new(place.clone(), || 0).index_options(IndexOptions {
        n_threads: ASKERS,
        ..IndexOptions::default()
    });
    let vault = Vault::open(folder.path(), WalkRules::default())?;
    index.update(&vault)?;
    let trial = Trial {
        index: &index,
        vault: &vault,
        folder: folder.path(),
        started: Instant::now(),
        stop: AtomicBool::new(false),
        asked: Mutex::default(),
        written: Mutex::default(),
        confirmed: Mutex::default(),
    };
    trial.run();
    tell("questions", &trial.asked);
    tell("notes", &trial.written);
    let store = place.read()?;
    let confirmed = trial.confirmed.into_inner()?;
    let is_lost = |path: &&String| !matches!(store.note_at(path), Ok(Some(_)));
    let n_lost = confirmed.iter().filter(is_lost).count();
    let n = confirmed.len();
    println!(
        "{n} notes confirmed, {n_lost} lost; the index says: {:?}",
        store.verify()?
    );
    Ok(())
}

/// Does something to the servers at a time.
fn at(started: Instant, when: Duration, words: &[&str]) {
    std::thread::sleep(when.saturating_sub(started.elapsed()));
    let done = Command::new("scripts/postgres").args(words).status();
    println!(
        "{:5.1} s: {} ({})",
        started.elapsed().as_secs_f64(),
        words.join(" "),
        done.is_ok_and(|done| done.success())
    );
}

fn tell(what: &str, list: &Mutex<Vec<Done>>) {
    let Ok(list) = list.lock() else {
        return;
    };
    let failed: Vec<&Done> = list.iter().filter(|(_, error)| error.is_some()).collect();
    let good: Vec<f64> = list
        .iter()
        .filter(|(_, error)| error.is_none())
        .map(|(at, _)| *at)
        .collect();
    let killed = KILLED_AFTER.as_secs_f64();
    let back = good
        .iter()
        .find(|at| **at > killed + 0.05)
        .copied()
        .unwrap_or(f64::NAN);
    let mut times = good.clone();
    times.sort_by(f64::total_cmp);
    let gap = times
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .fold(0.0, f64::max);
    println!(
        "{what}: {} good, {} failed; first good one {:.2} s after the kill; longest time without one {gap:.2} s",
        good.len(),
        failed.len(),
        back - killed
    );
    let mut said: Vec<&str> = failed
        .iter()
        .filter_map(|(_, error)| error.as_deref())
        .collect();
    said.sort_unstable();
    said.dedup();
    said.iter()
        .take(5)
        .for_each(|said| println!("  said: {said}"));
}
