//! Whether one ranking is better than another, or luck. Pure.

/// Draws of every comparison here: enough for p to two digits.
pub(super) const N_RESAMPLES: usize = 10_000;
/// Any number does, as long as it stays the same.
pub(super) const SEED: u64 = 1;

/// What two measurements of the same questions say about each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Questions measured.
    pub n_pairs: usize,
    /// Mean of `after - before`.
    pub mean_difference: f64,
    /// Lower end of the interval that holds the true mean difference in 95 % of cases.
    pub low: f64,
    /// Upper end of that interval.
    pub high: f64,
    /// How often chance alone makes a difference this large, in either direction.
    pub p: f64,
}

impl Comparison {
    /// Tells whether the difference is unlikely to be luck, by the usual 5 %.
    pub fn is_significant(&self) -> bool {
        self.p < 0.05
    }
}

/// Compares two measurements of the same questions by drawing questions anew, `n_resamples` times.
///
/// Questions are drawn in pairs, since a hard question is hard for both rankings. The interval is
/// the middle 95 % of the drawn mean differences; for `p` they are moved so that their mean is zero,
/// which is what chance alone would look like. The same seed gives the same answer. `None` when the
/// lists are empty or of different lengths, or nothing is to be drawn.
pub(crate) fn paired_bootstrap(
    before: &[f64],
    after: &[f64],
    n_resamples: usize,
    seed: u64,
) -> Option<Comparison> {
    let n_pairs = before.len();
    if n_pairs == 0 || n_pairs != after.len() || n_resamples == 0 {
        return None;
    }
    let differences: Vec<f64> = before.iter().zip(after).map(|(b, a)| a - b).collect();
    let mean_difference = differences.iter().sum::<f64>() / n_pairs as f64;
    let mut random = SplitMix(seed);
    let mut means: Vec<f64> = (0..n_resamples)
        .map(|_| {
            let sum: f64 = (0..n_pairs)
                .map(|_| differences[random.below(n_pairs)])
                .sum();
            sum / n_pairs as f64
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    // Sums in another order differ in the last digit, which must not decide what counts as equal.
    let as_large = mean_difference.abs() - 1e-12;
    let n_as_large = means
        .iter()
        .filter(|mean| (*mean - mean_difference).abs() >= as_large)
        .count();
    Some(Comparison {
        n_pairs,
        mean_difference,
        low: quantile(&means, 0.025),
        high: quantile(&means, 0.975),
        // The measurement itself is one of the draws, so that p is never zero.
        p: (n_as_large + 1) as f64 / (n_resamples + 1) as f64,
    })
}

/// Returns how often a positive scores above a negative, ties counting half.
///
/// 1 is a perfect separation, 0.5 is a coin. `None` when either list is empty.
pub fn auroc(positives: &[f64], negatives: &[f64]) -> Option<f64> {
    if positives.is_empty() || negatives.is_empty() {
        return None;
    }
    // Adding zero makes -0 and 0 the same score, which the ordering below would tell apart.
    let mut sorted: Vec<f64> = negatives.iter().map(|score| score + 0.0).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let n_won: f64 = positives
        .iter()
        .map(|score| {
            let score = score + 0.0;
            let n_below = sorted.partition_point(|other| other.total_cmp(&score).is_lt());
            let n_to_equal = sorted.partition_point(|other| other.total_cmp(&score).is_le());
            (n_below + n_to_equal) as f64 / 2.0
        })
        .sum();
    Some(n_won / (positives.len() * negatives.len()) as f64)
}

/// Value below which a share of the sorted values lies, between neighbours in a straight line.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * (place - place.floor())
}

/// SplitMix64: small, fast, and good enough to draw questions with.
pub(super) struct SplitMix(pub(super) u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from zero to below `n`, by multiplying instead of dividing.
    pub(super) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: u64 = 7;

    #[test]
    fn the_generator_is_the_published_one() {
        // First outputs for seed 1234567, from the reference C code.
        let mut random = SplitMix(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn a_worked_example() {
        // Differences 0 and 1, mean ½. Two draws of two give means 0, ½, ½, 1, each as likely, so
        // the middle 95 % reach from 0 to 1, and half of them are ½ or more away from the mean.
        let comparison = paired_bootstrap(&[0.2, 0.0], &[0.2, 1.0], 20_000, SEED).unwrap();
        assert_eq!(comparison.mean_difference, 0.5);
        assert_eq!((comparison.low, comparison.high), (0.0, 1.0));
        assert!((comparison.p - 0.5).abs() < 0.02, "{comparison:?}");
        assert!(!comparison.is_significant());
    }

    #[test]
    fn all_draws_counted_out() {
        // Every one of the 4⁴ draws of four questions, instead of some of them at random.
        let after = [0.5, 0.9, 0.3, 0.4];
        let before = [0.4, 0.5, 0.35, 0.1];
        let differences: Vec<f64> = (0..4).map(|i| after[i] - before[i]).collect();
        let mean = differences.iter().sum::<f64>() / 4.0;
        let mut means = Vec::new();
        for draw in 0..256usize {
            let sum: f64 = (0..4).map(|i| differences[(draw >> (2 * i)) & 3]).sum();
            means.push(sum / 4.0);
        }
        let n = means
            .iter()
            .filter(|m| (*m - mean).abs() >= mean - 1e-12)
            .count();
        means.sort_unstable_by(f64::total_cmp);
        let comparison = paired_bootstrap(&before, &after, 50_000, SEED).unwrap();
        assert!(
            (comparison.p - n as f64 / 256.0).abs() < 0.01,
            "{comparison:?} {n}"
        );
        assert!((comparison.low - quantile(&means, 0.025)).abs() < 0.02);
        assert!((comparison.high - quantile(&means, 0.975)).abs() < 0.02);
    }

    #[test]
    fn always_better_is_significant_and_the_same_is_not() {
        let before: Vec<f64> = (0..50).map(|i| f64::from(i) / 100.0).collect();
        let after: Vec<f64> = before.iter().map(|score| score + 0.1).collect();
        let better = paired_bootstrap(&before, &after, 1000, SEED).unwrap();
        assert!(better.is_significant() && better.low > 0.09);
        let same = paired_bootstrap(&before, &before, 1000, SEED).unwrap();
        assert_eq!((same.mean_difference, same.p), (0.0, 1.0));
        assert_eq!(paired_bootstrap(&before, &after, 1000, SEED), Some(better));
    }

    #[test]
    fn nothing_to_compare() {
        assert_eq!(paired_bootstrap(&[], &[], 10, SEED), None);
        assert_eq!(paired_bootstrap(&[1.0], &[], 10, SEED), None);
        assert_eq!(paired_bootstrap(&[1.0], &[1.0], 0, SEED), None);
        assert_eq!(auroc(&[], &[1.0]), None);
        assert_eq!(auroc(&[1.0], &[]), None);
    }

    #[test]
    fn a_worked_example_of_auroc() {
        // .9 beats 3 of 3; .6 beats .5 and .1; .5 ties with .5 and beats .1: 3 + 2 + 1.5 of 9.
        let auroc_of = |p: &[f64], n: &[f64]| auroc(p, n).unwrap();
        assert!((auroc_of(&[0.9, 0.6, 0.5], &[0.7, 0.5, 0.1]) - 6.5 / 9.0).abs() < 1e-12);
        assert_eq!(auroc_of(&[2.0, 3.0], &[0.0, 1.0]), 1.0);
        assert_eq!(auroc_of(&[0.0], &[1.0]), 0.0);
        assert_eq!(auroc_of(&[0.0, -0.0], &[-0.0, 0.0]), 0.5);
    }
}
