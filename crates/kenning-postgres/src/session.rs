//! Connections to the servers of an index: made, kept for the next question, and made anew when a server goes away.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use kenning::error::{Error, Result};
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Statement};

use crate::address::{Address, Host};
use crate::connection::{Connection, Door, Refusal};
use crate::error;
use crate::tls::Tls;

/// How long one statement of a question may take.
const QUESTION_TIMEOUT: &str = "30s";
/// How long one statement of a writer may take: an index over all vectors is made in one.
const WRITE_TIMEOUT: &str = "1h";
/// After this long a connection is made anew, so that a server that came back is used again.
const AGE_MAX: Duration = Duration::from_secs(60);
/// How long it is remembered that no host lets anybody in: everybody who waits in turn would try each of them again.
const REFUSAL_MAX: Duration = Duration::from_secs(1);
/// Neighbours that the index over vectors looks at: twice as many as a question wants. A filter makes it go on.
const NEIGHBOURS_LOOKED_AT: u32 = 400;
/// Connections that are kept for the next question.
const KEPT_MAX: usize = 32;

/// Which index it is, and how often it was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) index: u64,
    pub(crate) n_commits: i64,
}

/// The servers that hold an index.
pub(crate) struct Server {
    address: Address,
    tls: Tls,
    idle: Mutex<Vec<Session>>,
    /// When each host let nobody in: it is asked last for a while.
    closed: Mutex<Vec<Option<Instant>>>,
    /// When no host let anybody in, and why.
    refused: Mutex<Option<(Instant, String)>>,
    pub(crate) states: crate::snapshot::States,
}

impl Server {
    pub(crate) fn new(address: Address) -> Result<Self> {
        let tls = Tls::new(address.root_certificate.as_deref())
            .map_err(|error| Error::io(address.name(), error))?;
        Ok(Self {
            closed: Mutex::new(vec![None; address.hosts.len()]),
            address,
            tls,
            idle: Mutex::default(),
            refused: Mutex::default(),
            states: crate::snapshot::States::default(),
        })
    }

    pub(crate) fn name(&self) -> &Path {
        self.address.name()
    }

    pub(crate) fn schema(&self) -> &str {
        &self.address.schema
    }

    pub(crate) fn sorted(&self, error: tokio_postgres::Error) -> Error {
        error::sorted(self.name(), error)
    }

    /// Returns a connection to ask, to whichever host answers.
    pub(crate) fn reader(&self) -> Result<Session> {
        let kept = locked(&self.idle).pop();
        match kept {
            Some(session) if session.is_usable() => Ok(session),
            _ => self.connect_reader(),
        }
    }

    /// Makes a connection to ask, where one broke off that was kept: the others lead to the same host, and would keep
    /// whoever asks next waiting.
    pub(crate) fn another_reader(&self) -> Result<Session> {
        locked(&self.idle).clear();
        self.connect_reader()
    }

    fn connect_reader(&self) -> Result<Session> {
        // What else is kept is of the same host, and as old.
        locked(&self.idle).retain(Session::is_usable);
        let refused = locked(&self.refused).clone();
        match refused {
            Some((at, reason)) if at.elapsed() < REFUSAL_MAX => Err(Error::StoreUnreachable {
                path: self.name().to_owned(),
                reason,
            }),
            _ => self.connect(TargetSessionAttrs::Any, QUESTION_TIMEOUT),
        }
    }

    /// Makes a connection to the host that takes changes.
    pub(crate) fn writer(&self) -> Result<Session> {
        self.connect(TargetSessionAttrs::ReadWrite, WRITE_TIMEOUT)
    }

    /// Asks one host after the other, those that let somebody in before first.
    fn connect(&self, wanted: TargetSessionAttrs, timeout: &str) -> Result<Session> {
        let mut order: Vec<usize> = (0..self.address.hosts.len()).collect();
        let closed = locked(&self.closed).clone();
        order.sort_by_key(|&host| closed[host].is_some_and(|at| at.elapsed() < AGE_MAX));
        let mut refusals = Vec::new();
        for index in order {
            let host = &self.address.hosts[index];
            let opened = self.open(host, wanted, timeout);
            let is_closed = opened.as_ref().is_err_and(Refusal::is_of_host);
            locked(&self.closed)[index] = is_closed.then(Instant::now);
            match opened {
                Ok(session) => return Ok(session),
                Err(refusal) => refusals.push((host.name.as_str(), refusal)),
            }
        }
        let error = error::refused(self.name(), refusals);
        if let (Error::StoreUnreachable { reason, .. }, TargetSessionAttrs::Any) = (&error, wanted)
        {
            *locked(&self.refused) = Some((Instant::now(), reason.clone()));
        }
        Err(error)
    }

    fn open(
        &self,
        host: &Host,
        wanted: TargetSessionAttrs,
        timeout: &str,
    ) -> Result<Session, Refusal> {
        let mut config = host.config.clone();
        config.target_session_attrs(wanted);
        let door = Door {
            config,
            tls: self.tls.clone(),
            limit: self.address.limit,
        };
        let mut session = Session {
            connection: Connection::open(&door)?,
            statements: HashMap::new(),
            born: Instant::now(),
        };
        let prepared = session.prepare_for(&self.address.schema, timeout);
        prepared.map_err(Refusal::Said)?;
        Ok(session)
    }

    /// Keeps a connection that is between two questions.
    pub(crate) fn give_back(&self, session: Session) {
        let mut idle = locked(&self.idle);
        if session.is_usable() && idle.len() < KEPT_MAX {
            idle.push(session);
        }
    }
}

/// One connection, and the statements that it knows.
pub(crate) struct Session {
    connection: Connection,
    statements: HashMap<String, Statement>,
    born: Instant,
}

/// What a statement is given.
pub(crate) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

impl Session {
    fn is_usable(&self) -> bool {
        !self.connection.is_closed() && self.born.elapsed() < AGE_MAX
    }

    /// Names the schema of the domain, and that of pgvector, and nothing else: what a statement does not find
    /// there, it does not find.
    fn prepare_for(&mut self, schema: &str, timeout: &str) -> Result<(), tokio_postgres::Error> {
        let place = "SELECT quote_ident(n.nspname) FROM pg_extension e
             JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'";
        let found = self.connection.run(|client| client.query_opt(place, &[]))?;
        let beside = found.map_or_else(|| "public".to_owned(), |row| row.get(0));
        self.batch(&format!(
            "SET search_path = \"{schema}\", {beside}; SET statement_timeout = '{timeout}';
             SET idle_in_transaction_session_timeout = '1h'; SET jit = off;
             SET hnsw.ef_search = {NEIGHBOURS_LOOKED_AT}; SET hnsw.iterative_scan = 'relaxed_order'"
        ))
    }

    fn statement(&mut self, sql: &str) -> Result<Statement, tokio_postgres::Error> {
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        let statement = self.connection.run(|client| client.prepare(sql))?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    pub(crate) fn query(
        &mut self,
        sql: &str,
        values: Values<'_>,
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        let statement = self.statement(sql)?;
        self.connection
            .run(|client| client.query(&statement, values))
    }

    pub(crate) fn execute(
        &mut self,
        sql: &str,
        values: Values<'_>,
    ) -> Result<u64, tokio_postgres::Error> {
        let statement = self.statement(sql)?;
        self.connection
            .run(|client| client.execute(&statement, values))
    }

    pub(crate) fn batch(&mut self, sql: &str) -> Result<(), tokio_postgres::Error> {
        self.connection.run(|client| client.batch_execute(sql))
    }

    /// Reads which index it is, and how often it was changed.
    pub(crate) fn version(&mut self) -> Result<Version, tokio_postgres::Error> {
        let rows = self.query("SELECT index_id, n_commits FROM identity", &[])?;
        let row = rows.first();
        Ok(Version {
            index: row.map_or(0, |row| row.get::<_, i64>(0) as u64),
            n_commits: row.map_or(0, |row| row.get(1)),
        })
    }

    /// Runs some statements as one transaction.
    pub(crate) fn whole<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, tokio_postgres::Error> {
        self.batch("BEGIN")?;
        match run(self) {
            Ok(done) => {
                self.batch("COMMIT")?;
                Ok(done)
            }
            Err(error) => {
                // What failed is told; a connection that is gone has nothing to take back.
                let _ = self.batch("ROLLBACK");
                Err(error)
            }
        }
    }
}

/// A panic elsewhere does not spoil what is behind the lock.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
