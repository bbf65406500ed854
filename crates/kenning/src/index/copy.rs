//! An index from one place to another. What is kept is copied; terms and names, which follow from it, are made again by
//! the code that made them. No note is read from its vault, and nothing is embedded.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::report::{Progress, Stage};
use super::{SAMPLE_BYTES, SAMPLE_NOTES, prepare, standing};
use crate::chunk::Chunk;
use crate::embed::ModelId;
use crate::error::{Error, Result};
use crate::note::{self, Format, Link, Note, Warning};
use crate::store::{
    By, ChunkId, ChunkRow, CodedVector, Coder, Encoded, Encoder, Inventory, Known, LinksOf,
    NoteFacts, NoteId, NoteRow, Part, Place, PreparedChunk, PreparedNote, Select, Store,
    StoreWriter, Wanted,
};
use crate::vault::{Rule, Stamp};
use crate::words::Stems;

/// Notes that are read at once.
const GROUP_NOTES: usize = 64;
/// Groups that may wait to be written.
const GROUPS_AHEAD: usize = 4;
/// Text after which what was done goes from memory into the index.
const STEP_BYTES: usize = 32 << 20;
/// Vectors of a second model that are copied at once.
const TEXT_VECTORS: usize = 1_024;

/// What is copied where.
pub struct CopyContext<'a> {
    /// The index.
    pub from: &'a Place,
    /// Where it is to be, too.
    pub to: &'a Place,
    /// Whether an index that is there already is given up for it.
    pub replaces: bool,
    /// How long to wait for whoever writes there.
    pub patience: Duration,
    /// Called after each group of notes.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Set from outside to leave the target as it was.
    pub stop: &'a AtomicBool,
}

/// What was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Notes.
    pub n_notes: usize,
    /// Passages.
    pub n_chunks: usize,
    /// Vectors of a second model.
    pub n_text_vectors: usize,
    /// Whether it was stopped. Then nothing was.
    pub is_stopped: bool,
}

/// Copies an index, all of it or nothing.
pub fn copy(cx: &CopyContext<'_>) -> Result<Copied> {
    let source = cx.from.read()?;
    let meta = source.meta()?;
    let Some(model) = &meta.model else {
        return Err(Error::StoreMissing {
            path: cx.from.name().to_owned(),
        });
    };
    let mut writer = open(cx)?;
    let copied = fill(cx, &source, model, &mut writer);
    if !matches!(
        copied,
        Ok(Copied {
            is_stopped: false,
            ..
        })
    ) {
        // What went wrong first is told.
        let abandoned = writer.abandon();
        return copied.and_then(|copied| abandoned.map(|()| copied));
    }
    let changed_at = meta.fact("changed_at").and_then(|time| time.parse().ok());
    writer.commit(changed_at.unwrap_or(0))?;
    writer.close()?;
    copied
}

/// Opens the target, if it may be written to.
fn open(cx: &CopyContext<'_>) -> Result<StoreWriter> {
    let writer = match cx.to.write(cx.patience) {
        Err(Error::StoreOutdated { .. }) if cx.replaces => {
            cx.to.discard_outdated(cx.patience)?;
            cx.to.write(cx.patience)?
        }
        other => other?,
    };
    let n_notes = writer.known(None)?.len();
    if n_notes > 0 && (!cx.replaces || cx.from.name() == cx.to.name()) {
        return Err(Error::StoreFilled {
            path: cx.to.name().to_owned(),
            n_notes,
        });
    }
    Ok(writer)
}

fn fill(
    cx: &CopyContext<'_>,
    source: &Store,
    model: &ModelId,
    writer: &mut StoreWriter,
) -> Result<Copied> {
    let notes = source.select(Select::Every, Wanted::NAMES)?;
    let ids: Vec<NoteId> = notes.iter().map(|note| note.id).collect();
    let coder = source.coder()?;
    writer.begin_whole()?;
    writer.reset(model, coder.center(), &samples(source, &ids)?)?;
    for (key, value) in source.meta()?.facts() {
        if !key.starts_with("model_") {
            writer.set_fact(key, Some(value))?;
        }
    }
    let kept = Kept::read(source, coder)?;
    // Before the notes: their dates are what they are.
    let beside = source.surroundings()?;
    writer.set_inventory(&Inventory::Commits {
        days: &beside.committed,
        is_whole: true,
    })?;
    let mut copied = copy_notes(cx, &kept, &ids, writer)?;
    if copied.is_stopped {
        return Ok(copied);
    }
    copy_walk(source, &beside.folders, writer)?;
    for keys in beside.text_vectors.chunks(TEXT_VECTORS) {
        let vectors = keys.iter().copied().zip(source.text_vectors(keys)?);
        let vectors: Vec<_> = vectors
            .filter_map(|(key, vector)| Some((key, vector?)))
            .collect();
        copied.n_text_vectors += vectors.len();
        writer.put_text_vectors(&vectors)?;
    }
    standing::refresh(writer)?;
    Ok(copied)
}

/// Returns how the texts look.
fn samples(source: &Store, ids: &[NoteId]) -> Result<Vec<String>> {
    let step = ids.len().div_ceil(SAMPLE_NOTES).max(1);
    let sample = |note: &NoteId| {
        let mut text = source.text(*note, &Part::Whole)?;
        text.truncate(text.floor_char_boundary(SAMPLE_BYTES));
        Ok(text)
    };
    ids.iter().step_by(step).map(sample).collect()
}

/// Copies what the last walk saw beside the notes.
fn copy_walk(source: &Store, folders: &[(String, i64)], writer: &mut StoreWriter) -> Result<()> {
    let status = source.status()?;
    let notes = source.select(Select::Every, Wanted::NAMES)?;
    let notes: std::collections::HashSet<&str> =
        notes.iter().map(|note| note.path.as_str()).collect();
    let mut attachments = source.files()?;
    attachments.retain(|path| !notes.contains(path.as_str()));
    let left_out = status.left_out.into_iter();
    let left_out: Vec<(String, Rule)> = left_out
        .filter_map(|(rule, path)| Some((path, Rule::from_name(&rule)?)))
        .collect();
    writer.set_inventory(&Inventory::Walk {
        skipped: &status.skipped,
        folders,
        attachments: &attachments,
        left_out: &left_out,
    })
}

/// Copies the notes: one thread reads them and makes their terms, this one writes.
fn copy_notes(
    cx: &CopyContext<'_>,
    kept: &Kept<'_>,
    ids: &[NoteId],
    writer: &mut StoreWriter,
) -> Result<Copied> {
    let encoder = writer.encoder()?;
    let mut copied = Copied::default();
    let (mut n_bytes, mut n_held) = (0, 0);
    std::thread::scope(|scope| {
        let (sender, receiver) = crossbeam_channel::bounded(GROUPS_AHEAD);
        let encoder = &encoder;
        scope.spawn(move || {
            let mut stems = Stems::default();
            for ids in ids.chunks(GROUP_NOTES) {
                if cx.stop.load(Ordering::Relaxed)
                    || sender.send(kept.group(encoder, ids, &mut stems)).is_err()
                {
                    return;
                }
            }
        });
        for group in receiver {
            let (group, group_bytes) = group?;
            copied.n_notes += group.notes.len();
            copied.n_chunks += (group.notes.iter())
                .map(|note| note.has_vector.len())
                .sum::<usize>();
            writer.put(group)?;
            n_bytes += group_bytes as u64;
            n_held += group_bytes;
            if n_held >= STEP_BYTES {
                writer.flush()?;
                n_held = 0;
            }
            (cx.progress)(Progress {
                stage: Stage::Notes,
                n_done: copied.n_notes,
                n_total: ids.len(),
                n_bytes,
            });
        }
        copied.is_stopped = copied.n_notes < ids.len();
        Ok(copied)
    })
}

/// What is read once, and what single notes are read from.
struct Kept<'a> {
    source: &'a Store,
    coder: Coder,
    known: HashMap<String, (Stamp, [u8; 16])>,
    warnings: HashMap<String, Vec<Warning>>,
    masked: HashMap<String, Vec<(u32, String)>>,
}

impl<'a> Kept<'a> {
    fn read(source: &'a Store, coder: Coder) -> Result<Self> {
        let known = source.known(Known::Every)?.into_iter();
        let mut warnings: HashMap<String, Vec<Warning>> = HashMap::new();
        for (path, line, message) in source.status()?.warnings {
            let of_note = warnings.entry(path).or_default();
            of_note.push(Warning { line, message });
        }
        let mut masked: HashMap<String, Vec<(u32, String)>> = HashMap::new();
        for found in source.masked()? {
            let of_note = masked.entry(found.path).or_default();
            of_note.push((found.line, found.pattern));
        }
        Ok(Self {
            source,
            coder,
            known: known
                .map(|known| (known.path, (known.stamp, known.hash)))
                .collect(),
            warnings,
            masked,
        })
    }

    /// Reads some notes as they are to be written; returns them with the bytes of their texts.
    fn group(
        &self,
        encoder: &Encoder,
        ids: &[NoteId],
        stems: &mut Stems,
    ) -> Result<(Encoded, usize)> {
        let wanted = Wanted {
            tags: true,
            properties: true,
            standing: true,
            source: true,
            commits: false,
        };
        let facts = self.source.select(Select::Notes(ids), wanted)?;
        let rows = self.source.notes(ids)?;
        let chunks = ids.iter().map(|note| self.source.chunks(By::Note(*note)));
        let chunks = chunks.collect::<Result<Vec<_>>>()?;
        let chunk_ids: Vec<ChunkId> = chunks.iter().flatten().map(|chunk| chunk.id).collect();
        let vectors: HashMap<ChunkId, CodedVector> = (self.source.coded_vectors(&chunk_ids)?)
            .into_iter()
            .collect();
        let mut n_bytes = 0;
        let mut notes = Vec::with_capacity(ids.len());
        for ((facts, row), chunks) in facts.iter().zip(&rows).zip(&chunks) {
            let note = self.note(facts, row)?;
            n_bytes += note.text.len();
            let chunks = chunks.iter().map(AsRef::as_ref);
            notes.push(self.prepared(facts, note, chunks, row.is_named_by_file, stems)?);
        }
        let mut encoded = encoder.encode(notes)?;
        for (note, chunks) in encoded.notes.iter_mut().zip(&chunks) {
            note.codes.clear();
            note.rows.clear();
            for (index, chunk) in chunks.iter().enumerate() {
                let vector = vectors.get(&chunk.id);
                note.has_vector[index] = vector.is_some();
                note.pieces[index] = chunk.packed_pieces.to_vec();
                match vector {
                    Some(vector) => {
                        (self.coder).push_coded(vector, &mut note.codes, &mut note.rows);
                    }
                    None => self.coder.push(&[], &mut note.codes, &mut note.rows),
                }
            }
        }
        Ok((encoded, n_bytes))
    }

    /// Returns a note as far as it is kept. How its text was cut is, blocks and parts are not.
    fn note(&self, facts: &NoteFacts, row: &NoteRow) -> Result<Note> {
        let links = self.source.links(LinksOf::Note(row.id))?.into_iter();
        let own = match facts.source.is_extracted {
            true => Some(self.source.text(row.id, &Part::File)?),
            false => None,
        };
        Ok(Note {
            title: row.title.clone(),
            language: row.language,
            text: self.source.text(row.id, &Part::Whole)?,
            body_start: 0,
            headings: row.headings.clone(),
            blocks: Vec::new(),
            properties: facts.properties.clone(),
            tags: row.tags.clone(),
            aliases: row.aliases.clone(),
            links: links
                .map(|link| Link {
                    kind: link.kind,
                    target: link.target,
                    anchor: link.anchor,
                    shown: link.shown,
                    line: link.line,
                })
                .collect(),
            parts: Vec::new(),
            own,
            lines: Vec::new(),
            facts: note::Facts {
                summary: row.summary.clone(),
                author: row.author.clone(),
                kind: row.kind.clone(),
                memory_type: row.memory_type,
                published: facts.published.clone(),
                created: facts.created.clone(),
                modified: facts.modified.clone(),
                evergreen: row.is_evergreen,
                superseded_by: row.superseded_by.clone(),
                ..note::facts_of(&facts.properties)
            },
        })
    }

    fn prepared<'c>(
        &self,
        facts: &NoteFacts,
        note: Note,
        chunks: impl Iterator<Item = &'c ChunkRow>,
        is_named_by_file: bool,
        stems: &mut Stems,
    ) -> Result<PreparedNote> {
        let path = &facts.path;
        let damaged = |reason: &str| Error::StoreCorrupt {
            path: path.into(),
            reason: reason.to_owned(),
        };
        let format = Format::from_name(&facts.source.format);
        let format = format.ok_or_else(|| damaged("nobody knows the format of a note"))?;
        let known = self.known.get(path);
        let (stamp, hash) = *known.ok_or_else(|| damaged("a note has no stamp"))?;
        let chunks = chunks
            .map(|row| passage(path, format, &note, row, stems))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| damaged("a passage is not in its note"))?;
        let date = facts.date.clone().zip(facts.source.date_source.clone());
        let masked = self.masked.get(path).into_iter().flatten();
        Ok(PreparedNote {
            path: path.clone(),
            stamp,
            hash,
            format,
            date: date.map(|(date, source)| (date, source.into())),
            is_named_by_file,
            names: prepare::names(path, &note, is_named_by_file),
            terms: prepare::note_terms(path, &note, is_named_by_file, stems),
            chunks,
            warnings: self.warnings.get(path).cloned().unwrap_or_default(),
            masked: masked
                .map(|(line, pattern)| (*line, pattern.clone().into()))
                .collect(),
            note,
        })
    }
}

/// Returns a passage as it was written, if its note has it.
fn passage(
    path: &str,
    format: Format,
    note: &Note,
    row: &ChunkRow,
    stems: &mut Stems,
) -> Option<PreparedChunk> {
    note.text.get(row.range.clone())?;
    let chunk = Chunk {
        range: row.range.clone(),
        start_line: row.start_line,
        end_line: row.end_line,
        heading: row.heading,
        page: row.page,
        picture: row.picture.clone(),
    };
    let made = prepare::prepared_chunk(path, format, note, chunk, stems);
    Some(PreparedChunk {
        handle: row.handle,
        prints: row.prints,
        ..made
    })
}
