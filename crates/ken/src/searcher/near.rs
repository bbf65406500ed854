//! Notes whose names are almost what was typed.

use anyhow::Result;
use kenning::search;
use kenning::store::{Select, Wanted};

use super::Searcher;
use crate::settings::all_near;

/// Names that are suggested at most.
const SUGGESTED_MAX: usize = 3;

impl Searcher {
    /// Returns names that are nearly what `reference` says, the nearest first.
    pub(crate) fn near(&self, reference: &str) -> Result<Vec<String>> {
        let typed = name_in(reference);
        let wanted = Wanted {
            properties: true,
            ..Wanted::NAMES
        };
        let facts = self.with_store(|store| Ok(store.select(Select::Every, wanted)?))?;
        let mut names: Vec<String> = Vec::with_capacity(2 * facts.len());
        for note in facts.iter() {
            let path = note.path.strip_suffix(".md").unwrap_or(&note.path);
            let stem = path.rsplit('/').next().unwrap_or(path);
            // A path is only meant where one was typed.
            names.push(if typed.contains('/') { path } else { stem }.to_owned());
            names.push(note.title.clone());
            names.extend(note.aliases.iter().cloned());
        }
        let near = all_near(typed, names.iter().map(String::as_str));
        Ok(near
            .into_iter()
            .take(SUGGESTED_MAX)
            .map(str::to_owned)
            .collect())
    }
}

/// Returns the name in a reference, without brackets, lines and anchor.
fn name_in(reference: &str) -> &str {
    let name = match (search::lines_asked(reference), reference.rsplit_once(':')) {
        (Some(_), Some((name, _))) => name,
        _ => reference,
    };
    let name = name.trim_start_matches("[[").trim_end_matches("]]");
    let name = name
        .split('#')
        .find(|part| !part.is_empty())
        .unwrap_or(name);
    name.strip_suffix(".md").unwrap_or(name)
}
