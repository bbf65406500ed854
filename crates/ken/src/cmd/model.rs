//! `ken model`: which embedding models are in use, which there are, transformers that read again, and a model adapted to
//! a vault.

mod transformer;
mod tune;

use std::path::Path;

use anyhow::Result;
use kenning::embed::{self, Embedder};

use super::Found;
use crate::args::{ModelAction, Place};
use crate::llm::RemoteEmbedder;
use crate::models;
use crate::render;
use crate::settings::{Settings, edit};

pub(super) fn run(settings: &Settings, place: &Place, action: &ModelAction) -> Result<Found> {
    match action {
        ModelAction::List => list(settings),
        ModelAction::Use { model } => choose(settings, model),
        ModelAction::Add { model, name } => transformer::add(settings, model, name.as_deref()),
        ModelAction::Pull { name, from } => transformer::pull(settings, name, from.as_deref()),
        ModelAction::Remove { name } => transformer::remove(settings, name),
        ModelAction::Fill { name } => transformer::fill(settings, place, name.as_deref()),
        ModelAction::Tune(args) => tune::run(settings, place, args),
        ModelAction::Bench { name } => transformer::bench(settings, place, name.as_deref()),
    }
}

fn list(settings: &Settings) -> Result<Found> {
    let mark = |is_used: bool| if is_used { '*' } else { ' ' };
    let own = settings.model_path();
    let embeddings = settings.embeddings()?;
    let mut out = format!(
        "{} default  {} (in the binary)\n",
        mark(own.is_none()),
        embed::embedded().id()
    );
    for embedding in &embeddings {
        let provider = &embedding.provider;
        let is_used = own == Some(Path::new(&embedding.name));
        out += &format!(
            "{} {}  {} by {} ({})\n",
            mark(is_used),
            embedding.name,
            embedding.model,
            provider.name,
            provider.base_url
        );
    }
    let is_remote = |folder: &&Path| {
        embeddings
            .iter()
            .any(|known| Path::new(&known.name) == *folder)
    };
    if let Some(folder) = own.filter(|folder| !is_remote(folder)) {
        let found = match models::static_model(folder) {
            Ok(model) => model.id().to_string(),
            Err(error) => format!("cannot be used: {error}"),
        };
        out += &format!("{} {}  {found}\n", mark(true), folder.display());
    }
    for installed in models::all(&settings.models_dir()) {
        let is_used = settings.reranker.model == installed.name;
        let kind = match installed.is_cross_encoder {
            true => "compares question and passage",
            false => "reads the best passages again",
        };
        out += &format!(
            "{} {}  {} ({kind})\n",
            mark(is_used),
            installed.name,
            installed.id()
        );
    }
    let answering = settings.answering()?.map(|provider| provider.name);
    for provider in settings.providers() {
        let is_used = answering.as_deref() == Some(&provider.name);
        let model = match provider.model.as_str() {
            "" => "makes vectors only".to_owned(),
            model => format!("answers by {model}"),
        };
        out += &format!(
            "{} {}  {model} ({})\n",
            mark(is_used),
            provider.name,
            provider.base_url
        );
    }
    render::print(&out)?;
    Ok(Found::Something)
}

fn choose(settings: &Settings, model: &Path) -> Result<Found> {
    let name = model.to_string_lossy();
    if models::find(&settings.models_dir(), &name).is_some() {
        return transformer::choose(settings, &name);
    }
    let (value, id) = if let Some(embedding) = settings.embedding(&name)? {
        let remote = RemoteEmbedder::open(embedding)?;
        (name.into_owned(), remote.id().clone())
    } else if model == Path::new("default") && !model.exists() {
        ("default".to_owned(), embed::embedded().id().clone())
    } else {
        let loaded = models::static_model(model)?;
        let folder = model
            .canonicalize()
            .map_err(|error| kenning::Error::io(model, error))?;
        (folder.to_string_lossy().into_owned(), loaded.id().clone())
    };
    edit(&settings.file, |table| {
        table.insert("model".to_owned(), value.into());
        Ok(())
    })?;
    render::say(&format!(
        "using {id}; each index is made anew when it is next updated"
    ));
    Ok(Found::Something)
}
