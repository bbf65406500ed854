//! Hits one per line, for scripts: paths, or paths with lines and excerpts.

use std::path::Path;

use anyhow::Result;

use super::Vaults;
use crate::args::SearchArgs;
use crate::render;
use crate::wire::{Hit, SearchResponse};

/// Puts hits in order of their dates, the newest first; those without one come last.
pub(super) fn newest_first(hits: &mut [Hit]) {
    hits.sort_by(|a, b| b.date.cmp(&a.date));
}

/// Prints the paths of the notes, each once.
pub(super) fn paths(answer: &SearchResponse, vaults: &Vaults, args: &SearchArgs) -> Result<()> {
    let mut paths: Vec<String> = Vec::new();
    for hit in &answer.hits {
        let vault = vaults.get(hit.domain.as_deref());
        for path in std::iter::once(&hit.path).chain(&hit.also_in) {
            let path = match (args.absolute, vault) {
                (true, Some(vault)) => on_disk(vault, path),
                _ => path.clone(),
            };
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    records(paths.into_iter(), args.null)
}

/// Prints each hit as `/path/to/note.md:12:excerpt`.
pub(super) fn lines(answer: &SearchResponse, vaults: &Vaults, args: &SearchArgs) -> Result<()> {
    let line = |hit: &Hit| {
        let vault = vaults.get(hit.domain.as_deref());
        let path = vault.map_or_else(|| hit.path.clone(), |vault| on_disk(vault, &hit.path));
        // What has no lines is opened at its beginning.
        let line = hit.start_line.unwrap_or(1);
        format!("{path}:{line}:{}", render::inline(&hit.excerpt))
    };
    records(answer.hits.iter().map(line), args.null)
}

fn on_disk(vault: &Path, path: &str) -> String {
    vault.join(path).to_string_lossy().into_owned()
}

/// Programs that split at zero bytes get names as they are; lines hold nothing that a terminal obeys.
fn records(records: impl Iterator<Item = String>, ends_in_null: bool) -> Result<()> {
    match ends_in_null {
        true => render::print_text(&records.map(|record| record + "\0").collect::<String>()),
        false => {
            let lines = records.map(|record| format!("{}\n", render::inline(&record)));
            render::print(&lines.collect::<String>())
        }
    }
}
