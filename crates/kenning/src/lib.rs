//! Kenning finds the right passage in a person's notes, by exact word and by meaning.
//!
//! Two flows, one function per arrow, each in the module of its name:
//!
//! ```text
//! write: file ─vault─> text ─secrets─> CleanText ─note─> Note ─chunk─> Chunks ─embed─> vectors ─store─> rows
//! read:  text ─query─> Query ─store─> Candidates ─fuse─> Ranked ─excerpt─> Hits ─cite─> Verdicts
//! ```
//!
//! The engine is synchronous and asks nobody for the time, the environment or the network: they
//! are handed in.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use kenning::budget::Budget;
//! use kenning::extract::InProcess;
//! use kenning::index::{self, IndexContext, IndexOptions};
//! use kenning::search::{self, SearchContext, SearchOptions, Tuning};
//! use kenning::store::Store;
//! use kenning::vault::{Vault, WalkRules};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (notes, file) = (folder.path().join("notes"), folder.path().join("notes.db"));
//! # std::fs::create_dir(&notes)?;
//! std::fs::write(notes.join("Roof.md"), "# Roof\n\nEsko repaired the north gutter.\n")?;
//! let model = kenning::embed::embedded();
//! index::update(&IndexContext {
//!     source: &Vault::open(&notes, WalkRules::default())?,
//!     store: &file,
//!     reader: &InProcess::default(),
//!     embedder: model,
//!     now: 0,
//!     options: &IndexOptions::default(),
//!     progress: &|_| {},
//!     stop: &AtomicBool::new(false),
//! })?;
//! let (store, tuning) = (Store::open(&file)?, Tuning::default());
//! let cx = SearchContext {
//!     store: &store,
//!     embedder: model,
//!     tuning: &tuning,
//!     budget: &Budget::default(),
//! };
//! let answer = search::search(&cx, "who repaired the gutter", &SearchOptions::default())?;
//! assert_eq!(answer.hits[0].note.path, "Roof.md");
//! # Ok(())
//! # }
//! ```

pub mod budget;
pub mod chunk;
pub mod cite;
mod cpu;
pub mod embed;
pub mod error;
pub mod eval;
pub mod extract;
pub mod graph;
pub mod index;
pub mod links;
pub mod note;
pub mod search;
pub mod secrets;
pub mod store;
pub mod traverse;
pub mod vault;
pub mod words;

pub use error::{Error, Result};
