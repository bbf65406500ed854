//! How well links are suggested: a tenth of those that there are is hidden, beside two baselines.

use std::collections::HashSet;

use kenning::links::Files;
use kenning::note::{LinkKind, places};
use kenning::store::{Part, Store};

use super::Suggester;
use crate::error::Result;
use crate::library::Library;
use crate::page::edited;

/// One of so many links is hidden.
const ONE_OF: u64 = 10;

/// Figures of one way to suggest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// What it is.
    pub name: &'static str,
    /// Links that were hidden.
    pub n_links: usize,
    /// How many of them are among the first three suggestions for their notes.
    pub among_3: f64,
    /// How many are among the first ten.
    pub among_10: f64,
}

/// Hides links and counts how many are suggested.
pub fn measure(store: &Store, library: &Library) -> Result<Vec<Measured>> {
    let mut hidden: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut rest = library.clone();
    for source in 0..library.notes.len() {
        let is_hidden =
            |target: &usize| is_chosen(&library.notes[source].path, &library.notes[*target].path);
        let gone: Vec<usize> = library.links[source]
            .iter()
            .copied()
            .filter(is_hidden)
            .collect();
        rest.links[source].retain(|target| !gone.contains(target));
        if !gone.is_empty() {
            hidden.push((source, gone));
        }
    }
    let files = Files::new(store.files()?);
    let suggester = Suggester::new(&rest);
    let mut popular: Vec<usize> = (0..rest.notes.len()).collect();
    popular.sort_by_key(|&note| (std::cmp::Reverse(suggester.n_linking[note]), note));
    let names = [
        "ken, words of the link kept",
        "ken, words of the link gone",
        "nearest in meaning",
        "most linked",
    ];
    let mut measured = names.map(|name| Measured {
        name,
        ..Measured::default()
    });
    for (source, gone) in hidden {
        let known: HashSet<usize> = rest.links[source].iter().copied().chain([source]).collect();
        let text = store.text(library.notes[source].id, &Part::Whole)?;
        for (at, is_kept) in [(0, true), (1, false)] {
            let text = without_links(&text, &files, library, (source, &gone), is_kept);
            let found = suggester.of_note(source, &text, 10);
            measured[at].add(
                &found.iter().map(|found| found.target).collect::<Vec<_>>(),
                &gone,
            );
        }
        let nearest = rest.nearest(source, 10, |note| !known.contains(&note));
        measured[2].add(
            &nearest.iter().map(|(note, _)| *note).collect::<Vec<_>>(),
            &gone,
        );
        let linked = popular.iter().copied().filter(|note| !known.contains(note));
        measured[3].add(&linked.take(10).collect::<Vec<_>>(), &gone);
    }
    Ok(measured.map(Measured::mean).into())
}

impl Measured {
    fn add(&mut self, found: &[usize], gone: &[usize]) {
        let among = |n: usize| {
            gone.iter()
                .filter(|gone| found.iter().take(n).any(|found| found == *gone))
                .count()
        };
        self.n_links += gone.len();
        self.among_3 += among(3) as f64;
        self.among_10 += among(10) as f64;
    }

    fn mean(mut self) -> Self {
        let n = self.n_links.max(1) as f64;
        self.among_3 /= n;
        self.among_10 /= n;
        self
    }
}

/// Chooses links by their names alone, so that the same are hidden everywhere.
fn is_chosen(source: &str, target: &str) -> bool {
    let hash = blake3::hash(format!("{source}\n{target}").as_bytes());
    let number = hash.as_bytes()[..8]
        .iter()
        .fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    number % ONE_OF == 0
}

/// Returns a text whose links to some notes are words only, or nothing.
fn without_links(
    text: &str,
    files: &Files,
    library: &Library,
    (source, gone): (usize, &[usize]),
    is_kept: bool,
) -> String {
    let mut edits = Vec::new();
    for link in places(text).links {
        let target = files.resolve(&library.notes[source].path, &link.target);
        let target = target.and_then(|target| library.position(target));
        if !target.is_some_and(|target| gone.contains(&target)) || link.kind == LinkKind::Property {
            continue;
        }
        let whole = &text[link.whole.clone()];
        let shown = match link.kind {
            LinkKind::Markdown => whole
                .split("](")
                .next()
                .unwrap_or_default()
                .trim_start_matches(['!', '[']),
            _ => {
                let inner = whole.trim_start_matches("[[").trim_end_matches("]]");
                inner.rsplit('|').next().unwrap_or(inner)
            }
        };
        edits.push((
            link.whole,
            if is_kept {
                shown.to_owned()
            } else {
                String::new()
            },
        ));
    }
    // A picture in a link stands inside of it.
    edits.sort_by_key(|(range, _)| range.start);
    let mut end = 0;
    edits.retain(|(range, _)| {
        let is_apart = range.start >= end;
        end = end.max(range.end);
        is_apart
    });
    edited(text, edits)
}
