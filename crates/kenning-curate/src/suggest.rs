//! Links that could be there and are not: notes that are near in meaning, named in the text, or linked by the same others;
//! with the sentence in which the link could stand. And notes that nobody links to.

pub mod measure;
mod mention;

use std::collections::{BTreeMap, HashMap};

use kenning::store::{Part, Store};

use crate::error::Result;
use crate::library::Library;
pub use mention::{Mention, add_link};
use mention::{Names, mentions};

/// Nearest notes of each that are looked at.
const N_NEAREST: usize = 30;
/// What each kind of evidence counts.
const NEAR: f32 = 1.0;
const NAMED: f32 = 0.9;
const SHARED: f32 = 0.35;
const KNOWN: f32 = 0.1;

/// A link that could be there.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// Position of the note that it would stand in.
    pub source: usize,
    /// Position of the note that it would lead to.
    pub target: usize,
    /// How much speaks for it.
    pub score: f32,
    /// Why, for a person.
    pub reason: String,
    /// Where it could stand, if the text names the target.
    pub mention: Option<Mention>,
}

/// What is known of links and names of all notes.
pub struct Suggester<'a> {
    library: &'a Library,
    names: Names,
    /// Which notes each one links to or is linked from.
    around: Vec<Vec<usize>>,
    n_linking: Vec<usize>,
}

impl<'a> Suggester<'a> {
    /// Learns from the links that there are.
    pub fn new(library: &'a Library) -> Self {
        let mut around = library.links.clone();
        let mut n_linking = vec![0; library.notes.len()];
        for (source, targets) in library.links.iter().enumerate() {
            for &target in targets {
                n_linking[target] += 1;
                if !around[target].contains(&source) {
                    around[target].push(source);
                }
            }
        }
        Self {
            names: Names::of(library),
            library,
            around,
            n_linking,
        }
    }

    /// Suggests links for a note whose text is `text`, the best first; links that it has are left out.
    pub fn of_note(&self, source: usize, text: &str, limit: usize) -> Vec<Suggestion> {
        let mut scores: BTreeMap<usize, (f32, Vec<String>)> = BTreeMap::new();
        let mut add = |target: usize, score: f32, reason: Option<String>| {
            let (sum, reasons) = scores.entry(target).or_default();
            *sum += score;
            reasons.extend(reason);
        };
        for (target, near) in self.library.nearest(source, N_NEAREST, |_| true) {
            let reason = (near > 0.4).then(|| "they are about the same".to_owned());
            add(target, NEAR * near.max(0.0), reason);
        }
        let shared = self.shared(source);
        let most = shared.values().copied().fold(0.0f32, f32::max).max(1.0);
        for (target, score) in shared {
            let reason = "the same notes are linked with both".to_owned();
            add(target, SHARED * score / most, Some(reason));
        }
        let mut found = mentions(text, &self.names, source);
        for (target, mention) in &found {
            let reason = format!("its text says {:?}", mention.words);
            add(*target, NAMED * mention.weight, Some(reason));
        }
        let n_most = self.n_linking.iter().copied().max().unwrap_or(0).max(1) as f32;
        let is_new =
            |target: &usize| *target != source && !self.library.links[source].contains(target);
        let mut all: Vec<Suggestion> = (scores.into_iter())
            .filter(|(target, _)| is_new(target))
            .map(|(target, (score, reasons))| Suggestion {
                source,
                target,
                score: score
                    + KNOWN * ((1 + self.n_linking[target]) as f32).ln() / (1.0 + n_most).ln(),
                reason: reasons.join("; "),
                mention: found.remove(&target),
            })
            .collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.target.cmp(&b.target)));
        all.truncate(limit);
        all
    }

    /// Scores notes by those that both are linked with; one that is linked with everything tells little.
    fn shared(&self, source: usize) -> HashMap<usize, f32> {
        let mut shared: HashMap<usize, f32> = HashMap::new();
        for &between in &self.around[source] {
            let n_around = self.around[between].len();
            for &target in &self.around[between] {
                if target != source {
                    *shared.entry(target).or_default() += 1.0 / (1.0 + n_around as f32).ln();
                }
            }
        }
        shared
    }

    /// Returns the notes that no other one links to, and that link to none, by path.
    pub fn orphans(&self) -> Vec<usize> {
        (0..self.around.len())
            .filter(|&note| self.around[note].is_empty())
            .collect()
    }

    /// Suggests links for the notes that are used most, the best of all first. Suggestions without a sentence to stand
    /// in come only where notes are very near.
    pub fn of_all(&self, store: &Store, n_notes: usize, limit: usize) -> Result<Vec<Suggestion>> {
        let mut order: Vec<usize> = (0..self.library.notes.len()).collect();
        let rank = |note: usize| self.library.notes[note].pagerank;
        order.sort_by(|&a, &b| rank(b).total_cmp(&rank(a)).then(a.cmp(&b)));
        let mut all = Vec::new();
        for note in order.into_iter().take(n_notes) {
            let text = store.text(self.library.notes[note].id, &Part::Whole)?;
            let found = self.of_note(note, &text, 3).into_iter();
            all.extend(found.filter(|suggestion| suggestion.mention.is_some()));
        }
        all.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then((a.source, a.target).cmp(&(b.source, b.target)))
        });
        all.truncate(limit);
        Ok(all)
    }
}
