//! Lists of folders and patterns: what of a vault is allowed, and what is left out.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::error::{Error, Result};

/// Folders (`Private`, `Clippings/Web`) and patterns (`**/*.log`), relative to the vault.
#[derive(Clone, Debug, Default)]
pub struct PathList {
    entries: Vec<String>,
    globs: GlobSet,
}

impl PartialEq for PathList {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Eq for PathList {}

impl PathList {
    /// Reads a list; an entry that is not a pattern is an error that names it.
    pub fn new(entries: &[String]) -> Result<Self> {
        let mut globs = GlobSetBuilder::new();
        let mut kept = Vec::new();
        for entry in entries {
            let entry = entry.trim().trim_start_matches("./").trim_matches('/');
            if entry.is_empty() {
                continue;
            }
            globs.add(glob(entry)?);
            globs.add(glob(&format!("{entry}/**"))?);
            kept.push(entry.to_owned());
        }
        Ok(Self {
            entries: kept,
            globs: globs.build().map_err(|error| bad_pattern(&error))?,
        })
    }

    /// Whether nothing is on the list.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entries, tidied.
    pub fn entries(&self) -> &[String] {
        &self.entries
    }

    /// Whether a file or folder is on the list, by itself or by a folder around it.
    pub fn has(&self, path: &str) -> bool {
        self.globs.is_match(path)
    }

    /// Whether something on the list may lie below a folder.
    pub(super) fn may_lie_below(&self, folder: &str) -> bool {
        self.has(folder)
            || self.entries.iter().any(|entry| {
                let literal = entry.split(['*', '?', '[', '{']).next().unwrap_or_default();
                literal.starts_with(&format!("{folder}/"))
                    || (literal.len() < entry.len() && is_on_the_way(folder, literal))
            })
    }
}

/// Whether a pattern that starts with `literal` can still match below `folder`.
fn is_on_the_way(folder: &str, literal: &str) -> bool {
    literal.is_empty() || format!("{folder}/").starts_with(literal)
}

fn glob(pattern: &str) -> Result<Glob> {
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map_err(|error| bad_pattern(&error))
}

fn bad_pattern(error: &globset::Error) -> Error {
    Error::BadPattern {
        pattern: error.glob().unwrap_or_default().to_owned(),
        reason: error.kind().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(entries: &[&str], path: &str) -> bool {
        let entries: Vec<String> = entries.iter().map(|e| (*e).to_owned()).collect();
        PathList::new(&entries).unwrap().has(path)
    }

    #[test]
    fn folders_and_patterns_hold_for_everything_below() {
        assert!(check(&["Private/"], "Private/a/b.md"));
        assert!(check(&["/Private"], "Private"));
        assert!(!check(&["Private"], "Work/Private/b.md"));
        assert!(!check(&["Priv"], "Private/b.md"));
        assert!(check(&["**/Private"], "Work/Private/b.md"));
        assert!(check(&["**/*.log"], "a/b/c.log"));
        assert!(check(&["*.log"], "c.log") && !check(&["*.log"], "a/c.log"));
        assert!(check(&["Größe & Co"], "Größe & Co/x.md"));
    }

    #[test]
    fn a_broken_pattern_is_named() {
        let error = PathList::new(&["a[".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("a["), "{error}");
    }

    #[test]
    fn a_walk_is_led_towards_allowed_folders_only() {
        let list = PathList::new(&["Work/Notes".to_owned(), "2026-*/log".to_owned()]).unwrap();
        for (folder, expected) in [
            ("Work", true),
            ("Work/Notes", true),
            ("Work/Notes/deep", true),
            ("Work/Other", false),
            ("Workshop", false),
            ("2026-03", true),
            ("2025-03", false),
        ] {
            assert_eq!(list.may_lie_below(folder), expected, "{folder}");
        }
    }
}
