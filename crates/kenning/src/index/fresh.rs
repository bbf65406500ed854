//! Is the index still what the vault says? A question for every search, so the answer is cheap.

use std::collections::HashMap;

use super::gone::{self, Withheld};
use crate::error::Result;
use crate::store::{Known, Store};
use crate::vault::{Found, Vault};

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

/// Whether a vault is so large that each look sees a part of it only.
pub fn is_sampled(store: &Store) -> Result<bool> {
    Ok(store.meta()?.n_notes > COMPARED_NOTES_MAX)
}

/// Compares the vault with the index: all of it when it is small or `thorough`, a sample
/// otherwise. Turn by turn the samples visit every note.
pub fn freshness(store: &Store, vault: &Vault, thorough: bool, turn: i64) -> Result<Freshness> {
    let meta = store.meta()?;
    let n_notes = meta.n_notes;
    let caveats = super::caveats(store)?;
    if caveats.unfinished.is_some() {
        return Ok(Freshness::Stale);
    }
    // Where notes are waited for, only a look at all of them tells whether they are back.
    if thorough || !is_sampled(store)? || caveats.withheld.is_some() {
        return compare(store, vault, caveats.withheld.as_ref());
    }
    if meta.device != vault.device() {
        return Ok(Freshness::Stale);
    }
    let n_windows = n_notes.div_ceil(PROBED_NOTES);
    let window = turn.unsigned_abs() % n_windows;
    let notes = store.known(Known::Window {
        n_before: window * PROBED_NOTES,
        n: PROBED_NOTES,
    })?;
    // Neighbours mostly share a folder, which is looked at once.
    let mut last_folder = None;
    for note in notes {
        if vault.stamp(&note.path) != Some(note.stamp) {
            return Ok(Freshness::Stale);
        }
        let folder = note.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if last_folder.as_deref() != Some(folder) {
            if vault.folder_time(folder) != store.folder_time(folder)? {
                return Ok(Freshness::Stale);
            }
            last_folder = Some(folder.to_owned());
        }
    }
    Ok(Freshness::Likely)
}

fn compare(store: &Store, vault: &Vault, withheld: Option<&Withheld>) -> Result<Freshness> {
    let walk = vault.walk();
    let is_same_device = store.meta()?.device == vault.device();
    let is_same = match withheld {
        // What was not changed then is not changed now, as long as nothing else is the matter.
        Some(Withheld::Closed { .. }) => gone::closed(&walk).as_ref() == withheld,
        Some(Withheld::OtherFileSystem { .. }) => {
            !is_same_device && is_known(store, &walk.found, withheld)?
        }
        _ => {
            is_same_device
                && gone::closed(&walk).is_none()
                && is_known(store, &walk.found, withheld)?
        }
    };
    Ok(if is_same {
        Freshness::Fresh
    } else {
        Freshness::Stale
    })
}

/// Whether the index has the files as they are, and nothing else but what it keeps on purpose.
fn is_known(store: &Store, found: &[Found], withheld: Option<&Withheld>) -> Result<bool> {
    let known: HashMap<String, _> = store
        .known(Known::Every)?
        .into_iter()
        .map(|note| (note.path, note.stamp))
        .collect();
    let n_kept = match withheld {
        Some(Withheld::Removals { n_gone, .. }) => *n_gone,
        // None of it was looked at: only what is gone tells whether it is still the same.
        Some(Withheld::OtherFileSystem { n_gone, .. }) => {
            let n_present = found.iter().filter(|file| known.contains_key(&file.path));
            return Ok(known.len() - n_present.count() == *n_gone);
        }
        _ => 0,
    };
    let is_same = |file: &Found| known.get(&file.path) == Some(&file.stamp);
    Ok(found.len() + n_kept == known.len() && found.iter().all(is_same))
}
