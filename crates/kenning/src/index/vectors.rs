//! Vectors of a model that runs elsewhere: made after the notes are stored, from what the store has of them.
//!
//! Words answer meanwhile. What came is committed step by step, so that a run that ends early, for whatever
//! reason, is gone on with by the next one, and nothing is embedded twice.

use std::sync::atomic::Ordering;

use super::IndexContext;
use super::report::{Progress, Report, Stage};
use crate::chunk::Context;
use crate::embed::{self, EmbedError, Embedder};
use crate::error::{Error, Result};
use crate::store::{ChunkId, Store, StoreWriter};
use crate::vault::Skipped;

/// Texts that are read from the store, and handed to the model, at once.
const WINDOW_TEXTS: usize = 1_024;
/// Vectors after which what came is committed.
const STEP_VECTORS: usize = 256;
/// Failures in a row, without anything that worked between them, after which a model is taken to be away.
const FAILURES_MAX: usize = 5;
/// Set as long as nobody asked the model what the codes of vectors are taken around.
const UNCENTRED: &str = "uncentred";

/// Empties an index for a model. One that runs elsewhere is asked for its centre when vectors are made.
pub(super) fn reset(
    embedder: &dyn Embedder,
    writer: &mut StoreWriter,
    samples: &[String],
) -> Result<()> {
    let id = embedder.id();
    if embedder.is_slow() {
        writer.reset(id, &vec![0.0; id.dimensions], samples)?;
        return writer.set_fact(UNCENTRED, Some("yes"));
    }
    writer.reset(id, &center(embedder)?, samples)
}

/// Returns the middle of what the model makes of everyday text; sign codes are taken around it.
///
/// It depends on the model alone, so that an index that was updated equals one made anew.
fn center(embedder: &dyn Embedder) -> Result<Vec<f32>, EmbedError> {
    let dimensions = embedder.id().dimensions;
    let phrases: Vec<&str> = include_str!("everyday.txt").lines().collect();
    let rows = embed::rows(embedder, &phrases)?;
    let mut center = vec![0f32; dimensions];
    for row in rows.chunks_exact(dimensions) {
        for (sum, x) in center.iter_mut().zip(row) {
            *sum += x / phrases.len() as f32;
        }
    }
    Ok(center)
}

/// Makes the vectors that are missing, as far as the model answers. That it does not is told in the report.
pub(super) fn fill(
    cx: &IndexContext<'_>,
    writer: &mut StoreWriter,
    report: &mut Report,
) -> Result<()> {
    if !cx.embedder.is_slow() {
        return Ok(());
    }
    let store = cx.store.read()?;
    let missing = store.without_vector()?;
    let n_wanted = missing.len().min(cx.options.vectors_max);
    report.n_without_vector = missing.len();
    if n_wanted == 0 || !is_centred(cx, &store, &missing, writer, report)? {
        return Ok(());
    }
    let mut filling = Filling {
        cx,
        writer,
        report,
        n_wanted,
        n_tried: 0,
        n_held: 0,
        n_failed: 0,
        trouble: None,
    };
    for window in missing[..n_wanted].chunks(WINDOW_TEXTS) {
        let passages = passages(&store, window)?;
        let texts: Vec<&str> = passages.iter().map(|(_, text)| text.as_str()).collect();
        let mut goes_on = true;
        cx.embedder.embed_each(&texts, &mut |places, rows| {
            goes_on = filling.take(&window[places.clone()], &passages[places], rows);
            goes_on
        });
        if let Some(trouble) = filling.trouble.take() {
            return Err(trouble);
        }
        if !goes_on {
            break;
        }
    }
    filling.writer.commit(cx.now)
}

/// Whether the index knows its centre, which is asked for before the first vector is made.
fn is_centred(
    cx: &IndexContext<'_>,
    store: &Store,
    missing: &[ChunkId],
    writer: &mut StoreWriter,
    report: &mut Report,
) -> Result<bool> {
    if writer.meta()?.fact(UNCENTRED).is_none() {
        return Ok(true);
    }
    let id = cx.embedder.id();
    let asked = match id.dimensions {
        0 => Err(EmbedError::Unavailable {
            model: id.name.clone(),
            reason: "nobody knows yet how long its vectors are".to_owned(),
            hint: "start the server, or set `dimensions` of the model in the settings".to_owned(),
        }),
        _ => center(cx.embedder),
    };
    match asked {
        Ok(center) => {
            writer.set_center(&center)?;
            writer.set_fact(UNCENTRED, None)?;
            Ok(true)
        }
        Err(error) => {
            // Whoever asks is told of a note in any case.
            for (path, _) in passages(store, &missing[..1])? {
                let reason = error.to_string();
                report.unembedded.push(Skipped { path, reason });
            }
            report.vector_hint = error.hint().map(str::to_owned);
            Ok(false)
        }
    }
}

/// Returns path and embedded text of each chunk.
pub(super) fn passages(store: &Store, chunks: &[ChunkId]) -> Result<Vec<(String, String)>> {
    let passage = |id: &ChunkId| {
        let chunk = store.chunk(*id)?;
        let note = store.note(chunk.note)?;
        let context = Context {
            title: &note.title,
            headings: &note.headings,
            tags: &note.tags,
            summary: note.summary.as_deref(),
        };
        let text = context.text(chunk.heading, &store.passage(&chunk)?);
        Ok((note.path.clone(), text))
    };
    chunks.iter().map(passage).collect()
}

/// Vectors on their way into the store.
struct Filling<'a, 'b> {
    cx: &'a IndexContext<'b>,
    writer: &'a mut StoreWriter,
    report: &'a mut Report,
    n_wanted: usize,
    /// Texts that were answered, in whatever way.
    n_tried: usize,
    /// Vectors that are not committed yet.
    n_held: usize,
    /// Failures since something worked.
    n_failed: usize,
    /// What went wrong with the store.
    trouble: Option<Error>,
}

impl Filling<'_, '_> {
    /// Takes what came of some texts; returns whether to go on.
    fn take(
        &mut self,
        chunks: &[ChunkId],
        passages: &[(String, String)],
        rows: Result<Vec<f32>, EmbedError>,
    ) -> bool {
        match rows {
            Ok(rows) => {
                self.n_failed = 0;
                if let Err(error) = self.put(chunks, &rows) {
                    self.trouble = Some(error);
                    return false;
                }
            }
            Err(error) => {
                self.n_failed += 1;
                self.tell(passages, &error);
            }
        }
        self.n_tried += chunks.len();
        (self.cx.progress)(Progress {
            stage: Stage::Vectors,
            n_done: self.n_tried,
            n_total: self.n_wanted,
            n_bytes: self.report.n_bytes,
        });
        let is_stopped = self.cx.stop.load(Ordering::Relaxed) && self.n_tried < self.n_wanted;
        self.report.is_stopped |= is_stopped;
        !is_stopped && self.n_failed < FAILURES_MAX
    }

    fn put(&mut self, chunks: &[ChunkId], rows: &[f32]) -> Result<()> {
        let dimensions = self.cx.embedder.id().dimensions.max(1);
        self.writer
            .put_vectors(chunks, &mut rows.chunks_exact(dimensions))?;
        self.report.n_vectors += chunks.len();
        self.report.n_without_vector -= chunks.len();
        self.n_held += chunks.len();
        if self.n_held >= STEP_VECTORS {
            self.n_held = 0;
            self.writer.commit(self.cx.now)?;
        }
        Ok(())
    }

    /// Tells of each note once.
    fn tell(&mut self, passages: &[(String, String)], error: &EmbedError) {
        let reason = error.to_string();
        for (path, _) in passages {
            let is_told = |told: &Skipped| told.path == *path && told.reason == reason;
            if !self.report.unembedded.iter().rev().any(is_told) {
                self.report.unembedded.push(Skipped {
                    path: path.clone(),
                    reason: reason.clone(),
                });
            }
        }
        self.report.vector_hint = error.hint().map(str::to_owned);
    }
}
