//! Obsidian's own list of excluded files, from `.obsidian/app.json`; ignore files that cannot be used.

use std::path::Path;

use regex::Regex;

use super::regular::{Links, open_regular, read_regular_text};

/// More than this is not a list of filters.
const FILE_BYTES_MAX: u64 = 4 << 20;

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
        let file = root.join(".obsidian/app.json");
        let Ok(text) = read_regular_text(&file, FILE_BYTES_MAX, Links::Refused) else {
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

/// Files that say what to leave out, read for each folder by the walk itself.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".kenignore", ".git/info/exclude"];

/// Returns the ignore file of a folder that the walk cannot use: it would wait for a pipe, or go on
/// without rules that somebody has set. A link to a list that is kept elsewhere is followed, as git
/// does; only rules are read from it.
pub(super) fn unusable(folder: &Path) -> Option<&'static str> {
    IGNORE_FILES.into_iter().find(|name| {
        let file = folder.join(name);
        // The walk passes over what is not there.
        let Ok(target) = file.metadata() else {
            return false;
        };
        target.len() > FILE_BYTES_MAX || open_regular(&file, Links::Followed).is_err()
    })
}
