//! The one writer of an index file: rows, vectors and the word index, in one transaction per batch.
//!
//! What the changes mean is told where they are asked for: `store/write.rs`.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::{Connection, params};
use rustc_hash::FxHashSet;
use tantivy::indexer::UserOperation;

use crate::embed::{ModelId, PassageKey};
use crate::error::{Error, Result};
use crate::store::encode::{Encoded, EncodedNote, Encoder};
use crate::store::file::{self, damage, lock};
use crate::store::lexical::directory::{self, SharedConnection, SqlDirectory, locked};
use crate::store::lexical::fields::Fields;
use crate::store::lexical::write::{LexicalWriter, additions, removal};
use crate::store::rows::inventory::{self, Inventory};
use crate::store::rows::links::{self, ChangedGraph, NoteStanding};
use crate::store::rows::meta::{self, Meta};
use crate::store::rows::{
    Blanks, Outgrown, blank_texts, insert_chunks, insert_note, notes, release_text, write_counts,
};
use crate::store::text::train_dictionary;
use crate::store::vector::by_text;
use crate::store::vector::ids::{VectorIds, set_found, set_missing, write_vectors};
use crate::store::vector::quantise::Coder;
use crate::store::{ChunkId, DATE_FROM_FILE, NoteId, Stamps, Writes};
use crate::vault::Stamp;

/// Pages that the writer keeps, in KiB: those that are changed again and again stay out of the log.
const CACHE_KIB: i64 = 24 << 10;

/// The one writer of a store.
pub(in crate::store) struct SqliteWriter {
    path: PathBuf,
    /// Goes first: its threads write through the connection.
    words: Option<LexicalWriter>,
    connection: SharedConnection,
    /// Goes after the connection. Unlocked by the system when the process ends, however it ends.
    _lock: File,
    fields: Fields,
    vector_ids: VectorIds,
    /// Text that belongs to nobody any more.
    blanks: Blanks,
    outgrown: Option<Outgrown>,
    is_open: bool,
    /// Whether notes or links came or went since the graph was counted.
    is_graph_outdated: bool,
}

impl Writes for SqliteWriter {
    fn check_pages(&self) -> Result<()> {
        match damage::first_damaged_page(&self.path)? {
            Some(page) => {
                let reason = format!("page {page} is not what was written");
                Err(file::corrupt(&self.path, &reason))
            }
            None => Ok(()),
        }
    }

    fn meta(&self) -> Result<Meta> {
        self.sql(meta::read)
    }

    fn encoder(&self) -> Result<Encoder> {
        self.sql(|connection| {
            let dictionary: Vec<u8> = meta::get(connection, "dictionary")?.unwrap_or_default();
            let center = meta::center(connection)?;
            Ok(Encoder::new(self.path.clone(), &dictionary, center))
        })
    }

    fn known(&self, path: Option<&str>) -> Result<Stamps> {
        self.sql(|connection| inventory::stamps(connection, path))
    }

    fn committed(&self) -> Result<HashMap<String, String>> {
        self.sql(inventory::committed)
    }

    fn changed_graph(&self) -> Result<Option<ChangedGraph>> {
        match self.is_graph_outdated {
            true => self.sql(links::graph).map(Some),
            false => Ok(None),
        }
    }

    fn set_graph(&mut self, standings: &[NoteStanding]) -> Result<()> {
        self.begin()?;
        self.is_graph_outdated = false;
        self.sql(|connection| links::set_graph(connection, standings))
    }

    fn set_inventory(&mut self, inventory: &Inventory<'_>) -> Result<()> {
        self.begin()?;
        self.sql(|connection| inventory::set(connection, inventory))
    }

    fn reset(&mut self, model: &ModelId, center: &[f32], samples: &[String]) -> Result<()> {
        self.begin()?;
        self.words = None;
        self.blanks.clear();
        self.sql(|connection| {
            for table in [
                "meta",
                "note_text",
                "text_block",
                "chunk_without_vector",
                "chunk",
                "free_vector_id",
                "vector_code",
                "vector_row",
                "name",
                "link",
                "skipped",
                "folder",
                "attachment",
                "left_out",
                "committed",
                "masked",
                "lexical_block",
                "lexical_file",
                "note",
            ] {
                connection.execute(&format!("DELETE FROM {table}"), [])?;
            }
            let mut set = connection.prepare("INSERT INTO meta (key, value) VALUES (?1, ?2)")?;
            set.execute(("model_name", &model.name))?;
            set.execute(("model_revision", &model.revision))?;
            set.execute(("model_dimensions", model.dimensions))?;
            set.execute(("dictionary", train_dictionary(samples)))?;
            meta::set_center(connection, center)
        })?;
        self.vector_ids = VectorIds::default();
        self.load_vector_ids()
    }

    fn relearn(&mut self, samples: &[String]) -> Result<()> {
        self.begin()?;
        let outgrown = self.sql(|connection| {
            let last = connection.query_row("SELECT MAX(id) FROM text_block", [], |row| row.get(0));
            let old = meta::get(connection, "dictionary")?.unwrap_or_default();
            let mut set =
                connection.prepare("UPDATE meta SET value = ?1 WHERE key = 'dictionary'")?;
            set.execute([train_dictionary(samples)])?;
            Ok(Outgrown {
                dictionary: old,
                last_block: last.map(Option::unwrap_or_default)?,
            })
        })?;
        self.outgrown = Some(outgrown);
        Ok(())
    }

    fn set_fact(&mut self, key: &str, value: Option<&str>) -> Result<()> {
        if value.is_none()
            && self
                .sql(|connection| meta::get::<String>(connection, key))?
                .is_none()
        {
            return Ok(());
        }
        self.begin()?;
        self.sql(|connection| match value {
            Some(value) => connection
                .prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?
                .execute((key, value))
                .map(drop),
            None => connection
                .prepare_cached("DELETE FROM meta WHERE key = ?1")?
                .execute([key])
                .map(drop),
        })
    }

    fn put(&mut self, encoded: Encoded) -> Result<()> {
        self.begin()?;
        let blocks: Vec<i64> = self.sql(|connection| {
            let mut add = connection.prepare_cached("INSERT INTO text_block (data) VALUES (?1)")?;
            let blocks = encoded.blocks.iter();
            blocks.map(|data| add.insert([data])).collect()
        })?;
        let mut notes = encoded.notes.iter();
        notes.try_for_each(|note| self.put_note(note, &blocks))
    }

    fn put_vectors(
        &mut self,
        chunks: &[ChunkId],
        vectors: &mut dyn Iterator<Item = &[f32]>,
    ) -> Result<()> {
        self.begin()?;
        let coder = Coder::new(self.sql(meta::center)?);
        for (chunk, vector) in chunks.iter().zip(vectors) {
            let (mut code, mut row) = (Vec::new(), Vec::new());
            coder.push(vector, &mut code, &mut row);
            self.vector_ids.pending.push((chunk.0, Some((code, row))));
        }
        self.sql(|connection| set_found(connection, chunks))
    }

    fn set_center(&mut self, center: &[f32]) -> Result<()> {
        self.begin()?;
        self.sql(|connection| meta::set_center(connection, center))
    }

    fn touch(&mut self, path: &str, stamp: Stamp, date: Option<&str>) -> Result<()> {
        self.begin()?;
        self.sql(|connection| {
            connection
                .prepare_cached(
                    "UPDATE note SET size = ?2, mtime_ns = ?3, inode = ?4, ctime_ns = ?7,
                        date = CASE WHEN coalesce(date_source, ?6) = ?6 THEN ?5 ELSE date END,
                        date_source = coalesce(date_source, ?6)
                     WHERE path = ?1",
                )?
                .execute(params![
                    path,
                    stamp.size as i64,
                    stamp.mtime_ns,
                    stamp.inode as i64,
                    date,
                    DATE_FROM_FILE,
                    stamp.ctime_ns,
                ])
                .map(drop)
        })
    }

    fn remove(&mut self, path: &str) -> Result<()> {
        let Some(note) = self.note_id(path)? else {
            return Ok(());
        };
        self.begin()?;
        self.is_graph_outdated = true;
        self.remove_rows(note)?;
        self.sql(|connection| {
            connection
                .prepare_cached("DELETE FROM note WHERE id = ?1")?
                .execute([note.0])
                .map(drop)
        })?;
        self.change_words(vec![removal(&self.fields, note)])
    }

    fn flush(&mut self) -> Result<()> {
        let pending = std::mem::take(&mut self.vector_ids.pending);
        self.sql(|connection| {
            write_vectors(connection, &self.vector_ids, pending)?;
            match &self.words {
                Some(words) => words.directory.remove_collected(connection),
                None => Ok(()),
            }
        })
    }

    fn put_text_vectors(&mut self, vectors: &[(PassageKey, Vec<f32>)]) -> Result<()> {
        if vectors.is_empty() {
            return Ok(());
        }
        self.begin()?;
        self.sql(|connection| by_text::write(connection, vectors))
    }

    fn keep_text_vectors(&mut self, used: &FxHashSet<PassageKey>) -> Result<usize> {
        self.begin()?;
        self.sql(|connection| by_text::keep_only(connection, used))
    }

    fn abandon(mut self: Box<Self>) -> Result<()> {
        self.words = None;
        if std::mem::take(&mut self.is_open) {
            self.sql(|connection| connection.execute_batch("ROLLBACK"))?;
        }
        self.close()
    }

    fn commit(&mut self, now: i64) -> Result<()> {
        if !self.is_open {
            return Ok(());
        }
        self.flush()?;
        let path = self.path.clone();
        if let Some(words) = &mut self.words {
            words.commit(&path)?;
        }
        let (blanks, outgrown) = (std::mem::take(&mut self.blanks), self.outgrown.take());
        let words = self.words.take();
        let free = &self.vector_ids.free;
        self.sql(|connection| {
            if let Some(words) = &words {
                words.directory.flush(connection)?;
            }
            blank_texts(connection, blanks, outgrown.as_ref())?;
            connection.execute("DELETE FROM free_vector_id", [])?;
            let mut add = connection.prepare("INSERT INTO free_vector_id (id) VALUES (?1)")?;
            for id in free {
                add.execute([id])?;
            }
            write_counts(connection, now)?;
            file::identity::advance(connection)?;
            connection.execute_batch("COMMIT")
        })?;
        self.is_open = false;
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.sql(|connection| {
            connection.execute_batch("PRAGMA optimize")?;
            // Readers may keep the log in use; the next writer tries again, so nobody waits here.
            connection.busy_timeout(Duration::ZERO)?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        })
    }
}

impl SqliteWriter {
    /// Opens the index at `path` for writing, or makes a new one; waits for another writer for up
    /// to `patience`.
    pub(in crate::store) fn open(path: &Path, patience: Duration) -> Result<Self> {
        let lock = lock::take(path, patience)?;
        let connection = match file::open_checked(path, false) {
            Err(Error::StoreMissing { .. }) => file::create(path)?,
            other => other?,
        };
        let mut writer = Self {
            path: path.to_owned(),
            connection: Arc::new(Mutex::new(connection)),
            _lock: lock,
            fields: Fields::new(),
            words: None,
            vector_ids: VectorIds::default(),
            blanks: Blanks::default(),
            outgrown: None,
            is_open: false,
            is_graph_outdated: false,
        };
        writer.sql(|connection| {
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
            connection.pragma_update(None, "secure_delete", "FAST")
        })?;
        writer.load_vector_ids()?;
        Ok(writer)
    }

    /// Removes an index of another schema version so that [`StoreWriter::open`] makes a new one.
    ///
    /// Only files that carry our mark are removed.
    pub(in crate::store) fn discard_outdated(path: &Path, patience: Duration) -> Result<()> {
        let _lock = lock::take(path, patience)?;
        match file::open_checked(path, true) {
            Err(Error::StoreOutdated { .. }) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error),
        }
        for suffix in ["", "-wal", "-shm"] {
            let name = file::beside(path, suffix);
            match fs::remove_file(&name) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io(name, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn put_note(&mut self, encoded: &EncodedNote, blocks: &[i64]) -> Result<()> {
        let record = &encoded.prepared;
        let known = self.note_id(&record.path)?;
        self.is_graph_outdated |=
            !self.sql(|connection| links::are_same(connection, known, &record.note.links))?;
        if let Some(note) = known {
            self.remove_rows(note)?;
        }
        let note = self.sql(|connection| insert_note(connection, known, encoded, blocks))?;
        let first_pending = self.vector_ids.pending.len();
        self.vector_ids.assign(encoded);
        let ids: Vec<i64> = self.vector_ids.pending[first_pending..]
            .iter()
            .map(|(id, _)| *id)
            .collect();
        self.sql(|connection| {
            insert_chunks(connection, note, &ids, encoded)?;
            set_missing(connection, &ids, &encoded.has_vector)
        })?;
        let mut operations = Vec::new();
        operations.extend(known.map(|known| removal(&self.fields, known)));
        operations.extend(additions(&self.fields, note, &ids, record));
        self.change_words(operations)
    }

    fn change_words(&mut self, operations: Vec<UserOperation>) -> Result<()> {
        let path = self.path.clone();
        self.words()?.run(&path, operations)
    }

    fn begin(&mut self) -> Result<()> {
        if !self.is_open {
            self.sql(|connection| connection.execute_batch("BEGIN IMMEDIATE"))?;
            self.is_open = true;
        }
        Ok(())
    }

    fn sql<T>(&self, run: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        run(&locked(&self.connection))
            .map_err(|error| crate::store::sqlite_error(&self.path, error))
    }

    fn note_id(&self, path: &str) -> Result<Option<NoteId>> {
        self.sql(|connection| notes::at_path(connection, path))
    }

    /// Removes what hangs on a note: text, chunks, names, links. The note's row stays.
    fn remove_rows(&mut self, note: NoteId) -> Result<()> {
        let mut blanks = std::mem::take(&mut self.blanks);
        let freed: Vec<i64> = self.sql(|connection| {
            release_text(connection, note, &mut blanks)?;
            let freed = connection
                .prepare_cached("SELECT id FROM chunk WHERE note = ?1")?
                .query_map([note.0], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            for statement in [
                "DELETE FROM chunk_without_vector
                 WHERE chunk IN (SELECT id FROM chunk WHERE note = ?1)",
                "DELETE FROM chunk WHERE note = ?1",
                "DELETE FROM name WHERE note = ?1",
                "DELETE FROM link WHERE source = ?1",
                "DELETE FROM masked WHERE note = ?1",
            ] {
                connection.prepare_cached(statement)?.execute([note.0])?;
            }
            Ok(freed)
        })?;
        self.blanks = blanks;
        for id in freed {
            self.vector_ids.free.insert(id);
            self.vector_ids.pending.push((id, None));
        }
        Ok(())
    }

    fn load_vector_ids(&mut self) -> Result<()> {
        let (free, next, n_dimensions) = self.sql(|connection| {
            let free = connection
                .prepare("SELECT id FROM free_vector_id")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<BTreeSet<i64>>>()?;
            let last: Option<i64> =
                connection.query_row("SELECT MAX(id) FROM chunk", [], |row| row.get(0))?;
            let last_free = free.last().copied();
            let next = last.max(last_free).map_or(0, |last| last + 1);
            Ok((free, next, meta::center(connection)?.len()))
        })?;
        let coder = Coder::new(vec![0.0; n_dimensions.max(1)]);
        self.vector_ids = VectorIds {
            free,
            next,
            pending: Vec::new(),
            code_bytes: coder.code_bytes(),
            row_bytes: coder.row_bytes(),
        };
        Ok(())
    }

    fn words(&mut self) -> Result<&mut LexicalWriter> {
        if self.words.is_none() {
            let directory = SqlDirectory::open(&self.connection)
                .map_err(|error| crate::store::sqlite_error(&self.path, error))?;
            let has_index = self.sql(directory::has_index)?;
            let writer = LexicalWriter::open(directory, &self.fields, has_index)
                .map_err(crate::store::lexical_error(&self.path))?;
            self.words = Some(writer);
        }
        Ok(self.words.as_mut().expect("was just opened"))
    }
}
