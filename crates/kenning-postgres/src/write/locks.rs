//! The lock of an index as a whole. Writers share it; whoever empties it, or makes all of it anew, has it alone. It
//! belongs to a connection, and goes with it.

use std::time::Duration;

use super::Hold;
use crate::session::Session;

/// Marks these locks among all locks of a database.
const WRITERS: i32 = 0x4B45_4E57;

/// About how long it takes until somebody who was in the way is gone.
const TRY_MS: u128 = 10;

/// Becomes one of the writers; whoever has the index alone is waited for. Where it was never filled, one has it alone to
/// begin it, and nobody else waits for the same: it is let in as soon as there is something to share.
pub(super) fn enter(
    session: &mut Session,
    schema: &str,
    patience: Duration,
) -> Result<Hold, tokio_postgres::Error> {
    let n_tries = patience.as_millis() / TRY_MS;
    for _ in 0..=n_tries {
        take(session, schema, "pg_advisory_lock_shared", patience)?;
        if is_filled(session)? {
            return Ok(Hold::Shared);
        }
        ask(session, schema, "pg_advisory_unlock_shared")?;
        if is_taken(session, schema)? {
            return begun_or_shared(session, schema);
        }
        // Two who stand in each other's way do not come back at the same time.
        session.batch(&format!("SELECT pg_sleep(random() * {TRY_MS} / 500)"))?;
    }
    take(session, schema, "pg_advisory_lock", patience)?;
    begun_or_shared(session, schema)
}

/// Looks once more, now that nobody can begin it.
fn begun_or_shared(session: &mut Session, schema: &str) -> Result<Hold, tokio_postgres::Error> {
    if !is_filled(session)? {
        return Ok(Hold::Begun);
    }
    share(session, schema)?;
    Ok(Hold::Shared)
}

/// Has the index alone, if nobody else is there.
fn is_taken(session: &mut Session, schema: &str) -> Result<bool, tokio_postgres::Error> {
    let sql = "SELECT pg_try_advisory_lock($1, hashtext($2))";
    let rows = session.query(sql, &[&WRITERS, &schema])?;
    Ok(rows.iter().any(|row| row.get(0)))
}

/// Has the index alone, once the others are gone. Where they stay, it is shared as before.
pub(super) fn take_over(
    session: &mut Session,
    schema: &str,
    patience: Duration,
) -> Result<(), tokio_postgres::Error> {
    ask(session, schema, "pg_advisory_unlock_shared")?;
    let taken = take(session, schema, "pg_advisory_lock", patience);
    if taken.is_err() {
        take(session, schema, "pg_advisory_lock_shared", patience)?;
    }
    taken
}

/// Lets others in, without anybody who would have it alone between.
pub(super) fn share(session: &mut Session, schema: &str) -> Result<(), tokio_postgres::Error> {
    ask(session, schema, "pg_advisory_lock_shared")?;
    ask(session, schema, "pg_advisory_unlock")
}

fn is_filled(session: &mut Session) -> Result<bool, tokio_postgres::Error> {
    let rows = session.query("SELECT 1 FROM meta WHERE key = 'model_name'", &[])?;
    Ok(!rows.is_empty())
}

fn take(
    session: &mut Session,
    schema: &str,
    lock: &str,
    patience: Duration,
) -> Result<(), tokio_postgres::Error> {
    let ms = patience.as_millis().clamp(1, 600_000);
    session.batch(&format!("SET lock_timeout = '{ms}ms'"))?;
    let taken = ask(session, schema, lock);
    session.batch("SET lock_timeout = 0")?;
    taken
}

fn ask(session: &mut Session, schema: &str, what: &str) -> Result<(), tokio_postgres::Error> {
    let sql = format!("SELECT {what}($1, hashtext($2))");
    session.execute(&sql, &[&WRITERS, &schema]).map(drop)
}
