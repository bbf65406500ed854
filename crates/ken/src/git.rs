//! Asks git when notes were last committed, without ever doing what a repository says.
//!
//! A repository's settings can name programs to run and servers to ask. Git is therefore started in
//! an empty repository of our own, which borrows nothing but the objects, with nothing of the user's
//! or the system's settings, no protocol to fetch by, a deadline and a bound on what it may print.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use kenning::vault::{CommitLog, Repository};
use tempfile::TempDir;

use crate::settings;

/// Bytes of the log that are read at most; a repository with more is told in part.
const LOG_BYTES_MAX: u64 = 256 << 20;

/// A log that takes longer is told in part.
const DEADLINE: Duration = Duration::from_secs(60);

/// After it was ended, git has nothing more to print.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Returns the commits of a range, `None` when there is no git.
pub(crate) fn log(repository: &Repository, range: &str) -> Option<CommitLog> {
    log_within(repository, range, DEADLINE)
}

fn log_within(repository: &Repository, range: &str, deadline: Duration) -> Option<CommitLog> {
    let folder = empty_repository(repository).ok()?;
    let mut command = git(folder.path(), repository);
    let prefix = repository.prefix.as_str();
    command
        .args(["log", "--format=%x01%cs", "--name-only", "-z"])
        .args(["--no-renames", "--no-ext-diff", "--no-textconv"])
        .args(["--no-show-signature", "--no-mailmap", "--no-color"]);
    match prefix.is_empty() {
        true => command.args([range, "--", "."]),
        false => command
            .arg(format!("--relative={prefix}/"))
            .args([range, "--", prefix]),
    };
    read_within(command.spawn().ok()?, deadline)
}

/// Makes a repository that holds no more than the name of a commit. It goes away when dropped.
fn empty_repository(repository: &Repository) -> std::io::Result<TempDir> {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("refs"))?;
    fs::create_dir(at("objects"))?;
    fs::write(at("HEAD"), format!("{}\n", repository.head))?;
    let is_sha256 = repository.head.len() == 64;
    fs::write(
        at("config"),
        match is_sha256 {
            true => {
                "[core]\nrepositoryformatversion = 1\nbare = true\n[extensions]\nobjectFormat = sha256\n"
            }
            false => "[core]\nrepositoryformatversion = 0\nbare = true\n",
        },
    )?;
    if !repository.shallow.is_empty() {
        fs::write(at("shallow"), repository.shallow.join("\n") + "\n")?;
    }
    Ok(folder)
}

fn git(folder: &Path, repository: &Repository) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .env_clear()
        .envs(settings::search_path())
        .env("GIT_DIR", folder)
        .env("GIT_OBJECT_DIRECTORY", &repository.objects)
        .envs([
            ("GIT_ALLOW_PROTOCOL", ""),
            ("GIT_ATTR_NOSYSTEM", "1"),
            (
                "GIT_CONFIG_GLOBAL",
                if cfg!(windows) { "NUL" } else { "/dev/null" },
            ),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_LITERAL_PATHSPECS", "1"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("LC_ALL", "C"),
        ])
        .arg("--no-pager")
        .args(["-c", "core.fsmonitor=false"])
        .args(["-c", "core.hooksPath=/dev/null"])
        .args(["-c", "protocol.allow=never"])
        // These are made from the objects, and a vault's may not be.
        .args(["-c", "core.commitGraph=false"])
        .args(["-c", "core.multiPackIndex=false"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// Reads what a process prints, and ends it when its time is over.
fn read_within(mut child: Child, deadline: Duration) -> Option<CommitLog> {
    let stdout = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(LOG_BYTES_MAX).read_to_end(&mut bytes);
        let _ = sender.send((bytes, read.is_ok()));
    });
    let in_time = receiver.recv_timeout(deadline);
    if in_time.is_err() {
        let _ = child.kill();
    }
    let (bytes, is_read) = in_time
        .or_else(|_| receiver.recv_timeout(LAST_WORDS))
        .unwrap_or_default();
    let status = child.wait().ok()?;
    Some(CommitLog {
        is_complete: is_read && status.success(),
        bytes,
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Git waits for a pipe that nobody writes to, as for any file that it takes for an object.
    #[test]
    fn a_log_that_does_not_end_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let head = "0123456789".repeat(4);
        let objects = folder.path().join("objects");
        fs::create_dir_all(objects.join(&head[..2])).unwrap();
        let object = objects.join(&head[..2]).join(&head[2..]);
        let made = Command::new("mkfifo").arg(&object).status();
        assert!(made.unwrap().success());
        let repository = Repository {
            head: head.clone(),
            objects,
            prefix: String::new(),
            shallow: Vec::new(),
        };
        let log = log_within(&repository, &head, Duration::from_millis(100));
        // Without git there is nothing to end.
        assert!(log.is_none_or(|log| log == CommitLog::default()));
    }
}
