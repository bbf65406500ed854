//! Keeps an index of Kenning in PostgreSQL 15 or later with pgvector, for those whose notes or readers outgrow one
//! machine. It implements the seam of the engine's store, so that ranking, and with it the hits, are the same.
//!
//! Any number of processes may ask it, without state of their own: what they keep in memory belongs to one version of
//! the index, which every transaction moves. Candidates come from the database: postings of the question's words and
//! the nearest vectors. Each domain has a schema of its own; what a role may not use, it cannot read.

mod address;
mod connection;
mod error;
mod rows;
mod schema;
mod session;
mod snapshot;
mod store;
mod tls;
mod vectors;
mod words;
mod write;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kenning::error::{Error, Result};
use kenning::store::{Backend, IndexVersion, Place, Store, StoreWriter, Watch};

pub use address::Address;
use session::Server;
use store::PgStore;
use write::PgWriter;

/// Whether the name of a store is an address of this kind.
pub fn is_address(store: &str) -> bool {
    store.starts_with("postgres://") || store.starts_with("postgresql://")
}

/// Returns the place of a domain's index on a server.
///
/// # Errors
///
/// If the address cannot be understood. It is not asked yet.
pub fn place(address: &str, domain: &str) -> Result<Place> {
    let address = Address::parse(address, domain)?;
    Ok(Place::new(Cluster(Arc::new(Server::new(address)?))))
}

/// The index of a domain on one server, or on several that copy each other.
struct Cluster(Arc<Server>);

impl Backend for Cluster {
    fn name(&self) -> &Path {
        self.0.name()
    }

    fn read(&self) -> Result<Store> {
        PgStore::open(&self.0).map(Store::new)
    }

    fn write(&self, patience: Duration) -> Result<StoreWriter> {
        PgWriter::open(&self.0, patience).map(StoreWriter::new)
    }

    fn discard_outdated(&self, patience: Duration) -> Result<()> {
        schema::discard(&self.0, patience)
    }

    fn watch(&self) -> Result<Box<dyn Watch>> {
        Ok(Box::new(Versions(Arc::clone(&self.0))))
    }

    fn exists(&self) -> bool {
        // Whoever asks whether to write something down is not told of a server that is away.
        !matches!(PgStore::open(&self.0), Err(Error::StoreMissing { .. }))
    }
}

/// Asks for the version of an index.
struct Versions(Arc<Server>);

impl Watch for Versions {
    fn now(&mut self) -> Result<IndexVersion> {
        let mut session = self.0.reader()?;
        let version = session.version().map_err(|error| self.0.sorted(error));
        if let Ok(version) = version {
            self.0.give_back(session);
            return Ok(IndexVersion::of(version.index, version.n_commits));
        }
        // The server may just have gone, and another one taken its place.
        let mut session = self.0.another_reader()?;
        let version = session.version().map_err(|error| self.0.sorted(error))?;
        self.0.give_back(session);
        Ok(IndexVersion::of(version.index, version.n_commits))
    }
}
