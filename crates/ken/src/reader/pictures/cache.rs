//! What pictures said, kept by their content: indexes are made again, pictures are moved, and reading one takes
//! seconds. Credentials are masked before anything is kept.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kenning::vault::{Links, read_regular_text};

/// The first word of every file, with the version of what is below.
const MARK: &str = "kenning-picture-1";
/// Longest file that is read.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// Between pages, as tesseract prints it.
const PAGE: char = '\u{c}';

/// Digits of a digest in a name.
const DIGEST_DIGITS: usize = 64;
const DAY: Duration = Duration::from_secs(86_400);
/// What nobody asked for that long is removed: no vault has the picture any more, or its index has the text.
const UNUSED_MAX: Duration = Duration::from_secs(180 * 86_400);
/// Bytes that are kept at most: a hundred thousand pages.
const BYTES_MAX: u64 = 256 << 20;

/// A folder of texts by the digest of the picture.
pub(super) struct Cache {
    folder: PathBuf,
    /// Returns the seconds since 1970.
    now: fn() -> i64,
}

/// A text that is kept.
struct Kept {
    used: SystemTime,
    n_bytes: u64,
    path: PathBuf,
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
    pub(super) fn new(folder: PathBuf, now: fn() -> i64) -> Self {
        Self { folder, now }
    }

    /// Returns the pages of a picture that was read in all of these languages.
    pub(super) fn get(&self, key: &str, languages: &[String]) -> Option<Vec<String>> {
        let place = self.place(key);
        let text = read_regular_text(&place, FILE_BYTES_MAX, Links::Refused).ok()?;
        // Where that cannot be noted down, it is read again one day.
        let _ = self.note_use(&place);
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

    /// Notes down that a text was asked for, once a day.
    fn note_use(&self, place: &Path) -> io::Result<()> {
        let now = self.now();
        let used = fs::symlink_metadata(place)?.modified()?;
        if now.duration_since(used).is_ok_and(|age| age >= DAY) {
            File::options().write(true).open(place)?.set_modified(now)?;
        }
        Ok(())
    }

    fn now(&self) -> SystemTime {
        let seconds = u64::try_from((self.now)()).unwrap_or_default();
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    /// Removes what nobody asked for in a long time, and the oldest where there is too much; returns how many.
    pub(super) fn prune(&self) -> usize {
        self.prune_to(BYTES_MAX)
    }

    fn prune_to(&self, bytes_max: u64) -> usize {
        let now = self.now();
        let mut kept = self.kept();
        kept.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
        let mut n_bytes: u64 = kept.iter().map(|kept| kept.n_bytes).sum();
        let mut n_removed = 0;
        for one in kept {
            let is_old = now
                .duration_since(one.used)
                .is_ok_and(|age| age > UNUSED_MAX);
            if !is_old && n_bytes <= bytes_max {
                break;
            }
            if fs::remove_file(&one.path).is_ok() {
                n_bytes -= one.n_bytes;
                n_removed += 1;
            }
        }
        n_removed
    }

    /// Lists the texts: regular files in folders of ours, and nothing else that may lie there.
    fn kept(&self) -> Vec<Kept> {
        let is_hex = |name: &str| name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let name_of = |path: &Path| path.file_name()?.to_str().map(str::to_owned);
        let is_folder = |path: &Path| {
            name_of(path).is_some_and(|name| name.len() == 2 && is_hex(&name))
                && is_plain_folder(path)
        };
        let folders = entries(&self.folder).filter(|path| is_folder(path));
        let files = folders.flat_map(|folder| entries(&folder).collect::<Vec<_>>());
        let of_ours = files.filter(|path| {
            name_of(path).is_some_and(|name| {
                name.split('-')
                    .next()
                    .is_some_and(|digest| digest.len() == DIGEST_DIGITS && is_hex(digest))
            })
        });
        let kept = of_ours.filter_map(|path| {
            let found = fs::symlink_metadata(&path)
                .ok()
                .filter(|found| found.is_file())?;
            Some(Kept {
                used: found.modified().ok()?,
                n_bytes: found.len(),
                path,
            })
        });
        kept.collect()
    }

    /// A few hundred folders rather than one with all.
    fn place(&self, key: &str) -> PathBuf {
        self.folder.join(&key[..2]).join(key)
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path()))
}

fn is_plain_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-01-01.
    const NOW: i64 = 1_767_225_600;

    /// Sets how many days ago a text was last asked for.
    fn age(cache: &Cache, name: &str, days: u32) {
        let file = File::options().write(true).open(cache.place(name)).unwrap();
        file.set_modified(cache.now() - days * DAY).unwrap();
    }

    #[test]
    fn what_nobody_asked_for_goes_and_what_was_asked_for_stays() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("pictures"), || NOW);
        let names: Vec<String> = (0..4).map(|n: u8| key(&[n], None)).collect();
        for (name, days) in names.iter().zip([400, 300, 200, 1]) {
            cache.put(name, &[], &["text".to_owned()]).unwrap();
            age(&cache, name, days);
        }
        let foreign = cache.folder.join("00");
        fs::create_dir_all(&foreign).unwrap();
        fs::write(foreign.join("diary.txt"), "mine").unwrap();
        let other = File::options()
            .write(true)
            .open(foreign.join("diary.txt"))
            .unwrap();
        other.set_modified(UNIX_EPOCH).unwrap();
        // Somebody still shows the second.
        assert!(cache.get(&names[1], &[]).is_some());
        assert_eq!(cache.prune(), 2);
        let there: Vec<bool> = (names.iter())
            .map(|name| cache.place(name).exists())
            .collect();
        assert_eq!(there, [false, true, false, true]);
        assert!(foreign.join("diary.txt").exists());
        assert_eq!(cache.prune(), 0);
    }

    #[test]
    fn where_there_is_too_much_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("pictures"), || NOW);
        let names: Vec<String> = (0..5).map(|n: u8| key(&[n], Some(1))).collect();
        for (name, days) in names.iter().zip(1..) {
            cache.put(name, &[], &["x".repeat(1_000)]).unwrap();
            age(&cache, name, days);
        }
        assert_eq!(cache.prune_to(3_500), 2);
        assert!(cache.place(&names[2]).exists() && !cache.place(&names[3]).exists());
    }

    #[test]
    fn what_was_read_in_fewer_languages_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("pictures"), || NOW);
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
