//! Who takes which note: a lock on its path, held by a connection of its own from before the file is read until the note is
//! written. A process that ends, however it ends, gives its locks back.

use std::sync::{Arc, Mutex};

use kenning::error::Result;
use kenning::store::{Claim, Claims};
use kenning::vault::Stamp;
use tokio_postgres::error::SqlState;

use crate::rows::{clean, stamp};
use crate::session::{Server, Session, locked};

/// Marks these locks among all locks of a database.
const CLAIMS: i32 = 0x4B45_4E43;
/// How long whoever has nothing else to do waits for somebody else's note before it looks up.
const WAIT: &str = "500ms";

/// The claims of one writer.
pub(super) struct PgClaims {
    server: Arc<Server>,
    session: Mutex<Session>,
}

impl PgClaims {
    pub(super) fn new(server: &Arc<Server>) -> Result<Self> {
        Ok(Self {
            server: Arc::clone(server),
            session: server.writer()?.into(),
        })
    }

    fn claim(
        &self,
        session: &mut Session,
        files: &[(&str, Stamp)],
        waits: bool,
    ) -> Result<Vec<Claim>, tokio_postgres::Error> {
        let schema = self.server.schema();
        let paths: Vec<String> = files.iter().map(|(path, _)| clean(path)).collect();
        if let (Some(first), true) = (paths.first(), waits) {
            wait_for(session, schema, first)?;
        }
        let rows = session.query(
            "SELECT pg_try_advisory_lock($1, hashtext($2 || '/' || path)) FROM unnest($3::text[])
             WITH ORDINALITY AS asked (path, place) ORDER BY place",
            &[&CLAIMS, &schema, &paths],
        )?;
        let mut claims: Vec<Claim> = (rows.iter())
            .map(|row| match row.get(0) {
                true => Claim::Own,
                false => Claim::Others,
            })
            .collect();
        // Only now: what was done before the lock was free is seen.
        let stamps = stamps(session, &paths)?;
        let mut done = Vec::new();
        for (index, known) in stamps.into_iter().enumerate() {
            if claims[index] == Claim::Own && known == Some(files[index].1) {
                claims[index] = Claim::Done;
                done.push(paths[index].clone());
            }
        }
        unlock(session, schema, &done)?;
        Ok(claims)
    }
}

impl Claims for PgClaims {
    fn take(&self, files: &[(&str, Stamp)], waits: bool) -> Result<Vec<Claim>> {
        let claimed = self.claim(&mut locked(&self.session), files, waits);
        claimed.map_err(|error| self.server.sorted(error))
    }

    fn release(&self, paths: &[&str]) -> Result<()> {
        let paths: Vec<String> = paths.iter().map(|path| clean(path)).collect();
        let released = unlock(&mut locked(&self.session), self.server.schema(), &paths);
        released.map_err(|error| self.server.sorted(error))
    }
}

/// Waits a while until nobody is at a note.
fn wait_for(session: &mut Session, schema: &str, path: &str) -> Result<(), tokio_postgres::Error> {
    session.batch(&format!("SET lock_timeout = '{WAIT}'"))?;
    let waited = session.execute(
        "SELECT pg_advisory_lock($1, hashtext($2 || '/' || $3))",
        &[&CLAIMS, &schema, &path],
    );
    session.batch("SET lock_timeout = 0")?;
    match waited {
        Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => Ok(()),
        Err(error) => Err(error),
        Ok(_) => unlock(session, schema, &[path.to_owned()]),
    }
}

/// Reads how files looked that are in the index.
fn stamps(
    session: &mut Session,
    paths: &[String],
) -> Result<Vec<Option<Stamp>>, tokio_postgres::Error> {
    let rows = session.query(
        "SELECT size, mtime_ns, inode, ctime_ns FROM unnest($1::text[]) WITH ORDINALITY AS asked (path, place)
         LEFT JOIN note USING (path) ORDER BY place",
        &[&paths],
    )?;
    let known = |row: &tokio_postgres::Row| {
        let is_known = row.get::<_, Option<i64>>(0).is_some();
        is_known.then(|| stamp(row, 0))
    };
    Ok(rows.iter().map(known).collect())
}

fn unlock(
    session: &mut Session,
    schema: &str,
    paths: &[String],
) -> Result<(), tokio_postgres::Error> {
    if paths.is_empty() {
        return Ok(());
    }
    session.execute(
        "SELECT pg_advisory_unlock($1, hashtext($2 || '/' || path)) FROM unnest($3::text[]) AS path",
        &[&CLAIMS, &schema, &paths],
    )?;
    Ok(())
}
