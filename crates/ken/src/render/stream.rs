//! Markdown for a terminal, while it comes in: headings, lists, quotes, emphasis and code are shown as such, and
//! lines are broken between words. What comes in pieces looks as if it had come at once. Pure.

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::plain::block;

const HEADING: Style = AnsiColor::Cyan.on_default().bold();
const BOLD: Style = Style::new().bold();
const ITALIC: Style = Style::new().italic();
const CODE: Style = AnsiColor::Yellow.on_default();
const DIM: Style = Style::new().dimmed();
/// Characters of a line that may have to be seen before it is known what the line is.
const MARK_CHARS_MAX: usize = 8;

/// A text that is being shown.
pub(crate) struct MarkdownStream {
    width: usize,
    /// What came in and was not shown yet: the beginning of a line, or a mark.
    held: String,
    /// What the current line is; `None` at its beginning.
    line: Option<Line>,
    is_fenced: bool,
    inline: Inline,
    /// A word that may not fit any more, its styles included, and how wide it is.
    word: String,
    word_width: usize,
    column: usize,
    /// Whether a blank stands before the word.
    has_gap: bool,
    /// Blanks before what a broken line goes on with.
    indent: usize,
}

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Text,
    Heading,
    Fenced,
}

/// How the beginning of a line went.
enum Begun {
    /// More has to come in first.
    Waits,
    /// It is nothing to be shown.
    Hidden,
    Shown,
}

/// Which styles are open.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Inline {
    is_bold: bool,
    is_italic: bool,
    is_code: bool,
}

impl MarkdownStream {
    /// Begins a text for a terminal of so many columns.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            width: width.max(20),
            held: String::new(),
            line: None,
            is_fenced: false,
            inline: Inline::default(),
            word: String::new(),
            word_width: 0,
            column: 0,
            has_gap: false,
            indent: 0,
        }
    }

    /// Takes the next piece and returns what can be shown of it.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        self.held.push_str(&block(piece));
        let mut out = String::new();
        self.advance(&mut out, false);
        out
    }

    /// Returns the rest, and leaves no style open.
    pub(crate) fn finish(mut self) -> String {
        let mut out = String::new();
        self.advance(&mut out, true);
        self.end_line(&mut out);
        out
    }

    fn advance(&mut self, out: &mut String, is_last: bool) {
        loop {
            if self.line.is_none() {
                match self.begin_line(out, is_last) {
                    Begun::Waits => return,
                    Begun::Hidden => continue,
                    Begun::Shown => {}
                }
            }
            let Some(c) = self.held.chars().next() else {
                return;
            };
            if c == '\n' {
                self.held.remove(0);
                self.end_line(out);
                out.push('\n');
                self.column = 0;
                self.line = None;
            } else if self.line == Some(Line::Fenced) {
                self.held.remove(0);
                out.push(c);
            } else if !self.inline_char(c, out, is_last) {
                return;
            }
        }
    }

    /// Decides what a line is.
    fn begin_line(&mut self, out: &mut String, is_last: bool) -> Begun {
        let end = self.held.find('\n');
        let is_whole = is_last || end.is_some();
        let line = &self.held[..end.unwrap_or(self.held.len())];
        if line.is_empty() && (end.is_none() || !is_whole) {
            return Begun::Waits;
        }
        let trimmed = line.trim_start_matches(' ');
        let n_blanks = line.len() - trimmed.len();
        if trimmed.starts_with("```") && is_whole {
            self.is_fenced = !self.is_fenced;
            // A fence is not a line of its own.
            let fence = end.map_or(line.len(), |end| end + 1);
            self.held.drain(..fence);
            return Begun::Hidden;
        }
        if !is_whole && may_be_mark(trimmed) {
            return Begun::Waits;
        }
        if self.is_fenced {
            out.push_str(&format!("{}    ", CODE.render()));
            self.line = Some(Line::Fenced);
            return Begun::Shown;
        }
        self.line = Some(Line::Text);
        self.indent = n_blanks;
        let (mark, shown) = mark_of(trimmed);
        let is_heading = mark > 0 && trimmed.starts_with('#');
        out.push_str(&" ".repeat(n_blanks));
        out.push_str(&shown);
        self.column = n_blanks + shown_width(&shown);
        self.held.drain(..n_blanks + mark);
        if is_heading {
            self.line = Some(Line::Heading);
            out.push_str(&HEADING.render().to_string());
        } else {
            self.indent = self.column;
        }
        Begun::Shown
    }

    /// Takes one character of running text; `false` if the next one has to come in first.
    fn inline_char(&mut self, c: char, out: &mut String, is_last: bool) -> bool {
        let next = self.held.chars().nth(1);
        if matches!(c, '*' | '_') && next.is_none() && !is_last && !self.inline.is_code {
            return false;
        }
        let is_double = next == Some(c);
        match c {
            '`' => self.toggle(1, |inline| &mut inline.is_code),
            '*' if !self.inline.is_code && is_double => {
                self.toggle(2, |inline| &mut inline.is_bold)
            }
            '*' if !self.inline.is_code && self.may_slant(next) => {
                self.toggle(1, |inline| &mut inline.is_italic);
            }
            '_' if !self.inline.is_code && self.may_underline(next) => {
                self.toggle(1, |inline| &mut inline.is_italic);
            }
            ' ' => {
                self.held.remove(0);
                self.end_word(out);
                self.has_gap = self.column > self.indent;
            }
            c => {
                self.held.remove(0);
                self.word.push(c);
                self.word_width += c.width().unwrap_or(0);
            }
        }
        true
    }

    /// An asterisk between blanks is one, as in `2 * 3`.
    fn may_slant(&self, next: Option<char>) -> bool {
        self.inline.is_italic || next.is_some_and(|next| !next.is_whitespace())
    }

    /// An underscore inside a word is part of it, as in `snake_case`.
    fn may_underline(&self, next: Option<char>) -> bool {
        let is_letter = next.is_some_and(char::is_alphanumeric);
        let is_inside = self.word.chars().last().is_some_and(char::is_alphanumeric) && is_letter;
        (self.inline.is_italic || is_letter) && !is_inside
    }

    fn toggle(&mut self, n_bytes: usize, which: impl Fn(&mut Inline) -> &mut bool) {
        self.held.drain(..n_bytes);
        let is_open = which(&mut self.inline);
        *is_open = !*is_open;
        self.word.push_str(&self.styles());
    }

    /// Returns what sets the styles anew.
    fn styles(&self) -> String {
        let mut styles = anstyle::Reset.render().to_string();
        if self.line == Some(Line::Heading) {
            styles.push_str(&HEADING.render().to_string());
        }
        for (is_open, style) in [
            (self.inline.is_bold, BOLD),
            (self.inline.is_italic, ITALIC),
            (self.inline.is_code, CODE),
        ] {
            if is_open {
                styles.push_str(&style.render().to_string());
            }
        }
        styles
    }

    /// Shows the word, on the next line if it does not fit on this one.
    fn end_word(&mut self, out: &mut String) {
        if self.word.is_empty() {
            return;
        }
        let n_gap = usize::from(self.has_gap);
        if self.column + n_gap + self.word_width > self.width && self.column > self.indent {
            out.push('\n');
            out.push_str(&" ".repeat(self.indent));
            self.column = self.indent;
        } else if self.has_gap {
            out.push(' ');
            self.column += 1;
        }
        self.has_gap = false;
        out.push_str(&self.word);
        self.column += self.word_width;
        self.word.clear();
        self.word_width = 0;
    }

    /// Ends the line's text; styles do not reach over it.
    fn end_line(&mut self, out: &mut String) {
        self.end_word(out);
        self.has_gap = false;
        let is_styled = self.inline != Inline::default()
            || matches!(self.line, Some(Line::Heading | Line::Fenced));
        self.inline = Inline::default();
        if is_styled {
            out.push_str(&anstyle::Reset.render().to_string());
        }
    }
}

/// Whether the beginning of a line may turn out to be a mark.
fn may_be_mark(line: &str) -> bool {
    let is_mark =
        |c: char| c.is_ascii_digit() || matches!(c, '#' | '-' | '*' | '+' | '>' | '`' | '.' | ')');
    line.chars().count() < MARK_CHARS_MAX && line.chars().all(is_mark) || line.starts_with("```")
}

/// Returns how many bytes at the beginning of a line are its mark, and what is shown for it.
fn mark_of(line: &str) -> (usize, String) {
    let n_hashes = line.bytes().take_while(|&b| b == b'#').count();
    if (1..=6).contains(&n_hashes) && line[n_hashes..].starts_with(' ') {
        return (n_hashes + 1, String::new());
    }
    if ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark)) {
        return (2, "• ".to_owned());
    }
    if let Some(rest) = line.strip_prefix('>') {
        let n_bytes = 1 + usize::from(rest.starts_with(' '));
        return (n_bytes, format!("{DIM}│ {DIM:#}"));
    }
    let n_digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let behind = &line[n_digits..];
    if (1..=3).contains(&n_digits) && (behind.starts_with(". ") || behind.starts_with(") ")) {
        return (n_digits + 2, line[..n_digits + 2].to_owned());
    }
    (0, String::new())
}

/// Returns how wide something is without its styles.
fn shown_width(text: &str) -> usize {
    anstream::adapter::strip_str(text).to_string().width()
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use proptest::prelude::*;

    fn shown(text: &str, width: usize) -> String {
        let mut stream = MarkdownStream::new(width);
        let mut out = stream.push(text);
        out.push_str(&stream.finish());
        out
    }

    /// Returns what is seen, with styles as tags.
    fn check(text: &str) -> String {
        let mut out = shown(text, 24);
        for (style, tag) in [
            (HEADING, "<h>"),
            (BOLD, "<b>"),
            (ITALIC, "<i>"),
            (CODE, "<c>"),
            (DIM, "<d>"),
        ] {
            out = out.replace(&style.render().to_string(), tag);
        }
        out.replace(&anstyle::Reset.render().to_string(), "</>")
    }

    #[test]
    fn marks_are_shown_as_what_they_mean() {
        assert_snapshot!(check("# Roof\n\nEsko **repaired** it, *twice*, with `ken_x`.\n"), @"
        <h>Roof</>

        Esko </><b>repaired</> it, </><i>twice</>,
        with </><c>ken_x</>.
        ");
        assert_snapshot!(check("- one\n  - two\n1. three\n> said\n"), @"
        • one
          • two
        1. three
        <d>│ </>said
        ");
        assert_snapshot!(check("```sh\nken **x**\n```\nafter"), @"
        <c>    ken **x**</>
        after
        ");
    }

    #[test]
    fn what_is_no_mark_stays() {
        assert_snapshot!(check("2 * 3 #4 snake_case_name -5"), @"
        2 * 3 #4 snake_case_name
        -5
        ");
        assert_snapshot!(check("#tag and **open"), @"#tag and </><b>open</>");
    }

    #[test]
    fn long_lines_are_broken_between_words_and_stay_indented() {
        assert_snapshot!(check("- Esko repaired the north gutter in May"), @"
        • Esko repaired the
          north gutter in May
        ");
    }

    #[test]
    fn nothing_a_terminal_obeys_comes_through() {
        let out = shown("a\u{1b}[2Jb\u{7}", 40);
        assert!(
            !out.contains("\u{1b}[2J") && !out.contains('\u{7}'),
            "{out:?}"
        );
    }

    proptest! {
        /// However it is cut into pieces, the same is seen; and it comes to an end.
        #[test]
        fn pieces_do_not_matter(
            text in "[a-c #*_`>\\-1.\n]{0,60}",
            cuts in prop::collection::vec(0usize..60, 0..8),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|&cut| cut < text.len()).collect();
            cuts.sort_unstable();
            let mut stream = MarkdownStream::new(20);
            let mut out = String::new();
            let mut from = 0;
            for cut in cuts.into_iter().chain([text.len()]) {
                out.push_str(&stream.push(&text[from..cut]));
                from = cut;
            }
            out.push_str(&stream.finish());
            prop_assert_eq!(out, shown(&text, 20));
        }
    }
}
