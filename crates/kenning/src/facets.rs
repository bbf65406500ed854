//! What notes have in common, counted: tags, folders, months and kinds of files. It reads the facts of
//! notes and nothing else; which notes are counted is decided by who asks.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::store::{NoteFacts, NoteId, Select, Store, Wanted};

/// Folders below which none are counted any more.
const FOLDER_DEPTH_MAX: usize = 3;

/// How many notes have what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// Notes that were counted.
    pub n_notes: usize,
    /// Tags; one that has others below it counts theirs, too.
    pub tags: Vec<Count>,
    /// Folders; each counts what lies below it.
    pub folders: Vec<Count>,
    /// Months, `YYYY-MM`, the newest first.
    pub months: Vec<Count>,
    /// Endings of files, with their dot.
    pub endings: Vec<Count>,
}

/// A value and how many notes have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The value.
    pub value: String,
    /// How many notes have it.
    pub n: usize,
}

/// Counts some notes, or all of them.
pub fn of(store: &Store, notes: Option<&[NoteId]>) -> Result<Facets> {
    let wanted = Wanted {
        tags: true,
        ..Wanted::NAMES
    };
    let which = notes.map_or(Select::Every, Select::Notes);
    Ok(counted(&store.select(which, wanted)?))
}

/// Counts the notes of each day that has any, oldest first.
pub fn days(store: &Store) -> Result<Vec<Count>> {
    let facts = store.select(Select::Every, Wanted::NAMES)?;
    let days = facts.iter().filter_map(|note| note.date.as_deref());
    Ok(by_name(days.map(str::to_owned)))
}

fn counted(notes: &[NoteFacts]) -> Facets {
    let tags = notes.iter().flat_map(|note| distinct(&note.tags));
    let folders = notes.iter().flat_map(|note| folders_of(&note.path));
    let dates = notes.iter().filter_map(|note| note.date.as_deref());
    let months = dates.filter_map(|date| date.get(..7)).map(str::to_owned);
    let mut months = by_name(months);
    months.reverse();
    Facets {
        n_notes: notes.len(),
        tags: commonest_first(tags),
        folders: commonest_first(folders),
        months,
        endings: commonest_first(notes.iter().filter_map(|note| ending(&note.path))),
    }
}

/// Returns the tags of a note and those above them, each once.
fn distinct(tags: &[String]) -> Vec<String> {
    let mut all: Vec<String> = tags.iter().flat_map(|tag| above(tag)).collect();
    all.sort();
    all.dedup();
    all
}

/// Returns a tag and those above it: `a`, `a/b` and `a/b/c` for `a/b/c`.
fn above(tag: &str) -> impl Iterator<Item = String> + '_ {
    let ends = tag.match_indices('/').map(|(at, _)| at);
    ends.chain([tag.len()]).map(|end| tag[..end].to_owned())
}

/// Returns the folders around a note, from the outermost on.
fn folders_of(path: &str) -> impl Iterator<Item = String> + '_ {
    let ends = path.match_indices('/').take(FOLDER_DEPTH_MAX);
    ends.map(|(at, _)| path[..at].to_owned())
}

fn ending(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, ending) = name.rsplit_once('.')?;
    Some(format!(".{}", ending.to_lowercase()))
}

fn by_name(values: impl Iterator<Item = String>) -> Vec<Count> {
    let mut counts = BTreeMap::<String, usize>::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let counts = counts.into_iter();
    counts.map(|(value, n)| Count { value, n }).collect()
}

/// Counts values; among equals, the alphabet decides.
fn commonest_first(values: impl Iterator<Item = String>) -> Vec<Count> {
    let mut counts = by_name(values);
    counts.sort_by_key(|count| std::cmp::Reverse(count.n));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(counts: &[Count]) -> String {
        let counts = counts
            .iter()
            .map(|count| format!("{} {}", count.value, count.n));
        counts.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_tag_counts_for_those_above_it_and_once() {
        let tags = [
            ["work/today", "work"].as_slice(),
            &["work/later"],
            &["home"],
        ];
        let all = tags.iter().flat_map(|tags| {
            let tags: Vec<String> = tags.iter().map(|&tag| tag.to_owned()).collect();
            distinct(&tags)
        });
        let told = told(&commonest_first(all));
        assert_eq!(told, "work 2, home 1, work/later 1, work/today 1");
    }

    #[test]
    fn a_folder_counts_what_lies_below_it() {
        let paths = ["a/b/c/d/e.md", "a/x.PDF", "top.md"];
        let folders = paths.iter().flat_map(|path| folders_of(path));
        assert_eq!(told(&commonest_first(folders)), "a 2, a/b 1, a/b/c 1");
        let endings = paths.iter().filter_map(|path| ending(path));
        assert_eq!(told(&commonest_first(endings)), ".md 2, .pdf 1");
    }
}
