//! The short span of a sentence that is the answer. Every run of words is a candidate; the reader says how
//! likely each is, and the one is taken that has most in common with what is likely. Pure.

use super::inputs::Around;
use super::reader::{self, TOKENS_MAX};
use super::tokens::{Kind, Token};

/// Most words of an answer.
const WORDS_MAX: usize = 12;
/// Most characters of one in a script without blanks.
const UNSPACED_MAX: usize = 16;
/// Candidates that are compared with each other.
const LIKELY_MAX: usize = 40;

/// A run of tokens, first and last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) first: usize,
    pub(super) last: usize,
}

/// The span that is taken, and how likely the answer is in its sentence, as a logarithm.
pub(super) struct Taken {
    pub(super) span: Span,
    pub(super) mass: f32,
}

/// Returns the span that has most words in common with the answer, as far as the reader can tell.
pub(super) fn best(around: &Around<'_>) -> Option<Taken> {
    let read = reader::read(around);
    let mut scored: Vec<(f32, Span)> = Vec::new();
    each(around.tokens, |span| {
        scored.push((read.score(span.first, span.last), span));
    });
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let most = scored.first()?.0;
    let mass = most
        + scored
            .iter()
            .map(|(score, _)| (score - most).exp())
            .sum::<f32>()
            .ln();
    scored.truncate(LIKELY_MAX);
    let words = words_before(around.tokens);
    let worth = |span: &Span| -> f32 {
        let shares = scored
            .iter()
            .map(|(score, other)| (score - most).exp() * in_common(&words, span, other));
        shares.sum()
    };
    let mut best = (f32::MIN, scored[0].1);
    for (_, span) in &scored {
        let worth = worth(span);
        if worth > best.0 {
            best = (worth, *span);
        }
    }
    Some(Taken { span: best.1, mass })
}

/// For each token, and behind the last, how many words stand before it.
fn words_before(tokens: &[Token]) -> Vec<f32> {
    let mut n = 0.0;
    let mut before = vec![0.0];
    for token in tokens {
        n += f32::from(u8::from(token.is_word()));
        before.push(n);
    }
    before
}

/// F1 of two spans of one sentence, by their words.
fn in_common(words: &[f32], a: &Span, b: &Span) -> f32 {
    let ends = |span: &Span| (words[span.first], words[span.last + 1]);
    let ((a_start, a_end), (b_start, b_end)) = (ends(a), ends(b));
    let common = a_end.min(b_end) - a_start.max(b_start);
    2.0 * common.max(0.0) / (a_end - a_start + b_end - b_start).max(f32::EPSILON)
}

/// Calls `found` for every candidate.
pub(super) fn each(tokens: &[Token], mut found: impl FnMut(Span)) {
    for first in 0..tokens.len() {
        if !begins(tokens, first) {
            continue;
        }
        let (mut n_words, mut n_open, mut n_quotes) = (0, 0i32, 0);
        for (last, token) in tokens.iter().enumerate().skip(first).take(TOKENS_MAX) {
            match token.kind {
                Kind::Stop => break,
                Kind::Open => n_open += 1,
                Kind::Close => n_open -= 1,
                Kind::Quote => n_quotes += 1,
                Kind::Word | Kind::Number => n_words += 1,
                _ => {}
            }
            let n_max = if token.is_unspaced {
                UNSPACED_MAX
            } else {
                WORDS_MAX
            };
            if n_words > n_max || n_open < 0 {
                break;
            }
            if n_open == 0 && n_quotes % 2 == 0 && n_words > 0 && ends(token) {
                found(Span { first, last });
            }
        }
    }
}

/// Whether an answer may begin with a token.
fn begins(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    token.is_word()
        || token.kind == Kind::Sign
            && tokens
                .get(at + 1)
                .is_some_and(|next| next.kind == Kind::Number)
}

/// Whether an answer may end with a token.
fn ends(token: &Token) -> bool {
    token.is_word() || token.kind == Kind::Sign
}
