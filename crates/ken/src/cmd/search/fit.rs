//! How many hits are shown on a terminal where nobody said how many: what its height holds, without the
//! tail behind the place where scores fall off. Pure.

/// A hit that has less than this share of the best score begins the tail. Of 1,240 judged questions it costs two the
/// first right hit, and takes 6 to 60 % of the wrong ones away (docs/benchmarks.md).
const TAIL_SHARE: f64 = 0.4;

/// Returns how many hits come before the tail; `scores` are in the order of the list.
pub(super) fn before_tail(scores: &[f64]) -> usize {
    let best = scores.iter().copied().fold(0.0, f64::max);
    // A note that was called by its name comes first whatever its score.
    let behind = scores.iter().skip(1);
    let n_near = behind.take_while(|score| **score >= best * TAIL_SHARE);
    (n_near.count() + 1).min(scores.len())
}

/// Returns how many blocks of lines fit into `n_rows`; the first one is shown in any case.
pub(super) fn fitting(heights: &[usize], n_rows: usize) -> usize {
    let mut left = n_rows;
    let fits = heights.iter().take_while(|height| {
        let fits = **height <= left;
        left = left.saturating_sub(**height);
        fits
    });
    fits.count().max(1).min(heights.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_begins_where_scores_fall_off() {
        let check = |scores: &[f64], expected: usize| assert_eq!(before_tail(scores), expected);
        check(&[], 0);
        check(&[0.2], 1);
        check(&[0.9, 0.8, 0.7, 0.6, 0.5], 5);
        check(&[0.9, 0.85, 0.3, 0.29], 2);
        // A fall among good hits is none.
        check(&[1.0, 0.6, 0.55, 0.2], 3);
        check(&[0.8, 0.6, 0.45, 0.33, 0.25], 4);
        check(&[0.3, 0.9, 0.8], 3);
    }

    #[test]
    fn what_the_height_holds_is_shown() {
        assert_eq!(fitting(&[5, 5, 5, 5], 16), 3);
        assert_eq!(fitting(&[50, 5], 16), 1);
        assert_eq!(fitting(&[5, 5], 16), 2);
        assert_eq!(fitting(&[], 16), 0);
    }
}
