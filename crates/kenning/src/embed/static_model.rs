//! A static model: every word piece has one row, and a text is the direction of their sum.
//!
//! The default model lies in the binary and costs nothing to start; others are read from a
//! Model2Vec directory or from a file in Kenning's own format. No network, no clock.

use std::borrow::Cow;
use std::path::Path;
use std::sync::LazyLock;

use super::asset::{Asset, Parts};
use super::wordpiece::WordPiece;
use super::{EmbedError, Embedder, ModelId, TokenVectors, directory, distinct, normalise};

/// The model inside the binary, on a cache line so that each row touches as few as possible.
static EMBEDDED: Aligned<[u8; FILE.len()]> = Aligned(*FILE);
const FILE: &[u8; include_bytes!("../../assets/potion-base-8m/potion-base-8m.ken").len()] =
    include_bytes!("../../assets/potion-base-8m/potion-base-8m.ken");

#[repr(C, align(64))]
struct Aligned<T>(T);

/// Returns the model inside the binary: potion-base-8M, 256 dimensions, English.
pub fn embedded() -> &'static StaticModel {
    static MODEL: LazyLock<StaticModel> = LazyLock::new(|| {
        let asset = Asset::open(Cow::Borrowed(&EMBEDDED.0))
            .expect("the model in the binary was checked by the tests");
        StaticModel::from_asset(asset)
    });
    &MODEL
}

/// A Model2Vec model: word pieces, and an int8 row with a scale for each.
///
/// Models stored as floats are brought to int8 when they are read, so there is one kind of row.
/// Text is never cut short, however long.
pub struct StaticModel {
    id: ModelId,
    asset: Asset,
    wordpiece: WordPiece,
}

impl StaticModel {
    /// Reads a Model2Vec directory, or a file written from [`StaticModel::as_bytes`].
    pub fn load(path: &Path) -> Result<Self, EmbedError> {
        let unreadable = |reason: &str| EmbedError::ModelUnreadable {
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        let bytes = if path.is_dir() {
            write_named(&directory::read(path)?, path)
        } else {
            directory::read_file(path)?
        };
        let asset = Asset::open(Cow::Owned(bytes)).map_err(unreadable)?;
        asset.check().map_err(unreadable)?;
        Ok(Self::from_asset(asset))
    }

    fn from_asset(asset: Asset) -> Self {
        let id = ModelId {
            name: asset.name().into_owned(),
            revision: asset.revision().into_owned(),
            dimensions: asset.dimensions,
        };
        Self {
            id,
            wordpiece: WordPiece::new(&asset),
            asset,
        }
    }

    /// Returns the word pieces of a text, each once, in the order of their ids.
    #[cfg(test)]
    pub(crate) fn distinct_pieces(&self, text: &str) -> Vec<u32> {
        let mut pieces = Vec::new();
        self.tokens(text, &mut pieces);
        distinct(pieces)
    }

    fn add_row(&self, pieces: &[u32], rows: &mut Vec<f32>) {
        let start = rows.len();
        rows.resize(start + self.id.dimensions, 0.0);
        let row = &mut rows[start..];
        self.asset.rows().sum(pieces, row);
        normalise(row);
    }

    /// Returns whether the model's own config asks for normalised rows.
    ///
    /// Kenning normalises in any case, because it ranks by cosine, which does not see lengths.
    pub fn is_normalising(&self) -> bool {
        self.asset.rules.normalises
    }

    /// Returns whether the model came with a weight for each token, now part of its scales.
    pub fn is_weighted(&self) -> bool {
        self.asset.rules.weighted
    }

    /// Returns the model as a file that [`StaticModel::load`] reads without converting anything.
    pub fn as_bytes(&self) -> &[u8] {
        self.asset.bytes()
    }
}

impl Embedder for StaticModel {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn embed_passages(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError> {
        let mut pieces = Vec::new();
        for text in texts {
            pieces.clear();
            self.tokens(text, &mut pieces);
            self.add_row(&pieces, rows);
        }
        Ok(())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.direction(text))
    }

    fn token_vectors(&self) -> Option<&dyn TokenVectors> {
        Some(self)
    }

    /// What is cut once serves both.
    fn embed_with_tokens(
        &self,
        texts: &[&str],
        rows: &mut Vec<f32>,
    ) -> Result<Vec<Vec<u32>>, EmbedError> {
        let of = |text: &&str| {
            let mut own = Vec::new();
            self.tokens(text, &mut own);
            self.add_row(&own, rows);
            distinct(own)
        };
        Ok(texts.iter().map(of).collect())
    }
}

impl TokenVectors for StaticModel {
    fn n_tokens(&self) -> usize {
        self.asset.vocabulary().len()
    }

    fn dimensions(&self) -> usize {
        self.id.dimensions
    }

    /// There are no `[CLS]` and `[SEP]` around them, as in Model2Vec.
    fn tokens(&self, text: &str, tokens: &mut Vec<u32>) {
        self.wordpiece.cut(&self.asset, text, tokens);
    }

    fn token(&self, id: u32) -> &str {
        self.asset.vocabulary().token(id)
    }

    fn vector(&self, id: u32) -> (&[i8], f32) {
        self.asset.rows().row(id)
    }

    fn direction(&self, text: &str) -> Vec<f32> {
        let mut pieces = Vec::new();
        self.tokens(text, &mut pieces);
        let mut row = Vec::with_capacity(self.id.dimensions);
        self.add_row(&pieces, &mut row);
        row
    }
}

/// Names a model after its directory, and its revision after its content.
fn write_named(parts: &Parts, path: &Path) -> Vec<u8> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = real
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    let content = blake3::hash(&parts.write("", ""));
    parts.write(&name, &content.to_hex()[..32])
}
