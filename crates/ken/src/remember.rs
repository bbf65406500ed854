//! Writes something down in a vault, for a person or for an agent that may: a few lines at the end of the note
//! of the day. What is there stays as it is, byte for byte; a note that somebody else changes meanwhile is
//! read again, and never overwritten.

mod append;

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use kenning::note::MemoryType;
use kenning::secrets;
use kenning::vault::Vault;

use crate::git;
use crate::hint::Hinted;
use crate::private;
use crate::runtime;
use crate::searcher::Searcher;
use crate::settings::Located;
use crate::wire::{RememberResponse, RememberedEntry};
use append::Appended;

/// Most characters that are written down at once.
const TEXT_CHARS_MAX: usize = 20_000;
/// Entries that can be taken back, one after the other.
const ENTRIES_MAX: usize = 50;
/// Larger books of entries are none of ours.
const BOOK_BYTES_MAX: u64 = 4 << 20;

/// Adds a text to the note of the day, and to the index.
pub(crate) fn write(
    searcher: &Searcher,
    text: &str,
    memory: Option<MemoryType>,
) -> Result<RememberResponse> {
    let (text, n_masked) = checked(text)?;
    let now = local(runtime::now());
    let folder = &searcher.settings().memory.folder;
    let folder = match memory {
        Some(memory) => format!("{folder}/{}", memory.name()),
        None => folder.clone(),
    };
    let day = now.strftime("%Y-%m-%d").to_string();
    let path = format!("{}/{day}.md", folder.trim_matches('/'));
    let path = path.trim_start_matches('/').to_owned();
    let vault = vault_of(searcher.located())?;
    refuse_left_out(searcher.located(), &path)?;
    let mut book = Book::open(searcher.located());
    let entry = append::Entry {
        title: &day,
        heading: &now.strftime("%H:%M").to_string(),
        text: &text,
    };
    let appended = append::append(vault.root(), &path, &entry)?;
    let mut notices = Vec::new();
    if n_masked > 0 {
        notices.push(match n_masked {
            1 => "a credential was masked before it was written down".to_owned(),
            n => format!("{n} credentials were masked before they were written down"),
        });
    }
    if !book.add(record(&path, &appended, &text)) {
        notices.push("it cannot be taken back with `ken remember --undo`".to_owned());
    }
    notices.extend(index(searcher.located(), &vault, &path));
    Ok(RememberResponse {
        domain: searcher.name().to_owned(),
        memory_type: memory
            .or_else(|| MemoryType::of_folder(&path))
            .map(MemoryType::name),
        path,
        start_line: Some(appended.start_line),
        end_line: Some(appended.end_line),
        text,
        masked: n_masked,
        undone: false,
        notices,
    })
}

/// Takes back what was written down last, if the note is still as it was left.
pub(crate) fn undo(searcher: &Searcher) -> Result<RememberResponse> {
    let vault = vault_of(searcher.located())?;
    let mut book = Book::open(searcher.located());
    let Some(entry) = book.last() else {
        return Err(Hinted::error(
            "there is nothing to take back",
            "only what `ken remember` wrote down can be taken back",
        ));
    };
    append::take_back(vault.root(), &entry)?;
    book.drop_last();
    Ok(RememberResponse {
        domain: searcher.name().to_owned(),
        memory_type: MemoryType::of_folder(&entry.path).map(MemoryType::name),
        start_line: None,
        end_line: None,
        notices: index(searcher.located(), &vault, &entry.path),
        path: entry.path,
        text: entry.text,
        masked: 0,
        undone: true,
    })
}

/// Returns the text as it is written: trimmed, without characters that do something, credentials masked.
fn checked(text: &str) -> Result<(String, usize)> {
    let is_kept = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let plain: String = text.replace("\r\n", "\n").chars().filter(is_kept).collect();
    let plain = plain.trim();
    if plain.is_empty() {
        return Err(Hinted::error(
            "there is nothing to write down",
            "say what to remember: `ken remember \"Esko repairs roofs\"`",
        ));
    }
    if plain.chars().nth(TEXT_CHARS_MAX).is_some() {
        return Err(Hinted::error(
            format!("this is longer than {TEXT_CHARS_MAX} characters"),
            "put it into a note of its own",
        ));
    }
    let (clean, findings) = secrets::mask(plain.to_owned());
    Ok((clean.into_string(), findings.len()))
}

/// The day of a person is not that of Greenwich.
fn local(now: i64) -> jiff::Zoned {
    let now = Timestamp::from_second(now).unwrap_or_default();
    now.to_zoned(TimeZone::system())
}

fn vault_of(located: &Located) -> Result<Vault> {
    let folder = located.vault.as_deref().ok_or_else(|| {
        Hinted::error(
            "only an index is known here, not the vault it was made from",
            "name the vault with `--vault PATH`",
        )
    })?;
    Ok(Vault::open(folder, located.rules.clone())?.with_git(git::log))
}

/// What is written where the domain does not look would never be found.
fn refuse_left_out(located: &Located, path: &str) -> Result<()> {
    match located.holds(path) {
        true => Ok(()),
        false => Err(Hinted::error(
            format!("{path} is no part of the domain {}", located.name),
            "set `folder` under [memory] to a folder that the domain includes",
        )),
    }
}

/// Brings the index up to date with the one note. Trouble with it does not undo what was written.
fn index(located: &Located, vault: &Vault, path: &str) -> Vec<String> {
    if vault.stamp(path).is_some() && vault.find(path).is_none() {
        return vec![format!(
            "{path} is left out of the index, so it will not be found; `ken status` tells why"
        )];
    }
    match runtime::update_file(located, vault, path) {
        Ok(_) => Vec::new(),
        Err(error) => vec![format!(
            "the index could not be brought up to date: {error:#}"
        )],
    }
}

fn record(path: &str, appended: &Appended, text: &str) -> RememberedEntry {
    RememberedEntry {
        path: path.to_owned(),
        n_bytes_before: appended.n_bytes_before,
        digest: appended.digest.clone(),
        text: text.to_owned(),
    }
}

/// What was written down, beside the index, so that it can be taken back. Held open, it lets only one process
/// write at a time.
struct Book {
    file: Option<File>,
    entries: Vec<RememberedEntry>,
}

impl Book {
    /// Trouble with the file makes a book that remembers nothing.
    fn open(located: &Located) -> Self {
        let path: PathBuf = located.store.with_extension("remembered.jsonl");
        let mut text = String::new();
        let file = Self::locked(&path).ok();
        if let Some(file) = &file {
            let read = file.take(BOOK_BYTES_MAX).read_to_string(&mut text);
            text.truncate(if read.is_ok() { text.len() } else { 0 });
        }
        let lines = text.lines();
        let entries = lines.filter_map(|line| serde_json::from_str(line).ok());
        Self {
            file,
            entries: entries.collect(),
        }
    }

    fn locked(path: &Path) -> std::io::Result<File> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = private::rewrite(path)?;
        file.lock()?;
        Ok(file)
    }

    fn last(&self) -> Option<RememberedEntry> {
        self.entries.last().cloned()
    }

    fn add(&mut self, entry: RememberedEntry) -> bool {
        self.entries.push(entry);
        let n_over = self.entries.len().saturating_sub(ENTRIES_MAX);
        self.entries.drain(..n_over);
        self.save()
    }

    fn drop_last(&mut self) {
        self.entries.pop();
        // An entry that stays in the book no longer fits its note, and is refused.
        self.save();
    }

    fn save(&mut self) -> bool {
        let lines: String = (self.entries.iter())
            .filter_map(|entry| serde_json::to_string(entry).ok())
            .map(|line| line + "\n")
            .collect();
        let Some(file) = &mut self.file else {
            return false;
        };
        let written = file
            .rewind()
            .and_then(|()| file.set_len(0))
            .and_then(|()| file.write_all(lines.as_bytes()));
        written.is_ok()
    }
}
