//! Obsidian's own list of excluded files, from `.obsidian/app.json`.

use std::fs;
use std::path::Path;

use regex::Regex;

/// The `userIgnoreFilters` of a vault.
#[derive(Default)]
pub(super) struct ObsidianFilters {
    prefixes: Vec<String>,
    patterns: Vec<Regex>,
}

impl ObsidianFilters {
    /// Reads the filters; a missing or broken file means none.
    pub(super) fn read(root: &Path) -> Self {
        let mut filters = Self::default();
        let Ok(text) = fs::read_to_string(root.join(".obsidian/app.json")) else {
            return filters;
        };
        let settings: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let entries = settings["userIgnoreFilters"].as_array();
        for entry in entries.into_iter().flatten().filter_map(|e| e.as_str()) {
            // Obsidian writes a pattern between slashes and anything else as a path prefix.
            let pattern = entry
                .strip_prefix('/')
                .and_then(|rest| rest.strip_suffix('/'))
                .filter(|pattern| !pattern.is_empty());
            match pattern.map(Regex::new) {
                Some(Ok(pattern)) => filters.patterns.push(pattern),
                _ => filters
                    .prefixes
                    .push(entry.trim_start_matches('/').to_owned()),
            }
        }
        filters
    }

    /// Whether Obsidian would hide the file.
    pub(super) fn hides(&self, path: &str) -> bool {
        self.prefixes.iter().any(|prefix| path.starts_with(prefix))
            || self.patterns.iter().any(|pattern| pattern.is_match(path))
    }
}
