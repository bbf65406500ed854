//! Options of what changes notes: `undo`, `note`, `tags`.

use clap::{Args as ClapArgs, Subcommand};

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Every command that writes into a vault keeps what the files held before, beside the \
    index. A file that was changed since is never overwritten: then nothing is undone."
)]
pub(crate) struct UndoArgs {
    /// List what can be undone, the last one first
    #[arg(long)]
    pub(crate) list: bool,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NoteArgs {
    #[command(subcommand)]
    pub(crate) action: NoteAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum NoteAction {
    /// Move a note and repair every link to it
    #[command(
        alias = "move",
        after_help = "Examples:\n  \
        ken note rename Roof \"Roof and Gutters\"\n  \
        ken note rename Roof Archive/ --dry-run"
    )]
    Rename {
        /// Path, name or alias of the note
        note: String,
        /// Its new name, a folder with `/` behind it, or a path from the root of the vault
        to: String,
        #[command(flatten)]
        how: ChangeArgs,
    },
}

#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct TagsRenameArgs {
    /// The tag; those below it go along
    pub(crate) old: String,
    /// What it is to be called
    pub(crate) new: String,
    #[command(flatten)]
    pub(crate) how: ChangeArgs,
}

#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct TagsMergeArgs {
    /// The tags, and last the one that they become
    #[arg(required = true, num_args = 2..)]
    pub(crate) tags: Vec<String>,
    #[command(flatten)]
    pub(crate) how: ChangeArgs,
}

/// How something is changed.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct ChangeArgs {
    /// Show what would change, as a diff, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct TagsProposeArgs {
    /// Path, name or alias of notes [default: all that have no tags]
    pub(crate) notes: Vec<String>,
    /// Most notes
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: u32,
    /// The provider whose model proposes [default: the one that answers, if there is one]
    #[arg(long, value_name = "PROVIDER")]
    pub(crate) model: Option<String>,
    /// Ask no language model: only the notes around each one say what fits
    #[arg(long, conflicts_with = "model")]
    pub(crate) no_model: bool,
    #[command(flatten)]
    pub(crate) how: ChangeArgs,
}

#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct TagsCheckArgs {
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct TagsEvalArgs {
    /// A property whose values count as tags, such as `kind`
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Option<String>,
    /// Most notes whose tags are hidden, spread evenly
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) notes: u32,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct LinkArgs {
    #[command(subcommand)]
    pub(crate) action: LinkAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LinkAction {
    /// List links that could be there, with the sentence they could stand in, and notes without any
    Suggest {
        /// Path, name or alias of a note [default: the notes that are linked most]
        note: Option<String>,
        /// Most suggestions
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: u32,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a link of the first place in a note that names another
    Add {
        /// Path, name or alias of the note
        note: String,
        /// Path, name or alias of the note that it is to link to
        to: String,
        #[command(flatten)]
        how: ChangeArgs,
    },
    /// Hide a tenth of the links and tell how many are suggested
    Eval {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MapArgs {
    /// Draw the map into a file
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) svg: Option<std::path::PathBuf>,
    /// Notes that were not touched for so many years are listed
    #[arg(long, value_name = "YEARS", default_value_t = 3)]
    pub(crate) stale_years: u32,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ReportArgs {
    /// Folder to write it into [default: the one of the settings, in the vault]
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    pub(crate) to: Option<std::path::PathBuf>,
    /// Print it, and write nothing
    #[arg(long, conflicts_with = "to")]
    pub(crate) print: bool,
}
