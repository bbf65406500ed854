//! Curation: what changes a vault on request. Tags and notes are renamed with everything that refers to
//! them, and every change is written safely: all files or none, and it can be undone.
//!
//! Like the engine, this crate asks nobody for the time, the environment or the network, and starts no
//! process. Files are touched in [`disk`] only, and changed by [`mod@write`] only.

pub mod atlas;
pub mod diff;
pub mod disk;
pub mod duplicate;
pub mod error;
pub mod intake;
pub mod library;
pub mod links;
pub mod page;
pub mod report;
pub mod suggest;
pub mod tags;
pub mod write;

pub use error::{Error, Result};
