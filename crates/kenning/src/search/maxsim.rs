//! Late interaction: for each word of the query the nearest word of a passage, weighted by rarity.
//!
//! A passage that says "automobile" is near a query for "car" here even if the rest of it is about
//! something else, which one vector for the whole passage cannot tell.

use rustc_hash::FxHashMap;

use crate::embed::{StaticModel, product};

/// A query, word piece by word piece, and what has been compared with it so far.
pub(super) struct MaxSim<'m> {
    model: &'m StaticModel,
    /// Row, length and weight of each piece of the query.
    asked: Vec<(&'m [i8], f32, f32)>,
    total: f32,
    /// Where the similarities of a vocabulary piece begin in `known`.
    seen: FxHashMap<u32, usize>,
    known: Vec<f32>,
    pieces: Vec<u32>,
}

impl<'m> MaxSim<'m> {
    /// Takes the words of a query and the weight of each.
    pub(super) fn new<'t>(
        model: &'m StaticModel,
        words: impl Iterator<Item = (&'t str, f32)>,
    ) -> Self {
        let mut asked = Vec::new();
        let mut pieces = Vec::new();
        let mut total = 0.0;
        for (word, weight) in words {
            pieces.clear();
            model.pieces(word, &mut pieces);
            for &piece in &pieces {
                let (row, _) = model.row(piece);
                asked.push((row, length(row), weight));
                total += weight;
            }
        }
        Self {
            model,
            asked,
            total,
            seen: FxHashMap::default(),
            known: Vec::new(),
            pieces,
        }
    }

    /// Returns the mean over the query's words of their best cosine in the texts, 0 to 1.
    pub(super) fn score(&mut self, texts: &[&str]) -> f32 {
        if self.total == 0.0 {
            return 0.0;
        }
        self.pieces.clear();
        for text in texts {
            self.model.pieces(text, &mut self.pieces);
        }
        self.pieces.sort_unstable();
        self.pieces.dedup();
        let mut best = vec![0f32; self.asked.len()];
        for index in 0..self.pieces.len() {
            let at = self.similarities(self.pieces[index]);
            for (best, &found) in best.iter_mut().zip(&self.known[at..]) {
                *best = best.max(found);
            }
        }
        let weighted = best.iter().zip(&self.asked).map(|(best, (.., w))| best * w);
        weighted.sum::<f32>() / self.total
    }

    /// Compares a piece of the vocabulary with every piece of the query, once.
    fn similarities(&mut self, piece: u32) -> usize {
        if let Some(&at) = self.seen.get(&piece) {
            return at;
        }
        let at = self.known.len();
        let (row, _) = self.model.row(piece);
        let own = length(row);
        for (asked, length, _) in &self.asked {
            let lengths = own * length;
            let cosine = if lengths > 0.0 {
                product(asked, row) as f32 / lengths
            } else {
                0.0
            };
            self.known.push(cosine);
        }
        self.seen.insert(piece, at);
        at
    }
}

fn length(row: &[i8]) -> f32 {
    (product(row, row) as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::embedded;

    fn check(asked: &str, text: &str) -> f32 {
        MaxSim::new(embedded(), [(asked, 1.0)].into_iter()).score(&[text])
    }

    #[test]
    fn a_word_is_nearest_to_itself_then_to_its_kin() {
        assert!((check("car", "a car broke down") - 1.0).abs() < 1e-3);
        assert!(check("car", "the automobile industry") > check("car", "poems about love"));
        assert_eq!(check("car", ""), 0.0);
        assert_eq!(check("", "car"), 0.0);
    }

    #[test]
    fn rare_words_count_more() {
        let words = || [("saffron", 5.0), ("the", 0.1)].into_iter();
        let mut query = MaxSim::new(embedded(), words());
        assert!(query.score(&["saffron"]) > query.score(&["the"]));
    }
}
