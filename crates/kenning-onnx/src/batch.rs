//! Texts of like length, run together: the shorter ones are filled up, and what fills them is not looked at.

use crate::tokens::Tokens;

/// Texts that are run at once. More gains nothing on a few cores, and costs memory.
pub(crate) const TEXTS_MAX: usize = 8;
/// Tokens that are run at once, those that only fill up included.
const TOKENS_MAX: usize = 2_048;

/// Rows of tokens, equally wide.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// Which texts they are, by their places.
    pub(crate) places: Vec<usize>,
    pub(crate) width: usize,
    pub(crate) ids: Vec<i32>,
    pub(crate) mask: Vec<i32>,
    pub(crate) kinds: Vec<i32>,
}

impl Batch {
    fn new(all: &[Tokens], places: Vec<usize>) -> Self {
        let width = places
            .iter()
            .map(|&place| all[place].ids.len())
            .max()
            .unwrap_or(0);
        let mut batch = Self {
            width,
            ids: Vec::with_capacity(places.len() * width),
            mask: Vec::with_capacity(places.len() * width),
            kinds: Vec::with_capacity(places.len() * width),
            places: Vec::new(),
        };
        for &place in &places {
            let tokens = &all[place];
            let n_more = width - tokens.ids.len();
            let filled = |numbers: &[u32]| {
                let numbers: Vec<i32> = numbers.iter().map(|&number| number as i32).collect();
                numbers.into_iter().chain(std::iter::repeat_n(0, n_more))
            };
            batch.ids.extend(filled(&tokens.ids));
            batch.kinds.extend(filled(&tokens.kinds));
            batch.mask.extend(filled(&vec![1; tokens.ids.len()]));
        }
        batch.places = places;
        batch
    }

    /// Returns how many tokens each row really has.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = usize> {
        let rows = self.mask.chunks(self.width.max(1));
        rows.map(|row| row.iter().filter(|&&one| one == 1).count())
    }
}

/// Puts texts of like length together. A text without tokens is in no batch.
pub(crate) fn batches(all: &[Tokens]) -> Vec<Batch> {
    let mut order: Vec<usize> = (0..all.len())
        .filter(|&place| !all[place].ids.is_empty())
        .collect();
    order.sort_by_key(|&place| all[place].ids.len());
    let mut batches = Vec::new();
    let mut places: Vec<usize> = Vec::new();
    for place in order {
        let width = all[place].ids.len();
        let is_full = places.len() == TEXTS_MAX || (places.len() + 1) * width > TOKENS_MAX;
        if is_full && !places.is_empty() {
            batches.push(Batch::new(all, std::mem::take(&mut places)));
        }
        places.push(place);
    }
    if !places.is_empty() {
        batches.push(Batch::new(all, places));
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(n: usize) -> Tokens {
        Tokens {
            ids: (1..=n as u32).collect(),
            kinds: vec![0; n],
        }
    }

    #[test]
    fn shorter_texts_are_filled_up() {
        let batches = batches(&[tokens(3), tokens(0), tokens(2)]);
        let [batch] = &batches[..] else {
            panic!("{batches:?}")
        };
        assert_eq!((batch.width, &batch.places[..]), (3, &[2, 0][..]));
        assert_eq!(batch.ids, [1, 2, 0, 1, 2, 3]);
        assert_eq!(batch.mask, [1, 1, 0, 1, 1, 1]);
        assert_eq!(batch.lengths().collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn every_text_is_run_once_and_none_too_many_at_once() {
        let all: Vec<Tokens> = (0..100).map(|n| tokens(1 + n * 13 % 700)).collect();
        let batches = batches(&all);
        let mut places: Vec<usize> = batches
            .iter()
            .flat_map(|batch| batch.places.clone())
            .collect();
        places.sort_unstable();
        assert_eq!(places, (0..100).collect::<Vec<_>>());
        for batch in &batches {
            assert!(batch.places.len() <= TEXTS_MAX);
            assert!(batch.places.len() == 1 || batch.ids.len() <= TOKENS_MAX);
        }
    }
}
