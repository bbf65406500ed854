//! `ken status`: what is indexed, how old it is, what was left out and why.

use anyhow::Result;

use super::Found;
use crate::args::{Place, StatusArgs};
use crate::render;
use crate::searcher::Searchers;
use crate::settings::Settings;
use crate::wire::StatusResponse;

pub(super) fn run(settings: &Settings, place: &Place, args: &StatusArgs) -> Result<Found> {
    let searchers = Searchers::open(settings, place)?;
    for searcher in searchers.all() {
        let response = StatusResponse::from(searcher.status()?);
        if args.json {
            render::print_json(&response)?;
        } else {
            if searchers.all().len() > 1 {
                render::print(&format!("{}\n", render::inline(searcher.name())))?;
            }
            render::status(&response)?;
        }
    }
    Ok(Found::Something)
}
