//! YAML front matter: every property kept, the well-known ones understood.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::inline::{self, Link, LinkKind};
use super::{Facts, MemoryType, Warning, date};

/// What stands above the body.
#[derive(Default)]
pub(super) struct FrontMatter {
    pub(super) body_start: usize,
    pub(super) properties: Map<String, Value>,
    pub(super) links: Vec<Link>,
}

/// What the well-known properties say.
pub(super) struct Known {
    pub(super) title: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) aliases: Vec<String>,
    pub(super) facts: Facts,
}

/// What the day of publication is called, the surest first; see [`is_called`].
const PUBLISHED: [&str; 15] = [
    "published",
    "publishedat",
    "publishedon",
    "publisheddate",
    "datepublished",
    "publishdate",
    "publishat",
    "publicationdate",
    "pubdate",
    "dateposted",
    "posted",
    "releasedate",
    "veröffentlicht",
    "date",
    "datum",
];
/// What the day of creation is called.
const CREATED: [&str; 10] = [
    "created",
    "createdat",
    "createdon",
    "createddate",
    "datecreated",
    "creationdate",
    "creationtime",
    "ctime",
    "erstellt",
    "erstelltam",
];
/// What the day of the last change is called.
const MODIFIED: [&str; 20] = [
    "modified",
    "modifiedat",
    "modifiedon",
    "modifieddate",
    "datemodified",
    "modificationdate",
    "updated",
    "updatedat",
    "updatedon",
    "updateddate",
    "dateupdated",
    "lastmodified",
    "lastmod",
    "lastupdated",
    "lastupdate",
    "lastedited",
    "lastchanged",
    "mtime",
    "geändert",
    "aktualisiert",
];

/// Whether a property is called so, however it is spelled: `created_at`, `Created At`, `created-at`,
/// `createdAt`.
fn is_called(key: &str, name: &str) -> bool {
    let is_between = |c: &char| !matches!(c, ' ' | '_' | '-' | '.');
    let letters = key.chars().filter(is_between).flat_map(char::to_lowercase);
    letters.eq(name.chars())
}

/// Splits the front matter off and reads it. Broken YAML is a warning and yields no properties.
pub(super) fn split(text: &str, warnings: &mut Vec<Warning>) -> FrontMatter {
    let Some((yaml_start, yaml_end, body_start)) = fence(text) else {
        return FrontMatter::default();
    };
    let yaml = &text[yaml_start..yaml_end];
    // `no` and `off` are words before they are booleans, as in Obsidian.
    let options = serde_saphyr::options! { strict_booleans: true };
    let properties = match serde_saphyr::from_str_with_options::<Value>(yaml, options) {
        Ok(Value::Object(properties)) => properties,
        Ok(Value::Null) => Map::new(),
        Ok(_) => {
            warnings.push(warning("front matter is not a list of properties"));
            Map::new()
        }
        Err(_) => {
            warnings.push(warning("front matter is not valid YAML"));
            salvage(yaml)
        }
    };
    FrontMatter {
        body_start,
        links: links(yaml),
        properties,
    }
}

/// Understands the well-known properties.
pub(super) fn understand(properties: &Map<String, Value>) -> Known {
    let text_of = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| text(property(properties, name)?))
    };
    let date_of = |names: &[&str]| {
        names.iter().find_map(|name| {
            let mut all = properties.iter().filter(|(key, _)| is_called(key, name));
            all.find_map(|(_, value)| date(value))
        })
    };
    let memory_type = |names: &[&str]| {
        let mut named = names
            .iter()
            .filter_map(|name| text(property(properties, name)?));
        named.find_map(|name| MemoryType::from_name(&name))
    };
    let facts = Facts {
        summary: text_of(&["summary", "description"]),
        author: text_of(&["author", "authors"]),
        kind: text_of(&["kind", "type"]),
        memory_type: memory_type(&["memory_type", "kind", "type"]),
        status: text_of(&["status"]),
        published: date_of(&PUBLISHED),
        created: date_of(&CREATED),
        modified: date_of(&MODIFIED),
        evergreen: property(properties, "evergreen").is_some_and(is_true),
        superseded_by: text_of(&["superseded_by", "superseded-by", "superseded by"])
            .map(|name| plain_name(&name)),
    };
    let tags = ["tags", "tag"]
        .iter()
        .filter_map(|name| property(properties, name))
        .flat_map(|value| list(value, true))
        .map(|tag| {
            tag.trim_start_matches('#')
                .trim_matches(['[', ']'])
                .to_owned()
        })
        .filter(|tag| !tag.is_empty())
        .collect();
    let aliases = ["aliases", "alias"]
        .iter()
        .filter_map(|name| property(properties, name))
        .flat_map(|value| list(value, false))
        .collect();
    Known {
        title: text_of(&["title"]),
        tags,
        aliases,
        facts,
    }
}

/// Adds `key:: value` fields of the body, as Logseq and Dataview write them, below what the front
/// matter says itself.
pub(super) fn add_fields(properties: &mut Map<String, Value>, fields: Vec<(String, String)>) {
    let mut taken: HashSet<String> = match fields.is_empty() {
        true => return,
        false => properties
            .keys()
            .map(|key| key.to_ascii_lowercase())
            .collect(),
    };
    for (key, value) in fields {
        if taken.insert(key.to_ascii_lowercase()) {
            properties.insert(key, Value::from(value));
        }
    }
}

/// Returns where the YAML starts and ends.
pub(super) fn yaml(text: &str) -> Option<(usize, usize)> {
    fence(text).map(|(start, end, _)| (start, end))
}

/// Returns where the body starts.
pub(super) fn end(text: &str) -> usize {
    fence(text).map_or(0, |(_, _, body_start)| body_start)
}

/// Finds `---` … `---` at the very top; returns where the YAML starts and ends and the body starts.
fn fence(text: &str) -> Option<(usize, usize, usize)> {
    let start = text.strip_prefix('\u{feff}').map_or(0, |_| 3);
    let mut lines = text[start..].split_inclusive('\n');
    let first = lines.next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let yaml_start = start + first.len();
    let mut at = yaml_start;
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            return Some((yaml_start, at, at + line.len()));
        }
        at += line.len();
    }
    None
}

/// Reads the lines `key: value` of YAML that does not parse: one slip must not lose the tags.
fn salvage(yaml: &str) -> Map<String, Value> {
    yaml.lines()
        .filter(|line| !line.starts_with([' ', '\t', '-', '#']))
        .filter_map(|line| line.split_once(':'))
        .filter(|(key, value)| !key.trim().is_empty() && !value.trim().is_empty())
        .map(|(key, value)| (key.trim().to_owned(), Value::from(value.trim())))
        .collect()
}

fn property<'a>(properties: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    properties.get(name).or_else(|| {
        properties
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    })
}

/// A property as one line of text; lists are joined.
fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Array(_) => list(value, false).join(", "),
        _ => String::new(),
    };
    (!text.is_empty()).then_some(text)
}

/// A property as a list; one string counts as one entry, or as several between commas.
/// Tags may also stand apart by blanks, because a tag cannot contain one.
fn list(value: &Value, blanks_separate: bool) -> Vec<String> {
    let entries: Vec<String> = match value {
        Value::Array(values) => values.iter().filter_map(text).collect(),
        Value::String(text) => text.split(',').map(str::to_owned).collect(),
        other => text(other).into_iter().collect(),
    };
    let entries = entries.into_iter();
    // `[[two words]]` is one tag in Logseq.
    let is_apart = |c: char| matches!(c, ' ' | ',');
    let split: Vec<String> = entries
        .flat_map(|entry| match blanks_separate && !entry.contains("[[") {
            true => entry.split(is_apart).map(str::to_owned).collect(),
            false => vec![entry],
        })
        .collect();
    split
        .into_iter()
        .map(|entry| entry.trim().to_owned())
        .filter(|entry| !entry.is_empty())
        .collect()
}

/// A property as `YYYY-MM-DD`, if it starts with a date that exists.
fn date(value: &Value) -> Option<String> {
    date::parse(&text(value)?).map(|date| date.to_string())
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => *flag,
        Value::String(text) => matches!(text.to_ascii_lowercase().as_str(), "true" | "yes" | "on"),
        _ => false,
    }
}

/// `[[Note|shown]]` as the note's name.
fn plain_name(text: &str) -> String {
    let inner = text.trim_start_matches("[[").trim_end_matches("]]");
    inner.split('|').next().unwrap_or(inner).trim().to_owned()
}

fn links(yaml: &str) -> Vec<Link> {
    let mut links = Vec::new();
    // Line 1 is the fence.
    for (line, text) in (2..).zip(yaml.lines()) {
        inline::wikilinks(text, |target, shown, _| {
            links.push(Link::new(LinkKind::Property, target, shown, line));
        });
    }
    links
}

fn warning(message: &str) -> Warning {
    Warning {
        line: 1,
        message: message.to_owned(),
    }
}
