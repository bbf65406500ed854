//! Passages and questions into rows, by a transformer.

use std::path::Path;
use std::sync::Arc;

use kenning::embed::{Calibration, EmbedError, Embedder, MadeFn, ModelId};

use crate::batch::{self, Batch};
use crate::folder::{Folder, Pooling, unreadable};
use crate::session::{Output, Session, Threads};
use crate::tokens::{Cutter, Tokens};

/// Passages after which rows are handed over, so that what was made is kept when somebody stops.
const STEP_TEXTS: usize = 4 * batch::TEXTS_MAX;

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
        model.id.dimensions = model.rows(&["a"], None)?.len();
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

    /// Makes one row of each passage.
    fn passages(&self, texts: &[&str], threads: Option<&Threads>) -> Result<Vec<f32>, EmbedError> {
        let prefix = &self.folder.passage_prefix;
        let texts: Vec<String> = texts.iter().map(|text| format!("{prefix}{text}")).collect();
        self.rows(&texts, threads)
    }

    fn rows(
        &self,
        texts: &[impl AsRef<str>],
        threads: Option<&Threads>,
    ) -> Result<Vec<f32>, EmbedError> {
        let cut = |text: &_| self.cut(AsRef::<str>::as_ref(text));
        let tokens: Vec<Tokens> = texts.iter().map(cut).collect::<Result<_, _>>()?;
        let mut rows: Vec<Vec<f32>> = vec![Vec::new(); texts.len()];
        for batch in batch::batches(&tokens) {
            let output = self.session.run(&batch, threads)?;
            let made = self.pool(&batch, &output)?;
            for (&place, row) in batch.places.iter().zip(made) {
                rows[place] = row;
            }
        }
        let n = rows.iter().map(Vec::len).max().unwrap_or(0);
        for row in &mut rows {
            row.resize(n.max(self.id.dimensions), 0.0);
        }
        Ok(rows.concat())
    }

    fn cut(&self, text: &str) -> Result<Tokens, EmbedError> {
        let tokens = self.cutter.text(text);
        tokens.map_err(|reason| unreadable(&self.folder.path.join("tokenizer.json"), &reason))
    }

    /// Makes one row of each text.
    fn pool(&self, batch: &Batch, output: &Output) -> Result<Vec<Vec<f32>>, EmbedError> {
        let n_texts = batch.places.len();
        let rows: Vec<Vec<f32>> = match output.shape[..] {
            [n, dimensions] if n == n_texts && dimensions > 0 => output
                .numbers
                .chunks(dimensions)
                .map(<[f32]>::to_vec)
                .collect(),
            [n, width, dimensions] if n == n_texts && width == batch.width && dimensions > 0 => {
                let texts = output.numbers.chunks(width * dimensions);
                texts
                    .zip(batch.lengths())
                    .map(|(tokens, n)| pooled(tokens, n, dimensions, self.folder.pooling))
                    .collect()
            }
            _ => {
                let reason = format!("its output has the shape {:?}", output.shape);
                return Err(unreadable(&self.folder.weights, &reason));
            }
        };
        Ok(rows.into_iter().map(normalised).collect())
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
        self.rows(&[format!("{}{text}", self.folder.query_prefix)], None)
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
