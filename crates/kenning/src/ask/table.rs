//! The cell of a row that answers, by the header of its column. Pure.

use std::ops::Range;

/// Returns the header of the table that a row of a passage belongs to.
pub(super) fn header<'a>(passage: &'a str, row: &Range<usize>) -> Option<&'a str> {
    let is_row = |line: &str| line.trim_start().starts_with('|');
    if !is_row(&passage[row.clone()]) {
        return None;
    }
    let above: Vec<&str> = passage[..row.start]
        .lines()
        .rev()
        .skip_while(|line| line.trim().is_empty())
        .take_while(|line| is_row(line))
        .collect();
    let rule = above.iter().position(|line| is_rule(line))?;
    above.get(rule + 1).copied()
}

/// Whether a line is the one between a header and its rows.
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// Returns the bytes of each cell of a row, without the blanks around it.
pub(super) fn cells(row: &str) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let mut start = None;
    let mut was_escape = false;
    for (at, c) in row.char_indices() {
        if c == '|' && !was_escape {
            if let Some(start) = start {
                cells.push(trimmed(row, start..at));
            }
            start = Some(at + 1);
        }
        was_escape = c == '\\' && !was_escape;
    }
    cells
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let own = &text[range.clone()];
    let start = range.start + own.len() - own.trim_start().len();
    start..start + own.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_know_their_header_and_cells() {
        let text =
            "Codes:\n\n| Room | Code |\n|------|:---|\n| Hall | 30-1 |\n| a \\| b | 7 |\n\nend";
        let row = text.find("| Hall").unwrap();
        assert_eq!(header(text, &(row..row + 15)), Some("| Room | Code |"));
        let last = "| a \\| b | 7 |";
        let row = text.find(last).unwrap();
        assert_eq!(
            header(text, &(row..row + last.len())),
            Some("| Room | Code |")
        );
        let shown: Vec<&str> = cells(last).into_iter().map(|cell| &last[cell]).collect();
        assert_eq!(shown, ["a \\| b", "7"]);
        assert_eq!(header(text, &(0..6)), None);
    }
}
