//! What each signal of a sentence is worth: most as `ken eval --answers … --tune` fitted it, by hand
//! what its questions do not have, such as code. Pure data.

use super::sentences::N_SENTENCE;

/// Adds up signals by their weights.
pub(super) fn score(signals: &[f32], weights: &[f32]) -> f32 {
    signals
        .iter()
        .zip(weights)
        .map(|(signal, weight)| signal * weight)
        .sum()
}

/// What it adds to the score of a sentence that the answer is likely in it.
pub(super) const SPAN_SHARE: f32 = 0.3;

/// Of a sentence, in the order of its signals.
#[rustfmt::skip]
pub(super) const SENTENCE: [f32; N_SENTENCE] = [
    3.072, // words asked for
    3.003, // further ones before it
    1.750, // further ones behind it
    -3.176, // further ones in its passage
    1.260, // further ones in headings
    1.861, // first passage
    2.028, // rank of the passage
    2.420, // score of the passage
    2.977, // words of like meaning
    1.447, // has what is sought
    1.543, // may have what is sought
    -1.498, // telling words
    1.188, // length
    0.019, // first of its passage
    -1.000, // asks itself
    0.700, // answers a question
    0.000, // item of a list
    -0.500, // code
    3.000, // says what it is
    5.000, // opens the note of that name
    2.500, // led to by further ones
    3.000, // further ones in its header
];
