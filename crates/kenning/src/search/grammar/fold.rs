//! Text as conditions compare it: lower case, no accents, blanks collapsed. Pure.

/// Whether `c` belongs to a script that writes words without spaces between them.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c as u32,
        0x0E00..=0x0EFF        // Thai, Lao
        | 0x1000..=0x109F      // Myanmar
        | 0x1780..=0x17FF      // Khmer
        | 0x3005..=0x3007
        | 0x3040..=0x30FF      // Hiragana, Katakana
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF      // Han extension A
        | 0x4E00..=0x9FFF      // Han
        | 0xAC00..=0xD7AF      // Hangul
        | 0xF900..=0xFAFF
        | 0xFF66..=0xFF9D      // half-width Katakana
        | 0x20000..=0x323AF    // Han extensions B and later
    ) && c.is_alphanumeric()
}

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
    let plain = match c {
        // Combining marks belong to decomposed letters, which fold like composed ones.
        '\u{300}'..='\u{36f}' => return,
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ǎ' | 'ạ' | 'ả' => 'a',
        'ấ' | 'ầ' | 'ẩ' | 'ẫ' | 'ậ' | 'ắ' | 'ằ' | 'ẳ' | 'ẵ' | 'ặ' => 'a',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' | 'đ' | 'ð' => 'd',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' | 'ẹ' | 'ẻ' | 'ẽ' => 'e',
        'ế' | 'ề' | 'ể' | 'ễ' | 'ệ' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ĥ' | 'ħ' => 'h',
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' | 'ǐ' | 'ỉ' | 'ị' => 'i',
        'ĵ' => 'j',
        'ķ' => 'k',
        'ĺ' | 'ļ' | 'ľ' | 'ł' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | 'ơ' | 'ǒ' | 'ọ' | 'ỏ' => 'o',
        'ố' | 'ồ' | 'ổ' | 'ỗ' | 'ộ' | 'ớ' | 'ờ' | 'ở' | 'ỡ' | 'ợ' => 'o',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => 's',
        'ţ' | 'ť' | 'ț' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'ư' | 'ǔ' | 'ụ' | 'ủ' => 'u',
        'ứ' | 'ừ' | 'ử' | 'ữ' | 'ự' => 'u',
        'ŵ' => 'w',
        'ý' | 'ÿ' | 'ŷ' | 'ỳ' | 'ỵ' | 'ỷ' | 'ỹ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' | 'ΰ' => 'υ',
        'ώ' => 'ω',
        'ς' => 'σ',
        'ё' => 'е',
        'й' => 'и',
        '’' => '\'',
        'ß' => return out.push_str("ss"),
        'æ' => return out.push_str("ae"),
        'œ' => return out.push_str("oe"),
        'þ' => return out.push_str("th"),
        // Full-width forms of ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        c => c,
    };
    out.push(plain.to_ascii_lowercase());
}
