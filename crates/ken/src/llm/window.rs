//! How much of a text a model sees: its tokens, guessed without its vocabulary, and a cut where they end.
//!
//! The guess is meant to be a little high. A server that still finds a text too long says so, and the text
//! is cut again.

/// Letters of a word that are one token, roughly: most words are one, long ones are several.
const LETTERS_PER_TOKEN: usize = 5;
/// The same for scripts that vocabularies know less of.
const FOREIGN_LETTERS_PER_TOKEN: usize = 2;

/// Returns the beginning of a text that has about this many tokens at most; it ends with a word.
pub(super) fn cut(text: &str, tokens_max: usize) -> &str {
    let mut n_tokens = 0;
    let mut run = Run::default();
    let mut word_start = 0;
    for (at, c) in text.char_indices() {
        let kind = Kind::of(c);
        if kind != run.kind {
            (run, word_start) = (Run { kind, n_chars: 0 }, at);
        }
        n_tokens += usize::from(run.n_chars % kind.chars_per_token() == 0 && kind != Kind::Blank);
        run.n_chars += 1;
        if n_tokens > tokens_max {
            // A word that is the whole text is cut within.
            let end = if word_start == 0 { at } else { word_start };
            return text[..end].trim_end();
        }
    }
    text
}

#[derive(Default)]
struct Run {
    kind: Kind,
    n_chars: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Blank,
    Letter,
    Foreign,
    Digit,
    /// Punctuation, and scripts in which each sign is a word.
    Sign,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            _ if c.is_whitespace() => Self::Blank,
            _ if c.is_ascii_alphabetic() => Self::Letter,
            _ if c.is_ascii_digit() => Self::Digit,
            // From here on: Chinese, Japanese, Korean and pictures.
            _ if c.is_alphabetic() && c < '\u{2E80}' => Self::Foreign,
            _ => Self::Sign,
        }
    }

    fn chars_per_token(self) -> usize {
        match self {
            Self::Blank => usize::MAX,
            Self::Letter => LETTERS_PER_TOKEN,
            Self::Foreign => FOREIGN_LETTERS_PER_TOKEN,
            Self::Digit | Self::Sign => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_cut_behind_a_word() {
        let check = |text: &str, tokens_max: usize, expected: &str| {
            assert_eq!(cut(text, tokens_max), expected, "{text} {tokens_max}");
        };
        check("one two three", 3, "one two three");
        check("one two three", 2, "one two");
        check("one, two", 2, "one,");
        check("uncharacteristically", 2, "uncharacte");
        check("one uncharacteristically", 3, "one");
        check("año 2024", 3, "año");
        check("漢字かな", 2, "漢字");
        check("", 0, "");
        check("word", 0, "");
    }

    proptest! {
        #[test]
        fn what_is_left_is_a_beginning_and_fits(text: String, tokens_max in 0usize..40) {
            let cut_once = cut(&text, tokens_max);
            prop_assert!(text.starts_with(cut_once));
            prop_assert_eq!(cut(cut_once, tokens_max), cut_once);
        }
    }
}
