//! `ken map`: where notes lie, and what that says of the vault.

use std::path::Path;

use anyhow::{Context, Result};
use jiff::{Timestamp, ToSpan};
use kenning_curate::atlas;

use super::Found;
use super::tags::library;
use crate::args::{MapArgs, Place};
use crate::curate::Curator;
use crate::render;
use crate::runtime::{self, Model};
use crate::searcher::Searcher;
use crate::settings::Settings;
use crate::wire::AtlasResponse;

pub(super) fn run(settings: &Settings, place: &Place, args: &MapArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    Curator::open(&located)?.refresh()?;
    let model = std::sync::Arc::new(Model::asked(&located)?);
    let searcher = Searcher::new(settings, located, model);
    let map = searcher.map()?.unwrap_or_default();
    if let Some(file) = &args.svg {
        write(file, &render::map_svg(&map))?;
    }
    let library = library(&searcher)?;
    let long_ago = years_ago(args.stale_years);
    let found =
        searcher.with_store(|store| Ok(atlas::survey(store, &library, &map, &long_ago)?))?;
    let response = AtlasResponse::new(&map, &library, found);
    match args.json {
        true => render::print_json(&response)?,
        false => render::atlas(&response)?,
    }
    Ok(match map.points.is_empty() {
        true => Found::Nothing,
        false => Found::Something,
    })
}

/// Writes a file that is not there yet, or was a picture before.
fn write(file: &Path, svg: &str) -> Result<()> {
    std::fs::write(file, svg).with_context(|| file.display().to_string())
}

/// Returns the day some years ago, `YYYY-MM-DD`.
fn years_ago(years: u32) -> String {
    let now = Timestamp::from_second(runtime::now()).unwrap_or_default();
    let today = now.to_zoned(jiff::tz::TimeZone::system()).date();
    let day = today.checked_sub(i64::from(years).years()).unwrap_or(today);
    day.to_string()
}
