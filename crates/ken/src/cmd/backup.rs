//! `ken backup`: a consistent copy of the index in one file, and of the conversations in another.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Found;
use crate::args::{BackupArgs, Place};
use crate::conversations;
use crate::hint::Hinted;
use crate::render;
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, place: &Place, args: &BackupArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    if located.remote.is_some() {
        return Err(Hinted::error(
            "this index is kept by a server",
            "back it up there, as with `pg_dump --schema`, or make it again from the notes with `ken index`",
        ));
    }
    let copy = beside(&args.file);
    if copy.exists() {
        let taken = std::io::ErrorKind::AlreadyExists.into();
        return Err(kenning::Error::io(&copy, taken).into());
    }
    kenning::store::backup(&located.store, &args.file)?;
    let told = |what: &str, to: &Path| {
        if !place.quiet {
            render::say(&format!("copied {what} to {}", to.display()));
        }
    };
    told(&located.store.display().to_string(), &args.file);
    if conversations::backup(settings, &copy)? {
        told("the conversations", &copy);
    }
    Ok(Found::Something)
}

/// Returns where the conversations go: `notes.db` has `notes.conversations.db` beside it.
fn beside(file: &Path) -> PathBuf {
    file.with_extension("conversations.db")
}
