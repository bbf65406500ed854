//! How words sound: which letters follow each other in the languages people write, and which only by chance.

use super::shape::{ALPHA, is};

/// For each letter, the letters that often follow it. These 249 pairs make up 96.5 % of all pairs in notes and
/// documentation; of random pairs they are a third.
#[rustfmt::skip]
const COMMON: [u32; 26] = [
    0x1be_b94e,
    0x112_4b11,
    0x1e_4d95,
    0x14_4119,
    0x1ef_b97f,
    0x12_4931,
    0x12_0991,
    0xa_4111,
    0x22e_f87f,
    0x4_0011,
    0x0_0110,
    0x11c_4919,
    0x94_c913,
    0x3c_695d,
    0xfe_fc6f,
    0x1e_c911,
    0x10_0000,
    0x11e_7d7d,
    0x1bc_c995,
    0x11e_d99d,
    0xe_b95f,
    0x0_0151,
    0x4_4191,
    0xa_8001,
    0x4_e800,
    0x0_0000,
];

/// Fewer pairs of letters prove nothing.
const PAIRS_MIN: usize = 8;

/// Says whether the letters follow each other as no word's do.
pub(super) fn is_unspeakable(value: &[u8]) -> bool {
    let (n_common, n_pairs) = pairs(value);
    n_pairs >= PAIRS_MIN && n_common * 10 < n_pairs * 7
}

/// Says whether the value is made of words, whatever their case and the digits between them.
pub(super) fn is_speakable(value: &[u8]) -> bool {
    let (n_common, n_pairs) = pairs(value);
    n_pairs >= PAIRS_MIN && n_common * 100 >= n_pairs * 85
}

/// Counts the pairs of letters, and those of them that are common.
fn pairs(value: &[u8]) -> (usize, usize) {
    let mut n_pairs = 0;
    let mut n_common = 0;
    for pair in value.windows(2) {
        if is(pair[0], ALPHA) && is(pair[1], ALPHA) {
            let follows = COMMON[usize::from((pair[0] | 32) - b'a')];
            n_pairs += 1;
            n_common += (follows >> ((pair[1] | 32) - b'a') & 1) as usize;
        }
    }
    (n_common, n_pairs)
}
