//! The best sentences of a passage, with the words of the query marked. Pure.

mod inline;
mod marks;
mod shown;
mod tags;

use std::ops::Range;

use super::matcher::Matcher;
use crate::note::{Layout, outline_of_markdown};
use crate::words::Language;
use shown::Shown;
pub(super) use shown::table_header;
pub(super) use tags::without_tags;

/// Longest excerpt, in characters.
const EXCERPT_CHARS_MAX: usize = 280;
/// How far a cut may move to fall between two words.
const WORD_CHARS_MAX: usize = 24;
/// What a word in a line of code counts beside one in a sentence: people read sentences.
const CODE_WORTH: f32 = 0.5;
/// What it counts that a sentence meets the conditions by itself: more than all words together.
const MET_WORTH: f32 = 1e3;

/// A cut of a passage for showing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The text on one line.
    pub text: String,
    /// Character ranges of words that were asked for.
    pub highlights: Vec<(usize, usize)>,
}

/// A passage to cut from.
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) language: Language,
    pub(super) layout: Layout,
    /// Where headings stand in it.
    pub(super) headings: &'a [Range<usize>],
    /// The header of the table that the passage begins in the middle of.
    pub(super) header: Option<&'a str>,
    /// What meets the conditions of the query.
    pub(super) met: Met<'a>,
}

/// What meets the conditions of a query.
#[derive(Clone, Copy)]
pub(super) struct Met<'a> {
    /// Whether a line does by itself.
    pub(super) is_met: &'a dyn Fn(&str) -> bool,
    /// Whether nothing else is to be shown, as with tasks.
    pub(super) is_all: bool,
}

/// Returns the sentences of a passage: where each stands in it, how a reader sees it, and whether it
/// is code.
pub(crate) fn shown_sentences(text: &str, layout: Layout) -> Vec<(Range<usize>, String, bool)> {
    let headings = match layout {
        Layout::Markdown => outline_of_markdown(text),
        _ => Vec::new(),
    };
    let source = Source {
        text,
        layout,
        language: Language::Unknown,
        headings: &headings,
        header: None,
        met: Met {
            is_met: &|_| false,
            is_all: false,
        },
    };
    let mut plain = String::with_capacity(text.len());
    let sentences = shown::sentences(&source, &mut plain);
    let read = |shown: Shown| (shown.raw, plain[shown.plain].to_owned(), shown.is_code);
    sentences.into_iter().map(read).collect()
}

/// Returns a text as a reader sees it, on one line: links as their texts, rows as cells.
pub(crate) fn as_shown(text: &str, layout: Layout) -> String {
    let mut read = String::with_capacity(text.len());
    for (_, sentence, _) in shown_sentences(text, layout) {
        if !read.is_empty() {
            read.push_str(gap(&read, true));
        }
        read.push_str(&sentence);
    }
    read
}

/// Cuts the two best sentences of a passage, in their order.
///
/// Words that few sentences of the passage hold count for more. A heading is shown only where there
/// is nothing else.
pub(super) fn cut(source: &Source<'_>, matcher: &mut Matcher<'_>) -> Excerpt {
    let Source { text, language, .. } = *source;
    let mut plain = String::with_capacity(text.len());
    let sentences = shown::sentences(source, &mut plain);
    let read = |sentence: &Shown| &plain[sentence.plain.clone()];
    let n_groups = matcher.query.groups.len();
    let mut held = vec![false; sentences.len() * n_groups];
    if n_groups > 0 {
        for (sentence, held) in sentences.iter().zip(held.chunks_exact_mut(n_groups)) {
            matcher.each_or_part(read(sentence), language, |group, _, _| held[group] = true);
        }
    }
    let mut scores = scores(&held, sentences.len(), n_groups);
    for (score, sentence) in scores.iter_mut().zip(&sentences) {
        *score *= if sentence.is_code { CODE_WORTH } else { 1.0 };
        if (source.met.is_met)(&text[sentence.raw.clone()]) {
            *score += MET_WORTH;
        }
    }
    let mut best = best_two(&scores);
    let is_met = |index: &usize| scores[*index] >= MET_WORTH;
    if source.met.is_all && best.iter().any(is_met) {
        best.retain(is_met);
    }
    let shown = match best.as_slice() {
        [] => String::new(),
        [only] => shorten(
            read(&sentences[*only]),
            EXCERPT_CHARS_MAX,
            matcher,
            language,
        ),
        [first, second, ..] => {
            let gap = gap(read(&sentences[*first]), first + 1 == *second);
            let (first, second) = (read(&sentences[*first]), read(&sentences[*second]));
            let (n_first, n_second) = (first.chars().count(), second.chars().count());
            // Each has half of the room, and what the other does not need.
            let room = EXCERPT_CHARS_MAX - gap.chars().count();
            let first_max = (room / 2).max(room.saturating_sub(n_second));
            let second_max = (room / 2).max(room.saturating_sub(n_first));
            let first = shorten(first, first_max, matcher, language);
            let second = shorten(second, second_max, matcher, language);
            joined(&first, gap, &second)
        }
    };
    Excerpt {
        highlights: marks::highlights(&shown, matcher, language),
        text: shown,
    }
}

/// Joins two sentences; what was left out between them is told once.
fn joined(first: &str, gap: &str, second: &str) -> String {
    let is_cut = (first.ends_with('…'), second.starts_with('…'));
    match is_cut {
        (true, true) => {
            let (first, second) = (first.trim_end_matches('…'), second.trim_start_matches('…'));
            format!("{first} … {second}")
        }
        (true, false) if gap == " … " => format!("{first} {second}"),
        (false, true) if gap == " … " => format!("{first} {second}"),
        _ => format!("{first}{gap}{second}"),
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

/// Cuts a long sentence to a window around the first word that was asked for.
fn shorten(
    text: &str,
    n_chars_max: usize,
    matcher: &mut Matcher<'_>,
    language: Language,
) -> String {
    let n_chars = text.chars().count();
    if n_chars <= n_chars_max {
        return text.to_owned();
    }
    // Room for the two ellipses.
    let n_chars_max = n_chars_max.saturating_sub(2);
    let mut first = None;
    matcher.each_or_part(text, language, |_, start, _| {
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

    pub(super) fn source(text: &str, language: Language) -> Source<'_> {
        Source {
            text,
            language,
            layout: Layout::Markdown,
            headings: &[],
            header: None,
            met: Met {
                is_met: &|_| false,
                is_all: false,
            },
        }
    }

    fn check_in(language: Language, text: &str, query: &str) -> String {
        let query = Query::parse(query, &[(language, 1)]);
        let headings = outline_of_markdown(text);
        let source = Source {
            headings: &headings,
            ..source(text, language)
        };
        let excerpt = cut(&source, &mut Matcher::new(&query));
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
        assert_snapshot!(check("| Month | Paid |\n|---|---|\n| May | **12** |\n| June | [[a\\|Ann]] |\n", "june month"), @"<Month>: May | Paid: 12 · <Month>: <June> | Paid: Ann");
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
    fn headings_are_those_of_the_outline() {
        // Below a line of its own, behind one of a quote, and where only code looks like one.
        assert_snapshot!(check("North gutter\n---\n\nIt leaks.\n", "gutter leaks"), @"It <leaks>.");
        assert_snapshot!(check("> # Gutter\n> It leaks.\n", "gutter leaks"), @"It <leaks>.");
        assert_snapshot!(check("It leaks.\n\n    # gutter\n", "gutter leaks"), @"It <leaks>. # <gutter>");
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
        let text = "我喜欢编程语言设计。";
        let excerpt = cut(&source(text, Language::Unknown), &mut Matcher::new(&query));
        assert_eq!(excerpt.highlights, [(3, 7)]);
    }

    #[test]
    fn scripts_without_blanks_are_marked_where_they_match() {
        let thai = "เมื่อวานฝนตก ช่างซ่อมหลังคาชื่อสมชาย ค่าใช้จ่ายสามพันบาท สัปดาห์หน้าจะซ่อมหน้าต่างห้องครัว";
        assert_snapshot!(check_in(Language::Unknown, thai, "หลังคา"), @"เมื่อวานฝนตก ช่างซ่อม<หลังคา>ชื่อสมชาย ค่าใช้จ่ายสามพันบาท สัปดาห์หน้าจะซ่อมหน้าต่างห้องครัว");
        assert_snapshot!(check_in(Language::Unknown, thai, "ค่าใช้จ่าย"), @"เมื่อวานฝนตก ช่างซ่อมหลังคาชื่อสมชาย <ค่าใช้จ่าย>สามพันบาท สัปดาห์หน้าจะซ่อมหน้าต่างห้องครัว");
        let khmer = "ម្សិលមិញមានភ្លៀង។ ជាងជួសជុលដំបូលឈ្មោះសុខ។";
        assert_snapshot!(check_in(Language::Unknown, khmer, "ដំបូល"), @"ម្សិលមិញមានភ្លៀង។ ជាងជួសជុល<ដំបូល>ឈ្មោះសុខ។");
        assert_snapshot!(check_in(Language::Unknown, "屋根の修理は田中さんに頼みました。費用は三万円でした。", "屋根の修理"), @"<屋根の修理>は田中さんに頼みました。費用は三万円でした。");
    }

    #[test]
    fn what_meets_the_conditions_is_shown() {
        let query = Query::parse("", &[(Language::English, 1)]);
        let text = "Some text.\n\n- [x] paint the fence\n- [ ] call the roofer\n- [ ] buy nails\n";
        let check = |text, is_all| {
            let met = Met {
                is_met: &|line: &str| line.starts_with("- [ ]"),
                is_all,
            };
            let source = Source {
                met,
                ..source(text, Language::English)
            };
            cut(&source, &mut Matcher::new(&query)).text
        };
        assert_snapshot!(check(text, true), @"call the roofer · buy nails");
        let text = "- [ ] call the roofer\n- [x] paint the fence\n";
        assert_snapshot!(check(text, true), @"call the roofer");
        assert_snapshot!(check(text, false), @"call the roofer · paint the fence");
    }

    #[test]
    fn sentences_go_before_code() {
        let text = "Center it with a grid.\n\n```html\n<div class=\"center\">center</div>\n```\n";
        assert_snapshot!(check(text, "center div"), @r#"<Center> it with a grid. <<div> class="<center>"><center></<div>>"#);
    }

    #[test]
    fn what_is_left_out_is_told_once() {
        let hay = "hay ".repeat(60);
        let shown = check(
            &format!("{hay} needle {hay}. x. {hay} thread {hay}."),
            "needle thread",
        );
        assert!(!shown.contains("… …") && !shown.contains("……"), "{shown}");
    }
}
