//! Transformers: added, chosen, removed, measured, and their vectors made ahead.

use std::path::Path;

use anyhow::Result;
use toml::Value;

use crate::args::Place;
use crate::cmd::Found;
use crate::hint::Hinted;
use crate::models::{self, Installed};
use crate::render::say;
use crate::settings::{Settings, edit};

/// Has the best passages read again by a model.
pub(super) fn choose(settings: &Settings, name: &str) -> Result<Found> {
    let installed = models::known(&settings.models_dir(), name)?;
    set(settings, name)?;
    say(&format!(
        "the best passages are read again by {}",
        installed.id()
    ));
    if !installed.is_cross_encoder {
        say("`ken model fill` makes its vectors now; `ken serve` makes them as they are needed");
    }
    Ok(Found::Something)
}

fn set(settings: &Settings, name: &str) -> Result<()> {
    edit(&settings.file, |table| {
        let own = table
            .entry("reranker")
            .or_insert_with(|| Value::Table(toml::Table::new()));
        if let Value::Table(own) = own {
            own.insert("model".to_owned(), name.into());
        }
        Ok(())
    })
}

/// Removes a model, and no longer uses it.
pub(super) fn remove(settings: &Settings, name: &str) -> Result<Found> {
    models::remove(&settings.models_dir(), name)?;
    if settings.reranker.model == name {
        set(settings, "")?;
    }
    say(&format!(
        "removed {name}; indexes keep its vectors until the next `ken model fill`"
    ));
    Ok(Found::Something)
}

/// Returns the model that is meant.
fn meant(settings: &Settings, name: Option<&str>) -> Result<Installed> {
    match name
        .or(Some(&settings.reranker.model))
        .filter(|name| !name.is_empty())
    {
        Some(name) => models::known(&settings.models_dir(), name),
        None => Err(Hinted::error(
            "no transformer is in use",
            "add one with `ken model add FOLDER` and choose it with `ken model use NAME`",
        )),
    }
}

#[cfg(not(feature = "onnx"))]
mod built {
    use super::*;
    use crate::models::not_built;

    pub(in super::super) fn add(_: &Settings, model: &Path, _: Option<&str>) -> Result<Found> {
        Err(not_built(&model.display().to_string()))
    }

    pub(in super::super) fn pull(_: &Settings, name: &str, _: Option<&Path>) -> Result<Found> {
        Err(not_built(name))
    }

    pub(in super::super) fn fill(
        settings: &Settings,
        _: &Place,
        name: Option<&str>,
    ) -> Result<Found> {
        Err(not_built(&meant(settings, name)?.name))
    }

    pub(in super::super) fn bench(
        settings: &Settings,
        place: &Place,
        name: Option<&str>,
    ) -> Result<Found> {
        fill(settings, place, name)
    }
}

#[cfg(feature = "onnx")]
mod built {
    use super::*;
    use crate::render::{self, counted};
    use crate::runtime::{self, How};
    use crate::settings::Located;

    /// Passages that a model is measured on.
    const MEASURED: usize = 32;

    pub(in super::super) fn add(
        settings: &Settings,
        model: &Path,
        name: Option<&str>,
    ) -> Result<Found> {
        let installed = models::add(&settings.models_dir(), model, name)?;
        say(&format!(
            "added {}; `ken model use {}` has it read the best passages again",
            installed.id(),
            installed.name
        ));
        Ok(Found::Something)
    }

    /// Fetches a model that is known by name.
    pub(in super::super) fn pull(
        settings: &Settings,
        name: &str,
        from: Option<&Path>,
    ) -> Result<Found> {
        let known = models::pull::known(name)?;
        let origin = settings.models_origin(from);
        let bar = runtime::byte_bar();
        let installed = models::pull::pull(&settings.models_dir(), known, &origin, &bar)?;
        drop(bar);
        say(&format!(
            "added {}; `ken model use {}` has it read the best passages again",
            installed.id(),
            installed.name
        ));
        Ok(Found::Something)
    }

    /// Makes the vectors of every passage that has none.
    pub(in super::super) fn fill(
        settings: &Settings,
        place: &Place,
        name: Option<&str>,
    ) -> Result<Found> {
        let until = (runtime::now as fn() -> i64, runtime::stop_flag());
        for located in settings.locate_all(place)? {
            let own = located.reranker.as_ref().map(|own| own.model.as_str());
            let installed = meant(settings, name.or(own))?;
            if installed.is_cross_encoder {
                return Err(Hinted::error(
                    format!("{} has no vectors that could be made ahead", installed.name),
                    "it reads question and passage together, when a question is asked",
                ));
            }
            update(&located)?;
            let coverage =
                models::fill(&installed, &located.place(), until, &runtime::vector_bar())?;
            say(&format!(
                "{}: {} of {} have a vector of {}",
                located.name,
                coverage.n_covered,
                counted(coverage.n_passages, "passage"),
                installed.name
            ));
            if let Some(trouble) = coverage.trouble {
                return Err(Hinted::error(
                    trouble,
                    "run it again: it goes on where it ended",
                ));
            }
            if !coverage.is_complete() {
                return Ok(Found::Interrupted);
            }
        }
        Ok(Found::Something)
    }

    /// Says how long a model takes.
    pub(in super::super) fn bench(
        settings: &Settings,
        place: &Place,
        name: Option<&str>,
    ) -> Result<Found> {
        let installed = meant(settings, name)?;
        let located = settings.locate(place)?;
        update(&located)?;
        let store = runtime::store(&located)?;
        let ids = store.chunk_ids()?;
        let step = (ids.len() / MEASURED).max(1);
        let mut texts = Vec::new();
        for id in ids.iter().step_by(step).take(MEASURED) {
            texts.push(store.passage(&*store.chunk(*id)?)?);
        }
        let (passage, question) = models::bench(&installed, &texts)?;
        let whole = passage * ids.len() as f64 / 1e3;
        render::print(&format!(
            "{}\n{passage:.1} ms a passage, {question:.1} ms a question ({} of {})\nall of {}: about {}\n",
            installed.id(),
            counted(texts.len(), "passage"),
            located.name,
            counted(ids.len(), "passage"),
            duration(whole)
        ))?;
        Ok(Found::Something)
    }

    /// Vectors are made of what the notes say now.
    fn update(located: &Located) -> Result<()> {
        if let Some(vault) = &located.vault {
            runtime::update(located, vault, How::default())?;
        }
        Ok(())
    }

    fn duration(seconds: f64) -> String {
        match seconds {
            s if s < 90.0 => format!("{s:.0} seconds"),
            s if s < 5400.0 => format!("{:.0} minutes", s / 60.0),
            s => format!("{:.1} hours", s / 3600.0),
        }
    }
}

pub(super) use built::{add, bench, fill, pull};
