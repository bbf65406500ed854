//! A sentence into the tokens that an answer is made of. Pure.

use std::ops::Range;

use crate::question;
use crate::words::{self, Language};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word, or a letter of a script without blanks.
    Word,
    /// Digits.
    Number,
    /// What makes a sum of a number: `$`, `%`.
    Sign,
    /// A comma.
    Comma,
    /// A quotation mark or a backtick.
    Quote,
    /// A bracket that opens.
    Open,
    /// A bracket that closes.
    Close,
    /// What no answer reaches across: `;`, `:`, `?`.
    Stop,
    /// A dash or another mark.
    Mark,
}

/// A token and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) bytes: Range<usize>,
    pub(super) kind: Kind,
    /// Written with a capital.
    pub(super) is_capital: bool,
    /// A function word.
    pub(super) is_stop: bool,
    /// A number, in digits or spelled out.
    pub(super) is_number: bool,
    /// A month, a weekday, a year or a date.
    pub(super) is_date: bool,
    /// What amounts are counted in.
    pub(super) is_unit: bool,
    /// The name of a currency.
    pub(super) is_money: bool,
    /// Of a script without blanks.
    pub(super) is_unspaced: bool,
    /// The word of the question that it is a form of.
    pub(super) asked: Option<usize>,
}

impl Token {
    /// Whether it is a word or a number.
    pub(super) fn is_word(&self) -> bool {
        matches!(self.kind, Kind::Word | Kind::Number)
    }

    /// Whether it tells something that the question does not.
    pub(super) fn is_telling(&self) -> bool {
        self.is_word() && !self.is_stop && self.asked.is_none()
    }
}

/// Cuts a sentence into tokens. Which of them the question says is not known yet.
pub(super) fn tokens(text: &str, language: Language) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut lower = String::new();
    while let Some((start, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let mut end = start + c.len_utf8();
        let is_unspaced = words::is_unspaced(c);
        if c.is_alphanumeric() && !is_unspaced {
            while let Some(&(at, next)) = chars.peek() {
                let goes_on = next.is_alphanumeric() && !words::is_unspaced(next);
                let is_inside = goes_on || is_mark_of_letter(next) || joins(text, at, next);
                if !is_inside {
                    break;
                }
                end = at + next.len_utf8();
                chars.next();
            }
        }
        words::lower_into(&text[start..end], &mut lower);
        tokens.push(token(&text[start..end], start..end, &lower, language));
    }
    end_sentences(text, &mut tokens);
    tokens
}

/// Fewest letters of a word that a stop behind it does not merely shorten: "Dr."
const WHOLE_WORD_MIN: usize = 4;

/// No answer reaches across the end of a sentence, where several are shown as one.
fn end_sentences(text: &str, tokens: &mut [Token]) {
    for at in 1..tokens.len().saturating_sub(1) {
        let (before, after) = (&tokens[at - 1], &tokens[at + 1]);
        let is_end = &text[tokens[at].bytes.clone()] == "."
            && before.kind == Kind::Word
            && before.bytes.len() >= WHOLE_WORD_MIN
            && after.bytes.start > tokens[at].bytes.end
            && after.is_capital;
        if is_end {
            tokens[at].kind = Kind::Stop;
        }
    }
}

/// Combining marks belong to their letter.
fn is_mark_of_letter(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// Whether a mark joins what stands around it: `Pro-Bowl`, `don't`, `1.5`, `and/or`.
fn joins(text: &str, at: usize, mark: char) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + mark.len_utf8()..].chars().next();
    let (Some(before), Some(after)) = (before, after) else {
        return false;
    };
    let is_digit = |c: char| c.is_ascii_digit();
    match mark {
        '-' | '\'' | '’' | '_' | '/' | '@' | '&' | '\u{2011}' => {
            before.is_alphanumeric() && after.is_alphanumeric()
        }
        '.' | ':' => {
            (is_digit(before) && is_digit(after))
                || (mark == '.' && before.is_alphanumeric() && after.is_ascii_lowercase())
        }
        ',' => is_digit(before) && is_digit(after),
        _ => false,
    }
}

fn token(text: &str, bytes: Range<usize>, lower: &str, language: Language) -> Token {
    let first = text.chars().next().unwrap_or(' ');
    let kind = match first {
        c if c.is_numeric() && !words::is_unspaced(c) => Kind::Number,
        c if c.is_alphanumeric() => Kind::Word,
        c if question::is_sum_sign(c) => Kind::Sign,
        ',' | '、' | '，' | '،' => Kind::Comma,
        '"' | '“' | '”' | '„' | '«' | '»' | '`' | '‹' | '›' | '「' | '」' | '『' | '』' | '《'
        | '》' => Kind::Quote,
        '(' | '[' | '{' | '（' | '【' => Kind::Open,
        ')' | ']' | '}' | '）' | '】' => Kind::Close,
        ';' | ':' | '!' | '?' | '。' | '；' | '：' | '！' | '？' | '|' | '•' | '·' | '…' | '।'
        | '؟' | '؛' => Kind::Stop,
        _ => Kind::Mark,
    };
    let is_word = matches!(kind, Kind::Word | Kind::Number);
    // "May" is a month, "may" is none.
    let is_month =
        question::is_month(lower) && (first.is_uppercase() || language != Language::English);
    Token {
        is_capital: first.is_uppercase(),
        is_stop: kind == Kind::Word && words::is_stop_word(lower, language),
        is_number: kind == Kind::Number || is_word && question::is_number_word(lower, language),
        is_date: is_word && (question::is_date(lower) || is_month || question::is_weekday(lower)),
        is_unit: is_word && question::is_unit(lower),
        is_money: is_word && question::is_money(lower),
        is_unspaced: words::is_unspaced(first),
        asked: None,
        bytes,
        kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn check(text: &str) -> String {
        let tokens = tokens(text, Language::English);
        let shown: Vec<String> = tokens
            .iter()
            .map(|token| {
                let marks = [
                    (token.is_stop, "-"),
                    (token.is_number, "#"),
                    (token.is_date, "@"),
                ];
                let marks = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark);
                format!(
                    "{}{}",
                    &text[token.bytes.clone()],
                    marks.collect::<String>()
                )
            })
            .collect();
        shown.join(" | ")
    }

    #[test]
    fn words_numbers_and_marks() {
        assert_snapshot!(check("He paid $1,180.50 (in cash) on 3 May, 2021."), @"He- | paid | $ | 1,180.50# | ( | in- | cash | ) | on- | 3# | May@ | , | 2021#@ | .");
        assert_snapshot!(check("Pro-Bowl players don't run `ls -l`; see a.md"), @"Pro-Bowl | players | don't | run | ` | ls | - | l | ` | ; | see | a.md");
        assert_snapshot!(check("使用Rust"), @"使 | 用 | Rust");
    }
}
