//! Tags: where they stand, what they are called, and which there should be.

pub mod check;
mod front;
pub mod measure;
pub mod promote;
pub mod propose;
pub mod queue;
pub mod rename;
pub mod taxonomy;

pub use front::{FrontTags, front_tags};
pub use queue::QUEUE;
pub use taxonomy::{TAXONOMY, Vocabulary};
