//! Finds the words of a text: runs of letters and digits, and overlapping pairs where a script
//! writes no spaces.

use unicode_normalization::char::is_combining_mark;

/// Longer runs are data, not names.
const COMPOUND_BYTES_MAX: usize = 48;

/// One word and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The word as written.
    pub text: &'a str,
    /// Its byte offset in the scanned text.
    pub start: usize,
    /// Whether it is a spelled word or a cut of unspaced script.
    pub kind: WordKind,
}

/// What a [`Word`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// A run of letters and digits.
    Letters,
    /// Two neighbouring characters of an unspaced script, or the last one of a run.
    Gram,
}

/// Returns the words of `text` in order.
pub fn words(text: &str) -> Words<'_> {
    Words {
        text,
        at: 0,
        compound_end: 0,
    }
}

/// Iterator of [`words`].
pub struct Words<'a> {
    text: &'a str,
    at: usize,
    /// End of the compound whose parts are being returned.
    compound_end: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        loop {
            self.skip_to_word()?;
            let start = self.at;
            let first = self.text[start..].chars().next()?;
            if is_unspaced(first) {
                return Some(self.take_gram(start, first));
            }
            let end = self.end_of_letters(start);
            if start >= self.compound_end {
                self.compound_end = self.end_of_compound(start, end);
                if self.compound_end > end {
                    // The whole first, its parts after: `2026.4.10`, `rrf_fuse`, `INV-2026-014`.
                    return Some(Word {
                        text: &self.text[start..self.compound_end],
                        start,
                        kind: WordKind::Letters,
                    });
                }
            }
            self.at = end;
            let word = &self.text[start..end];
            if !self.is_contraction_tail(start, word) {
                return Some(Word {
                    text: word,
                    start,
                    kind: WordKind::Letters,
                });
            }
        }
    }
}

impl<'a> Words<'a> {
    fn skip_to_word(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        loop {
            let byte = *bytes.get(self.at)?;
            if is_letter_or_digit(byte) {
                return Some(());
            }
            if byte.is_ascii() {
                self.at += 1;
            } else {
                let c = self.text[self.at..].chars().next()?;
                if c.is_alphanumeric() && !is_combining_mark(c) {
                    return Some(());
                }
                self.at += c.len_utf8();
            }
        }
    }

    fn end_of_letters(&self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut end = start;
        while let Some(&byte) = bytes.get(end) {
            if is_letter_or_digit(byte) {
                end += 1;
            } else if byte.is_ascii() {
                break;
            } else {
                let Some(c) = self.text[end..].chars().next() else {
                    break;
                };
                // Combining marks belong to their letter: decomposed text is still one word.
                if is_unspaced(c) || !(c.is_alphanumeric() || is_combining_mark(c)) {
                    break;
                }
                end += c.len_utf8();
            }
        }
        end
    }

    /// Returns the end of a name that is written in one piece from several: parts joined by single
    /// dots, hyphens or underscores, if there is a digit or an underscore in it. Ordinary hyphenated
    /// words and sentences without a blank behind the stop are none.
    fn end_of_compound(&self, start: usize, first_end: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut end = first_end;
        while let Some(b'.' | b'-' | b'_') = bytes.get(end) {
            let is_part = bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
            if !is_part || end - start > COMPOUND_BYTES_MAX {
                break;
            }
            end = self.end_of_letters(end + 1);
        }
        if end == first_end {
            return end;
        }
        let whole = &bytes[start..end];
        let is_name = whole
            .iter()
            .any(|byte| byte.is_ascii_digit() || *byte == b'_');
        if is_name && whole.is_ascii() {
            end
        } else {
            first_end
        }
    }

    fn take_gram(&mut self, start: usize, first: char) -> Word<'a> {
        self.at = start + first.len_utf8();
        let second = self.text[self.at..].chars().next();
        let end = match second {
            Some(c) if is_unspaced(c) => self.at + c.len_utf8(),
            _ => self.at,
        };
        Word {
            text: &self.text[start..end],
            start,
            kind: WordKind::Gram,
        }
    }

    /// "don't" and "cat's" leave a `t` and an `s` behind that nobody looks for.
    fn is_contraction_tail(&self, start: usize, word: &str) -> bool {
        const TAILS: [&str; 7] = ["s", "t", "d", "m", "ll", "re", "ve"];
        let before = &self.text[..start];
        let Some(stem) = before
            .strip_suffix('\'')
            .or_else(|| before.strip_suffix('’'))
        else {
            return false;
        };
        stem.ends_with(char::is_alphabetic) && TAILS.iter().any(|t| word.eq_ignore_ascii_case(t))
    }
}

/// ASCII letters and digits, looked up: every byte of every text is asked for.
static LETTERS_AND_DIGITS: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    table
};

#[inline]
fn is_letter_or_digit(byte: u8) -> bool {
    LETTERS_AND_DIGITS[usize::from(byte)]
}

/// Returns the parts of a name such as `addEventListener` or `HTTPServer`; one part if it has none.
pub(super) fn camel_parts(name: &str) -> impl Iterator<Item = &str> {
    let bytes = name.as_bytes();
    let is_cut = |at: usize| {
        let before = bytes[at - 1];
        let is_upper = bytes[at].is_ascii_uppercase();
        let next_is_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        is_upper
            && (before.is_ascii_lowercase()
                || before.is_ascii_digit()
                || (before.is_ascii_uppercase() && next_is_lower))
    };
    let mut cuts: Vec<usize> = (1..bytes.len()).filter(|&at| is_cut(at)).collect();
    cuts.push(bytes.len());
    let mut start = 0;
    cuts.into_iter().map(move |end| {
        let part = &name[start..end];
        start = end;
        part
    })
}

/// Whether `c` belongs to a script that writes words without spaces between them.
#[inline]
pub(crate) fn is_unspaced(c: char) -> bool {
    // Nearly every letter is below the first of them.
    c >= '\u{E00}' && is_of_unspaced_block(c)
}

fn is_of_unspaced_block(c: char) -> bool {
    matches!(c as u32,
        0x0E00..=0x0EFF        // Thai, Lao
        | 0x1000..=0x109F      // Myanmar
        | 0x1780..=0x17FF      // Khmer
        | 0x3005..=0x3007
        | 0x3040..=0x30FF      // Hiragana, Katakana
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF      // Han extension A
        | 0x4E00..=0x9FFF      // Han
        | 0xAC00..=0xD7AF      // Hangul
        | 0xF900..=0xFAFF
        | 0xFF66..=0xFF9D      // half-width Katakana
        | 0x20000..=0x323AF    // Han extensions B and later
    ) && c.is_alphanumeric()
}
