//! The controlled vocabulary: `_taxonomy.md`, a nested list of tags with descriptions and synonyms.

use std::collections::BTreeMap;

use strsim::damerau_levenshtein;

/// Where it lies.
pub const TAXONOMY: &str = "_taxonomy.md";

/// The tags that there should be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// In order of the file.
    pub entries: Vec<Entry>,
}

/// One tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its whole name: `home/attic`.
    pub tag: String,
    /// What it is for.
    pub description: String,
    /// What else it is called.
    pub synonyms: Vec<String>,
}

impl Vocabulary {
    /// Reads a vocabulary: a list item for each tag, those below it indented.
    ///
    /// `- home: where we live (also: house, flat)`
    pub fn read(text: &str) -> Self {
        let mut entries = Vec::new();
        let mut above: Vec<(usize, String)> = Vec::new();
        for line in text.lines() {
            let indent = line.len() - line.trim_start().len();
            let Some(item) = line.trim_start().strip_prefix(['-', '*', '+']) else {
                continue;
            };
            let Some(mut entry) = entry(item) else {
                continue;
            };
            above.retain(|(level, _)| *level < indent);
            if let Some((_, parent)) = above.last()
                && !entry.tag.starts_with(&format!("{parent}/"))
            {
                entry.tag = format!("{parent}/{}", entry.tag);
            }
            above.push((indent, entry.tag.clone()));
            entries.push(entry);
        }
        Self { entries }
    }

    /// Returns the vocabulary that a vault without a list has: the tags that more than one note has.
    pub fn in_use<'a>(tags: impl Iterator<Item = &'a String>) -> Self {
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        tags.for_each(|tag| *counts.entry(tag).or_default() += 1);
        let shared = counts.into_iter().filter(|(_, count)| *count > 1);
        let entry = |(tag, _): (&String, usize)| Entry {
            tag: tag.clone(),
            ..Entry::default()
        };
        Self {
            entries: shared.map(entry).collect(),
        }
    }

    /// Returns the entry of a tag, whatever its case.
    pub fn get(&self, tag: &str) -> Option<&Entry> {
        let lower = tag.to_lowercase();
        self.entries
            .iter()
            .find(|entry| entry.tag.to_lowercase() == lower)
    }

    /// Returns the tag that was probably meant: one that is also called so, or is spelled alike.
    pub fn nearest(&self, tag: &str) -> Option<&Entry> {
        let lower = tag.to_lowercase();
        let is_called = |entry: &&Entry| {
            let last = entry.tag.rsplit('/').next().unwrap_or_default();
            let mut names = entry.synonyms.iter().map(String::as_str).chain([last]);
            names.any(|name| name.to_lowercase() == lower || is_form(&name.to_lowercase(), &lower))
        };
        let called = self.entries.iter().find(is_called);
        called.or_else(|| {
            let distance = |entry: &Entry| damerau_levenshtein(&entry.tag.to_lowercase(), &lower);
            let nearest = self.entries.iter().min_by_key(|entry| distance(entry))?;
            let is_near = distance(nearest) <= 1 + lower.chars().count() / 4;
            is_near.then_some(nearest)
        })
    }
}

/// Whether two words are one in other forms: `book` and `books`, `to-do` and `todo`.
pub(crate) fn is_form(a: &str, b: &str) -> bool {
    let plain = |word: &str| -> String {
        let word: String = word.chars().filter(|c| !matches!(c, '-' | '_')).collect();
        word.strip_suffix('s').unwrap_or(&word).to_owned()
    };
    plain(a) == plain(b)
}

fn entry(item: &str) -> Option<Entry> {
    let item = item.trim().trim_start_matches("[ ]").trim();
    let (name, rest) = item.split_once(':').unwrap_or((item, ""));
    let tag = name
        .trim()
        .trim_matches(['`', '*'])
        .trim_start_matches('#')
        .trim_matches('/');
    if !kenning::note::is_tag(tag) {
        return None;
    }
    let mut entry = Entry {
        tag: tag.to_owned(),
        description: rest.trim().to_owned(),
        synonyms: Vec::new(),
    };
    if let Some((description, also)) = rest.split_once("(also:") {
        entry.description = description.trim().to_owned();
        let names = also.split(')').next().unwrap_or_default().split(',');
        entry.synonyms = names
            .map(|name| name.trim().trim_start_matches('#').to_owned())
            .collect();
        entry.synonyms.retain(|name| !name.is_empty());
    }
    Some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vocabulary_is_a_nested_list() {
        let text = "# Tags\n\n- #home: where we live (also: house, flat)\n  - attic\n  - home/cellar: below\n- `work`\n- not a tag\n";
        let vocabulary = Vocabulary::read(text);
        let tags: Vec<&str> = vocabulary
            .entries
            .iter()
            .map(|entry| entry.tag.as_str())
            .collect();
        assert_eq!(tags, ["home", "home/attic", "home/cellar", "work"]);
        assert_eq!(vocabulary.entries[0].description, "where we live");
        assert_eq!(vocabulary.entries[0].synonyms, ["house", "flat"]);
        let nearest = |tag: &str| vocabulary.nearest(tag).map(|entry| entry.tag.as_str());
        assert_eq!(nearest("House"), Some("home"));
        assert_eq!(nearest("attics"), Some("home/attic"));
        assert_eq!(nearest("wrok"), Some("work"));
        assert_eq!(nearest("astronomy"), None);
        assert!(vocabulary.get("HOME/attic").is_some() && vocabulary.get("attic").is_none());
    }
}
