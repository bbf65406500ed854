//! Whom and what day a sentence speaks of that names neither: "Yes, she founded it" goes with the name before it,
//! and what happened with the date its paragraph begins with. Pure.

use std::ops::Range;

use super::sentences::Sentence;
use super::tokens::{Kind, Token};
use crate::question::Sought;
use crate::words::Language;

/// How many sentences back a name or a date still holds.
pub(super) const BACK_MAX: usize = 3;
/// Between what is quoted from two places.
const LEFT_OUT: &str = " … ";

/// Whether such a thing can be told from other words by how it is written.
pub(super) fn is_wanted(sought: Sought, language: Language) -> bool {
    match sought {
        Sought::Day => true,
        // German writes every noun with a capital.
        Sought::Name => language != Language::German,
        _ => false,
    }
}

/// Puts the name or date of the nearest sentence of the same paragraph before a sentence.
pub(super) fn complete(
    sentence: &mut Sentence,
    before: &[&Sentence],
    passage: &str,
    sought: Sought,
) {
    let is_same_block = |other: &&&Sentence| {
        let between = &passage[other.raw.end..sentence.raw.start];
        !between.contains("\n\n") && !between.contains("\n-") && !between.contains("\n|")
    };
    let found = before.iter().take_while(is_same_block).find_map(|other| {
        let range = match sought {
            Sought::Day => first_run(
                &other.tokens,
                |token| token.is_date || token.is_number,
                |run| run.iter().any(|token| token.is_date),
            ),
            _ => first_run(&other.tokens, is_name, |run| run.len() > 1),
        };
        Some((other, range?))
    });
    let Some((other, range)) = found else { return };
    let head = &other.text[range];
    let shift = head.len() + LEFT_OUT.len();
    let (n_head, start) = (head.len(), other.raw.start);
    sentence.text = format!("{head}{LEFT_OUT}{}", sentence.text);
    for token in &mut sentence.tokens {
        token.bytes = token.bytes.start + shift..token.bytes.end + shift;
    }
    sentence.raw.start = start;
    sentence.span = Some(0..n_head);
}

fn is_name(token: &Token) -> bool {
    token.kind == Kind::Word && token.is_capital && !token.is_stop
}

/// The first run of such tokens that will do, in bytes.
fn first_run(
    tokens: &[Token],
    is: impl Fn(&Token) -> bool,
    will_do: impl Fn(&[Token]) -> bool,
) -> Option<Range<usize>> {
    let mut at = 0;
    while at < tokens.len() {
        let n = tokens[at..].iter().take_while(|token| is(token)).count();
        if n > 0 && will_do(&tokens[at..at + n]) {
            return Some(tokens[at].bytes.start..tokens[at + n - 1].bytes.end);
        }
        at += n.max(1);
    }
    None
}
