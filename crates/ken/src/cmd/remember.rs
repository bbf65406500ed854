//! `ken remember`: writes something down in the vault.

use std::io::{self, IsTerminal, Read};
use std::sync::Arc;

use anyhow::Result;

use super::Found;
use crate::args::{Place, RememberArgs};
use crate::remember;
use crate::render;
use crate::runtime::Model;
use crate::searcher::Searcher;
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, place: &Place, args: &RememberArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let model = Arc::new(Model::asked(&located)?);
    let searcher = Searcher::new(settings, located, model);
    let response = match args.undo {
        true => remember::undo(&searcher)?,
        false => remember::write(&searcher, &text(args)?, args.memory_type)?,
    };
    if args.json {
        render::print_json(&response)?;
    } else if !place.quiet {
        let place = match response.start_line {
            Some(line) => format!("{}:{line}", response.path),
            None => response.path.clone(),
        };
        let verb = if response.undone {
            "took it back from"
        } else {
            "wrote it down in"
        };
        render::say(&format!("{verb} {}", render::inline(&place)));
    }
    for notice in &response.notices {
        render::say(&format!("note: {notice}"));
    }
    Ok(Found::Something)
}

/// Returns what was typed, or what comes in where nothing was, or a dash.
fn text(args: &RememberArgs) -> Result<String> {
    let mut text = args.text.join(" ");
    let is_piped = args.text.is_empty() && !io::stdin().is_terminal();
    if is_piped || text == "-" {
        text.clear();
        io::stdin().lock().read_to_string(&mut text)?;
    }
    Ok(text)
}
