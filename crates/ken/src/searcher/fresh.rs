//! Keeps an index up to date for those who ask: looks for changes, updates in the background, waits a little.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use kenning::Error;
use kenning::index::{self, Freshness, Progress, Stage, freshness};
use kenning::store::Store;
use kenning::vault::Vault;

use super::{Searcher, caveats, locked};
use crate::hint;
use crate::runtime::{self, How};
use crate::settings::Located;

/// Compares an index with its vault, thoroughly or as cheaply as the size of the vault demands.
pub(crate) fn look(
    located: &Located,
    folder: &Path,
    store: &Store,
    is_thorough: bool,
) -> Result<Freshness> {
    let vault = Vault::open(folder, located.rules.clone())?;
    // The default model costs nothing to name; another one is compared when it is used.
    if located.model == "default" {
        let model = kenning::embed::Embedder::id(kenning::embed::embedded());
        if (store.meta()?.model.as_ref()).is_some_and(|stored| stored != model) {
            return Ok(Freshness::Stale);
        }
    }
    let turn = match !is_thorough && index::is_sampled(store)? {
        true => runtime::turn(&located.store),
        false => 0,
    };
    Ok(freshness(store, &vault, is_thorough, turn)?)
}

impl Searcher {
    /// Brings the index up to date if the vault has changed, but waits no longer than `patience`.
    /// What is not done by then goes on in the background; the notices say so.
    pub(crate) fn refresh(&self, patience: Duration) -> Vec<String> {
        let mut notices = self.refreshed(patience);
        let told = self.with_store(|store| Ok(caveats::of(&self.located, store)?));
        notices.extend(told.unwrap_or_default());
        notices
    }

    fn refreshed(&self, patience: Duration) -> Vec<String> {
        let Some(folder) = self.vault() else {
            return Vec::new();
        };
        // While it is being updated there is no need to look.
        let is_stale = match self.is_updating() {
            true => Ok(true),
            false => self.is_stale(folder),
        };
        match is_stale {
            Ok(false) => Vec::new(),
            Ok(true) => {
                self.updates.begin(&self.located);
                self.updates.wait(patience)
            }
            // The index itself has been told, and tells.
            Err(error) if matches!(error.downcast_ref(), Some(Error::VaultMissing { .. })) => {
                self.updates.begin(&self.located);
                self.updates.wait(patience);
                Vec::new()
            }
            Err(error) => vec![format!(
                "the notes could not be looked at for changes: {error}"
            )],
        }
    }

    /// Whether the index is being brought up to date right now.
    pub(crate) fn is_updating(&self) -> bool {
        locked(&self.updates.0.state).started.is_some()
    }

    fn is_stale(&self, folder: &Path) -> Result<bool> {
        let looked = self
            .with_store(|store| look(&self.located, folder, store, false))
            .map(|found| found == Freshness::Stale);
        match looked {
            Err(error) if error.downcast_ref().is_some_and(runtime::is_to_be_made) => Ok(true),
            other => other,
        }
    }
}

/// The update that is under way, for everybody who waits for it.
#[derive(Default)]
pub(super) struct Updates(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    started: Option<Instant>,
    progress: Option<Progress>,
    /// What went wrong the last time.
    trouble: Option<String>,
}

impl Updates {
    /// Starts an update unless one is under way.
    fn begin(&self, located: &Located) {
        let mut state = locked(&self.0.state);
        if state.started.is_some() {
            return;
        }
        *state = State {
            started: Some(Instant::now()),
            ..State::default()
        };
        drop(state);
        let located = located.clone();
        let mut ending = Ending {
            shared: Arc::clone(&self.0),
            trouble: Some("bringing the index up to date broke off".to_owned()),
        };
        thread::spawn(move || {
            let shared = Arc::clone(&ending.shared);
            let updated = runtime::reload(&located, How::default(), &|progress| {
                locked(&shared.state).progress = Some(progress);
            });
            ending.set(updated.err().map(|error| told(&error)));
        });
    }

    /// Waits until the update has ended or has lasted for `patience`.
    fn wait(&self, patience: Duration) -> Vec<String> {
        let mut state = locked(&self.0.state);
        while let Some(started) = state.started {
            let left = patience.saturating_sub(started.elapsed());
            if left.is_zero() {
                return vec![under_way(state.progress)];
            }
            let waited = self.0.ended.wait_timeout(state, left);
            state = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
        state.trouble.iter().cloned().collect()
    }
}

/// Tells those who wait that it is over, even if it ended in a panic.
struct Ending {
    shared: Arc<Shared>,
    trouble: Option<String>,
}

impl Ending {
    fn set(&mut self, trouble: Option<String>) {
        self.trouble = trouble;
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        let mut state = locked(&self.shared.state);
        state.started = None;
        state.trouble = self.trouble.take();
        self.shared.ended.notify_all();
    }
}

fn told(error: &anyhow::Error) -> String {
    match error.downcast_ref() {
        Some(Error::StoreBusy { .. }) => {
            "another process is indexing; these are the notes it has finished".to_owned()
        }
        _ => format!(
            "the index could not be brought up to date: {}",
            hint::told(error)
        ),
    }
}

fn under_way(progress: Option<Progress>) -> String {
    let done = match progress {
        Some(Progress {
            stage: Stage::Vectors,
            n_done,
            n_total,
            ..
        }) => return format!("notes have changed; {n_done} of {n_total} vectors of them are made"),
        Some(progress) => {
            let (n_done, n_total) = (progress.n_done, progress.n_total);
            format!(" ({n_done} of {n_total} notes looked at)")
        }
        None => String::new(),
    };
    format!("notes have changed and are being indexed{done}; this is from the index as it was")
}
