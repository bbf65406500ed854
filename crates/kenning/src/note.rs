//! Clean text into a note: title, headings, properties, tags, links. Pure, and never fails.
//!
//! A malformed note is still a note: whatever cannot be understood is kept as text and reported
//! as a [`Warning`]. Byte ranges and lines point into the text as it stands in the file.

mod body;
mod date;
mod frontmatter;
mod inline;
mod memory;
mod outline;
mod parts;
mod places;
mod property;

use std::collections::HashSet;

use serde_json::{Map, Value};

pub(crate) use body::LineCounter;
pub use body::{Block, BlockKind};
pub use inline::{Link, LinkKind};
pub use memory::MemoryType;
pub use outline::Heading;
pub(crate) use outline::of_markdown as outline_of_markdown;
pub(crate) use outline::{heading_on, headings_in, n_in_section};
pub(crate) use parts::file_lines;
pub use parts::{Composed, PartMark, compose, parse_parts};
pub use places::{LinkPlace, Places, is_tag, places};
pub use property::PropertyType;

use crate::extract::{Kind, Lines};
use crate::secrets::CleanText;
use crate::words::{self, Language};

/// One file of the vault, understood.
#[derive(Clone, Debug)]
pub struct Note {
    /// The H1 that the note begins with, `title` property or file name, in that order.
    pub title: String,
    /// Language most of the text is written in.
    pub language: Language,
    /// The whole text, comments blanked out; its lines are the file's lines.
    pub text: String,
    /// Byte offset at which the front matter ends.
    pub body_start: usize,
    /// The outline: headings in order.
    pub headings: Vec<Heading>,
    /// Top-level blocks in order; they do not overlap.
    pub blocks: Vec<Block>,
    /// Every front-matter property as written.
    pub properties: Map<String, Value>,
    /// Tags without `#`, from front matter and text, in order of appearance.
    pub tags: Vec<String>,
    /// Other names of the note.
    pub aliases: Vec<String>,
    /// Links to other notes.
    pub links: Vec<Link>,
    /// Where pages, slides, sheets and sections begin, for files that are not Markdown.
    pub parts: Vec<Part>,
    /// The file as it stands, where `text` is what was read out of it and both have lines.
    pub own: Option<String>,
    /// What lines of the file each line of `text` comes from; empty where they are the same.
    pub lines: Vec<Lines>,
    /// What the well-known properties say.
    pub facts: Facts,
}

impl Note {
    /// Returns the number of lines of the file.
    pub fn n_lines(&self) -> u32 {
        let own = self.own.as_deref().unwrap_or(&self.text);
        u32::try_from(own.lines().count()).unwrap_or(u32::MAX)
    }
}

/// A page, slide, sheet or section of a file that is not Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Byte offset of its first line.
    pub start: usize,
    /// Page, slide or sheet, 1-based.
    pub page: Option<u32>,
    /// Rows, records, slides or code.
    pub is_structured: bool,
    /// The file with the picture that it was read from, if it was.
    pub picture: Option<String>,
}

/// The well-known properties of a note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// `summary` or `description`.
    pub summary: Option<String>,
    /// `author` or `authors`.
    pub author: Option<String>,
    /// `kind` or `type`.
    pub kind: Option<String>,
    /// `memory_type`, or `kind` or `type` where it names one.
    pub memory_type: Option<MemoryType>,
    /// `status`.
    pub status: Option<String>,
    /// `published` or `date`, as `YYYY-MM-DD`.
    pub published: Option<String>,
    /// `created`, as `YYYY-MM-DD`.
    pub created: Option<String>,
    /// `modified` or `updated`, as `YYYY-MM-DD`.
    pub modified: Option<String>,
    /// `evergreen`: the note does not age.
    pub evergreen: bool,
    /// `superseded_by`: name of the note that replaces this one.
    pub superseded_by: Option<String>,
}

/// Something in a note that could not be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// 1-based line.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

/// What a text looks like to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Marks of Markdown mean something.
    Markdown,
    /// It stands as it is, but for lists and tables.
    Prose,
    /// It stands as it is, line by line: code, settings, logs.
    Lines,
}

/// How a file is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Markdown, as Obsidian writes it.
    Markdown,
    /// Text without structure.
    Plain,
    /// Anything that is extracted first.
    Other(Kind),
}

impl Format {
    /// Returns the format of a file name, `None` when files of its kind are not notes.
    pub fn of(path: &str) -> Option<Self> {
        let (_, extension) = path.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "mdown" | "mkd" | "mdx" | "qmd" | "rmd" => Some(Self::Markdown),
            "txt" | "text" | "org" | "rst" | "adoc" | "asciidoc" => Some(Self::Plain),
            _ => Kind::of(path).map(Self::Other),
        }
    }

    /// Whether files of it are pictures.
    pub fn is_picture(self) -> bool {
        self == Self::Other(Kind::Picture)
    }

    /// Whether a person sees lines when they open a file of it, so that they can be pointed at.
    pub fn has_lines(self) -> bool {
        match self {
            Self::Markdown | Self::Plain => true,
            Self::Other(kind) => kind.has_lines(),
        }
    }

    /// Returns how people read files of it.
    pub fn layout(self) -> Layout {
        match self {
            Self::Markdown | Self::Other(Kind::Notebook | Kind::Canvas) => Layout::Markdown,
            Self::Other(
                Kind::Code | Kind::Plain | Kind::Json | Kind::JsonLines | Kind::Yaml | Kind::Toml,
            ) => Layout::Lines,
            Self::Plain | Self::Other(_) => Layout::Prose,
        }
    }

    /// Returns the format that the store keeps under a name.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = Kind::all().map(Self::Other);
        [Self::Markdown, Self::Plain]
            .into_iter()
            .chain(all)
            .find(|format| format.name() == name)
    }

    /// Returns the name the store keeps.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Plain => "plain",
            Self::Other(kind) => kind.name(),
        }
    }
}

/// What well-known properties say.
pub(crate) fn facts_of(properties: &Map<String, Value>) -> Facts {
    frontmatter::understand(properties).facts
}

/// Understands the text of the file at `path`.
pub fn parse(path: &str, text: CleanText, format: Format) -> (Note, Vec<Warning>) {
    let mut text = text.into_string();
    let mut warnings = Vec::new();
    let mut front = match format {
        Format::Markdown => frontmatter::split(&text, &mut warnings),
        _ => frontmatter::FrontMatter::default(),
    };
    let body = match format {
        Format::Markdown => body::parse_markdown(&mut text, front.body_start),
        _ => body::parse_plain(&text),
    };
    frontmatter::add_fields(&mut front.properties, body.fields);
    let known = frontmatter::understand(&front.properties);
    let title = naming_heading(path, &text, &body.headings, &body.blocks)
        .map(str::to_owned)
        .or(known.title)
        .filter(|title| !title.is_empty())
        .unwrap_or_else(|| file_stem(path).to_owned());
    let mut tags = known.tags;
    let mut seen: HashSet<String> = tags.iter().map(|tag| tag.to_ascii_lowercase()).collect();
    for tag in body.tags {
        if seen.insert(tag.to_ascii_lowercase()) {
            tags.push(tag);
        }
    }
    let mut links = front.links;
    links.extend(body.links);
    let language = words::detect(&text[front.body_start..]);
    let note = Note {
        title,
        language,
        body_start: front.body_start,
        headings: body.headings,
        blocks: body.blocks,
        properties: front.properties,
        tags,
        aliases: known.aliases,
        links,
        parts: Vec::new(),
        own: None,
        lines: Vec::new(),
        facts: known.facts,
        text,
    };
    (note, warnings)
}

/// Returns the H1 that names the note: the first thing in it, and either the only H1 or one that agrees
/// with the file name. Below other text it is a section, and so is "Usage" on top of several.
fn naming_heading<'h>(
    path: &str,
    text: &str,
    headings: &'h [Heading],
    blocks: &[Block],
) -> Option<&'h str> {
    let first = headings.first().filter(|first| first.level == 1)?;
    let mut seen = blocks
        .iter()
        .filter(|block| text[block.range.clone()].contains(char::is_alphanumeric));
    if seen.next()?.range.start != first.range.start {
        return None;
    }
    let is_only = headings.iter().filter(|h| h.level == 1).count() == 1;
    let words_of = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let of_file = words_of(file_stem(path));
    let agrees = || {
        let words = words_of(&first.text);
        words.iter().any(|word| of_file.contains(word))
    };
    (is_only || agrees()).then_some(first.text.as_str())
}

/// Returns the bytes of the YAML between the fences of a front matter.
pub fn front_matter(text: &str) -> Option<std::ops::Range<usize>> {
    frontmatter::yaml(text).map(|(start, end)| start..end)
}

/// Returns the byte offset at which the front matter of a text ends, 0 without any.
pub fn body_start(text: &str) -> usize {
    frontmatter::end(text)
}

/// Returns the day that the path of a note names, as `YYYY-MM-DD`.
pub(crate) fn date_of_path(path: &str) -> Option<String> {
    date::of_path(path).map(|date| date.to_string())
}

/// Returns the file name without folder and extension.
pub fn file_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// Returns a short number that stands for a path and never changes.
pub(crate) fn path_key(path: &str) -> u32 {
    path.bytes().fold(0x811C_9DC5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Returns PARA category and area: `2-Areas/Finance/Taxes/x.md` lies in `2-Areas`, `Finance`.
pub fn para(path: &str) -> (Option<&str>, Option<&str>) {
    let Some((folders, _)) = path.rsplit_once('/') else {
        return (None, None);
    };
    let mut parts = folders.split('/');
    (parts.next(), parts.next())
}

#[cfg(test)]
mod tests;

/// Whether a tag is the one asked for or lies below it, as `work/x` lies below `work`.
pub(crate) fn is_tag_or_below(own: &str, asked: &str) -> bool {
    let (own, asked) = (own.to_lowercase(), asked.to_lowercase());
    own.strip_prefix(&asked)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
