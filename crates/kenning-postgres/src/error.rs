//! What the driver says, sorted by what the caller can do.

use std::error::Error as _;
use std::io::ErrorKind;
use std::path::Path;

use kenning::error::{Error, Refused};
use tokio_postgres::error::SqlState;

use crate::connection::Refusal;

/// Whether asking again, on another connection, may help: the server went away, or a copy of it was in the way.
pub(crate) fn is_lost(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        None => error.is_closed() || is_io(error),
        Some(code) => {
            code.code().starts_with("08")
                || code.code().starts_with("57P")
                || *code == SqlState::T_R_SERIALIZATION_FAILURE
        }
    }
}

fn is_io(error: &tokio_postgres::Error) -> bool {
    let source = error.source();
    source.is_some_and(|source| source.is::<std::io::Error>())
}

/// Whether the server has too little of something, such as connections or room for locks.
fn is_short(error: &tokio_postgres::Error) -> bool {
    error
        .code()
        .is_some_and(|code| code.code().starts_with("53"))
}

/// Whether two writers were in each other's way, and one of them should try again.
pub(crate) fn is_clash(error: &tokio_postgres::Error) -> bool {
    let code = error.code();
    code.is_some_and(|code| {
        *code == SqlState::T_R_DEADLOCK_DETECTED || *code == SqlState::T_R_SERIALIZATION_FAILURE
    })
}

/// Says why no host lets anybody in: what each of them says, if there are several.
pub(crate) fn refused(place: &Path, mut refusals: Vec<(&str, Refusal)>) -> Error {
    let n_hosts = refusals.len();
    refusals.retain(|(_, refusal)| !refusal.is_of_copy());
    let is_copy = refusals.len() < n_hosts;
    let only = match (n_hosts, refusals.pop()) {
        (1, Some((_, Refusal::Said(only)))) => return sorted(place, only),
        (_, last) => last,
    };
    let told = refusals.into_iter().chain(only);
    let told: Vec<String> = told
        .map(|(host, refusal)| format!("{host}: {}", refusal.told()))
        .collect();
    let reason = match (is_copy, told.join("; ")) {
        (false, told) => told,
        (true, told) if told.is_empty() => ONLY_A_COPY.to_owned(),
        (true, told) => format!("{ONLY_A_COPY} ({told})"),
    };
    Error::StoreUnreachable {
        path: place.to_owned(),
        reason,
    }
}

/// What is said where changes cannot be made.
const ONLY_A_COPY: &str = "only a copy of the server answers, which takes no changes";

impl Refusal {
    /// Whether others would not be let in either, rather than only this role.
    pub(crate) fn is_of_host(&self) -> bool {
        match self {
            Self::Said(error) => error.code().is_none() && !self.is_of_copy() || is_lost(error),
            Self::Silent | Self::Impossible(_) => true,
        }
    }

    /// Whether the host takes no changes.
    fn is_of_copy(&self) -> bool {
        let Self::Said(error) = self else {
            return false;
        };
        let source = error.source().and_then(|source| source.downcast_ref());
        source.is_some_and(|error: &std::io::Error| error.kind() == ErrorKind::PermissionDenied)
    }

    fn told(&self) -> String {
        match self {
            Self::Said(error) => reason(error),
            Self::Silent => "it says nothing".to_owned(),
            Self::Impossible(error) => format!("there is nothing to ask it with: {error}"),
        }
    }
}

/// Sorts an error. None of the driver's messages holds a password.
pub(crate) fn sorted(place: &Path, error: tokio_postgres::Error) -> Error {
    let path = place.to_owned();
    let Some(code) = error.code() else {
        let reason = reason(&error);
        // Nobody was asked yet: a password is missing, or an option makes no sense.
        let is_refused = error.to_string().starts_with("invalid configuration");
        return match is_refused {
            true => Error::Store {
                path,
                source: Refused(reason).into(),
            },
            false => Error::StoreUnreachable { path, reason },
        };
    };
    match *code {
        SqlState::LOCK_NOT_AVAILABLE => Error::StoreBusy { path },
        SqlState::DISK_FULL => Error::StoreFull { path },
        SqlState::UNDEFINED_TABLE | SqlState::INVALID_SCHEMA_NAME => Error::StoreMissing { path },
        SqlState::READ_ONLY_SQL_TRANSACTION => Error::StoreUnreachable {
            path,
            reason: ONLY_A_COPY.to_owned(),
        },
        SqlState::QUERY_CANCELED => Error::StoreUnreachable {
            path,
            reason: "the server took too long and was told to stop".to_owned(),
        },
        SqlState::INVALID_PASSWORD
        | SqlState::INVALID_AUTHORIZATION_SPECIFICATION
        | SqlState::INVALID_CATALOG_NAME
        | SqlState::INSUFFICIENT_PRIVILEGE => Error::Store {
            path,
            source: Refused(reason(&error)).into(),
        },
        _ if is_lost(&error) || is_short(&error) => Error::StoreUnreachable {
            path,
            reason: reason(&error),
        },
        _ => Error::Store {
            path,
            source: reason(&error).into(),
        },
    }
}

fn without_tls(error: &tokio_postgres::Error) -> Option<&'static str> {
    let source = error.source()?.to_string();
    source.contains("does not support TLS").then_some(
        "the server has none; sslmode=disable goes without, where the network is private by other means",
    )
}

/// What happened, with its causes.
fn reason(error: &tokio_postgres::Error) -> String {
    if let Some(error) = error.as_db_error() {
        let advice = error.hint().map(|hint| format!(" ({hint})"));
        return format!("{}{}", error.message(), advice.unwrap_or_default());
    }
    if error.is_closed() {
        return "the server went away, or fell silent, while it was asked".to_owned();
    }
    let mut reason = error.to_string();
    if let Some(hint) = without_tls(error) {
        return format!("{reason}: {hint}");
    }
    let mut source = error.source();
    while let Some(cause) = source {
        reason = format!("{reason}: {cause}");
        source = cause.source();
    }
    reason
}
