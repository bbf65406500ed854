//! Passages and questions into rows, by a transformer.

use std::path::Path;
use std::sync::Arc;

use kenning::embed::{Calibration, EmbedError, Embedder, MadeFn, ModelId};

use crate::folder::{Folder, Pooling, unreadable};
use crate::session::{Output, Session, Threads};
use crate::tokens::Cutter;

/// Passages after which rows are handed over, so that what was made is kept when somebody stops.
const STEP_TEXTS: usize = 32;

/// A transformer that makes one row of a text.
pub struct Transformer {
    id: ModelId,
    folder: Folder,
    cutter: Cutter,
    session: Session,
}

impl Transformer {
    /// Reads a model from its folder, or from the file with its weights.
    pub fn open(path: &Path) -> Result<Self, EmbedError> {
        Self::of(Folder::open(path)?)
    }

    /// Reads a model from a folder that was looked at.
    pub fn of(folder: Folder) -> Result<Self, EmbedError> {
        if folder.is_cross_encoder {
            return Err(EmbedError::Unsupported {
                path: folder.weights,
                what: "a cross-encoder as a model that makes vectors".to_owned(),
            });
        }
        let cutter = Cutter::open(&folder)?;
        let session = Session::open(&folder.weights)?;
        let id = ModelId {
            name: folder.name.clone(),
            revision: folder.revision()?,
            dimensions: 0,
        };
        let mut model = Self {
            id,
            folder,
            cutter,
            session,
        };
        model.id.dimensions = model.row("a", None)?.len();
        Ok(model)
    }

    /// Returns what its folder says.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Returns how many letters of a text a piece has, if it has any: few in a language that the model was not made for.
    pub(crate) fn letters_a_piece(&self, text: &str) -> Option<f32> {
        self.cutter.letters_a_piece(text)
    }

    /// Makes the row of a passage.
    pub(crate) fn passage(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.row(&format!("{}{text}", self.folder.passage_prefix), None)
    }

    /// Makes one row of each passage.
    fn passages(&self, texts: &[&str], threads: Option<&Threads>) -> Result<Vec<f32>, EmbedError> {
        let prefix = &self.folder.passage_prefix;
        let mut rows = Vec::with_capacity(texts.len() * self.id.dimensions);
        for text in texts {
            rows.extend(self.row(&format!("{prefix}{text}"), threads)?);
        }
        Ok(rows)
    }

    /// Makes the row of a text; one that has no tokens is as far from all others.
    fn row(&self, text: &str, threads: Option<&Threads>) -> Result<Vec<f32>, EmbedError> {
        let tokens = self.cutter.text(text);
        let tokens = tokens
            .map_err(|reason| unreadable(&self.folder.path.join("tokenizer.json"), &reason))?;
        let n = tokens.ids.len();
        if n == 0 {
            return Ok(vec![0.0; self.id.dimensions]);
        }
        let output = self.session.run(&tokens, threads)?;
        Ok(normalised(self.pool(n, output)?))
    }

    /// Makes one row of what came out for `n` tokens.
    fn pool(&self, n: usize, output: Output) -> Result<Vec<f32>, EmbedError> {
        match output.shape[..] {
            [1, dimensions] if dimensions > 0 => Ok(output.numbers),
            [1, width, dimensions] if width == n && dimensions > 0 => {
                Ok(pooled(&output.numbers, n, dimensions, self.folder.pooling))
            }
            _ => {
                let reason = format!("its output has the shape {:?}", output.shape);
                Err(unreadable(&self.folder.weights, &reason))
            }
        }
    }
}

/// Makes one row of those of the first `n` tokens.
fn pooled(tokens: &[f32], n: usize, dimensions: usize, pooling: Pooling) -> Vec<f32> {
    let token = |at: usize| &tokens[at * dimensions..(at + 1) * dimensions];
    match pooling {
        Pooling::Cls => token(0).to_vec(),
        Pooling::Last => token(n.saturating_sub(1)).to_vec(),
        Pooling::Mean => {
            let mut sum = vec![0f32; dimensions];
            for at in 0..n {
                for (sum, x) in sum.iter_mut().zip(token(at)) {
                    *sum += x;
                }
            }
            sum
        }
    }
}

/// Brings a row to length 1. One that is not made of numbers means nothing, and is as far from all others.
fn normalised(mut row: Vec<f32>) -> Vec<f32> {
    let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
    let is_sound = length.is_finite() && length > 0.0;
    for x in &mut row {
        *x = if is_sound { *x / length } else { 0.0 };
    }
    row
}

impl Embedder for Transformer {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn embed_passages(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError> {
        rows.extend(self.passages(texts, None)?);
        Ok(())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.row(&format!("{}{text}", self.folder.query_prefix), None)
    }

    fn batch_hint(&self) -> usize {
        STEP_TEXTS
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn embed_each(&self, texts: &[&str], made: &mut MadeFn<'_>) {
        for (step, some) in texts.chunks(STEP_TEXTS).enumerate() {
            let mut rows = Vec::new();
            let done = self.embed_passages(some, &mut rows).map(|()| rows);
            let start = step * STEP_TEXTS;
            if !made(start..start + some.len(), done) {
                return;
            }
        }
    }

    fn calibration(&self) -> Calibration {
        self.folder.calibration
    }
}

/// The same model, run on one thread of its own beside whatever else is done.
pub(crate) struct Beside {
    model: Arc<Transformer>,
    thread: Threads,
}

impl Beside {
    /// The thread is begun here, and is as urgent as the one that asks for it.
    pub(crate) fn new(model: Arc<Transformer>) -> Self {
        let thread = Threads::one();
        Self { model, thread }
    }
}

impl Embedder for Beside {
    fn id(&self) -> &ModelId {
        self.model.id()
    }

    fn embed_passages(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError> {
        rows.extend(self.model.passages(texts, Some(&self.thread))?);
        Ok(())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.model.embed_query(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_that_only_fill_up_do_not_count() {
        let tokens = [1.0, 0.0, 3.0, 4.0, 9.0, 9.0];
        let check = |pooling: Pooling, expected: [f32; 2]| {
            assert_eq!(pooled(&tokens, 2, 2, pooling), expected, "{pooling:?}");
        };
        check(Pooling::Cls, [1.0, 0.0]);
        check(Pooling::Mean, [4.0, 4.0]);
        check(Pooling::Last, [3.0, 4.0]);
    }

    #[test]
    fn a_row_that_means_nothing_is_zero() {
        assert_eq!(normalised(vec![3.0, 4.0]), [0.6, 0.8]);
        assert_eq!(normalised(vec![0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(normalised(vec![f32::NAN, 1.0]), [0.0, 0.0]);
        assert_eq!(normalised(vec![f32::INFINITY, 1.0]), [0.0, 0.0]);
    }
}
