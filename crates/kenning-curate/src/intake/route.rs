//! Which folder a text belongs into: that of the notes nearest in meaning, of those with the same words, of those it
//! links to, and of those with like titles and headings. Pure, and the same for the same index.

use std::collections::{BTreeMap, HashMap};

use super::around::Around;
use crate::library::{Library, telling_words};
use crate::tags::taxonomy::is_form;

/// The kinds of evidence, each with its reason for a person.
const REASONS: [&str; 6] = [
    "near in meaning to notes there",
    "in the words of notes there",
    "titles and headings are alike",
    "says the name of the folder",
    "links to notes there",
    "notes there link to something of its name",
];
/// What each of them counts as long as nothing is known of a vault.
const WEIGHTS: [f32; 6] = [0.7, 0.9, 0.5, 0.8, 0.5, 0.4];
/// Notes that have to be looked at before a vault says itself what counts.
const SAMPLE_MIN: usize = 20;
/// Nearest notes of each kind that have a say by themselves.
const N_VOTES: usize = 8;
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
    weights: [f32; 6],
    /// In how many notes of each folder a word of a title or heading stands.
    names: HashMap<String, Vec<f32>>,
}

impl Router {
    /// Learns where notes lie. Without a choice of folders, those at the top of the vault are meant.
    pub fn new(library: &Library, chosen: &[String], left_out: &[String]) -> Self {
        let folders = match chosen.is_empty() {
            true => top_folders(library, left_out),
            false => chosen
                .iter()
                .map(|folder| folder.trim_matches('/').to_owned())
                .collect(),
        };
        let folder_of = library
            .notes
            .iter()
            .map(|note| longest(&folders, &note.path));
        let mut router = Self {
            folder_of: folder_of.collect(),
            n_notes: vec![0.0; folders.len()],
            weights: WEIGHTS,
            names: HashMap::new(),
            folders,
        };
        for (at, note) in library.notes.iter().enumerate() {
            let Some(folder) = router.folder_of[at] else {
                continue;
            };
            router.n_notes[folder] += 1.0;
            for word in names_of(&note.title, &note.headings) {
                let counts = router.names.entry(word);
                counts.or_insert_with(|| vec![0.0; router.n_notes.len()])[folder] += 1.0;
            }
        }
        router
    }

    /// Learns from some notes what each kind of evidence is worth in this vault: by how often it alone is right, as
    /// in boosting of several classes (Zhu, Zou, Rosset and Hastie, 2009).
    pub fn learn(&mut self, library: &Library, sample: &[(usize, Around)]) {
        let mut n_right = [0.0f32; 6];
        let mut n = 0.0f32;
        for (at, around) in sample {
            let Some(own) = self.folder_of[*at] else {
                continue;
            };
            n += 1.0;
            for (right, votes) in n_right
                .iter_mut()
                .zip(self.evidence(library, around, Some(*at)))
            {
                let best = (0..votes.len()).max_by(|&a, &b| votes[a].total_cmp(&votes[b]));
                *right += f32::from(u8::from(best == Some(own) && votes[own] > 0.0));
            }
        }
        if (n as usize) < SAMPLE_MIN || self.folders.len() < 2 {
            return;
        }
        let n_others = (self.folders.len() - 1) as f32;
        self.weights = n_right.map(|right| {
            let share = (right + 0.5) / (n + 1.0);
            ((share / (1.0 - share)).ln() + n_others.ln()).max(0.0)
        });
    }

    /// Returns how much each kind of evidence speaks for each folder.
    fn evidence(&self, library: &Library, around: &Around, hidden: Option<usize>) -> [Vec<f32>; 6] {
        let each = |notes: &[usize]| notes.iter().map(|at| (*at, 1.0)).collect::<Vec<_>>();
        [
            self.votes(&around.near),
            self.votes(&around.alike),
            self.names(library, around, hidden),
            self.folder_names(around),
            self.votes(&each(&around.linked)),
            self.votes(&each(&around.called_by)),
        ]
    }

    /// Says which folders a text could go into, the best first; `hidden` is a note that does not count.
    pub fn route(&self, library: &Library, around: &Around, hidden: Option<usize>) -> Vec<Routed> {
        let mut scores = vec![0.0f32; self.folders.len()];
        let mut reasons: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        let evidence = self.evidence(library, around, hidden);
        for ((votes, weight), reason) in evidence.into_iter().zip(self.weights).zip(REASONS) {
            let whole: f32 = votes.iter().sum();
            for (folder, vote) in votes.iter().enumerate().filter(|(_, vote)| **vote > 0.0) {
                scores[folder] += weight * vote / whole;
                if vote / whole > 0.4 {
                    reasons.entry(folder).or_default().push(reason);
                }
            }
        }
        let whole: f32 = scores.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let mut routed: Vec<Routed> = (scores.iter().enumerate())
            .map(|(folder, score)| Routed {
                folder: self.folders[folder].clone(),
                share: score / whole,
                reason: reasons.remove(&folder).unwrap_or_default().join("; "),
            })
            .collect();
        routed.sort_by(|a, b| {
            b.share
                .total_cmp(&a.share)
                .then_with(|| a.folder.cmp(&b.folder))
        });
        routed
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

    /// Bayes' rule over the words of titles and headings.
    fn names(&self, library: &Library, around: &Around, hidden: Option<usize>) -> Vec<f32> {
        let own = hidden.and_then(|at| Some((self.folder_of[at]?, &library.notes[at])));
        let own_words = own
            .map(|(_, note)| names_of(&note.title, &note.headings))
            .unwrap_or_default();
        let title = around.title_words.join(" ");
        let n_all: f32 = self.n_notes.iter().sum();
        let words = names_of(&title, &around.headings);
        let score = |folder: usize| {
            let is_own = own.is_some_and(|(own, _)| own == folder);
            let n = self.n_notes[folder] - if is_own { 1.0 } else { 0.0 };
            if n <= 0.0 {
                return f32::NEG_INFINITY;
            }
            let mut sum = (n / n_all.max(1.0)).ln();
            for word in &words {
                let Some(counts) = self.names.get(word) else {
                    continue;
                };
                // The note itself counts nowhere: what no other note says tells nothing of any folder.
                let own = if own_words.contains(word) { 1.0 } else { 0.0 };
                if counts.iter().sum::<f32>() - own > 0.0 {
                    let less = if is_own { own } else { 0.0 };
                    sum += ((counts[folder] - less + 0.2) / (n + 1.0)).ln();
                }
            }
            sum
        };
        let scores: Vec<f32> = (0..self.folders.len()).map(score).collect();
        let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        match best.is_finite() {
            true => scores.iter().map(|score| (score - best).exp()).collect(),
            false => vec![0.0; scores.len()],
        }
    }
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
