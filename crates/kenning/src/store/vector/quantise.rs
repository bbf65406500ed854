//! Vectors made small: binary codes of one bit per dimension for the scan, and quantised vectors of four
//! more bits for the rescoring.
//!
//! A vector is centred and rotated first, which makes its components look alike, so that one set
//! of levels fits them all. Centre and rotation depend on the model alone, never on the vault, so
//! that an updated index equals a rebuilt one. What this costs in quality is measured in
//! docs/decisions/004-vectors.md.

use std::ops::Range;

use crate::cpu::{self, for_avx2};

/// Magnitudes that four bits can say, in units of the row's scale: the Lloyd–Max levels of a
/// normal distribution, times 38.
const LEVELS: [i8; 16] = [
    3, 8, 13, 18, 24, 29, 35, 41, 47, 54, 61, 69, 78, 89, 104, 125,
];
/// How many units are one standard deviation.
const UNITS_PER_DEVIATION: f32 = 38.0;
/// Turns of the rotation where one does not reach every component.
const ROUNDS: usize = 4;

/// Turns vectors of one model into codes and rows.
pub struct Coder {
    center: Vec<f32>,
    flips: Vec<f32>,
}

/// A vector as it is kept, exactly: signed values in units of a scale.
#[derive(Clone, Debug, PartialEq)]
pub struct CodedVector {
    /// What the values are multiplied with.
    pub scale: f32,
    /// The values, one for each rotated dimension.
    pub values: Vec<i8>,
}

/// A question, rotated like the rows it is compared with.
pub struct CodedQuery {
    rotated: Vec<f32>,
    /// Product with the centre, which every row shares.
    offset: f32,
}

impl Coder {
    /// Makes a coder for vectors that lie around `center`.
    pub fn new(center: Vec<f32>) -> Self {
        let width = center.len().next_multiple_of(64).max(64);
        // Any fixed sequence of signs will do; this is a 64-bit linear congruential generator.
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        let flips = (0..width)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                if state >> 63 == 0 { 1.0 } else { -1.0 }
            })
            .collect();
        Self { center, flips }
    }

    /// Returns what the vectors lie around.
    pub fn center(&self) -> &[f32] {
        &self.center
    }

    /// Returns the number of bytes of a code: one bit per rotated dimension.
    pub fn code_bytes(&self) -> usize {
        self.flips.len() / 8
    }

    /// Returns the number of bytes of a row: a scale and four bits per rotated dimension.
    pub fn row_bytes(&self) -> usize {
        4 + self.flips.len() / 2
    }

    /// Appends code and row of `vector`. The zero vector gets an empty row, which is near nothing.
    pub fn push(&self, vector: &[f32], codes: &mut Vec<u8>, rows: &mut Vec<u8>) {
        if vector.iter().all(|x| *x == 0.0) {
            codes.resize(codes.len() + self.code_bytes(), 0);
            rows.resize(rows.len() + self.row_bytes(), 0);
            return;
        }
        let centred: Vec<f32> = vector
            .iter()
            .zip(&self.center)
            .map(|(x, c)| x - c)
            .collect();
        let rotated = self.rotate(&centred);
        for bits in rotated.chunks(8) {
            codes.push(
                (0..)
                    .zip(bits)
                    .fold(0, |byte, (bit, &x)| byte | (u8::from(x > 0.0) << bit)),
            );
        }
        let square: f32 = rotated.iter().map(|x| x * x).sum();
        let deviation = (square / rotated.len() as f32)
            .sqrt()
            .max(f32::MIN_POSITIVE);
        let levels: Vec<u8> = rotated
            .iter()
            .map(|x| nearest_level(x.abs() / deviation * UNITS_PER_DEVIATION))
            .collect();
        rows.extend_from_slice(&best_scale(&rotated, &levels).to_le_bytes());
        rows.extend(levels.chunks(2).map(|pair| pair[0] | (pair[1] << 4)));
    }

    /// Returns the scale and the signed values of a code and its row.
    pub fn unpacked(&self, code: &[u8], row: &[u8]) -> (f32, Vec<i8>) {
        let mut values = Vec::with_capacity(self.flips.len());
        let scale = unpack(words(code), row, &mut values);
        (scale, values)
    }

    /// Appends code and row of a vector that was kept before, so that nothing is rounded twice.
    pub fn push_coded(&self, kept: &CodedVector, codes: &mut Vec<u8>, rows: &mut Vec<u8>) {
        let mut values = kept.values.clone();
        values.resize(self.flips.len(), 0);
        let bits = values.chunks(8).map(|bits| {
            let bits = (0..).zip(bits);
            bits.fold(0, |byte, (bit, &value)| byte | (u8::from(value > 0) << bit))
        });
        codes.extend(bits);
        rows.extend_from_slice(&kept.scale.to_le_bytes());
        rows.extend(
            values
                .chunks(2)
                .map(|pair| level_of(pair[0]) | (level_of(pair[1]) << 4)),
        );
    }

    /// Prepares a question for comparison.
    pub fn query(&self, vector: &[f32]) -> CodedQuery {
        CodedQuery {
            rotated: self.rotate(vector),
            offset: vector.iter().zip(&self.center).map(|(x, c)| x * c).sum(),
        }
    }

    /// Returns the sign code of a question, as words.
    pub(in crate::store) fn query_code(&self, vector: &[f32]) -> Vec<u64> {
        let (mut code, mut row) = (Vec::new(), Vec::new());
        self.push(vector, &mut code, &mut row);
        words(&code).collect()
    }

    /// Returns what a row stands for, as near to the vector as five bits a dimension can say.
    pub fn vector(&self, scale: f32, values: &[i8]) -> Vec<f32> {
        if scale == 0.0 {
            return vec![0.0; self.center.len()];
        }
        let rotated = values.iter().map(|value| f32::from(*value) * scale);
        let mut vector = self.turn_back(rotated.collect());
        vector.truncate(self.center.len());
        vector
            .iter_mut()
            .zip(&self.center)
            .for_each(|(x, c)| *x += c);
        vector
    }

    /// An orthonormal rotation: random signs, then the Walsh–Hadamard transform. That wants a power of two;
    /// where the width is none, it is done by turns at the beginning and at the end, which overlap, so that
    /// every component comes to depend on every other without any room added.
    fn rotate(&self, vector: &[f32]) -> Vec<f32> {
        let component = |index| vector.get(index).copied().unwrap_or(0.0);
        let mut values: Vec<f32> = (0..self.flips.len()).map(component).collect();
        for round in 0..self.n_rounds() {
            let turned = &mut values[self.turned(round)];
            self.flip(turned, round);
            transform(turned);
        }
        values
    }

    /// The rotation undone: the transform is its own inverse, and so are the signs.
    fn turn_back(&self, mut values: Vec<f32>) -> Vec<f32> {
        values.resize(self.flips.len(), 0.0);
        for round in (0..self.n_rounds()).rev() {
            let turned = &mut values[self.turned(round)];
            transform(turned);
            self.flip(turned, round);
        }
        values
    }

    fn span(&self) -> usize {
        1 << self.flips.len().ilog2()
    }

    fn n_rounds(&self) -> usize {
        let is_power_of_two = self.span() == self.flips.len();
        if is_power_of_two { 1 } else { ROUNDS }
    }

    /// Returns the components that a round turns.
    fn turned(&self, round: usize) -> Range<usize> {
        let at_end = self.flips.len() - self.span();
        let start = if round.is_multiple_of(2) { 0 } else { at_end };
        start..start + self.span()
    }

    /// Changes signs, other ones in each round: the same ones, used twice, would undo each other.
    fn flip(&self, values: &mut [f32], round: usize) {
        let flips = self.flips.iter().cycle().skip(round * self.span());
        for (value, flip) in values.iter_mut().zip(flips) {
            *value *= flip;
        }
    }
}

/// The Walsh–Hadamard transform of as many values as a power of two, orthonormal.
fn transform(values: &mut [f32]) {
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
    let norm = 1.0 / (values.len() as f32).sqrt();
    values.iter_mut().for_each(|x| *x *= norm);
}

impl CodedQuery {
    /// Prepares it to be compared with codes.
    pub(in crate::store) fn signs(&self) -> SignProducts {
        let of_byte = |numbers: &[f32]| {
            let mut products = [-numbers.iter().sum::<f32>(); 256];
            for byte in 1..products.len() {
                let lowest = byte.trailing_zeros() as usize;
                products[byte] = products[byte & (byte - 1)] + 2.0 * numbers[lowest];
            }
            products
        };
        SignProducts(self.rotated.chunks_exact(8).map(of_byte).collect())
    }

    /// Returns the question as the rows are, and what is to be added to its product with one.
    pub fn rotated(&self) -> (&[f32], f32) {
        (&self.rotated, self.offset)
    }

    /// Returns the cosine with an unpacked row.
    pub fn cosine(&self, scale: f32, values: &[i8]) -> f32 {
        if scale == 0.0 {
            return 0.0;
        }
        self.offset + product(&self.rotated, values) * scale
    }

    /// Returns the mean cosine with rows whose mean is given (see `mean`).
    pub fn mean_cosine(&self, mean: &[f32]) -> f32 {
        let products = self.rotated.iter().zip(mean).map(|(x, m)| x * m);
        if mean.is_empty() {
            0.0
        } else {
            self.offset + products.sum::<f32>()
        }
    }
}

/// Products of a question with eight signs each, for every byte that these can be. They come nearer to
/// the cosine than the number of bits that differ: a sign counts as much as the question says.
pub(in crate::store) struct SignProducts(Vec<[f32; 256]>);

impl SignProducts {
    /// Returns the product with a code.
    pub(in crate::store) fn product(&self, code: &[u64]) -> f32 {
        let bytes = code.iter().flat_map(|word| word.to_le_bytes());
        let products = bytes.zip(&self.0);
        products.map(|(byte, of)| of[usize::from(byte)]).sum()
    }
}

/// The signed values of two neighbours, by the byte of their levels and, above it, the bits of their signs. A
/// question unpacks a thousand rows and more.
static PAIRS: [[i8; 2]; 1024] = pairs();

const fn pairs() -> [[i8; 2]; 1024] {
    let mut pairs = [[0; 2]; 1024];
    let mut index = 0;
    while index < pairs.len() {
        let values = [LEVELS[index & 15], LEVELS[index >> 4 & 15]];
        let is_positive = [index >> 8 & 1 == 1, index >> 9 == 1];
        pairs[index] = [
            if is_positive[0] {
                values[0]
            } else {
                -values[0]
            },
            if is_positive[1] {
                values[1]
            } else {
                -values[1]
            },
        ];
        index += 1;
    }
    pairs
}

/// Appends the signed values of a row and returns its scale.
pub(in crate::store) fn unpack(
    code: impl Iterator<Item = u64>,
    row: &[u8],
    values: &mut Vec<i8>,
) -> f32 {
    let (scale, levels) = row.split_at(4);
    for (mut signs, levels) in code.zip(levels.as_chunks::<32>().0) {
        let mut block = [[0; 2]; 32];
        for (pair, level) in block.iter_mut().zip(levels) {
            *pair = PAIRS[usize::from(*level) | ((signs & 3) as usize) << 8];
            signs >>= 2;
        }
        values.extend_from_slice(block.as_flattened());
    }
    f32::from_le_bytes([scale[0], scale[1], scale[2], scale[3]])
}

/// Returns the words of codes as they are kept.
pub(in crate::store) fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let words = bytes.as_chunks().0.iter();
    words.map(|word| u64::from_le_bytes(*word))
}

/// Returns which level a value is.
fn level_of(value: i8) -> u8 {
    let level = LEVELS.iter().position(|level| *level == value.abs());
    level.unwrap_or(0) as u8
}

fn nearest_level(units: f32) -> u8 {
    let above = LEVELS.partition_point(|&level| f32::from(level) < units);
    match above {
        0 => 0,
        16 => 15,
        _ if units - f32::from(LEVELS[above - 1]) < f32::from(LEVELS[above]) - units => {
            above as u8 - 1
        }
        _ => above as u8,
    }
}

/// The scale with which the levels come nearest to the magnitudes.
fn best_scale(rotated: &[f32], levels: &[u8]) -> f32 {
    let (mut product, mut square) = (0f32, 0f32);
    for (x, &level) in rotated.iter().zip(levels) {
        let level = f32::from(LEVELS[usize::from(level)]);
        product += x.abs() * level;
        square += level * level;
    }
    product / square
}

for_avx2! {
    /// Returns the product of a question and the values of a row.
    fn product(query: &[f32], values: &[i8]) -> f32 = product_plain;
}

/// Sums side by side.
const LANES: usize = 16;

/// Sums side by side let the compiler use vector registers; added in the same order on every machine,
/// so that they agree to the last bit.
#[inline(always)]
fn product_plain(query: &[f32], values: &[i8]) -> f32 {
    let mut sums = [0f32; LANES];
    for (query, values) in query
        .as_chunks::<LANES>()
        .0
        .iter()
        .zip(values.as_chunks::<LANES>().0)
    {
        for lane in 0..LANES {
            sums[lane] += query[lane] * f32::from(values[lane]);
        }
    }
    sums.iter().sum()
}

for_avx2! {
    /// Writes the Hamming distance of `query` to each code into `out`, one for each. Codes are as they lie in the file.
    pub(in crate::store) fn distances(query: &[u64], codes: &[u8], out: &mut [u16]) = distances_plain;
}

#[inline(always)]
fn distances_plain(query: &[u64], codes: &[u8], out: &mut [u16]) {
    let (words, _) = codes.as_chunks::<8>();
    if let [a, b, c, d] = *query {
        // 256 dimensions, the default model.
        for (code, out) in words.as_chunks::<4>().0.iter().zip(out) {
            *out = ((u64::from_le_bytes(code[0]) ^ a).count_ones()
                + (u64::from_le_bytes(code[1]) ^ b).count_ones()
                + (u64::from_le_bytes(code[2]) ^ c).count_ones()
                + (u64::from_le_bytes(code[3]) ^ d).count_ones()) as u16;
        }
        return;
    }
    for (code, out) in words.chunks_exact(query.len()).zip(out) {
        let mut n_bits = 0;
        for (x, y) in code.iter().zip(query) {
            n_bits += (u64::from_le_bytes(*x) ^ y).count_ones();
        }
        *out = n_bits as u16;
    }
}

/// Codes that lie side by side, word by word, so that their distances are counted at once.
const ABREAST: usize = 8;

/// Lays codes side by side; their number must be a multiple of eight, as that of a block's vectors is.
pub(in crate::store) fn abreast(codes: &[u64], n_words: usize) -> Vec<u64> {
    let mut laid = Vec::with_capacity(codes.len());
    for group in codes.chunks_exact(n_words * ABREAST) {
        for word in 0..n_words {
            laid.extend(group.iter().skip(word).step_by(n_words));
        }
    }
    laid
}

/// Returns the words of one of the codes that lie side by side.
pub(in crate::store) fn code_abreast(
    codes: &[u64],
    n_words: usize,
    id: usize,
) -> impl Iterator<Item = u64> {
    let first = id / ABREAST * ABREAST * n_words + id % ABREAST;
    let lane = codes
        .get(first..)
        .unwrap_or_default()
        .iter()
        .step_by(ABREAST);
    lane.take(n_words).copied()
}

/// Asks for the words of such a code, which will be needed soon.
pub(in crate::store) fn prefetch_abreast(codes: &[u64], n_words: usize, id: usize) {
    let first = id / ABREAST * ABREAST * n_words;
    let group = codes.get(first..first + ABREAST * n_words);
    cpu::prefetch(group.unwrap_or_default());
}

for_avx2! {
    /// The same as [`distances`] for codes that lie side by side.
    pub(in crate::store) fn distances_abreast(query: &[u64], codes: &[u64], out: &mut [u16])
        = distances_abreast_plain;
}

#[inline(always)]
fn distances_abreast_plain(query: &[u64], codes: &[u64], out: &mut [u16]) {
    let (lanes, _) = codes.as_chunks::<ABREAST>();
    let (outs, _) = out.as_chunks_mut::<ABREAST>();
    // 256 dimensions, the default model.
    if let (Some(query), (groups, _)) = (query.as_array::<4>(), lanes.as_chunks::<4>()) {
        for (group, out) in groups.iter().zip(outs) {
            *out = distances_of_group(query, group);
        }
        return;
    }
    for (group, out) in lanes.chunks_exact(query.len()).zip(outs) {
        *out = distances_of_group(query, group);
    }
}

#[inline(always)]
fn distances_of_group(query: &[u64], group: &[[u64; ABREAST]]) -> [u16; ABREAST] {
    let mut n_bits = [0u64; ABREAST];
    for (word, lanes) in query.iter().zip(group) {
        for (n_bits, lane) in n_bits.iter_mut().zip(lanes) {
            *n_bits += u64::from((lane ^ word).count_ones());
        }
    }
    n_bits.map(|n_bits| n_bits as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_with_signs_is_a_sum_of_them() {
        let coder = Coder::new(vec![0.01; 256]);
        let (question, passage) = (vector(256, 3), vector(256, 4));
        let (mut code, mut row) = (Vec::new(), Vec::new());
        coder.push(&passage, &mut code, &mut row);
        let query = coder.query(&question);
        let sign = |at: usize| {
            if code[at / 8] >> (at % 8) & 1 == 1 {
                1.0
            } else {
                -1.0
            }
        };
        let expected: f32 = (0..256).map(|at| query.rotated[at] * sign(at)).sum();
        let code: Vec<u64> = words(&code).collect();
        assert!((query.signs().product(&code) - expected).abs() < 1e-3);
    }

    /// A unit vector that is different for each seed.
    fn vector(n: usize, seed: u64) -> Vec<f32> {
        let mut state = seed;
        let raw: Vec<f32> = (0..n)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
            })
            .collect();
        let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
        raw.iter().map(|x| x / length).collect()
    }

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn a_cosine_survives_packing() {
        for n in [64, 200, 256, 300, 384, 768] {
            let center: Vec<f32> = vector(n, 99).iter().map(|x| x * 0.3).collect();
            let coder = Coder::new(center);
            let (query, other) = (vector(n, 1), vector(n, 2));
            let near: Vec<f32> = query
                .iter()
                .zip(&other)
                .map(|(a, b)| a * 0.8 + b * 0.6)
                .collect();
            for row in [&query, &other, &near] {
                let (mut codes, mut rows, mut values) = (Vec::new(), Vec::new(), Vec::new());
                coder.push(row, &mut codes, &mut rows);
                assert_eq!(
                    (codes.len(), rows.len()),
                    (coder.code_bytes(), coder.row_bytes())
                );
                let scale = unpack(words(&codes), &rows, &mut values);
                let found = coder.query(&query).cosine(scale, &values);
                assert!((found - cosine(&query, row)).abs() < 0.02, "{n}: {found}");
            }
        }
    }

    #[test]
    fn a_vector_takes_five_bits_a_dimension_whatever_their_number() {
        for n in [64, 256, 320, 384, 768, 1_024, 1_536] {
            let coder = Coder::new(vec![0.0; n]);
            assert_eq!(coder.code_bytes() + coder.row_bytes(), n * 5 / 8 + 4, "{n}");
        }
        // Words of 64 bits are the only thing that is filled up.
        assert_eq!(Coder::new(vec![0.0; 300]).code_bytes(), 320 / 8);
    }

    #[test]
    fn a_row_tells_its_vector() {
        for n in [64, 256, 300, 384] {
            let coder = Coder::new(vector(n, 99).iter().map(|x| x * 0.3).collect());
            for seed in 1..9 {
                let given = vector(n, seed);
                let turned = coder.turn_back(coder.rotate(&given));
                let worst = turned.iter().zip(&given).map(|(a, b)| (a - b).abs());
                assert!(worst.fold(0f32, f32::max) < 1e-4, "{n}, {seed}");
                let (mut code, mut row, mut values) = (Vec::new(), Vec::new(), Vec::new());
                coder.push(&given, &mut code, &mut row);
                let scale = unpack(words(&code), &row, &mut values);
                let told = coder.vector(scale, &values);
                assert_eq!(told.len(), n);
                let product: f32 = told.iter().zip(&given).map(|(a, b)| a * b).sum();
                let length = told.iter().map(|x| x * x).sum::<f32>().sqrt();
                assert!(product / length > 0.99, "{n}, {seed}: {product} {length}");
            }
        }
    }

    #[test]
    fn a_rotation_spreads_what_lies_in_one_component() {
        for n in [256, 384, 768] {
            let coder = Coder::new(vec![0.0; n]);
            for at in [0, n / 2, n - 1] {
                let mut vector = vec![0.0; n];
                vector[at] = 1.0;
                let rotated = coder.rotate(&vector);
                let length: f32 = rotated.iter().map(|x| x * x).sum();
                let most = rotated.iter().fold(0f32, |most, x| most.max(x.abs()));
                assert!((length - 1.0).abs() < 1e-4, "{n}: {length}");
                assert!(most < 5.0 / (n as f32).sqrt(), "{n}, {at}: {most}");
            }
        }
    }

    fn bytes(codes: &[u64]) -> Vec<u8> {
        codes.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn near_vectors_have_near_codes() {
        let coder = Coder::new(vec![0.0; 256]);
        let base = vector(256, 1);
        let near: Vec<f32> = base
            .iter()
            .zip(vector(256, 2))
            .map(|(a, b)| a + 0.2 * b)
            .collect();
        let codes = [coder.query_code(&near), coder.query_code(&vector(256, 3))].concat();
        let codes = bytes(&codes);
        let mut found = [0; 2];
        distances(&coder.query_code(&base), &codes, &mut found);
        assert!(found[0] < 40 && found[1] > 90, "{found:?}");
    }

    #[test]
    fn nothing_is_near_the_zero_vector() {
        let coder = Coder::new(vec![0.1; 64]);
        let (mut codes, mut rows, mut values) = (Vec::new(), Vec::new(), Vec::new());
        coder.push(&[0.0; 64], &mut codes, &mut rows);
        let scale = unpack([0].into_iter(), &rows, &mut values);
        assert_eq!(coder.query(&vector(64, 1)).cosine(scale, &values), 0.0);
    }

    #[test]
    fn codes_side_by_side_are_as_far_away() {
        for n_words in [1, 4, 5] {
            let any = |n: usize| 0x9E37_79B9_7F4A_7C15u64.wrapping_mul(n as u64 * n as u64 + 1);
            let codes: Vec<u64> = (0..n_words * 24).map(any).collect();
            let query = &codes[..n_words];
            let (mut one_by_one, mut at_once) = ([0; 24], [0; 24]);
            distances(query, &bytes(&codes), &mut one_by_one);
            let laid = abreast(&codes, n_words);
            distances_abreast(query, &laid, &mut at_once);
            assert_eq!(at_once, one_by_one);
            for (id, code) in codes.chunks_exact(n_words).enumerate() {
                assert!(code_abreast(&laid, n_words, id).eq(code.iter().copied()));
            }
            assert!(at_once[0] == 0 && at_once[1] > 0);
        }
    }
}
