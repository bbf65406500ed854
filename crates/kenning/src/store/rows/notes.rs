//! Reading the rows of notes, by id and by name.

use rusqlite::{Connection, OptionalExtension, Row};

use super::columns;
use crate::note::{Format, Heading, MemoryType};
use crate::store::{Name, NoteId};
use crate::words::Language;

/// What is shown of a note.
#[derive(Clone, Debug, PartialEq)]
pub struct NoteRow {
    /// Its id.
    pub id: NoteId,
    /// Path below the vault.
    pub path: String,
    /// Title.
    pub title: String,
    /// Tags without `#`.
    pub tags: Vec<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// Its outline: headings in order.
    pub headings: Vec<Heading>,
    /// Date, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Language.
    pub language: Language,
    /// Name of the note that replaces this one.
    pub superseded_by: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// What it says of itself in short.
    pub summary: Option<String>,
    /// Its `kind` or `type`.
    pub kind: Option<String>,
    /// What it is to an agent's memory.
    pub memory_type: Option<MemoryType>,
    /// Whether it does not age.
    pub is_evergreen: bool,
    /// PageRank, the vault's best being 1.
    pub pagerank: Option<f32>,
    /// Eigenvector centrality, the vault's best being 1.
    pub centrality: Option<f32>,
    /// Notes it links to or is linked from.
    pub n_neighbours: u32,
    /// Anchor texts: what other notes call it when they link to it, the commonest first.
    pub anchor_texts: Vec<String>,
    /// Keys of the paths it links to, see `note::path_key`.
    pub links_to: Vec<u32>,
    /// Number of lines.
    pub n_lines: u32,
    /// Nanoseconds since 1970 at which its file was last modified.
    pub mtime_ns: i64,
    /// Whether the path says what it is called.
    pub is_named_by_file: bool,
}

impl NoteRow {
    /// Returns the name of its file, if that is a name.
    pub fn file_name(&self) -> Option<&str> {
        (self.is_named_by_file).then(|| crate::note::file_stem(&self.path))
    }

    /// Returns how its names are spelled, a line each: title, path and aliases.
    pub fn spelled(&self) -> String {
        let names = [&self.title, &self.path].into_iter().chain(&self.aliases);
        names.fold(String::new(), |all, name| all + name + "\n")
    }

    /// Returns about how much memory it needs.
    pub fn n_bytes(&self) -> usize {
        let headings = self.headings.iter().map(|heading| heading.text.len());
        let lists = [&self.tags, &self.aliases, &self.anchor_texts];
        let texts = lists.into_iter().flatten().map(String::len).chain(headings);
        let own = size_of::<Self>() + self.path.len() + self.title.len() + 4 * self.links_to.len();
        let own = own + self.summary.as_ref().map_or(0, String::len);
        own + texts.map(|n| n + size_of::<Heading>()).sum::<usize>()
    }

    /// Whether its lines can be pointed at: those of a PDF or an office file are nowhere to be seen.
    pub fn has_lines(&self) -> bool {
        has_lines(&self.path)
    }

    /// Returns its date as a day.
    pub fn day(&self) -> Option<jiff::civil::Date> {
        self.date.as_deref()?.parse().ok()
    }

    /// Returns the day its file was last modified.
    pub(crate) fn modified_day(&self) -> Option<jiff::civil::Date> {
        super::facts::day_of_ns(self.mtime_ns)
    }

    /// Returns PARA category and area.
    pub fn para(&self) -> (Option<&str>, Option<&str>) {
        crate::note::para(&self.path)
    }
}

/// Whether lines of the file at `path` can be pointed at.
pub fn has_lines(path: &str) -> bool {
    Format::of(path).is_none_or(Format::has_lines)
}

/// A note that is called by a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The note.
    pub note: NoteId,
    /// What the name is to it: 0 its path or file name, 1 an alias, 2 its title.
    pub rank: u8,
}

/// Finds the notes that are called by a name: those whose path or file name it is first, then aliases, then
/// titles; by path among equals.
pub(in crate::store) fn named(
    connection: &Connection,
    name: Name<'_>,
) -> rusqlite::Result<Vec<Named>> {
    match name {
        Name::Path(path) => Ok(at_path(connection, path)?
            .map(|note| Named { note, rank: 0 })
            .into_iter()
            .collect()),
        Name::Key(key) => with_key(connection, key),
    }
}

/// Finds the note at a path.
pub(in crate::store) fn at_path(
    connection: &Connection,
    path: &str,
) -> rusqlite::Result<Option<NoteId>> {
    connection
        .prepare_cached("SELECT id FROM note WHERE path = ?1")?
        .query_row([path], |row| row.get(0).map(NoteId))
        .optional()
}

fn with_key(connection: &Connection, key: &str) -> rusqlite::Result<Vec<Named>> {
    let mut named: Vec<(u8, String, NoteId)> = connection
        .prepare_cached(
            "SELECT rank, path, note FROM name JOIN note ON note.id = name.note WHERE key = ?1",
        )?
        .query_map([key], |row| {
            Ok((row.get(0)?, row.get(1)?, NoteId(row.get(2)?)))
        })?
        .collect::<rusqlite::Result<_>>()?;
    // They are few: SQLite would make room for a page of them.
    named.sort_unstable();
    let named = named.into_iter();
    Ok(named.map(|(rank, _, note)| Named { note, rank }).collect())
}

/// Reads the note with an id.
pub(in crate::store) fn by_id(connection: &Connection, id: NoteId) -> rusqlite::Result<NoteRow> {
    connection
        .prepare_cached(
            "SELECT id, path, title, tags, aliases, headings, date, language, superseded_by, n_lines,
                author, kind, evergreen, pagerank, centrality, n_neighbours, anchor_texts, links_to,
                mtime_ns, named_by_file, memory_type, summary
             FROM note WHERE id = ?1",
        )?
        .query_row([id.0], note_row)
}

fn note_row(row: &Row<'_>) -> rusqlite::Result<NoteRow> {
    let headings: Option<String> = row.get(5)?;
    let language: String = row.get(7)?;
    Ok(NoteRow {
        id: NoteId(row.get(0)?),
        path: row.get(1)?,
        title: row.get(2)?,
        tags: list(row, 3)?,
        aliases: list(row, 4)?,
        headings: columns::read_headings(headings.as_deref()),
        date: row.get(6)?,
        language: Language::from_code(&language),
        superseded_by: row.get(8)?,
        n_lines: row.get(9)?,
        author: row.get(10)?,
        kind: row.get(11)?,
        is_evergreen: row.get(12)?,
        pagerank: row.get(13)?,
        centrality: row.get(14)?,
        n_neighbours: row.get::<_, Option<u32>>(15)?.unwrap_or(0),
        anchor_texts: list(row, 16)?,
        links_to: columns::read_keys(row.get_ref(17)?.as_blob_or_null()?.unwrap_or_default()),
        mtime_ns: row.get(18)?,
        is_named_by_file: row.get(19)?,
        memory_type: memory_type(row, 20)?,
        summary: row.get(21)?,
    })
}

/// Reads what a note is to an agent's memory.
pub(in crate::store) fn memory_type(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<MemoryType>> {
    let name: Option<String> = row.get(column)?;
    Ok(name.as_deref().and_then(MemoryType::from_name))
}

/// Reads a list that is kept as JSON.
pub(in crate::store) fn list(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<String>> {
    let json: Option<String> = row.get(column)?;
    Ok(columns::read_list(json.as_deref()))
}
