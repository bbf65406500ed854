//! The read flow: what was typed into ranked passages.

mod answer;
mod cut;
pub mod decay;
mod evidence;
pub mod excerpt;
mod explain;
mod finder;
pub mod fuse;
pub mod grammar;
pub mod graph;
mod intent;
mod list;
mod lookup;
mod maxsim;
mod mode;
mod names;
mod promise;
mod query;
mod rank;
mod repeat;
mod rerank;
mod retrieve;
mod select;
mod sentences;
pub mod signals;
mod spelling;
pub mod tuning;
mod when;

use std::rc::Rc;
use std::sync::Arc;

use jiff::civil::Date;
use rustc_hash::FxHashSet;

pub use cut::told_score;
pub use evidence::Evidence;
pub use excerpt::Excerpt;
pub(crate) use excerpt::shown_sentences;
pub use explain::{Effect, Stage};
pub(crate) use finder::Finder;
pub use intent::{Intent, is_identifier};
pub(crate) use lookup::facts_of;
pub use lookup::{Passage, Piece, PropertyType, chunks_on, passage};
pub(crate) use maxsim::MaxSim;
pub use mode::Mode;
pub use query::Query;
pub use tuning::{Fusion, Tuning};

use crate::budget::Budget;
use crate::chunk;
use crate::embed::Embedder;
use crate::error::{Error, Result};
use crate::note::Format;
use crate::store::{ChunkRow, Name, NoteRow, Part, Store};
use evidence::Signals;
use fuse::Candidate;
use grammar::{Filter, Request};
use list::Further;
use rank::{Order, Ranked, Ranking};
use retrieve::{Net, Retrieved, Strength};
use select::Selection;
use when::{When, day_of};

/// From this many words on, what was typed is a sentence, and its punctuation is grammar.
const SENTENCE_WORDS_MIN: usize = 7;
/// Most conditions of a question: nobody types more, and each may be put to every note.
const CONDITIONS_MAX: usize = 500;

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
    /// Whether a time in the question, "last week", is understood.
    pub reads_dates: bool,
    /// Seconds since 1970: what "last month" and ages are counted from.
    pub now: i64,
}

impl SearchOptions {
    /// Returns the usual options for a question that is asked at `now`, in seconds since 1970.
    pub fn at(now: i64) -> Self {
        Self {
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
    let mut found = when::find(cx, text, options)?;
    // Who asks for meaning alone gets what is nearest, however far that is.
    let has_words = !found.query.groups.is_empty() && !found.is_of_time;
    let drops_noise = options.mode == Mode::Hybrid && has_words;
    if drops_noise {
        found.ranking.looked.retain(|ranked| !is_noise(ranked));
    }
    found.keep_promises(cx)?;
    let verdict = found.judge(cx)?;
    // By meaning alone, no word is asked for.
    found.drops_idle = verdict.evidence == Evidence::Strong && found.mode != Mode::Vector;
    if found.drops_idle {
        list::drop_idle(&mut found.ranking.looked);
    }
    let mut ranked = match verdict.evidence {
        Evidence::None => Vec::new(),
        _ => found.take(cx, |ranked| !drops_noise || !is_noise(ranked), options)?,
    };
    let rows = rank::Rows::new(cx.store);
    for ranked in &mut ranked {
        rows.read_text(ranked)?;
    }
    let explain = |ranked: &Ranked| match options.is_explained {
        true => explain::stages(
            ranked,
            &found.tuning,
            (found.mode, found.intent),
            verdict.certainty,
        ),
        false => Vec::new(),
    };
    let filter = found.request.filter.as_ref();
    let filter = filter.filter(|filter| filter.needs_text());
    let is_met =
        |line: &str| filter.is_some_and(|filter| filter.positive_text_matches(line, cx.budget));
    let met = excerpt::Met {
        is_met: &is_met,
        is_all: filter.is_some_and(Filter::asks_for_tasks),
    };
    let mut hits = present(cx.store, ranked, &found.query, met, explain)?;
    cx.budget.check()?;
    // Relative scores say who is best, not whether the best is any good.
    for hit in hits.iter_mut().filter(|hit| !hit.is_pinned) {
        hit.score = (hit.score * verdict.certainty).min(1.0);
    }
    let mut notices = found.request.notices;
    cut::keep_scores(&mut hits, options.min_score, &mut notices);
    tell_corrections(&found.query, &found.strength, &mut notices);
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
        },
        query: found.query,
        idf: found.strength.idf,
    })
}

/// How well the notes answer.
struct Verdict {
    evidence: Evidence,
    confidence: f32,
    /// What scores are worth: the best of a bad lot is still bad.
    certainty: f32,
}

impl Verdict {
    /// The notes do not say.
    const NONE: Self = Self {
        evidence: Evidence::None,
        confidence: 0.0,
        certainty: 0.0,
    };
    /// There is nothing to doubt.
    const CERTAIN: Self = Self {
        evidence: Evidence::Strong,
        confidence: 1.0,
        certainty: 1.0,
    };
}

/// Whether a passage holds none of the words and is hardly nearer in meaning than an unrelated one:
/// it fills the list, but answers nothing.
fn is_noise(ranked: &Ranked) -> bool {
    let candidate = &ranked.candidate;
    let is_held = candidate.look.is_some_and(|look| look.coverage > 0.0);
    let is_worded = candidate.lexical > 0.0 || is_held;
    ranked.promise.is_none() && !is_worded && candidate.meaning < tuning::MEANING_WEAK
}

/// Says what was looked for instead of words that no note says.
fn tell_corrections(query: &Query, strength: &Strength, notices: &mut Vec<String>) {
    notices.extend(strength.corrections.iter().map(|correction| {
        let (asked, word) = (&query.words[correction.number], &correction.word);
        format!("no note says {asked:?}; looked for {word} instead")
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

/// Returns the paths of the notes that [`search`] ranks, best first, whatever the evidence.
pub fn note_paths(
    cx: &SearchContext<'_>,
    text: &str,
    options: &SearchOptions,
) -> Result<Vec<String>> {
    let mut found = when::find(cx, text, options)?;
    found.keep_promises(cx)?;
    let ranked = found.take(cx, |_| true, options)?;
    // A note that has what another one has may be found by a passage of its own, too.
    let mut seen = FxHashSet::default();
    Ok(ranked
        .into_iter()
        .flat_map(|ranked| std::iter::once(ranked.note.path.clone()).chain(ranked.also_in))
        .filter(|path| seen.insert(path.clone()))
        .collect())
}

/// What was typed, as words and conditions, and what kind of thing it is.
fn understand(store: &Store, text: &str, today: Date) -> Result<(Request, Intent)> {
    // A note that is called exactly this, dash or colon and all, is what is meant.
    let is_name = !store
        .resolve(Name::Key(&crate::words::name_key(text)))?
        .is_empty();
    let mut request = match is_name {
        true => Request {
            words: text.trim().to_owned(),
            is_name: true,
            ..Request::default()
        },
        false => grammar::parse(text, today),
    };
    let intent = Intent::of(text);
    let is_long = request.words.split_whitespace().count() > SENTENCE_WORDS_MIN;
    let asks = intent == Intent::Question || text.trim_end().ends_with('?');
    request.soften(text, asks || is_long);
    let n_conditions = request.filter.as_ref().map_or(0, Filter::n_conditions);
    if n_conditions > CONDITIONS_MAX {
        return Err(Error::TooCostly {
            reason: format!("{n_conditions} conditions are more than {CONDITIONS_MAX}"),
        });
    }
    Ok((request, intent))
}

/// What the ranking found, before anything is shown.
struct Found<'a> {
    request: Request,
    query: Query,
    selection: Selection<'a>,
    ranking: Ranking,
    strength: Strength,
    intent: Intent,
    mode: Mode,
    /// Whether the model knows the script of the question.
    is_known: bool,
    /// Nothing but conditions was typed.
    is_listing: bool,
    /// Nothing but a time was asked for.
    is_of_time: bool,
    /// The time that the question names.
    when: Option<Rc<When>>,
    /// Whether there are no other candidates.
    is_all: bool,
    /// Whether what only fills the list is left out.
    drops_idle: bool,
    /// As it suits the languages of the notes.
    tuning: Tuning,
}

/// The words of a request, as the retrievers are asked for them.
fn asked(store: &Store, request: &Request) -> Result<Query> {
    let languages = &store.meta()?.languages;
    let mut query = Query::parse(&request.words, languages);
    query.widen(
        languages,
        |terms| store.has_term(terms, None),
        |term, language| store.has_term(&[term.to_owned()], Some(language)),
    )?;
    if let Some(last) = query.groups.last_mut().filter(|_| request.is_prefix) {
        last.is_prefix = true;
    }
    Ok(query)
}

/// Finds what a request asks for, among the notes of a time or with those first.
fn find_in<'a>(
    cx: &SearchContext<'a>,
    (mut request, intent): (Request, Intent),
    when: Option<Rc<When>>,
    options: &SearchOptions,
) -> Result<Found<'a>> {
    let today = day_of(options.now);
    let limit = when.clone().filter(|when| when.is_limit());
    let is_of_time = limit.as_ref().is_some_and(|when| when.is_listing);
    if let Some(words) = limit.as_ref().and_then(|when| when.words()) {
        request.words = words;
    }
    let meta = cx.store.meta()?;
    let mut query = asked(cx.store, &request)?;
    let selection = Selection::new(cx.store, cx.budget, &request)?.limited_to(limit);
    let is_known = retrieve::is_known(cx.embedder, &query.text);
    let tuning = cx.tuning.suited(&meta.languages, is_known);
    let cx = &SearchContext {
        tuning: &tuning,
        ..*cx
    };
    let is_listing = query.groups.is_empty() && (request.filter.is_some() || is_of_time);
    // A list of notes is neither near nor far.
    let mode = options.mode.unless(is_listing);
    let net = Net {
        cx,
        query: &query,
        selection: &selection,
        mode,
        is_known,
        is_listing,
    };
    let Retrieved {
        candidates,
        strength,
        is_all,
    } = retrieve::retrieve(&net, tuning.candidates)?;
    for correction in &strength.corrections {
        query.groups[correction.number] = correction.group.clone();
    }
    let mut fused = fuse::fuse(candidates, mode, &leaning(&tuning, intent));
    if let Some(when) = &when {
        when.lift(&mut fused);
    }
    let order = Order {
        query: &query,
        strength: &strength,
        selection: &selection,
        pinned: &names::pinned_notes(cx.store, &request, &query, &selection)?,
        today: request.as_of.unwrap_or(today),
        is_listing,
    };
    let ranking = rank::rank(cx, fused, &order, mode)?;
    Ok(Found {
        request,
        query,
        selection,
        ranking,
        strength,
        intent,
        mode,
        is_known,
        is_listing,
        is_of_time,
        when,
        is_all,
        drops_idle: false,
        tuning,
    })
}

impl Found<'_> {
    fn keep_promises(&mut self, cx: &SearchContext<'_>) -> Result<()> {
        let looked = &mut self.ranking.looked;
        if self.mode == Mode::Hybrid && self.intent == Intent::Question {
            answer::keep_answers(cx, &self.query, &self.strength, looked)?;
        }
        promise::keep_tags(cx.store, &self.request, &self.selection, looked)?;
        promise::keep_perfect(looked);
        Ok(())
    }

    /// Judges the notes by the beginning of the order, however much of it is asked for.
    fn judge(&mut self, cx: &SearchContext<'_>) -> Result<Verdict> {
        let looked = &mut self.ranking.looked;
        let mut judged = list::usual(looked);
        judged.truncate(list::USUAL_LENGTH);
        if judged.is_empty() {
            return Ok(Verdict::NONE);
        }
        // Without words there is nothing to doubt: what the filter let through is what was asked for.
        if self.is_listing || self.is_of_time || looked[0].is_pinned() {
            return Ok(Verdict::CERTAIN);
        }
        let rows = rank::Rows::new(cx.store);
        for &place in &judged {
            rows.read_text(&mut looked[place])?;
        }
        let judged: Vec<&Ranked> = judged.iter().map(|&place| &looked[place]).collect();
        let when = self.when.as_deref();
        let signals = Signals::of(cx, &judged, &self.query, &self.strength, self.mode, when)?;
        let confidence = signals.confidence();
        Ok(match Evidence::of(confidence) {
            Evidence::None => Verdict {
                confidence,
                ..Verdict::NONE
            },
            evidence => Verdict {
                evidence,
                confidence,
                certainty: signals.certainty(),
            },
        })
    }

    /// Takes the passages to show.
    fn take(
        &mut self,
        cx: &SearchContext<'_>,
        is_wanted: impl Fn(&Ranked) -> bool,
        options: &SearchOptions,
    ) -> Result<Vec<Ranked>> {
        let cx = &SearchContext {
            tuning: &self.tuning,
            ..*cx
        };
        let net = Net {
            cx,
            query: &self.query,
            selection: &self.selection,
            mode: self.mode,
            is_known: self.is_known,
            is_listing: self.is_listing,
        };
        let leaning = leaning(&self.tuning, self.intent);
        let fused = std::mem::take(&mut self.ranking.fused);
        let rest = std::mem::take(&mut self.ranking.rest);
        let mut further = Further::new(net, &leaning, fused, rest, self.is_all);
        further.drops_idle = self.drops_idle;
        let looked = std::mem::take(&mut self.ranking.looked);
        list::take(looked, further, is_wanted, options)
    }
}

/// Moves the share of meaning towards what was typed.
fn leaning(tuning: &Tuning, intent: Intent) -> Tuning {
    let mut leaning = tuning.clone();
    if let Fusion::Blend { vector } = &mut leaning.fusion {
        *vector = explain::vector_share(*vector, intent, tuning);
    }
    leaning
}

/// Cuts the excerpts and tells how each hit was scored.
fn present(
    store: &Store,
    ranked: Vec<Ranked>,
    query: &Query,
    met: excerpt::Met<'_>,
    explain: impl Fn(&Ranked) -> Vec<Stage>,
) -> Result<Vec<Hit>> {
    let mut finder = Finder::new(query);
    ranked
        .into_iter()
        .map(|ranked| {
            let stages = explain(&ranked);
            let is_pinned = ranked.is_pinned();
            let Ranked {
                candidate,
                chunk,
                note,
                text,
                also_in,
                ..
            } = ranked;
            let text = text.unwrap_or_default();
            // A long table is cut between its rows.
            let whole = match text.starts_with('|') {
                true => store.text(note.id, &Part::Whole)?,
                false => String::new(),
            };
            let source = excerpt::Source {
                text: &text,
                language: note.language,
                layout: Format::of(&note.path).unwrap_or(Format::Markdown).layout(),
                header: excerpt::table_header(&whole, chunk.range.start),
                met,
            };
            let excerpt = excerpt::cut(&source, &mut finder);
            Ok(Hit {
                breadcrumb: chunk::breadcrumb(&note.title, &note.headings, chunk.heading)
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
                excerpt,
                stages,
                also_in,
                is_pinned,
                score: candidate.score,
                lexical_rank: candidate.lexical_rank,
                vector_rank: candidate.vector_rank,
                text,
                note,
                chunk,
            })
        })
        .collect()
}
