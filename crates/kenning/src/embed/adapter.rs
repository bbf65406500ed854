//! What was learnt of a vault's own words: how much each token of a question counts, and a small turn of its vector.
//!
//! Only questions are changed. The vectors of passages stay as they are, so that nothing has to be made anew when an
//! adapter comes or goes, and whoever does not know it still compares what can be compared.

use super::{Calibration, EmbedError, Embedder, ModelId, TokenVectors, normalise};

/// Steps of the logarithm of a token's factor that one number of a byte stands for.
const STEPS: f32 = 32.0;
/// Directions that a vector is turned by, at most.
const RANK_MAX: usize = 64;
/// Dimensions and tokens of the largest models that there are, with room.
const DIMENSIONS_MAX: usize = 1 << 14;
const TOKENS_MAX: usize = 1 << 20;
/// What every adapter begins with; the number tells how it is written.
const MARK: &str = "1";

/// Adapts the questions of one static model to a vault.
#[derive(Clone, Debug, PartialEq)]
pub struct Adapter {
    /// Revision of the model.
    base: String,
    /// Logarithms of the factors of the tokens, in steps.
    factors: Vec<i8>,
    /// How far the vector points into each direction, and what is then added to it: a row of each, one after the other.
    turns: Vec<(Vec<f32>, Vec<f32>)>,
}

impl Adapter {
    /// Makes an adapter of the logarithms of factors, one for each token, and of turns.
    pub(crate) fn new(
        model: &ModelId,
        log_factors: &[f32],
        turns: Vec<(Vec<f32>, Vec<f32>)>,
    ) -> Self {
        let step = |log: &f32| (log * STEPS).round().clamp(-127.0, 127.0) as i8;
        let own = Self {
            base: model.revision.clone(),
            factors: log_factors.iter().map(step).collect(),
            turns,
        };
        // What is measured is what is kept.
        Self::read(&own.write()).unwrap_or(own)
    }

    /// Whether it was made for this model.
    pub fn fits(&self, model: &ModelId) -> bool {
        let is_long = |(from, _): &(Vec<f32>, Vec<f32>)| from.len() == model.dimensions;
        self.base == model.revision && self.turns.iter().all(is_long)
    }

    /// Returns the row of a question.
    pub(crate) fn row(&self, model: &dyn TokenVectors, text: &str) -> Vec<f32> {
        let mut tokens = Vec::new();
        model.tokens(text, &mut tokens);
        let mut row = vec![0.0; model.dimensions()];
        for token in tokens {
            let log = self.factors.get(token as usize).copied().unwrap_or(0);
            let (components, scale) = model.vector(token);
            let scale = scale * (f32::from(log) / STEPS).exp();
            for (sum, &component) in row.iter_mut().zip(components) {
                *sum += scale * f32::from(component);
            }
        }
        normalise(&mut row);
        self.turn(&mut row);
        row
    }

    fn turn(&self, row: &mut [f32]) {
        let dot = |a: &[f32]| -> f32 { a.iter().zip(&*row).map(|(a, b)| a * b).sum() };
        let far: Vec<f32> = self.turns.iter().map(|(from, _)| dot(from)).collect();
        for ((_, to), far) in self.turns.iter().zip(far) {
            for (value, to) in row.iter_mut().zip(to) {
                *value += far * to;
            }
        }
        normalise(row);
    }

    /// Returns it as text, for the index.
    pub fn write(&self) -> String {
        let dimensions = self.turns.first().map_or(0, |(from, _)| from.len());
        let (n, rank) = (self.factors.len(), self.turns.len());
        let mut text = format!("{MARK} {} {n} {rank} {dimensions}", self.base);
        text.push(' ');
        push_hex(&mut text, &self.factors);
        for row in self.turns.iter().flat_map(|(from, to)| [from, to]) {
            let (scale, bytes) = super::quantise(row);
            text += &format!(" {} ", scale.to_bits());
            push_hex(&mut text, &bytes);
        }
        text
    }

    /// Reads what was written. What is not as it should be is none.
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let base = (words.next()? == MARK).then(|| words.next())??.to_owned();
        let mut number = |max: usize| words.next()?.parse().ok().filter(|&n: &usize| n <= max);
        let (n, rank) = (number(TOKENS_MAX)?, number(RANK_MAX)?);
        let dimensions = number(DIMENSIONS_MAX)?;
        let factors = read_hex(words.next()?, n)?;
        let mut row = || {
            let scale = f32::from_bits(words.next()?.parse().ok()?);
            let bytes = read_hex(words.next()?, dimensions)?;
            let row = bytes.iter().map(|&byte| scale * f32::from(byte));
            scale.is_finite().then(|| row.collect::<Vec<f32>>())
        };
        let turns = (0..rank)
            .map(|_| Some((row()?, row()?)))
            .collect::<Option<_>>()?;
        Some(Self {
            base,
            factors,
            turns,
        })
    }
}

fn push_hex(text: &mut String, bytes: &[i8]) {
    for byte in bytes {
        text.push_str(&format!("{byte:02x}"));
    }
}

fn read_hex(text: &str, n: usize) -> Option<Vec<i8>> {
    let digits = text.as_bytes();
    if digits.len() != n * 2 {
        return None;
    }
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let pairs = digits.chunks(2);
    pairs
        .map(|pair| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8 as i8))
        .collect()
}

/// A model whose questions are adapted by what is on trial, or by nothing, whatever the index says.
pub(crate) struct OnTrial<'a> {
    pub(crate) model: &'a dyn Embedder,
    pub(crate) adapter: Option<&'a Adapter>,
}

impl Embedder for OnTrial<'_> {
    fn id(&self) -> &ModelId {
        self.model.id()
    }

    fn embed_passages(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError> {
        self.model.embed_passages(texts, rows)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.model.embed_adapted(text, self.adapter)
    }

    fn embed_adapted(&self, text: &str, _: Option<&Adapter>) -> Result<Vec<f32>, EmbedError> {
        self.embed_query(text)
    }

    fn calibration(&self) -> Calibration {
        self.model.calibration()
    }

    fn token_vectors(&self) -> Option<&dyn TokenVectors> {
        self.model.token_vectors()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::embedded;
    use proptest::prelude::*;

    fn adapter(turn: f32) -> Adapter {
        let model = embedded();
        let mut logs = vec![0.0; TokenVectors::n_tokens(model)];
        let mut tokens = Vec::new();
        model.tokens("sync", &mut tokens);
        logs[tokens[0] as usize] = 1.0;
        let row = |value| vec![value; model.id().dimensions];
        Adapter::new(model.id(), &logs, vec![(row(0.1), row(turn))])
    }

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn a_word_counts_more_and_others_stay() {
        let (model, adapter) = (embedded(), adapter(0.0));
        let row = |text| model.embed_adapted(text, Some(&adapter)).unwrap();
        let plain = |text: &str| model.direction(text);
        let alike = cosine(&row("sync my notes"), &plain("sync"));
        assert!(alike > cosine(&plain("sync my notes"), &plain("sync")) + 0.05);
        assert!(cosine(&row("my notes"), &plain("my notes")) > 0.9999);
    }

    #[test]
    fn what_was_written_is_read_again_and_fits_its_model_only() {
        let own = adapter(0.2);
        assert_eq!(Adapter::read(&own.write()), Some(own.clone()));
        assert!(own.write().len() < 2_000_000);
        let mut other = embedded().id().clone();
        assert!(own.fits(&other));
        other.revision = "another".to_owned();
        assert!(!own.fits(&other));
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text: String) {
            Adapter::read(&text);
            Adapter::read(&format!("1 a 2 1 1 0001 {text}"));
        }
    }
}
