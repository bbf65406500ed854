//! Text into lines of a terminal: as wide as they look, broken between words, and inside of them where one
//! is longer than a line or its script has no blanks. Pure.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{MATCH, inline};

/// What is not broken, unless it is longer than a line: a word, or a character of a script without blanks.
pub(super) struct Piece {
    text: String,
    is_marked: bool,
    /// Whether a blank stands before it.
    is_spaced: bool,
}

/// Cuts a text into pieces; `is_marked` tells which characters are. A word with one of them is marked as a
/// whole.
pub(super) fn pieces(text: &str, is_marked: impl Fn(usize) -> bool) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut is_word, mut is_spaced) = (false, false);
    for (at, c) in text.chars().enumerate() {
        if c.is_whitespace() {
            (is_word, is_spaced) = (false, !pieces.is_empty());
            continue;
        }
        let is_wide = c.width() == Some(2);
        match pieces.last_mut().filter(|_| is_word && !is_wide) {
            Some(piece) => {
                piece.text.push(c);
                piece.is_marked |= is_marked(at);
            }
            None => {
                pieces.push(Piece {
                    text: c.to_string(),
                    is_marked: is_marked(at),
                    is_spaced,
                });
                is_spaced = false;
            }
        }
        is_word = !is_wide;
    }
    pieces
}

/// Fills lines with pieces up to a width, the marked ones in the colour of matches.
pub(super) fn wrap(pieces: &[Piece], width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = Vec::new();
    let (mut line, mut n_columns) = (String::new(), 0);
    for piece in pieces {
        let text = inline(&piece.text);
        let columns = text.width();
        let n_blanks = usize::from(piece.is_spaced && n_columns > 0);
        if n_columns > 0 && n_columns + n_blanks + columns > width {
            lines.push(std::mem::take(&mut line));
            n_columns = 0;
        } else if n_blanks > 0 {
            line.push(' ');
            n_columns += 1;
        }
        let mut parts = broken(&text, width);
        let last = parts.pop().unwrap_or_default();
        for part in parts {
            push(&mut line, part, piece.is_marked);
            lines.push(std::mem::take(&mut line));
        }
        push(&mut line, last, piece.is_marked);
        n_columns = match columns > width {
            true => last.width(),
            false => n_columns + columns,
        };
    }
    lines.push(line);
    lines
}

/// Writes a part of a line; what stands around a marked word, such as a comma, is not marked.
fn push(line: &mut String, text: &str, is_marked: bool) {
    let is_around = |c: char| !c.is_alphanumeric();
    let word = text.trim_matches(is_around);
    if !is_marked || word.is_empty() {
        line.push_str(text);
        return;
    }
    let n_before = text.len() - text.trim_start_matches(is_around).len();
    let (before, after) = (&text[..n_before], &text[n_before + word.len()..]);
    line.push_str(&format!("{before}{MATCH}{word}{MATCH:#}{after}"));
}

/// Breaks a text into parts of at most `width` columns.
pub(super) fn broken(text: &str, width: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut n_columns) = (0, 0);
    for (at, c) in text.char_indices() {
        let columns = c.width().unwrap_or(0);
        if n_columns + columns > width && at > start {
            parts.push(&text[start..at]);
            (start, n_columns) = (at, 0);
        }
        n_columns += columns;
    }
    parts.push(&text[start..]);
    parts
}

/// The same of a path, behind a slash where there is one late enough.
pub(super) fn broken_path(path: &str, width: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = path;
    while rest.width() > width {
        let head = broken(rest, width)[0];
        let slash = head.rfind('/').map(|at| at + 1);
        let cut = slash
            .filter(|cut| *cut > head.len() / 3)
            .unwrap_or(head.len());
        parts.push(&rest[..cut]);
        rest = &rest[cut..];
    }
    parts.push(rest);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_wide_as_they_look() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(wrap(&pieces(text, |_| false), 9), expected);
        };
        check("roof work done", &["roof work", "done"]);
        check("屋根 修理 完了", &["屋根 修理", "完了"]);
        check("屋根の修理が完了した", &["屋根の修", "理が完了", "した"]);
        check(
            "a floccinaucinihilipilification b",
            &["a", "floccinau", "cinihilip", "ilificati", "on b"],
        );
        check("", &[""]);
    }

    #[test]
    fn paths_break_behind_slashes() {
        let check = |path: &str, expected: &[&str]| assert_eq!(broken_path(path, 12), expected);
        check("Home/Roof.md", &["Home/Roof.md"]);
        check("Home/Gutters/Roof.md", &["Home/", "Gutters/", "Roof.md"]);
        check("a/verylongname.md", &["a/verylongna", "me.md"]);
        check("日本語/屋根の修理.md", &["日本語/", "屋根の修理.m", "d"]);
    }

    #[test]
    fn a_word_is_marked_as_a_whole_and_a_character_of_chinese_alone() {
        let marked = |text: &str, from: usize, to: usize| {
            let lines = wrap(&pieces(text, |at| (from..to).contains(&at)), 40);
            let open = format!("{MATCH}");
            let close = format!("{MATCH:#}");
            lines.join("\n").replace(&open, "<").replace(&close, ">")
        };
        assert_eq!(marked("the roofing is", 4, 8), "the <roofing> is");
        assert_eq!(marked("the (roof), is", 5, 9), "the (<roof>), is");
        assert_eq!(marked("屋根の修理", 0, 2), "<屋><根>の修理");
    }
}
