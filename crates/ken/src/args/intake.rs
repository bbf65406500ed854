//! What can be typed behind `ken intake`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueHint};

pub(crate) const INTAKE_HELP: &str = "Examples:\n  \
    ken intake saved-page.html paper.pdf\n  \
    ken intake ~/Downloads/clippings --dry-run\n  \
    curl -s https://example.org/feed.xml | ken intake -\n  \
    ken intake review\n\n\
    Markdown, HTML, PDF, office documents, mail (.eml, .mbox), feeds (RSS, Atom, JSON), outlines (OPML) and lines of JSON \
    ({\"title\", \"url\", \"text\", \"source\", \"author\", \"published\"}) are taken. Each item is scored from 0 to 1; from 0.55 on it \
    becomes a note, from 0.40 on it waits for `ken intake review`, and what is below is logged and can be replayed. Files that \
    are given stay where they are; only notes that lie in the vault already are moved.";

#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct IntakeArgs {
    #[command(subcommand)]
    pub(crate) action: Option<IntakeAction>,
    /// Files and folders; `-` is standard input
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Show what would become of each item and why, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Say why, for each item
    #[arg(long)]
    pub(crate) why: bool,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum IntakeAction {
    /// Step through what waits: keep it and where, drop it, or leave it for later
    Review(IntakeReviewArgs),
    /// Count what came in and what became of it
    Stats {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Judge what was not kept again, by the settings and notes of today
    Replay {
        /// Show what would become of each item, and change nothing
        #[arg(short = 'n', long)]
        dry_run: bool,
        /// Say why, for each item
        #[arg(long)]
        why: bool,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Measure how well notes are routed and copies known again; with labels, how well items are judged
    Eval {
        /// Lines of JSON with a `label`: keep, review or drop
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        labels: Option<PathBuf>,
        /// Most notes that are looked at, spread evenly
        #[arg(long, value_name = "N", default_value_t = 1000)]
        notes: u32,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct IntakeReviewArgs {
    /// Only list what waits
    #[arg(long)]
    pub(crate) list: bool,
    /// Keep the item with this id
    #[arg(long, value_name = "ID", conflicts_with = "drop")]
    pub(crate) keep: Option<String>,
    /// The folder to keep it in [default: the one that was proposed]
    #[arg(long, value_name = "FOLDER", requires = "keep")]
    pub(crate) to: Option<String>,
    /// Drop the item with this id
    #[arg(long, value_name = "ID")]
    pub(crate) drop: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
