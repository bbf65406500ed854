//! Sets of entries or notes, one bit each: in order without sorting.

use std::ops::Range;

/// A set of numbers.
#[derive(Clone, Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn new(n: usize) -> Self {
        Self(vec![0; n.div_ceil(64)])
    }

    /// Makes it the empty set, with room for so many.
    pub(super) fn reset(&mut self, n: usize) {
        self.0.clear();
        self.0.resize(n.div_ceil(64), 0);
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns how many bytes it needs.
    pub(super) fn n_bytes(&self) -> usize {
        size_of_val(self.0.as_slice())
    }

    #[inline]
    pub(super) fn has(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    pub(super) fn insert_range(&mut self, range: Range<usize>) {
        let (mut at, end) = (range.start, range.end);
        while at < end {
            let n = (64 - at % 64).min(end - at);
            self.0[at / 64] |= (u64::MAX >> (64 - n)) << (at % 64);
            at += n;
        }
    }

    pub(super) fn insert_all(&mut self, others: &Self) {
        for (word, other) in self.0.iter_mut().zip(&others.0) {
            *word |= other;
        }
    }

    /// Returns how many numbers of its word are before one.
    #[inline]
    pub(super) fn n_before_in_word(&self, number: usize) -> usize {
        let before = (1u64 << (number % 64)) - 1;
        (self.0[number / 64] & before).count_ones() as usize
    }

    /// Returns how many numbers are before each word.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut n = 0;
        let words = self.0.iter().map(|word| {
            n += word.count_ones();
            n - word.count_ones()
        });
        words.collect()
    }

    /// Returns the first number of the set from one on.
    pub(super) fn next(&self, number: usize) -> Option<usize> {
        let first = self.0.get(number / 64)? & (u64::MAX << (number % 64));
        let words = std::iter::once(first).chain(self.0[number / 64 + 1..].iter().copied());
        let (skipped, word) = words.enumerate().find(|(_, word)| *word != 0)?;
        Some((number / 64 + skipped) * 64 + word.trailing_zeros() as usize)
    }

    /// Calls `each` for every number, in order.
    pub(super) fn each(&self, mut each: impl FnMut(usize)) {
        for (index, &word) in self.0.iter().enumerate() {
            each_bit(word, |bit| each(index * 64 + bit));
        }
    }

    /// The same, and leaves the set empty.
    pub(super) fn drain(&mut self, mut each: impl FnMut(usize)) {
        for (index, word) in self.0.iter_mut().enumerate() {
            each_bit(std::mem::take(word), |bit| each(index * 64 + bit));
        }
    }

    /// Returns the numbers of the ranges that hold a number of the set, and leaves it empty: ranges follow each other without a
    /// gap, and `ends` has the last number of each of `n`.
    ///
    /// Without looking at one number: in each range all bits but the last are ones, and adding those of the set to them carries
    /// into the last one if there is any, across words as well.
    pub(super) fn drain_ranges(&mut self, ends: &Self, n: usize) -> Self {
        let (mut found, mut first, mut carry) = (Self::new(n), 0, false);
        for (set, &end) in self.0.iter_mut().zip(&ends.0) {
            let numbers = std::mem::take(set);
            let (sum, carries) = (numbers & !end).overflowing_add(!end);
            let (sum, carries_again) = sum.overflowing_add(u64::from(carry));
            each_bit((sum | numbers) & end, |bit| {
                found.insert(first + (end & ((1 << bit) - 1)).count_ones() as usize);
            });
            first += end.count_ones() as usize;
            carry = carries || carries_again;
        }
        found
    }
}

#[inline]
fn each_bit(mut word: u64, mut each: impl FnMut(usize)) {
    while word != 0 {
        each(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn members(bits: &Bits) -> Vec<usize> {
        let mut members = Vec::new();
        bits.each(|number| members.push(number));
        members
    }

    proptest! {
        #[test]
        fn ranges_with_a_member_are_found(
            lengths in prop::collection::vec(1usize..90, 1..12),
            numbers in prop::collection::vec(0usize..500, 0..20),
        ) {
            let n = lengths.iter().sum();
            let (mut set, mut ends, mut end) = (Bits::new(n), Bits::new(n), 0);
            numbers.iter().filter(|number| **number < n).for_each(|number| set.insert(*number));
            let mut expected = Vec::new();
            for (number, length) in lengths.iter().enumerate() {
                let mut range = end..end + length;
                end = range.end;
                ends.insert(end - 1);
                expected.extend(range.any(|member| set.has(member)).then_some(number));
            }
            prop_assert_eq!(members(&set.drain_ranges(&ends, lengths.len())), expected);
            prop_assert_eq!(set.len(), 0);
        }

        #[test]
        fn numbers_are_counted_and_found_in_order(
            ranges in prop::collection::vec((0usize..300, 0usize..150), 0..5),
            from in 0usize..500,
        ) {
            let mut set = Bits::new(500);
            let mut expected: Vec<usize> = Vec::new();
            for (start, n) in ranges {
                set.insert_range(start..start + n);
                expected.extend(start..start + n);
            }
            expected.sort_unstable();
            expected.dedup();
            let ranks = set.ranks();
            for (rank, &number) in expected.iter().enumerate() {
                prop_assert_eq!(ranks[number / 64] as usize + set.n_before_in_word(number), rank);
            }
            prop_assert_eq!(set.next(from), expected.iter().copied().find(|number| *number >= from));
            prop_assert_eq!(members(&set), expected);
        }
    }
}
