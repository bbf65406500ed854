//! The read flow: what was typed into ranked passages.

mod answer;
mod candidate;
mod condition;
mod cut;
pub mod decay;
mod demand;
mod event;
mod evidence;
mod excerpt;
mod explain;
mod features;
mod fuse;
pub mod grammar;
mod intent;
pub mod links;
mod list;
mod lookup;
mod matcher;
mod maxsim;
mod mode;
mod names;
mod period;
mod plan;
mod present;
mod promise;
mod query;
mod rank;
mod ranked;
mod repeat;
mod rerank;
mod reread;
mod retrieve;
mod scope;
mod select;
mod sentences;
pub mod signals;
mod spelling;
pub mod tuning;
mod verdict;
mod when;

use std::sync::Arc;

use rustc_hash::FxHashSet;

pub use cut::told_score;
pub use evidence::Evidence;
pub use excerpt::Excerpt;
pub(crate) use excerpt::{as_shown, shown_sentences};
pub use explain::{Effect, Stage};
pub use intent::{Intent, is_identifier};
pub(crate) use lookup::facts_of;
pub use lookup::{Passage, Piece, PropertyType, as_read, chunks_on, lines_asked, passage, piece};
pub(crate) use matcher::Matcher;
pub(crate) use maxsim::MaxSim;
pub use mode::Mode;
pub use query::Query;
pub use scope::{Scope, ScopeParts};
pub use tuning::{Fusion, Tuning};

use crate::budget::Budget;
use crate::embed::Embedder;
use crate::error::Result;
use crate::store::{ChunkRow, NoteRow, Store};
use crate::words::Language;
use list::Dropped;
use plan::Plan;
use rank::Rest;
use ranked::{Ranked, by_score_and_place};
use retrieve::{Retrieved, Strength};

/// What the read flow works with.
pub struct SearchContext<'a> {
    /// The snapshot that is searched.
    pub store: &'a Store,
    /// Turns the question into a vector; not touched in lexical mode.
    pub embedder: &'a dyn Embedder,
    /// How to rank.
    pub tuning: &'a Tuning,
    /// How much work it may be.
    pub budget: &'a Budget,
}

/// What is wanted of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchOptions<'a> {
    /// The only notes that may be read; `None` is all.
    pub scope: Option<&'a Scope>,
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
    /// Whether a time in the question, "last week", is understood.
    pub reads_dates: bool,
    /// Seconds since 1970: what "last month" and ages are counted from.
    pub now: i64,
}

impl SearchOptions<'_> {
    /// Returns the usual options for a question that is asked at `now`, in seconds since 1970.
    pub fn at(now: i64) -> Self {
        Self {
            scope: None,
            mode: Mode::default(),
            limit: 10,
            per_note: 2,
            min_score: 0.0,
            max_tokens: None,
            is_explained: false,
            reads_dates: true,
            now,
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
    /// In what language it was asked, if no note is written in that.
    pub foreign: Option<Foreign>,
}

/// A question in another language than the notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// What it was asked in.
    pub asked: Language,
    /// What the notes are written in, commonest first.
    pub notes: Vec<Language>,
}

impl Foreign {
    /// Languages of notes that are named.
    const NAMED_MAX: usize = 3;

    fn new(store: &Store, asked: Language) -> Result<Self> {
        let meta = store.meta()?;
        let notes = meta.languages.iter().map(|(language, _)| *language);
        let known = notes.filter(|language| *language != Language::Unknown);
        let notes = known.take(Self::NAMED_MAX).collect();
        Ok(Self { asked, notes })
    }

    /// Returns the languages of the notes, for people.
    pub fn of_notes(&self) -> String {
        let names: Vec<String> = (self.notes.iter())
            .map(|name| format!("{name:?}"))
            .collect();
        names.join(" and ")
    }

    fn told(&self) -> String {
        let (asked, notes) = (self.asked, self.of_notes());
        format!("the question is in {asked:?} and the notes are in {notes}, so that few words meet")
    }
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its note.
    pub note: Arc<NoteRow>,
    /// Where it lies.
    pub chunk: Arc<ChunkRow>,
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
    /// Other notes that have the same passage, by path.
    pub also_in: Vec<String>,
    /// Whether it stands first because its note was called by name.
    pub is_pinned: bool,
    /// How it came by its score, if that was asked.
    pub stages: Vec<Stage>,
}

/// Finds the passages that answer `text`, best first.
///
/// Limits cut the list. Neither the order nor scores, evidence and confidence depend on them.
pub fn search(cx: &SearchContext<'_>, text: &str, options: &SearchOptions) -> Result<Answer> {
    Ok(search_asked(cx, text, options)?.answer)
}

/// An answer, and the words that it was found by.
pub(crate) struct Searched {
    pub(crate) answer: Answer,
    pub(crate) query: Query,
    /// Rarity of each word of the query.
    pub(crate) idf: Vec<f32>,
}

/// The same as [`search`], for those who look closer at what was found.
pub(crate) fn search_asked(
    cx: &SearchContext<'_>,
    text: &str,
    options: &SearchOptions,
) -> Result<Searched> {
    let mut ranking = period::find(cx, text, options)?;
    let mut dropped = Dropped {
        noise: ranking.plan.drops_noise(),
        idle: false,
    };
    dropped.drop_from(&mut ranking.best);
    keep_promises(cx, &mut ranking)?;
    let verdict = verdict::of(cx, &mut ranking)?;
    // By meaning alone, no word is asked for.
    let asks_words = ranking.plan.mode != Mode::Vector;
    dropped.idle = verdict.evidence == Evidence::Strong && asks_words;
    dropped.drop_from(&mut ranking.best);
    let shown = match verdict.evidence {
        Evidence::None => Vec::new(),
        _ => list::take(cx, &mut ranking, dropped, options)?,
    };
    let mut hits = present::hits(cx, &ranking, shown, &verdict, options)?;
    let mut notices = std::mem::take(&mut ranking.notices);
    cut::keep_scores(&mut hits, options.min_score, &mut notices);
    tell_corrections(&ranking, &mut notices);
    let foreign = ranking.query.foreign;
    let foreign = foreign
        .map(|asked| Foreign::new(cx.store, asked))
        .transpose()?;
    notices.extend(foreign.as_ref().map(Foreign::told));
    tell_successors(&hits, &mut notices);
    if let Some(max_tokens) = options.max_tokens {
        cut::keep_tokens(&mut hits, max_tokens);
    }
    Ok(Searched {
        answer: Answer {
            hits,
            evidence: verdict.evidence,
            confidence: verdict.confidence,
            notices,
            foreign,
        },
        query: ranking.query,
        idf: ranking.strength.idf,
    })
}

/// Returns the paths of the notes that [`search`] ranks, best first, whatever the evidence.
pub fn note_paths(
    cx: &SearchContext<'_>,
    text: &str,
    options: &SearchOptions,
) -> Result<Vec<String>> {
    let mut ranking = period::find(cx, text, options)?;
    keep_promises(cx, &mut ranking)?;
    let shown = list::take(cx, &mut ranking, Dropped::default(), options)?;
    // A note that has what another one has may be found by a passage of its own, too.
    let mut seen = FxHashSet::default();
    Ok(shown
        .into_iter()
        .flat_map(|ranked| std::iter::once(ranked.note.path.clone()).chain(ranked.also_in))
        .filter(|path| seen.insert(path.clone()))
        .collect())
}

/// A question and the order of what it finds, which does not depend on how much of it is wanted.
struct Ranking<'a> {
    plan: Plan<'a>,
    /// The words of the question, corrected where no note says them.
    query: Query,
    strength: Strength,
    /// The reranked candidates, best first, ties by path and line.
    best: Vec<Ranked>,
    /// The other candidates, which follow them.
    rest: Rest,
    /// Whether there are no candidates beside these.
    is_all: bool,
    /// What the person should know about how the question was read.
    notices: Vec<String>,
}

/// Ranks what a question finds: the stages of the ranking, from top to bottom.
fn rank<'a>(cx: &SearchContext<'a>, plan: Plan<'a>) -> Result<Ranking<'a>> {
    let cx = &plan.context(cx);
    let (store, tuning) = (cx.store, cx.tuning);
    let Retrieved {
        candidates,
        strength,
        is_all,
        ..
    } = retrieve::retrieve(cx, &plan, &plan.query, tuning.candidates)?;
    let query = plan.query.corrected(strength.corrected_groups());
    let mut fused = fuse::fuse(candidates, plan.mode, plan.fusion());
    if let Some(when) = &plan.when {
        fuse::lift(&mut fused, when.lift_share(), |note| when.has(note));
    }
    let (mut best, pieces, rest) = rank::open_best(store, fused, &plan)?;
    let mut trouble = None;
    if rerank::is_used(tuning, plan.mode) {
        rerank::rerank(cx, &mut best, &pieces, &query, &strength)?;
        trouble = reread::reread(cx, &mut best, &plan.query.text)?;
    }
    if plan.selection.shows_texts() {
        condition::show(store, &mut best, &plan.selection)?;
    }
    let today = plan.today();
    let link_weights = rank::link_weights(&best, tuning);
    rank::age(&mut best, today, &tuning.decay, link_weights.is_some());
    if let Some(weights) = link_weights {
        rank::follow_links(&mut best, today, &weights);
    }
    best.sort_by(by_score_and_place);
    let named = names::pinned_notes(store, &plan)?;
    rank::pin(store, &mut best, &rest, &plan, &named)?;
    // Of a list of notes, all are wanted.
    if !plan.is_listing {
        repeat::collapse(&mut best);
    }
    let notices = plan.typed.request.notices.iter().cloned();
    Ok(Ranking {
        notices: notices.chain(trouble).collect(),
        plan,
        query,
        strength,
        best,
        rest,
        is_all,
    })
}

/// Keeps what is among the hits whatever its score.
fn keep_promises(cx: &SearchContext<'_>, ranking: &mut Ranking<'_>) -> Result<()> {
    let Plan {
        typed,
        selection,
        mode,
        ..
    } = &ranking.plan;
    if *mode == Mode::Hybrid && typed.intent == Intent::Question {
        answer::keep_answers(cx, &ranking.query, &ranking.strength, &mut ranking.best)?;
    }
    promise::keep_tags(cx.store, &typed.request, selection, &mut ranking.best)?;
    promise::keep_perfect(&mut ranking.best);
    Ok(())
}

/// Says what was looked for instead of words that no note says.
fn tell_corrections(ranking: &Ranking<'_>, notices: &mut Vec<String>) {
    notices.extend(ranking.strength.corrections.iter().map(|correction| {
        let (typed, word) = (&ranking.query.words[correction.number], &correction.word);
        format!("no note says {typed:?}; looked for {word} instead")
    }));
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
