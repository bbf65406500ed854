//! Fingerprints: passages that say the same, word for word, have the same one. Pure.

/// A paragraph with fewer characters is too little to be known again: a date, a name.
const PARAGRAPH_CHARS_MIN: usize = 24;

/// Fingerprints of a passage; 0 where there is nothing to recognise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prints {
    /// Of all of it but headings.
    pub whole: i64,
    /// Of its first paragraph: what many notes begin with.
    pub first: u32,
    /// Of its last paragraph: what many notes end with.
    pub last: u32,
}

/// Takes the fingerprints of a passage.
pub fn prints(text: &str) -> Prints {
    let mut all = paragraphs(text).peekable();
    if all.peek().is_none() {
        return Prints::default();
    }
    let mut whole = blake3::Hasher::new();
    let mut edges: Option<(&str, &str)> = None;
    for paragraph in all {
        update(&mut whole, paragraph);
        if is_known_again(paragraph) {
            edges = Some((edges.map_or(paragraph, |(first, _)| first), paragraph));
        }
    }
    let whole = first_bytes::<8>(&whole);
    Prints {
        whole: i64::from_le_bytes(whole),
        first: edges.map_or(0, |(first, _)| print(first)),
        last: edges.map_or(0, |(_, last)| print(last)),
    }
}

/// Returns the fingerprint of a paragraph; 0 if it is too short to have one.
pub fn print(paragraph: &str) -> u32 {
    if !is_known_again(paragraph) {
        return 0;
    }
    let mut hasher = blake3::Hasher::new();
    update(&mut hasher, paragraph);
    u32::from_le_bytes(first_bytes::<4>(&hasher)).max(1)
}

/// Returns the paragraphs of a passage: blank lines and headings part them.
pub fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    let mut start = None;
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').chain([""]);
    std::iter::from_fn(move || {
        loop {
            let line = lines.next()?;
            let from = at;
            at += line.len();
            if line.trim().is_empty() || is_heading(line) {
                if let Some(start) = start.take() {
                    return Some(text[start..from].trim());
                }
            } else {
                start.get_or_insert(from);
            }
        }
    })
}

fn is_heading(line: &str) -> bool {
    let level = line.bytes().take_while(|&byte| byte == b'#').count();
    (1..=6).contains(&level) && line[level..].starts_with(' ')
}

fn is_known_again(paragraph: &str) -> bool {
    paragraph.chars().nth(PARAGRAPH_CHARS_MIN - 1).is_some()
}

/// Blanks and line ends do not count.
fn update(hasher: &mut blake3::Hasher, paragraph: &str) {
    for word in paragraph.split_whitespace() {
        hasher.update(word.as_bytes()).update(b" ");
    }
}

fn first_bytes<const N: usize>(hasher: &blake3::Hasher) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..N]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_and_headings_do_not_tell_passages_apart() {
        let a = prints("# One\n\nThe heron stands in the water\nand waits for the evening.\n");
        let b = prints("The heron stands  in the water and waits for the evening.");
        assert_eq!(a, b);
        assert_ne!(a, prints("The heron stands in the water and waits."));
        assert_eq!(prints("# One\n\n"), Prints::default());
    }

    #[test]
    fn notes_that_end_alike_have_one_print_in_common() {
        let footer = "Written by the warden of the lake, all rights reserved.";
        let a = prints(&format!(
            "The heron stands in the shallow water.\n\n{footer}\n"
        ));
        let b = prints(&format!(
            "Nothing was seen in all of the winter.\n\n\n{footer}"
        ));
        assert_eq!((a.last, a.last), (b.last, print(footer)));
        assert_ne!((a.first, a.whole), (b.first, b.whole));
    }

    #[test]
    fn what_is_short_is_not_known_again() {
        let prints = prints("Yes.");
        assert_eq!((prints.first, prints.last), (0, 0));
        assert_ne!(prints.whole, 0);
    }
}
