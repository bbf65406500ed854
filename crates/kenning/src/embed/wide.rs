//! Products of one int8 row with several others at once: the innermost loop of comparing words.
//!
//! Everything is whole numbers, so every machine gets the same.

/// Components that are multiplied at once.
const LANES: usize = 16;
/// Rows that are multiplied at once, so that the other row is read once for all of them.
const ABREAST: usize = 4;

/// Rows that others are compared with, widened and laid side by side.
pub(crate) struct WideRows {
    n_rows: usize,
    n_blocks: usize,
    /// Groups of rows; in each, lanes of the first row, lanes of the second, and so on, block by block.
    values: Vec<i16>,
}

impl WideRows {
    /// Makes room for rows of so many components.
    pub(crate) fn new(dimensions: usize) -> Self {
        Self {
            n_rows: 0,
            n_blocks: dimensions.div_ceil(LANES),
            values: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, row: &[i8]) {
        let place = self.n_rows % ABREAST;
        if place == 0 {
            let n_values = self.values.len() + self.group_len();
            self.values.resize(n_values, 0);
        }
        self.n_rows += 1;
        let start = self.values.len() - self.group_len();
        let blocks = self.values[start..]
            .as_chunks_mut::<{ LANES * ABREAST }>()
            .0;
        for (block, lanes) in blocks.iter_mut().zip(row.chunks(LANES)) {
            for (value, &lane) in block[place * LANES..].iter_mut().zip(lanes) {
                *value = i16::from(lane);
            }
        }
    }

    /// Writes the products of a row with each of them.
    pub(crate) fn products(&self, row: &[i8], out: &mut [i32]) {
        if self.values.is_empty() {
            return;
        }
        let groups = self.values.chunks_exact(self.group_len());
        for (group, out) in groups.zip(out.chunks_mut(ABREAST)) {
            let (blocks, _) = group.as_chunks();
            out.copy_from_slice(&products(row, blocks)[..out.len()]);
        }
    }

    fn group_len(&self) -> usize {
        self.n_blocks * LANES * ABREAST
    }
}

/// Lanes of several rows.
type Block = [i16; LANES * ABREAST];

fn products(row: &[i8], blocks: &[Block]) -> [i32; ABREAST] {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was just asked whether it has the instructions.
        #[expect(unsafe_code, reason = "the compiler cannot see the check before it")]
        return unsafe { products_avx2(row, blocks) };
    }
    products_plain(row, blocks)
}

/// The compiler by itself multiplies and adds pairs in half as wide registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn products_avx2(row: &[i8], blocks: &[Block]) -> [i32; ABREAST] {
    use std::arch::x86_64::{
        _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_loadu_si256,
        _mm256_madd_epi16, _mm256_setzero_si256, _mm256_storeu_si256,
    };
    let (whole, rest) = row.as_chunks::<LANES>();
    let mut sums = [_mm256_setzero_si256(); ABREAST];
    for (lanes, block) in whole.iter().zip(blocks) {
        // SAFETY: sixteen bytes are read, as many as there are.
        #[expect(unsafe_code, reason = "the instruction takes a pointer")]
        let lanes = _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(lanes.as_ptr().cast()) });
        for (sum, other) in sums.iter_mut().zip(block.as_chunks::<LANES>().0) {
            // SAFETY: sixteen components of two bytes are read, as many as there are.
            #[expect(unsafe_code, reason = "the instruction takes a pointer")]
            let other = unsafe { _mm256_loadu_si256(other.as_ptr().cast()) };
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(lanes, other));
        }
    }
    let mut products = products_plain(rest, &blocks[whole.len().min(blocks.len())..]);
    for (product, sum) in products.iter_mut().zip(sums) {
        let mut parts = [0i32; 8];
        // SAFETY: eight sums of four bytes are written, as many as there is room for.
        #[expect(unsafe_code, reason = "the instruction takes a pointer")]
        unsafe {
            _mm256_storeu_si256(parts.as_mut_ptr().cast(), sum);
        }
        *product += parts.iter().sum::<i32>();
    }
    products
}

/// Rows have at most a few thousand components, so the sums stay far below the limit.
fn products_plain(row: &[i8], blocks: &[Block]) -> [i32; ABREAST] {
    let mut sums = [0; ABREAST];
    for (lanes, block) in row.chunks(LANES).zip(blocks) {
        for (sum, other) in sums.iter_mut().zip(block.as_chunks::<LANES>().0) {
            for (&a, &b) in lanes.iter().zip(other) {
                *sum += i32::from(a) * i32::from(b);
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::product;

    #[test]
    fn products_with_several_rows_are_those_with_each() {
        for dimensions in [1, 16, 100, 256] {
            let row = |seed: usize| -> Vec<i8> {
                (0..dimensions).map(|n| (n * seed % 251) as i8).collect()
            };
            for n_rows in [0, 1, 4, 7] {
                let others: Vec<Vec<i8>> = (0..n_rows).map(|n| row(7 * n + 5)).collect();
                let mut wide = WideRows::new(dimensions);
                others.iter().for_each(|other| wide.push(other));
                let mut found = vec![0; n_rows];
                wide.products(&row(3), &mut found);
                let expected: Vec<i32> = others.iter().map(|o| product(&row(3), o)).collect();
                assert_eq!(found, expected);
                let plain = wide.values.chunks_exact(wide.group_len().max(1));
                let plain = plain.flat_map(|group| products_plain(&row(3), group.as_chunks().0));
                assert_eq!(plain.take(n_rows).collect::<Vec<_>>(), expected);
            }
        }
    }
}
