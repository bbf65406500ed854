//! Finds keys, tokens and passwords in a text and masks them, keeping the line structure.
//!
//! This is the door of the write flow (`file ──vault──> text ──secrets──> CleanText`): every later room accepts
//! only [`CleanText`], and only this room can make one. It is pure: no I/O, no clock, nothing to build at start
//! (all tables are made by the compiler), and it must never store, log or return what it masked.
//!
//! How a text is read: `keywords` finds, in one pass, the places where a credential could begin; the detector named
//! by the keyword then looks at the neighbourhood only. `tokens` compares with the shapes in `vendors`; `assignment`
//! and `names` read `name = value` in its many spellings; `login` reads URLs, `Authorization` headers and `curl -u`;
//! `pem` reads private keys over several lines; `value` judges whether a value is a credential or stands for one.
//! To add a vendor, add a row to `vendors`.

mod assignment;
mod keywords;
mod login;
mod names;
mod pem;
mod shape;
mod tokens;
mod value;
mod vendors;

#[cfg(test)]
mod tests;

use std::ops::{Deref, Range};

use keywords::Detector;

/// Text that has passed the credential filter; only this module can make one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CleanText(String);

impl CleanText {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text, giving up the proof that it is clean.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Returns the text with masks in place of whole lines, 0-based; the number of lines stays.
    pub fn without_lines(self, hidden: &[Range<usize>]) -> Self {
        if hidden.is_empty() {
            return self;
        }
        let is_hidden = |line: usize| hidden.iter().any(|range| range.contains(&line));
        let lines = self.0.lines().enumerate();
        let kept = lines.map(|(index, line)| if is_hidden(index) { HIDDEN_LINE } else { line });
        Self(kept.collect::<Vec<_>>().join("\n") + "\n")
    }
}

/// Stands for a line that says something secret in a way that cannot be cut out.
const HIDDEN_LINE: &str = "[REDACTED:hidden]";

/// Whether some of a text was masked.
pub fn has_mask(text: &str) -> bool {
    text.contains(MARK)
}

impl AsRef<str> for CleanText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Deref for CleanText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// A credential that was masked; it never holds the secret itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Line of the note on which the credential began, 1-based.
    pub line: u32,
    /// Name of the pattern, as written in `[REDACTED:pattern]`.
    pub pattern: &'static str,
}

/// Replaces every credential in `text` by `[REDACTED:pattern]` and says what was found, in line order.
///
/// Only the secret itself is replaced, never the name beside it, and the number of lines stays the same.
/// A text without credentials is handed back without a copy. Masking twice changes nothing more.
pub fn mask(mut text: String) -> (CleanText, Vec<Finding>) {
    let mut findings = Vec::new();
    // A mask can complete the boundary of a neighbour, so the text is read again until nothing is found.
    // This ends: every round turns at least one byte outside of a mask into a mask.
    loop {
        let spans = find(&text);
        if spans.is_empty() {
            break;
        }
        findings.extend(lines_of(&text, &spans));
        text = splice(&text, &spans);
    }
    findings.sort_unstable();
    (CleanText(text), findings)
}

/// What every mask begins with; a span that holds one is never masked again.
const MARK: &str = "[REDACTED:";

/// The bytes of one credential. ASCII stands on both sides of them, so they end at character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start: usize,
    end: usize,
    pattern: &'static str,
}

/// The place where a keyword was seen.
#[derive(Debug, Clone, Copy)]
struct Hit {
    /// First byte of the keyword.
    start: usize,
    /// First byte after the keyword.
    end: usize,
    /// End of the credential before this one: nothing to the left of it may be looked at again.
    floor: usize,
}

fn find(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut spans: Vec<Span> = Vec::new();
    let mut position = 0;
    let mut floor = 0;
    while let Some((start, mut bucket)) = keywords::next(bytes, position) {
        position = start + 1;
        while let Some(keyword) = bucket.next_in(&bytes[start..]) {
            let hit = Hit {
                start,
                end: start + keyword.text.len(),
                floor,
            };
            if let Some(span) = detect(bytes, keyword.detector, hit)
                && is_maskable(text, span, floor)
            {
                spans.push(span);
                floor = span.end;
                position = position.max(floor);
                break;
            }
        }
    }
    spans
}

fn detect(text: &[u8], detector: Detector, hit: Hit) -> Option<Span> {
    match detector {
        Detector::Token(token) => tokens::detect(text, token, hit),
        Detector::Name(kind) => assignment::detect(text, kind, hit),
        Detector::Url => login::detect_url(text, hit),
        Detector::Bearer => login::detect_bearer(text, hit),
        Detector::Authorization => login::detect_authorization(text, hit),
        Detector::Curl => login::detect_curl(text, hit),
        Detector::Pem => pem::detect(text, hit),
        Detector::EthereumKey => tokens::detect_ethereum_key(text, hit),
    }
}

fn is_maskable(text: &str, span: Span, floor: usize) -> bool {
    debug_assert!(span.start < span.end);
    span.start >= floor
        && text
            .get(span.start..span.end)
            .is_some_and(|secret| !secret.contains(MARK))
}

/// Names the line of every span; `spans` are in text order.
fn lines_of<'a>(text: &'a str, spans: &'a [Span]) -> impl Iterator<Item = Finding> + 'a {
    let mut line = 1;
    let mut seen = 0;
    spans.iter().map(move |span| {
        line += count_newlines(&text.as_bytes()[seen..span.start]);
        seen = span.start;
        Finding {
            line,
            pattern: span.pattern,
        }
    })
}

fn splice(text: &str, spans: &[Span]) -> String {
    let mut clean = String::with_capacity(text.len() + 16 * spans.len());
    let mut copied = 0;
    for span in spans {
        clean.push_str(&text[copied..span.start]);
        clean.push_str(MARK);
        clean.push_str(span.pattern);
        clean.push(']');
        for _ in 0..count_newlines(&text.as_bytes()[span.start..span.end]) {
            clean.push('\n');
        }
        copied = span.end;
    }
    clean.push_str(&text[copied..]);
    clean
}

fn count_newlines(bytes: &[u8]) -> u32 {
    bytes.iter().map(|&byte| u32::from(byte == b'\n')).sum()
}
