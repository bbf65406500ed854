//! Writing the word index: a note's entry and those of its chunks, together.

use std::path::Path;

use tantivy::indexer::{LogMergePolicy, MergePolicy, NoMergePolicy, UserOperation};
use tantivy::{Index, IndexSettings, IndexWriter, TantivyDocument, Term};

use super::directory::SqlDirectory;
use super::fields::Fields;
use crate::error::Result;
use crate::store::NoteId;
use crate::store::prepared::PreparedNote;

/// Memory tantivy may fill before it writes a segment out.
const BUDGET_BYTES: usize = 64 << 20;
/// A segment with a larger share of deleted entries is rewritten.
const DELETED_SHARE_MAX: f32 = 0.25;

/// Changes the word index as part of a transaction.
pub(in crate::store) struct LexicalWriter {
    writer: IndexWriter,
    pub(in crate::store) directory: SqlDirectory,
}

impl LexicalWriter {
    pub(in crate::store) fn open(
        directory: SqlDirectory,
        fields: &Fields,
        exists: bool,
    ) -> tantivy::Result<Self> {
        let writer = open_index(&directory, fields, exists)?;
        Ok(Self { writer, directory })
    }

    pub(in crate::store) fn run(
        &mut self,
        path: &Path,
        operations: Vec<UserOperation>,
    ) -> Result<()> {
        let done = self.writer.run(operations);
        self.explained(path, done).map(drop)
    }

    /// Writes everything out; the transaction makes it visible.
    pub(in crate::store) fn commit(&mut self, path: &Path) -> Result<()> {
        let done = self.writer.commit().map(drop);
        let done = done.and_then(|()| merge(&mut self.writer));
        self.explained(path, done)
    }

    /// Tells what went wrong: tantivy's threads write into the file, too, and only say that they failed.
    fn explained<T>(&self, path: &Path, done: tantivy::Result<T>) -> Result<T> {
        done.map_err(|error| match self.directory.take_failure() {
            Some(failure) => crate::store::sqlite_error(path, failure),
            None => crate::store::lexical_error(path)(error),
        })
    }
}

/// What takes a note out of the index.
pub(in crate::store) fn removal(fields: &Fields, note: NoteId) -> UserOperation {
    UserOperation::Delete(Term::from_field_u64(fields.note, note.0 as u64))
}

/// Adds the note's entry and its chunks' entries as one batch, which keeps them together.
pub(in crate::store) fn additions(
    fields: &Fields,
    note: NoteId,
    ids: &[i64],
    record: &PreparedNote,
) -> Vec<UserOperation> {
    let mut operations = Vec::with_capacity(ids.len() + 1);
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
    for (chunk, id) in record.chunks.iter().zip(ids) {
        let mut of_chunk = entry(id + 1, chunk.n_terms);
        of_chunk.add_text(fields.text, &chunk.text_terms);
        if !chunk.section_terms.is_empty() {
            of_chunk.add_text(fields.section, &chunk.section_terms);
        }
        if !chunk.compound_terms.is_empty() {
            of_chunk.add_text(fields.compounds, &chunk.compound_terms);
        }
        operations.push(UserOperation::Add(of_chunk));
    }
    operations
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
    let writer = index.writer_with_num_threads(1, BUDGET_BYTES)?;
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
