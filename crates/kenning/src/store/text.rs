//! Note texts, compressed in blocks of a few notes with a dictionary made from the vault itself.

pub(super) mod passages;

use std::io;

use std::sync::{Mutex, PoisonError};

use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::EncoderDictionary;

const LEVEL: i32 = 3;
const DICTIONARY_BYTES_MAX: usize = 64 << 10;
/// A block is closed before it grows beyond this; reading one passage unpacks one block.
const BLOCK_BYTES_MAX: usize = 16 << 10;
/// No block is larger than this, since no note is: memory is not asked for on the word of a file.
const BLOCK_BYTES_TRUSTED: usize = 1 << 30;
/// A dictionary made from less than this does not pay for its own size.
const SAMPLE_BYTES_MIN: usize = 64 << 10;

/// Returns a dictionary for texts like the samples; empty when there is too little to learn from.
pub(super) fn train_dictionary(samples: &[String]) -> Vec<u8> {
    let n_bytes: usize = samples.iter().map(String::len).sum();
    if n_bytes < SAMPLE_BYTES_MIN || samples.len() < 16 {
        return Vec::new();
    }
    let size = DICTIONARY_BYTES_MAX.min(n_bytes / 8);
    zstd::dict::from_samples(samples, size).unwrap_or_default()
}

/// Where a text lies: in which block of its group, and where in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PackedText {
    /// Number of the block among those of the group.
    pub(super) block: usize,
    /// First byte within the unpacked block.
    pub(super) start: usize,
    /// Number of bytes.
    pub(super) n_bytes: usize,
    /// Where in it the file as it stands begins, behind what was read out of it.
    pub(super) own_start: Option<usize>,
}

/// Packs texts into blocks: neighbours in a vault resemble each other, and compress well together.
pub(super) struct TextPacker<'a> {
    compressor: Compressor<'a>,
    open: Vec<u8>,
    /// Texts in the open block; even an empty text needs one to lie in.
    n_open: usize,
    blocks: Vec<Vec<u8>>,
}

impl<'a> TextPacker<'a> {
    pub(super) fn digest(dictionary: &[u8]) -> EncoderDictionary<'static> {
        EncoderDictionary::copy(dictionary, LEVEL)
    }

    pub(super) fn new(dictionary: &'a EncoderDictionary<'a>) -> io::Result<Self> {
        Ok(Self {
            compressor: Compressor::with_prepared_dictionary(dictionary)?,
            open: Vec::new(),
            n_open: 0,
            blocks: Vec::new(),
        })
    }

    /// Adds the text of a note, and behind it the file it was read out of: what stands in both costs
    /// little twice.
    pub(super) fn add_with(&mut self, text: &str, own: Option<&str>) -> io::Result<PackedText> {
        let n_bytes = text.len() + own.map_or(0, str::len);
        if !self.open.is_empty() && self.open.len() + n_bytes > BLOCK_BYTES_MAX {
            self.close()?;
        }
        let packed = PackedText {
            block: self.blocks.len(),
            start: self.open.len(),
            n_bytes,
            own_start: own.map(|_| text.len()),
        };
        self.open.extend_from_slice(text.as_bytes());
        self.open
            .extend_from_slice(own.unwrap_or_default().as_bytes());
        self.n_open += 1;
        Ok(packed)
    }

    pub(super) fn finish(mut self) -> io::Result<Vec<Vec<u8>>> {
        self.close()?;
        Ok(self.blocks)
    }

    fn close(&mut self) -> io::Result<()> {
        if self.n_open == 0 {
            return Ok(());
        }
        self.n_open = 0;
        self.blocks.push(self.compressor.compress(&self.open)?);
        self.open.clear();
        Ok(())
    }
}

/// Decompresses texts. The state of the decompressor is large; it is made once and used in turn.
pub(super) struct TextReader(Mutex<Decompressor<'static>>);

impl TextReader {
    pub(super) fn new(dictionary: &[u8]) -> io::Result<Self> {
        Ok(Self(Mutex::new(Decompressor::with_dictionary(dictionary)?)))
    }

    /// Returns the bytes of a block.
    pub(super) fn unpack(&self, packed: &[u8]) -> io::Result<Vec<u8>> {
        let size = Decompressor::upper_bound(packed)
            .filter(|size| *size <= BLOCK_BYTES_TRUSTED)
            .ok_or_else(|| io::Error::other("the size of a note's text makes no sense"))?;
        // Each call begins anew, whatever became of the one before.
        let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reader.decompress(packed, size)
    }
}

/// Overwrites ranges of a block with blanks, which was packed with the first dictionary and is packed again
/// with the second.
pub(super) fn blank(
    packed: &[u8],
    ranges: &[std::ops::Range<usize>],
    old: &[u8],
    dictionary: &[u8],
) -> io::Result<Vec<u8>> {
    let mut bytes = TextReader::new(old)?.unpack(packed)?;
    for range in ranges {
        if let Some(gone) = bytes.get_mut(range.clone()) {
            gone.fill(b' ');
        }
    }
    Compressor::with_prepared_dictionary(&TextPacker::digest(dictionary))?.compress(&bytes)
}
