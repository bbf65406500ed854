//! The options of `ken search`.

use clap::{Args as ClapArgs, ValueEnum};
use kenning::search::Mode;

use super::{FusionArg, mode};

/// The query language on one screen; docs/query-syntax.md has all of it.
pub(super) const HELP: &str = "Queries:
  roof repair              what answers best, by word and by meaning
  roo*                     a word that is not finished
  \"north gutter\"           only notes with this phrase
  -draft  -tag:old         only notes without it
  roof OR wall  (a b)      one of them; brackets
  tag:house  #house        with this tag, or preferring it
  path:Home  file:.pdf     by path, by file name
  type:recipe  [status]  [status:done]  [cost:>100]
  since:2025-03  before:\"last week\"  on:yesterday  created:2024  modified:30d
  task-todo:call  task-done:\"\"  section:(a b)  line:(a b)  block:(a b)
  /reg(ular)? expression/  [[Note]]  content:x  match-case:X

Put a query with a minus or quotes in single quotes, so that the shell leaves it alone. A time in a
question (\"last week\", \"in March\") is understood; see --no-dates.

Examples:
  ken search who repaired the roof
  ken search 'roof -tag:archive since:2025' --sort date
  ken search --tag kitchen --since 2025 --count
  ken search --save kitchen 'tag:kitchen paint OR tiles'   # then: ken search @kitchen
  ken search -f lines roof | fzf --delimiter : --preview 'ken get {1}:{2}'
  ken search -f paths --absolute -0 roof | xargs -0 wc -w
  ken search --open roof                                   # opens the best hit in your editor

Exit codes: 0 found, 1 nothing relevant, 2 error.";

#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct SearchArgs {
    /// What to look for; `-` reads it from standard input, `@NAME` is a saved search
    #[arg(num_args = 0..)]
    pub(crate) query: Vec<String>,
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    /// Most hits
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: Option<u32>,
    /// Every hit, up to 1000
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,
    /// Order of the hits that are shown
    #[arg(long, value_name = "BY", default_value = "score")]
    pub(crate) sort: Sort,
    /// Print how many notes there are, and no hits
    #[arg(long)]
    pub(crate) count: bool,
    /// Show the lines with the words asked for, and N lines around them
    #[arg(short = 'C', long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) context: Option<u32>,
    /// Open the best hit where it can be edited, or the Nth
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) open: Option<u32>,
    /// Keep the query under a name: `ken search @NAME` asks it again
    #[arg(long, value_name = "NAME")]
    pub(crate) save: Option<String>,
    /// List the saved searches
    #[arg(long, conflicts_with_all = ["save", "forget"])]
    pub(crate) saved: bool,
    /// Forget a saved search
    #[arg(long, value_name = "NAME", conflicts_with = "save")]
    pub(crate) forget: Option<String>,
    /// Ask words, meaning or both
    #[arg(short, long, value_parser = mode())]
    pub(crate) mode: Option<Mode>,
    /// How words and meaning are joined
    #[arg(long)]
    pub(crate) fusion: Option<FusionArg>,
    /// How to print
    #[arg(short, long, default_value = "text")]
    pub(crate) format: Format,
    /// Paths from the root of the file system, in `--format paths`
    #[arg(long)]
    pub(crate) absolute: bool,
    /// End each path or line with a zero byte, for `xargs -0` and `fzf --read0`
    #[arg(short = '0', long)]
    pub(crate) null: bool,
    /// Leave out hits with a lower score (0 to 1)
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    pub(crate) min_score: f32,
    /// Most tokens of text over all hits, at four characters each
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<usize>,
    /// Most hits of one note
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) per_note: Option<u32>,
    /// Show how each hit was scored
    #[arg(long)]
    pub(crate) explain: bool,
    /// Read "last week" or "2024" in a question as words, not as a time
    #[arg(long)]
    pub(crate) no_dates: bool,
    /// Answer from the index as it is, without looking for changes
    #[arg(long, conflicts_with = "fresh")]
    pub(crate) no_update: bool,
    /// Look at every file for changes first, however large the vault
    #[arg(long)]
    pub(crate) fresh: bool,
    /// The same as `--domain`, as qmd calls it
    #[arg(short, long, hide = true, value_name = "NAME")]
    pub(crate) collection: Option<String>,
    /// The same as `--format json`
    #[arg(long, hide = true)]
    pub(crate) json: bool,
}

/// Conditions that can also be written into the query; here they are options.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct Conditions {
    /// Only notes with this tag or one below it, as `tag:` in the query
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Only notes whose path contains this, as `path:`
    #[arg(long, value_name = "TEXT")]
    pub(crate) path: Vec<String>,
    /// Only notes of this day, month or year or later, as `since:` (2025-03, "last week", 30d)
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// Only earlier notes, as `before:`
    #[arg(long, value_name = "DATE")]
    pub(crate) before: Option<String>,
    /// Only notes of this type or kind, as `type:`
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Vec<String>,
}

/// Orders of hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// Best first
    #[default]
    Score,
    /// Newest first: of the hits, or, where only conditions were typed, of all notes that meet them
    Date,
}

/// How answers are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// One object
    Json,
    /// One object per hit and line
    Jsonl,
    /// Markdown with the whole passages
    Md,
    /// One path per line
    Paths,
    /// One hit per line: `/path/to/note.md:12:excerpt`, for fzf, editors and scripts
    Lines,
    /// A list as `qmd --json` prints it
    Qmd,
}
