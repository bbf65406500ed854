//! Parts of a heap of points: k-means from a beginning that spreads out.

use super::layout::Dice;

/// Times that middles are moved.
const ROUNDS: usize = 8;
/// Most and fewest regions of a map.
const REGIONS: (usize, usize) = (3, 36);

/// Returns the region of each place, and the middle of each region; the largest region comes first.
pub(super) fn of(places: &[[f32; 2]]) -> (Vec<usize>, Vec<[f32; 2]>) {
    let wanted = ((places.len() as f32).sqrt() / 2.5) as usize;
    let vectors: Vec<Vec<f32>> = places.iter().map(|place| place.to_vec()).collect();
    let (mut regions, middles) = parts(&vectors, wanted.clamp(REGIONS.0, REGIONS.1));
    let mut sizes = vec![0usize; middles.len()];
    regions.iter().for_each(|&region| sizes[region] += 1);
    let mut order: Vec<usize> = (0..middles.len()).filter(|&at| sizes[at] > 0).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(sizes[at]));
    let mut ranks = vec![0; middles.len()];
    for (rank, &at) in order.iter().enumerate() {
        ranks[at] = rank;
    }
    regions
        .iter_mut()
        .for_each(|region| *region = ranks[*region]);
    let middles = order.iter().map(|&at| [middles[at][0], middles[at][1]]);
    (regions, middles.collect())
}

/// Returns the part of each vector, and the middle of each part.
pub(super) fn parts(vectors: &[Vec<f32>], n: usize) -> (Vec<usize>, Vec<Vec<f32>>) {
    let mut middles = spread(vectors, n);
    let mut parts = vec![0; vectors.len()];
    for _ in 0..ROUNDS {
        for (part, vector) in parts.iter_mut().zip(vectors) {
            *part = nearest(&middles, vector);
        }
        move_to_means(&mut middles, vectors, &parts);
    }
    (parts, middles)
}

/// Chooses middles by the dice of k-means++: what lies far from those before is likely to be next, and so is what
/// there is much of.
fn spread(vectors: &[Vec<f32>], n: usize) -> Vec<Vec<f32>> {
    let n = n.min(vectors.len());
    let stride = (vectors.len() / (20 * n.max(1))).max(1);
    let sample: Vec<&Vec<f32>> = vectors.iter().step_by(stride).collect();
    let mut dice = Dice::new();
    let mut away = vec![f32::MAX; sample.len()];
    let mut middles: Vec<Vec<f32>> = Vec::with_capacity(n);
    let mut next = sample.len() / 2;
    while middles.len() < n {
        let Some(middle) = sample.get(next).map(|vector| (*vector).clone()) else {
            break;
        };
        for (away, vector) in away.iter_mut().zip(&sample) {
            *away = away.min(distance(vector, &middle));
        }
        middles.push(middle);
        next = thrown(&away, &mut dice);
    }
    middles
}

/// Returns one of some places, each as likely as its weight.
fn thrown(weights: &[f32], dice: &mut Dice) -> usize {
    let total: f32 = weights.iter().sum();
    let mut left = (dice.signed() + 1.0) / 2.0 * total;
    for (at, weight) in weights.iter().enumerate() {
        left -= weight;
        if left <= 0.0 {
            return at;
        }
    }
    weights.len().saturating_sub(1)
}

fn nearest(middles: &[Vec<f32>], vector: &[f32]) -> usize {
    let mut best = (f32::MAX, 0);
    for (at, middle) in middles.iter().enumerate() {
        let away = distance(middle, vector);
        if away < best.0 {
            best = (away, at);
        }
    }
    best.1
}

fn move_to_means(middles: &mut [Vec<f32>], vectors: &[Vec<f32>], parts: &[usize]) {
    let mut sums: Vec<(usize, Vec<f32>)> = middles
        .iter()
        .map(|middle| (0, vec![0.0; middle.len()]))
        .collect();
    for (vector, &part) in vectors.iter().zip(parts) {
        let (n, sum) = &mut sums[part];
        *n += 1;
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
    }
    for (middle, (n, sum)) in middles.iter_mut().zip(sums).filter(|(_, (n, _))| *n > 0) {
        *middle = sum.into_iter().map(|sum| sum / n as f32).collect();
    }
}

/// Returns the square of the distance.
pub(super) fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heaps_are_told_apart() {
        let places: Vec<[f32; 2]> = (0..90)
            .map(|at| {
                let heap = [[0.1, 0.1], [0.9, 0.1], [0.5, 0.9]][at % 3];
                [heap[0] + at as f32 * 1e-4, heap[1]]
            })
            .collect();
        let (regions, middles) = of(&places);
        assert_eq!(middles.len(), 3);
        for at in 0..87 {
            assert_eq!(regions[at], regions[at + 3]);
            assert_ne!(regions[at], regions[at + 1]);
        }
        assert_eq!(of(&[]), (Vec::new(), Vec::new()));
        assert_eq!(of(&[[0.5, 0.5]]).0, [0]);
    }
}
