//! Snapshots of one index that are kept open between questions, as long as they are the newest.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};
use crate::store::{IndexVersion, Place, Store, Watch};

/// Snapshots of an index, for whoever asks next.
pub(super) struct Snapshots {
    place: Place,
    /// The vault that the index must be of.
    vault: Option<String>,
    n_kept: usize,
    asked: Mutex<Asked>,
    idle: Mutex<Vec<(Version, Store)>>,
}

/// Which state of the index a snapshot is of. Connections count on their own, so it also says since which
/// [`Snapshots::close`] it was asked.
type Version = (u64, IndexVersion);

/// Whom versions are asked from.
#[derive(Default)]
struct Asked {
    n_closed: u64,
    watch: Option<Box<dyn Watch>>,
}

impl Snapshots {
    pub(super) fn new(place: Place, n_kept: usize) -> Self {
        Self {
            place,
            vault: None,
            n_kept,
            asked: Mutex::default(),
            idle: Mutex::default(),
        }
    }

    pub(super) fn keep(&mut self, n_kept: usize) {
        self.n_kept = n_kept;
    }

    pub(super) fn demand_vault(&mut self, name: String) {
        self.vault = Some(name);
        // What was opened before may be of any vault.
        self.close();
    }

    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// Lends one that is as new as the file, where that can be told.
    pub(super) fn lend<T, E: From<Error>>(
        &self,
        run: impl FnOnce(&Store) -> Result<T, E>,
    ) -> Result<T, E> {
        let (version, store) = self.take()?;
        let result = run(&store);
        store.rest();
        let mut idle = locked(&self.idle);
        if idle.len() < self.n_kept {
            idle.push((version, store));
        }
        result
    }

    /// Closes all of them.
    pub(super) fn close(&self) {
        let mut asked = locked(&self.asked);
        asked.n_closed += 1;
        asked.watch = None;
        drop(asked);
        locked(&self.idle).clear();
    }

    fn take(&self) -> Result<(Version, Store)> {
        let version = self.version();
        let mut idle = locked(&self.idle);
        let known = match &version {
            Ok(version) => idle.iter().position(|(seen, _)| seen == version),
            // What is left in memory of a damaged file is soon not enough.
            Err(Error::StoreCorrupt { .. } | Error::StoreForeign { .. }) => None,
            Err(_) => idle.len().checked_sub(1),
        };
        if let Some(known) = known {
            return Ok(idle.swap_remove(known));
        }
        let version = version?;
        match self.open() {
            Ok(store) => {
                idle.retain(|(seen, _)| *seen == version);
                Ok((version, store))
            }
            Err(error) => idle.pop().ok_or(error),
        }
    }

    fn open(&self) -> Result<Store> {
        match &self.vault {
            Some(vault) => self.place.read_of(vault),
            None => self.place.read(),
        }
    }

    fn version(&self) -> Result<Version> {
        let Asked { n_closed, watch } = &mut *locked(&self.asked);
        let version = match watch {
            Some(watch) => watch.now(),
            None => watch.insert(self.place.watch()?).now(),
        };
        Ok((*n_closed, version?))
    }
}

/// A panic elsewhere does not spoil what is behind the lock: it is whole between two statements.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
