//! When files were last committed, as git tells it. A clone gives every file the time of cloning,
//! so what git remembers is nearer to the truth.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

/// Bytes of `git log` that are read at most; a repository with more is told in part.
const LOG_BYTES_MAX: u64 = 256 << 20;

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

/// Reads the commits since `known`, or all; `None` without a repository, a commit or git itself.
pub(super) fn read(root: &Path, known: Option<&str>) -> Option<History> {
    // Without a repository around it, the vault costs no process.
    root.ancestors()
        .find(|folder| folder.join(".git").exists())?;
    let head = String::from_utf8(git(root, &["rev-parse", "--verify", "-q", "HEAD"])?).ok()?;
    let head = head.trim().to_owned();
    if known == Some(head.as_str()) {
        return Some(History {
            head,
            ..History::default()
        });
    }
    let since = known.and_then(|known| log(root, &format!("{known}..{head}")));
    let is_whole = since.is_none();
    let days = match since {
        Some(days) => days,
        None => log(root, &head)?,
    };
    Some(History {
        head,
        days,
        is_whole,
    })
}

fn log(root: &Path, range: &str) -> Option<HashMap<String, String>> {
    let format = "--format=%x01%cs";
    let output = git(
        root,
        &[
            "log",
            format,
            "--name-only",
            "-z",
            "--no-renames",
            "--relative",
            range,
            "--",
            ".",
        ],
    )?;
    let mut days = HashMap::new();
    let mut day = String::new();
    for entry in output.split(|&byte| byte == 0) {
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
    Some(days)
}

/// Runs git for reading only. Settings of the repository that start programs are switched off.
fn git(root: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let mut child = Command::new("git")
        .arg("-C")
        .arg(root)
        .args([
            "--no-pager",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "log.showSignature=false",
        ])
        .args(arguments)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut output = Vec::new();
    let read = child
        .stdout
        .take()?
        .take(LOG_BYTES_MAX)
        .read_to_end(&mut output);
    let status = child.wait().ok()?;
    (read.is_ok() && status.success()).then_some(output)
}
