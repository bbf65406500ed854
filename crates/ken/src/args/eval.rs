//! `ken eval`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};

use super::FusionArg;

#[derive(Clone, Debug, ClapArgs)]
#[command(after_help = "Examples:\n  \
    ken eval golden.toml --vault ~/notes --save before.json\n  \
    ken eval golden.toml --vault ~/notes --baseline before.json\n  \
    ken eval --label-free --vault ~/notes\n\n\
    Exit codes: 0 measured, 1 worse than the baseline or below the gate, 2 error.")]
pub(crate) struct EvalArgs {
    /// TOML file of questions and the notes that answer them
    #[arg(
        value_name = "GOLDEN.toml",
        value_hint = ValueHint::FilePath,
        required_unless_present_any = ["collection", "label_free", "answerability", "answers", "tune"],
        conflicts_with_all = ["collection", "label_free", "answerability"]
    )]
    pub(crate) golden: Option<PathBuf>,
    /// Folder with corpus.jsonl, queries.jsonl and qrels.tsv; with --vault the notes of the vault
    /// are searched instead of corpus.jsonl
    #[arg(
        long,
        value_name = "DIR",
        value_hint = ValueHint::DirPath,
        conflicts_with_all = ["label_free", "answerability"]
    )]
    pub(crate) collection: Option<PathBuf>,
    /// Ask for the aliases, titles, headings and link texts of the vault itself
    #[arg(long, conflicts_with = "answerability")]
    pub(crate) label_free: bool,
    /// Ask each collection its own questions and those of the one before it, which it cannot
    /// answer, and tell how well confidence tells them apart
    #[arg(long, value_name = "DIR", num_args = 2.., value_hint = ValueHint::DirPath)]
    pub(crate) answerability: Vec<PathBuf>,
    /// Tell how often `ken ask` shows the answer: of a folder with answers.jsonl, or with one for each
    /// collection, whose queries.jsonl and corpus.jsonl lie in --collection, or beside it; or of a TOML
    /// file of questions with their answers, put to --vault
    #[arg(
        long,
        value_name = "PATH",
        value_hint = ValueHint::AnyPath,
        conflicts_with_all = ["golden", "label_free", "answerability", "baseline", "save"]
    )]
    pub(crate) answers: Option<PathBuf>,
    /// Look for weights that suit the vault better, by the questions given or those of
    /// --label-free; changes nothing
    #[arg(long, conflicts_with_all = ["answerability", "baseline", "save"])]
    pub(crate) tune: bool,
    /// Ask as a server does: the model that reads again makes what it lacks within its deadline; then
    /// ask everything once more
    #[arg(long, conflicts_with_all = ["answerability", "answers", "tune"])]
    pub(crate) as_server: bool,
    /// Compare with figures that --save wrote; exit with 1 if hybrid search got worse
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "answerability")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write each question's figures into a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "answerability")]
    pub(crate) save: Option<PathBuf>,
    /// Exit with 1 unless evidence is none or weak for 93 % of the questions without an answer, and
    /// moderate or strong for 95 % of the others; lists those that are misjudged
    #[arg(long, requires = "golden")]
    pub(crate) gate: bool,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// How words and meaning are joined
    #[arg(long)]
    pub(crate) fusion: Option<FusionArg>,
}
