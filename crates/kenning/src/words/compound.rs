//! Words that are written together: what they end with, begin with and hold. Pure.
//!
//! There is no dictionary. A compound is told by its length, and a part of it by its place: what a
//! "Mietvertrag" is stands at its end, and what kind of one it is before that.

use super::{Language, Word, WordKind};

/// Terms with fewer letters are taken for single words.
const COMPOUND_CHARS_MIN: usize = 8;
/// Letters that a part must have at the end of a compound, and anywhere else in it.
const END_CHARS_MIN: usize = 4;
const PART_CHARS_MIN: usize = 5;
/// Letters that must be left in front of a part, and behind it.
const FRONT_CHARS_MIN: usize = 3;
const BACK_CHARS_MIN: usize = 3;
/// What makes another word of the one behind it, and is not a word by itself: a "Vertrag" is nothing that
/// is carried. In all languages that join words, accents folded; sorted.
#[rustfmt::skip]
const PREFIXES: &[&str] = &[
    "aan", "auf", "aus", "bij", "door", "durch", "efter", "ein", "emp", "ent", "etter", "for", "fore",
    "her", "hin", "hinter", "miss", "mit", "nach", "onder", "ont", "opp", "over", "til", "till", "toe",
    "uber", "uit", "unter", "upp", "ver", "voor", "vor", "wider", "wieder", "zer", "zuruck",
];

/// Where in a compound a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartPlace {
    /// At its end: what it is.
    End,
    /// At its beginning: what kind of one it is.
    Beginning,
    /// Between other parts.
    Inside,
}

/// Whether a term is long enough to be several words in one.
pub(super) fn is_compound(term: &str) -> bool {
    term.len() >= COMPOUND_CHARS_MIN
        && term.chars().count() >= COMPOUND_CHARS_MIN
        && term.chars().all(char::is_alphabetic)
}

/// Returns where the term `part` stands in the term `compound`, if it is a part of it.
pub(crate) fn part_place(part: &str, compound: &str) -> Option<PartPlace> {
    let n_chars = |text: &str| text.chars().count();
    let at = compound.rfind(part)?;
    let (front, back) = (&compound[..at], &compound[at + part.len()..]);
    let (n_part, n_front, n_back) = (n_chars(part), n_chars(front), n_chars(back));
    if !is_compound(compound) || n_part < END_CHARS_MIN {
        return None;
    }
    let has_front = n_front >= FRONT_CHARS_MIN && PREFIXES.binary_search(&front).is_err();
    match (n_front, n_back) {
        (_, 0) if has_front => Some(PartPlace::End),
        (0, BACK_CHARS_MIN..) if n_part >= PART_CHARS_MIN => Some(PartPlace::Beginning),
        (_, BACK_CHARS_MIN..) if has_front && n_part >= PART_CHARS_MIN => Some(PartPlace::Inside),
        _ => None,
    }
}

/// Whether a part is long enough to count at the beginning of a compound and inside of it, too.
pub(crate) fn is_part_anywhere(part: &str) -> bool {
    part.chars().count() >= PART_CHARS_MIN
}

/// Letters between the parts of a compound that belong to neither: "Mietvertrag-s-kündigung".
fn links(language: Language) -> &'static [&'static str] {
    match language {
        Language::German => &["", "s", "n", "en", "es", "er", "e", "ns"],
        Language::Dutch => &["", "s", "en", "e", "n", "er"],
        Language::Swedish | Language::Norwegian | Language::Danish => {
            &["", "s", "e", "a", "o", "u"]
        }
        Language::Finnish => &["", "n", "en"],
        _ => &[""],
    }
}

/// Returns the ways to cut a word in two, even ones first, without what links both. Whether the parts are
/// words, the notes must say.
pub(crate) fn cuts(word: &str, language: Language) -> Vec<(&str, &str)> {
    let n_chars = word.chars().count();
    let mut cuts: Vec<(usize, &str, &str)> = Vec::new();
    for (n_front, (at, _)) in word.char_indices().enumerate() {
        let (front, back) = word.split_at(at);
        if !is_compound(word) || is_short(front) || is_short(back) {
            continue;
        }
        let fronts = links(language)
            .iter()
            .filter_map(|link| front.strip_suffix(link));
        let fronts =
            fronts.filter(|front| !is_short(front) && PREFIXES.binary_search(front).is_err());
        let uneven = n_front.abs_diff(n_chars - n_front);
        cuts.extend(fronts.map(|front| (uneven, front, back)));
    }
    cuts.sort_by_key(|(uneven, ..)| *uneven);
    cuts.into_iter()
        .map(|(_, front, back)| (front, back))
        .collect()
}

/// Appends the compounds among terms, spelled backwards: those that end alike stand together in a
/// dictionary then. `terms` is a term text, and so is what is appended.
pub(crate) fn push_compounds(terms: &str, out: &mut String) {
    for term in terms.split(super::TERM_SEPARATOR) {
        if is_compound(term) {
            out.extend(term.chars().rev());
            out.push(super::TERM_SEPARATOR);
        }
    }
}

/// Appends the compounds among the words of a text that name who or what does something, each with the "er"
/// that their terms lack, as [`backwards_doer`] spells them.
pub(crate) fn push_doers(text: &str, language: Language, out: &mut String) {
    for word in super::words(text) {
        if let Some(doer) = doer(&word, language).filter(|doer| is_compound(doer)) {
            out.push_str(&backwards_doer(&doer));
            out.push(super::TERM_SEPARATOR);
        }
    }
}

/// Returns the term of a word with the "er" that it lost, if it did: "feger" for "Fegern", which stands under
/// "feg". That is too short to be told at the end of a longer word.
pub(crate) fn doer(word: &Word<'_>, language: Language) -> Option<String> {
    if !word.text.contains(DOING) || word.kind != WordKind::Letters {
        return None;
    }
    let mut lowered = String::new();
    super::lower_into(word.text, &mut lowered);
    let doer = super::stem(&lowered, language) + DOING;
    super::fold(&lowered).starts_with(&doer).then_some(doer)
}

/// Whether a term of a word is the [`doer`] to another one.
pub(crate) fn is_doer(term: &str, terms: &[String]) -> bool {
    let short = term.strip_suffix(DOING);
    short.is_some_and(|short| is_short(short) && terms.iter().any(|term| term == short))
}

/// Whether a term is too short to be told at the end of a longer one.
pub(super) fn is_short(term: &str) -> bool {
    term.chars().count() < END_CHARS_MIN
}

/// What makes a doer of what is done, in all languages that join words but Finnish.
const DOING: &str = "er";

/// What no term begins with: words that are no doers must not find them, since they have the compound's own
/// term already.
const DOER_MARK: char = '\u{1}';

/// Returns a term as [`push_compounds`] spells it, or the other way round.
pub(crate) fn backwards(term: &str) -> String {
    term.chars().rev().collect()
}

/// Returns a [`doer`] as [`push_doers`] spells it.
pub(crate) fn backwards_doer(doer: &str) -> String {
    std::iter::once(DOER_MARK)
        .chain(doer.chars().rev())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_sorted_so_that_lookup_works() {
        assert!(PREFIXES.is_sorted());
    }

    #[test]
    fn parts_of_compounds_are_told_from_letters_that_happen_to_be_alike() {
        use PartPlace::*;
        for (part, compound, expected) in [
            ("vertrag", "mietvertrag", Some(End)),
            ("verordn", "ausbildereignungsverordn", Some(End)),
            ("haus", "krankenhaus", Some(End)),
            ("avtal", "hyresavtal", Some(End)),
            ("overeenkomst", "huurovereenkomst", Some(End)),
            ("sopimus", "vuokrasopimus", Some(End)),
            ("kontrakt", "lejekontrakt", Some(End)),
            ("kranken", "krankenhaus", Some(Beginning)),
            ("eignung", "ausbildereignungsverordn", Some(Inside)),
            // Too short to be sure of.
            ("rat", "verwaltungsrat", None),
            ("miet", "mietvertrag", None),
            ("raum", "traum", None),
            ("komm", "einkomm", None),
            // A prefix is not a word.
            ("nehmung", "unternehmung", None),
            ("vertrag", "vertrag", None),
            ("vertrag", "vertraglich", Some(Beginning)),
            ("vertrag", "hausmeister", None),
        ] {
            assert_eq!(part_place(part, compound), expected, "{part} {compound}");
        }
    }

    #[test]
    fn words_are_cut_where_letters_may_link_them() {
        let has = |word, language, cut| cuts(word, language).contains(&cut);
        assert!(has(
            "vertragsfreiheit",
            Language::German,
            ("vertrag", "freiheit")
        ));
        assert!(has(
            "hypothekenschuld",
            Language::German,
            ("hypothek", "schuld")
        ));
        assert!(has(
            "huurovereenkomst",
            Language::Dutch,
            ("huur", "overeenkomst")
        ));
        assert!(has(
            "arbetsmarknad",
            Language::Swedish,
            ("arbet", "marknad")
        ));
        assert!(has(
            "vuokrasopimus",
            Language::Finnish,
            ("vuokra", "sopimus")
        ));
        assert!(has("lejekontrakt", Language::Danish, ("leje", "kontrakt")));
        // Neither a prefix nor three letters are a word.
        assert!(!has("unternehmung", Language::German, ("unter", "nehmung")));
        assert!(
            cuts("stadtrat", Language::German)
                .iter()
                .all(|(_, back)| *back != "rat")
        );
        assert_eq!(cuts("haustür", Language::German), []);
    }

    #[test]
    fn doers_keep_their_ending() {
        let mut out = String::new();
        let text = "Die Schornsteinfegerin und zwei Arbeitgebern, Feger essen Butter.";
        push_doers(text, Language::German, &mut out);
        assert_eq!(out, "\u{1}regefnietsnrohcs \u{1}rebegtiebra ");
        for (word, expected) in [
            ("Feger", Some("feger")),
            ("Gebers", Some("geber")),
            ("essen", None),
            ("Erde", None),
        ] {
            let word = crate::words::words(word).next().unwrap();
            assert_eq!(doer(&word, Language::German).as_deref(), expected);
        }
    }

    #[test]
    fn compounds_are_listed_by_their_ends() {
        let mut out = String::new();
        push_compounds("der mietvertrag vom 2026-03-05 straßenlampe ", &mut out);
        assert_eq!(out, "gartrevteim epmalneßarts ");
        assert_eq!(backwards("gartrevteim"), "mietvertrag");
    }
}
