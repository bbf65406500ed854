//! Regular expressions as JavaScript writes them, for the `regex` crate. Pure.

use regex::{Regex, RegexBuilder};

/// Most bytes a compiled expression may take: what is typed must not eat the memory.
const COMPILED_BYTES_MAX: usize = 1 << 20;

/// A compiled regular expression.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// As typed, without the slashes.
    source: String,
    is_cased: bool,
    /// Whether a dot is also the end of a line: the flag `s`.
    is_across_lines: bool,
    regex: Regex,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        let parts = |of: &Self| (of.is_cased, of.is_across_lines);
        self.source == other.source && parts(self) == parts(other)
    }
}

impl Pattern {
    /// Compiles what stood between the slashes; `None` if it cannot be understood.
    ///
    /// As in Obsidian, case counts only if it is asked for, whatever the flags say.
    pub(super) fn new(source: &str, flags: &str, is_cased: bool) -> Option<Self> {
        let is_across_lines = flags.contains('s');
        let regex = RegexBuilder::new(&translate(source))
            .case_insensitive(!is_cased)
            // A note is made of lines; `^` for the very first one only would be of no use.
            .multi_line(true)
            .crlf(true)
            .dot_matches_new_line(is_across_lines)
            .size_limit(COMPILED_BYTES_MAX)
            .build()
            .ok()?;
        Some(Self {
            source: source.to_owned(),
            is_cased,
            is_across_lines,
            regex,
        })
    }

    /// Returns the expression as it was typed.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the expression as it is typed into a query.
    pub(super) fn shown(&self) -> String {
        let flags = if self.is_across_lines { "s" } else { "" };
        format!("/{}/{flags}", self.source)
    }

    /// Whether case counts.
    pub(super) fn is_cased(&self) -> bool {
        self.is_cased
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// Spells what JavaScript reads as plain text so that the `regex` crate does, too.
fn translate(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut is_in_class = false;
    let mut chars = source.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match c {
            '\\' => {
                chars.next();
                push_escaped(next, &mut out);
            }
            '[' if is_in_class => out.push_str("\\["),
            '[' => {
                is_in_class = true;
                out.push('[');
                if next == Some('^') {
                    chars.next();
                    out.push('^');
                }
            }
            ']' if is_in_class => {
                is_in_class = false;
                out.push(']');
            }
            // Doubled, these join classes in the `regex` crate.
            '&' | '~' | '-' if is_in_class && next == Some(c) => {
                out.push('\\');
                out.push(c);
            }
            '{' if !is_in_class && !is_counter(&source[at..]) && !ends_in_code(&out) => {
                out.push_str("\\{");
            }
            _ => out.push(c),
        }
    }
    out
}

/// Appends what a backslash stood before: JavaScript lets one stand before any sign.
fn push_escaped(escaped: Option<char>, out: &mut String) {
    match escaped {
        Some(c) if c.is_ascii_alphanumeric() => {
            out.push('\\');
            out.push(c);
        }
        Some(c) => out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        None => out.push('\\'),
    }
}

/// Whether a brace here would belong to `\u{1f600}`, `\x{41}` or `\p{L}`.
fn ends_in_code(out: &str) -> bool {
    ["\\u", "\\x", "\\p", "\\P"]
        .iter()
        .any(|code| out.ends_with(code))
}

/// Whether the brace opens a `{2}`, `{2,}` or `{2,5}`, not a plain brace.
fn is_counter(rest: &str) -> bool {
    let Some((inner, _)) = rest[1..].split_once('}') else {
        return false;
    };
    let (least, most) = inner.split_once(',').unwrap_or((inner, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !least.is_empty() && is_number(least) && is_number(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn check(source: &str, text: &str) -> String {
        match Pattern::new(source, "", false) {
            Some(pattern) => pattern.is_match(text).to_string(),
            None => "not understood".to_owned(),
        }
    }

    #[test]
    fn what_javascript_reads_is_read() {
        assert_snapshot!(check(r"\d{4}-\d{2}-\d{2}", "on 2026-03-05"), @"true");
        assert_snapshot!(check(r"a\/b", "a/b"), @"true");
        assert_snapshot!(check(r"[[\]]x", "]x"), @"true");
        assert_snapshot!(check(r"{{.*}}", "a {{name}}"), @"true");
        assert_snapshot!(check(r"\<b\>", "<b>"), @"true");
        assert_snapshot!(check(r"(?<year>\d+)\_\é", "12_é"), @"true");
        assert_snapshot!(check(r"[a&&b]", "&"), @"true");
        assert_snapshot!(check(r"[^a-c]{2,}", "abxx"), @"true");
        assert_snapshot!(check(r"caf\u00e9", "CAFÉ"), @"true");
        assert_snapshot!(check(r"^b$", "a\r\nb\r\nc"), @"true");
    }

    #[test]
    fn what_cannot_be_understood_says_so() {
        assert_snapshot!(check(r"(", ""), @"not understood");
        assert_snapshot!(check(r"(?=a)b", ""), @"not understood");
        assert_snapshot!(check(r"(a)\1", ""), @"not understood");
        assert_snapshot!(check(r"(((a{100}){100}){100}){100}", ""), @"not understood");
    }
}
