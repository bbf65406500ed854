//! Other domains: what is theirs is neither read nor named by this one, however it is reached.

use std::borrow::Cow;
use std::path::Path;
use std::path::PathBuf;

use super::lists::PathList;
use super::{Rule, WalkRules};

/// What another domain holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Territory {
    /// Its folder, without links.
    pub root: PathBuf,
    /// Only these folders and files of it; everything when the list is empty.
    pub allowed: PathList,
    /// Never these.
    pub excluded: PathList,
}

impl Territory {
    fn has(&self, real: &Path, is_folder: bool) -> bool {
        below(&self.root, real).is_some_and(|path| {
            let refusal = refusal(&self.allowed, &self.excluded, &path, is_folder);
            refusal.is_none()
        })
    }
}

/// What is to be done with a file or folder that a walk meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is walked into, or read.
    Taken,
    /// A rule leaves it out, which people may be told.
    LeftOut(Rule),
    /// It belongs to another domain, and nobody is told of it.
    Anothers,
    /// It was found here by a link, but lies where it belongs to another domain or is left out.
    Elsewhere,
}

/// Decides about `path`, a file or folder found below `root`.
///
/// Where links are followed, it may lie elsewhere. The rules hold for where it was found and for where it
/// lies, or a link would carry in what they leave out.
pub(super) fn judge(root: &Path, rules: &WalkRules, path: &Path, is_folder: bool) -> Verdict {
    let real = match rules.follow_links {
        true => path.canonicalize().map_or(Cow::Borrowed(path), Cow::Owned),
        false => Cow::Borrowed(path),
    };
    let refused = |path: &Path| {
        let path = below(root, path).filter(|path| !path.is_empty())?;
        refusal(&rules.allowed, &rules.excluded, &path, is_folder)
    };
    let is_known = |other: &Territory| other.has(path, is_folder);
    match refused(path) {
        Some(_) if rules.others.iter().any(is_known) => Verdict::Anothers,
        Some(rule) => Verdict::LeftOut(rule),
        None if is_anothers(root, rules, path, is_folder) => Verdict::Anothers,
        None if refused(&real).is_some() => Verdict::Elsewhere,
        None if is_anothers(root, rules, &real, is_folder) => Verdict::Elsewhere,
        None => Verdict::Taken,
    }
}

/// Whether what lies at `real`, and is not left out by rules, belongs to another domain: the one whose
/// folder is the innermost around it. Domains of the same folder share what both of them allow, and a
/// domain that lists an inner one by name has it, too.
fn is_anothers(root: &Path, rules: &WalkRules, real: &Path, is_folder: bool) -> bool {
    let is_own = real.starts_with(root);
    let is_listed = || {
        let path = below(root, real).unwrap_or_default();
        rules.allowed.has(&path)
    };
    rules.others.iter().any(|other| {
        let is_inner = other.root != root && (!is_own || other.root.starts_with(root));
        is_inner && other.has(real, is_folder) && !(is_own && is_listed())
    })
}

/// Returns the rule by which lists leave a file or folder out.
fn refusal(allowed: &PathList, excluded: &PathList, path: &str, is_folder: bool) -> Option<Rule> {
    if excluded.has(path) {
        return Some(Rule::Excluded);
    }
    let is_allowed =
        allowed.is_empty() || allowed.has(path) || (is_folder && allowed.may_lie_below(path));
    (!is_allowed).then_some(Rule::NotAllowed)
}

/// Returns the path below a folder as rules see it. One that is not UTF-8 is under rules, too.
fn below(root: &Path, path: &Path) -> Option<String> {
    let path = path.strip_prefix(root).ok()?.to_string_lossy();
    Some(match cfg!(windows) {
        true => path.replace('\\', "/"),
        false => path.into_owned(),
    })
}
