//! The words that questions are asked with, in the languages that notes are stemmed in and a few
//! that are not. Pure.

use super::Sought;
use crate::words::Language;

/// What a word that asks says of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// It says it all.
    Is(Sought),
    /// How: the next word tells whether an amount or a way is asked for.
    How,
    /// What, which: the next words tell what sort of thing.
    What,
}

#[rustfmt::skip]
const WHO: &[&str] = &[
    "who", "whom", "whose", "wer", "wen", "wem", "wessen", "qui", "quién", "quien", "quiénes",
    "quienes", "chi", "quem", "vem", "vems", "hvem", "hvis", "kuka", "ketkä", "ketä", "kenen", "kenet",
    "kenelle", "ki", "kik", "kit", "kinek", "cine", "cui", "кто", "кого", "кому", "кем", "чей", "чья",
    "kim", "kimin", "kimi", "kime", "ποιος", "ποιοι", "ποιον", "யார்",
];
#[rustfmt::skip]
const WHEN: &[&str] = &[
    "when", "wann", "quand", "cuándo", "cuando", "quando", "wanneer", "när", "når", "hvornår",
    "milloin", "mikor", "când", "когда", "πότε", "متى", "எப்போது",
];
#[rustfmt::skip]
const WHERE: &[&str] = &[
    "where", "wo", "wohin", "woher", "où", "dónde", "donde", "adónde", "dove", "onde", "waar", "var",
    "vart", "hvor", "missä", "mistä", "mihin", "minne", "hol", "hová", "honnan", "unde", "где", "куда",
    "откуда", "nerede", "nereye", "nereden", "πού", "أين", "எங்கே",
];
#[rustfmt::skip]
const HOW_MUCH: &[&str] = &[
    "wieviel", "wieviele", "wievielen", "combien", "cuánto", "cuánta", "cuántos", "cuántas", "quanto",
    "quanta", "quanti", "quante", "quantos", "quantas", "hoeveel", "montako", "monta", "hány", "mennyi",
    "mennyit", "cât", "câți", "câte", "câtă", "сколько", "kaç", "πόσο", "πόσα", "πόσοι", "πόσες", "πόση",
    "كم", "எத்தனை", "எவ்வளவு",
];
#[rustfmt::skip]
const WHY: &[&str] = &[
    "why", "warum", "wieso", "weshalb", "weswegen", "pourquoi", "perché", "waarom", "varför", "hvorfor",
    "miksi", "miért", "почему", "зачем", "neden", "niçin", "niye", "γιατί", "لماذا", "ஏன்",
];
#[rustfmt::skip]
const HOW: &[&str] = &[
    "how", "wie", "comment", "cómo", "come", "como", "hoe", "hur", "hvordan", "miten", "kuinka",
    "hogyan", "cum", "как", "nasıl", "πώς", "كيف", "எப்படி",
];
#[rustfmt::skip]
const WHAT: &[&str] = &[
    "what", "which", "was", "welche", "welcher", "welches", "welchen", "welchem", "wodurch", "womit",
    "wofür", "woran", "worauf", "woraus", "wovon", "worin", "wonach", "quel", "quelle", "quels",
    "quelles", "quoi", "qué", "cuál", "cuáles", "che", "cosa", "quale", "quali", "qual", "quais", "wat",
    "welk", "welke", "vad", "vilken", "vilket", "vilka", "hvad", "hva", "hvilken", "hvilket", "hvilke",
    "mikä", "mitä", "mitkä", "minkä", "missä", "mi", "mit", "melyik", "milyen", "ce", "care", "что",
    "чем", "чего", "какой", "какая", "какое", "какие", "каком", "какую", "каким", "каких", "какого",
    "ne", "nedir", "hangi", "neyi", "τι", "ποιο", "ποια", "ποιες", "ποιαν", "ما", "ماذا", "أي", "என்ன",
    "எந்த",
];

/// Those that are other words as well, and ask only where a question begins.
#[rustfmt::skip]
const ONLY_FIRST: &[&str] = &[
    "was", "var", "come", "como", "ki", "ce", "mi", "mit", "ne", "che", "cum", "hvis", "donde", "cuando",
    "quien", "qui", "cui", "care", "monta", "vart", "chi", "when", "where", "who", "which", "wie", "wo",
    "как", "что", "hoe", "où", "quando", "onde", "quand", "waar", "wat", "welke", "hvor", "som", "cât",
    "dove", "kit", "kim", "quale", "mitä", "minkä", "mikä", "missä", "ما", "when", "unde", "hol",
];

/// In scripts that put no blanks between words.
#[rustfmt::skip]
const UNSPACED: &[(&str, Mark)] = &[
    ("什么时候", Mark::Is(Sought::Day)), ("何时", Mark::Is(Sought::Day)), ("哪一年", Mark::Is(Sought::Day)),
    ("哪年", Mark::Is(Sought::Day)), ("いつ", Mark::Is(Sought::Day)), ("何年", Mark::Is(Sought::Day)),
    ("언제", Mark::Is(Sought::Day)), ("เมื่อไร", Mark::Is(Sought::Day)), ("เมื่อใด", Mark::Is(Sought::Day)),
    ("ปีใด", Mark::Is(Sought::Day)),
    ("为什么", Mark::Is(Sought::Reason)), ("为何", Mark::Is(Sought::Reason)), ("なぜ", Mark::Is(Sought::Reason)),
    ("왜", Mark::Is(Sought::Reason)), ("ทำไม", Mark::Is(Sought::Reason)),
    ("多少", Mark::Is(Sought::Amount)), ("几个", Mark::Is(Sought::Amount)), ("几", Mark::Is(Sought::Amount)),
    ("多大", Mark::Is(Sought::Amount)), ("多长", Mark::Is(Sought::Amount)), ("いくつ", Mark::Is(Sought::Amount)),
    ("いくら", Mark::Is(Sought::Amount)), ("何人", Mark::Is(Sought::Amount)), ("몇", Mark::Is(Sought::Amount)),
    ("얼마", Mark::Is(Sought::Amount)), ("กี่", Mark::Is(Sought::Amount)), ("เท่าไร", Mark::Is(Sought::Amount)),
    ("เท่าใด", Mark::Is(Sought::Amount)),
    ("谁", Mark::Is(Sought::Name)), ("誰", Mark::Is(Sought::Name)), ("だれ", Mark::Is(Sought::Name)),
    ("누구", Mark::Is(Sought::Name)), ("누가", Mark::Is(Sought::Name)), ("ใคร", Mark::Is(Sought::Name)),
    ("哪里", Mark::Is(Sought::Place)), ("在哪", Mark::Is(Sought::Place)), ("どこ", Mark::Is(Sought::Place)),
    ("어디", Mark::Is(Sought::Place)), ("ที่ไหน", Mark::Is(Sought::Place)), ("ที่ใด", Mark::Is(Sought::Place)),
    ("怎么", Mark::Is(Sought::Steps)), ("如何", Mark::Is(Sought::Steps)), ("어떻게", Mark::Is(Sought::Steps)),
    ("อย่างไร", Mark::Is(Sought::Steps)),
];

/// Finds the word that asks, and what it says. A question is asked with its first such word.
pub(super) fn find(all: &[&str], lower: &str, languages: &[Language]) -> Option<(usize, Mark)> {
    if let Some((_, mark)) = UNSPACED.iter().find(|(text, _)| lower.contains(text)) {
        return Some((0, *mark));
    }
    let is_dutch = languages.contains(&Language::Dutch) && !languages.contains(&Language::German);
    let mark_of = |place: usize, word: &str| {
        let is_early = place < EARLY_WORDS;
        if ONLY_FIRST.contains(&word) && !is_early {
            return None;
        }
        match word {
            "wie" if is_dutch => Some(Mark::Is(Sought::Name)),
            // "var" and "was" begin questions of another kind, too, which is told by what follows.
            _ if WHO.contains(&word) => Some(Mark::Is(Sought::Name)),
            _ if WHEN.contains(&word) => Some(Mark::Is(Sought::Day)),
            _ if HOW_MUCH.contains(&word) => Some(Mark::Is(Sought::Amount)),
            _ if WHY.contains(&word) => Some(Mark::Is(Sought::Reason)),
            "hvor" | "hur" if is_measured(all.get(place + 1)) => Some(Mark::How),
            "was" if languages == [Language::English] => None,
            _ if WHERE.contains(&word) => Some(Mark::Is(Sought::Place)),
            _ if HOW.contains(&word) => Some(Mark::How),
            _ if WHAT.contains(&word) => Some(Mark::What),
            _ => None,
        }
    };
    let places = all.iter().enumerate();
    let mut found = places.filter_map(|(place, word)| Some((place, mark_of(place, word)?)));
    found.next()
}

/// Words among which a question begins: "and since when".
const EARLY_WORDS: usize = 4;

fn is_measured(next: Option<&&str>) -> bool {
    next.is_some_and(|next| is_measure(next))
}

/// Whether a word behind "how" makes it ask for an amount.
pub(super) fn is_measure(word: &str) -> bool {
    #[rustfmt::skip]
    const MEASURES: &[&str] = &[
        "much", "many", "long", "old", "far", "tall", "high", "big", "large", "deep", "wide", "heavy",
        "fast", "often", "few", "expensive", "hot", "cold", "small", "viel", "viele", "vielen", "vieler",
        "hoch", "teuer", "lange", "lang", "alt", "weit", "groß", "schnell", "schwer", "tief", "breit",
        "oft", "wenig", "wenige", "häufig", "stark", "veel", "lang", "oud", "hoog", "groot", "många",
        "mycket", "länge", "gammal", "stor", "mange", "meget", "mye", "langt", "gammel", "monta", "paljon",
        "kauan", "vanha",
    ];
    MEASURES.contains(&word)
}

/// Whether a price is asked for, in whatever words.
pub(super) fn asks_price(all: &[&str]) -> bool {
    #[rustfmt::skip]
    const COST: &[&str] = &["cost", "costs", "kostet", "kostete", "gekostet", "kosten", "coûte", "cuesta", "costa", "kost"];
    // By themselves, they ask for nothing: a battery is charged, too.
    #[rustfmt::skip]
    const PAY: &[&str] = &["pay", "paid", "charge", "charges", "charged", "bezahlt", "gezahlt", "zahlen", "verlangt"];
    let asks_sum = all.windows(2).any(|pair| match pair {
        ["what", next] => DO.contains(next),
        [much, _] => MUCH.contains(much),
        _ => false,
    });
    // "How much is the roof", not "how much water is in it".
    let is_sum = |pair: &[&str]| MUCH.contains(&pair[0]) && is_copula(pair[1]);
    let says = |any: &[&str]| all.iter().any(|word| any.contains(word));
    says(COST) || asks_sum && says(PAY) || all.windows(2).any(is_sum)
}

/// What asks for a sum where something is said to be that much.
const MUCH: &[&str] = &["much", "viel", "wieviel"];
/// What a question for something done begins with.
const DO: &[&str] = &["do", "does", "did"];

/// Whether a word says that something is something.
pub(super) fn is_copula(word: &str) -> bool {
    #[rustfmt::skip]
    const COPULAS: &[&str] = &[
        "is", "are", "was", "were", "does", "ist", "sind", "war", "bedeutet", "heißt", "est", "sont", "es",
        "son", "è", "sono", "é", "são", "zijn", "är", "er", "on", "az", "a", "este", "sunt", "такое",
        "είναι", "means",
    ];
    COPULAS.contains(&word)
}

/// Whether a question is about something that happened, told by the words behind the one that asks.
pub(super) fn is_past(rest: &[&str], languages: &[Language]) -> bool {
    let is_in = |language| languages.contains(&language);
    let verbs = &rest[..rest.len().min(VERB_WITHIN)];
    is_in(Language::German) && is_german_past(verbs, rest)
        || is_in(Language::English) && is_english_past(verbs)
}

fn is_german_past(verbs: &[&str], rest: &[&str]) -> bool {
    let last = rest.last().copied().unwrap_or_default();
    verbs.iter().any(|verb| match *verb {
        "hat" | "haben" | "ist" | "sind" => is_german_participle(last),
        verb => GERMAN_PAST.contains(&verb) || is_german_preterite(verb),
    })
}

fn is_english_past(verbs: &[&str]) -> bool {
    let is_before = |word: &&&str| word.ends_with("ly") || BEFORE_VERB.contains(word);
    let verb = verbs.iter().find(|word| !is_before(word));
    // "invented", not "need".
    let is_weak = |verb: &str| verb.len() > 4 && verb.ends_with("ed") && !verb.ends_with("eed");
    verb.is_some_and(|verb| ENGLISH_PAST.contains(verb) || is_weak(verb))
}

/// Words behind the one that asks among which the verb is: "in what year was".
const VERB_WITHIN: usize = 2;
/// What may stand in front of an English verb.
const BEFORE_VERB: &[&str] = &[
    "first", "last", "else", "year", "day", "month", "century", "decade", "date",
];
#[rustfmt::skip]
const ENGLISH_PAST: &[&str] = &[
    "was", "were", "did", "had", "began", "bought", "broke", "brought", "built", "came", "chose", "drew",
    "drove", "fell", "fought", "found", "gave", "got", "held", "left", "led", "lent", "lost", "made", "met",
    "paid", "ran", "said", "sang", "sent", "sold", "spoke", "stole", "taught", "told", "took", "went", "won",
    "wrote",
];
#[rustfmt::skip]
const GERMAN_PAST: &[&str] = &[
    "wurde", "wurden", "war", "waren", "hatte", "hatten", "begann", "entstand", "entwarf", "erfand", "erhielt",
    "fand", "fiel", "gab", "gewann", "ging", "hielt", "kam", "las", "nahm", "schloss", "schrieb", "schuf", "sang",
    "sprach", "starb", "trat", "traf", "verlor", "verließ", "zog",
];

/// "baute", not "möchte".
fn is_german_preterite(word: &str) -> bool {
    #[rustfmt::skip]
    const OTHERS: &[&str] = &[
        "möchte", "möchten", "könnte", "könnten", "sollte", "sollten", "müsste", "müssten", "dürfte", "dürften",
        "würde", "würden", "heute", "bitte", "erste", "ersten", "letzte", "letzten", "leute", "beste", "besten", "meisten",
    ];
    let is_weak = word.ends_with("te") || word.ends_with("ten");
    is_weak && word.chars().count() > 5 && !OTHERS.contains(&word)
}

/// "gebaut", "umgezogen", "entworfen", "operiert"; what has "geöffnet" does so still.
fn is_german_participle(word: &str) -> bool {
    const STATES: &[&str] = &["geöffnet", "geschlossen"];
    const PREFIXES: &[&str] = &["ge", "be", "er", "ver", "zer", "ent"];
    let has_ending = word.ends_with('t') || word.ends_with("en");
    let is_prefixed = PREFIXES.iter().any(|prefix| word.starts_with(prefix));
    has_ending
        && (is_prefixed || word.contains("ge") || word.ends_with("iert"))
        && !STATES.contains(&word)
}

/// Whether a word stands between something and what it is said to be: "is", "refers to", "means".
pub(crate) fn says_what(word: &str) -> bool {
    #[rustfmt::skip]
    const SAYS: &[&str] = &[
        "refers", "mean", "denotes", "describes", "stands", "bezeichnet", "bezeichnen", "bedeuten", "désigne",
        "signifie", "significa", "betekent", "betyder", "означает", "называется", "—", "是", "とは",
    ];
    is_copula(word) || SAYS.contains(&word)
}

/// Whether "what" asks for what to do.
pub(super) fn asks_what_to_do(rest: &[&str]) -> bool {
    const WHO: &[&str] = &["i", "we", "you", "one", "ich", "wir", "man", "du"];
    const DO: &[&str] = &["do", "tun", "machen", "mache", "tue"];
    let at = |place: usize| rest.get(place).copied().unwrap_or_default();
    let is_asked_of = |place: usize| WHO.contains(&at(place));
    match at(0) {
        "to" | "zu" => DO.contains(&at(1)),
        "tun" => true,
        "mache" | "tue" | "machen" | "macht" => is_asked_of(1),
        _ => is_asked_of(1) && DO.contains(&at(2)),
    }
}

/// Whether a question that begins with a word can be answered by yes or no.
pub(super) fn is_auxiliary(word: &str) -> bool {
    #[rustfmt::skip]
    const AUXILIARIES: &[&str] = &[
        "is", "are", "was", "were", "do", "does", "did", "can", "could", "should", "would", "will", "has",
        "have", "had", "may", "must", "ist", "sind", "war", "waren", "hat", "haben", "hatte", "hatten",
        "kann", "können", "darf", "dürfen", "soll", "sollte", "sollen", "wird", "werden", "wurde", "muss",
        "müssen", "gibt", "est", "sont", "ont", "peut", "es", "son", "ha", "puede", "può", "é", "são",
        "zijn", "heeft", "kan", "är", "har", "er", "onko",
    ];
    AUXILIARIES.contains(&word)
}

/// Fewest bytes of the last part of a compound that tell what it is.
const COMPOUND_PART_MIN: usize = 5;

/// What a question asks for whose "which" is followed by a word.
pub(super) fn kind_of(word: &str, languages: &[Language]) -> Option<Sought> {
    if word == "tag" && languages.contains(&Language::German) {
        return Some(Sought::Day);
    }
    #[rustfmt::skip]
    const KINDS: &[(Sought, &[&str])] = &[
        (Sought::Day, &[
            "day", "date", "year", "month", "decade", "century", "time", "weekday", "tages", "tagen",
            "datum", "jahr", "jahre", "jahren", "jahres", "monat", "jahrzehnt", "jahrhundert", "uhrzeit",
            "zeitpunkt", "wochentag", "année", "jour", "mois", "siècle", "heure", "año", "día", "fecha",
            "mes", "siglo", "hora", "anno", "giorno", "mese", "secolo", "ano", "dia", "mês",
            "século", "jaar", "dag", "maand", "eeuw", "år", "måned", "månad", "vuonna", "päivänä", "évben",
            "an", "anul", "году", "год", "день", "месяц", "века", "yıl", "yılda", "tarihte", "έτος", "χρονιά",
        ]),
        (Sought::Amount, &[
            "percentage", "percent", "number", "amount", "price", "cost", "age", "size", "length", "height",
            "weight", "population", "temperature", "distance", "score", "prozentsatz", "prozent", "anzahl",
            "zahl", "preis", "alter", "größe", "höhe", "länge", "gewicht", "temperatur", "summe", "anteil",
            "betrag", "pourcentage", "nombre", "prix", "âge", "taille", "porcentaje", "número", "precio",
            "edad", "percentuale", "numero", "prezzo", "percentagem", "preço", "aantal", "prijs", "antal",
            "procent", "процент", "yüzde", "ποσοστό",
        ]),
        (Sought::Place, &[
            "city", "country", "state", "town", "place", "region", "continent", "street", "location",
            "county", "room", "stadt", "land", "ort", "region", "straße", "bundesland", "kontinent", "raum",
            "staat", "ville", "pays", "lieu", "ciudad", "país", "lugar", "estado", "città", "paese", "luogo",
            "cidade", "plaats", "stad", "by", "kaupunki", "városban", "oraș", "городе", "стране", "şehir",
            "ülke", "πόλη", "χώρα",
        ]),
        (Sought::Name, &[
            "person", "author", "player", "president", "king", "queen", "scientist", "actor", "singer",
            "artist", "writer", "philosopher", "composer", "emperor", "spieler", "autor", "präsident",
            "könig", "königin", "wissenschaftler", "schauspieler", "sänger", "künstler", "philosoph",
            "komponist", "kaiser", "joueur", "auteur", "président", "roi", "jugador", "autor", "presidente",
            "rey", "giocatore", "autore", "re", "speler", "spelare",
        ]),
        (Sought::Code, &[
            "command", "file", "function", "option", "flag", "setting", "shortcut", "key", "path", "method",
            "attribute", "property", "element", "tag", "variable", "parameter", "header", "keyword",
            "befehl", "datei", "funktion", "einstellung", "tastenkürzel", "pfad", "methode", "attribut",
            "eigenschaft", "kommando", "commande", "fichier", "comando", "archivo", "opdracht",
        ]),
    ];
    // German makes one word of several: the last one counts.
    let is_compound = languages.contains(&Language::German);
    let is_kind = |kind: &&str| {
        *kind == word || is_compound && kind.len() >= COMPOUND_PART_MIN && word.ends_with(*kind)
    };
    let mut kinds = KINDS.iter();
    kinds.find_map(|(sought, words)| words.iter().any(&is_kind).then_some(*sought))
}
