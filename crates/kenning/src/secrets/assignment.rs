//! Reads `name = value` in its many spellings: shell, YAML, JSON, XML, source code, flags, tables, prose.
//!
//! The keyword must end the name (`client_secret`, not `secretName`). What a name promises is decided in
//! [`super::names`], what a value is worth in [`super::value`].

use std::ops::Range;

use super::literal::{Sign, Value, skip_blanks, value_at, values_below};
use super::names::{Kind, Proof, has_any, judge};
use super::shape::{ALNUM, DIGIT, is, run_length};
use super::value::is_password;
use super::{Hit, Span, near, tokens};

/// Checks the assignment whose name ends with the keyword; further values of a list go into `more`.
pub(super) fn detect(text: &[u8], kind: Kind, hit: Hit, more: &mut Vec<Span>) -> Option<Span> {
    let hit = word_of(text, hit);
    if kind == Kind::Pass && !is_own_word(text, hit) {
        return None;
    }
    let start = name_start(text, hit.start, hit.floor);
    let name = text[start..hit.start].to_ascii_lowercase();
    let Some(end) = name_end(text, kind, hit.end) else {
        return near::joined(text, kind, &name, hit.end);
    };
    let written = Name {
        kind,
        text: &name,
        range: start..end,
    };
    signed(text, &written, more)
        .or_else(|| below(text, &written, more))
        .or_else(|| said(text, &written))
        .or_else(|| near::behind(text, kind, &name, end))
        .or_else(|| near::after_blank(text, kind, hit.start..end))
        .or_else(|| near::before(text, kind, &name, hit.floor..start))
}

/// A name, as it stands in the text.
struct Name<'a> {
    kind: Kind,
    /// In lower case, without the telling word.
    text: &'a [u8],
    range: Range<usize>,
}

impl Name<'_> {
    fn judge(&self, text: &[u8], value: Value, proof: Proof) -> Option<Span> {
        if let Some(span) = tokens::at(text, value.start) {
            return Some(span);
        }
        let bytes = &text[value.start..value.end];
        if tokens::is_public(bytes) {
            return None;
        }
        let pattern = judge(self.kind, self.text, bytes, proof)?;
        Some(Span {
            start: value.start,
            end: value.end,
            pattern,
        })
    }
}

/// The keyword without the sign that a short one carries along.
pub(super) fn word_of(text: &[u8], hit: Hit) -> Hit {
    let is_short = hit.end - hit.start == 3 && !is(text[hit.end - 1], ALNUM);
    Hit {
        end: hit.end - usize::from(is_short),
        ..hit
    }
}

/// Says whether a short word stands by itself or begins with a capital inside of a name: not the end of "compass".
fn is_own_word(text: &[u8], hit: Hit) -> bool {
    let before = &text[hit.start.saturating_sub(2)..hit.start];
    let is_long = hit.end - hit.start > 2;
    before
        .last()
        .is_none_or(|&byte| !byte.is_ascii_alphanumeric() && byte.is_ascii())
        || is_long
            && text[hit.start].is_ascii_uppercase()
            && before.iter().all(u8::is_ascii_lowercase)
}

/// Reads `name = value`.
fn signed(text: &[u8], name: &Name<'_>, more: &mut Vec<Span>) -> Option<Span> {
    let operator = operator(text, name.range.start, name.range.end)?;
    let proof = match operator.sign {
        Sign::Query => Proof::Query,
        _ => Proof::Signed,
    };
    if text.get(operator.end) == Some(&b'[') {
        return listed(text, name, operator.end + 1, more);
    }
    name.judge(text, value_at(text, operator.end, operator.sign)?, proof)
}

/// Reads `name: [value, value]`.
fn listed(text: &[u8], name: &Name<'_>, start: usize, more: &mut Vec<Span>) -> Option<Span> {
    let list = &text[start..text.len().min(start + LIST_BYTES_MAX)];
    let list = &list[..list.iter().position(|byte| matches!(byte, b']' | b'\n'))?];
    let mut at = start;
    for item in list.split(|&byte| byte == b',') {
        let begin = skip_blanks(text, at);
        at += item.len() + 1;
        let end = begin + text[begin..at - 1].trim_ascii_end().len();
        let value = match &text[begin..end] {
            [first @ (b'"' | b'\''), .., last] if first == last => begin + 1..end - 1,
            _ => begin..end,
        };
        let found = Value {
            start: value.start,
            end: value.end,
            is_quoted: true,
        };
        if !value.is_empty() {
            more.extend(name.judge(text, found, Proof::Signed));
        }
    }
    None
}

/// A list on one line is not longer than this.
const LIST_BYTES_MAX: usize = 1024;

/// Reads values on the lines below a name: a block or a list of YAML, a heading and what stands under it.
fn below(text: &[u8], name: &Name<'_>, more: &mut Vec<Span>) -> Option<Span> {
    // "The password of the router:" has its value on the next line, too.
    let words = &text[name.range.end..text.len().min(name.range.end + SENTENCE_BYTES_MAX)];
    let n_words = words.iter().take_while(|&&byte| is_said(byte)).count();
    let is_sentence = n_words > 0 && words[n_words..].starts_with(b":");
    let from = name.range.end + if is_sentence { n_words } else { 0 };
    let mut at = from;
    let mut is_signed = false;
    while at < text.len().min(from + 12) && b" \t*_:=|>-+`\"'#".contains(&text[at]) {
        is_signed |= matches!(text[at], b':' | b'=');
        at += 1;
    }
    at += usize::from(text.get(at) == Some(&b'\r'));
    if text.get(at) != Some(&b'\n') || !is_signed && !is_heading(text, name.range.start) {
        return None;
    }
    values_below(text, at, |value| {
        let is_inset = text[..value.start].last() != Some(&b'\n');
        let proof = if is_signed && is_inset && !is_sentence {
            Proof::Signed
        } else {
            Proof::Told
        };
        more.extend(name.judge(text, value, proof));
    });
    None
}

/// Says whether the line up to `position` makes what follows a heading: a mark, and few words.
fn is_heading(text: &[u8], position: usize) -> bool {
    let line = line_before(text, position).trim_ascii_start();
    line.len() < 40
        && (line.starts_with(b"#") || line.starts_with(b"**") || line.starts_with(b"__"))
        || line.is_empty()
}

/// Words that say what a thing is, in the languages of the stemmers; or a colon behind more words.
#[rustfmt::skip]
const COPULAS: &[&str] = &[
    // What it is since a change.
    " now ", " jetzt ", " nun ", " maintenant ", " ahora ", " agora ", " adesso ", " nu ", " nå ", " nyt ", " acum ", " теперь ", " τώρα ", " şimdi ", " الآن ",
    ": ",
    " is ",
    " are ",
    " was ",
    " ist ",
    " lautet ",
    " est ",
    " es ",
    " è ",
    " é ",
    " är ",
    " er ",
    " on ",
    " este ",
    " to ",
    " = ",
    " είναι ",
    " هي ",
    " это ",
    " — ",
    " → ",
    " -> ",
    " - ",
];

/// How far behind a name the sentence may say what it is.
const SENTENCE_BYTES_MAX: usize = 64;

/// Reads "the password for the router is …".
fn said(text: &[u8], name: &Name<'_>) -> Option<Span> {
    let from = name.range.end;
    let sentence = &text[from..text.len().min(from + SENTENCE_BYTES_MAX)];
    let length = sentence.iter().take_while(|&&byte| is_said(byte)).count();
    // "Pass" is a verb, too: it has to be followed by what it is at once.
    let reach = match name.kind {
        Kind::Pass
            if text[name.range.clone()]
                .to_ascii_lowercase()
                .ends_with(b"pass") =>
        {
            1.min(length)
        }
        _ => (length + 2).min(sentence.len()),
    };
    let mut at = 0;
    while at < reach {
        let copula = COPULAS
            .iter()
            .find(|copula| sentence[at..].starts_with(copula.as_bytes()));
        let Some(copula) = copula else {
            at += 1;
            continue;
        };
        let end = from + at + copula.len();
        let start = skip_marks(text, skip_blanks(text, end));
        let value = value_at(text, start, Sign::Is)?;
        let is_quoted_password = value.is_quoted
            && name.kind.is_password()
            && is_password(&text[value.start..value.end]);
        let proof = if is_quoted_password {
            Proof::Signed
        } else {
            Proof::Told
        };
        if let Some(span) = name.judge(text, value, proof) {
            return Some(span);
        }
        at += copula.len() - 1;
    }
    None
}

/// Says whether a byte may stand in the part of a sentence that belongs to a name.
fn is_said(byte: u8) -> bool {
    is(byte, ALNUM) || !byte.is_ascii() || b" '_-@\"`*=".contains(&byte)
}

/// Skips emphasis and a second sign in front of a value.
fn skip_marks(text: &[u8], from: usize) -> usize {
    let n_marks = text[from..]
        .iter()
        .take(4)
        .take_while(|byte| matches!(byte, b'*' | b'_' | b':' | b' '))
        .count();
    from + n_marks
}

/// Returns where the name ends, or nothing when the keyword is only the beginning of another word.
fn name_end(text: &[u8], kind: Kind, keyword_end: usize) -> Option<usize> {
    const SUFFIXES: [&[u8]; 11] = [
        b"base",
        b"value",
        b"prod",
        b"production",
        b"dev",
        b"staging",
        b"test",
        b"live",
        b"base64",
        b"b64",
        b"hex",
    ];
    let mut end = keyword_end;
    while ZERO_WIDTH
        .iter()
        .any(|blank| text[end..].starts_with(blank.as_bytes()))
    {
        end += 3;
    }
    if kind == Kind::Word {
        let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte >= 0x80;
        end += text[end..]
            .iter()
            .take(ENDING_BYTES_MAX)
            .take_while(|byte| is_letter(byte))
            .count();
    } else if matches!(text.get(end), Some(b's' | b'S'))
        && !text.get(end + 1).is_some_and(|&byte| is(byte, ALNUM))
    {
        end += 1;
    }
    end += run_length(&text[end..], DIGIT, 3);
    if matches!(text.get(end), Some(b'_' | b'-')) {
        let word = &text[end + 1..];
        let length = run_length(word, ALNUM, 11);
        if SUFFIXES
            .iter()
            .any(|suffix| word[..length].eq_ignore_ascii_case(suffix))
            || length > 0 && length < 3 && word[..length].iter().all(u8::is_ascii_digit)
        {
            end += 1 + length;
        }
    }
    // Underscores with nothing behind them are emphasis, and the colon of East Asia is one, too.
    let n_emphasis = text[end..]
        .iter()
        .take(3)
        .take_while(|&&byte| byte == b'_')
        .count();
    let is_open = |byte: u8| is(byte, ALNUM) || byte == b'-' || !byte.is_ascii();
    let rest = &text[end + n_emphasis..];
    let is_over =
        rest.starts_with("：".as_bytes()) || rest.first().is_none_or(|&byte| !is_open(byte));
    is_over.then_some(end)
}

/// Characters of three bytes that nobody sees.
const ZERO_WIDTH: [&str; 5] = ["\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{feff}"];

/// Endings of words are shorter than this.
const ENDING_BYTES_MAX: usize = 10;

/// Looks this far back for the beginning of a line, so that a note of one line costs no more than others.
const LINE_BYTES_MAX: usize = 512;

/// Looks this far back for the beginning of a name.
const NAME_BYTES_MAX: usize = 60;

fn name_start(text: &[u8], keyword: usize, floor: usize) -> usize {
    let from = floor.max(keyword.saturating_sub(NAME_BYTES_MAX));
    let is_name = |byte: u8| is(byte, ALNUM) || matches!(byte, b'_' | b'-' | b'.');
    let mut start = keyword;
    while start > from && is_name(text[start - 1]) {
        start -= 1;
    }
    // "API key" and "client secret" in prose: one word before the keyword belongs to the name.
    if start == keyword && start > from && text[start - 1] == b' ' {
        start -= 1;
        while start > from && is_name(text[start - 1]) {
            start -= 1;
        }
    }
    start
}

#[derive(Debug, Clone, Copy)]
struct Operator {
    sign: Sign,
    /// First byte after the operator and its blanks.
    end: usize,
}

fn operator(text: &[u8], name_start: usize, name_end: usize) -> Option<Operator> {
    let before = name_start.checked_sub(1).map(|position| text[position]);
    let mut at = name_end;
    let mut is_quoted = false;
    while at < name_end + 4
        && matches!(
            text.get(at),
            Some(b'"' | b'\'' | b'`' | b']' | b'*' | b'_' | b'\\')
        )
    {
        is_quoted |= matches!(text[at], b'"' | b'\'');
        at += 1;
    }
    let after_blanks = skip_aside(text, skip_blanks(text, at));
    let sign = match *text.get(after_blanks)? {
        b'=' | b'?' | b'.' | b'+' | b':' | b'-' | b'|' | 0xEF
            if let Some((sign, end)) = sign_at(text, after_blanks) =>
        {
            let sign = match before {
                Some(b'?' | b'&') if sign == Sign::Equals => Sign::Query,
                Some(b'[' | b'(') if text[after_blanks..].starts_with(b"::") => Sign::Bracket,
                _ => sign,
            };
            return Some(Operator {
                sign,
                end: skip_emphasis(text, skip_break(text, end, sign)),
            });
        }
        b'|' if is_in_row(text, name_start) => Sign::Cell,
        b',' if is_quoted => Sign::Next,
        b'>' if before == Some(b'<') => Sign::Element,
        b'"' | b'\'' if after_blanks > at && !is_quoted => {
            return Some(Operator {
                sign: Sign::Next,
                end: after_blanks,
            });
        }
        _ if after_blanks > at && is_flag(text, name_start..at) => {
            return Some(Operator {
                sign: Sign::Flag,
                end: after_blanks,
            });
        }
        _ if after_blanks > at => return typed_operator(text, after_blanks),
        _ => return None,
    };
    Some(Operator {
        sign,
        end: skip_break(text, after_blanks + 1, sign),
    })
}

/// Says whether a blank is enough between name and value: after `--name`, after `sshpass -p`, and in `.netrc` after `login`.
fn is_flag(text: &[u8], name: Range<usize>) -> bool {
    let is_option = (text[name.clone()].starts_with(b"--")
        || text[name.clone()].starts_with(b"-") && text[name.clone()].ends_with(b"pass"))
        && !text[name.clone()].contains(&b' ');
    let line = line_before(text, name.start);
    is_option
        || text[name].ends_with(b"sshpass -p")
        || line.starts_with(b"machine ") && has_any(line, &[b" login "])
}

/// Says whether the line that `position` stands on is a row of a table.
fn is_in_row(text: &[u8], position: usize) -> bool {
    line_before(text, position)
        .trim_ascii_start()
        .starts_with(b"|")
}

/// Returns the line up to `position`, or the end of it where the line is very long.
fn line_before(text: &[u8], position: usize) -> &[u8] {
    let before = &text[position.saturating_sub(LINE_BYTES_MAX)..position];
    before
        .rsplit(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default()
}

/// Reads `=`, `:`, `:=`, `=>` and their kin, and returns where they end.
fn sign_at(text: &[u8], start: usize) -> Option<(Sign, usize)> {
    const EQUALS: [&[u8]; 11] = [
        b":::=", b"::=", b"||=", b":=", b"?=", b".=", b"+=", b"=>", b"->", b"==", b"=",
    ];
    if let Some(sign) = EQUALS.iter().find(|sign| text[start..].starts_with(sign)) {
        return Some((Sign::Equals, start + sign.len()));
    }
    if text[start..].starts_with("：".as_bytes()) {
        return Some((Sign::Colon, start + "：".len()));
    }
    // Dataview's sign has a blank behind it; a path of source code has none.
    if text[start..].starts_with(b"::") && matches!(text.get(start + 2), Some(b' ' | b'\t')) {
        return Some((Sign::Colon, start + 2));
    }
    if !text[start..].starts_with(b":") || text[start + 1..].starts_with(b":") {
        return None;
    }
    // A type between colon and equals sign: `password: str = "…"`.
    let typed = typed_operator(text, skip_blanks(text, start + 1));
    Some(typed.map_or((Sign::Colon, start + 1), |operator| {
        (Sign::Equals, operator.end)
    }))
}

/// Reads `string =` and the like: the type of the name, then the sign.
fn typed_operator(text: &[u8], start: usize) -> Option<Operator> {
    const TYPES: [&[u8]; 8] = [
        b"string",
        b"String",
        b"str",
        b"&str",
        b"&'static str",
        b"SecretStr",
        b"Optional[str]",
        b"[]byte",
    ];
    let name = TYPES
        .iter()
        .filter(|name| text[start..].starts_with(name))
        .max_by_key(|name| name.len())?;
    let at = skip_blanks(text, start + name.len());
    (text.get(at) == Some(&b'=')).then(|| Operator {
        sign: Sign::Equals,
        end: skip_blanks(text, at + 1),
    })
}

/// Skips a few words in parentheses between a name and its sign.
fn skip_aside(text: &[u8], from: usize) -> usize {
    if text.get(from) != Some(&b'(') {
        return from;
    }
    let aside = &text[from..text.len().min(from + 40)];
    let end = aside.iter().position(|byte| matches!(byte, b')' | b'\n'));
    match end {
        Some(end) if aside[end] == b')' => {
            let at = from + end + 1;
            at + text[at..]
                .iter()
                .take(3)
                .take_while(|byte| matches!(byte, b'*' | b'_' | b' '))
                .count()
        }
        _ => from,
    }
}

/// Skips the emphasis that a name closes behind its sign, as in `*Password:* value`.
fn skip_emphasis(text: &[u8], from: usize) -> usize {
    let n_marks = text[from..]
        .iter()
        .take(3)
        .take_while(|byte| matches!(byte, b'*' | b'_'))
        .count();
    match n_marks > 0 && text.get(from + n_marks) == Some(&b' ') {
        true => skip_blanks(text, from + n_marks),
        false => from,
    }
}

/// Skips blanks, and for elements and arguments also one line break.
fn skip_break(text: &[u8], from: usize, sign: Sign) -> usize {
    let at = skip_blanks(text, from);
    match (sign, text.get(at)) {
        (Sign::Element | Sign::Next, Some(b'\n')) => skip_blanks(text, at + 1),
        _ => at,
    }
}
