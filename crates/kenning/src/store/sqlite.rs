//! The store that is one SQLite file, behind the seam.

mod deep;
pub(super) mod read;
pub(super) mod write;
