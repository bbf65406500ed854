//! Walks along links from a note towards a question: what is near it in meaning and not far away.
//!
//! `web` knows the vault, `beam` knows how to walk; here the two meet, and numbers become notes again.

mod beam;
mod web;

use std::sync::Arc;

use jiff::civil::Date;

pub use beam::{DEEP, DropReason, FAST, Params, RetainReason};

use crate::budget::Budget;
use crate::embed::Embedder;
use crate::error::{Error, Result};
use crate::search::decay::Decay;
use crate::store::{By, ChunkId, ChunkRow, LinkRow, NoteId, Store};
use beam::{Node, Visited};
use web::LinkWeb;

/// What a walk works with.
pub struct TraverseContext<'a> {
    /// The snapshot that is walked.
    pub store: &'a Store,
    /// Turns what is asked for into a vector.
    pub embedder: &'a dyn Embedder,
    /// Seconds since 1970, which notes are aged by.
    pub now: i64,
    /// How notes age.
    pub decay: &'a Decay,
    /// How much work it may be.
    pub budget: &'a Budget,
}

/// Which end of a link a walk came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The link stands in the note before and leads to this one.
    Outgoing,
    /// The link stands in this note and leads to the one before.
    Backlink,
}

impl Direction {
    /// Returns the name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Outgoing => "outgoing",
            Self::Backlink => "backlink",
        }
    }
}

/// The link by which a note was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Via {
    /// Which end the walk came from.
    pub direction: Direction,
    /// The link.
    pub link: LinkRow,
}

/// One note on the way to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its path.
    pub path: String,
    /// Its title.
    pub title: String,
    /// How it was reached; the first note was not.
    pub via: Option<Via>,
}

/// A note that the walk came by.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// From where the walk began to the note itself.
    pub way: Vec<Step>,
    /// Date of the note, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// The passage of it that is nearest to what was asked for.
    pub chunk: Option<Arc<ChunkRow>>,
    /// What it is ranked by.
    pub score: f32,
    /// How similar that passage is to what was asked for: 0 as an unrelated one, 1 as the nearest of
    /// the vault.
    pub similarity: f32,
    /// Cosine of that passage with what was asked for.
    pub cosine: f32,
    /// Links between where the walk began and the note.
    pub hop: u32,
    /// What age leaves of it.
    pub decay_weight: f32,
    /// Age leaves nothing of it.
    pub decay_zero: bool,
}

impl Seen {
    /// Returns the note itself, the last of its way.
    pub fn step(&self) -> Option<&Step> {
        self.way.last()
    }
}

/// What a walk found.
#[derive(Clone, Debug, PartialEq)]
pub struct Traversal {
    /// How far and how wide it went.
    pub params: Params,
    /// Notes that were kept, best first, and why.
    pub retained: Vec<(Seen, RetainReason)>,
    /// Notes that were left out, in the order they were, and why.
    pub dropped: Vec<(Seen, DropReason)>,
    /// Hops walked.
    pub n_hops: u32,
    /// The walk stopped because it had found enough.
    pub is_stopped_early: bool,
}

/// A note that one walk found and the other did not.
#[derive(Clone, Debug, PartialEq)]
pub struct Missed {
    /// The note as the one walk found it.
    pub seen: Seen,
    /// Path of the note at which the other walk turned away from it, and why; `None` if it never
    /// came near.
    pub dropped_at: Option<(String, DropReason)>,
}

/// A narrow walk beside a wide one.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The narrow one.
    pub fast: Traversal,
    /// The wide one.
    pub deep: Traversal,
    /// What only the wide one found, best first.
    pub missed: Vec<Missed>,
}

/// A vault with its links resolved, ready to be walked from one note towards one question.
pub struct Walker<'a> {
    web: LinkWeb<'a>,
    starts: Vec<Node>,
}

impl<'a> Walker<'a> {
    /// Gets ready to walk from `start` towards `query`, or towards what `start` itself is about.
    pub fn new(cx: &TraverseContext<'a>, start: NoteId, query: Option<&str>) -> Result<Self> {
        let target = match query.filter(|query| !query.trim().is_empty()) {
            Some(query) => embed_query(cx, query)?,
            None => mean_vector(cx, start)?,
        };
        let web = LinkWeb::new(cx, target, day_of(cx.now))?;
        let starts = web.node_of(start).into_iter().collect();
        Ok(Self { web, starts })
    }

    /// Walks.
    pub fn walk(&self, params: &Params) -> Result<Traversal> {
        let walked = beam::walk(&self.web, &self.starts, params);
        let traversal = self.named(walked, params);
        self.web.failure()?;
        Ok(traversal)
    }

    /// Walks twice and tells what only the second walk found.
    pub fn compare(&self, fast: &Params, deep: &Params) -> Result<Comparison> {
        let fast_walk = beam::walk(&self.web, &self.starts, fast);
        let deep_walk = beam::walk(&self.web, &self.starts, deep);
        let missed = beam::compare(&fast_walk, &deep_walk)
            .iter()
            .map(|missed| Missed {
                seen: self.seen(&missed.visited),
                dropped_at: missed
                    .turned_at
                    .map(|(node, reason)| (self.web.note(node).path.clone(), reason)),
            })
            .collect();
        let comparison = Comparison {
            fast: self.named(fast_walk, fast),
            deep: self.named(deep_walk, deep),
            missed,
        };
        self.web.failure()?;
        Ok(comparison)
    }

    fn named(&self, walked: beam::Traversal, params: &Params) -> Traversal {
        Traversal {
            params: *params,
            retained: walked
                .retained
                .iter()
                .map(|kept| (self.seen(&kept.visited), kept.retain_reason))
                .collect(),
            dropped: walked
                .dropped
                .iter()
                .map(|left| (self.seen(&left.visited), left.drop_reason))
                .collect(),
            n_hops: walked.n_hops,
            is_stopped_early: walked.is_stopped_early,
        }
    }

    fn seen(&self, visited: &Visited) -> Seen {
        let before = [None]
            .into_iter()
            .chain(visited.path.iter().copied().map(Some));
        let way = visited.path.iter().zip(before).map(|(&node, before)| {
            let note = self.web.note(node);
            Step {
                path: note.path.clone(),
                title: note.title.clone(),
                via: before.and_then(|before| self.web.via(before, node)),
            }
        });
        let nearness = self.web.nearness(visited.node);
        Seen {
            way: way.collect(),
            date: self.web.note(visited.node).date.clone(),
            cosine: nearness.cosine,
            chunk: nearness.chunk,
            score: visited.score,
            similarity: visited.similarity,
            hop: visited.hop,
            decay_weight: visited.decay_weight,
            decay_zero: visited.decay_zero,
        }
    }
}

fn day_of(now: i64) -> Date {
    let time = jiff::Timestamp::from_second(now).unwrap_or_default();
    time.to_zoned(jiff::tz::TimeZone::UTC).date()
}

fn embed_query(cx: &TraverseContext<'_>, query: &str) -> Result<Vec<f32>> {
    check_model(cx)?;
    Ok(cx.embedder.embed_query(query)?)
}

/// Vectors of different models must never be compared.
fn check_model(cx: &TraverseContext<'_>) -> Result<()> {
    let current = cx.embedder.id();
    match &cx.store.meta()?.model {
        Some(stored) if !current.fits(stored) => Err(Error::ModelMismatch {
            stored: stored.clone(),
            current: current.clone(),
        }),
        _ => Ok(()),
    }
}

/// Returns the middle of the vectors of a note's passages; without any, that of its title.
fn mean_vector(cx: &TraverseContext<'_>, note: NoteId) -> Result<Vec<f32>> {
    check_model(cx)?;
    let chunks = cx.store.chunks(By::Note(note))?;
    let chunks: Vec<ChunkId> = chunks.iter().map(|chunk| chunk.id).collect();
    let vectors = cx.store.chunk_vectors(&chunks)?;
    if vectors.is_empty() {
        return Ok(cx.embedder.embed_query(&cx.store.note(note)?.title)?);
    }
    let mut mean = vec![0.0; cx.embedder.id().dimensions];
    for (_, vector) in &vectors {
        for (sum, value) in mean.iter_mut().zip(vector) {
            *sum += value;
        }
    }
    let length = mean.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        mean.iter_mut().for_each(|value| *value /= length);
    }
    Ok(mean)
}
