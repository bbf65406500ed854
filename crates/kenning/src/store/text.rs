//! Note texts, compressed one by one with a dictionary made from the vault itself.

use std::io;

use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};

const LEVEL: i32 = 3;
const DICTIONARY_BYTES_MAX: usize = 64 << 10;
/// A dictionary made from less than this does not pay for its own size.
const SAMPLE_BYTES_MIN: usize = 64 << 10;

/// Returns a dictionary for texts like the samples; empty when there is too little to learn from.
pub(crate) fn train_dictionary(samples: &[&str]) -> Vec<u8> {
    let n_bytes: usize = samples.iter().map(|sample| sample.len()).sum();
    if n_bytes < SAMPLE_BYTES_MIN || samples.len() < 16 {
        return Vec::new();
    }
    let size = DICTIONARY_BYTES_MAX.min(n_bytes / 8);
    zstd::dict::from_samples(samples, size).unwrap_or_default()
}

/// Compresses texts; cheap to make once the dictionary is digested.
pub(crate) struct TextPacker<'a>(Compressor<'a>);

impl<'a> TextPacker<'a> {
    pub(crate) fn digest(dictionary: &[u8]) -> EncoderDictionary<'static> {
        EncoderDictionary::copy(dictionary, LEVEL)
    }

    pub(crate) fn new(dictionary: &'a EncoderDictionary<'a>) -> io::Result<Self> {
        Compressor::with_prepared_dictionary(dictionary).map(Self)
    }

    pub(crate) fn pack(&mut self, text: &str) -> io::Result<Vec<u8>> {
        self.0.compress(text.as_bytes())
    }
}

/// Decompresses texts.
pub(super) struct TextReader(DecoderDictionary<'static>);

impl TextReader {
    pub(super) fn new(dictionary: &[u8]) -> Self {
        Self(DecoderDictionary::copy(dictionary))
    }

    pub(super) fn unpack(&self, packed: &[u8]) -> io::Result<String> {
        let size = Decompressor::upper_bound(packed)
            .ok_or_else(|| io::Error::other("the size of a note's text is missing"))?;
        let bytes =
            Decompressor::with_prepared_dictionary(&self.0)?.decompress(packed, size)?;
        String::from_utf8(bytes).map_err(io::Error::other)
    }
}
