//! `ken report`: the health of a vault, as a note.

use std::sync::Arc;

use anyhow::Result;

use super::Found;
use super::curate::tell;
use crate::args::{Place, ReportArgs};
use crate::curate::{Curator, report};
use crate::render;
use crate::runtime::Model;
use crate::searcher::Searcher;
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, place: &Place, args: &ReportArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let model = Arc::new(Model::asked(&located)?);
    let searcher = Searcher::new(settings, located.clone(), model);
    let curator = Curator::open(&located)?;
    curator.refresh()?;
    let health = report::health(&searcher, &curator)?;
    if args.print {
        let day = health.history.last().map(|now| now.day.clone());
        let text = kenning_curate::report::markdown(&health, &day.unwrap_or_default());
        render::print_text(&text)?;
        return Ok(Found::Something);
    }
    let reported = report::write(
        curator,
        &health,
        &settings.report.folder,
        args.to.as_deref(),
    )?;
    for file in &reported.files {
        render::print(&format!(
            "{}\n",
            render::inline(&file.display().to_string())
        ))?;
    }
    if !place.quiet && reported.run.is_some() {
        render::say("it lies in the vault; `ken undo` takes it back");
    }
    tell(&reported.notices);
    Ok(Found::Something)
}
