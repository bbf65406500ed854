//! Files into items. What a file is, its name says, or its first bytes. Formats that are not text are read by the
//! reader that is handed in, which may do so in another process.

use kenning::extract::{self, Kind, Reader};
use kenning::note::{self, Format, body_start, file_stem};
use kenning::secrets;
use serde_json::{Map, Value};

use super::feed::{self, Entry};
use super::item::{Item, day};

/// Said of what nobody here can read.
const NOT_READ: &str = "files of its kind are not read";

/// A file that was given.
#[derive(Clone, Debug)]
pub struct Given {
    /// Its name or path; `-` for what was piped.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// Its path below the vault, where it lies in it.
    pub in_vault: Option<String>,
}

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Taken {
    /// What may become notes.
    pub items: Vec<Item>,
    /// What of it could not be read, and why.
    pub troubles: Vec<String>,
}

/// What a file is.
enum Shape {
    Markdown,
    Lines,
    Json,
    Xml,
    Mailbox,
    Other(Kind),
}

/// Reads the items of a file.
///
/// # Errors
///
/// Why it could not be read at all, for a person.
pub fn read(given: Given, reader: &dyn Reader) -> Result<Taken, String> {
    let in_vault = given.in_vault.clone();
    let mut taken = items(given, reader)?;
    for item in &mut taken.items {
        item.in_vault.clone_from(&in_vault);
    }
    Ok(taken)
}

fn items(given: Given, reader: &dyn Reader) -> Result<Taken, String> {
    let shape = shape(&given)?;
    let name = file_stem(&given.name).to_owned();
    match shape {
        Shape::Other(kind) => Ok(document(kind, given, reader)?.into()),
        Shape::Mailbox => mailbox(&given, reader),
        shape => {
            let text = extract::decode(given.bytes.clone())?;
            match shape {
                Shape::Lines => Ok(signals(&text, &name, reader)),
                Shape::Json => json(&text, &name, reader),
                Shape::Xml => xml(given, &text, reader),
                _ => Ok(markdown(text, given).into()),
            }
        }
    }
}

impl From<Item> for Taken {
    fn from(item: Item) -> Self {
        Self {
            items: vec![item],
            troubles: Vec::new(),
        }
    }
}

fn shape(given: &Given) -> Result<Shape, String> {
    let name = given.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let extension = name
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_lowercase());
    Ok(match extension.as_deref() {
        Some("md" | "markdown" | "txt") => Shape::Markdown,
        Some("jsonl" | "ndjson") => Shape::Lines,
        Some("json") => Shape::Json,
        Some("xml" | "rss" | "atom" | "rdf" | "opml") => Shape::Xml,
        Some("mbox") => Shape::Mailbox,
        _ => match (Format::of(name), Kind::of(name)) {
            (Some(Format::Markdown | Format::Plain), _) => Shape::Markdown,
            (_, Some(Kind::Picture)) => return Err(NOT_READ.to_owned()),
            (_, Some(kind)) => Shape::Other(kind),
            _ if name == "-" => sniffed(&given.bytes),
            _ => return Err(NOT_READ.to_owned()),
        },
    })
}

/// Tells what was piped by how it begins.
fn sniffed(bytes: &[u8]) -> Shape {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(2048)]).to_lowercase();
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let is_headers = |head: &str| {
        let first = head.lines().next().unwrap_or_default();
        let name = first.split_once(':').map_or("", |(name, _)| name);
        matches!(
            name,
            "from" | "received" | "return-path" | "delivered-to" | "message-id"
        )
    };
    match head {
        _ if bytes.starts_with(b"%PDF") => Shape::Other(Kind::Pdf),
        _ if head.starts_with("<!doctype html") || head.starts_with("<html") => {
            Shape::Other(Kind::Html)
        }
        _ if head.starts_with("<?xml") || head.starts_with("<rss") || head.starts_with("<feed") => {
            Shape::Xml
        }
        _ if head.starts_with("<opml") => Shape::Xml,
        _ if head.starts_with('[')
            && head.trim_start_matches('[').trim_start().starts_with('{') =>
        {
            Shape::Json
        }
        _ if head.starts_with('{') => Shape::Lines,
        _ if head.starts_with("from ") => Shape::Mailbox,
        _ if is_headers(head) => Shape::Other(Kind::Email),
        _ => Shape::Markdown,
    }
}

/// A note.
fn markdown(text: String, given: Given) -> Item {
    let (clean, found) = secrets::mask(text);
    let body = clean[body_start(&clean)..].to_owned();
    let (note, _) = note::parse(&given.name, clean, Format::Markdown);
    let property = |names: &[&str]| {
        let mut values = names.iter().filter_map(|name| note.properties.get(*name));
        values.find_map(|value| value.as_str().map(str::to_owned))
    };
    let is_stdin = given.name == "-";
    Item::of(Item {
        kind: "note".to_owned(),
        title: if is_stdin && note.title == "-" {
            String::new()
        } else {
            note.title.clone()
        },
        url: property(&["url", "link", "source"]).filter(|url| url.starts_with("http")),
        source: property(&["source", "publication"]).or(file_name(&given.name)),
        author: note.facts.author.clone(),
        published: note.facts.published.clone().or(note.facts.created.clone()),
        tags: note.tags.clone(),
        n_masked: found.len(),
        in_vault: None,
        properties: note.properties.clone(),
        text: body,
    })
}

fn file_name(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    (name != "-").then(|| name.to_owned())
}

/// A page, a PDF, an office document, a mail: whatever the engine reads.
fn document(kind: Kind, given: Given, reader: &dyn Reader) -> Result<Item, String> {
    let head =
        String::from_utf8_lossy(&given.bytes[..given.bytes.len().min(16 << 10)]).into_owned();
    let own_name = if given.name == "-" {
        "piped"
    } else {
        &given.name
    };
    let extracted = reader.read(kind, own_name, given.bytes);
    let composed = note::compose(extracted.map_err(extract::Trouble::into_reason)?);
    let (kind, url) = match kind {
        Kind::Html => ("page", canonical(&head)),
        Kind::Email => ("mail", None),
        _ => ("document", None),
    };
    let title = composed.title.filter(|title| !title.trim().is_empty());
    Ok(Item::of(Item {
        kind: kind.to_owned(),
        title: title.unwrap_or_else(|| file_stem(own_name).to_owned()),
        source: file_name(&given.name),
        author: composed.author,
        published: composed.created,
        text: composed.text,
        url,
        ..Item::default()
    }))
}

/// Returns where a saved page says that it comes from.
fn canonical(head: &str) -> Option<String> {
    let quoted = |rest: &str| {
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        rest[1..].split(quote).next().map(str::to_owned)
    };
    for (mark, name) in [
        ("rel=\"canonical\"", "href="),
        ("property=\"og:url\"", "content="),
    ] {
        let Some(at) = head.find(mark) else { continue };
        let start = head[..at].rfind('<').unwrap_or(at);
        let tag = head[start..].split('>').next().unwrap_or_default();
        let value = tag.split_once(name).and_then(|(_, rest)| quoted(rest));
        if let Some(url) = value.filter(|url| url.starts_with("http")) {
            return Some(url);
        }
    }
    // Browsers note down where a page was saved from.
    let saved = head.split_once("saved from url=(").and_then(|(_, rest)| {
        let address = rest.split_once(')')?.1;
        address.split_whitespace().next().map(str::to_owned)
    });
    saved.filter(|url| url.starts_with("http"))
}

/// One signal on each line.
fn signals(text: &str, name: &str, reader: &dyn Reader) -> Taken {
    let mut taken = Taken::default();
    for (at, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        match serde_json::from_str(line) {
            Ok(Value::Object(fields)) => match signal(&fields, name, reader) {
                Ok(item) => taken.items.push(item),
                Err(trouble) => taken.troubles.push(format!("line {}: {trouble}", at + 1)),
            },
            Ok(_) => taken
                .troubles
                .push(format!("line {}: it is no JSON object", at + 1)),
            Err(error) => taken.troubles.push(format!("line {}: {error}", at + 1)),
        }
    }
    taken
}

/// A list of signals, one signal, or a JSON feed.
fn json(text: &str, name: &str, reader: &dyn Reader) -> Result<Taken, String> {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        // Several values behind each other are lines, whatever the file is called.
        Err(_) if text.lines().count() > 1 => return Ok(signals(text, name, reader)),
        Err(error) => return Err(format!("it is no JSON: {error}")),
    };
    let source = value["title"].as_str().unwrap_or(name).to_owned();
    let list = match &value {
        Value::Array(list) => list.clone(),
        Value::Object(fields) => match fields.get("items").and_then(Value::as_array) {
            Some(items) => items.clone(),
            None => vec![value.clone()],
        },
        _ => return Err("it holds no signals".to_owned()),
    };
    let mut taken = Taken::default();
    for (at, value) in list.iter().enumerate() {
        let item = match value {
            Value::Object(fields) => signal(fields, &source, reader),
            _ => Err("it is no JSON object".to_owned()),
        };
        match item {
            Ok(item) => taken.items.push(item),
            Err(trouble) => taken.troubles.push(format!("entry {}: {trouble}", at + 1)),
        }
    }
    Ok(taken)
}

fn signal(fields: &Map<String, Value>, from: &str, reader: &dyn Reader) -> Result<Item, String> {
    let field = |names: &[&str]| {
        let mut values = names.iter().filter_map(|name| fields.get(*name));
        values.find_map(|value| match value {
            Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
            Value::Object(inner) => inner.get("name").and_then(Value::as_str).map(str::to_owned),
            _ => None,
        })
    };
    let title = field(&["title"]);
    let text = field(&[
        "text",
        "content",
        "body",
        "content_text",
        "content_html",
        "summary",
    ]);
    if title.is_none() && text.is_none() {
        return Err("it has neither title nor text".to_owned());
    }
    let tags = fields.get("tags").and_then(Value::as_array);
    let tags = tags.into_iter().flatten().filter_map(Value::as_str);
    Ok(Item::of(Item {
        kind: "signal".to_owned(),
        title: title.unwrap_or_default(),
        url: field(&["url", "link", "external_url"]),
        source: field(&["source"]).or((from != "-").then(|| from.to_owned())),
        author: field(&["author"]),
        published: field(&["published", "date", "date_published"])
            .as_deref()
            .and_then(day),
        tags: tags.map(str::to_owned).collect(),
        text: plain(text.unwrap_or_default(), reader),
        ..Item::default()
    }))
}

/// Texts of signals and feeds may be HTML.
fn plain(text: String, reader: &dyn Reader) -> String {
    let marks = [
        "<p>", "<p ", "<br", "<div", "<ul", "<li", "<a ", "</", "<h1", "<h2", "<img",
    ];
    if !marks.iter().any(|mark| text.contains(mark)) {
        return text;
    }
    let html = format!("<html><body>{text}</body></html>").into_bytes();
    match reader.read(Kind::Html, "entry.html", html) {
        Ok(extracted) => note::compose(extracted).text,
        // What cannot be read as a page stays as it is: nothing is lost.
        Err(_) => text,
    }
}

fn xml(given: Given, text: &str, reader: &dyn Reader) -> Result<Taken, String> {
    let own = file_name(&given.name);
    match feed::read(text)? {
        feed::Read::Feed(title, entries) => {
            let source = title.or(own);
            let item = |entry: Entry| {
                Item::of(Item {
                    kind: "feed".to_owned(),
                    text: plain(entry.html, reader),
                    title: plain(entry.title, reader),
                    url: entry.url,
                    source: source.clone(),
                    author: entry.author,
                    published: entry.published,
                    tags: entry.tags,
                    ..Item::default()
                })
            };
            Ok(Taken {
                items: entries.into_iter().map(item).collect(),
                troubles: Vec::new(),
            })
        }
        feed::Read::Outline(title, list) => Ok(Item::of(Item {
            kind: "outline".to_owned(),
            title: title.unwrap_or_else(|| file_stem(&given.name).to_owned()),
            source: own,
            text: list,
            ..Item::default()
        })
        .into()),
        feed::Read::Other if text.to_lowercase().contains("<html") => {
            Ok(document(Kind::Html, given, reader)?.into())
        }
        feed::Read::Other => Err("it is neither a feed nor an outline".to_owned()),
    }
}

/// Mails behind each other, each after a line that begins with `From `.
fn mailbox(given: &Given, reader: &dyn Reader) -> Result<Taken, String> {
    let mut taken = Taken::default();
    let mut mails: Vec<Vec<u8>> = Vec::new();
    let mut is_blank = true;
    for line in given.bytes.split_inclusive(|byte| *byte == b'\n') {
        if is_blank && line.starts_with(b"From ") {
            mails.push(Vec::new());
        } else if let Some(mail) = mails.last_mut() {
            mail.extend_from_slice(
                line.strip_prefix(b">")
                    .filter(|rest| rest.starts_with(b"From "))
                    .unwrap_or(line),
            );
        }
        is_blank = line.iter().all(u8::is_ascii_whitespace);
    }
    for (at, bytes) in mails.into_iter().enumerate() {
        let mail = Given {
            name: format!("mail {}.eml", at + 1),
            bytes,
            in_vault: None,
        };
        match document(Kind::Email, mail, reader) {
            Ok(mut item) => {
                item.source = file_name(&given.name);
                taken.items.push(item);
            }
            Err(reason) => taken.troubles.push(format!("mail {}: {reason}", at + 1)),
        }
    }
    match taken.items.is_empty() && taken.troubles.is_empty() {
        true => Err("it holds no mails".to_owned()),
        false => Ok(taken),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning::extract::InProcess;

    fn taken(name: &str, text: &str) -> Taken {
        let given = Given {
            name: name.to_owned(),
            bytes: text.as_bytes().to_vec(),
            in_vault: None,
        };
        read(given, &InProcess::default()).unwrap_or_else(|reason| Taken {
            troubles: vec![reason],
            ..Taken::default()
        })
    }

    fn check(name: &str, text: &str, expected: &[(&str, &str, &str)]) {
        let taken = taken(name, text);
        let found: Vec<(&str, &str, &str)> = (taken.items.iter())
            .map(|item| (&*item.kind, &*item.title, item.text.trim()))
            .collect();
        assert_eq!(found, expected, "{:?}", taken.troubles);
    }

    #[test]
    fn what_is_given_is_told_by_name_or_beginning() {
        let note = "---\ntitle: Roof\nauthor: Esko\n---\nIt leaks.\n";
        check("in/roof.md", note, &[("note", "Roof", "It leaks.")]);
        check("-", note, &[("note", "Roof", "It leaks.")]);
        check(
            "-",
            "The roof leaks again\n",
            &[("note", "The roof leaks again", "The roof leaks again")],
        );
        let line = r#"{"title":"A","text":"<p>One <b>two</b>.</p>","url":"https://a.example"}"#;
        check(
            "s.jsonl",
            &format!("{line}\n\n"),
            &[("signal", "A", "One two.")],
        );
        check("-", line, &[("signal", "A", "One two.")]);
        check(
            "s.json",
            &format!("[{line}]"),
            &[("signal", "A", "One two.")],
        );
        let page = "<html><head><title>P</title><link rel=\"canonical\" href=\"https://p.example/x\"></head><body><p>Text.</p></body></html>";
        check("p.html", page, &[("page", "P", "Text.")]);
        assert_eq!(
            taken("-", page).items[0].url.as_deref(),
            Some("https://p.example/x")
        );
        let rss = "<rss><channel><title>F</title><item><title>E</title><description>&lt;p&gt;Hi&lt;/p&gt;</description></item></channel></rss>";
        check("f.xml", rss, &[("feed", "E", "Hi")]);
        let mail = "From: a@a.example\nSubject: Roof\nDate: Tue, 10 Jun 2003 04:00:00 +0000\n\nIt leaks.\n";
        assert_eq!(taken("m.eml", mail).items[0].kind, "mail");
        assert_eq!(
            taken(
                "m.mbox",
                &format!("From a@a.example x\n{mail}\nFrom b x\n{mail}")
            )
            .items
            .len(),
            2
        );
    }

    #[test]
    fn one_bad_line_does_not_cost_the_others() {
        let taken = taken(
            "s.jsonl",
            "{\"title\":\"A\"}\n{oops\n[]\n{}\n{\"text\":\"b\"}\n",
        );
        assert_eq!(taken.items.len(), 2);
        assert_eq!(taken.troubles.len(), 3);
        assert!(taken.troubles[0].starts_with("line 2: "));
    }
}
