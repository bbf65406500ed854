//! `ken model`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueHint};

#[derive(Debug, ClapArgs)]
pub(crate) struct ModelArgs {
    #[command(subcommand)]
    pub(crate) action: ModelAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelAction {
    /// Say which model is in use and which others there are
    List,
    /// Use a model: one that was added, a Model2Vec directory, or `default` for the one in the binary
    Use {
        /// Name of a model, or a folder with model.safetensors, tokenizer.json and config.json
        #[arg(value_hint = ValueHint::DirPath)]
        model: PathBuf,
    },
    /// Add a transformer that reads the best passages again: an ONNX file and its tokenizer
    Add {
        /// Folder of the model, or its file FILE.onnx
        #[arg(value_hint = ValueHint::AnyPath)]
        model: PathBuf,
        /// What to call it; the name of its folder otherwise
        #[arg(long)]
        name: Option<String>,
    },
    /// Fetch a well-known transformer from its hub and add it; nothing is fetched unless this is typed
    Pull {
        /// Name of the model, such as bge-small-en-v1.5
        name: String,
        /// Take the files from a folder instead
        #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
        from: Option<PathBuf>,
    },
    /// Remove a model that was added
    Remove {
        /// Name of the model
        name: String,
    },
    /// Make the vectors of a transformer for all passages now, instead of when they are needed
    Fill {
        /// Name of the model; the one in use otherwise
        name: Option<String>,
    },
    /// Adapt the static model to the words of a vault, if search gets better by it
    Tune(TuneArgs),
    /// Measure how long a transformer takes, and would take for this vault
    Bench {
        /// Name of the model; the one in use otherwise
        name: Option<String>,
    },
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "It learns from what notes are called: titles, aliases, headings and the texts of links. What it \
    learnt is kept in the index only if headings and links of other notes are found better by it.\n\n\
    Exit codes: 0 kept or dropped, 1 nothing changed, 2 error."
)]
pub(crate) struct TuneArgs {
    /// Forget what was learnt
    #[arg(long)]
    pub(crate) drop: bool,
    /// Measure, and keep nothing
    #[arg(long, conflicts_with = "drop")]
    pub(crate) dry_run: bool,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
