//! One domain as every interface asks it: search, read, walk, check. Terminal, HTTP, MCP and hooks
//! all come through here, so the same question gives the same hits everywhere.

mod answered;
pub(crate) mod asker;
mod browse;
pub(crate) mod caveats;
pub(crate) mod fresh;
mod lists;
mod mend;
mod near;
mod pulse;
mod request;
mod scoped;
mod searchers;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::Result;
use kenning::ask::{self, AskOptions};
use kenning::budget::Budget;
use kenning::cite::{self, Citation, Verdict};
use kenning::embed::{Embedder, ModelId, Reranker, embedded};
use kenning::index::{Coverage, Progress, told_coverage};
use kenning::links::{self, Links};
use kenning::search::{self, Mode, Passage, SearchContext, SearchOptions};
use kenning::secrets;
use kenning::store::{FileId, NoteId, NoteRow, Select, Store, Wanted};
use kenning::traverse::{TraverseContext, Walker};
use kenning::{Error, Kenning};

pub(crate) use answered::{Answered, Asked, Indexed, NotesPage, Updated, Walk, Walked};
pub(crate) use pulse::{Condition, Pulse};
pub(crate) use request::{AskRequest, NotesRequest, SearchRequest, WalkRequest};
pub(crate) use searchers::Searchers;

use crate::memory;
use crate::runtime::{self, How, Model};
use crate::settings::{Located, Settings};

/// What is asked before anybody asks, in words that many notes have. Some things are kept in memory only for a second question.
const WARMING: [&str; 2] = ["what is new and who made it?", "how is it used?"];

/// What a question to a server may cost is counted as for a file of this size.
const REMOTE_BYTES: u64 = 1 << 30;

/// A vault, its index, and how it is asked.
pub(crate) struct Searcher {
    settings: Settings,
    located: Located,
    model: Arc<Model>,
    index: Kenning,
    updates: fresh::Updates,
    mending: mend::Mending,
    looks: pulse::Looks,
    drawn: browse::Drawn,
}

impl Searcher {
    /// Sets up a searcher; the index is opened when it is first asked.
    pub(crate) fn new(settings: &Settings, located: Located, model: Arc<Model>) -> Self {
        Self {
            settings: settings.clone(),
            index: runtime::index_of(&located, &model),
            located,
            model,
            updates: fresh::Updates::default(),
            mending: mend::Mending::default(),
            looks: pulse::Looks::default(),
            drawn: browse::Drawn::default(),
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

    /// Returns the folder that is watched for what comes in, if there is one.
    pub(crate) fn inbox(&self) -> Option<PathBuf> {
        let inbox = &self.settings.intake.inbox;
        let vault = self.vault()?;
        (!inbox.is_empty()).then(|| vault.join(inbox))
    }

    pub(crate) fn located(&self) -> &Located {
        &self.located
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Answers from the index as it is.
    pub(crate) fn search(&self, request: &SearchRequest) -> Result<Answered> {
        let mut answer = self.with_store(|store| self.answer(store, request, None))?;
        answer.answer.notices.extend(self.mending.told());
        Ok(answer)
    }

    /// Answers a question in the words of the notes, from the index as it is.
    pub(crate) fn ask(&self, request: &AskRequest) -> Result<Asked> {
        let mut asked = self.with_store(|store| self.extract(store, request, None))?;
        asked.extracted.notices.extend(self.mending.told());
        Ok(asked)
    }

    /// Asks what nobody asked yet, so that the first who does finds index and model read. A model elsewhere is left
    /// alone: nothing is sent that no person wrote. So is an index that is damaged, which those mend who ask.
    pub(crate) fn warm(&self) -> Result<()> {
        let own = embedded().id();
        let is_own = self.model.embedder().is_ok_and(|model| model.id() == own);
        WARMING.iter().try_for_each(|question| {
            let request = AskRequest {
                question: (*question).to_owned(),
                mode: (!is_own).then_some(Mode::Lexical),
                ..AskRequest::default()
            };
            self.index
                .with_store(|store| self.extract(store, &request, None).map(drop))
        })
    }

    /// The same from a snapshot that was known to be up to date at `checked_at`.
    pub(crate) fn extract(
        &self,
        store: &Store,
        request: &AskRequest,
        checked_at: Option<i64>,
    ) -> Result<Asked> {
        let settings = &self.settings;
        let (mut mode, mut lost) = self.retrievers(settings.mode(request.mode)?)?;
        let now = runtime::now();
        let question = masked(&request.question);
        let tuning = settings.tuning_at(&self.located, None);
        let started = Instant::now();
        let cx = SearchContext {
            store,
            embedder: (self.model.embedder()).map_or(embedded() as &dyn Embedder, |model| &**model),
            tuning: &tuning,
            budget: &self.budget(),
        };
        let run = |mode: Mode| {
            let options = AskOptions {
                scope: request.scope.as_deref(),
                mode,
                is_deep: request.is_deep && mode != Mode::Lexical,
                reads_dates: request.dates.unwrap_or(settings.search.dates),
                ..AskOptions::at(now)
            };
            ask::extract(&cx, &question, &options)
        };
        let mut extracted = match run(mode) {
            Err(Error::Model(why)) if mode == Mode::Hybrid => {
                (mode, lost) = (Mode::Lexical, Some(only_words(&why)));
                run(mode)?
            }
            extracted => extracted?,
        };
        extracted.notices.extend(lost);
        extracted.notices.extend(caveats::of(&self.located, store)?);
        let checked_at = match checked_at {
            Some(at) => Some(at),
            None => store.meta()?.checked_at,
        };
        Ok(Asked {
            took_ms: millis(started),
            question,
            is_deep: request.is_deep,
            index_age_s: checked_at.map(|at| (now - at).max(0)),
            extracted,
        })
    }

    /// Answers as if it were still the time at which the index was made: the same index gives the
    /// same answer, whatever the clock says.
    pub(crate) fn remembered(&self, request: &SearchRequest) -> Result<Answered> {
        self.with_store(|store| {
            let made_at = store.meta()?.checked_at;
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
    ) -> Result<Answered> {
        self.answer_at(store, request, runtime::now(), checked_at)
    }

    fn answer_at(
        &self,
        store: &Store,
        request: &SearchRequest,
        now: i64,
        checked_at: Option<i64>,
    ) -> Result<Answered> {
        let settings = &self.settings;
        let (mut mode, mut lost) = self.retrievers(settings.mode(request.mode)?)?;
        let options = SearchOptions {
            scope: request.scope.as_deref(),
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
        let budget = self.budget();
        let run = |options: SearchOptions| {
            let search = self.index.query(&query).options(options).tuning(&tuning);
            search.budget(&budget).run_on(store)
        };
        let mut answer = match run(options.clone()) {
            Err(Error::Model(why)) if mode == Mode::Hybrid => {
                (mode, lost) = (Mode::Lexical, Some(only_words(&why)));
                run(SearchOptions { mode, ..options })?
            }
            answer => answer?,
        };
        answer.notices.extend(lost);
        answer.notices.extend(caveats::of(&self.located, store)?);
        let checked_at = match checked_at {
            Some(at) => Some(at),
            None => store.meta()?.checked_at,
        };
        let vault = self.vault().and_then(|vault| vault.file_name());
        Ok(Answered {
            took_ms: millis(started),
            query,
            mode,
            is_explained: request.is_explained,
            index_age_s: checked_at.map(|at| (now - at).max(0)),
            vault: vault.unwrap_or_default().to_string_lossy().into_owned(),
            answer,
        })
    }

    /// Returns how to search. Where the model is lost and meaning was not all that was asked for, words
    /// alone are searched, and the notice says so.
    fn retrievers(&self, asked: Mode) -> Result<(Mode, Option<String>)> {
        match &*self.model {
            Model::Lost(why) if asked == Mode::Hybrid => Ok((Mode::Lexical, Some(only_words(why)))),
            model if asked == Mode::Vector => model.embedder().map(|_| (asked, None)),
            _ => Ok((asked, None)),
        }
    }

    /// Returns a note or some of its lines.
    pub(crate) fn passage(&self, reference: &str) -> Result<Passage> {
        self.with_store(|store| Ok(named(store, reference)?))
    }

    /// Returns a note or some of its lines, with the passages that stand on them.
    pub(crate) fn node(&self, reference: &str) -> Result<(Passage, Vec<search::Piece>)> {
        self.with_store(|store| {
            let passage = search::passage(store, reference)?;
            let chunks = search::chunks_on(store, &passage)?;
            Ok((passage, chunks))
        })
    }

    /// Returns the path of a note and the links around it.
    pub(crate) fn links(&self, reference: &str) -> Result<(String, Links)> {
        self.with_store(|store| {
            let note = named(store, reference)?.note;
            Ok((note.path.clone(), links::around(store, note.id)?))
        })
    }

    /// Walks along links from a note.
    pub(crate) fn traverse(&self, request: &WalkRequest) -> Result<Walk> {
        self.with_store(|store| self.walk(store, request))
    }

    fn walk(&self, store: &Store, request: &WalkRequest) -> Result<Walk> {
        let note = named(store, &request.note)?.note;
        let query = request.query.as_deref().map(masked);
        let query = query.filter(|query| !query.trim().is_empty());
        let decay = self.settings.tuning_at(&self.located, None).decay;
        let started = Instant::now();
        let cx = TraverseContext {
            store,
            embedder: &**self.model.embedder()?,
            now: runtime::now(),
            decay: &decay,
            budget: &self.budget(),
        };
        let walker = Walker::new(&cx, note.id, query.as_deref())?;
        let (fast, deep) = request.params();
        let walked = match (request.is_compared, request.is_deep) {
            (true, _) => Walked::Compared(Box::new(walker.compare(&fast, &deep)?)),
            (false, true) => Walked::Once(walker.walk(&deep)?),
            (false, false) => Walked::Once(walker.walk(&fast)?),
        };
        Ok(Walk {
            took_ms: millis(started),
            note,
            query,
            is_deep: request.is_deep,
            decay: decay.clone(),
            walked,
        })
    }

    /// Checks quotes against the notes they are said to be from.
    pub(crate) fn verify(&self, citations: Vec<Citation>) -> Result<Vec<Verdict>> {
        self.with_store(|store| Ok(cite::verify(store, citations.clone(), &self.budget())?))
    }

    /// Returns what a question may cost here, on behalf of whoever this thread works for.
    pub(crate) fn budget(&self) -> Budget {
        let metadata = std::fs::metadata(&self.located.store);
        let n_bytes = match self.located.remote {
            Some(_) => REMOTE_BYTES,
            None => metadata.map_or(0, |metadata| metadata.len()),
        };
        asker::budget(n_bytes)
    }

    /// Says what is indexed.
    pub(crate) fn status(&self) -> Result<Indexed> {
        self.with_store(|store| {
            let status = store.status()?;
            let file = &self.located.store;
            Ok(Indexed {
                age_s: status.checked_at.map(|at| (runtime::now() - at).max(0)),
                is_adapted: store.meta()?.adapter().is_some(),
                reread: self.reread(store, status.n_chunks)?,
                status,
                vault: self.located.vault.clone(),
                store: self.located.store_name(),
                n_bytes: std::fs::metadata(file).map_or(0, |metadata| metadata.len()),
                notices: caveats::of(&self.located, store)?,
            })
        })
    }

    /// Returns what reads again by vectors, if anything does.
    pub(crate) fn vectors_of(&self) -> Option<&dyn Reranker> {
        let reranker = self.model.embedder().ok()?.reranker();
        reranker.filter(|reranker| reranker.uses_vectors())
    }

    /// Returns what reads again by vectors, and how far those are.
    fn reread(&self, store: &Store, n_passages: u64) -> Result<Option<(ModelId, Coverage)>> {
        let Some(reranker) = self.vectors_of() else {
            return Ok(None);
        };
        let id = reranker.id().clone();
        let told = told_coverage(store, &id.revision)?;
        let coverage = told.unwrap_or_else(|| Coverage {
            n_passages: usize::try_from(n_passages).unwrap_or(usize::MAX),
            ..Coverage::default()
        });
        Ok(Some((id, coverage)))
    }

    /// Lists notes by path.
    pub(crate) fn notes(&self, request: &NotesRequest) -> Result<NotesPage> {
        let wanted = Wanted {
            tags: true,
            ..Wanted::NAMES
        };
        let mut facts = self.with_store(|store| {
            let mut facts = Arc::unwrap_or_clone(store.select(Select::Every, wanted)?);
            if let Some(scope) = &request.scope {
                let readable = scope.notes(store, &self.budget())?;
                facts.retain(|facts| readable.contains(facts.id));
            }
            Ok(facts)
        })?;
        facts.retain(|facts| request.wants(facts));
        facts.sort_by(|a, b| a.path.cmp(&b.path));
        let n_notes = facts.len();
        let page = facts.into_iter().skip(request.offset).take(request.limit);
        Ok(NotesPage {
            n_notes,
            offset: request.offset,
            notes: page.collect(),
        })
    }

    /// Lists the notes that changed last, the newest first.
    pub(crate) fn recent(&self, limit: usize) -> Result<Vec<Arc<NoteRow>>> {
        self.with_store(|store| {
            let newest = store.select(Select::Newest(limit), Wanted::NAMES)?;
            let ids: Vec<NoteId> = newest.iter().map(|note| note.id).collect();
            Ok(store.notes(&ids)?)
        })
    }

    /// Brings the index up to date with the vault.
    pub(crate) fn reload(&self, how: How, progress: &(dyn Fn(Progress) + Sync)) -> Result<Updated> {
        let reloaded = runtime::reload(&self.located, how, progress);
        // Snapshots of what was before are not asked again.
        if reloaded.is_ok() {
            self.index.close_snapshots();
        }
        memory::give_back();
        let (report, seconds) = reloaded?;
        Ok(Updated {
            notices: caveats::of_run(&self.located, &report),
            report,
            seconds,
        })
    }

    /// Lends a snapshot that is as new as the file. While an index is being made anew there is none
    /// to open: the last one still answers. One that is damaged is mended first, where that may be.
    pub(crate) fn with_store<T>(&self, run: impl Fn(&Store) -> Result<T>) -> Result<T> {
        let seen = FileId::of(&self.located.store);
        match self.index.with_store(&run) {
            Err(error) if self.mend(&error, seen)? => self.index.with_store(&run),
            result => result,
        }
    }
}

/// Opens a note; one whose name holds a credential is known by its masked name, whichever is typed.
fn named(store: &Store, reference: &str) -> kenning::Result<Passage> {
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

/// Says that meaning could not be asked for.
fn only_words(why: &impl std::fmt::Display) -> String {
    format!("{why}, so only words were searched, not meaning")
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
