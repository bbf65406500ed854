//! HTML into readable text: headings, lists, tables and paragraphs; menus and scripts are left out.
//!
//! Works on a flat list of tags, so nesting costs nothing and cannot overflow.

mod tokens;

use tokens::{Token, attribute, unescape};

use std::borrow::Cow;

use super::guard::Budget;
use super::located::LineStarts;
use super::parts::{Parts, iso_date, non_blank, one_line};
use super::{Extracted, Lines, NO_LINES, encoding};

/// Decodes an HTML file; it may say itself how it is encoded.
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(2_048)]).into_owned();
    encoding::decode_as(bytes, declared_encoding(&head))
}

/// Reads an HTML file.
pub(super) fn read(text: &str, budget: &Budget) -> Result<Extracted, String> {
    let mut parts = Parts::new(budget);
    let facts = write(text, &mut parts)?;
    let parts = parts.finish()?;
    if parts.is_empty() && facts.title.is_none() {
        return Err("the HTML holds no text".to_owned());
    }
    Ok(Extracted { parts, ..facts })
}

/// Writes the text of an HTML file and returns what it says of itself.
pub(super) fn write(text: &str, parts: &mut Parts<'_>) -> Result<Extracted, String> {
    let tokens = tokens::split(text);
    let plan = Plan::of(&tokens);
    let starts = LineStarts::of(text);
    let mut walk = Walk::new(parts);
    for (position, token) in tokens.iter().enumerate() {
        if position.is_multiple_of(1_024) {
            walk.parts.check()?;
        }
        match token {
            _ if plan.is_skipped[position] => {}
            Token::Text(own) => {
                walk.stand_on(text, own, &starts);
                walk.text(own);
            }
            Token::Open(name, attributes) if name == "img" => {
                walk.stand_on(text, attributes, &starts);
                walk.alternative_text(attributes);
            }
            Token::Open(name, attributes) if plan.is_layout[position] => {
                walk.boundary();
                walk.facts_of(name, attributes);
            }
            Token::Open(name, attributes) => walk.open(name, attributes),
            Token::Close(_) if plan.is_layout[position] => walk.boundary(),
            Token::Close(name) => walk.close(name),
        }
    }
    walk.boundary();
    Ok(walk.facts)
}

/// What to do with each token, decided before the walk.
struct Plan {
    /// Inside a menu, a script or something hidden.
    is_skipped: Vec<bool>,
    /// Belongs to a table that only arranges the page.
    is_layout: Vec<bool>,
}

/// Left out with everything inside.
const SKIPPED: [&str; 12] = [
    "script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "nav",
    "select", "button", "dialog",
];

/// Elements that have no end tag.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

impl Plan {
    fn of(tokens: &[Token<'_>]) -> Self {
        let mut is_skipped = vec![false; tokens.len()];
        for (start, end) in skipped_ranges(tokens) {
            is_skipped[start..=end].fill(true);
        }
        // A page that is nearly all menu is about its menu.
        let n_kept: usize = tokens
            .iter()
            .zip(&is_skipped)
            .map(|(token, skipped)| if *skipped { 0 } else { n_text(token) })
            .sum();
        if n_kept * 5 < tokens.iter().map(n_text).sum() {
            is_skipped.fill(false);
        }
        if let Some((start, end)) = main_range(tokens, &is_skipped) {
            let is_fact = |token: &Token<'_>| matches!(token, Token::Open(name, _) if name == "meta" || name == "title");
            let mut in_title = false;
            for (position, token) in tokens.iter().enumerate() {
                let is_inside = (start..=end).contains(&position);
                is_skipped[position] |= !is_inside && !in_title && !is_fact(token);
                match token {
                    Token::Open(name, _) if name == "title" => in_title = true,
                    Token::Close(name) if name == "title" => in_title = false,
                    _ => {}
                }
            }
        }
        Self {
            is_layout: layout_tokens(tokens),
            is_skipped,
        }
    }
}

/// Ranges of tokens to leave out. An element that never ends is kept: better a menu than nothing.
fn skipped_ranges(tokens: &[Token<'_>]) -> Vec<(usize, usize)> {
    let mut ranges = Vec::new();
    let mut open: Option<(&str, usize, usize)> = None;
    for (position, token) in tokens.iter().enumerate() {
        match (token, &mut open) {
            (Token::Open(name, attributes), None)
                if is_boilerplate(name, attributes) && !attributes.ends_with('/') =>
            {
                open = Some((name, position, 1));
            }
            (Token::Open(name, _), Some((skipped, _, depth))) if name == skipped => *depth += 1,
            (Token::Close(name), Some((skipped, start, depth))) if name == skipped => {
                *depth -= 1;
                if *depth == 0 {
                    ranges.push((*start, position));
                    open = None;
                }
            }
            _ => {}
        }
    }
    ranges
}

fn is_boilerplate(name: &str, attributes: &str) -> bool {
    if SKIPPED.contains(&name) {
        return true;
    }
    if attributes.is_empty() || VOID.contains(&name) || matches!(name, "html" | "body" | "main") {
        return false;
    }
    let role = attribute(attributes, "role");
    let style = attribute(attributes, "style").unwrap_or_default();
    matches!(
        role.as_deref(),
        Some("navigation" | "search" | "menu" | "menubar")
    ) || attribute(attributes, "hidden").is_some()
        || style.replace(' ', "").contains("display:none")
}

/// Returns the range of the one `<main>`, if it holds a fair share of the text.
fn main_range(tokens: &[Token<'_>], is_skipped: &[bool]) -> Option<(usize, usize)> {
    let is_main = |token: &Token<'_>| matches!(token, Token::Open(name, _) if name == "main");
    let start = tokens.iter().position(is_main)?;
    let end = tokens
        .iter()
        .rposition(|token| matches!(token, Token::Close(name) if name == "main"))?;
    if end < start || tokens[start + 1..].iter().any(is_main) {
        return None;
    }
    let n_kept = |from: usize, to: usize| -> usize {
        let kept = (from..to).filter(|&position| !is_skipped[position]);
        kept.map(|position| n_text(&tokens[position])).sum()
    };
    (n_kept(start, end) * 3 > n_kept(0, tokens.len())).then_some((start, end))
}

fn n_text(token: &Token<'_>) -> usize {
    match token {
        Token::Text(text) => text.trim().len(),
        _ => 0,
    }
}

/// Marks the tags of tables that hold headings or other tables: those arrange, they do not tell.
fn layout_tokens(tokens: &[Token<'_>]) -> Vec<bool> {
    let is_table_tag = |name: &str| {
        matches!(
            name,
            "table" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th" | "caption"
        )
    };
    let mut is_layout = vec![false; tokens.len()];
    let mut open: Vec<(Vec<usize>, bool)> = Vec::new();
    for (position, token) in tokens.iter().enumerate() {
        match token {
            Token::Open(name, _) if name == "table" => {
                if let Some((_, arranges)) = open.last_mut() {
                    *arranges = true;
                }
                open.push((vec![position], false));
            }
            Token::Close(name) if name == "table" => {
                if let Some((mut tags, arranges)) = open.pop() {
                    tags.push(position);
                    tags.iter().for_each(|&tag| is_layout[tag] = arranges);
                }
            }
            Token::Open(name, _) if heading_level(name).is_some() => {
                if let Some((_, arranges)) = open.last_mut() {
                    *arranges = true;
                }
            }
            Token::Open(name, _) | Token::Close(name) if is_table_tag(name) => {
                if let Some((tags, _)) = open.last_mut() {
                    tags.push(position);
                }
            }
            _ => {}
        }
    }
    is_layout
}

/// State of the walk over the tokens.
struct Walk<'p, 'b> {
    parts: &'p mut Parts<'b>,
    facts: Extracted,
    /// Text since the last boundary, white space collapsed.
    run: String,
    /// Open lists: the number of the last item, `None` for bullets.
    lists: Vec<Option<usize>>,
    /// Whether the run is the first of a list item.
    is_item_start: bool,
    heading: Option<u8>,
    is_pre: bool,
    is_title: bool,
    table: Option<Table>,
    /// Lines that the run stands on.
    lines: Lines,
    /// Whether the lines of preformatted text are those of the file.
    is_line_for_line: bool,
}

#[derive(Default)]
struct Table {
    rows: Vec<Vec<String>>,
    /// Lines that each row stands on.
    lines: Vec<Lines>,
    is_in_cell: bool,
}

impl<'p, 'b> Walk<'p, 'b> {
    fn new(parts: &'p mut Parts<'b>) -> Self {
        Self {
            parts,
            facts: Extracted::default(),
            run: String::new(),
            lists: Vec::new(),
            is_item_start: false,
            heading: None,
            is_pre: false,
            is_title: false,
            table: None,
            lines: NO_LINES,
            is_line_for_line: true,
        }
    }

    /// Takes the lines that a piece of the file stands on to those of the run.
    fn stand_on(&mut self, text: &str, piece: &str, starts: &LineStarts) {
        let is_gap = |c: char| match self.is_pre {
            true => matches!(c, '\n' | '\r'),
            false => c.is_whitespace(),
        };
        let from = piece.trim_start_matches(is_gap);
        let kept = from.trim_end();
        let offset = (from.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
        let (false, Some(offset)) = (kept.is_empty(), offset) else {
            return;
        };
        let last = starts.line_of(offset + kept.len() - 1);
        if self.lines == NO_LINES {
            self.lines.0 = starts.line_of(offset);
        }
        self.lines.1 = last;
    }

    fn text(&mut self, raw: &str) {
        let text = unescape(raw);
        if self.is_title {
            if self.facts.title.is_none() {
                self.facts.title = non_blank(&text);
            }
        } else if self.is_pre {
            self.run.push_str(&text);
        } else {
            for character in text.chars() {
                if matches!(character, '\u{200b}' | '\u{feff}' | '\u{ad}') {
                    // Places where a word may break, not letters.
                } else if !character.is_whitespace() {
                    self.run.push(character);
                } else if !self.run.is_empty() && !self.run.ends_with([' ', '\n']) {
                    self.run.push(' ');
                }
            }
        }
    }

    fn open(&mut self, name: &str, attributes: &str) {
        match name {
            "title" => self.is_title = true,
            "meta" | "html" => self.facts_of(name, attributes),
            "br" => {
                self.run.push('\n');
                self.is_line_for_line = false;
            }
            "pre" => {
                self.boundary();
                self.is_pre = true;
            }
            "ul" | "menu" => self.open_list(None),
            "ol" => self.open_list(Some(0)),
            "li" => self.open_item(),
            "table" => {
                self.boundary();
                self.table = Some(Table::default());
            }
            "tr" => self.open_row(),
            "td" | "th" => self.open_cell(),
            "sup" | "sub" => {}
            _ if heading_level(name).is_some() => {
                self.boundary();
                self.heading = heading_level(name);
            }
            _ if !is_inline(name) => self.boundary(),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "title" => self.is_title = false,
            "pre" => {
                self.boundary();
                self.is_pre = false;
            }
            "ul" | "ol" | "menu" => {
                self.boundary();
                self.lists.pop();
            }
            "table" => self.close_table(),
            "td" | "th" => {
                self.boundary();
                if let Some(table) = &mut self.table {
                    table.is_in_cell = false;
                }
            }
            _ if heading_level(name).is_some() => {
                self.boundary();
                self.heading = None;
            }
            _ if !is_inline(name) => self.boundary(),
            _ => {}
        }
    }

    /// Ends the run of text and writes it where it belongs.
    fn boundary(&mut self) {
        let run = std::mem::take(&mut self.run);
        let lines = std::mem::replace(&mut self.lines, NO_LINES);
        let is_line_for_line = std::mem::replace(&mut self.is_line_for_line, true);
        self.parts.at(lines.0, lines.1);
        let text = match self.is_pre {
            true => run.trim_matches('\n').trim_end(),
            false => run.trim(),
        };
        if text.is_empty() {
            return;
        }
        if let Some(table) = &mut self.table {
            table.take(text, lines, self.parts);
        } else if let Some(level) = self.heading {
            self.parts.start_section(level, text);
        } else if self.is_pre {
            let step = u32::from(is_line_for_line);
            let inside = (0..).zip(text.lines());
            let inside = inside.map(|(index, line)| (line, lines.0 + step * index));
            let fence = |line| std::iter::once(("```", line));
            self.parts
                .verbatim(fence(lines.0).chain(inside).chain(fence(lines.1)));
        } else if self.is_item_start {
            let depth = self.lists.len().saturating_sub(1);
            let marker = match self.lists.last() {
                Some(Some(number)) => format!("{number}."),
                _ => "-".to_owned(),
            };
            self.parts.item(depth, &marker, &one_line(text));
        } else {
            self.parts.block(text);
        }
        self.is_item_start = false;
    }

    fn open_list(&mut self, number: Option<usize>) {
        self.boundary();
        if self.lists.len() < 64 {
            self.lists.push(number);
        }
    }

    fn open_item(&mut self) {
        self.boundary();
        if let Some(Some(number)) = self.lists.last_mut() {
            *number += 1;
        }
        self.is_item_start = true;
    }

    fn open_row(&mut self) {
        self.boundary();
        if let Some(table) = &mut self.table {
            table.open_row();
            table.is_in_cell = false;
        }
    }

    fn open_cell(&mut self) {
        self.boundary();
        if let Some(table) = &mut self.table {
            if table.rows.is_empty() {
                table.open_row();
            }
            if let Some(row) = table.rows.last_mut() {
                row.push(String::new());
            }
            table.is_in_cell = true;
        }
    }

    fn close_table(&mut self) {
        self.boundary();
        if let Some(table) = self.table.take() {
            self.parts.table_at(&table.rows, &table.lines);
        }
    }

    fn alternative_text(&mut self, attributes: &str) {
        if let Some(text) = attribute(attributes, "alt")
            && !text.trim().is_empty()
        {
            self.run.push(' ');
            self.run.push_str(text.trim());
            self.run.push(' ');
        }
    }

    fn facts_of(&mut self, name: &str, attributes: &str) {
        if name != "meta" {
            return;
        }
        let key = attribute(attributes, "name").or_else(|| attribute(attributes, "property"));
        let (Some(key), Some(content)) = (key, attribute(attributes, "content")) else {
            return;
        };
        match key.to_ascii_lowercase().as_str() {
            "author" | "article:author" | "dc.creator" => {
                let name = non_blank(&content).filter(|name| !name.starts_with("http"));
                self.facts.author = self.facts.author.take().or(name);
            }
            "date" | "article:published_time" | "dc.date" | "dcterms.created" => {
                self.facts.created = self.facts.created.take().or_else(|| iso_date(&content));
            }
            "og:title" => {
                self.facts.title = self.facts.title.take().or_else(|| non_blank(&content));
            }
            _ => {}
        }
    }
}

impl Table {
    fn open_row(&mut self) {
        self.rows.push(Vec::new());
        self.lines.push(NO_LINES);
    }

    /// Takes text into the open cell; text between cells, such as a caption, goes before the table.
    fn take(&mut self, text: &str, lines: Lines, parts: &mut Parts<'_>) {
        let cell = self.rows.last_mut().and_then(|row| row.last_mut());
        match cell {
            Some(cell) if self.is_in_cell => {
                if !cell.is_empty() {
                    cell.push(' ');
                }
                cell.push_str(text);
                if let Some(row) = self.lines.last_mut() {
                    row.0 = if *row == NO_LINES { lines.0 } else { row.0 };
                    row.1 = lines.1.max(row.1);
                }
            }
            _ => parts.block(text),
        }
    }
}

fn heading_level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr"
            | "acronym"
            | "b"
            | "bdi"
            | "bdo"
            | "big"
            | "cite"
            | "code"
            | "data"
            | "del"
            | "dfn"
            | "em"
            | "font"
            | "i"
            | "ins"
            | "kbd"
            | "label"
            | "mark"
            | "math"
            | "mi"
            | "mn"
            | "mo"
            | "mrow"
            | "q"
            | "rp"
            | "rt"
            | "ruby"
            | "s"
            | "samp"
            | "small"
            | "span"
            | "strike"
            | "strong"
            | "sub"
            | "sup"
            | "time"
            | "tt"
            | "u"
            | "var"
            | "wbr"
            | "input"
            | "picture"
            | "source"
    )
}

fn declared_encoding(head: &str) -> Option<&str> {
    let start = head
        .find("charset=")
        .map(|found| found + 8)
        .or_else(|| head.find("encoding=").map(|found| found + 9))?;
    let label = head[start..].trim_start_matches(['"', '\'']);
    let end = label.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'))?;
    Some(&label[..end])
}
