//! Names of regions: the words that their notes' titles, tags and folders say more often than others do. Headings
//! are left out: they are often those of a template.

use std::collections::BTreeMap;

use crate::store::NoteRow;
use crate::words::{self, is_stop_word_anywhere};

/// Words that name a region.
const SHOWN: usize = 3;
/// Shortest word that tells anything.
const CHARS_MIN: usize = 3;

/// Returns the telling words of each region.
pub(super) fn telling_words(
    notes: &[&NoteRow],
    regions: &[usize],
    n_regions: usize,
) -> Vec<Vec<String>> {
    let mut inside: Vec<BTreeMap<String, usize>> = vec![BTreeMap::new(); n_regions];
    let mut overall: BTreeMap<String, usize> = BTreeMap::new();
    let mut sizes = vec![0usize; n_regions];
    for (note, &region) in notes.iter().zip(regions) {
        sizes[region] += 1;
        for word in words_of(note) {
            *overall.entry(word.clone()).or_default() += 1;
            *inside[region].entry(word).or_default() += 1;
        }
    }
    let n = notes.len().max(1) as f32;
    let regions = inside.into_iter().zip(sizes);
    regions
        .map(|(counts, size)| {
            let telling = |(word, count): (String, usize)| {
                let here = count as f32 / size.max(1) as f32;
                let everywhere = overall[&word] as f32 / n;
                // One note alone names no region.
                let is_shared = count > 1 || size < SHOWN;
                (here * (here / everywhere).ln(), word, is_shared)
            };
            let mut scored: Vec<_> = counts.into_iter().map(telling).collect();
            scored.retain(|(score, _, is_shared)| *is_shared && *score > 0.0);
            scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            distinct(scored.into_iter().map(|(_, word, _)| word))
        })
        .collect()
}

/// Takes the first words that are not forms of each other.
fn distinct(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for word in words {
        let is_form = |other: &String| other.starts_with(&word) || word.starts_with(other.as_str());
        if !taken.iter().any(is_form) {
            taken.push(word);
        }
        if taken.len() == SHOWN {
            break;
        }
    }
    taken
}

/// Returns the words that a note is called by, each once.
fn words_of(note: &NoteRow) -> Vec<String> {
    let folders = note
        .path
        .rsplit_once('/')
        .map_or("", |(folders, _)| folders);
    let texts = std::iter::once(note.title.as_str())
        .chain(note.tags.iter().map(String::as_str))
        .chain(folders.split('/'));
    let mut found: Vec<String> = texts.flat_map(telling).collect();
    found.sort();
    found.dedup();
    found
}

/// Drops a number that only sorts, as in `4-Archive`.
fn unnumbered(word: &str) -> &str {
    let named = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_sorted = named.len() < word.len() && named.starts_with(['-', '_', '.']);
    match is_sorted {
        true => named.trim_start_matches(['-', '_', '.']),
        false => word,
    }
}

fn telling(text: &str) -> Vec<String> {
    let words = words::words(text);
    let lowered = words.map(|word| unnumbered(word.text).to_lowercase());
    let mut found: Vec<String> = lowered
        .filter(|word| {
            word.chars().count() >= CHARS_MIN
                && !word.chars().all(|c| c.is_numeric())
                && !is_stop_word_anywhere(word)
        })
        .collect();
    // A word with a number and the same without come one behind the other.
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tell_something_once() {
        assert_eq!(telling("The Roof of 2024, re-tiled"), ["roof", "tiled"]);
        assert_eq!(telling("4-Archive of 3dprints"), ["archive", "3dprints"]);
        let words = ["roofs", "roof", "tile"].map(str::to_owned);
        assert_eq!(distinct(words.into_iter()), ["roofs", "tile"]);
    }
}
