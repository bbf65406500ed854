//! Indexes that a server keeps: their addresses, which may hold a password and are never shown, and their places.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use kenning::store::Place;
use serde::Deserialize;

/// The address of a server. Whoever prints it sees nothing of it.
#[derive(Clone, Deserialize, PartialEq, Eq)]
#[serde(transparent)]
pub(crate) struct Address(String);

impl Address {
    /// Returns what was given for a store as an address, if it is one and not a file.
    pub(crate) fn of(store: &Path) -> Option<Self> {
        let store = store.to_str()?;
        let is_one = store.starts_with("postgres://") || store.starts_with("postgresql://");
        is_one.then(|| Self(store.to_owned()))
    }

    /// Returns it as what is given for a store.
    pub(crate) fn into_store(self) -> PathBuf {
        self.0.into()
    }

    /// Whether it is an address at all.
    pub(crate) fn is_one(&self) -> bool {
        Self::of(Path::new(&self.0)).is_some()
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Address(…)")
    }
}

/// The index of a domain on a server.
#[derive(Clone)]
pub(crate) struct Remote(Place);

impl Remote {
    /// Names the index of a domain on a server, without asking it.
    #[cfg(feature = "postgres")]
    pub(crate) fn new(address: &Address, domain: &str) -> Result<Self> {
        Ok(Self(kenning_postgres::place(&address.0, domain)?))
    }

    /// Says that this program has nothing to ask a server with.
    #[cfg(not(feature = "postgres"))]
    pub(crate) fn new(_: &Address, _: &str) -> Result<Self> {
        Err(crate::hint::Hinted::error(
            "this ken was built without PostgreSQL",
            "build it with `cargo install --path crates/ken --locked --features postgres`",
        ))
    }

    /// Returns where the index is kept.
    pub(crate) fn place(&self) -> &Place {
        &self.0
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0.name().display())
    }
}
