//! Writing: notes in, notes out, one transaction per batch.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};
use tantivy::indexer::{LogMergePolicy, MergePolicy, NoMergePolicy, UserOperation};
use tantivy::{Index, IndexSettings, IndexWriter, TantivyDocument, Term};

use super::NoteId;
use super::encode::{Encoded, EncodedNote, Encoder};
use super::file::{self, damage, lock};
use super::lexical::directory::{self, SharedConnection, SqlDirectory, locked};
use super::lexical::fields::Fields;
use super::prepared::PreparedNote;
use super::rows::{
    Blanks, Outgrown, blank_texts, insert_chunks, insert_note, release_text, write_counts,
};
use super::text::train_dictionary;
use super::vector::ids::{Slots, write_vectors};
use crate::embed::ModelId;
use crate::error::{Error, Result};
use crate::vault::Stamp;

/// Memory tantivy may fill before it writes a segment out.
const LEXICAL_BUDGET_BYTES: usize = 64 << 20;
/// Where a date comes from that the note itself does not tell.
pub const DATE_FROM_FILE: &str = "modification time";
/// Where a date comes from that git tells.
pub const DATE_FROM_GIT: &str = "git";
/// Pages that the writer keeps, in KiB: those that are changed again and again stay out of the log.
const CACHE_KIB: i64 = 24 << 10;
/// A segment with a larger share of deleted entries is rewritten.
const DELETED_SHARE_MAX: f32 = 0.25;

/// The one writer of a store.
pub struct StoreWriter {
    path: PathBuf,
    /// Goes first: its threads write through the connection.
    lexical: Option<LexicalWriter>,
    connection: SharedConnection,
    /// Goes after the connection. Unlocked by the system when the process ends, however it ends.
    _lock: File,
    fields: Fields,
    slots: Slots,
    /// Text that belongs to nobody any more.
    blanks: Blanks,
    outgrown: Option<Outgrown>,
    is_open: bool,
    /// Whether notes or links came or went since the graph was counted.
    pub(super) is_graph_outdated: bool,
}

struct LexicalWriter {
    writer: IndexWriter,
    directory: SqlDirectory,
}

impl StoreWriter {
    /// Opens the index at `path` for writing, or makes a new one; waits for another writer for up
    /// to `patience`.
    pub fn open(path: &Path, patience: Duration) -> Result<Self> {
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
            lexical: None,
            slots: Slots::default(),
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
        writer.load_slots()?;
        Ok(writer)
    }

    /// Removes an index of another schema version so that [`StoreWriter::open`] makes a new one.
    ///
    /// Only files that carry our mark are removed.
    pub fn discard_outdated(path: &Path, patience: Duration) -> Result<()> {
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

    /// Reads every page of the file: an error if one is not what was written.
    pub fn check_pages(&self) -> Result<()> {
        match damage::first_damaged_page(&self.path)? {
            Some(page) => {
                let reason = format!("page {page} is not what was written");
                Err(file::corrupt(&self.path, &reason))
            }
            None => Ok(()),
        }
    }

    /// Returns the model the vectors were made with, `None` in a new index.
    pub fn model(&self) -> Result<Option<ModelId>> {
        self.sql(super::read::model)
    }

    /// Returns a fact about the index as a whole.
    pub fn fact(&self, key: &str) -> Result<Option<String>> {
        self.sql(|connection| super::read::meta(connection, key))
    }

    /// Returns what encodes notes for this index, on any thread.
    pub fn encoder(&self) -> Result<Encoder> {
        self.sql(|connection| {
            let dictionary: Vec<u8> =
                super::read::meta(connection, "dictionary")?.unwrap_or_default();
            let center = super::read::center(connection)?;
            Ok(Encoder::new(self.path.clone(), &dictionary, center))
        })
    }

    /// Returns stamp and hash of every note, by path.
    pub fn known(&self) -> Result<HashMap<String, (Stamp, [u8; 16])>> {
        let stamps = self.sql(super::rows::inventory::stamps)?.into_iter();
        let known = stamps.map(|(path, stamp, hash)| (path, (stamp, hash)));
        Ok(known.collect())
    }

    /// Returns stamp and hash of one note.
    pub fn known_at(&self, path: &str) -> Result<Option<(Stamp, [u8; 16])>> {
        self.sql(|connection| super::rows::inventory::stamp_of(connection, path))
    }

    /// Empties the index and names the model it is filled with from now on, with what it makes of everyday
    /// text on average. The samples are texts like those that will come.
    pub fn reset(&mut self, model: &ModelId, center: &[f32], samples: &[String]) -> Result<()> {
        self.begin()?;
        self.lexical = None;
        self.blanks.clear();
        self.sql(|connection| {
            for table in [
                "meta",
                "note_text",
                "text_block",
                "chunk",
                "free_slot",
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
            let center: Vec<u8> = center.iter().flat_map(|x| x.to_le_bytes()).collect();
            set.execute(("code_center", center))?;
            Ok(())
        })?;
        self.slots = Slots::default();
        self.load_slots()
    }

    /// Forgets the texts that the encoding was learnt from, and learns it from these: fragments of notes that
    /// are gone may stand in it. In the end, what was there before is encoded anew, too.
    pub fn relearn(&mut self, samples: &[String]) -> Result<()> {
        self.begin()?;
        let outgrown = self.sql(|connection| {
            let last = connection.query_row("SELECT MAX(id) FROM text_block", [], |row| row.get(0));
            let old = super::read::meta(connection, "dictionary")?.unwrap_or_default();
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

    /// Sets a fact about the index as a whole, or takes it back.
    pub fn set_fact(&mut self, key: &str, value: Option<&str>) -> Result<()> {
        if value.is_none() && self.fact(key)?.is_none() {
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

    /// Writes notes, replacing what was known of their paths.
    pub fn put(&mut self, encoded: Encoded) -> Result<()> {
        self.begin()?;
        let blocks: Vec<i64> = self.sql(|connection| {
            let mut add = connection.prepare_cached("INSERT INTO text_block (data) VALUES (?1)")?;
            let blocks = encoded.blocks.iter();
            blocks.map(|data| add.insert([data])).collect()
        })?;
        let mut notes = encoded.notes.iter();
        notes.try_for_each(|note| self.put_note(note, &blocks))
    }

    fn put_note(&mut self, encoded: &EncodedNote, blocks: &[i64]) -> Result<()> {
        let record = &encoded.prepared;
        let known = self.note_id(&record.path)?;
        self.is_graph_outdated |= !self.has_same_links(known, &record.note.links)?;
        if let Some(note) = known {
            self.remove_rows(note)?;
        }
        let note = self.sql(|connection| insert_note(connection, known, encoded, blocks))?;
        let first_pending = self.slots.pending.len();
        self.slots.assign(encoded);
        let slots: Vec<i64> = self.slots.pending[first_pending..]
            .iter()
            .map(|(slot, _)| *slot)
            .collect();
        self.sql(|connection| insert_chunks(connection, note, &slots, encoded))?;
        self.index_terms(note, known.is_some(), &slots, record)
    }

    /// Records that an unchanged file has a new stamp, and the date that follows from it.
    pub fn touch(&mut self, path: &str, stamp: Stamp, date: Option<&str>) -> Result<()> {
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

    /// Removes every trace of a note.
    pub fn remove(&mut self, path: &str) -> Result<()> {
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
        let term = Term::from_field_u64(self.fields.note, note.0 as u64);
        self.run_lexical(vec![UserOperation::Delete(term)])
    }

    fn run_lexical(&mut self, operations: Vec<UserOperation>) -> Result<()> {
        let path = self.path.clone();
        let lexical = self.lexical()?;
        let done = lexical.writer.run(operations);
        lexical.explained(&path, done).map(drop)
    }

    /// Moves what is held in memory into the file, as part of what the next commit makes visible.
    pub fn make_room(&mut self) -> Result<()> {
        let pending = std::mem::take(&mut self.slots.pending);
        self.sql(|connection| {
            write_vectors(connection, &self.slots, pending)?;
            match &self.lexical {
                Some(lexical) => lexical.directory.remove_collected(connection),
                None => Ok(()),
            }
        })
    }

    /// Leaves the index as it was at the last commit.
    pub fn abandon(mut self) -> Result<()> {
        self.lexical = None;
        if std::mem::take(&mut self.is_open) {
            self.sql(|connection| connection.execute_batch("ROLLBACK"))?;
        }
        self.close()
    }

    /// Makes everything since the last commit visible at once. `now` is in seconds since 1970.
    pub fn commit(&mut self, now: i64) -> Result<()> {
        if !self.is_open {
            return Ok(());
        }
        self.make_room()?;
        let path = self.path.clone();
        if let Some(lexical) = &mut self.lexical {
            let done = lexical.writer.commit().map(drop);
            let done = done.and_then(|()| merge(&mut lexical.writer));
            lexical.explained(&path, done)?;
        }
        let (blanks, outgrown) = (std::mem::take(&mut self.blanks), self.outgrown.take());
        let lexical = self.lexical.take();
        let free = &self.slots.free;
        self.sql(|connection| {
            if let Some(lexical) = &lexical {
                lexical.directory.flush(connection)?;
            }
            blank_texts(connection, blanks, outgrown.as_ref())?;
            connection.execute("DELETE FROM free_slot", [])?;
            let mut add = connection.prepare("INSERT INTO free_slot (id) VALUES (?1)")?;
            for slot in free {
                add.execute([slot])?;
            }
            write_counts(connection, now)?;
            super::file::identity::advance(connection)?;
            connection.execute_batch("COMMIT")
        })?;
        self.is_open = false;
        Ok(())
    }

    /// Leaves the file without a write-ahead log, so that it can be copied by itself.
    pub fn close(self) -> Result<()> {
        self.sql(|connection| {
            connection.execute_batch("PRAGMA optimize")?;
            // Readers may keep the log in use; the next writer tries again, so nobody waits here.
            connection.busy_timeout(Duration::ZERO)?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        })
    }

    pub(super) fn begin(&mut self) -> Result<()> {
        if !self.is_open {
            self.sql(|connection| connection.execute_batch("BEGIN IMMEDIATE"))?;
            self.is_open = true;
        }
        Ok(())
    }

    pub(super) fn sql<T>(&self, run: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        run(&locked(&self.connection)).map_err(|error| super::sqlite(&self.path, error))
    }

    fn note_id(&self, path: &str) -> Result<Option<NoteId>> {
        self.sql(|connection| {
            connection
                .prepare_cached("SELECT id FROM note WHERE path = ?1")?
                .query_row([path], |row| row.get(0).map(NoteId))
                .optional()
        })
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
        for slot in freed {
            self.slots.free.insert(slot);
            self.slots.pending.push((slot, None));
        }
        Ok(())
    }

    fn load_slots(&mut self) -> Result<()> {
        let (free, next, n_dimensions) = self.sql(|connection| {
            let free = connection
                .prepare("SELECT id FROM free_slot")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<BTreeSet<i64>>>()?;
            let last: Option<i64> =
                connection.query_row("SELECT MAX(id) FROM chunk", [], |row| row.get(0))?;
            let last_free = free.last().copied();
            let next = last.max(last_free).map_or(0, |last| last + 1);
            Ok((free, next, super::read::center(connection)?.len()))
        })?;
        let coder = super::vector::quantise::Coder::new(vec![0.0; n_dimensions.max(1)]);
        self.slots = Slots {
            free,
            next,
            pending: Vec::new(),
            code_bytes: coder.code_bytes(),
            row_bytes: coder.row_bytes(),
        };
        Ok(())
    }

    fn lexical(&mut self) -> Result<&mut LexicalWriter> {
        if self.lexical.is_none() {
            let directory = SqlDirectory::open(&self.connection)
                .map_err(|error| super::sqlite(&self.path, error))?;
            let has_index = self.sql(directory::has_index)?;
            let writer = open_index(&directory, &self.fields, has_index)
                .map_err(super::lexical(&self.path))?;
            self.lexical = Some(LexicalWriter { writer, directory });
        }
        Ok(self.lexical.as_mut().expect("was just opened"))
    }

    /// Adds the note's entry and its chunks' entries as one batch, which keeps them together.
    fn index_terms(
        &mut self,
        note: NoteId,
        is_known: bool,
        slots: &[i64],
        record: &PreparedNote,
    ) -> Result<()> {
        let fields = self.fields.clone();
        let mut operations = Vec::with_capacity(slots.len() + 2);
        if is_known {
            let term = Term::from_field_u64(fields.note, note.0 as u64);
            operations.push(UserOperation::Delete(term));
        }
        let entry = |chunk: i64, n_terms: u32| {
            let mut entry = TantivyDocument::default();
            entry.add_u64(fields.note, note.0 as u64);
            entry.add_u64(fields.chunk, chunk as u64);
            entry.add_u64(fields.n_terms, u64::from(n_terms));
            entry
        };
        let n_terms = record.chunks.iter().map(|chunk| chunk.n_terms).sum();
        let mut of_note = entry(0, n_terms);
        for (field, terms) in [
            (fields.title, &record.terms.title),
            (fields.file_name, &record.terms.file_name),
            (fields.aliases, &record.terms.aliases),
            (fields.tags, &record.terms.tags),
            (fields.area, &record.terms.area),
            (fields.summary, &record.terms.summary),
            (fields.properties, &record.terms.properties),
            (fields.compounds, &record.terms.compounds),
        ] {
            if !terms.is_empty() {
                of_note.add_text(field, terms);
            }
        }
        operations.push(UserOperation::Add(of_note));
        for (chunk, slot) in record.chunks.iter().zip(slots) {
            let mut of_chunk = entry(slot + 1, chunk.n_terms);
            of_chunk.add_text(fields.text, &chunk.text_terms);
            if !chunk.section_terms.is_empty() {
                of_chunk.add_text(fields.section, &chunk.section_terms);
            }
            if !chunk.compound_terms.is_empty() {
                of_chunk.add_text(fields.compounds, &chunk.compound_terms);
            }
            operations.push(UserOperation::Add(of_chunk));
        }
        self.run_lexical(operations)
    }
}

impl LexicalWriter {
    /// Tells what went wrong: tantivy's threads write into the file, too, and only say that they failed.
    fn explained<T>(&self, path: &Path, done: tantivy::Result<T>) -> Result<T> {
        done.map_err(|error| match self.directory.take_failure() {
            Some(failure) => super::sqlite(path, failure),
            None => super::lexical(path)(error),
        })
    }
}

fn open_index(
    directory: &SqlDirectory,
    fields: &Fields,
    exists: bool,
) -> tantivy::Result<IndexWriter> {
    let mut index = if exists {
        Index::open(directory.clone())?
    } else {
        Index::create(
            directory.clone(),
            fields.schema.clone(),
            IndexSettings::default(),
        )?
    };
    index.set_tokenizers(Fields::tokenizers());
    let writer = index.writer_with_num_threads(1, LEXICAL_BUDGET_BYTES)?;
    // Merges happen inside our transaction, never behind its back.
    writer.set_merge_policy(Box::new(NoMergePolicy));
    Ok(writer)
}

/// Merges segments as tantivy's own policy would, but now and here.
fn merge(writer: &mut IndexWriter) -> tantivy::Result<()> {
    let mut policy = LogMergePolicy::default();
    policy.set_del_docs_ratio_before_merge(DELETED_SHARE_MAX);
    policy.set_min_num_segments(6);
    let candidates = {
        let segments = writer.index().searchable_segment_metas()?;
        policy.compute_merge_candidates(&segments)
    };
    for candidate in candidates {
        writer.merge(&candidate.0).wait()?;
    }
    // What the merges replaced is collected now, so that one flush removes it.
    writer.garbage_collect_files().wait()?;
    Ok(())
}
