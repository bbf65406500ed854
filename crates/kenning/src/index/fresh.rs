//! Is the index still what the vault says? A question for every search, so the answer is cheap.

use std::collections::HashMap;

use crate::error::Result;
use crate::store::Store;
use crate::vault::Vault;

/// Vaults up to this many notes are compared file by file.
const COMPARED_NOTES_MAX: u64 = 2_000;
/// In larger ones this many notes are looked at, others each time.
const PROBED_NOTES: u64 = 250;

/// What a look at the vault told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Every file was compared and none changed.
    Fresh,
    /// Some files were compared and none changed.
    Likely,
    /// Something changed.
    Stale,
}

/// Compares the vault with the index: all of it when it is small or `thorough`, a sample
/// otherwise. Turn by turn the samples visit every note.
pub fn freshness(store: &Store, vault: &Vault, thorough: bool, turn: i64) -> Result<Freshness> {
    let n_notes = store.n_notes()?;
    if thorough || n_notes <= COMPARED_NOTES_MAX {
        return compare(store, vault);
    }
    let checked_at = store.checked_at()?.unwrap_or(0);
    let n_windows = n_notes.div_ceil(PROBED_NOTES);
    let window = turn.unsigned_abs() % n_windows;
    // Neighbours mostly share a folder, which is looked at once.
    let mut last_folder = None;
    for note in store.notes_between(window * PROBED_NOTES, PROBED_NOTES)? {
        let folder = note.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_same = vault.stamp(&note.path) == Some(note.stamp);
        let is_known = last_folder.as_deref() == Some(folder);
        if !is_same || !is_known && vault.folder_changed_since(&note.path, checked_at) {
            return Ok(Freshness::Stale);
        }
        if !is_known {
            last_folder = Some(folder.to_owned());
        }
    }
    Ok(Freshness::Likely)
}

fn compare(store: &Store, vault: &Vault) -> Result<Freshness> {
    let known: HashMap<String, _> = store
        .notes()?
        .into_iter()
        .map(|note| (note.path, note.stamp))
        .collect();
    let found = vault.walk().found;
    let is_same = found.len() == known.len()
        && found
            .iter()
            .all(|file| known.get(&file.path) == Some(&file.stamp));
    Ok(if is_same {
        Freshness::Fresh
    } else {
        Freshness::Stale
    })
}
