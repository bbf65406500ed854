//! The best sentences of a passage, with the words of the query marked. Pure.

use std::ops::Range;

use super::finder::Finder;
use super::sentences;
use crate::words::Language;

/// Longest excerpt, in characters.
const EXCERPT_CHARS_MAX: usize = 280;
/// How far a cut may move to fall between two words.
const WORD_CHARS_MAX: usize = 24;

/// A cut of a passage for showing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The text on one line.
    pub text: String,
    /// Character ranges of words that were asked for.
    pub highlights: Vec<(usize, usize)>,
}

/// Cuts the two best sentences of `text`, in their order.
///
/// Words that few sentences of the passage hold count for more. A heading is shown only where there
/// is nothing else.
pub(super) fn cut(text: &str, finder: &mut Finder<'_>, language: Language) -> Excerpt {
    let mut plain = String::with_capacity(text.len());
    let sentences = sentences_of(text, &mut plain);
    let sentences: Vec<&str> = sentences.into_iter().map(|range| &plain[range]).collect();
    let n_groups = finder.query.groups.len();
    let mut held = vec![false; sentences.len() * n_groups];
    if n_groups > 0 {
        for (sentence, held) in sentences.iter().zip(held.chunks_exact_mut(n_groups)) {
            finder.each(sentence, language, |group, _, _| held[group] = true);
        }
    }
    let best = best_two(&scores(&held, sentences.len(), n_groups));
    let shown = match best.as_slice() {
        [] => String::new(),
        [only] => shorten(sentences[*only], EXCERPT_CHARS_MAX, finder, language),
        [first, second, ..] => {
            let gap = gap(sentences[*first], first + 1 == *second);
            let (first, second) = (sentences[*first], sentences[*second]);
            let (n_first, n_second) = (first.chars().count(), second.chars().count());
            // Each has half of the room, and what the other does not need.
            let room = EXCERPT_CHARS_MAX - gap.chars().count();
            let first_max = (room / 2).max(room.saturating_sub(n_second));
            let second_max = (room / 2).max(room.saturating_sub(n_first));
            let first = shorten(first, first_max, finder, language);
            let second = shorten(second, second_max, finder, language);
            format!("{first}{gap}{second}")
        }
    };
    Excerpt {
        highlights: highlights(&shown, finder, language),
        text: shown,
    }
}

/// Adds up what the words of each sentence are worth; `held` tells of each sentence which of the
/// query's words it holds.
fn scores(held: &[bool], n_sentences: usize, n_groups: usize) -> Vec<f32> {
    let worth: Vec<f32> = (0..n_groups)
        .map(|group| {
            let of_group = held.iter().skip(group).step_by(n_groups);
            let n_holding = of_group.filter(|held| **held).count();
            (1.0 + n_sentences as f32 / n_holding.max(1) as f32).ln()
        })
        .collect();
    (0..n_sentences)
        .map(|sentence| {
            let held = &held[sentence * n_groups..][..n_groups];
            let counted = worth.iter().zip(held).filter(|(_, held)| **held);
            counted.map(|(worth, _)| worth).sum()
        })
        .collect()
}

/// Returns the two best sentences in their order; the earlier one wins among equals. Where only one
/// holds anything, the one behind it says how it goes on.
fn best_two(scores: &[f32]) -> Vec<usize> {
    let best_but = |other: Option<usize>| {
        (0..scores.len())
            .filter(|&index| Some(index) != other)
            .reduce(|best, index| {
                if scores[index] > scores[best] {
                    index
                } else {
                    best
                }
            })
    };
    let Some(first) = best_but(None) else {
        return Vec::new();
    };
    let second = match best_but(Some(first)) {
        Some(second) if scores[second] > 0.0 => Some(second),
        Some(_) if first + 1 < scores.len() => Some(first + 1),
        Some(_) => Some(first - 1),
        None => None,
    };
    let mut best: Vec<usize> = [first].into_iter().chain(second).collect();
    best.sort_unstable();
    best
}

/// What stands between two sentences on one line: lines that end without a stop would run together.
fn gap(first: &str, is_next: bool) -> &'static str {
    let end = first.trim_end_matches(['"', '\'', '”', '“', '’', '»', ')', ']']);
    match end.chars().next_back() {
        _ if !is_next => " … ",
        _ if first.contains(" | ") => " · ",
        Some('。' | '！' | '？' | '｡') => "",
        Some('.' | '!' | '?' | '…' | ':' | ';' | ',' | '।' | '؟' | '۔') => " ",
        _ => " · ",
    }
}

/// Character ranges of the words asked for; neighbours in unspaced script are joined.
fn highlights(text: &str, finder: &mut Finder<'_>, language: Language) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    let (mut at_byte, mut at_char) = (0, 0);
    finder.each(text, language, |_, start, end| {
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

/// Appends the sentences of a passage as they are shown, and returns where each lies: without headings,
/// unless there is nothing else, and without lines that say nothing.
fn sentences_of(text: &str, plain: &mut String) -> Vec<Range<usize>> {
    let (mut shown, mut headings) = (Vec::new(), Vec::new());
    let mut fence: Option<&str> = None;
    for bytes in sentences::sentences(text) {
        let sentence = &text[bytes];
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| sentence.starts_with(mark));
        // A line that opens or closes code.
        if mark.is_some() && fence.is_none_or(|open| Some(open) == mark) {
            fence = fence.is_none().then_some(mark).flatten();
            continue;
        }
        // What the sentence before ends with must not count for this one.
        plain.push('\n');
        let start = plain.len();
        match (fence, sentence.strip_prefix('|')) {
            (Some(_), _) => push_words(sentence, plain),
            (None, Some(row)) => push_row(row, plain),
            (None, None) => push_plain(without_item_mark(sentence), plain),
        }
        let own = &plain[start..];
        if !own.contains(char::is_alphanumeric) {
            continue;
        }
        let title = own.trim_start_matches('#');
        if fence.is_none() && title.len() < own.len() && title.starts_with(' ') {
            headings.push(plain.len() - title.trim_start().len()..plain.len());
        } else {
            shown.push(start..plain.len());
        }
    }
    if shown.is_empty() { headings } else { shown }
}

/// Appends the words of a line of code.
fn push_words(line: &str, out: &mut String) {
    for (index, word) in line.split_whitespace().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// Takes off what makes a line an item of a list or a task.
fn without_item_mark(sentence: &str) -> &str {
    let mut rest = sentence;
    for mark in ["- ", "* ", "+ "] {
        rest = rest.strip_prefix(mark).unwrap_or(rest).trim_start();
    }
    for mark in ["[ ] ", "[x] ", "[X] "] {
        rest = rest.strip_prefix(mark).unwrap_or(rest);
    }
    rest
}

/// Appends the cells of a table's row that hold something.
fn push_row(row: &str, out: &mut String) {
    // The bar of `[[Note\|shown]]` divides no cells.
    let row = row.replace("\\|", "\0");
    let start = out.len();
    for cell in row.split('|').map(str::trim) {
        if cell.contains(char::is_alphanumeric) {
            if out.len() > start {
                out.push_str(" | ");
            }
            push_plain(&cell.replace('\0', "|"), out);
        }
    }
}

/// Appends a sentence without the markup that means nothing outside its place.
fn push_plain(sentence: &str, out: &mut String) {
    let mut rest = sentence;
    let mut target_start = None;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        // Most of a text means nothing but itself.
        let n_plain = rest.bytes().take_while(|byte| is_plain(*byte)).count();
        if n_plain > 0 {
            out.push_str(&rest[..n_plain]);
            before = c;
            rest = &rest[n_plain..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '!' if rest.starts_with('[') => {}
            '[' if rest.starts_with('[') => {
                rest = &rest[1..];
                target_start = Some(out.len());
            }
            ']' if rest.starts_with(']') => {
                rest = &rest[1..];
                target_start = None;
            }
            // `[[Target|shown]]` reads as what is shown, `[shown](target)` too.
            '|' if target_start.is_some() => out.truncate(target_start.take().unwrap_or_default()),
            '[' => match link_text(rest) {
                Some((shown, after)) => {
                    push_plain(shown, out);
                    rest = after;
                }
                None => out.push(c),
            },
            // A star with blanks around it is a sign, not emphasis.
            '*' if !(before.is_whitespace() && rest.starts_with(char::is_whitespace)) => {}
            '`' => {}
            _ if c.is_whitespace() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            // The second and later lines of something quoted.
            '>' if before == '\n' => {}
            _ => out.push(c),
        }
        before = c;
    }
}

/// Whether a byte is a character that no markup begins or ends with.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b',' | b'-' | b':' | b'/' | b'(' | b')')
}

/// Splits `shown](target) and so on` into what is shown and what comes after.
fn link_text(text: &str) -> Option<(&str, &str)> {
    let (shown, rest) = text.split_once("](")?;
    let (_, after) = rest.split_once(')')?;
    (!shown.contains(['[', ']'])).then_some((shown, after))
}

/// Cuts a long sentence to a window around the first word that was asked for.
fn shorten(text: &str, n_chars_max: usize, finder: &mut Finder<'_>, language: Language) -> String {
    let n_chars = text.chars().count();
    if n_chars <= n_chars_max {
        return text.to_owned();
    }
    // Room for the two ellipses.
    let n_chars_max = n_chars_max.saturating_sub(2);
    let mut first = None;
    finder.each(text, language, |_, start, _| {
        first.get_or_insert(start);
    });
    let first_char = first.map_or(0, |byte| text[..byte].chars().count());
    let start = first_char
        .saturating_sub(n_chars_max / 4)
        .min(n_chars - n_chars_max);
    let ends_early = start + n_chars_max < n_chars;
    let window: String = text.chars().skip(start).take(n_chars_max).collect();
    // Not every script has blanks to cut at.
    let is_short = |part: &str| part.chars().count() <= WORD_CHARS_MAX;
    let mut body = window.as_str();
    if start > 0
        && let Some((_, rest)) = body.split_once(' ').filter(|(cut, _)| is_short(cut))
    {
        body = rest;
    }
    if ends_early && let Some((rest, _)) = body.rsplit_once(' ').filter(|(_, cut)| is_short(cut)) {
        body = rest;
    }
    format!(
        "{}{body}{}",
        if start > 0 { "…" } else { "" },
        if ends_early { "…" } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Query;
    use insta::assert_snapshot;

    fn check(text: &str, query: &str) -> String {
        check_in(Language::English, text, query)
    }

    fn check_in(language: Language, text: &str, query: &str) -> String {
        let query = Query::parse(query, &[(language, 1)]);
        let excerpt = cut(text, &mut Finder::new(&query), language);
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
    fn rare_words_count_for_more() {
        assert_snapshot!(
            check("The boiler hums. The boiler is old. The pressure fell. The boiler is warm.", "boiler pressure"),
            @"The <boiler> hums. … The <pressure> fell."
        );
    }

    #[test]
    fn what_goes_on_behind_the_only_match() {
        assert_snapshot!(check("First of all. The needle is here. It is sharp. The end.", "needle"), @"The <needle> is here. It is sharp.");
        assert_snapshot!(check("First of all. Then this. The needle.", "needle"), @"Then this. The <needle>.");
        assert_snapshot!(check("First of all. Then this. The end.", "needle"), @"First of all. Then this.");
    }

    #[test]
    fn german_and_abbreviations() {
        assert_snapshot!(
            check_in(Language::German, "Am 3. Mai kam Dr. Meier, z. B. wegen der Heizung. Es regnete. Die Häuser in der Hauptstr. 5 sind alt. Danach Tee.", "Haus Heizung"),
            @"Am 3. Mai kam Dr. Meier, z. B. wegen der <Heizung>. … Die <Häuser> in der Hauptstr. 5 sind alt."
        );
        assert_snapshot!(
            check("Mr. Smith vs. the U.S. Treasury, e.g. the IRS, went on until Jan. 5. He lost. Nobody cared.", "treasury lost"),
            @"Mr. Smith vs. the U.S. <Treasury>, e.g. the IRS, went on until Jan. 5. He <lost>."
        );
    }

    #[test]
    fn unspaced_script_is_cut_at_its_own_stops() {
        let text = "今天下雨。我喜欢编程语言设计。你呢？明天再说编程！";
        assert_snapshot!(check_in(Language::Unknown, text, "编程语言"), @"我喜欢<编程语言>设计。 … 明天再说<编程>！");
        let long = format!("{}编程语言{}", "雨".repeat(400), "天 气".repeat(200));
        let shown = check_in(Language::Unknown, &long, "编程语言");
        assert!(shown.contains("<编程语言>") && shown.chars().count() <= EXCERPT_CHARS_MAX + 2);
    }

    #[test]
    fn lists_and_tables_do_not_run_together() {
        assert_snapshot!(check("## Papers\n\n- 1098, mortgage interest\n- property tax *statement*\n- [x] W-2 from [the museum](x.md)\n1. first\n", "mortgage tax"), @"1098, <mortgage> interest · property <tax> statement");
        assert_snapshot!(check("- one\n- 2 * 3 is [sic] six\n- [x] W-2 from [the museum](x.md)", "museum six"), @"2 * 3 is [sic] <six> · W-2 from the <museum>");
        assert_snapshot!(check("| Sum | All of it. |\n| Mean | Half of the sum. |", "sum"), @"<Sum> | All of it. · Mean | Half of the <sum>.");
        assert_snapshot!(check("| Month | Paid |\n|---|---|\n| May | **12** |\n| June | [[a\\|Ann]] |\n", "june month"), @"<Month> | Paid … <June> | Ann");
    }

    #[test]
    fn code_is_shown_as_it_is() {
        assert_snapshot!(check("Run this:\n\n```sh\n# list\nls   *.md | sort -u\nrm `x`\n```\n\nDone.", "sort list"), @"# <list> · ls *.md | <sort> -u");
        assert_snapshot!(check("~~~\n```\nlet x = [[1]];\n~~~\nThe end.", "let end"), @"<let> x = [[1]]; The <end>.");
    }

    #[test]
    fn headings_are_shown_where_there_is_nothing_else() {
        assert_snapshot!(check("# Roof\n\n## North gutter\n", "gutter"), @"Roof · North <gutter>");
        assert_snapshot!(check("# Gutter\n\n> [!note] Said\n> It was\n> mended.\n", "gutter mended"), @"Said · It was <mended>.");
        assert_snapshot!(check("", "gutter"), @"");
    }

    #[test]
    fn both_of_two_long_sentences_keep_their_match() {
        let text = format!(
            "{0} needle {0}. Then {0} thread {0}.",
            "hay ".repeat(60).trim()
        );
        let shown = check(&text, "needle thread");
        assert!(
            shown.contains("<needle>") && shown.contains("<thread>"),
            "{shown}"
        );
        assert!(shown.chars().count() <= EXCERPT_CHARS_MAX + 4);
    }

    #[test]
    fn unspaced_script_is_marked_as_one_run() {
        let query = Query::parse("编程语言", &[(Language::Unknown, 1)]);
        let excerpt = cut(
            "我喜欢编程语言设计。",
            &mut Finder::new(&query),
            Language::Unknown,
        );
        assert_eq!(excerpt.highlights, [(3, 7)]);
    }
}
