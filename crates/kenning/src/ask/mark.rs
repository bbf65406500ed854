//! What is marked of a sentence: code where a command was asked for, a cell of a table, a whole date, or the
//! span that is likeliest. Pure.

use std::ops::Range;

use super::quotable::Code;
use super::sentences::Sentence;
use super::span::Span;
use super::tokens::{Kind, Token};
use crate::question::{Question, Sought};

/// Returns the bytes to mark of a sentence, given its likeliest span.
pub(super) fn marked(
    sentence: &Sentence,
    question: &Question,
    typed: &[String],
    span: Span,
) -> Option<Range<usize>> {
    let tokens = &sentence.tokens;
    let whole = |span: Span| Some(tokens[span.first].bytes.start..tokens[span.last].bytes.end);
    match question.sought {
        // Yes and no are hardly ever written down.
        Sought::YesNo => None,
        Sought::Code => code(sentence, typed)
            .or(sentence.cell.clone())
            .or_else(|| whole(span)),
        Sought::Steps => code(sentence, typed).or_else(|| whole(span)),
        Sought::Definition => {
            let last = tokens.iter().rposition(Token::is_word).unwrap_or(0);
            let opening = sentence.opens_note.then_some(Span { first: 0, last });
            let defined = sentence.defined.clone();
            defined.or_else(|| whole(opening.unwrap_or(span)))
        }
        Sought::Day => whole(whole_date(&sentence.text, tokens, span)?),
        Sought::Amount if question.is_price => price(tokens, span)
            .and_then(whole)
            .or(sentence.cell.clone())
            .or_else(|| whole(span)),
        _ => sentence.cell.clone().or_else(|| whole(span)),
    }
}

/// Returns the code of a sentence that tells something: the longest, since a command has arguments. A name of
/// code that was asked for tells nothing, but where it is a line of its own.
pub(super) fn code(sentence: &Sentence, typed: &[String]) -> Option<Range<usize>> {
    let is_told = |code: &&Code| {
        let mut own = sentence.tokens.iter().filter(|token| {
            token.is_word()
                && token.bytes.start >= code.bytes.start
                && token.bytes.end <= code.bytes.end
        });
        let is_new = |token: &Token| {
            let lower = sentence.text[token.bytes.clone()].to_lowercase();
            token.asked.is_none() || !typed.contains(&lower)
        };
        code.is_line || own.any(is_new)
    };
    let told = sentence.code.iter().filter(is_told);
    let best = told
        .rev()
        .max_by_key(|code| (code.is_line, code.bytes.len()));
    best.map(|code| code.bytes.clone())
}

/// Whether a token may say when: a date, or a number that is no price and no code.
pub(super) fn may_be_time(text: &str, tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let is_sum = at > 0 && tokens[at - 1].kind == Kind::Sign;
    let is_plain = !text[token.bytes.clone()].contains(['-', '_']);
    token.is_date || token.kind == Kind::Number && token.asked.is_none() && is_plain && !is_sum
}

/// Returns all of the date that a span is part of, or else the first whole date of the sentence, or nothing
/// where there is no time at all.
fn whole_date(text: &str, tokens: &[Token], span: Span) -> Option<Span> {
    let own = all_of_date(text, tokens, span);
    let has_name = |span: &Span| {
        let mut own = tokens[span.first..=span.last].iter();
        own.any(|token| token.is_date && token.kind == Kind::Word)
    };
    let is_date = |span: &Span| {
        tokens[span.first..=span.last]
            .iter()
            .any(|token| token.is_date)
    };
    let is_aside = span.first > 0
        && tokens[..span.first]
            .iter()
            .any(|token| token.kind == Kind::Open);
    if own
        .as_ref()
        .is_some_and(|own| has_name(own) || is_date(own) && !is_aside)
    {
        return own;
    }
    let named = (0..tokens.len()).find(|&at| tokens[at].is_date && tokens[at].kind == Kind::Word);
    let named = named.and_then(|at| {
        all_of_date(
            text,
            tokens,
            Span {
                first: at,
                last: at,
            },
        )
    });
    named.filter(|named| named.last > named.first).or(own)
}

/// Returns all of the date that a span is part of.
fn all_of_date(text: &str, tokens: &[Token], span: Span) -> Option<Span> {
    let is_time = |at: usize| may_be_time(text, tokens, at);
    if !(span.first..=span.last).any(is_time) {
        return None;
    }
    let is_inner = |at: usize| {
        let is_dot = matches!(tokens[at].kind, Kind::Mark | Kind::Comma);
        let is_between = at > 0 && at + 1 < tokens.len() && is_time(at + 1) && is_time(at - 1);
        is_time(at) || is_dot && is_between
    };
    let (mut first, mut last) = (span.first, span.last);
    while first > 0 && is_inner(first - 1) {
        first -= 1;
    }
    while last + 1 < tokens.len() && is_inner(last + 1) {
        last += 1;
    }
    let has_name = tokens[first..=last]
        .iter()
        .any(|token| token.is_date && token.kind == Kind::Word);
    Some(match has_name {
        true => Span { first, last },
        false => span,
    })
}

/// Returns the price that stands nearest to what was asked about, with all of the span if it is part of it.
fn price(tokens: &[Token], span: Span) -> Option<Span> {
    let prices = (0..tokens.len()).filter_map(|first| price_at(tokens, first));
    let is_own = |price: &Span| span.first <= price.first && price.last <= span.last;
    let nearest = prices.min_by_key(|price| (words_from_asked(tokens, price), !is_own(price)))?;
    Some(if is_own(&nearest) { span } else { nearest })
}

/// The price that begins with a token: `$214`, `214 dollars`.
fn price_at(tokens: &[Token], first: usize) -> Option<Span> {
    let (one, other) = (tokens.get(first)?, tokens.get(first + 1)?);
    let is_money = |token: &Token| token.kind == Kind::Sign || token.is_money;
    let is_pair = |sum: &Token, number: &Token| is_money(sum) && number.kind == Kind::Number;
    (is_pair(one, other) || is_pair(other, one)).then_some(Span {
        first,
        last: first + 1,
    })
}

/// How many words lie between a span and the nearest word of the question.
fn words_from_asked(tokens: &[Token], span: &Span) -> usize {
    let n_words = |tokens: &[Token]| tokens.iter().filter(|token| token.is_word()).count();
    let is_asked = |token: &Token| token.asked.is_some();
    let (before, after) = (&tokens[..span.first], &tokens[span.last + 1..]);
    let left = before
        .iter()
        .rposition(is_asked)
        .map(|at| n_words(&before[at + 1..]));
    let right = after
        .iter()
        .position(is_asked)
        .map(|at| n_words(&after[..at]));
    left.into_iter().chain(right).min().unwrap_or(usize::MAX)
}
