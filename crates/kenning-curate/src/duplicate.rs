//! Knows texts again that say nearly the same: sketches of word triples, and buckets of those that agree in part. Finding a text among
//! a hundred thousand costs a few look-ups. Pure.
//!
//! One-permutation MinHash (Li, Owen and Zhang, 2012) with rotation: the share of equal numbers in two sketches estimates the share of
//! word triples that both texts have.

use std::collections::{BTreeSet, HashMap};

/// Numbers of a sketch.
const N_BINS: usize = 128;
/// Numbers that a bucket is made of: with two, texts that share a fifth of their triples almost surely meet.
const N_ROWS: usize = 2;
/// Words that count together.
const N_WORDS: usize = 3;
/// A bucket that more texts share is a phrase that all of them use, and tells nothing.
const BUCKET_MAX: usize = 200;
/// Texts that share less are not the same.
pub const SIMILARITY_MIN: f32 = 0.3;

/// What a text is known again by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch(Box<[u32; N_BINS]>);

impl Sketch {
    /// Takes the sketch of a text; `None` if it has too few words to be known again.
    pub fn of(text: &str) -> Option<Self> {
        let words = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        let words: Vec<u64> = words.map(hash_word).collect();
        let mut bins = [u32::MAX; N_BINS];
        for triple in words.windows(N_WORDS) {
            let joined = triple
                .iter()
                .fold(0u64, |sum, word| mix(sum.rotate_left(21) ^ word));
            let (bin, value) = (joined as usize % N_BINS, (joined >> 32) as u32);
            bins[bin] = bins[bin].min(value);
        }
        let n_filled = bins.iter().filter(|bin| **bin != u32::MAX).count();
        if n_filled < N_WORDS {
            return None;
        }
        Some(Self(Box::new(filled(&bins))))
    }

    /// Estimates the share of what both say.
    pub fn similarity(&self, other: &Self) -> f32 {
        let n_equal = self
            .0
            .iter()
            .zip(other.0.iter())
            .filter(|(a, b)| a == b)
            .count();
        n_equal as f32 / N_BINS as f32
    }

    fn buckets(&self) -> impl Iterator<Item = (usize, u64)> {
        self.0.chunks_exact(N_ROWS).enumerate().map(|(at, rows)| {
            let key = rows.iter().fold(at as u64, |key, row| {
                mix(key.rotate_left(32) ^ u64::from(*row))
            });
            (at, key)
        })
    }
}

/// A bin without a value takes that of the next one that has one, changed by how far that is.
fn filled(bins: &[u32; N_BINS]) -> [u32; N_BINS] {
    let mut all = *bins;
    for (at, bin) in all
        .iter_mut()
        .enumerate()
        .filter(|(_, bin)| **bin == u32::MAX)
    {
        let next = (1..N_BINS).map(|far| (far, bins[(at + far) % N_BINS]));
        if let Some((far, value)) = next.into_iter().find(|(_, value)| *value != u32::MAX) {
            *bin = value.wrapping_add((far as u32).wrapping_mul(0x9E37_79B9));
        }
    }
    all
}

fn hash_word(word: &str) -> u64 {
    let letters = word.chars().flat_map(char::to_lowercase);
    letters.fold(0xCBF2_9CE4_8422_2325, |hash, c| {
        (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01B3)
    })
}

/// Spreads the bits of a number, as SplitMix64 does.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

/// A sketch in a byte for each number, and the whole text as one: what is kept of a note so that it is known again.
///
/// A byte is the same by chance once in 256, which is taken off (b-bit minwise hashing, Li and König, 2010).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    whole: u64,
    /// Eight bytes in each; `None` if there are too few words.
    rows: Option<[u64; N_BINS / 8]>,
}

impl Print {
    /// Bytes that it is kept in.
    pub const N_BYTES: usize = 8 + N_BINS;

    /// Takes the print of a text.
    pub fn of(text: &str) -> Self {
        let words = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        let whole = words.fold(1, |sum: u64, word| {
            mix(sum.rotate_left(21) ^ hash_word(word))
        });
        let rows = Sketch::of(text).map(|sketch| {
            let mut rows = [0; N_BINS / 8];
            for (row, bins) in rows.iter_mut().zip(sketch.0.chunks_exact(8)) {
                *row = u64::from_le_bytes(std::array::from_fn(|at| bins[at] as u8));
            }
            rows
        });
        Self { whole, rows }
    }

    /// Estimates the share of what both say.
    pub fn similarity(&self, other: &Self) -> f32 {
        if self.whole == other.whole {
            return 1.0;
        }
        let (Some(own), Some(others)) = (&self.rows, &other.rows) else {
            return 0.0;
        };
        let pairs = own.iter().zip(others);
        let n_equal: u32 = pairs.map(|(a, b)| n_zero_bytes(a ^ b)).sum();
        let share = n_equal as f32 / N_BINS as f32;
        ((share - 1.0 / 256.0) / (1.0 - 1.0 / 256.0)).max(0.0)
    }

    /// Returns it as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let rows = self.rows.unwrap_or_default();
        let all = [self.whole].into_iter().chain(rows);
        all.flat_map(u64::to_le_bytes).collect()
    }

    /// Reads what [`Self::bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut numbers = bytes.chunks_exact(8).map(|chunk| {
            let mut number = [0; 8];
            number.copy_from_slice(chunk);
            u64::from_le_bytes(number)
        });
        let whole = numbers.next()?;
        let mut rows = [0; N_BINS / 8];
        for row in &mut rows {
            *row = numbers.next()?;
        }
        let is_none = rows.iter().all(|row| *row == 0);
        Some(Self {
            whole,
            rows: (!is_none).then_some(rows),
        })
    }
}

/// Counts the bytes of a number that are zero.
fn n_zero_bytes(number: u64) -> u32 {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    (!(((number & LOW) + LOW) | number | LOW)).count_ones()
}

/// Many texts, by what they are known again by.
#[derive(Clone, Debug, Default)]
pub struct Sketches {
    sketches: Vec<Option<Sketch>>,
    buckets: HashMap<u64, Vec<u32>>,
}

impl Sketches {
    /// Adds a text; its number is how many were added before.
    pub fn add(&mut self, sketch: Option<Sketch>) {
        let number = self.sketches.len() as u32;
        for (_, key) in sketch.iter().flat_map(Sketch::buckets) {
            self.buckets.entry(key).or_default().push(number);
        }
        self.sketches.push(sketch);
    }

    /// Finds texts that say nearly the same, the nearest first, with the share of what both say.
    pub fn like(&self, sketch: &Sketch) -> Vec<(usize, f32)> {
        let mut met: BTreeSet<u32> = BTreeSet::new();
        for (_, key) in sketch.buckets() {
            let bucket = self
                .buckets
                .get(&key)
                .filter(|bucket| bucket.len() <= BUCKET_MAX);
            met.extend(bucket.into_iter().flatten());
        }
        let similarity = |number: u32| {
            let other = self.sketches[number as usize].as_ref()?;
            Some((number as usize, other.similarity(sketch)))
        };
        let mut found: Vec<(usize, f32)> = met.into_iter().filter_map(similarity).collect();
        found.retain(|(_, similarity)| *similarity >= SIMILARITY_MIN);
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found
    }

    /// Returns every pair that says nearly the same, the nearest first.
    pub fn pairs(&self) -> Vec<(usize, usize, f32)> {
        let mut pairs = Vec::new();
        for (at, sketch) in self.sketches.iter().enumerate() {
            let found = sketch.iter().flat_map(|sketch| self.like(sketch));
            pairs.extend(
                found
                    .filter(|(other, _)| *other > at)
                    .map(|(other, share)| (at, other, share)),
            );
        }
        pairs.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are the same each time.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, n: usize) -> usize {
            self.0 = mix(self.0);
            (self.0 % n as u64) as usize
        }
    }

    /// Words as often as they are in real texts: some very often, most seldom.
    fn text(dice: &mut Dice, n_words: usize) -> Vec<String> {
        let word = |dice: &mut Dice| {
            let most = 1 + dice.roll(5000);
            format!("w{}", dice.roll(most))
        };
        (0..n_words).map(|_| word(dice)).collect()
    }

    #[test]
    fn edited_texts_are_known_again_and_others_are_not() {
        let mut dice = Dice(7);
        let texts: Vec<Vec<String>> = (0..500).map(|_| text(&mut dice, 300)).collect();
        let mut all = Sketches::default();
        texts
            .iter()
            .for_each(|text| all.add(Sketch::of(&text.join(" "))));
        for (percent, recall_min) in [(0, 1.0), (5, 1.0), (10, 1.0), (20, 0.75)] {
            let (mut n_found, mut n_wrong) = (0, 0);
            for (at, text) in texts.iter().enumerate() {
                let edited: Vec<String> = (text.iter())
                    .map(|word| {
                        if dice.roll(100) < percent {
                            format!("x{}", dice.roll(999))
                        } else {
                            word.clone()
                        }
                    })
                    .collect();
                let found = all.like(&Sketch::of(&edited.join(" ")).unwrap());
                n_found += usize::from(found.iter().any(|(other, _)| *other == at));
                n_wrong += found.iter().filter(|(other, _)| *other != at).count();
            }
            assert!(n_found as f64 >= recall_min * 500.0, "{percent}: {n_found}");
            assert_eq!(n_wrong, 0, "{percent}");
        }
        assert!(all.pairs().is_empty());
    }

    #[test]
    fn prints_agree_with_sketches() {
        let mut dice = Dice(3);
        for n_edits in [0, 10, 60, 200] {
            let one = text(&mut dice, 200);
            let mut other = one.clone();
            for _ in 0..n_edits {
                let at = dice.roll(other.len());
                other[at] = format!("x{}", dice.roll(999));
            }
            let (one, other) = (one.join(" "), other.join(" "));
            let exact = Sketch::of(&one)
                .unwrap()
                .similarity(&Sketch::of(&other).unwrap());
            let (a, b) = (Print::of(&one), Print::of(&other));
            assert!((a.similarity(&b) - exact).abs() < 0.05, "{n_edits}");
            assert_eq!(Print::from_bytes(&a.bytes()), Some(a));
        }
        assert_eq!(
            Print::of("Too short").similarity(&Print::of("too  SHORT!")),
            1.0
        );
        assert_eq!(
            Print::of("too short").similarity(&Print::of("very short")),
            0.0
        );
        assert_eq!(n_zero_bytes(0x0000_01FF_8000_7F00), 4);
    }

    #[test]
    fn case_and_marks_do_not_matter() {
        let one = Sketch::of("The roof leaks, and Esko repairs it.").unwrap();
        let other = Sketch::of("the ROOF leaks and **Esko** repairs it").unwrap();
        assert_eq!(one.similarity(&other), 1.0);
        assert!(Sketch::of("too short").is_none());
    }
}
