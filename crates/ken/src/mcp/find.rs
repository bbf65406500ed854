//! `search`: asks one domain or all, and makes one answer of it.

use std::sync::Arc;

use anyhow::Result;
use rmcp::model::JsonObject;

use super::arguments::{self, SearchArguments};
use super::reply::{self, BYTES_MAX, Reply};
use super::{choose, text};
use crate::hint::Hinted;
use crate::searcher::{SearchRequest, Searcher, Searchers};
use crate::wire::{FoundPassage, SearchOutput, SearchResponse, merge};

/// What an answer without evidence comes to.
const NOTHING_FOUND: &str = "your notes do not say";

/// Notes that are not read yet cannot be spoken for.
const NOTHING_YET: &str = "notes are still being indexed, so this says nothing yet; ask again";

const LIMIT: u32 = 5;

pub(super) fn search(searchers: &Searchers, arguments: JsonObject) -> Result<Reply> {
    let arguments: SearchArguments = arguments::read(arguments)?;
    if arguments.query.trim().is_empty() {
        return Err(Hinted::error(
            "there is nothing to look for",
            "`query` takes a question, a name or key words",
        ));
    }
    let searchers = choose::searchers(searchers, arguments.domain.as_deref())?;
    let mut notices = choose::refresh(&searchers);
    let limit = arguments.limit.unwrap_or(LIMIT);
    let request = SearchRequest {
        query: arguments.query,
        limit: Some(limit),
        mode: arguments.mode.map(Into::into),
        max_tokens: arguments.max_tokens,
        dates: arguments.dates,
        ..SearchRequest::default()
    };
    let answers = answers(&searchers, &request, &mut notices)?;
    let (first, mut found) = merged(answers, limit as usize, arguments.max_tokens);
    found.notices.splice(..0, notices);
    if found.results.is_empty() {
        let is_early = searchers.iter().any(|searcher| searcher.is_updating());
        found.message = Some(if is_early { NOTHING_YET } else { NOTHING_FOUND });
    }
    fit(&mut found);
    let mut reply = Reply::new(&found, text::found(&found))?;
    for result in &found.results {
        let domain = result.domain.as_ref().unwrap_or(&first);
        reply.link(domain, &result.path, &result.title);
    }
    Ok(reply)
}

/// Asks every searcher. One that cannot answer is a notice, unless there is no other.
fn answers(
    searchers: &[Arc<Searcher>],
    request: &SearchRequest,
    notices: &mut Vec<String>,
) -> Result<Vec<(Arc<Searcher>, SearchResponse)>> {
    let mut answers = Vec::new();
    let mut trouble = None;
    for searcher in searchers {
        match searcher.search(request).map(SearchResponse::from) {
            Ok(mut answer) => {
                let told = answer.notices.drain(..);
                let told = told.map(|notice| choose::named(searchers, searcher, notice));
                for notice in told {
                    // What is wrong with an index was said when it was brought up to date.
                    if !notices.contains(&notice) {
                        notices.push(notice);
                    }
                }
                answers.push((Arc::clone(searcher), answer));
            }
            Err(error) => {
                let error = choose::explained(searcher, error);
                notices.push(choose::named(searchers, searcher, error.to_string()));
                trouble.get_or_insert(error);
            }
        }
    }
    match trouble {
        Some(error) if answers.is_empty() => Err(error),
        _ => Ok(answers),
    }
}

/// Makes one answer of several, and names the domain of results that name none.
fn merged(
    answers: Vec<(Arc<Searcher>, SearchResponse)>,
    limit: usize,
    max_tokens: Option<usize>,
) -> (String, SearchOutput) {
    let named = answers.into_iter();
    let named: Vec<_> = named
        .map(|(searcher, answer)| (searcher.name().to_owned(), answer))
        .collect();
    let first = named[0].0.clone();
    let joined = merge(named, limit, max_tokens).expect("searchers that all fail are an error");
    let mut found = SearchOutput::new(&joined);
    found
        .results
        .extend(joined.hits.into_iter().map(FoundPassage::new));
    (first, found)
}

/// Leaves out what is too much: first the passages of the last results, then results.
fn fit(found: &mut SearchOutput) {
    let mut room = BYTES_MAX.saturating_sub(reply::size(&found.notices));
    let mut bare = Vec::new();
    let mut used = 0;
    for result in &mut found.results {
        let excerpt = result.excerpt.take();
        if used + reply::size(result) + 1 > room {
            // The sentences stand in the passage, so that one of the two is enough.
            (result.text, result.excerpt) = (None, excerpt);
            bare.push(result.rank);
        }
        used += reply::size(result) + 1;
    }
    let n_cut = reply::keep(&mut found.results, &mut room);
    bare.retain(|&rank| rank <= found.results.len());
    if let (Some(first), Some(last)) = (bare.first(), bare.last()) {
        found.notices.push(format!(
            "the text of results {first} to {last} was left out to keep this answer within 25,000 \
             tokens; `get` with their id returns it"
        ));
    }
    if n_cut > 0 {
        found.notices.push(format!(
            "the last {n_cut} results were left out to keep this answer within 25,000 tokens; a \
             narrower query or `domain` returns them"
        ));
    }
}
