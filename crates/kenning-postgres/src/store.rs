//! What is asked of the index, as statements.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use kenning::budget::Budget;
use kenning::embed::PassageKey;
use kenning::error::{Error, Result};
use kenning::store::{
    Asking, By, ChunkId, ChunkRow, CodedVector, Coder, Known, KnownNote, LexicalQuery,
    LexicalResults, LinkRow, LinksOf, Masked, Meta, Name, Named, Nearest, NoteFacts, NoteId,
    NoteRow, NoteSet, Part, Positions, Reads, Select, Status, Surroundings, TermGroup, Wanted,
    WordPlace, WordReader, unpacked_text_vector,
};
use kenning::vault::Skipped;
use kenning::words::Language;
use tokio_postgres::Row;

use crate::rows::{
    CHUNKS, NOTES, chunk_id, chunk_row, clean, digest, facts_columns, link_row, note_facts,
    note_id, note_row, stamp,
};
use crate::schema;
use crate::session::{Server, locked};
use crate::snapshot::{Link, State, once};
use crate::vectors;
use crate::words::{PgPostings, Words};

/// A snapshot of an index on a server.
pub(crate) struct PgStore {
    link: Arc<Link>,
    /// The words of the version that was asked last.
    words: Mutex<Option<KnownWords>>,
}

/// The words of a version.
type KnownWords = (Arc<State>, Arc<WordReader<PgPostings>>);

impl PgStore {
    pub(crate) fn open(server: &Arc<Server>) -> Result<Self> {
        let mut session = server.reader()?;
        match schema::check(server, &mut session) {
            // It may have been kept from before the server went away.
            Err(Error::StoreUnreachable { .. }) => {
                session = server.another_reader()?;
                schema::check(server, &mut session)?;
            }
            checked => checked?,
        }
        server.give_back(session);
        let store = Self {
            link: Arc::new(Link::new(server)),
            words: Mutex::default(),
        };
        store.link.begin()?;
        Ok(store)
    }

    fn state(&self) -> Result<Arc<State>> {
        self.link.begin()
    }

    fn words(&self) -> Result<Arc<WordReader<PgPostings>>> {
        let state = self.state()?;
        let mut words = locked(&self.words);
        match &*words {
            Some((known, reader)) if known.version() == state.version() => Ok(Arc::clone(reader)),
            _ => {
                let entries = once(&state.words, || self.read_words())?;
                let postings = PgPostings {
                    link: Arc::clone(&self.link),
                    state: Arc::clone(&state),
                    words: Arc::clone(&entries),
                };
                let reader = Arc::new(WordReader::new(postings, Arc::clone(&entries.entries)));
                *words = Some((state, Arc::clone(&reader)));
                Ok(reader)
            }
        }
    }

    fn read_words(&self) -> Result<Arc<Words>> {
        let rows = self.link.query(
            "SELECT note, n_terms, chunks, lengths FROM note_words ORDER BY note",
            &[],
        )?;
        Ok(Arc::new(Words::of(&rows)))
    }

    fn prefetch(&self, groups: &[TermGroup]) -> Result<()> {
        let exact = groups.iter().filter(|group| !group.is_prefix);
        let terms: Vec<&str> = exact
            .flat_map(|group| &group.terms)
            .map(String::as_str)
            .collect();
        self.words()?.postings().prefetch(&terms)
    }

    /// Returns what stands at a place of the word index, and in which language.
    fn said(&self, place: &WordPlace) -> Result<(String, Language)> {
        let note = self.notes(&[place.note])?.remove(0);
        let text = match place.chunk {
            Some(chunk) => {
                let chunk = self.chunks(By::Ids(&[chunk]))?.remove(0);
                self.text(chunk.note, &Part::Passage(chunk.range.clone()))?
            }
            None => note.spelled(),
        };
        Ok((text, note.language))
    }

    fn corrupt(&self, reason: &str) -> Error {
        Error::StoreCorrupt {
            path: self.link.server.name().to_owned(),
            reason: reason.to_owned(),
        }
    }

    fn count(&self, what: &str) -> Result<u64> {
        let rows = self
            .link
            .query(&format!("SELECT count(*) FROM {what}"), &[])?;
        Ok(rows[0].get::<_, i64>(0) as u64)
    }
}

fn id(note: NoteId) -> i32 {
    note.number() as i32
}

fn ids(chunks: &[ChunkId]) -> Vec<i32> {
    chunks.iter().map(|chunk| chunk.number() as i32).collect()
}

impl Reads for PgStore {
    fn meta(&self) -> Result<Arc<Meta>> {
        let state = self.state()?;
        once(&state.meta, || {
            let rows = self
                .link
                .query("SELECT key, value FROM meta WHERE value IS NOT NULL", &[])?;
            let mut facts: HashMap<String, String> =
                rows.iter().map(|row| (row.get(0), row.get(1))).collect();
            // Notes are counted at the end of a run, and what others have written so far is there already.
            if facts.contains_key("unfinished") {
                facts.insert("n_notes".to_owned(), self.count("note")?.to_string());
            }
            Ok(Arc::new(Meta::of(facts)))
        })
    }

    fn identity(&self) -> Result<Vec<u8>> {
        let version = self.state()?.version();
        let number = version.index.to_be_bytes();
        Ok([number, version.n_commits.to_be_bytes()].concat())
    }

    fn status(&self) -> Result<Status> {
        let meta = self.meta()?;
        let skipped = self
            .link
            .query("SELECT path, reason FROM skipped ORDER BY path", &[])?;
        let warnings = self.link.query(
            "SELECT path, (w ->> 0)::bigint, w ->> 1 FROM note, json_array_elements(warnings::json) AS w
             WHERE warnings IS NOT NULL ORDER BY path",
            &[],
        )?;
        let left_out = self
            .link
            .query("SELECT rule, path FROM left_out ORDER BY rule, path", &[])?;
        let attachments = self.link.query("SELECT path FROM attachment", &[])?;
        let paths: Vec<String> = attachments.iter().map(|row| row.get(0)).collect();
        Ok(Status {
            n_notes: self.count("note")?,
            n_chunks: self.count("chunk")?,
            n_chunks_without_vector: self.count("chunk WHERE vector IS NULL")?,
            n_links: self.count("link")?,
            n_masked: self.count("masked")?,
            left_out: left_out
                .iter()
                .map(|row| (row.get(0), row.get(1)))
                .collect(),
            attachments: kenning::store::kinds_of_files(&paths),
            model: meta.model.clone(),
            languages: meta.languages.clone(),
            checked_at: meta.checked_at,
            skipped: (skipped.iter())
                .map(|row| Skipped {
                    path: row.get(0),
                    reason: row.get(1),
                })
                .collect(),
            warnings: (warnings.iter())
                .map(|row| (row.get(0), row.get::<_, i64>(1) as u32, row.get(2)))
                .collect(),
        })
    }

    fn masked(&self) -> Result<Vec<Masked>> {
        let rows = self.link.query(
            "SELECT path, line, pattern FROM masked JOIN note ON note.id = masked.note ORDER BY path, line, pattern",
            &[],
        )?;
        let masked = |row: &Row| Masked {
            path: row.get(0),
            line: row.get::<_, i32>(1) as u32,
            pattern: row.get(2),
        };
        Ok(rows.iter().map(masked).collect())
    }

    fn select(&self, which: Select<'_>, wanted: Wanted) -> Result<Arc<Vec<NoteFacts>>> {
        let columns = facts_columns(wanted);
        let state = self.state()?;
        let facts = |rows: Vec<Row>| rows.iter().map(note_facts).collect::<Vec<_>>();
        match which {
            Select::Every => state.listings.get(&wanted, || {
                Ok(facts(
                    self.link
                        .query(&format!("{columns} ORDER BY note.id"), &[])?,
                ))
            }),
            Select::Newest(n) => {
                let sql = format!("{columns} ORDER BY mtime_ns DESC, note.path LIMIT $1");
                Ok(Arc::new(facts(self.link.query(&sql, &[&(n as i64)])?)))
            }
            Select::Notes(notes) => {
                let sql = format!(
                    "{columns} JOIN unnest($1::integer[]) WITH ORDINALITY AS asked (id, place) ON asked.id = note.id
                     ORDER BY place"
                );
                let notes: Vec<i32> = notes.iter().map(|note| id(*note)).collect();
                Ok(Arc::new(facts(self.link.query(&sql, &[&notes])?)))
            }
        }
    }

    fn lexical(
        &self,
        query: &LexicalQuery<'_>,
        within: &NoteSet,
        also: &[ChunkId],
        budget: &Budget,
    ) -> Result<LexicalResults> {
        self.prefetch(query.groups)?;
        // What cannot be read is no reason to find something else.
        let trouble = Cell::new(None);
        let said = |place: &WordPlace| {
            let said = self.said(place);
            said.map_err(|error| trouble.set(Some(error))).ok()
        };
        let asking = Asking {
            read: &said,
            budget,
        };
        let found = self.words()?.search(query, within, also, &asking)?;
        budget.check()?;
        trouble.take().map_or(Ok(found), Err)
    }

    fn nearest(&self, vector: &[f32], k: usize, within: &NoteSet) -> Result<Nearest> {
        let state = self.state()?;
        let notes: Vec<i32> = within.iter().map(id).collect();
        let n_notes = self.meta()?.n_notes as usize;
        vectors::nearest(&self.link, &state, vector, k, (within, &notes, n_notes))
    }

    fn cosines(&self, vector: &[f32], chunks: &[ChunkId]) -> Result<Vec<(ChunkId, f32)>> {
        vectors::cosines(&self.link, &*self.state()?, vector, &ids(chunks))
    }

    fn coder(&self) -> Result<Coder> {
        vectors::coder(&self.link, &*self.state()?)
    }

    fn coded_vectors(&self, chunks: &[ChunkId]) -> Result<Vec<(ChunkId, CodedVector)>> {
        vectors::coded(&self.link, &ids(chunks))
    }

    fn text_vectors(&self, keys: &[PassageKey]) -> Result<Vec<Option<Vec<f32>>>> {
        let wanted: Vec<&[u8]> = keys.iter().map(|key| &key.0[..]).collect();
        let rows = self.link.query(
            "SELECT data FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (key, place)
             LEFT JOIN text_vector USING (key) ORDER BY place",
            &[&wanted],
        )?;
        let vector = |row: &Row| {
            row.get::<_, Option<&[u8]>>(0)
                .and_then(unpacked_text_vector)
        };
        Ok(rows.iter().map(vector).collect())
    }

    fn lacks_text_vectors(&self, keys: &[PassageKey]) -> Result<Vec<bool>> {
        let wanted: Vec<&[u8]> = keys.iter().map(|key| &key.0[..]).collect();
        let rows = self.link.query(
            "SELECT text_vector.key IS NULL FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (key, place)
             LEFT JOIN text_vector ON text_vector.key = asked.key ORDER BY place",
            &[&wanted],
        )?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    fn chunk_ids(&self) -> Result<Vec<ChunkId>> {
        let rows = self.link.query("SELECT id FROM chunk ORDER BY id", &[])?;
        Ok(rows.iter().map(chunk_id).collect())
    }

    fn without_vector(&self) -> Result<Vec<ChunkId>> {
        let rows = self
            .link
            .query("SELECT id FROM chunk WHERE vector IS NULL ORDER BY id", &[])?;
        Ok(rows.iter().map(chunk_id).collect())
    }

    fn note_vectors(&self) -> Result<Vec<(NoteId, Vec<f32>)>> {
        self.state()?;
        vectors::note_means(&self.link)
    }

    fn positions(&self, groups: &[TermGroup], chunks: &[ChunkId]) -> Result<Vec<Positions>> {
        self.prefetch(groups)?;
        self.words()?.positions(groups, chunks)
    }

    fn has_term(&self, terms: &[String], language: Option<Language>) -> Result<bool> {
        let words = self.words()?;
        let Some(language) = language else {
            for term in terms {
                if words.is_said(term)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        };
        for term in terms {
            let notes: Vec<i32> = words.notes_saying(term)?.into_iter().map(id).collect();
            let rows = self.link.query(
                "SELECT 1 FROM note WHERE id = ANY($1) AND language = $2 LIMIT 1",
                &[&notes, &language.code()],
            )?;
            if !rows.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn notes(&self, wanted: &[NoteId]) -> Result<Vec<Arc<NoteRow>>> {
        let state = self.state()?;
        let missing: Vec<i32> = (wanted.iter())
            .filter(|note| state.notes.known(&note.number()).is_none())
            .map(|note| id(*note))
            .collect();
        let mut read = std::collections::HashMap::new();
        if !missing.is_empty() {
            for row in self.link.query(NOTES, &[&missing])? {
                let note = Arc::new(note_row(&row));
                state.notes.keep(&note.id.number(), &note);
                read.insert(note.id, note);
            }
        }
        let found = |note: &NoteId| {
            let read = read.get(note).cloned();
            read.or_else(|| state.notes.known(&note.number()))
                .ok_or_else(|| self.corrupt("a note that is pointed at is not there"))
        };
        wanted.iter().map(found).collect()
    }

    fn chunks(&self, by: By<'_>) -> Result<Vec<Arc<ChunkRow>>> {
        let shared = |rows: Vec<Row>| rows.iter().map(|row| Arc::new(chunk_row(row))).collect();
        match by {
            By::Ids(wanted) => self.chunks_by_id(wanted),
            By::Note(note) => {
                let sql = format!("{CHUNKS} WHERE note = $1 ORDER BY ordinal");
                self.link.query(&sql, &[&id(note)]).map(shared)
            }
            By::Handle(handle) => {
                let sql = format!("{CHUNKS} WHERE handle = $1 ORDER BY id");
                self.link.query(&sql, &[&i64::from(handle)]).map(shared)
            }
        }
    }

    fn text(&self, note: NoteId, part: &Part) -> Result<String> {
        let state = self.state()?;
        let text = state.texts.get(&note.number(), || {
            let rows = self.link.query(
                "SELECT text, own FROM note_text WHERE note = $1",
                &[&id(note)],
            )?;
            let row = rows
                .first()
                .ok_or_else(|| self.corrupt("a note has no text"))?;
            Ok::<_, Error>((row.get(0), row.get(1)))
        })?;
        let bytes = match part {
            Part::Whole => Some(&text.0[..]),
            Part::File => Some(text.1.as_deref().unwrap_or(&text.0)),
            Part::Passage(range) => text.0.get(range.clone()),
        };
        bytes
            .and_then(|bytes| String::from_utf8(bytes.to_vec()).ok())
            .ok_or_else(|| self.corrupt("a note's text is not where it should be"))
    }

    fn resolve(&self, name: Name<'_>) -> Result<Vec<Named>> {
        let rows = match name {
            Name::Path(path) => (self.link).query(
                "SELECT id, 0::smallint FROM note WHERE path = $1",
                &[&clean(path)],
            )?,
            Name::Key(key) => self.link.query(
                "SELECT note, rank FROM name JOIN note ON note.id = name.note WHERE key = $1
                 ORDER BY rank, path, note",
                &[&clean(key)],
            )?,
        };
        let named = |row: &Row| Named {
            note: note_id(row, 0),
            rank: row.get::<_, i16>(1) as u8,
        };
        Ok(rows.iter().map(named).collect())
    }

    fn links(&self, of: LinksOf<'_>) -> Result<Vec<LinkRow>> {
        let columns = "SELECT source, line, kind, target, anchor, shown FROM link";
        let rows = match of {
            LinksOf::Every => {
                (self.link).query(&format!("{columns} ORDER BY source, line, id"), &[])?
            }
            LinksOf::Note(note) => (self.link).query(
                &format!("{columns} WHERE source = $1 ORDER BY line, id"),
                &[&id(note)],
            )?,
            LinksOf::Target(_) => self
                .link
                .query(&format!("{columns} ORDER BY source, line"), &[])?,
        };
        let mut links: Vec<LinkRow> = rows.iter().map(link_row).collect();
        if let LinksOf::Target(name) = of {
            // Servers fold case by their own rules: it is done here, as everywhere else.
            let name = name.to_lowercase();
            links.retain(|link| link.target.to_lowercase().contains(&name));
        }
        Ok(links)
    }

    fn files(&self) -> Result<Vec<String>> {
        let rows = self.link.query(
            "SELECT path FROM (SELECT path FROM note UNION SELECT path FROM attachment) AS files ORDER BY path",
            &[],
        )?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    fn known(&self, which: Known) -> Result<Vec<KnownNote>> {
        let (n_before, n) = match which {
            Known::Every => (0, i64::MAX),
            Known::Window { n_before, n } => (n_before as i64, n as i64),
        };
        let rows = self.link.query(
            "SELECT path, size, mtime_ns, inode, ctime_ns, hash FROM note ORDER BY path LIMIT $2 OFFSET $1",
            &[&n_before, &n],
        )?;
        let known = |row: &Row| KnownNote {
            path: row.get(0),
            stamp: stamp(row, 1),
            hash: digest(row, 5),
        };
        Ok(rows.iter().map(known).collect())
    }

    fn folder_time(&self, folder: &str) -> Result<Option<i64>> {
        let rows = self.link.query(
            "SELECT mtime_ns FROM folder WHERE path = $1",
            &[&clean(folder)],
        )?;
        Ok(rows.first().map(|row| row.get(0)))
    }

    fn surroundings(&self) -> Result<Surroundings> {
        let pairs = |sql: &str| self.link.query(sql, &[]);
        let folders = pairs("SELECT path, mtime_ns FROM folder ORDER BY path")?;
        let committed = pairs("SELECT path, day FROM committed")?;
        let keys = pairs("SELECT key FROM text_vector ORDER BY key")?;
        Ok(Surroundings {
            folders: folders.iter().map(|row| (row.get(0), row.get(1))).collect(),
            committed: (committed.iter())
                .map(|row| (row.get(0), row.get(1)))
                .collect(),
            text_vectors: keys.iter().map(|row| PassageKey(digest(row, 0))).collect(),
        })
    }

    fn verify(&self) -> Result<Vec<String>> {
        let mut problems = Vec::new();
        for (what, sql) in CHECKS {
            let n = self.count(sql)?;
            if n > 0 {
                problems.push(format!("{n} {what}"));
            }
        }
        for note in self.select(Select::Every, Wanted::NAMES)?.iter() {
            if let Err(error) = self.text(note.id, &Part::Whole) {
                problems.push(format!("{}: {error}", note.path));
            }
        }
        Ok(problems)
    }

    fn rest(&self) {
        self.link.rest();
    }
}

impl Drop for PgStore {
    fn drop(&mut self) {
        self.link.rest();
    }
}

/// What there may not be, and where it would be.
const CHECKS: [(&str, &str); 4] = [
    (
        "notes are not in the word index",
        "note WHERE id NOT IN (SELECT note FROM note_words)",
    ),
    (
        "entries of the word index have no note",
        "note_words WHERE note NOT IN (SELECT id FROM note)",
    ),
    (
        "passages have no note",
        "chunk WHERE note NOT IN (SELECT id FROM note)",
    ),
    (
        "texts have no note",
        "note_text WHERE note NOT IN (SELECT id FROM note)",
    ),
];

impl PgStore {
    fn chunks_by_id(&self, wanted: &[ChunkId]) -> Result<Vec<Arc<ChunkRow>>> {
        let state = self.state()?;
        let missing: Vec<i32> = (wanted.iter())
            .filter(|chunk| state.chunks.known(&chunk.number()).is_none())
            .map(|chunk| chunk.number() as i32)
            .collect();
        let mut read = std::collections::HashMap::new();
        if !missing.is_empty() {
            let sql = format!("{CHUNKS} WHERE id = ANY($1)");
            for row in self.link.query(&sql, &[&missing])? {
                let chunk = Arc::new(chunk_row(&row));
                state.chunks.keep(&chunk.id.number(), &chunk);
                read.insert(chunk.id, chunk);
            }
        }
        let found = |chunk: &ChunkId| {
            let read = read.get(chunk).cloned();
            read.or_else(|| state.chunks.known(&chunk.number()))
                .ok_or_else(|| self.corrupt("a passage that is pointed at is not there"))
        };
        wanted.iter().map(found).collect()
    }
}
