//! Adds to a note, or takes off its end: the whole note is written beside it and put in its place at once, so
//! that nobody ever sees half of it, and a run that is killed leaves it as it was.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use kenning::vault::{Links, read_regular_text};

use crate::hint::Hinted;
use crate::wire::RememberedEntry;

/// Notes that are larger are no notes of a day.
const NOTE_BYTES_MAX: u64 = 16 << 20;
/// Times that a note is read again because somebody else has changed it.
const TRIES_MAX: usize = 3;

/// What is added.
pub(super) struct Entry<'a> {
    /// Title of a note that is made for it.
    pub(super) title: &'a str,
    pub(super) heading: &'a str,
    pub(super) text: &'a str,
}

/// What was added, and to what.
pub(super) struct Appended {
    /// `None` if there was no note.
    pub(super) n_bytes_before: Option<u64>,
    pub(super) digest: String,
    /// Lines of the text.
    pub(super) start_line: u32,
    pub(super) end_line: u32,
}

/// Adds an entry to the note at `path` below `root`, which is made if it is not there.
pub(super) fn append(root: &Path, path: &str, entry: &Entry<'_>) -> Result<Appended> {
    let folder = folder_of(root, path)?;
    let file = root.join(path);
    for _ in 0..TRIES_MAX {
        let before = Seen::of(&file)?;
        let (text, start_line) = with_entry(before.as_ref().map(|seen| &*seen.text), entry);
        if put(&folder, &file, text.as_bytes(), before.as_ref())? {
            let n_lines = entry.text.lines().count() as u32;
            return Ok(Appended {
                n_bytes_before: before.map(|seen| seen.text.len() as u64),
                digest: digest(&text),
                start_line,
                end_line: start_line + n_lines.saturating_sub(1),
            });
        }
    }
    Err(changed(path))
}

/// Takes an entry off the end of its note, if nothing has changed there since; a note that was made for it
/// goes with it.
pub(super) fn take_back(root: &Path, entry: &RememberedEntry) -> Result<()> {
    let file = root.join(&entry.path);
    let seen = Seen::of(&file)?.filter(|seen| digest(&seen.text) == entry.digest);
    let Some(seen) = seen else {
        return Err(changed(&entry.path));
    };
    let Some(n_bytes) = entry.n_bytes_before else {
        fs::remove_file(&file).map_err(|error| kenning::Error::io(&file, error))?;
        return Ok(());
    };
    let folder = folder_of(root, &entry.path)?;
    let text = seen.text.get(..n_bytes as usize);
    let text = text.ok_or_else(|| changed(&entry.path))?;
    match put(&folder, &file, text.as_bytes(), Some(&seen))? {
        true => Ok(()),
        false => Err(changed(&entry.path)),
    }
}

fn changed(path: &str) -> anyhow::Error {
    Hinted::error(
        format!("{path} was changed by somebody else meanwhile, so nothing was written"),
        "try again, or edit the note yourself",
    )
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Returns the note with the entry at its end, and the first line of the entry's text. Line ends are those that
/// the note has.
fn with_entry(before: Option<&str>, entry: &Entry<'_>) -> (String, u32) {
    let mut text = match before {
        Some(before) => before.to_owned(),
        None => format!("# {}\n", entry.title),
    };
    let is_crlf = text.contains("\r\n") && !text.replace("\r\n", "").contains('\n');
    let end = if is_crlf { "\r\n" } else { "\n" };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(end);
    }
    if !text.is_empty() && !text.ends_with(&format!("{end}{end}")) {
        text.push_str(end);
    }
    text.push_str(&format!("## {}{end}{end}", entry.heading));
    let start_line = text.matches('\n').count() as u32 + 1;
    for line in entry.text.lines() {
        text.push_str(line);
        text.push_str(end);
    }
    (text, start_line)
}

/// A note as it was read.
struct Seen {
    text: String,
    meta: Metadata,
}

impl Seen {
    fn of(file: &Path) -> Result<Option<Self>> {
        let io = |error| kenning::Error::io(file, error);
        // Its state is taken first: a change between the two is seen as one.
        let meta = match fs::symlink_metadata(file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            meta => meta.map_err(io)?,
        };
        let text = read_regular_text(file, NOTE_BYTES_MAX, Links::Refused).map_err(io)?;
        Ok(Some(Self { text, meta }))
    }

    /// Whether the file is still the one that was read.
    fn is_still(&self, file: &Path) -> bool {
        fs::symlink_metadata(file).is_ok_and(|meta| {
            meta.len() == self.meta.len()
                && meta.modified().ok() == self.meta.modified().ok()
                && inode(&meta) == inode(&self.meta)
        })
    }
}

#[cfg(unix)]
fn inode(meta: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(meta)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

/// Puts a text in the place of a note, unless that has changed; tells whether it did.
fn put(folder: &Path, file: &Path, bytes: &[u8], before: Option<&Seen>) -> Result<bool> {
    let io = |error| kenning::Error::io(file, error);
    // Hidden, so that neither the index nor Obsidian takes it for a note.
    let mut fresh = tempfile::Builder::new()
        .prefix(".ken-")
        .suffix(".tmp")
        .tempfile_in(folder)
        .map_err(io)?;
    fresh.write_all(bytes).map_err(io)?;
    let permissions = match before {
        Some(seen) => Some(seen.meta.permissions()),
        None => like_folder(folder),
    };
    if let Some(permissions) = permissions {
        fresh.as_file().set_permissions(permissions).map_err(io)?;
    }
    fresh.as_file().sync_all().map_err(io)?;
    let Some(before) = before else {
        return match fresh.persist_noclobber(file) {
            Ok(_) => Ok(flushed(folder)),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(io(error.error).into()),
        };
    };
    if !before.is_still(file) {
        return Ok(false);
    }
    fresh.persist(file).map_err(|error| io(error.error))?;
    Ok(flushed(folder))
}

/// Has a rename outlive a power cut, where the system lets us.
fn flushed(folder: &Path) -> bool {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    true
}

/// A new note may be read by those who may read its folder.
#[cfg(unix)]
fn like_folder(folder: &Path) -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(folder).ok()?.permissions().mode();
    Some(fs::Permissions::from_mode(mode & 0o666))
}

#[cfg(not(unix))]
fn like_folder(_: &Path) -> Option<fs::Permissions> {
    None
}

/// Returns the folder of a note, which is made where it is not there. Nothing is written through a link, which may
/// lead out of the vault.
fn folder_of(root: &Path, path: &str) -> Result<PathBuf> {
    let mut folder = root.to_owned();
    let (parents, _) = path.rsplit_once('/').unwrap_or(("", path));
    for name in parents.split('/').filter(|name| !name.is_empty()) {
        let above = fs::metadata(&folder);
        folder.push(name);
        let io = |error| kenning::Error::io(&folder, error);
        match fs::symlink_metadata(&folder) {
            Ok(found) if found.is_dir() => continue,
            Ok(_) => {
                return Err(Hinted::error(
                    format!("{} is not a folder", folder.display()),
                    "nothing is written through a link; set `folder` under [memory] to another one",
                ));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(io(error).into()),
        }
        fs::create_dir(&folder).map_err(io)?;
        if let Ok(above) = above {
            fs::set_permissions(&folder, above.permissions()).map_err(io)?;
        }
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ENTRY: Entry<'_> = Entry {
        title: "2026-11-18",
        heading: "09:15",
        text: "Esko repairs roofs.\nHe is away in May.",
    };

    #[test]
    fn an_entry_follows_the_line_ends_of_its_note() {
        let check = |before: Option<&str>, expected: &str, line: u32| {
            let (text, start_line) = with_entry(before, &ENTRY);
            assert_eq!((text.as_str(), start_line), (expected, line), "{before:?}");
        };
        let own = "## 09:15\n\nEsko repairs roofs.\nHe is away in May.\n";
        check(None, &format!("# 2026-11-18\n\n{own}"), 5);
        check(Some(""), own, 3);
        check(Some("a"), &format!("a\n\n{own}"), 5);
        check(Some("a\n\n"), &format!("a\n\n{own}"), 5);
        let crlf = own.replace('\n', "\r\n");
        check(Some("a\r\n"), &format!("a\r\n\r\n{crlf}"), 5);
    }

    #[test]
    fn what_somebody_else_wrote_meanwhile_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.md");
        fs::write(&file, "one\n").unwrap();
        let seen = Seen::of(&file).unwrap().unwrap();
        fs::write(&file, "one\ntwo\n").unwrap();
        assert!(!put(folder.path(), &file, b"mine", Some(&seen)).unwrap());
        assert!(!put(folder.path(), &file, b"mine", None).unwrap());
        assert_eq!(fs::read_to_string(&file).unwrap(), "one\ntwo\n");
        // Nothing is left beside it.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    proptest! {
        /// What was there stays, and taking back leaves it as it was, byte for byte.
        #[test]
        fn adding_and_taking_back_changes_nothing(before in proptest::option::of("[ab#\r\n -]{0,30}")) {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("Memory/a.md");
            if let Some(before) = &before {
                fs::create_dir(folder.path().join("Memory")).unwrap();
                fs::write(&file, before).unwrap();
            }
            let appended = append(folder.path(), "Memory/a.md", &ENTRY).unwrap();
            let after = fs::read_to_string(&file).unwrap();
            prop_assert!(after.starts_with(before.as_deref().unwrap_or("# 2026-11-18\n\n")));
            let line = after.lines().nth(appended.start_line as usize - 1);
            prop_assert_eq!(line, Some("Esko repairs roofs."));
            take_back(folder.path(), &RememberedEntry {
                path: "Memory/a.md".to_owned(),
                n_bytes_before: appended.n_bytes_before,
                digest: appended.digest,
                text: String::new(),
            }).unwrap();
            prop_assert_eq!(fs::read_to_string(&file).ok(), before);
        }
    }
}
