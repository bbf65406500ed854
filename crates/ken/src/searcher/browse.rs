//! What a person who looks around asks of a domain: what notes have in common, which are alike, what was
//! masked and which links lead nowhere.

use std::sync::{Arc, Mutex, TryLockError};

use anyhow::Result;
use kenning::budget::Budget;
use kenning::embed::{Embedder, embedded};
use kenning::facets::{self, Count, Facets};
use kenning::links;
use kenning::map::{self, Map};
use kenning::search::{self, Mode, Passage, SearchContext, SearchOptions, grammar};
use kenning::store::{LinkRow, Masked, NoteId, Store};

use super::{Answered, SearchRequest, Searcher, masked, named};
use crate::runtime;

/// Most notes of an answer that are counted, and of a list.
const COUNTED_MAX: u32 = 200;
const LISTED_MAX: usize = 100_000;
/// So many words of a note say what it is about.
const SIMILAR_WORDS_MAX: usize = 200;

/// The last map, and the index that it is of.
pub(super) type Drawn = Mutex<Option<(Vec<u8>, Arc<Map>)>>;

impl Searcher {
    /// Counts what the notes that answer a question have in common; without one, what all have.
    pub(crate) fn facets(&self, query: &str) -> Result<Facets> {
        let query = masked(query);
        self.with_store(|store| {
            if query.trim().is_empty() {
                return Ok(facets::of(store, None)?);
            }
            let notes = match is_listing(&query) {
                true => self.listed(store, &query)?,
                false => self.found(store, &query)?,
            };
            Ok(facets::of(store, Some(&notes))?)
        })
    }

    /// Returns the notes that are hits of a question.
    fn found(&self, store: &Store, query: &str) -> Result<Vec<NoteId>> {
        let request = SearchRequest {
            query: query.to_owned(),
            limit: Some(COUNTED_MAX),
            per_note: Some(1),
            ..SearchRequest::default()
        };
        let answered = self.answer(store, &request, None)?;
        let hits = answered.answer.hits.iter();
        Ok(hits.map(|hit| hit.note.id).collect())
    }

    /// Returns every note that meets conditions.
    fn listed(&self, store: &Store, query: &str) -> Result<Vec<NoteId>> {
        let tuning = self.settings.tuning_at(&self.located, None);
        let cx = SearchContext {
            store,
            embedder: embedded() as &dyn Embedder,
            tuning: &tuning,
            budget: &self.budget(),
        };
        let options = SearchOptions {
            mode: Mode::Lexical,
            limit: LISTED_MAX,
            per_note: 1,
            ..SearchOptions::at(runtime::now())
        };
        let mut notes = Vec::new();
        for path in search::note_paths(&cx, query, &options)? {
            notes.extend(store.note_at(&path)?);
        }
        Ok(notes)
    }

    /// Draws the map of all notes; the same index is drawn once. Nothing is returned while somebody else draws it.
    pub(crate) fn map(&self) -> Result<Option<Arc<Map>>> {
        let mut drawn = match self.drawn.try_lock() {
            Ok(drawn) => drawn,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        let (identity, map) = self.with_store(|store| {
            let identity = store.identity()?;
            if let Some((of, map)) = &*drawn
                && *of == identity
            {
                return Ok((identity, Arc::clone(map)));
            }
            // It is drawn to its end, whoever goes away: the next one finds it.
            Ok((identity, Arc::new(map::of(store, &Budget::default())?)))
        })?;
        *drawn = Some((identity, Arc::clone(&map)));
        Ok(Some(map))
    }

    /// Counts the notes of each day.
    pub(crate) fn days(&self) -> Result<Vec<Count>> {
        self.with_store(|store| Ok(facets::days(store)?))
    }

    /// Returns the note that a link of another one leads to, or what the name itself says.
    pub(crate) fn linked(&self, target: &str, from: Option<&str>) -> Result<Passage> {
        self.with_store(|store| {
            let Some(from) = from else {
                return Ok(named(store, target)?);
            };
            let (name, anchor) = target.split_once('#').unwrap_or((target, ""));
            let files = links::Files::new(store.files()?);
            let Some(path) = files.resolve(from, name) else {
                return Ok(named(store, target)?);
            };
            let whole = || named(store, path);
            Ok(match anchor {
                "" => whole()?,
                anchor => named(store, &format!("{path}#{anchor}")).or_else(|_| whole())?,
            })
        })
    }

    /// Returns a note and those that are like it, by meaning.
    pub(crate) fn similar(&self, reference: &str, limit: u32) -> Result<(Passage, Answered)> {
        let note = self.passage(reference)?;
        let text = format!("{} {}", note.note.title, note.text);
        let words = text.split(|c: char| !c.is_alphanumeric());
        let words = words
            .filter(|word| !word.is_empty())
            .take(SIMILAR_WORDS_MAX);
        let mut answer = self.search(&SearchRequest {
            query: words.collect::<Vec<_>>().join(" "),
            limit: Some(limit + 1),
            per_note: Some(1),
            mode: Some(Mode::Vector),
            dates: Some(false),
            ..SearchRequest::default()
        })?;
        let hits = &mut answer.answer.hits;
        hits.retain(|hit| hit.note.path != note.note.path);
        hits.truncate(limit as usize);
        Ok((note, answer))
    }

    /// Lists the credentials that were masked: where, never what.
    pub(crate) fn findings(&self) -> Result<Vec<Masked>> {
        self.with_store(|store| Ok(store.masked()?))
    }

    /// Lists the links that lead nowhere, with the notes they stand in.
    pub(crate) fn dead_links(&self) -> Result<Vec<(String, LinkRow)>> {
        self.with_store(|store| Ok(links::dead(store)?))
    }
}

/// Whether nothing but conditions is asked for.
fn is_listing(query: &str) -> bool {
    let today = runtime::today().parse().unwrap_or_default();
    grammar::parse(query, today).words.trim().is_empty()
}
