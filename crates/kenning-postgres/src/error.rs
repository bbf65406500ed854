//! What the driver says, sorted by what the caller can do.

use std::error::Error as _;
use std::path::Path;

use kenning::error::Error;
use postgres::error::SqlState;

/// Whether asking again, on another connection, may help: the server went away, or a copy of it was in the way.
pub(crate) fn is_lost(error: &postgres::Error) -> bool {
    match error.code() {
        None => error.is_closed() || is_io(error),
        Some(code) => {
            code.code().starts_with("08")
                || code.code().starts_with("57P")
                || *code == SqlState::T_R_SERIALIZATION_FAILURE
        }
    }
}

fn is_io(error: &postgres::Error) -> bool {
    let source = error.source();
    source.is_some_and(|source| source.is::<std::io::Error>())
}

/// Whether two writers were in each other's way, and one of them should try again.
pub(crate) fn is_clash(error: &postgres::Error) -> bool {
    let code = error.code();
    code.is_some_and(|code| {
        *code == SqlState::T_R_DEADLOCK_DETECTED || *code == SqlState::T_R_SERIALIZATION_FAILURE
    })
}

/// Sorts an error. None of the driver's messages holds a password.
pub(crate) fn sorted(place: &Path, error: postgres::Error) -> Error {
    let path = place.to_owned();
    let Some(code) = error.code() else {
        let reason = reason(&error);
        return Error::StoreUnreachable { path, reason };
    };
    match *code {
        SqlState::LOCK_NOT_AVAILABLE => Error::StoreBusy { path },
        SqlState::DISK_FULL => Error::StoreFull { path },
        SqlState::UNDEFINED_TABLE | SqlState::INVALID_SCHEMA_NAME => Error::StoreMissing { path },
        SqlState::READ_ONLY_SQL_TRANSACTION => Error::StoreUnreachable {
            path,
            reason: "only a copy of the server answers, which takes no changes".to_owned(),
        },
        SqlState::QUERY_CANCELED => Error::StoreUnreachable {
            path,
            reason: "the server took too long and was told to stop".to_owned(),
        },
        _ if is_lost(&error) => Error::StoreUnreachable {
            path,
            reason: reason(&error),
        },
        _ => Error::Store {
            path,
            source: reason(&error).into(),
        },
    }
}

/// What happened, with its causes.
fn reason(error: &postgres::Error) -> String {
    if let Some(error) = error.as_db_error() {
        return error.message().to_owned();
    }
    let mut reason = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        reason = format!("{reason}: {cause}");
        source = cause.source();
    }
    reason
}
