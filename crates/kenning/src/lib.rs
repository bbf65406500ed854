//! Kenning finds the right passage in a person's notes, by exact word and by meaning.
//!
//! An index is one file. It is filled from a folder of notes, and then asked (`examples/search.rs`):
//!
//! ```
#![doc = include_str!("../examples/search.rs")]
//! ```
//!
//! Builders say the rest: [`Kenning::query`] how a question is asked, [`Kenning::updating`] how the index
//! is brought up to date (`examples/index.rs`):
//!
//! ```
#![doc = include_str!("../examples/index.rs")]
//! ```
//!
//! The engine is synchronous and asks nobody for the time, the environment or the network: they
//! are handed in. Inside there are two flows, one function per arrow, each in the module of its name:
//!
//! ```text
//! write: file ─vault─> text ─secrets─> CleanText ─note─> Note ─chunk─> Chunks ─embed─> vectors ─store─> rows
//! read:  text ─query─> Query ─store─> Candidates ─fuse─> Ranked ─excerpt─> Hits ─cite─> Verdicts
//! ```
//!
//! [`Kenning::with_store`] lends the snapshot that the functions of [`links`], [`traverse`] and [`cite`]
//! work on.

pub mod ask;
pub mod budget;
pub mod chunk;
pub mod cite;
pub mod conversation;
mod cpu;
pub mod embed;
pub mod error;
pub mod eval;
pub mod extract;
pub mod facets;
mod graph;
pub mod index;
mod kenning;
pub mod links;
pub mod map;
pub mod note;
pub mod question;
pub mod search;
pub mod secrets;
pub mod store;
pub mod traverse;
pub mod vault;
pub mod words;

pub use embed::Embedder;
pub use error::{Error, Result};
pub use index::{IndexOptions, Progress, Report};
pub use kenning::{Kenning, Search, Update};
pub use search::{Answer, Evidence, Hit, Mode, Passage, SearchOptions, Tuning};
pub use vault::{Vault, WalkRules};
