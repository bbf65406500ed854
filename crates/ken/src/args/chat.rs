//! Options of conversations in the terminal.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueHint};

const CHAT_HELP: &str = "Examples:\n  \
    ken chat --vault ~/notes\n  \
    ken chat --last\n  \
    echo \"who repaired the roof?\" | ken chat\n  \
    ken chat export 1a2b3c4d > roof.md\n\n\
    In a conversation, /help lists what else can be typed. Ctrl-C stops an answer, Ctrl-D leaves.\n\n\
    Exit codes: 0 answered, 1 the notes said nothing, 2 error.";

#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true, after_help = CHAT_HELP)]
pub(crate) struct ChatArgs {
    #[command(subcommand)]
    pub(crate) action: Option<ChatAction>,
    /// Go on with a conversation, by its id or the beginning of it
    #[arg(long, value_name = "ID", conflicts_with = "last")]
    pub(crate) resume: Option<String>,
    /// Go on with the last conversation about these notes
    #[arg(long)]
    pub(crate) last: bool,
    /// The only notes that may answer: folder:Home tag:work, file:, category:, domain:
    #[arg(long, value_name = "CONDITIONS")]
    pub(crate) scope: Option<String>,
    /// The provider whose model answers, or `extract` for the notes' own words
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ChatAction {
    /// List conversations, the last one first
    List {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// List conversations that have all of some words
    Search {
        /// The words
        #[arg(required = true, num_args = 1..)]
        words: Vec<String>,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a conversation
    Show {
        /// Its id or the beginning of it
        id: String,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Call a conversation something else
    Rename {
        /// Its id or the beginning of it
        id: String,
        /// The new title
        #[arg(required = true, num_args = 1..)]
        title: Vec<String>,
    },
    /// Write a conversation as Markdown
    Export {
        /// Its id or the beginning of it
        id: String,
        /// A new file [default: standard output]
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
    },
    /// Delete conversations with all their branches
    Delete {
        /// Their ids or the beginnings of them
        #[arg(required = true, num_args = 1..)]
        ids: Vec<String>,
    },
}
