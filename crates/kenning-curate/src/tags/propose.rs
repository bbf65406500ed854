//! Proposes tags for a note: those of the notes nearest in meaning, those whose notes lie around it, those of notes with
//! the same headings, words and folders, and those it names itself. Pure, and the same for the same index.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::taxonomy::Vocabulary;
use crate::library::{Library, cosine, telling_words, unit};

/// Most tags that are proposed for a note.
pub const PROPOSALS_MAX: usize = 5;
/// Proposals that are surer than this are made.
pub const CONFIDENCE_MIN: f32 = 0.25;
/// Nearest notes that have a say.
const N_NEAREST: usize = 15;

/// What each kind of evidence counts. Set by hand and not fitted; what they reach is in docs/benchmarks.md.
const NEAREST: f32 = 0.45;
const SHAPE: f32 = 0.35;
const CENTRE: f32 = 0.10;
const NAMED: f32 = 0.30;

/// A tag that a note could have.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The tag.
    pub tag: String,
    /// How sure it is, from 0 to 1.
    pub confidence: f32,
    /// Why, for a person.
    pub reason: String,
}

/// What is known of the tags of all notes.
pub struct Proposer<'a> {
    library: &'a Library,
    vocabulary: &'a Vocabulary,
    /// Tags of each note that may be proposed.
    tags: Vec<Vec<String>>,
    /// How many notes have a tag, and have it with a feature.
    n_notes: BTreeMap<String, f32>,
    with_feature: HashMap<(String, String), f32>,
    features: Vec<Vec<String>>,
    /// Sum of the vectors of a tag's notes.
    sums: BTreeMap<String, Vec<f32>>,
}

impl<'a> Proposer<'a> {
    /// Learns from the tags that notes have; `tags_of` says which of them count.
    pub fn new(
        library: &'a Library,
        vocabulary: &'a Vocabulary,
        tags_of: impl Fn(usize) -> Vec<String>,
    ) -> Self {
        let mut proposer = Self {
            library,
            vocabulary,
            tags: (0..library.notes.len()).map(tags_of).collect(),
            n_notes: BTreeMap::new(),
            with_feature: HashMap::new(),
            features: (0..library.notes.len())
                .map(|note| features(library, note))
                .collect(),
            sums: BTreeMap::new(),
        };
        for note in 0..library.notes.len() {
            proposer.count(note, 1.0);
        }
        proposer
    }

    /// Adds a note to what is known, or takes it off.
    fn count(&mut self, note: usize, sign: f32) {
        let vector = &self.library.notes[note].vector;
        for tag in self.tags[note].clone() {
            *self.n_notes.entry(tag.clone()).or_default() += sign;
            for feature in &self.features[note] {
                let key = (tag.clone(), feature.clone());
                *self.with_feature.entry(key).or_default() += sign;
            }
            let sum = self
                .sums
                .entry(tag)
                .or_insert_with(|| vec![0.0; vector.len()]);
            sum.iter_mut()
                .zip(vector)
                .for_each(|(sum, value)| *sum += sign * value);
        }
    }

    /// Proposes tags for a note as if it had none, the surest first.
    pub fn propose(&mut self, note: usize) -> Vec<Proposal> {
        let mut proposals = self.all(note);
        proposals.truncate(PROPOSALS_MAX);
        proposals
    }

    /// The same for a note whose neighbours are known already, the nearest first, with how near they are.
    pub fn propose_near(&mut self, note: usize, nearest: &[(usize, f32)]) -> Vec<Proposal> {
        let mut proposals = self.all_near(note, nearest);
        proposals.truncate(PROPOSALS_MAX);
        proposals
    }

    /// Returns every tag that anything speaks for, the surest first.
    pub fn all(&mut self, note: usize) -> Vec<Proposal> {
        let has_tags = |other: usize| !self.tags[other].is_empty();
        let nearest = self.library.nearest(note, N_NEAREST, has_tags);
        self.all_near(note, &nearest)
    }

    fn all_near(&mut self, note: usize, nearest: &[(usize, f32)]) -> Vec<Proposal> {
        self.count(note, -1.0);
        let mut found: BTreeMap<String, (f32, String)> = BTreeMap::new();
        let mut add = |tag: &str, score: f32, reason: String| {
            let (sum, reasons) = found.entry(tag.to_owned()).or_default();
            *sum += score;
            if !reason.is_empty() {
                let gap = if reasons.is_empty() { "" } else { "; " };
                reasons.push_str(gap);
                reasons.push_str(&reason);
            }
        };
        self.by_nearest(note, nearest, &mut add);
        self.by_shape(note, &mut add);
        self.by_name(note, &mut add);
        self.count(note, 1.0);
        let mut proposals: Vec<Proposal> = (found.into_iter())
            .map(|(tag, (score, reason))| Proposal {
                tag,
                confidence: score.clamp(0.0, 1.0),
                reason,
            })
            .collect();
        proposals.sort_by(|a, b| {
            b.confidence
                .total_cmp(&a.confidence)
                .then_with(|| a.tag.cmp(&b.tag))
        });
        proposals
    }

    fn by_nearest(
        &self,
        note: usize,
        nearest: &[(usize, f32)],
        add: &mut impl FnMut(&str, f32, String),
    ) {
        let nearest: Vec<(usize, f32)> = (nearest.iter().copied())
            .filter(|(other, _)| !self.tags[*other].is_empty())
            .collect();
        let weight = |near: f32| near.max(0.0).powi(3);
        let whole: f32 = nearest.iter().map(|(_, near)| weight(*near)).sum();
        let mut shares: BTreeMap<&str, (f32, usize)> = BTreeMap::new();
        for (other, near) in &nearest {
            for tag in &self.tags[*other] {
                let (share, n) = shares.entry(tag).or_default();
                *share += weight(*near) / whole.max(f32::MIN_POSITIVE);
                *n += 1;
            }
        }
        let own = &self.library.notes[note].vector;
        for (tag, (share, n)) in shares {
            let mut middle = self.sums.get(tag).cloned().unwrap_or_default();
            unit(&mut middle);
            let around = cosine(own, &middle).max(0.0);
            let reason = format!("{n} of the {} nearest notes have it", nearest.len());
            add(tag, NEAREST * share + CENTRE * around, reason);
        }
    }

    /// Bayes' rule over headings, words of the title and folders.
    fn by_shape(&self, note: usize, add: &mut impl FnMut(&str, f32, String)) {
        let n_all: f32 = self.n_notes.values().sum();
        let scores: Vec<(&String, f32)> = (self.n_notes.iter())
            .filter(|(_, n)| **n > 0.5)
            .map(|(tag, n)| {
                let likelihood = |feature: &String| {
                    let key = (tag.clone(), feature.clone());
                    let with = self.with_feature.get(&key).copied().unwrap_or(0.0);
                    ((with + 0.1) / (n + 1.0)).ln()
                };
                let features: f32 = self.features[note].iter().map(likelihood).sum();
                (tag, (n / n_all).ln() + features)
            })
            .collect();
        let best = scores
            .iter()
            .map(|(_, score)| *score)
            .fold(f32::NEG_INFINITY, f32::max);
        let whole: f32 = scores.iter().map(|(_, score)| (score - best).exp()).sum();
        for (tag, score) in scores {
            let share = (score - best).exp() / whole;
            if share > 0.05 {
                add(
                    tag,
                    SHAPE * share,
                    "its headings, words and folder are like theirs".to_owned(),
                );
            }
        }
    }

    fn by_name(&self, note: usize, add: &mut impl FnMut(&str, f32, String)) {
        let known = &self.library.notes[note];
        let of_title: HashSet<String> = telling_words(&known.title).into_iter().collect();
        let headings = known.headings.join(" ");
        let of_headings: HashSet<String> = telling_words(&headings).into_iter().collect();
        for entry in &self.vocabulary.entries {
            let last = entry.tag.rsplit('/').next().unwrap_or(&entry.tag);
            for name in entry.synonyms.iter().map(String::as_str).chain([last]) {
                let words = telling_words(&name.replace(['-', '_', '/'], " "));
                let is_in = |there: &HashSet<String>| {
                    !words.is_empty() && words.iter().all(|word| there.contains(word))
                };
                if is_in(&of_title) {
                    add(
                        &entry.tag.to_lowercase(),
                        NAMED,
                        format!("its title says {name:?}"),
                    );
                    break;
                }
                if is_in(&of_headings) {
                    let reason = format!("a heading says {name:?}");
                    add(&entry.tag.to_lowercase(), NAMED / 2.0, reason);
                    break;
                }
            }
        }
    }
}

/// Returns what a note is recognised by beside its meaning.
fn features(library: &Library, note: usize) -> Vec<String> {
    let known = &library.notes[note];
    let mut features: Vec<String> = (known.headings.iter())
        .map(|heading| format!("h {heading}"))
        .collect();
    features.extend(
        telling_words(&known.title)
            .iter()
            .map(|word| format!("w {word}")),
    );
    features.extend(
        known
            .path
            .match_indices('/')
            .map(|(at, _)| format!("d {}", &known.path[..at])),
    );
    features.push(format!("n {}", known.path.matches('/').count()));
    features.push(format!("m {}", known.headings.len().min(12)));
    features.sort();
    features.dedup();
    features
}
