//! Feeds (RSS, Atom) and outlines (OPML) into items. They are read as a stream; entities of their own are never
//! expanded. Pure.

use quick_xml::Reader;
use quick_xml::escape::{resolve_html5_entity, unescape_with};
use quick_xml::events::{BytesStart, Event};

use super::item::day;

/// Entries that are taken of one feed, or lines of one outline.
const ENTRIES_MAX: usize = 100_000;
/// How deep an outline may be nested.
const DEPTH_MAX: usize = 64;

/// What an XML file turned out to be.
#[derive(Debug, PartialEq)]
pub(super) enum Read {
    /// A feed: its title, and its entries.
    Feed(Option<String>, Vec<Entry>),
    /// An outline: its title, and a nested list.
    Outline(Option<String>, String),
    /// Something else.
    Other,
}

/// An entry of a feed. Texts are HTML.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Entry {
    pub(super) title: String,
    pub(super) url: Option<String>,
    pub(super) author: Option<String>,
    pub(super) published: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) html: String,
}

/// Reads a feed or an outline; what it is, its first element says.
pub(super) fn read(text: &str) -> Result<Read, String> {
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event().map_err(told)? {
            Event::Start(start) => {
                return match local(&start).as_str() {
                    "rss" | "rdf" | "feed" => feed(reader),
                    "opml" => outline(reader),
                    _ => Ok(Read::Other),
                };
            }
            Event::Eof => return Ok(Read::Other),
            _ => {}
        }
    }
}

fn told(error: quick_xml::Error) -> String {
    format!("it is no XML: {error}")
}

fn local(start: &BytesStart<'_>) -> String {
    start.local_name().as_ref().to_lowercase()
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.attributes().flatten();
    let mut found = found.filter(|known| known.key.local_name().as_ref() == name);
    let value = found.next()?;
    Some(unescaped(&value.value)).filter(|value| !value.trim().is_empty())
}

fn unescaped(raw: &str) -> String {
    match unescape_with(raw, resolve_html5_entity) {
        Ok(text) => text.into_owned(),
        Err(_) => raw.to_owned(),
    }
}

/// What stands inside an element: marked text as it is, escaped text unescaped, other markup as it is.
fn inside(raw: &str) -> String {
    let trimmed = raw.trim();
    if let Some(rest) = trimmed.strip_prefix("<![CDATA[") {
        return rest
            .replace("]]><![CDATA[", "")
            .trim_end_matches("]]>")
            .to_owned();
    }
    match trimmed.contains('<') {
        true => trimmed.to_owned(),
        false => unescaped(trimmed),
    }
}

fn feed(mut reader: Reader<&[u8]>) -> Result<Read, String> {
    let mut title = None;
    let mut entries = Vec::new();
    let mut current: Option<Entry> = None;
    loop {
        match reader.read_event().map_err(told)? {
            Event::Start(start) => {
                let name = local(&start);
                match (&mut current, name.as_str()) {
                    (None, "item" | "entry") => current = Some(Entry::default()),
                    (None, "rss" | "rdf" | "channel" | "feed") => {}
                    (Some(entry), _) => {
                        let href = attribute(&start, "href");
                        let end = start.to_end().into_owned();
                        let raw = reader.read_text(end.name()).map_err(told)?;
                        entry.put(&name, href, inside(&raw));
                    }
                    (None, other) => {
                        let is_title = other == "title" && title.is_none();
                        let end = start.to_end().into_owned();
                        let raw = reader.read_text(end.name()).map_err(told)?;
                        if is_title {
                            title = Some(inside(&raw));
                        }
                    }
                }
            }
            Event::Empty(start) => {
                if let Some(entry) = &mut current {
                    entry.put_empty(&start);
                }
            }
            Event::End(end) => {
                let name = end.local_name().as_ref().to_lowercase();
                if matches!(name.as_str(), "item" | "entry") {
                    entries.extend(current.take());
                }
                if entries.len() >= ENTRIES_MAX {
                    return Err(format!("it has more than {ENTRIES_MAX} entries"));
                }
            }
            Event::Eof => return Ok(Read::Feed(title, entries)),
            _ => {}
        }
    }
}

impl Entry {
    fn put(&mut self, name: &str, href: Option<String>, value: String) {
        match name {
            "title" => self.title = value,
            "link" => self.url = self.url.take().or(href).or(non_empty(value)),
            "guid" | "id" if self.url.is_none() && value.starts_with("http") => {
                self.url = Some(value);
            }
            "author" | "creator" => self.author = self.author.take().or(author(&value)),
            "pubdate" | "published" | "date" => self.published = day(&value),
            "updated" => self.published = self.published.take().or(day(&value)),
            "category" | "subject" => self.tags.extend(non_empty(value)),
            // The longer of summary and content is the text.
            "description" | "summary" | "content" | "encoded" if value.len() > self.html.len() => {
                self.html = value;
            }
            _ => {}
        }
    }

    fn put_empty(&mut self, start: &BytesStart<'_>) {
        match local(start).as_str() {
            "link" => {
                let rel = attribute(start, "rel");
                if rel.is_none_or(|rel| rel == "alternate") {
                    self.url = self.url.take().or(attribute(start, "href"));
                }
            }
            "category" => self.tags.extend(attribute(start, "term")),
            _ => {}
        }
    }
}

fn non_empty(text: String) -> Option<String> {
    let text = text.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// `<name>Ada</name>` of Atom, `ada@a.example (Ada)` of RSS, or the name itself.
fn author(value: &str) -> Option<String> {
    if let Some((_, rest)) = value.split_once("<name>") {
        return non_empty(unescaped(rest.split("</name>").next()?));
    }
    let named = value
        .split_once('(')
        .map(|(_, name)| name.trim_end_matches(')'));
    non_empty(named.unwrap_or(value).to_owned())
}

fn outline(mut reader: Reader<&[u8]>) -> Result<Read, String> {
    let mut title = None;
    let mut list = String::new();
    let (mut depth, mut n_lines) = (0usize, 0);
    loop {
        let event = reader.read_event().map_err(told)?;
        match &event {
            Event::Start(start) if local(start) == "title" => {
                let end = start.to_end().into_owned();
                let raw = reader.read_text(end.name()).map_err(told)?;
                title = non_empty(inside(&raw));
            }
            Event::Start(start) | Event::Empty(start) if local(start) == "outline" => {
                list.push_str(&line(start, depth.min(DEPTH_MAX)));
                n_lines += 1;
                depth += usize::from(matches!(event, Event::Start(_)));
            }
            Event::End(end) if end.local_name().as_ref() == "outline" => {
                depth = depth.saturating_sub(1);
            }
            Event::Eof => return Ok(Read::Outline(title, list)),
            _ => {}
        }
        if n_lines > ENTRIES_MAX {
            return Err(format!("it has more than {ENTRIES_MAX} lines"));
        }
    }
}

fn line(start: &BytesStart<'_>, depth: usize) -> String {
    let text = attribute(start, "text").or(attribute(start, "title"));
    let text = text.unwrap_or_default().replace(['\n', '\r'], " ");
    let address = ["htmlUrl", "url", "xmlUrl"];
    let address = address.iter().find_map(|name| attribute(start, name));
    let note = attribute(start, "_note").or(attribute(start, "description"));
    let note = note.map(|note| format!(": {}", note.replace(['\n', '\r'], " ")));
    let shown = match address {
        Some(url) => format!("[{}](<{url}>)", text.replace(['[', ']'], " ")),
        None => text,
    };
    format!(
        "{}- {shown}{}\n",
        "  ".repeat(depth),
        note.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rss_and_atom_are_read() {
        let rss = r#"<?xml version="1.0"?><rss><channel><title>News &amp; more</title><image><title>logo</title></image>
<item><title>One</title><link>https://a.example/1</link><description>short</description>
<content:encoded><![CDATA[<p>A long <b>text</b>.</p>]]></content:encoded><dc:creator>Ada</dc:creator>
<pubDate>Tue, 10 Jun 2003 04:00:00 GMT</pubDate><category>roof</category></item>
<item><title>Two</title><guid>https://a.example/2</guid><description>&lt;p&gt;Hi&lt;/p&gt;</description></item></channel></rss>"#;
        let Ok(Read::Feed(title, entries)) = read(rss) else {
            panic!("no feed")
        };
        assert_eq!(title.as_deref(), Some("News & more"));
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].html, "<p>A long <b>text</b>.</p>");
        assert_eq!(entries[0].author.as_deref(), Some("Ada"));
        assert_eq!(entries[0].published.as_deref(), Some("2003-06-10"));
        assert_eq!(entries[0].tags, ["roof"]);
        assert_eq!(entries[1].url.as_deref(), Some("https://a.example/2"));
        assert_eq!(entries[1].html, "<p>Hi</p>");

        let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><entry><title>Three</title>
<link rel="self" href="https://b.example/feed"/><link href="https://b.example/3"/><author><name>Bo</name></author>
<updated>2024-02-03T00:00:00Z</updated><content type="xhtml"><div><p>Text</p></div></content></entry></feed>"#;
        let Ok(Read::Feed(_, entries)) = read(atom) else {
            panic!("no feed")
        };
        assert_eq!(entries[0].url.as_deref(), Some("https://b.example/3"));
        assert_eq!(entries[0].author.as_deref(), Some("Bo"));
        assert_eq!(entries[0].published.as_deref(), Some("2024-02-03"));
        assert_eq!(entries[0].html, "<div><p>Text</p></div>");
    }

    #[test]
    fn an_outline_is_a_nested_list() {
        let opml = r#"<opml version="2.0"><head><title>Feeds</title></head><body><outline text="News">
<outline text="A" xmlUrl="https://a.example/feed" htmlUrl="https://a.example"/></outline><outline text="B"/></body></opml>"#;
        let list = "- News\n  - [A](<https://a.example>)\n- B\n";
        assert_eq!(
            read(opml),
            Ok(Read::Outline(Some("Feeds".to_owned()), list.to_owned()))
        );
        assert_eq!(read("<html><body/></html>"), Ok(Read::Other));
        assert!(read("<rss><item><title>x</rss>").is_err());
    }
}
