//! Makes notes small before they are written, on as many threads as there are.

use std::io;
use std::path::PathBuf;

use zstd::dict::EncoderDictionary;

use super::prepared::PreparedNote;
use super::rows::pieces;
use super::text::{PackedText, TextPacker};
use super::vector::quantise::Coder;
use crate::error::{Error, Result};
use crate::note::Note;

/// Encodes notes for one index; see `StoreWriter::encoder`.
pub struct Encoder {
    path: PathBuf,
    dictionary: EncoderDictionary<'static>,
    coder: Coder,
}

/// Notes as they are kept, ready to be written. Their texts share blocks.
pub struct Encoded {
    pub(super) notes: Vec<EncodedNote>,
    pub(super) blocks: Vec<Vec<u8>>,
}

/// A note without what was encoded of it, and that.
pub(super) struct EncodedNote {
    pub(super) prepared: PreparedNote,
    pub(super) n_lines: u32,
    pub(super) text: PackedText,
    /// Binary codes of all chunks, one after the other.
    pub(super) codes: Vec<u8>,
    /// Quantised vectors of all chunks, one after the other.
    pub(super) rows: Vec<u8>,
    /// Which chunks have one; the others have room for it.
    pub(super) has_vector: Vec<bool>,
    /// Word pieces of each chunk.
    pub(super) pieces: Vec<Vec<u8>>,
}

impl Encoder {
    pub(super) fn new(path: PathBuf, dictionary: &[u8], center: Vec<f32>) -> Self {
        Self {
            path,
            dictionary: TextPacker::digest(dictionary),
            coder: Coder::new(center),
        }
    }

    /// Encodes notes that are neighbours in their vault.
    pub fn encode(&self, notes: Vec<PreparedNote>) -> Result<Encoded> {
        self.pack(notes)
            .map_err(|error| Error::io(&self.path, error))
    }

    fn pack(&self, notes: Vec<PreparedNote>) -> io::Result<Encoded> {
        let mut packer = TextPacker::new(&self.dictionary)?;
        let encode = |note| self.encode_note(note, &mut packer);
        Ok(Encoded {
            notes: notes.into_iter().map(encode).collect::<io::Result<_>>()?,
            blocks: packer.finish()?,
        })
    }

    fn encode_note(
        &self,
        mut prepared: PreparedNote,
        packer: &mut TextPacker<'_>,
    ) -> io::Result<EncodedNote> {
        let note = &prepared.note;
        let n_lines = note.n_lines();
        let text = packer.add_with(&note.text, note.own.as_deref())?;
        let (mut codes, mut rows, mut pieces) = (Vec::new(), Vec::new(), Vec::new());
        let mut has_vector = Vec::with_capacity(prepared.chunks.len());
        for chunk in &mut prepared.chunks {
            let vector = chunk.vector.take();
            has_vector.push(vector.is_some());
            self.coder
                .push(&vector.unwrap_or_default(), &mut codes, &mut rows);
            pieces.push(pieces::pack(&std::mem::take(&mut chunk.pieces)));
        }
        // The text lives on in its packed form only: many notes may wait to be written.
        prepared.note = Note {
            text: String::new(),
            own: None,
            lines: Vec::new(),
            blocks: Vec::new(),
            ..prepared.note
        };
        Ok(EncodedNote {
            prepared,
            n_lines,
            text,
            codes,
            rows,
            has_vector,
            pieces,
        })
    }
}
