//! How well tags are proposed: those that notes have are hidden, one note at a time, beside two baselines.

use std::collections::BTreeMap;

use super::propose::Proposer;
use super::taxonomy::Vocabulary;
use crate::library::Library;

/// Figures of one way to propose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// What it is.
    pub name: &'static str,
    /// Notes whose tags were hidden.
    pub n_notes: usize,
    /// How often the first proposal is right.
    pub precision_1: f64,
    /// How many of the first three are right.
    pub precision_3: f64,
    /// How often one of the first three is right.
    pub hit_3: f64,
    /// How many of the hidden ones are among the first five.
    pub recall_5: f64,
}

/// Measures at most `n_notes` notes, spread evenly; `tags_of` says which tags a note has.
pub fn measure(
    library: &Library,
    tags_of: &dyn Fn(usize) -> Vec<String>,
    n_notes: usize,
) -> Vec<Measured> {
    let all: Vec<Vec<String>> = (0..library.notes.len()).map(tags_of).collect();
    let tagged: Vec<usize> = (0..all.len())
        .filter(|&note| !all[note].is_empty())
        .collect();
    let step = tagged.len().div_ceil(n_notes.max(1)).max(1);
    let vocabulary = Vocabulary::in_use(all.iter().flatten());
    let mut proposer = Proposer::new(library, &vocabulary, |note| all[note].clone());
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    all.iter()
        .flatten()
        .for_each(|tag| *counts.entry(tag).or_default() += 1);
    let mut frequent: Vec<(&String, usize)> = counts.into_iter().collect();
    frequent.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let mut measured = ["ken", "most frequent", "nearest notes"].map(|name| Measured {
        name,
        ..Measured::default()
    });
    for &note in tagged.iter().step_by(step) {
        let proposed = proposer
            .propose(note)
            .into_iter()
            .map(|proposal| proposal.tag);
        measured[0].add(&proposed.collect::<Vec<_>>(), &all[note]);
        let common = frequent.iter().map(|(tag, _)| (*tag).clone()).take(5);
        measured[1].add(&common.collect::<Vec<_>>(), &all[note]);
        let mut near: Vec<String> = Vec::new();
        for (other, _) in library.nearest(note, 5, |other| !all[other].is_empty()) {
            let new = all[other].iter().filter(|tag| !near.contains(tag)).cloned();
            let new: Vec<String> = new.collect();
            near.extend(new);
        }
        measured[2].add(&near, &all[note]);
    }
    measured.map(Measured::mean).into()
}

impl Measured {
    fn add(&mut self, proposed: &[String], right: &[String]) {
        let n_right = |n: usize| {
            proposed
                .iter()
                .take(n)
                .filter(|tag| right.contains(tag))
                .count() as f64
        };
        self.n_notes += 1;
        self.precision_1 += n_right(1);
        self.precision_3 += n_right(3) / 3.0;
        self.hit_3 += n_right(3).min(1.0);
        self.recall_5 += n_right(5) / right.len() as f64;
    }

    fn mean(mut self) -> Self {
        let n = self.n_notes.max(1) as f64;
        for figure in [
            &mut self.precision_1,
            &mut self.precision_3,
            &mut self.hit_3,
            &mut self.recall_5,
        ] {
            *figure /= n;
        }
        self
    }
}
