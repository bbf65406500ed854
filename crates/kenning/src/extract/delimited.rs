//! Rows of text with a separator: CSV and its relatives, separator and encoding found by looking.

use super::guard::Budget;
use super::parts::{Parts, has_text};
use super::spreadsheet::write_batches;
use super::{Extracted, Lines};

/// Separators tried, the likeliest first.
const SEPARATORS: [char; 4] = [',', '\t', ';', '|'];

/// Rows looked at to choose a separator.
const PROBE_ROWS: usize = 30;

/// Reads a file of separated values.
pub(super) fn read(text: &str, budget: &Budget) -> Result<Extracted, String> {
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    for (position, (row, own)) in Rows::new(text, separator(text)).enumerate() {
        if position.is_multiple_of(1_024) {
            budget.check()?;
        }
        if has_text(&row) {
            rows.push(row);
            lines.push(own);
        }
    }
    let mut parts = Parts::new(budget);
    write_batches("", &rows, &lines, &mut parts);
    let parts = parts.finish()?;
    if parts.is_empty() {
        return Err("it has no rows".to_owned());
    }
    Ok(Extracted {
        parts,
        ..Extracted::default()
    })
}

/// Returns the separator that cuts the first rows into the most columns, most evenly.
fn separator(text: &str) -> char {
    let score = |separator: char| {
        let rows: Vec<usize> = Rows::new(text, separator)
            .take(PROBE_ROWS)
            .map(|(row, _)| row.len())
            .collect();
        let most = rows.iter().copied().max().unwrap_or(1);
        if most < 2 {
            return 0.0;
        }
        let usual = rows
            .iter()
            .copied()
            .max_by_key(|n| rows.iter().filter(|other| *other == n).count());
        let usual = usual.unwrap_or(1);
        let n_usual = rows.iter().filter(|n| **n == usual).count();
        match usual > 1 {
            true => n_usual as f64 / rows.len() as f64 + usual as f64 * 0.001,
            false => 0.0,
        }
    };
    let mut best = (',', 0.0);
    for separator in SEPARATORS {
        let score = score(separator);
        if score > best.1 {
            best = (separator, score);
        }
    }
    best.0
}

/// The rows of a text with their lines; quotes protect separators and line ends.
struct Rows<'t> {
    rest: &'t str,
    separator: char,
    line: u32,
}

impl<'t> Rows<'t> {
    fn new(text: &'t str, separator: char) -> Self {
        Self {
            rest: text,
            separator,
            line: 1,
        }
    }
}

impl Iterator for Rows<'_> {
    type Item = (Vec<String>, Lines);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let before = self.rest;
        let mut row = Vec::new();
        loop {
            let (cell, rest, is_last) = cell(self.rest, self.separator);
            row.push(cell);
            self.rest = rest;
            if is_last {
                let (own, from) = (&before[..before.len() - rest.len()], self.line);
                let n_breaks = own.bytes().filter(|byte| *byte == b'\n').count() as u32;
                self.line += n_breaks;
                let to = from + n_breaks - u32::from(own.ends_with('\n'));
                return Some((row, (from, to)));
            }
        }
    }
}

/// Reads one cell: its text, what follows, and whether the row ends with it.
fn cell(text: &str, separator: char) -> (String, &str, bool) {
    let trimmed = text.trim_start_matches(' ');
    if let Some(quoted) = trimmed.strip_prefix('"')
        && let Some((mut cell, rest)) = quoted_cell(quoted)
    {
        let (tail, rest, is_last) = plain_cell(rest, separator);
        cell.push_str(tail);
        return (cell, rest, is_last);
    }
    let (cell, rest, is_last) = plain_cell(text, separator);
    (cell.to_owned(), rest, is_last)
}

fn plain_cell(text: &str, separator: char) -> (&str, &str, bool) {
    let end = text.find([separator, '\n', '\r']).unwrap_or(text.len());
    let (cell, rest) = text.split_at(end);
    if let Some(rest) = rest.strip_prefix(separator) {
        return (cell.trim(), rest, false);
    }
    let rest = rest
        .strip_prefix("\r\n")
        .unwrap_or_else(|| rest.get(1..).unwrap_or(""));
    (cell.trim(), rest, true)
}

/// Reads up to the closing quote; `None` when there is none, so that the quote is plain text.
fn quoted_cell(text: &str) -> Option<(String, &str)> {
    let mut cell = String::new();
    let mut rest = text;
    loop {
        let end = rest.find('"')?;
        cell.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(after) => {
                cell.push('"');
                rest = after;
            }
            None => return Some((cell, rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&[&str]]) {
        let separator = separator(text);
        let rows: Vec<Vec<String>> = Rows::new(text, separator).map(|(row, _)| row).collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn rows_know_their_lines() {
        let text = "a,b\r\n\r\n\"x\ny\",2\n1,2";
        let lines: Vec<Lines> = Rows::new(text, ',').map(|(_, lines)| lines).collect();
        assert_eq!(lines, [(1, 1), (2, 2), (3, 4), (5, 5)]);
    }

    #[test]
    fn separators_are_found() {
        check("a,b\r\n1,2\r\n", &[&["a", "b"], &["1", "2"]]);
        check("a;b\n1,5;2\n", &[&["a", "b"], &["1,5", "2"]]);
        check("a\tb c\n1\t2", &[&["a", "b c"], &["1", "2"]]);
        check("a|b\n1|2", &[&["a", "b"], &["1", "2"]]);
        check("time\n10:30\n11:45", &[&["time"], &["10:30"], &["11:45"]]);
    }

    #[test]
    fn quotes_protect_and_a_lone_quote_does_not_swallow() {
        check(
            "a,b\n\"x, \"\"y\"\"\nz\",2",
            &[&["a", "b"], &["x, \"y\"\nz", "2"]],
        );
        check(
            "a,b\n5\" pipe,2\n\"open,3",
            &[&["a", "b"], &["5\" pipe", "2"], &["\"open", "3"]],
        );
    }
}
