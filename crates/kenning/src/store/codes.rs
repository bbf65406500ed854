//! Vectors made small: an int8 row with its scale, and a one-bit code for the first scan.
//!
//! The code is the sign of the vector after centring and a fixed rotation. Both depend on the
//! model alone, never on the vault, so that an updated index equals a rebuilt one.

/// Turns vectors into sign codes.
pub(crate) struct Coder {
    center: Vec<f32>,
    flips: Vec<f32>,
}

impl Coder {
    /// Makes a coder for vectors that lie around `center`.
    pub(crate) fn new(center: Vec<f32>) -> Self {
        let padded = center.len().next_power_of_two();
        // Any fixed sequence of signs will do; this is a 64-bit linear congruential generator.
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        let flips = (0..padded)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                if state >> 63 == 0 { 1.0 } else { -1.0 }
            })
            .collect();
        Self { center, flips }
    }

    /// Returns the number of bytes of a code.
    pub(crate) fn code_bytes(&self) -> usize {
        self.flips.len().div_ceil(8).next_multiple_of(8)
    }

    /// Appends the code of `row` to `out`.
    pub(crate) fn push_code(&self, row: &[f32], out: &mut Vec<u8>) {
        let mut rotated: Vec<f32> = self.flips.clone();
        for (index, value) in rotated.iter_mut().enumerate() {
            let centred = row.get(index).map_or(0.0, |x| x - self.center[index]);
            *value *= centred;
        }
        hadamard(&mut rotated);
        let start = out.len();
        for bits in rotated.chunks(8) {
            let byte = (0..).zip(bits).fold(0u8, |byte, (bit, &value)| {
                byte | (u8::from(value > 0.0) << bit)
            });
            out.push(byte);
        }
        out.resize(start + self.code_bytes(), 0);
    }
}

/// The Walsh–Hadamard transform: a rotation that spreads every coordinate over all others.
fn hadamard(values: &mut [f32]) {
    let mut half = 1;
    while half < values.len() {
        for block in values.chunks_mut(half * 2) {
            let (left, right) = block.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}

/// Appends `row` as a little-endian scale and one signed byte per dimension.
pub(crate) fn quantise(row: &[f32], out: &mut Vec<u8>) {
    let largest = row.iter().fold(0f32, |max, x| max.max(x.abs()));
    let scale = largest / 127.0;
    out.extend_from_slice(&scale.to_le_bytes());
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    out.extend(row.iter().map(|x| (x * inverse).round() as i8 as u8));
}

/// Returns the dot product of a query with a row made by [`quantise`].
pub(super) fn dot(query: &[f32], row: &[u8]) -> f32 {
    let (scale, values) = row.split_at(4);
    let scale = f32::from_le_bytes([scale[0], scale[1], scale[2], scale[3]]);
    // Eight sums side by side let the compiler use vector registers.
    let mut sums = [0f32; 8];
    for (query, values) in query.chunks_exact(8).zip(values.chunks_exact(8)) {
        for lane in 0..8 {
            sums[lane] += query[lane] * f32::from(values[lane] as i8);
        }
    }
    let done = query.len() / 8 * 8;
    let rest: f32 = query[done..]
        .iter()
        .zip(&values[done..])
        .map(|(q, &v)| q * f32::from(v as i8))
        .sum();
    (sums.iter().sum::<f32>() + rest) * scale
}

/// Writes the Hamming distance of `query` to each code of `codes` into `out`.
pub(super) fn distances(query: &[u64], codes: &[u64], out: &mut Vec<u16>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        #[expect(unsafe_code, reason = "the processor was just asked whether it has the instruction")]
        unsafe {
            return distances_popcnt(query, codes, out);
        }
    }
    distances_portable(query, codes, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn distances_popcnt(query: &[u64], codes: &[u64], out: &mut Vec<u16>) {
    distances_portable(query, codes, out);
}

#[inline(always)]
fn distances_portable(query: &[u64], codes: &[u64], out: &mut Vec<u16>) {
    if let [a, b, c, d] = *query {
        // 256 dimensions, the default model.
        out.extend(codes.chunks_exact(4).map(|code| {
            ((code[0] ^ a).count_ones()
                + (code[1] ^ b).count_ones()
                + (code[2] ^ c).count_ones()
                + (code[3] ^ d).count_ones()) as u16
        }));
    } else {
        out.extend(codes.chunks_exact(query.len()).map(|code| {
            code.iter()
                .zip(query)
                .map(|(x, y)| (x ^ y).count_ones())
                .sum::<u32>() as u16
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_survives_quantisation() {
        let row: Vec<f32> = (0..250).map(|i| ((i * 37 % 101) as f32 - 50.0) / 500.0).collect();
        let mut packed = Vec::new();
        quantise(&row, &mut packed);
        let exact: f32 = row.iter().map(|x| x * x).sum();
        assert!((dot(&row, &packed) / exact - 1.0).abs() < 1e-3);
    }

    #[test]
    fn near_vectors_have_near_codes() {
        let row = |seed: u32| -> Vec<f32> {
            (0..256u32).map(|i| ((i * seed) % 97) as f32 - 48.0).collect()
        };
        let coder = Coder::new(vec![0.0; 256]);
        let code = |row: &[f32]| {
            let mut bytes = Vec::new();
            coder.push_code(row, &mut bytes);
            bytes
                .chunks_exact(8)
                .map(|b| u64::from_le_bytes(b.try_into().expect("eight bytes")))
                .collect::<Vec<_>>()
        };
        let base = row(13);
        let near: Vec<f32> = base.iter().enumerate().map(|(i, x)| x + (i % 3) as f32).collect();
        let codes: Vec<u64> = [code(&near), code(&row(29))].concat();
        let mut found = Vec::new();
        distances(&code(&base), &codes, &mut found);
        assert!(found[0] < 40 && found[1] > 80, "{found:?}");
    }
}
