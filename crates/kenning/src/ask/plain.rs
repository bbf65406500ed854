//! A sentence as a reader sees it, links as their texts and rows as cells, and where in it the answer
//! then stands. It is judged as it is written, and shown like this where `cite` finds it again. Pure.

use std::ops::Range;

use super::Reach;
use super::quotable::one_line;
use super::sentences::Sentence;
use crate::cite;
use crate::note::{Format, Layout};
use crate::search::as_shown;

/// What is shown of a sentence.
pub(super) struct Plain {
    pub(super) text: String,
    /// Bytes of the answer.
    pub(super) span: Option<Range<usize>>,
    /// Where the first word that was asked for begins.
    pub(super) asked: Option<usize>,
}

impl Plain {
    /// Reads a sentence; it stays as it is written where it could not be found again otherwise.
    pub(super) fn of(sentence: &Sentence, passage: &Reach) -> Self {
        let mut asked = sentence.tokens.iter().filter(|token| token.asked.is_some());
        let written = Self {
            text: sentence.text.clone(),
            span: sentence.span.clone(),
            asked: asked.next().map(|token| token.bytes.start),
        };
        let layout = Format::of(&passage.note.path)
            .unwrap_or(Format::Markdown)
            .layout();
        let own = &passage.text[sentence.raw.clone()];
        match sentence.is_code || layout != Layout::Markdown {
            true => None,
            false => written.read(own),
        }
        .unwrap_or(written)
    }

    /// Reads what is written on `own`; nothing where the answer or the words would be lost.
    fn read(&self, own: &str) -> Option<Self> {
        let is_whole = one_line(own) == self.text;
        // Lines tell items and rows apart; what was put together has none any more.
        let text = as_shown(if is_whole { own } else { &self.text }, Layout::Markdown);
        let span = match &self.span {
            Some(span) => Some(self.moved(span, &text)?),
            None => None,
        };
        let asked = self.asked.map(|at| {
            let word = self.text[at..].split_whitespace().next().unwrap_or("");
            let place = self.moved(&(at..at + word.len()), &text);
            place.map_or(0, |place| place.start)
        });
        (text != self.text && cite::stands_in(&text, own)).then_some(Self { text, span, asked })
    }

    /// Returns where some bytes of what is written stand in what is read: of equal places, the one that
    /// as much is read before.
    fn moved(&self, bytes: &Range<usize>, text: &str) -> Option<Range<usize>> {
        if *bytes == (0..self.text.len()) {
            return Some(0..text.len());
        }
        let part = as_shown(&self.text[bytes.clone()], Layout::Markdown);
        let before = as_shown(&self.text[..bytes.start], Layout::Markdown).len();
        let places = text.match_indices(&part).map(|(at, _)| at);
        let nearest = places.min_by_key(|at| at.abs_diff(before));
        let start = nearest.filter(|_| !part.is_empty())?;
        Some(start..start + part.len())
    }
}
