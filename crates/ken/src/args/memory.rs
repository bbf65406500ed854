//! Options of what is told to agents and written down for them.

use clap::Args as ClapArgs;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kenning::note::MemoryType;

#[derive(Debug, ClapArgs)]
pub(crate) struct ContextArgs {
    /// The message that a conversation begins with
    #[arg(required = true, num_args = 1..)]
    pub(crate) message: Vec<String>,
    /// Most passages [default: 5, or what the settings say]
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) limit: Option<u32>,
    /// Leave out passages with a lower score, 0 to 1 [default: 0.25, or what the settings say]
    #[arg(long, value_name = "S")]
    pub(crate) min_score: Option<f32>,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  \
    ken remember \"Esko repairs roofs; he is away in May\" --type semantic\n  \
    ken remember --undo\n\n\
    It goes to the end of the note of the day, Memory/2026-11-18.md, or with a type\n  \
    Memory/episodic/2026-11-18.md, and is found at once. This is the one command that writes into a vault.")]
pub(crate) struct RememberArgs {
    /// What to write down; `-` or nothing takes it from standard input
    #[arg(conflicts_with = "undo")]
    pub(crate) text: Vec<String>,
    /// What kind of memory it is
    #[arg(long = "type", value_name = "TYPE", value_parser = memory_type(), conflicts_with = "undo")]
    pub(crate) memory_type: Option<MemoryType>,
    /// Take back what was written down last
    #[arg(long)]
    pub(crate) undo: bool,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Takes the name of a kind of memory.
fn memory_type() -> impl TypedValueParser<Value = MemoryType> {
    PossibleValuesParser::new(MemoryType::ALL.map(MemoryType::name))
        .try_map(|name| MemoryType::from_name(&name).ok_or("there is no such type"))
}
