//! Late interaction: for each word of the query the nearest word of a passage, weighted by rarity.
//!
//! A passage that says "automobile" is near a query for "car" here even if the rest of it is about
//! something else, which one vector for the whole passage cannot tell. Which word pieces a passage
//! has is kept in the index, so that no text has to be read and cut for this.

use crate::cpu::{self, for_avx2};
use crate::embed::{TokenVectors, WideRows, product};

/// How many pieces before it is compared the row of a piece is asked for.
const PIECES_AHEAD: usize = 8;
/// Cosines that are compared at once; there are always so many, or a multiple.
const LANES: usize = 8;

/// A query, word piece by word piece.
pub(crate) struct MaxSim<'m> {
    model: &'m dyn TokenVectors,
    asked: Asked,
}

/// The pieces of the query.
struct Asked {
    rows: WideRows,
    lengths: Vec<f32>,
    weights: Vec<f32>,
    total: f32,
    /// Where the pieces of each word end.
    ends: Vec<usize>,
}

impl<'m> MaxSim<'m> {
    /// Takes the words of a query and the weight of each.
    pub(crate) fn new<'t>(
        model: &'m dyn TokenVectors,
        words: impl Iterator<Item = (&'t str, f32)>,
    ) -> Self {
        let mut asked = Asked {
            rows: WideRows::new(model.dimensions()),
            lengths: Vec::new(),
            weights: Vec::new(),
            total: 0.0,
            ends: Vec::new(),
        };
        let mut pieces = Vec::new();
        for (word, weight) in words {
            pieces.clear();
            model.tokens(word, &mut pieces);
            for &piece in &pieces {
                let (row, _) = model.vector(piece);
                asked.rows.push(row);
                asked.lengths.push(length(row));
                asked.weights.push(weight);
                asked.total += weight;
            }
            asked.ends.push(asked.weights.len());
        }
        Self { model, asked }
    }

    /// Returns for each passage, given by its pieces, the mean over the query's words of their best
    /// cosine with one of them, 0 to 1.
    pub(crate) fn scores(&self, passages: &[&[u32]]) -> Vec<f32> {
        if self.asked.total == 0.0 {
            return vec![0.0; passages.len()];
        }
        self.each(passages, |best| {
            let weighted = best.iter().zip(&self.asked.weights);
            weighted.map(|(best, weight)| best * weight).sum::<f32>() / self.asked.total
        })
    }

    /// Returns for each passage how near it comes to each word of the query, 0 to 1: the mean over the
    /// word's pieces; 0 for a word that the model does not know.
    pub(super) fn by_word(&self, passages: &[&[u32]]) -> Vec<Vec<f32>> {
        if self.asked.weights.is_empty() {
            return vec![vec![0.0; self.asked.ends.len()]; passages.len()];
        }
        self.each(passages, |best| {
            let mut start = 0;
            let mean = |&end: &usize| {
                let own = &best[std::mem::replace(&mut start, end)..end];
                own.iter().sum::<f32>() / own.len().max(1) as f32
            };
            self.asked.ends.iter().map(mean).collect()
        })
    }

    /// Hands on the best cosine of each piece of the query with one of each passage.
    fn each<T>(&self, passages: &[&[u32]], mut of: impl FnMut(&[f32]) -> T) -> Vec<T> {
        let met = Met::new(passages, self.model.n_tokens());
        let width = self.asked.weights.len().next_multiple_of(LANES);
        let cosines = self.cosines(&met, width);
        let mut best = vec![0.0; width];
        let mut found = |pieces: &&[u32]| {
            best.fill(0.0);
            find_best(pieces, &met, &cosines, &mut best);
            of(&best)
        };
        passages.iter().map(&mut found).collect()
    }

    /// Compares every piece that was met with every one of the query.
    fn cosines(&self, met: &Met, width: usize) -> Vec<f32> {
        let Asked { rows, lengths, .. } = &self.asked;
        let mut cosines = vec![0.0; met.pieces.len() * width];
        let mut found = vec![0; lengths.len()];
        for (index, cosines) in cosines.chunks_exact_mut(width).enumerate() {
            if let Some(&soon) = met.pieces.get(index + PIECES_AHEAD) {
                cpu::prefetch(self.model.vector(soon).0);
            }
            let (row, _) = self.model.vector(met.pieces[index]);
            let own = length(row);
            rows.products(row, &mut found);
            for ((cosine, length), &product) in cosines.iter_mut().zip(lengths).zip(&found) {
                let lengths = own * length;
                if lengths > 0.0 {
                    *cosine = product as f32 / lengths;
                }
            }
        }
        cosines
    }
}

/// The pieces of all passages, each once and in order.
struct Met {
    pieces: Vec<u32>,
    /// Which they are, one bit each.
    bits: Vec<u64>,
    /// How many come before each of the words above.
    n_before: Vec<u32>,
}

impl Met {
    fn new(passages: &[&[u32]], n_pieces: usize) -> Self {
        let mut bits = vec![0u64; n_pieces.div_ceil(64)];
        for &piece in passages.iter().copied().flatten() {
            if (piece as usize) < n_pieces {
                bits[piece as usize / 64] |= 1 << (piece % 64);
            }
        }
        let n_met = bits.iter().map(|word| word.count_ones() as usize).sum();
        let mut pieces = Vec::with_capacity(n_met);
        let mut n_before = Vec::with_capacity(bits.len());
        for (first, &word) in (0..).step_by(64).zip(&bits) {
            n_before.push(pieces.len() as u32);
            let mut rest = word;
            while rest != 0 {
                pieces.push(first + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        Self {
            pieces,
            bits,
            n_before,
        }
    }
}

for_avx2! {
    /// Raises `best` to the highest cosines of the pieces.
    fn find_best(pieces: &[u32], met: &Met, cosines: &[f32], best: &mut [f32]) = find_best_plain;
}

#[inline(always)]
fn find_best_plain(pieces: &[u32], met: &Met, cosines: &[f32], best: &mut [f32]) {
    let width = best.len();
    for &piece in pieces {
        let (at, bit) = (piece as usize / 64, 1u64 << (piece % 64));
        // A piece that the model does not have is near nothing.
        let Some(&word) = met.bits.get(at).filter(|word| *word & bit != 0) else {
            continue;
        };
        let place = met.n_before[at] + (word & (bit - 1)).count_ones();
        let found = &cosines[place as usize * width..][..width];
        let (best, _) = best.as_chunks_mut::<LANES>();
        for (best, found) in best.iter_mut().zip(found.as_chunks::<LANES>().0) {
            for (best, &found) in best.iter_mut().zip(found) {
                *best = if found > *best { found } else { *best };
            }
        }
    }
}

fn length(row: &[i8]) -> f32 {
    (product(row, row) as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::embedded;

    fn score(query: &MaxSim<'_>, text: &str) -> f32 {
        query.scores(&[&embedded().distinct_pieces(text)])[0]
    }

    fn check(asked: &str, text: &str) -> f32 {
        score(&MaxSim::new(embedded(), [(asked, 1.0)].into_iter()), text)
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
        let query = MaxSim::new(embedded(), words());
        assert!(score(&query, "saffron") > score(&query, "the"));
    }

    #[test]
    fn each_word_has_its_own_likeness() {
        let words = [("slate", 1.0), ("\u{0}", 1.0), ("waterproofing", 1.0)];
        let query = MaxSim::new(embedded(), words.into_iter());
        let passage = embedded().distinct_pieces("roof tiles, slate");
        let like = query.by_word(&[&passage]).remove(0);
        assert!(
            like[0] > 0.99 && like[1] == 0.0 && like[2] < like[0],
            "{like:?}"
        );
        let unknown = MaxSim::new(embedded(), [("\u{0}", 1.0)].into_iter());
        assert_eq!(unknown.by_word(&[&passage]), [[0.0]]);
        assert!(
            MaxSim::new(embedded(), [].into_iter())
                .by_word(&[])
                .is_empty()
        );
    }

    #[test]
    fn a_piece_that_the_model_does_not_have_is_near_nothing() {
        let query = MaxSim::new(embedded(), [("car", 1.0)].into_iter());
        assert_eq!(query.scores(&[&[u32::MAX]]), [0.0]);
    }

    #[test]
    fn a_passage_scores_the_same_among_others() {
        let texts = [
            "the old roof leaks",
            "a saffron risotto",
            "",
            "roof tiles, slate",
        ];
        let pieces = texts.map(|text| embedded().distinct_pieces(text));
        let words = [("slate", 3.0), ("roof", 2.0), ("waterproofing", 5.0)];
        let query = MaxSim::new(embedded(), words.into_iter());
        let together = query.scores(&pieces.each_ref().map(Vec::as_slice));
        let alone = pieces.each_ref().map(|own| query.scores(&[own])[0]);
        assert_eq!(together, alone);
        assert!(together[3] > together[0] && together[0] > together[1]);
    }
}
