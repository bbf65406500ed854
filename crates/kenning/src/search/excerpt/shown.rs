//! A passage into sentences as they are shown: markup read, headings left out,
//! rows of tables with what their columns are called. Pure.

use std::ops::Range;

use super::{Source, inline};
use crate::note::{Layout, heading_on};
use crate::search::sentences;

/// A sentence of a passage.
pub(super) struct Shown {
    /// Where it stands in the passage.
    pub(super) raw: Range<usize>,
    /// Where it stands among what is shown.
    pub(super) plain: Range<usize>,
    pub(super) is_code: bool,
}

/// Appends the sentences of a passage as they are shown, and returns where each lies: without
/// headings, unless there is nothing else, and without lines that say nothing.
pub(super) fn sentences(source: &Source<'_>, plain: &mut String) -> Vec<Shown> {
    let Source {
        text,
        layout,
        headings,
        ..
    } = *source;
    let raws = match layout {
        Layout::Lines => lines(text, headings),
        _ => sentences::sentences(text, headings),
    };
    let mut reader = Reader {
        source,
        plain,
        header: source.header.map(cells),
        shown: Vec::new(),
        headings: Vec::new(),
    };
    let mut fence: Option<&str> = None;
    let mut end_before = 0;
    for (index, raw) in raws.iter().enumerate() {
        let sentence = &text[raw.clone()];
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| layout != Layout::Lines && sentence.starts_with(mark));
        // A line that opens or closes code.
        if mark.is_some() && fence.is_none_or(|open| Some(open) == mark) {
            fence = fence.is_none().then_some(mark).flatten();
            continue;
        }
        let gap = &text[end_before..raw.start];
        end_before = raw.end;
        if gap.matches('\n').count() > 1 {
            reader.header = None;
        }
        let next = raws.get(index + 1).map(|next| &text[next.clone()]);
        let is_header = next.is_some_and(is_rule);
        reader.read(raw.clone(), fence.is_some(), is_header);
    }
    match reader.shown.is_empty() {
        true => reader.headings,
        false => reader.shown,
    }
}

struct Reader<'t, 'p> {
    source: &'t Source<'t>,
    plain: &'p mut String,
    /// What the columns of the table around are called.
    header: Option<Vec<String>>,
    shown: Vec<Shown>,
    headings: Vec<Shown>,
}

impl Reader<'_, '_> {
    fn read(&mut self, raw: Range<usize>, is_fenced: bool, is_above_rule: bool) {
        let Source { text, layout, .. } = *self.source;
        let sentence = &text[raw.clone()];
        // What the sentence before ends with must not count for this one.
        self.plain.push('\n');
        let start = self.plain.len();
        let is_lines = layout == Layout::Lines;
        let is_table = sentence.starts_with('|') || self.header.is_some() || is_above_rule;
        let is_row = is_table && !is_fenced && !is_lines && sentence.contains('|');
        let mut is_heading = false;
        if is_fenced || is_lines {
            push_words(sentence, self.plain);
        } else if is_row && is_rule(sentence) {
            return;
        } else if is_row && is_above_rule && names_columns(sentence) {
            self.header = Some(cells(sentence));
            push_row(sentence, None, layout, self.plain);
            // Shown by itself where no row follows.
            is_heading = true;
        } else if is_row {
            push_row(sentence, self.header.as_deref(), layout, self.plain);
        } else {
            self.header = None;
            let line = text[..raw.start].rfind('\n').map_or(0, |at| at + 1);
            let quote_depth = text[line..raw.start].matches('>').count();
            let is_title = heading_on(self.source.headings, &raw).is_some()
                || sentences::is_quoted_heading(sentence, quote_depth);
            is_heading = is_title || is_label(sentence, layout);
            let sentence = match is_title {
                true => without_heading_marks(sentence),
                false => sentence,
            };
            self.push_prose(sentence);
        }
        self.plain.truncate(self.plain.trim_end_matches(' ').len());
        if !self.plain[start..].contains(char::is_alphanumeric) {
            return;
        }
        let shown = Shown {
            raw,
            plain: start..self.plain.len(),
            is_code: is_fenced,
        };
        match is_heading {
            true => self.headings.push(shown),
            false => self.shown.push(shown),
        }
    }

    fn push_prose(&mut self, sentence: &str) {
        let body = without_item_mark(sentence);
        match self.source.layout {
            Layout::Markdown if body.len() == sentence.len() && inline::is_macro(body) => {}
            Layout::Markdown => inline::push(body, self.plain),
            _ => push_words(body, self.plain),
        }
    }
}

/// Returns the lines that say something, without the heading that was put above a piece of code.
fn lines(text: &str, headings: &[Range<usize>]) -> Vec<Range<usize>> {
    let has_title = headings.first().is_some_and(|heading| heading.start == 0);
    let mut at = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let body = line.trim();
        if !body.is_empty() {
            let start = at + (line.len() - line.trim_start().len());
            lines.push(start..start + body.len());
        }
        at += line.len();
    }
    if has_title && lines.len() > 1 {
        lines.remove(0);
    }
    lines
}

/// Returns the header of the table that goes on at `start`, if a table does.
pub(in crate::search) fn table_header(text: &str, start: usize) -> Option<&str> {
    let own = text.get(start..)?;
    let mut first = own.lines();
    let begins_inside = first.next()?.trim_start().starts_with('|');
    if !begins_inside || first.next().is_some_and(is_rule) {
        return None;
    }
    let mut below = None;
    for line in text[..start].lines().rev() {
        if !line.contains('|') {
            return None;
        }
        if below.is_some_and(is_rule) {
            return Some(line.trim());
        }
        below = Some(line);
    }
    None
}

/// The line of dashes below the header of a table.
fn is_rule(line: &str) -> bool {
    line.contains('-') && line.contains('|') && line.trim().chars().all(|c| " |:-".contains(c))
}

/// Returns what a heading says: without the marks in front of it, and without the line below it.
fn without_heading_marks(heading: &str) -> &str {
    let said = heading.trim_start_matches('#').trim_start();
    match said.rsplit_once('\n') {
        Some((above, below)) if below.trim().chars().all(|c| "=-".contains(c)) => above,
        _ => said,
    }
}

/// What is put above the rows of a sheet; its name stands in the place of the hit already.
fn is_label(sentence: &str, layout: Layout) -> bool {
    layout == Layout::Prose && sentence.starts_with("[Sheet: ") && sentence.ends_with(']')
}

/// Whether the first row of a table says what its columns are called: a sum of money does not.
fn names_columns(row: &str) -> bool {
    let is_amount = |cell: &String| {
        let has = |wanted: fn(char) -> bool| cell.contains(wanted);
        has(|c| c.is_ascii_digit()) && has(|c| ".,$€£¥%".contains(c)) && !has(char::is_alphabetic)
    };
    !cells(row).iter().any(is_amount)
}

/// Appends words with single blanks between them.
fn push_words(line: &str, out: &mut String) {
    for (index, word) in line.split_whitespace().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// Takes off what makes a line an item of a list, a task or the meaning of a term.
fn without_item_mark(sentence: &str) -> &str {
    let mut rest = sentence;
    for mark in ["- ", "* ", "+ "] {
        rest = rest.strip_prefix(mark).unwrap_or(rest).trim_start();
    }
    if rest.len() < sentence.len() {
        rest = rest.strip_prefix(": ").unwrap_or(rest);
    }
    let task = rest.strip_prefix('[').and_then(|rest| {
        let after = rest.trim_start_matches(|c: char| c != ']');
        let is_mark = rest.chars().nth(1) == Some(']');
        after.strip_prefix("] ").filter(|_| is_mark)
    });
    task.unwrap_or(rest)
}

/// Returns the cells of a table's row.
fn cells(row: &str) -> Vec<String> {
    // The bar of `[[Note\|shown]]` divides no cells.
    let row = row.trim().replace("\\|", "\0");
    let row = row.strip_prefix('|').unwrap_or(&row);
    let row = row.strip_suffix('|').unwrap_or(row);
    let cell = |cell: &str| cell.trim().replace('\0', "|");
    row.split('|').map(cell).collect()
}

/// Appends the cells of a row that hold something, each with what its column is called.
fn push_row(row: &str, header: Option<&[String]>, layout: Layout, out: &mut String) {
    let start = out.len();
    let push = |text: &str, out: &mut String| match layout {
        Layout::Markdown => inline::push(text, out),
        _ => push_words(text, out),
    };
    for (column, cell) in cells(row).iter().enumerate() {
        if !cell.contains(char::is_alphanumeric) {
            continue;
        }
        if out.len() > start {
            out.push_str(" | ");
        }
        let name = header.and_then(|header| header.get(column));
        if let Some(name) = name.filter(|name| name.contains(char::is_alphanumeric)) {
            push(name.trim_end_matches(':'), out);
            out.push_str(": ");
        }
        push(cell, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Language;
    use insta::assert_snapshot;

    fn check(layout: Layout, text: &str) -> String {
        let mut plain = String::new();
        let headings = match layout {
            Layout::Markdown => crate::note::outline_of_markdown(text),
            _ => {
                let title = text.lines().next().filter(|line| line.starts_with('#'));
                title.map(|title| 0..title.len()).into_iter().collect()
            }
        };
        let source = Source {
            layout,
            headings: &headings,
            ..super::super::tests::source(text, Language::Unknown)
        };
        let shown = sentences(&source, &mut plain);
        let shown = shown.into_iter().map(|shown| &plain[shown.plain]);
        shown.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn rows_come_with_what_their_columns_are_called() {
        let table = "Before.\n\n| Month | Paid |  |\n|---|:--|---|\n| May | **12** | x |\n| June | [[a\\|Ann]] | |\n\nAfter | all.";
        assert_snapshot!(check(Layout::Markdown, table), @"
        Before.
        Month: May | Paid: 12 | x
        Month: June | Paid: Ann
        After | all.
        ");
        assert_snapshot!(check(Layout::Markdown, "A | B\n--|--\n1 | 2"), @"A: 1 | B: 2");
        assert_snapshot!(check(Layout::Markdown, "| A | B |\n|---|---|"), @"A | B");
    }

    #[test]
    fn sheets_are_told_apart_from_what_stands_in_them() {
        let sheet = "[Sheet: Sums]\n| Revenue | $500,000 |\n|---|---|\n| Expenses | $300,000 |";
        assert_snapshot!(check(Layout::Prose, sheet), @r"
        Revenue | $500,000
        Expenses | $300,000
        ");
        assert_snapshot!(check(Layout::Prose, "[Sheet: Sums]"), @"[Sheet: Sums]");
        assert_snapshot!(check(Layout::Prose, "| Item | 2023 |\n|---|---|\n| Rent | 7 |"), @"Item: Rent | 2023: 7");
    }

    #[test]
    fn the_header_of_a_table_that_was_cut() {
        let text = "Text.\n\n| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n";
        let at = |needle: &str| text.find(needle).unwrap();
        assert_eq!(table_header(text, at("| 3")), Some("| A | B |"));
        assert_eq!(table_header(text, at("| A")), None);
        assert_eq!(table_header(text, at("Text")), None);
    }

    #[test]
    fn code_and_prose_stay_as_they_are() {
        assert_snapshot!(check(Layout::Lines, "## fn a()\n\n# note\nfn a() {\n    b_c_d(*x);\n}\n"), @r"
        # note
        fn a() {
        b_c_d(*x);
        ");
        assert_snapshot!(check(Layout::Prose, "Use <div> and _x_ or `y`. Then\n- *go*."), @r"
        Use <div> and _x_ or `y`.
        Then
        *go*.
        ");
    }

    #[test]
    fn marks_of_items_are_taken_off() {
        assert_snapshot!(check(Layout::Markdown, "- [ ] one\n- [/] two\n* : three\n- [sic] four\n\n{{Macro(\"x\")}}\n\n- {{ref(\"a\", \"b\")}}"), @r"
        one
        two
        three
        [sic] four
        b
        ");
    }
}
