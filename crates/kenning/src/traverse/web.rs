//! The notes of a vault and the links between them, as a web to walk on.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use jiff::civil::Date;

use super::beam::{Node, Web};
use super::{Direction, TraverseContext, Via};
use crate::budget::Budget;
use crate::embed::Calibration;
use crate::error::{Error, Result};
use crate::links::Files;
use crate::search::decay::{self, Decay};
use crate::store::{
    By, ChunkRow, LinkRow, LinksOf, NoteFacts, NoteId, NoteSet, Select, Store, Wanted,
};

/// A link seen from one of its two ends.
struct Edge {
    to: Node,
    /// Index of the link.
    link: usize,
    direction: Direction,
}

/// Share of the way from an unrelated passage to one that says the same which the nearest passage of a vault
/// must go to count as near: where nothing is near, the best of it is not either.
const NEAREST_MIN: f32 = 0.5;

/// Units of work that a passage costs.
const CHUNK_COST: u64 = 2_000;

/// What cosines mean in this vault, for what is asked for. Models differ in how near they put related
/// texts, and short questions lie further from everything than long notes do.
struct Scale {
    /// Cosine of an unrelated passage.
    unrelated: f32,
    /// Cosine of the nearest passage of all.
    nearest: f32,
}

impl Scale {
    fn new(store: &Store, calibration: &Calibration, target: &[f32]) -> Result<Self> {
        let found = store.nearest(target, 1, &NoteSet::every())?;
        let nearest = found.hits.first().map_or(0.0, |nearest| nearest.cosine);
        // In a vault of one topic the mean of all passages is not what an unrelated one would have.
        let unrelated = found.mean.min(nearest.max(0.0) * calibration.unrelated_max);
        let near = calibration.near * NEAREST_MIN;
        Ok(Self {
            unrelated,
            nearest: nearest.max(unrelated + near * (1.0 - unrelated)),
        })
    }

    /// Returns where a cosine lies between unrelated, 0, and the nearest of all, 1.
    fn similarity(&self, cosine: f32) -> f32 {
        let range = (self.nearest - self.unrelated).max(f32::EPSILON);
        ((cosine - self.unrelated) / range).clamp(0.0, 1.0)
    }
}

/// How near a note comes to what is asked for.
#[derive(Clone, Default)]
pub(super) struct Nearness {
    /// Cosine of its best passage.
    pub(super) cosine: f32,
    /// That passage.
    pub(super) chunk: Option<Arc<ChunkRow>>,
}

/// Every note of the vault, every link that leads from one to another, and what is asked for.
pub(super) struct LinkWeb<'a> {
    store: &'a Store,
    budget: &'a Budget,
    target: Vec<f32>,
    scale: Scale,
    notes: Vec<NoteFacts>,
    links: Vec<LinkRow>,
    edges: Vec<Vec<Edge>>,
    decay_weights: Vec<f32>,
    nearness: RefCell<HashMap<Node, Nearness>>,
    /// The first thing that went wrong: a walk cannot stop for it, but must not hide it.
    failure: RefCell<Option<Error>>,
}

impl<'a> LinkWeb<'a> {
    /// Resolves all links and weighs all notes by age, once.
    pub(super) fn new(cx: &TraverseContext<'a>, target: Vec<f32>, today: Date) -> Result<Self> {
        let store = cx.store;
        let wanted = Wanted {
            standing: true,
            ..Wanted::NAMES
        };
        let mut notes = Arc::unwrap_or_clone(store.select(Select::Every, wanted)?);
        notes.sort_by(|a, b| a.path.cmp(&b.path));
        let links = store.links(LinksOf::Every)?;
        let files = Files::new(store.files()?);
        let edges = edges(&notes, &links, &files);
        let decay_weights = decay_weights(&notes, today, cx.decay);
        Ok(Self {
            store,
            budget: cx.budget,
            scale: Scale::new(store, &cx.embedder.calibration(), &target)?,
            target,
            notes,
            links,
            edges,
            decay_weights,
            nearness: RefCell::default(),
            failure: RefCell::default(),
        })
    }

    /// Returns the node of a note.
    pub(super) fn node_of(&self, note: NoteId) -> Option<Node> {
        let index = self.notes.iter().position(|known| known.id == note)?;
        Node::try_from(index).ok()
    }

    pub(super) fn note(&self, node: Node) -> &NoteFacts {
        &self.notes[node as usize]
    }

    /// Returns the link by which a walk goes from one note to the next.
    pub(super) fn via(&self, from: Node, to: Node) -> Option<Via> {
        let edge = self.edges[from as usize]
            .iter()
            .find(|edge| edge.to == to)?;
        Some(Via {
            direction: edge.direction,
            link: self.links[edge.link].clone(),
        })
    }

    /// Returns how near a note comes; asks the store only once.
    pub(super) fn nearness(&self, node: Node) -> Nearness {
        if let Some(known) = self.nearness.borrow().get(&node) {
            return known.clone();
        }
        let nearness = self.read_nearness(node).unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert(error);
            Nearness::default()
        });
        self.nearness.borrow_mut().insert(node, nearness.clone());
        nearness
    }

    fn read_nearness(&self, node: Node) -> Result<Nearness> {
        let chunks = self.store.chunks(By::Note(self.note(node).id))?;
        self.budget.spend(CHUNK_COST * (1 + chunks.len() as u64));
        self.budget.check()?;
        let ids: Vec<_> = chunks.iter().map(|chunk| chunk.id).collect();
        let cosines = self.store.cosines(&self.target, &ids)?;
        let cosine_of = |chunk: &ChunkRow| {
            let found = cosines.binary_search_by_key(&chunk.id, |(chunk, _)| *chunk);
            found.map_or(0.0, |found| cosines[found].1)
        };
        // Chunks are in order: the earlier one wins among equals.
        let best = chunks
            .into_iter()
            .map(|chunk| (cosine_of(&chunk), chunk))
            .reduce(|best, next| if next.0 > best.0 { next } else { best });
        Ok(
            best.map_or_else(Nearness::default, |(cosine, chunk)| Nearness {
                cosine,
                chunk: Some(chunk),
            }),
        )
    }

    /// Returns what went wrong on the walk, if anything did.
    pub(super) fn failure(&self) -> Result<()> {
        self.failure.borrow_mut().take().map_or(Ok(()), Err)
    }
}

impl Web for LinkWeb<'_> {
    fn neighbours(&self, node: Node) -> Vec<Node> {
        self.edges[node as usize]
            .iter()
            .map(|edge| edge.to)
            .collect()
    }

    fn similarity(&self, node: Node) -> f32 {
        self.scale.similarity(self.nearness(node).cosine)
    }

    fn decay_weight(&self, node: Node) -> f32 {
        self.decay_weights[node as usize]
    }
}

/// Returns the links of each note that lead to another note, then those that lead to it.
fn edges(notes: &[NoteFacts], links: &[LinkRow], files: &Files) -> Vec<Vec<Edge>> {
    let by_id: HashMap<NoteId, usize> = (notes.iter().map(|note| note.id)).zip(0..).collect();
    let by_path: HashMap<&str, usize> = (notes.iter().map(|note| note.path.as_str()))
        .zip(0..)
        .collect();
    let mut edges: Vec<Vec<Edge>> = notes.iter().map(|_| Vec::new()).collect();
    let mut backwards: Vec<(usize, usize, usize)> = Vec::new();
    for (index, link) in links.iter().enumerate() {
        let Some(&from) = by_id.get(&link.source) else {
            continue;
        };
        let target = files.resolve(&notes[from].path, &link.target);
        // A picture is not a note, and a note that links to itself leads nowhere.
        let Some(&to) = target
            .and_then(|path| by_path.get(path))
            .filter(|&&to| to != from)
        else {
            continue;
        };
        edges[from].push(Edge {
            to: to as Node,
            link: index,
            direction: Direction::Outgoing,
        });
        backwards.push((from, index, to));
    }
    // By path of the note they stand in, whatever its id.
    backwards.sort_unstable();
    for (from, link, to) in backwards {
        edges[to].push(Edge {
            to: from as Node,
            link,
            direction: Direction::Backlink,
        });
    }
    edges
}

fn decay_weights(notes: &[NoteFacts], today: Date, aging: &Decay) -> Vec<f32> {
    let candidates: Vec<decay::Dated<'_>> = notes
        .iter()
        .map(|note| decay::Dated {
            score: 1.0,
            author: note.standing.author.as_deref(),
            kind: note.standing.kind.as_deref(),
            path: &note.path,
            date: note.date.as_deref().and_then(|date| date.parse().ok()),
            // A walk multiplies by what age leaves; nothing is added for being recent.
            modified: None,
            is_evergreen: note.standing.is_evergreen,
            is_superseded: note.standing.is_superseded,
        })
        .collect();
    decay::weigh(&candidates, today, aging)
        .iter()
        .map(|decayed| decayed.factor)
        .collect()
}
