//! What in a text is a name, a day or an amount, by how it is written. Pure.

use crate::words::{self, Language};

/// Two words in a row that are written as names are.
pub(super) fn has_name(passage: &str, language: Language) -> bool {
    let mut last_end = None;
    words::words(passage).any(|word| {
        let is_name = is_capitalised(word.text) && !is_function_word(word.text, language);
        let follows = last_end.is_some_and(|end: usize| &passage[end..word.start] == " ");
        last_end = is_name.then_some(word.start + word.text.len());
        is_name && follows
    })
}

pub(super) fn is_capitalised(word: &str) -> bool {
    let mut chars = word.chars();
    let is_upper = chars.next().is_some_and(char::is_uppercase);
    is_upper && chars.next().is_some() && chars.all(char::is_lowercase)
}

pub(super) fn is_function_word(word: &str, language: Language) -> bool {
    let lower = word.to_lowercase();
    words::is_stop_word(&lower, language) || is_month(&lower)
}

/// The name of a month beside a number, a year, or a date in digits.
pub(super) fn has_day(passage: &str) -> bool {
    let mut was_month = false;
    let mut was_number = false;
    passage.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        let is_month = is_month(&word.to_lowercase());
        let found = is_date(word) || is_number && was_month || is_month && was_number;
        (was_month, was_number) = (is_month, is_number);
        found
    })
}

/// A number that is not merely a date.
pub(super) fn has_amount(passage: &str) -> bool {
    passage.split_whitespace().any(|word| {
        let number = word.trim_matches(|c: char| !c.is_alphanumeric());
        number.starts_with(|c: char| c.is_ascii_digit()) && !is_date(number)
    })
}

/// A year of our times, or digits as dates are written.
pub(crate) fn is_date(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['-', '.', '/']).collect();
    let is_digits = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    match parts[..] {
        [year] => is_year(year),
        [_, _, _] => parts.iter().all(is_digits),
        _ => false,
    }
}

/// Whether a word in lower case is a currency.
pub(crate) fn is_money(lower: &str) -> bool {
    MONEY.contains(&lower)
}

#[rustfmt::skip]
const MONEY: &[&str] = &[
    "dollars", "dollar", "euros", "euro", "pounds", "pfund", "cents", "cent", "usd", "eur", "gbp", "chf", "franken",
    "francs", "pesos", "kronor", "kroner", "yen", "рублей", "рубля", "lira", "złotych", "ευρώ",
];

/// A year of our times.
pub(crate) fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()) && ("1500".."2200").contains(&word)
}

/// Whether a word in lower case is the name of a month.
pub(crate) fn is_month(lower: &str) -> bool {
    MONTHS.contains(&lower)
}

/// Returns which month a name in lower case is of, 1 to 12; 0 where that is not known.
pub(crate) fn month_number(lower: &str) -> usize {
    let mut languages = MONTHS_IN_ORDER.iter();
    languages
        .find_map(|months| months.iter().position(|month| *month == lower))
        .map_or(0, |place| place + 1)
}

#[rustfmt::skip]
const MONTHS_IN_ORDER: &[[&str; 12]] = &[
    ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"],
    ["januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november", "dezember"],
    ["janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"],
    ["enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"],
    ["gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"],
];

/// Returns the value of a small number that is spelled out in lower case.
pub(crate) fn number_value(lower: &str, language: Language) -> Option<usize> {
    #[rustfmt::skip]
    const SMALL: &[(Language, [&str; 11])] = &[
        (Language::English, ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]),
        (Language::German, ["zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"]),
    ];
    let (_, words) = SMALL.iter().find(|(own, _)| *own == language)?;
    words
        .iter()
        .position(|word| *word == lower)
        .map(|place| place + 2)
}

/// Whether a word in lower case is the name of a day of the week.
pub(crate) fn is_weekday(lower: &str) -> bool {
    WEEKDAYS.contains(&lower)
}

/// Whether a word in lower case is a number that is spelled out: "once" is one in Spanish only.
pub(crate) fn is_number_word(lower: &str, language: Language) -> bool {
    let mut numbers = NUMBERS.iter();
    numbers.any(|(own, words)| *own == language && words.contains(&lower))
}

/// Whether a word in lower case is what amounts are counted in.
pub(crate) fn is_unit(lower: &str) -> bool {
    UNITS.contains(&lower)
}

/// Whether a character makes a sum or a share of a number.
pub(crate) fn is_sum_sign(c: char) -> bool {
    matches!(
        c,
        '$' | '€' | '£' | '¥' | '₹' | '₽' | '%' | '‰' | '°' | '¢' | '§' | '±' | '~'
    )
}

#[rustfmt::skip]
const MONTHS: &[&str] = &[
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december", "januar", "jänner", "februar", "märz", "mai", "juni", "juli", "oktober",
    "dezember", "janvier", "février", "mars", "avril", "juin", "juillet", "août", "septembre", "octobre",
    "novembre", "décembre", "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto",
    "septiembre", "octubre", "noviembre", "diciembre", "gennaio", "febbraio", "aprile", "maggio",
    "giugno", "luglio", "settembre", "ottobre", "dicembre", "janeiro", "fevereiro", "março", "maio",
    "junho", "julho", "setembro", "outubro", "novembro", "dezembro", "januari", "februari", "maart",
    "mei", "augustus", "augusti", "januar", "marts", "maj", "oktober", "desember", "tammikuu",
    "января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября",
    "ноября", "декабря", "январь", "февраль", "март", "апрель", "май", "июнь", "июль", "август",
    "сентябрь", "октябрь", "ноябрь", "декабрь", "ocak", "şubat", "mart", "nisan", "mayıs", "haziran",
    "temmuz", "ağustos", "eylül", "ekim", "kasım", "aralık", "ianuarie", "februarie", "martie", "aprilie",
    "iunie", "iulie", "septembrie", "octombrie", "noiembrie", "decembrie", "ιανουαρίου", "φεβρουαρίου",
    "μαρτίου", "απριλίου", "μαΐου", "ιουνίου", "ιουλίου", "αυγούστου", "σεπτεμβρίου", "οκτωβρίου",
    "νοεμβρίου", "δεκεμβρίου", "január", "február", "március", "április", "május", "június", "július",
    "augusztus", "szeptember", "október", "يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو",
    "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر",
];

#[rustfmt::skip]
const WEEKDAYS: &[&str] = &[
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "montag", "dienstag",
    "mittwoch", "donnerstag", "freitag", "samstag", "sonnabend", "sonntag", "lundi", "mardi", "mercredi",
    "jeudi", "vendredi", "samedi", "dimanche", "lunes", "martes", "miércoles", "jueves", "viernes",
    "sábado", "domingo", "lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica",
    "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag", "yesterday",
    "tomorrow", "today", "gestern", "morgen", "heute",
];

#[rustfmt::skip]
const NUMBERS: &[(Language, &[&str])] = &[
    (Language::English, &[
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fifteen", "twenty", "thirty", "forty", "fifty", "sixty", "hundred", "thousand",
        "million", "billion", "trillion", "half", "dozen", "third", "quarter", "two-thirds", "twice",
    ]),
    (Language::German, &[
        "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
        "dreizehn", "fünfzehn", "zwanzig", "dreißig", "vierzig", "fünfzig", "hundert", "tausend",
        "million", "millionen", "milliarde", "milliarden", "mio", "mrd", "hälfte", "drittel", "viertel",
        "dutzend", "zweimal", "dreimal",
    ]),
    (Language::French, &[
        "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze", "vingt",
        "trente", "cent", "mille", "million", "millions", "milliards", "moitié", "tiers",
    ]),
    (Language::Spanish, &[
        "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce",
        "veinte", "treinta", "cien", "mil", "millón", "millones", "mitad", "tercio",
    ]),
    (Language::Italian, &[
        "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci", "undici", "dodici",
        "venti", "trenta", "cento", "mila", "mille", "milione", "milioni", "miliardi", "metà",
    ]),
    (Language::Portuguese, &[
        "dois", "duas", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez", "onze", "doze",
        "vinte", "trinta", "cem", "mil", "milhão", "milhões", "bilhões", "metade",
    ]),
    (Language::Dutch, &[
        "twee", "drie", "vier", "vijf", "zes", "zeven", "acht", "negen", "tien", "elf", "twaalf",
        "twintig", "honderd", "duizend", "miljoen", "miljard", "helft",
    ]),
    (Language::Swedish, &[
        "två", "tre", "fyra", "fem", "sex", "sju", "åtta", "nio", "tio", "tolv", "tjugo", "hundra",
        "tusen", "miljon", "miljoner", "hälften",
    ]),
    (Language::Danish, &[
        "to", "tre", "fire", "fem", "seks", "syv", "otte", "ni", "ti", "tolv", "hundrede", "tusind",
        "million", "millioner", "halvdelen",
    ]),
    (Language::Norwegian, &[
        "to", "tre", "fire", "fem", "seks", "sju", "syv", "åtte", "ni", "ti", "tolv", "hundre", "tusen",
        "million", "millioner", "halvparten",
    ]),
    (Language::Finnish, &[
        "kaksi", "kolme", "neljä", "viisi", "kuusi", "seitsemän", "kahdeksan", "yhdeksän", "kymmenen",
        "sata", "tuhat", "miljoonaa", "puolet",
    ]),
    (Language::Hungarian, &[
        "két", "kettő", "három", "négy", "öt", "hat", "hét", "nyolc", "kilenc", "tíz", "száz", "ezer",
        "millió", "fele",
    ]),
    (Language::Romanian, &[
        "doi", "două", "trei", "patru", "cinci", "șase", "șapte", "opt", "nouă", "zece", "sută", "mii",
        "milioane", "miliarde", "jumătate",
    ]),
    (Language::Russian, &[
        "два", "две", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять", "десять", "двадцать",
        "сто", "тысяч", "тысячи", "миллион", "миллионов", "млн", "миллиардов", "млрд", "половина",
    ]),
    (Language::Turkish, &[
        "iki", "üç", "dört", "beş", "altı", "yedi", "sekiz", "dokuz", "on", "yirmi", "yüz", "bin", "milyon",
        "milyar", "yarısı",
    ]),
    (Language::Greek, &[
        "δύο", "τρεις", "τρία", "τέσσερις", "τέσσερα", "πέντε", "έξι", "επτά", "οκτώ", "εννέα", "δέκα",
        "εκατό", "χίλια", "εκατομμύρια", "μισό",
    ]),
    (Language::Arabic, &[
        "اثنان", "ثلاثة", "أربعة", "خمسة", "ستة", "سبعة", "ثمانية", "تسعة", "عشرة", "مئة", "ألف", "مليون",
        "مليار", "نصف",
    ]),
];

#[rustfmt::skip]
const UNITS: &[&str] = &[
    "percent", "per", "dollars", "dollar", "euros", "euro", "pounds", "cents", "usd", "eur", "prozent",
    "pfund", "meters", "metres", "meter", "km", "kilometers", "kilometer", "miles", "feet", "ft", "inches",
    "cm", "mm", "m", "kg", "g", "grams", "gram", "gramm", "tons", "tonnen", "liters", "litres", "liter", "l",
    "ml", "hours", "hour", "minutes", "minute", "seconds", "second", "days", "weeks", "months", "years",
    "year", "stunden", "stunde", "minuten", "sekunden", "tage", "wochen", "monate", "jahre", "jahren",
    "degrees", "grad", "gb", "mb", "kb", "tb", "ms", "s", "px", "em", "rem", "hz", "mhz", "ghz", "kw", "kwh",
    "square", "quadratkilometer", "quadratmeter", "acres", "hektar", "mètres", "kilomètres", "heures",
    "ans", "jours", "mois", "metros", "kilómetros", "horas", "años", "días", "meses", "metri", "chilometri",
    "ore", "anni", "giorni", "mesi", "uur", "jaar", "dagen", "weken", "maanden", "procent", "år", "dagar",
    "timmar", "vuotta", "év", "ani", "лет", "км", "метров", "часов", "дней", "yıl", "saat", "gün",
    "εκατοστά", "μέτρα", "χρόνια",
];
