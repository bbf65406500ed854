//! Text into index terms: word boundaries, case and accent folding, stemming. Pure.
//!
//! The one place that decides what a word is. Notes and queries both come through here, so that
//! whatever can be indexed can also be asked for.

mod compound;
mod language;
mod scan;
mod stop;

pub(crate) use compound::{
    PartPlace, backwards, backwards_doer, cuts, doer, is_doer, is_part_anywhere, part_place,
    push_compounds, push_doers,
};
pub use language::Language;
pub(crate) use language::detect;
pub(crate) use scan::is_unspaced;
pub use scan::{Word, WordKind, words};
pub use stop::is_stop_word_anywhere;
pub(crate) use stop::{is_question_word, is_stop_word, languages_by_stop_words};

use std::borrow::Cow;

use frostem::Stemmer;
use rustc_hash::FxHashMap;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Separates the terms of a term text; no word can contain it.
pub const TERM_SEPARATOR: char = ' ';

/// How many stems are remembered per language before the memory is emptied.
const STEMS_REMEMBERED_MAX: usize = 200_000;

/// Remembers the stem of every word seen: a lookup costs a tenth of a Snowball run.
#[derive(Default)]
pub struct Stems {
    by_language: FxHashMap<Language, FxHashMap<String, Box<str>>>,
    buffer: String,
}

/// Appends the terms of `text` to `out`, each followed by [`TERM_SEPARATOR`]; returns their number.
pub(crate) fn push_terms(
    text: &str,
    language: Language,
    stems: &mut Stems,
    out: &mut String,
) -> u32 {
    let Stems {
        by_language,
        buffer,
    } = stems;
    let known = by_language.entry(language).or_default();
    let mut n_terms = 0;
    for word in words(text) {
        match word.kind {
            WordKind::Gram => out.push_str(word.text),
            WordKind::Letters => {
                lower_into(word.text, buffer);
                match known.get(buffer.as_str()) {
                    Some(stem) => out.push_str(stem),
                    None => {
                        let stem = stem(buffer, language);
                        out.push_str(&stem);
                        if known.len() >= STEMS_REMEMBERED_MAX {
                            known.clear();
                        }
                        known.insert(buffer.clone(), stem.into_boxed_str());
                    }
                }
            }
        }
        out.push(TERM_SEPARATOR);
        n_terms += 1;
    }
    n_terms
}

/// Appends the parts of names written in camel case, which stand in `out` as a whole already, each name
/// behind an empty term that sets it apart: code calls a thing `addEventListener` that people call an event listener.
pub(crate) fn push_name_parts(
    text: &str,
    language: Language,
    stems: &mut Stems,
    out: &mut String,
) -> u32 {
    let mut n_terms = 0;
    for word in words(text) {
        let mut parts = scan::camel_parts(word.text).peekable();
        let Some(first) = parts.next().filter(|_| parts.peek().is_some()) else {
            continue;
        };
        // An empty term: the parts stand at the end of the text, not beside its last word.
        out.push(TERM_SEPARATOR);
        for part in std::iter::once(first).chain(parts) {
            n_terms += push_terms(part, language, stems, out);
        }
    }
    n_terms
}

/// Returns the term that one word of a note in `language` stands under.
pub fn term_of(word: &Word<'_>, language: Language) -> String {
    match word.kind {
        WordKind::Gram => word.text.to_owned(),
        WordKind::Letters => {
            let mut lowered = String::new();
            lower_into(word.text, &mut lowered);
            stem(&lowered, language)
        }
    }
}

/// Returns the distinct terms that `word` may stand under in notes of the given languages.
pub(crate) fn term_variants(word: &Word<'_>, languages: &[Language]) -> Vec<String> {
    if word.kind == WordKind::Gram {
        return vec![word.text.to_owned()];
    }
    let mut lowered = String::new();
    lower_into(word.text, &mut lowered);
    let mut variants = Vec::new();
    for &language in languages {
        let term = stem(&lowered, language);
        // What is too short to be told in a "Schornsteinfeger" is looked for with its ending, too.
        let doer = (language.joins_words() && compound::is_short(&term))
            .then(|| doer(word, language))
            .flatten();
        for term in std::iter::once(term).chain(doer) {
            if !variants.contains(&term) {
                variants.push(term);
            }
        }
    }
    if variants.is_empty() {
        variants.push(fold(&lowered));
    }
    variants
}

/// Whether `found`, a word of a note in `language`, is a form of the word that was asked for. A word that
/// only another language's grammar, or a look past accents, makes equal is none.
pub(crate) fn is_form_of(asked: &str, found: &str, language: Language) -> bool {
    let (mut wanted, mut own) = (String::new(), String::new());
    lower_into(asked, &mut wanted);
    lower_into(found, &mut own);
    // Some stemmers look past accents themselves.
    let is_accent = wanted != own && fold(&wanted) == fold(&own);
    !is_accent && root(&wanted, language) == root(&own, language)
}

/// Returns `text` as names are compared: NFKC, lower case, accents kept; blanks, hyphens and
/// underscores all count as one blank.
pub fn name_key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    let is_gap = |c: char| c.is_whitespace() || matches!(c, '-' | '_');
    for part in text.split(is_gap).filter(|part| !part.is_empty()) {
        if !key.is_empty() {
            key.push(' ');
        }
        key.extend(part.nfkc().flat_map(char::to_lowercase));
    }
    key
}

/// Returns a key by which names are alike that differ in number and case only, as they are read in
/// `language`: "race conditions" and "Race Condition". No [`name_key`] is like it.
pub(crate) fn name_stems(text: &str, language: Language) -> String {
    let terms: Vec<String> = words(text).map(|word| term_of(&word, language)).collect();
    format!("{STEMS_MARK}{}", terms.join(" "))
}

/// What no name begins with.
const STEMS_MARK: char = '\u{1}';

/// Writes the lower-case, composed form of one word into `out`.
pub(crate) fn lower_into(word: &str, out: &mut String) {
    out.clear();
    if word.is_ascii() {
        out.push_str(word);
        out.make_ascii_lowercase();
    } else {
        // Some signs decompose into a blank and a mark; a term holds no blank.
        let composed = word.nfkc().filter(|c| !c.is_whitespace());
        out.extend(composed.flat_map(char::to_lowercase));
        if out.is_empty() {
            out.push_str(word);
        }
    }
}

/// Stems first and folds accents after: the stemmers read their language's accents.
fn stem(lowered: &str, language: Language) -> String {
    let stemmed = root(lowered, language);
    if stemmed.is_ascii() && !stemmed.is_empty() {
        return stemmed.into_owned();
    }
    let folded = fold(&stemmed);
    // A word of marks only is still a word.
    if folded.is_empty() {
        lowered.to_owned()
    } else {
        folded
    }
}

/// Returns what a word is without the endings of its language, accents kept.
pub(crate) fn root(lowered: &str, language: Language) -> Cow<'_, str> {
    // Identifiers and numbers have no grammar; a stemmer would only merge different ones.
    let is_plain_word = !lowered.bytes().any(|b| b.is_ascii_digit() || b == b'_');
    match language.algorithm() {
        Some(algorithm) if is_plain_word => Stemmer::new(algorithm).stem(lowered),
        _ => lowered.into(),
    }
}

/// Removes accents and spells out ligatures.
fn fold(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.nfd().filter(|&c| !is_combining_mark(c)) {
        match c {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'ł' => out.push('l'),
            'đ' | 'ð' => out.push('d'),
            'þ' => out.push_str("th"),
            'ı' => out.push('i'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use proptest::prelude::*;

    fn check(language: Language, text: &str) -> String {
        let mut out = String::new();
        push_terms(text, language, &mut Stems::default(), &mut out);
        out.trim_end().to_owned()
    }

    #[test]
    fn english_words_are_lowered_and_stemmed() {
        assert_snapshot!(check(Language::English, "The cats' running SHOES, don't"), @"the cat run shoe don");
    }

    #[test]
    fn german_keeps_its_own_grammar() {
        assert_snapshot!(check(Language::German, "Häuser und Straßen der Müller"), @"haus und strass der mull");
    }

    #[test]
    fn accents_fold_whether_composed_or_not() {
        assert_eq!(
            check(Language::English, "cafe\u{301}"),
            check(Language::English, "café")
        );
    }

    #[test]
    fn a_sign_that_decomposes_into_a_blank_is_one_term() {
        assert_eq!(
            check(Language::English, "a \u{fe72} b").split(' ').count(),
            3
        );
    }

    #[test]
    fn chinese_becomes_bigrams_and_glued_ascii_survives() {
        assert_snapshot!(check(Language::Unknown, "使用Rust编程语言"), @"使用 用 rust 编程 程语 语言 言");
    }

    #[test]
    fn versions_and_identifiers_split_alike_everywhere() {
        assert_snapshot!(check(Language::English, "v2026.4.10 _rrf_fuse 404B"), @"v2026.4.10 v2026 4 10 rrf_fuse rrf fuse 404b");
    }

    #[test]
    fn names_in_camel_case_are_found_by_their_parts() {
        let parts = |text| {
            let mut out = String::new();
            push_name_parts(text, Language::English, &mut Stems::default(), &mut out);
            let terms = out.trim_end().split(TERM_SEPARATOR);
            let shown = terms.map(|term| if term.is_empty() { "|" } else { term });
            shown.collect::<Vec<_>>().join(" ")
        };
        assert_snapshot!(parts("el.addEventListener(parseHTTPResponse2xx, plain, UPPER, Word)"), @"| add event listen | pars http response2xx");
    }

    proptest! {
        /// Whatever is indexed can be asked for: each word's own variants contain its indexed term.
        #[test]
        fn a_word_is_found_by_itself(text in "\\PC{0,40}") {
            let indexed = check(Language::English, &text);
            let asked: Vec<String> = words(&text)
                .flat_map(|word| term_variants(&word, &[Language::English]))
                .collect();
            prop_assert_eq!(indexed, asked.join(" "));
        }
    }
}
