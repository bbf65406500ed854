//! The models that may answer, by the names of their providers. Each is opened once: it keeps nothing of what
//! it is asked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;

use crate::hint::Hinted;
use crate::llm::{self, ChatModel};
use crate::settings::Settings;

/// Opens models when they are first asked.
pub(crate) struct Models {
    settings: Settings,
    open: Mutex<BTreeMap<String, Arc<dyn ChatModel>>>,
}

impl Models {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            open: Mutex::default(),
        }
    }

    /// Returns the names by which models can be asked for, the one that answers by itself first.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut providers = self.settings.providers();
        providers.retain(|provider| !provider.model.is_empty());
        let answering = self.settings.answering().ok().flatten();
        let is_first = |name: &str| answering.as_ref().is_some_and(|own| own.name == name);
        providers.sort_by_key(|provider| !is_first(&provider.name));
        let ids = providers.iter();
        ids.map(|provider| format!("{}/{}", provider.name, provider.model))
            .collect()
    }

    /// Returns the model that answers where none is named; `None` if there is none.
    pub(crate) fn answering(&self) -> Result<Option<Arc<dyn ChatModel>>> {
        match self.settings.answering()? {
            Some(provider) => self.of(&provider.name).map(Some),
            None => Ok(None),
        }
    }

    /// Returns a model by the name of its provider, or by that and its own.
    pub(crate) fn named(&self, name: &str) -> Result<Arc<dyn ChatModel>> {
        let ids = self.names();
        let provider = |id: &&String| *id == name || id.split('/').next() == Some(name);
        match ids.iter().find(provider) {
            Some(id) => self.of(id.split('/').next().unwrap_or(id)),
            None => Err(Hinted::error(
                format!("there is no model {name:?}"),
                match ids.is_empty() {
                    true => "none is configured; see `ken doctor`".to_owned(),
                    false => format!("known models: {}", ids.join(", ")),
                },
            )),
        }
    }

    fn of(&self, provider: &str) -> Result<Arc<dyn ChatModel>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = open.get(provider) {
            return Ok(Arc::clone(model));
        }
        let model = llm::open(self.settings.provider(provider)?)?;
        open.insert(provider.to_owned(), Arc::clone(&model));
        Ok(model)
    }
}
