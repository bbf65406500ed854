//! Limits by score and by tokens: they cut the list, and change nothing else.

use super::Hit;

/// Drops hits of too low a score. That is not the notes' fault, and told where nothing is left.
pub(super) fn keep_scores(hits: &mut Vec<Hit>, min_score: f32, notices: &mut Vec<String>) {
    let best = hits.first().map(|hit| hit.score);
    hits.retain(|hit| hit.score >= min_score);
    if let Some(best) = best.filter(|_| hits.is_empty()) {
        notices.push(format!(
            "no hit reaches the lowest score asked for, {min_score}; the best one has {best:.2}"
        ));
    }
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
