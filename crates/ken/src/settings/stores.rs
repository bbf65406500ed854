//! Which server keeps the index of a domain, if any does.

use std::path::{Path, PathBuf, is_separator};

use anyhow::Result;
use kenning::store as index;

use super::Settings;
use super::domain::DomainSettings;
use super::suggest::nearest;
use crate::args::Place;
use crate::hint::Hinted;
use crate::remote::{self, Address, Remote};

/// What the index file in the data directory is called.
const DEFAULT: &str = "default";

impl Settings {
    /// The index file that was named, unless it was a server.
    pub(super) fn store_file<'a>(&self, place: &'a Place) -> Option<&'a PathBuf> {
        let store = place.store.as_ref();
        store.filter(|store| self.server_called(store).is_none())
    }

    /// The server that was named, by its address or as the settings call it.
    pub(super) fn store_address(&self, place: &Place) -> Option<Address> {
        self.server_called(place.store.as_ref()?)
    }

    fn server_called(&self, store: &Path) -> Option<Address> {
        let known = store.to_str().and_then(|name| self.stores.get(name));
        known.cloned().or_else(|| Address::of(store))
    }

    /// Looks whether what was given for a store can be one: a slip in an address or in the name of a server is no file
    /// that is to be made.
    pub(super) fn check_named(&self, store: &Path) -> Result<()> {
        if self.server_called(store).is_some() {
            return Ok(());
        }
        remote::check_no_address(store)?;
        let shown = store.display();
        // What ends with a slash is meant to be a folder, whether it is there or not.
        let is_folder = store.is_dir() || store.to_string_lossy().ends_with(is_separator);
        if is_folder {
            let example = store.join("notes.db");
            return Err(Hinted::error(
                format!("{shown} is a folder, and an index is a file"),
                format!("name a file in it, such as {}", example.display()),
            ));
        }
        let names = self.stores.keys().map(String::as_str).chain([DEFAULT]);
        match nearest(&store.to_string_lossy(), names) {
            Some(meant) if !store.exists() => Err(Hinted::error(
                format!("there is no store {:?}", shown.to_string()),
                format!("did you mean {meant}? A file of that name is written as ./{shown}"),
            )),
            _ => Ok(()),
        }
    }

    /// Returns the index of a domain on a server: the one that was typed, the one that the domain names, or the one
    /// that keeps all that name none. A domain only names servers: addresses stand in the person's own settings, since
    /// a vault may be anybody's.
    pub(super) fn remote(
        &self,
        name: &str,
        place: &Place,
        domain: Option<&DomainSettings>,
    ) -> Result<Option<Remote>> {
        if let Some(address) = self.store_address(place) {
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

    /// Returns where an index is that was named: `default` is the file that is kept of what is meant; otherwise it is a
    /// server of the settings or its address, or a file.
    pub(crate) fn store_named(&self, name: &Path, place: &Place) -> Result<index::Place> {
        let located = |store: Option<PathBuf>| {
            self.locate(&Place {
                store,
                ..place.clone()
            })
        };
        if name == Path::new(DEFAULT) {
            return Ok(located(None)?.store.into());
        }
        self.check_named(name)?;
        match self.server_called(name) {
            Some(address) => Ok(located(Some(address.into_store()))?.place()),
            None => Ok(name.into()),
        }
    }

    /// Returns a domain on the server that was named, if one was, for what nobody should mix up with notes.
    pub(crate) fn scratch_store(
        &self,
        place: &Place,
        domain: &str,
    ) -> Result<Option<index::Place>> {
        if let Some(store) = &place.store {
            self.check_named(store)?;
        }
        let address = self.store_address(place);
        let remote = address.map(|address| Remote::new(&address, domain));
        Ok(remote.transpose()?.map(|remote| remote.place().clone()))
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
