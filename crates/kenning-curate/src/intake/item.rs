//! One thing that may become a note, whatever it was read from. Its text is masked and clean. Pure.

use kenning::secrets;

/// Parameters of addresses that only tell who sent somebody.
const TRACKING: [&str; 8] = [
    "utm_", "fbclid", "gclid", "mc_cid", "mc_eid", "igshid", "ref_src", "msclkid",
];
/// Characters of an id.
const ID_CHARS: usize = 12;

/// Something that came in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// What it was read from: `note`, `page`, `document`, `signal`, `feed`, `outline` or `mail`.
    pub kind: String,
    /// Title.
    pub title: String,
    /// Where it is on the web, without what only tracks.
    pub url: Option<String>,
    /// Whom or what it comes from: a feed, a file.
    pub source: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// The day it is from, `YYYY-MM-DD`.
    pub published: Option<String>,
    /// Tags it has itself.
    pub tags: Vec<String>,
    /// Properties of a note, as they were written.
    pub properties: serde_json::Map<String, serde_json::Value>,
    /// Its text as Markdown, without front matter.
    pub text: String,
    /// Credentials that were masked in it.
    pub n_masked: usize,
    /// Path below the vault of the file that it comes from, where that lies in the vault already.
    pub in_vault: Option<String>,
}

impl Item {
    /// Makes an item of raw fields: credentials are masked in every one of them, and the text is cleaned.
    pub fn of(raw: Self) -> Self {
        let mut n_masked = raw.n_masked;
        let mut masked = |text: String| {
            let (text, found) = secrets::mask(text);
            n_masked += found.len();
            text.into_string()
        };
        let line = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = clean(&masked(raw.text));
        let title = line(masked(raw.title));
        Self {
            title: match title.is_empty() {
                true => first_words(&text),
                false => title,
            },
            url: raw.url.map(|url| masked(clean_url(url.trim()))),
            source: raw.source.map(|source| line(masked(source))),
            author: raw.author.map(|author| line(masked(author))),
            published: raw.published,
            tags: raw.tags.into_iter().map(&mut masked).collect(),
            kind: raw.kind,
            properties: raw.properties,
            in_vault: raw.in_vault,
            n_masked,
            text,
        }
    }

    /// Returns what it is known again by: the same thing has the same id, wherever it comes from.
    pub fn id(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in [&self.title, self.url.as_ref().unwrap_or(&String::new())] {
            hasher.update(part.trim().as_bytes());
            hasher.update(b"\0");
        }
        for word in self.text.split_whitespace() {
            hasher.update(word.as_bytes());
            hasher.update(b" ");
        }
        hasher.finalize().to_hex()[..ID_CHARS].to_owned()
    }
}

/// Returns a text with plain line ends, without trailing blanks and with at most one empty line in a row.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut n_blank = 0;
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.trim_end();
        n_blank = if line.is_empty() { n_blank + 1 } else { 0 };
        if n_blank < 2 && !(out.is_empty() && line.is_empty()) {
            out.extend(line.chars().filter(|c| !c.is_control() || *c == '\t'));
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// Takes off an address what only tracks.
fn clean_url(url: &str) -> String {
    let (whole, anchor) = match url.split_once('#') {
        Some((whole, anchor)) => (whole, Some(anchor)),
        None => (url, None),
    };
    let mut clean = match whole.split_once('?') {
        Some((path, query)) => {
            let is_kept = |part: &&str| !TRACKING.iter().any(|name| part.starts_with(name));
            let kept: Vec<&str> = query.split('&').filter(is_kept).collect();
            match kept.is_empty() {
                true => path.to_owned(),
                false => format!("{path}?{}", kept.join("&")),
            }
        }
        None => whole.to_owned(),
    };
    if let Some(anchor) = anchor.filter(|anchor| !anchor.is_empty()) {
        clean.push('#');
        clean.push_str(anchor);
    }
    clean
}

/// A text without a title is called by how it begins.
fn first_words(text: &str) -> String {
    let line = text
        .lines()
        .find(|line| line.contains(char::is_alphanumeric));
    let words = line.unwrap_or("Untitled").split_whitespace();
    let words: Vec<&str> = words
        .filter(|word| word.contains(char::is_alphanumeric))
        .collect();
    words.into_iter().take(8).collect::<Vec<_>>().join(" ")
}

/// Understands a date as feeds, mails and people write it; returns `YYYY-MM-DD`.
pub fn day(text: &str) -> Option<String> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let is_day = |year: u32, month: u32, day: u32| {
        let fits = (1000..=9999).contains(&year) && (1..=12).contains(&month);
        (fits && (1..=31).contains(&day)).then(|| format!("{year:04}-{month:02}-{day:02}"))
    };
    let numbers = |text: &str| -> Option<(u32, u32, u32)> {
        let mut parts = text.split('-').map(str::parse);
        Some((
            parts.next()?.ok()?,
            parts.next()?.ok()?,
            parts.next()?.ok()?,
        ))
    };
    if let Some((year, month, day)) = text.trim().get(..10).and_then(numbers) {
        return is_day(year, month, day);
    }
    // `Tue, 10 Jun 2003 04:00:00 GMT`
    let words: Vec<String> = text
        .split([' ', ',', '-'])
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let at = words.iter().position(|word| {
        let start = word.get(..3).unwrap_or_default();
        MONTHS.contains(&start)
    })?;
    let month = MONTHS
        .iter()
        .position(|month| words[at].starts_with(month))? as u32
        + 1;
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u32>().ok());
    let before = at.checked_sub(1).and_then(number);
    let (day, year) = match (before, number(at + 1), number(at + 2)) {
        (Some(day), Some(year), _) => (day, year),
        (None, Some(day), Some(year)) => (day, year),
        _ => return None,
    };
    is_day(if year < 100 { year + 2000 } else { year }, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_understood() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(day(text).as_deref(), expected);
        check("2024-03-01T10:00:00Z", Some("2024-03-01"));
        check("Tue, 10 Jun 2003 04:00:00 GMT", Some("2003-06-10"));
        check("10 June 2003", Some("2003-06-10"));
        check("June 10, 2003", Some("2003-06-10"));
        check("2024-13-01", None);
        check("yesterday", None);
        check("", None);
    }

    #[test]
    fn the_same_thing_has_the_same_id() {
        let item = |text: &str, url: &str| {
            Item::of(Item {
                title: " A  roof ".to_owned(),
                text: text.to_owned(),
                url: Some(url.to_owned()),
                ..Item::default()
            })
        };
        let one = item(
            "It leaks.\r\n\r\n\r\nBadly.  \r\n",
            "https://a.example/x?utm_source=b&id=1#",
        );
        let other = item("It leaks.\n\nBadly.", "https://a.example/x?id=1");
        assert_eq!(one.text, "It leaks.\n\nBadly.\n");
        assert_eq!(one.id(), other.id());
        assert_ne!(one.id(), item("It leaks.", "https://a.example/x?id=1").id());
        assert_eq!(first_words("\n# The roof leaks\n"), "The roof leaks");
    }

    #[test]
    fn credentials_are_masked_in_every_field() {
        let token = ["ghp", "x7Kp2mQ9vR4tW8zL3nB6cD1fG5hJ0sYaUeIo"].join("_");
        let item = Item::of(Item {
            title: format!("key {token}"),
            text: format!("token: {token}"),
            url: Some(format!("https://a.example/?t={token}")),
            ..Item::default()
        });
        assert!(!format!("{item:?}").contains(&token), "{item:?}");
        assert!(item.n_masked >= 3);
    }
}
