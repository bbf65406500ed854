//! When files were last committed, as git tells it. A clone gives every file the time of cloning,
//! so what git remembers is nearer to the truth.

use std::collections::HashMap;
use std::path::Path;

use super::repository::{Repository, is_id};

/// What git remembers of a vault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The commit that is checked out.
    pub head: String,
    /// Path of a file and the day of its last commit, `YYYY-MM-DD`.
    pub days: HashMap<String, String>,
    /// Whether all commits were looked at, or only those since the one that was known.
    pub is_whole: bool,
}

/// What git printed: `\x01` and a day for each commit, the newest first, then the paths below the
/// vault that it changed, each with a NUL behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitLog {
    /// The output.
    pub bytes: Vec<u8>,
    /// Whether git came to the end.
    pub is_complete: bool,
}

/// Asks git for the commits of a range, `ID` or `KNOWN..ID`; `None` where there is no git.
pub type AskGit = fn(&Repository, &str) -> Option<CommitLog>;

/// Reads the commits since `known`, or all; `None` without a repository, a commit or git itself.
pub(super) fn read(root: &Path, known: Option<&str>, ask: AskGit) -> Option<History> {
    // Without a repository around it, the vault costs no process.
    let repository = Repository::around(root)?;
    let head = repository.head.clone();
    if known == Some(head.as_str()) {
        return Some(History {
            head,
            ..History::default()
        });
    }
    let since = known
        .filter(|known| is_id(known))
        .and_then(|known| ask(&repository, &format!("{known}..{head}")))
        .filter(|log| log.is_complete);
    let is_whole = since.is_none();
    // Where commits are missing, the newest ones still tell their days.
    let log = match since {
        Some(log) => log,
        None => ask(&repository, &head)?,
    };
    Some(History {
        head,
        days: days(&log),
        is_whole,
    })
}

fn days(log: &CommitLog) -> HashMap<String, String> {
    let mut days = HashMap::new();
    let mut day = String::new();
    let mut entries: Vec<&[u8]> = log.bytes.split(|&byte| byte == 0).collect();
    if !log.is_complete {
        // The last one may be cut.
        entries.pop();
    }
    for entry in entries {
        let Ok(entry) = std::str::from_utf8(entry) else {
            continue;
        };
        match entry.strip_prefix('\u{1}') {
            Some(date) => day = date.to_owned(),
            // The newest commit comes first.
            None if !entry.trim().is_empty() => {
                let path = entry.trim_start_matches('\n').to_owned();
                days.entry(path).or_insert_with(|| day.clone());
            }
            None => {}
        }
    }
    days
}
