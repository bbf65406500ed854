//! `ken backup`: a consistent copy of the index in one file.

use anyhow::Result;

use super::Found;
use crate::args::{BackupArgs, Place};
use crate::render;
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, place: &Place, args: &BackupArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    kenning::store::backup(&located.store, &args.file)?;
    if !place.quiet {
        render::say(&format!(
            "copied {} to {}",
            located.store.display(),
            args.file.display()
        ));
    }
    Ok(Found::Something)
}
