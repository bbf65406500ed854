//! `ken model`: which embedding model is in use.

use std::path::Path;

use anyhow::Result;
use kenning::embed::{self, Embedder};

use super::Found;
use crate::args::ModelAction;
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
    let mut out = format!(
        "{} default  {} (in the binary)\n",
        mark(own.is_none()),
        embed::embedded().id()
    );
    if let Some(folder) = own {
        let found = match embed::load(folder) {
            Ok(model) => model.id().to_string(),
            Err(error) => format!("cannot be used: {error}"),
        };
        out += &format!("{} {}  {found}\n", mark(true), folder.display());
    }
    render::print(&out)?;
    Ok(Found::Something)
}

fn choose(settings: &Settings, model: &Path) -> Result<Found> {
    let (value, id) = if model == Path::new("default") && !model.exists() {
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
