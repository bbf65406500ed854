//! Where a sentence ends inside a paragraph. Pure.
//!
//! A stop ends a sentence unless something speaks against it: what stands before it (an
//! abbreviation, a number, an initial) or after it (no blank, a small letter).

/// Titles, which a name follows. Only with a capital: "5 ms. Then" is a measure.
#[rustfmt::skip]
const TITLES: &[&str] = &[
    "dr", "mr", "mrs", "ms", "prof", "rev", "hon", "gov", "sen", "capt", "sgt", "col", "lt", "st",
    "mt", "hr", "fr", "frl", "dipl", "ing", "mag", "hl",
];

/// Abbreviations that something always follows: no capital after them begins a sentence.
#[rustfmt::skip]
const LEADING: &[&str] = &[
    "vs", "cf", "e.g", "eg", "i.e", "ie", "viz", "approx", "dept", "univ", "esp", "incl", "excl",
    "ca", "resp", "lt",
    "z.b", "d.h", "d.i", "s.o", "s.u", "o.g", "i.d.r", "z.t", "u.u", "m.e", "i.a", "v.a", "bzw",
    "bspw", "vgl", "bzgl", "inkl", "exkl", "sog", "geb", "gest", "gegr", "evtl", "ggf", "ggfs",
    "hrsg", "einschl", "lfd", "ebd", "allg", "mio", "mrd", "zzgl", "abzgl", "engl", "frz", "röm",
    "phil", "rer", "nat", "med",
];

/// Abbreviations in front of a number; elsewhere some of them are words.
#[rustfmt::skip]
const NUMBERED: &[&str] = &[
    "no", "nos", "nr", "abs", "art", "fig", "figs", "s", "p", "pp", "vol", "kap", "abb", "bd", "ch",
    "chap", "sec", "eq", "tab", "ziff", "lit", "rn", "rz", "tel", "aufl", "anm", "anl", "max",
    "min", "mind", "gem", "c", "jan", "feb", "mar", "mär", "apr", "jun", "jul", "aug", "sep",
    "sept", "oct", "okt", "nov", "dec", "dez",
];

/// Abbreviations that often end a sentence: any capital after them begins one.
const TRAILING: &[&str] = &["etc", "usw", "u.s.w", "usf", "dgl"];

/// Abbreviations that seldom do: only a word that begins sentences ends one after them.
#[rustfmt::skip]
const PARTIAL: &[&str] = &[
    "inc", "ltd", "co", "corp", "jr", "sr", "bros", "al", "ph.d", "chr", "nr", "abs", "abb", "fig",
    "max", "min", "tel", "std", "sek", "str", "jh", "jhd", "jan", "feb", "mär", "apr", "aug",
    "sept", "okt", "oct", "nov", "dez", "dec",
];

/// Words with a capital that begin a sentence more often than they follow an initial.
#[rustfmt::skip]
const STARTERS: &[&str] = &[
    "the", "a", "an", "it", "he", "she", "we", "they", "you", "i", "this", "that", "these", "those",
    "there", "then", "but", "and", "so", "if", "when", "while", "in", "on", "at", "for", "to",
    "as", "after", "before", "however", "my", "our", "his", "her", "their", "its", "what", "why",
    "how", "who", "not", "no", "yes", "all", "some", "now",
    "der", "die", "das", "ein", "eine", "es", "er", "sie", "wir", "ich", "ihr", "dies", "diese",
    "dieser", "dieses", "dann", "aber", "und", "oder", "wenn", "als", "im", "am", "mit", "für",
    "auf", "auch", "nach", "vor", "da", "doch", "hier", "jetzt", "nun", "man", "was", "wie", "wer",
];

/// Words in front of a German ordinal number.
#[rustfmt::skip]
const BEFORE_ORDINAL: &[&str] = &[
    "am", "der", "die", "das", "dem", "den", "des", "im", "vom", "zum", "zur", "beim", "bis", "seit",
    "ab", "ins", "jeder", "jede", "jedes", "jeden", "unser", "unsere", "sein", "ihr", "mein", "und",
];

/// German months, which follow a day.
#[rustfmt::skip]
const MONTHS: &[&str] = &[
    "januar", "jänner", "februar", "märz", "april", "mai", "juni", "juli", "august", "september",
    "oktober", "november", "dezember", "jan", "feb", "mär", "apr", "jun", "jul", "aug", "sep",
    "sept", "okt", "nov", "dez",
];

/// Longest word in any of the lists, in bytes; longer ones are not looked up.
const WORD_BYTES_MAX: usize = 12;

/// Returns the end of the first sentence of `text[from..to]`, or `None` if it does not end before
/// `to`.
pub(super) fn next(text: &str, from: usize, to: usize) -> Option<usize> {
    let text = &text[..to];
    let mut at = from;
    let mut has_letter = false;
    while let Some(found) = text[at..].find(is_stop) {
        let start = at + found;
        has_letter |= text[at..start].contains(char::is_alphabetic);
        let after_stops = text[start..].trim_start_matches(is_stop);
        let stops = &text[start..to - after_stops.len()];
        let after = without_closers(after_stops);
        let end = to - after.len();
        if after.trim_start().is_empty() {
            return None;
        }
        let place = Place {
            before: &text[from..start],
            has_letter,
            stops,
            closers: &text[start + stops.len()..end],
            after,
        };
        if place.is_end() {
            return Some(end);
        }
        at = end;
    }
    None
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '؟' | '۔' | '։' | '።' | '။') || is_full_stop(c)
}

/// Stops that end a sentence whatever follows.
fn is_full_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡' | '।' | '॥')
}

/// Skips closing quotes, brackets, emphasis and footnote numbers.
fn without_closers(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c| "\"'”“’‘»›«)]}*_`~」』）】〉》".contains(c));
        let footnote = rest.strip_prefix("[^").and_then(|rest| {
            let end = rest.bytes().take(32).position(|byte| byte == b']')?;
            rest.get(end + 1..)
        });
        match footnote {
            Some(after) => rest = after,
            None => return rest,
        }
    }
}

/// One or more stops and what stands around them.
struct Place<'a> {
    /// The sentence up to here.
    before: &'a str,
    /// Something in it is a letter.
    has_letter: bool,
    stops: &'a str,
    closers: &'a str,
    /// The rest of the paragraph, never blank.
    after: &'a str,
}

impl Place<'_> {
    fn is_end(&self) -> bool {
        if self.stops.contains(is_full_stop) {
            // 「…。」と: what was said goes on into who said it.
            return self.closers.is_empty() || !self.after.starts_with(['と', 'っ']);
        }
        if !self.after.starts_with(char::is_whitespace) {
            return false;
        }
        let next = Next::of(self.after);
        if self.stops == "." {
            return self.is_end_at_dot(&next);
        }
        // "Really?" he asked, and: well… maybe.
        let goes_on = self.stops.ends_with(['.', '…']) || !self.closers.is_empty();
        !(goes_on && next.is_small)
    }

    fn is_end_at_dot(&self, next: &Next<'_>) -> bool {
        let before = self.before.trim_end_matches(['*', '_', '~']);
        if !self.has_letter || before.ends_with(char::is_whitespace) {
            // "1." alone is a number in front of a sentence, ". ." part of an ellipsis.
            return false;
        }
        let (rest, word) = last_word(before);
        if word.is_empty() {
            // What ends in a quote or in code is not an abbreviation.
            return !next.is_small;
        }
        if word
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
        {
            return is_end_after_number(rest, word, next);
        }
        let is_known = |list: &[&str]| is_listed(list, word);
        let is_title = word.starts_with(char::is_uppercase) && is_known(TITLES);
        // "CA" and "MED" are names, "ca" and "med" are not.
        let is_leading = word.contains(char::is_lowercase) && is_known(LEADING);
        if is_title || is_leading || (next.is_number && is_known(NUMBERED)) {
            return false;
        }
        if is_known(TRAILING) {
            return next.is_capital;
        }
        if is_single(word) {
            return is_end_after_letter(rest, word, next);
        }
        if is_known(PARTIAL) || word.ends_with("str") || word.split('.').all(is_single) {
            return next.is_starter();
        }
        // A short word before a small letter is more likely an abbreviation nobody listed.
        !next.is_small || word.chars().count() > 3
    }
}

/// "am 3. Mai", "3. 5. 2024", "der 2. Versuch" go on; "in 2024. Then" does not.
fn is_end_after_number(rest: &str, number: &str, next: &Next<'_>) -> bool {
    if next.is_small {
        return false;
    }
    if number.len() > 2 {
        return true;
    }
    let is_ordinal = next.is_number
        || is_listed(MONTHS, next.word)
        || is_listed(BEFORE_ORDINAL, last_word(rest).1);
    !is_ordinal
}

/// "J. R. R. Tolkien", "z. B. Äpfel" go on; "so did I. Then", "plan B. It" do not.
fn is_end_after_letter(rest: &str, letter: &str, next: &Next<'_>) -> bool {
    let before = last_word(rest).1;
    let is_after_small_letter = before
        .strip_suffix('.')
        .is_some_and(|one| is_single(one) && one.starts_with(char::is_lowercase));
    if is_after_small_letter || next.is_small {
        return false;
    }
    let is_pronoun = letter == "I" && !before.is_empty() && !before.ends_with('.');
    next.is_starter() || (is_pronoun && next.is_capital) || next.is_unlettered()
}

/// How the text goes on after a stop.
struct Next<'a> {
    word: &'a str,
    is_small: bool,
    is_capital: bool,
    is_number: bool,
}

impl<'a> Next<'a> {
    fn of(after: &'a str) -> Self {
        let is_opener = |c: char| c.is_whitespace() || "\"'“”„‚‘’«»‹›([{*_`~>¿¡".contains(c);
        let text = after.trim_start_matches(is_opener);
        let word = text
            .find(|c: char| !c.is_alphanumeric())
            .map_or(text, |end| &text[..end]);
        Self {
            word,
            is_small: word.starts_with(char::is_lowercase),
            is_capital: word.starts_with(char::is_uppercase),
            is_number: text.starts_with(|c: char| c.is_numeric() || c == '§'),
        }
    }

    fn is_starter(&self) -> bool {
        self.is_capital && is_listed(STARTERS, self.word)
    }

    /// Neither a letter with a case nor a number: another script, a sign, a picture.
    fn is_unlettered(&self) -> bool {
        !(self.is_small || self.is_capital || self.is_number)
    }
}

/// Splits off the last word, without what opens in front of it.
fn last_word(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    let is_edge = |c: char| c.is_whitespace() || "\"'“”„‚‘’«»‹›([{*_`~/–—>".contains(c);
    let start = text
        .char_indices()
        .rev()
        .find(|(_, c)| is_edge(*c))
        .map_or(0, |(at, c)| at + c.len_utf8());
    text.split_at(start)
}

fn is_single(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none()
}

fn is_listed(list: &[&str], word: &str) -> bool {
    if word.is_ascii() {
        return list.iter().any(|known| known.eq_ignore_ascii_case(word));
    }
    word.len() <= WORD_BYTES_MAX && list.contains(&word.to_lowercase().as_str())
}
