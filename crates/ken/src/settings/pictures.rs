//! `[pictures]`: whether and how pictures are read. The program is the user's own to name, never a vault's.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::{Settings, env_text};

/// Programs that make PNG of HEIC, the newer name first.
const HEIC_CONVERTERS: [&str; 2] = ["heif-dec", "heif-convert"];
/// Turns the reading of pictures off for whoever is started from here.
const PICTURES: &str = "KEN_PICTURES";
/// Where tesseract finds its languages, if not where it was installed.
const TESSERACT_DATA: &str = "TESSDATA_PREFIX";

/// `[pictures]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PictureSettings {
    read: bool,
    program: String,
    languages: Vec<String>,
    pixels_min: u64,
    deadline_s: u64,
    memory_mb: u64,
}

/// What pictures are read with.
#[derive(Clone, Debug)]
pub(crate) struct PictureTools {
    pub(crate) program: PathBuf,
    /// By tesseract's names; none are those of the notes.
    pub(crate) languages: Vec<String>,
    /// Pictures with fewer pixels are not read.
    pub(crate) pixels_min: u64,
    pub(crate) deadline: Duration,
    pub(crate) memory_bytes: u64,
    pub(crate) heic_converter: Option<PathBuf>,
    /// Where it is kept what they said.
    pub(crate) cache: PathBuf,
}

impl Settings {
    /// Returns what pictures are read with, if they are to be read and it is installed.
    pub(crate) fn picture_tools(&self) -> Option<PictureTools> {
        let own = &self.pictures;
        if !self.wants_pictures() {
            return None;
        }
        Some(PictureTools {
            program: installed(&own.program)?,
            languages: own.languages.clone(),
            pixels_min: own.pixels_min,
            deadline: Duration::from_secs(own.deadline_s.max(1)),
            memory_bytes: own.memory_mb.saturating_mul(1 << 20),
            heic_converter: HEIC_CONVERTERS.iter().find_map(|name| installed(name)),
            cache: self.data_dir.join("pictures"),
        })
    }

    /// Whether pictures are to be read where that is possible.
    pub(crate) fn wants_pictures(&self) -> bool {
        self.pictures.read && env_text(PICTURES).is_none_or(|value| value != "off")
    }

    /// Returns a key of `[pictures]` whose value cannot be, with that value and what it should be.
    pub(super) fn bad_pictures(&self) -> Option<(&'static str, String, &'static str)> {
        let own = &self.pictures;
        let is_name = |name: &String| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '-');
            !name.is_empty() && !name.starts_with('-') && name.chars().all(is_plain)
        };
        if let Some(bad) = own.languages.iter().find(|name| !is_name(name)) {
            let wanted = "what tesseract calls a language, such as eng";
            return Some(("pictures.languages", bad.clone(), wanted));
        }
        (own.memory_mb < 64).then(|| {
            let wanted = "enough to start the program with (64)";
            ("pictures.memory_mb", own.memory_mb.to_string(), wanted)
        })
    }
}

/// Finds a program as a shell does, but never in the current folder.
fn installed(name: &str) -> Option<PathBuf> {
    if name.is_empty() {
        return None;
    }
    if Path::new(name).is_absolute() {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
}

/// Returns where tesseract is to look for its languages, if somebody said so.
pub(crate) fn tesseract_data() -> Option<(&'static str, OsString)> {
    Some((TESSERACT_DATA, env::var_os(TESSERACT_DATA)?))
}
