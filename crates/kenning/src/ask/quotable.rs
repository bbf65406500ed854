//! The sentences of a passage as they can be quoted: as a reader sees them where that stands in the text
//! word for word, otherwise as they are written; and what in them is code. Pure.

use std::ops::Range;

use super::Reach;
use crate::cite;
use crate::note::Format;
use crate::question::Sought;
use crate::search::shown_sentences;
use crate::words;

/// Fewest characters of code that can be quoted.
const CODE_CHARS_MIN: usize = cite::QUOTE_CHARS_MIN + 3;
/// Fewest of a sentence that says something by itself: "$1,180 with material." belongs to the one before it.
const PROSE_CHARS_MIN: usize = 25;
/// Between what is quoted from two places.
const LEFT_OUT: &str = " … ";

/// A sentence, a line of code or a row of a table.
#[derive(Clone, Debug)]
pub(super) struct Quotable {
    /// Its bytes in the passage.
    pub(super) raw: Range<usize>,
    /// What is quoted, on one line.
    pub(super) text: String,
    pub(super) is_code: bool,
    /// What of `text` is code.
    pub(super) code: Vec<Code>,
}

/// Some code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Code {
    /// Its bytes.
    pub(super) bytes: Range<usize>,
    /// Whether it stands by itself on its line.
    pub(super) is_line: bool,
}

/// Returns the sentences of a passage, in their order.
pub(super) fn quotable(passage: &Reach, sought: Sought) -> Vec<Quotable> {
    let layout = Format::of(&passage.note.path)
        .unwrap_or(Format::Markdown)
        .layout();
    let mut sentences: Vec<Quotable> = Vec::new();
    for (raw, plain, is_code) in shown_sentences(&passage.text, layout) {
        let own = &passage.text[raw.clone()];
        // Backticks tell a command from the words around it.
        let is_told_by_marks = sought.may_be_code() && own.contains('`');
        let text = match !is_told_by_marks && cite::stands_in(&plain, own) {
            true => plain,
            false => one_line(own),
        };
        let one = Quotable::new(raw, text, is_code);
        match sentences.last_mut() {
            Some(last) if last.takes(&one) => last.join(one, &passage.text),
            _ => sentences.push(one),
        }
    }
    sentences.retain(|sentence| sentence.text.chars().count() >= CODE_CHARS_MIN);
    sentences
}

impl Quotable {
    fn new(raw: Range<usize>, text: String, is_code: bool) -> Self {
        let code = match is_code {
            true => vec![Code {
                bytes: 0..text.len(),
                is_line: true,
            }],
            false => between_backticks(&text),
        };
        Self {
            raw,
            text,
            is_code,
            code,
        }
    }

    /// Whether the next one must be joined to it, since one of them is too short to be quoted. Code stays
    /// apart from the words around it, but where it is short, and then it goes with those that lead to it.
    fn takes(&self, next: &Self) -> bool {
        match (self.is_code, next.is_code) {
            (false, true) => next.is_short() && !self.is_short(),
            (true, false) => false,
            _ => self.is_short() || next.is_short(),
        }
    }

    fn is_short(&self) -> bool {
        // Where there are no blanks, fewer letters say as much; a row of a table and a step say enough.
        let is_dense = self.text.chars().any(words::is_unspaced);
        let is_whole = self.text.starts_with(['|', '-', '*']) || is_item(&self.text);
        let n_chars_min = match self.is_code || is_dense || is_whole {
            true => CODE_CHARS_MIN,
            false => PROSE_CHARS_MIN,
        };
        self.text.chars().count() < n_chars_min
    }

    fn join(&mut self, next: Self, passage: &str) {
        let is_apart = self.is_code != next.is_code
            || passage[self.raw.end..next.raw.start.max(self.raw.end)].contains("```");
        self.raw.end = next.raw.end;
        if !is_apart {
            let text = one_line(&passage[self.raw.clone()]);
            *self = Self::new(self.raw.clone(), text, self.is_code);
            return;
        }
        let start = self.text.len() + LEFT_OUT.len();
        self.code.extend(next.code.into_iter().map(|code| Code {
            bytes: start + code.bytes.start..start + code.bytes.end,
            ..code
        }));
        self.text = format!("{}{LEFT_OUT}{}", self.text, next.text);
    }
}

/// What stands between backticks.
fn between_backticks(text: &str) -> Vec<Code> {
    let mut code = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('`').map(|found| at + found) {
        let n_marks = text[open..].len() - text[open..].trim_start_matches('`').len();
        let start = open + n_marks;
        let Some(end) = text[start..].find(&text[open..start]) else {
            break;
        };
        if end > 0 {
            code.push(Code {
                bytes: start..start + end,
                is_line: false,
            });
        }
        at = start + end + n_marks;
    }
    code
}

/// Whether a line is an item of a list.
pub(super) fn is_item(raw: &str) -> bool {
    let rest = raw.trim_start_matches(|c: char| c.is_ascii_digit());
    raw.starts_with(['-', '*', '+']) || rest.len() < raw.len() && rest.starts_with(". ")
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
