//! The best sentences of a passage, with the words of the query marked. Pure.

use super::Query;
use crate::words::{self, Language};

/// Longest excerpt, in characters.
const EXCERPT_CHARS_MAX: usize = 280;
/// Sentences shown.
const SENTENCES: usize = 2;

/// A cut of a passage for showing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The text on one line.
    pub text: String,
    /// Character ranges of words that were asked for.
    pub highlights: Vec<(usize, usize)>,
}

/// Cuts the two best sentences of `text`, in their order.
pub fn cut(text: &str, query: &Query, language: Language) -> Excerpt {
    let sentences = sentences(text);
    let mut best: Vec<usize> = (0..sentences.len()).collect();
    let scores: Vec<usize> = sentences
        .iter()
        .map(|sentence| {
            let held = groups_in(sentence, query, language);
            held.iter().filter(|held| **held).count()
        })
        .collect();
    // The sort is stable: among equals the earlier sentence wins.
    best.sort_by_key(|&index| std::cmp::Reverse(scores[index]));
    best.truncate(SENTENCES);
    best.sort_unstable();
    let mut shown = String::new();
    let mut last = None;
    for index in best {
        if let Some(last) = last {
            shown.push_str(if index == last + 1 { " " } else { " … " });
        }
        push_plain(&sentences[index], &mut shown);
        last = Some(index);
    }
    let shown = shorten(&shown, query, language);
    Excerpt {
        highlights: highlights(&shown, query, language),
        text: shown,
    }
}

/// Tells for each word of the query whether `text` holds it.
pub(super) fn groups_in(text: &str, query: &Query, language: Language) -> Vec<bool> {
    let mut is_held = vec![false; query.groups.len()];
    each_match(text, query, language, |group, _, _| is_held[group] = true);
    is_held
}

/// Calls `found(group, start, end)` for each word of `text` that the query asks for.
pub(super) fn each_match(
    text: &str,
    query: &Query,
    language: Language,
    mut found: impl FnMut(usize, usize, usize),
) {
    for word in words::words(text) {
        // Stemming never changes how a word begins, so most words need not be stemmed at all.
        let first = word.text.chars().next().map(fold_char);
        let may_match = |spelling: &String| {
            spelling.chars().next() == first || first.is_none_or(|c| !c.is_ascii())
        };
        if !query
            .groups
            .iter()
            .any(|group| group.terms.iter().any(may_match))
        {
            continue;
        }
        let term = words::term_of(&word, language);
        for (index, group) in query.groups.iter().enumerate() {
            let is_match = group.terms.iter().any(|spelling| {
                if group.is_prefix {
                    term.starts_with(spelling.as_str())
                } else {
                    term == *spelling
                }
            });
            if is_match {
                found(index, word.start, word.start + word.text.len());
                break;
            }
        }
    }
}

fn fold_char(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// Character ranges of the words asked for; neighbours in unspaced script are joined.
fn highlights(text: &str, query: &Query, language: Language) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    let (mut at_byte, mut at_char) = (0, 0);
    each_match(text, query, language, |_, start, end| {
        if start >= at_byte {
            at_char += text[at_byte..start].chars().count();
            at_byte = start;
        }
        let n_chars = text[start..end].chars().count();
        match ranges.last_mut() {
            Some(last) if last.1 >= at_char => last.1 = last.1.max(at_char + n_chars),
            _ => ranges.push((at_char, at_char + n_chars)),
        }
    });
    ranges
}

/// Splits a passage into sentences and lines, leaving out headings and empty lines.
fn sentences(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut paragraph = String::new();
    let flush = |paragraph: &mut String, sentences: &mut Vec<String>| {
        split_sentences(paragraph, sentences);
        paragraph.clear();
    };
    let n_lines = text.lines().count();
    for line in text.lines() {
        let trimmed = line.trim();
        let is_heading =
            trimmed.starts_with('#') && trimmed.trim_start_matches('#').starts_with(' ');
        let starts_block =
            trimmed.starts_with(['-', '*', '+', '>', '|']) || trimmed.starts_with("```");
        if trimmed.is_empty() || is_heading || starts_block {
            flush(&mut paragraph, &mut sentences);
        }
        if trimmed.is_empty() || trimmed.starts_with("```") || (is_heading && n_lines > 1) {
            continue;
        }
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(trimmed);
    }
    flush(&mut paragraph, &mut sentences);
    sentences
}

fn split_sentences(paragraph: &str, out: &mut Vec<String>) {
    let mut start = 0;
    let mut chars = paragraph.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let follows_blank = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        let ends =
            matches!(c, '。' | '！' | '？') || (matches!(c, '.' | '!' | '?') && follows_blank);
        if ends && !is_abbreviation(&paragraph[start..at]) {
            push_sentence(&paragraph[start..end], out);
            start = end;
        }
    }
    push_sentence(&paragraph[start..], out);
}

/// "Dr." and "e.g." end no sentence, nor does a single letter or number before the stop.
fn is_abbreviation(before: &str) -> bool {
    const KNOWN: [&str; 18] = [
        "dr", "mr", "mrs", "ms", "prof", "st", "no", "nr", "vs", "etc", "e.g", "i.e", "z.b", "d.h",
        "ca", "bzw", "fig", "abs",
    ];
    let word = before.rsplit([' ', '(']).next().unwrap_or(before);
    let is_ordinal =
        !word.is_empty() && word.len() <= 2 && word.chars().all(|c| c.is_ascii_digit());
    is_ordinal
        || word.chars().count() == 1
        || KNOWN.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn push_sentence(sentence: &str, out: &mut Vec<String>) {
    let sentence = sentence.trim();
    if sentence.contains(char::is_alphanumeric) {
        out.push(sentence.to_owned());
    }
}

/// Appends a sentence without the markup that means nothing outside its place.
fn push_plain(sentence: &str, out: &mut String) {
    let mut rest = sentence.trim_start_matches(['-', '*', '+', '>', ' ']);
    for box_mark in ["[ ] ", "[x] ", "[X] "] {
        rest = rest.strip_prefix(box_mark).unwrap_or(rest);
    }
    let mut chars = rest.chars().peekable();
    let mut target_start = None;
    while let Some(c) = chars.next() {
        match c {
            '[' if chars.peek() == Some(&'[') => {
                chars.next();
                target_start = Some(out.len());
            }
            ']' if chars.peek() == Some(&']') => {
                chars.next();
                target_start = None;
            }
            // `[[Target|shown]]` reads as what is shown.
            '|' if target_start.is_some() => {
                let start = target_start.take().unwrap_or(out.len());
                out.truncate(start);
            }
            '*' | '`' => {}
            _ if c.is_whitespace() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            _ => out.push(c),
        }
    }
}

/// Cuts a long excerpt to a window around the first word that was asked for.
fn shorten(text: &str, query: &Query, language: Language) -> String {
    let n_chars = text.chars().count();
    if n_chars <= EXCERPT_CHARS_MAX {
        return text.to_owned();
    }
    let mut first = None;
    each_match(text, query, language, |_, start, _| {
        first.get_or_insert(start);
    });
    let first_char = first.map_or(0, |byte| text[..byte].chars().count());
    let start = first_char
        .saturating_sub(EXCERPT_CHARS_MAX / 4)
        .min(n_chars - EXCERPT_CHARS_MAX);
    let window: String = text.chars().skip(start).take(EXCERPT_CHARS_MAX).collect();
    let ends_early = start + EXCERPT_CHARS_MAX < n_chars;
    let body = if start > 0 {
        window
            .split_once(' ')
            .map_or(window.as_str(), |(_, rest)| rest)
    } else {
        &window
    };
    let body = if ends_early {
        body.rsplit_once(' ').map_or(body, |(head, _)| head)
    } else {
        body
    };
    format!(
        "{}{body}{}",
        if start > 0 { "…" } else { "" },
        if ends_early { "…" } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn check(text: &str, query: &str) -> String {
        let query = Query::parse(query, &[(Language::English, 1)]);
        let excerpt = cut(text, &query, Language::English);
        let chars: Vec<char> = excerpt.text.chars().collect();
        let mut out = String::new();
        let mut at = 0;
        for (start, end) in excerpt.highlights {
            out.extend(&chars[at..start]);
            out.push('<');
            out.extend(&chars[start..end]);
            out.push('>');
            at = end;
        }
        out.extend(&chars[at..]);
        out
    }

    #[test]
    fn the_two_best_sentences_in_their_order() {
        assert_snapshot!(
            check("## Roof\n\nThe weather was fine. Dr. Smith repaired the roof. We had tea. Roofs cost money.", "who repaired the roof"),
            @"Dr. Smith <repaired> the <roof>. … <Roofs> cost money."
        );
    }

    #[test]
    fn markup_is_read_as_it_is_shown() {
        assert_snapshot!(check("- [ ] call [[April Jane|April]] about **design**", "design"), @"call April about <design>");
    }

    #[test]
    fn long_sentences_are_cut_around_the_match() {
        let text = format!("{} needle {}", "hay ".repeat(200), "straw ".repeat(200));
        let shown = check(&text, "needle");
        assert!(shown.contains("<needle>") && shown.chars().count() <= EXCERPT_CHARS_MAX + 4);
    }

    #[test]
    fn unspaced_script_is_marked_as_one_run() {
        let query = Query::parse("编程语言", &[(Language::Unknown, 1)]);
        let excerpt = cut("我喜欢编程语言设计。", &query, Language::Unknown);
        assert_eq!(excerpt.highlights, [(3, 7)]);
    }
}
