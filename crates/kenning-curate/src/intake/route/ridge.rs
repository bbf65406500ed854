//! Ridge regression from all that a note is made of, its words, title, links and properties, to its folder, with notes as the
//! kernel's points. A note that it learnt from can be taken out again in closed form. Pure.

use std::collections::{BTreeMap, HashMap};

use super::words::Counts;

/// How little notes have to be fitted exactly.
const RIDGE: f32 = 0.1;
/// How much further from one folder than from another is much.
const SHARPNESS: f32 = 8.0;
/// Parts of a note.
const N_PARTS: usize = 4;
/// What words, title, links and properties count for in how alike two notes are.
const WORTH: [f32; N_PARTS] = [1.0, 0.5, 1.0, 1.0];

/// What a note is made of: its words, those of its title, its links and its properties.
pub(super) type Parts = [Counts; N_PARTS];

/// What was learnt from notes.
#[derive(Default)]
pub(super) struct Ridge {
    /// Numbers of features, and how rare each is.
    features: HashMap<String, (usize, f32)>,
    /// For each feature, the notes that have it.
    notes_with: Vec<Vec<(usize, f32)>>,
    /// How much each note counts for each folder.
    pulls: Vec<Vec<f32>>,
    /// The inverse of the factor of what was solved.
    inverse: Vec<Vec<f32>>,
    /// Which of the notes lies at a position.
    numbers: HashMap<usize, usize>,
}

impl Ridge {
    /// Learns from notes: position, folder and parts of each.
    pub(super) fn new(notes: &[(usize, usize, Parts)], n_folders: usize) -> Self {
        let mut own = Self {
            features: features(notes),
            ..Self::default()
        };
        own.notes_with = vec![Vec::new(); own.features.len()];
        for (at, (_, _, parts)) in notes.iter().enumerate() {
            for (feature, weight) in own.vector(parts) {
                own.notes_with[feature].push((at, weight));
            }
        }
        let mut alike: Vec<Vec<f32>> = notes
            .iter()
            .map(|(_, _, parts)| own.alike(parts, notes.len()))
            .collect();
        for (at, row) in alike.iter_mut().enumerate() {
            row[at] += RIDGE;
        }
        own.inverse = inverse_factor(alike);
        own.learn(notes, n_folders);
        own
    }

    /// Solves for what each note counts.
    fn learn(&mut self, notes: &[(usize, usize, Parts)], n_folders: usize) {
        self.pulls = vec![vec![0.0f32; n_folders]; notes.len()];
        for row in &self.inverse {
            let mut half = vec![0.0f32; n_folders];
            for (value, (_, folder, _)) in row.iter().zip(notes) {
                half[*folder] += value;
            }
            for (value, pulls) in row.iter().zip(&mut self.pulls) {
                for (pull, half) in pulls.iter_mut().zip(&half) {
                    *pull += value * half;
                }
            }
        }
        let numbered = notes.iter().enumerate();
        self.numbers = numbered
            .map(|(at, (position, _, _))| (*position, at))
            .collect();
    }

    /// Returns what speaks for each folder, as votes; the note at `hidden` does not count.
    pub(super) fn votes(&self, parts: &Parts, n_folders: usize, hidden: Option<usize>) -> Vec<f32> {
        let alike = self.alike(parts, self.pulls.len());
        let mut said = vec![0.0f32; n_folders];
        for (alike, pulls) in alike.iter().zip(&self.pulls) {
            for (said, pull) in said.iter_mut().zip(pulls) {
                *said += alike * pull;
            }
        }
        if let Some(&own) = hidden.and_then(|at| self.numbers.get(&at)) {
            let share = self.share_of(own, &alike);
            for (said, pull) in said.iter_mut().zip(&self.pulls[own]) {
                *said -= share * pull;
            }
        }
        let sharpened: Vec<f32> = said.iter().map(|said| SHARPNESS * said).collect();
        super::pool::softmax(&sharpened)
    }

    /// How much of what is said of a text would be said otherwise without one of the notes.
    fn share_of(&self, own: usize, alike: &[f32]) -> f32 {
        let (mut across, mut square) = (0.0f32, 0.0f32);
        for row in &self.inverse[own..] {
            let product: f32 = row.iter().zip(alike).map(|(a, b)| a * b).sum();
            across += product * row[own];
            square += row[own] * row[own];
        }
        across / square.max(f32::MIN_POSITIVE)
    }

    /// Returns how alike a text and each note are.
    fn alike(&self, parts: &Parts, n_notes: usize) -> Vec<f32> {
        // All notes are a little alike, so that folders with many are likelier.
        let mut alike = vec![1.0f32; n_notes];
        for (feature, weight) in self.vector(parts) {
            for (note, other) in &self.notes_with[feature] {
                alike[*note] += weight * other;
            }
        }
        alike
    }

    /// Weighs features by how rare they are; each part has the length of its worth.
    fn vector(&self, parts: &Parts) -> Vec<(usize, f32)> {
        let mut vector = Vec::new();
        for (part, counts) in parts.iter().enumerate() {
            let start = vector.len();
            for (name, n) in counts {
                if let Some((feature, rare)) = self.features.get(&key(part, name)) {
                    vector.push((*feature, (1.0 + n.ln()) * rare));
                }
            }
            let square: f32 = vector[start..]
                .iter()
                .map(|(_, weight)| weight * weight)
                .sum();
            let scale = (WORTH[part] / square.max(f32::MIN_POSITIVE)).sqrt();
            for (_, weight) in &mut vector[start..] {
                *weight *= scale;
            }
        }
        vector
    }
}

fn key(part: usize, name: &str) -> String {
    format!("{part} {name}")
}

/// Numbers all features, and counts in how many notes each is.
fn features(notes: &[(usize, usize, Parts)]) -> HashMap<String, (usize, f32)> {
    let mut n_with: BTreeMap<String, usize> = BTreeMap::new();
    for (_, _, parts) in notes {
        for (part, counts) in parts.iter().enumerate() {
            for name in counts.keys() {
                *n_with.entry(key(part, name)).or_default() += 1;
            }
        }
    }
    let rare = |n: usize| ((1.0 + notes.len() as f32) / (1.0 + n as f32)).ln() + 1.0;
    let numbered = n_with.into_iter().enumerate();
    numbered
        .map(|(number, (name, n))| (name, (number, rare(n))))
        .collect()
}

/// Returns the inverse of the lower Cholesky factor of a matrix that is symmetric and positive.
fn inverse_factor(mut matrix: Vec<Vec<f32>>) -> Vec<Vec<f32>> {
    for at in 0..matrix.len() {
        let (above, rest) = matrix.split_at_mut(at);
        let row = &mut rest[0];
        for (column, other) in above.iter().enumerate() {
            let product: f32 = row[..column].iter().zip(other).map(|(a, b)| a * b).sum();
            row[column] = (row[column] - product) / other[column];
        }
        let square: f32 = row[..at].iter().map(|value| value * value).sum();
        row[at] = (row[at] - square).max(f32::MIN_POSITIVE).sqrt();
        row.truncate(at + 1);
    }
    let mut inverse: Vec<Vec<f32>> = Vec::with_capacity(matrix.len());
    for row in &matrix {
        let at = row.len() - 1;
        let mut own = vec![0.0f32; at + 1];
        own[at] = 1.0;
        for (value, other) in row[..at].iter().zip(&inverse) {
            for (own, other) in own.iter_mut().zip(other) {
                *own -= value * other;
            }
        }
        own.iter_mut().for_each(|value| *value /= row[at]);
        inverse.push(own);
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(words: &str) -> Parts {
        let counts = words.split_whitespace().map(|word| (word.to_owned(), 1.0));
        [
            counts.collect(),
            Counts::new(),
            Counts::new(),
            Counts::new(),
        ]
    }

    #[test]
    fn the_factor_is_inverted() {
        let inverse = inverse_factor(vec![vec![4.0, 2.0], vec![2.0, 5.0]]);
        assert_eq!(inverse, [vec![0.5], vec![-0.25, 0.5]]);
    }

    #[test]
    fn a_note_is_judged_as_if_it_were_not_there() {
        let notes = [
            (0, 0, parts("tomato bed water")),
            (3, 0, parts("bean bed water")),
            (5, 1, parts("tile roof water")),
            (7, 1, parts("gutter roof water")),
        ];
        let all = Ridge::new(&notes, 2);
        let votes = all.votes(&parts("salad bed"), 2, None);
        assert!(votes[0] > 0.9, "{votes:?}");
        let hidden = all.votes(&notes[1].2, 2, Some(3));
        // The same features, so that what is rare stays as rare.
        let mut fewer = Ridge {
            features: all.features.clone(),
            notes_with: vec![Vec::new(); all.features.len()],
            ..Ridge::default()
        };
        let others = [notes[0].clone(), notes[2].clone(), notes[3].clone()];
        for (at, (_, _, parts)) in others.iter().enumerate() {
            for (feature, weight) in fewer.vector(parts) {
                fewer.notes_with[feature].push((at, weight));
            }
        }
        let mut alike: Vec<Vec<f32>> = others.iter().map(|one| fewer.alike(&one.2, 3)).collect();
        (0..3).for_each(|at| alike[at][at] += RIDGE);
        fewer.inverse = inverse_factor(alike);
        fewer.learn(&others, 2);
        let without = fewer.votes(&notes[1].2, 2, None);
        assert!(
            (hidden[0] - without[0]).abs() < 1e-3,
            "{hidden:?} {without:?}"
        );
    }
}
