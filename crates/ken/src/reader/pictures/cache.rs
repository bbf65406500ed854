//! What pictures said, kept by their content: indexes are made again, pictures are moved, and reading one takes
//! seconds. Credentials are masked before anything is kept.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use kenning::vault::{Links, read_regular_text};

/// The first word of every file, with the version of what is below.
const MARK: &str = "kenning-picture-1";
/// Longest file that is read.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// Between pages, as tesseract prints it.
const PAGE: char = '\u{c}';

/// A folder of texts by the digest of the picture.
pub(super) struct Cache {
    folder: PathBuf,
}

/// Returns the name of a picture, or of a page of a file.
pub(super) fn key(bytes: &[u8], page: Option<u32>) -> String {
    let digest = blake3::hash(bytes).to_hex();
    match page {
        Some(page) => format!("{digest}-{page}"),
        None => digest.to_string(),
    }
}

impl Cache {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Returns the pages of a picture that was read in all of these languages.
    pub(super) fn get(&self, key: &str, languages: &[String]) -> Option<Vec<String>> {
        let text = read_regular_text(&self.place(key), FILE_BYTES_MAX, Links::Refused).ok()?;
        let (head, pages) = text.split_once('\n')?;
        let known: Vec<&str> = head.strip_prefix(MARK)?.trim().split('+').collect();
        let is_known = |language: &String| known.contains(&language.as_str());
        let pages = || pages.split(PAGE).map(str::to_owned).collect();
        languages.iter().all(is_known).then(pages)
    }

    /// Keeps the pages of a picture.
    pub(super) fn put(&self, key: &str, languages: &[String], pages: &[String]) -> io::Result<()> {
        let place = self.place(key);
        let folder = place.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        let pages = pages.join(&PAGE.to_string());
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        write!(file, "{MARK} {}\n{pages}", languages.join("+"))?;
        file.persist(place)?;
        Ok(())
    }

    /// A few hundred folders rather than one with all.
    fn place(&self, key: &str) -> PathBuf {
        self.folder.join(&key[..2]).join(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_in_fewer_languages_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("pictures"));
        let (english, german) = ("eng".to_owned(), "deu".to_owned());
        let pages = vec!["one".to_owned(), String::new(), "three\n".to_owned()];
        let name = key(b"picture", Some(2));
        assert_eq!(cache.get(&name, &[]), None);
        cache
            .put(&name, &[german.clone(), english.clone()], &pages)
            .unwrap();
        assert_eq!(
            cache.get(&name, std::slice::from_ref(&english)),
            Some(pages.clone())
        );
        assert_eq!(cache.get(&name, &[english, german]), Some(pages));
        assert_eq!(cache.get(&name, &["swe".to_owned()]), None);
        assert_eq!(cache.get(&key(b"picture", None), &[]), None);
    }
}
