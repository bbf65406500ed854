//! Late interaction: for each word of the query the nearest word of a passage, weighted by rarity.
//!
//! A passage that says "automobile" is near a query for "car" here even if the rest of it is about
//! something else, which one vector for the whole passage cannot tell. Which word pieces a passage
//! has is kept in the index, so that no text has to be read and cut for this.

use crate::cpu;
use crate::embed::{Rows, StaticModel, product, products, widen};

/// How many pieces before it is compared the row of a piece is asked for.
const PIECES_AHEAD: usize = 8;

/// A query, word piece by word piece, and what has been compared with it so far.
pub(super) struct MaxSim<'m> {
    rows: Rows<'m>,
    asked: Asked,
    /// Where the cosines of each piece of the model begin in `known`, plus one; 0 if it was not met.
    starts: Vec<u32>,
    /// Cosines with each piece of the query.
    known: Vec<f32>,
    /// The row at hand, widened, and its products.
    wide: Vec<i16>,
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
            rows: model.rows(),
            asked,
            starts: vec![0; model.n_pieces()],
            known: Vec::new(),
            wide: Vec::new(),
            products: Vec::new(),
        }
    }

    /// Returns the mean over the query's words of their best cosine with one of the pieces, 0 to 1.
    pub(super) fn score(&mut self, pieces: &[u32]) -> f32 {
        if self.asked.total == 0.0 {
            return 0.0;
        }
        let n_asked = self.asked.weights.len();
        let mut best = vec![0f32; n_asked];
        for (index, &piece) in pieces.iter().enumerate() {
            self.expect(pieces.get(index + PIECES_AHEAD));
            let Some(start) = self.start(piece) else {
                continue;
            };
            let found = &self.known[start..start + n_asked];
            for (best, &found) in best.iter_mut().zip(found) {
                *best = best.max(found);
            }
        }
        let weighted = best
            .iter()
            .zip(&self.asked.weights)
            .map(|(best, w)| best * w);
        weighted.sum::<f32>() / self.asked.total
    }

    /// Asks for the row of a piece that will be compared soon.
    #[inline]
    fn expect(&self, soon: Option<&u32>) {
        if let Some(&piece) = soon
            && self.starts.get(piece as usize) == Some(&0)
        {
            cpu::prefetch(self.rows.row(piece).0);
        }
    }

    /// Returns where the cosines of a piece begin, comparing it with the query if it is new; `None`
    /// if the model has no such piece.
    #[inline]
    fn start(&mut self, piece: u32) -> Option<usize> {
        match *self.starts.get(piece as usize)? {
            0 => Some(self.compare(piece)),
            known => Some(known as usize - 1),
        }
    }

    fn compare(&mut self, piece: u32) -> usize {
        let start = self.known.len();
        let (row, _) = self.rows.row(piece);
        let own = length(row);
        self.products.resize(self.asked.lengths.len(), 0);
        self.wide.resize(row.len(), 0);
        widen(row, &mut self.wide);
        products(&self.wide, &self.asked.rows, &mut self.products);
        let cosines = self.asked.lengths.iter().zip(&self.products);
        self.known.extend(cosines.map(|(length, &product)| {
            let lengths = own * length;
            if lengths > 0.0 {
                product as f32 / lengths
            } else {
                0.0
            }
        }));
        self.starts[piece as usize] = start as u32 + 1;
        start
    }
}

fn length(row: &[i8]) -> f32 {
    (product(row, row) as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::embedded;

    fn score(query: &mut MaxSim<'_>, text: &str) -> f32 {
        query.score(&embedded().distinct_pieces(text))
    }

    fn check(asked: &str, text: &str) -> f32 {
        score(
            &mut MaxSim::new(embedded(), [(asked, 1.0)].into_iter()),
            text,
        )
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
        assert!(score(&mut query, "saffron") > score(&mut query, "the"));
    }

    #[test]
    fn a_piece_that_the_model_does_not_have_is_near_nothing() {
        let mut query = MaxSim::new(embedded(), [("car", 1.0)].into_iter());
        assert_eq!(query.score(&[u32::MAX]), 0.0);
    }
}
