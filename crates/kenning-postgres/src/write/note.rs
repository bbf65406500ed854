//! Writing notes: a batch of them as a few statements, each for all of them.

use std::collections::HashMap;

use kenning::note::para;
use kenning::store::{Coder, EncodedNote, VectorSum, columns};

use crate::rows::clean;
use crate::session::Session;
use crate::vectors::{text_of, values_of};
use crate::words::{NoteTerms, terms_of};

/// Marks the locks of single notes.
const NOTES: i32 = 0x4B45_4E4E;

/// Notes that are written together.
pub(super) struct Batch<'a> {
    notes: &'a [EncodedNote],
    paths: Vec<String>,
    terms: Vec<NoteTerms>,
    /// Scale and vector of each chunk of each note; nothing where there is none yet.
    vectors: Vec<Vec<Option<(f32, String)>>>,
    sum: VectorSum,
}

/// A link as it is compared: where it leads, and what it shows.
type Leads = (String, Option<String>);

impl<'a> Batch<'a> {
    pub(super) fn of(notes: &'a [EncodedNote], coder: &Coder) -> Self {
        let mut sum = VectorSum::default();
        let vectors = notes.iter().map(|note| vectors_of(note, coder, &mut sum));
        Self {
            vectors: vectors.collect(),
            paths: notes
                .iter()
                .map(|note| clean(&note.prepared.path))
                .collect(),
            terms: notes.iter().map(terms_of).collect(),
            notes,
            sum,
        }
    }

    /// Lists the terms, by field.
    pub(super) fn listed_terms(&self) -> Vec<(i16, String)> {
        let fields = self.terms.iter().flat_map(|terms| &terms.fields);
        fields.cloned().collect()
    }

    /// Writes all of them, replacing what was known of their paths; returns whether they link as before.
    pub(super) fn write(
        &self,
        session: &mut Session,
        domain: Option<&str>,
    ) -> Result<bool, tokio_postgres::Error> {
        lock(session, domain, &self.paths)?;
        let rows = session.query(
            "SELECT path, id FROM note WHERE path = ANY($1)",
            &[&self.paths],
        )?;
        let known: HashMap<String, i32> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        let known_ids: Vec<i32> = known.values().copied().collect();
        let is_same = known.len() == self.notes.len() && self.links_as_before(session, &known)?;
        let mut sum = self.sum.clone();
        let free = release(session, &known_ids, &mut sum)?;
        let ids = self.write_rows(session)?;
        let chunks = self.take_chunk_ids(session, free)?;
        self.write_chunks(session, &ids, &chunks)?;
        self.write_words(session, &ids, &chunks)?;
        self.write_details(session, &ids)?;
        super::add_sum(session, &sum)?;
        Ok(is_same)
    }

    fn links_as_before(
        &self,
        session: &mut Session,
        known: &HashMap<String, i32>,
    ) -> Result<bool, tokio_postgres::Error> {
        let ids: Vec<i32> = known.values().copied().collect();
        let rows = session.query(
            "SELECT source, target, shown FROM link WHERE source = ANY($1) ORDER BY id",
            &[&ids],
        )?;
        let mut before: HashMap<i32, Vec<Leads>> = HashMap::new();
        for row in &rows {
            before
                .entry(row.get(0))
                .or_default()
                .push((row.get(1), row.get(2)));
        }
        let is_same = |(path, note): (&String, &EncodedNote)| {
            let links = note.prepared.note.links.iter();
            let now: Vec<Leads> = links
                .map(|link| (clean(&link.target), link.shown.as_deref().map(clean)))
                .collect();
            let before = known.get(path).and_then(|id| before.get(id));
            before.map_or(now.is_empty(), |before| *before == now)
        };
        Ok(self.paths.iter().zip(self.notes).all(is_same))
    }

    /// Writes the rows of the notes themselves; returns their ids.
    fn write_rows(&self, session: &mut Session) -> Result<Vec<i32>, tokio_postgres::Error> {
        let mut ids = Vec::with_capacity(self.notes.len());
        for (path, encoded) in self.paths.iter().zip(self.notes) {
            ids.push(write_row(session, path, encoded)?);
        }
        let texts: Vec<&[u8]> = (self.notes.iter())
            .map(|note| note.prepared.note.text.as_bytes())
            .collect();
        let own: Vec<Option<&[u8]>> = (self.notes.iter())
            .map(|note| note.prepared.note.own.as_deref().map(str::as_bytes))
            .collect();
        session.execute(
            "INSERT INTO note_text (note, text, own) SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bytea[])",
            &[&ids, &texts, &own],
        )?;
        Ok(ids)
    }

    /// Returns an id for each chunk of each note: those that became free, then others that are, then new ones.
    fn take_chunk_ids(
        &self,
        session: &mut Session,
        mut free: Vec<i32>,
    ) -> Result<Vec<Vec<i32>>, tokio_postgres::Error> {
        let n_wanted: usize = self
            .notes
            .iter()
            .map(|note| note.prepared.chunks.len())
            .sum();
        if free.len() > n_wanted {
            let left = free.split_off(n_wanted);
            session.execute(
                "INSERT INTO free_chunk (id) SELECT * FROM unnest($1::integer[]) ON CONFLICT DO NOTHING",
                &[&left],
            )?;
        }
        let take = |session: &mut Session, sql: &str, n: usize| {
            let rows = session.query(sql, &[&(n as i64)])?;
            let ids = rows.iter().map(|row| row.get::<_, i32>(0));
            Ok::<Vec<i32>, tokio_postgres::Error>(ids.collect())
        };
        if free.len() < n_wanted {
            // Ids that another writer is about to take are passed over.
            let sql = "DELETE FROM free_chunk WHERE id IN
                (SELECT id FROM free_chunk ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING id";
            let n = n_wanted - free.len();
            free.extend(take(session, sql, n)?);
        }
        if free.len() < n_wanted {
            let sql = "SELECT nextval('chunk_id')::integer FROM generate_series(1, $1::bigint)";
            let n = n_wanted - free.len();
            free.extend(take(session, sql, n)?);
        }
        free.sort_unstable();
        let mut free = free.into_iter();
        let of_note = |note: &EncodedNote| free.by_ref().take(note.prepared.chunks.len()).collect();
        Ok(self.notes.iter().map(of_note).collect())
    }

    fn write_chunks(
        &self,
        session: &mut Session,
        ids: &[i32],
        chunks: &[Vec<i32>],
    ) -> Result<(), tokio_postgres::Error> {
        let mut rows = ChunkColumns::default();
        for (index, note) in self.notes.iter().enumerate() {
            for (ordinal, id) in chunks[index].iter().enumerate() {
                rows.add(
                    ids[index],
                    ordinal,
                    *id,
                    note,
                    &self.vectors[index][ordinal],
                );
            }
        }
        rows.write(session)
    }

    fn write_words(
        &self,
        session: &mut Session,
        ids: &[i32],
        chunks: &[Vec<i32>],
    ) -> Result<(), tokio_postgres::Error> {
        let (mut terms, mut notes, mut data) = (Vec::new(), Vec::new(), Vec::new());
        for (index, note) in self.notes.iter().enumerate() {
            let of_note: Vec<&str> = self.terms[index].rows.keys().map(String::as_str).collect();
            let lengths = note
                .prepared
                .chunks
                .iter()
                .map(|chunk| chunk.n_terms as i32);
            let lengths: Vec<i32> = lengths.collect();
            session.execute(
                "INSERT INTO note_words (note, n_terms, chunks, lengths, terms) VALUES ($1, $2, $3, $4, $5)",
                &[&ids[index], &lengths.iter().sum::<i32>(), &chunks[index], &lengths, &of_note],
            )?;
            for (term, row) in &self.terms[index].rows {
                terms.push(term.as_str());
                notes.push(ids[index]);
                data.push(row.as_slice());
            }
        }
        session.execute(
            "INSERT INTO posting (term, note, data) SELECT * FROM unnest($1::text[], $2::integer[], $3::bytea[])",
            &[&terms, &notes, &data],
        )?;
        Ok(())
    }

    /// Writes names, links and what was masked.
    fn write_details(
        &self,
        session: &mut Session,
        ids: &[i32],
    ) -> Result<(), tokio_postgres::Error> {
        let all = || ids.iter().zip(self.notes);
        let names =
            || all().flat_map(|(id, note)| note.prepared.names.iter().map(move |name| (id, name)));
        let notes: Vec<i32> = names().map(|(id, _)| *id).collect();
        let keys: Vec<String> = names().map(|(_, (_, key))| clean(key)).collect();
        let ranks: Vec<i16> = names().map(|(_, (rank, _))| i16::from(*rank)).collect();
        session.execute(
            "INSERT INTO name (key, note, rank) SELECT * FROM unnest($1::text[], $2::integer[], $3::smallint[])
             ON CONFLICT DO NOTHING",
            &[&keys, &notes, &ranks],
        )?;
        let links = || {
            all().flat_map(|(id, note)| note.prepared.note.links.iter().map(move |link| (id, link)))
        };
        let sources: Vec<i32> = links().map(|(id, _)| *id).collect();
        let lines: Vec<i32> = links().map(|(_, link)| link.line as i32).collect();
        let kinds: Vec<i16> = links().map(|(_, link)| link.kind as i16).collect();
        let targets: Vec<String> = links().map(|(_, link)| clean(&link.target)).collect();
        let anchors: Vec<Option<String>> = links()
            .map(|(_, link)| link.anchor.as_deref().map(clean))
            .collect();
        let shown: Vec<Option<String>> = links()
            .map(|(_, link)| link.shown.as_deref().map(clean))
            .collect();
        session.execute(
            "INSERT INTO link (source, line, kind, target, anchor, shown)
             SELECT source, line, kind, target, anchor, shown
             FROM unnest($1::integer[], $2::integer[], $3::smallint[], $4::text[], $5::text[], $6::text[])
                WITH ORDINALITY AS s (source, line, kind, target, anchor, shown, place) ORDER BY place",
            &[&sources, &lines, &kinds, &targets, &anchors, &shown],
        )?;
        let masked = || {
            all().flat_map(|(id, note)| note.prepared.masked.iter().map(move |found| (id, found)))
        };
        let notes: Vec<i32> = masked().map(|(id, _)| *id).collect();
        let lines: Vec<i32> = masked().map(|(_, (line, _))| *line as i32).collect();
        let patterns: Vec<String> = masked().map(|(_, (_, pattern))| clean(pattern)).collect();
        session.execute(
            "INSERT INTO masked (note, line, pattern) SELECT * FROM unnest($1::integer[], $2::integer[], $3::text[])",
            &[&notes, &lines, &patterns],
        )?;
        Ok(())
    }
}

/// Waits until no other writer is at these notes, in an order in which two cannot wait for each other.
/// Without a domain, there is no other writer.
fn lock(
    session: &mut Session,
    domain: Option<&str>,
    paths: &[String],
) -> Result<(), tokio_postgres::Error> {
    let Some(domain) = domain else {
        return Ok(());
    };
    session.execute(
        "SELECT pg_advisory_xact_lock($1, number) FROM
            (SELECT DISTINCT hashtext($2 || '/' || path) AS number FROM unnest($3::text[]) AS path ORDER BY 1) AS locks",
        &[&NOTES, &domain, &paths],
    )?;
    Ok(())
}

/// Takes away what hangs on some notes; returns the ids of chunks that became free, and takes their vectors out of
/// the sum.
fn release(
    session: &mut Session,
    notes: &[i32],
    sum: &mut VectorSum,
) -> Result<Vec<i32>, tokio_postgres::Error> {
    if notes.is_empty() {
        return Ok(Vec::new());
    }
    let rows = session.query(
        "DELETE FROM chunk WHERE note = ANY($1) RETURNING id, scale, vector::real[]",
        &[&notes],
    )?;
    for row in &rows {
        if let (Some(scale), Some(kept)) = (
            row.get::<_, Option<f32>>(1),
            row.get::<_, Option<Vec<f32>>>(2),
        ) {
            sum.count_values(scale, &values_of(scale, &kept), -1);
        }
    }
    for sql in [
        "DELETE FROM posting USING (SELECT note, unnest(terms) AS term FROM note_words WHERE note = ANY($1)) AS gone
         WHERE posting.term = gone.term AND posting.note = gone.note",
        "DELETE FROM note_words WHERE note = ANY($1)",
        "DELETE FROM note_text WHERE note = ANY($1)",
        "DELETE FROM name WHERE note = ANY($1)",
        "DELETE FROM link WHERE source = ANY($1)",
        "DELETE FROM masked WHERE note = ANY($1)",
    ] {
        session.execute(sql, &[&notes])?;
    }
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Removes every trace of a note; returns whether there was one.
pub(super) fn remove(
    session: &mut Session,
    domain: Option<&str>,
    path: &str,
) -> Result<bool, tokio_postgres::Error> {
    lock(session, domain, &[path.to_owned()])?;
    let rows = session.query("DELETE FROM note WHERE path = $1 RETURNING id", &[&path])?;
    let ids: Vec<i32> = rows.iter().map(|row| row.get(0)).collect();
    let mut sum = VectorSum::default();
    let free = release(session, &ids, &mut sum)?;
    session.execute(
        "INSERT INTO free_chunk (id) SELECT * FROM unnest($1::integer[]) ON CONFLICT DO NOTHING",
        &[&free],
    )?;
    super::add_sum(session, &sum)?;
    Ok(!ids.is_empty())
}

fn vectors_of(
    note: &EncodedNote,
    coder: &Coder,
    sum: &mut VectorSum,
) -> Vec<Option<(f32, String)>> {
    let codes = note.codes.chunks_exact(coder.code_bytes());
    let rows = note.rows.chunks_exact(coder.row_bytes());
    let vectors = codes.zip(rows).zip(&note.has_vector);
    vectors
        .map(|((code, row), has_vector)| {
            let (scale, values) = coder.unpacked(code, row);
            has_vector.then(|| {
                sum.count_values(scale, &values, 1);
                (
                    scale,
                    text_of(values.iter().map(|value| f32::from(*value) * scale)),
                )
            })
        })
        .collect()
}

/// The columns of many chunks.
#[derive(Default)]
struct ChunkColumns {
    ids: Vec<i32>,
    notes: Vec<i32>,
    ordinals: Vec<i32>,
    headings: Vec<Option<i32>>,
    starts: Vec<i64>,
    ends: Vec<i64>,
    start_lines: Vec<i32>,
    end_lines: Vec<i32>,
    pages: Vec<Option<i32>>,
    pictures: Vec<Option<String>>,
    handles: Vec<i64>,
    prints: Vec<i64>,
    first_prints: Vec<i64>,
    last_prints: Vec<i64>,
    pieces: Vec<Vec<u8>>,
    scales: Vec<Option<f32>>,
    vectors: Vec<Option<String>>,
}

impl ChunkColumns {
    fn add(
        &mut self,
        note: i32,
        ordinal: usize,
        id: i32,
        encoded: &EncodedNote,
        vector: &Option<(f32, String)>,
    ) {
        let record = &encoded.prepared.chunks[ordinal];
        let chunk = &record.chunk;
        self.ids.push(id);
        self.notes.push(note);
        self.ordinals.push(ordinal as i32);
        self.headings
            .push(chunk.heading.map(|heading| heading as i32));
        self.starts.push(chunk.range.start as i64);
        self.ends.push(chunk.range.end as i64);
        self.start_lines.push(chunk.start_line as i32);
        self.end_lines.push(chunk.end_line as i32);
        self.pages.push(chunk.page.map(|page| page as i32));
        self.pictures.push(chunk.picture.as_deref().map(clean));
        self.handles.push(i64::from(record.handle));
        self.prints.push(record.prints.whole);
        self.first_prints.push(i64::from(record.prints.first));
        self.last_prints.push(i64::from(record.prints.last));
        self.pieces.push(encoded.pieces[ordinal].clone());
        self.scales.push(vector.as_ref().map(|(scale, _)| *scale));
        self.vectors
            .push(vector.as_ref().map(|(_, text)| text.clone()));
    }

    fn write(&self, session: &mut Session) -> Result<(), tokio_postgres::Error> {
        session.execute(
            "INSERT INTO chunk (id, note, ordinal, heading, start_byte, end_byte, start_line, end_line, page, handle,
                print, first_print, last_print, pieces, scale, vector, picture)
             SELECT id, note, ordinal, heading, start_byte, end_byte, start_line, end_line, page, handle, print,
                first_print, last_print, pieces, scale, vector::halfvec, picture
             FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[], $5::bigint[], $6::bigint[],
                $7::integer[], $8::integer[], $9::integer[], $10::bigint[], $11::bigint[], $12::bigint[],
                $13::bigint[], $14::bytea[], $15::real[], $16::text[], $17::text[])
                AS s (id, note, ordinal, heading, start_byte, end_byte, start_line, end_line, page, handle, print,
                    first_print, last_print, pieces, scale, vector, picture)",
            &[
                &self.ids,
                &self.notes,
                &self.ordinals,
                &self.headings,
                &self.starts,
                &self.ends,
                &self.start_lines,
                &self.end_lines,
                &self.pages,
                &self.handles,
                &self.prints,
                &self.first_prints,
                &self.last_prints,
                &self.pieces,
                &self.scales,
                &self.vectors,
                &self.pictures,
            ],
        )?;
        Ok(())
    }
}

/// Writes the row of a note, over the one that its path had; what links say of it stays.
fn write_row(
    session: &mut Session,
    path: &str,
    encoded: &EncodedNote,
) -> Result<i32, tokio_postgres::Error> {
    let record = &encoded.prepared;
    let (note, facts, stamp) = (&record.note, &record.note.facts, &record.stamp);
    let (category, area) = para(path);
    let text = |text: Option<String>| text.map(|text| clean(&text));
    let own = |text: &Option<String>| text.as_deref().map(clean);
    let (date, date_source) = match &record.date {
        Some((date, source)) => (Some(clean(date)), Some(source.as_ref())),
        None => (None, None),
    };
    let rows = session.query(
        WRITE_ROW,
        &[
            &path,
            &record.is_named_by_file,
            &clean(&note.title),
            &record.format.name(),
            &note.language.code(),
            &own(&facts.kind),
            &columns::memory_type(record),
            &own(&facts.status),
            &category,
            &area,
            &text(columns::list(&note.tags)),
            &text(columns::list(&note.aliases)),
            &text(columns::properties(note)),
            &own(&facts.summary),
            &own(&facts.author),
            &own(&facts.published),
            &own(&facts.created),
            &own(&facts.modified),
            &date,
            &date_source,
            &facts.evergreen,
            &own(&facts.superseded_by),
            &text(columns::headings(note)),
            &(encoded.n_lines as i32),
            &(stamp.size as i64),
            &stamp.mtime_ns,
            &(stamp.inode as i64),
            &stamp.ctime_ns,
            &&record.hash[..],
            &text(columns::warnings(&record.warnings)),
            &note.own.is_some(),
        ],
    )?;
    Ok(rows[0].get(0))
}

const WRITE_ROW: &str = "INSERT INTO note (path, named_by_file, title, format, language, kind, memory_type, status,
        category, area, tags, aliases, properties, summary, author, published, created, modified, date, date_source,
        evergreen, superseded_by, headings, n_lines, size, mtime_ns, inode, ctime_ns, hash, warnings, is_extracted)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
        $24, $25, $26, $27, $28, $29, $30, $31)
    ON CONFLICT (path) DO UPDATE SET (named_by_file, title, format, language, kind, memory_type, status, category, area,
        tags, aliases, properties, summary, author, published, created, modified, date, date_source, evergreen,
        superseded_by, headings, n_lines, size, mtime_ns, inode, ctime_ns, hash, warnings, is_extracted)
    = (excluded.named_by_file, excluded.title, excluded.format, excluded.language, excluded.kind,
        excluded.memory_type, excluded.status, excluded.category, excluded.area, excluded.tags, excluded.aliases,
        excluded.properties, excluded.summary, excluded.author, excluded.published, excluded.created,
        excluded.modified, excluded.date, excluded.date_source, excluded.evergreen, excluded.superseded_by,
        excluded.headings, excluded.n_lines, excluded.size, excluded.mtime_ns, excluded.inode, excluded.ctime_ns,
        excluded.hash, excluded.warnings, excluded.is_extracted)
    RETURNING id";
