//! Finds the git repository around a vault and reads what is checked out, without git.
//!
//! A repository's own settings can start programs and open connections, so nobody is ever shown
//! them: what is found here is all that git is told.

use std::path::{Path, PathBuf};

use super::regular::{Links, read_regular_text};

/// HEAD, a reference and a `.git` file hold one line.
const LINE_BYTES_MAX: u64 = 4 << 10;

/// Lists of references and of shallow commits; a larger one is left alone.
const LIST_BYTES_MAX: u64 = 64 << 20;

/// References that lead to references; git follows as many.
const N_SYMBOLIC_MAX: usize = 5;

/// What is to be known of a repository for reading its commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The commit that is checked out, in hexadecimal.
    pub head: String,
    /// The folder of its objects.
    pub objects: PathBuf,
    /// Where the vault lies below the top of the work tree; empty at the top.
    pub prefix: String,
    /// Commits whose parents were not cloned.
    pub shallow: Vec<String>,
}

impl Repository {
    /// Finds the innermost repository around `root`, a canonical path; `None` when there is none, or
    /// when it leads to places that are not its own.
    pub(super) fn around(root: &Path) -> Option<Self> {
        root.ancestors().find_map(|top| Self::at(top, root))
    }

    fn at(top: &Path, root: &Path) -> Option<Self> {
        let own = own_folder(top)?;
        let common = common_folder(&own)?;
        let objects = common.join("objects").canonicalize().ok()?;
        // Objects that lie elsewhere are somebody else's, and git would follow the list by itself.
        let leads_elsewhere = !objects.starts_with(&common)
            || objects.join("info/alternates").symlink_metadata().is_ok();
        if leads_elsewhere {
            return None;
        }
        Some(Self {
            head: resolve(&own, &common, "HEAD")?,
            objects,
            prefix: super::relative(top, root)?,
            shallow: shallow(&common),
        })
    }
}

/// Whether a text is the full name of an object.
pub(super) fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn line(file: &Path) -> Option<String> {
    let text = read_regular_text(file, LINE_BYTES_MAX, Links::Refused).ok()?;
    Some(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// Returns the folder that a work tree keeps its HEAD in: `.git`, or what a file of this name leads to.
fn own_folder(top: &Path) -> Option<PathBuf> {
    let dot_git = top.join(".git");
    let metadata = dot_git.symlink_metadata().ok()?;
    if metadata.is_dir() {
        return Some(dot_git);
    }
    let text = line(&dot_git)?;
    let own = top
        .join(text.strip_prefix("gitdir: ")?)
        .canonicalize()
        .ok()?;
    (is_inside(&own, top) || leads_back(&own, &dot_git)).then_some(own)
}

/// Whether it lies in the work tree itself, or in a repository around it, as a submodule's does.
fn is_inside(own: &Path, top: &Path) -> bool {
    own.starts_with(top)
        || top
            .ancestors()
            .any(|around| own.starts_with(around.join(".git")))
}

/// Whether the other repository knows this work tree as one of its own; a vault cannot pretend that.
fn leads_back(own: &Path, dot_git: &Path) -> bool {
    line(&own.join("gitdir"))
        .and_then(|back| own.join(back).canonicalize().ok())
        .is_some_and(|back| back == dot_git)
}

/// Returns the folder that work trees share. It holds the folder of each of them, or is one's own.
fn common_folder(own: &Path) -> Option<PathBuf> {
    let file = own.join("commondir");
    if file.symlink_metadata().is_err() {
        return Some(own.to_owned());
    }
    let common = own.join(line(&file)?).canonicalize().ok()?;
    own.starts_with(&common).then_some(common)
}

/// Returns the commit that a reference leads to.
fn resolve(own: &Path, common: &Path, name: &str) -> Option<String> {
    let mut text = line(&own.join(name))?;
    for _ in 0..N_SYMBOLIC_MAX {
        let Some(name) = text.strip_prefix("ref: ") else {
            return is_id(&text).then_some(text);
        };
        let is_sound = name.starts_with("refs/") && !name.contains("..") && !name.contains('\\');
        if !is_sound {
            return None;
        }
        text = line(&common.join(name)).or_else(|| packed(common, name))?;
    }
    None
}

fn packed(common: &Path, name: &str) -> Option<String> {
    let file = common.join("packed-refs");
    let text = read_regular_text(&file, LIST_BYTES_MAX, Links::Refused).ok()?;
    text.lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(_, packed)| *packed == name)
        .map(|(id, _)| id.to_owned())
}

fn shallow(common: &Path) -> Vec<String> {
    let file = common.join("shallow");
    let text = read_regular_text(&file, LIST_BYTES_MAX, Links::Refused).unwrap_or_default();
    let ids = text.lines().filter(|line| is_id(line));
    ids.map(str::to_owned).collect()
}
