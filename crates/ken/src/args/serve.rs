//! The options of `ken serve`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum, ValueHint};

pub(super) const HELP: &str = "Examples:\n  \
    ken serve --vault ~/notes --open\n  \
    curl 'http://127.0.0.1:7117/search?q=who+repaired+the+roof'\n  \
    ken serve --compat omnisearch,miyo\n\n\
    What can be asked is described at /openapi.json and in docs/http.md. Any other address than this \
    machine's own needs a token: KEN_TOKEN, --token-file, or [clients.NAME] in the settings.";

#[derive(Debug, ClapArgs)]
pub(crate) struct ServeArgs {
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS[:PORT]", default_value = "127.0.0.1:7117")]
    pub(crate) bind: String,
    /// Port to listen on, 0 for any free one
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Another name that requests may call this machine by
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// A web page that may ask, such as `https://notes.example`
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
    /// File with the token that every request needs [env: KEN_TOKEN holds the token itself]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
    /// Answer in place of these programs, too
    #[arg(long, value_name = "PROGRAM", value_delimiter = ',')]
    pub(crate) compat: Vec<CompatServer>,
    /// Port of the place of Omnisearch
    #[arg(long, value_name = "N", default_value_t = 51361)]
    pub(crate) omnisearch_port: u16,
    /// Port of the place of Miyo
    #[arg(long, value_name = "N", default_value_t = 8742)]
    pub(crate) miyo_port: u16,
    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Keep the index up to date with the notes
    #[arg(long)]
    pub(crate) watch: bool,
    /// Answer from the index as it is, without looking for changes at the start
    #[arg(long, conflicts_with = "watch")]
    pub(crate) no_update: bool,
    /// Most milliseconds to wait for a request to arrive
    #[arg(long, hide = true, value_name = "MS", default_value_t = 10_000)]
    pub(crate) read_timeout_ms: u64,
}

/// A program whose place is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompatServer {
    /// The HTTP server of Obsidian's Omnisearch
    Omnisearch,
    /// The service that Obsidian's Copilot asks
    Miyo,
}
