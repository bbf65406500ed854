//! Options of what lists and opens notes: `open`, `similar`, `tags`, `tasks`, `recent`, `random`.

use clap::{Args as ClapArgs, Subcommand};

use super::Conditions;
use super::curate::{
    ChangeArgs, TagsCheckArgs, TagsEvalArgs, TagsMergeArgs, TagsProposeArgs, TagsRenameArgs,
};

pub(super) const OPEN_HELP: &str = "Examples:
  ken open \"April Jane\"
  ken open 6cc9c67c                   # a passage, by the id that a search shows
  ken open \"Roof:12\"                # at a line
  ken open \"Roof#Gutters\" --obsidian

The editor is $VISUAL, or $EDITOR, or `open.editor` in the settings; at the line in vi, vim, nvim, emacs,
nano, micro, kakoune, helix, VS Code, Zed, Sublime Text and others, and in any other by a template in the
settings: editor = \"myedit --line {line} {file}\". Without an editor the system's opener is used.";

#[derive(Debug, ClapArgs)]
pub(crate) struct OpenArgs {
    /// Path, name, alias or id of a note; `:line` or `#Heading` behind it
    pub(crate) reference: String,
    /// Open it in Obsidian
    #[arg(long, conflicts_with = "system")]
    pub(crate) obsidian: bool,
    /// Open it as the system opens such files
    #[arg(long)]
    pub(crate) system: bool,
    /// Print what would be started, and start nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SimilarArgs {
    /// Path, name, alias or id of a note
    pub(crate) note: String,
    /// Most notes
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
    /// Only notes that are not linked with it
    #[arg(long)]
    pub(crate) unlinked: bool,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct TagsArgs {
    #[command(subcommand)]
    pub(crate) action: Option<TagsAction>,
    #[command(flatten)]
    pub(crate) list: TagsListArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TagsAction {
    /// List tags; so does `ken tags` alone
    List(TagsListArgs),
    /// Give a tag another name in every note, and those below it
    Rename(TagsRenameArgs),
    /// Make one tag of several
    Merge(TagsMergeArgs),
    /// Propose tags for notes, into _review-queue.md
    Propose(TagsProposeArgs),
    /// Write the tags that are ticked in _review-queue.md into their notes
    Promote(ChangeArgs),
    /// List tags that are not in the vocabulary, or spelled in two ways
    Check(TagsCheckArgs),
    /// Hide the tags of notes and tell how well they are proposed
    Eval(TagsEvalArgs),
}

#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct TagsListArgs {
    /// Only tags that contain this
    pub(crate) part: Option<String>,
    /// By name, instead of the commonest first
    #[arg(long)]
    pub(crate) by_name: bool,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(super) const TASKS_HELP: &str = "Examples:
  ken tasks
  ken tasks call --path Home
  ken tasks --since 2025 --json

Exit codes: 0 there are some, 1 there are none, 2 error.";

#[derive(Debug, ClapArgs)]
pub(crate) struct TasksArgs {
    /// Only tasks with these words; conditions work as in `ken search`
    pub(crate) query: Vec<String>,
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    /// Those that are done, instead
    #[arg(long)]
    pub(crate) done: bool,
    /// Most tasks
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RecentArgs {
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    /// Most notes
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) limit: u32,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RandomArgs {
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    /// Open it, instead of printing it
    #[arg(long)]
    pub(crate) open: bool,
    /// Print as JSON
    #[arg(long, conflicts_with = "open")]
    pub(crate) json: bool,
}
