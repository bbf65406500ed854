//! Notes whose files are gone. They are removed from the index, unless so many are gone at once that the
//! vault itself may be out of reach: a disk that is not mounted, a cloud folder that is not ready.

use std::collections::{HashMap, HashSet};

use super::Report;
use crate::error::Result;
use crate::store::StoreWriter;
use crate::vault::{Found, Skipped, Stamp, Walk};

/// Fewer notes than this are removed without asking, be it all there are.
const GONE_MIN: usize = 20;
/// Fact: why notes are kept that are gone.
pub(super) const WITHHELD: &str = "withheld";
/// Fact: the file system that the vault was last seen on.
pub(super) const DEVICE: &str = "device";

/// Stamp and hash of the notes of an index, by path.
pub(super) type Known = HashMap<String, (Stamp, [u8; 16])>;

/// Why notes stay in an index though their files are gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// More than half of them are gone at once.
    Removals {
        /// Notes that are gone.
        n_gone: usize,
        /// Notes of the index.
        n_known: usize,
    },
    /// The vault lies on another file system than before, and it does not look the same.
    OtherFileSystem {
        /// Notes that are gone.
        n_gone: usize,
        /// Notes of the index.
        n_known: usize,
    },
    /// The vault as a whole cannot be read now.
    Closed {
        /// Why, for a person.
        reason: String,
    },
}

impl Withheld {
    fn to_fact(&self) -> String {
        match self {
            Self::Removals { n_gone, n_known } => format!("removals {n_gone} {n_known}"),
            Self::OtherFileSystem { n_gone, n_known } => format!("device {n_gone} {n_known}"),
            Self::Closed { reason } => format!("closed {reason}"),
        }
    }

    pub(super) fn from_fact(fact: &str) -> Option<Self> {
        let (kind, rest) = fact.split_once(' ')?;
        let counts = || {
            let (n_gone, n_known) = rest.split_once(' ')?;
            Some((n_gone.parse().ok()?, n_known.parse().ok()?))
        };
        match kind {
            "removals" => counts().map(|(n_gone, n_known)| Self::Removals { n_gone, n_known }),
            "device" => counts().map(|(n_gone, n_known)| Self::OtherFileSystem { n_gone, n_known }),
            "closed" => Some(Self::Closed {
                reason: rest.to_owned(),
            }),
            _ => None,
        }
    }
}

/// What the file system says that a vault lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ground {
    /// The one it was on before, or one that cannot be told from it.
    Same,
    /// Another one, with all the notes: the vault has moved.
    Moved,
    /// Another one, where notes are missing or all are different.
    Other { n_gone: usize },
}

/// Judges whether a vault that lies on another device than before is still the same.
pub(super) fn ground(
    before: Option<u64>,
    now: Option<u64>,
    known: &Known,
    found: &[Found],
) -> Ground {
    let is_same = match (before, now) {
        (Some(before), Some(now)) => before == now,
        _ => true,
    };
    if is_same || known.is_empty() {
        return Ground::Same;
    }
    let (mut n_present, mut n_alike, mut n_same) = (0, 0, 0);
    for file in found {
        if let Some((stamp, _)) = known.get(&file.path) {
            let is_alike = stamp.is_alike(&file.stamp);
            n_present += 1;
            n_alike += usize::from(is_alike);
            n_same += usize::from(is_alike && stamp.is_same_file(&file.stamp));
        }
    }
    // Many systems number their devices anew whenever they start; files keep their inodes.
    if 2 * n_same > known.len() {
        return Ground::Same;
    }
    match known.len() - n_present {
        0 if 2 * n_alike >= known.len() => Ground::Moved,
        n_gone => Ground::Other { n_gone },
    }
}

/// Returns why a vault as a whole could not be read, if so.
pub(super) fn closed(walk: &Walk) -> Option<Withheld> {
    let whole = walk
        .skipped
        .iter()
        .find(|skipped| skipped.path.is_empty())?;
    Some(Withheld::Closed {
        reason: whole.reason.clone(),
    })
}

/// Tells whether more notes are gone than are removed without asking; those that only moved are not gone.
pub(super) fn too_many(walk: &Walk, known: &Known) -> Option<Withheld> {
    let new = walk
        .found
        .iter()
        .filter(|file| !known.contains_key(&file.path));
    let new: HashSet<_> = new
        .map(|file| (file.stamp.size, file.stamp.mtime_ns))
        .collect();
    let has_moved = |path: &str| {
        let stamp = known
            .get(path)
            .map(|(stamp, _)| (stamp.size, stamp.mtime_ns));
        stamp.is_some_and(|stamp| new.contains(&stamp))
    };
    let gone = gone(&walk.found, known, &walk.skipped);
    let n_gone = gone
        .into_iter()
        .filter(|(path, _)| !has_moved(path))
        .count();
    let n_known = known.len();
    is_doubtful(n_gone, n_known).then_some(Withheld::Removals { n_gone, n_known })
}

fn is_doubtful(n_gone: usize, n_known: usize) -> bool {
    n_gone >= GONE_MIN && 2 * n_gone > n_known
}

/// Notes down why notes are kept, or that none are.
pub(super) fn note_down(writer: &mut StoreWriter, withheld: Option<&Withheld>) -> Result<()> {
    let fact = withheld.map(Withheld::to_fact);
    if writer.meta()?.fact(WITHHELD) == fact.as_deref() {
        return Ok(());
    }
    writer.set_fact(WITHHELD, fact.as_deref())
}

/// Removes notes whose files are gone; one that turned up elsewhere counts as renamed. Where too many
/// are gone they stay, and the report says so.
pub(super) fn remove(
    writer: &mut StoreWriter,
    walk: &Walk,
    known: &Known,
    accept: bool,
    report: &mut Report,
) -> Result<()> {
    let mut gone = gone(&walk.found, known, &report.skipped);
    if gone.is_empty() {
        return Ok(());
    }
    gone.sort();
    let mut appeared: HashMap<[u8; 16], usize> = HashMap::new();
    for (path, (_, hash)) in writer.known(None)? {
        if !known.contains_key(&path) {
            *appeared.entry(hash).or_default() += 1;
        }
    }
    let mut lost = Vec::new();
    for (path, hash) in gone {
        match appeared.get_mut(hash) {
            Some(n) if *n > 0 => {
                *n -= 1;
                report.n_renamed += 1;
                report.n_added -= 1;
                writer.remove(path)?;
            }
            // A picture that is not read any more is still there, and nobody waits for it.
            _ if walk.attachments.binary_search(path).is_ok() => writer.remove(path)?,
            _ => lost.push(path),
        }
    }
    let is_found = |path: &String| (walk.found).binary_search_by(|found| found.path.cmp(path));
    report.unread.retain(|path| is_found(path).is_ok());
    let (n_gone, n_known) = (lost.len(), known.len());
    // Notes that came since must not decide what becomes of those that are waited for.
    let was_withheld = writer.meta()?.fact(WITHHELD).is_some();
    let is_waited_for = was_withheld && n_gone >= GONE_MIN;
    if !accept && (is_waited_for || is_doubtful(n_gone, n_known)) {
        report.withheld = Some(Withheld::Removals { n_gone, n_known });
        return Ok(());
    }
    report.n_removed = n_gone;
    lost.into_iter().try_for_each(|path| writer.remove(path))
}

/// Returns the notes whose files are gone, with their hashes.
fn gone<'a>(
    found: &[Found],
    known: &'a Known,
    skipped: &[Skipped],
) -> Vec<(&'a String, &'a [u8; 16])> {
    let present: HashSet<&str> = found.iter().map(|file| file.path.as_str()).collect();
    // A file that is there but cannot be read now keeps its last good version.
    let kept: HashSet<&str> = skipped
        .iter()
        .map(|skipped| skipped.path.as_str())
        .collect();
    let is_gone = |path: &str| !present.contains(path) && !is_below(path, &kept);
    let gone = known.iter().filter(|(path, _)| is_gone(path));
    gone.map(|(path, (_, hash))| (path, hash)).collect()
}

/// Whether the path is one of `skipped` or lies in a folder that is.
fn is_below(path: &str, skipped: &HashSet<&str>) -> bool {
    skipped.contains(path)
        || path
            .match_indices('/')
            .any(|(end, _)| skipped.contains(&path[..end]))
}
