//! The prefilter: one pass over the text that finds the places where a credential could begin.
//!
//! Every keyword has at least three bytes. The pass keeps the last three bytes, folded to five bits each (which
//! also folds case), and looks the number up in a table made by the compiler: about one cycle a byte, and nothing
//! to build when the program starts.

use super::names::Kind;
use super::vendors::{self, TOKENS};

/// Who looks at the neighbourhood of a keyword.
#[derive(Debug, Clone, Copy)]
pub(super) enum Detector {
    /// The token with this position in the vendor table.
    Token(u16),
    /// The name in `name = value`.
    Name(Kind),
    /// `scheme://user:password@host`.
    Url,
    /// `Bearer value`.
    Bearer,
    /// An `Authorization` header.
    Authorization,
    /// `curl -u user:password`.
    Curl,
    /// The first line of a private key.
    Pem,
    /// Sixty-four hexadecimal digits near the word wallet.
    EthereumKey,
}

/// A text that a credential begins with, or that stands before one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keyword {
    pub(super) text: &'static str,
    pub(super) detector: Detector,
    /// Words are found in any case, vendors' prefixes only as the vendor writes them.
    is_word: bool,
}

const fn word(text: &'static str, detector: Detector) -> Keyword {
    Keyword {
        text,
        detector,
        is_word: true,
    }
}

const WORDS: &[Keyword] = &[
    word("password", Detector::Name(Kind::Password)),
    word("passwd", Detector::Name(Kind::Password)),
    word("passphrase", Detector::Name(Kind::Password)),
    word("passcode", Detector::Name(Kind::Password)),
    word("passwort", Detector::Name(Kind::Password)),
    word("contraseña", Detector::Name(Kind::Password)),
    word("mot de passe", Detector::Name(Kind::Password)),
    word("_pass", Detector::Name(Kind::Password)),
    word("-pass", Detector::Name(Kind::Password)),
    word("identified by", Detector::Name(Kind::Password)),
    word("pwd", Detector::Name(Kind::Password)),
    word("psw", Detector::Name(Kind::Password)),
    word("secret", Detector::Name(Kind::Secret)),
    word("credential", Detector::Name(Kind::Secret)),
    word("token", Detector::Name(Kind::Token)),
    word("key", Detector::Name(Kind::Key)),
    word("auth", Detector::Name(Kind::Auth)),
    word("sonar.login", Detector::Name(Kind::Auth)),
    word("sonar_login", Detector::Name(Kind::Auth)),
    word("account_id", Detector::Name(Kind::Account)),
    word("client_id", Detector::Name(Kind::Account)),
    word("tenant_id", Detector::Name(Kind::Account)),
    word("access_id", Detector::Name(Kind::Account)),
    word("accessid", Detector::Name(Kind::Account)),
    word("contribsys__com", Detector::Name(Kind::Bundle)),
    word("://", Detector::Url),
    word("bearer", Detector::Bearer),
    word("authorization", Detector::Authorization),
    word("curl ", Detector::Curl),
    word("sshpass -p", Detector::Name(Kind::Password)),
    word("-----begin", Detector::Pem),
    word("wallet", Detector::EthereumKey),
    word("private key", Detector::EthereumKey),
    word("ethereum", Detector::EthereumKey),
];

const N_KEYWORDS: usize = WORDS.len() + vendors::n_heads();

static KEYWORDS: [Keyword; N_KEYWORDS] = keywords();

const fn keywords() -> [Keyword; N_KEYWORDS] {
    let mut table = [WORDS[0]; N_KEYWORDS];
    let mut filled = 0;
    // Tokens come last, and the last entry of a bucket is tried first: a vendor's name beats a general one.
    while filled < WORDS.len() {
        table[filled] = WORDS[filled];
        filled += 1;
    }
    let mut token = 0;
    while token < TOKENS.len() {
        let heads = TOKENS[token].heads;
        let mut head = 0;
        while head < heads.len() {
            table[filled] = Keyword {
                text: heads[head],
                detector: Detector::Token(token as u16),
                is_word: false,
            };
            filled += 1;
            head += 1;
        }
        token += 1;
    }
    table
}

const N_BUCKETS: usize = 1 << 15;

/// The last keyword of each bucket, plus one; zero for none.
static FIRST: [u16; N_BUCKETS] = buckets().0;
/// The keyword before this one in the same bucket, plus one.
static NEXT: [u16; N_KEYWORDS] = buckets().1;

const fn buckets() -> ([u16; N_BUCKETS], [u16; N_KEYWORDS]) {
    let mut first = [0; N_BUCKETS];
    let mut next = [0; N_KEYWORDS];
    let table = keywords();
    let mut index = 0;
    while index < N_KEYWORDS {
        let text = table[index].text.as_bytes();
        let bucket = roll(roll(roll(0, text[0]), text[1]), text[2]);
        next[index] = first[bucket];
        first[bucket] = index as u16 + 1;
        index += 1;
    }
    (first, next)
}

const fn roll(window: usize, byte: u8) -> usize {
    ((window << 5) | (byte & 31) as usize) & (N_BUCKETS - 1)
}

/// Returns the first position at or after `from` where a keyword may stand, and the keywords to try there.
pub(super) fn next(text: &[u8], from: usize) -> Option<(usize, Bucket)> {
    let tail = text.get(from..)?;
    let (&[first, second], rest) = tail.split_first_chunk::<2>()?;
    let mut window = roll(roll(0, first), second);
    for (offset, &byte) in rest.iter().enumerate() {
        window = roll(window, byte);
        if FIRST[window] != 0 {
            return Some((
                from + offset,
                Bucket {
                    entry: FIRST[window],
                },
            ));
        }
    }
    None
}

/// The keywords that share their first three bytes, up to folding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    entry: u16,
}

impl Bucket {
    /// Returns the next keyword of the bucket that `text` really begins with.
    pub(super) fn next_in(&mut self, text: &[u8]) -> Option<&'static Keyword> {
        while self.entry != 0 {
            let keyword = &KEYWORDS[self.entry as usize - 1];
            self.entry = NEXT[self.entry as usize - 1];
            if keyword.begins(text) {
                return Some(keyword);
            }
        }
        None
    }
}

impl Keyword {
    fn begins(&self, text: &[u8]) -> bool {
        let Some(seen) = text.get(..self.text.len()) else {
            return false;
        };
        if self.is_word {
            seen.eq_ignore_ascii_case(self.text.as_bytes())
        } else {
            seen == self.text.as_bytes()
        }
    }
}

/// Lists the vendor tokens whose head `text` begins with, each with the length of the head.
pub(super) fn tokens_at(text: &[u8]) -> impl Iterator<Item = (u16, usize)> + '_ {
    let mut bucket = match text {
        [first, second, third, ..] => Bucket {
            entry: FIRST[roll(roll(roll(0, *first), *second), *third)],
        },
        _ => Bucket { entry: 0 },
    };
    std::iter::from_fn(move || bucket.next_in(text)).filter_map(|keyword| match keyword.detector {
        Detector::Token(token) => Some((token, keyword.text.len())),
        _ => None,
    })
}
