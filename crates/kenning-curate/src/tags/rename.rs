//! Gives tags other names, in front matter and text, those below them included. Code, comments, links and
//! addresses stay as they are.

use std::collections::BTreeMap;

use kenning::note::{front_matter, is_tag, places};
use kenning::vault::{Skipped, Vault};

use super::front::{front_tags, read_back};
use crate::error::{Error, Result};
use crate::page::{Edit, Page, edited, is_canvas, pages};
use crate::write::{Batch, Writer};

/// A tag and what it is to be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// Its name, without `#`.
    pub old: String,
    /// Its new one.
    pub new: String,
}

/// What is to be done, and what was left alone.
#[derive(Clone, Debug, Default)]
pub struct Renamed {
    /// The changes.
    pub batch: Batch,
    /// How often a tag stands there.
    pub n_tags: usize,
    /// New names that are in use already, so that two tags become one.
    pub merged: Vec<String>,
    /// Notes that could not be read.
    pub skipped: Vec<Skipped>,
}

/// Checks the names of renames that were typed, a leading `#` or not.
pub fn renames(pairs: &[(String, String)]) -> Result<Vec<Rename>> {
    let mut renames = Vec::new();
    for (old, new) in pairs {
        let plain = |name: &str| {
            name.trim()
                .trim_start_matches('#')
                .trim_end_matches('/')
                .to_owned()
        };
        let (old, new) = (plain(old), plain(new));
        if old.is_empty() || old == new {
            return Err(Error::BadName {
                name: old,
                wanted: "a tag that can get another name",
            });
        }
        if !is_tag(&new) {
            return Err(Error::BadName {
                name: new,
                wanted: "a tag: letters, digits, `-`, `_` and `/`, and not digits alone",
            });
        }
        renames.push(Rename { old, new });
    }
    Ok(renames)
}

/// Plans the renames of a vault's tags. All of them happen at once: two tags may change their names.
pub fn plan(writer: &Writer<'_>, vault: &Vault, renames: &[Rename]) -> Result<Renamed> {
    let words: Vec<String> = (renames.iter())
        .flat_map(|rename| [rename.old.to_lowercase(), rename.new.to_lowercase()])
        .collect();
    let is_wanted = |path: &str, text: &str| {
        let lower = text.to_lowercase();
        !is_canvas(path) && words.iter().any(|word| lower.contains(word))
    };
    let (pages, skipped) = pages(writer, vault, is_wanted)?;
    let detail: Vec<String> = (renames.iter())
        .map(|rename| format!("#{} → #{}", rename.old, rename.new))
        .collect();
    let mut renamed = Renamed {
        batch: Batch::new("tags rename", &detail.join(", ")),
        skipped,
        ..Renamed::default()
    };
    let mut in_use: BTreeMap<String, String> = BTreeMap::new();
    for page in pages {
        let (text, n_tags) = in_page(&page, renames, &mut in_use)?;
        renamed.n_tags += n_tags;
        renamed.batch.write(page.seen, text.into_bytes());
    }
    renamed.merged = in_use.into_values().collect();
    Ok(renamed)
}

/// Returns the text of a note with other names for tags, and how many; collects new names that are in use.
fn in_page(
    page: &Page,
    renames: &[Rename],
    in_use: &mut BTreeMap<String, String>,
) -> Result<(String, usize)> {
    let text = &page.text;
    let places = places(text);
    let mut edits: Vec<Edit> = Vec::new();
    for tag in &places.tags {
        let name = &text[tag.clone()];
        match new_name(renames, name) {
            Some(new) => edits.push((tag.clone(), new)),
            None => note_use(renames, name, in_use),
        }
    }
    if let Some(yaml) = places.front_matter.clone() {
        let front = front_tags(text, yaml);
        for item in &front.items {
            let name = &text[item.name.clone()];
            if new_name(renames, name).is_none() {
                note_use(renames, name, in_use);
            }
        }
        edits.extend(front.renamed(text, |name| new_name(renames, name)));
    }
    let n_tags = edits.len();
    let changed = edited(text, edits);
    check(page, &changed, renames)?;
    Ok((changed, n_tags))
}

/// Returns what a tag is called then, if it or one above it gets another name.
pub(crate) fn new_name(renames: &[Rename], name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    renames.iter().find_map(|rename| {
        let below = lower.strip_prefix(&rename.old.to_lowercase())?;
        let is_it = below.is_empty() || below.starts_with('/');
        // What follows stays as it is written: letters may have other lengths in lower case.
        let n_parts = rename.old.split('/').count();
        let rest: Vec<&str> = name.split('/').skip(n_parts).collect();
        let new = rest
            .iter()
            .fold(rename.new.clone(), |new, part| new + "/" + part);
        (is_it && new != name).then_some(new)
    })
}

/// Notes down that a new name is in use by what keeps its own.
fn note_use(renames: &[Rename], name: &str, in_use: &mut BTreeMap<String, String>) {
    let lower = name.to_lowercase();
    for rename in renames {
        let new = rename.new.to_lowercase();
        let is_it = lower
            .strip_prefix(&new)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if is_it && rename.old.to_lowercase() != new {
            in_use.insert(new, rename.new.clone());
        }
    }
}

/// Reads the front matter again as the engine does: whatever way it is written in, it must say the new names and
/// nothing else.
fn check(page: &Page, changed: &str, renames: &[Rename]) -> Result<()> {
    let before = read_back(&page.text, front_matter(&page.text));
    let mut expected: Vec<String> = (before.iter())
        .map(|tag| new_name(renames, tag).map_or_else(|| tag.clone(), |new| new.to_lowercase()))
        .collect();
    expected.sort();
    expected.dedup();
    let found = match changed == page.text {
        true => before,
        false => read_back(changed, front_matter(changed)),
    };
    match found == expected {
        true => Ok(()),
        false => Err(Error::Unclear {
            path: page.path().to_owned(),
            reason: "the tags of its front matter".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rename(old: &str, new: &str) -> Vec<Rename> {
        renames(&[(old.to_owned(), new.to_owned())]).unwrap()
    }

    #[test]
    fn tags_below_go_along() {
        let renames = rename("#Work", "job/paid");
        let check = |name: &str, new: Option<&str>| {
            assert_eq!(new_name(&renames, name).as_deref(), new, "{name}");
        };
        check("work", Some("job/paid"));
        check("WORK/Mail/x", Some("job/paid/Mail/x"));
        check("workshop", None);
        check("home/work", None);
        // A tag may change its letters, or go below itself.
        assert_eq!(
            new_name(&rename("Foo", "foo"), "FOO/x").as_deref(),
            Some("foo/x")
        );
        assert_eq!(new_name(&rename("a", "a/b"), "a").as_deref(), Some("a/b"));
    }

    #[test]
    fn names_must_be_names() {
        for (old, new) in [
            ("", "a"),
            ("a", "a"),
            ("a", "two words"),
            ("a", "1984"),
            ("a", ""),
            ("a", "b#c"),
        ] {
            let pairs = [(old.to_owned(), new.to_owned())];
            assert!(renames(&pairs).is_err(), "{old} {new}");
        }
    }
}
