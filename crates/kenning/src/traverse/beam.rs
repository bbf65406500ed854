//! The walk itself, over any web of notes. Pure.
//!
//! A beam search: of all notes one link further, only the most similar are walked on from. Whatever
//! is left out says why, so that a deep walk can tell what a fast one missed.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

/// A note, by the number its web gives it.
pub(super) type Node = u32;

/// What a walk needs to know about the vault. Each note is asked about once.
pub(super) trait Web {
    /// Returns the notes that a note is linked with.
    fn neighbours(&self, node: Node) -> Vec<Node>;
    /// Returns how similar a note is to the question, 0 to 1.
    fn similarity(&self, node: Node) -> f32;
    /// Returns what age leaves of a note, 0 to 1.
    fn decay_weight(&self, node: Node) -> f32;
}

/// How far and how wide to walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Notes walked on from at each hop.
    pub beam: usize,
    /// Most links between a seed and what is found.
    pub hops: u32,
    /// Notes walked from in the beginning, the best of those offered.
    pub seeds: usize,
    /// Notes found.
    pub k: usize,
    /// Score below which a note is left out.
    pub prune: f32,
    /// Mean score of the best `k` notes kept so far, be they fewer, at which the walk is good enough
    /// to stop, after a hop at least.
    pub stop_mean: Option<f32>,
    /// Whether age lowers the score, or is only told.
    pub is_decay_scored: bool,
}

/// Walks to a good answer and stops.
pub const FAST: Params = Params {
    beam: 5,
    hops: 4,
    seeds: 3,
    k: 10,
    prune: 0.50,
    stop_mean: Some(0.65),
    is_decay_scored: true,
};

/// Walks everywhere worth going.
pub const DEEP: Params = Params {
    beam: 12,
    hops: 4,
    seeds: 8,
    k: 50,
    prune: 0.30,
    stop_mean: None,
    is_decay_scored: false,
};

/// A note the walk came by.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Visited {
    /// The note.
    pub(super) node: Node,
    /// What it is ranked by.
    pub(super) score: f32,
    /// Its similarity to the question.
    pub(super) similarity: f32,
    /// Links between a seed and the note.
    pub(super) hop: u32,
    /// What age leaves of it.
    pub(super) decay_weight: f32,
    /// Age leaves nothing of it.
    pub(super) decay_zero: bool,
    /// Notes on the way, from the seed to the note itself.
    pub(super) path: Vec<Node>,
}

/// A note that was kept.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Retained {
    /// The note.
    pub(super) visited: Visited,
    /// Why it was kept.
    pub(super) retain_reason: RetainReason,
}

/// A note that was left out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Dropped {
    /// The note.
    pub(super) visited: Visited,
    /// Why it was left out.
    pub(super) drop_reason: DropReason,
}

/// Why a note was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetainReason {
    /// The walk began there.
    Seed,
    /// It is good enough, and there was room.
    AbovePruneFloor,
    /// Age leaves nothing of it, but it is good enough all the same: here age is only told.
    KeptDespiteDecayZero,
}

impl RetainReason {
    /// Returns the name for explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::AbovePruneFloor => "above_prune_floor",
            Self::KeptDespiteDecayZero => "kept_despite_decay_zero",
        }
    }
}

/// Why a note was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// Not similar enough, or too old where age counts.
    BelowPruneThreshold,
    /// Others were better: seeds, notes of the same hop, or notes found in the end.
    BeamOverflow,
}

impl DropReason {
    /// Returns the name for explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::BelowPruneThreshold => "below_prune_threshold",
            Self::BeamOverflow => "beam_overflow",
        }
    }
}

/// What a walk found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Traversal {
    /// Notes found, best first.
    pub(super) retained: Vec<Retained>,
    /// Notes seen and left out, in the order they were.
    pub(super) dropped: Vec<Dropped>,
    /// Hops walked.
    pub(super) n_hops: u32,
    /// The walk stopped because it had found enough.
    pub(super) is_stopped_early: bool,
}

/// Walks from the best of `starts`. Ties go to the shorter way, then to the lower number.
pub(super) fn walk(web: &impl Web, starts: &[Node], params: &Params) -> Traversal {
    let mut walk = Walk {
        web,
        params,
        parents: HashMap::new(),
        found: Traversal::default(),
    };
    let mut beam = walk.seed(starts);
    for hop in 1..=params.hops {
        let reached = walk.step(&beam, hop);
        if reached.is_empty() {
            break;
        }
        walk.found.n_hops = hop;
        beam = walk.select(reached);
        if hop < params.hops && !beam.is_empty() && walk.is_enough() {
            walk.found.is_stopped_early = true;
            break;
        }
    }
    walk.finish()
}

/// A note that a deep walk found and a fast one did not.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Missed {
    /// The note as the deep walk found it.
    pub(super) visited: Visited,
    /// The last note of its path that the fast walk saw and left out, and why: the note itself, or
    /// where the fast walk turned away from it. `None` if it never came near.
    pub(super) turned_at: Option<(Node, DropReason)>,
}

/// Tells what a deep walk found that a fast one did not, and why, best first.
pub(super) fn compare(fast: &Traversal, deep: &Traversal) -> Vec<Missed> {
    let found: HashSet<Node> = fast
        .retained
        .iter()
        .map(|retained| retained.visited.node)
        .collect();
    let reasons: HashMap<Node, DropReason> = fast
        .dropped
        .iter()
        .map(|dropped| (dropped.visited.node, dropped.drop_reason))
        .collect();
    let reason_of = |node: Node| reasons.get(&node).map(|reason| (node, *reason));
    deep.retained
        .iter()
        .map(|retained| &retained.visited)
        .filter(|visited| !found.contains(&visited.node))
        .map(|visited| Missed {
            visited: visited.clone(),
            turned_at: visited.path.iter().rev().find_map(|&node| reason_of(node)),
        })
        .collect()
}

struct Walk<'a, W> {
    web: &'a W,
    params: &'a Params,
    /// Every note seen, and the one it was reached from.
    parents: HashMap<Node, Option<Node>>,
    found: Traversal,
}

impl<W: Web> Walk<'_, W> {
    /// Keeps the best of the notes offered. A seed is never pruned: the walk was asked to start there.
    fn seed(&mut self, starts: &[Node]) -> Vec<Node> {
        let mut offered = Vec::new();
        for &node in starts {
            offered.extend(self.visit(node, None, 0));
        }
        sort(&mut offered);
        let rest = offered.split_off(self.params.seeds.min(offered.len()));
        let seeds = offered.iter().map(|visited| visited.node).collect();
        for visited in offered {
            self.keep(visited, RetainReason::Seed);
        }
        for visited in rest {
            self.leave_out(visited, DropReason::BeamOverflow);
        }
        seeds
    }

    /// Returns the notes one link further that were not seen before, best first.
    fn step(&mut self, beam: &[Node], hop: u32) -> Vec<Visited> {
        let mut reached = Vec::new();
        for &node in beam {
            for next in self.web.neighbours(node) {
                reached.extend(self.visit(next, Some(node), hop));
            }
        }
        sort(&mut reached);
        reached
    }

    /// Sorts out the notes of one hop and returns those to walk on from.
    fn select(&mut self, reached: Vec<Visited>) -> Vec<Node> {
        let prune = self.params.prune;
        let (good, poor): (Vec<_>, Vec<_>) = reached.into_iter().partition(|v| v.score >= prune);
        for visited in poor {
            self.leave_out(visited, DropReason::BelowPruneThreshold);
        }
        let mut beam = Vec::new();
        for visited in good {
            if beam.len() < self.params.beam {
                beam.push(visited.node);
                let reason = match visited.decay_zero {
                    true => RetainReason::KeptDespiteDecayZero,
                    false => RetainReason::AbovePruneFloor,
                };
                self.keep(visited, reason);
            } else {
                self.leave_out(visited, DropReason::BeamOverflow);
            }
        }
        beam
    }

    /// Looks at a note, unless it was seen before.
    fn visit(&mut self, node: Node, parent: Option<Node>, hop: u32) -> Option<Visited> {
        if self.parents.contains_key(&node) {
            return None;
        }
        self.parents.insert(node, parent);
        // A note without a vector may have no similarity at all, which must not rank it first.
        let number = |value: f32| if value.is_finite() { value } else { 0.0 };
        let similarity = number(self.web.similarity(node));
        let decay_weight = number(self.web.decay_weight(node));
        Some(Visited {
            node,
            score: if self.params.is_decay_scored {
                similarity * decay_weight
            } else {
                similarity
            },
            similarity,
            hop,
            decay_weight,
            decay_zero: decay_weight <= 0.0,
            // Filled when the note is kept or left out.
            path: Vec::new(),
        })
    }

    fn is_enough(&self) -> bool {
        let Some(stop_mean) = self.params.stop_mean else {
            return false;
        };
        let mut scores: Vec<f32> = self
            .found
            .retained
            .iter()
            .map(|retained| retained.visited.score)
            .collect();
        scores.sort_unstable_by(|a, b| b.total_cmp(a));
        scores.truncate(self.params.k);
        let mean = scores.iter().sum::<f32>() / scores.len() as f32;
        !scores.is_empty() && mean >= stop_mean
    }

    fn keep(&mut self, mut visited: Visited, retain_reason: RetainReason) {
        visited.path = self.path_to(visited.node);
        self.found.retained.push(Retained {
            visited,
            retain_reason,
        });
    }

    fn leave_out(&mut self, mut visited: Visited, drop_reason: DropReason) {
        visited.path = self.path_to(visited.node);
        self.found.dropped.push(Dropped {
            visited,
            drop_reason,
        });
    }

    fn path_to(&self, node: Node) -> Vec<Node> {
        let parent = |node: &Node| self.parents.get(node).copied().flatten();
        let mut path: Vec<Node> = std::iter::successors(Some(node), parent).collect();
        path.reverse();
        path
    }

    /// Keeps the best `k`.
    fn finish(self) -> Traversal {
        let mut found = self.found;
        found
            .retained
            .sort_by(|a, b| best_first(&a.visited, &b.visited));
        let k = self.params.k.min(found.retained.len());
        let beyond = found.retained.split_off(k);
        found
            .dropped
            .extend(beyond.into_iter().map(|retained| Dropped {
                visited: retained.visited,
                drop_reason: DropReason::BeamOverflow,
            }));
        found
    }
}

fn sort(notes: &mut [Visited]) {
    notes.sort_by(best_first);
}

fn best_first(a: &Visited, b: &Visited) -> std::cmp::Ordering {
    (b.score.total_cmp(&a.score))
        .then(a.hop.cmp(&b.hop))
        .then(a.node.cmp(&b.node))
}
