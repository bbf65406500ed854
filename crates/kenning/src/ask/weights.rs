//! What each signal of a sentence and of a span is worth: most as `ken eval --answers … --tune` fitted it, by hand
//! what its questions do not have, such as code. Pure data.

use super::sentences::N_SENTENCE;
use super::span::N_SIGNALS;

/// Adds up signals by their weights.
pub(super) fn score(signals: &[f32], weights: &[f32]) -> f32 {
    signals
        .iter()
        .zip(weights)
        .map(|(signal, weight)| signal * weight)
        .sum()
}

/// What the best span adds to the score of its sentence.
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
];

/// Of a span, in the order of its signals.
#[rustfmt::skip]
pub(super) const SPAN: [f32; N_SIGNALS] = [
    -0.121, // 1 word
    0.956, // 2 words
    1.420, // 3 words
    0.077, // 4 words
    0.030, // 5 words
    -0.035, // 6 to 8 words
    -2.241, // 9 or more
    0.628, // begins with a function word
    -0.967, // ends with a function word
    0.085, // begins with a word asked for
    -0.155, // ends with a word asked for
    -0.947, // share asked for
    -1.089, // all asked for
    1.865, // at the beginning
    0.084, // behind a mark
    0.498, // behind a function word
    0.405, // behind a word asked for
    0.066, // behind a capital
    -0.734, // behind a number
    -0.012, // at the end
    1.221, // before a mark
    0.637, // before a function word
    0.635, // before a word asked for
    -1.251, // before a capital
    -0.982, // before a number
    -0.348, // has a comma
    1.854, // in quotation marks
    0.415, // in brackets
    0.718, // capitals
    1.170, // capitals of nouns
    0.901, // all of a run of capitals
    -0.015, // has a number
    1.865, // all of a run of numbers
    3.536, // near words asked for
    2.551, // near on the left
    0.999, // near on the right
    0.520, // near what sort
    2.305, // has what sort
    0.085, // like what sort
    -0.263, // like the question
    -2.092, // share of function words
    1.964, // telling words
    -0.047, // all of a clause
    0.716, // words asked for in its clause
    -0.005, // behind an opening bracket
    0.636, // before an opening bracket
    0.460, // behind a small word asked for
    1.013, // score of its sentence
    1.214, // name: capitals
    0.784, // name: all of a run of capitals
    -1.284, // name: has a number
    -0.659, // name: has a date
    -0.228, // name: only numbers, signs and units
    -0.320, // name: long
    -0.560, // name: 1 word
    -0.633, // name: behind a function word
    0.054, // name: near what sort
    0.192, // name: begins with a function word
    0.568, // name: 2 or 3 capitals
    -0.615, // name: quoted
    -0.839, // date: capitals
    -0.589, // date: all of a run of capitals
    0.810, // date: has a number
    1.685, // date: has a date
    2.466, // date: only numbers, signs and units
    -1.359, // date: long
    0.580, // date: 1 word
    -0.236, // date: behind a function word
    -0.188, // date: near what sort
    -0.494, // date: begins with a function word
    0.985, // date: 2 or 3 capitals
    -0.026, // date: quoted
    -1.123, // amount: capitals
    -0.885, // amount: all of a run of capitals
    1.621, // amount: has a number
    -1.543, // amount: has a date
    1.395, // amount: only numbers, signs and units
    -1.504, // amount: long
    0.479, // amount: 1 word
    0.447, // amount: behind a function word
    1.394, // amount: near what sort
    -0.350, // amount: begins with a function word
    -0.693, // amount: 2 or 3 capitals
    -0.402, // amount: quoted
    0.031, // place: capitals
    0.678, // place: all of a run of capitals
    -1.311, // place: has a number
    -0.249, // place: has a date
    -0.592, // place: only numbers, signs and units
    -0.283, // place: long
    0.970, // place: 1 word
    0.943, // place: behind a function word
    0.181, // place: near what sort
    0.738, // place: begins with a function word
    -0.498, // place: 2 or 3 capitals
    0.391, // place: quoted
    0.240, // steps: capitals
    0.316, // steps: all of a run of capitals
    0.157, // steps: has a number
    -0.720, // steps: has a date
    -0.222, // steps: only numbers, signs and units
    -0.699, // steps: long
    -0.851, // steps: 1 word
    -0.275, // steps: behind a function word
    0.000, // steps: near what sort
    -0.586, // steps: begins with a function word
    -0.232, // steps: 2 or 3 capitals
    2.091, // steps: quoted
    -0.064, // code: capitals
    -0.035, // code: all of a run of capitals
    0.000, // code: has a number
    0.000, // code: has a date
    0.000, // code: only numbers, signs and units
    -0.020, // code: long
    0.018, // code: 1 word
    -0.373, // code: behind a function word
    0.000, // code: near what sort
    -0.273, // code: begins with a function word
    -0.057, // code: 2 or 3 capitals
    3.000, // code: quoted
    0.298, // reason: capitals
    -0.131, // reason: all of a run of capitals
    -0.922, // reason: has a number
    -0.694, // reason: has a date
    -0.018, // reason: only numbers, signs and units
    1.264, // reason: long
    -0.055, // reason: 1 word
    0.655, // reason: behind a function word
    0.000, // reason: near what sort
    0.227, // reason: begins with a function word
    -0.399, // reason: 2 or 3 capitals
    -0.068, // reason: quoted
    0.985, // definition: capitals
    -0.386, // definition: all of a run of capitals
    -0.264, // definition: has a number
    -0.145, // definition: has a date
    0.216, // definition: only numbers, signs and units
    -0.214, // definition: long
    -0.304, // definition: 1 word
    0.341, // definition: behind a function word
    0.000, // definition: near what sort
    1.229, // definition: begins with a function word
    -0.283, // definition: 2 or 3 capitals
    -0.074, // definition: quoted
    0.298, // yes_no: capitals
    0.618, // yes_no: all of a run of capitals
    -0.001, // yes_no: has a number
    0.000, // yes_no: has a date
    -0.001, // yes_no: only numbers, signs and units
    -0.761, // yes_no: long
    0.540, // yes_no: 1 word
    -0.475, // yes_no: behind a function word
    0.000, // yes_no: near what sort
    -0.354, // yes_no: begins with a function word
    0.066, // yes_no: 2 or 3 capitals
    0.000, // yes_no: quoted
    0.814, // thing: capitals
    0.546, // thing: all of a run of capitals
    0.362, // thing: has a number
    -0.963, // thing: has a date
    -0.393, // thing: only numbers, signs and units
    0.571, // thing: long
    -0.948, // thing: 1 word
    0.042, // thing: behind a function word
    -0.796, // thing: near what sort
    0.397, // thing: begins with a function word
    -0.144, // thing: 2 or 3 capitals
    0.577, // thing: quoted
];
