//! The words of folders: what their notes say, weighed by how telling each word is, and how near a text is to it. Pure.

use std::collections::{BTreeMap, HashMap};

/// How much nearer to one folder than to another is much.
const SHARPNESS: f32 = 12.0;
/// How often a word of the title counts.
const TITLE: f32 = 3.0;

/// A text as words with how often each is said, in a fixed order: sums over them are the same each time.
pub(super) type Counts = BTreeMap<String, f32>;

/// What notes of folders say.
#[derive(Default)]
pub(super) struct FolderWords {
    notes: HashMap<usize, Counts>,
    n_with: HashMap<String, f32>,
    /// For each word, how much each folder says it.
    sums: BTreeMap<String, Vec<f32>>,
    /// Squared lengths of the sums.
    lengths: Vec<f32>,
}

/// Counts the words of a text and its title.
pub(super) fn counts(title: &[String], words: &[String]) -> Counts {
    let mut counts = Counts::new();
    for word in words {
        *counts.entry(word.clone()).or_default() += 1.0;
    }
    for word in title {
        *counts.entry(word.clone()).or_default() += TITLE;
    }
    counts
}

impl FolderWords {
    /// Learns from notes: position, folder and words of each.
    pub(super) fn new(notes: Vec<(usize, usize, Counts)>, n_folders: usize) -> Self {
        let mut own = Self::default();
        for (_, _, counts) in &notes {
            for word in counts.keys() {
                *own.n_with.entry(word.clone()).or_default() += 1.0;
            }
        }
        let n_notes = notes.len() as f32;
        for (at, folder, counts) in notes {
            let weighed = own.weighed(&counts, n_notes);
            for (word, weight) in &weighed {
                let sums = own.sums.entry(word.clone());
                sums.or_insert_with(|| vec![0.0; n_folders])[folder] += weight;
            }
            own.notes.insert(at, weighed);
        }
        own.lengths = vec![0.0; n_folders];
        for sums in own.sums.values() {
            for (length, sum) in own.lengths.iter_mut().zip(sums) {
                *length += sum * sum;
            }
        }
        own
    }

    /// Weighs words by how few notes say them, as a vector of length 1.
    fn weighed(&self, counts: &Counts, n_notes: f32) -> Counts {
        let weigh = |(word, n): (&String, &f32)| {
            let n_with = self.n_with.get(word)?;
            let rare = ((1.0 + n_notes) / (1.0 + n_with)).ln() + 1.0;
            Some((word.clone(), (1.0 + n.ln()) * rare))
        };
        let mut weighed: Counts = counts.iter().filter_map(weigh).collect();
        let square: f32 = weighed.values().map(|weight| weight * weight).sum();
        let length = square.sqrt().max(f32::MIN_POSITIVE);
        weighed.values_mut().for_each(|weight| *weight /= length);
        weighed
    }

    /// Returns how near a text is to each folder, as votes; the note at `hidden`, of a folder, does not count.
    pub(super) fn votes(&self, counts: &Counts, hidden: Option<(usize, usize)>) -> Vec<f32> {
        let text = self.weighed(counts, self.notes.len() as f32);
        let mut near = vec![0.0f32; self.lengths.len()];
        let mut lengths = self.lengths.clone();
        for (word, weight) in &text {
            let Some(sums) = self.sums.get(word) else {
                continue;
            };
            for (near, sum) in near.iter_mut().zip(sums) {
                *near += weight * sum;
            }
        }
        if let Some((at, folder)) = hidden
            && let Some(own) = self.notes.get(&at)
        {
            for (word, weight) in own {
                near[folder] -= weight * text.get(word).unwrap_or(&0.0);
                let sum = self.sums.get(word).map_or(0.0, |sums| sums[folder]);
                lengths[folder] += weight * weight - 2.0 * weight * sum;
            }
        }
        let cosines: Vec<f32> = (near.iter().zip(&lengths))
            .map(|(near, length)| match *length > 1e-4 {
                true => near / length.sqrt(),
                false => f32::NEG_INFINITY,
            })
            .collect();
        let sharpened: Vec<f32> = cosines.iter().map(|cosine| SHARPNESS * cosine).collect();
        super::pool::softmax(&sharpened)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Counts {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        counts(&words[..1], &words)
    }

    #[test]
    fn a_text_is_near_the_folder_that_says_its_words() {
        let notes = vec![
            (0, 0, said("tomato bed water")),
            (1, 0, said("bean bed water")),
            (2, 1, said("tile roof water")),
            (3, 1, said("gutter roof water")),
        ];
        let words = FolderWords::new(notes, 3);
        let votes = words.votes(&said("salad bed"), None);
        assert!(votes[0] > 0.9 && votes[2] == 0.0, "{votes:?}");
        // A note that does not count is as if it had never been there.
        let hidden = words.votes(&said("tile roof water"), Some((2, 1)));
        let without = [
            (0, 0, said("tomato bed water")),
            (1, 0, said("bean bed water")),
            (3, 1, said("gutter roof water")),
        ];
        let without = FolderWords::new(without.into(), 3).votes(&said("tile roof water"), None);
        assert_eq!(
            hidden[1] > hidden[0],
            without[1] > without[0],
            "{hidden:?} {without:?}"
        );
    }
}
