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
    /// Without one, texts stay as they are.
    dictionary: Option<EncoderDictionary<'static>>,
    coder: Coder,
}

/// Notes as they are kept, ready to be written. Their texts share blocks.
pub struct Encoded {
    /// The notes.
    pub notes: Vec<EncodedNote>,
    pub(super) blocks: Vec<Vec<u8>>,
}

/// A note without what was encoded of it, and that.
pub struct EncodedNote {
    /// The note.
    pub prepared: PreparedNote,
    /// Number of its lines.
    pub n_lines: u32,
    pub(super) text: PackedText,
    /// Binary codes of all chunks, one after the other.
    pub codes: Vec<u8>,
    /// Quantised vectors of all chunks, one after the other.
    pub rows: Vec<u8>,
    /// Which chunks have one; the others have room for it.
    pub has_vector: Vec<bool>,
    /// Word pieces of each chunk.
    pub pieces: Vec<Vec<u8>>,
}

impl Encoder {
    pub(super) fn new(path: PathBuf, dictionary: &[u8], center: Vec<f32>) -> Self {
        Self {
            path,
            dictionary: Some(TextPacker::digest(dictionary)),
            coder: Coder::new(center),
        }
    }

    /// Makes one for a store that keeps texts as they are.
    pub fn plain(place: PathBuf, center: Vec<f32>) -> Self {
        Self {
            path: place,
            dictionary: None,
            coder: Coder::new(center),
        }
    }

    /// Encodes notes that are neighbours in their vault.
    pub fn encode(&self, notes: Vec<PreparedNote>) -> Result<Encoded> {
        self.pack(notes)
            .map_err(|error| Error::io(&self.path, error))
    }

    fn pack(&self, notes: Vec<PreparedNote>) -> io::Result<Encoded> {
        let mut packer = self.dictionary.as_ref().map(TextPacker::new).transpose()?;
        let encode = |note| self.encode_note(note, packer.as_mut());
        let notes = notes.into_iter().map(encode).collect::<io::Result<_>>()?;
        let blocks = packer.map(TextPacker::finish).transpose()?;
        Ok(Encoded {
            notes,
            blocks: blocks.unwrap_or_default(),
        })
    }

    fn encode_note(
        &self,
        mut prepared: PreparedNote,
        packer: Option<&mut TextPacker<'_>>,
    ) -> io::Result<EncodedNote> {
        let note = &prepared.note;
        let n_lines = note.n_lines();
        let packs = packer.is_some();
        let text = match packer {
            Some(packer) => packer.add_with(&note.text, note.own.as_deref())?,
            None => PackedText::default(),
        };
        let (mut codes, mut rows, mut pieces) = (Vec::new(), Vec::new(), Vec::new());
        let mut has_vector = Vec::with_capacity(prepared.chunks.len());
        for chunk in &mut prepared.chunks {
            let vector = chunk.vector.take();
            has_vector.push(vector.is_some());
            self.coder
                .push(&vector.unwrap_or_default(), &mut codes, &mut rows);
            pieces.push(pieces::pack(&std::mem::take(&mut chunk.pieces)));
        }
        // A packed text lives on in that form only: many notes may wait to be written.
        let (text_kept, own_kept) = match packs {
            true => (String::new(), None),
            false => (prepared.note.text, prepared.note.own),
        };
        prepared.note = Note {
            text: text_kept,
            own: own_kept,
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
