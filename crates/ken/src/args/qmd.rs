//! What people type who come from qmd: its verbs and options, as far as they mean something here.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum, ValueHint};

#[derive(Debug, ClapArgs)]
pub(crate) struct QmdSearchArgs {
    /// What to look for
    #[arg(required = true, num_args = 1..)]
    pub(crate) query: Vec<String>,
    /// Most hits
    #[arg(short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: Option<u32>,
    /// Only these collections; all of them without it
    #[arg(short, long, value_name = "NAME")]
    pub(crate) collection: Vec<String>,
    /// Leave out hits with a lower score (0 to 1)
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    pub(crate) min_score: f32,
    /// Every hit
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,
    /// Whole passages
    #[arg(long)]
    pub(crate) full: bool,
    /// How to print
    #[arg(long, default_value = "cli")]
    pub(crate) format: QmdFormat,
    /// The same as `--format json`
    #[arg(long, conflicts_with_all = ["files", "md"])]
    pub(crate) json: bool,
    /// The same as `--format files`
    #[arg(long, conflicts_with = "md")]
    pub(crate) files: bool,
    /// The same as `--format md`
    #[arg(long)]
    pub(crate) md: bool,
    /// Paths on disk instead of qmd:// addresses
    #[arg(long)]
    pub(crate) full_path: bool,
    /// Accepted and without effect: nothing is reranked by a language model
    #[arg(long)]
    pub(crate) no_rerank: bool,
    /// Accepted and without effect: nothing is reranked by a language model
    #[arg(short = 'C', long, value_name = "N")]
    pub(crate) candidate_limit: Option<u32>,
    /// Accepted and without effect: what is meant is not guessed by a language model
    #[arg(long, value_name = "TEXT")]
    pub(crate) intent: Option<String>,
}

/// How qmd prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QmdFormat {
    /// For people
    #[value(alias = "text")]
    Cli,
    /// A list of objects
    #[value(alias = "qmd")]
    Json,
    /// Markdown with the whole passages
    Md,
    /// `#id,score,path` per line
    Files,
}

impl QmdSearchArgs {
    /// Returns how to print, by whichever option it was told.
    pub(crate) fn format(&self) -> QmdFormat {
        match (self.json, self.files, self.md) {
            (true, ..) => QmdFormat::Json,
            (_, true, _) => QmdFormat::Files,
            (.., true) => QmdFormat::Md,
            _ => self.format,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MultiGetArgs {
    /// Pattern of paths (`Work/**/*.md`), or references with commas between them
    pub(crate) pattern: String,
    /// Only this collection
    #[arg(short, long, value_name = "NAME")]
    pub(crate) collection: Option<String>,
    /// Most lines of each note
    #[arg(short = 'l', value_name = "N")]
    pub(crate) lines: Option<usize>,
    /// Leave out longer notes
    #[arg(long, value_name = "BYTES", default_value_t = 10_240)]
    pub(crate) max_bytes: usize,
    /// Print a list of objects
    #[arg(long)]
    pub(crate) json: bool,
    /// Print paths only
    #[arg(long, conflicts_with = "json")]
    pub(crate) files: bool,
    /// Paths on disk instead of qmd:// addresses
    #[arg(long)]
    pub(crate) full_path: bool,
    /// Accepted and without effect: lines are not numbered
    #[arg(long)]
    pub(crate) no_line_numbers: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct LsArgs {
    /// A collection, or a folder of one; all collections without it
    pub(crate) place: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CollectionArgs {
    #[command(subcommand)]
    pub(crate) action: CollectionAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CollectionAction {
    /// Name a folder and index it
    Add {
        /// The folder
        #[arg(value_hint = ValueHint::DirPath)]
        path: PathBuf,
        /// The name [default: that of the folder]
        #[arg(long)]
        name: Option<String>,
    },
    /// List the named folders
    List {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Forget a name; the notes stay
    #[command(alias = "rm")]
    Remove {
        /// The name
        name: String,
    },
}
