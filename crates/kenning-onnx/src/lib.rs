//! Transformer models for Kenning: those of the BERT family, read from ONNX files and run in pure Rust.
//!
//! They know paraphrases that a static model does not, and take some ten milliseconds for each passage. A
//! crate of its own keeps the runtime and the tokenizers out of the engine and of the usual binary. Like the
//! engine, it asks nobody for the time, the environment or the network: a model is a folder on this machine.
//!
//! ```no_run
//! use kenning::embed::Embedder;
//!
//! let model = kenning_onnx::Transformer::open("models/bge-small-en-v1.5".as_ref())?;
//! let row = model.embed_query("how do I sync my vault to my phone")?;
//! assert_eq!(row.len(), model.id().dimensions);
//! # Ok::<(), kenning::embed::EmbedError>(())
//! ```

mod cross;
mod embedder;
mod folder;
mod reranker;
mod session;
mod token_model;
mod tokens;

pub use cross::CrossEncoder;
pub use embedder::Transformer;
pub use folder::{Folder, Pooling};
pub use reranker::{Patience, RerankOptions, TransformerReranker, Watch};
pub use token_model::TokenModel;
