//! The body of a note: headings and blocks from the Markdown, links and tags from its text.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use crate::extract::Kind;

use super::inline::{self, Link, LinkKind};
use super::outline::Heading;
use super::places::{self, Addresses};

/// A top-level piece of the body that reads as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Byte range in the note's text.
    pub range: Range<usize>,
    /// What it is.
    pub kind: BlockKind,
}

/// What a [`Block`] is; tells where it may be cut if it is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// A heading line.
    Heading,
    /// Prose, cut between sentences.
    Prose,
    /// A list, table, quote or code block, cut between lines.
    Lines,
    /// A list: like [`BlockKind::Lines`], and what a list of links is recognised by.
    List,
}

#[derive(Default)]
pub(super) struct Body {
    pub(super) headings: Vec<Heading>,
    pub(super) blocks: Vec<Block>,
    /// In order, and as often as they stand there.
    pub(super) tags: Vec<String>,
    pub(super) links: Vec<Link>,
    /// `key:: value` lines, as Logseq and Dataview write them.
    pub(super) fields: Vec<(String, String)>,
}

/// Reads a Markdown body and blanks its comments in place.
pub(super) fn parse_markdown(text: &mut String, body_start: usize) -> Body {
    let Structure {
        mut body,
        code,
        addresses,
        markdown_links,
        pictures,
        ..
    } = visible_structure(text, body_start);
    scan_inline(text, body_start, &code, &addresses.aside, &mut body);
    let mut lines = LineCounter::new(text);
    for heading in &mut body.headings {
        heading.line = lines.line_of(heading.range.start);
    }
    for (target, shown, at) in markdown_links {
        let line = lines.line_of(at);
        let shown = Some(shown.as_str()).filter(|shown| !shown.is_empty());
        body.links
            .push(Link::new(LinkKind::Markdown, &target, shown, line));
    }
    for (target, at) in pictures {
        let line = lines.line_of(at);
        let link = Link::new(LinkKind::Embed, &target, None, line);
        body.links.push(link);
    }
    body.links.sort_by_key(|link| link.line);
    body
}

/// Blanks what nobody sees who reads the note, and returns the structure of the rest.
pub(super) fn visible_structure(text: &mut String, body_start: usize) -> Structure {
    let mut structure = read_structure(text, body_start);
    let mut hidden = std::mem::take(&mut structure.queries);
    hidden.extend(inline::hidden(text, body_start, &structure.code));
    if !hidden.is_empty() {
        blank(text, &hidden);
        structure = read_structure(text, body_start);
    }
    structure
}

/// Reads text without markup: paragraphs between blank lines.
pub(super) fn parse_plain(text: &str) -> Body {
    let mut body = Body::default();
    let (mut at, mut start) = (0, None);
    for line in text.split_inclusive('\n') {
        match (line.trim().is_empty(), start) {
            (false, None) => start = Some(at),
            (true, Some(from)) => {
                body.blocks.push(prose(from..at));
                start = None;
            }
            _ => {}
        }
        at += line.len();
    }
    if let Some(from) = start {
        body.blocks.push(prose(from..at));
    }
    body
}

fn prose(range: Range<usize>) -> Block {
    Block {
        range,
        kind: BlockKind::Prose,
    }
}

#[derive(Default)]
pub(super) struct Structure {
    body: Body,
    pub(super) code: Vec<Range<usize>>,
    /// Embedded searches: what they say is a question, not what the note says.
    queries: Vec<Range<usize>>,
    markdown_links: Vec<(String, String, usize)>,
    /// `![alt](file.png)`: the file, and where it stands.
    pictures: Vec<(String, usize)>,
    pub(super) addresses: Addresses,
}

fn read_structure(text: &str, body_start: usize) -> Structure {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_FOOTNOTES;
    let mut found = Structure::default();
    let mut depth = 0usize;
    let mut heading: Option<Heading> = None;
    let mut link: Option<(String, String, usize)> = None;
    let parser = Parser::new_ext(&text[body_start..], options);
    for (_, definition) in parser.reference_definitions().iter() {
        let span = definition.span.start + body_start..definition.span.end + body_start;
        found.addresses.define(text, &span);
    }
    for (event, range) in parser.into_offset_iter() {
        let range = range.start + body_start..range.end + body_start;
        found.addresses.see(text, &event, &range);
        match &event {
            Event::Start(tag) => {
                if depth == 0 {
                    open_block(tag, &range, &mut found.body, &mut heading);
                }
                match tag {
                    Tag::CodeBlock(kind) => {
                        found.code.push(range.clone());
                        if is_query(kind) {
                            found.queries.push(range.clone());
                        }
                    }
                    Tag::Link {
                        link_type,
                        dest_url,
                        ..
                    } if is_local(*link_type, dest_url) => {
                        link = Some((decode(dest_url), String::new(), range.start));
                    }
                    Tag::Image {
                        link_type,
                        dest_url,
                        ..
                    } if is_picture(*link_type, dest_url) => {
                        found.pictures.push((decode(dest_url), range.start));
                    }
                    _ => {}
                }
                depth += 1;
            }
            Event::End(tag) => {
                depth -= 1;
                match tag {
                    TagEnd::Heading(_) if depth == 0 => found.body.headings.extend(heading.take()),
                    TagEnd::Link => found.markdown_links.extend(link.take()),
                    _ => {}
                }
            }
            Event::Code(_) => found.code.push(range.clone()),
            Event::Rule if depth == 0 => found.body.blocks.push(prose(range.clone())),
            _ => {}
        }
        if let Event::Text(piece) | Event::Code(piece) = &event {
            for target in [
                heading.as_mut().map(|heading| &mut heading.text),
                link.as_mut().map(|link| &mut link.1),
            ]
            .into_iter()
            .flatten()
            {
                target.push_str(piece);
            }
        }
    }
    found
}

fn open_block(tag: &Tag<'_>, range: &Range<usize>, body: &mut Body, heading: &mut Option<Heading>) {
    let kind = match tag {
        Tag::Heading { level, .. } => {
            *heading = Some(Heading {
                level: level_number(*level),
                text: String::new(),
                range: range.clone(),
                line: 0,
            });
            BlockKind::Heading
        }
        Tag::Paragraph | Tag::HtmlBlock => BlockKind::Prose,
        Tag::List(_) => BlockKind::List,
        _ => BlockKind::Lines,
    };
    body.blocks.push(Block {
        range: range.clone(),
        kind,
    });
}

fn is_query(kind: &CodeBlockKind<'_>) -> bool {
    matches!(kind, CodeBlockKind::Fenced(info) if info.trim() == "query")
}

fn level_number(level: HeadingLevel) -> u8 {
    level as u8
}

/// Links that can lead to a note: no scheme, not an e-mail address, not only an anchor.
fn is_picture(link_type: LinkType, url: &str) -> bool {
    is_local(link_type, url) && Kind::of(&decode(url)) == Some(Kind::Picture)
}

fn is_local(link_type: LinkType, url: &str) -> bool {
    !matches!(link_type, LinkType::Autolink | LinkType::Email) && is_local_address(url)
}

pub(super) fn is_local_address(url: &str) -> bool {
    let scheme = url.split(['/', '?', '#']).next().unwrap_or_default();
    !url.is_empty() && !url.starts_with('#') && !url.starts_with("//") && !scheme.contains(':')
}

/// Undoes percent-encoding; what is not valid stays as it is.
pub(super) fn decode(url: &str) -> String {
    let bytes = url.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%')
            .then(|| url.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match hex {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| url.to_owned())
}

/// Scans the text between code for wikilinks, tags and fields.
fn scan_inline(
    text: &str,
    body_start: usize,
    code: &[Range<usize>],
    aside: &[Range<usize>],
    body: &mut Body,
) {
    let mut lines = LineCounter::new(text);
    for gap in places::between(code, body_start..text.len()) {
        let (at, gap) = (gap.start, &text[gap]);
        inline::wikilinks(gap, |target, shown, offset| {
            let is_embed = gap[..offset].ends_with('!');
            let kind = if is_embed {
                LinkKind::Embed
            } else {
                LinkKind::Wiki
            };
            let line = lines.line_of(at + offset);
            body.links.push(Link::new(kind, target, shown, line));
        });
        if gap.contains(":: ") {
            for line in gap.lines() {
                inline::field(line, |key, value| {
                    body.fields.push((key.to_owned(), value.to_owned()));
                });
            }
        }
    }
    places::tags(text, body_start, code, aside, |tag| {
        body.tags.push(text[tag].to_owned());
    });
}

/// Overwrites the ranges with blanks, keeping line breaks and every offset behind them.
fn blank(text: &mut String, ranges: &[Range<usize>]) {
    let mut bytes = std::mem::take(text).into_bytes();
    for range in ranges {
        for byte in &mut bytes[range.clone()] {
            if !matches!(*byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    *text = String::from_utf8(bytes).expect("whole characters are overwritten by blanks");
}

/// Tells the line of ever later offsets without counting twice.
pub(crate) struct LineCounter<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl<'a> LineCounter<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
        }
    }

    /// Returns the 1-based line of `offset`.
    pub(crate) fn line_of(&mut self, offset: usize) -> u32 {
        if offset < self.at {
            (self.at, self.line) = (0, 1);
        }
        let passed = &self.text.as_bytes()[self.at..offset];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count() as u32;
        self.at = offset;
        self.line
    }
}
