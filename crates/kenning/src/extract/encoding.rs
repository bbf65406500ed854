//! Bytes into text, whatever the encoding: marks first, then UTF-8, then the likeliest guess.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes looked at to tell text from binary data and one encoding from another.
const PROBE_BYTES: usize = 64 << 10;

/// Decodes text, or says why it is none.
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, String> {
    decode_as(bytes, None)
}

/// Decodes text that nobody else needs: what is UTF-8 already is not copied.
pub fn text(bytes: Vec<u8>) -> Result<String, String> {
    match decode(&bytes)? {
        Cow::Owned(text) => Ok(text),
        Cow::Borrowed(text) if text.len() < bytes.len() => Ok(text.to_owned()),
        Cow::Borrowed(_) => String::from_utf8(bytes).map_err(|error| error.to_string()),
    }
}

/// Decodes text whose encoding may have been declared by `label`.
pub(super) fn decode_as<'b>(bytes: &'b [u8], label: Option<&str>) -> Result<Cow<'b, str>, String> {
    if let Some((encoding, n_mark)) = Encoding::for_bom(bytes) {
        let text = encoding.decode_without_bom_handling(&bytes[n_mark..]).0;
        return Ok(without_zeros(text));
    }
    if !bytes.contains(&0)
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Ok(Cow::Borrowed(text));
    }
    if let Some(encoding) = unmarked_utf16(&bytes[..bytes.len().min(PROBE_BYTES)]) {
        let text = encoding.decode_without_bom_handling(bytes).0;
        return Ok(without_zeros(text));
    }
    // What a machine that lost its power leaves behind the text.
    let n_padding = bytes.iter().rev().take_while(|&&byte| byte == 0).count();
    let bytes = &bytes[..bytes.len() - n_padding];
    if bytes.is_empty() {
        // Nothing but zeros: the text is lost, and what was known of it is worth more.
        return Err("it is binary data, not text".to_owned());
    }
    let n_zeros = bytes.iter().filter(|&&byte| byte == 0).count();
    let probe = &bytes[..bytes.len().min(PROBE_BYTES)];
    if is_binary(probe) || !are_few(n_zeros, bytes.len()) {
        return Err("it is binary data, not text".to_owned());
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(without_zeros(Cow::Borrowed(text)));
    }
    let declared = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    let encoding = declared
        .filter(|&encoding| encoding != UTF_8)
        .unwrap_or_else(|| guess(probe));
    let text = encoding.decode_without_bom_handling(bytes).0;
    Ok(without_zeros(text))
}

/// Whether so many zeros are a slip of a program that wrote text, and not data: a handful in a short
/// text, one in a hundred in a long one.
fn are_few(n_zeros: usize, n_bytes: usize) -> bool {
    (n_zeros <= 8 && n_zeros * 8 <= n_bytes) || n_zeros * 100 <= n_bytes
}

/// Puts blanks where zeros are: nobody sees them, and no other offset changes.
fn without_zeros(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', " "))
    } else {
        text
    }
}

fn guess(probe: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(probe, true);
    detector.guess(None, Utf8Detection::Allow)
}

/// Western text in UTF-16 has a zero in every other byte.
fn unmarked_utf16(probe: &[u8]) -> Option<&'static Encoding> {
    let n_units = probe.len() / 2;
    if n_units < 4 {
        return None;
    }
    let zeros_at = |position: usize| {
        probe
            .chunks_exact(2)
            .filter(|unit| unit[position] == 0)
            .count()
    };
    let (n_first, n_second) = (zeros_at(0), zeros_at(1));
    if n_second * 10 > n_units * 7 && n_first * 10 < n_units {
        Some(UTF_16LE)
    } else if n_first * 10 > n_units * 7 && n_second * 10 < n_units {
        Some(UTF_16BE)
    } else {
        None
    }
}

fn is_binary(probe: &[u8]) -> bool {
    let n_controls = probe
        .iter()
        .filter(|&&byte| {
            matches!(byte, 1..0x20 | 0x7F) && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x0C | 0x1B)
        })
        .count();
    n_controls * 50 > probe.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: &str) {
        assert_eq!(decode(bytes).unwrap(), expected);
    }

    #[test]
    fn encodings_are_told_apart() {
        check("\u{feff}grün".as_bytes(), "grün");
        check(b"\xff\xfeh\0i\0", "hi");
        check(b"\xfe\xff\0h\0i", "hi");
        check(b"caf\xe9 \x80", "café €");
        check(b"h\0e\0l\0l\0o\0", "hello");
        check(
            b"Die Gr\xf6\xdfe der Stra\xdfe f\xfcr alle",
            "Die Größe der Straße für alle",
        );
        check(
            b"\x96\xbc\x91\x4f,\x94\x4e\x97\xee\n\x8d\xb2\x93\xa1,\x33\x30\n",
            "名前,年齢\n佐藤,30\n",
        );
    }

    #[test]
    fn binary_data_is_refused() {
        assert!(decode(b"\x00\x01\x02\x03\xff\x00\x01").is_err());
        assert!(decode(b"a\0b").is_err());
        assert!(decode(&[0; 400]).is_err());
        assert!(decode(b"\x7fELF\0\0\0\0").is_err());
        assert!(decode(b"\xc3\x01\x02\x03\x28").is_err());
        let picture =
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0\x35\xd1\xdc\xe4";
        assert!(decode(picture).is_err());
    }

    #[test]
    fn a_few_zeros_do_not_make_text_binary() {
        check(
            b"The heron\0stands in the water.",
            "The heron stands in the water.",
        );
        check("grün\0 ist es überall".as_bytes(), "grün  ist es überall");
        check(
            b"Gr\xf6\xdfe der Stra\xdfe\0 f\xfcr alle hier",
            "Größe der Straße  für alle hier",
        );
        // A zero behind what was looked at first counts as well.
        let long = format!("{}\0{}", "words ".repeat(20_000), "words ".repeat(10));
        check(long.as_bytes(), &long.replace('\0', " "));
        let torn = [b"The heron stands.\n".as_slice(), &[0; 4_096]].concat();
        check(&torn, "The heron stands.\n");
        let mixed = [b"The heron".as_slice(), &[0; 400], b"stands".as_slice()].concat();
        assert!(decode(&mixed).is_err());
    }
}
