//! What was typed after `ken hook`.

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

pub(crate) const HOOK_HELP: &str = "An agent calls the first four with JSON on standard input and reads \
    JSON from standard output. They never fail: whatever happens they exit with 0, and say nothing \
    where there is nothing to say. `ken hook log` tells why.\n\n\
    Examples:\n  \
    ken hook install --agent claude\n  \
    echo '{\"prompt\":\"when was the boiler serviced\"}' | ken hook prompt --vault ~/notes\n  \
    ken hook log -n 20";

#[derive(Debug, ClapArgs)]
pub(crate) struct HookArgs {
    #[command(subcommand)]
    pub(crate) action: HookAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HookAction {
    /// Add what the notes say about a prompt
    Prompt(EventArgs),
    /// Add what the notes say about the project a session begins in
    SessionStart(EventArgs),
    /// Add what the notes say about a file or command before it is used
    PreTool(EventArgs),
    /// Shorten a long output to what matters
    PostTool(EventArgs),
    /// Print the whole of an output that was shortened
    Output {
        /// The id that the shortened output names
        id: String,
    },
    /// Tell what hooks did: what was given, why not, and how much of it was used
    Log {
        /// Print one object per call
        #[arg(long)]
        json: bool,
        /// Most calls, the newest
        #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
        limit: usize,
    },
    /// Enter the hooks into the settings of an agent
    Install(InstallArgs),
    /// Take the hooks out of the settings of an agent
    Remove(InstallArgs),
    /// Tell which hooks are in the settings of an agent
    Status(InstallArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct EventArgs {
    /// The agent that calls [default: any]
    #[arg(long)]
    pub(crate) agent: Option<Agent>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InstallArgs {
    /// The agent
    #[arg(long)]
    pub(crate) agent: Agent,
    /// In the settings of the project in the current folder, instead of your own
    #[arg(long)]
    pub(crate) project: bool,
    /// Print the settings as they would be, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Agents whose settings are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    Claude,
    Codex,
    Copilot,
}

impl Agent {
    /// Returns the name people type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
        }
    }
}
