//! HTML into tags and text, as forgiving as a browser and without building a tree.

use std::borrow::Cow;

use quick_xml::escape::resolve_html5_entity;

/// A tag or a stretch of text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// An opening tag: lower-case name and raw attributes.
    Open(String, &'t str),
    /// A closing tag: lower-case name.
    Close(String),
    /// Text as written, entities unread.
    Text(&'t str),
}

/// Elements whose content is not markup.
const RAW: [&str; 6] = ["script", "style", "textarea", "title", "xmp", "noscript"];

/// Splits HTML into tokens; comments, doctypes and the content of scripts and styles are left out.
pub(super) fn split(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut position = 0;
    // Behind the last `>` nothing can be a tag; looking for its end again and again would be slow.
    let last_end = text.rfind('>').unwrap_or(0);
    while let Some(found) = text[position..].find('<') {
        let start = position + found;
        if start > last_end {
            break;
        }
        push_text(&mut tokens, &text[position..start]);
        position = match tag(text, start) {
            Some((token, end)) => take(&mut tokens, token, text, end),
            None => match skipped_markup(text, start) {
                Some(end) => end,
                None => {
                    push_text(&mut tokens, &text[start..=start]);
                    start + 1
                }
            },
        };
    }
    push_text(&mut tokens, &text[position..]);
    tokens
}

/// Returns the value of an attribute, entities read.
pub(super) fn attribute<'t>(attributes: &'t str, name: &str) -> Option<Cow<'t, str>> {
    let mut rest = attributes;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            return None;
        }
        let n_name = rest
            .find(|c: char| c.is_ascii_whitespace() || c == '=')
            .unwrap_or(rest.len());
        let known = &rest[..n_name];
        rest = rest[n_name..].trim_start();
        let mut value = "";
        match rest.strip_prefix('=') {
            Some(after) => (value, rest) = quoted(after.trim_start()),
            // An attribute without a name would never be passed.
            None if n_name == 0 => return None,
            None => {}
        }
        if known.eq_ignore_ascii_case(name) {
            return Some(unescape(value));
        }
    }
}

/// Reads the entities of a text; unknown ones stay as they are written.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('&') else {
        return Cow::Borrowed(text);
    };
    let mut plain = String::with_capacity(text.len());
    plain.push_str(&text[..first]);
    let mut rest = &text[first..];
    while let Some(found) = rest.find('&') {
        plain.push_str(&rest[..found]);
        rest = &rest[found..];
        match entity(rest) {
            Some((n_bytes, meaning)) => {
                plain.push_str(&meaning);
                rest = &rest[n_bytes..];
            }
            None => {
                plain.push('&');
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

fn push_text<'t>(tokens: &mut Vec<Token<'t>>, text: &'t str) {
    if !text.is_empty() {
        tokens.push(Token::Text(text));
    }
}

/// Keeps a tag and returns where the next token starts.
fn take<'t>(tokens: &mut Vec<Token<'t>>, token: Token<'t>, text: &'t str, end: usize) -> usize {
    let raw = match &token {
        Token::Open(name, attributes) if !attributes.ends_with('/') => {
            RAW.into_iter().find(|raw| raw == name)
        }
        _ => None,
    };
    tokens.push(token);
    let Some(raw) = raw else {
        return end;
    };
    let close = find_close(&text[end..], raw).map_or(text.len(), |found| end + found);
    if matches!(raw, "title" | "textarea" | "xmp") {
        push_text(tokens, &text[end..close]);
    }
    close
}

fn find_close(text: &str, name: &str) -> Option<usize> {
    let mut position = 0;
    while let Some(found) = text[position..].find("</") {
        let start = position + found;
        let after = &text.as_bytes()[start + 2..];
        if after.len() >= name.len() && after[..name.len()].eq_ignore_ascii_case(name.as_bytes()) {
            return Some(start);
        }
        position = start + 2;
    }
    None
}

/// Reads the tag at `start` and returns it with the offset behind it.
fn tag(text: &str, start: usize) -> Option<(Token<'_>, usize)> {
    let bytes = text.as_bytes();
    let is_close = bytes.get(start + 1) == Some(&b'/');
    let name_start = start + 1 + usize::from(is_close);
    if !bytes.get(name_start)?.is_ascii_alphabetic() {
        return None;
    }
    let n_name = bytes[name_start..]
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'))?;
    let name_end = name_start + n_name;
    let name = text[name_start..name_end].to_ascii_lowercase();
    let end = tag_end(bytes, name_end)?;
    let token = match is_close {
        true => Token::Close(name),
        false => Token::Open(name, text[name_end..end].trim()),
    };
    Some((token, end + 1))
}

/// Finds the `>` that ends a tag, passing over quoted values.
fn tag_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut quote = None;
    let mut before = b' ';
    for (position, &byte) in bytes.iter().enumerate().skip(start) {
        match quote {
            Some(mark) if byte == mark => quote = None,
            Some(_) => {}
            None if byte == b'>' => return Some(position),
            // Quotes count only where a value starts; a stray one must not swallow the page.
            None if matches!(byte, b'"' | b'\'') && before == b'=' => quote = Some(byte),
            None => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    // The quote never closed: the first `>` is the best guess.
    bytes[start..]
        .iter()
        .position(|&byte| byte == b'>')
        .map(|found| start + found)
}

/// Passes over a comment, doctype or processing instruction.
fn skipped_markup(text: &str, start: usize) -> Option<usize> {
    let rest = &text[start..];
    if let Some(comment) = rest.strip_prefix("<!--") {
        return Some(
            comment
                .find("-->")
                .map_or(text.len(), |found| start + 4 + found + 3),
        );
    }
    if rest.starts_with("<!") || rest.starts_with("<?") || rest.starts_with("</") {
        return Some(rest.find('>').map_or(text.len(), |found| start + found + 1));
    }
    None
}

fn quoted(text: &str) -> (&str, &str) {
    let mark = text.chars().next();
    if let Some(mark @ ('"' | '\'')) = mark {
        let inner = &text[1..];
        return match inner.find(mark) {
            Some(end) => (&inner[..end], &inner[end + 1..]),
            None => (inner, ""),
        };
    }
    let end = text
        .find(|c: char| c.is_ascii_whitespace())
        .unwrap_or(text.len());
    text.split_at(end)
}

/// Reads the entity at the start of `text`: its length and what it stands for.
fn entity(text: &str) -> Option<(usize, String)> {
    let body = text.get(1..)?;
    if let Some(number) = body.strip_prefix('#') {
        let (radix, digits) = match number.strip_prefix(['x', 'X']) {
            Some(digits) => (16, digits),
            None => (10, number),
        };
        let n_digits = digits
            .bytes()
            .take(8)
            .take_while(|byte| char::from(*byte).is_digit(radix))
            .count();
        let code = u32::from_str_radix(&digits[..n_digits], radix).ok()?;
        let n_bytes = text.len() - digits.len() + n_digits;
        let has_end = text.as_bytes().get(n_bytes) == Some(&b';');
        let character = char::from_u32(code)
            .filter(|&c| c != '\0')
            .unwrap_or('\u{fffd}');
        return Some((n_bytes + usize::from(has_end), character.to_string()));
    }
    let n_name = body
        .bytes()
        .take(32)
        .take_while(u8::is_ascii_alphanumeric)
        .count();
    let meaning = resolve_html5_entity(&body[..n_name])?;
    let has_end = body.as_bytes().get(n_name) == Some(&b';');
    // Without the semicolon only the oldest entities count; `&copy=1` in an address is not an entity.
    if !has_end && !matches!(&body[..n_name], "amp" | "lt" | "gt" | "nbsp" | "quot") {
        return None;
    }
    Some((1 + n_name + usize::from(has_end), meaning.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_text_and_scripts() {
        let tokens = split("<P class='a>b'>x < y<script>if (a<b) '</p>'</SCRIPT><!-- c --></p>");
        assert_eq!(
            tokens,
            [
                Token::Open("p".into(), "class='a>b'"),
                Token::Text("x "),
                Token::Text("<"),
                Token::Text(" y"),
                Token::Open("script".into(), ""),
                Token::Close("script".into()),
                Token::Close("p".into()),
            ]
        );
    }

    #[test]
    fn attributes_are_found() {
        let raw = r#"hidden data-x = "1 &amp; 2" NAME=author content='a b'/"#;
        assert_eq!(attribute(raw, "data-x").as_deref(), Some("1 & 2"));
        assert_eq!(attribute(raw, "name").as_deref(), Some("author"));
        assert_eq!(attribute(raw, "content").as_deref(), Some("a b"));
        assert_eq!(attribute(raw, "hidden").as_deref(), Some(""));
        assert_eq!(attribute(raw, "class"), None);
    }

    #[test]
    fn entities_are_read_and_unknown_ones_kept() {
        assert_eq!(
            unescape("a &lt;b&gt; &eacute;&#233;&#xE9; &nope; &copy=1 & &amp"),
            "a <b> ééé &nope; &copy=1 & &"
        );
        assert_eq!(unescape("&#0;&#x110000;&#"), "\u{fffd}\u{fffd}&#");
    }
}
