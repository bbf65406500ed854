//! One domain as every interface asks it: search, read, walk, check. Terminal, HTTP, MCP and hooks
//! all come through here, so the same question gives the same hits everywhere.

pub(crate) mod asker;
pub(crate) mod caveats;
pub(crate) mod fresh;
pub(crate) mod memory;
mod mend;
mod node;
mod request;
mod searchers;
mod several;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::Result;
use kenning::Error;
use kenning::budget::Budget;
use kenning::cite::{self, Citation};
use kenning::embed::{Embedder, embedded};
use kenning::index::Progress;
use kenning::search::{self, Mode, SearchContext, SearchOptions};
use kenning::store::{Beat, FileId, Pulse, Store, Wanted};
use kenning::traverse::{TraverseContext, Walker};
use kenning::{links, secrets};

pub(crate) use request::{NotesRequest, SearchRequest, WalkRequest};
pub(crate) use searchers::Searchers;
pub(crate) use several::join;

use crate::runtime::{self, How, Model};
use crate::settings::{Located, Settings};
use crate::wire::{
    Asked, IndexReport, LinksResponse, MissedNote, NoteSummary, NotesResponse, Passage,
    SearchResponse, StatusResponse, TraverseResponse, VerifyResponse, WalkComparison, WalkSummary,
    Walked,
};

/// A vault, its index, and how it is asked.
pub(crate) struct Searcher {
    settings: Settings,
    located: Located,
    model: Arc<Model>,
    pulse: Mutex<Option<Pulse>>,
    idle: Mutex<Vec<(Beat, Store)>>,
    updates: fresh::Updates,
    mending: mend::Mending,
}

impl Searcher {
    /// Sets up a searcher; the index is opened when it is first asked.
    pub(crate) fn new(settings: &Settings, located: Located, model: Arc<Model>) -> Self {
        Self {
            settings: settings.clone(),
            located,
            model,
            pulse: Mutex::default(),
            idle: Mutex::default(),
            updates: fresh::Updates::default(),
            mending: mend::Mending::default(),
        }
    }

    /// Returns the name of the domain, or of the vault's folder.
    pub(crate) fn name(&self) -> &str {
        &self.located.name
    }

    /// Returns the folder of the notes, where it is known.
    pub(crate) fn vault(&self) -> Option<&Path> {
        self.located.vault.as_deref()
    }

    pub(crate) fn located(&self) -> &Located {
        &self.located
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Answers from the index as it is.
    pub(crate) fn search(&self, request: &SearchRequest) -> Result<SearchResponse> {
        let mut answer = self.with_store(|store| self.answer(store, request, None))?;
        answer.notices.extend(self.mending.told());
        Ok(answer)
    }

    /// Answers as if it were still the time at which the index was made: the same index gives the
    /// same answer, whatever the clock says.
    pub(crate) fn remembered(&self, request: &SearchRequest) -> Result<SearchResponse> {
        self.with_store(|store| {
            let made_at = store.checked_at()?;
            let mut answer = self.answer_at(store, request, made_at.unwrap_or(0), made_at)?;
            answer.index_age_s = made_at.map(|at| (runtime::now() - at).max(0));
            Ok(answer)
        })
    }

    /// Answers from a snapshot that was known to be up to date at `checked_at`.
    pub(crate) fn answer(
        &self,
        store: &Store,
        request: &SearchRequest,
        checked_at: Option<i64>,
    ) -> Result<SearchResponse> {
        self.answer_at(store, request, runtime::now(), checked_at)
    }

    fn answer_at(
        &self,
        store: &Store,
        request: &SearchRequest,
        now: i64,
        checked_at: Option<i64>,
    ) -> Result<SearchResponse> {
        let settings = &self.settings;
        let (mode, embedder, lost) = self.retrievers(settings.mode(request.mode)?)?;
        let options = SearchOptions {
            mode,
            limit: request.limit.unwrap_or(settings.search.limit) as usize,
            per_note: request.per_note.unwrap_or(settings.search.per_note) as usize,
            min_score: request.min_score,
            max_tokens: request.max_tokens,
            is_explained: request.is_explained,
            reads_dates: request.dates.unwrap_or(settings.search.dates),
            now,
        };
        let query = masked(&request.query);
        let tuning = settings.tuning_at(&self.located, request.fusion);
        let started = Instant::now();
        let cx = SearchContext {
            store,
            embedder,
            tuning: &tuning,
            budget: &self.budget(),
        };
        let mut answer = search::search(&cx, &query, &options)?;
        answer.notices.extend(lost);
        answer.notices.extend(caveats::of(&self.located, store)?);
        let checked_at = match checked_at {
            Some(at) => Some(at),
            None => store.checked_at()?,
        };
        Ok(SearchResponse::new(
            answer,
            &Asked {
                query: &query,
                mode,
                took_ms: millis(started),
                index_age_s: checked_at.map(|at| (now - at).max(0)),
                vault: self.vault(),
                is_explained: request.is_explained,
            },
        ))
    }

    /// Returns how to search and what with. Where the model is lost and meaning was not all that was
    /// asked for, words alone are searched, and the notice says so.
    fn retrievers(&self, asked: Mode) -> Result<(Mode, &dyn Embedder, Option<String>)> {
        match &*self.model {
            Model::Lost(_) if asked == Mode::Lexical => Ok((asked, embedded(), None)),
            Model::Lost(why) if asked == Mode::Hybrid => {
                let notice = format!("{why}, so only words were searched, not meaning");
                Ok((Mode::Lexical, embedded(), Some(notice)))
            }
            model => Ok((asked, model.embedder()?, None)),
        }
    }

    /// Returns a note or some of its lines.
    pub(crate) fn passage(&self, reference: &str) -> Result<Passage> {
        self.with_store(|store| Ok(named(store, reference)?.into()))
    }

    /// Returns the links around a note.
    pub(crate) fn links(&self, reference: &str) -> Result<LinksResponse> {
        self.with_store(|store| {
            let note = named(store, reference)?.note;
            Ok(LinksResponse::new(
                note.path.clone(),
                links::around(store, note.id)?,
            ))
        })
    }

    /// Walks along links from a note.
    pub(crate) fn traverse(&self, request: &WalkRequest) -> Result<TraverseResponse> {
        self.with_store(|store| self.walk(store, request))
    }

    fn walk(&self, store: &Store, request: &WalkRequest) -> Result<TraverseResponse> {
        let note = named(store, &request.note)?.note;
        let query = request.query.as_deref().map(masked);
        let query = query.filter(|query| !query.trim().is_empty());
        let decay = self.settings.tuning_at(&self.located, None).decay;
        let started = Instant::now();
        let cx = TraverseContext {
            store,
            embedder: self.model.embedder()?,
            now: runtime::now(),
            decay: &decay,
            budget: &self.budget(),
        };
        let walker = Walker::new(&cx, note.id, query.as_deref())?;
        let (fast, deep) = request.params();
        let (traversal, compare) = if request.is_compared {
            let compared = walker.compare(&fast, &deep)?;
            let comparison = WalkComparison {
                fast: WalkSummary::from(&compared.fast),
                deep: WalkSummary::from(&compared.deep),
                missed: compared.missed.iter().map(MissedNote::from).collect(),
            };
            let asked = match request.is_deep {
                true => compared.deep,
                false => compared.fast,
            };
            (asked, Some(comparison))
        } else {
            let params = if request.is_deep { &deep } else { &fast };
            (walker.walk(params)?, None)
        };
        Ok(TraverseResponse::new(
            &traversal,
            Walked {
                path: note.path.clone(),
                title: note.title.clone(),
                query,
                mode: if request.is_deep { "deep" } else { "fast" },
                decay: &decay,
                took_ms: millis(started),
                compare,
            },
        ))
    }

    /// Checks quotes against the notes they are said to be from.
    pub(crate) fn verify(&self, citations: Vec<Citation>) -> Result<VerifyResponse> {
        self.with_store(|store| {
            let verdicts = cite::verify(store, citations.clone(), &self.budget())?;
            Ok(VerifyResponse::new(verdicts))
        })
    }

    /// Returns what a question may cost here, on behalf of whoever this thread works for.
    pub(crate) fn budget(&self) -> Budget {
        let metadata = std::fs::metadata(&self.located.store);
        asker::budget(metadata.map_or(0, |metadata| metadata.len()))
    }

    /// Says what is indexed.
    pub(crate) fn status(&self) -> Result<StatusResponse> {
        self.with_store(|store| {
            let status = store.status()?;
            let located = &self.located;
            let mut response = StatusResponse::new(
                &status,
                &located.store,
                located.vault.as_deref(),
                runtime::now(),
            );
            response.notices = caveats::of(located, store)?;
            Ok(response)
        })
    }

    /// Lists notes by path.
    pub(crate) fn notes(&self, request: &NotesRequest) -> Result<NotesResponse> {
        self.with_store(|store| Ok(NotesResponse::new(store.facts(Wanted::Tags)?, request)))
    }

    /// Lists the notes that changed last, the newest first.
    pub(crate) fn recent(&self, limit: usize) -> Result<Vec<NoteSummary>> {
        self.with_store(|store| {
            let notes = store.recently_changed(limit)?;
            Ok(notes
                .iter()
                .map(|note| NoteSummary::from(note.as_ref()))
                .collect())
        })
    }

    /// Brings the index up to date with the vault.
    pub(crate) fn reload(
        &self,
        how: How,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<IndexReport> {
        let reloaded = runtime::reload(&self.located, how, progress);
        // Snapshots of what was before are not asked again.
        if reloaded.is_ok() {
            locked(&self.idle).clear();
        }
        memory::give_back();
        let (report, seconds) = reloaded?;
        let took_ms = (seconds * 1e6).round() / 1e3;
        let notices = caveats::of_run(&self.located, &report);
        Ok(IndexReport::new(&report, took_ms, notices))
    }

    /// Lends a snapshot that is as new as the file. While an index is being made anew there is none
    /// to open: the last one still answers. One that is damaged is mended first, where that may be.
    pub(crate) fn with_store<T>(&self, run: impl Fn(&Store) -> Result<T>) -> Result<T> {
        let seen = FileId::of(&self.located.store);
        match self.lend(&run) {
            Err(error) if self.mend(&error, seen)? => self.lend(&run),
            result => result,
        }
    }

    fn lend<T>(&self, run: &impl Fn(&Store) -> Result<T>) -> Result<T> {
        let (beat, store) = self.take()?;
        let result = run(&store);
        let mut idle = locked(&self.idle);
        // As many as can be asked at once are kept open between questions.
        if idle.len() < runtime::n_threads() {
            idle.push((beat, store));
        }
        result
    }

    fn take(&self) -> kenning::Result<(Beat, Store)> {
        let beat = self.beat();
        let mut idle = locked(&self.idle);
        let known = match &beat {
            Ok(beat) => idle.iter().position(|(seen, _)| seen == beat),
            // What is left in memory of a damaged file is soon not enough.
            Err(Error::StoreCorrupt { .. } | Error::StoreForeign { .. }) => None,
            Err(_) => idle.len().checked_sub(1),
        };
        if let Some(known) = known {
            return Ok(idle.swap_remove(known));
        }
        let beat = beat?;
        match runtime::store(&self.located) {
            Ok(store) => {
                idle.retain(|(seen, _)| *seen == beat);
                Ok((beat, store))
            }
            Err(error) => idle.pop().ok_or(error),
        }
    }

    fn beat(&self) -> kenning::Result<Beat> {
        let mut pulse = locked(&self.pulse);
        match &mut *pulse {
            Some(pulse) => pulse.beat(),
            None => pulse.insert(Pulse::open(&self.located.store)?).beat(),
        }
    }
}

/// Opens a note; one whose name holds a credential is known by its masked name, whichever is typed.
fn named(store: &Store, reference: &str) -> kenning::Result<search::Passage> {
    let masked = masked(reference);
    let found = search::passage(store, &masked);
    if found.is_ok() || masked == reference {
        return found;
    }
    search::passage(store, reference).map_err(|error| match error {
        kenning::Error::NotFound { .. } => kenning::Error::NotFound { name: masked },
        other => other,
    })
}

/// What is typed is shown, stored in histories and sent on: a credential in it is masked, too.
pub(crate) fn masked(text: &str) -> String {
    secrets::mask(text.to_owned()).0.into_string()
}

fn millis(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}

/// A panic elsewhere does not spoil what is behind the lock: it is whole between two statements.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
