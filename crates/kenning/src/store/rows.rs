//! Writing the rows of notes and chunks.

pub(super) mod chunks;
pub mod columns;
pub(super) mod facts;
pub(super) mod inventory;
pub(super) mod links;
pub(super) mod meta;
pub(super) mod notes;
pub(super) mod pieces;

use std::collections::BTreeMap;
use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, params};

use super::NoteId;
use super::encode::EncodedNote;
use super::prepared::PreparedNote;

type Standing = (
    Option<f64>,
    Option<f64>,
    Option<i64>,
    Option<String>,
    Option<Vec<u8>>,
);

/// What links say of a note outlives its text.
fn standing(connection: &Connection, known: NoteId) -> rusqlite::Result<Option<Standing>> {
    connection
        .prepare_cached(
            "SELECT pagerank, centrality, n_neighbours, anchor_texts, links_to FROM note WHERE id = ?1",
        )?
        .query_row([known.0], |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
            ))
        })
        .optional()
}

fn keep_standing(connection: &Connection, id: NoteId, own: &Standing) -> rusqlite::Result<usize> {
    let (pagerank, centrality, n_neighbours, anchor_texts, links_to) = own;
    let sql =
        "UPDATE note SET pagerank = ?2, centrality = ?3, n_neighbours = ?4, anchor_texts = ?5,
        links_to = ?6 WHERE id = ?1";
    connection.prepare_cached(sql)?.execute(params![
        id.0,
        pagerank,
        centrality,
        n_neighbours,
        anchor_texts,
        links_to
    ])
}

pub(super) fn insert_note(
    connection: &Connection,
    known: Option<NoteId>,
    encoded: &EncodedNote,
    blocks: &[i64],
) -> rusqlite::Result<NoteId> {
    let record = &encoded.prepared;
    let PreparedNote { note, stamp, .. } = record;
    let standing = known
        .map(|known| standing(connection, known))
        .transpose()?
        .flatten();
    let facts = &note.facts;
    let (category, area) = crate::note::para(&record.path);
    let memory_type = columns::memory_type(record);
    let properties = columns::properties(note);
    let headings = columns::headings(note);
    let warnings = columns::warnings(&record.warnings);
    let (date, date_source) = match &record.date {
        Some((date, source)) => (Some(date), Some(source)),
        None => (None, None),
    };
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO note (id, path, named_by_file, title, format, language, kind, memory_type, status, category,
                area, tags, aliases, properties, summary, author, published, created, modified, date,
                date_source, evergreen, superseded_by, headings, n_lines, size, mtime_ns, inode, ctime_ns,
                hash, warnings)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
                ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31)",
        )?
        .execute(params![
            known.map(|note| note.0), record.path, record.is_named_by_file, note.title, record.format.name(),
            note.language.code(), facts.kind, memory_type, facts.status, category, area, columns::list(&note.tags),
            columns::list(&note.aliases), properties, facts.summary, facts.author, facts.published,
            facts.created, facts.modified, date, date_source, facts.evergreen,
            facts.superseded_by, headings, encoded.n_lines, stamp.size as i64, stamp.mtime_ns,
            stamp.inode as i64, stamp.ctime_ns, record.hash, warnings,
        ])?;
    let id = known.unwrap_or_else(|| NoteId(connection.last_insert_rowid()));
    if let Some(standing) = standing {
        keep_standing(connection, id, &standing)?;
    }
    let text = encoded.text;
    connection
        .prepare_cached(
            "INSERT INTO note_text (note, block, start, n_bytes, own_start)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            id.0,
            blocks[text.block],
            text.start,
            text.n_bytes,
            text.own_start
        ])?;
    insert_details(connection, id, record)?;
    Ok(id)
}

/// Ranges of text blocks that belong to nobody any more, by block.
pub(super) type Blanks = BTreeMap<i64, Vec<Range<usize>>>;

/// Takes a note's text away from it. The block that it shares with others is only noted down: where many
/// notes change at once, it is packed again once and not for each of them.
pub(super) fn release_text(
    connection: &Connection,
    note: NoteId,
    blanks: &mut Blanks,
) -> rusqlite::Result<()> {
    let found: Option<(i64, usize, usize)> = connection
        .prepare_cached("SELECT block, start, n_bytes FROM note_text WHERE note = ?1")?
        .query_row([note.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    if let Some((block, start, n_bytes)) = found {
        blanks
            .entry(block)
            .or_default()
            .push(start..start.saturating_add(n_bytes));
        connection
            .prepare_cached("DELETE FROM note_text WHERE note = ?1")?
            .execute([note.0])?;
    }
    Ok(())
}

/// A dictionary that is given up, and the last block that was packed with it.
pub(super) struct Outgrown {
    pub(super) dictionary: Vec<u8>,
    pub(super) last_block: i64,
}

/// Removes text that belongs to nobody any more: whole blocks, or ranges of those that are still used. What
/// is left of a dictionary that is given up is packed with the new one.
pub(super) fn blank_texts(
    connection: &Connection,
    mut blanks: Blanks,
    outgrown: Option<&Outgrown>,
) -> rusqlite::Result<()> {
    let dictionary: Vec<u8> = meta::get(connection, "dictionary")?.unwrap_or_default();
    if let Some(outgrown) = outgrown {
        let mut all = connection.prepare("SELECT id FROM text_block WHERE id <= ?1")?;
        for block in all.query_map([outgrown.last_block], |row| row.get(0))? {
            blanks.entry(block?).or_default();
        }
    }
    for (block, ranges) in blanks {
        let is_used = connection
            .prepare_cached("SELECT 1 FROM note_text WHERE block = ?1")?
            .exists([block])?;
        if !is_used {
            connection
                .prepare_cached("DELETE FROM text_block WHERE id = ?1")?
                .execute([block])?;
            continue;
        }
        let packed: Vec<u8> = connection
            .prepare_cached("SELECT data FROM text_block WHERE id = ?1")?
            .query_row([block], |row| row.get(0))?;
        let old = outgrown.filter(|outgrown| block <= outgrown.last_block);
        let old = old.map_or(&dictionary, |outgrown| &outgrown.dictionary);
        let repacked = super::text::blank(&packed, &ranges, old, &dictionary)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        connection
            .prepare_cached("UPDATE text_block SET data = ?2 WHERE id = ?1")?
            .execute(params![block, repacked])?;
    }
    Ok(())
}

fn insert_details(
    connection: &Connection,
    note: NoteId,
    record: &PreparedNote,
) -> rusqlite::Result<()> {
    let mut add_name = connection
        .prepare_cached("INSERT OR IGNORE INTO name (key, note, rank) VALUES (?1, ?2, ?3)")?;
    for (rank, key) in &record.names {
        add_name.execute(params![key, note.0, rank])?;
    }
    let mut add_link = connection.prepare_cached(
        "INSERT INTO link (source, line, kind, target, anchor, shown) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for link in &record.note.links {
        add_link.execute(params![
            note.0,
            link.line,
            link.kind as u8,
            link.target,
            link.anchor,
            link.shown
        ])?;
    }
    let mut add_masked = connection
        .prepare_cached("INSERT INTO masked (note, line, pattern) VALUES (?1, ?2, ?3)")?;
    for (line, pattern) in &record.masked {
        add_masked.execute(params![note.0, line, pattern])?;
    }
    Ok(())
}

pub(super) fn insert_chunks(
    connection: &Connection,
    note: NoteId,
    ids: &[i64],
    encoded: &EncodedNote,
) -> rusqlite::Result<()> {
    let mut add = connection.prepare_cached(
        "INSERT INTO chunk (id, note, ordinal, heading, start_byte, end_byte, start_line, end_line,
            handle, page, pieces, print, first_print, last_print, picture)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
    )?;
    let chunks = encoded.prepared.chunks.iter().zip(&encoded.pieces);
    for ((ordinal, (record, pieces)), id) in chunks.enumerate().zip(ids) {
        let chunk = &record.chunk;
        add.execute(params![
            id,
            note.0,
            ordinal,
            chunk.heading,
            chunk.range.start,
            chunk.range.end,
            chunk.start_line,
            chunk.end_line,
            record.handle,
            chunk.page,
            pieces,
            record.prints.whole,
            record.prints.first,
            record.prints.last,
            chunk.picture,
        ])?;
    }
    Ok(())
}

pub(super) fn write_counts(connection: &Connection, now: i64) -> rusqlite::Result<()> {
    let languages: Vec<(String, i64)> = connection
        .prepare_cached("SELECT language, COUNT(*) FROM note GROUP BY language ORDER BY 2 DESC, 1")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut set =
        connection.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?;
    set.execute(("languages", serde_json::json!(languages).to_string()))?;
    set.execute(("changed_at", now))?;
    for (key, table) in [
        ("n_notes", "note"),
        ("n_chunks", "chunk"),
        ("n_links", "link"),
    ] {
        let count: i64 =
            connection.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| {
                row.get(0)
            })?;
        set.execute((key, count))?;
    }
    Ok(())
}
