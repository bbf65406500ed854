//! Finishes a run that was stopped half-way, or takes it back: by what the journal says, and by what each file holds.

use std::io::{self, ErrorKind};
use std::path::Path;

use super::journal::{Manifest, Stage};
use super::{Recovered, Writer, digest};
use crate::disk::{Kind, Like};
use crate::error::{Error, Result};

impl Writer<'_> {
    /// Finishes or takes back what was stopped half-way. The lock is held.
    pub(super) fn settle(&self) -> Result<Vec<Recovered>> {
        self.journal_io(|journal| journal.sweep_rest())?;
        let mut recovered = Vec::new();
        for (stage, manifest) in self.journal_io(|journal| journal.runs())? {
            let is_finished = match stage {
                Stage::Preparing => {
                    self.abandon(&manifest)?;
                    false
                }
                Stage::Committing => self.complete(&manifest)?,
                Stage::Done | Stage::Gone => continue,
            };
            recovered.push(Recovered {
                verb: manifest.verb,
                is_finished,
            });
        }
        Ok(recovered)
    }

    /// Finishes a run whose new files are all there; takes it back otherwise.
    fn complete(&self, manifest: &Manifest) -> Result<bool> {
        let mut open = Vec::new();
        for (index, entry) in manifest.files.iter().enumerate() {
            let now = self.digest_of(&self.root.join(&entry.path))?;
            let before = entry.before.as_ref().map(|held| held.digest.clone());
            if now == entry.after {
                continue;
            }
            let waiting = match &entry.after {
                Some(_) => self.digest_of(&self.temp(manifest, index))?,
                None => None,
            };
            if now != before || waiting != entry.after {
                self.take_back(manifest)?;
                return Ok(false);
            }
            open.push(index);
        }
        for index in open {
            let entry = &manifest.files[index];
            let how = (entry.before.is_some(), entry.after.is_some());
            self.put_in_place(manifest, index, how)?;
        }
        self.remove_temps(manifest)?;
        self.finish(manifest)?;
        Ok(true)
    }

    fn digest_of(&self, file: &Path) -> Result<Option<String>> {
        let io = |error| Error::io(file, error);
        match self.disk.meta(file).map_err(io)? {
            Some(found) if found.kind == Kind::File => {
                Ok(Some(digest(&self.disk.read(file).map_err(io)?)))
            }
            Some(_) => Ok(Some("no file".to_owned())),
            None => Ok(None),
        }
    }

    /// Gives every file that was replaced back what it held. What somebody else has changed since stays.
    pub(super) fn take_back(&self, manifest: &Manifest) -> Result<()> {
        self.journal_io(|journal| journal.advance(manifest.id, Stage::Committing))?;
        let all = self.journal_io(|journal| journal.before(manifest.id))?;
        for (index, entry) in manifest.files.iter().enumerate().rev() {
            let file = self.root.join(&entry.path);
            if self.digest_of(&file)? != entry.after {
                continue;
            }
            match &entry.before {
                Some(held) => {
                    let bytes = self.journal_io(|_| held.among(&all))?;
                    self.restore(manifest, index, bytes, held.like)?;
                }
                None if entry.after.is_some() => {
                    let removed = self.disk.remove(&file);
                    removed.map_err(|error| Error::io(&file, error))?;
                }
                None => {}
            }
        }
        self.abandon(manifest)
    }

    fn restore(&self, manifest: &Manifest, index: usize, bytes: &[u8], like: Like) -> Result<()> {
        let file = self.root.join(&manifest.files[index].path);
        let temp = self.temp(manifest, index).with_extension("old");
        let io = |error| Error::io(&file, error);
        self.remove_if_there(&temp)?;
        self.disk.put(&temp, bytes, like).map_err(io)?;
        self.disk.rename(&temp, &file).map_err(io)
    }

    /// Sweeps away what a run made that changed nothing, or nothing any more.
    pub(super) fn abandon(&self, manifest: &Manifest) -> Result<()> {
        self.remove_temps(manifest)?;
        for folder in manifest.folders.iter().rev() {
            let folder = self.root.join(folder);
            match self.disk.remove_folder(&folder) {
                Err(error) if !is_of_others(&error) => return Err(Error::io(&folder, error)),
                _ => {}
            }
        }
        self.journal_io(|journal| journal.forget(manifest.id))
    }

    fn remove_temps(&self, manifest: &Manifest) -> Result<()> {
        for index in 0..manifest.files.len() {
            let temp = self.temp(manifest, index);
            self.remove_if_there(&temp)?;
            self.remove_if_there(&temp.with_extension("old"))?;
        }
        Ok(())
    }

    fn remove_if_there(&self, file: &Path) -> Result<()> {
        match self.disk.remove(file) {
            Err(error)
                if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Err(Error::io(file, error))
            }
            _ => Ok(()),
        }
    }
}

/// Whether a folder is not there, or holds what is not ours.
fn is_of_others(error: &io::Error) -> bool {
    let kinds = [
        ErrorKind::NotFound,
        ErrorKind::NotADirectory,
        ErrorKind::DirectoryNotEmpty,
    ];
    kinds.contains(&error.kind())
}
