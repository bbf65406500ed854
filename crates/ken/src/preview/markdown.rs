//! Markdown, as Obsidian writes it, into HTML that still has to be sanitised.

use std::ops::Range;

use percent_encoding::percent_decode_str;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};

use super::code;
use super::languages::Language;
use crate::wire::encode;

/// Writes Markdown as HTML, every block inside of an element that tells its lines.
pub(super) fn html(path: &str, text: &str, first_line: usize) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_WIKILINKS;
    let lines = Lines::of(text, first_line);
    let mut writer = Writer {
        path,
        lines,
        depth: 0,
        picture: None,
        code: None,
        callout: None,
        is_titled: false,
        events: Vec::new(),
    };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        writer.take(event, &range, text);
    }
    let mut out = String::with_capacity(text.len() * 2);
    html::push_html(&mut out, writer.events.into_iter());
    out
}

/// Where lines begin.
struct Lines {
    starts: Vec<usize>,
    first: usize,
}

impl Lines {
    fn of(text: &str, first: usize) -> Self {
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            starts: std::iter::once(0).chain(starts).collect(),
            first,
        }
    }

    fn at(&self, place: usize) -> usize {
        self.starts.partition_point(|start| *start <= place) - 1 + self.first
    }
}

/// Turns events into those of a preview.
struct Writer<'a> {
    path: &'a str,
    lines: Lines,
    /// Elements that are open.
    depth: usize,
    /// What a picture says, while it is open, and how deep it stands.
    picture: Option<(usize, String, String)>,
    /// The code of a language that has colours, while it is open.
    code: Option<(&'static Language, String)>,
    /// Where the mark of a callout ends, while it is read, and what kind it tells.
    callout: Option<(usize, String)>,
    /// Whether the first line of a callout, its title, is open.
    is_titled: bool,
    events: Vec<Event<'a>>,
}

impl<'a> Writer<'a> {
    fn take(&mut self, event: Event<'a>, range: &Range<usize>, text: &str) {
        match event {
            Event::Text(words) if self.callout.is_some() => self.take_callout(&words, range),
            Event::SoftBreak | Event::HardBreak if self.is_titled => self.end_title(),
            Event::Start(tag) => self.open(tag, range, text),
            Event::End(end) => self.close(end),
            Event::Text(words) | Event::Code(words) if self.picture.is_some() => {
                if let Some((_, said, _)) = &mut self.picture {
                    said.push_str(&words);
                }
            }
            _ if self.picture.is_some() => {}
            Event::Text(words) if self.code.is_some() => {
                if let Some((_, code)) = &mut self.code {
                    code.push_str(&words);
                }
            }
            Event::TaskListMarker(is_done) => {
                let checked = if is_done { " checked" } else { "" };
                let label = if is_done { "done" } else { "to do" };
                let html =
                    format!("<input type=\"checkbox\" disabled aria-label=\"{label}\"{checked}> ");
                self.events.push(Event::InlineHtml(html.into()));
            }
            Event::Text(words) if words.matches("==").count() > 1 => self.push_marked(&words),
            other => self.events.push(other),
        }
    }

    /// Leaves out the mark of a callout; its kind stands in its place.
    fn take_callout(&mut self, words: &str, range: &Range<usize>) {
        let Some((end, kind)) = self.callout.take() else {
            return;
        };
        if range.end < end {
            self.callout = Some((end, kind));
            return;
        }
        let label = format!(
            "<span class=\"callout\" dir=\"ltr\">{}</span> <strong>",
            escaped(&kind)
        );
        self.is_titled = true;
        self.events.push(Event::InlineHtml(label.into()));
        let rest = words.get(end.saturating_sub(range.start)..).unwrap_or("");
        let rest = rest.trim_start().to_owned();
        self.events.push(Event::Text(rest.into()));
    }

    fn end_title(&mut self) {
        self.is_titled = false;
        let html = CowStr::Borrowed("</strong><br>");
        self.events.push(Event::InlineHtml(html));
    }

    /// Words between two pairs of equals signs are marked, as Obsidian does.
    fn push_marked(&mut self, words: &str) {
        let mut rest = words;
        while let Some((before, inside, after)) = between(rest) {
            let html = format!("{}<mark>{}</mark>", escaped(before), escaped(inside));
            self.events.push(Event::InlineHtml(html.into()));
            rest = after;
        }
        self.events.push(Event::Text(rest.to_owned().into()));
    }

    fn open(&mut self, tag: Tag<'a>, range: &Range<usize>, text: &str) {
        if self.depth == 0 {
            let end = text[range.clone()].trim_end().len() + range.start;
            let (from, to) = (
                self.lines.at(range.start),
                self.lines.at(end.max(range.start + 1) - 1),
            );
            let html = format!(
                "<div class=\"block\" data-line=\"{from}\" data-end=\"{to}\" dir=\"auto\">"
            );
            self.events.push(Event::Html(html.into()));
        }
        self.depth += 1;
        match tag {
            Tag::Image { dest_url, .. } if self.picture.is_none() => {
                self.picture = Some((self.depth, String::new(), dest_url.into_string()));
            }
            _ if self.picture.is_some() => {}
            Tag::BlockQuote(kind) => {
                self.callout = callout(text, range);
                self.events.push(Event::Start(Tag::BlockQuote(kind)));
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(name)) => match code::language(&name) {
                Some(language) => self.code = Some((language, String::new())),
                None => {
                    let kind = CodeBlockKind::Fenced(name);
                    self.events.push(Event::Start(Tag::CodeBlock(kind)));
                }
            },
            Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            } => match note_of(link_type, &dest_url) {
                Some(note) => self
                    .events
                    .push(Event::InlineHtml(opening(self.path, &note).into())),
                None => self.events.push(Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    title,
                    id,
                })),
            },
            other => self.events.push(Event::Start(other)),
        }
    }

    fn close(&mut self, end: TagEnd) {
        if self.is_titled && end == TagEnd::Paragraph {
            self.end_title();
        }
        if let Some((language, text)) = self.code.take() {
            let html = code::html(language, &text);
            let html = format!("<pre><code>{html}</code></pre>\n");
            self.events.push(Event::Html(html.into()));
        } else {
            self.close_element(end);
        }
        self.depth -= 1;
        if self.depth == 0 {
            self.events.push(Event::Html(CowStr::Borrowed("</div>\n")));
        }
    }

    fn close_element(&mut self, end: TagEnd) {
        match &self.picture {
            Some((depth, said, target)) if *depth == self.depth => {
                let name = target.split('#').next().unwrap_or(target);
                let said = match said.is_empty() || said == target {
                    true => name,
                    false => said,
                };
                let html = format!("<span class=\"picture\">{}</span>", escaped(said));
                self.events.push(Event::InlineHtml(html.into()));
                self.picture = None;
            }
            Some(_) => {}
            None => self.events.push(Event::End(end)),
        }
    }
}

/// Returns where the mark of a callout ends that a quote begins with, `[!tip]-`, and its kind.
fn callout(text: &str, range: &Range<usize>) -> Option<(usize, String)> {
    let quote = &text[range.clone()];
    let inside = quote.trim_start_matches([' ', '\t', '>']);
    let (kind, after) = inside.strip_prefix("[!")?.split_once(']')?;
    let is_kind = |c: char| c.is_alphanumeric() || "-_ |".contains(c);
    if kind.is_empty() || !kind.chars().all(is_kind) {
        return None;
    }
    let rest = after.strip_prefix(['+', '-']).unwrap_or(after);
    let rest = rest.trim_start_matches(' ');
    let name = kind.split('|').next().unwrap_or(kind);
    let mut letters = name.chars();
    let first = letters.next()?.to_uppercase();
    Some((range.end - rest.len(), first.chain(letters).collect()))
}

/// Splits a text at the first words between two pairs of equals signs.
fn between(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("==")?;
    let (inside, after) = rest.split_once("==")?;
    let is_marked = !inside.is_empty() && inside.trim() == inside;
    is_marked.then_some((before, inside, after))
}

/// Returns what a link calls the note it leads to; nothing for one that leads out of the vault.
fn note_of(kind: LinkType, target: &str) -> Option<String> {
    if matches!(kind, LinkType::WikiLink { .. }) {
        return Some(target.to_owned());
    }
    let is_elsewhere = matches!(kind, LinkType::Email | LinkType::Autolink)
        || target.starts_with("//")
        || scheme(target).is_some();
    (!is_elsewhere).then(|| percent_decode_str(target).decode_utf8_lossy().into_owned())
}

/// Returns the scheme of an address that has one.
fn scheme(target: &str) -> Option<&str> {
    let (scheme, _) = target.split_once(':')?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    is_scheme.then_some(scheme)
}

fn opening(path: &str, note: &str) -> String {
    format!(
        "<a href=\"/?note={}&amp;from={}\" data-note=\"{}\">",
        encode(note),
        encode(path),
        escaped(note)
    )
}

/// Returns text that HTML takes for text, in an element and in quotes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\0' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
