//! Source code by top-level item, and plain text by paragraphs.
//!
//! Items are told by their first word at the left edge; no language is parsed.

use std::ops::Range;

use super::Extracted;
use super::guard::Budget;
use super::parts::Parts;

/// Words an item can start with, in any of the languages read.
const ITEM_WORDS: [&str; 58] = [
    "abstract",
    "actor",
    "alter",
    "async",
    "class",
    "con",
    "const",
    "create",
    "data",
    "def",
    "defmodule",
    "defn",
    "defun",
    "defp",
    "describe",
    "enum",
    "export",
    "extension",
    "extern",
    "final",
    "fn",
    "fun",
    "func",
    "function",
    "global",
    "impl",
    "inline",
    "instance",
    "interface",
    "internal",
    "local",
    "macro",
    "macro_rules!",
    "message",
    "mod",
    "module",
    "namespace",
    "object",
    "open",
    "package",
    "partial",
    "private",
    "proc",
    "protected",
    "protocol",
    "pub",
    "public",
    "record",
    "sealed",
    "service",
    "static",
    "struct",
    "sub",
    "template",
    "trait",
    "type",
    "union",
    "unsafe",
];

/// Longest signature kept as a heading.
const SIGNATURE_CHARS_MAX: usize = 120;

/// Shorter items join the one before: a list of constants is one thing to find.
const ITEM_LINES_MIN: usize = 3;

/// Bytes after which plain text starts another part.
const PLAIN_PART_BYTES: usize = 8 << 10;

/// Reads source code.
pub(super) fn read(text: &str, extension: &str, budget: &Budget) -> Result<Extracted, String> {
    let is_c_like = matches!(
        extension,
        "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "m" | "mm" | "java" | "cs" | "dart"
    );
    let lines: Vec<&str> = text.lines().collect();
    let mut parts = Parts::new(budget);
    parts.start_page(0, true);
    let mut start = 0;
    for (signature, first, end) in items(&lines, is_c_like) {
        parts.check()?;
        write_lines(&lines, start..first, &mut parts);
        // The signature is repeated above what belongs to it.
        parts.at(0, 0);
        parts.start_section(2, &signature);
        write_lines(&lines, first..end, &mut parts);
        start = end;
    }
    write_lines(&lines, start..lines.len(), &mut parts);
    let parts = parts.finish()?;
    if parts.is_empty() {
        return Err("the file is blank".to_owned());
    }
    Ok(Extracted {
        parts,
        ..Extracted::default()
    })
}

/// Reads text without structure.
pub(super) fn read_plain(text: &str, budget: &Budget) -> Result<Extracted, String> {
    let mut parts = Parts::new(budget);
    write_plain(text, &mut parts);
    if parts.is_empty() {
        return Err("the file is blank".to_owned());
    }
    parts.finish_untitled()
}

/// Writes text as it stands, in parts of a few pages.
fn write_plain(text: &str, parts: &mut Parts<'_>) {
    let mut n_bytes = 0;
    parts.start_page(0, false);
    for (number, line) in (1..).zip(text.lines()) {
        if n_bytes > PLAIN_PART_BYTES && (line.trim().is_empty() || n_bytes > 2 * PLAIN_PART_BYTES)
        {
            parts.start_page(0, false);
            n_bytes = 0;
        }
        n_bytes += line.len() + 1;
        parts.at(number, number);
        parts.raw_line(line);
    }
}

fn write_lines(lines: &[&str], range: Range<usize>, parts: &mut Parts<'_>) {
    for index in range {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        parts.at(number, number);
        parts.raw_line(lines[index]);
    }
}

/// Returns the items as signature, first line and line after the last.
fn items(lines: &[&str], is_c_like: bool) -> Vec<(String, usize, usize)> {
    let starts: Vec<usize> = (0..lines.len())
        .filter(|&number| is_item(lines[number], is_c_like))
        .collect();
    let mut items: Vec<(String, usize, usize)> = Vec::new();
    for (position, &line) in starts.iter().enumerate() {
        let first = with_comments(lines, line, items.last().map_or(0, |item| item.1 + 1));
        if let Some((_, before, end)) = items.last_mut() {
            *end = first;
            if first - *before < ITEM_LINES_MIN && position > 0 {
                *end = lines.len();
                continue;
            }
        }
        items.push((signature(lines[line]), first, lines.len()));
    }
    items
}

fn is_item(line: &str, is_c_like: bool) -> bool {
    let Some(first) = line.chars().next() else {
        return false;
    };
    if !first.is_ascii_alphabetic() && first != '(' {
        return false;
    }
    let word = line
        .trim_start_matches('(')
        .split(|c: char| c.is_whitespace() || c == '(' || c == '<' || c == ':');
    let word = word.into_iter().next().unwrap_or("").to_ascii_lowercase();
    let is_definition = || {
        // `int main(void) {` and `name() {`: something called, opened at the left edge.
        line.contains('(')
            && line.trim_end().ends_with(['{', ')'])
            && !line.trim_end().ends_with(");")
    };
    ITEM_WORDS.contains(&word.as_str()) || (is_c_like && is_definition()) || line.ends_with("() {")
}

/// Goes up over the comments and attributes that belong to an item.
fn with_comments(lines: &[&str], item: usize, floor: usize) -> usize {
    let belongs = |line: &str| {
        let line = line.trim_start();
        ["//", "#", "@", "/*", "*", "--", "\"\"\"", "[<"]
            .iter()
            .any(|mark| line.starts_with(mark))
    };
    let mut first = item;
    while first > floor && belongs(lines[first - 1]) {
        first -= 1;
    }
    first
}

fn signature(line: &str) -> String {
    let line = line.trim().trim_end_matches(['{', ' ']);
    line.chars().take(SIGNATURE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_carry_their_comments() {
        let code =
            "use a;\n\n/// Adds.\nfn add(a: u8) -> u8 {\n    a\n}\n\nstruct S {\n    x: u8,\n}\n";
        let lines: Vec<&str> = code.lines().collect();
        let items = items(&lines, false);
        assert_eq!(
            items,
            [
                ("fn add(a: u8) -> u8".to_owned(), 2, 7),
                ("struct S".to_owned(), 7, 10)
            ]
        );
    }

    #[test]
    fn short_items_stay_together() {
        let lines = ["const A = 1", "const B = 2", "const C = 3"];
        assert_eq!(items(&lines, false), [("const A = 1".to_owned(), 0, 3)]);
    }
}
