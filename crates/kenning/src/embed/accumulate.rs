//! Adds up int8 rows: the innermost loop of embedding.
//!
//! The sums are made in the same order and without fused multiply-add, so every machine gets the
//! same bits.

use crate::cpu::for_avx2;

/// Dimensions summed at once: few enough for the sums to stay in registers.
const BLOCK: usize = 64;

/// Int8 rows, one scale each.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) dimensions: usize,
    pub(crate) scales: &'a [[u8; 4]],
    pub(crate) bytes: &'a [u8],
}

impl<'a> Rows<'a> {
    /// Returns the components of a row before scaling, and its scale.
    #[inline]
    pub(crate) fn row(&self, id: u32) -> (&'a [i8], f32) {
        let id = id as usize;
        let start = id * self.dimensions;
        let row = &self.bytes[start..start + self.dimensions];
        (as_signed(row), f32::from_le_bytes(self.scales[id]))
    }

    /// Writes the sum of the rows named by `ids` into `sums`, one float a dimension.
    pub(crate) fn sum(&self, ids: &[u32], sums: &mut [f32]) {
        sum(self, ids, sums);
    }
}

for_avx2! {
    fn sum(rows: &Rows<'_>, ids: &[u32], sums: &mut [f32]) = sum_blocks;
}

/// Sums block by block of dimensions; compiled once for any processor and once for AVX2.
#[inline(always)]
fn sum_blocks(rows: &Rows<'_>, ids: &[u32], sums: &mut [f32]) {
    let (blocks, rest) = sums.as_chunks_mut::<BLOCK>();
    let n_blocked = blocks.len() * BLOCK;
    for (n, block) in blocks.iter_mut().enumerate() {
        let mut sum = [0.0f32; BLOCK];
        for &id in ids {
            let (row, scale) = rows.row(id);
            if let Some(row) = row[n * BLOCK..].first_chunk::<BLOCK>() {
                for (sum, &component) in sum.iter_mut().zip(row) {
                    *sum += scale * f32::from(component);
                }
            }
        }
        *block = sum;
    }
    rest.fill(0.0);
    for &id in ids {
        let (row, scale) = rows.row(id);
        for (sum, &component) in rest.iter_mut().zip(&row[n_blocked..]) {
            *sum += scale * f32::from(component);
        }
    }
}

for_avx2! {
    /// Returns the product of two rows before scaling.
    ///
    /// Rows have at most a few thousand components, so the sum stays far below the limit.
    pub(crate) fn product(a: &[i8], b: &[i8]) -> i32 = product_plain;
}

#[inline(always)]
fn product_plain(a: &[i8], b: &[i8]) -> i32 {
    let products = a.iter().zip(b);
    products
        .map(|(&a, &b)| i32::from(i16::from(a) * i16::from(b)))
        .sum()
}

fn as_signed(bytes: &[u8]) -> &[i8] {
    #[expect(unsafe_code, reason = "bytes are read as signed bytes without a copy")]
    // SAFETY: u8 and i8 have the same size and alignment, and every bit pattern is valid for both.
    unsafe {
        std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any processor must give the bits that AVX2 gives, or a vault would change with the machine.
    #[test]
    fn every_processor_gives_the_same_bits() {
        for dimensions in [1, 63, 64, 100, 256] {
            let bytes: Vec<u8> = (0..dimensions * 7).map(|n| (n * 37 % 251) as u8).collect();
            let scales: Vec<[u8; 4]> = (1..8).map(|n| (0.013 / n as f32).to_le_bytes()).collect();
            let rows = Rows {
                dimensions,
                scales: &scales,
                bytes: &bytes,
            };
            let ids = [0, 3, 6, 6, 1, 2, 5, 4, 0];
            let (mut fast, mut plain) = (vec![9.0; dimensions], vec![9.0; dimensions]);
            rows.sum(&ids, &mut fast);
            sum_blocks(&rows, &ids, &mut plain);
            assert_eq!(fast, plain);
            let expected: f64 = ids
                .iter()
                .map(|&id| rows.row(id))
                .map(|(row, scale)| f64::from(row[0]) * f64::from(scale))
                .sum();
            assert!((f64::from(fast[0]) - expected).abs() < 1e-5);
        }
    }
}
