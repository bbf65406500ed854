//! The read flow: what was typed into ranked passages.

pub mod excerpt;
pub mod fuse;
mod lookup;
mod query;
pub mod tuning;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

pub use excerpt::Excerpt;
pub use lookup::{Passage, PropertyType, passage};
pub use query::Query;
pub use tuning::{Fusion, Tuning};

use crate::chunk;
use crate::embed::Embedder;
use crate::error::{Error, Result};
use crate::store::{ChunkId, ChunkRow, NoteId, NoteRow, Store};
use fuse::Candidate;

/// What the read flow works with.
pub struct SearchContext<'a> {
    /// The snapshot that is searched.
    pub store: &'a Store,
    /// Turns the question into a vector; not touched in lexical mode.
    pub embedder: &'a dyn Embedder,
    /// How to rank.
    pub tuning: &'a Tuning,
}

/// Which retrievers are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Words and meaning.
    #[default]
    Hybrid,
    /// Words only.
    Lexical,
    /// Meaning only.
    Vector,
}

impl Mode {
    /// Returns the name people type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Lexical => "lexical",
            Self::Vector => "vector",
        }
    }
}

/// What is wanted of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchOptions {
    /// Which retrievers to ask.
    pub mode: Mode,
    /// Most hits to return.
    pub limit: usize,
    /// Most hits of one note.
    pub per_note: usize,
    /// Hits with a lower score are left out.
    pub min_score: f32,
    /// Most tokens of text over all hits, at four characters each.
    pub max_tokens: Option<usize>,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            limit: 10,
            per_note: 2,
            min_score: 0.0,
            max_tokens: None,
        }
    }
}

/// How well the notes answer the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// The notes do not say.
    None,
    /// Something near it.
    Weak,
    /// Much of what was asked for.
    Moderate,
    /// All of what was asked for, or the very note that was named.
    Strong,
}

impl Evidence {
    /// Returns the name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Weak => "weak",
            Self::Moderate => "moderate",
            Self::Strong => "strong",
        }
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Hits, best first.
    pub hits: Vec<Hit>,
    /// How well they answer.
    pub evidence: Evidence,
    /// What the person should know about how the answer came about.
    pub notices: Vec<String>,
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its note.
    pub note: NoteRow,
    /// Where it lies.
    pub chunk: ChunkRow,
    /// Title and headings above it, outermost first.
    pub breadcrumb: Vec<String>,
    /// Its text.
    pub text: String,
    /// The best sentences of it.
    pub excerpt: Excerpt,
    /// 0 to 1.
    pub score: f32,
    /// 1-based rank among the passages found by word.
    pub lexical_rank: Option<u32>,
    /// 1-based rank among the passages found by meaning.
    pub vector_rank: Option<u32>,
    /// Whether it stands first because its note was called by name.
    pub is_pinned: bool,
}

/// Finds the passages that answer `text`, best first.
pub fn search(cx: &SearchContext<'_>, text: &str, options: &SearchOptions) -> Result<Answer> {
    let query = Query::parse(text, &cx.store.languages()?);
    let Retrieved {
        candidates,
        strength,
    } = retrieve(cx, &query, options)?;
    let fused = fuse::fuse(candidates, options.mode, cx.tuning);
    let pinned = pinned_notes(cx.store, &query)?;
    let ranked = rank(cx.store, fused, &pinned, options)?;
    let hits = present(cx.store, ranked, &query, &pinned)?;
    Ok(conclude(
        hits,
        &query,
        &strength,
        !pinned.is_empty(),
        options,
    ))
}

/// Returns the paths of the notes that [`search`] ranks, best first, whatever the evidence.
pub fn note_paths(
    cx: &SearchContext<'_>,
    text: &str,
    options: &SearchOptions,
) -> Result<Vec<String>> {
    let query = Query::parse(text, &cx.store.languages()?);
    let retrieved = retrieve(cx, &query, options)?;
    let fused = fuse::fuse(retrieved.candidates, options.mode, cx.tuning);
    let pinned = pinned_notes(cx.store, &query)?;
    let ranked = rank(cx.store, fused, &pinned, options)?;
    Ok(ranked.into_iter().map(|ranked| ranked.note.path).collect())
}

/// Candidates of both retrievers, and what tells a good match from a bad one.
struct Retrieved {
    candidates: Vec<Candidate>,
    strength: Strength,
}

/// Absolute signals; ranks and relative scores cannot tell whether anything matched at all.
#[derive(Clone, Debug, Default)]
struct Strength {
    /// Inverse document frequency of each word of the query.
    idf: Vec<f32>,
    /// Highest cosine, and the cosine of an unrelated passage.
    cosine: Option<(f32, f32)>,
}

fn retrieve(cx: &SearchContext<'_>, query: &Query, options: &SearchOptions) -> Result<Retrieved> {
    let mut found: HashMap<ChunkId, Candidate> = HashMap::new();
    let mut strength = Strength::default();
    let n_wanted = cx.tuning.candidates.max(options.limit * 2);
    let scores = match options.mode {
        Mode::Vector => None,
        _ => cx.store.score_words(&query.groups, &cx.tuning.lexical)?,
    };
    if let Some(scores) = &scores {
        strength.idf.clone_from(&scores.idf);
        let hits = scores.best(n_wanted, cx.tuning.candidates_per_note, |_| true);
        for (rank, hit) in ranks(hits.iter().map(|hit| hit.score)).zip(&hits) {
            let candidate = found
                .entry(hit.chunk)
                .or_insert_with(|| Candidate::new(hit.chunk));
            candidate.lexical = hit.score;
            candidate.lexical_rank = Some(rank);
        }
    }
    if options.mode != Mode::Lexical {
        let vector = embed(cx, &query.text)?;
        let (nearest, background) = cx.store.nearest(&vector, n_wanted)?;
        strength.cosine = nearest.first().map(|best| (best.cosine, background));
        for (rank, neighbour) in ranks(nearest.iter().map(|n| n.cosine)).zip(&nearest) {
            let candidate = found
                .entry(neighbour.chunk)
                .or_insert_with(|| Candidate::new(neighbour.chunk));
            candidate.cosine = Some(neighbour.cosine);
            candidate.vector_rank = Some(rank);
        }
        complete(cx.store, &vector, scores.as_ref(), &mut found)?;
        for candidate in found.values_mut() {
            candidate.background = background;
        }
    }
    let mut candidates: Vec<Candidate> = found.into_values().collect();
    candidates.sort_by_key(|candidate| candidate.chunk);
    Ok(Retrieved {
        candidates,
        strength,
    })
}

/// Returns the 1-based ranks of scores in falling order. Equal scores share a rank: ids, which tell
/// only in which order notes were indexed, must not count.
fn ranks(scores: impl Iterator<Item = f32>) -> impl Iterator<Item = u32> {
    let mut last = None;
    (1..).zip(scores).map(move |(position, score)| match last {
        Some((rank, equal)) if equal == score => rank,
        _ => {
            last = Some((position, score));
            position
        }
    })
}

/// What one retriever did not list still has a score with it; both are asked about every candidate.
fn complete(
    store: &Store,
    vector: &[f32],
    scores: Option<&crate::store::LexicalScores<'_>>,
    found: &mut HashMap<ChunkId, Candidate>,
) -> Result<()> {
    let missing: Vec<ChunkId> = found
        .values()
        .filter(|candidate| candidate.cosine.is_none())
        .map(|candidate| candidate.chunk)
        .collect();
    for neighbour in store.cosines(vector, &missing)? {
        if let Some(candidate) = found.get_mut(&neighbour.chunk) {
            candidate.cosine = Some(neighbour.cosine);
        }
    }
    if let Some(scores) = scores {
        for candidate in found.values_mut().filter(|c| c.lexical_rank.is_none()) {
            candidate.lexical = scores.of(candidate.chunk);
        }
    }
    Ok(())
}

/// Embeds the question, refusing to compare it with vectors of another model.
fn embed(cx: &SearchContext<'_>, text: &str) -> Result<Vec<f32>> {
    let current = cx.embedder.id();
    match cx.store.model()? {
        Some(stored) if stored != *current => Err(Error::ModelMismatch {
            stored,
            current: current.clone(),
        }),
        _ => Ok(cx.embedder.embed_query(text)?),
    }
}

/// Notes whose file name or alias is exactly what was typed; titles only when nothing else is.
fn pinned_notes(store: &Store, query: &Query) -> Result<Vec<NoteId>> {
    let named = store.notes_named(&query.name_key)?;
    let best = named.iter().map(|(_, rank)| rank.min(&1)).min().copied();
    Ok(named
        .into_iter()
        .filter(|(_, rank)| Some(*rank.min(&1)) == best)
        .map(|(note, _)| note)
        .collect())
}

/// A candidate with its rows at hand.
struct Ranked {
    candidate: Candidate,
    chunk: ChunkRow,
    note: NoteRow,
}

/// Orders by score, ties by path and line; pinned notes first; few chunks of one note.
fn rank(
    store: &Store,
    fused: Vec<Candidate>,
    pinned: &[NoteId],
    options: &SearchOptions,
) -> Result<Vec<Ranked>> {
    let mut fused = fused;
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk)));
    let mut ranked = rank_pinned(store, &fused, pinned, options.limit)?;
    let n_pinned = ranked.len();
    let mut notes: HashMap<NoteId, (NoteRow, usize)> = ranked
        .iter()
        .map(|pinned| (pinned.note.id, (pinned.note.clone(), 1)))
        .collect();
    for candidate in fused {
        let is_tie = ranked
            .last()
            .is_some_and(|last| last.candidate.score == candidate.score);
        if ranked.len() >= options.limit && !is_tie {
            break;
        }
        let Some(note) = store.note_of(candidate.chunk)? else {
            continue;
        };
        let is_pinned = |pinned: &Ranked| pinned.chunk.id == candidate.chunk;
        if ranked[..n_pinned].iter().any(is_pinned) {
            continue;
        }
        let (row, n_taken) = match notes.entry(note) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert((store.note(note)?, 0)),
        };
        if *n_taken < options.per_note {
            *n_taken += 1;
            let (chunk, note) = (store.chunk(candidate.chunk)?, row.clone());
            ranked.push(Ranked {
                candidate,
                chunk,
                note,
            });
        }
    }
    ranked[n_pinned..].sort_by(|a, b| {
        (b.candidate.score.total_cmp(&a.candidate.score))
            .then_with(|| a.note.path.cmp(&b.note.path))
            .then_with(|| a.chunk.start_line.cmp(&b.chunk.start_line))
    });
    ranked.truncate(options.limit);
    Ok(ranked)
}

/// The best chunk of each note that was called by name.
fn rank_pinned(
    store: &Store,
    fused: &[Candidate],
    pinned: &[NoteId],
    limit: usize,
) -> Result<Vec<Ranked>> {
    let mut ranked = Vec::new();
    for &id in pinned.iter().take(limit) {
        let best = fused
            .iter()
            .find(|candidate| store.note_of(candidate.chunk).ok().flatten() == Some(id));
        let chunk = match best {
            Some(candidate) => Some(store.chunk(candidate.chunk)?),
            None => store.chunks_of(id)?.into_iter().next(),
        };
        if let Some(chunk) = chunk {
            let mut candidate = best.cloned().unwrap_or_else(|| Candidate::new(chunk.id));
            candidate.score = 1.0;
            let note = store.note(id)?;
            ranked.push(Ranked {
                candidate,
                chunk,
                note,
            });
        }
    }
    Ok(ranked)
}

/// Reads the texts and cuts the excerpts.
fn present(
    store: &Store,
    ranked: Vec<Ranked>,
    query: &Query,
    pinned: &[NoteId],
) -> Result<Vec<Hit>> {
    let mut texts: HashMap<NoteId, String> = HashMap::new();
    ranked
        .into_iter()
        .map(
            |Ranked {
                 candidate,
                 chunk,
                 note,
             }| {
                let text = match texts.entry(note.id) {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => entry.insert(store.text(note.id)?),
                };
                let text = text.get(chunk.range.clone()).unwrap_or_default().to_owned();
                Ok(Hit {
                    breadcrumb: chunk::breadcrumb(&note.title, &note.headings, chunk.heading),
                    excerpt: excerpt::cut(&text, query, note.language),
                    is_pinned: pinned.contains(&note.id),
                    score: candidate.score,
                    lexical_rank: candidate.lexical_rank,
                    vector_rank: candidate.vector_rank,
                    text,
                    note,
                    chunk,
                })
            },
        )
        .collect()
}

/// Grades the evidence, makes scores absolute, and keeps to the limits that were set.
fn conclude(
    mut hits: Vec<Hit>,
    query: &Query,
    strength: &Strength,
    is_named: bool,
    options: &SearchOptions,
) -> Answer {
    let coverage = hits
        .iter()
        .map(|hit| coverage(hit, query, &strength.idf))
        .fold(0f32, f32::max);
    let similarity = strength.cosine.map_or(0.0, |(best, background)| {
        ((best - background) / (1.0 - background).max(f32::EPSILON)).max(0.0)
    });
    let evidence = match () {
        () if hits.is_empty() => Evidence::None,
        () if is_named || coverage >= tuning::COVERAGE_STRONG => Evidence::Strong,
        () if coverage >= tuning::COVERAGE_MODERATE
            || similarity >= tuning::SIMILARITY_MODERATE =>
        {
            Evidence::Moderate
        }
        () if coverage > 0.0 || similarity >= tuning::SIMILARITY_WEAK => Evidence::Weak,
        () => Evidence::None,
    };
    if evidence == Evidence::None {
        hits.clear();
    }
    // Relative scores say who is best, not whether the best is any good.
    let certainty = if is_named {
        1.0
    } else {
        coverage.max(similarity)
    };
    for hit in hits.iter_mut().filter(|hit| !hit.is_pinned) {
        hit.score *= certainty;
    }
    hits.retain(|hit| hit.score >= options.min_score);
    if let Some(max_tokens) = options.max_tokens {
        keep_tokens(&mut hits, max_tokens);
    }
    Answer {
        evidence: if hits.is_empty() {
            Evidence::None
        } else {
            evidence
        },
        hits,
        notices: Vec::new(),
    }
}

/// Share of the query's words, weighted by rarity, that a hit holds.
fn coverage(hit: &Hit, query: &Query, idf: &[f32]) -> f32 {
    let total: f32 = idf.iter().sum();
    if total == 0.0 {
        return 0.0;
    }
    let mut context = hit.breadcrumb.join("\n");
    for part in hit
        .note
        .tags
        .iter()
        .chain(&hit.note.aliases)
        .chain([&hit.note.path])
    {
        context.push('\n');
        context.push_str(part);
    }
    let mut is_held = excerpt::groups_in(&hit.text, query, hit.note.language);
    for (held, named) in
        is_held
            .iter_mut()
            .zip(excerpt::groups_in(&context, query, hit.note.language))
    {
        *held |= named;
    }
    let held: f32 = idf
        .iter()
        .zip(is_held)
        .filter(|(_, held)| *held)
        .map(|(idf, _)| idf)
        .sum();
    held / total
}

/// Drops what does not fit; the first hit is cut rather than dropped.
fn keep_tokens(hits: &mut Vec<Hit>, max_tokens: usize) {
    let mut left = max_tokens.saturating_mul(4);
    if let Some(first) = hits.first_mut() {
        let end = first
            .text
            .char_indices()
            .nth(left)
            .map_or(first.text.len(), |(end, _)| end);
        first.text.truncate(end);
    }
    hits.retain(|hit| {
        let n_chars = hit.text.chars().count();
        let fits = n_chars <= left;
        if fits {
            left -= n_chars;
        }
        fits
    });
}
