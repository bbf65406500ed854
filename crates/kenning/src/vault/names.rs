//! Names of files and folders as everything outside of the vault sees them: a credential in one is masked, like in text.
//!
//! The masked path is what is stored, searched, shown and asked for. It leads back to the file: where a name holds a
//! mask, the folder is listed and the entry whose masked name is that one is taken. So the credential itself is
//! nowhere but in the vault.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Found, History, Skipped, Walk};
use crate::secrets;

/// Masks every name that a walk found.
pub(super) fn mask_walk(root: &Path, walk: Walk) -> Walk {
    let mut masked = Walk::default();
    for file in walk.found {
        let path = match shown(&file.path) {
            Cow::Borrowed(_) => file.path,
            Cow::Owned(path) if real(root, &path) == root.join(&file.path) => path,
            Cow::Owned(path) => {
                let reason =
                    "its name holds a credential, and without it another file has the same name"
                        .to_owned();
                masked.skipped.push(Skipped { path, reason });
                continue;
            }
        };
        masked.found.push(Found { path, ..file });
    }
    masked
        .skipped
        .extend(walk.skipped.into_iter().map(|skipped| Skipped {
            path: owned(skipped.path),
            reason: secrets::mask(skipped.reason).0.into_string(),
        }));
    masked.folders = walk
        .folders
        .into_iter()
        .map(|(path, time)| (owned(path), time))
        .collect();
    masked.attachments = walk.attachments.into_iter().map(owned).collect();
    masked.left_out = walk
        .left_out
        .into_iter()
        .map(|(path, rule)| (owned(path), rule))
        .collect();
    masked
}

/// Masks every name that the history tells of, also of files that are gone.
pub(super) fn mask_history(history: History) -> History {
    let days = history
        .days
        .into_iter()
        .map(|(path, day)| (owned(path), day))
        .collect();
    History { days, ..history }
}

fn owned(path: String) -> String {
    match shown(&path) {
        Cow::Borrowed(_) => path,
        Cow::Owned(shown) => shown,
    }
}

/// Masks the names of a path below the vault.
pub(super) fn shown(path: &str) -> Cow<'_, str> {
    if !path.split('/').any(may_hold) {
        return Cow::Borrowed(path);
    }
    let names: Vec<Cow<'_, str>> = path.split('/').map(shown_name).collect();
    match names.iter().all(|name| matches!(name, Cow::Borrowed(_))) {
        true => Cow::Borrowed(path),
        false => Cow::Owned(names.join("/")),
    }
}

/// Names without a digit, a sign or the length of a phrase hold no credential; nearly all names end here.
fn may_hold(name: &str) -> bool {
    let is_sign = |byte: &u8| byte.is_ascii_digit() || b"!#$%&*+=@^~:".contains(byte);
    name.len() >= SHORTEST_BYTES
        && (name.len() >= PHRASE_BYTES || name.as_bytes().iter().any(is_sign))
}

const SHORTEST_BYTES: usize = 8;
const PHRASE_BYTES: usize = 40;

/// Endings of files are no longer than this; what follows a later dot belongs to the name.
const ENDING_BYTES_MAX: usize = 8;

fn shown_name(name: &str) -> Cow<'_, str> {
    if !may_hold(name) {
        return Cow::Borrowed(name);
    }
    let is_ending = |ending: &str| ending.len() <= ENDING_BYTES_MAX;
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && is_ending(ending) => (stem, Some(ending)),
        _ => (name, None),
    };
    let (clean, findings) = secrets::mask(stem.to_owned());
    match (findings.is_empty(), ending) {
        (true, _) => Cow::Borrowed(name),
        (false, Some(ending)) => Cow::Owned(format!("{}.{ending}", clean.as_str())),
        (false, None) => Cow::Owned(clean.into_string()),
    }
}

/// Returns the file or folder below `root` that is shown as `path`.
pub(super) fn real(root: &Path, path: &str) -> PathBuf {
    let mut full = root.to_owned();
    for name in path.split('/') {
        match secrets::has_mask(name) {
            true => full.push(entry_shown_as(&full, name).unwrap_or_else(|| name.to_owned())),
            false => full.push(name),
        }
    }
    full
}

/// Of several entries that are shown alike, the first by name is meant; a walk tells of the others.
fn entry_shown_as(folder: &Path, shown: &str) -> Option<String> {
    fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| shown_name(name) == shown)
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token that is put together here, so that none stands in this file.
    fn token() -> String {
        ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_")
    }

    #[track_caller]
    fn check(path: &str, expected: &str) {
        let path = path.replace("{}", &token());
        assert_eq!(shown(&path), expected);
    }

    #[test]
    fn names_are_masked_one_by_one_and_keep_their_ending() {
        check("{}.md", "[REDACTED:github-token].md");
        check(
            "Keys/{}/old {}.png",
            "Keys/[REDACTED:github-token]/old [REDACTED:github-token].png",
        );
        check("Keys/{}", "Keys/[REDACTED:github-token]");
        check("2024-01-01 Plans (v1.2).md", "2024-01-01 Plans (v1.2).md");
        check(
            "a/9fceb02d0ae598e95dc970b74767f19372d61af8.md",
            "a/9fceb02d0ae598e95dc970b74767f19372d61af8.md",
        );
    }

    #[test]
    fn a_masked_path_leads_back_to_the_file() {
        let root = tempfile::tempdir().unwrap();
        let path = format!("Keys {}/of {}.md", token(), token());
        let full = root.path().join(&path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(&full, "x").unwrap();
        assert_eq!(real(root.path(), &shown(&path)), full);
        assert_eq!(real(root.path(), "a/b.md"), root.path().join("a/b.md"));
    }
}
