//! What is shown of the best sentences: no more than fits, and always something that `cite` finds
//! again where it is said to stand.

use std::ops::Range;

use super::plain::Plain;
use super::sentences::Sentence;
use super::{AskOptions, Quoted, Reach};
use crate::error::Result;
use crate::search;
use crate::store::Store;

/// Longest sentence that is shown whole where there are others, in characters.
const SENTENCE_CHARS_MAX: usize = 320;
/// Fewest characters that are worth a place.
const REST_CHARS_MIN: usize = 60;
/// How far a cut may move to fall between two words.
const WORD_CHARS_MAX: usize = 24;

/// Takes the best sentences that fit.
pub(super) fn choose(
    ranked: &[Sentence],
    passages: &[Reach],
    store: &Store,
    options: &AskOptions,
) -> Result<Vec<Quoted>> {
    let mut chosen: Vec<Quoted> = Vec::new();
    let mut room = options.chars_max;
    let best = ranked.first().map_or(0.0, |sentence| sentence.score);
    for sentence in ranked {
        let is_full =
            chosen.len() == options.sentences_max || room < REST_CHARS_MIN.min(options.chars_max);
        if is_full {
            break;
        }
        let passage = &passages[sentence.passage];
        let plain = Plain::of(sentence, passage);
        let shown = shortened(&plain, room.min(SENTENCE_CHARS_MAX));
        if chosen.iter().any(|other| other.text == shown.text) {
            continue;
        }
        room = room.saturating_sub(shown.text.chars().count());
        chosen.push(Quoted {
            lines: lines(store, passage, &sentence.raw)?,
            note: passage.note.clone(),
            chunk: passage.chunk.clone(),
            breadcrumb: passage.breadcrumb.clone(),
            answer: shown.answer,
            text: shown.text,
            score: (sentence.score - best).exp(),
        });
    }
    Ok(chosen)
}

/// Lines of the file that some bytes of a passage stand on. A file whose text was read out of it is
/// known by its passages only.
fn lines(store: &Store, passage: &Reach, raw: &Range<usize>) -> Result<(u32, u32)> {
    let chunk = &passage.chunk;
    if search::facts_of(store, passage.note.id)?
        .source
        .is_extracted
    {
        return Ok((chunk.start_line, chunk.end_line));
    }
    let n_breaks = |part: &str| u32::try_from(part.matches('\n').count()).unwrap_or(u32::MAX);
    let start = chunk
        .start_line
        .saturating_add(n_breaks(&passage.text[..raw.start]));
    let end = start.saturating_add(n_breaks(&passage.text[raw.clone()]));
    Ok((start, end.min(chunk.end_line.max(start))))
}

struct Shown {
    text: String,
    answer: Option<(usize, usize)>,
}

/// Cuts a sentence that is too long to a window around its answer.
fn shortened(sentence: &Plain, n_chars_max: usize) -> Shown {
    let text = &sentence.text;
    let n_before = |byte: usize| text[..byte].chars().count();
    let answer = sentence
        .span
        .as_ref()
        .map(|span| (n_before(span.start), n_before(span.end)));
    let n_chars = text.chars().count();
    if n_chars <= n_chars_max {
        return Shown {
            text: text.clone(),
            answer,
        };
    }
    let n_kept = n_chars_max.saturating_sub(2);
    let middle = match (answer, sentence.asked) {
        (Some((from, to)), _) => usize::midpoint(from, to),
        (None, Some(byte)) => n_before(byte),
        (None, None) => 0,
    };
    let start = middle.saturating_sub(n_kept / 2).min(n_chars - n_kept);
    let (start, end) = (word_start(text, start), word_end(text, start + n_kept));
    let inside: String = text.chars().skip(start).take(end - start).collect();
    let (head, tail) = (
        if start > 0 { "…" } else { "" },
        if end < n_chars { "…" } else { "" },
    );
    let shift = |at: usize| at.saturating_sub(start) + head.chars().count();
    Shown {
        text: format!("{head}{inside}{tail}"),
        answer: answer
            .filter(|(from, to)| *from >= start && *to <= end)
            .map(|(from, to)| (shift(from), shift(to))),
    }
}

/// Moves the beginning of a cut to the beginning of a word, where there is one near.
fn word_start(text: &str, at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    let near = text.chars().skip(at).take(WORD_CHARS_MAX);
    near.enumerate()
        .find(|(_, c)| c.is_whitespace())
        .map_or(at, |(n, _)| at + n + 1)
}

/// Moves the end of a cut to the end of a word.
fn word_end(text: &str, at: usize) -> usize {
    let chars: Vec<char> = text.chars().collect();
    if at >= chars.len() {
        return chars.len();
    }
    let from = at.saturating_sub(WORD_CHARS_MAX);
    chars[from..=at]
        .iter()
        .rposition(|c| c.is_whitespace())
        .map_or(at, |n| from + n)
}
