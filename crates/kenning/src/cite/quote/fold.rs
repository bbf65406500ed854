//! A text with its typing evened out, which still knows where each part came from. Pure.

use super::marks;
use std::ops::Range;
use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// A text after NFKC, with plain punctuation, without letter case and on one line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Folded {
    /// The text.
    pub(super) text: String,
    /// For each byte of it, the bytes of the source it came from.
    spans: Vec<(usize, usize)>,
}

impl Folded {
    /// Folds a text as it stands.
    pub(super) fn new(source: &str) -> Self {
        Self::of(source.char_indices())
    }

    /// Folds a text as a reader sees it, without Markdown marks.
    pub(super) fn without_marks(source: &str) -> Self {
        Self::of(marks::without(source).into_iter())
    }

    /// Returns the same text without punctuation, as far as that changes no word and no number: a quote
    /// may end with another stop than the sentence it is from.
    pub(super) fn without_punctuation(&self) -> Self {
        let mut bare = Self::default();
        for (at, c) in self.text.char_indices() {
            let is_kept = is_meant(&self.text, at, c);
            let c = if is_kept { c } else { ' ' };
            bare.push(c, self.spans[at]);
        }
        if bare.text.ends_with(' ') {
            bare.text.pop();
            bare.spans.pop();
        }
        bare
    }

    /// Returns a folded text without punctuation.
    pub(super) fn words_of(folded: &str) -> String {
        let chars = folded.char_indices();
        let kept: String = chars
            .map(|(at, c)| if is_meant(folded, at, c) { c } else { ' ' })
            .collect();
        kept.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the bytes of the source that some bytes of the folded text came from.
    pub(super) fn source(&self, range: Range<usize>) -> Range<usize> {
        let first = self.spans.get(range.start).map_or(0, |span| span.0);
        let last = self.spans[..range.end].last().map_or(first, |span| span.1);
        first..last
    }

    fn of(chars: impl Iterator<Item = (usize, char)>) -> Self {
        let mut folded = Self::default();
        // Characters that may melt into one, such as a letter and its accents.
        let mut cluster = String::new();
        let (mut start, mut end) = (0, 0);
        for (at, c) in chars {
            if is_invisible(c) {
                continue;
            }
            if starts_cluster(c) && !cluster.is_empty() {
                folded.push_cluster(&cluster, (start, end));
                cluster.clear();
            }
            if cluster.is_empty() {
                start = at;
            }
            // Before NFKC, which would take an acute accent for a space with a mark on it.
            match punctuation(c) {
                Some(plain) => cluster.push_str(plain),
                None => cluster.push(c),
            }
            end = at + c.len_utf8();
        }
        folded.push_cluster(&cluster, (start, end));
        if folded.text.ends_with(' ') {
            folded.text.pop();
            folded.spans.pop();
        }
        folded
    }

    fn push_cluster(&mut self, cluster: &str, span: (usize, usize)) {
        if cluster.is_ascii() {
            for c in cluster.chars() {
                self.push(c.to_ascii_lowercase(), span);
            }
            return;
        }
        for c in cluster.nfkc() {
            match punctuation(c) {
                Some(plain) => plain.chars().for_each(|c| self.push(c, span)),
                // By way of the capitals, so that ß is ss and both small sigmas are one.
                None => c
                    .to_uppercase()
                    .flat_map(char::to_lowercase)
                    .for_each(|c| self.push(c, span)),
            }
        }
    }

    /// Appends a character; blanks and dashes in a row become one.
    fn push(&mut self, c: char, span: (usize, usize)) {
        let c = if c.is_whitespace() { ' ' } else { c };
        let is_repeated = matches!(c, ' ' | '-') && self.text.ends_with(c);
        if is_repeated {
            if let Some(last) = self.spans.last_mut() {
                last.1 = span.1;
            }
        } else if c != ' ' || !self.text.is_empty() {
            self.text.push(c);
            self.spans.extend(std::iter::repeat_n(span, c.len_utf8()));
        }
    }
}

/// Tells whether NFKC never joins a character to what stands before it.
fn starts_cluster(c: char) -> bool {
    if c < '\u{300}' {
        return true;
    }
    let mut first = None;
    decompose_compatible(c, |part| {
        first.get_or_insert(part);
    });
    first.is_none_or(|part| {
        canonical_combining_class(part) == 0
            && is_nfkc_quick(std::iter::once(part)) == IsNormalized::Yes
    })
}

/// Whether a character says something: a letter, a digit, a sign, or a mark inside a word or a number.
/// An ellipsis is kept, since it stands for what was left out.
fn is_meant(text: &str, at: usize, c: char) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + c.len_utf8()..].chars().next();
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    match c {
        '.' => is_digit(after) || before == Some('.') || after == Some('.'),
        ',' | ':' => is_digit(before) && is_digit(after),
        '-' => is_word(before) && is_word(after) || is_digit(after),
        '\'' => is_word(before) && is_word(after),
        '"' | ';' | '!' | '?' | '(' | ')' | '[' | ']' | '*' | '_' => false,
        _ => true,
    }
}

/// Soft hyphens, joiners, direction and variation marks: nobody sees or types them.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

/// Plain spelling of typographic punctuation.
fn punctuation(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2018}'..='\u{201B}' | '\u{2032}' | '\u{2039}' | '\u{203A}' | '´' | 'ʼ' => "'",
        '\u{201C}'..='\u{201F}' | '\u{2033}' | '«' | '»' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' => "-",
        '…' => "...",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(source: &str, expected: &str) {
        assert_eq!(Folded::new(source).text, expected);
    }

    #[test]
    fn typing_is_evened_out() {
        check("  A\u{A0}B\n\tC ", "a b c");
        check("“Don’t” — he said…", "\"don't\" - he said...");
        check("a -- b–c", "a - b-c");
        check("„Größe“ »x« ‹y›", "\"grösse\" \"x\" 'y'");
        check("ﬁne Ａ① ½", "fine a1 1⁄2");
        check("ΣΊΣΥΦΟΣ σίσυφος", "σίσυφοσ σίσυφοσ");
        check("co\u{AD}op\u{200B}er", "cooper");
        check("it´s", "it's");
        check("", "");
    }

    #[test]
    fn split_letters_are_one() {
        check("e\u{301}", "é");
        check("\u{1112}\u{1161}\u{11AB}", "한");
        check("ﾊﾟ", "パ");
    }

    #[test]
    fn every_part_knows_its_source() {
        let source = "Ｘ  cafe\u{301} ﬁn";
        let folded = Folded::new(source);
        let place = |part: &str| {
            let start = folded.text.find(part).unwrap();
            &source[folded.source(start..start + part.len())]
        };
        assert_eq!(folded.text, "x café fin");
        assert_eq!(place("x"), "Ｘ");
        assert_eq!(place("café"), "cafe\u{301}");
        assert_eq!(place("fin"), "ﬁn");
        assert_eq!(place("in"), "ﬁn");
    }

    proptest! {
        #[test]
        fn in_clusters_as_in_one_go(
            source in r"([a-zé \n—…“]|\PC|[\u{300}-\u{310}가-각ᄀ-ᄃ\u{1161}-\u{1163}\u{11A8}-\u{11AA}ﾊﾟ\u{9c7}\u{9be}]){0,24}",
        ) {
            let plain: String = source
                .chars()
                .filter(|&c| !is_invisible(c))
                .flat_map(|c| punctuation(c).map_or(c.to_string(), str::to_owned).chars().collect::<Vec<_>>())
                .collect();
            let cased: String = plain
                .nfkc()
                .flat_map(|c| match punctuation(c) {
                    Some(plain) => plain.to_owned(),
                    None => c.to_uppercase().flat_map(char::to_lowercase).collect(),
                }.chars().collect::<Vec<_>>())
                .collect();
            let mut expected = cased.split_whitespace().collect::<Vec<_>>().join(" ");
            while expected.contains("--") {
                expected = expected.replace("--", "-");
            }
            let folded = Folded::new(&source);
            prop_assert_eq!(&folded.text, &expected);
            prop_assert_eq!(folded.spans.len(), folded.text.len());
            for &(start, end) in &folded.spans {
                prop_assert!(start < end && source.get(start..end).is_some());
            }
        }
    }
}
