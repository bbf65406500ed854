//! What is typed behind `ken store`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueHint};

pub(super) const COPY_HELP: &str = "FROM and TO are each one of:\n  \
    default             the index file that ken keeps of the vault or domain\n  \
    FILE                an index file\n  \
    postgres://\u{2026}       a server, the index of the domain there\n  \
    NAME                a server of [stores] in the settings\n\n\
    Examples:\n  \
    ken store copy default team --domain work\n  \
    ken store copy \"$KEN_STORE\" work.db --domain work --force\n\n\
    All of it is copied or nothing: no note is read again and nothing is embedded, and the hits are the same as before.";

#[derive(Debug, ClapArgs)]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    pub(crate) action: StoreAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreAction {
    /// Copy an index from one place to another: a file, or a server
    #[command(after_help = COPY_HELP)]
    Copy(StoreCopyArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct StoreCopyArgs {
    /// Where the index is
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) from: PathBuf,
    /// Where it is to be, too
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) to: PathBuf,
    /// Give up the index that is there already
    #[arg(long)]
    pub(crate) force: bool,
}
