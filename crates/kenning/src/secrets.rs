//! Finds keys, tokens and passwords in a text and masks them, keeping the line structure.
//!
//! This is the door of the write flow (`file ──vault──> text ──secrets──> CleanText`): every later room accepts
//! only [`CleanText`], and only this room can make one. It is pure: no I/O, no clock, nothing to build at start
//! (all tables are made by the compiler), and it must never store, log or return what it masked.
//!
//! How a text is read: `keywords` finds, in one pass, the places where a credential could begin; the detector named
//! by the keyword then looks at the neighbourhood only. `tokens` compares with the shapes in `vendors`; `assignment`
//! and `names` read `name = value` in its many spellings, `literal` the value itself, `near` a random value that only
//! stands near a telling word; `login` and `command` read URLs, headers and command lines; `pem` reads private keys,
//! `card` and `phrase` payment cards and recovery phrases. `lines` finds what whole lines tell, such as a `table` with a
//! telling column; `prefixed` finds tokens of vendors that no table knows; `seams` reads across what cuts a token in
//! two. `value` and `sound` judge whether a value is a credential or stands for one.
//! To add a vendor, add a row to `vendors`; docs/secrets.md tells users what is found.

mod assignment;
mod card;
mod command;
mod keywords;
mod lines;
mod literal;
mod login;
mod names;
mod near;
mod pem;
mod phrase;
mod pin;
mod piped;
mod prefixed;
mod seams;
mod shape;
mod sound;
mod table;
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
    pub(crate) fn without_lines(self, hidden: &[Range<usize>]) -> Self {
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
pub(crate) fn has_mask(text: &str) -> bool {
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
    /// Line of the note on which the credential began, 1-based; 0 for one in its name.
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
    for round in 0.. {
        let mut spans = find(&text);
        if spans.is_empty() {
            break;
        }
        // Credentials glued to each other by the thousand would come off one a round.
        if round >= ROUNDS_MAX {
            spans = joined(spans.iter().map(|span| widened(&text, *span)).collect());
        }
        findings.extend(lines_of(&text, &spans));
        text = splice(&text, &spans);
    }
    findings.sort_unstable();
    (CleanText(text), findings)
}

/// Returns the patterns of the masks in a text.
pub fn masks(text: &str) -> impl Iterator<Item = &str> {
    text.split(MARK)
        .skip(1)
        .filter_map(|rest| rest.split(']').next())
}

/// Counts the credentials that a path held; they are masked in it already.
pub fn in_name(path: &str) -> Vec<Finding> {
    let found = |_| Finding {
        line: 0,
        pattern: "file-name",
    };
    masks(path).map(found).collect()
}

/// After so many rounds, all that is glued to a credential goes with it.
const ROUNDS_MAX: usize = 8;

/// Stretches a span to the blanks or masks around it.
fn widened(text: &str, span: Span) -> Span {
    let ends = |byte: &u8| *byte <= b' ' || matches!(byte, b'[' | b']');
    let before = text.as_bytes()[..span.start].iter().rev();
    let behind = text.as_bytes()[span.end..].iter();
    Span {
        start: span.start - before.take_while(|byte| !ends(byte)).count(),
        end: span.end + behind.take_while(|byte| !ends(byte)).count(),
        pattern: span.pattern,
    }
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
    let mut spans = keyword_spans(text.as_bytes());
    let line_seams = lines::find(text, &mut spans);
    prefixed::find(text.as_bytes(), &mut spans);
    seams::find(text.as_bytes(), line_seams, &mut spans);
    spans.retain(|span| is_maskable(text, *span));
    joined(spans)
}

/// Puts spans in order; those that overlap become one.
fn joined(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable_by_key(|span| (span.start, usize::MAX - span.end));
    spans.dedup_by(|next, before| {
        let overlaps = next.start < before.end;
        if overlaps {
            before.end = before.end.max(next.end);
            if before.pattern == prefixed::PATTERN {
                before.pattern = next.pattern;
            }
        }
        overlaps
    });
    spans
}

/// Finds what a keyword gives away, in one pass.
fn keyword_spans(text: &[u8]) -> Vec<Span> {
    let mut reader = KeywordReader::default();
    let mut position = 0;
    while let Some((start, mut bucket)) = keywords::next(text, position) {
        position = start + 1;
        while let Some(keyword) = bucket.next_in(&text[start..]) {
            let hit = Hit {
                start,
                end: start + keyword.text.len(),
                floor: reader.floor,
            };
            if let Some(span) = reader.detect(text, keyword.detector, hit)
                && span.start >= reader.floor
                && !is_masked(text, span)
            {
                reader.spans.push(span);
                reader.floor = span.end;
                position = position.max(span.end);
                break;
            }
        }
    }
    reader.spans
}

/// What the pass over the keywords remembers.
#[derive(Default)]
struct KeywordReader {
    spans: Vec<Span>,
    /// End of the last credential.
    floor: usize,
    /// Where the rows of the last delimited table end: none of them is a header.
    rows_end: usize,
    /// How far recovery phrases were looked for.
    phrases_end: usize,
    /// Where the last command line without a password ends.
    command_end: usize,
    /// Where the last line without a password in a pipe ends.
    piped_end: usize,
    /// The last row of bytes that no blank and no quote interrupts.
    row: Range<usize>,
}

/// A row of bytes as long as this is data; names are believed at its beginning only.
const ROW_BYTES_MAX: usize = 2048;
const ROW_HEAD_BYTES: usize = 512;

impl KeywordReader {
    fn detect(&mut self, text: &[u8], detector: Detector, hit: Hit) -> Option<Span> {
        match detector {
            Detector::Token(token) => tokens::detect(text, token, hit),
            Detector::Name(_) if self.is_in_data(text, hit.start) => None,
            Detector::Name(kind) => {
                if hit.start >= self.rows_end {
                    let word = assignment::word_of(text, hit);
                    let rows_end = table::delimited(text, word.start..word.end, &mut self.spans);
                    self.rows_end = rows_end.unwrap_or(self.rows_end);
                }
                assignment::detect(text, kind, hit, &mut self.spans)
            }
            Detector::Url => login::detect_url(text, hit),
            Detector::Bearer => login::detect_bearer(text, hit),
            Detector::Authorization => login::detect_authorization(text, hit),
            Detector::Curl | Detector::Command(_) if hit.start < self.command_end => None,
            Detector::Curl => self.in_command(text, hit, login::detect_curl(text, hit)),
            Detector::Pem => pem::detect(text, hit),
            Detector::PemBody => pem::detect_body(text, hit),
            Detector::Putty => pem::detect_putty(text, hit),
            Detector::EthereumKey => tokens::detect_ethereum_key(text, hit),
            Detector::Command(program) => {
                self.in_command(text, hit, command::detect(text, program, hit))
            }
            Detector::Pair => login::detect_pair(text, hit),
            Detector::Card => card::detect(text, hit),
            Detector::Printed | Detector::Here if hit.start < self.piped_end => None,
            Detector::Printed => self.in_pipe(text, hit, piped::detect_printed(text, hit)),
            Detector::Here => self.in_pipe(text, hit, piped::detect_here(text, hit)),
            Detector::Pin => pin::detect(text, hit),
            Detector::Phrase if hit.start < self.phrases_end => None,
            Detector::Phrase => {
                let (span, end) = phrase::detect(text, hit);
                self.phrases_end = end;
                span
            }
        }
    }
}

impl KeywordReader {
    /// Remembers the end of a command without a password, so that it is not read again for each word of it.
    fn in_command(&mut self, text: &[u8], hit: Hit, found: Option<Span>) -> Option<Span> {
        if found.is_none() {
            self.command_end = hit.end + login::command_length(&text[hit.end..]);
        }
        found
    }

    /// The same for a line with a pipe.
    fn in_pipe(&mut self, text: &[u8], hit: Hit, found: Option<Span>) -> Option<Span> {
        if found.is_none() {
            self.piped_end = hit.end + piped::rest_of_line(text, hit.end).len();
        }
        found
    }

    /// Says whether a name stands deep inside of data: reading the rest as its value, again and again, would cost the
    /// square of the length.
    fn is_in_data(&mut self, text: &[u8], position: usize) -> bool {
        if position >= self.row.end {
            let is_row = |byte: &&u8| **byte > b' ' && !b"\"'`;>".contains(byte);
            let length = text[position..].iter().take_while(is_row).count();
            self.row = position..position + length;
        }
        self.row.len() > ROW_BYTES_MAX && position > self.row.start + ROW_HEAD_BYTES
    }
}

fn is_maskable(text: &str, span: Span) -> bool {
    span.start < span.end
        && text.is_char_boundary(span.start)
        && text.is_char_boundary(span.end)
        && !is_masked(text.as_bytes(), span)
}

/// Says whether a span holds a mask, or lies inside of one.
fn is_masked(text: &[u8], span: Span) -> bool {
    let mark = MARK.as_bytes();
    let has_mark = |part: &[u8]| part.windows(mark.len()).any(|window| window == mark);
    let before = &text[span.start.saturating_sub(MASK_BYTES_MAX)..span.start];
    let opened = before
        .iter()
        .rposition(|&byte| byte == b']')
        .map_or(before, |at| &before[at..]);
    has_mark(&text[span.start..span.end]) || has_mark(opened)
}

/// No mask is longer.
const MASK_BYTES_MAX: usize = 48;

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
