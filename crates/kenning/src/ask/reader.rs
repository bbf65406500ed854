//! A small network that reads a sentence and scores where an answer begins, ends and what it may hold. Its
//! weights lie in `assets/answer-reader/`; `scripts/fit-reader` makes them. Pure.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::inputs::{self, Around, N_INPUTS};
use crate::question::Sought;

/// Numbers that stand for a function word.
const N_WORD: usize = 8;
/// Numbers that the network keeps of a token.
const WIDTH: usize = 48;
/// How far each of its steps looks to either side.
const REACHES: [usize; 3] = [1, 2, 4];
/// Numbers in which the two ends of an answer are compared.
const N_PAIR: usize = 8;
/// Most tokens of an answer.
pub(super) const TOKENS_MAX: usize = 12;

/// A function word that is not known, and what is none.
const UNKNOWN: usize = 1;
const NO_WORD: usize = 0;

static READER: LazyLock<Reader> = LazyLock::new(Reader::load);

type Row = [f32; WIDTH];

/// The weights.
struct Reader {
    words: FxHashMap<&'static str, usize>,
    of_word: Vec<[f32; N_WORD]>,
    of_sought: Vec<Row>,
    of_input: Vec<Row>,
    input_bias: Row,
    steps: Vec<Step>,
    begins: Row,
    ends: Row,
    inside: Row,
    biases: [f32; 3],
    first: Vec<Row>,
    first_bias: [f32; N_PAIR],
    last: Vec<Row>,
    last_bias: [f32; N_PAIR],
    of_length: Vec<[f32; TOKENS_MAX]>,
}

/// One step: what a token and its neighbours add to it.
struct Step {
    before: Vec<Row>,
    own: Vec<Row>,
    after: Vec<Row>,
    bias: Row,
}

/// A sentence that was read.
pub(super) struct Read {
    begins: Vec<f32>,
    ends: Vec<f32>,
    /// Sum over the tokens before each place.
    inside: Vec<f32>,
    first: Vec<[f32; N_PAIR]>,
    last: Vec<[f32; N_PAIR]>,
    of_length: &'static [f32; TOKENS_MAX],
}

impl Read {
    /// How likely some tokens are the answer; the exponent of it counts.
    pub(super) fn score(&self, first: usize, last: usize) -> f32 {
        let pair: f32 = self.first[first]
            .iter()
            .zip(&self.last[last])
            .map(|(a, b)| a * b)
            .sum();
        let inside = self.inside[last + 1] - self.inside[first];
        self.begins[first] + self.ends[last] + inside + pair + self.of_length[last - first]
    }
}

/// Reads a sentence.
pub(super) fn read(around: &Around<'_>) -> Read {
    READER.read(around)
}

impl Reader {
    fn load() -> Self {
        let bytes = include_bytes!("../../assets/answer-reader/weights.bin");
        let words = include_str!("../../assets/answer-reader/words.txt");
        let mut numbers = Numbers(bytes);
        let words = words
            .lines()
            .zip(UNKNOWN + 1..)
            .collect::<FxHashMap<_, _>>();
        let n_words = words.len() + UNKNOWN + 1;
        Self {
            words,
            of_word: numbers.rows(n_words),
            of_sought: numbers.rows(Sought::ALL.len()),
            of_input: numbers.rows(N_INPUTS + N_WORD),
            input_bias: numbers.row(),
            steps: REACHES.map(|_| Step::load(&mut numbers)).into(),
            begins: numbers.row(),
            ends: numbers.row(),
            inside: numbers.row(),
            biases: numbers.row(),
            first: numbers.rows(N_PAIR),
            first_bias: numbers.row(),
            last: numbers.rows(N_PAIR),
            last_bias: numbers.row(),
            of_length: numbers.rows(Sought::ALL.len()),
        }
    }

    fn read(&'static self, around: &Around<'_>) -> Read {
        let mut rows = self.enter(around);
        for (step, reach) in self.steps.iter().zip(REACHES) {
            rows = step.take(&rows, reach);
        }
        let mut inside = vec![0.0];
        for row in &rows {
            let sum = inside.last().copied().unwrap_or(0.0);
            inside.push(sum + product(row, &self.inside) + self.biases[2]);
        }
        let pairs = |of: &[Row], bias: &[f32; N_PAIR]| {
            let pair = |row: &Row| std::array::from_fn(|at| product(row, &of[at]) + bias[at]);
            rows.iter().map(pair).collect::<Vec<[f32; N_PAIR]>>()
        };
        let each = |of: &Row, bias: f32| rows.iter().map(|row| product(row, of) + bias).collect();
        Read {
            begins: each(&self.begins, self.biases[0]),
            ends: each(&self.ends, self.biases[1]),
            inside,
            first: pairs(&self.first, &self.first_bias),
            last: pairs(&self.last, &self.last_bias),
            of_length: &self.of_length[around.sought as usize],
        }
    }

    /// The tokens as the network first sees them.
    fn enter(&self, around: &Around<'_>) -> Vec<Row> {
        let all = inputs::inputs(around).into_iter().zip(around.tokens);
        all.map(|(inputs, token)| {
            let word = match token.is_stop {
                true => {
                    let lower = around.text[token.bytes.clone()].to_lowercase();
                    self.words.get(lower.as_str()).copied().unwrap_or(UNKNOWN)
                }
                false => NO_WORD,
            };
            let mut row = self.input_bias;
            add(&mut row, &self.of_sought[around.sought as usize], 1.0);
            let numbers = inputs.iter().chain(&self.of_word[word]);
            for (number, weights) in numbers.zip(&self.of_input) {
                add(&mut row, weights, *number);
            }
            row.map(|value| value.max(0.0))
        })
        .collect()
    }
}

impl Step {
    fn load(numbers: &mut Numbers) -> Self {
        Self {
            before: numbers.rows(WIDTH),
            own: numbers.rows(WIDTH),
            after: numbers.rows(WIDTH),
            bias: numbers.row(),
        }
    }

    fn take(&self, rows: &[Row], reach: usize) -> Vec<Row> {
        let more = |at: usize| {
            let mut sum = self.bias;
            let before = at.checked_sub(reach).map(|place| &rows[place]);
            let sides = [
                (before, &self.before),
                (Some(&rows[at]), &self.own),
                (rows.get(at + reach), &self.after),
            ];
            for (row, weights) in sides {
                for (value, weights) in row.into_iter().flatten().zip(weights) {
                    add(&mut sum, weights, *value);
                }
            }
            std::array::from_fn(|unit| rows[at][unit] + sum[unit].max(0.0))
        };
        (0..rows.len()).map(more).collect()
    }
}

fn add(sum: &mut Row, row: &Row, factor: f32) {
    if factor != 0.0 {
        for (sum, value) in sum.iter_mut().zip(row) {
            *sum += factor * value;
        }
    }
}

fn product(a: &Row, b: &Row) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Little-endian floats, one after the other.
struct Numbers(&'static [u8]);

impl Numbers {
    fn next(&mut self) -> f32 {
        let Some((bytes, rest)) = self.0.split_first_chunk() else {
            return 0.0;
        };
        self.0 = rest;
        f32::from_le_bytes(*bytes)
    }

    fn row<const N: usize>(&mut self) -> [f32; N] {
        std::array::from_fn(|_| self.next())
    }

    fn rows<const N: usize>(&mut self, n: usize) -> Vec<[f32; N]> {
        (0..n).map(|_| self.row()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that does not fit the constants above would be read as noise.
    #[test]
    fn the_weights_are_as_many_as_are_read() {
        let bytes = include_bytes!("../../assets/answer-reader/weights.bin");
        let n_words = READER.words.len() + UNKNOWN + 1;
        let n_step = 3 * WIDTH * WIDTH + WIDTH;
        let n = n_words * N_WORD
            + Sought::ALL.len() * (WIDTH + TOKENS_MAX)
            + (N_INPUTS + N_WORD + 1) * WIDTH
            + REACHES.len() * n_step
            + 3 * WIDTH
            + 3
            + 2 * (N_PAIR * WIDTH + N_PAIR);
        assert_eq!(bytes.len(), n * 4);
    }
}
