//! Cuts text into word pieces exactly as BERT's tokenizer does, without building strings.
//!
//! The order of the original is kept: added tokens in the raw text, cleaning, Chinese characters
//! set apart, accents, case, then words and punctuation, then the longest piece first. Plain ASCII
//! goes straight from the text to the hash table; a stretch with anything else in it takes the
//! long way. Pieces the model does not know are dropped, as Model2Vec drops them.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_canonical;

use super::asset::{
    Asset, CONTINUED, LENGTH_OPEN, SEED_CONTINUED, SEED_START, STEM_BYTES, Vocabulary, hash_byte,
};
use super::unicode::{self, Class};

/// The first combining mark of Unicode; Western European letters all lie below it.
const FIRST_MARK: char = '\u{300}';

/// What the tokenizer of one model needs to know, worked out once.
pub(crate) struct WordPiece {
    bytes: [Byte; 256],
    lower: [u8; 256],
    /// Added tokens, longest first.
    added: Vec<u32>,
    /// The characters with which an added token can begin.
    added_starts: Vec<char>,
}

/// What a byte of the text means while nothing but ASCII has been seen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    Space,
    Punctuation,
    Letter,
    /// Not ASCII, or a control character that cleaning will remove.
    Odd,
}

/// What a run of text is.
#[derive(Clone, Copy)]
enum Run {
    /// ASCII letters and digits, or a lone ASCII symbol.
    Ascii,
    /// Anything else without ASCII blanks and symbols.
    Odd,
    /// An added token.
    Added(u32),
}

impl WordPiece {
    pub(crate) fn new(asset: &Asset) -> Self {
        let vocabulary = asset.vocabulary();
        let mut added: Vec<u32> = asset.added().collect();
        added.retain(|&id| !vocabulary.token(id).is_empty());
        added.sort_by_key(|&id| std::cmp::Reverse(vocabulary.token(id).len()));
        let mut added_starts: Vec<char> = added
            .iter()
            .filter_map(|&id| vocabulary.token(id).chars().next())
            .collect();
        added_starts.sort_unstable();
        added_starts.dedup();
        let lower = std::array::from_fn(|byte| {
            let byte = byte as u8;
            if asset.rules.lowercase {
                byte.to_ascii_lowercase()
            } else {
                byte
            }
        });
        let bytes = std::array::from_fn(|byte| classify(byte as u8, asset.rules.clean_text));
        Self {
            bytes,
            lower,
            added,
            added_starts,
        }
    }

    /// Appends the ids of the pieces of a text.
    pub(crate) fn cut(&self, asset: &Asset, text: &str, pieces: &mut Vec<u32>) {
        let mut cutter = Cutter {
            wordpiece: self,
            asset,
            vocabulary: asset.vocabulary(),
            hashes: vec![0; asset.piece_bytes_max],
            word: Vec::new(),
            cleaned: String::new(),
            plain: String::new(),
            pieces,
        };
        self.each_run(asset, text, |run, text| match run {
            Run::Ascii => cutter.ascii_word(text.as_bytes()),
            Run::Odd => cutter.odd_words(text),
            Run::Added(id) => cutter.push(id),
        });
    }

    /// Calls `each` with every run of a text: what is cut without a look at its neighbours.
    #[inline]
    fn each_run<'t>(&self, asset: &Asset, text: &'t str, mut each: impl FnMut(Run, &'t str)) {
        let vocabulary = asset.vocabulary();
        let mut rest = text;
        while let Some((at, id)) = self.find_added(&vocabulary, rest) {
            let (before, from) = rest.split_at(at);
            let (token, after) = from.split_at(vocabulary.token(id).len());
            self.each_plain_run(before, &mut each);
            each(Run::Added(id), token);
            rest = after;
        }
        self.each_plain_run(rest, &mut each);
    }

    /// The same for text without added tokens in it.
    #[inline]
    fn each_plain_run<'t>(&self, text: &'t str, each: &mut impl FnMut(Run, &'t str)) {
        let bytes = text.as_bytes();
        let kind = |at: usize| bytes.get(at).map(|&byte| self.bytes[usize::from(byte)]);
        let mut at = 0;
        while let Some(here) = kind(at) {
            let start = at;
            at += 1;
            match here {
                Byte::Space => {}
                Byte::Punctuation => each(Run::Ascii, &text[start..at]),
                Byte::Letter | Byte::Odd => {
                    while kind(at) == Some(Byte::Letter) {
                        at += 1;
                    }
                    if here == Byte::Letter && kind(at) != Some(Byte::Odd) {
                        each(Run::Ascii, &text[start..at]);
                        continue;
                    }
                    // ASCII spaces and punctuation end the run: no rule reaches across them.
                    while matches!(kind(at), Some(Byte::Letter | Byte::Odd)) {
                        at += 1;
                    }
                    each(Run::Odd, &text[start..at]);
                }
            }
        }
    }

    /// Returns the first added token in the text, the longest if several begin there.
    fn find_added(&self, vocabulary: &Vocabulary<'_>, text: &str) -> Option<(usize, u32)> {
        let mut from = 0;
        loop {
            let rest = &text[from..];
            let at = match self.added_starts.as_slice() {
                // One character to look for is the usual case, and far quicker to find.
                [start] => rest.find(*start)?,
                starts => rest.find(starts)?,
            };
            let here = &rest[at..];
            let is_here = |id: &&u32| here.starts_with(vocabulary.token(**id));
            if let Some(&id) = self.added.iter().find(is_here) {
                return Some((from + at, id));
            }
            from += at + here.chars().next().map_or(1, char::len_utf8);
        }
    }
}

fn classify(byte: u8, clean_text: bool) -> Byte {
    let c = char::from(byte);
    match c {
        '\t' | '\n' | '\r' | ' ' => Byte::Space,
        _ if !c.is_ascii() => Byte::Odd,
        _ if c.is_ascii_control() && clean_text => Byte::Odd,
        _ if c.is_whitespace() => Byte::Space,
        _ if c.is_ascii_punctuation() => Byte::Punctuation,
        _ => Byte::Letter,
    }
}

/// The state of cutting one text; its buffers are shared by all its words.
struct Cutter<'a> {
    wordpiece: &'a WordPiece,
    asset: &'a Asset,
    vocabulary: Vocabulary<'a>,
    /// Hashes of the beginnings of the word at hand, by length.
    hashes: Vec<u64>,
    word: Vec<u8>,
    cleaned: String,
    plain: String,
    pieces: &'a mut Vec<u32>,
}

impl Cutter<'_> {
    /// Cuts a word of ASCII letters and digits, or a lone ASCII symbol.
    #[inline]
    fn ascii_word(&mut self, word: &[u8]) {
        if word.len() > self.asset.word_chars_max {
            return;
        }
        let mut lowered = std::mem::take(&mut self.word);
        lowered.clear();
        lowered.extend(
            word.iter()
                .map(|&byte| self.wordpiece.lower[usize::from(byte)]),
        );
        self.longest_first(&lowered);
        self.word = lowered;
    }

    /// Prepares a stretch with more than ASCII in it and cuts the words that come out.
    fn odd_words(&mut self, text: &str) {
        let mut plain = std::mem::take(&mut self.plain);
        plain.clear();
        self.prepare(text, &mut plain);
        let mut word_start = 0;
        for (at, c) in plain.char_indices() {
            let is_punctuation = unicode::class(c) == Class::Punctuation;
            if is_punctuation || c.is_whitespace() {
                self.odd_word(&plain[word_start..at]);
                word_start = at + c.len_utf8();
            }
            if is_punctuation {
                self.odd_word(&plain[at..word_start]);
            }
        }
        self.odd_word(&plain[word_start..]);
        self.plain = plain;
    }

    fn odd_word(&mut self, word: &str) {
        if word.chars().count() <= self.asset.word_chars_max {
            self.longest_first(word.as_bytes());
        }
    }

    /// Cleans, sets Chinese characters apart, strips accents and lowers case, in this order.
    fn prepare(&mut self, text: &str, plain: &mut String) {
        let rules = self.asset.rules;
        self.cleaned.clear();
        for c in text.chars() {
            let is_noise = c == '\u{fffd}' || unicode::class(c) == Class::Control;
            if rules.clean_text && is_noise {
                continue;
            }
            let is_chinese = rules.handle_chinese && unicode::is_chinese(c);
            self.cleaned.extend(is_chinese.then_some(' '));
            self.cleaned.push(if rules.clean_text && c.is_whitespace() {
                ' '
            } else {
                c
            });
            self.cleaned.extend(is_chinese.then_some(' '));
        }
        let mut push = |c: char| match rules.lowercase {
            true if c.is_ascii() => plain.push(c.to_ascii_lowercase()),
            // Character by character: the original knows no final sigma.
            true => plain.extend(c.to_lowercase()),
            false => plain.push(c),
        };
        if !rules.strip_accents {
            self.cleaned.chars().for_each(push);
            return;
        }
        let mut push_bare = |c: char| match unicode::class(c) {
            Class::Mark => {}
            _ => push(c),
        };
        if self.cleaned.chars().all(|c| c < FIRST_MARK) {
            // All marks that come out are dropped, so their order need not be worked out.
            self.cleaned.chars().for_each(|c| match c.is_ascii() {
                true => push_bare(c),
                false => decompose_canonical(c, &mut push_bare),
            });
        } else {
            self.cleaned.nfd().for_each(push_bare);
        }
    }

    /// Appends the pieces of a word, or nothing if any part of it is unknown.
    fn longest_first(&mut self, word: &[u8]) {
        let n_before = self.pieces.len();
        let mut rest = word;
        let (mut seed, mut skip) = (SEED_START, 0);
        while !rest.is_empty() {
            let Some((id, n_bytes)) = self.longest(rest, seed, skip) else {
                self.pieces.truncate(n_before);
                return;
            };
            self.push(id);
            rest = &rest[n_bytes..];
            (seed, skip) = (SEED_CONTINUED, CONTINUED.len());
        }
    }

    /// Returns the longest piece the text begins with, and its length.
    ///
    /// Tokens are whole UTF-8, so a piece that fits always ends between two characters.
    #[inline]
    fn longest(&mut self, text: &[u8], seed: u64, skip: usize) -> Option<(u32, usize)> {
        let mut hash = seed;
        let mut n_hashed = 0;
        for (slot, &byte) in self.hashes.iter_mut().zip(text) {
            hash = hash_byte(hash, byte);
            *slot = hash;
            n_hashed += 1;
        }
        let find = |n_bytes: usize| {
            let id = self
                .vocabulary
                .find(self.hashes[n_bytes - 1], &text[..n_bytes], skip)?;
            Some((id, n_bytes))
        };
        if n_hashed >= STEM_BYTES {
            let mut lengths = self.vocabulary.lengths(self.hashes[STEM_BYTES - 1]);
            while lengths != 0 {
                let bit = lengths.ilog2();
                lengths ^= 1 << bit;
                let n_bytes = STEM_BYTES + bit as usize;
                let n_bytes_max = if n_bytes == LENGTH_OPEN {
                    n_hashed
                } else {
                    n_bytes
                };
                let found = (n_bytes..=n_bytes_max.min(n_hashed)).rev().find_map(find);
                if found.is_some() {
                    return found;
                }
            }
        }
        (1..STEM_BYTES.min(n_hashed + 1)).rev().find_map(find)
    }

    fn push(&mut self, id: u32) {
        if Some(id) != self.asset.unknown {
            self.pieces.push(id);
        }
    }
}
