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

/// Decodes text whose encoding may have been declared by `label`.
pub(super) fn decode_as<'b>(bytes: &'b [u8], label: Option<&str>) -> Result<Cow<'b, str>, String> {
    if let Some((encoding, n_mark)) = Encoding::for_bom(bytes) {
        return Ok(encoding.decode_without_bom_handling(&bytes[n_mark..]).0);
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text
            .as_bytes()
            .iter()
            .take(PROBE_BYTES)
            .any(|&byte| byte == 0)
    {
        return Ok(Cow::Borrowed(text));
    }
    let probe = &bytes[..bytes.len().min(PROBE_BYTES)];
    if let Some(encoding) = unmarked_utf16(probe) {
        return Ok(encoding.decode_without_bom_handling(bytes).0);
    }
    if is_binary(probe) {
        return Err("it is binary data, not text".to_owned());
    }
    let declared = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    let encoding = declared
        .filter(|&encoding| encoding != UTF_8)
        .unwrap_or_else(|| guess(probe));
    Ok(encoding.decode_without_bom_handling(bytes).0)
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
        .filter(|&&byte| byte < 0x20 && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x0C | 0x1B))
        .count();
    probe.contains(&0) || n_controls * 50 > probe.len()
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
    }
}
