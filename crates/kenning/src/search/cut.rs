//! Limits by score and by tokens: they cut the list, and change nothing else.

use super::Hit;

/// Drops hits of too low a score, by the digits that are told of it: who asks for the score of a hit gets
/// that hit. That nothing is left is not the notes' fault, and told.
pub(super) fn keep_scores(hits: &mut Vec<Hit>, min_score: f32, notices: &mut Vec<String>) {
    let best = hits.first().map(|hit| hit.score);
    hits.retain(|hit| hit.score >= min_score || told_score(hit.score) >= told_score(min_score));
    if let Some(best) = best.filter(|_| hits.is_empty()) {
        let best = told_score(best);
        notices.push(format!(
            "no hit reaches the lowest score asked for, {min_score}; the best one has {best}"
        ));
    }
}

/// Returns a score as it is told: four digits are all that it says.
pub fn told_score(score: f32) -> f64 {
    (f64::from(score) * 10_000.0).round() / 10_000.0
}

/// Keeps the hits that fit, up to the first one that does not; that is cut if it is all there is.
pub(super) fn keep_tokens(hits: &mut Vec<Hit>, max_tokens: usize) {
    let mut left = max_tokens.saturating_mul(4);
    if let Some(first) = hits.first_mut() {
        let end = first
            .text
            .char_indices()
            .nth(left)
            .map_or(first.text.len(), |(end, _)| end);
        first.text.truncate(end);
    }
    let fitting = hits.iter().take_while(|hit| {
        let n_chars = hit.text.chars().count();
        let fits = n_chars <= left;
        left = left.saturating_sub(n_chars);
        fits
    });
    let n_fitting = fitting.count();
    hits.truncate(n_fitting);
}
