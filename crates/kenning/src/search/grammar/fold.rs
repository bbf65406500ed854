//! Text as conditions compare it: lower case, no accents, blanks collapsed. Pure.

use unicode_normalization::char::decompose_canonical;

use crate::words::is_unspaced;

/// Whether a condition on `word` would be about signs only, which nobody means to ask for.
pub(super) fn is_only_punctuation(word: &str) -> bool {
    word.chars().all(|c| {
        c.is_whitespace() || c.is_ascii_punctuation() || matches!(c as u32, 0x2010..=0x206F)
    })
}

/// Returns `text` in lower case, without accents, every run of blanks as one.
pub(super) fn fold(text: &str) -> String {
    let mut out = rewritten(text, |c, out| {
        c.to_lowercase().for_each(|c| push_folded(c, out));
    });
    out.make_ascii_lowercase();
    out
}

/// Returns `text` with every run of blanks as one; case and accents stay.
pub(super) fn collapse(text: &str) -> String {
    rewritten(text, |c, out| out.push(c))
}

/// Collapses blanks and puts what is not ASCII through `push`.
///
/// Whole runs of ASCII are copied at once: this is where a filter over all notes spends its time.
fn rewritten(text: &str, push: impl Fn(char, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let mut at = 0;
    let mut is_after_blank = false;
    while let Some(&byte) = text.as_bytes().get(at) {
        let is_blank = byte == b' ';
        if (is_blank && !is_after_blank) || (b'!'..=b'~').contains(&byte) {
            is_after_blank = is_blank;
            at += 1;
            continue;
        }
        out.push_str(&text[copied..at]);
        for c in text[at..].chars().take(1) {
            if !c.is_whitespace() {
                push(c, &mut out);
            } else if !is_after_blank {
                out.push(' ');
            }
            is_after_blank = c.is_whitespace();
            at += c.len_utf8();
        }
        copied = at;
    }
    out.push_str(&text[copied..]);
    out
}

/// Finds `needle` in `text` where a word starts.
///
/// A needle that begins with a sign, or in a script without blanks, is found anywhere.
pub(super) fn finds_word(text: &str, needle: &str) -> bool {
    let Some(first) = needle.chars().next() else {
        return true;
    };
    if !first.is_alphanumeric() || is_unspaced(first) {
        return text.contains(needle);
    }
    text.match_indices(needle).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() || is_unspaced(c))
    })
}

/// Whether two names are the same but for case.
pub(super) fn is_same_ignoring_case(one: &str, other: &str) -> bool {
    if one.is_ascii() && other.is_ascii() {
        return one.eq_ignore_ascii_case(other);
    }
    let lowered = |text: &str| -> String { text.chars().flat_map(char::to_lowercase).collect() };
    lowered(one) == lowered(other)
}

/// Appends one lower-case character without its accent, ligatures spelled out.
fn push_folded(c: char, out: &mut String) {
    match c {
        // Letters that Unicode does not take for others with an accent.
        'đ' | 'ð' => out.push('d'),
        'ħ' => out.push('h'),
        'ı' => out.push('i'),
        'ł' => out.push('l'),
        'ø' => out.push('o'),
        'ς' => out.push('σ'),
        '’' => out.push('\''),
        'ß' => out.push_str("ss"),
        'æ' => out.push_str("ae"),
        'œ' => out.push_str("oe"),
        'þ' => out.push_str("th"),
        // Full-width forms of ASCII.
        '\u{ff01}'..='\u{ff5e}' => out.extend(char::from_u32(c as u32 - 0xfee0)),
        // Syllables are letters here, and not what they are made of.
        c if is_unspaced(c) => out.push(c),
        c => decompose_canonical(c, |part| {
            // Accents of their own belong to decomposed letters, which fold like composed ones.
            if !('\u{300}'..='\u{36f}').contains(&part) {
                out.push(part);
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_fold_in_every_alphabet() {
        let check = |text: &str, expected: &str| assert_eq!(fold(text), expected, "{text}");
        check("ÀÉÎÕÜ çñšž", "aeiou cnsz");
        check("Ấp Đường Łódź Ørsted", "ap duong lodz orsted");
        check(
            "Straße Æon cœur þorn İstanbul",
            "strasse aeon coeur thorn istanbul",
        );
        check("Άνθρωπος ΐ ὁδός", "ανθρωποσ ι οδοσ");
        check("Ёлка Йод", "елка иод");
        check("e\u{301}te\u{301} ＡＢＣ it’s", "ete abc it's");
        check("한국어 ガラス が", "한국어 ガラス が");
        check("ǟ ṩ ấ", "a s a");
    }
}
