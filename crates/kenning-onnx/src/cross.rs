//! A cross-encoder reads a question and a passage together, and says how well one answers the other.

use std::path::Path;

use kenning::embed::EmbedError;

use crate::folder::{Folder, unreadable};
use crate::session::Session;
use crate::tokens::Cutter;

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

    /// Returns how well a passage answers the question; only order and distances of such scores mean something.
    pub fn score(&self, question: &str, passage: &str) -> Result<f32, EmbedError> {
        let tokens = self.cutter.pair(question, passage);
        let tokens = tokens
            .map_err(|reason| unreadable(&self.folder.path.join("tokenizer.json"), &reason))?;
        if tokens.ids.is_empty() {
            return Ok(0.0);
        }
        let output = self.session.run(&tokens, None)?;
        // Several classes are there in models of entailment; the last is the one that agrees.
        match (output.shape.last(), output.numbers.last()) {
            (Some(&n_classes), Some(&agrees)) if n_classes == output.numbers.len() => Ok(agrees),
            _ => {
                let reason = format!("its output has the shape {:?}", output.shape);
                Err(unreadable(&self.folder.weights, &reason))
            }
        }
    }
}
