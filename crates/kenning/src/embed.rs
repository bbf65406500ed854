//! Text to vectors: the trait every model keeps, the model inside the binary, and loading others.
//!
//! In the write flow this room stands between `chunk` and `store`; in the read flow it turns the
//! question into a vector. It holds no store, reads no vault and never touches the network.

mod accumulate;
mod asset;
mod directory;
mod static_model;
mod unicode;
mod wide;
mod wordpiece;

use std::path::{Path, PathBuf};

pub(crate) use accumulate::{Rows, product};
pub use static_model::{StaticModel, embedded};
pub(crate) use wide::WideRows;

/// Which model made a vector. Vectors of different models must never be compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelId {
    /// The name people know it by, such as `minishlab/potion-base-8M`.
    pub name: String,
    /// The published revision, or a hash of the content where there is none.
    pub revision: String,
    /// Floats per row.
    pub dimensions: usize,
}

impl std::fmt::Display for ModelId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let short = self.revision.get(..8).unwrap_or(&self.revision);
        write!(f, "{} ({short}, {} dimensions)", self.name, self.dimensions)
    }
}

/// Turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Returns which model this is.
    fn id(&self) -> &ModelId;

    /// Appends one L2-normalised row of `dimensions` floats per text.
    ///
    /// A text in which the model knows nothing gets the zero row, which is as far from every
    /// vector as from every other.
    fn embed(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError>;

    /// Does the same for passages, and appends the word pieces of each: in order, each once, for
    /// models that have rows for them.
    fn embed_passages(
        &self,
        texts: &[&str],
        rows: &mut Vec<f32>,
        pieces: &mut Vec<Vec<u32>>,
    ) -> Result<(), EmbedError> {
        let model = self.word_rows();
        pieces.extend(texts.iter().map(|text| {
            let own = model.map(|model| model.distinct_pieces(text));
            own.unwrap_or_default()
        }));
        self.embed(texts, rows)
    }

    /// Returns the row of a question; models that treat questions differently do so here.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// Returns the rows of single words, for models that have them.
    fn word_rows(&self) -> Option<&StaticModel> {
        None
    }
}

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// There is no such file or directory.
    #[error("there is no model at {}", path.display())]
    ModelMissing {
        /// What was looked for.
        path: PathBuf,
    },
    /// A file of the model is damaged or cannot be read.
    #[error("cannot read the model file {}: {reason}", path.display())]
    ModelUnreadable {
        /// The file at fault.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The model is sound, but asks for something Kenning does not do.
    #[error("{}: {what} is not supported", path.display())]
    Unsupported {
        /// The file that asks for it.
        path: PathBuf,
        /// What it asks for.
        what: String,
    },
}

/// Reads a model from a Model2Vec directory or from a file in Kenning's own format.
pub fn load(path: &Path) -> Result<StaticModel, EmbedError> {
    StaticModel::load(path)
}

/// Brings a row to signed bytes; multiplied by the scale, they are the row again, nearly.
///
/// The largest component becomes 127, so nothing is clipped. The zero row has scale 0.
pub fn quantise(row: &[f32]) -> (f32, Vec<i8>) {
    let largest = row
        .iter()
        .fold(0.0f32, |largest, component| largest.max(component.abs()));
    let scale = largest / 127.0;
    if scale == 0.0 {
        return (0.0, vec![0; row.len()]);
    }
    let bytes = row
        .iter()
        .map(|component| (component / scale).round_ties_even() as i8);
    (scale, bytes.collect())
}

/// Brings a row to length 1; the zero row stays as it is.
///
/// The squares are added in eight lanes, in an order that does not depend on the processor.
fn normalise(row: &mut [f32]) {
    let mut lanes = [0.0f32; 8];
    for eight in row.chunks(lanes.len()) {
        for (lane, component) in lanes.iter_mut().zip(eight) {
            *lane += component * component;
        }
    }
    let length = lanes.iter().sum::<f32>().sqrt();
    if length > 0.0 {
        row.iter_mut().for_each(|component| *component /= length);
    }
}

/// A toy for tests: texts that share words are near each other, and nothing else is meant by it.
///
/// Each lower-cased word adds 1 to or takes 1 from four dimensions chosen by its hash. The same
/// text gives the same row on every machine and in every release.
pub struct HashEmbedder {
    id: ModelId,
}

impl HashEmbedder {
    /// Makes an embedder with rows of this many floats.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn new(dimensions: usize) -> Self {
        assert!(dimensions > 0, "a row needs at least one dimension");
        let (name, revision) = ("hash".to_owned(), "1".to_owned());
        Self {
            id: ModelId {
                name,
                revision,
                dimensions,
            },
        }
    }
}

impl Embedder for HashEmbedder {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn embed(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError> {
        for text in texts {
            let start = rows.len();
            rows.resize(start + self.id.dimensions, 0.0);
            let row = &mut rows[start..];
            let lower = text.to_lowercase();
            for word in lower
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
            {
                let mut hash = word.bytes().fold(asset::SEED_START, asset::hash_byte);
                for _ in 0..4 {
                    hash = asset::hash_byte(hash ^ hash >> 32, 1);
                    let at = (hash >> 8) % row.len() as u64;
                    row[at as usize] += if hash >> 7 & 1 == 1 { 1.0 } else { -1.0 };
                }
            }
            normalise(row);
        }
        Ok(())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut row = Vec::with_capacity(self.id.dimensions);
        self.embed(&[text], &mut row)?;
        Ok(row)
    }
}
