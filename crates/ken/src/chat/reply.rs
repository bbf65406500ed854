//! An answer to a question of a conversation: sentences of notes, word for word, each with its source, which is
//! checked like any citation.

use std::fmt::Write;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, atomic::Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use kenning::budget::Stop;
use kenning::cite::Citation;

use crate::context::prompt::{self, Skip};
use crate::runtime;
use crate::searcher::asker;
use crate::searcher::{AskRequest, Searcher};
use crate::wire::{AskResponse, AskedSentence, KeptSource, VerifyResponse, merge_asked};

/// How often somebody looks whether the answer is to stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What the notes say.
pub(super) struct Reply {
    /// Markdown that cites sources by their numbers.
    pub(super) text: String,
    pub(super) sources: Vec<KeptSource>,
    pub(super) notices: Vec<String>,
}

/// Answers a question, with what was asked before where it says too little by itself. `None` if Ctrl-C came first.
pub(super) fn reply(
    searchers: &[Arc<Searcher>],
    question: &str,
    before: Option<&str>,
    scope: Option<&str>,
) -> Result<Option<Reply>> {
    let (searchers, stop) = (searchers.to_vec(), Stop::default());
    let with_scope = |text: &str| match scope {
        Some(scope) => format!("{text} {scope}"),
        None => text.to_owned(),
    };
    // Only what says too little by itself is about what was asked before.
    let before = before.filter(|_| prompt::query(question) == Err(Skip::Short));
    let question = with_scope(question);
    let before = before.map(|before| format!("{before} {question}"));
    let work = {
        let stop = stop.clone();
        move || asker::on_behalf_of(&stop, || answer(&searchers, &question, before.as_deref()))
    };
    let (sender, answered) = mpsc::channel();
    thread::spawn(move || sender.send(work()));
    loop {
        match answered.recv_timeout(LOOK_EVERY) {
            Ok(answer) => return answer.map(Some),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {
                if runtime::stop_flag().swap(false, Ordering::Relaxed) {
                    stop.set();
                    return Ok(None);
                }
            }
        }
    }
}

fn answer(searchers: &[Arc<Searcher>], question: &str, before: Option<&str>) -> Result<Reply> {
    let mut asked = ask(searchers, question)?;
    // "And when was that?" is about what was asked before.
    let is_weak = |asked: &AskResponse| asked.sentences.is_empty() || asked.is_weak();
    if let Some(before) = before.filter(|_| is_weak(&asked)) {
        let again = ask(searchers, before)?;
        if again.confidence > asked.confidence && !is_weak(&again) {
            asked = again;
        }
    }
    let sources = asked
        .sentences
        .iter()
        .map(|sentence| source(searchers, sentence));
    Ok(Reply {
        sources: sources.collect::<Result<_>>()?,
        text: written(&asked),
        notices: asked.notices,
    })
}

fn ask(searchers: &[Arc<Searcher>], question: &str) -> Result<AskResponse> {
    let request = AskRequest {
        question: question.to_owned(),
        ..AskRequest::default()
    };
    let mut answers = Vec::new();
    for searcher in searchers {
        let answer = AskResponse::from(searcher.ask(&request)?);
        answers.push((searcher.name().to_owned(), answer));
    }
    let merged = merge_asked(answers);
    Ok(merged.unwrap_or_else(|| AskResponse::without_index(question.to_owned())))
}

/// Writes the sentences as quotes, the answer in each marked.
fn written(asked: &AskResponse) -> String {
    let mut out = String::new();
    if let Some(message) = asked.message {
        let mut letters = message.chars();
        let first = letters.next().map(|c| c.to_uppercase().to_string());
        let _ = write!(out, "{}{}.", first.unwrap_or_default(), letters.as_str());
    }
    for sentence in &asked.sentences {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        let _ = write!(out, "“{}” [{}]", marked(sentence), sentence.rank);
    }
    out.push('\n');
    out
}

fn marked(sentence: &AskedSentence) -> String {
    let quote = sentence
        .quote
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let Some((from, to)) = sentence.answer().filter(|_| quote == sentence.quote) else {
        return quote;
    };
    let part =
        |from: usize, to: usize| -> String { quote.chars().skip(from).take(to - from).collect() };
    let end = quote.chars().count();
    format!("{}**{}**{}", part(0, from), part(from, to), part(to, end))
}

/// Makes a source of a sentence, and checks that it stands there.
fn source(searchers: &[Arc<Searcher>], sentence: &AskedSentence) -> Result<KeptSource> {
    let named = sentence.domain.as_deref();
    let searcher = searchers
        .iter()
        .find(|one| named.is_none_or(|name| one.name() == name));
    let citation = Citation {
        id: Some(sentence.id.clone()),
        note: None,
        lines: None,
        quote: Some(sentence.quote.clone()),
        claim: None,
    };
    let verdicts = match searcher {
        Some(searcher) => searcher.verify(vec![citation])?,
        None => Vec::new(),
    };
    let checked = VerifyResponse::new(verdicts).citations.into_iter().next();
    Ok(KeptSource {
        number: sentence.rank,
        domain: sentence.domain.clone(),
        id: Some(sentence.id.clone()),
        path: sentence.path.clone(),
        title: sentence.title.clone(),
        section: sentence.section.clone(),
        start_line: sentence.start_line,
        end_line: sentence.end_line,
        page: sentence.page,
        date: sentence.date.clone(),
        quote: Some(sentence.quote.clone()),
        citation_verified: checked.as_ref().map(|checked| checked.citation_verified),
        citation_reason: checked.map(|checked| checked.citation_reason.to_owned()),
    })
}
