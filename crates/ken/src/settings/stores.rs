//! Which server keeps the index of a domain, if any does.

use anyhow::Result;

use super::Settings;
use super::domain::DomainSettings;
use super::suggest::nearest;
use crate::args::Place;
use crate::hint::Hinted;
use crate::remote::{Address, Remote};

impl Place {
    /// The index file that was named, unless it was a server.
    pub(super) fn store_file(&self) -> Option<&std::path::PathBuf> {
        let store = self.store.as_ref();
        store.filter(|store| Address::of(store).is_none())
    }

    /// The server that was named.
    pub(super) fn store_address(&self) -> Option<Address> {
        Address::of(self.store.as_ref()?)
    }
}

impl Settings {
    /// Returns the index of a domain on a server: the one that was typed, the one that the domain names, or the one
    /// that keeps all that name none. A domain only names servers: addresses stand in the person's own settings, since
    /// a vault may be anybody's.
    pub(super) fn remote(
        &self,
        name: &str,
        place: &Place,
        domain: Option<&DomainSettings>,
    ) -> Result<Option<Remote>> {
        if let Some(address) = place.store_address() {
            return Remote::new(&address, name).map(Some);
        }
        if place.store.is_some() {
            return Ok(None);
        }
        let own = domain.and_then(|domain| domain.store.as_ref());
        match own
            .or(self.store.as_ref())
            .filter(|store| !store.is_empty())
        {
            Some(store) => Remote::new(self.address(store)?, name).map(Some),
            None => Ok(None),
        }
    }

    fn address(&self, store: &str) -> Result<&Address> {
        self.stores.get(store).ok_or_else(|| {
            let known = self.stores.keys().map(String::as_str);
            let hint = match nearest(store, known) {
                Some(meant) => format!("did you mean {meant}?"),
                None => format!("name its address in {} under [stores]", self.file.display()),
            };
            // What was written may be an address, and that a secret.
            let shown = if store.contains("://") {
                "an address"
            } else {
                store
            };
            Hinted::error(format!("there is no store {shown:?} in the settings"), hint)
        })
    }

    /// Looks whether what is named is there, and is an address.
    pub(super) fn check_stores(&self) -> Result<()> {
        for (name, address) in &self.stores {
            if !address.is_one() {
                return Err(Hinted::error(
                    format!("the store {name:?} is no address"),
                    "write it as postgres://USER@HOST/DATABASE",
                ));
            }
        }
        match self.store.as_deref().filter(|store| !store.is_empty()) {
            Some(store) => self.address(store).map(drop),
            None => Ok(()),
        }
    }
}
