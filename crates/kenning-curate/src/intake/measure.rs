//! How well intake does: notes are routed as if they were not there yet, and edited copies of notes are to be known
//! again. Only for measuring.

use std::collections::BTreeMap;

use super::around::Place;
use super::route::Router;
use super::{note_item, prints::Prints};
use crate::duplicate::Print;
use crate::error::Result;

/// Parts that the notes are divided into.
const N_FOLDS: usize = 5;

/// How often one way of routing is right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routing {
    /// What was measured.
    pub name: &'static str,
    /// Notes that were routed.
    pub n_notes: usize,
    /// The share that went into its own folder.
    pub right: f64,
    /// The share whose own folder was among the first three.
    pub among_3: f64,
}

/// Routes notes back, one after the other, as if it were not there; at most `n_notes`, spread evenly.
pub fn routing(place: &Place<'_>, folders: &[String], n_notes: usize) -> Result<Vec<Routing>> {
    let library = place.library;
    let routers = routers(place, folders)?;
    let router = &routers[0];
    let placed: Vec<usize> = (0..library.notes.len())
        .filter(|&at| router.folder_of[at].is_some() && library.notes[at].path.ends_with(".md"))
        .collect();
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    placed
        .iter()
        .filter_map(|at| router.folder_of[*at])
        .for_each(|folder| *counts.entry(folder).or_default() += 1);
    let mut ways = [
        "ken",
        "most frequent",
        "nearest by BM25",
        "nearest in meaning",
    ]
    .map(|name| Routing {
        name,
        ..Routing::default()
    });
    let step = placed.len().div_ceil(n_notes.max(1)).max(1);
    for &at in placed.iter().step_by(step) {
        let Some(own) = router.folder_of[at] else {
            continue;
        };
        let item = note_item(place.store, library, at)?;
        let around = place.around(&item, Some(at))?;
        let routed = routers[part_of(at)].route(library, &around, Some(at));
        let of_name = |name: &String| router.folders.iter().position(|folder| folder == name);
        let routed: Vec<usize> = routed
            .iter()
            .filter_map(|routed| of_name(&routed.folder))
            .collect();
        ways[0].add(&routed, own);
        let mut frequent: Vec<(usize, usize)> =
            counts.iter().map(|(folder, n)| (*folder, *n)).collect();
        if let Some(entry) = frequent.iter_mut().find(|(folder, _)| *folder == own) {
            entry.1 -= 1;
        }
        frequent.sort_by_key(|(folder, n)| (std::cmp::Reverse(*n), *folder));
        ways[1].add(
            &frequent
                .iter()
                .map(|(folder, _)| *folder)
                .collect::<Vec<_>>(),
            own,
        );
        for (way, list) in [(2, &around.alike), (3, &around.near)] {
            let mut near: Vec<usize> = list
                .iter()
                .filter_map(|(other, _)| router.folder_of[*other])
                .collect();
            let mut seen = Vec::new();
            near.retain(|folder| {
                !seen.contains(folder) && {
                    seen.push(*folder);
                    true
                }
            });
            ways[way].add(&near, own);
        }
    }
    Ok(ways.map(Routing::mean).into())
}

/// Says which part a note belongs to, whatever distance the notes of a sample have.
fn part_of(at: usize) -> usize {
    (at.wrapping_mul(0x9E37_79B1) >> 16) % N_FOLDS
}

/// Returns who routes each part of the notes: weights come from other notes than those that they are tried on.
fn routers(place: &Place<'_>, folders: &[String]) -> Result<Vec<Router>> {
    let sample = super::sample(place)?;
    let router = |fold: usize| {
        let mut router = Router::new(place, folders, &[])?;
        let others = sample.iter().filter(|(at, _)| part_of(*at) != fold);
        router.learn(place.library, others);
        Ok(router)
    };
    (0..N_FOLDS).map(router).collect()
}

impl Routing {
    fn add(&mut self, folders: &[usize], own: usize) {
        self.n_notes += 1;
        self.right += f64::from(u8::from(folders.first() == Some(&own)));
        self.among_3 += f64::from(u8::from(
            folders.iter().take(3).any(|folder| *folder == own),
        ));
    }

    fn mean(mut self) -> Self {
        self.right /= self.n_notes.max(1) as f64;
        self.among_3 /= self.n_notes.max(1) as f64;
        self
    }
}

/// How well edited copies are known again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Doubles {
    /// Percent of the words that were edited.
    pub percent: usize,
    /// Copies that were made.
    pub n_copies: usize,
    /// The share of what was said to be a copy that was one of that note.
    pub precision: f64,
    /// The share of the copies that were found.
    pub recall: f64,
    /// The same where nothing is said but for texts that count as the same.
    pub recall_same: f64,
    /// Milliseconds for one, on average.
    pub ms: f64,
}

/// Edits copies of notes (words replaced, deleted or doubled in turn) and looks for their originals. `clock` returns
/// milliseconds.
pub fn doubles(
    place: &Place<'_>,
    prints: &Prints,
    n_notes: usize,
    clock: &dyn Fn() -> f64,
) -> Result<Vec<Doubles>> {
    let library = place.library;
    let step = library.notes.len().div_ceil(n_notes.max(1)).max(1);
    let mut all = Vec::new();
    for percent in [0, 5, 10, 20] {
        let mut doubles = Doubles {
            percent,
            ..Doubles::default()
        };
        let (mut n_found, mut n_right, mut n_same) = (0usize, 0usize, 0usize);
        for at in (0..library.notes.len()).step_by(step) {
            let text = note_item(place.store, library, at)?.text;
            // What has hardly a word is nothing that could be known again.
            if text.split_whitespace().count() < 30 {
                continue;
            }
            let copy = Print::of(&edited(&text, percent, at as u64));
            let started = clock();
            let found = prints.like(&copy, None);
            doubles.ms += clock() - started;
            doubles.n_copies += 1;
            if let Some((path, share)) = found {
                n_found += 1;
                n_right += usize::from(path == library.notes[at].path);
                n_same += usize::from(path == library.notes[at].path && share >= super::SAME);
            }
        }
        let share = |n: usize, of: usize| n as f64 / of.max(1) as f64;
        doubles.precision = share(n_right, n_found);
        doubles.recall = share(n_right, doubles.n_copies);
        doubles.recall_same = share(n_same, doubles.n_copies);
        doubles.ms /= doubles.n_copies.max(1) as f64;
        all.push(doubles);
    }
    Ok(all)
}

/// Edits some of the words of a text, the same ones each time.
fn edited(text: &str, percent: usize, seed: u64) -> String {
    let mut number = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut roll = |n: u64| {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (number >> 33) % n
    };
    let mut out = String::with_capacity(text.len());
    for word in text.split_inclusive(char::is_whitespace) {
        match (roll(100) < percent as u64, roll(3)) {
            (true, 0) => out.push_str(&format!("other{} ", roll(1000))),
            (true, 1) => {}
            (true, _) => {
                out.push_str(word);
                out.push_str(word);
            }
            (false, _) => out.push_str(word),
        }
    }
    out
}
