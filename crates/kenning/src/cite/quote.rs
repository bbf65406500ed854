//! Whether a quote stands in a text. Pure.
//!
//! Forgives how a text is typed (typographic quotes, letter case, line
//! breaks, Markdown marks), never what it says.

mod fold;
mod marks;
#[cfg(test)]
mod tests;

use fold::Folded;
use std::ops::Range;

/// Fewest characters of a quote, after folding: fewer stand in almost any text.
pub(crate) const QUOTE_CHARS_MIN: usize = 12;

/// What came of checking a citation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Checked {
    /// The outcome.
    pub(super) reason: Reason,
    /// Where each fragment of a matching quote stands in the chunk, in bytes, in order.
    pub(super) ranges: Vec<Range<usize>>,
}

impl Checked {
    /// Returns the bytes of the chunk from the first fragment to the last.
    pub(super) fn span(&self) -> Option<Range<usize>> {
        Some(self.ranges.first()?.start..self.ranges.last()?.end)
    }
}

/// Outcome of checking a citation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The quote stands in the chunk.
    Match,
    /// The citation quotes nothing.
    NoQuote,
    /// There is no text to check against.
    NoChunkText,
    /// The quote is too short to prove anything.
    TooShort,
    /// The quote does not stand in the chunk.
    NotFound,
}

impl Reason {
    /// Returns the name that interfaces use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::NoQuote => "no_quote",
            Self::NoChunkText => "no_chunk_text",
            Self::TooShort => "too_short",
            Self::NotFound => "not_found",
        }
    }
}

/// What the citations of an answer come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// No citation quotes anything.
    NoQuotes,
    /// Every quote stands where it should.
    AllVerified,
    /// Some quote does not.
    HasMismatch,
    /// No quote is wrong, but some could not be checked.
    Unverifiable,
}

impl Status {
    /// Returns the name that interfaces use.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoQuotes => "no_quotes",
            Self::AllVerified => "all_verified",
            Self::HasMismatch => "has_mismatch",
            Self::Unverifiable => "unverifiable",
        }
    }

    /// Sums up the citations of one answer.
    pub fn of(reasons: impl IntoIterator<Item = Reason>) -> Self {
        let mut status = Self::NoQuotes;
        for reason in reasons {
            status = match (status, reason) {
                (Self::HasMismatch, _) | (_, Reason::NotFound) => Self::HasMismatch,
                (status, Reason::NoQuote) => status,
                (Self::NoQuotes | Self::AllVerified, Reason::Match) => Self::AllVerified,
                (Self::Unverifiable, _) | (_, Reason::NoChunkText | Reason::TooShort) => {
                    Self::Unverifiable
                }
            };
        }
        status
    }
}

/// Checks a quote against the text of the chunk it cites.
///
/// The text is tried as it stands, then without its Markdown marks, since a quote may be copied from
/// the file or from what a reader sees. Fragments around an ellipsis must appear in order.
pub(super) fn check(quote: Option<&str>, chunk_text: Option<&str>) -> Checked {
    let without_place = |reason| Checked {
        reason,
        ranges: Vec::new(),
    };
    let Some(quote) = quote.filter(|quote| !quote.trim().is_empty()) else {
        return without_place(Reason::NoQuote);
    };
    let Some(text) = chunk_text.filter(|text| !text.trim().is_empty()) else {
        return without_place(Reason::NoChunkText);
    };
    let plain = Folded::new(quote).text;
    if n_quoted_chars(&plain) < QUOTE_CHARS_MIN {
        return without_place(Reason::TooShort);
    }
    let place = find(&plain, &Folded::new(text)).or_else(|| {
        let bare = Folded::without_marks(quote).text;
        // What is only marks would stand in any text.
        let is_long = n_quoted_chars(&bare) >= QUOTE_CHARS_MIN;
        let text = is_long.then(|| Folded::without_marks(text))?;
        let words = Folded::words_of(&bare);
        let is_worded = n_quoted_chars(&words) >= QUOTE_CHARS_MIN;
        find(&bare, &text)
            .or_else(|| is_worded.then(|| find(&words, &text.without_punctuation()))?)
    });
    match place {
        Some(ranges) => Checked {
            reason: Reason::Match,
            ranges,
        },
        None => without_place(Reason::NotFound),
    }
}

/// Looks for the whole quote, then for its fragments in order.
fn find(quote: &str, text: &Folded) -> Option<Vec<Range<usize>>> {
    if let Some(start) = whole_place(&text.text, quote) {
        return Some(vec![text.source(start..start + quote.len())]);
    }
    let fragments = fragments(quote);
    let is_pieced = fragments.len() > 1;
    let mut ranges = Vec::new();
    let mut at = 0;
    for fragment in fragments {
        let start = at + find_fragment(&text.text[at..], fragment, is_pieced)?;
        at = start + fragment.len();
        ranges.push(text.source(start..at));
    }
    Some(ranges).filter(|ranges| !ranges.is_empty())
}

/// Finds a fragment; a short one of several must not begin or end inside a word, or a letter here
/// and a letter there would prove a quote.
fn find_fragment(text: &str, fragment: &str, is_pieced: bool) -> Option<usize> {
    if !is_pieced || fragment.chars().count() >= QUOTE_CHARS_MIN {
        return whole_place(text, fragment);
    }
    text.match_indices(fragment)
        .map(|(start, _)| start)
        .find(|&start| {
            !is_inside_word(text, start) && !is_inside_word(text, start + fragment.len())
        })
}

/// Finds a text where it does not cut a number in two: "120" is not what "1200" says.
fn whole_place(text: &str, part: &str) -> Option<usize> {
    let places = text.match_indices(part).map(|(start, _)| start);
    let mut places =
        places.filter(|&start| !cuts_number(text, start) && !cuts_number(text, start + part.len()));
    places.next()
}

/// Whether a number goes on across a place, with or without a mark between its digits.
fn cuts_number(text: &str, at: usize) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let (mut before, mut after) = (text[..at].chars().rev(), text[at..].chars());
    let (last, first) = (before.next(), after.next());
    let is_mark = |c: Option<char>| matches!(c, Some('.' | ','));
    match (is_digit(last), is_digit(first)) {
        (true, true) => true,
        (true, false) => is_mark(first) && is_digit(after.next()),
        (false, true) => is_mark(last) && is_digit(before.next()),
        (false, false) => false,
    }
}

fn is_inside_word(text: &str, at: usize) -> bool {
    // Scripts from U+2E80 on are written without spaces: a word may begin anywhere.
    let is_letter = |c: char| c.is_alphanumeric() && c < '\u{2E80}';
    let before = text[..at].chars().next_back();
    let after = text[at..].chars().next();
    before.is_some_and(is_letter) && after.is_some_and(is_letter)
}

/// Splits a folded quote at its ellipses and takes off the quotation marks around it.
fn fragments(quote: &str) -> Vec<&str> {
    let mut rest = quote;
    let mut fragments = Vec::new();
    loop {
        let (before, after) = split_at_ellipsis(rest);
        let fragment = before.trim_matches([' ', '"', '\'']);
        if !fragment.is_empty() {
            fragments.push(fragment);
        }
        match after {
            Some(after) => rest = after,
            None => return fragments,
        }
    }
}

/// Returns what stands before the first ellipsis and what stands after it.
fn split_at_ellipsis(text: &str) -> (&str, Option<&str>) {
    let spellings = ["...", ". . ."];
    let first = spellings
        .iter()
        .filter_map(|dots| Some((text.find(dots)?, dots.len())))
        .min();
    let Some((start, n_bytes)) = first else {
        return (text, None);
    };
    let (before, after) = (&text[..start], &text[start + n_bytes..]);
    let after = after.trim_start_matches('.');
    for (open, close) in [('[', ']'), ('(', ')')] {
        if let (Some(before), Some(after)) = (before.strip_suffix(open), after.strip_prefix(close))
        {
            return (before, Some(after));
        }
    }
    (before, Some(after))
}

/// Characters that a folded quote really quotes.
fn n_quoted_chars(quote: &str) -> usize {
    fragments(quote)
        .iter()
        .map(|fragment| fragment.chars().count())
        .sum()
}
