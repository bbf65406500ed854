//! Late interaction: for each word of the query the nearest word of a passage, weighted by rarity.
//!
//! A passage that says "automobile" is near a query for "car" here even if the rest of it is about
//! something else, which one vector for the whole passage cannot tell.

use rustc_hash::FxHashMap;

use crate::embed::{StaticModel, product, products};

/// A query, word piece by word piece, and what has been compared with it so far.
pub(super) struct MaxSim<'m> {
    model: &'m StaticModel,
    asked: Asked,
    /// The best cosines of every run of text seen so far, one for each piece of the query.
    runs: Runs,
    /// The same of every word piece, since runs share them.
    seen: FxHashMap<u32, usize>,
    known: Vec<f32>,
    pieces: Vec<u32>,
    products: Vec<i32>,
}

/// The pieces of the query.
#[derive(Default)]
struct Asked {
    /// Their rows, one behind the other.
    rows: Vec<i16>,
    lengths: Vec<f32>,
    weights: Vec<f32>,
    total: f32,
}

/// Runs of text by number: one that comes again costs a look-up.
#[derive(Default)]
struct Runs {
    /// Those of up to sixteen bytes, which are nearly all, by their bytes.
    short: FxHashMap<u128, usize>,
    long: FxHashMap<Box<str>, usize>,
    cosines: Vec<f32>,
    /// The text in which each was met last.
    met_in: Vec<u32>,
    n_texts: u32,
}

impl Runs {
    fn get(&self, run: &str) -> Option<usize> {
        match short_key(run) {
            Some(key) => self.short.get(&key).copied(),
            None => self.long.get(run).copied(),
        }
    }

    fn add(&mut self, run: &str, cosines: &[f32]) -> usize {
        let number = self.met_in.len();
        self.cosines.extend_from_slice(cosines);
        self.met_in.push(0);
        match short_key(run) {
            Some(key) => self.short.insert(key, number),
            None => self.long.insert(run.into(), number),
        };
        number
    }
}

/// Returns the bytes of a short run as a number. Zero bytes, which would make two the same, are rare.
#[inline]
fn short_key(run: &str) -> Option<u128> {
    let bytes = run.as_bytes();
    if bytes.len() > 16 || bytes.contains(&0) {
        return None;
    }
    let mut key = [0; 16];
    key[..bytes.len()].copy_from_slice(bytes);
    Some(u128::from_le_bytes(key))
}

impl<'m> MaxSim<'m> {
    /// Takes the words of a query and the weight of each.
    pub(super) fn new<'t>(
        model: &'m StaticModel,
        words: impl Iterator<Item = (&'t str, f32)>,
    ) -> Self {
        let mut asked = Asked::default();
        let mut pieces = Vec::new();
        for (word, weight) in words {
            pieces.clear();
            model.pieces(word, &mut pieces);
            for &piece in &pieces {
                let (row, _) = model.row(piece);
                asked.rows.extend(row.iter().copied().map(i16::from));
                asked.lengths.push(length(row));
                asked.weights.push(weight);
                asked.total += weight;
            }
        }
        Self {
            model,
            asked,
            runs: Runs::default(),
            seen: FxHashMap::default(),
            known: Vec::new(),
            pieces,
            products: Vec::new(),
        }
    }

    /// Returns the mean over the query's words of their best cosine in the texts, 0 to 1.
    pub(super) fn score(&mut self, texts: &[&str]) -> f32 {
        if self.asked.total == 0.0 {
            return 0.0;
        }
        self.runs.n_texts += 1;
        let n_asked = self.asked.weights.len();
        let mut best = vec![0f32; n_asked];
        let model = self.model;
        for text in texts {
            model.each_run(text, |run| {
                let number = self.number(run);
                let runs = &mut self.runs;
                if std::mem::replace(&mut runs.met_in[number], runs.n_texts) == runs.n_texts {
                    return;
                }
                let found = &runs.cosines[number * n_asked..(number + 1) * n_asked];
                for (best, &found) in best.iter_mut().zip(found) {
                    *best = best.max(found);
                }
            });
        }
        let weighted = best
            .iter()
            .zip(&self.asked.weights)
            .map(|(best, w)| best * w);
        weighted.sum::<f32>() / self.asked.total
    }

    /// Returns the number of a run, comparing it with the query if it is new.
    #[inline]
    fn number(&mut self, run: &str) -> usize {
        match self.runs.get(run) {
            Some(number) => number,
            None => self.compare(run),
        }
    }

    fn compare(&mut self, run: &str) -> usize {
        let n_asked = self.asked.weights.len();
        let mut best = vec![0f32; n_asked];
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        self.model.pieces(run, &mut pieces);
        for &piece in &pieces {
            let at = self.similarities(piece);
            for (best, &found) in best.iter_mut().zip(&self.known[at..]) {
                *best = best.max(found);
            }
        }
        self.pieces = pieces;
        self.runs.add(run, &best)
    }

    /// Compares a piece of the vocabulary with every piece of the query, once.
    fn similarities(&mut self, piece: u32) -> usize {
        if let Some(&at) = self.seen.get(&piece) {
            return at;
        }
        let at = self.known.len();
        let (row, _) = self.model.row(piece);
        let own = length(row);
        self.products.resize(self.asked.lengths.len(), 0);
        products(row, &self.asked.rows, &mut self.products);
        let cosines = self.asked.lengths.iter().zip(&self.products);
        self.known.extend(cosines.map(|(length, &product)| {
            let lengths = own * length;
            if lengths > 0.0 {
                product as f32 / lengths
            } else {
                0.0
            }
        }));
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
