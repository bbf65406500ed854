//! Adds up int8 rows: the innermost loop of embedding.
//!
//! The one place of this room with `unsafe`: it calls the same loop compiled for AVX2 after asking
//! the processor for it, and reads bytes as signed bytes. The sums are made in the same order and
//! without fused multiply-add, so every machine gets the same bits.
#![expect(
    unsafe_code,
    reason = "AVX2 needs a run-time check that the compiler cannot see"
)]

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
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has just said that it knows AVX2.
            return unsafe { sum_avx2(self, ids, sums) };
        }
        sum_blocks(self, ids, sums);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn sum_avx2(rows: &Rows<'_>, ids: &[u32], sums: &mut [f32]) {
    sum_blocks(rows, ids, sums);
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

/// Returns the product of two rows before scaling.
///
/// Rows have at most a few thousand components, so the sum stays far below the limit.
pub(crate) fn product(a: &[i8], b: &[i8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just said that it knows AVX2.
        return unsafe { product_avx2(a, b) };
    }
    product_plain(a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn product_avx2(a: &[i8], b: &[i8]) -> i32 {
    product_plain(a, b)
}

#[inline(always)]
fn product_plain(a: &[i8], b: &[i8]) -> i32 {
    let products = a.iter().zip(b);
    products
        .map(|(&a, &b)| i32::from(i16::from(a) * i16::from(b)))
        .sum()
}

/// Writes the products of a row with others, which are widened and lie one behind the other.
pub(crate) fn products(row: &[i8], others: &[i16], out: &mut [i32]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just said that it knows AVX2.
        return unsafe { products_avx2(row, others, out) };
    }
    products_plain(row, others, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn products_avx2(row: &[i8], others: &[i16], out: &mut [i32]) {
    products_plain(row, others, out);
}

#[inline(always)]
fn products_plain(row: &[i8], others: &[i16], out: &mut [i32]) {
    for (other, out) in others.chunks_exact(row.len()).zip(out) {
        let mut sum = 0;
        for (&a, &b) in row.iter().zip(other) {
            sum += i32::from(a) * i32::from(b);
        }
        *out = sum;
    }
}

fn as_signed(bytes: &[u8]) -> &[i8] {
    // SAFETY: u8 and i8 have the same size and alignment, and every bit pattern is valid for both.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
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

    #[test]
    fn products_with_several_rows_are_those_with_each() {
        let row = |seed: i32| -> Vec<i8> { (0..100).map(|n| (n * seed % 251) as i8).collect() };
        let others = [row(7), row(31)];
        let wide: Vec<i16> = others.iter().flatten().copied().map(i16::from).collect();
        let mut found = [0; 2];
        products(&row(3), &wide, &mut found);
        assert_eq!(
            found,
            [product(&row(3), &others[0]), product(&row(3), &others[1])]
        );
    }
}
