//! Colours for code: what is a comment, a string, a number, a keyword or a name. One scanner reads all languages by
//! rows of a table; it goes over a text once and understands no grammar, so that nothing in a note can make it slow.

use std::ops::Range;

use super::languages::{LANGUAGES, Language, Shape, has};
use super::markdown::escaped;

/// What a piece of code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Comment,
    Text,
    Number,
    Keyword,
    Name,
    Added,
    Removed,
}

impl Kind {
    /// Classes that the style knows; plain text has none.
    pub(super) const CLASSES: [&'static str; 7] = [
        "code-comment",
        "code-text",
        "code-number",
        "code-keyword",
        "code-name",
        "code-added",
        "code-removed",
    ];

    fn class(self) -> Option<&'static str> {
        let at = match self {
            Self::Plain => return None,
            Self::Comment => 0,
            Self::Text => 1,
            Self::Number => 2,
            Self::Keyword => 3,
            Self::Name => 4,
            Self::Added => 5,
            Self::Removed => 6,
        };
        Some(Self::CLASSES[at])
    }
}

/// Returns the language that a fence or the ending of a file names; `js-nolint` and `rust,ignore` are known, too.
pub(super) fn language(name: &str) -> Option<&'static Language> {
    let name = name.trim_start_matches(['{', '.', ' ']);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '+' && c != '#');
    let name = name[..end.unwrap_or(name.len())].to_ascii_lowercase();
    let is_named = |language: &&Language| !name.is_empty() && has(language.names, &name);
    LANGUAGES.iter().find(is_named)
}

/// Writes code as HTML, a span around each piece that has a colour. No span goes over the end of a line.
pub(super) fn html(language: &Language, code: &str) -> String {
    let mut html = String::with_capacity(code.len() * 2);
    for (range, kind) in pieces(language, code) {
        let Some(class) = kind.class() else {
            html.push_str(&escaped(&code[range]));
            continue;
        };
        for line in code[range].split_inclusive('\n') {
            let (said, end) = line
                .strip_suffix('\n')
                .map_or((line, ""), |said| (said, "\n"));
            if !said.is_empty() {
                html.push_str(&format!("<span class=\"{class}\">{}</span>", escaped(said)));
            }
            html.push_str(end);
        }
    }
    html
}

/// Cuts code into pieces, one behind the other, without a gap.
pub(super) fn pieces(language: &Language, code: &str) -> Vec<(Range<usize>, Kind)> {
    let mut scanner = Scanner {
        language,
        code,
        at: 0,
        pieces: Vec::new(),
    };
    while scanner.at < code.len() {
        match language.shape {
            Shape::Diff => scanner.line_of_diff(),
            Shape::Markup => scanner.markup(),
            Shape::Program | Shape::Data => scanner.program(),
        }
    }
    scanner.pieces
}

struct Scanner<'a> {
    language: &'a Language,
    code: &'a str,
    at: usize,
    pieces: Vec<(Range<usize>, Kind)>,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.code[self.at..]
    }

    /// Takes so many bytes; plain pieces that stand side by side are one.
    fn take(&mut self, n_bytes: usize, kind: Kind) {
        let range = self.at..self.at + n_bytes;
        self.at = range.end;
        match self.pieces.last_mut() {
            Some((last, Kind::Plain)) if kind == Kind::Plain => last.end = range.end,
            _ => self.pieces.push((range, kind)),
        }
    }

    fn take_char(&mut self) {
        let n_bytes = self.rest().chars().next().map_or(1, char::len_utf8);
        self.take(n_bytes, Kind::Plain);
    }

    fn line_of_diff(&mut self) {
        let line = self.rest().split_inclusive('\n').next().unwrap_or_default();
        let kind = match line.as_bytes()[0] {
            _ if ["+++", "---", "@@", "diff ", "index "]
                .iter()
                .any(|head| line.starts_with(head)) =>
            {
                Kind::Comment
            }
            b'+' => Kind::Added,
            b'-' => Kind::Removed,
            _ => Kind::Plain,
        };
        self.take(line.len(), kind);
    }

    fn program(&mut self) {
        let rest = self.rest();
        let first = rest.chars().next().unwrap_or_default();
        if let Some(n_bytes) = self.comment(rest) {
            self.take(n_bytes, Kind::Comment);
        } else if let Some(n_bytes) = self.string(rest, first) {
            let is_key = self.language.shape == Shape::Data && self.is_key(&rest[n_bytes..]);
            self.take(n_bytes, if is_key { Kind::Name } else { Kind::Text });
        } else if first.is_ascii_digit() {
            self.take(number(rest), Kind::Number);
        } else if first.is_alphabetic() || "_$@".contains(first) {
            self.word(rest);
        } else {
            self.take_char();
        }
    }

    /// Returns how long the comment is that begins here.
    fn comment(&self, rest: &str) -> Option<usize> {
        let Language { line, block, .. } = self.language;
        for (open, close) in *block {
            if let Some(inside) = rest.strip_prefix(open) {
                let end = inside.find(close).map(|at| open.len() + at + close.len());
                return Some(end.unwrap_or(rest.len()));
            }
        }
        // In a shell, `a#b` is a word.
        let is_apart =
            !self.code[..self.at].ends_with(|c: char| c.is_alphanumeric() || "$&{".contains(c));
        let is_line = |open: &&str| rest.starts_with(*open) && (is_apart || *open != "#");
        line.iter().any(is_line).then(|| line_end(rest))
    }

    /// Returns how long the string is that begins here.
    fn string(&self, rest: &str, quote: char) -> Option<usize> {
        if !self.language.quotes.contains(quote) {
            return None;
        }
        for triple in ["\"\"\"", "'''"] {
            if let Some(inside) = rest
                .strip_prefix(triple)
                .filter(|_| self.language.has_triple)
            {
                return Some(inside.find(triple).map_or(rest.len(), |at| at + 6));
            }
        }
        let is_long = quote == '`' || self.language.has_long_strings;
        let end = closed(&rest[1..], quote, is_long).map(|at| at + 1);
        // A lone tick is a lifetime in one language and an apostrophe in another.
        match (quote, end) {
            ('\'', Some(end)) if self.language.has_ticks => (end <= 12).then_some(end),
            ('\'', None) if self.language.has_ticks || self.language.shape == Shape::Data => None,
            (_, Some(end)) => Some(end),
            (_, None) => Some(line_end(rest)),
        }
    }

    fn word(&mut self, rest: &str) {
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let joins = |c: char| {
            c.is_alphanumeric() || c == '_' || c == '$' || self.language.has_dashes && c == '-'
        };
        let end = rest[first..]
            .find(|c| !joins(c))
            .map_or(rest.len(), |at| at + first);
        let word = &rest[..end];
        let is_keyword = match self.language.has_case {
            true => has(self.language.keywords, word),
            false => has(self.language.keywords, &word.to_lowercase()),
        };
        let kind = match word {
            _ if self.is_key(&rest[end..]) => Kind::Name,
            _ if is_keyword || word.len() > 1 && word.starts_with('@') => Kind::Keyword,
            _ if word.len() > 1 && word.starts_with('$') => Kind::Name,
            _ if self.language.shape == Shape::Program && rest[end..].starts_with('(') => {
                Kind::Name
            }
            _ => Kind::Plain,
        };
        self.take(end, kind);
    }

    /// Whether what stands before this is the name of a value.
    fn is_key(&self, behind: &str) -> bool {
        let behind = behind.trim_start_matches([' ', '\t']);
        self.language.key.is_some_and(|key| behind.starts_with(key)) && !behind.starts_with("::")
    }

    fn markup(&mut self) {
        let rest = self.rest();
        if let Some(n_bytes) = self.comment(rest) {
            self.take(n_bytes, Kind::Comment);
        } else if rest.starts_with('<')
            && rest[1..].starts_with(|c: char| c.is_alphabetic() || "/!?".contains(c))
        {
            self.tag(rest);
        } else {
            let first = rest.chars().next().map_or(1, char::len_utf8);
            let end = rest[first..].find('<').map_or(rest.len(), |at| at + first);
            self.take(end, Kind::Plain);
        }
    }

    /// Takes a tag with its attributes, up to the end of it.
    fn tag(&mut self, rest: &str) {
        let name = rest[1..]
            .find(|c: char| c.is_whitespace() || c == '>')
            .map_or(rest.len(), |at| at + 1);
        self.take(name, Kind::Keyword);
        while let Some(c) = self.rest().chars().next() {
            let rest = self.rest();
            match c {
                '>' => return self.take(1, Kind::Keyword),
                '"' | '\'' => {
                    let end = rest[1..].find(c).map_or(rest.len(), |at| at + 2);
                    self.take(end, Kind::Text);
                }
                c if c.is_alphabetic() || "@:_".contains(c) => {
                    let end = rest.find(|c: char| c.is_whitespace() || "=>\"'/".contains(c));
                    self.take(end.unwrap_or(rest.len()).max(c.len_utf8()), Kind::Name);
                }
                // Text that merely looks like a tag ends where the next one begins.
                '<' => return,
                _ => self.take_char(),
            }
        }
    }
}

fn line_end(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// Returns where a string ends behind its quote, if it does.
fn closed(text: &str, quote: char, is_long: bool) -> Option<usize> {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\n' if !is_long => return None,
            c if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

/// Returns how long a number is, its unit included; `1..2` are two.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_part = |at: usize| match bytes[at] {
        b'.' => bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
        b'%' => true,
        byte => byte.is_ascii_alphanumeric() || byte == b'_',
    };
    (0..bytes.len())
        .find(|at| !is_part(*at))
        .unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Shows the pieces that have a colour, each behind the first letter of its kind.
    #[track_caller]
    fn check(name: &str, code: &str, expected: &str) {
        let language = language(name).unwrap();
        let pieces = pieces(language, code).into_iter();
        let coloured = pieces.filter(|(_, kind)| *kind != Kind::Plain);
        let shown = coloured
            .map(|(range, kind)| format!("{kind:?}")[..1].to_lowercase() + ":" + &code[range]);
        assert_eq!(shown.collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn languages_are_told_by_their_names() {
        for (name, known) in [
            ("js-nolint", "js"),
            ("rust,ignore", "rs"),
            ("{.python}", "py"),
            ("C++", "cpp"),
        ] {
            let found = language(name).unwrap();
            assert!(has(found.names, known), "{name}");
        }
        assert!(language("").is_none() && language("mermaid").is_none());
    }

    #[test]
    fn programs_have_colours() {
        check(
            "rust",
            "let x: &'a str = \"a\\\"b\"; // no",
            "k:let t:\"a\\\"b\" c:// no",
        );
        check(
            "rust",
            "let c = 'x'; for i in 0..12 {}",
            "k:let t:'x' k:for k:in n:0 n:12",
        );
        check(
            "js",
            "const a = `x\ny` + f(1.5e3) /* z */",
            "k:const t:`x\ny` n:f n:1.5e3 c:/* z */",
        );
        check(
            "python",
            "def f(x):\n  '''a\nb'''\n  return None # c",
            "k:def n:f t:'''a\nb''' k:return k:None c:# c",
        );
        check("sh", "echo $HOME a#b 'x' # c", "k:echo n:$HOME t:'x' c:# c");
        check(
            "sql",
            "SELECT 'it''s' FROM t -- x",
            "k:SELECT t:'it' t:'s' k:FROM c:-- x",
        );
    }

    #[test]
    fn data_and_markup_have_colours() {
        check(
            "json",
            "{\"a\": \"b\", \"c\": [1, true]}",
            "n:\"a\" t:\"b\" n:\"c\" n:1 k:true",
        );
        check("yaml", "a-b: it's # c\nd: 1", "n:a-b c:# c n:d n:1");
        check(
            "css",
            "a { color: #fff; margin-top: 2px } /* x */",
            "n:color n:margin-top n:2px c:/* x */",
        );
        check(
            "html",
            "<a href=\"x\">y</a><!-- z -->",
            "k:<a n:href t:\"x\" k:> k:</a k:> c:<!-- z -->",
        );
        check("diff", "+a\n-b\n c\n", "a:+a\n r:-b\n");
    }

    #[test]
    fn what_is_written_is_escaped_and_ends_with_its_line() {
        let html = html(language("js").unwrap(), "/* <a\nb */ x < 1");
        let expected = "<span class=\"code-comment\">/* &lt;a</span>\n<span class=\"code-comment\">b */</span> x &lt; <span class=\"code-number\">1</span>";
        assert_eq!(html, expected);
    }

    proptest! {
        #[test]
        fn every_text_is_cut_without_a_gap(code in "[<>\"'`a-c/*#=:\\\\\n &é𝒳1.+-]{0,80}", at in 0..LANGUAGES.len()) {
            let mut end = 0;
            for (range, _) in pieces(&LANGUAGES[at], &code) {
                prop_assert_eq!(range.start, end);
                prop_assert!(range.end > range.start && code.is_char_boundary(range.end));
                end = range.end;
            }
            prop_assert_eq!(end, code.len());
        }
    }
}
