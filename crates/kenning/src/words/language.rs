//! The language of a note, told from a sample of its text.

use frostem::Algorithm;
use whatlang::{Detector, Lang};

use super::scan::words;
use super::stop::is_stop_word;

/// How much of a note is looked at: enough for a sure answer, little enough to cost nothing.
const SAMPLE_CHARS_MAX: usize = 600;
/// Below this many letters a guess is worth less than the common case.
const SAMPLE_LETTERS_MIN: usize = 24;
/// Share of English function words above which no detector needs to be asked.
const ENGLISH_SHARE_MIN: f32 = 0.16;
/// Words with letters that English has not, such as "ø", from which on even an unsure answer is better than the common
/// case, and the share of all words that they are above. Fewer may be names.
const ACCENTED_WORDS_MIN: usize = 3;
const ACCENTED_SHARE_MIN: f32 = 0.1;

macro_rules! languages {
    ($($name:ident $code:literal $whatlang:ident),* $(,)?) => {
        /// A language whose grammar the stemmers know, or [`Language::Unknown`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Language {
            /// No stemmer applies; words stay as written.
            Unknown,
            $(#[doc = $code] $name),*
        }

        impl Language {
            /// Returns the ISO 639-1 code, `und` when unknown.
            pub fn code(self) -> &'static str {
                match self { Self::Unknown => "und", $(Self::$name => $code),* }
            }

            /// Returns the language of an ISO 639-1 code.
            pub fn from_code(code: &str) -> Self {
                match code { $($code => Self::$name,)* _ => Self::Unknown }
            }

            pub(crate) fn algorithm(self) -> Option<Algorithm> {
                match self { Self::Unknown => None, $(Self::$name => Some(Algorithm::$name)),* }
            }

            fn from_whatlang(lang: Lang) -> Self {
                match lang { $(Lang::$whatlang => Self::$name,)* _ => Self::Unknown }
            }
        }

        const KNOWN: &[Lang] = &[$(Lang::$whatlang),*];
    };
}

languages! {
    Arabic "ar" Ara, Danish "da" Dan, Dutch "nl" Nld, English "en" Eng, Finnish "fi" Fin,
    French "fr" Fra, German "de" Deu, Greek "el" Ell, Hungarian "hu" Hun, Italian "it" Ita,
    Norwegian "no" Nob, Portuguese "pt" Por, Romanian "ro" Ron, Russian "ru" Rus,
    Spanish "es" Spa, Swedish "sv" Swe, Tamil "ta" Tam, Turkish "tr" Tur,
}

impl Language {
    /// Whether words are written together to make new ones.
    pub(crate) fn joins_words(self) -> bool {
        use Language::*;
        matches!(
            self,
            German | Dutch | Danish | Swedish | Norwegian | Finnish | Hungarian
        )
    }
}

/// Returns the language `text` is most likely written in.
///
/// Short or unclear Latin text counts as English, the commonest case.
pub(crate) fn detect(text: &str) -> Language {
    let sample = sample(text);
    // "A" and "do" are words of others, too.
    if english_share(sample) >= ENGLISH_SHARE_MIN && !is_accented(sample) {
        return Language::English;
    }
    if sample.chars().filter(|c| c.is_alphabetic()).count() < SAMPLE_LETTERS_MIN {
        return latin_default(sample);
    }
    let mut candidates = KNOWN.to_vec();
    candidates.extend([
        Lang::Cmn,
        Lang::Jpn,
        Lang::Kor,
        Lang::Tha,
        Lang::Heb,
        Lang::Hin,
        Lang::Ukr,
        Lang::Pol,
        Lang::Ces,
    ]);
    match Detector::with_allowlist(candidates).detect(sample) {
        Some(info) if info.is_reliable() || info.script() != whatlang::Script::Latin => {
            Language::from_whatlang(info.lang())
        }
        // An unsure answer is still the best guess when it is backed by function words, or when it cannot be English.
        Some(info)
            if stop_share(sample, Language::from_whatlang(info.lang())) > 0.1
                || is_accented(sample) =>
        {
            Language::from_whatlang(info.lang())
        }
        _ => latin_default(sample),
    }
}

fn latin_default(sample: &str) -> Language {
    if sample.chars().any(|c| c.is_ascii_alphabetic()) {
        Language::English
    } else {
        Language::Unknown
    }
}

fn english_share(sample: &str) -> f32 {
    stop_share(sample, Language::English)
}

fn stop_share(sample: &str, language: Language) -> f32 {
    let (mut n_words, mut n_stop) = (0u32, 0u32);
    let mut lowered = String::new();
    for word in words(sample) {
        super::lower_into(word.text, &mut lowered);
        n_words += 1;
        n_stop += u32::from(is_stop_word(&lowered, language));
    }
    if n_words < 6 {
        return 0.0;
    }
    n_stop as f32 / n_words as f32
}

fn is_accented(sample: &str) -> bool {
    if sample.is_ascii() {
        return false;
    }
    let is_strange = |word: &str| word.chars().any(|c| !c.is_ascii() && c.is_alphabetic());
    let n_words = words(sample).count();
    let n_strange = words(sample).filter(|word| is_strange(word.text)).count();
    n_strange >= ACCENTED_WORDS_MIN && n_strange as f32 > ACCENTED_SHARE_MIN * n_words as f32
}

/// Takes the sample from the middle of the text, where prose is likelier than headings.
fn sample(text: &str) -> &str {
    if text.len() <= SAMPLE_CHARS_MAX {
        return text;
    }
    let start = text.floor_char_boundary((text.len() - SAMPLE_CHARS_MAX) / 3);
    let end = text.floor_char_boundary(start + SAMPLE_CHARS_MAX);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_common_languages_apart() {
        let cases = [
            (
                "The letter came in the morning and was about the roof of the old house.",
                Language::English,
            ),
            (
                "Der Brief kam am Morgen und handelte vom Dach des alten Hauses, das wir gekauft haben.",
                Language::German,
            ),
            (
                "La lettre est arrivée le matin et parlait du toit de la vieille maison.",
                Language::French,
            ),
            (
                "La carta llegó por la mañana y hablaba del tejado de la casa vieja.",
                Language::Spanish,
            ),
            (
                "这封信是早上到的，讲的是老房子的屋顶。我们需要尽快修理它。",
                Language::Unknown,
            ),
            (
                "Lejekontrakt. Lejekontrakten ophører efter tre måneders opsigelse. Sundhedsforsikringen dækker tandlægen.",
                Language::Danish,
            ),
            (
                "Größe, Höhe, Längenmaße für Türöffnung: bitte prüfen",
                Language::German,
            ),
            (
                "Sjukförsäkringen betalar tandläkaren. Hyresvärden höjer hyran.",
                Language::Swedish,
            ),
            (
                "Kerrostaloasunto sijaitsee keskustassa. Isännöitsijä päättää lämmityksestä.",
                Language::Finnish,
            ),
            (
                "A bérleti szerződés három hónap múlva lejár. A fűtés költsége külön fizetendő.",
                Language::Hungarian,
            ),
            (
                "Kira sözleşmesi üç ay sonra sona erer. Isıtma ücreti ayrıca ödenir.",
                Language::Turkish,
            ),
            (
                "Reunião amanhã: orçamento, férias, manutenção, inscrições.",
                Language::Portuguese,
            ),
            (
                "Kira Roth\n020 7946 0814\ncafé Zoë, Main Street, Bristol",
                Language::English,
            ),
            (
                "Zoë, Chloé and Amélie went to the café in Málaga with the other guests of the house.",
                Language::English,
            ),
            ("ok", Language::English),
        ];
        for (text, expected) in cases {
            assert_eq!(detect(text), expected, "{text}");
        }
    }
}
