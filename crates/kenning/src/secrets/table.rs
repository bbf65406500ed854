//! Columns of passwords, keys and cards: tables of Markdown, which sheets and CSV files become, and CSV inside of a note.

use std::ops::Range;

use super::Span;
use super::keywords::{self, Detector};
use super::lines::is_rule;
use super::names::{Kind, has_any, judge_cell};
use super::value::is_login_password;

/// A table has fewer columns than this, or the rest of them is not looked at.
const COLUMNS_MAX: usize = 64;

/// A column that its header gives away.
struct Column {
    position: usize,
    kind: Kind,
    name: Vec<u8>,
    /// Whether another column names the user: then the table is one of logins, and any word is a password.
    has_user: bool,
}

impl Column {
    fn judge(&self, cell: &[u8]) -> Option<&'static str> {
        let is_word = || {
            self.has_user
                && self.kind.is_password()
                && is_login_password(b"", cell)
                && !cell.contains(&b' ')
        };
        judge_cell(self.kind, &self.name, cell).or_else(|| is_word().then_some("password"))
    }
}

/// Masks the telling columns of a Markdown table; `rows` begins behind the rule.
pub(super) fn markdown(text: &[u8], header: Range<usize>, rows: usize, spans: &mut Vec<Span>) {
    let columns = columns(text, header, b'|');
    if !columns.is_empty() {
        let is_row = |line: &[u8]| line.contains(&b'|') && !is_rule(line);
        mask_rows(text, rows, b'|', &columns, spans, is_row);
    }
}

/// Masks the telling columns of comma-separated rows below the line that holds `word`.
///
/// Returns where the rows end, so that none of them is taken for another header.
pub(super) fn delimited(text: &[u8], word: Range<usize>, spans: &mut Vec<Span>) -> Option<usize> {
    let separator = separator_beside(text, &word)?;
    let start = word.start
        - text[word.start.saturating_sub(LINE_BYTES_MAX)..word.start]
            .iter()
            .rev()
            .take_while(|&&byte| byte != b'\n')
            .count();
    let header = start..line_end(text, word.end);
    let count = |line: &[u8]| line.iter().filter(|&&byte| byte == separator).count();
    let n_separators = count(&text[header.clone()]);
    let rows = header.end + 1;
    let below = text.get(rows..line_end(text, rows.min(text.len())))?;
    let is_header = header.len() <= LINE_BYTES_MAX
        && cells(text, header.clone(), separator).all(|cell| cell.len() <= CELL_BYTES_MAX);
    if n_separators == 0 || count(below) < n_separators || !is_header {
        return None;
    }
    let columns = columns(text, header.clone(), separator);
    let is_row = |line: &[u8]| count(line) >= n_separators;
    Some(mask_rows(text, rows, separator, &columns, spans, is_row))
}

const LINE_BYTES_MAX: usize = 512;
/// The header of a column is shorter; a clause of a sentence may not be.
const CELL_BYTES_MAX: usize = 32;

/// Returns the separator beside a word that ends a cell.
fn separator_beside(text: &[u8], word: &Range<usize>) -> Option<u8> {
    let is_separator = |byte: &u8| matches!(byte, b',' | b';' | b'\t');
    let is_quoted = text.get(word.end) == Some(&b'"');
    let behind = text.get(word.end + usize::from(is_quoted)).copied();
    let is_over = behind.is_none_or(|byte| is_separator(&byte) || matches!(byte, b'\n' | b'\r'));
    let mut before = text[..word.start].iter().rev().copied();
    let before = before.find(|&byte| byte != b'"');
    let is_begun = before.is_none_or(|byte| {
        is_separator(&byte) || b"\n\r _".contains(&byte) || byte.is_ascii_alphanumeric()
    });
    let separator = behind.filter(is_separator).or(before.filter(is_separator));
    separator.filter(|_| is_over && is_begun)
}

fn columns(text: &[u8], header: Range<usize>, separator: u8) -> Vec<Column> {
    let has_user = cells(text, header.clone(), separator)
        .take(COLUMNS_MAX)
        .any(|cell| is_user(&text[cell]));
    cells(text, header, separator)
        .take(COLUMNS_MAX)
        .enumerate()
        .filter_map(|(position, cell)| {
            let (kind, name) = told_by(&text[cell])?;
            Some(Column {
                position,
                kind,
                name,
                has_user,
            })
        })
        .collect()
}

/// Says whether a header names whose password stands beside it.
fn is_user(header: &[u8]) -> bool {
    const WORDS: [&[u8]; 9] = [
        b"user",
        b"login",
        b"account",
        b"email",
        b"e-mail",
        b"benutzer",
        b"konto",
        b"usuario",
        b"utilisateur",
    ];
    has_any(&header.to_ascii_lowercase(), &WORDS)
}

/// Reads what a header promises; the telling word is its last one.
fn told_by(header: &[u8]) -> Option<(Kind, Vec<u8>)> {
    let mut told = None;
    let mut from = 0;
    // Two letters are too few for the pass over keywords.
    let last = header
        .trim_ascii()
        .rsplit(|byte| !byte.is_ascii_alphanumeric())
        .find(|word| !word.is_empty());
    if last.is_some_and(|word| word.eq_ignore_ascii_case(b"pw")) {
        return Some((Kind::Pass, Vec::new()));
    }
    while let Some((start, mut bucket)) = keywords::next(header, from) {
        from = start + 1;
        while let Some(keyword) = bucket.next_in(&header[start..]) {
            let kind = match keyword.detector {
                Detector::Name(kind) => kind,
                Detector::Card => Kind::Card,
                _ => continue,
            };
            let rest = &header[start + keyword.text.len()..];
            let is_last = rest.iter().all(|byte| !byte.is_ascii_alphanumeric())
                || matches!(rest, [b's' | b'S', rest @ ..] if rest.iter().all(|byte| !byte.is_ascii_alphanumeric()))
                || kind == Kind::Card
                || kind == Kind::Word;
            let begins =
                start == 0 || !header[start - 1].is_ascii_alphabetic() || kind != Kind::Pass;
            if is_last && begins {
                told = Some((kind, header[..start].to_ascii_lowercase()));
            }
        }
    }
    told
}

fn mask_rows(
    text: &[u8],
    rows: usize,
    separator: u8,
    columns: &[Column],
    spans: &mut Vec<Span>,
    is_row: impl Fn(&[u8]) -> bool,
) -> usize {
    let mut line = rows;
    while line < text.len() {
        let end = line_end(text, line);
        if !is_row(&text[line..end]) {
            break;
        }
        let mut next = columns.iter().peekable();
        for (position, cell) in cells(text, line..end, separator)
            .enumerate()
            .take(COLUMNS_MAX)
        {
            let Some(column) = next.next_if(|column| column.position == position) else {
                continue;
            };
            let cell = bare(text, cell);
            if let Some(pattern) = column.judge(&text[cell.clone()]) {
                spans.push(Span {
                    start: cell.start,
                    end: cell.end,
                    pattern,
                });
            }
        }
        line = end + 1;
    }
    line
}

/// Cuts a line at its separators; a backslash or quotes protect one.
fn cells(
    text: &[u8],
    line: Range<usize>,
    separator: u8,
) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = line.start;
    let end = line.end;
    // The bar that a row of Markdown begins with opens its first cell.
    if separator == b'|' {
        let indent = text[start..end]
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        start +=
            indent + usize::from(text.get(start + indent) == Some(&b'|') && start + indent < end);
    }
    let mut is_over = start > end;
    std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        let mut at = start;
        let mut is_quoted = false;
        while at < end {
            match text[at] {
                b'"' if separator != b'|' => is_quoted = !is_quoted,
                b'\\' if separator == b'|' => at += 1,
                byte if byte == separator && !is_quoted => break,
                _ => {}
            }
            at += 1;
        }
        let cell = start..at.min(end);
        is_over = at >= end;
        start = at + 1;
        Some(cell)
    })
}

/// Takes blanks, quotes and emphasis off a cell.
fn bare(text: &[u8], mut cell: Range<usize>) -> Range<usize> {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r');
    while cell.start < cell.end && is_blank(text[cell.start]) {
        cell.start += 1;
    }
    while cell.start < cell.end && is_blank(text[cell.end - 1]) {
        cell.end -= 1;
    }
    while cell.len() > 2
        && text[cell.start] == text[cell.end - 1]
        && matches!(text[cell.start], b'"' | b'\'' | b'`' | b'*' | b'_')
    {
        cell = cell.start + 1..cell.end - 1;
    }
    cell
}

fn line_end(text: &[u8], from: usize) -> usize {
    text[from..]
        .iter()
        .position(|&byte| byte == b'\n')
        .map_or(text.len(), |at| from + at)
}
