//! Whether a sentence says what something is: "A closure is …", or the first words of the note of that
//! name. Pure.

use std::ops::Range;

use super::Reach;
use super::tokens::{Kind, Token};
use crate::question;

/// Tokens before what is defined, in a sentence that begins with it: "In general, a".
const BEFORE_MAX: usize = 6;
/// Tokens between it and "is": the rest of a name in brackets.
const BETWEEN_MAX: usize = 8;

/// What a sentence says that something is.
pub(super) struct Said {
    /// 1 where it begins with what is defined, less where that comes later.
    pub(super) likelihood: f32,
    /// Bytes of what it is said to be.
    pub(super) bytes: Range<usize>,
}

/// Returns what a sentence says that the words asked for are.
pub(super) fn said(tokens: &[Token], text: &str, n_asked: usize) -> Option<Said> {
    let asked: Vec<usize> = (0..tokens.len())
        .filter(|&at| tokens[at].asked.is_some())
        .collect();
    let (first, last) = (*asked.first()?, run_end(&asked, tokens)?);
    let mut groups: Vec<_> = tokens[first..=last]
        .iter()
        .filter_map(|token| token.asked)
        .collect();
    groups.sort_unstable();
    groups.dedup();
    if groups.len() < n_asked {
        return None;
    }
    let rest = &tokens[last + 1..];
    let says = |token: &Token| question::says_what(&text[token.bytes.clone()].to_lowercase());
    let between = rest.iter().take(BETWEEN_MAX).position(says)?;
    let is_plain = rest[..between].iter().all(|token| !token.is_word());
    let is_bracket = rest.first().is_some_and(|token| token.kind == Kind::Open);
    if !is_plain && !is_bracket {
        return None;
    }
    let body = &rest[between + 1..];
    let n_body = body.iter().position(|token| token.kind == Kind::Stop);
    let body = &body[..n_body.unwrap_or(body.len())];
    let end = body.iter().rposition(Token::is_word)?;
    Some(Said {
        likelihood: if first <= BEFORE_MAX { 1.0 } else { 0.5 },
        bytes: body[0].bytes.start..body[end].bytes.end,
    })
}

/// The last of the tokens asked for that follow the first one closely.
fn run_end(asked: &[usize], tokens: &[Token]) -> Option<usize> {
    let mut end = *asked.first()?;
    for &at in &asked[1..] {
        let is_near = tokens[end + 1..at]
            .iter()
            .all(|token| !token.is_word() || token.is_stop);
        if !is_near {
            break;
        }
        end = at;
    }
    Some(end)
}

/// Whether a passage is the beginning of a note that is called by the words asked for.
pub(super) fn opens_note(passage: &Reach, n_named: usize, n_asked: usize) -> bool {
    let n_words = passage.note.title.split_whitespace().count();
    let is_first = passage.chunk.ordinal == 0;
    is_first && n_named == n_asked && n_words <= n_asked + 1
}
