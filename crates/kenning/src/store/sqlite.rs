//! The store that is one SQLite file, behind the seam.

pub(super) mod read;
pub(super) mod write;
