//! `ken model`: which embedding model is in use, and which models providers run.

use std::path::Path;

use anyhow::Result;
use kenning::embed::{self, Embedder};

use super::Found;
use crate::args::ModelAction;
use crate::llm::RemoteEmbedder;
use crate::render;
use crate::settings::{Settings, edit};

pub(super) fn run(settings: &Settings, action: &ModelAction) -> Result<Found> {
    match action {
        ModelAction::List => list(settings),
        ModelAction::Use { model } => choose(settings, model),
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
        let found = match embed::load(folder) {
            Ok(model) => model.id().to_string(),
            Err(error) => format!("cannot be used: {error}"),
        };
        out += &format!("{} {}  {found}\n", mark(true), folder.display());
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
    let (value, id) = if let Some(embedding) = settings.embedding(&name)? {
        let remote = RemoteEmbedder::open(embedding)?;
        (name.into_owned(), remote.id().clone())
    } else if model == Path::new("default") && !model.exists() {
        ("default".to_owned(), embed::embedded().id().clone())
    } else {
        let loaded = embed::load(model)?;
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
