//! Function words: they carry grammar, not meaning, and are left out of queries.
//!
//! Notes keep them, so that a quoted phrase can still be found to the letter.

use super::Language;

/// Returns whether `lowered` is a function word of `language`.
pub(crate) fn is_stop_word(lowered: &str, language: Language) -> bool {
    if lowered.len() > 14 {
        return false;
    }
    list(language).binary_search(&lowered).is_ok()
}

/// Returns whether `lowered` is a function word of any language that has a list.
pub fn is_stop_word_anywhere(lowered: &str) -> bool {
    let mut listed = LISTED.iter();
    listed.any(|&language| is_stop_word(lowered, language))
}

/// Returns whether questions begin with `lowered` in any language.
pub(crate) fn is_question_word(lowered: &str) -> bool {
    QUESTION_WORDS.binary_search(&lowered).is_ok()
}

/// Returns the languages that most of the function words among `lowered` belong to: several where they
/// have the same words.
pub(crate) fn languages_by_stop_words(lowered: &[String]) -> Vec<Language> {
    let n_words = |language: Language| {
        let words = lowered.iter();
        words.filter(|word| is_stop_word(word, language)).count()
    };
    let votes: Vec<(Language, usize)> = LISTED.iter().map(|&l| (l, n_words(l))).collect();
    let most = votes.iter().map(|(_, n)| *n).max().unwrap_or(0);
    let best = (votes.into_iter()).filter(|(_, n)| *n == most && most > 0);
    best.map(|(language, _)| language).collect()
}

/// Languages with a list.
const LISTED: &[Language] = &[
    Language::English,
    Language::German,
    Language::French,
    Language::Spanish,
    Language::Italian,
    Language::Portuguese,
    Language::Dutch,
    Language::Swedish,
    Language::Danish,
    Language::Norwegian,
    Language::Finnish,
    Language::Hungarian,
    Language::Romanian,
    Language::Russian,
    Language::Turkish,
];

fn list(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => ENGLISH,
        Language::German => GERMAN,
        Language::French => FRENCH,
        Language::Spanish => SPANISH,
        Language::Italian => ITALIAN,
        Language::Portuguese => PORTUGUESE,
        Language::Dutch => DUTCH,
        Language::Swedish => SWEDISH,
        Language::Danish => DANISH,
        Language::Norwegian => NORWEGIAN,
        Language::Finnish => FINNISH,
        Language::Hungarian => HUNGARIAN,
        Language::Romanian => ROMANIAN,
        Language::Russian => RUSSIAN,
        Language::Turkish => TURKISH,
        _ => &[],
    }
}

// Each list is sorted. Question words are in: people ask with them, notes do not answer with them.
#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how",
    "i", "if", "in", "into", "is", "it", "its", "just", "me", "my", "no", "not", "of", "on", "or",
    "our", "she", "should", "so", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "to", "was", "we", "were", "what", "when", "where", "which",
    "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
];
#[rustfmt::skip]
const GERMAN: &[&str] = &[
    "aber", "alle", "allem", "allen", "aller", "alles", "als", "am", "an", "auch", "auf", "aus",
    "bei", "bin", "bis", "da", "dann", "das", "dass", "dem", "den", "denn", "der", "des", "die",
    "dies", "diese", "diesem", "diesen", "dieser", "dieses", "doch", "dort", "du", "durch", "ein",
    "eine", "einem", "einen", "einer", "eines", "er", "es", "etwas", "für", "habe", "haben", "hat",
    "hatte", "hier", "ich", "ihr", "ihre", "im", "in", "ins", "ist", "jetzt", "kann", "kein",
    "keine", "keinem", "keinen", "keiner", "man", "mein", "mich", "mir", "mit", "nach", "nicht",
    "noch", "nur", "ob", "oder", "ohne", "schon", "sehr", "sein", "seine", "sich", "sie", "sind",
    "so", "soll", "um", "und", "uns", "vom", "von", "vor", "wann", "war", "waren", "warum", "was",
    "weil", "welche", "welchem", "welchen", "welcher", "welches", "wenn", "wer", "werden", "wie",
    "wieder", "wieso", "wir", "wird", "wo", "wurde", "wurden", "zu", "zum", "zur", "zwischen",
    "über",
];
#[rustfmt::skip]
const FRENCH: &[&str] = &[
    "a", "au", "aux", "avec", "ce", "ces", "cette", "comment", "d", "dans", "de", "des", "du",
    "elle", "en", "est", "et", "il", "ils", "je", "l", "la", "le", "les", "leur", "lui", "ma",
    "mais", "me", "mes", "mon", "n", "ne", "nous", "on", "ont", "ou", "où", "par", "pas", "pour",
    "pourquoi", "qu", "quand", "que", "quel", "quelle", "quelles", "quels", "qui", "s", "sa", "se",
    "ses", "son", "sont", "sur", "un", "une", "vous", "y", "à", "été",
];
#[rustfmt::skip]
const SPANISH: &[&str] = &[
    "a", "al", "como", "con", "cuando", "cuál", "cuándo", "cómo", "de", "del", "donde", "dónde",
    "el", "ella", "en", "es", "esta", "este", "esto", "fue", "ha", "la", "las", "le", "lo", "los",
    "me", "mi", "más", "no", "o", "para", "pero", "por", "que", "quién", "qué", "se", "ser", "si",
    "sin", "sobre", "son", "su", "sus", "un", "una", "y", "ya", "yo",
];
#[rustfmt::skip]
const ITALIAN: &[&str] = &[
    "a", "ad", "al", "alla", "anche", "che", "chi", "ci", "come", "con", "cosa", "da", "dal",
    "dalla", "de", "dei", "del", "della", "di", "dove", "e", "ed", "era", "gli", "ha", "i", "il",
    "in", "io", "la", "le", "lo", "ma", "mi", "nel", "nella", "non", "o", "per", "perché", "più",
    "quale", "quando", "questa", "questo", "se", "si", "sono", "su", "sul", "un", "una", "è",
];
#[rustfmt::skip]
const PORTUGUESE: &[&str] = &[
    "a", "ao", "aos", "as", "com", "como", "da", "das", "de", "do", "dos", "e", "ela", "ele", "em",
    "era", "essa", "esse", "esta", "este", "eu", "foi", "já", "mais", "mas", "me", "meu", "na",
    "nas", "no", "nos", "não", "o", "onde", "os", "ou", "para", "pela", "pelo", "por", "qual",
    "quando", "que", "quem", "se", "sem", "seu", "sua", "são", "um", "uma", "à", "é",
];
#[rustfmt::skip]
const DUTCH: &[&str] = &[
    "aan", "al", "als", "bij", "dan", "dat", "de", "den", "der", "deze", "die", "dit", "door",
    "een", "en", "er", "had", "heb", "heeft", "het", "hij", "hoe", "ik", "in", "is", "je", "maar",
    "me", "met", "mijn", "naar", "niet", "nog", "of", "om", "ook", "op", "over", "te", "tot",
    "uit", "van", "voor", "waar", "waarom", "wanneer", "was", "wat", "we", "welke", "wie",
    "worden", "wordt", "ze", "zich", "zij", "zijn",
];
#[rustfmt::skip]
const SWEDISH: &[&str] = &[
    "att", "av", "de", "den", "det", "du", "där", "efter", "en", "ett", "från", "för", "ha", "han",
    "har", "hon", "hur", "i", "inte", "jag", "kan", "man", "med", "men", "mig", "min", "mot",
    "när", "och", "om", "på", "sig", "sin", "ska", "som", "till", "var", "varför", "vi", "vid",
    "vilka", "vilken", "vilket", "än", "är",
];
#[rustfmt::skip]
const DANISH: &[&str] = &[
    "af", "at", "da", "de", "den", "der", "det", "du", "efter", "eller", "en", "er", "et", "for",
    "fra", "han", "har", "hun", "hvad", "hvem", "hvilken", "hvor", "hvordan", "hvorfor", "i",
    "ikke", "jeg", "kan", "man", "med", "men", "mig", "min", "når", "og", "om", "over", "på",
    "seg", "sig", "skal", "som", "til", "var", "ved", "vi", "å",
];
#[rustfmt::skip]
const NORWEGIAN: &[&str] = &[
    "at", "av", "da", "de", "den", "der", "det", "du", "eller", "en", "er", "et", "etter", "for",
    "fra", "han", "har", "hun", "hva", "hvem", "hvilke", "hvilken", "hvor", "hvordan", "hvorfor",
    "i", "ikke", "jeg", "kan", "man", "med", "meg", "men", "min", "når", "og", "om", "over", "på",
    "seg", "skal", "som", "til", "var", "ved", "vi", "å",
];
#[rustfmt::skip]
const FINNISH: &[&str] = &[
    "ei", "että", "he", "hän", "ja", "joka", "jos", "ketä", "kuin", "kuinka", "kuka", "kun", "me",
    "mihin", "miksi", "mikä", "milloin", "minun", "minä", "missä", "miten", "mitkä", "mitä",
    "mutta", "myös", "niin", "nämä", "ole", "olen", "oli", "olla", "on", "ovat", "se", "sen",
    "sinä", "tai", "te", "tuo", "tämä", "vai", "vain", "voi",
];
#[rustfmt::skip]
const HUNGARIAN: &[&str] = &[
    "a", "az", "azt", "csak", "de", "egy", "ez", "ezt", "ha", "hogy", "hogyan", "hol", "is", "kell",
    "ki", "kik", "lesz", "meg", "melyik", "mi", "mikor", "milyen", "mint", "mit", "miért", "már",
    "még", "nem", "te", "vagy", "van", "volt", "én", "és", "ő",
];
#[rustfmt::skip]
const RUSSIAN: &[&str] = &[
    "а", "бы", "был", "была", "были", "было", "в", "во", "вот", "все", "вы", "да", "для", "до",
    "его", "ее", "если", "есть", "еще", "же", "за", "и", "из", "или", "их", "к", "как", "какая",
    "какие", "какое", "какой", "когда", "кто", "мне", "мы", "на", "не", "нет", "но", "о", "об",
    "он", "она", "они", "от", "по", "почему", "при", "с", "со", "так", "то", "тот", "ты", "у",
    "чем", "что", "чтобы", "эта", "эти", "это", "этот", "я",
];
#[rustfmt::skip]
const TURKISH: &[&str] = &[
    "ama", "ben", "bir", "biz", "bu", "da", "daha", "de", "gibi", "hangi", "her", "ile", "için",
    "ki", "kim", "mi", "mu", "mü", "mı", "nasıl", "ne", "neden", "nerede", "niçin", "o", "olan",
    "olarak", "onlar", "sen", "siz", "var", "ve", "ya", "yok", "çok", "şu",
];
#[rustfmt::skip]
const ROMANIAN: &[&str] = &[
    "a", "ai", "al", "am", "are", "ca", "care", "ce", "cine", "cu", "cum", "când", "cât", "că",
    "dar", "de", "din", "ei", "este", "fi", "la", "lui", "mai", "nu", "o", "pe", "pentru", "sau",
    "se", "sunt", "să", "un", "unde", "în", "și",
];
/// What questions begin with, in all languages.
#[rustfmt::skip]
const QUESTION_WORDS: &[&str] = &[
    "ce", "che", "chi", "cine", "come", "comment", "como", "cosa", "cum", "cuál", "cuándo", "când",
    "cómo", "dove", "dónde", "hoe", "hogyan", "hol", "how", "hur", "hva", "hvad", "hvem", "hvilken",
    "hvor", "hvordan", "hvorfor", "hvornår", "ki", "kim", "kuka", "mi", "mikor", "miksi", "mikä",
    "milloin", "missä", "miten", "mitä", "miért", "nasıl", "ne", "neden", "nerede", "när", "når",
    "onde", "où", "perché", "pourquoi", "qual", "quale", "quand", "quando", "que", "quel", "quelle",
    "quelles", "quels", "quem", "qui", "quién", "qué", "unde", "vad", "var", "varför", "vem",
    "vilken", "vilket", "waar", "waarom", "wann", "wanneer", "warum", "was", "wat", "welche",
    "welchen", "welcher", "welches", "welke", "wem", "wen", "wer", "weshalb", "wessen", "what",
    "when", "where", "which", "who", "whom", "whose", "why", "wie", "wieso", "wo", "woher", "wohin",
    "где", "как", "какой", "когда", "кто", "почему", "что",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_so_that_lookup_works() {
        let lists = LISTED.iter().map(|&language| list(language));
        for list in lists.chain([QUESTION_WORDS]) {
            for word in list {
                assert!(
                    list.binary_search(word).is_ok() && list.windows(2).all(|w| w[0] <= w[1]),
                    "{word} is out of order"
                );
            }
        }
    }
}
