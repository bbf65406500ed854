//! Knows again what is in the vault already, exactly or nearly: 136 bytes for each note, kept in a file beside the index
//! so that nobody reads a hundred thousand notes to take in one, and looked through from beginning to end, which takes
//! a few milliseconds.

use std::collections::HashMap;
use std::path::Path;

use kenning::note::body_start;
use kenning::store::{Known, Part, Store};

use crate::disk::{Disk, Like};
use crate::duplicate::Print;
use crate::error::{Error, Result};
use crate::library::OWN_NOTES;

/// What the file begins with; another number means that prints are made in another way.
const MAGIC: &[u8; 8] = b"KENPRT01";

/// The prints of all notes.
#[derive(Clone, Debug, Default)]
pub struct Prints {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    path: String,
    /// Size and time of the file that it was taken of.
    stamp: (u64, i64),
    print: Print,
}

impl Prints {
    /// Takes what the file has, and makes what has changed since.
    pub fn read(disk: &dyn Disk, file: &Path, store: &Store) -> Result<Self> {
        let kept = match disk.read(file) {
            Ok(bytes) => decode(&bytes).unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        let n_kept = kept.len();
        let mut kept: HashMap<String, Entry> = kept
            .into_iter()
            .map(|entry| (entry.path.clone(), entry))
            .collect();
        let mut entries = Vec::new();
        let mut n_made = 0;
        for known in store.known(Known::Every)? {
            if OWN_NOTES.contains(&known.path.as_str()) {
                continue;
            }
            let stamp = (known.stamp.size, known.stamp.mtime_ns);
            match kept
                .remove(&known.path)
                .filter(|entry| entry.stamp == stamp)
            {
                Some(entry) => entries.push(entry),
                None => {
                    let Some(note) = store.note_at(&known.path)? else {
                        continue;
                    };
                    let text = store.text(note, &Part::Whole)?;
                    let body = text.get(body_start(&text)..).unwrap_or_default();
                    n_made += 1;
                    entries.push(Entry {
                        print: Print::of(body),
                        path: known.path,
                        stamp,
                    });
                }
            }
        }
        let prints = Self { entries };
        if n_made > 0 || prints.entries.len() != n_kept {
            prints
                .write(disk, file)
                .map_err(|error| Error::io(file, error))?;
        }
        Ok(prints)
    }

    fn write(&self, disk: &dyn Disk, file: &Path) -> std::io::Result<()> {
        let fresh = file.with_extension("fresh");
        if disk.meta(&fresh)?.is_some() {
            disk.remove(&fresh)?;
        }
        disk.put(&fresh, &encode(&self.entries), Like::PRIVATE_FILE)?;
        disk.rename(&fresh, file)
    }

    /// Adds a text that is no note yet.
    pub fn add(&mut self, path: &str, print: Print) {
        self.entries.push(Entry {
            path: path.to_owned(),
            stamp: (0, 0),
            print,
        });
    }

    /// Finds the note that says the same or nearly so, with the share of what both say; not the one at `but`.
    pub fn like(&self, print: &Print, but: Option<&str>) -> Option<(&str, f32)> {
        let mut best: Option<(&str, f32)> = None;
        for entry in &self.entries {
            let share = entry.print.similarity(print);
            let is_better = best.is_none_or(|(_, known)| share > known);
            if share >= crate::duplicate::SIMILARITY_MIN && is_better && Some(&*entry.path) != but {
                best = Some((&entry.path, share));
            }
        }
        best
    }
}

fn encode(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for entry in entries {
        bytes.extend((entry.path.len() as u32).to_le_bytes());
        bytes.extend(entry.path.as_bytes());
        bytes.extend(entry.stamp.0.to_le_bytes());
        bytes.extend(entry.stamp.1.to_le_bytes());
        bytes.extend(entry.print.bytes());
    }
    bytes.extend(&blake3::hash(&bytes).as_bytes()[..8]);
    bytes
}

/// Damaged files are made anew.
fn decode(bytes: &[u8]) -> Option<Vec<Entry>> {
    let (bytes, sum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
    if blake3::hash(bytes).as_bytes()[..8] != *sum {
        return None;
    }
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let mut take = |n: usize| {
            let (taken, left) = rest.split_at_checked(n)?;
            rest = left;
            Some(taken)
        };
        let n_path = u32::from_le_bytes(take(4)?.try_into().ok()?) as usize;
        entries.push(Entry {
            path: String::from_utf8(take(n_path)?.to_vec()).ok()?,
            stamp: (
                u64::from_le_bytes(take(8)?.try_into().ok()?),
                i64::from_le_bytes(take(8)?.try_into().ok()?),
            ),
            print: Print::from_bytes(take(Print::N_BYTES)?)?,
        });
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_damage_is_seen() {
        let entry = |path: &str, text: &str| Entry {
            path: path.to_owned(),
            stamp: (7, -3),
            print: Print::of(text),
        };
        let entries = vec![
            entry("a.md", "the roof leaks when it rains"),
            entry("é/b.md", "x"),
        ];
        let bytes = encode(&entries);
        assert_eq!(decode(&bytes), Some(entries));
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 1;
            assert_eq!(decode(&bad), None);
            assert_eq!(decode(&bytes[..at]), None);
        }
    }
}
