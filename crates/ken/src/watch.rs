//! Keeps indexes up to date while notes change: bursts of changes are taken together, and a sweep
//! now and then heals what the system did not tell.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Result;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::runtime::How;
use crate::searcher::{Searcher, Searchers, Updated};

/// When to look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rhythm {
    /// How long nothing must change before the index is updated.
    pub(crate) quiet: Duration,
    /// How long to wait at most while things keep changing.
    pub(crate) patience: Duration,
    /// How often to look without having been told of a change.
    pub(crate) sweep: Duration,
}

impl Default for Rhythm {
    fn default() -> Self {
        Self {
            quiet: Duration::from_millis(300),
            patience: Duration::from_secs(3),
            sweep: Duration::from_secs(300),
        }
    }
}

/// What woke the watcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// It has just begun.
    Start,
    /// Files changed.
    Change,
    /// It was time to look.
    Sweep,
}

/// Told after each update: what woke it, and what it did.
pub(crate) type Tell = dyn Fn(&Searcher, Cause, Result<Updated>) + Send + Sync;

/// Watchers of some domains; they end when this is dropped.
pub(crate) struct Watching {
    parts: Vec<(Sender<Signal>, Option<RecommendedWatcher>, JoinHandle<()>)>,
    /// Domains whose changes the system cannot tell, and why; these are only swept.
    pub(crate) unwatched: Vec<String>,
}

enum Signal {
    Changed,
    Stop,
}

/// Watches the vault of each searcher.
pub(crate) fn start(searchers: &Searchers, rhythm: Rhythm, tell: &Arc<Tell>) -> Watching {
    let mut watching = Watching {
        parts: Vec::new(),
        unwatched: Vec::new(),
    };
    for searcher in searchers.all() {
        let Some(vault) = searcher.vault() else {
            continue;
        };
        let (sender, receiver) = channel();
        let also = searcher.inbox().filter(|inbox| !inbox.starts_with(vault));
        let watcher = match watch(vault, also.as_deref(), sender.clone()) {
            Ok(watcher) => Some(watcher),
            Err(error) => {
                watching
                    .unwatched
                    .push(format!("{}: {error}", searcher.name()));
                None
            }
        };
        let (searcher, tell) = (Arc::clone(searcher), Arc::clone(tell));
        let thread = thread::spawn(move || run(&searcher, &receiver, rhythm, &*tell));
        watching.parts.push((sender, watcher, thread));
    }
    watching
}

fn watch(
    vault: &Path,
    also: Option<&Path>,
    sender: Sender<Signal>,
) -> notify::Result<RecommendedWatcher> {
    let mut roots = vec![vault.to_owned()];
    roots.extend(also.map(Path::to_owned));
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        // An error may hide a change: better to look once too often.
        if event.map_or(true, |event| may_matter(&roots, &event)) {
            let _ = sender.send(Signal::Changed);
        }
    })?;
    watcher.watch(vault, RecursiveMode::Recursive)?;
    if let Some(also) = also {
        watcher.watch(also, RecursiveMode::Recursive)?;
    }
    Ok(watcher)
}

/// Whether an event may concern a note: reading does not, and neither do folders such as `.git`,
/// where tools keep their own books.
fn may_matter(roots: &[PathBuf], event: &Event) -> bool {
    let is_hidden = |path: &Path| {
        let below = roots.iter().find_map(|root| path.strip_prefix(root).ok());
        let below = below.unwrap_or(path);
        below
            .components()
            .any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
    };
    let is_access = matches!(event.kind, EventKind::Access(_));
    !is_access && (event.paths.is_empty() || !event.paths.iter().all(|path| is_hidden(path)))
}

fn run(searcher: &Searcher, signals: &Receiver<Signal>, rhythm: Rhythm, tell: &Tell) {
    let mut cause = Cause::Start;
    let mut said = Vec::new();
    loop {
        let mut report = searcher.reload(How::default(), &|_| {});
        if let Ok(report) = &mut report {
            // What has been said is not said again at every look.
            let now = report.notices.clone();
            report.notices.retain(|notice| !said.contains(notice));
            said = now;
        }
        tell(searcher, cause, report);
        cause = match signals.recv_timeout(rhythm.sweep) {
            Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => Cause::Sweep,
            Ok(Signal::Changed) if has_settled(signals, rhythm) => Cause::Change,
            Ok(Signal::Changed) => return,
        };
    }
}

/// Waits until a burst of changes is over; tells whether to go on at all.
fn has_settled(signals: &Receiver<Signal>, rhythm: Rhythm) -> bool {
    let started = Instant::now();
    while started.elapsed() < rhythm.patience {
        match signals.recv_timeout(rhythm.quiet) {
            Ok(Signal::Changed) => {}
            Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => return true,
        }
    }
    true
}

impl Watching {
    /// Waits for the watchers, which end only when they are stopped.
    pub(crate) fn wait(mut self) {
        for (_, _, thread) in self.parts.drain(..) {
            // A watcher that panicked has said so on standard error.
            let _ = thread.join();
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        for (sender, watcher, thread) in self.parts.drain(..) {
            drop(watcher);
            let _ = sender.send(Signal::Stop);
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{AccessKind, CreateKind, ModifyKind};

    fn check(kind: EventKind, paths: &[&str]) -> bool {
        let root = Path::new("/vault");
        let event = paths.iter().fold(Event::new(kind), |event, path| {
            event.add_path(root.join(path))
        });
        may_matter(&[root.to_owned()], &event)
    }

    #[test]
    fn only_what_may_concern_a_note_wakes() {
        let modify = EventKind::Modify(ModifyKind::Any);
        assert!(check(modify, &["a.md"]));
        assert!(check(modify, &[".obsidian/workspace.json", "a.md"]));
        assert!(!check(modify, &[".obsidian/workspace.json"]));
        assert!(!check(
            EventKind::Create(CreateKind::File),
            &[".git/objects/ab/cd"]
        ));
        assert!(!check(EventKind::Access(AccessKind::Any), &["a.md"]));
        // The system lost count: everything may have changed.
        assert!(check(EventKind::Other, &[]));
    }

    #[test]
    fn a_burst_is_one_update() {
        let (sender, receiver) = channel();
        let rhythm = Rhythm {
            quiet: Duration::from_millis(20),
            ..Rhythm::default()
        };
        for _ in 0..100 {
            sender.send(Signal::Changed).unwrap();
        }
        assert!(has_settled(&receiver, rhythm));
        assert!(receiver.try_recv().is_err(), "nothing of the burst is left");
        sender.send(Signal::Stop).unwrap();
        assert!(!has_settled(&receiver, rhythm));
    }
}
