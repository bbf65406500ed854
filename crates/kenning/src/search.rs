//! The read flow: what was typed into ranked passages.

pub mod decay;
mod evidence;
pub mod excerpt;
mod explain;
mod finder;
pub mod fuse;
pub mod grammar;
pub mod graph;
mod intent;
mod lookup;
mod maxsim;
mod query;
mod rank;
mod rerank;
mod retrieve;
mod select;
mod sentences;
pub mod tuning;

use std::sync::Arc;

use jiff::civil::Date;

pub use evidence::Evidence;
pub use excerpt::Excerpt;
pub use explain::Stage;
pub use intent::Intent;
pub use lookup::{Passage, PropertyType, passage};
pub use query::Query;
pub use tuning::{Fusion, Tuning};

use crate::chunk;
use crate::embed::Embedder;
use crate::error::Result;
use crate::note;
use crate::store::{ChunkRow, NoteId, NoteRow, Store, Wanted};
use evidence::Signals;
use finder::Finder;
use fuse::Candidate;
use grammar::Request;
use rank::{Order, Ranked};
use retrieve::{Retrieved, Strength};
use select::Selection;

/// From this many words on, what was typed is a sentence, and its punctuation is grammar.
const SENTENCE_WORDS_MIN: usize = 7;

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
    /// Whether hits tell how they came by their scores.
    pub is_explained: bool,
    /// Seconds since 1970: what "last month" and ages are counted from.
    pub now: i64,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            limit: 10,
            per_note: 2,
            min_score: 0.0,
            max_tokens: None,
            is_explained: false,
            now: 0,
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
    /// The same as one figure, 0 to 1, to set a bar by.
    pub confidence: f32,
    /// What the person should know about how the answer came about.
    pub notices: Vec<String>,
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its note.
    pub note: Arc<NoteRow>,
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
    /// How it came by its score, if that was asked.
    pub stages: Vec<Stage>,
}

/// Finds the passages that answer `text`, best first.
pub fn search(cx: &SearchContext<'_>, text: &str, options: &SearchOptions) -> Result<Answer> {
    let found = find(cx, text, options)?;
    let Found {
        mut request,
        query,
        mut ranked,
        strength,
        intent,
        tuning,
    } = found;
    // Who asks for meaning alone gets what is nearest, however far that is.
    if options.mode == Mode::Hybrid && !query.groups.is_empty() {
        ranked.retain(|ranked| !is_noise(ranked));
    }
    let rows = rank::Rows::new(cx.store);
    for ranked in &mut ranked {
        rows.read_text(ranked)?;
    }
    let signals = Signals::of(&ranked, &query, &strength);
    let is_named = ranked.iter().any(|ranked| ranked.is_pinned);
    // Without words there is nothing to doubt: what the filter let through is what was asked for.
    let is_listed = query.groups.is_empty() && request.filter.is_some();
    let is_certain = is_named || is_listed;
    let explain = |ranked: &Ranked| match options.is_explained {
        true => explain::stages(&ranked.candidate, intent, &tuning, ranked.is_pinned),
        false => Vec::new(),
    };
    let mut hits = present(ranked, &query, explain);
    let evidence = match signals.grade() {
        _ if hits.is_empty() => Evidence::None,
        _ if is_certain => Evidence::Strong,
        grade => grade,
    };
    let confidence = if is_certain {
        1.0
    } else {
        signals.confidence()
    };
    if evidence == Evidence::None {
        hits.clear();
    }
    // Relative scores say who is best, not whether the best is any good.
    let certainty = if is_certain {
        1.0
    } else {
        signals.coverage.max(signals.meaning)
    };
    for hit in hits.iter_mut().filter(|hit| !hit.is_pinned) {
        hit.score = (hit.score * certainty).min(1.0);
    }
    hits.retain(|hit| hit.score >= options.min_score);
    tell_respelled(&hits, &query, &strength, &mut request.notices);
    tell_successors(&hits, &mut request.notices);
    if let Some(max_tokens) = options.max_tokens {
        keep_tokens(&mut hits, max_tokens);
    }
    Ok(Answer {
        evidence: if hits.is_empty() {
            Evidence::None
        } else {
            evidence
        },
        confidence: if hits.is_empty() { 0.0 } else { confidence },
        hits,
        notices: request.notices,
    })
}

/// Whether a passage holds none of the words and is hardly nearer in meaning than an unrelated one:
/// it fills the list, but answers nothing.
fn is_noise(ranked: &Ranked) -> bool {
    let candidate = &ranked.candidate;
    let is_held = candidate.look.is_some_and(|look| look.coverage > 0.0);
    let is_worded = candidate.lexical > 0.0 || is_held;
    let meaning = candidate.cosine.map_or(0.0, |cosine| {
        evidence::above_floor(cosine, candidate.background)
    });
    !ranked.is_pinned && !ranked.is_guaranteed && !is_worded && meaning < tuning::SIMILARITY_WEAK
}

/// Says what was looked for instead of words that no note says: as the hits spell it, since a term is
/// only the stem of a word.
fn tell_respelled(hits: &[Hit], query: &Query, strength: &Strength, notices: &mut Vec<String>) {
    let mut finder = Finder::new(query);
    for (number, instead) in &strength.respelled {
        let mut spelled: Vec<String> = Vec::new();
        for hit in hits {
            finder.each(&hit.text, hit.note.language, |group, start, end| {
                let word = hit.text[start..end].to_lowercase();
                if group == *number && !spelled.contains(&word) {
                    spelled.push(word);
                }
            });
        }
        spelled.truncate(instead.terms.len());
        let found = if spelled.is_empty() {
            instead.terms.join(", ")
        } else {
            spelled.join(", ")
        };
        notices.push(format!(
            "no note says {:?}; looked for {found} instead",
            query.words[*number]
        ));
    }
}

/// A note that was replaced says by which: it may be found, but not be taken for the last word.
fn tell_successors(hits: &[Hit], notices: &mut Vec<String>) {
    for hit in hits {
        if let Some(successor) = &hit.note.superseded_by {
            let notice = format!("{} is superseded by {successor}", hit.note.path);
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
    }
}

/// Returns the paths of the notes that [`search`] ranks, best first, whatever the evidence.
pub fn note_paths(
    cx: &SearchContext<'_>,
    text: &str,
    options: &SearchOptions,
) -> Result<Vec<String>> {
    let ranked = find(cx, text, options)?.ranked;
    Ok(ranked
        .into_iter()
        .map(|ranked| ranked.note.path.clone())
        .collect())
}

/// What the ranking found, before anything is shown.
struct Found {
    request: Request,
    query: Query,
    ranked: Vec<Ranked>,
    strength: Strength,
    intent: Intent,
    /// As it suits the languages of the notes.
    tuning: Tuning,
}

fn find(cx: &SearchContext<'_>, text: &str, options: &SearchOptions) -> Result<Found> {
    let today = day_of(options.now);
    // A note that is called exactly this, dash or colon and all, is what is meant.
    let is_name = !cx
        .store
        .notes_named(&crate::words::name_key(text))?
        .is_empty();
    let mut request = match is_name {
        true => Request {
            words: text.trim().to_owned(),
            ..Request::default()
        },
        false => grammar::parse(text, today),
    };
    let intent = Intent::of(text);
    let is_long = request.words.split_whitespace().count() > SENTENCE_WORDS_MIN;
    request.soften(text, intent == Intent::Question || is_long);
    let languages = cx.store.languages()?;
    let mut query = Query::parse(&request.words, languages);
    if let Some(last) = query.groups.last_mut().filter(|_| request.is_prefix) {
        last.is_prefix = true;
    }
    let selection = Selection::new(cx.store, &request)?;
    let Retrieved {
        mut candidates,
        strength,
    } = retrieve::retrieve(cx, &query, &selection, options)?;
    for (number, instead) in &strength.respelled {
        query.groups[*number] = instead.clone();
    }
    if candidates.is_empty() && query.groups.is_empty() && request.filter.is_some() {
        candidates = listed(cx.store, &selection, options.limit)?;
    }
    let tuning = Tuning {
        look: cx.tuning.look.for_languages(languages),
        ..cx.tuning.clone()
    };
    let fused = fuse::fuse(candidates, options.mode, &leaning(&tuning, intent));
    let cx = &SearchContext {
        tuning: &tuning,
        ..*cx
    };
    let order = Order {
        query: &query,
        strength: &strength,
        selection: &selection,
        pinned: &pinned_notes(cx.store, &request, &query, &selection)?,
        today: request.as_of.unwrap_or(today),
    };
    let mut ranked = rank::rank(cx, fused, &order, options)?;
    guarantee_tags(cx.store, &request, &selection, &mut ranked, options)?;
    Ok(Found {
        request,
        query,
        ranked,
        strength,
        intent,
        tuning,
    })
}

/// Moves the share of meaning towards what was typed.
fn leaning(tuning: &Tuning, intent: Intent) -> Tuning {
    let mut leaning = tuning.clone();
    if let Fusion::Blend { vector } = &mut leaning.fusion {
        *vector = explain::vector_share(*vector, intent, tuning);
    }
    leaning
}

/// Nothing but conditions: the first passage of every note that meets them, newest first.
fn listed(store: &Store, selection: &Selection<'_>, limit: usize) -> Result<Vec<Candidate>> {
    let mut candidates = Vec::new();
    for (place, note) in selection.all()?.into_iter().take(limit).enumerate() {
        if let Some(chunk) = store.chunks_of(note)?.into_iter().next() {
            candidates.push(Candidate {
                lexical: 1.0 - place as f32 / (2 * limit) as f32,
                ..Candidate::new(chunk.id)
            });
        }
    }
    Ok(candidates)
}

/// Notes that were called by name: `[[name]]` in the query, or all of it a file name or alias;
/// a title only when nothing else is.
///
/// A link in the query is there in any case; what merely happens to be a name keeps to the filter.
fn pinned_notes(
    store: &Store,
    request: &Request,
    query: &Query,
    selection: &Selection<'_>,
) -> Result<Vec<NoteId>> {
    let mut pinned = Vec::new();
    let keys = request
        .pinned
        .iter()
        .map(|name| (crate::words::name_key(name), true));
    for (key, is_link) in keys.chain([(query.name_key.clone(), false)]) {
        let named = store.notes_named(&key)?;
        let best = named.iter().map(|(_, rank)| rank.min(&1)).min().copied();
        for (note, rank) in named {
            let is_best = Some(rank.min(1)) == best;
            if is_best && !pinned.contains(&note) && (is_link || selection.has(note)?) {
                pinned.push(note);
            }
        }
    }
    Ok(pinned)
}

/// A `#tag` in the query is among the results if any note has it.
fn guarantee_tags(
    store: &Store,
    request: &Request,
    selection: &Selection<'_>,
    ranked: &mut Vec<Ranked>,
    options: &SearchOptions,
) -> Result<()> {
    for tag in &request.tags {
        let has_tag = |tags: &[String]| tags.iter().any(|own| note::is_tag_or_below(own, tag));
        if ranked.iter().any(|ranked| has_tag(&ranked.note.tags)) {
            continue;
        }
        let mut tagged = store.facts(Wanted::Tags)?;
        tagged.retain(|facts| has_tag(&facts.tags));
        tagged.sort_by(|a, b| (&b.date, &a.path).cmp(&(&a.date, &b.path)));
        for facts in tagged {
            if selection.has(facts.id)?
                && let Some(chunk) = store.chunks_of(facts.id)?.into_iter().next()
            {
                let last = ranked.last().map_or(0.0, |ranked| ranked.candidate.score);
                let candidate = Candidate {
                    score: last,
                    ..Candidate::new(chunk.id)
                };
                ranked.truncate(options.limit.saturating_sub(1));
                ranked.push(Ranked {
                    is_guaranteed: true,
                    ..rank::Rows::new(store).ranked(candidate, chunk)?
                });
                break;
            }
        }
    }
    Ok(())
}

/// The day that a time lies in, in UTC.
fn day_of(now: i64) -> Date {
    let time = jiff::Timestamp::from_second(now).unwrap_or_default();
    time.to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// Cuts the excerpts and tells how each hit was scored.
fn present(
    ranked: Vec<Ranked>,
    query: &Query,
    explain: impl Fn(&Ranked) -> Vec<Stage>,
) -> Vec<Hit> {
    let mut finder = Finder::new(query);
    ranked
        .into_iter()
        .map(|ranked| {
            let stages = explain(&ranked);
            let Ranked {
                candidate,
                chunk,
                note,
                text,
                is_pinned,
                ..
            } = ranked;
            let text = text.unwrap_or_default();
            Hit {
                breadcrumb: chunk::breadcrumb(&note.title, &note.headings, chunk.heading)
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
                excerpt: excerpt::cut(&text, &mut finder, note.language),
                stages,
                is_pinned,
                score: candidate.score,
                lexical_rank: candidate.lexical_rank,
                vector_rank: candidate.vector_rank,
                text,
                note,
                chunk,
            }
        })
        .collect()
}

/// Share of the query's words, weighted by rarity, that a passage and its names hold.
fn coverage(ranked: &Ranked, query: &Query, idf: &[f32]) -> f32 {
    let note = &ranked.note;
    let headings = chunk::breadcrumb(&note.title, &note.headings, ranked.chunk.heading);
    let names = rank::names(note, &note.path);
    let mut lens = rerank::Lens::new(query, idf);
    let look = lens.names(&names);
    let text = format!("{}\n{}", headings.join("\n"), ranked.passage());
    lens.coverage(&text, note.language, &look)
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
