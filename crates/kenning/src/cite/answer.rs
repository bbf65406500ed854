//! The citations in an answer written as Markdown: what is quoted, and what stands beside it. Pure.
//!
//! A quote cites the reference that directly follows it, or the one its sentence began with.

mod numbers;
mod scan;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::Citation;
use super::quote::QUOTE_CHARS_MIN;
use scan::{Mark, Reference, Style};

/// Most words between a quote and the reference behind it: `"…" as in [[Note]]`.
const TIGHT_WORDS_MAX: usize = 3;
/// Most words between a quote and a reference in the same sentence: `[[Note]] says that "…"`.
const LOOSE_WORDS_MAX: usize = 12;

/// Words that lead from a quote to where it is from.
#[rustfmt::skip]
const TIES: [&str; 18] = [
    "in", "from", "see", "cf", "per", "as", "at", "by", "says", "source", "sources",
    "aus", "bei", "laut", "siehe", "vgl", "quelle", "so",
];

/// Finds the citations of an answer, in order.
///
/// What is quoted without naming a note counts, too, unless it is so short that the quotation marks
/// may mean something else. So does a note that is named without being quoted.
pub fn citations(answer: &str) -> Vec<Citation> {
    found(answer, Style::Names)
}

/// Finds the citations of an answer to numbered passages, in order: with each the numbers that stand behind
/// it, `[1]` or `[1][3]`, any of which may bear it out. Who cites a note by its name has no number.
pub fn numbered(answer: &str) -> Vec<(Vec<usize>, Citation)> {
    let found = found(answer, Style::Numbers).into_iter();
    found
        .map(|mut citation| {
            let numbers = citation
                .note
                .as_deref()
                .map(numbers::of)
                .unwrap_or_default();
            if !numbers.is_empty() {
                citation.note = None;
            }
            // Any of several passages may say what stands around a quote.
            if numbers.len() > 1 && citation.quote.is_some() {
                citation.claim = None;
            }
            (numbers, citation)
        })
        .collect()
}

fn found(answer: &str, style: Style) -> Vec<Citation> {
    let mut found = Vec::new();
    // A quoted block whose reference may begin the next paragraph.
    let mut pending: Option<String> = None;
    for block in blocks(answer) {
        match block {
            Block::Quoted(text) => {
                push_pending(pending.take(), None, &mut found);
                match split_attribution(&text, style) {
                    (quote, Some(reference)) => found.push(cite(Some(quote), Some(&reference))),
                    (quote, None) => pending = Some(quote.to_owned()),
                }
            }
            Block::Text(text) => {
                let mut marks = scan::marks(&text, style);
                let begins_with_reference = marks.first().is_some_and(|(bytes, mark)| {
                    matches!(mark, Mark::Reference(_)) && n_words(&text[..bytes.start]) == 0
                });
                let reference = if pending.is_some() && begins_with_reference {
                    match marks.remove(0).1 {
                        Mark::Reference(reference) => Some(reference),
                        Mark::Quote(_) => None,
                    }
                } else {
                    None
                };
                push_pending(pending.take(), reference.as_ref(), &mut found);
                push_citations(&text, &marks, &mut found);
            }
        }
    }
    push_pending(pending, None, &mut found);
    found
}

fn push_pending(quote: Option<String>, reference: Option<&Reference>, found: &mut Vec<Citation>) {
    found.extend(quote.map(|quote| cite(Some(&quote), reference)));
}

fn cite(quote: Option<&str>, reference: Option<&Reference>) -> Citation {
    let name = reference.map(|reference| reference.name.clone());
    let (id, note) = match name {
        Some(name) if name.starts_with('#') => (Some(name), None),
        name => (None, name),
    };
    Citation {
        id,
        note,
        lines: reference.and_then(|reference| reference.lines),
        quote: quote.map(|quote| quote.trim().to_owned()),
        claim: None,
    }
}

/// Part of an answer that is read by itself.
enum Block {
    /// Lines behind `>`, without it.
    Quoted(String),
    /// A paragraph or an item of a list.
    Text(String),
}

/// Splits an answer into blocks, leaving out code.
fn blocks(answer: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (mut text, mut quoted) = (String::new(), String::new());
    let mut is_code = false;
    let flush = |text: &mut String, quoted: &mut String, blocks: &mut Vec<Block>| {
        if !text.trim().is_empty() {
            blocks.push(Block::Text(std::mem::take(text)));
        }
        if !quoted.trim().is_empty() {
            blocks.push(Block::Quoted(std::mem::take(quoted)));
        }
        text.clear();
        quoted.clear();
    };
    for line in answer.lines() {
        let body = line.trim();
        if body.starts_with("```") || body.starts_with("~~~") {
            is_code = !is_code;
            flush(&mut text, &mut quoted, &mut blocks);
        } else if is_code {
        } else if let Some(rest) = body.strip_prefix('>') {
            if !text.is_empty() {
                flush(&mut text, &mut quoted, &mut blocks);
            }
            let rest = rest.trim_start_matches(['>', ' ']);
            if !rest.starts_with("[!") {
                quoted.push_str(rest);
                quoted.push('\n');
            }
        } else {
            if body.is_empty() || !quoted.is_empty() || is_item(body) {
                flush(&mut text, &mut quoted, &mut blocks);
            }
            text.push_str(body);
            text.push('\n');
        }
    }
    flush(&mut text, &mut quoted, &mut blocks);
    blocks
}

fn is_item(body: &str) -> bool {
    let after_number = body.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ "].iter().any(|mark| body.starts_with(mark))
        || (after_number.len() < body.len() && after_number.starts_with(". "))
}

/// Splits a quoted block from the reference at its end.
fn split_attribution(text: &str, style: Style) -> (&str, Option<Reference>) {
    let last = scan::marks(text, style)
        .into_iter()
        .rev()
        .find_map(|(bytes, mark)| match mark {
            Mark::Reference(reference) => Some((bytes, reference)),
            Mark::Quote(_) => None,
        });
    match last {
        Some((bytes, reference)) if n_words(&text[bytes.end..]) == 0 => {
            let quote = text[..bytes.start].trim_end_matches([' ', '\n', '(', '-', '–', '—', '[']);
            // A link in the last quoted sentence is part of it.
            let is_apart = bytes.start - quote.len() > 1
                || text[..bytes.start].ends_with('\n')
                || text[bytes.start..].starts_with('(')
                || ends_sentence(quote)
                || !numbers::of(&reference.name).is_empty();
            if is_apart && !quote.is_empty() {
                (quote, Some(reference))
            } else {
                (text, None)
            }
        }
        _ => (text, None),
    }
}

/// Gives each quote its reference.
fn push_citations(text: &str, marks: &[(Range<usize>, Mark)], found: &mut Vec<Citation>) {
    let mut chosen: Vec<Option<usize>> = vec![None; marks.len()];
    let is_quote = |index: usize| matches!(marks[index].1, Mark::Quote(_));
    let gap = |from: usize, to: usize| &text[marks[from].0.end..marks[to].0.start];
    let leads_to = |from: usize, is_near: &dyn Fn(&str) -> bool| {
        Some(from + 1).filter(|&next| next < marks.len() && is_near(gap(from, next)))
    };
    // From the end, so that of `"…" and "…" [[Note]]` the first can share with the second.
    for index in (0..marks.len()).rev().filter(|&index| is_quote(index)) {
        chosen[index] = match leads_to(index, &is_tied) {
            Some(next) if !is_quote(next) => Some(next),
            _ => leads_to(index, &|gap| is_near(gap, TIGHT_WORDS_MAX))
                .filter(|&next| is_quote(next))
                .and_then(|next| chosen[next]),
        };
    }
    for index in (0..marks.len()).filter(|&index| is_quote(index)) {
        if chosen[index].is_some() {
            continue;
        }
        let is_taken = |mark: usize| chosen[..index].contains(&Some(mark));
        let before = index
            .checked_sub(1)
            .filter(|&before| is_near(gap(before, index), LOOSE_WORDS_MAX) && !is_taken(before));
        let shared = before.filter(|&before| is_quote(before));
        chosen[index] = match (before, shared) {
            (_, Some(shared)) => chosen[shared].filter(|&reference| reference < shared),
            (Some(before), None) => Some(before),
            (None, None) => {
                let ends = matches!(&marks[index].1, Mark::Quote(quote) if ends_sentence(quote));
                let n_words_max = if ends {
                    TIGHT_WORDS_MAX
                } else {
                    LOOSE_WORDS_MAX
                };
                leads_to(index, &|gap| is_near(gap, n_words_max)).filter(|&next| !is_quote(next))
            }
        };
    }
    for (index, (_, mark)) in marks.iter().enumerate() {
        match mark {
            Mark::Quote(quote) => {
                let reference = chosen[index].and_then(|chosen| match &marks[chosen].1 {
                    Mark::Reference(reference) => Some(reference),
                    Mark::Quote(_) => None,
                });
                if reference.is_some() || quote.chars().count() >= QUOTE_CHARS_MIN {
                    found.push(Citation {
                        claim: reference
                            .and_then(|reference| around(text, marks, index, reference)),
                        ..cite(Some(quote), reference)
                    });
                }
            }
            Mark::Reference(reference) if !chosen.contains(&Some(index)) => {
                found.push(Citation {
                    claim: claim(text, marks, index),
                    ..cite(None, Some(reference))
                });
            }
            Mark::Reference(_) => {}
        }
    }
}

/// Fewest words of a claim: "see [[Roof]]" claims nothing.
const CLAIM_WORDS_MIN: usize = 3;

/// Returns the sentence that a reference stands in or behind, without the references in it.
fn claim(text: &str, marks: &[(Range<usize>, Mark)], index: usize) -> Option<String> {
    let mut plain = String::new();
    let (mut at, mut place) = (0, 0);
    for (number, (bytes, mark)) in marks.iter().enumerate() {
        plain += text[at..bytes.start].trim_end_matches(['(', '[']);
        if number == index {
            place = plain.trim_end().len();
        }
        if let Mark::Quote(_) = mark {
            plain += &text[bytes.clone()];
        }
        at = bytes.end;
    }
    plain += text[at..].trim_start_matches([')', ']']);
    let ends = sentence_ends(&plain);
    // What is cited behind its stop belongs to the sentence before.
    let end = ends
        .iter()
        .copied()
        .find(|&end| end >= place.max(1))
        .unwrap_or(plain.len());
    let start = ends
        .iter()
        .copied()
        .filter(|&start| start < place.min(end))
        .max()
        .unwrap_or(0);
    let claim = plain[start..end]
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let claim = claim.trim_start_matches(['-', '*', '+', ' ']).to_owned();
    (n_words(&claim) >= CLAIM_WORDS_MIN).then_some(claim)
}

/// Returns what the sentence of a quote says besides it, an ellipsis for each quote. Where another
/// reference stands in it, nobody knows which of the two is meant.
fn around(
    text: &str,
    marks: &[(Range<usize>, Mark)],
    index: usize,
    cited: &Reference,
) -> Option<String> {
    let mut plain = String::new();
    let (mut at, mut place) = (0, 0);
    let mut others = Vec::new();
    for (number, (bytes, mark)) in marks.iter().enumerate() {
        plain += text[at..bytes.start].trim_end_matches(['(', '[']);
        if number == index {
            place = plain.len();
        }
        match mark {
            Mark::Quote(quote) => plain += if ends_sentence(quote) { "…. " } else { "…" },
            Mark::Reference(own) if own.name != cited.name => others.push(plain.len()),
            Mark::Reference(_) => {}
        }
        at = bytes.end;
    }
    plain += text[at..].trim_start_matches([')', ']']);
    let ends = sentence_ends(&plain);
    let start = ends.iter().copied().rfind(|&end| end <= place).unwrap_or(0);
    let end = ends.iter().copied().find(|&end| end > place);
    let end = end.unwrap_or(plain.len());
    if others.iter().any(|other| (start..=end).contains(other)) {
        return None;
    }
    let words: Vec<&str> = plain[start..end].split_whitespace().collect();
    let claim = words.join(" ");
    let claim = claim.trim_start_matches(['-', '*', '+', ' ']).to_owned();
    (n_words(&claim) > 0).then_some(claim)
}

/// Returns where sentences end.
fn sentence_ends(text: &str) -> Vec<usize> {
    let stops = text.match_indices(['.', '!', '?', '。']);
    let ends = stops.map(|(at, stop)| at + stop.len());
    ends.filter(|&end| text[end..].chars().next().is_none_or(char::is_whitespace))
        .collect()
}

/// Whether what stands between two marks ties them together: few words, and no end of a sentence.
fn is_near(gap: &str, n_words_max: usize) -> bool {
    let has_stop = [". ", "! ", "? ", ".\n", "。"]
        .iter()
        .any(|stop| gap.contains(stop));
    // The stop of the quoted sentence itself may stand outside of the quotation marks.
    let n_words = n_words(gap);
    n_words == 0 || (n_words <= n_words_max && !has_stop)
}

/// Whether a quote and what stands behind it belong together beyond doubt.
fn is_tied(gap: &str) -> bool {
    let mut words = gap
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.all(|word| TIES.contains(&word.to_lowercase().as_str()))
}

fn ends_sentence(quote: &str) -> bool {
    quote.ends_with(['.', '!', '?', '。', '！', '？'])
}

fn n_words(text: &str) -> usize {
    text.split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric))
        .count()
}
