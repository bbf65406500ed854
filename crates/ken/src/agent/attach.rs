//! Files and pictures that come with a question: read for this request only, kept nowhere.

use kenning::index;

use crate::llm::Picture;
use crate::reader::Readers;

/// Most files of a question, bytes of one, and characters that are used of one.
pub(crate) const FILES_MAX: usize = 8;
pub(crate) const FILE_BYTES_MAX: usize = 8 << 20;
const TEXT_CHARS_MAX: usize = 200_000;

/// A file as it was sent.
#[derive(Clone, Debug)]
pub(crate) struct SentFile {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// What came with a question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attachments {
    /// Names and texts, credentials masked.
    pub(crate) texts: Vec<(String, String)>,
    pub(crate) pictures: Vec<Picture>,
}

/// Reads what was sent, risky files in child processes. It takes a while: not for a thread that serves.
pub(crate) fn read(files: Vec<SentFile>) -> Result<Attachments, String> {
    let mut attachments = Attachments::default();
    let readers = Readers::default();
    for file in files {
        let name = plain_name(&file.name);
        if let Some(mime) = picture_kind(&file.bytes) {
            attachments.pictures.push(Picture {
                mime: mime.to_owned(),
                bytes: file.bytes,
            });
            continue;
        }
        let text = index::attached_text(&name, file.bytes, &readers)
            .map_err(|reason| format!("{name} cannot be read: {reason}"))?;
        if text.trim().is_empty() {
            return Err(format!("{name} cannot be read: there is no text in it"));
        }
        let text = text.chars().take(TEXT_CHARS_MAX).collect();
        attachments.texts.push((name, text));
    }
    Ok(attachments)
}

/// A name without folders, which somebody else's machine has.
fn plain_name(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name).trim();
    let name: String = name.chars().filter(|c| !c.is_control()).take(120).collect();
    match name.is_empty() {
        true => "attachment.txt".to_owned(),
        false => name,
    }
}

/// Returns what kind of picture this is, by how it begins: names and headers lie.
fn picture_kind(bytes: &[u8]) -> Option<&'static str> {
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    match bytes {
        _ if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => Some("image/png"),
        _ if bytes.starts_with(b"\xff\xd8\xff") => Some("image/jpeg"),
        _ if bytes.starts_with(b"GIF8") => Some("image/gif"),
        _ if is_webp => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, bytes: &[u8]) -> SentFile {
        SentFile {
            name: name.to_owned(),
            bytes: bytes.to_vec(),
        }
    }

    #[test]
    fn text_is_read_and_masked_and_pictures_are_told_by_their_bytes() {
        let secret = ["ghp_", "16C7e42F292c6912E7", "710c838347Ae178B4a"].concat();
        let text = format!("# Plan\n\ntoken = {secret}\nBuy tiles.\n");
        let files = vec![
            file("C:\\tmp\\plan.md", text.as_bytes()),
            file("rows.csv", b"name,price\ntile,3\n"),
            file("photo.txt", b"\x89PNG\r\n\x1a\nrest"),
        ];
        let read = read(files).unwrap();
        assert_eq!(read.pictures[0].mime, "image/png");
        let names: Vec<&str> = read.texts.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["plan.md", "rows.csv"]);
        assert!(read.texts[0].1.contains("Buy tiles.") && !read.texts[0].1.contains(&secret));
        assert!(read.texts[1].1.contains("tile"));
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let error = read(vec![file("../x.bin", b"\x00\x01\x02\xff\xfe")]).unwrap_err();
        assert!(error.starts_with("x.bin cannot be read"), "{error}");
        assert!(
            read(vec![file("empty.md", b" \n")])
                .unwrap_err()
                .contains("no text")
        );
    }
}
