//! A copy of the example vault with an index and settings of its own, and `ken` to run on it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// What the environment of a test must not bring along.
const FOREIGN_VARIABLES: [&str; 6] = [
    "KEN_VAULT",
    "KEN_DOMAIN",
    "KEN_STORE",
    "KEN_MODEL",
    "KEN_TOKEN",
    "CLICOLOR_FORCE",
];

/// Everything one test touches, in a folder that goes away with it.
pub(crate) struct TestVault {
    folder: TempDir,
}

/// What a run left: exit code and both streams.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl TestVault {
    /// Copies the example vault.
    pub(crate) fn example() -> Self {
        let test = Self::empty();
        copy(&repository().join("examples/vault"), &test.root());
        test
    }

    /// Makes a vault without notes.
    pub(crate) fn empty() -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("vault")).unwrap();
        fs::write(folder.path().join("config.toml"), "").unwrap();
        Self { folder }
    }

    /// Returns the folder of the notes.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("vault")
    }

    /// Returns a path beside the vault.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns what lies beside the vault.
    pub(crate) fn listed(&self) -> Vec<OsString> {
        let files = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<OsString> = files.map(|file| file.unwrap().file_name()).collect();
        names.sort();
        names
    }

    /// Writes a note.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Returns `ken` with the vault named, standing beside it.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        let mut command = self.bare_command(args);
        command.env("KEN_VAULT", self.root());
        command
    }

    /// Returns `ken` without a vault.
    pub(crate) fn bare_command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ken"));
        for name in FOREIGN_VARIABLES {
            command.env_remove(name);
        }
        command
            .args(args)
            .env("KEN_DATA_DIR", self.beside("data"))
            .env("KEN_CONFIG", self.beside("config.toml"))
            .env("KEN_PICTURES", "off")
            .env("NO_COLOR", "1")
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs `ken` on the vault.
    pub(crate) fn ken(&self, args: &[&str]) -> Run {
        finish(self.command(args))
    }

    /// Runs `ken` without a vault.
    pub(crate) fn bare_ken(&self, args: &[&str]) -> Run {
        finish(self.bare_command(args))
    }

    /// Returns the paths that a search prints, best first.
    pub(crate) fn paths(&self, query: &str) -> Vec<String> {
        let run = self.ken(&["search", "--format", "paths", query]);
        run.stdout.lines().map(str::to_owned).collect()
    }
}

impl Run {
    /// Checks the exit code and says what was printed if it is another.
    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout: {}\nstderr: {}",
            self.stdout, self.stderr
        );
        self
    }

    /// Returns standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error} in {:?}; {}", self.stdout, self.stderr))
    }

    /// Checks that this is an error: code 2, nothing on standard output, and advice.
    #[track_caller]
    pub(crate) fn expect_hint(self, message: &str, hint: &str) {
        let run = self.expect_code(2);
        assert_eq!(run.stdout, "");
        let (first, rest) = run.stderr.split_once("\n\nhint: ").unwrap_or_else(|| {
            panic!("no hint in {:?}", run.stderr);
        });
        assert!(
            first.starts_with("error: ") && first.contains(message),
            "{first:?}"
        );
        assert!(rest.contains(hint), "{rest:?}");
    }
}

/// Runs a command to its end.
pub(crate) fn finish(mut command: Command) -> Run {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    Run {
        code: status.code().expect("ken was not killed"),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

/// Returns the root of the repository.
pub(crate) fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
