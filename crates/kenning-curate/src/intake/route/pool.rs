//! Several opinions about the folder of a text into one: a logarithmic pool (Genest and Zidek, 1986), whose weights are those under which
//! the notes of the vault would most likely lie where they lie. Pure.

/// How much of every opinion is doubt: no single one rules a folder out.
const DOUBT: f32 = 0.1;
/// How strongly weights stay what they are without notes to learn from.
const RIDGE: f32 = 0.02;
/// Steps of the search for better weights; it ends sooner where none are found.
const STEPS_MAX: usize = 200;

/// Opinions of each kind about each folder, as logarithms.
pub(super) type Opinions<const N: usize> = [Vec<f32>; N];

/// Returns votes for folders as the logarithm of an opinion; no votes are no opinion.
pub(super) fn opinion(votes: &[f32]) -> Vec<f32> {
    let n = votes.len().max(1) as f32;
    let whole: f32 = votes.iter().sum();
    let share = |vote: &f32| match whole > 0.0 {
        true => vote / whole,
        false => 1.0 / n,
    };
    votes
        .iter()
        .map(|vote| (share(vote) * (1.0 - DOUBT) + DOUBT / n).ln())
        .collect()
}

/// Returns how likely each folder is, by all opinions together.
pub(super) fn pooled<const N: usize>(opinions: &Opinions<N>, weights: &[f32; N]) -> Vec<f32> {
    let n_folders = opinions.first().map_or(0, Vec::len);
    let score = |folder: usize| -> f32 {
        let each = opinions.iter().zip(weights);
        each.map(|(opinion, weight)| weight * opinion[folder]).sum()
    };
    let scores: Vec<f32> = (0..n_folders).map(score).collect();
    softmax(&scores)
}

/// Returns shares of 1 that differ as much as scores do.
pub(super) fn softmax(scores: &[f32]) -> Vec<f32> {
    let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    if !best.is_finite() {
        return vec![0.0; scores.len()];
    }
    let raised: Vec<f32> = scores.iter().map(|score| (score - best).exp()).collect();
    let whole: f32 = raised.iter().sum();
    raised.iter().map(|value| value / whole).collect()
}

/// Returns the weights, none below zero, under which notes most likely lie in their own folders; near `usual` where little is known.
pub(super) fn fitted<const N: usize>(notes: &[(usize, Opinions<N>)], usual: &[f32; N]) -> [f32; N] {
    let (mut weights, mut step) = (*usual, 0.5f32);
    let mut likely = likelihood(notes, &weights, usual);
    for _ in 0..STEPS_MAX {
        let uphill = gradient(notes, &weights, usual);
        let mut next = weights;
        for (weight, slope) in next.iter_mut().zip(uphill) {
            *weight = (*weight + step * slope).max(0.0);
        }
        let found = likelihood(notes, &next, usual);
        match found > likely {
            true => (weights, likely, step) = (next, found, step * 1.3),
            false => step *= 0.5,
        }
        if step < 1e-4 {
            break;
        }
    }
    weights
}

/// The mean logarithm of how likely notes lie where they do, less what it costs to leave the usual weights.
fn likelihood<const N: usize>(
    notes: &[(usize, Opinions<N>)],
    weights: &[f32; N],
    usual: &[f32; N],
) -> f32 {
    let likely = |(own, opinions): &(usize, Opinions<N>)| {
        pooled(opinions, weights)[*own].max(f32::MIN_POSITIVE).ln()
    };
    let sum: f32 = notes.iter().map(likely).sum();
    let away: f32 = (weights.iter().zip(usual))
        .map(|(weight, usual)| (weight - usual).powi(2))
        .sum();
    sum / notes.len().max(1) as f32 - RIDGE / 2.0 * away
}

fn gradient<const N: usize>(
    notes: &[(usize, Opinions<N>)],
    weights: &[f32; N],
    usual: &[f32; N],
) -> [f32; N] {
    let mut slopes = [0.0f32; N];
    for (own, opinions) in notes {
        let shares = pooled(opinions, weights);
        for (slope, opinion) in slopes.iter_mut().zip(opinions) {
            let expected: f32 = opinion
                .iter()
                .zip(&shares)
                .map(|(one, share)| one * share)
                .sum();
            *slope += (opinion[*own] - expected) / notes.len() as f32;
        }
    }
    for ((slope, weight), usual) in slopes.iter_mut().zip(weights).zip(usual) {
        *slope -= RIDGE * (weight - usual);
    }
    slopes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_right_counts_more_and_who_guesses_counts_nothing() {
        // The first opinion is right two times in three, the second turns in a circle.
        let notes: Vec<(usize, Opinions<2>)> = (0..30)
            .map(|at| {
                let own = at % 3;
                let said = if at % 9 < 6 { own } else { (own + 1) % 3 };
                let votes = |folder: usize| {
                    let mut votes = [0.0; 3];
                    votes[folder] = 1.0;
                    opinion(&votes)
                };
                (own, [votes(said), votes((at / 3) % 3)])
            })
            .collect();
        let weights = fitted(&notes, &[0.3, 0.3]);
        assert!(weights[0] > 0.3 && weights[1] < 0.1, "{weights:?}");
        assert_eq!(fitted::<2>(&[], &[0.3, 0.4]), [0.3, 0.4]);
        let flat = pooled(&[opinion(&[0.0; 3]), opinion(&[0.0; 3])], &[1.0, 1.0]);
        assert!(flat.iter().all(|share| (share - 1.0 / 3.0).abs() < 1e-6));
    }
}
