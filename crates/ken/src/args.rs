//! What was typed: the commands and their options. No logic.

mod chat;
mod curate;
mod eval;
mod hook;
mod intake;
mod lists;
mod memory;
mod model;
mod qmd;
mod question;
mod search;
mod serve;
mod store;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use kenning::search::Mode;

pub(crate) use chat::{ChatAction, ChatArgs};
pub(crate) use curate::{
    ChangeArgs, LinkAction, LinkArgs, MapArgs, NoteAction, NoteArgs, ReportArgs, TagsCheckArgs,
    TagsEvalArgs, TagsMergeArgs, TagsProposeArgs, TagsRenameArgs, UndoArgs,
};
pub(crate) use eval::EvalArgs;
use hook::HOOK_HELP;
pub(crate) use hook::{Agent, EventArgs, HookAction, HookArgs, InstallArgs};
use intake::INTAKE_HELP;
pub(crate) use intake::{IntakeAction, IntakeArgs, IntakeReviewArgs};
pub(crate) use lists::{
    OpenArgs, RandomArgs, RecentArgs, SimilarArgs, TagsAction, TagsArgs, TagsListArgs, TasksArgs,
};
pub(crate) use memory::{ContextArgs, RememberArgs};
pub(crate) use model::{ModelAction, ModelArgs, TuneArgs};
pub(crate) use qmd::{
    CollectionAction, CollectionArgs, LsArgs, MultiGetArgs, QmdFormat, QmdSearchArgs,
};
pub(crate) use question::{Mistake, read};
pub(crate) use search::{Conditions, Format, SearchArgs, Sort};
pub(crate) use serve::{CompatServer, ServeArgs};
pub(crate) use store::{StoreAction, StoreArgs, StoreCopyArgs};

/// Find the right passage in your notes, by exact word and by meaning.
///
/// Everything happens on this machine, in one SQLite file per vault, with nothing to download.
#[derive(Debug, Parser)]
#[command(name = "ken", version, propagate_version = true)]
#[command(override_usage = "ken [OPTIONS] [COMMAND]\n       ken [OPTIONS] QUESTION")]
#[command(after_help = "Examples:\n  \
    ken who repaired the roof\n  \
    ken search --vault ~/notes \"roof tag:house since:2025\"\n  \
    ken get \"April Jane:1-20\"\n\n\
    What is not a command is a question: `ken roof` is `ken search roof`. `ken` alone opens the picker, \
    which shows results as you type.\n\n\
    Exit codes: 0 found, 1 nothing relevant, 2 error.")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Without one, the picker is opened.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Which notes, and where their index lies.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct Place {
    /// Folder of notes [env: KEN_VAULT] [default: the vault around the current folder]
    #[arg(long, global = true, value_name = "PATH", value_hint = ValueHint::DirPath)]
    pub(crate) vault: Option<PathBuf>,
    /// Domain of the vault's _domains.yaml or of the settings; several as a,b [env: KEN_DOMAIN]
    #[arg(short, long, global = true, value_name = "NAME")]
    pub(crate) domain: Option<String>,
    /// Index file, or postgres://HOST/DATABASE or a server of the settings, instead of the one in the data directory [env: KEN_STORE]
    #[arg(long, global = true, value_name = "FILE", env = "KEN_STORE", hide_env = true, value_hint = ValueHint::FilePath)]
    pub(crate) store: Option<PathBuf>,
    /// Settings file [default: config.toml in the configuration directory]
    #[arg(long, global = true, value_name = "FILE", env = "KEN_CONFIG", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: When,
    /// Say less
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Print long output as it is, without a pager
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,
}

/// When to do something that only helps people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Bring the index up to date with the notes
    Index(IndexArgs),
    /// Find passages by word and by meaning
    #[command(visible_alias = "s", after_help = search::HELP)]
    Search(SearchArgs),
    /// Answer a question in the words of the notes, with the place of each
    #[command(visible_alias = "a", after_help = ASK_HELP)]
    Ask(AskArgs),
    /// Print a note or some of its lines
    Get(GetArgs),
    /// Open a note where it can be edited: in $VISUAL or $EDITOR, in Obsidian, or as the system does
    #[command(after_help = lists::OPEN_HELP)]
    Open(OpenArgs),
    /// List the notes that are most like a note
    Similar(SimilarArgs),
    /// List the tags of the notes, and how many notes have each
    Tags(TagsArgs),
    /// List open tasks, by note and date
    #[command(after_help = lists::TASKS_HELP)]
    Tasks(TasksArgs),
    /// List the notes that changed last
    Recent(RecentArgs),
    /// Print a note that chance chose
    Random(RandomArgs),
    /// Print the links of a note: where it leads, who links to it, what leads nowhere
    Links(LinksArgs),
    /// Walk along links from a note, towards a question or towards what is like the note
    #[command(after_help = TRAVERSE_HELP)]
    Traverse(TraverseArgs),
    /// Check the quotes of an answer against the notes it cites
    #[command(after_help = CITE_HELP)]
    Cite(CiteArgs),
    /// Talk with the notes; list, read, export and delete conversations
    Chat(ChatArgs),
    /// Print what an agent should know when a conversation begins with a message
    Context(ContextArgs),
    /// Write something down in the note of the day
    Remember(RememberArgs),
    /// Take back the last change that was made to the notes
    Undo(UndoArgs),
    /// Take things in from outside: score them, and make notes of what is worth it
    #[command(after_help = INTAKE_HELP)]
    Intake(IntakeArgs),
    /// Move notes, with every link to them
    Note(NoteArgs),
    /// Tell where notes lie by meaning, and what that says of the vault
    Map(MapArgs),
    /// Write a report on the health of the vault: what came in, what is never found or answered, dead links, growth
    Report(ReportArgs),
    /// Find links that could be there, and make them
    Link(LinkArgs),
    /// List where credentials stand in the notes, without showing them
    Audit(AuditArgs),
    /// Keep the index up to date while notes change, until stopped
    Watch(WatchArgs),
    /// Say what is indexed, how old it is and what was left out
    Status(StatusArgs),
    /// Check the index, the model and the settings
    Doctor {
        /// Read the whole index, and compare its notes, passages, words and vectors with each other
        #[arg(long)]
        deep: bool,
    },
    /// Copy the index into a file, safely even while it is used
    Backup(BackupArgs),
    /// Move an index between a file and a server
    Store(StoreArgs),
    /// Name folders of notes, to search them from anywhere
    Domain(DomainArgs),
    /// Choose the embedding model
    Model(ModelArgs),
    /// Measure search quality: by judged questions, or by what notes are called
    Eval(EvalArgs),
    /// Give agents context from the notes while they work
    #[command(after_help = HOOK_HELP)]
    Hook(HookArgs),
    /// Find passages, as `qmd query` is called
    #[command(hide = true, alias = "deep-search")]
    Query(QmdSearchArgs),
    /// Find passages by meaning, as `qmd vsearch` is called
    #[command(hide = true, alias = "vector-search")]
    Vsearch(QmdSearchArgs),
    /// Print several notes, as `qmd multi-get` is called
    #[command(hide = true)]
    MultiGet(MultiGetArgs),
    /// List collections or their notes, as `qmd ls` is called
    #[command(hide = true)]
    Ls(LsArgs),
    /// Name folders of notes, as `qmd collection` is called
    #[command(hide = true)]
    Collection(CollectionArgs),
    /// Serve the notes to an agent over the Model Context Protocol, on standard input and output
    #[command(after_help = MCP_HELP)]
    Mcp(McpArgs),
    /// Print the tools of `ken mcp` as definitions for other agent loops
    Tools(ToolsArgs),
    /// Answer over HTTP, on this machine
    #[command(after_help = serve::HELP)]
    Serve(ServeArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or write one page per command into a folder
    Man {
        /// Folder for the pages
        #[arg(value_hint = ValueHint::DirPath)]
        folder: Option<PathBuf>,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct IndexArgs {
    /// Folder of notes, or one file of a vault
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) path: Option<PathBuf>,
    /// Make everything anew
    #[arg(long, visible_alias = "rebuild")]
    pub(crate) full: bool,
    /// Notes that are gone are meant to be gone, however many
    ///
    /// Where more than half of the notes, and at least 20, are gone at once, or the vault lies on another file
    /// system than before, they are kept until this is given: a disk may not be mounted, or a cloud folder not
    /// be ready.
    #[arg(long)]
    pub(crate) accept_removals: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct WatchArgs {
    /// Look for changes every so many seconds, even if the system tells of none
    #[arg(long = "sweep", value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sweep_s: u64,
    /// Wait until nothing has changed for so many milliseconds
    #[arg(long = "quiet-for", value_name = "MS", default_value_t = 300)]
    pub(crate) quiet_ms: u64,
}

const ASK_HELP: &str = "Examples:\n  \
    ken ask who repaired the roof\n  \
    ken ask --deep \"why did the pump fail\"\n\n\
    The answer is one to three sentences of the notes, word for word, with the span that answers \
    marked. No language model is involved and nothing is made up: `ken cite` finds every sentence \
    where it is said to stand.\n\n\
    Exit codes: 0 answered, 1 the notes do not say, 2 error.";

#[derive(Debug, ClapArgs)]
pub(crate) struct AskArgs {
    /// The question; conditions such as tag: and path: work as in `ken search`
    #[arg(required = true, num_args = 1..)]
    pub(crate) question: Vec<String>,
    /// How to print
    #[arg(short, long, default_value = "text")]
    pub(crate) format: AskFormat,
    /// Walk widely along links from the best notes, too
    #[arg(long)]
    pub(crate) deep: bool,
    /// Answer in the words of the notes, though a language model is configured
    #[arg(long, conflicts_with = "model")]
    pub(crate) extract: bool,
    /// The provider whose model answers
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Ask words, meaning or both
    #[arg(short, long, value_parser = mode())]
    pub(crate) mode: Option<Mode>,
    /// Read "last week" or "2024" in the question as words, not as a time
    #[arg(long)]
    pub(crate) no_dates: bool,
    /// Answer from the index as it is, without looking for changes
    #[arg(long, conflicts_with = "fresh")]
    pub(crate) no_update: bool,
    /// Look at every file for changes first, however large the vault
    #[arg(long)]
    pub(crate) fresh: bool,
    /// The same as `--format json`
    #[arg(long, hide = true)]
    pub(crate) json: bool,
}

/// How an extracted answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AskFormat {
    /// For people
    Text,
    /// One object
    Json,
    /// Markdown: each sentence quoted, its place below it
    Md,
}

/// Takes the name of a mode.
fn mode() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(Mode::ALL.map(Mode::name))
        .try_map(|name| Mode::from_name(&name).ok_or("there is no such mode"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FusionArg {
    /// Add normalised scores
    Blend,
    /// Add reciprocal ranks
    Rrf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct GetArgs {
    /// Path, name, alias or #id of a note; `:from-to` behind it takes those lines
    pub(crate) reference: String,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Number the lines
    #[arg(short = 'N', long)]
    pub(crate) line_numbers: bool,
    /// First line, as qmd calls it
    #[arg(long, hide = true, value_name = "LINE", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) from: Option<u32>,
    /// Most lines, as qmd calls it
    #[arg(short = 'l', hide = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) lines: Option<u32>,
    /// Print the path on disk above it, as qmd does
    #[arg(long, hide = true, conflicts_with = "json")]
    pub(crate) full_path: bool,
    /// Accepted and without effect, for qmd's sake: lines are numbered with -N only
    #[arg(long, hide = true, conflicts_with = "line_numbers")]
    pub(crate) no_line_numbers: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct LinksArgs {
    /// Path, name or alias of a note
    pub(crate) note: String,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const TRAVERSE_HELP: &str = "Examples:\n  \
    ken traverse \"Kitchen Renovation\"\n  \
    ken traverse \"Kitchen Renovation\" who pays for it --deep\n\n\
    The fast walk follows the 5 best links of each hop, leaves out notes below 0.50 and stops when it \
    has found enough. The deep one follows 12, leaves out notes below 0.30, ignores their age \
    and never stops early. Similarity is measured against the vault: 0 is as near as an unrelated \
    passage, 1 as near as the nearest of all.\n\n\
    Exit codes: 0 found, 1 no note but the first, 2 error.";

#[derive(Debug, ClapArgs)]
pub(crate) struct TraverseArgs {
    /// Path, name or alias of the note to begin at
    pub(crate) note: String,
    /// What to look for [default: what the note itself is about]
    pub(crate) query: Vec<String>,
    /// Most links between the note and what is found
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub(crate) depth: Option<u32>,
    /// Look wider and never stop early
    #[arg(long)]
    pub(crate) deep: bool,
    /// Tell what only the deep walk finds, and where the fast one turned away from it
    #[arg(long)]
    pub(crate) compare: bool,
    /// Most notes
    #[arg(short = 'n', long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: Option<u32>,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const MCP_HELP: &str = "Examples:\n  \
    claude mcp add notes -- ken mcp --vault ~/notes\n  \
    ken mcp --domain work\n\n\
    Without --vault or --domain every domain of the settings is served; where there is none, the vault \
    around the current folder, but no mere repository: name that with --vault. One that is not served \
    cannot be named, searched or read. Ends when standard input ends.";

#[derive(Debug, ClapArgs)]
pub(crate) struct McpArgs {
    /// Let this client write notes down with the tool `remember`
    #[arg(long)]
    pub(crate) remember: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ToolsArgs {
    /// Whose format
    #[arg(long, default_value = "anthropic")]
    pub(crate) style: ToolStyle,
}

/// Formats of tool definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolStyle {
    /// `input_schema`
    Anthropic,
    /// `{\"type\":\"function\",\"function\":{…}}`
    Openai,
    /// As OpenAI
    Ollama,
}

const CITE_HELP: &str = "An answer is Markdown, such as\n  \
    The roof is done: \"Esko repaired the north gutter\" [[Roof and Gutters]].\n\
    where a note can also be named as (path:12-20) or by the #id of a passage; or JSON, such as\n  \
    {\"citations\":[{\"id\":\"#a1b2c3d4\",\"quote\":\"…\"},\n   \
    {\"path\":\"Roof.md\",\"start_line\":12,\"end_line\":20,\"quote\":\"…\"}]}\n\n\
    Typographic quotes, letter case, line breaks and Markdown marks do not matter; words do. Of each \
    citation it says match, no_quote, no_chunk_text, too_short or not_found; of the answer no_quotes, \
    all_verified, has_mismatch or unverifiable.\n\n\
    Exit codes: 0 all quotes verified, 1 otherwise, 2 error.";

#[derive(Debug, ClapArgs)]
pub(crate) struct CiteArgs {
    /// The answer, as Markdown or JSON [default: standard input]
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AuditArgs {
    /// Exit with 1 if there are credentials and with 0 if there are none, for CI
    #[arg(long)]
    pub(crate) check: bool,
    /// How to print
    #[arg(short, long, default_value = "text")]
    pub(crate) format: AuditFormat,
}

/// How the audit is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuditFormat {
    /// `path:line: pattern`
    Text,
    /// One object
    Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct StatusArgs {
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BackupArgs {
    /// The new file; it must not exist
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DomainArgs {
    #[command(subcommand)]
    pub(crate) action: DomainAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DomainAction {
    /// Name a folder
    Add {
        /// The name
        name: String,
        /// The folder
        #[arg(value_hint = ValueHint::DirPath)]
        path: PathBuf,
    },
    /// List the named folders
    List {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Forget a name; notes and index stay
    Remove {
        /// The name
        name: String,
        /// Delete the index file, too
        #[arg(long)]
        delete_index: bool,
    },
}
