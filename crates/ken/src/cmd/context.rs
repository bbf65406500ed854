//! `ken context`: what an agent is told when a conversation begins with a message.

use std::time::Duration;

use anyhow::Result;

use super::Found;
use crate::args::{ContextArgs, Place};
use crate::context::{self, ContextRequest};
use crate::render;
use crate::searcher::{Searcher, Searchers};
use crate::settings::Settings;

/// How long notes that have changed are waited for.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn run(settings: &Settings, place: &Place, args: &ContextArgs) -> Result<Found> {
    let searchers = Searchers::open(settings, place)?;
    for searcher in searchers.all() {
        for notice in searcher.refresh(PATIENCE) {
            render::say(&format!("note: {notice}"));
        }
    }
    let request = ContextRequest {
        message: args.message.join(" "),
        limit: args.limit,
        min_score: args.min_score,
        min_confidence: 0.0,
    };
    let found = context::collect(searchers.all(), &request, &Searcher::search, &|_, _| false)?;
    let response = found.response;
    if args.json {
        render::print_json(&response)?;
    } else {
        render::print(&response.text)?;
        for notice in &response.notices {
            render::say(&format!("note: {notice}"));
        }
        if response.blocks.is_empty() {
            render::say("your notes do not say enough about it");
        }
    }
    Ok(match response.blocks.is_empty() {
        true => Found::Nothing,
        false => Found::Something,
    })
}
