//! Which folder a text belongs into: that of the notes nearest in meaning, of those with the same words, of those it
//! links to, and of those with like titles, headings and properties. Pure but for the texts it learns from, and the same for
//! the same index.

mod pool;
mod ridge;
mod words;

use std::collections::{BTreeMap, HashMap};

use kenning::note::body_start;
use kenning::store::Part;

use super::around::{Around, Place};
use crate::error::Result;
use crate::library::{Known, Library, telling_words};
use crate::tags::taxonomy::is_form;
use pool::{Opinions, fitted, opinion, pooled, softmax};
use ridge::{Parts, Ridge};
use words::{Counts, FolderWords, counts};

/// How many kinds of evidence there are.
const N_KINDS: usize = 11;
/// The kinds of evidence, each with its reason for a person and what it counts as long as nothing is known of a vault.
const KINDS: [(&str, f32); N_KINDS] = [
    ("near in meaning to notes there", 0.35),
    ("in the words of notes there", 0.35),
    ("says what is said there", 0.6),
    ("titles and headings are alike", 0.35),
    ("says the name of the folder", 0.3),
    ("links to notes there", 0.1),
    ("notes there link to something of its name", 0.1),
    ("links to what notes there link to", 0.3),
    ("is linked along with notes there", 0.35),
    ("has properties like notes there", 0.7),
    ("is like notes there in all of this", 0.7),
];
/// Notes that have to be looked at before a vault says itself what counts.
const SAMPLE_MIN: usize = 20;
/// Nearest notes of each kind that have a say by themselves.
const N_VOTES: usize = 8;
/// Notes whose words are read, spread evenly.
const NOTES_READ_MAX: usize = 2_000;
/// Notes that all evidence together is learnt from, spread evenly: the work grows with their cube.
const NOTES_FITTED_MAX: usize = 700;
/// Longer values of properties are sentences, and no two are the same.
const PROPERTY_CHARS_MAX: usize = 30;
/// A folder that holds more than this share of all notes is the vault in the vault: those in it are meant.
const WHOLE_SHARE: f32 = 0.95;

/// A folder that a text could go into.
#[derive(Clone, Debug, PartialEq)]
pub struct Routed {
    /// The folder, below the vault; empty for the root.
    pub folder: String,
    /// How much speaks for it: all folders have 1 together.
    pub share: f32,
    /// Why, for a person.
    pub reason: String,
}

/// What is known of folders.
pub struct Router {
    /// The folders that there are to choose from.
    pub folders: Vec<String>,
    /// Which of them each note lies in.
    pub folder_of: Vec<Option<usize>>,
    n_notes: Vec<f32>,
    weights: [f32; N_KINDS],
    /// In how many notes of each folder a word of a title, or a heading, stands.
    names: Table,
    /// How many notes of each folder have a property.
    properties: Table,
    words: FolderWords,
    ridge: Ridge,
    /// Which notes link to each one.
    linking: Vec<Vec<usize>>,
}

/// For each feature, how many notes of each folder have it.
type Table = HashMap<String, Vec<f32>>;

impl Router {
    /// Learns where notes lie. Without a choice of folders, those at the top of the vault are meant.
    pub fn new(place: &Place<'_>, chosen: &[String], left_out: &[String]) -> Result<Self> {
        let library = place.library;
        let folders = match chosen.is_empty() {
            true => top_folders(library, left_out),
            false => chosen
                .iter()
                .map(|folder| folder.trim_matches('/').to_owned())
                .collect(),
        };
        let folder_of: Vec<Option<usize>> = (library.notes.iter())
            .map(|note| longest(&folders, &note.path))
            .collect();
        let read = read_words(place, &folder_of)?;
        let mut linking = vec![Vec::new(); library.notes.len()];
        for (at, targets) in library.links.iter().enumerate() {
            targets.iter().for_each(|&target| linking[target].push(at));
        }
        let mut router = Self {
            n_notes: vec![0.0; folders.len()],
            weights: KINDS.map(|(_, weight)| weight),
            names: Table::new(),
            properties: Table::new(),
            ridge: Ridge::new(&parts_of(library, &linking, &read), folders.len()),
            words: FolderWords::new(read, folders.len()),
            linking,
            folder_of,
            folders,
        };
        for (at, note) in library.notes.iter().enumerate() {
            if let Some(folder) = router.folder_of[at] {
                router.count(note, folder);
            }
        }
        Ok(router)
    }

    fn count(&mut self, note: &Known, folder: usize) {
        let n_folders = self.n_notes.len();
        self.n_notes[folder] += 1.0;
        let names = names_of(&note.title, &note.headings);
        for (table, features) in [
            (&mut self.names, names),
            (&mut self.properties, properties_of(&note.properties)),
        ] {
            for feature in features {
                let counts = table.entry(feature);
                counts.or_insert_with(|| vec![0.0; n_folders])[folder] += 1.0;
            }
        }
    }

    /// Learns from some notes, each looked at as if it were not there, what each kind of evidence is worth in this vault.
    pub fn learn<'b>(
        &mut self,
        library: &Library,
        sample: impl Iterator<Item = &'b (usize, Around)>,
    ) {
        let opinions = |(at, around): &(usize, Around)| {
            let own = self.folder_of[*at]?;
            Some((own, self.opinions(library, around, Some(*at))))
        };
        let notes: Vec<(usize, Opinions<N_KINDS>)> = sample.filter_map(opinions).collect();
        let usual = KINDS.map(|(_, weight)| weight);
        if notes.len() >= SAMPLE_MIN && self.folders.len() > 1 {
            self.weights = fitted(&notes, &usual);
        }
    }

    /// Returns what each kind of evidence says of each folder.
    fn opinions(
        &self,
        library: &Library,
        around: &Around,
        hidden: Option<usize>,
    ) -> Opinions<N_KINDS> {
        let each = |notes: &[usize]| notes.iter().map(|at| (*at, 1.0)).collect::<Vec<_>>();
        let own = hidden.and_then(|at| Some((at, self.folder_of[at]?)));
        let known = own.map(|(at, folder)| (folder, &library.notes[at]));
        let title = around.title_words.join(" ");
        let asked = [
            counts(&around.title_words, &around.words),
            counts(&[], &around.title_words),
            linked_parts(None, &around.linked, &around.called_by),
            counts(&[], &around.properties),
        ];
        let names = names_of(&title, &around.headings);
        let own_names = known.map(|(folder, note)| (folder, names_of(&note.title, &note.headings)));
        let own_properties = known.map(|(folder, note)| (folder, properties_of(&note.properties)));
        [
            self.votes(&around.near),
            self.votes(&around.alike),
            self.words
                .votes(&counts(&around.title_words, &around.words), own),
            self.bayes(&self.names, &names, own_names),
            self.folder_names(around),
            self.votes(&each(&around.linked)),
            self.votes(&each(&around.called_by)),
            self.beside(&around.linked, &self.linking, hidden),
            self.beside(&around.called_by, &library.links, hidden),
            self.bayes(&self.properties, &around.properties, own_properties),
            self.ridge.votes(&asked, self.folders.len(), hidden),
        ]
        .map(|votes| opinion(&votes))
    }

    /// Says which folders a text could go into, the best first; `hidden` is a note that does not count.
    pub fn route(&self, library: &Library, around: &Around, hidden: Option<usize>) -> Vec<Routed> {
        let opinions = self.opinions(library, around, hidden);
        let shares = pooled(&opinions, &self.weights);
        let reason = |folder: usize| {
            let each = opinions.iter().zip(KINDS).zip(self.weights);
            let speaks = each.filter(|((opinion, _), weight)| {
                *weight > 0.0 && opinion[folder].exp() > 0.4 && opinion.len() > 1
            });
            let told: Vec<&str> = speaks.map(|((_, (reason, _)), _)| reason).collect();
            told.join("; ")
        };
        let mut routed: Vec<Routed> = (shares.iter().enumerate())
            .map(|(folder, share)| Routed {
                folder: self.folders[folder].clone(),
                share: *share,
                reason: reason(folder),
            })
            .collect();
        routed.sort_by(|a, b| {
            b.share
                .total_cmp(&a.share)
                .then_with(|| a.folder.cmp(&b.folder))
        });
        routed
    }

    /// Notes that stand beside a text vote: those that link where it does, or are linked where it is. Where many do, each
    /// says little.
    fn beside(&self, shared: &[usize], around: &[Vec<usize>], hidden: Option<usize>) -> Vec<f32> {
        let mut votes = vec![0.0f32; self.folders.len()];
        for &one in shared {
            let others = &around[one];
            let weight = 1.0 / (2.0 + others.len() as f32).ln();
            for &other in others.iter().filter(|other| Some(**other) != hidden) {
                if let Some(folder) = self.folder_of[other] {
                    votes[folder] += weight;
                }
            }
        }
        votes
    }

    /// The nearest notes vote by how near they are; all that are near at all do, too, but a small folder counts as much as
    /// a large one.
    fn votes(&self, notes: &[(usize, f32)]) -> Vec<f32> {
        let placed = notes
            .iter()
            .filter_map(|(at, near)| Some((self.folder_of[*at]?, *near)));
        let placed: Vec<(usize, f32)> = placed.collect();
        let mut first = vec![0.0f32; self.folders.len()];
        let mut even = vec![0.0f32; self.folders.len()];
        for (at, (folder, near)) in placed.into_iter().enumerate() {
            if at < N_VOTES {
                first[folder] += near.powi(6);
            }
            even[folder] += near * near / (1.0 + self.n_notes[folder]).sqrt();
        }
        let share = |votes: &[f32]| votes.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let (n_first, n_even) = (share(&first), share(&even));
        let both = first.iter().zip(&even);
        both.map(|(first, even)| first / n_first + 0.5 * even / n_even)
            .collect()
    }

    /// How often the text says what a folder is called, above all in its title.
    fn folder_names(&self, around: &Around) -> Vec<f32> {
        let score = |folder: &String| {
            let name = folder.rsplit('/').next().unwrap_or_default();
            let words = telling_words(&name.replace(['-', '_'], " "));
            let n = words.len().max(1) as f32;
            let in_title = words
                .iter()
                .filter(|word| around.title_words.iter().any(|other| is_form(word, other)));
            let in_text = match words.is_empty() {
                true => 0,
                false => {
                    let text = around.words.windows(words.len());
                    text.filter(|window| *window == words.as_slice()).count()
                }
            };
            let often = in_text as f32 * n * 20.0 / around.words.len().max(1) as f32;
            1.5 * in_title.count() as f32 / n + often.min(1.0)
        };
        self.folders.iter().map(score).collect()
    }

    /// Bayes' rule over features; those of the note that does not count, and its folder, are taken off.
    fn bayes(
        &self,
        table: &Table,
        features: &[String],
        hidden: Option<(usize, Vec<String>)>,
    ) -> Vec<f32> {
        let n_all: f32 = self.n_notes.iter().sum();
        let is_own = |folder: usize| hidden.as_ref().is_some_and(|(own, _)| *own == folder);
        let n_of = |folder: usize| self.n_notes[folder] - f32::from(u8::from(is_own(folder)));
        let mut scores: Vec<f32> = (0..self.folders.len())
            .map(|folder| (n_of(folder) / n_all.max(1.0)).ln())
            .collect();
        let mut is_known = false;
        for feature in features {
            let Some(counts) = table.get(feature) else {
                continue;
            };
            let has = hidden
                .as_ref()
                .is_some_and(|(_, own)| own.contains(feature));
            let own = f32::from(u8::from(has));
            // What no other note has tells nothing of any folder.
            if counts.iter().sum::<f32>() - own <= 0.0 {
                continue;
            }
            is_known = true;
            for (folder, score) in scores.iter_mut().enumerate() {
                let less = if is_own(folder) { own } else { 0.0 };
                *score += ((counts[folder] - less + 0.2) / (n_of(folder) + 1.0)).ln();
            }
        }
        match is_known {
            true => softmax(&scores),
            false => vec![0.0; scores.len()],
        }
    }
}

/// Reads the words of notes that lie in folders.
fn read_words(
    place: &Place<'_>,
    folder_of: &[Option<usize>],
) -> Result<Vec<(usize, usize, Counts)>> {
    let placed: Vec<(usize, usize)> = (folder_of.iter().enumerate())
        .filter_map(|(at, folder)| Some((at, (*folder)?)))
        .collect();
    let step = placed.len().div_ceil(NOTES_READ_MAX).max(1);
    let mut notes: Vec<(usize, usize, Counts)> = Vec::new();
    for &(at, folder) in placed.iter().step_by(step) {
        let note = &place.library.notes[at];
        let text = place.store.text(note.id, &Part::Whole)?;
        let body = text.get(body_start(&text)..).unwrap_or_default();
        let counts = counts(&telling_words(&note.title), &telling_words(body));
        notes.push((at, folder, counts));
    }
    Ok(notes)
}

/// Returns what notes are made of, of some of those whose words were read.
fn parts_of(
    library: &Library,
    linking: &[Vec<usize>],
    read: &[(usize, usize, Counts)],
) -> Vec<(usize, usize, Parts)> {
    let step = read.len().div_ceil(NOTES_FITTED_MAX).max(1);
    let parts = |(at, folder, words): &(usize, usize, Counts)| {
        let note = &library.notes[*at];
        let parts = [
            words.clone(),
            counts(&[], &telling_words(&note.title)),
            linked_parts(Some(*at), &library.links[*at], &linking[*at]),
            counts(&[], &properties_of(&note.properties)),
        ];
        (*at, *folder, parts)
    };
    read.iter().step_by(step).map(parts).collect()
}

/// Returns links as features: a note has its own name, so that it is like those that it links to.
fn linked_parts(own: Option<usize>, links: &[usize], linked_by: &[usize]) -> Counts {
    let to = links
        .iter()
        .copied()
        .chain(own)
        .map(|at| format!("to {at}"));
    let by = linked_by.iter().copied().chain(own);
    let by = by.map(|at| format!("by {at}"));
    to.chain(by).map(|name| (name, 1.0)).collect()
}

/// Returns what a note's properties are recognised by: names, short values, and what paths begin with.
pub(crate) fn properties_of(
    properties: &serde_json::Map<String, serde_json::Value>,
) -> Vec<String> {
    use serde_json::Value;
    let mut features = Vec::new();
    for (name, value) in properties {
        features.push(name.clone());
        let values = match value {
            Value::Array(values) => values.iter().collect(),
            value => vec![value],
        };
        for value in values {
            match value {
                Value::Bool(value) => features.push(format!("{name}={value}")),
                Value::String(text) => {
                    let begins = text
                        .split_once('/')
                        .map_or(text.as_str(), |(first, _)| first);
                    if begins.chars().count() <= PROPERTY_CHARS_MAX {
                        features.push(format!("{name}={}", begins.to_lowercase()));
                    }
                }
                _ => {}
            }
        }
    }
    features.sort();
    features.dedup();
    features
}

fn names_of(title: &str, headings: &[String]) -> Vec<String> {
    let mut words: Vec<String> = telling_words(title)
        .iter()
        .map(|word| format!("t {word}"))
        .collect();
    words.extend(headings.iter().map(|heading| format!("h {heading}")));
    words.sort();
    words.dedup();
    words
}

/// Returns the innermost of some folders that a path lies in.
fn longest(folders: &[String], path: &str) -> Option<usize> {
    let is_in = |folder: &String| {
        folder.is_empty()
            || path
                .strip_prefix(folder.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
    };
    let found = folders
        .iter()
        .enumerate()
        .filter(|(_, folder)| is_in(folder));
    found
        .max_by_key(|(_, folder)| folder.len())
        .map(|(at, _)| at)
}

/// Returns the folders at the top of the vault, or of the one folder that has nearly everything in it.
fn top_folders(library: &Library, left_out: &[String]) -> Vec<String> {
    let mut above = String::new();
    loop {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut n_notes = 0usize;
        for note in &library.notes {
            let Some(rest) = note.path.strip_prefix(above.as_str()) else {
                continue;
            };
            n_notes += 1;
            if let Some((folder, _)) = rest.split_once('/') {
                *counts.entry(folder).or_default() += 1;
            }
        }
        let whole = counts
            .iter()
            .find(|(_, n)| **n as f32 > WHOLE_SHARE * n_notes as f32);
        if let Some((folder, _)) = whole {
            above = format!("{above}{folder}/");
            continue;
        }
        let mut folders: Vec<String> = counts
            .keys()
            .map(|folder| format!("{above}{folder}"))
            .collect();
        folders.retain(|folder| !left_out.iter().any(|out| out.trim_matches('/') == folder));
        if folders.is_empty() {
            folders.push(above.trim_end_matches('/').to_owned());
        }
        return folders;
    }
}
