//! What is about to be done, written down before it is: one folder for each run, with what the files held
//! before and a manifest whose name says how far the run came.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::disk::{Disk, Like};

/// Runs that can be undone; older ones are forgotten.
pub(super) const RUNS_MAX: usize = 50;
/// Bytes of what the files of all those runs held before.
const BYTES_MAX: u64 = 256 << 20;
/// Where the bytes before lie, one file behind the other.
const BEFORE: &str = "before";

/// How far a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Files are made beside those that they will replace. Nothing has changed yet.
    Preparing,
    /// They are being put in place.
    Committing,
    /// All of them are.
    Done,
    /// The run is being forgotten.
    Gone,
}

impl Stage {
    const ALL: [Self; 4] = [Self::Preparing, Self::Committing, Self::Done, Self::Gone];

    fn name(self) -> &'static str {
        match self {
            Self::Preparing => "preparing.json",
            Self::Committing => "committing.json",
            Self::Done => "done.json",
            Self::Gone => "gone.json",
        }
    }
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) id: u64,
    pub(super) verb: String,
    pub(super) detail: String,
    /// Seconds since 1970.
    pub(super) at: i64,
    /// The run that this one takes back.
    pub(super) undoes: Option<u64>,
    /// Folders that are made, outermost first.
    pub(super) folders: Vec<String>,
    /// Folders that are deleted if nothing is left in them.
    pub(super) dropped: Vec<String>,
    pub(super) files: Vec<Entry>,
}

/// One file of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Path below the vault.
    pub(super) path: String,
    /// What it holds before; `None` if there is none.
    pub(super) before: Option<Held>,
    /// Digest of what it holds after; `None` if it is deleted.
    pub(super) after: Option<String>,
}

/// Bytes that a file held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) digest: String,
    /// Where they lie among all that was held.
    pub(super) offset: u64,
    pub(super) n_bytes: u64,
    pub(super) like: Like,
}

impl Held {
    /// Returns the bytes, out of all that was held.
    pub(super) fn among<'a>(&self, all: &'a [u8]) -> io::Result<&'a [u8]> {
        let start = usize::try_from(self.offset).unwrap_or(usize::MAX);
        let n_bytes = usize::try_from(self.n_bytes).unwrap_or(usize::MAX);
        let bytes = all.get(start..start.saturating_add(n_bytes));
        let bytes = bytes.filter(|bytes| super::digest(bytes) == self.digest);
        bytes.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "the journal is damaged"))
    }
}

impl Manifest {
    /// Returns the name of the file that waits beside the one it will replace. Hidden, so that neither the
    /// index nor Obsidian takes it for a note.
    pub(super) fn temp(&self, index: usize) -> String {
        format!(".ken-{}-{index}.tmp", self.id)
    }

    fn n_bytes(&self) -> u64 {
        let held = self.files.iter().filter_map(|file| file.before.as_ref());
        held.map(|held| held.n_bytes).sum()
    }

    fn encode(&self) -> Vec<u8> {
        let files: Vec<Value> = self.files.iter().map(encode_entry).collect();
        let value = json!({
            "version": 1, "id": self.id, "verb": self.verb, "detail": self.detail, "at": self.at,
            "undoes": self.undoes, "folders": self.folders, "dropped": self.dropped, "files": files,
        });
        value.to_string().into_bytes()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let list = |name: &str| -> Option<Vec<String>> {
            let list = value[name].as_array()?.iter();
            list.map(|item| item.as_str().map(str::to_owned)).collect()
        };
        let files = value["files"].as_array()?.iter();
        Some(Self {
            id: value["id"].as_u64()?,
            verb: text("verb")?,
            detail: text("detail")?,
            at: value["at"].as_i64()?,
            undoes: value["undoes"].as_u64(),
            folders: list("folders")?,
            dropped: list("dropped")?,
            files: files.map(decode_entry).collect::<Option<_>>()?,
        })
    }
}

fn encode_entry(entry: &Entry) -> Value {
    let before = entry.before.as_ref().map(|held| {
        json!({
            "digest": held.digest, "offset": held.offset, "n_bytes": held.n_bytes,
            "mode": held.like.mode,
            "user": held.like.owner.map(|owner| owner.0),
            "group": held.like.owner.map(|owner| owner.1),
            "mtime_ns": held.like.mtime_ns,
        })
    });
    json!({"path": entry.path, "before": before, "after": entry.after})
}

fn decode_entry(value: &Value) -> Option<Entry> {
    let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
    let before = match &value["before"] {
        Value::Null => None,
        held => Some(Held {
            digest: held["digest"].as_str()?.to_owned(),
            offset: held["offset"].as_u64()?,
            n_bytes: held["n_bytes"].as_u64()?,
            like: Like {
                mode: number(&held["mode"]),
                owner: number(&held["user"]).zip(number(&held["group"])),
                mtime_ns: held["mtime_ns"].as_i64(),
            },
        }),
    };
    Some(Entry {
        path: value["path"].as_str()?.to_owned(),
        before,
        after: value["after"].as_str().map(str::to_owned),
    })
}

/// The folders of all runs of a vault.
pub(super) struct Journal<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) folder: &'a Path,
}

impl Journal<'_> {
    fn of(&self, id: u64) -> PathBuf {
        self.folder.join(format!("{id:06}"))
    }

    /// Returns every run that can be read, the oldest first.
    pub(super) fn runs(&self) -> io::Result<Vec<(Stage, Manifest)>> {
        let mut runs = Vec::new();
        for id in self.ids()? {
            runs.extend(self.read(id)?);
        }
        runs.sort_by_key(|(_, manifest)| manifest.id);
        Ok(runs)
    }

    /// Sweeps away what was never a run, or is none any more.
    pub(super) fn sweep_rest(&self) -> io::Result<()> {
        for id in self.ids()? {
            if self.read(id)?.is_none() {
                self.sweep(id)?;
            }
        }
        Ok(())
    }

    fn ids(&self) -> io::Result<Vec<u64>> {
        let names = self.disk.list(self.folder)?;
        Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
    }

    fn read(&self, id: u64) -> io::Result<Option<(Stage, Manifest)>> {
        for stage in [Stage::Preparing, Stage::Committing, Stage::Done] {
            let path = self.of(id).join(stage.name());
            if self.disk.meta(&path)?.is_some() {
                let manifest = Manifest::decode(&self.disk.read(&path)?);
                return Ok(manifest.map(|manifest| (stage, manifest)));
            }
        }
        Ok(None)
    }

    /// Writes down what is about to be done, and what the files hold before.
    pub(super) fn begin(&self, manifest: &Manifest, before: &[u8]) -> io::Result<()> {
        let folder = self.of(manifest.id);
        let private = Like::PRIVATE_FILE;
        self.disk.make_folder(&folder, Like::PRIVATE_FOLDER)?;
        self.disk.put(&folder.join(BEFORE), before, private)?;
        // Half a manifest is none: it gets its name when it is whole.
        let fresh = folder.join("fresh");
        self.disk.put(&fresh, &manifest.encode(), private)?;
        let named = folder.join(Stage::Preparing.name());
        self.disk.rename(&fresh, &named)?;
        self.disk.sync_folder(&folder)?;
        self.disk.sync_folder(self.folder)
    }

    /// Notes down how far a run has come, from wherever it was.
    pub(super) fn advance(&self, id: u64, to: Stage) -> io::Result<()> {
        let folder = self.of(id);
        for from in Stage::ALL.into_iter().filter(|from| *from != to) {
            let path = folder.join(from.name());
            if self.disk.meta(&path)?.is_some() {
                self.disk.rename(&path, &folder.join(to.name()))?;
                return self.disk.sync_folder(&folder);
            }
        }
        Ok(())
    }

    /// Returns what the files of a run held before, one behind the other.
    pub(super) fn before(&self, id: u64) -> io::Result<Vec<u8>> {
        self.disk.read(&self.of(id).join(BEFORE))
    }

    /// Forgets a run.
    pub(super) fn forget(&self, id: u64) -> io::Result<()> {
        self.advance(id, Stage::Gone)?;
        self.sweep(id)
    }

    fn sweep(&self, id: u64) -> io::Result<()> {
        let folder = self.of(id);
        for name in self.disk.list(&folder)? {
            self.disk.remove(&folder.join(name))?;
        }
        self.disk.remove_folder(&folder)
    }

    /// Forgets runs that are too many or too large together; the last one always stays.
    pub(super) fn prune(&self, runs: &[(Stage, Manifest)]) -> io::Result<()> {
        let mut n_bytes = 0;
        for (n_newer, (_, manifest)) in runs.iter().rev().enumerate() {
            n_bytes += manifest.n_bytes();
            if n_newer >= RUNS_MAX || (n_newer > 0 && n_bytes > BYTES_MAX) {
                self.forget(manifest.id)?;
            }
        }
        Ok(())
    }
}
