//! The desks of all domains that a client may ask. What is not among them does not exist for it.

use std::sync::Arc;

use anyhow::Result;

use super::Desk;
use crate::args::Place;
use crate::cmd::open::Model;
use crate::hint::Hinted;
use crate::settings::{Located, Settings};

/// Desks by domain; the first one is asked where none is named.
#[derive(Clone)]
pub(crate) struct Desks(Vec<Arc<Desk>>);

impl Desks {
    /// Opens the desks of a place: the domains named, a vault, or every domain of the settings.
    pub(crate) fn open(settings: &Settings, place: &Place) -> Result<Self> {
        Self::at(settings, settings.locate_all(place)?)
    }

    /// Opens desks, each with the model of its domain; those of one model share it.
    pub(crate) fn at(settings: &Settings, places: Vec<Located>) -> Result<Self> {
        let mut desks: Vec<Arc<Desk>> = Vec::new();
        for located in places {
            let same = desks.iter().find(|desk| {
                desk.located.model == located.model && located.model_dimensions.is_none()
            });
            let model = match same {
                Some(desk) => Arc::clone(&desk.model),
                None => Arc::new(Model::asked(&located)?),
            };
            let desk = Desk::new(settings, located, model);
            desk.mending.allow();
            desks.push(Arc::new(desk));
        }
        Ok(Self(desks))
    }

    /// Returns the settings, which are the same for all.
    pub(crate) fn settings(&self) -> Option<&Settings> {
        self.0.first().map(|desk| desk.settings())
    }

    /// Returns every desk.
    pub(crate) fn all(&self) -> &[Arc<Desk>] {
        &self.0
    }

    /// Returns the desk of a domain, or the first one.
    pub(crate) fn get(&self, name: Option<&str>) -> Result<&Arc<Desk>> {
        let found = match name {
            None => self.0.first(),
            Some(name) => self.0.iter().find(|desk| desk.name() == name),
        };
        found.ok_or_else(|| {
            let known: Vec<&str> = self.0.iter().map(|desk| desk.name()).collect();
            Hinted::error(
                format!("there is no domain {:?}", name.unwrap_or_default()),
                format!("known domains: {}", known.join(", ")),
            )
        })
    }

    /// Asks each desk in turn until one knows the note.
    pub(crate) fn any<T>(&self, ask: impl Fn(&Desk) -> Result<T>) -> Result<T> {
        let mut unknown = None;
        for desk in &self.0 {
            match ask(desk) {
                Err(error) if is_not_found(&error) => {
                    unknown.get_or_insert(error);
                }
                answer => return answer,
            }
        }
        match unknown {
            Some(error) => Err(error),
            None => ask(self.get(None)?),
        }
    }

    /// Returns the same desks without all but some.
    pub(crate) fn only(&self, names: &[String]) -> Self {
        let is_named = |desk: &&Arc<Desk>| names.iter().any(|name| name == desk.name());
        Self(self.0.iter().filter(is_named).cloned().collect())
    }

    /// Returns no desks at all.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }
}

fn is_not_found(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(kenning::Error::NotFound { .. }))
}
