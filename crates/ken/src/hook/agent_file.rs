//! The settings file of an agent: read behind links, changed in place, put there whole.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use kenning::vault::{Links, read_regular, read_regular_text};
use serde_json::Value;

use super::splice::Document;
use crate::hint::Hinted;

/// Larger files are not settings of an agent.
const SETTINGS_BYTES_MAX: u64 = 16 << 20;
/// Links that are followed one after the other, as the system does.
const LINKS_MAX: usize = 40;

/// The settings of an agent as they lie there.
pub(crate) struct AgentFile {
    /// The file itself, behind links.
    place: PathBuf,
    document: Document,
}

/// Reads the settings of an agent; a file that is not there is empty.
pub(crate) fn read(file: &Path) -> Result<AgentFile> {
    let place = place_of(file)?;
    let text = match read_regular_text(&place, SETTINGS_BYTES_MAX, Links::Refused) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(kenning::Error::io(file, error).into()),
    };
    let document = Document::parse(text).map_err(|reason| unreadable(file, &reason))?;
    let settings = document.value();
    let hooks = settings.get("hooks");
    let is_sound = settings.is_object()
        && hooks.is_none_or(|hooks| {
            let events = hooks.as_object();
            events.is_some_and(|events| events.values().all(Value::is_array))
        });
    match is_sound {
        true => Ok(AgentFile { place, document }),
        false => Err(unreadable(file, "`hooks` is not what it should be")),
    }
}

/// Follows links, so that what is written goes where they lead and they stay. One in a project was
/// made by whoever made the project, and may not lead out of it.
fn place_of(file: &Path) -> Result<PathBuf> {
    let mut place = file.to_owned();
    let mut n_links = 0;
    // A link that leads nowhere yet names the file to be made.
    while let Ok(target) = fs::read_link(&place) {
        place = place.parent().unwrap_or(Path::new("")).join(target);
        n_links += 1;
        if n_links > LINKS_MAX {
            return Err(unreadable(file, "it is a link that leads in circles"));
        }
    }
    let folder = match place.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let here = Path::new(".").canonicalize().unwrap_or_default();
    if file.is_relative() && folder.is_absolute() && !folder.starts_with(&here) {
        return Err(unreadable(
            file,
            "it is a link that leads out of the project",
        ));
    }
    Ok(match place.file_name() {
        Some(name) => folder.join(name),
        None => place,
    })
}

fn unreadable(file: &Path, reason: &str) -> anyhow::Error {
    Hinted::error(
        format!("{} cannot be read: {reason}", file.display()),
        "nothing was changed; mend the file and try again",
    )
}

impl AgentFile {
    /// Returns what the file says.
    pub(crate) fn settings(&self) -> &Value {
        self.document.value()
    }

    /// Returns the text that says other settings; all they have in common stays as it was written.
    pub(crate) fn saying(&self, settings: &Value) -> Result<String> {
        self.document.saying(settings).ok_or_else(|| {
            Hinted::error(
                format!(
                    "{} cannot be changed without losing what is in it, such as a key that is there twice",
                    self.place.display()
                ),
                "nothing was changed; `--dry-run` on an empty file shows what to write into it",
            )
        })
    }

    /// Whether the file may go once it says nothing: unless somebody left a comment.
    pub(crate) fn may_go(&self) -> bool {
        !self.document.has_comments()
    }

    /// Takes the file away, keeping a copy.
    pub(crate) fn remove(&self) -> Result<()> {
        self.back_up()?;
        Ok(fs::remove_file(&self.place).map_err(|error| kenning::Error::io(&self.place, error))?)
    }

    /// Writes a text at once, keeping a copy of what was there.
    pub(crate) fn write(&self, text: &str) -> Result<()> {
        self.back_up()?;
        put(&self.place, text.as_bytes(), &self.place)
    }

    fn back_up(&self) -> Result<()> {
        match read_regular(&self.place, SETTINGS_BYTES_MAX, Links::Refused) {
            Ok(bytes) => put(&backup_of(&self.place), &bytes, &self.place),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(kenning::Error::io(&self.place, error).into()),
        }
    }
}

/// Puts a file into its place, which takes that of a link that lies there. It may be read by those
/// who may read `like`.
fn put(file: &Path, bytes: &[u8], like: &Path) -> Result<()> {
    let io = |error| kenning::Error::io(file, error);
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(io)?;
    let mut fresh = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
    fresh.write_all(bytes).map_err(io)?;
    if let Ok(meta) = fs::metadata(like) {
        let _ = fresh.as_file().set_permissions(meta.permissions());
    }
    fresh.persist(file).map_err(|error| io(error.error))?;
    Ok(())
}

/// Returns where the last version is kept.
fn backup_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".bak");
    PathBuf::from(name)
}
