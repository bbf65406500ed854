//! Compatible with the HTTP server of Obsidian's Omnisearch: one route, one list of notes.

use std::collections::BTreeSet;

use anyhow::Result;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::searcher::{SearchRequest, Searcher};
use crate::serve::App;
use crate::serve::handlers::{Answer, check_query};
use crate::serve::input::{At, Params};
use crate::serve::problem;
use crate::wire::compat::{OmnisearchMatch, OmnisearchNote, OmnisearchParams};
use crate::wire::{Hit, SearchResponse};

/// What may read the answers from within a page: Obsidian itself and extensions of browsers. The
/// original lets any web page read the notes.
pub(in crate::serve) const SCHEMES: &[&str] = &[
    "app://obsidian.md",
    "capacitor://localhost",
    "chrome-extension://",
    "moz-extension://",
    "safari-web-extension://",
];
/// Notes in an answer, as the original has them.
const LIMIT: u32 = 50;
/// Most places told of one note.
const MATCHES_MAX: usize = 100;

pub(in crate::serve) fn router() -> Router<App> {
    Router::new()
        .route("/search", get(search))
        .fallback(problem::no_such_path)
        .method_not_allowed_fallback(problem::wrong_method)
        .layer(from_fn(share))
}

/// Lets the page that asks read the answer; the guard has seen that it may ask.
async fn share(request: Request, next: Next) -> Response {
    let origin = request.headers().get(header::ORIGIN).cloned();
    let is_question = request.method() == Method::OPTIONS;
    let mut response = match is_question && origin.is_some() {
        true => StatusCode::NO_CONTENT.into_response(),
        false => next.run(request).await,
    };
    let Some(origin) = origin else {
        return response;
    };
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::VARY, HeaderValue::from_static("origin"));
    if is_question {
        let methods = HeaderValue::from_static("GET");
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
        let names = HeaderValue::from_static("authorization, content-type");
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
    }
    response
}

async fn search(
    State(app): State<App>,
    At(searcher): At,
    Params(params): Params<OmnisearchParams>,
) -> Answer<Vec<OmnisearchNote>> {
    let query = params.q.unwrap_or_default();
    check_query(&query)?;
    app.ask(move || notes(&searcher, query)).await
}

fn notes(searcher: &Searcher, query: String) -> Result<Vec<OmnisearchNote>> {
    if query.trim().is_empty() {
        return Ok(Vec::new());
    }
    let typed = words(&query);
    let answer = searcher.search(&SearchRequest {
        query,
        limit: Some(LIMIT),
        per_note: Some(1),
        ..SearchRequest::default()
    })?;
    let hits = SearchResponse::from(answer).hits.into_iter();
    hits.map(|hit| note(searcher, hit, &typed)).collect()
}

fn note(searcher: &Searcher, hit: Hit, typed: &BTreeSet<String>) -> Result<OmnisearchNote> {
    // Other forms of a word are highlighted; a word may also stand outside of the excerpt.
    let mut wanted = highlighted(&hit.excerpt, &hit.highlights);
    wanted.extend(typed.iter().cloned());
    let matches = matches(&searcher.passage(&hit.path)?.text, &wanted);
    let found = matches.iter().map(|place| place.r#match.to_lowercase());
    let file = hit.path.rsplit('/').next().unwrap_or(&hit.path);
    let vault = searcher.vault().and_then(|vault| vault.file_name());
    Ok(OmnisearchNote {
        score: hit.score,
        vault: vault.map_or_else(
            || searcher.name().to_owned(),
            |name| name.to_string_lossy().into_owned(),
        ),
        basename: file
            .rsplit_once('.')
            .map_or(file, |(stem, _)| stem)
            .to_owned(),
        found_words: found.collect::<BTreeSet<_>>().into_iter().collect(),
        matches,
        path: hit.path,
        excerpt: hit.excerpt,
    })
}

/// Returns the words that were typed, in small letters.
fn words(query: &str) -> BTreeSet<String> {
    let words = query.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty() && *word != "OR");
    words.map(str::to_lowercase).collect()
}

/// Returns the highlighted words of an excerpt, in small letters.
fn highlighted(excerpt: &str, ranges: &[(usize, usize)]) -> BTreeSet<String> {
    let chars: Vec<char> = excerpt.chars().collect();
    let cut = |&(from, to): &(usize, usize)| chars.get(from..to);
    let words = ranges.iter().filter_map(cut);
    words
        .map(|word| word.iter().collect::<String>().to_lowercase())
        .collect()
}

/// Finds words in a text; places count UTF-16 units, as JavaScript does.
fn matches(text: &str, words: &BTreeSet<String>) -> Vec<OmnisearchMatch> {
    let mut found = Vec::new();
    let mut offset = 0;
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() {
            word.push(c);
        } else if !word.is_empty() {
            if words.contains(&word.to_lowercase()) {
                found.push(OmnisearchMatch {
                    offset: offset - word.encode_utf16().count(),
                    r#match: word.clone(),
                });
            }
            word.clear();
        }
        offset += c.len_utf16();
    }
    found.truncate(MATCHES_MAX);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_as_javascript_counts() {
        let words = highlighted("the Roof leaks", &[(4, 8), (99, 100)]);
        let found = matches("🏠 roof, proof and ROOF", &words);
        let places: Vec<(&str, usize)> = found
            .iter()
            .map(|place| (place.r#match.as_str(), place.offset))
            .collect();
        assert_eq!(places, [("roof", 3), ("ROOF", 19)]);
    }
}
