//! Errors for people: one line, and the command that helps.

use std::fmt;
use std::io;
use std::path::Path;

use kenning::Error;
use kenning::embed::EmbedError;
use kenning::error::{ConversationsTrouble, Refused};

use crate::llm::error::ModelError;

const DEFAULT_MODEL: &str = "run `ken model use default` to go back to the model in the binary";

/// An error with advice of its own.
#[derive(Debug)]
pub(crate) struct Hinted {
    message: String,
    hint: String,
}

impl Hinted {
    /// Makes an error that says what is wrong and what to do.
    pub(crate) fn error(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        anyhow::Error::new(Self {
            message: message.into(),
            hint: hint.into(),
        })
    }
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Hinted {}

/// Ctrl-C came before it was done: what is missing.
#[derive(Debug)]
pub(crate) struct Interrupted(pub(crate) String);

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Interrupted {}

/// Returns what the person can do about an error.
pub(crate) fn of(error: &anyhow::Error) -> Option<String> {
    if let Some(hinted) = error.downcast_ref::<Hinted>() {
        return Some(hinted.hint.clone());
    }
    if let Some(error) = error.downcast_ref::<ModelError>() {
        return Some(error.hint().to_owned());
    }
    if let Some(error) = error.downcast_ref::<EmbedError>() {
        return Some(model_hint(error));
    }
    if let Some(error) = error.downcast_ref::<kenning_curate::Error>() {
        return match error {
            kenning_curate::Error::Engine(error) => of_engine(error),
            error => error.hint().map(str::to_owned),
        };
    }
    of_engine(error.downcast_ref::<Error>()?)
}

fn of_engine(error: &Error) -> Option<String> {
    let hint = match error {
        Error::VaultMissing { .. } => {
            "name an existing folder with `--vault PATH`; an index of one that is gone for now stays as it is, and `ken search` asks it"
                .to_owned()
        }
        Error::BadPattern { .. } => {
            "write a folder (Private) or a pattern (**/*.log), relative to the vault".to_owned()
        }
        Error::StoreMissing { .. } => "run `ken index` first".to_owned(),
        Error::StoreBusy { .. } => "wait for the other `ken index` to finish and try again".to_owned(),
        Error::StoreOutdated { .. } => "run `ken index`; it rebuilds the index".to_owned(),
        Error::StoreNewer { .. } => {
            "use the newer version of ken; this one would have to make the index anew, for everybody".to_owned()
        }
        error if is_refused(error) => {
            "see whether role, password and database in the address are right, and what the role may do; one that may only read asks with \
             `--no-update`; see docs/postgres.md"
                .to_owned()
        }
        Error::StoreForeign { path, .. } => format!(
            "choose another file with `--store FILE`, or move {} away; it is never overwritten",
            path.display()
        ),
        Error::StoreOfAnother { .. } => {
            "choose another file with `--store FILE`, or make it anew with `ken index --full`"
                .to_owned()
        }
        Error::StoreFilled { .. } => {
            "name another place, or give up what is there with `--force`".to_owned()
        }
        Error::StoreCorrupt { .. } => {
            "run `ken index`; it puts the damaged file aside and makes a new one from the notes"
                .to_owned()
        }
        Error::StoreUnreachable { .. } => {
            "see whether the server runs, and whether the address in `--store`, `KEN_STORE` or the settings is right; see docs/postgres.md"
                .to_owned()
        }
        Error::StoreFull { .. } => {
            "free some space, or put the index elsewhere with `KEN_DATA_DIR`".to_owned()
        }
        Error::ModelMismatch { .. } => {
            "run `ken index` to make the vectors anew, or choose the other model with `ken model use`"
                .to_owned()
        }
        Error::Model(error) => model_hint(error),
        Error::Io { source, .. } if source.kind() == io::ErrorKind::AlreadyExists => {
            "name a file that does not exist yet".to_owned()
        }
        Error::NotFound { .. } => "`ken search` finds the right name; paths are relative to the vault".to_owned(),
        Error::Ambiguous { candidates, .. } => format!("name one of: {}", candidates.join(", ")),
        Error::TooCostly { .. } => {
            "ask with fewer words and conditions, a simpler expression, or for less at a time"
                .to_owned()
        }
        Error::Conversations { path, trouble } => conversations(path, trouble)?,
        Error::ConversationUnknown { .. } => {
            "`ken chat list` names the conversations that there are".to_owned()
        }
        Error::BadCollection { .. } => "see docs/evaluation.md for the format".to_owned(),
        _ => return None,
    };
    Some(hint)
}

fn model_hint(error: &EmbedError) -> String {
    error.hint().unwrap_or(DEFAULT_MODEL).to_owned()
}

fn conversations(path: &Path, trouble: &ConversationsTrouble) -> Option<String> {
    let path = path.display();
    Some(match trouble {
        ConversationsTrouble::Foreign(_) => {
            format!("move {path} away; it is never overwritten")
        }
        ConversationsTrouble::Damaged(_) => format!(
            "put back the copy that `ken backup` made, without {path}-wal; or move {path} away to begin anew"
        ),
        ConversationsTrouble::Newer { .. } => "use the newer version of ken".to_owned(),
        ConversationsTrouble::Busy => "try again in a moment".to_owned(),
        ConversationsTrouble::Full => "free some space".to_owned(),
        _ => return None,
    })
}

/// Returns an error as others than the user of this machine are told it: whose an index is that was
/// mistaken for another is none of their business, nor is by which name a server did not let us in.
pub(crate) fn told(error: &anyhow::Error) -> String {
    match error.downcast_ref() {
        Some(Error::StoreOfAnother { .. }) => "the index is that of another vault".to_owned(),
        Some(error) if is_refused(error) => {
            "the server that keeps the index refuses that".to_owned()
        }
        _ => with_causes(error),
    }
}

/// Whether a server lets nobody in, or not to that.
pub(crate) fn is_refused(error: &Error) -> bool {
    matches!(error, Error::Store { source, .. } if source.is::<Refused>())
}

/// Returns an error with its causes, each told once.
pub(crate) fn with_causes(error: &anyhow::Error) -> String {
    let mut told = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !told.contains(&cause) {
            told += &format!(": {cause}");
        }
    }
    told
}

/// Whether the reader of our output has gone, which is nobody's fault.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
