//! Vectors onto the axes along which they differ most: principal components, by repeated multiplication.

use super::layout::Dice;

/// Times that the axes are multiplied with the covariance; more would move them by less than a pixel.
const ROUNDS: usize = 24;

/// Vectors that are looked at to find the axes; more would not turn them.
const LOOKED_AT_MAX: usize = 4_000;

/// Returns each vector in `n` numbers: its parts along the main axes, the widest first.
pub(super) fn onto_main_axes(vectors: &[Vec<f32>], n: usize) -> Vec<Vec<f32>> {
    let Some(width) = vectors.first().map(Vec::len) else {
        return Vec::new();
    };
    let mean = mean_of(vectors, width);
    let covariance = covariance(vectors, &mean, vectors.len().div_ceil(LOOKED_AT_MAX));
    let axes = main_axes(&covariance, width, n.min(width));
    let along = |vector: &Vec<f32>| {
        let parts = axes.iter().map(|axis| {
            let parts = vector.iter().zip(&mean).zip(axis);
            parts.map(|((x, m), a)| (x - m) * a).sum()
        });
        parts.collect()
    };
    vectors.iter().map(along).collect()
}

fn mean_of(vectors: &[Vec<f32>], width: usize) -> Vec<f32> {
    let mut sum = vec![0.0f64; width];
    for vector in vectors {
        sum.iter_mut()
            .zip(vector)
            .for_each(|(sum, x)| *sum += f64::from(*x));
    }
    let n = vectors.len() as f64;
    sum.into_iter().map(|sum| (sum / n) as f32).collect()
}

/// Returns how the components of every so many vectors go together, row by row.
fn covariance(vectors: &[Vec<f32>], mean: &[f32], stride: usize) -> Vec<f32> {
    let width = mean.len();
    let mut sums = vec![0.0f32; width * width];
    let mut centred = vec![0.0f32; width];
    for vector in vectors.iter().step_by(stride) {
        for ((c, x), m) in centred.iter_mut().zip(vector).zip(mean) {
            *c = x - m;
        }
        for (row, &a) in sums.chunks_exact_mut(width).zip(&centred) {
            row.iter_mut()
                .zip(&centred)
                .for_each(|(sum, b)| *sum += a * b);
        }
    }
    sums
}

/// Returns the directions that a covariance stretches most, at right angles to each other.
fn main_axes(covariance: &[f32], width: usize, n: usize) -> Vec<Vec<f32>> {
    let mut dice = Dice::new();
    let mut axes: Vec<Vec<f32>> = (0..n)
        .map(|_| (0..width).map(|_| dice.signed()).collect())
        .collect();
    orthogonalise(&mut axes);
    for _ in 0..ROUNDS {
        for axis in &mut axes {
            let rows = covariance.chunks_exact(width);
            *axis = rows
                .map(|row| row.iter().zip(&*axis).map(|(a, b)| a * b).sum())
                .collect();
        }
        orthogonalise(&mut axes);
    }
    // Which way round an axis points means nothing; one rule keeps the map from turning over.
    for axis in &mut axes {
        let largest = axis
            .iter()
            .copied()
            .max_by(|a, b| a.abs().total_cmp(&b.abs()));
        if largest.is_some_and(|largest| largest < 0.0) {
            axis.iter_mut().for_each(|x| *x = -*x);
        }
    }
    axes
}

fn orthogonalise(axes: &mut [Vec<f32>]) {
    for at in 0..axes.len() {
        let (before, rest) = axes.split_at_mut(at);
        let axis = &mut rest[0];
        for other in before {
            let along: f32 = axis.iter().zip(&*other).map(|(a, b)| a * b).sum();
            axis.iter_mut()
                .zip(&*other)
                .for_each(|(a, b)| *a -= along * b);
        }
        let length = axis.iter().map(|x| x * x).sum::<f32>().sqrt();
        // A direction in which nothing differs.
        if length > f32::EPSILON {
            axis.iter_mut().for_each(|x| *x /= length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_direction_comes_first() {
        let mut dice = Dice::new();
        let vectors: Vec<Vec<f32>> = (0..200)
            .map(|_| vec![0.1 * dice.signed(), 3.0 * dice.signed(), dice.signed()])
            .collect();
        let kept = onto_main_axes(&vectors, 2);
        let spread = |at: usize| kept.iter().map(|v| v[at] * v[at]).sum::<f32>();
        assert!(spread(0) > 4.0 * spread(1));
        for (vector, kept) in vectors.iter().zip(&kept) {
            assert!((vector[1] - kept[0]).abs() < 0.3, "{vector:?} {kept:?}");
        }
        assert!(onto_main_axes(&[], 2).is_empty());
        assert_eq!(onto_main_axes(&[vec![1.0, 2.0]], 2), [[0.0, 0.0]]);
    }
}
