//! The JSON types of a walk along links.

use kenning::search::decay::{Aging, Decay};
use kenning::store::has_lines;
use kenning::traverse::{Comparison, Direction, Missed, Params, Seen, Traversal, Via};
use schemars::JsonSchema;
use serde::Serialize;

use super::{handle, rounded};
use crate::searcher::{Walk, Walked};

/// A walk from one note.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct TraverseResponse {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) query: Option<String>,
    pub(crate) mode: &'static str,
    pub(crate) params: BeamParams,
    pub(crate) decay: DecayParams,
    pub(crate) hops_walked: u32,
    pub(crate) stopped_early: bool,
    pub(crate) took_ms: f64,
    pub(crate) retained: Vec<RetainedNote>,
    pub(crate) dropped: Vec<DroppedNote>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) compare: Option<WalkComparison>,
}

/// How far and how wide a walk goes.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct BeamParams {
    pub(crate) beam: usize,
    pub(crate) hops: u32,
    pub(crate) seeds: usize,
    pub(crate) k: usize,
    pub(crate) prune: f64,
    pub(crate) stop_mean: Option<f64>,
    pub(crate) decay_scored: bool,
}

/// How notes age on a walk.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct DecayParams {
    pub(crate) mode: &'static str,
    pub(crate) weight: Option<f64>,
    pub(crate) half_life_days: Option<f64>,
    pub(crate) ladder: Option<Vec<f64>>,
    pub(crate) superseded: f64,
}

/// A note that the walk came by. `id` and lines are those of its nearest passage.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct VisitedNote {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) date: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    pub(crate) hop: u32,
    pub(crate) score: f64,
    pub(crate) similarity: f64,
    pub(crate) cosine: f64,
    pub(crate) decay_weight: f64,
    pub(crate) decay_zero: bool,
    pub(crate) via: Option<FollowedLink>,
    pub(crate) way: Vec<String>,
}

/// The link by which a note was reached. `from` is the note it stands in.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct FollowedLink {
    pub(crate) direction: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) from: String,
    pub(crate) line: u32,
    pub(crate) target: String,
    pub(crate) anchor: Option<String>,
    pub(crate) shown: Option<String>,
}

/// A note that was kept.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct RetainedNote {
    pub(crate) rank: usize,
    #[serde(flatten)]
    pub(crate) seen: VisitedNote,
    pub(crate) retain_reason: &'static str,
}

/// A note that was left out.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct DroppedNote {
    #[serde(flatten)]
    pub(crate) seen: VisitedNote,
    pub(crate) drop_reason: &'static str,
}

/// A fast walk beside a deep one.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct WalkComparison {
    pub(crate) fast: WalkSummary,
    pub(crate) deep: WalkSummary,
    pub(crate) missed: Vec<MissedNote>,
}

/// What one of two walks came to.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct WalkSummary {
    pub(crate) params: BeamParams,
    pub(crate) hops_walked: u32,
    pub(crate) stopped_early: bool,
    pub(crate) retained: usize,
    pub(crate) dropped: usize,
}

/// A note that only the deep walk found, and where the fast one turned away from it.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct MissedNote {
    #[serde(flatten)]
    pub(crate) seen: VisitedNote,
    pub(crate) dropped_at: Option<String>,
    pub(crate) drop_reason: Option<&'static str>,
}

impl From<Walk> for TraverseResponse {
    fn from(walk: Walk) -> Self {
        let traversal = match (&walk.walked, walk.is_deep) {
            (Walked::Once(traversal), _) => traversal,
            (Walked::Compared(both), true) => &both.deep,
            (Walked::Compared(both), false) => &both.fast,
        };
        Self {
            path: walk.note.path.clone(),
            title: walk.note.title.clone(),
            query: walk.query,
            mode: if walk.is_deep { "deep" } else { "fast" },
            params: BeamParams::from(&traversal.params),
            decay: DecayParams::from(&walk.decay),
            hops_walked: traversal.n_hops,
            stopped_early: traversal.is_stopped_early,
            took_ms: (walk.took_ms * 1_000.0).round() / 1_000.0,
            retained: (1..)
                .zip(&traversal.retained)
                .map(|(rank, (seen, reason))| RetainedNote {
                    rank,
                    seen: VisitedNote::from(seen),
                    retain_reason: reason.name(),
                })
                .collect(),
            dropped: traversal
                .dropped
                .iter()
                .map(|(seen, reason)| DroppedNote {
                    seen: VisitedNote::from(seen),
                    drop_reason: reason.name(),
                })
                .collect(),
            compare: match &walk.walked {
                Walked::Once(_) => None,
                Walked::Compared(both) => Some(WalkComparison::from(both.as_ref())),
            },
        }
    }
}

impl From<&Comparison> for WalkComparison {
    fn from(both: &Comparison) -> Self {
        Self {
            fast: WalkSummary::from(&both.fast),
            deep: WalkSummary::from(&both.deep),
            missed: both.missed.iter().map(MissedNote::from).collect(),
        }
    }
}

impl From<&Params> for BeamParams {
    fn from(params: &Params) -> Self {
        Self {
            beam: params.beam,
            hops: params.hops,
            seeds: params.seeds,
            k: params.k,
            prune: rounded(params.prune),
            stop_mean: params.stop_mean.map(rounded),
            decay_scored: params.is_decay_scored,
        }
    }
}

impl From<&Decay> for DecayParams {
    fn from(decay: &Decay) -> Self {
        let (half_life, ladder) = match &decay.mode {
            Aging::HalfLife(half_life) => (Some(half_life), None),
            Aging::RankedGrouped(grouped) => (None, Some(&grouped.ladder)),
            Aging::Off => (None, None),
        };
        Self {
            mode: decay.mode.name(),
            weight: half_life.map(|half_life| rounded(half_life.weight)),
            half_life_days: half_life.map(|half_life| rounded(half_life.half_life_days)),
            ladder: ladder.map(|ladder| ladder.iter().copied().map(rounded).collect()),
            superseded: rounded(decay.superseded),
        }
    }
}

impl From<&Seen> for VisitedNote {
    fn from(seen: &Seen) -> Self {
        let step = seen.step();
        let before = seen.way.iter().rev().nth(1);
        let via = step.and_then(|step| step.via.as_ref());
        let has_lines = step.is_none_or(|step| has_lines(&step.path));
        let lined = seen.chunk.as_ref().filter(|_| has_lines);
        Self {
            path: step.map(|step| step.path.clone()).unwrap_or_default(),
            title: step.map(|step| step.title.clone()).unwrap_or_default(),
            date: seen.date.clone(),
            id: seen.chunk.as_ref().map(|chunk| handle(chunk.handle)),
            start_line: lined.map(|chunk| chunk.start_line),
            end_line: lined.map(|chunk| chunk.end_line),
            hop: seen.hop,
            score: rounded(seen.score),
            similarity: rounded(seen.similarity),
            cosine: rounded(seen.cosine),
            decay_weight: rounded(seen.decay_weight),
            decay_zero: seen.decay_zero,
            via: via.zip(step.zip(before)).map(|(via, (step, before))| {
                let from = match via.direction {
                    Direction::Outgoing => &before.path,
                    Direction::Backlink => &step.path,
                };
                FollowedLink::new(via, from.clone())
            }),
            way: seen.way.iter().map(|step| step.path.clone()).collect(),
        }
    }
}

impl FollowedLink {
    fn new(via: &Via, from: String) -> Self {
        Self {
            direction: via.direction.name(),
            kind: via.link.kind.name(),
            from,
            line: via.link.line,
            target: via.link.target.clone(),
            anchor: via.link.anchor.clone(),
            shown: via.link.shown.clone(),
        }
    }
}

impl From<&Traversal> for WalkSummary {
    fn from(traversal: &Traversal) -> Self {
        Self {
            params: BeamParams::from(&traversal.params),
            hops_walked: traversal.n_hops,
            stopped_early: traversal.is_stopped_early,
            retained: traversal.retained.len(),
            dropped: traversal.dropped.len(),
        }
    }
}

impl From<&Missed> for MissedNote {
    fn from(missed: &Missed) -> Self {
        let at = missed.dropped_at.as_ref();
        Self {
            seen: VisitedNote::from(&missed.seen),
            dropped_at: at.map(|(path, _)| path.clone()),
            drop_reason: at.map(|(_, reason)| reason.name()),
        }
    }
}
