//! The order of the candidates: a closer look, age, links, names that were called.

use std::sync::Arc;

use jiff::civil::Date;
use rustc_hash::{FxHashMap, FxHashSet};

use super::fuse::Candidate;
use super::maxsim::MaxSim;
use super::repeat::{self, Repeated};
use super::rerank::{self, Lens, Names, NamesLook};
use super::retrieve::Strength;
use super::select::Selection;
use super::{Mode, Query, SearchContext, decay, graph};
use crate::chunk;
use crate::error::Result;
use crate::search::signals::{self, SignalId, SignalWeights};
use crate::search::tuning::{Fusion, Tuning};
use crate::store::{By, ChunkId, ChunkRow, Name, NoteId, NoteRow, Store};

/// What a passage that does not show why its note was let through keeps of its score.
pub(super) const NOT_SHOWN: f32 = 0.5;

/// Why a passage stands where it does, whatever its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Promise {
    /// Its note was called by name.
    Name,
    /// Its note has a tag that was named.
    Tag,
    /// It holds every word, and is the best by words.
    Words,
    /// It has what the question asks for: a name, a day, an amount.
    Answer,
}

/// A candidate with its rows at hand.
pub(super) struct Ranked {
    pub(super) candidate: Candidate,
    pub(super) chunk: Arc<ChunkRow>,
    pub(super) note: Arc<NoteRow>,
    /// The passage, once it is needed.
    pub(super) text: Option<String>,
    pub(super) promise: Option<Promise>,
    /// Other notes that have the same passage.
    pub(super) also_in: Vec<String>,
}

impl Ranked {
    fn new(candidate: Candidate, chunk: Arc<ChunkRow>, note: Arc<NoteRow>) -> Self {
        Self {
            candidate,
            chunk,
            note,
            text: None,
            promise: None,
            also_in: Vec::new(),
        }
    }

    /// Whether its note was called by name.
    pub(super) fn is_pinned(&self) -> bool {
        self.promise == Some(Promise::Name)
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

    pub(super) fn ranked(self, candidate: Candidate, chunk: Arc<ChunkRow>) -> Result<Ranked> {
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
    /// A list of notes was asked for: all of them are wanted.
    pub(super) is_listing: bool,
}

/// Candidates in their order. It does not depend on how many of them are wanted.
pub(super) struct Ranking {
    /// Those that were looked at, best first, ties by path and line.
    pub(super) looked: Vec<Ranked>,
    /// All candidates, looked at or not.
    pub(super) fused: Vec<Candidate>,
    /// The places of those that were not looked at, best first. They follow the others.
    pub(super) rest: Vec<usize>,
}

/// Orders the candidates.
pub(super) fn rank(
    cx: &SearchContext<'_>,
    fused: Vec<Candidate>,
    order: &Order<'_>,
    mode: Mode,
) -> Result<Ranking> {
    let mut looked = sorted(&fused);
    let n_looked = cx.tuning.rerank.n_looked.min(fused.len());
    settle(cx.store, &fused, &mut looked, n_looked)?;
    let rest = looked.split_off(n_looked);
    let rows = Rows::new(cx.store);
    let is_looked_at = is_looked_at(cx.tuning, mode);
    let mut best = Vec::with_capacity(looked.len());
    let mut pieces = Pieces::with_capacity(looked.len());
    let ids: Vec<ChunkId> = looked.iter().map(|&place| fused[place].chunk).collect();
    let chunks = cx.store.chunks(By::Ids(&ids))?;
    let ids: Vec<NoteId> = chunks.iter().map(|chunk| chunk.note).collect();
    let notes = cx.store.notes(&ids)?;
    for ((&place, chunk), note) in looked.iter().zip(&chunks).zip(notes) {
        pieces.push(chunk);
        let mut ranked = Ranked::new(fused[place].clone(), Arc::clone(chunk), note);
        if order.selection.shows_texts()
            || is_looked_at && cx.tuning.rerank.weights.get(SignalId::Compound) > 0.0
        {
            rows.read_text(&mut ranked)?;
        }
        best.push(ranked);
    }
    if is_looked_at {
        look(cx, &mut best, &pieces, order)?;
    }
    show(&mut best, cx.store, order.selection)?;
    if order.selection.shows_tasks() {
        drop_idle(&mut best);
    }
    let links = links_among(cx, &best);
    age(cx, &mut best, order.today, links.is_some());
    if let Some(weights) = links {
        follow_links(&mut best, order.today, &weights);
    }
    best.sort_by(by_score_and_place);
    let further = rest.iter().map(|&place| &fused[place]);
    let mut looked = pin(rows, &best, further, order.pinned)?;
    open(cx.store, &mut looked, order)?;
    best.retain(|ranked| {
        looked
            .iter()
            .all(|pinned| pinned.chunk.id != ranked.chunk.id)
    });
    looked.append(&mut best);
    if !order.is_listing {
        repeat::collapse(&mut looked);
    }
    Ok(Ranking {
        looked,
        fused,
        rest,
    })
}

/// Whether the best candidates are looked at more closely.
pub(super) fn is_looked_at(tuning: &Tuning, mode: Mode) -> bool {
    mode == Mode::Hybrid && matches!(tuning.fusion, Fusion::Blend { .. })
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

    fn push(&mut self, chunk: &ChunkRow) {
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
pub(super) fn sorted(candidates: &[Candidate]) -> Vec<usize> {
    let mut order: Vec<(f32, ChunkId, usize)> = (candidates.iter().enumerate())
        .map(|(place, candidate)| (candidate.score, candidate.chunk, place))
        .collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.into_iter().map(|(_, _, place)| place).collect()
}

/// Where some of equal score are looked at and others are not, path and line decide: ids tell only in
/// which order notes were indexed.
fn settle(store: &Store, fused: &[Candidate], places: &mut [usize], n_looked: usize) -> Result<()> {
    let score = |place: usize| fused[place].score;
    let Some(&first_below) = places.get(n_looked).filter(|_| n_looked > 0) else {
        return Ok(());
    };
    let equal = score(first_below);
    let start = places.partition_point(|&place| score(place) > equal);
    let end = places.partition_point(|&place| score(place) >= equal);
    if start == n_looked {
        return Ok(());
    }
    let mut group = Vec::with_capacity(end - start);
    for &place in &places[start..end] {
        let chunk = store.chunk(fused[place].chunk)?;
        group.push((store.note(chunk.note)?, chunk.start_line, place));
    }
    group.sort_by(|a, b| (&a.0.path, a.1).cmp(&(&b.0.path, b.1)));
    let settled = group.into_iter().map(|(_, _, place)| place);
    for (place, settled) in places[start..end].iter_mut().zip(settled) {
        *place = settled;
    }
    Ok(())
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
    let weights = &cx.tuning.rerank.weights;
    let similar = cx
        .embedder
        .token_vectors()
        .filter(|_| weights.get(SignalId::Similarity) > 0.0)
        .map(|model| MaxSim::new(model, words.zip(idf.iter().copied())));
    let cosines: Vec<Option<f32>> = match similar {
        Some(similar) => (similar.scores(&pieces.passages()).into_iter())
            .map(Some)
            .collect(),
        None => vec![None; best.len()],
    };
    let mut lens = Lens::new(order.query, idf);
    let repeated = Repeated::find(Rows::new(cx.store), best)?;
    let mut looks: FxHashMap<NoteId, NamesLook> = FxHashMap::default();
    let chunks: Vec<ChunkId> = best.iter().map(|ranked| ranked.chunk.id).collect();
    let positions = cx.store.positions(&order.query.groups, &chunks)?;
    for ((ranked, positions), cosine) in best.iter_mut().zip(&positions).zip(cosines) {
        let note = &ranked.note;
        let crumbs = chunk::breadcrumb(&note.title, &note.headings, ranked.chunk.heading);
        let names = names(note);
        let look = (looks.entry(note.id)).or_insert_with(|| lens.names(&names));
        let passage = rerank::Passage {
            places: positions,
            headings: &crumbs[1..],
            beside: ranked.candidate.beside,
            joined: ranked
                .text
                .as_deref()
                .filter(|_| weights.get(SignalId::Compound) > 0.0),
            repeated: repeated.of(ranked).collect(),
        };
        ranked.candidate.look = Some(lens.features(&passage, &names, look, cosine));
    }
    weigh(best, weights);
    cap_stubs(best);
    Ok(())
}

/// Returns what a note is called: by itself and by others.
pub(super) fn names(note: &NoteRow) -> Names<'_> {
    let title = note.title.as_str();
    let file_name = note.file_name().filter(|name| *name != title);
    let aliases = note.aliases.iter().map(String::as_str);
    let own = std::iter::once(title).chain(file_name).chain(aliases);
    Names {
        own: own.collect(),
        called: &note.anchor_texts,
        tags: &note.tags,
        n_neighbours: note.n_neighbours,
        language: note.language,
    }
}

/// Adds up what was found.
fn weigh(best: &mut [Ranked], weights: &SignalWeights) {
    let looks = (best.iter_mut()).filter_map(|ranked| ranked.candidate.look.as_mut());
    let mut signals: Vec<_> = looks.map(|look| &mut look.signals).collect();
    signals::scale(&mut signals);
    for Ranked { candidate, .. } in best {
        if let Some(found) = &candidate.look {
            let added = weights.weighted(&found.signals);
            candidate.score = found.kept() * (candidate.score + added) / (1.0 + weights.most());
        }
    }
}

/// Other words that a passage must have to explain something.
const EXPLAINING_WORDS_MIN: u32 = 40;

/// A stub does not beat a note that holds all of what was asked for and explains it.
fn cap_stubs(best: &mut [Ranked]) {
    let explaining = best.iter().filter_map(|ranked| {
        let look = ranked.candidate.look?;
        let is_deep = look.n_others >= EXPLAINING_WORDS_MIN && !look.is_stub;
        (is_deep && look.coverage > 0.999).then_some(ranked.candidate.score)
    });
    let Some(most) = explaining.max_by(f32::total_cmp) else {
        return;
    };
    for Ranked { candidate, .. } in best {
        let is_stub = candidate.look.is_some_and(|look| look.is_stub);
        if is_stub && candidate.score >= most {
            // Just below: among equals, paths would decide.
            candidate.stub_most = Some(most * BELOW);
            candidate.score = most * BELOW;
        }
    }
}

/// What a score is multiplied by to be just below another one.
const BELOW: f32 = 0.999;

/// Where a filter asks for something in the text, the passage that has it is the one to show.
fn show(best: &mut [Ranked], store: &Store, selection: &Selection<'_>) -> Result<()> {
    if !selection.shows_texts() {
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
        for chunk in store.chunks(By::Note(note))? {
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
            None => {
                ranked.candidate.is_unshown = true;
                ranked.candidate.score *= NOT_SHOWN;
            }
        }
    }
    Ok(())
}

/// Where tasks are asked for, a passage without one is only shown if its note has no other.
fn drop_idle(best: &mut Vec<Ranked>) {
    let is_shown = |ranked: &&Ranked| !ranked.candidate.is_unshown;
    let shown: FxHashSet<NoteId> = (best.iter().filter(is_shown))
        .map(|ranked| ranked.note.id)
        .collect();
    best.retain(|ranked| !ranked.candidate.is_unshown || !shown.contains(&ranked.note.id));
}

/// Lets notes age by the domain's rule. Where links count, they add what being recent is worth.
fn age(cx: &SearchContext<'_>, best: &mut [Ranked], today: Date, do_links_count: bool) {
    let candidates: Vec<decay::Candidate<'_>> = best
        .iter()
        .map(|ranked| decay::Candidate {
            score: ranked.candidate.score,
            author: ranked.note.author.as_deref(),
            kind: ranked.note.kind.as_deref(),
            path: &ranked.note.path,
            date: ranked.note.day(),
            modified: ranked.note.modified_day(),
            is_evergreen: ranked.note.is_evergreen,
            is_superseded: ranked.note.superseded_by.is_some(),
        })
        .collect();
    let decayed = decay::weigh(&candidates, today, &cx.tuning.decay);
    for (ranked, mut decayed) in best.iter_mut().zip(decayed) {
        if do_links_count {
            decayed.boost = 0.0;
        }
        ranked.candidate.score = decayed.score(ranked.candidate.score);
        ranked.candidate.decay = Some(decayed);
    }
}

/// Returns how links count, if they do and there are enough of them around the candidates.
fn links_among(cx: &SearchContext<'_>, best: &[Ranked]) -> Option<graph::Weights> {
    let mut weights = cx.tuning.graph?;
    if let decay::Mode::RankedGrouped(grouped) = &cx.tuning.decay.mode {
        weights.recent = grouped.recency_boost_amount;
        weights.recent_days = grouped.recency_boost_days;
    }
    let linked: Vec<graph::Linked<'_>> = best
        .iter()
        .map(|ranked| graph::Linked {
            key: crate::note::path_key(&ranked.note.path),
            n_edges: ranked.note.n_neighbours,
            links_to: &ranked.note.links_to,
        })
        .collect();
    (graph::edges_around(&linked) >= weights.edges_min).then_some(weights)
}

/// Lifts notes that links vouch for.
fn follow_links(best: &mut [Ranked], today: Date, weights: &graph::Weights) {
    for ranked in best {
        let note = &ranked.note;
        let candidate = graph::Candidate {
            score: ranked.candidate.score,
            pagerank: note.pagerank,
            centrality: note.centrality,
            // Being recent does not make up for being replaced.
            modified: note.modified_day().filter(|_| note.superseded_by.is_none()),
        };
        let terms = graph::terms(&candidate, today, weights);
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
) -> Result<Vec<Ranked>> {
    let store = rows.store;
    let mut ranked = Vec::new();
    for &id in pinned {
        let looked = best.iter().find(|ranked| ranked.note.id == id);
        let known = looked
            .map(|ranked| ranked.candidate.clone())
            .or_else(|| rest.clone().find(|other| other.note == id).cloned());
        let chunk = match &known {
            Some(candidate) => Some(store.chunk(candidate.chunk)?),
            None => store.chunks(By::Note(id))?.into_iter().next(),
        };
        if let Some(chunk) = chunk {
            let candidate = Candidate {
                score: 1.0,
                ..known.unwrap_or_else(|| Candidate::new(chunk.id, id))
            };
            ranked.push(Ranked {
                promise: Some(Promise::Name),
                ..rows.ranked(candidate, chunk)?
            });
        }
    }
    Ok(ranked)
}

/// Shows the opening of a note that all of the query is the name of, unless a filter asks for
/// something in its text.
fn open(store: &Store, pinned: &mut [Ranked], order: &Order<'_>) -> Result<()> {
    if pinned.is_empty() || order.selection.reads_texts() {
        return Ok(());
    }
    let named = store.resolve(Name::Key(&order.query.name_key))?;
    for ranked in pinned {
        let is_named = named.iter().any(|named| named.note == ranked.note.id);
        let opening = match is_named {
            true => store.chunks(By::Note(ranked.note.id))?.into_iter().next(),
            false => None,
        };
        if let Some(opening) = opening.filter(|opening| opening.id != ranked.chunk.id) {
            ranked.candidate.chunk = opening.id;
            ranked.chunk = opening;
            ranked.text = None;
        }
    }
    Ok(())
}

pub(super) fn by_score_and_place(a: &Ranked, b: &Ranked) -> std::cmp::Ordering {
    (b.candidate.score.total_cmp(&a.candidate.score))
        .then_with(|| a.note.path.cmp(&b.note.path))
        .then_with(|| a.chunk.start_line.cmp(&b.chunk.start_line))
}
