//! The searchers of all domains that a client may ask. What is not among them does not exist for it.

use std::sync::Arc;

use anyhow::Result;

use super::Searcher;
use crate::args::Place;
use crate::hint::Hinted;
use crate::runtime::Model;
use crate::settings::{Located, Settings};

/// Searchers by domain; the first one is asked where none is named.
#[derive(Clone)]
pub(crate) struct Searchers(Vec<Arc<Searcher>>);

impl Searchers {
    /// Opens the searchers of a place: the domains named, a vault, or every domain of the settings.
    pub(crate) fn open(settings: &Settings, place: &Place) -> Result<Self> {
        Self::at(settings, settings.locate_all(place)?)
    }

    /// Opens searchers, each with the model of its domain; those of one model share it.
    pub(crate) fn at(settings: &Settings, places: Vec<Located>) -> Result<Self> {
        let mut searchers: Vec<Arc<Searcher>> = Vec::new();
        for located in places {
            let same = searchers.iter().find(|searcher| {
                let readers = [&searcher.located, &located].map(|place| {
                    let reranker = place.reranker.as_ref();
                    reranker.map(|reranker| reranker.model.as_str())
                });
                searcher.located.model == located.model
                    && located.model_dimensions.is_none()
                    && readers[0] == readers[1]
            });
            let model = match same {
                Some(searcher) => Arc::clone(&searcher.model),
                None => Arc::new(Model::asked(&located)?),
            };
            let searcher = Searcher::new(settings, located, model);
            searcher.mending.allow();
            searchers.push(Arc::new(searcher));
        }
        Ok(Self(searchers))
    }

    /// Returns the settings, which are the same for all.
    pub(crate) fn settings(&self) -> Option<&Settings> {
        self.0.first().map(|searcher| searcher.settings())
    }

    /// Returns every searcher.
    pub(crate) fn all(&self) -> &[Arc<Searcher>] {
        &self.0
    }

    /// Returns the searcher of a domain, or the first one.
    pub(crate) fn get(&self, name: Option<&str>) -> Result<&Arc<Searcher>> {
        let found = match name {
            None => self.0.first(),
            Some(name) => self.0.iter().find(|searcher| searcher.name() == name),
        };
        found.ok_or_else(|| {
            let known: Vec<&str> = self.0.iter().map(|searcher| searcher.name()).collect();
            Hinted::error(
                format!("there is no domain {:?}", name.unwrap_or_default()),
                format!("known domains: {}", known.join(", ")),
            )
        })
    }

    /// Asks each searcher in turn until one knows the note.
    pub(crate) fn any<T>(&self, ask: impl Fn(&Searcher) -> Result<T>) -> Result<T> {
        let mut unknown = None;
        for searcher in &self.0 {
            match ask(searcher) {
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

    /// Returns the same searchers without all but some.
    pub(crate) fn only(&self, names: &[String]) -> Self {
        let is_named = |searcher: &&Arc<Searcher>| names.iter().any(|name| name == searcher.name());
        Self(self.0.iter().filter(is_named).cloned().collect())
    }

    /// Returns no searchers at all.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }
}

fn is_not_found(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(kenning::Error::NotFound { .. }))
}
