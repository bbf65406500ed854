//! Answers a question by extraction: the one to three sentences that answer best, word for word, and
//! in them the short span that is the answer.
//!
//! Search finds the passages, `sentences` ranks what stands in them, `span` finds the answer in a
//! sentence, and `quote` cuts what is shown so that `cite` finds it again. Nothing is made up.

mod quote;
mod sentences;
mod span;
mod steps;
mod tokens;
mod weights;

use std::sync::Arc;

use crate::chunk;
use crate::error::Result;
use crate::question::{Question, Sought};
use crate::search::{self, Evidence, Hit, Mode, Scope, SearchContext, SearchOptions};
use crate::store::{ChunkRow, NoteRow};
use crate::traverse::{DEEP, TraverseContext, Walker};
use sentences::Judge;

/// Passages that are read.
const PASSAGES_MAX: usize = 8;
/// Most of one note.
const PER_NOTE_MAX: usize = 4;
/// Notes that a wide walk begins at.
const STARTS_MAX: usize = 3;

/// What is wanted of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AskOptions<'a> {
    /// The only notes that may be read; `None` is all.
    pub scope: Option<&'a Scope>,
    /// Which retrievers to ask.
    pub mode: Mode,
    /// Most sentences.
    pub sentences_max: usize,
    /// Most characters over all sentences.
    pub chars_max: usize,
    /// Whether to walk widely along links from the best notes, too.
    pub is_deep: bool,
    /// Whether a time in the question, "last week", is understood.
    pub reads_dates: bool,
    /// Seconds since 1970.
    pub now: i64,
}

impl AskOptions<'_> {
    /// What is usual, asked at a time: seconds since 1970.
    pub fn at(now: i64) -> Self {
        Self {
            scope: None,
            mode: Mode::default(),
            sentences_max: 3,
            chars_max: 600,
            is_deep: false,
            reads_dates: true,
            now,
        }
    }
}

/// What the notes answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Extracted {
    /// What the question asks for.
    pub sought: Sought,
    /// How well the notes answer. With weak evidence the sentences are merely what is nearest.
    pub evidence: Evidence,
    /// The same as one figure, 0 to 1.
    pub confidence: f32,
    /// Sentences, best first; none where the notes do not say.
    pub sentences: Vec<Quoted>,
    /// What the person should know about how the answer came about.
    pub notices: Vec<String>,
}

/// A sentence of a note, word for word.
#[derive(Clone, Debug, PartialEq)]
pub struct Quoted {
    /// Its note.
    pub note: Arc<NoteRow>,
    /// The passage it stands in.
    pub chunk: Arc<ChunkRow>,
    /// Title and headings above it, outermost first.
    pub breadcrumb: Vec<String>,
    /// First and last line of the file; of a format without lines, those of its text.
    pub lines: (u32, u32),
    /// The sentence on one line; what was left out is an ellipsis.
    pub text: String,
    /// Character range of the span that is the answer.
    pub answer: Option<(usize, usize)>,
    /// 0 to 1; that of the best is 1.
    pub score: f32,
}

/// A passage that may hold the answer.
pub(crate) struct Reach {
    pub(crate) note: Arc<NoteRow>,
    pub(crate) chunk: Arc<ChunkRow>,
    pub(crate) breadcrumb: Vec<String>,
    pub(crate) text: String,
    pub(crate) score: f32,
}

impl From<Hit> for Reach {
    fn from(hit: Hit) -> Self {
        Self {
            note: hit.note,
            chunk: hit.chunk,
            breadcrumb: hit.breadcrumb,
            text: hit.text,
            score: hit.score,
        }
    }
}

/// Answers a question from the notes, in their own words.
pub fn extract(
    cx: &SearchContext<'_>,
    question: &str,
    options: &AskOptions<'_>,
) -> Result<Extracted> {
    let searched = search::search_asked(cx, question, &search_options(options))?;
    let answer = searched.answer;
    let mut passages: Vec<Reach> = answer.hits.into_iter().map(Reach::from).collect();
    if options.is_deep {
        reach_further(cx, question, options, &mut passages)?;
    }
    let asked = Question::of(question);
    let judge = Judge::new(
        &searched.query,
        &searched.idf,
        &asked,
        cx.embedder.token_vectors(),
    );
    let ranked = match asked.sought {
        Sought::Steps => judge.steps(&passages, options.sentences_max),
        _ => judge.ranked(&passages),
    };
    cx.budget.check()?;
    Ok(Extracted {
        sought: asked.sought,
        evidence: answer.evidence,
        confidence: answer.confidence,
        sentences: quote::choose(&ranked, &passages, cx.store, options)?,
        notices: answer.notices,
    })
}

fn search_options<'a>(options: &AskOptions<'a>) -> SearchOptions<'a> {
    SearchOptions {
        scope: options.scope,
        mode: options.mode,
        limit: PASSAGES_MAX,
        per_note: PER_NOTE_MAX,
        reads_dates: options.reads_dates,
        ..SearchOptions::at(options.now)
    }
}

/// Adds the passages that a wide walk from the best notes comes by.
fn reach_further(
    cx: &SearchContext<'_>,
    question: &str,
    options: &AskOptions<'_>,
    passages: &mut Vec<Reach>,
) -> Result<()> {
    let walk = TraverseContext {
        store: cx.store,
        embedder: cx.embedder,
        now: options.now,
        decay: &cx.tuning.decay,
        budget: cx.budget,
    };
    let mut starts = Vec::new();
    for passage in passages.iter() {
        if starts.len() < STARTS_MAX && !starts.contains(&passage.note.id) {
            starts.push(passage.note.id);
        }
    }
    for start in starts {
        let walked = Walker::new(&walk, start, Some(question))?.walk(&DEEP)?;
        for (seen, _) in walked.retained {
            let Some(chunk) = seen.chunk else { continue };
            if passages.iter().any(|known| known.chunk.id == chunk.id) {
                continue;
            }
            if let Some(scope) = options.scope
                && !scope.has(cx.store, chunk.note, cx.budget)?
            {
                continue;
            }
            let note = cx.store.note(chunk.note)?;
            let crumbs = chunk::breadcrumb(&note.title, &note.headings, chunk.heading);
            passages.push(Reach {
                breadcrumb: crumbs.into_iter().map(str::to_owned).collect(),
                text: cx.store.passage(&chunk)?,
                score: seen.score,
                chunk,
                note,
            });
        }
    }
    Ok(())
}

/// Texts that may be the answer, each with its signals.
pub(crate) type Candidates = Vec<(String, Vec<f32>)>;

/// Returns the names of a sentence's signals.
pub(crate) fn sentence_signals() -> Vec<String> {
    sentences::SIGNALS.map(str::to_owned).to_vec()
}

/// Returns the names of a span's signals.
pub(crate) fn span_signals() -> Vec<String> {
    let by_kind = Sought::ALL
        .iter()
        .flat_map(|sought| span::BY_KIND.map(|name| format!("{}: {name}", sought.name())));
    span::COMMON
        .map(str::to_owned)
        .into_iter()
        .chain(by_kind)
        .collect()
}

/// Returns every sentence that an answer is looked for in.
pub(crate) fn candidate_sentences(
    cx: &SearchContext<'_>,
    question: &str,
    options: &AskOptions<'_>,
) -> Result<Candidates> {
    with_judge(cx, question, options, |judge, passages| {
        let all = judge.all(passages).into_iter();
        all.map(|sentence| (sentence.text, sentence.signals.to_vec()))
            .collect()
    })
}

/// Returns the best sentences by the given weights, each with its score and every span of it.
pub(crate) fn candidate_spans(
    cx: &SearchContext<'_>,
    question: &str,
    weights: &[f32],
    options: &AskOptions<'_>,
) -> Result<Vec<(String, f32, Candidates)>> {
    with_judge(cx, question, options, |judge, passages| {
        let best = judge.best(passages, weights).into_iter();
        let spans = |sentence: sentences::Sentence| {
            let language = passages[sentence.passage].note.language;
            let mut found = Candidates::new();
            judge.with_around(&sentence, language, |around| {
                span::each(around, |first, last, signals| {
                    let (first, last) = (&sentence.tokens[first], &sentence.tokens[last]);
                    let text = &sentence.text[first.bytes.start..last.bytes.end];
                    found.push((text.to_owned(), signals.to_vec()));
                });
            });
            (sentence.text, sentence.score, found)
        };
        best.take(FITTED_SENTENCES).map(spans).collect()
    })
}

/// Sentences whose spans weights are fitted to.
const FITTED_SENTENCES: usize = 4;

fn with_judge<T>(
    cx: &SearchContext<'_>,
    question: &str,
    options: &AskOptions<'_>,
    run: impl FnOnce(&Judge<'_>, &[Reach]) -> T,
) -> Result<T> {
    let searched = search::search_asked(cx, question, &search_options(options))?;
    let passages: Vec<Reach> = searched.answer.hits.into_iter().map(Reach::from).collect();
    let asked = Question::of(question);
    let judge = Judge::new(
        &searched.query,
        &searched.idf,
        &asked,
        cx.embedder.token_vectors(),
    );
    Ok(run(&judge, &passages))
}
