//! Rows as the engine knows them.

use kenning::note::{LinkKind, MemoryType};
use kenning::store::{
    ChunkId, ChunkRow, LinkRow, NoteFacts, NoteId, NoteRow, Source, Standing, Wanted, columns,
};
use kenning::vault::Stamp;
use kenning::words::Language;
use tokio_postgres::Row;

/// A text without zeros, which the server does not take.
pub(crate) fn clean(text: &str) -> String {
    text.replace('\0', "")
}

pub(crate) fn chunk_id(row: &Row) -> ChunkId {
    ChunkId::new(i64::from(row.get::<_, i32>(0)))
}

pub(crate) fn stamp(row: &Row, first: usize) -> Stamp {
    Stamp {
        size: row.get::<_, i64>(first) as u64,
        mtime_ns: row.get(first + 1),
        inode: row.get::<_, i64>(first + 2) as u64,
        ctime_ns: row.get(first + 3),
    }
}

pub(crate) fn link_row(row: &Row) -> LinkRow {
    LinkRow {
        source: note_id(row, 0),
        line: row.get::<_, i32>(1) as u32,
        kind: LinkKind::from_number(row.get::<_, i16>(2) as u8),
        target: row.get(3),
        anchor: row.get(4),
        shown: row.get(5),
    }
}

pub(crate) const CHUNKS: &str =
    "SELECT id, note, ordinal, heading, start_byte, end_byte, start_line, end_line, page, handle,
    print, first_print, last_print, pieces, picture FROM chunk";

pub(crate) fn chunk_row(row: &Row) -> ChunkRow {
    let number = |column| row.get::<_, i32>(column) as u32;
    ChunkRow {
        id: chunk_id(row),
        note: note_id(row, 1),
        ordinal: number(2),
        heading: row.get::<_, Option<i32>>(3).map(|heading| heading as usize),
        range: row.get::<_, i64>(4) as usize..row.get::<_, i64>(5) as usize,
        start_line: number(6),
        end_line: number(7),
        page: row.get::<_, Option<i32>>(8).map(|page| page as u32),
        handle: row.get::<_, i64>(9) as u32,
        prints: kenning::chunk::Prints {
            whole: row.get(10),
            first: row.get::<_, i64>(11) as u32,
            last: row.get::<_, i64>(12) as u32,
        },
        packed_pieces: row.get::<_, Option<Vec<u8>>>(13).unwrap_or_default().into(),
        picture: row.get(14),
    }
}

pub(crate) const NOTES: &str = "SELECT id, path, title, tags, aliases, headings, date, language, superseded_by, n_lines, author,
    kind, evergreen, pagerank, centrality, n_neighbours, anchor_texts, links_to, mtime_ns, named_by_file, memory_type,
    summary FROM note WHERE id = ANY($1)";

pub(crate) fn list(row: &Row, column: usize) -> Vec<String> {
    columns::read_list(row.get(column))
}

pub(crate) fn memory_type(row: &Row, column: usize) -> Option<MemoryType> {
    row.get::<_, Option<&str>>(column)
        .and_then(MemoryType::from_name)
}

pub(crate) fn note_row(row: &Row) -> NoteRow {
    NoteRow {
        id: note_id(row, 0),
        path: row.get(1),
        title: row.get(2),
        tags: list(row, 3),
        aliases: list(row, 4),
        headings: columns::read_headings(row.get(5)),
        date: row.get(6),
        language: Language::from_code(row.get(7)),
        superseded_by: row.get(8),
        n_lines: row.get::<_, i32>(9) as u32,
        author: row.get(10),
        kind: row.get(11),
        is_evergreen: row.get(12),
        pagerank: row.get(13),
        centrality: row.get(14),
        n_neighbours: row.get::<_, Option<i32>>(15).unwrap_or(0) as u32,
        anchor_texts: list(row, 16),
        links_to: columns::read_keys(row.get::<_, Option<&[u8]>>(17).unwrap_or_default()),
        mtime_ns: row.get(18),
        is_named_by_file: row.get(19),
        memory_type: memory_type(row, 20),
        summary: row.get(21),
    }
}

/// The columns of [`note_facts`], those that are not wanted empty.
pub(crate) fn facts_columns(wanted: Wanted) -> String {
    let or = |is_wanted, columns: &'static str, empty: &'static str| match is_wanted {
        true => columns,
        false => empty,
    };
    let tags = or(wanted.tags, "tags", "NULL::text");
    let properties = or(
        wanted.properties,
        "aliases, properties",
        "NULL::text, NULL::text",
    );
    let commits = or(wanted.commits, "committed.day", "NULL::text");
    let standing = or(
        wanted.standing,
        "author, kind, evergreen, superseded_by IS NOT NULL",
        "NULL::text, NULL::text, false, false",
    );
    let source = or(
        wanted.source,
        "format, date_source, is_extracted",
        "''::text, NULL::text, false",
    );
    let of_commits = or(wanted.commits, "LEFT JOIN committed USING (path)", "");
    let path = or(wanted.commits, "path", "note.path");
    format!(
        "SELECT note.id, {path}, title, {tags}, {properties}, date, published, created, modified, mtime_ns, {commits},
            {standing}, {source}, memory_type
         FROM note {of_commits}"
    )
}

pub(crate) fn note_facts(row: &Row) -> NoteFacts {
    let properties: Option<&str> = row.get(5);
    NoteFacts {
        id: note_id(row, 0),
        path: row.get(1),
        title: row.get(2),
        tags: list(row, 3),
        aliases: list(row, 4),
        properties: properties
            .and_then(|json| serde_json::from_str(json).ok())
            .unwrap_or_default(),
        date: row.get(6),
        published: row.get(7),
        created: row.get(8),
        modified: row.get(9),
        mtime_ns: row.get(10),
        committed: row.get(11),
        standing: Standing {
            author: row.get(12),
            kind: row.get(13),
            is_evergreen: row.get(14),
            is_superseded: row.get(15),
        },
        source: Source {
            format: row.get(16),
            date_source: row.get(17),
            is_extracted: row.get(18),
        },
        memory_type: memory_type(row, 19),
    }
}

/// Reads sixteen bytes.
pub(crate) fn digest(row: &Row, column: usize) -> [u8; 16] {
    row.get::<_, &[u8]>(column).try_into().unwrap_or_default()
}

pub(crate) fn note_id(row: &Row, column: usize) -> NoteId {
    NoteId::new(i64::from(row.get::<_, i32>(column)))
}
