//! Tiny models, made by `scripts/make-tiny-models`, through every step of a real one.

mod folder;
mod models;

use std::path::PathBuf;

/// Returns the folder of a tiny model.
pub(crate) fn tiny(name: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.join("../../fixtures/models").join(name)
}
