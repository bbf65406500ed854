//! Fetches a model that is known by name, only when somebody asks for it: from the hub, from a mirror, or from a folder.
//!
//! What broke off is gone on with by the next run. Every file is compared with its pinned checksum before it is used.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ring::digest::{Context as Digest, SHA256};

use super::Installed;
use super::known::{self, Known};
use crate::hint::Hinted;
use crate::llm::ModelError;
use crate::llm::download::{self, Sink};
use crate::settings::ModelsOrigin;

/// How often a file that breaks off is gone on with, if more of it came each time.
const TRIES_MAX: usize = 20;
/// No file of a known model is longer.
const FILE_BYTES_MAX: u64 = 4 << 30;

/// Returns the known model of a name.
pub(crate) fn known(name: &str) -> Result<&'static Known> {
    let found = known::ALL.iter().find(|known| known.name == name);
    found.ok_or_else(|| {
        let names: Vec<String> = (known::ALL.iter())
            .map(|known| format!("{} ({})", known.name, known.told))
            .collect();
        Hinted::error(
            format!("no model is known as {name:?}"),
            format!(
                "known are {}; any other can be brought with `ken model add FOLDER`",
                names.join(", ")
            ),
        )
    })
}

/// Fetches a model and adds it. `told` hears how many bytes of which file are there, and of how many.
pub(crate) fn pull(
    models: &Path,
    known: &Known,
    origin: &ModelsOrigin,
    told: &dyn Fn(&str, u64, Option<u64>),
) -> Result<Installed> {
    if super::find(models, known.name).is_some() {
        return Err(Hinted::error(
            format!("there is a model {:?} already", known.name),
            format!("use it with `ken model use {}`", known.name),
        ));
    }
    // It stays until the model is complete, so that the next run can go on.
    let place = models.join(format!(".pulling-{}", known.name));
    for (path, sha256) in known.files {
        let target = place.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|error| kenning::Error::io(parent, error))?;
        }
        if !target.is_file() {
            fetch(known, path, sha256, origin, &target, told)?;
        }
    }
    let installed = super::add(models, &place, Some(known.name))?;
    fs::remove_dir_all(&place).map_err(|error| kenning::Error::io(&place, error))?;
    Ok(installed)
}

/// Brings one file, and puts it in place if it is the right one.
fn fetch(
    known: &Known,
    path: &str,
    sha256: &str,
    origin: &ModelsOrigin,
    target: &Path,
    told: &dyn Fn(&str, u64, Option<u64>),
) -> Result<()> {
    let mut part = target.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    match &origin.folder {
        Some(folder) => {
            let source = inside(folder, known, path)?;
            fs::copy(&source, &part).map_err(|error| kenning::Error::io(&source, error))?;
        }
        None => download(known, path, origin, &part, told)?,
    }
    let found = digest(&part).map_err(|error| kenning::Error::io(&part, error))?;
    if found != sha256 {
        let _ = fs::remove_file(&part);
        return Err(Hinted::error(
            format!(
                "{path} of {} is not the file that it should be: its SHA-256 is {found}, not {sha256}",
                known.name
            ),
            "it was removed; if it came from a mirror or a folder, ask who keeps it",
        ));
    }
    fs::rename(&part, target).map_err(|error| kenning::Error::io(target, error).into())
}

/// Finds a file in a folder that holds the model, or the hub's repositories.
fn inside(folder: &Path, known: &Known, path: &str) -> Result<PathBuf> {
    let places = [
        folder.join(known.repository).join(path),
        folder.join(known.name).join(path),
        folder.join(path),
    ];
    let found = places.iter().find(|place| place.is_file());
    found.cloned().ok_or_else(|| {
        Hinted::error(
            format!("{} has no {path} of {}", folder.display(), known.name),
            format!("it may lie there as {}/{path}", known.repository),
        )
    })
}

fn download(
    known: &Known,
    path: &str,
    origin: &ModelsOrigin,
    part: &Path,
    told: &dyn Fn(&str, u64, Option<u64>),
) -> Result<()> {
    let mirror = origin.mirror.trim_end_matches('/');
    let url = format!(
        "{mirror}/{}/resolve/{}/{path}",
        known.repository, known.revision
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot wait for a server")?;
    let mut n_before = None;
    for _ in 0..TRIES_MAX {
        let n_there = fs::metadata(part).map_or(0, |found| found.len());
        let mut sink = PartFile {
            path: part,
            file: None,
            n_bytes: 0,
            total: None,
            told: &|n, total| told(path, n, total),
        };
        match runtime.block_on(download::fetch(&url, n_there, &origin.proxies, &mut sink)) {
            Ok(()) => return Ok(()),
            // What brings nothing new is not tried for ever.
            Err(error) if n_before == Some(n_there) => return Err(hinted(error)),
            Err(error) if !error.is_cut() => return Err(hinted(error)),
            Err(_) => n_before = Some(n_there),
        }
    }
    Err(Hinted::error(
        format!("{url} breaks off again and again"),
        "run it again later: it goes on where it broke off",
    ))
}

fn hinted(error: ModelError) -> anyhow::Error {
    let hint = error.hint().to_owned();
    Hinted::error(error.to_string(), hint)
}

/// A file that grows.
struct PartFile<'a> {
    path: &'a Path,
    file: Option<File>,
    n_bytes: u64,
    total: Option<u64>,
    told: &'a dyn Fn(u64, Option<u64>),
}

impl Sink for PartFile<'_> {
    fn begin(&mut self, from: u64, total: Option<u64>) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let file = options
            .create(true)
            .write(true)
            .truncate(false)
            .open(self.path)?;
        if file.metadata()?.len() < from {
            return Err(io::Error::other("the server left out a part of the file"));
        }
        // A server that begins elsewhere than where we ended begins again.
        file.set_len(from)?;
        let mut file = file;
        io::Seek::seek(&mut file, io::SeekFrom::Start(from))?;
        (self.file, self.n_bytes, self.total) = (Some(file), from, total);
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.n_bytes += bytes.len() as u64;
        if self.n_bytes > FILE_BYTES_MAX {
            return Err(io::Error::other("it is longer than any model"));
        }
        if let Some(file) = &mut self.file {
            file.write_all(bytes)?;
        }
        (self.told)(self.n_bytes, self.total);
        Ok(())
    }
}

/// Returns the SHA-256 of a file, in hexadecimal.
fn digest(path: &Path) -> io::Result<String> {
    let mut digest = Digest::new(&SHA256);
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let n = file.read(&mut buffer)?;
        if n == 0 {
            break;
        }
        digest.update(&buffer[..n]);
    }
    let bytes = digest.finish();
    Ok(bytes
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

#[cfg(test)]
#[path = "pull/tests.rs"]
mod tests;
