//! A writer of the index. There may be several at once: each batch of notes is one transaction, and what stands in the
//! way of two at the same note is a lock on its path. Who makes all of an index anew is alone, and so is who begins one.

mod claims;
mod inventory;
mod locks;
mod note;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use kenning::embed::{ModelId, PassageKey};
use kenning::error::Result;
use kenning::store::{
    ChangedGraph, ChunkId, Claims, Coder, DATE_FROM_FILE, Encoded, Encoder, Inventory, LinkTarget,
    Meta, NoteId, NoteStanding, Stamps, VectorSum, Writes, columns, packed_text_vector,
};
use kenning::vault::Stamp;
use rustc_hash::FxHashSet;

use crate::error::is_clash;
use crate::rows::{clean, digest, stamp};
use crate::schema::{self, moved, wait_at_most};
use crate::session::{Server, Session, locked};
use crate::vectors::{self, floats, text_of};
use claims::PgClaims;

/// How often a batch is tried that another writer was in the way of.
const TRIES: usize = 5;
/// Terms that a writer remembers to have listed.
const TERMS_KNOWN_MAX: usize = 1 << 20;
/// Changes of the sum of vectors that are left to be added up.
const SUMS_MAX: i64 = 64;

/// Whom the index is shared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    /// Other writers, too.
    Shared,
    /// Nobody, until the first note is written: two who find an index empty must not both begin it.
    Begun,
    /// Nobody, and everything is one transaction.
    Whole,
}

/// One writer.
pub(crate) struct PgWriter {
    server: Arc<Server>,
    /// Behind a lock because asking changes a connection.
    session: std::sync::Mutex<Session>,
    patience: Duration,
    /// Terms that are listed, by field.
    terms: BTreeSet<(i16, String)>,
    is_graph_outdated: bool,
    is_changed: bool,
    hold: Hold,
}

impl PgWriter {
    pub(crate) fn open(server: &Arc<Server>, patience: Duration) -> Result<Self> {
        let mut session = server.writer()?;
        schema::prepare(server, &mut session, patience)?;
        // What was just installed lies in a schema that was not known before.
        let mut session = server.writer()?;
        let hold = locks::enter(&mut session, server.schema(), patience);
        let hold = hold.map_err(|error| server.sorted(error))?;
        Ok(Self {
            server: Arc::clone(server),
            session: session.into(),
            patience,
            terms: BTreeSet::new(),
            is_graph_outdated: false,
            is_changed: false,
            hold,
        })
    }

    /// Lets other writers in.
    fn share(&mut self) -> Result<()> {
        if self.hold == Hold::Begun {
            let schema = self.server.schema().to_owned();
            self.sql(|session| locks::share(session, &schema))?;
            self.hold = Hold::Shared;
        }
        Ok(())
    }

    fn sql<T>(
        &self,
        run: impl FnOnce(&mut Session) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T> {
        run(&mut locked(&self.session)).map_err(|error| self.server.sorted(error))
    }

    /// Changes something in a transaction of its own, which moves the version of the index.
    fn change<T>(
        &mut self,
        mut run: impl FnMut(&mut Session) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T> {
        self.is_changed = true;
        let patience = self.patience;
        let mut session = locked(&self.session);
        if self.hold == Hold::Whole {
            return run(&mut session).map_err(|error| self.server.sorted(error));
        }
        let mut tries = 0;
        loop {
            tries += 1;
            let done = session.whole(|session| {
                wait_at_most(session, patience.max(Duration::from_secs(1)))?;
                let done = run(session)?;
                moved(session)?;
                Ok(done)
            });
            match done {
                Err(error) if is_clash(&error) && tries < TRIES => {}
                done => return done.map_err(|error| self.server.sorted(error)),
            }
        }
    }

    /// Lists terms before the notes that hold them: what is listed in vain does no harm, and two writers that list
    /// the same wait for each other only as long as this takes.
    fn list_terms(&mut self, terms: Vec<(i16, String)>) -> Result<()> {
        let mut missing: Vec<(i16, String)> = terms;
        missing.retain(|term| !self.terms.contains(term));
        missing.sort_unstable();
        missing.dedup();
        let fields: Vec<i16> = missing.iter().map(|(field, _)| *field).collect();
        let names: Vec<&str> = missing.iter().map(|(_, term)| term.as_str()).collect();
        self.sql(|session| {
            session.execute(
                "INSERT INTO term (field, term) SELECT * FROM unnest($1::smallint[], $2::text[])
                 ON CONFLICT DO NOTHING",
                &[&fields, &names],
            )
        })?;
        if self.terms.len() > TERMS_KNOWN_MAX {
            self.terms.clear();
        }
        self.terms.extend(missing);
        Ok(())
    }

    /// The domain whose notes are locked one by one, unless nobody else is there.
    fn locked_domain(&self) -> Option<String> {
        (self.hold == Hold::Shared).then(|| self.server.schema().to_owned())
    }

    fn center(&self) -> Result<Vec<f32>> {
        let rows = self.sql(|session| {
            session.query("SELECT bytes FROM meta WHERE key = 'code_center'", &[])
        })?;
        let bytes: Vec<u8> = rows.first().and_then(|row| row.get(0)).unwrap_or_default();
        Ok(floats(&bytes))
    }
}

/// Notes a fact down.
fn set_fact(session: &mut Session, key: &str, value: &str) -> Result<(), tokio_postgres::Error> {
    session.execute(
        "INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        &[&key, &clean(value)],
    )?;
    Ok(())
}

fn set_center(session: &mut Session, center: &[f32]) -> Result<(), tokio_postgres::Error> {
    let bytes: Vec<u8> = center.iter().flat_map(|x| x.to_le_bytes()).collect();
    session.execute(
        "INSERT INTO meta (key, bytes) VALUES ('code_center', $1)
         ON CONFLICT (key) DO UPDATE SET bytes = excluded.bytes",
        &[&bytes],
    )?;
    Ok(())
}

/// Adds a change to the sum of all vectors.
fn add_sum(session: &mut Session, sum: &VectorSum) -> Result<(), tokio_postgres::Error> {
    if !sum.is_empty() {
        session.execute(
            "INSERT INTO vector_sum (data) VALUES ($1)",
            &[&sum.to_bytes()],
        )?;
    }
    Ok(())
}

impl Writes for PgWriter {
    fn check_pages(&self) -> Result<()> {
        // The server has sums of its own over its pages.
        Ok(())
    }

    fn meta(&self) -> Result<Meta> {
        let rows = self.sql(|session| {
            session.query("SELECT key, value FROM meta WHERE value IS NOT NULL", &[])
        })?;
        Ok(Meta::of(
            rows.iter().map(|row| (row.get(0), row.get(1))).collect(),
        ))
    }

    fn encoder(&self) -> Result<Encoder> {
        Ok(Encoder::plain(
            self.server.name().to_owned(),
            self.center()?,
        ))
    }

    fn claims(&mut self) -> Result<Option<Box<dyn Claims>>> {
        if self.hold == Hold::Whole {
            return Ok(None);
        }
        self.share()?;
        Ok(Some(Box::new(PgClaims::new(&self.server)?)))
    }

    fn known(&self, path: Option<&str>) -> Result<Stamps> {
        let columns = "SELECT path, size, mtime_ns, inode, ctime_ns, hash FROM note";
        let rows = self.sql(|session| match path {
            Some(path) => session.query(&format!("{columns} WHERE path = $1"), &[&clean(path)]),
            None => session.query(columns, &[]),
        })?;
        let known = rows
            .iter()
            .map(|row| (row.get(0), (stamp(row, 1), digest(row, 5))));
        Ok(known.collect())
    }

    fn committed(&self) -> Result<HashMap<String, String>> {
        let rows = self.sql(|session| session.query("SELECT path, day FROM committed", &[]))?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    fn changed_graph(&self) -> Result<Option<ChangedGraph>> {
        if !self.is_graph_outdated {
            return Ok(None);
        }
        let id = |row: &tokio_postgres::Row| NoteId::new(i64::from(row.get::<_, i32>(0)));
        let (notes, links) = self.sql(|session| {
            let notes = session.query("SELECT id, path FROM note ORDER BY path", &[])?;
            let links = session.query(
                "SELECT source, target, shown FROM link WHERE target <> '' ORDER BY source, id",
                &[],
            )?;
            Ok((notes, links))
        })?;
        let link = |row: &tokio_postgres::Row| LinkTarget {
            source: id(row),
            target: row.get::<_, &str>(1).into(),
            shown: row.get::<_, Option<&str>>(2).map(Into::into),
        };
        Ok(Some(ChangedGraph {
            notes: notes.iter().map(|row| (id(row), row.get(1))).collect(),
            links: links.iter().map(link).collect(),
        }))
    }

    fn set_graph(&mut self, standings: &[NoteStanding]) -> Result<()> {
        self.is_graph_outdated = false;
        let ids: Vec<i32> = standings
            .iter()
            .map(|own| own.note.number() as i32)
            .collect();
        let pageranks: Vec<Option<f32>> = standings.iter().map(|own| own.pagerank).collect();
        let centralities: Vec<Option<f32>> = standings.iter().map(|own| own.centrality).collect();
        let neighbours: Vec<i32> = standings
            .iter()
            .map(|own| own.n_neighbours as i32)
            .collect();
        let anchors = standings.iter().map(|own| columns::list(&own.anchor_texts));
        let anchors: Vec<Option<String>> =
            anchors.map(|list| list.map(|list| clean(&list))).collect();
        let links: Vec<Option<Vec<u8>>> = standings
            .iter()
            .map(|own| columns::keys(&own.links_to))
            .collect();
        self.change(|session| {
            session.execute(
                "UPDATE note SET pagerank = s.pagerank, centrality = s.centrality, n_neighbours = s.n_neighbours,
                    anchor_texts = s.anchor_texts, links_to = s.links_to
                 FROM unnest($1::integer[], $2::real[], $3::real[], $4::integer[], $5::text[], $6::bytea[])
                    AS s (id, pagerank, centrality, n_neighbours, anchor_texts, links_to)
                 WHERE note.id = s.id AND (note.pagerank, note.centrality, note.n_neighbours, note.anchor_texts,
                    note.links_to) IS DISTINCT FROM (s.pagerank, s.centrality, s.n_neighbours, s.anchor_texts,
                    s.links_to)",
                &[&ids, &pageranks, &centralities, &neighbours, &anchors, &links],
            )
        })?;
        Ok(())
    }

    fn set_inventory(&mut self, inventory: &Inventory<'_>) -> Result<()> {
        self.change(|session| inventory::set(session, inventory))
    }

    fn begin_whole(&mut self) -> Result<()> {
        let (schema, patience) = (self.server.schema().to_owned(), self.patience);
        if self.hold == Hold::Shared {
            self.sql(|session| locks::take_over(session, &schema, patience))?;
        }
        self.hold = Hold::Begun;
        self.sql(|session| {
            // Without a transaction, or whoever asks would wait until the end of it. Passages are compared one by one
            // until it is made anew.
            session.batch("DROP INDEX CONCURRENTLY IF EXISTS chunk_vector")?;
            session.batch("BEGIN")
        })?;
        self.hold = Hold::Whole;
        Ok(())
    }

    fn reset(&mut self, model: &ModelId, center: &[f32], _: &[String]) -> Result<()> {
        self.terms.clear();
        let (schema, patience) = (self.server.schema().to_owned(), self.patience);
        if self.hold == Hold::Shared {
            self.sql(|session| locks::take_over(session, &schema, patience))?;
            self.hold = Hold::Begun;
        }
        self.change(|session| {
            schema::empty(session)?;
            set_fact(session, "model_name", &model.name)?;
            set_fact(session, "model_revision", &model.revision)?;
            set_fact(session, "model_dimensions", &model.dimensions.to_string())?;
            set_center(session, center)
        })
    }

    fn relearn(&mut self, _: &[String]) -> Result<()> {
        // Texts are kept as they are; the server packs them by itself.
        Ok(())
    }

    fn set_fact(&mut self, key: &str, value: Option<&str>) -> Result<()> {
        match value {
            Some(value) => self.change(|session| set_fact(session, key, value)),
            None => {
                let rows = self
                    .sql(|session| session.query("SELECT 1 FROM meta WHERE key = $1", &[&key]))?;
                match rows.is_empty() {
                    true => Ok(()),
                    false => self.change(|session| {
                        session
                            .execute("DELETE FROM meta WHERE key = $1", &[&key])
                            .map(drop)
                    }),
                }
            }
        }
    }

    fn put(&mut self, encoded: Encoded) -> Result<()> {
        if encoded.notes.is_empty() {
            return Ok(());
        }
        self.share()?;
        let batch = note::Batch::of(&encoded.notes, &Coder::new(self.center()?));
        self.list_terms(batch.listed_terms())?;
        let domain = self.locked_domain();
        let is_same = self.change(|session| batch.write(session, domain.as_deref()))?;
        self.is_graph_outdated |= !is_same;
        Ok(())
    }

    fn put_vectors(
        &mut self,
        chunks: &[ChunkId],
        rows: &mut dyn Iterator<Item = &[f32]>,
    ) -> Result<()> {
        let coder = Coder::new(self.center()?);
        let mut sum = VectorSum::default();
        let (mut ids, mut scales, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for (chunk, vector) in chunks.iter().zip(rows) {
            let (mut code, mut row) = (Vec::new(), Vec::new());
            coder.push(vector, &mut code, &mut row);
            let (scale, values) = coder.unpacked(&code, &row);
            sum.count_values(scale, &values, 1);
            ids.push(chunk.number() as i32);
            scales.push(scale);
            texts.push(text_of(
                values.iter().map(|value| f32::from(*value) * scale),
            ));
        }
        self.change(|session| {
            session.execute(
                "UPDATE chunk SET scale = s.scale, vector = s.vector::halfvec
                 FROM unnest($1::integer[], $2::real[], $3::text[]) AS s (id, scale, vector) WHERE chunk.id = s.id",
                &[&ids, &scales, &texts],
            )?;
            add_sum(session, &sum)
        })
    }

    fn set_center(&mut self, center: &[f32]) -> Result<()> {
        self.change(|session| set_center(session, center))
    }

    fn touch(&mut self, path: &str, stamp: Stamp, date: Option<&str>) -> Result<()> {
        self.change(|session| {
            session
                .execute(
                    "UPDATE note SET size = $2, mtime_ns = $3, inode = $4, ctime_ns = $7,
                        date = CASE WHEN coalesce(date_source, $6) = $6 THEN $5 ELSE date END,
                        date_source = coalesce(date_source, $6)
                     WHERE path = $1",
                    &[
                        &clean(path),
                        &(stamp.size as i64),
                        &stamp.mtime_ns,
                        &(stamp.inode as i64),
                        &date,
                        &DATE_FROM_FILE,
                        &stamp.ctime_ns,
                    ],
                )
                .map(drop)
        })
    }

    fn remove(&mut self, path: &str) -> Result<()> {
        let domain = self.locked_domain();
        let path = clean(path);
        let is_gone = self.change(|session| note::remove(session, domain.as_deref(), &path))?;
        self.is_graph_outdated |= is_gone;
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn put_text_vectors(&mut self, vectors: &[(PassageKey, Vec<f32>)]) -> Result<()> {
        if vectors.is_empty() {
            return Ok(());
        }
        let keys: Vec<&[u8]> = vectors.iter().map(|(key, _)| &key.0[..]).collect();
        let data: Vec<Vec<u8>> = vectors
            .iter()
            .map(|(_, vector)| packed_text_vector(vector))
            .collect();
        self.change(|session| {
            session
                .execute(
                    "INSERT INTO text_vector (key, data) SELECT DISTINCT ON (key) key, data
                     FROM unnest($1::bytea[], $2::bytea[]) AS s (key, data) ORDER BY key
                     ON CONFLICT (key) DO UPDATE SET data = excluded.data",
                    &[&keys, &data],
                )
                .map(drop)
        })
    }

    fn keep_text_vectors(&mut self, used: &FxHashSet<PassageKey>) -> Result<usize> {
        let keys: Vec<&[u8]> = used.iter().map(|key| &key.0[..]).collect();
        let removed = self.change(|session| {
            session.execute("DELETE FROM text_vector WHERE key <> ALL ($1)", &[&keys])
        })?;
        Ok(removed as usize)
    }

    fn abandon(self: Box<Self>) -> Result<()> {
        // Otherwise each batch is whole; those that were written stay, and the next run goes on from there.
        match self.hold {
            Hold::Whole => self.sql(|session| {
                session.batch("ROLLBACK")?;
                vectors::make_index(session)
            }),
            _ => Ok(()),
        }
    }

    fn commit(&mut self, now: i64) -> Result<()> {
        self.share()?;
        if !std::mem::take(&mut self.is_changed) && self.hold != Hold::Whole {
            return Ok(());
        }
        self.change(|session| {
            // One counts at a time: what another writer adds meanwhile, that one counts.
            session.execute("SELECT 1 FROM identity FOR UPDATE", &[])?;
            let languages = session.query(
                "SELECT language, count(*) FROM note GROUP BY language ORDER BY 2 DESC, 1",
                &[],
            )?;
            let languages: Vec<(String, i64)> = languages
                .iter()
                .map(|row| (row.get(0), row.get(1)))
                .collect();
            set_fact(
                session,
                "languages",
                &serde_json::json!(languages).to_string(),
            )?;
            set_fact(session, "changed_at", &now.to_string())?;
            for (key, table) in [
                ("n_notes", "note"),
                ("n_chunks", "chunk"),
                ("n_links", "link"),
            ] {
                let rows = session.query(&format!("SELECT count(*) FROM {table}"), &[])?;
                set_fact(session, key, &rows[0].get::<_, i64>(0).to_string())?;
            }
            add_up(session)
        })?;
        if self.hold == Hold::Whole {
            self.sql(|session| {
                moved(session)?;
                session.batch("COMMIT")
            })?;
            self.hold = Hold::Begun;
            self.share()?;
        }
        self.is_changed = false;
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.sql(|session| {
            session.batch("ANALYZE note, chunk, posting, note_words, term")?;
            vectors::make_index(session)
        })
    }
}

/// Adds up the changes of the sum of vectors, once they are many.
fn add_up(session: &mut Session) -> Result<(), tokio_postgres::Error> {
    let rows = session.query("SELECT count(*) FROM vector_sum", &[])?;
    if rows[0].get::<_, i64>(0) <= SUMS_MAX {
        return Ok(());
    }
    let rows = session.query("DELETE FROM vector_sum RETURNING data", &[])?;
    add_sum(session, &vectors::added(&rows))
}
