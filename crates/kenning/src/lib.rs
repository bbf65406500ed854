//! Kenning finds the right passage in a person's notes, by exact word and by meaning.
//!
//! Two flows, one function per arrow, each in the module of its name:
//!
//! ```text
//! write: file ─vault─> text ─secrets─> CleanText ─note─> Note ─chunk─> Chunks ─embed─> vectors ─store─> rows
//! read:  text ─query─> Query ─store─> Candidates ─fuse─> Ranked ─excerpt─> Hits
//! ```
//!
//! The engine is synchronous and asks nobody for the time, the environment or the network: they
//! are handed in.

pub mod chunk;
pub mod embed;
pub mod error;
pub mod eval;
pub mod extract;
pub mod index;
pub mod links;
pub mod note;
pub mod search;
pub mod secrets;
pub mod store;
pub mod vault;
pub mod words;

pub use error::{Error, Result};
