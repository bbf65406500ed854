//! The tables of a domain: made, brought up to date step by step, emptied.

use std::cmp::Ordering;
use std::time::Duration;

use kenning::error::{Error, Refused, Result};
use kenning::store::SCHEMA_VERSION;

use crate::session::{Server, Session};

/// What leads from each version of the tables to the next, from none to the first one on.
const STEPS: [&str; 1] = [include_str!("schema.sql")];
/// Marks the lock of who changes tables, among all locks of a database.
const LOCK: i32 = 0x4B45_4E53;

/// Brings the tables of a domain up to date, or makes them. One does it at a time; others wait.
pub(crate) fn prepare(server: &Server, session: &mut Session, patience: Duration) -> Result<()> {
    let done = session.whole(|session| {
        wait_at_most(session, patience)?;
        session.execute(
            "SELECT pg_advisory_xact_lock($1, hashtext($2))",
            &[&LOCK, &server.schema()],
        )?;
        // Who was given a schema needs no right to make others, and PostgreSQL asks for it even where nothing is made.
        let schema = server.schema();
        if !is_there(session, schema)? {
            session.batch(&format!("CREATE SCHEMA \"{schema}\""))?;
        }
        session.batch(&format!(
            "CREATE TABLE IF NOT EXISTS \"{schema}\".tables (version integer NOT NULL)"
        ))?;
        step_up(session)
    });
    let found = done.map_err(|error| explained(server, error))?;
    match found > STEPS.len() {
        true => Err(newer(server, found as i64, STEPS.len() as i64)),
        false => check(server, session),
    }
}

fn is_there(session: &mut Session, schema: &str) -> Result<bool, tokio_postgres::Error> {
    let found = session.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", &[&schema])?;
    Ok(!found.is_empty())
}

/// Applies the steps that are missing; returns the version that was found.
fn step_up(session: &mut Session) -> Result<usize, tokio_postgres::Error> {
    let rows = session.query("SELECT version FROM tables", &[])?;
    let found = rows.first().map_or(0, |row| row.get::<_, i32>(0)) as usize;
    if found == 0 {
        make_sure_of_vectors(session)?;
    }
    for step in STEPS.iter().skip(found) {
        session.batch(step)?;
    }
    if found < STEPS.len() {
        session.batch("DELETE FROM tables")?;
        session.execute("INSERT INTO tables VALUES ($1)", &[&(STEPS.len() as i32)])?;
    }
    if found == 0 {
        session.execute(
            "INSERT INTO identity (index_id, n_commits, content)
             VALUES (floor(random() * 9e15)::bigint, 0, $1)",
            &[&(SCHEMA_VERSION as i32)],
        )?;
    }
    Ok(found)
}

/// Only an administrator may install an extension on most servers; where it is there, nothing is asked for.
fn make_sure_of_vectors(session: &mut Session) -> Result<(), tokio_postgres::Error> {
    let found = session.query("SELECT 1 FROM pg_extension WHERE extname = 'vector'", &[])?;
    if !found.is_empty() {
        return Ok(());
    }
    // Two domains that are begun at the same time would both install it.
    session.execute("SELECT pg_advisory_xact_lock($1, 0)", &[&LOCK])?;
    session.batch("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
}

fn explained(server: &Server, error: tokio_postgres::Error) -> Error {
    let message = error.as_db_error().map(|error| error.message().to_owned());
    match message {
        Some(message) if message.contains("extension \"vector\"") => Error::Store {
            path: server.name().to_owned(),
            source: Refused(format!(
                "{message}; an administrator has to run CREATE EXTENSION vector in this database"
            ))
            .into(),
        },
        _ => server.sorted(error),
    }
}

/// Looks whether what is in the tables was made by an engine of this version. What a later one made is others' who have
/// that, and is not made anew.
pub(crate) fn check(server: &Server, session: &mut Session) -> Result<()> {
    let rows = session.query("SELECT content, version FROM identity, tables", &[]);
    let rows = rows.map_err(|error| closed(server, session, server.sorted(error)))?;
    let row = rows.first();
    let found = |column: usize| row.map_or(0, |row| i64::from(row.get::<_, i32>(column)));
    for (found, expected) in [(found(1), STEPS.len() as i64), (found(0), SCHEMA_VERSION)] {
        let path = server.name().to_owned();
        match found.cmp(&expected) {
            Ordering::Equal => {}
            Ordering::Greater => return Err(newer(server, found, expected)),
            Ordering::Less => {
                return Err(Error::StoreOutdated {
                    path,
                    found,
                    expected,
                });
            }
        }
    }
    Ok(())
}

fn newer(server: &Server, found: i64, expected: i64) -> Error {
    Error::StoreNewer {
        path: server.name().to_owned(),
        found,
        expected,
    }
}

/// Tables of a schema that the role may not use look as if they were not there, and nobody should be told to make them.
fn closed(server: &Server, session: &mut Session, error: Error) -> Error {
    let Error::StoreMissing { path } = error else {
        return error;
    };
    let schema = server.schema();
    let found = session.query(
        "SELECT 1 FROM pg_namespace WHERE nspname = $1 AND NOT has_schema_privilege(oid, 'USAGE')",
        &[&schema],
    );
    match found {
        Ok(rows) if rows.is_empty() => Error::StoreMissing { path },
        Ok(_) => Error::Store {
            path,
            source: Refused(format!("the role may not use the schema {schema}")).into(),
        },
        Err(error) => server.sorted(error),
    }
}

/// Empties what an engine of another version filled.
pub(crate) fn discard(server: &Server, patience: Duration) -> Result<()> {
    let mut session = server.writer()?;
    match check(server, &mut session) {
        Err(Error::StoreOutdated { .. }) => {}
        other => return other,
    }
    let done = session.whole(|session| {
        wait_at_most(session, patience)?;
        empty(session)?;
        session.batch("DELETE FROM text_vector")?;
        session.execute(
            "UPDATE identity SET content = $1",
            &[&(SCHEMA_VERSION as i32)],
        )?;
        moved(session)
    });
    done.map_err(|error| server.sorted(error))
}

/// Empties every table that is made from notes. Rows are deleted rather than tables cut off: whoever reads goes on with
/// what it saw.
pub(crate) fn empty(session: &mut Session) -> Result<(), tokio_postgres::Error> {
    for table in MADE_FROM_NOTES {
        session.batch(&format!("DELETE FROM {table}"))?;
    }
    session.batch("DROP INDEX IF EXISTS chunk_vector; ALTER SEQUENCE chunk_id RESTART")
}

/// The tables that are made from notes.
const MADE_FROM_NOTES: [&str; 17] = [
    "meta",
    "note",
    "note_text",
    "chunk",
    "free_chunk",
    "vector_sum",
    "note_words",
    "term",
    "posting",
    "name",
    "link",
    "masked",
    "folder",
    "attachment",
    "skipped",
    "left_out",
    "committed",
];

/// Says that the index changed. It is the last statement of a transaction: whoever changes it next waits here.
pub(crate) fn moved(session: &mut Session) -> Result<(), tokio_postgres::Error> {
    session.execute("UPDATE identity SET n_commits = n_commits + 1", &[])?;
    Ok(())
}

/// Has this transaction give up waiting for locks after a while.
pub(crate) fn wait_at_most(
    session: &mut Session,
    patience: Duration,
) -> Result<(), tokio_postgres::Error> {
    let ms = patience.as_millis().clamp(1, 600_000);
    session.batch(&format!("SET LOCAL lock_timeout = '{ms}ms'"))
}
