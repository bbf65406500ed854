//! The nearest codes, for a process that answers one question: they are read from the file once, and those that may be
//! among the nearest are kept on the way.

use super::blocks::{BLOCK_VECTORS, each_code_block, n_code_blocks};
use super::{VectorReader, limit_of_counts, n_looked_at, quantise};
use crate::store::lexical::directory::SharedConnection;

/// Vector ids in order, and their codes where these were read from the file.
pub(super) struct Near {
    pub(super) ids: Vec<usize>,
    pub(super) codes: Option<Vec<u64>>,
}

impl Near {
    /// Returns those at some places, which must be in order.
    pub(super) fn only(&self, places: impl Iterator<Item = usize> + Clone, n_words: usize) -> Self {
        let of_place = |codes: &Vec<u64>| {
            let each = places.clone();
            each.flat_map(|place| &codes[place * n_words..(place + 1) * n_words])
                .copied()
                .collect()
        };
        Self {
            codes: self.codes.as_ref().map(of_place),
            ids: places.clone().map(|place| self.ids[place]).collect(),
        }
    }
}

/// What may be among the nearest `n` of all that was looked at so far.
struct Kept {
    n: usize,
    n_words: usize,
    /// How many were at each distance, but for those behind the limit.
    n_at: Vec<u32>,
    /// The `n`th of those seen so far is no farther away, so what is can be left out: it only comes down.
    limit: u16,
    ids: Vec<usize>,
    distances: Vec<u16>,
    codes: Vec<u64>,
}

impl Kept {
    fn new(n: usize, n_words: usize) -> Self {
        Self {
            n,
            n_words,
            n_at: vec![0; n_words * 64 + 1],
            limit: u16::MAX,
            ids: Vec::new(),
            distances: Vec::new(),
            codes: Vec::new(),
        }
    }

    /// Looks at the codes from an id on, of which the distances are given.
    fn add(
        &mut self,
        first: usize,
        codes: &[u8],
        distances: &[u16],
        is_wanted: &impl Fn(usize) -> bool,
    ) {
        let codes = codes.chunks_exact(self.n_words * 8);
        for ((id, &distance), code) in (first..).zip(distances).zip(codes) {
            if distance <= self.limit && is_wanted(id) {
                self.n_at[usize::from(distance)] += 1;
                self.ids.push(id);
                self.distances.push(distance);
                self.codes.extend(quantise::words(code));
            }
        }
        self.limit = limit_of_counts(&self.n_at, self.n);
        if self.ids.len() >= 2 * self.n.max(BLOCK_VECTORS) {
            self.forget_far();
        }
    }

    /// Makes room: what was near in the beginning may be far by now.
    fn forget_far(&mut self) {
        let mut n_kept = 0;
        for place in 0..self.ids.len() {
            if self.distances[place] <= self.limit {
                self.ids[n_kept] = self.ids[place];
                self.distances[n_kept] = self.distances[place];
                let code = place * self.n_words..(place + 1) * self.n_words;
                self.codes.copy_within(code, n_kept * self.n_words);
                n_kept += 1;
            }
        }
        self.ids.truncate(n_kept);
        self.distances.truncate(n_kept);
        self.codes.truncate(n_kept * self.n_words);
    }
}

impl VectorReader {
    /// Returns those whose codes are nearest to a question's, as [`VectorReader::near_in_memory`] does.
    pub(super) fn near_in_file(
        &self,
        connection: &SharedConnection,
        query: &[f32],
        limit: usize,
        is_wanted: &impl Fn(usize) -> bool,
    ) -> rusqlite::Result<Near> {
        let code = self.coder.query_code(query);
        let n_codes = n_code_blocks(connection)?.saturating_mul(BLOCK_VECTORS);
        let mut kept = Kept::new(limit.max(n_looked_at(n_codes)), code.len());
        let (mut distances, mut first) = ([0; BLOCK_VECTORS], 0);
        each_code_block(connection, &self.coder, |codes| {
            quantise::distances(&code, codes, &mut distances);
            kept.add(first, codes, &distances, is_wanted);
            first += BLOCK_VECTORS;
        })?;
        kept.forget_far();
        Ok(Near {
            ids: kept.ids,
            codes: Some(kept.codes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::nearest_ids;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_kept_is_what_is_nearest_of_all(
            distances in prop::collection::vec(0u16..=64, 0..6_000),
            n in 1usize..900,
            step in 1usize..5,
        ) {
            let is_wanted = |id: usize| id.is_multiple_of(step);
            let mut kept = Kept::new(n, 1);
            for (number, block) in distances.chunks(BLOCK_VECTORS).enumerate() {
                let codes: Vec<u8> = (0..block.len())
                    .flat_map(|at| ((number * BLOCK_VECTORS + at) as u64).to_le_bytes())
                    .collect();
                kept.add(number * BLOCK_VECTORS, &codes, block, &is_wanted);
            }
            kept.forget_far();
            let codes: Vec<u64> = kept.ids.iter().map(|&id| id as u64).collect();
            prop_assert_eq!(kept.ids, nearest_ids(&distances, 64, n, &is_wanted));
            prop_assert_eq!(kept.codes, codes);
        }
    }
}
