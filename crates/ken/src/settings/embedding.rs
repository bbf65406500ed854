//! Embedding models that a provider runs, by the names that `model` and the `embedding` of a domain may
//! use. A vault may use such a name; what stands behind it is the user's alone to say.

use anyhow::Result;
use kenning::embed::family;
use serde::Deserialize;

use super::{Provider, Settings};

/// `[embeddings.NAME]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EmbeddingSettings {
    provider: String,
    model: Option<String>,
    dimensions: Option<usize>,
    window_tokens: Option<usize>,
    query_prefix: Option<String>,
    passage_prefix: Option<String>,
}

/// An embedding model, ready to be asked.
#[derive(Clone, Debug)]
pub(crate) struct Embedding {
    /// What it is called here.
    pub(crate) name: String,
    pub(crate) provider: Provider,
    /// What the provider calls it.
    pub(crate) model: String,
    pub(crate) dimensions: Option<usize>,
    pub(crate) window_tokens: usize,
    pub(crate) query_prefix: String,
    pub(crate) passage_prefix: String,
}

impl Settings {
    /// Returns the embedding model of this name, if the settings have a provider for it.
    pub(crate) fn embedding(&self, name: &str) -> Result<Option<Embedding>> {
        let Some(own) = self.embeddings.get(name) else {
            return Ok(None);
        };
        // Whichever of the two names is the telling one.
        let model = own.model.as_deref().unwrap_or(name);
        let (by_name, by_model) = (family::of(name), family::of(model));
        let family = match by_name == family::of("") {
            true => by_model,
            false => by_name,
        };
        let prefix = |own: &Option<String>, known: &str| own.clone().unwrap_or(known.to_owned());
        Ok(Some(Embedding {
            name: name.to_owned(),
            provider: self.provider(&own.provider)?,
            model: model.to_owned(),
            dimensions: own.dimensions.or(family.dimensions),
            window_tokens: own.window_tokens.unwrap_or(family.window_tokens).max(1),
            query_prefix: prefix(&own.query_prefix, family.query_prefix),
            passage_prefix: prefix(&own.passage_prefix, family.passage_prefix),
        }))
    }

    /// Returns every embedding model that a provider runs.
    pub(crate) fn embeddings(&self) -> Result<Vec<Embedding>> {
        let names = self.embeddings.keys();
        let found = names.map(|name| self.embedding(name));
        found.filter_map(Result::transpose).collect()
    }

    pub(super) fn check_embeddings(&self) -> Result<()> {
        for (name, own) in &self.embeddings {
            if !self.llm.has(&own.provider) {
                let key = format!("embeddings.{name:?}.provider");
                return Err(self.unknown_provider(&key, &own.provider));
            }
        }
        Ok(())
    }
}
