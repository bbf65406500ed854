//! The file format of a static model: used where it lies, in the binary or in a file, unparsed.
//!
//! `scripts/make-model-asset` writes the same format; its PROVENANCE.md describes the sections.
//! This module knows bytes only: what a word is stands in `wordpiece`, what a row is for in
//! `static_model`.

use std::borrow::Cow;
use std::ops::Range;

use super::accumulate::Rows;

const MAGIC: &[u8; 8] = b"KENMODEL";
const VERSION: u32 = 1;
const N_FIELDS: usize = 14;
const HEADER_BYTES: usize = MAGIC.len() + 4 * N_FIELDS;
/// Sections start on a cache line.
const ALIGN: usize = 64;
/// Stands for "this model has no unknown token".
const NO_TOKEN: u32 = u32::MAX;
/// A slot holds the id in its low bits and a fingerprint of the hash above them.
const ID_BITS: u32 = 20;
const ID_MASK: u32 = (1 << ID_BITS) - 1;
/// Bytes of a piece that choose its mask of lengths.
pub(crate) const STEM_BYTES: usize = 4;
/// The last bit of a mask of lengths stands for this many bytes and for everything longer.
pub(crate) const LENGTH_OPEN: usize = STEM_BYTES + 31;
/// Marks a piece that continues a word.
pub(crate) const CONTINUED: &str = "##";

/// Where hashing begins: pieces that start a word and pieces that continue one live in one table
/// without ever meeting.
pub(crate) const SEED_START: u64 = 0xcbf2_9ce4_8422_2325;
pub(crate) const SEED_CONTINUED: u64 = 0x9ae1_6a3b_2f90_404f;
const HASH_STEP: u64 = 0x0000_0100_0000_01b3;
const HASH_MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hashes one more byte: the hash of every prefix of a word falls out on the way to the whole.
pub(crate) fn hash_byte(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(HASH_STEP)
}

/// How the model wants its text prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) lowercase: bool,
    pub(crate) strip_accents: bool,
    pub(crate) clean_text: bool,
    pub(crate) handle_chinese: bool,
    /// The model's own config asks for normalised rows. Kenning normalises in any case.
    pub(crate) normalises: bool,
    /// Token weights were folded into the scales.
    pub(crate) weighted: bool,
}

impl Rules {
    fn to_flags(self) -> u32 {
        let bits = [
            self.lowercase,
            self.strip_accents,
            self.clean_text,
            self.handle_chinese,
            self.normalises,
            self.weighted,
        ];
        bits.iter()
            .rev()
            .fold(0, |flags, &bit| flags << 1 | u32::from(bit))
    }

    fn from_flags(flags: u32) -> Self {
        let is_set = |bit: u32| flags >> bit & 1 == 1;
        Self {
            lowercase: is_set(0),
            strip_accents: is_set(1),
            clean_text: is_set(2),
            handle_chinese: is_set(3),
            normalises: is_set(4),
            weighted: is_set(5),
        }
    }
}

/// A model in the bytes of its file.
pub(crate) struct Asset {
    bytes: Cow<'static, [u8]>,
    pub(crate) rules: Rules,
    pub(crate) dimensions: usize,
    pub(crate) unknown: Option<u32>,
    pub(crate) word_chars_max: usize,
    pub(crate) piece_bytes_max: usize,
    name: Range<usize>,
    revision: Range<usize>,
    slots: Range<usize>,
    masks: Range<usize>,
    ends: Range<usize>,
    tokens: Range<usize>,
    added: Range<usize>,
    scales: Range<usize>,
    rows: Range<usize>,
}

impl Asset {
    /// Reads the header and finds the sections; the reason is for people.
    ///
    /// Trusts what stands inside the sections: see [`Asset::check`].
    pub(crate) fn open(bytes: Cow<'static, [u8]>) -> Result<Self, &'static str> {
        let fields = read_fields(&bytes)?;
        let [version, flags, n_tokens, dimensions, n_slots, unknown, ..] = fields;
        let [
            ..,
            word_chars_max,
            piece_bytes_max,
            n_added,
            name,
            revision,
            n_bytes,
            _,
            _,
        ] = fields;
        if version != VERSION {
            return Err("its format version is not one this program knows");
        }
        let mut cut = Sections { at: 0 };
        cut.take(HEADER_BYTES as u64);
        let identity = cut.take(u64::from(name) + u64::from(revision));
        let (name, revision) = (
            identity.start..identity.start + name as usize,
            identity.start + name as usize..identity.end,
        );
        let asset = Self {
            rules: Rules::from_flags(flags),
            dimensions: dimensions as usize,
            unknown: (unknown != NO_TOKEN).then_some(unknown),
            word_chars_max: word_chars_max as usize,
            piece_bytes_max: piece_bytes_max as usize,
            name,
            revision,
            slots: cut.take(4 * u64::from(n_slots)),
            masks: cut.take(2 * u64::from(n_slots)),
            ends: cut.take(4 * u64::from(n_tokens)),
            tokens: cut.take(u64::from(n_bytes)),
            added: cut.take(4 * u64::from(n_added)),
            scales: cut.take(4 * u64::from(n_tokens)),
            rows: cut.take(u64::from(n_tokens) * u64::from(dimensions)),
            bytes,
        };
        let is_table = n_slots.is_power_of_two() && n_slots >= 4;
        if !is_table || n_tokens > ID_MASK || dimensions == 0 || piece_bytes_max > n_bytes {
            return Err("its header contradicts itself");
        }
        if asset.rows.end != asset.bytes.len() {
            return Err("its length does not fit its header");
        }
        Ok(asset)
    }

    /// Looks at every slot and offset, so that a damaged file is an error and never a panic.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let vocabulary = self.vocabulary();
        let n_tokens = vocabulary.ends.len() as u32;
        let numbers = |section: Range<usize>| words(&self.bytes[section]).iter();
        let slots = || numbers(self.slots.clone()).map(|&slot| u32::from_le_bytes(slot));
        let ends = numbers(self.ends.clone()).map(|&end| u32::from_le_bytes(end) as usize);
        let mut added = numbers(self.added.clone()).map(|&id| u32::from_le_bytes(id));
        let is_sound = slots().all(|slot| slot & ID_MASK <= n_tokens)
            && slots().any(|slot| slot == 0)
            && ends.clone().is_sorted()
            && ends.max() == Some(self.tokens.len())
            && added.all(|id| id < n_tokens)
            && (0..n_tokens).all(|id| std::str::from_utf8(vocabulary.bytes_of(id)).is_ok())
            && std::str::from_utf8(&self.bytes[self.name.clone()]).is_ok()
            && std::str::from_utf8(&self.bytes[self.revision.clone()]).is_ok()
            && numbers(self.scales.clone()).all(|&scale| f32::from_le_bytes(scale).is_finite());
        if is_sound {
            Ok(())
        } else {
            Err("it is damaged")
        }
    }

    pub(crate) fn name(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes[self.name.clone()])
    }

    pub(crate) fn revision(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes[self.revision.clone()])
    }

    /// Returns the ids of the tokens that are found in the raw text.
    pub(crate) fn added(&self) -> impl Iterator<Item = u32> {
        words(&self.bytes[self.added.clone()])
            .iter()
            .map(|&id| u32::from_le_bytes(id))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn vocabulary(&self) -> Vocabulary<'_> {
        let slots = words(&self.bytes[self.slots.clone()]);
        Vocabulary {
            slots,
            shift: 64 - slots.len().trailing_zeros(),
            masks: words(&self.bytes[self.masks.clone()]),
            ends: words(&self.bytes[self.ends.clone()]),
            tokens: &self.bytes[self.tokens.clone()],
        }
    }

    pub(crate) fn rows(&self) -> Rows<'_> {
        Rows {
            dimensions: self.dimensions,
            scales: words(&self.bytes[self.scales.clone()]),
            bytes: &self.bytes[self.rows.clone()],
        }
    }
}

/// The tokens of a model, by id and by hash.
#[derive(Clone, Copy)]
pub(crate) struct Vocabulary<'a> {
    slots: &'a [[u8; 4]],
    shift: u32,
    masks: &'a [[u8; 4]],
    ends: &'a [[u8; 4]],
    tokens: &'a [u8],
}

impl<'a> Vocabulary<'a> {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns a token as the tokenizer file spells it, `##` included.
    pub(crate) fn token(&self, id: u32) -> &'a str {
        std::str::from_utf8(self.bytes_of(id)).unwrap_or_default()
    }

    /// Returns the id of the piece with these bytes and this hash.
    ///
    /// `skip` is what the stored token has in front of the piece: the length of [`CONTINUED`]
    /// inside a word, else nothing.
    #[inline]
    pub(crate) fn find(&self, hash: u64, piece: &[u8], skip: usize) -> Option<u32> {
        let mixed = hash.wrapping_mul(HASH_MIX);
        let mut at = (mixed >> self.shift) as usize;
        loop {
            let slot = u32::from_le_bytes(self.slots[at]);
            if slot == 0 {
                return None;
            }
            if slot >> ID_BITS == mixed as u32 & (u32::MAX >> ID_BITS) {
                let id = (slot & ID_MASK) - 1;
                if self.bytes_of(id).get(skip..) == Some(piece) {
                    return Some(id);
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Returns which lengths pieces beginning with this stem can have: bit 0 for [`STEM_BYTES`],
    /// each further bit for one byte more, the last for [`LENGTH_OPEN`] and beyond.
    ///
    /// It saves most of the searches that would find nothing: with one, a long word costs a
    /// search or two instead of one for each of its bytes.
    #[inline]
    pub(crate) fn lengths(&self, stem_hash: u64) -> u32 {
        let at = stem_hash.wrapping_mul(HASH_MIX) >> (self.shift + 1);
        u32::from_le_bytes(self.masks[at as usize])
    }

    #[inline]
    fn bytes_of(&self, id: u32) -> &'a [u8] {
        let id = id as usize;
        let start = if id == 0 {
            0
        } else {
            u32::from_le_bytes(self.ends[id - 1])
        };
        &self.tokens[start as usize..u32::from_le_bytes(self.ends[id]) as usize]
    }
}

/// What a model is made of before it has bytes.
pub(crate) struct Parts {
    pub(crate) rules: Rules,
    pub(crate) dimensions: usize,
    pub(crate) unknown: Option<u32>,
    pub(crate) word_chars_max: u32,
    /// By id.
    pub(crate) tokens: Vec<Token>,
    /// Ids of the tokens that are found in the raw text.
    pub(crate) added: Vec<u32>,
    pub(crate) scales: Vec<f32>,
    pub(crate) rows: Vec<i8>,
}

/// A token and whether words may be cut into it; added tokens need not be.
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) is_piece: bool,
}

/// The most tokens a model can have.
pub(crate) const TOKENS_MAX: usize = ID_MASK as usize;

impl Parts {
    /// Writes the file of a model with this name and revision.
    pub(crate) fn write(&self, name: &str, revision: &str) -> Vec<u8> {
        debug_assert!(self.tokens.len() <= TOKENS_MAX && self.tokens.len() == self.scales.len());
        let Table {
            slots,
            masks,
            piece_bytes_max,
        } = self.hash_table();
        let mut tokens = Vec::new();
        let mut ends = Vec::new();
        for token in &self.tokens {
            tokens.extend_from_slice(token.text.as_bytes());
            ends.push(tokens.len() as u32);
        }
        let fields: [u32; N_FIELDS] = [
            VERSION,
            self.rules.to_flags(),
            self.tokens.len() as u32,
            self.dimensions as u32,
            slots.len() as u32,
            self.unknown.unwrap_or(NO_TOKEN),
            self.word_chars_max,
            piece_bytes_max as u32,
            self.added.len() as u32,
            name.len() as u32,
            revision.len() as u32,
            tokens.len() as u32,
            0,
            0,
        ];
        let mut file = MAGIC.to_vec();
        file.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
        pad(&mut file);
        file.extend_from_slice(name.as_bytes());
        file.extend_from_slice(revision.as_bytes());
        for section in [&slots, &masks, &ends] {
            pad(&mut file);
            file.extend(section.iter().flat_map(|word| word.to_le_bytes()));
        }
        pad(&mut file);
        file.extend_from_slice(&tokens);
        pad(&mut file);
        file.extend(self.added.iter().flat_map(|id| id.to_le_bytes()));
        pad(&mut file);
        file.extend(self.scales.iter().flat_map(|scale| scale.to_le_bytes()));
        pad(&mut file);
        file.extend(self.rows.iter().map(|&component| component.cast_unsigned()));
        file
    }

    /// Enters the pieces in the order of their ids, so that the same model has the same bytes.
    fn hash_table(&self) -> Table {
        let n_slots = (2 * self.tokens.len()).next_power_of_two().max(4);
        let shift = 64 - n_slots.trailing_zeros();
        let mut table = Table {
            slots: vec![0; n_slots],
            masks: vec![0; n_slots / 2],
            piece_bytes_max: 0,
        };
        for (id, token) in self
            .tokens
            .iter()
            .enumerate()
            .filter(|(_, token)| token.is_piece)
        {
            let (seed, piece) = match token.text.strip_prefix(CONTINUED) {
                Some(piece) => (SEED_CONTINUED, piece),
                None => (SEED_START, token.text.as_str()),
            };
            let mix = |bytes: &[u8]| {
                let hash = bytes.iter().fold(seed, |hash, &byte| hash_byte(hash, byte));
                hash.wrapping_mul(HASH_MIX)
            };
            table.piece_bytes_max = table.piece_bytes_max.max(piece.len());
            if let Some(stem) = piece.as_bytes().get(..STEM_BYTES) {
                let bit = piece.len().min(LENGTH_OPEN) - STEM_BYTES;
                table.masks[(mix(stem) >> (shift + 1)) as usize] |= 1 << bit;
            }
            let mixed = mix(piece.as_bytes());
            let mut at = (mixed >> shift) as usize;
            while table.slots[at] != 0 {
                at = (at + 1) & (n_slots - 1);
            }
            table.slots[at] = (mixed as u32) << ID_BITS | (id as u32 + 1);
        }
        table
    }
}

/// The vocabulary by hash: at most half of the slots are taken, and there is a mask of lengths
/// for every two of them.
struct Table {
    slots: Vec<u32>,
    masks: Vec<u32>,
    piece_bytes_max: usize,
}

/// Hands out one padded section after another.
struct Sections {
    at: u64,
}

impl Sections {
    fn take(&mut self, n_bytes: u64) -> Range<usize> {
        let start = self.at.next_multiple_of(ALIGN as u64);
        self.at = start.saturating_add(n_bytes);
        start as usize..self.at as usize
    }
}

fn read_fields(bytes: &[u8]) -> Result<[u32; N_FIELDS], &'static str> {
    let header = bytes.get(..HEADER_BYTES).ok_or("it is too short")?;
    let fields = header
        .strip_prefix(MAGIC)
        .ok_or("it does not begin with KENMODEL")?;
    let mut numbers = [0; N_FIELDS];
    for (number, &field) in numbers.iter_mut().zip(words(fields)) {
        *number = u32::from_le_bytes(field);
    }
    Ok(numbers)
}

fn pad(file: &mut Vec<u8>) {
    file.resize(file.len().next_multiple_of(ALIGN), 0);
}

fn words(bytes: &[u8]) -> &[[u8; 4]] {
    bytes.as_chunks().0
}
