//! Is a name asked for, or a question? Small rules that always decide alike. Pure.

/// What kind of thing was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// Something with an exact spelling: `_rrf_fuse`, `404B`, `2026.4.10`, a quote, or a place in a
    /// law or a standard: `§ 14 Absatz 1 BBesG`, `Art. 5 GG`, `RFC 9110 section 8.3`.
    Identifier,
    /// A sentence that asks.
    Question,
    /// Words.
    Words,
}

/// More words than this are a sentence, whatever stands in it, unless that is a citation.
const IDENTIFIER_WORDS_MAX: usize = 4;
/// What is cited by number: a part of a law, or a series of standards. In lower case.
const CITED: &[&str] = &[
    "§",
    "§§",
    "art",
    "artikel",
    "article",
    "articles",
    "artículo",
    "articolo",
    "artigo",
    "abs",
    "absatz",
    "section",
    "sections",
    "sec",
    "sect",
    "paragraph",
    "paragraf",
    "clause",
    "rfc",
    "iso",
    "iec",
    "din",
    "ieee",
    "bcp",
    "pep",
    "ansi",
];
/// Those of them that are words, or nothing, unless they are written as an abbreviation.
const WORDS_TOO: &[&str] = &["art", "abs", "sec", "sect", "din", "pep"];
/// First words of questions in the languages of most notes.
const QUESTION_WORDS: &[&str] = &[
    "what", "who", "whom", "whose", "when", "where", "why", "which", "how", "is", "are", "was",
    "were", "do", "does", "did", "can", "could", "should", "would", "will", "has", "have", "wer",
    "wen", "wem", "wessen", "was", "wann", "wo", "wohin", "woher", "warum", "wieso", "weshalb",
    "welche", "welcher", "welches", "welchen", "wie", "wieviel", "ist", "sind", "hat", "kann",
    "que", "qui", "quand", "où", "pourquoi", "comment", "quel", "quelle", "qué", "quién", "cuándo",
    "dónde", "cómo", "cuál",
];

impl Intent {
    /// Decides what kind of thing was typed.
    pub fn of(text: &str) -> Self {
        let text = text.trim();
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_quoted = text.len() > 2 && text.starts_with('"') && text.ends_with('"');
        let is_short = words.len() <= IDENTIFIER_WORDS_MAX;
        let is_named = is_short && words.iter().any(|word| is_identifier(word));
        if is_quoted || is_named || cites(&words) {
            return Self::Identifier;
        }
        let first = words.first().map(|word| word.to_lowercase());
        let asks = first.is_some_and(|first| QUESTION_WORDS.contains(&first.as_str()));
        if words.len() > 2 && (asks || text.ends_with(['?', '？'])) {
            Self::Question
        } else {
            Self::Words
        }
    }

    /// Returns what the share of meaning is multiplied by. A name is spelled one way, so that what
    /// is merely like it is something else.
    pub(crate) fn vector_factor(self) -> f32 {
        match self {
            Self::Identifier => 0.2,
            Self::Question => 1.2,
            Self::Words => 1.0,
        }
    }

    /// Returns the name in explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::Question => "question",
            Self::Words => "words",
        }
    }
}

/// Whether a place in a law or a standard is named, however long the rest is.
fn cites(words: &[&str]) -> bool {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let is_attached = |word: &str| is_number(word.trim_start_matches('§')) && word.starts_with('§');
    let is_cited = |pair: &[&str]| {
        let kind = pair[0].trim_matches(['(', ')', ',', '.']);
        let is_plain = !pair[0].contains('.') && kind.starts_with(char::is_lowercase);
        let kind = kind.to_lowercase();
        let is_word = is_plain && WORDS_TOO.contains(&kind.as_str());
        CITED.contains(&kind.as_str()) && !is_word && is_number(pair[1])
    };
    words.iter().any(|word| is_attached(word)) || words.windows(2).any(is_cited)
}

/// Whether a word is spelled as names of things are and words of a language are not.
pub fn is_identifier(word: &str) -> bool {
    let word = word.trim_matches(['(', ')', ',', ';', ':', '?', '!', '"', '\'']);
    let mut letters = word.chars();
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    let has_letter = word.contains(char::is_alphabetic);
    let is_version = has_digit && word.trim_end_matches('.').contains('.') && !has_letter;
    word.starts_with('§')
        || (word.contains('_') && has_letter)
        || (has_digit
            && has_letter
            && letters.all(|c| c.is_ascii_alphanumeric() || "-._/#".contains(c)))
        || is_version
        || (is_camel(word) && word.len() > 3)
        || word.contains("::")
        || word.ends_with("()")
}

/// Whether a word is written in camel case, as names in code are.
pub(super) fn is_camel(word: &str) -> bool {
    let mut pairs = word.as_bytes().windows(2);
    pairs.any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_questions_and_words_are_told_apart() {
        let cases = [
            ("_rrf_fuse", Intent::Identifier),
            ("404B", Intent::Identifier),
            ("§3 Absatz 2", Intent::Identifier),
            (
                "§ 14 Absatz 1 des Bundesbesoldungsgesetzes",
                Intent::Identifier,
            ),
            ("Art. 5 GG", Intent::Identifier),
            ("RFC 9110 section 8.3", Intent::Identifier),
            (
                "what does section 8.3 of RFC 9110 say about the charset",
                Intent::Identifier,
            ),
            ("the art 5 of us made together", Intent::Words),
            ("which section of the garden is dry", Intent::Question),
            ("2026.4.10", Intent::Identifier),
            ("\"exact words\"", Intent::Identifier),
            ("addEventListener options", Intent::Identifier),
            ("INV-2026-014", Intent::Identifier),
            ("std::vec", Intent::Identifier),
            ("who repaired the roof", Intent::Question),
            ("Wie kündige ich den Vertrag", Intent::Question),
            ("the roof leaks, why?", Intent::Question),
            ("roof repair", Intent::Words),
            ("how to", Intent::Words),
            (
                "what did we decide about v2 of the addEventListener plan",
                Intent::Question,
            ),
            ("3 blue cars", Intent::Words),
            ("", Intent::Words),
        ];
        for (text, expected) in cases {
            assert_eq!(Intent::of(text), expected, "{text}");
        }
    }
}
