//! Collects the parts of a file: the one place that knows how text, tables and lists are written.
//!
//! Every format writes through [`Parts`], so the caps on text, parts and time hold everywhere.

use super::guard::Budget;
use super::{Extracted, Lines, NO_LINES, Part};

/// Rows of a table that go into one part; the header is repeated in each.
pub(super) const BATCH_ROWS: usize = 20;

/// Parts of one file while it is being read.
///
/// Writing never fails: beyond the caps everything is dropped, and [`Parts::finish`] says so.
pub(super) struct Parts<'b> {
    budget: &'b Budget,
    done: Vec<Part>,
    open: Part,
    n_bytes: usize,
    trouble: Option<String>,
    /// Lines of the file that what is written next stands on.
    at: Lines,
    frame: Frame,
}

/// What lines that a format names mean for the file as a whole.
enum Frame {
    /// They are the file's.
    File,
    /// They are those of a text inside of the file; each begins on the line that stands for it here.
    Inner(Vec<u32>),
    /// They are lost, since the text was encoded: all of it stands on these.
    Encoded(Lines),
}

impl<'b> Parts<'b> {
    /// Starts with no part at all.
    pub(super) fn new(budget: &'b Budget) -> Self {
        Self {
            budget,
            done: Vec::new(),
            open: Part::default(),
            n_bytes: 0,
            trouble: None,
            at: NO_LINES,
            frame: Frame::File,
        }
    }

    /// Says which lines of the file all that is written next stands on; zeros mean none.
    pub(super) fn at(&mut self, from: u32, to: u32) {
        let line = |starts: &[u32], line: u32| starts.get(line as usize - 1).copied();
        self.at = match &self.frame {
            _ if from == 0 => NO_LINES,
            Frame::File => (from, to),
            Frame::Inner(starts) => {
                let from = line(starts, from).unwrap_or(self.at.0);
                let next = line(starts, to + 1).map_or(from, |next| next.saturating_sub(1));
                (from, next.max(from))
            }
            Frame::Encoded(lines) => *lines,
        };
    }

    /// Says that lines named from now on are those of a text inside of the file, and on what line of
    /// the file each of them begins; the last entry is the line behind the text.
    pub(super) fn inside(&mut self, starts: Vec<u32>) {
        self.frame = Frame::Inner(starts);
    }

    /// Says that all that is written from now on stands encoded on these lines.
    pub(super) fn encoded_on(&mut self, lines: Lines) {
        self.frame = Frame::Encoded(lines);
    }

    /// Says that lines named from now on are the file's.
    pub(super) fn outside(&mut self) {
        self.frame = Frame::File;
    }

    /// Writes lines as a paragraph, each with the line of the file it stands on.
    pub(super) fn verbatim<'t>(&mut self, lines: impl IntoIterator<Item = (&'t str, u32)>) {
        let mut lines = lines
            .into_iter()
            .skip_while(|(line, _)| line.trim().is_empty());
        if let Some((first, number)) = lines.next() {
            self.at(number, number);
            self.block(first);
        }
        for (line, number) in lines {
            self.at(number, number);
            self.raw_line(line);
        }
    }

    /// Starts a page, slide or sheet; 0 means none.
    pub(super) fn start_page(&mut self, page: usize, is_structured: bool) {
        self.close();
        self.open.page = u32::try_from(page).ok().filter(|&page| page > 0);
        self.open.is_structured = is_structured;
    }

    /// Starts a section, on the same page.
    pub(super) fn start_section(&mut self, level: u8, heading: &str) {
        let heading = one_line(heading);
        if heading.is_empty() {
            return;
        }
        let (page, is_structured) = (self.open.page, self.open.is_structured);
        self.close();
        self.n_bytes += heading.len();
        self.open.page = page;
        self.open.is_structured = is_structured;
        self.open.heading = Some((level.clamp(1, 6), heading));
        self.open.heading_lines = self.at;
    }

    /// Starts another part under the same heading and page.
    pub(super) fn start_batch(&mut self) {
        if self.open.text.is_empty() {
            self.open.is_structured = true;
            return;
        }
        let (page, heading) = (self.open.page, self.open.heading.clone());
        self.close();
        self.open.page = page;
        self.open.heading = heading;
        // The heading itself stands above the batch before.
        self.open.heading_lines = NO_LINES;
        self.open.is_structured = true;
    }

    /// Writes a paragraph.
    pub(super) fn block(&mut self, text: &str) {
        self.write(text.trim(), "\n\n");
    }

    /// Writes a line below the one before.
    pub(super) fn line(&mut self, text: &str) {
        self.write(text.trim_end(), "\n");
    }

    /// Writes a line of code or preformatted text; blank lines between others are kept.
    pub(super) fn raw_line(&mut self, text: &str) {
        let text = text.trim_end();
        if text.is_empty() && !self.open.text.is_empty() && !self.open.text.ends_with("\n\n") {
            self.open.text.push('\n');
            self.open.lines.push(NO_LINES);
        }
        self.write(text, "\n");
    }

    /// Writes one item of a list.
    pub(super) fn item(&mut self, depth: usize, marker: &str, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let indent = "  ".repeat(depth.min(8));
        let separator = match last_line_is_item(&self.open.text) {
            true => "\n",
            false => "\n\n",
        };
        self.write(&format!("{indent}{marker} {text}"), separator);
    }

    /// Writes a table: its first row is the header.
    pub(super) fn table(&mut self, rows: &[Vec<String>]) {
        let text = table(rows);
        self.block(&text);
    }

    /// Writes a table whose rows stand on `lines`.
    pub(super) fn table_at(&mut self, rows: &[Vec<String>], lines: &[Lines]) {
        let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut is_header = true;
        for (row, (from, to)) in rows.iter().zip(lines).filter(|(row, _)| has_text(row)) {
            self.at(*from, *to);
            let mut text = String::new();
            push_row(&mut text, row, n_columns);
            match std::mem::take(&mut is_header) {
                true => {
                    push_rule(&mut text, n_columns);
                    self.block(&text);
                }
                false => self.line(&text),
            }
        }
    }

    /// Fails once the caps are reached or the deadline has passed.
    pub(super) fn check(&self) -> Result<(), String> {
        match &self.trouble {
            Some(trouble) => Err(trouble.clone()),
            None => self.budget.check(),
        }
    }

    /// Text the file may give in all.
    pub(super) fn text_bytes_max(&self) -> usize {
        self.budget.limits.text_bytes_max
    }

    /// Whether nothing at all has been written.
    pub(super) fn is_empty(&self) -> bool {
        self.done.is_empty() && self.open.text.is_empty() && self.open.heading.is_none()
    }

    /// Returns what was collected.
    pub(super) fn finish(mut self) -> Result<Vec<Part>, String> {
        self.close();
        self.check()?;
        Ok(self.done)
    }

    /// Returns what was collected, with nothing known about the file.
    pub(super) fn finish_untitled(self) -> Result<Extracted, String> {
        Ok(Extracted {
            parts: self.finish()?,
            ..Extracted::default()
        })
    }

    fn write(&mut self, text: &str, separator: &str) {
        if text.is_empty() || self.trouble.is_some() {
            return;
        }
        self.n_bytes += text.len() + separator.len();
        if self.n_bytes > self.budget.limits.text_bytes_max {
            let most = self.budget.limits.text_bytes_max >> 20;
            self.trouble = Some(format!("it holds more than {most} MB of text"));
            return;
        }
        if !self.open.text.is_empty() {
            self.open.text.push_str(separator);
            let n_blank = separator.len() - 1;
            self.open
                .lines
                .extend(std::iter::repeat_n(NO_LINES, n_blank));
        }
        self.open.text.push_str(text);
        for _ in 0..=text.matches('\n').count() {
            self.open.lines.push(self.at);
        }
    }

    fn close(&mut self) {
        let mut part = std::mem::take(&mut self.open);
        part.text.truncate(part.text.trim_end().len());
        part.lines.truncate(part.text.lines().count());
        if part.lines.iter().all(|lines| *lines == NO_LINES) {
            part.lines.clear();
        }
        if part.text.is_empty() && part.heading.is_none() {
            return;
        }
        if self.done.len() >= self.budget.limits.n_parts_max {
            let most = self.budget.limits.n_parts_max;
            self.trouble
                .get_or_insert_with(|| format!("it has more than {most} parts"));
            return;
        }
        self.done.push(part);
    }
}

/// Writes rows as a Markdown table; the first is the header.
pub(super) fn table(rows: &[Vec<String>]) -> String {
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for (position, row) in rows.iter().filter(|row| has_text(row)).enumerate() {
        push_row(&mut text, row, n_columns);
        if position == 0 {
            push_rule(&mut text, n_columns);
        }
    }
    text
}

/// Appends one row of a table.
pub(super) fn push_row(text: &mut String, row: &[String], n_columns: usize) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push('|');
    for column in 0..n_columns.max(row.len()) {
        text.push(' ');
        if let Some(cell) = row.get(column) {
            push_cell(text, cell);
        }
        text.push_str(" |");
    }
}

/// Appends the rule below a header.
pub(super) fn push_rule(text: &mut String, n_columns: usize) {
    text.push_str("\n|");
    for _ in 0..n_columns {
        text.push_str(" --- |");
    }
}

/// Whether any cell says something.
pub(super) fn has_text(row: &[String]) -> bool {
    row.iter().any(|cell| !cell.trim().is_empty())
}

/// Collapses all white space to single spaces.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Returns the text unless it is blank.
pub(super) fn non_blank(text: &str) -> Option<String> {
    let text = one_line(text);
    (!text.is_empty()).then_some(text)
}

/// Returns the date at the start of an ISO 8601 time, as `YYYY-MM-DD`.
pub(super) fn iso_date(text: &str) -> Option<String> {
    let date = text.trim().get(..10)?;
    let mut fields = date.split('-');
    let (year, month, day) = (fields.next()?, fields.next()?, fields.next()?);
    let is_number = |field: &str, digits: usize| {
        field.len() == digits && field.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_date = is_number(year, 4)
        && is_number(month, 2)
        && is_number(day, 2)
        && ("01"..="12").contains(&month)
        && ("01"..="31").contains(&day);
    is_date.then(|| date.to_owned())
}

/// Returns where `word` first stands in `bytes`.
pub(super) fn find(bytes: &[u8], word: &[u8]) -> Option<usize> {
    let first = *word.first()?;
    let mut position = 0;
    loop {
        position += bytes
            .get(position..)?
            .iter()
            .position(|byte| *byte == first)?;
        if bytes[position..].starts_with(word) {
            return Some(position);
        }
        position += 1;
    }
}

fn push_cell(text: &mut String, cell: &str) {
    let mut is_first = true;
    for word in cell.split_whitespace() {
        if !is_first {
            text.push(' ');
        }
        is_first = false;
        text.push_str(word);
    }
}

fn last_line_is_item(text: &str) -> bool {
    let line = text.rsplit('\n').next().unwrap_or("").trim_start();
    let marker = line.split(' ').next().unwrap_or("");
    marker == "-"
        || (marker.len() > 1
            && marker.ends_with('.')
            && marker.as_bytes()[0].is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::guard::test_budget;

    #[test]
    fn a_table_pads_short_rows_and_drops_blank_ones() {
        let rows = [
            vec!["a".to_owned(), "b  c".to_owned()],
            vec![String::new()],
            vec!["1".to_owned()],
        ];
        assert_eq!(table(&rows), "| a | b c |\n| --- | --- |\n| 1 |  |");
    }

    #[test]
    fn dates_are_checked() {
        assert_eq!(
            iso_date("2024-02-03T10:00:00Z").as_deref(),
            Some("2024-02-03")
        );
        assert_eq!(iso_date("2024-13-03"), None);
        assert_eq!(iso_date("03/02/2024"), None);
    }

    #[test]
    fn too_much_text_is_a_reason() {
        let mut budget = test_budget();
        budget.limits.text_bytes_max = 1 << 20;
        let mut parts = Parts::new(&budget);
        let text = "x".repeat(1 << 19);
        (0..3).for_each(|_| parts.block(&text));
        assert!(parts.finish().unwrap_err().contains("1 MB"));
    }

    #[test]
    fn too_many_parts_are_a_reason() {
        let mut budget = test_budget();
        budget.limits.n_parts_max = 3;
        let mut parts = Parts::new(&budget);
        (0..5).for_each(|_| parts.start_section(1, "again"));
        assert!(parts.finish().unwrap_err().contains("3 parts"));
    }
}
