//! The order of the hits: a closer look, age, links, names that were called, few passages of a note.

use std::sync::Arc;

use jiff::civil::Date;
use rustc_hash::FxHashMap;

use super::fuse::Candidate;
use super::maxsim::MaxSim;
use super::rerank::{self, Features, Lens, Names, NamesLook};
use super::retrieve::Strength;
use super::select::Selection;
use super::{Mode, Query, SearchContext, SearchOptions, decay, graph};
use crate::chunk;
use crate::error::Result;
use crate::search::tuning::{Fusion, LookWeights, STUFFED_MIN};
use crate::store::{ChunkAndPieces, ChunkId, ChunkRow, NoteId, NoteRow, Store};

/// What a passage that does not show why its note was let through keeps of its score.
const NOT_SHOWN: f32 = 0.5;

/// A candidate with its rows at hand.
pub(super) struct Ranked {
    pub(super) candidate: Candidate,
    pub(super) chunk: ChunkRow,
    pub(super) note: Arc<NoteRow>,
    /// The passage, once it is needed.
    pub(super) text: Option<String>,
    pub(super) is_pinned: bool,
    /// Whether it is among the hits whatever its score.
    pub(super) is_guaranteed: bool,
}

impl Ranked {
    fn new(candidate: Candidate, chunk: ChunkRow, note: Arc<NoteRow>) -> Self {
        Self {
            candidate,
            chunk,
            note,
            text: None,
            is_pinned: false,
            is_guaranteed: false,
        }
    }

    /// Returns the passage.
    pub(super) fn passage(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }
}

/// Reads what belongs to a candidate.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    store: &'a Store,
}

impl<'a> Rows<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store }
    }

    /// Reads the passage of a hit, unless it is there.
    pub(super) fn read_text(self, ranked: &mut Ranked) -> Result<()> {
        if ranked.text.is_none() {
            ranked.text = Some(self.store.passage(&ranked.chunk)?);
        }
        Ok(())
    }

    pub(super) fn ranked(self, candidate: Candidate, chunk: ChunkRow) -> Result<Ranked> {
        let note = self.store.note(chunk.note)?;
        Ok(Ranked::new(candidate, chunk, note))
    }
}

/// What the order depends on beside the candidates.
pub(super) struct Order<'a> {
    pub(super) query: &'a Query,
    pub(super) strength: &'a Strength,
    pub(super) selection: &'a Selection<'a>,
    /// Notes that were called by name.
    pub(super) pinned: &'a [NoteId],
    pub(super) today: Date,
}

/// Orders the candidates: best first, ties by path and line.
pub(super) fn rank(
    cx: &SearchContext<'_>,
    fused: Vec<Candidate>,
    order: &Order<'_>,
    options: &SearchOptions,
) -> Result<Vec<Ranked>> {
    let places = sorted(&fused);
    let rows = Rows::new(cx.store);
    let is_looked_at =
        options.mode == Mode::Hybrid && matches!(cx.tuning.fusion, Fusion::Blend { .. });
    let n_looked = cx.tuning.look.n_looked.min(fused.len());
    let (looked, rest) = places.split_at(n_looked);
    let rest = || rest.iter().map(|&place| &fused[place]);
    let mut best = Vec::with_capacity(n_looked);
    let mut pieces = Pieces::with_capacity(n_looked);
    let ids: Vec<ChunkId> = looked.iter().map(|&place| fused[place].chunk).collect();
    let chunks = cx.store.chunks(&ids)?;
    let ids: Vec<NoteId> = chunks.iter().map(|chunk| chunk.row.note).collect();
    let notes = cx.store.notes_of(&ids)?;
    for ((&place, chunk), note) in looked.iter().zip(&chunks).zip(notes) {
        pieces.push(chunk);
        let mut ranked = Ranked::new(fused[place].clone(), chunk.row.clone(), note);
        if order.selection.reads_texts() || is_looked_at && cx.tuning.look.kin > 0.0 {
            rows.read_text(&mut ranked)?;
        }
        best.push(ranked);
    }
    if is_looked_at {
        look(cx, &mut best, &pieces, order)?;
    }
    show(&mut best, cx.store, order.selection)?;
    age(cx, &mut best, order.today);
    follow_links(cx, &mut best, order.today);
    let mut ranked = pin(rows, &best, rest(), order.pinned, options.limit)?;
    let scale = if is_looked_at {
        1.0 + cx.tuning.look.most()
    } else {
        1.0
    };
    let rest = rest().map(|candidate| Candidate {
        score: candidate.score / scale,
        ..candidate.clone()
    });
    fill(rows, &mut ranked, best, rest, options)?;
    Ok(ranked)
}

/// As many word pieces as most passages have, each counted once.
const PIECES_OF_PASSAGE: usize = 128;

/// The word pieces of passages, one behind the other.
struct Pieces {
    all: Vec<u32>,
    ends: Vec<usize>,
}

impl Pieces {
    fn with_capacity(n_passages: usize) -> Self {
        Self {
            all: Vec::with_capacity(n_passages * PIECES_OF_PASSAGE),
            ends: Vec::with_capacity(n_passages),
        }
    }

    fn push(&mut self, chunk: &ChunkAndPieces) {
        chunk.pieces(&mut self.all);
        self.ends.push(self.all.len());
    }

    fn passages(&self) -> Vec<&[u32]> {
        let mut start = 0;
        let mut next = |&end: &usize| &self.all[std::mem::replace(&mut start, end)..end];
        self.ends.iter().map(&mut next).collect()
    }
}

/// Returns the places of candidates by score. They are large: most are never moved at all.
fn sorted(candidates: &[Candidate]) -> Vec<usize> {
    let mut order: Vec<(f32, ChunkId, usize)> = (candidates.iter().enumerate())
        .map(|(place, candidate)| (candidate.score, candidate.chunk, place))
        .collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.into_iter().map(|(_, _, place)| place).collect()
}

/// Adds what a closer look at the passages tells.
fn look(
    cx: &SearchContext<'_>,
    best: &mut [Ranked],
    pieces: &Pieces,
    order: &Order<'_>,
) -> Result<()> {
    let idf = &order.strength.idf;
    let words = order.query.words.iter().map(String::as_str);
    let weights = &cx.tuning.look;
    let similar = cx
        .embedder
        .word_rows()
        .filter(|_| weights.similarity > 0.0)
        .map(|model| MaxSim::new(model, words.zip(idf.iter().copied())));
    let cosines = match similar {
        Some(similar) => similar.scores(&pieces.passages()),
        None => vec![0.0; best.len()],
    };
    let mut lens = Lens::new(order.query, idf);
    let mut looks: FxHashMap<NoteId, NamesLook> = FxHashMap::default();
    let chunks: Vec<ChunkId> = best.iter().map(|ranked| ranked.chunk.id).collect();
    let places = cx.store.places(&order.query.groups, &chunks)?;
    for ((ranked, places), cosine) in best.iter_mut().zip(&places).zip(cosines) {
        let note = &ranked.note;
        let crumbs = chunk::breadcrumb(&note.title, &note.headings, ranked.chunk.heading);
        let names = names(note, &note.title);
        let look = (looks.entry(note.id)).or_insert_with(|| lens.names(&names));
        let passage = rerank::Passage {
            places,
            headings: &crumbs[1..],
            joined: ranked.text.as_deref().filter(|_| weights.kin > 0.0),
        };
        ranked.candidate.look = Some(Features {
            cosine,
            ..lens.features(&passage, &names, look)
        });
    }
    weigh(best, weights);
    Ok(())
}

/// Returns what a note is called: by itself, beginning with `first`, and by others.
pub(super) fn names<'a>(note: &'a NoteRow, first: &'a str) -> Names<'a> {
    let aliases = note.aliases.iter().map(String::as_str);
    Names {
        own: std::iter::once(first).chain(aliases).collect(),
        called: &note.called,
        tags: &note.tags,
        n_neighbours: note.n_neighbours,
        language: note.language,
    }
}

/// Adds up what was found. Likeness of words has no natural scale: it counts from the least to the
/// most of those looked at.
fn weigh(best: &mut [Ranked], weights: &LookWeights) {
    let cosines = || best.iter().filter_map(|r| Some(r.candidate.look?.cosine));
    let (least, most) = (
        cosines().fold(1f32, f32::min),
        cosines().fold(0f32, f32::max),
    );
    for Ranked { candidate, .. } in best {
        if let Some(found) = &mut candidate.look {
            let span = most - least;
            found.similarity = if span > 0.0 {
                (found.cosine - least) / span
            } else {
                0.0
            };
            let added = found.weighted(weights);
            let kept = (1.0 - found.stuffing).max(STUFFED_MIN);
            candidate.score = kept * (candidate.score + added) / (1.0 + weights.most());
        }
    }
}

/// Where a filter asks for something in the text, the passage that has it is the one to show.
fn show(best: &mut [Ranked], store: &Store, selection: &Selection<'_>) -> Result<()> {
    if !selection.reads_texts() {
        return Ok(());
    }
    for index in 0..best.len() {
        if selection.is_shown_by(best[index].passage()) {
            continue;
        }
        let note = best[index].note.id;
        let taken: Vec<ChunkId> = best.iter().map(|ranked| ranked.chunk.id).collect();
        let ranked = &mut best[index];
        let mut better = None;
        for chunk in store.chunks_of(note)? {
            let text = store.passage(&chunk)?;
            if !taken.contains(&chunk.id) && selection.is_shown_by(&text) {
                better = Some((chunk, text));
                break;
            }
        }
        match better {
            Some((chunk, text)) => {
                ranked.candidate.chunk = chunk.id;
                ranked.chunk = chunk;
                ranked.text = Some(text);
            }
            None => ranked.candidate.score *= NOT_SHOWN,
        }
    }
    Ok(())
}

/// Lets notes age by the domain's rule.
fn age(cx: &SearchContext<'_>, best: &mut [Ranked], today: Date) {
    let candidates: Vec<decay::Candidate<'_>> = best
        .iter()
        .map(|ranked| decay::Candidate {
            score: ranked.candidate.score,
            author: ranked.note.author.as_deref(),
            kind: ranked.note.kind.as_deref(),
            path: &ranked.note.path,
            date: ranked.note.day(),
            is_evergreen: ranked.note.is_evergreen,
            is_superseded: ranked.note.superseded_by.is_some(),
        })
        .collect();
    let decayed = decay::weigh(&candidates, today, &cx.tuning.decay);
    for (ranked, decayed) in best.iter_mut().zip(decayed) {
        ranked.candidate.score = decayed.score(ranked.candidate.score);
        ranked.candidate.decay = Some(decayed);
    }
}

/// Lifts notes that links vouch for.
fn follow_links(cx: &SearchContext<'_>, best: &mut [Ranked], today: Date) {
    let Some(weights) = &cx.tuning.graph else {
        return;
    };
    let mut degrees: FxHashMap<NoteId, u32> = FxHashMap::default();
    for ranked in best.iter() {
        degrees.insert(ranked.note.id, ranked.note.n_neighbours);
    }
    let candidates: Vec<graph::Candidate> = best
        .iter()
        .map(|ranked| graph::Candidate {
            score: ranked.candidate.score,
            pagerank: ranked.note.pagerank,
            centrality: ranked.note.centrality,
            modified: ranked.note.day(),
        })
        .collect();
    let n_edges = degrees.values().sum::<u32>() as usize;
    let Some(terms) = graph::rerank(&candidates, n_edges, today, weights) else {
        return;
    };
    for (ranked, terms) in best.iter_mut().zip(terms) {
        ranked.candidate.score = terms.total();
        ranked.candidate.graph = Some(terms);
    }
}

/// The best chunk of each note that was called by name.
fn pin<'r>(
    rows: Rows<'_>,
    best: &[Ranked],
    rest: impl Iterator<Item = &'r Candidate> + Clone,
    pinned: &[NoteId],
    limit: usize,
) -> Result<Vec<Ranked>> {
    let store = rows.store;
    let mut ranked = Vec::new();
    for &id in pinned.iter().take(limit) {
        let is_of_note =
            |candidate: &Candidate| store.note_of(candidate.chunk).ok().flatten() == Some(id);
        let looked = best.iter().find(|ranked| ranked.note.id == id);
        let known = looked
            .map(|ranked| ranked.candidate.clone())
            .or_else(|| rest.clone().find(|other| is_of_note(other)).cloned());
        let chunk = match &known {
            Some(candidate) => Some(store.chunk(candidate.chunk)?.row.clone()),
            None => store.chunks_of(id)?.into_iter().next(),
        };
        if let Some(chunk) = chunk {
            let candidate = Candidate {
                score: 1.0,
                ..known.unwrap_or_else(|| Candidate::new(chunk.id))
            };
            ranked.push(Ranked {
                is_pinned: true,
                ..rows.ranked(candidate, chunk)?
            });
        }
    }
    Ok(ranked)
}

/// Fills the list up to the limit, few passages of one note.
fn fill(
    rows: Rows<'_>,
    ranked: &mut Vec<Ranked>,
    mut best: Vec<Ranked>,
    rest: impl Iterator<Item = Candidate>,
    options: &SearchOptions,
) -> Result<()> {
    let n_pinned = ranked.len();
    ranked.reserve(best.len());
    let pinned: Vec<ChunkId> = ranked.iter().map(|pinned| pinned.chunk.id).collect();
    let mut n_taken: FxHashMap<NoteId, usize> =
        ranked.iter().map(|pinned| (pinned.note.id, 1)).collect();
    best.sort_by(by_score_and_place);
    let mut take = |next: Ranked, ranked: &mut Vec<Ranked>| {
        let n = n_taken.entry(next.note.id).or_default();
        if !pinned.contains(&next.chunk.id) && *n < options.per_note {
            *n += 1;
            ranked.push(next);
        }
    };
    for next in best {
        take(next, ranked);
    }
    for candidate in rest {
        let is_tie = ranked
            .last()
            .is_some_and(|last| last.candidate.score == candidate.score);
        if ranked.len() >= options.limit && !is_tie {
            break;
        }
        let chunk = rows.store.chunk(candidate.chunk)?;
        let next = rows.ranked(candidate, chunk.row.clone())?;
        take(next, ranked);
    }
    ranked[n_pinned..].sort_by(by_score_and_place);
    keep_perfect(ranked, n_pinned, options.limit);
    Ok(())
}

/// Cuts the list to its length. The passage that is best by words, if it holds every one of them,
/// stays in any case: what was typed stands there.
fn keep_perfect(ranked: &mut Vec<Ranked>, n_pinned: usize, limit: usize) {
    let is_perfect = |ranked: &Ranked| {
        let look = ranked.candidate.look;
        look.is_some_and(|look| look.coverage > 0.999)
    };
    let best = (limit.max(n_pinned)..ranked.len())
        .filter(|&index| is_perfect(&ranked[index]))
        .max_by(|&a, &b| by_words(&ranked[a], &ranked[b]));
    let is_cut = best.is_some_and(|best| {
        let kept = ranked.iter().take(limit).filter(|kept| is_perfect(kept));
        kept.max_by(|a, b| by_words(a, b))
            .is_none_or(|kept| by_words(kept, &ranked[best]).is_lt())
    });
    if let Some(best) = best.filter(|_| is_cut && limit > n_pinned) {
        ranked.swap(limit - 1, best);
        ranked[limit - 1].is_guaranteed = true;
    }
    ranked.truncate(limit);
}

fn by_words(a: &Ranked, b: &Ranked) -> std::cmp::Ordering {
    (a.candidate.lexical.total_cmp(&b.candidate.lexical)).then_with(|| by_score_and_place(b, a))
}

fn by_score_and_place(a: &Ranked, b: &Ranked) -> std::cmp::Ordering {
    (b.candidate.score.total_cmp(&a.candidate.score))
        .then_with(|| a.note.path.cmp(&b.note.path))
        .then_with(|| a.chunk.start_line.cmp(&b.chunk.start_line))
}
