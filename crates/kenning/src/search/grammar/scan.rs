//! Where the pieces of a query end. Pure; each function looks at the start of what is left.

/// Flags of a JavaScript regular expression.
const REGEX_FLAGS: &str = "dgimsuvy";

/// "And", "or" and their like in languages that write "Inhaberkarten und -marken".
pub(super) const JOINING: [&str; 14] = [
    "und",
    "oder",
    "sowie",
    "bzw",
    "bzw.",
    "beziehungsweise",
    "u.",
    "en",
    "of",
    "och",
    "eller",
    "og",
    "ja",
    "tai",
];

/// Returns the length of the word at the start; in a bracket it ends where the bracket closes.
pub(super) fn word_len(rest: &str, is_in_bracket: bool) -> usize {
    let mut n_open = 0;
    for (at, c) in rest.char_indices() {
        match c {
            c if c.is_whitespace() => return at,
            '(' => n_open += 1,
            ')' if n_open > 0 => n_open -= 1,
            ')' if is_in_bracket => return at,
            _ => {}
        }
    }
    rest.len()
}

/// Whether the word at the start is `OR`.
pub(super) fn is_or(rest: &str, is_in_bracket: bool) -> bool {
    rest.strip_prefix("OR").is_some_and(|after| {
        let next = after.chars().next();
        next.is_none_or(|c| c.is_whitespace() || (c == ')' && is_in_bracket))
    })
}

/// Whether a token that begins with `c` may be more than a word.
pub(super) fn is_special(rest: &str) -> bool {
    rest.starts_with(['"', '“', '„', '/', '(', '[', '#'])
}

/// Whether the hyphen at the start negates what follows.
///
/// `-5`, `--flag`, `->` and `-v` are words: numbers, arrows and what is typed into terminals.
pub(super) fn is_negation(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix('-') else {
        return false;
    };
    if is_special(rest) {
        return true;
    }
    let word = &rest[..word_len(rest, false)];
    let Some(first) = word.chars().next() else {
        return false;
    };
    let is_word = word.chars().any(|c| c.is_alphanumeric() || !c.is_ascii());
    let is_start = if first.is_ascii() {
        first.is_ascii_alphabetic() || first == '_'
    } else {
        !first.is_numeric() && !matches!(first as u32, 0x2010..=0x206F)
    };
    let is_flag = word.len() == 1;
    is_word && is_start && !is_flag
}

/// Reads a phrase in straight or curly quotes; returns its text and its length.
pub(super) fn phrase(rest: &str) -> Option<(String, usize)> {
    let closing: &[char] = match rest.chars().next()? {
        '"' => &['"'],
        // Phones type “these”, and German ones „these“.
        '“' => &['”', '"'],
        '„' => &['“', '”', '"'],
        _ => return None,
    };
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if closing.contains(&c) {
            return Some((text, at + c.len_utf8()));
        }
        match chars.peek() {
            Some(&(_, next)) if c == '\\' && (next == '\\' || closing.contains(&next)) => {
                text.push(next);
                chars.next();
            }
            _ => text.push(c),
        }
    }
    None
}

/// Reads `/source/flags`; returns both and the length. Paths such as `/usr/bin` are not regular expressions.
pub(super) fn regex(rest: &str) -> Option<(&str, &str, usize)> {
    let inner = rest.strip_prefix('/')?;
    let mut is_in_class = false;
    let mut is_escaped = false;
    let mut end = None;
    // A slash ends it even in a class if that is never closed: a slip, which is told as such.
    let mut end_in_class = None;
    for (at, c) in inner.char_indices() {
        match c {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => is_in_class = true,
            ']' => (is_in_class, end_in_class) = (false, None),
            '/' if is_in_class => end_in_class = end_in_class.or(Some(at)),
            '/' => {
                end = Some(at);
                break;
            }
            _ => {}
        }
    }
    let source = &inner[..end.or(end_in_class)?];
    // "1 / 2 and 3 / 4" is arithmetic.
    if source.is_empty() || source.starts_with(char::is_whitespace) {
        return None;
    }
    let after = &inner[source.len() + 1..];
    let n_flags = after
        .find(|c| !REGEX_FLAGS.contains(c))
        .unwrap_or(after.len());
    let is_over = is_boundary(&after[n_flags..]);
    is_over.then_some((source, &after[..n_flags], source.len() + 2 + n_flags))
}

/// Whether a token may end before `rest`.
fn is_boundary(rest: &str) -> bool {
    rest.chars()
        .next()
        .is_none_or(|c| c.is_whitespace() || matches!(c, ')' | ']'))
}

/// Returns the length of `[…]`; quotes and regular expressions in it may hold brackets.
pub(super) fn bracket_len(rest: &str) -> Option<usize> {
    let mut at = 1;
    let mut is_at_start = true;
    while let Some(c) = rest[at..].chars().next() {
        let inner = &rest[at..];
        let skipped = match c {
            ']' => return Some(at + 1),
            '[' | '\n' => return None,
            '"' if is_at_start => phrase(inner).map(|(_, len)| len),
            '/' if is_at_start => regex(inner).map(|(_, _, len)| len),
            _ => None,
        };
        is_at_start = c.is_whitespace() || matches!(c, ':' | '(' | '-');
        at += skipped.unwrap_or(c.len_utf8());
    }
    None
}

/// Takes `[name]` or `[name:value]` apart, if it is one and not a `[1]`, `[x]` or `[text](url)`.
pub(super) fn property<'a>(bracket: &'a str, after: &str) -> Option<(&'a str, Option<&'a str>)> {
    let inner = bracket.strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = match split_name(inner) {
        Some((name, value)) => (name, Some(value.trim())),
        None => (inner, None),
    };
    let name = name.trim().trim_matches('"');
    let is_mark = name.eq_ignore_ascii_case("x") || name.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = is_mark && value.is_none();
    (!name.is_empty() && !is_plain && is_boundary(after)).then_some((name, value))
}

/// Splits at the first colon that is not in the quotes around the name.
fn split_name(inner: &str) -> Option<(&str, &str)> {
    let quoted_len = phrase(inner).map_or(0, |(_, len)| len);
    let at = quoted_len + inner[quoted_len..].find(':')?;
    Some((&inner[..at], &inner[at + 1..]))
}

/// Reads what follows a bare `#`; `#123` and `#!sh` are not tags.
pub(super) fn tag(word: &str) -> Option<&str> {
    let len = word.find(|c: char| !is_tag_char(c)).unwrap_or(word.len());
    let is_whole = word[len..]
        .chars()
        .all(|c| matches!(c, ',' | '.' | ';' | ':' | '!' | '?'));
    let name = word[..len].trim_end_matches('/');
    let is_name = name.chars().any(|c| !c.is_ascii_digit() && c != '/');
    (is_whole && is_name).then_some(name)
}

/// Returns the name in `tag:#name`, without what a sentence leaves behind it.
pub(super) fn tag_value(word: &str) -> &str {
    if is_special(word) && !word.starts_with('#') {
        return word;
    }
    word.trim_start_matches('#')
        .trim_end_matches(['/', ',', '.', ';', ':', '!', '?'])
}

/// The alphabet of tags, as notes are read.
fn is_tag_char(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '_' | '-' | '/')
        || (!c.is_ascii() && !c.is_whitespace() && !is_general_punctuation(c))
}

fn is_general_punctuation(c: char) -> bool {
    matches!(c as u32, 0x2000..=0x206F | 0x3000..=0x303F | 0xFF00..=0xFF0F | 0x00A0..=0x00BF)
}
