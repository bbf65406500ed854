//! Bytes into text: UTF-8, UTF-16 with its mark, and the old Western encoding as a last resort.

/// Bytes looked at to tell text from binary data.
const PROBE_BYTES: usize = 8_192;

/// Decodes the bytes of a file, or says why they are not text.
pub fn text(bytes: Vec<u8>) -> Result<String, &'static str> {
    match bytes.as_slice() {
        [0xFF, 0xFE, rest @ ..] => return utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => return utf16(rest, u16::from_be_bytes),
        _ => {}
    }
    if bytes.iter().take(PROBE_BYTES).any(|&byte| byte == 0) {
        return Err("binary data, not text");
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => western(error.as_bytes()),
    }
}

fn utf16(bytes: &[u8], read: fn([u8; 2]) -> u16) -> Result<String, &'static str> {
    let units = bytes.chunks_exact(2).map(|pair| read([pair[0], pair[1]]));
    char::decode_utf16(units)
        .collect::<Result<String, _>>()
        .map_err(|_| "not valid UTF-16")
}

/// Windows-1252. Control characters are what tells garbage from an old text file.
fn western(bytes: &[u8]) -> Result<String, &'static str> {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    let n_controls = bytes
        .iter()
        .filter(|&&byte| byte < 0x20 && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x0C))
        .count();
    if n_controls * 50 > bytes.len() {
        return Err("neither UTF-8 nor another text encoding we know");
    }
    Ok(bytes
        .iter()
        .map(|&byte| match byte {
            0x80..=0x9F => HIGH[usize::from(byte) - 0x80],
            _ => char::from(byte),
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_wide_encodings_are_read() {
        assert_eq!(text(b"caf\xe9 \x80".to_vec()).as_deref(), Ok("café €"));
        assert_eq!(text(b"\xff\xfeh\0i\0".to_vec()).as_deref(), Ok("hi"));
        assert_eq!(text(b"\xfe\xff\0h\0i".to_vec()).as_deref(), Ok("hi"));
    }

    #[test]
    fn garbage_is_refused() {
        assert!(text(b"a\0b".to_vec()).is_err());
        assert!(text(vec![0xC3, 0x01, 0x02, 0x03, 0x28]).is_err());
        assert!(text(b"\xff\xfe\x00\xd8".to_vec()).is_err());
    }
}
