//! The checksum that every page of the index file ends with.
//!
//! A Fletcher checksum: sums, and sums of the sums, in several lanes of 64 bits, so that it costs next
//! to nothing where pages are read. The number of the page goes into it, so that a page in the
//! wrong place is noticed, too. It tells accidents, not forgery.

use crate::cpu::for_avx2;

/// Bytes of a page.
pub(in crate::store) const PAGE_BYTES: usize = 4_096;
/// Bytes at the end of a page that SQLite leaves to us.
pub(in crate::store) const SEAL_BYTES: usize = 8;
/// Sums side by side.
const LANES: usize = 8;
/// Any odd number with bits all over.
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// Writes the checksum into a page.
pub(in crate::store) fn seal(page: &mut [u8], number: u64) {
    if let Some((body, end)) = page.split_last_chunk_mut::<SEAL_BYTES>() {
        *end = checksum(body, number).to_le_bytes();
    }
}

/// Whether a page is what was written, where it was written.
pub(in crate::store) fn is_sealed(page: &[u8], number: u64) -> bool {
    page.split_last_chunk::<SEAL_BYTES>()
        .is_some_and(|(body, end)| *end == checksum(body, number).to_le_bytes())
}

fn checksum(body: &[u8], number: u64) -> u64 {
    let [first, second] = sums(body);
    let rest = body.as_chunks::<{ 8 * LANES }>().1;
    let rest = rest
        .as_chunks::<8>()
        .0
        .iter()
        .map(|w| u64::from_le_bytes(*w));
    let words = first.into_iter().chain(second).chain(rest);
    words.fold(number.wrapping_mul(MIX), |mixed, word| {
        let mixed = (mixed ^ word).wrapping_mul(MIX);
        mixed ^ (mixed >> 32)
    })
}

for_avx2! {
    /// Returns the sums of all whole groups of words, and the sums of these on the way.
    fn sums(body: &[u8]) -> [[u64; LANES]; 2] = sums_plain;
}

#[inline(always)]
fn sums_plain(body: &[u8]) -> [[u64; LANES]; 2] {
    let (mut first, mut second) = ([0u64; LANES], [0u64; LANES]);
    for group in body.as_chunks::<{ 8 * LANES }>().0 {
        let words = group.as_chunks::<8>().0;
        for lane in 0..LANES {
            first[lane] = first[lane].wrapping_add(u64::from_le_bytes(words[lane]));
            second[lane] = second[lane].wrapping_add(first[lane]);
        }
    }
    [first, second]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page(seed: u64) -> Vec<u8> {
        let mut state = seed;
        let mut page: Vec<u8> = (0..PAGE_BYTES)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 60) as u8
            })
            .collect();
        seal(&mut page, 7);
        page
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let whole = page(1);
        assert!(is_sealed(&whole, 7));
        let mut damaged = whole.clone();
        for bit in 0..PAGE_BYTES * 8 {
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_sealed(&damaged, 7), "bit {bit}");
            damaged[bit / 8] ^= 1 << (bit % 8);
        }
    }

    #[test]
    fn a_page_in_another_place_and_an_empty_one_are_noticed() {
        assert!(!is_sealed(&page(1), 8));
        assert!(!is_sealed(&[0; PAGE_BYTES], 1));
        assert!(!is_sealed(&[], 1));
    }

    proptest! {
        #[test]
        fn what_is_moved_zeroed_or_overwritten_is_noticed(
            seed: u64, from in 0..PAGE_BYTES, to in 0..PAGE_BYTES, n in 1..512usize, fill: u8,
        ) {
            let whole = page(seed);
            let (mut copied, mut filled) = (whole.clone(), whole.clone());
            let n = n.min(PAGE_BYTES - from).min(PAGE_BYTES - to);
            copied.copy_within(from..from + n, to);
            filled[from..from + n].fill(fill);
            prop_assert_eq!(is_sealed(&copied, 7), copied == whole);
            prop_assert_eq!(is_sealed(&filled, 7), filled == whole);
        }
    }
}
