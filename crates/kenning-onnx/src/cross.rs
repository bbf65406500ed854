//! A cross-encoder reads a question and a passage together, and says how well one answers the other.

use std::path::Path;

use kenning::embed::EmbedError;

use crate::batch;
use crate::folder::{Folder, unreadable};
use crate::session::Session;
use crate::tokens::{Cutter, Tokens};

/// A transformer that compares a question with passages.
pub struct CrossEncoder {
    folder: Folder,
    cutter: Cutter,
    session: Session,
}

impl CrossEncoder {
    /// Reads a model from its folder, or from the file with its weights.
    pub fn open(path: &Path) -> Result<Self, EmbedError> {
        let folder = Folder::open(path)?;
        Ok(Self {
            cutter: Cutter::open(&folder)?,
            session: Session::open(&folder.weights)?,
            folder,
        })
    }

    /// Returns what its folder says.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Returns how many letters of a text a piece has, if it has any: few in a language that the model was not made for.
    pub(crate) fn letters_a_piece(&self, text: &str) -> Option<f32> {
        self.cutter.letters_a_piece(text)
    }

    /// Returns how well each passage answers the question; only their order and distances mean something.
    pub fn scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let pair = |passage: &&str| {
            let tokens = self.cutter.pair(question, passage);
            tokens.map_err(|reason| unreadable(&self.folder.path.join("tokenizer.json"), &reason))
        };
        let tokens: Vec<Tokens> = passages.iter().map(pair).collect::<Result<_, _>>()?;
        let mut scores = vec![0f32; passages.len()];
        for batch in batch::batches(&tokens) {
            let output = self.session.run(&batch, None)?;
            // Several classes are there in models of entailment; the last is the one that agrees.
            let n_classes = output.shape.last().copied().unwrap_or(0);
            if n_classes == 0 || output.numbers.len() != n_classes * batch.places.len() {
                let reason = format!("its output has the shape {:?}", output.shape);
                return Err(unreadable(&self.folder.weights, &reason));
            }
            let rows = output.numbers.chunks(n_classes);
            for (&place, row) in batch.places.iter().zip(rows) {
                scores[place] = row[n_classes - 1];
            }
        }
        Ok(scores)
    }
}
