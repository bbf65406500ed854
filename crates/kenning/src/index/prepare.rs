//! One file into everything that is to be kept of it. Runs on worker threads, touches no store.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::chunk::{self, CONTEXT_BYTES_MAX, Chunk, Context};
use crate::embed::{self, Embedder};
use crate::error::Result;
use crate::extract::{Kind, Reader};
use crate::index::IndexContext;
use crate::index::pictures::{self, Pictures, Read};
use crate::index::understand::Understood;
use crate::note::{self, Format, Note, PropertyType};
use crate::secrets;
use crate::store::{
    DATE_FROM_FILE, DATE_FROM_GIT, Encoded, Encoder, PreparedChunk, PreparedNote, Terms, day_of_ns,
};
use crate::vault::{Found, Skipped, Source, Stamp};
use crate::words::{self, Stems};

/// What became of a file.
pub(super) enum Outcome {
    /// It is new or changed.
    Taken(Taken),
    /// Only its stamp changed.
    Same { path: String, stamp: Stamp },
    /// It could not be read.
    Unreadable(Skipped),
}

/// What is to be said of a note that was taken.
pub(super) struct Taken {
    pub(super) path: String,
    pub(super) is_new: bool,
    /// Whether it has pictures that wait to be read.
    pub(super) is_unread: bool,
    pub(super) n_bytes: u64,
    pub(super) n_chunks: usize,
    pub(super) warnings: Vec<(String, u32, String)>,
    pub(super) masked: Vec<(String, u32, Cow<'static, str>)>,
}

/// Files that were prepared together.
pub(super) struct Group {
    pub(super) outcomes: Vec<Outcome>,
    pub(super) notes: Encoded,
}

/// What comes of the files of a group, piece by piece.
#[derive(Default)]
struct Batch {
    notes: Vec<PreparedNote>,
    /// What is embedded of them, chunk by chunk.
    texts: Vec<String>,
}

/// What all workers share.
pub(super) struct Tools<'a> {
    pub(super) source: &'a dyn Source,
    pub(super) reader: &'a dyn Reader,
    pub(super) pictures: &'a Pictures,
    embedder: &'a dyn Embedder,
    profile: chunk::Profile,
    encoder: &'a Encoder,
    known: &'a HashMap<String, (Stamp, [u8; 16])>,
    committed: &'a HashMap<String, String>,
    /// Every note is taken, changed or not.
    pub(super) is_full: bool,
}

impl<'a> Tools<'a> {
    pub(super) fn new(
        cx: &IndexContext<'a>,
        encoder: &'a Encoder,
        known: &'a HashMap<String, (Stamp, [u8; 16])>,
        committed: &'a HashMap<String, String>,
        pictures: &'a Pictures,
    ) -> Self {
        Self {
            source: cx.source,
            reader: cx.reader,
            pictures,
            embedder: cx.embedder,
            profile: cx.options.profile,
            encoder,
            known,
            committed,
            is_full: false,
        }
    }
}

thread_local! {
    static STEMS: RefCell<Stems> = RefCell::default();
}

/// Prepares a group of files; their chunks are embedded together.
pub(super) fn group(tools: &Tools<'_>, files: &[&Found]) -> Result<Group> {
    let mut batch = Batch::default();
    let mut outcomes = Vec::with_capacity(files.len());
    for file in files {
        let n_texts = batch.texts.len();
        // One file that finds a fault of ours must not cost the others.
        let prepared = catch_unwind(AssertUnwindSafe(|| {
            let mut stems = STEMS.take();
            let outcome = outcome(tools, file, &mut stems, &mut batch);
            STEMS.set(stems);
            outcome
        }));
        outcomes.push(prepared.unwrap_or_else(|_| {
            batch.texts.truncate(n_texts);
            let reason = "reading it failed by a fault of ours; please report it";
            unreadable(file, reason.to_owned())
        }));
    }
    let notes = tools.encoder.encode(embedded(tools, batch)?)?;
    Ok(Group { outcomes, notes })
}

fn outcome(tools: &Tools<'_>, file: &Found, stems: &mut Stems, batch: &mut Batch) -> Outcome {
    let bytes = match tools.source.read(&file.path) {
        Ok(bytes) => bytes,
        Err(reason) => return unreadable(file, reason),
    };
    let n_bytes = bytes.len() as u64;
    let mut hash = [0; 16];
    hash.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..16]);
    let known = tools.known.get(&file.path).filter(|_| !tools.is_full);
    let is_again = tools.pictures.again.contains(&file.path);
    if known.is_some_and(|(_, known)| *known == hash) && !is_again {
        return Outcome::Same {
            path: file.path.clone(),
            stamp: file.stamp,
        };
    }
    let read = match pictures::read(tools, &file.path, bytes) {
        Ok(read) => read,
        Err(reason) => return unreadable(file, reason),
    };
    let is_unread = read.understood.is_unread;
    let note = prepared(tools, file, hash, read, stems, &mut batch.texts);
    let path = || note.path.clone();
    let warnings = (note.warnings.iter()).map(|w| (path(), w.line, w.message.clone()));
    let masked = (note.masked.iter()).map(|(line, pattern)| (path(), *line, pattern.clone()));
    let taken = Taken {
        path: path(),
        is_unread,
        is_new: known.is_none(),
        n_bytes,
        n_chunks: note.chunks.len(),
        warnings: warnings.collect(),
        masked: masked.collect(),
    };
    batch.notes.push(note);
    Outcome::Taken(taken)
}

fn unreadable(file: &Found, reason: String) -> Outcome {
    Outcome::Unreadable(Skipped {
        path: file.path.clone(),
        reason,
    })
}

fn prepared(
    tools: &Tools<'_>,
    file: &Found,
    hash: [u8; 16],
    read: Read,
    stems: &mut Stems,
    texts: &mut Vec<String>,
) -> PreparedNote {
    let Understood {
        format,
        mut note,
        warnings,
        mut masked,
        ..
    } = read.understood;
    masked.splice(..0, secrets::in_name(&file.path));
    let mut chunks = chunk::chunk(&note, tools.profile);
    chunks.extend(pictures::append(&mut note, read.shown, tools.profile));
    if chunks.is_empty() {
        chunks.push(empty_chunk(&note));
    }
    let mut chunks = chunks
        .into_iter()
        .map(|chunk| {
            if !tools.embedder.is_slow() {
                texts.push(passage_text(&note, &chunk));
            }
            prepared_chunk(&file.path, format, &note, chunk, stems)
        })
        .collect::<Vec<_>>();
    tell_apart(chunks.iter_mut().map(|chunk| &mut chunk.handle));
    let names_by_file = tools.source.names_by_file();
    PreparedNote {
        stamp: file.stamp,
        hash,
        format,
        date: date(tools, file, &note),
        is_named_by_file: names_by_file,
        names: names(&file.path, &note, names_by_file),
        terms: note_terms(&file.path, &note, names_by_file, stems),
        chunks,
        warnings,
        masked: (masked.into_iter())
            .map(|finding| (finding.line, finding.pattern.into()))
            .collect(),
        path: file.path.clone(),
        note,
    }
}

/// A note without a body is still found by its names.
fn empty_chunk(note: &Note) -> Chunk {
    let start = note.body_start.min(note.text.len());
    Chunk {
        range: start..start,
        start_line: 1,
        end_line: note.n_lines().max(1),
        heading: None,
        page: None,
        picture: None,
    }
}

/// A passage with everything that follows from its text.
pub(super) fn prepared_chunk(
    path: &str,
    format: Format,
    note: &Note,
    chunk: Chunk,
    stems: &mut Stems,
) -> PreparedChunk {
    let text = &note.text[chunk.range.clone()];
    let mut text_terms = String::with_capacity(text.len());
    let mut n_terms = words::push_terms(text, note.language, stems, &mut text_terms);
    if matches!(format, Format::Other(Kind::Code | Kind::Notebook)) {
        n_terms += words::push_name_parts(text, note.language, stems, &mut text_terms);
    }
    let mut compound_terms = String::new();
    if note.language.joins_words() {
        words::push_compounds(&text_terms, &mut compound_terms);
        words::push_doers(text, note.language, &mut compound_terms);
    }
    let mut section_terms = String::new();
    for heading in chunk::heading_path(&note.headings, chunk.heading) {
        let heading = &heading[..heading.floor_char_boundary(CONTEXT_BYTES_MAX)];
        words::push_terms(heading, note.language, stems, &mut section_terms);
    }
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(path.as_bytes())
        .update(&[0])
        .update(text.as_bytes());
    PreparedChunk {
        handle: first_u32(&hasher.finalize()),
        prints: chunk::prints(text),
        chunk,
        text_terms,
        section_terms,
        compound_terms,
        n_terms,
        vector: None,
        pieces: Vec::new(),
    }
}

/// Gives equal passages of one note different handles.
fn tell_apart<'a>(handles: impl Iterator<Item = &'a mut u32>) {
    let (mut taken, mut counts) = (HashSet::new(), HashMap::new());
    for handle in handles {
        // Counting on from the equal passage before, no passage passes all the others again.
        let own = *handle;
        let count: &mut u64 = counts.entry(own).or_default();
        while !taken.insert(*handle) {
            *count += 1;
            let bytes = ((u64::from(own) << 32) | *count).to_le_bytes();
            *handle = first_u32(&blake3::hash(&bytes));
        }
    }
}

fn first_u32(hash: &blake3::Hash) -> u32 {
    let bytes = hash.as_bytes();
    u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// The names of a note, as keys.
pub(super) fn names(path: &str, note: &Note, by_file: bool) -> Vec<(u8, String)> {
    let mut names = Vec::new();
    if by_file {
        names.push((0, words::name_key(note::file_stem(path))));
    }
    names.extend(note.aliases.iter().map(|alias| (1, words::name_key(alias))));
    names.push((2, words::name_key(&note.title)));
    names.retain(|(_, key)| !key.is_empty());
    let stems: Vec<(u8, String)> = names
        .iter()
        .map(|(rank, name)| (*rank, words::name_stems(name, note.language)))
        .collect();
    names.extend(stems);
    names
}

/// The terms of everything a person sees of a note but its text.
pub(super) fn note_terms(path: &str, note: &Note, by_file: bool, stems: &mut Stems) -> Terms {
    let mut terms = Terms::default();
    let mut doers = String::new();
    let mut push = |text: &str, out: &mut String| {
        words::push_terms(text, note.language, stems, out);
        if note.language.joins_words() {
            words::push_doers(text, note.language, &mut doers);
        }
    };
    let stem = note::file_stem(path);
    if by_file {
        push(stem, &mut terms.file_name);
        if let Some((folders, _)) = path.rsplit_once('/') {
            push(folders, &mut terms.area);
        }
    }
    // What is said twice is still one name.
    if !by_file || stem != note.title {
        push(&note.title, &mut terms.title);
    }
    note.aliases
        .iter()
        .for_each(|alias| push(alias, &mut terms.aliases));
    note.tags.iter().for_each(|tag| push(tag, &mut terms.tags));
    for (key, value) in &note.properties {
        match key.to_ascii_lowercase().as_str() {
            "tags" | "tag" | "aliases" | "alias" | "title" => {}
            "summary" | "description" => {
                push_value(value, &mut |text| push(text, &mut terms.summary));
            }
            _ => {
                if is_telling(value) {
                    push(key, &mut terms.properties);
                }
                push_value(value, &mut |text| push(text, &mut terms.properties));
            }
        }
    }
    if let Some(author) = &note.facts.author
        && note.properties.is_empty()
    {
        push(author, &mut terms.properties);
    }
    if note.language.joins_words() {
        push_compounds(&mut terms);
        terms.compounds.push_str(&doers);
    }
    terms
}

fn push_compounds(terms: &mut Terms) {
    let Terms {
        title,
        file_name,
        aliases,
        tags,
        area,
        summary,
        properties,
        compounds,
    } = terms;
    for field in [title, file_name, aliases, tags, area, summary, properties] {
        words::push_compounds(field, compounds);
    }
}

/// Whether the name of a property belongs to what it says: "author: Ada" is about an author, while
/// "publish: true" is a switch.
fn is_telling(value: &serde_json::Value) -> bool {
    !matches!(
        PropertyType::of(value),
        PropertyType::Empty | PropertyType::Checkbox | PropertyType::Date | PropertyType::DateTime
    )
}

/// Hands every text inside a property to `push`.
fn push_value(value: &serde_json::Value, push: &mut dyn FnMut(&str)) {
    match value {
        serde_json::Value::String(text) => push(text),
        serde_json::Value::Number(number) => push(&number.to_string()),
        serde_json::Value::Array(values) => values.iter().for_each(|value| push_value(value, push)),
        serde_json::Value::Object(map) => map.values().for_each(|value| push_value(value, push)),
        _ => {}
    }
}

/// The date of a note: what it says itself, then its file name, then git, then the file's time.
fn date(tools: &Tools<'_>, file: &Found, note: &Note) -> Option<(String, Cow<'static, str>)> {
    let facts = &note.facts;
    if let Some(date) = facts
        .published
        .as_ref()
        .or(facts.created.as_ref())
        .or(facts.modified.as_ref())
    {
        return Some((date.clone(), "front matter".into()));
    }
    if let Some(date) = note::date_of_path(&file.path) {
        return Some((date, "file name".into()));
    }
    if let Some(day) = tools.committed.get(&file.path) {
        return Some((day.clone(), DATE_FROM_GIT.into()));
    }
    file_date(file.stamp).map(|date| (date, DATE_FROM_FILE.into()))
}

/// The day a file was last written on.
pub(super) fn file_date(stamp: Stamp) -> Option<String> {
    day_of_ns(stamp.mtime_ns).map(|day| day.to_string())
}

/// What is embedded of a chunk.
fn passage_text(note: &Note, chunk: &Chunk) -> String {
    let context = Context {
        title: &note.title,
        headings: &note.headings,
        tags: &note.tags,
        summary: note.facts.summary.as_deref(),
    };
    context.text(chunk.heading, &note.text[chunk.range.clone()])
}

/// Embeds the texts of a group at once and hands the vectors out to their notes. What a model elsewhere makes of
/// them comes when the notes are stored.
fn embedded(tools: &Tools<'_>, batch: Batch) -> Result<Vec<PreparedNote>> {
    let Batch { mut notes, texts } = batch;
    if tools.embedder.is_slow() {
        return Ok(notes);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let dimensions = tools.embedder.id().dimensions;
    let embedded = embed::passages(tools.embedder, &texts)?;
    let rows = embedded.rows.chunks_exact(dimensions);
    let chunks = notes.iter_mut().flat_map(|note| &mut note.chunks);
    for (chunk, (vector, pieces)) in chunks.zip(rows.zip(embedded.tokens)) {
        chunk.vector = Some(vector.to_vec());
        chunk.pieces = pieces;
    }
    Ok(notes)
}

/// How many groups are written.
#[derive(Default)]
pub(super) struct Written {
    n_groups: Mutex<usize>,
    changed: Condvar,
}

impl Written {
    pub(super) fn set(&self, n_groups: usize) {
        *self.n_groups.lock().unwrap_or_else(PoisonError::into_inner) = n_groups;
        self.changed.notify_all();
    }

    pub(super) fn wait_until(&self, wanted: usize) {
        let n_groups = self.n_groups.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .changed
            .wait_while(n_groups, |n_groups| *n_groups < wanted);
        drop(waited);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a walk past all the others for each, this would take hours.
    #[test]
    fn equal_passages_are_told_apart() {
        const N: usize = 200_000;
        let mut handles = vec![7; N];
        tell_apart(handles.iter_mut());
        let distinct: HashSet<u32> = handles.iter().copied().collect();
        assert_eq!((distinct.len(), handles[0]), (N, 7));
    }
}
