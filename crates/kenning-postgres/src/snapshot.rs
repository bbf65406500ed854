//! One snapshot of the index: its transaction, and what was read of its version so far.

use std::sync::{Arc, Mutex, OnceLock};

use kenning::error::{Error, Result};
use kenning::store::{Cache, ChunkRow, Meta, NoteFacts, NoteRow, VectorSum, Wanted};
use tokio_postgres::Row;

use crate::error::is_lost;
use crate::session::{Server, Session, Values, Version, locked};
use crate::words::{TermPostings, Words};

/// Bytes that stay in memory of each: postings, lists of terms, rows of notes and chunks, texts, listings of notes.
const TERM_BYTES_MAX: usize = 96 << 20;
const PREFIX_BYTES_MAX: usize = 16 << 20;
const ROW_BYTES_MAX: usize = 12 << 20;
const TEXT_BYTES_MAX: usize = 16 << 20;
const LISTING_BYTES_MAX: usize = 48 << 20;

/// A text of a note: what is searched, and the file as it stands.
pub(crate) type Text = (Vec<u8>, Option<Vec<u8>>);

/// What a process has read of one version of the index. It is shared by all snapshots of that version.
pub(crate) struct State {
    version: Version,
    pub(crate) words: OnceLock<Arc<Words>>,
    pub(crate) meta: OnceLock<Arc<Meta>>,
    pub(crate) mean: OnceLock<VectorSum>,
    pub(crate) center: OnceLock<Vec<f32>>,
    pub(crate) has_vector_index: OnceLock<bool>,
    has_terms: [OnceLock<bool>; 10],
    pub(crate) terms: Cache<String, TermPostings>,
    pub(crate) prefixes: Cache<(i16, String), Vec<String>>,
    pub(crate) notes: Cache<i64, NoteRow>,
    pub(crate) chunks: Cache<i64, ChunkRow>,
    pub(crate) texts: Cache<i64, Text>,
    pub(crate) listings: Cache<Wanted, Vec<NoteFacts>>,
}

impl State {
    fn new(version: Version) -> Self {
        let n_bytes = |terms: &Vec<String>| terms.iter().map(|term| term.len() + 24).sum();
        let of_text = |text: &Text| text.0.len() + text.1.as_ref().map_or(0, Vec::len);
        Self {
            version,
            words: OnceLock::new(),
            meta: OnceLock::new(),
            mean: OnceLock::new(),
            center: OnceLock::new(),
            has_vector_index: OnceLock::new(),
            has_terms: Default::default(),
            terms: Cache::new(TERM_BYTES_MAX, TermPostings::n_bytes),
            prefixes: Cache::new(PREFIX_BYTES_MAX, n_bytes),
            notes: Cache::new(ROW_BYTES_MAX, NoteRow::n_bytes),
            chunks: Cache::new(ROW_BYTES_MAX, ChunkRow::n_bytes),
            texts: Cache::new(TEXT_BYTES_MAX, of_text),
            listings: Cache::new(LISTING_BYTES_MAX, |listing| {
                kenning::store::listing_bytes(listing)
            }),
        }
    }

    pub(crate) fn version(&self) -> Version {
        self.version
    }

    /// Whether a field has any term, asked once.
    pub(crate) fn has_terms(
        &self,
        field: usize,
        ask: impl FnOnce() -> Result<bool>,
    ) -> Result<bool> {
        let known = &self.has_terms[field];
        match known.get() {
            Some(known) => Ok(*known),
            None => {
                let found = ask()?;
                Ok(*known.get_or_init(|| found))
            }
        }
    }
}

/// Asks once, and remembers.
pub(crate) fn once<T: Clone>(known: &OnceLock<T>, ask: impl FnOnce() -> Result<T>) -> Result<T> {
    if let Some(known) = known.get() {
        return Ok(known.clone());
    }
    let found = ask()?;
    Ok(known.get_or_init(|| found).clone())
}

/// The newest version that this process has read of.
#[derive(Default)]
pub(crate) struct States(Mutex<Option<Arc<State>>>);

impl States {
    fn of(&self, version: Version) -> Arc<State> {
        let mut newest = locked(&self.0);
        match &*newest {
            Some(state) if state.version == version => Arc::clone(state),
            _ => {
                let state = Arc::new(State::new(version));
                *newest = Some(Arc::clone(&state));
                state
            }
        }
    }
}

/// The transaction of a snapshot. It ends when a question is answered, so that the server may forget what nobody sees
/// any more, and begins again with the next question.
pub(crate) struct Link {
    pub(crate) server: Arc<Server>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    session: Option<Session>,
    /// What the question at hand has seen. Nothing else may answer the rest of it.
    version: Option<Version>,
}

impl Link {
    pub(crate) fn new(server: &Arc<Server>) -> Self {
        Self {
            server: Arc::clone(server),
            open: Mutex::default(),
        }
    }

    /// Begins a question, unless it has begun; returns what is known of the version that answers it.
    pub(crate) fn begin(&self) -> Result<Arc<State>> {
        let mut open = locked(&self.open);
        if open.version.is_none() {
            self.connect(&mut open)?;
        }
        let version = open.version.ok_or_else(|| self.moved_on())?;
        Ok(self.server.states.of(version))
    }

    /// Asks something. Where the server is gone, the rest of the question is asked of the one that took its place, if
    /// that has the same version of the index.
    pub(crate) fn query(&self, sql: &str, values: Values<'_>) -> Result<Vec<Row>> {
        let mut open = locked(&self.open);
        if open.session.is_none() {
            self.connect(&mut open)?;
        }
        match ask(&mut open, sql, values) {
            Err(Some(error)) if is_lost(&error) => {
                open.session = None;
                self.connect_anew(&mut open)?;
                ask(&mut open, sql, values)
            }
            asked => asked,
        }
        .map_err(|error| match error {
            Some(error) => {
                open.session = None;
                self.server.sorted(error)
            }
            None => self.moved_on(),
        })
    }

    /// Ends a question.
    pub(crate) fn rest(&self) {
        let mut open = locked(&self.open);
        open.version = None;
        if let Some(mut session) = open.session.take()
            && session.batch("COMMIT").is_ok()
        {
            self.server.give_back(session);
        }
    }

    fn connect(&self, open: &mut Open) -> Result<()> {
        let mut session = self.server.reader()?;
        match begin(&mut session) {
            // It may have been kept from before the server went away.
            Err(error) if is_lost(&error) => self.connect_anew(open),
            begun => self.go_on(open, session, begun),
        }
    }

    fn connect_anew(&self, open: &mut Open) -> Result<()> {
        let mut session = self.server.another_reader()?;
        let begun = begin(&mut session);
        self.go_on(open, session, begun)
    }

    fn go_on(
        &self,
        open: &mut Open,
        session: Session,
        begun: Result<Version, tokio_postgres::Error>,
    ) -> Result<()> {
        let version = begun.map_err(|error| self.server.sorted(error))?;
        if open.version.is_some_and(|seen| seen != version) {
            return Err(self.moved_on());
        }
        open.version = Some(version);
        open.session = Some(session);
        Ok(())
    }

    fn moved_on(&self) -> Error {
        Error::StoreUnreachable {
            path: self.server.name().to_owned(),
            reason:
                "the server was replaced while it was asked, and the index has changed meanwhile"
                    .to_owned(),
        }
    }
}

fn begin(session: &mut Session) -> Result<Version, tokio_postgres::Error> {
    session.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
    session.version()
}

fn ask(
    open: &mut Open,
    sql: &str,
    values: Values<'_>,
) -> Result<Vec<Row>, Option<tokio_postgres::Error>> {
    match &mut open.session {
        Some(session) => session.query(sql, values).map_err(Some),
        None => Err(None),
    }
}
