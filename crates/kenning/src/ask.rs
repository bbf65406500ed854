//! Answers a question by extraction: the one to three sentences that answer best, word for word, and
//! in them the short span that is the answer.
//!
//! Search finds the passages, `sentences` ranks what stands in them, `span` finds the answer in a
//! sentence, and `quote` cuts what is shown so that `cite` finds it again. Nothing is made up.

mod antecedent;
mod define;
mod inputs;
mod mark;
mod plain;
mod quotable;
mod quote;
mod reader;
mod sentences;
mod span;
mod steps;
mod table;
mod tokens;
mod weights;

use std::sync::Arc;

use crate::chunk;
use crate::error::Result;
use crate::question::{Question, Sought};
use crate::search::{self, Evidence, Hit, Mode, Scope, SearchContext, SearchOptions};
use crate::store::{By, ChunkRow, NoteRow, Store};
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

impl Reach {
    fn at(store: &Store, note: Arc<NoteRow>, chunk: Arc<ChunkRow>, score: f32) -> Result<Self> {
        let crumbs = chunk::breadcrumb(&note.title, &note.headings, chunk.heading);
        Ok(Self {
            breadcrumb: crumbs.into_iter().map(str::to_owned).collect(),
            text: store.passage(&chunk)?,
            score,
            chunk,
            note,
        })
    }
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
    let asked = Question::of(question);
    let searched = search::search_asked(cx, question, &search_options(options, &asked))?;
    let answer = searched.answer;
    let mut passages: Vec<Reach> = answer.hits.into_iter().map(Reach::from).collect();
    if options.is_deep {
        reach_further(cx, question, options, &mut passages)?;
    }
    if asked.sought == Sought::Definition {
        open_notes(cx, &mut passages)?;
    }
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

fn search_options<'a>(options: &AskOptions<'a>, asked: &Question) -> SearchOptions<'a> {
    // Commands stand in few words, and far from the prose about them.
    let n_more = match asked.sought.may_be_code() {
        true => PASSAGES_MAX / 2,
        false => 0,
    };
    SearchOptions {
        scope: options.scope,
        mode: options.mode,
        limit: PASSAGES_MAX + n_more,
        per_note: PER_NOTE_MAX,
        reads_dates: options.reads_dates,
        ..SearchOptions::at(options.now)
    }
}

/// Adds the beginning of the best notes: that is where a note says what it is about.
fn open_notes(cx: &SearchContext<'_>, passages: &mut Vec<Reach>) -> Result<()> {
    let mut notes: Vec<Arc<NoteRow>> = Vec::new();
    for passage in passages.iter() {
        if notes.len() < STARTS_MAX && !notes.iter().any(|note| note.id == passage.note.id) {
            notes.push(passage.note.clone());
        }
    }
    for note in notes {
        let is_first = |chunk: &Arc<ChunkRow>| chunk.ordinal == 0;
        let Some(chunk) = cx
            .store
            .chunks(By::Note(note.id))?
            .into_iter()
            .find(is_first)
        else {
            continue;
        };
        if passages.iter().all(|known| known.chunk.id != chunk.id) {
            passages.push(Reach::at(cx.store, note, chunk, 0.0)?);
        }
    }
    Ok(())
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
            passages.push(Reach::at(cx.store, note, chunk, seen.score)?);
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

/// A sentence as the reader is fitted to it: its signals and their score, what is seen of each token, the
/// function words, and each candidate with its first and last token.
pub(crate) struct Readable {
    pub(crate) signals: Vec<f32>,
    pub(crate) score: f32,
    pub(crate) inputs: Vec<Vec<f32>>,
    pub(crate) words: Vec<String>,
    pub(crate) spans: Vec<(usize, usize, String)>,
}

/// Returns the number of what is sought, and the sentences whose spans are looked at, the best by its signals first.
pub(crate) fn readable(
    cx: &SearchContext<'_>,
    question: &str,
    options: &AskOptions<'_>,
) -> Result<(usize, Vec<Readable>)> {
    with_judge(cx, question, options, |judge, passages| {
        let read = |sentence: sentences::Sentence| {
            let language = passages[sentence.passage].note.language;
            let word = |token: &tokens::Token| match token.is_stop {
                true => sentence.text[token.bytes.clone()].to_lowercase(),
                false => String::new(),
            };
            let mut spans = Vec::new();
            span::each(&sentence.tokens, |span| {
                let start = sentence.tokens[span.first].bytes.start;
                let end = sentence.tokens[span.last].bytes.end;
                spans.push((span.first, span.last, sentence.text[start..end].to_owned()));
            });
            let inputs = judge.with_around(&sentence, language, inputs::inputs);
            Readable {
                signals: sentence.signals.to_vec(),
                score: sentence.score,
                inputs: inputs.iter().map(|own| own.to_vec()).collect(),
                words: sentence.tokens.iter().map(word).collect(),
                spans,
            }
        };
        let looked = judge.looked(passages).into_iter().map(read).collect();
        (judge.question.sought as usize, looked)
    })
}

fn with_judge<T>(
    cx: &SearchContext<'_>,
    question: &str,
    options: &AskOptions<'_>,
    run: impl FnOnce(&Judge<'_>, &[Reach]) -> T,
) -> Result<T> {
    let asked = Question::of(question);
    let searched = search::search_asked(cx, question, &search_options(options, &asked))?;
    let passages: Vec<Reach> = searched.answer.hits.into_iter().map(Reach::from).collect();
    let judge = Judge::new(
        &searched.query,
        &searched.idf,
        &asked,
        cx.embedder.token_vectors(),
    );
    Ok(run(&judge, &passages))
}
