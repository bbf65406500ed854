//! A Markdown text into sentences. Pure.
//!
//! Lines are first read as blocks (paragraph, list item, heading, table row, code), since no sentence
//! reaches from one block into the next; `stops` then finds where sentences end inside a paragraph.

mod stops;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::note::heading_on;

/// Longest list item that is one sentence whatever it holds; longer ones are cut like paragraphs.
const ITEM_BYTES_MAX: usize = 240;

/// Returns the bytes of each sentence, in order, without the blanks around it.
///
/// A list item, a heading, a table row and a line of code are one sentence each, marks included.
/// Together the sentences hold everything but blanks, the `>` in front of quoted lines and the
/// `[!kind]` of a callout.
///
/// `headings` tells where the headings of the text's note stand in it.
pub(super) fn sentences(text: &str, headings: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut reader = Reader {
        text,
        headings,
        sentences: Vec::new(),
        open: None,
        fence: None,
        is_table: false,
    };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        reader.read(at, line);
        at += line.len();
    }
    reader.close();
    reader.sentences
}

struct Reader<'a> {
    text: &'a str,
    headings: &'a [Range<usize>],
    sentences: Vec<Range<usize>>,
    /// The paragraph or item that the next line may continue.
    open: Option<Block>,
    /// The code fence the line stands in.
    fence: Option<Fence>,
    /// The lines before are a table.
    is_table: bool,
}

struct Block {
    bytes: Range<usize>,
    quote_depth: usize,
    is_item: bool,
}

#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    n_marks: usize,
    quote_depth: usize,
}

impl Reader<'_> {
    fn read(&mut self, at: usize, line: &str) {
        if let Some(heading) = heading_on(self.headings, &(at..at + line.len())) {
            // It may take several lines, and was read with the first of them.
            if heading.start >= at {
                self.close();
                self.fence = None;
                self.push(heading.start..heading.end.min(self.text.len()));
            }
            return;
        }
        let (n_bytes, quote_depth) = quote_marks(line);
        let start = at + n_bytes;
        let body = line[n_bytes..].trim_end();
        let bytes = start..start + body.len();
        if self.is_code(body, quote_depth) {
            return self.push(bytes);
        }
        let is_continued = (self.open.as_ref()).is_some_and(|open| open.quote_depth == quote_depth);
        if !is_continued {
            self.close();
        }
        let is_item = is_item(body, self.open.as_ref());
        if body.is_empty() {
            self.close();
            self.is_table = false;
        } else if let Some(n_bytes) = callout_bytes(body, quote_depth) {
            self.close();
            self.push(start + n_bytes..bytes.end);
        } else if let Some(fence) = opened_fence(body, quote_depth) {
            self.close();
            self.push(bytes);
            self.fence = Some(fence);
        } else if self.is_row(body) || is_quoted_heading(body, quote_depth) || is_rule(body) {
            self.close();
            self.push(bytes);
        } else if let (Some(open), false) = (&mut self.open, is_item || begins_block(body)) {
            open.bytes.end = bytes.end;
        } else {
            self.close();
            self.open = Some(Block {
                bytes,
                quote_depth,
                is_item,
            });
        }
    }

    /// Tells whether a line is code, and leaves the fence where it ends.
    fn is_code(&mut self, body: &str, quote_depth: usize) -> bool {
        let Some(fence) = self.fence else {
            return false;
        };
        if quote_depth < fence.quote_depth {
            self.fence = None;
            return false;
        }
        let is_mark = |c| c == fence.mark;
        if body.chars().all(is_mark) && body.len() >= fence.n_marks {
            self.fence = None;
        }
        true
    }

    /// Tells whether a line is a row of a table. Rows may go without the outer bars below a line of
    /// dashes.
    fn is_row(&mut self, body: &str) -> bool {
        let is_below_head =
            body.contains('|') && body.contains('-') && body.chars().all(|c| " |:-".contains(c));
        self.is_table = is_below_head || (self.is_table && body.contains('|'));
        self.is_table || body.starts_with('|')
    }

    /// Ends the open block and cuts it into sentences.
    fn close(&mut self) {
        match self.open.take() {
            Some(open) if open.is_item && open.bytes.len() <= ITEM_BYTES_MAX => {
                self.push(open.bytes);
            }
            Some(open) => {
                let mut at = open.bytes.start;
                while let Some(end) = stops::next(self.text, at, open.bytes.end) {
                    self.push(at..end);
                    at = after_blanks(self.text, end, open.bytes.end);
                }
                self.push(at..open.bytes.end);
            }
            None => {}
        }
    }

    fn push(&mut self, bytes: Range<usize>) {
        let body = &self.text[bytes.clone()];
        let end = bytes.start + body.trim_end().len();
        let start = bytes.end - body.trim_start().len();
        if start < end {
            self.sentences.push(start..end);
        }
    }
}

/// Skips blanks and, on a new line, the marks of a quote.
fn after_blanks(text: &str, from: usize, to: usize) -> usize {
    let mut at = from;
    loop {
        let rest = text[at..to].trim_start();
        let is_new_line = text[at..to - rest.len()].contains('\n');
        at = to - rest.len();
        if !is_new_line {
            return at;
        }
        let (n_bytes, depth) = quote_marks(rest);
        if depth == 0 {
            return at;
        }
        at += n_bytes;
    }
}

/// Bytes of blanks and `>` in front of a line, and how many `>` there are.
fn quote_marks(line: &str) -> (usize, usize) {
    let rest = line.trim_start_matches(|c: char| c == '>' || (c.is_whitespace() && c != '\n'));
    let marks = &line[..line.len() - rest.len()];
    (marks.len(), marks.matches('>').count())
}

/// Length of `[!kind]`, with its fold mark, at the start of a quoted line.
fn callout_bytes(body: &str, quote_depth: usize) -> Option<usize> {
    let kind = body.strip_prefix("[!").filter(|_| quote_depth > 0)?;
    let end = kind.find(|c: char| !(c.is_alphanumeric() || " |_-".contains(c)))?;
    let after = kind[end..].strip_prefix(']')?;
    let is_folded = after.starts_with(['+', '-']);
    Some("[!".len() + end + "]".len() + usize::from(is_folded))
}

fn opened_fence(body: &str, quote_depth: usize) -> Option<Fence> {
    let mark = body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = body.trim_start_matches(mark);
    let n_marks = body.len() - info.len();
    // Three backticks and more of them further on are code inside a line.
    (n_marks >= 3 && !(mark == '`' && info.contains('`'))).then_some(Fence {
        mark,
        n_marks,
        quote_depth,
    })
}

/// A heading inside a quote, which does not begin a section and is not part of the outline.
pub(super) fn is_quoted_heading(body: &str, quote_depth: usize) -> bool {
    let title = body.trim_start_matches('#');
    let level = body.len() - title.len();
    let is_marked = title.is_empty() || title.starts_with([' ', '\t']);
    quote_depth > 0 && (1..=6).contains(&level) && is_marked
}

/// A rule between sections.
fn is_rule(body: &str) -> bool {
    body.len() >= 2
        && ['-', '=', '*', '_']
            .iter()
            .any(|&mark| body.starts_with(mark) && body.chars().all(|c| c == mark || c == ' '))
}

/// A line that begins a list item. Inside a paragraph only a first number does: "am\n3. Mai" is a
/// broken line.
fn is_item(body: &str, open: Option<&Block>) -> bool {
    let is_after_blank = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    if let Some(rest) = body.strip_prefix(['-', '*', '+']) {
        return is_after_blank(rest);
    }
    let rest = body.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = &body[..body.len() - rest.len()];
    (1..=9).contains(&number.len())
        && rest.strip_prefix(['.', ')']).is_some_and(is_after_blank)
        && (number == "1" || open.is_none_or(|open| open.is_item))
}

/// A line that no paragraph and no item reaches into.
fn begins_block(body: &str) -> bool {
    is_footnote(body) || is_html_block(body)
}

/// A line that begins with a tag of HTML that stands for a block of its own.
fn is_html_block(body: &str) -> bool {
    let Some(tag) = body.strip_prefix('<') else {
        return false;
    };
    let tag = tag.strip_prefix('/').unwrap_or(tag);
    let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next();
    name.is_some_and(|name| BLOCK_TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name)))
}

/// Those that people write in notes, of the tags that CommonMark lets interrupt a paragraph.
#[rustfmt::skip]
const BLOCK_TAGS: &[&str] = &[
    "address", "article", "aside", "blockquote", "center", "dd", "details", "dialog", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hr", "iframe", "li", "main", "nav", "ol", "p", "pre", "script", "section", "style",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
];

/// `[^name]: text`
fn is_footnote(body: &str) -> bool {
    body.strip_prefix("[^")
        .and_then(|rest| rest.split_once(']'))
        .is_some_and(|(_, after)| after.starts_with(':'))
}
