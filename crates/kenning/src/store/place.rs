//! Where an index is kept, and how it is opened there: a file, or what another crate brings.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::file::{self, version::VersionWatch};
use super::{IndexVersion, Store, StoreWriter};
use crate::error::Result;

/// Where an index is kept. Cheap to clone.
#[derive(Clone)]
pub struct Place(Arc<dyn Backend>);

/// Opens the index of one place.
pub trait Backend: Send + Sync {
    /// What messages call the place: a path, or an address without its password.
    fn name(&self) -> &Path;

    /// Opens a snapshot.
    fn read(&self) -> Result<Store>;

    /// Opens the index for writing, or makes a new one; waits for up to `patience` for whoever is in the way.
    fn write(&self, patience: Duration) -> Result<StoreWriter>;

    /// Removes an index of another schema version, so that [`Backend::write`] makes a new one.
    fn discard_outdated(&self, patience: Duration) -> Result<()>;

    /// Returns what tells whether anything was committed.
    fn watch(&self) -> Result<Box<dyn Watch>>;

    /// Whether there is an index.
    fn exists(&self) -> bool;

    /// Is told that nobody of this process reads the index at the moment: what could not be tidied up meanwhile can be now.
    fn settle(&self) {}

    /// The file that it is, where it is one: damage is a matter of files.
    fn file(&self) -> Option<&Path> {
        None
    }
}

/// Tells whether an index changed since it was last looked at, for those who keep one open.
pub trait Watch: Send {
    /// Returns the version the index has now.
    fn now(&mut self) -> Result<IndexVersion>;
}

impl Place {
    /// Wraps a place of any kind.
    pub fn new(backend: impl Backend + 'static) -> Self {
        Self(Arc::new(backend))
    }

    /// Opens the index, but only if it was made from the vault that is called so (see `vault::name_of`).
    pub fn read_of(&self, vault: &str) -> Result<Store> {
        self.read()?.of_vault(self.name(), vault)
    }
}

impl std::ops::Deref for Place {
    type Target = dyn Backend;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl From<PathBuf> for Place {
    fn from(path: PathBuf) -> Self {
        Self::new(IndexFile(path))
    }
}

impl From<&Path> for Place {
    fn from(path: &Path) -> Self {
        path.to_owned().into()
    }
}

impl From<&PathBuf> for Place {
    fn from(path: &PathBuf) -> Self {
        path.clone().into()
    }
}

/// An index in a file of its own.
struct IndexFile(PathBuf);

impl Backend for IndexFile {
    fn name(&self) -> &Path {
        &self.0
    }

    fn read(&self) -> Result<Store> {
        Store::open(&self.0)
    }

    fn write(&self, patience: Duration) -> Result<StoreWriter> {
        StoreWriter::open(&self.0, patience)
    }

    fn discard_outdated(&self, patience: Duration) -> Result<()> {
        StoreWriter::discard_outdated(&self.0, patience)
    }

    fn watch(&self) -> Result<Box<dyn Watch>> {
        Ok(Box::new(VersionWatch::open(&self.0)?))
    }

    fn exists(&self) -> bool {
        self.0.exists()
    }

    fn settle(&self) {
        file::copy_log(&self.0);
    }

    fn file(&self) -> Option<&Path> {
        Some(&self.0)
    }
}
