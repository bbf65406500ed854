//! Addresses of notes as resources: `ken://domain/path`, percent-encoded as URIs are.

use percent_encoding::percent_decode_str;

use crate::wire::encode;

const SCHEME: &str = "ken://";

/// Returns the address of a note.
pub(super) fn uri(domain: &str, path: &str) -> String {
    let path: Vec<String> = path.split('/').map(encode).collect();
    format!("{SCHEME}{}/{}", encode(domain), path.join("/"))
}

/// Returns the domain and the path that an address names.
pub(super) fn parse(uri: &str) -> Option<(String, String)> {
    let (domain, path) = uri.strip_prefix(SCHEME)?.split_once('/')?;
    Some((decode(domain)?, decode(path)?))
}

/// Returns the type of a note's text: what is kept of other formats than Markdown is plain text.
pub(super) fn mime_type(path: &str) -> &'static str {
    let is_markdown = path.rsplit_once('.').is_some_and(|(_, ending)| {
        ending.eq_ignore_ascii_case("md") || ending.eq_ignore_ascii_case("markdown")
    });
    if is_markdown {
        "text/markdown"
    } else {
        "text/plain"
    }
}

/// Decodes a part of an address; a `%` without two digits behind it makes it none.
fn decode(text: &str) -> Option<String> {
    let is_escape =
        |rest: &str| rest.len() > 1 && rest.bytes().take(2).all(|b| b.is_ascii_hexdigit());
    if !text.split('%').skip(1).all(is_escape) {
        return None;
    }
    Some(percent_decode_str(text).decode_utf8().ok()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_back_to_its_note() {
        for (domain, path, expected) in [
            ("work", "a/b.md", "ken://work/a/b.md"),
            (
                "my work",
                "ä b/#1 50%.md",
                "ken://my%20work/%C3%A4%20b/%231%2050%25.md",
            ),
        ] {
            assert_eq!(uri(domain, path), expected);
            let parsed = parse(expected).unwrap();
            assert_eq!((parsed.0.as_str(), parsed.1.as_str()), (domain, path));
        }
    }

    #[test]
    fn what_is_no_address_is_none() {
        for text in [
            "note.md",
            "ken://work",
            "ken://work/%zz",
            "ken://work/%4",
            "ken://work/%ff",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
