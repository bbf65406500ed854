//! How large a picture is, from its first bytes: icons and emblems say nothing worth starting a program for.

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size(u32, u32);

/// A line of text is at least as high as this.
const SIDE_MIN: u32 = 16;

impl Size {
    /// Whether it has fewer pixels than `least`, or no room for a line of text.
    pub(super) fn is_tiny(self, least: u64) -> bool {
        let Self(width, height) = self;
        u64::from(width) * u64::from(height) < least || width.min(height) < SIDE_MIN
    }
}

/// Returns the size that a picture says it has; `None` where its format does not say so at the beginning.
pub(super) fn of(bytes: &[u8]) -> Option<Size> {
    png(bytes).or_else(|| webp(bytes)).or_else(|| jpeg(bytes))
}

fn png(bytes: &[u8]) -> Option<Size> {
    let header = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?.get(8..16)?;
    let number = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
    Some(Size(number(0)?, number(4)?))
}

fn webp(bytes: &[u8]) -> Option<Size> {
    let rest = bytes
        .strip_prefix(b"RIFF")?
        .get(4..)?
        .strip_prefix(b"WEBP")?;
    let byte = |at: usize| rest.get(at).map(|byte| u32::from(*byte));
    match rest.get(..4)? {
        b"VP8X" => {
            let number = |at| Some(byte(at)? | byte(at + 1)? << 8 | byte(at + 2)? << 16);
            Some(Size(number(12)? + 1, number(15)? + 1))
        }
        b"VP8L" => {
            let bits = byte(9)? | byte(10)? << 8 | byte(11)? << 16 | byte(12)? << 24;
            Some(Size((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
        }
        _ => {
            let number = |at| Some((byte(at)? | byte(at + 1)? << 8) & 0x3fff);
            Some(Size(number(14)?, number(16)?))
        }
    }
}

/// The size stands in the frame header, behind segments of any length.
fn jpeg(bytes: &[u8]) -> Option<Size> {
    let mut rest = bytes.strip_prefix(&[0xff, 0xd8])?;
    loop {
        let [0xff, kind, high, low, ..] = *rest else {
            return None;
        };
        let is_frame = matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc);
        if is_frame {
            let &[y_high, y_low, x_high, x_low] = rest.get(5..9)? else {
                return None;
            };
            let number = |high, low| u32::from(u16::from_be_bytes([high, low]));
            return Some(Size(number(x_high, x_low), number(y_high, y_low)));
        }
        rest = rest.get(2 + usize::from(u16::from_be_bytes([high, low]).max(2))..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_says_how_large_it_is() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\0\x10";
        assert_eq!(of(png), Some(Size(640, 16)));
        let jpeg = [
            0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 17, 8, 0, 32, 1, 0, 3,
        ];
        assert_eq!(of(&jpeg), Some(Size(256, 32)));
        let webp = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x7f\x02\0\x0f\0\0";
        assert_eq!(of(webp), Some(Size(640, 16)));
        for cut in [&png[..18], &jpeg[..9], &webp[..20], b"", b"II*\0"] {
            assert_eq!(of(cut), None);
        }
    }

    #[test]
    fn icons_are_tiny_and_a_line_of_text_is_not() {
        assert!(Size(32, 32).is_tiny(10_000));
        assert!(Size(4_000, 8).is_tiny(10_000));
        assert!(!Size(640, 20).is_tiny(10_000));
    }
}
