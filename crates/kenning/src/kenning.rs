//! The face of the library: one index, which is filled from a vault and asked.
//!
//! It does no work of its own: [`Kenning`] holds what both flows need, and calls [`index::update`] and
//! [`search::search`] with it. Who needs more than it offers borrows the snapshot by
//! [`Kenning::with_store`].

mod snapshots;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::budget::Budget;
use crate::embed::{self, Embedder};
use crate::error::{Error, Result};
use crate::extract::{InProcess, Reader};
use crate::index::{self, IndexContext, IndexOptions, Progress, Report};
use crate::links::{self, Links};
use crate::search::{self, Answer, Mode, Passage, SearchContext, SearchOptions, Tuning};
use crate::store::{Place, Store};
use crate::vault::{Source, Stamp};
use snapshots::Snapshots;

/// Says how many seconds have passed since 1970.
type Clock = Box<dyn Fn() -> i64 + Send + Sync>;

/// An index of notes, and how it is made and asked.
///
/// It can be shared between threads. Each question is answered from one snapshot of the index, which is
/// as new as the file; updates, also those of other processes, never block it.
pub struct Kenning {
    clock: Clock,
    embedder: Arc<dyn Embedder>,
    reader: Arc<dyn Reader + Send + Sync>,
    tuning: Tuning,
    options: IndexOptions,
    snapshots: Snapshots,
}

impl Kenning {
    /// Opens the index at a place, usually the path of a file. There need not be one yet: the first update makes it.
    ///
    /// The engine never asks for the time itself. `clock` tells it, in seconds since 1970; "last week"
    /// in a question and the age of notes are counted from there.
    ///
    /// # Errors
    ///
    /// If there is a file that is not an index, or is a damaged one.
    pub fn open(
        place: impl Into<Place>,
        clock: impl Fn() -> i64 + Send + Sync + 'static,
    ) -> Result<Self> {
        let index = Self::new(place, clock);
        match index.with_store(|_| Ok(())) {
            Ok(()) | Err(Error::StoreMissing { .. } | Error::StoreOutdated { .. }) => Ok(index),
            Err(error) => Err(error),
        }
    }

    /// Names an index without looking at it; it is opened when it is first asked.
    pub fn new(place: impl Into<Place>, clock: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        let options = IndexOptions::default();
        Self {
            clock: Box::new(clock),
            embedder: Arc::new(embed::embedded()),
            reader: Arc::new(InProcess::default()),
            tuning: Tuning::default(),
            snapshots: Snapshots::new(place.into(), options.n_threads),
            options,
        }
    }

    /// Uses another model than the one that is compiled in.
    #[must_use]
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedder = embedder;
        self
    }

    /// Uses another reader of PDF, office and other foreign files than the one in this process.
    #[must_use]
    pub fn reader(mut self, reader: Arc<dyn Reader + Send + Sync>) -> Self {
        self.reader = reader;
        self
    }

    /// Ranks in another way.
    #[must_use]
    pub fn tuning(mut self, tuning: Tuning) -> Self {
        self.tuning = tuning;
        self
    }

    /// Indexes in another way. As many snapshots are kept open between questions as there are threads.
    #[must_use]
    pub fn index_options(mut self, options: IndexOptions) -> Self {
        self.snapshots.keep(options.n_threads);
        self.options = options;
        self
    }

    /// Answers only from an index that was made from the vault of this name (see
    /// [`crate::vault::name_of`]).
    #[must_use]
    pub fn of_vault(mut self, name: String) -> Self {
        self.snapshots.demand_vault(name);
        self
    }

    /// Returns where the index lies.
    pub fn path(&self) -> &Path {
        self.snapshots.place().name()
    }

    /// Brings the index up to date with a vault: reads what changed, drops what is gone.
    pub fn update(&self, source: &dyn Source) -> Result<Report> {
        self.updating(source).run()
    }

    /// Begins to say how the index is brought up to date.
    pub fn updating<'a>(&'a self, source: &'a dyn Source) -> Update<'a> {
        Update {
            index: self,
            source,
            options: self.options.clone(),
            progress: &|_| {},
            stop: None,
        }
    }

    /// Finds the passages that answer `text`, best first.
    pub fn search(&self, text: &str) -> Result<Answer> {
        self.query(text).run()
    }

    /// Begins to say what is searched for, and how.
    pub fn query<'a>(&'a self, text: &'a str) -> Search<'a> {
        Search {
            index: self,
            text,
            options: SearchOptions::at((self.clock)()),
            tuning: &self.tuning,
            budget: None,
        }
    }

    /// Returns a note or some of its lines: by path, name, alias or `#id`, with or without `:from-to`.
    pub fn get(&self, reference: &str) -> Result<Passage> {
        self.with_store(|store| search::passage(store, reference))
    }

    /// Returns the links around a note.
    pub fn links(&self, reference: &str) -> Result<Links> {
        self.with_store(|store| {
            let note = search::passage(store, reference)?.note;
            links::around(store, note.id)
        })
    }

    /// Lends a snapshot that is as new as the file. While an index is being made anew there is none to
    /// open: the last one still answers.
    pub fn with_store<T, E: From<Error>>(
        &self,
        run: impl FnOnce(&Store) -> Result<T, E>,
    ) -> Result<T, E> {
        self.snapshots.lend(run)
    }

    /// Closes all snapshots; the next question opens a new one.
    pub fn close_snapshots(&self) {
        self.snapshots.close();
        self.snapshots.place().settle();
    }
}

/// One run of the write flow, before it begins.
pub struct Update<'a> {
    index: &'a Kenning,
    source: &'a dyn Source,
    options: IndexOptions,
    progress: &'a (dyn Fn(Progress) + Sync),
    stop: Option<&'a AtomicBool>,
}

impl<'a> Update<'a> {
    /// Makes the index anew, even if nothing changed.
    #[must_use]
    pub fn full(mut self) -> Self {
        self.options.full = true;
        self
    }

    /// Is told after each note how far the work is.
    #[must_use]
    pub fn progress(mut self, progress: &'a (dyn Fn(Progress) + Sync)) -> Self {
        self.progress = progress;
        self
    }

    /// Can be ended from outside, with what is done so far.
    #[must_use]
    pub fn stop(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Brings the whole index up to date.
    pub fn run(self) -> Result<Report> {
        self.with_context(index::update)
    }

    /// Brings one file up to date, whether it changed, is new or is gone (then it has no stamp).
    pub fn run_file(self, path: &str, stamp: Option<Stamp>) -> Result<Report> {
        self.with_context(|cx| index::update_file(cx, path, stamp))
    }

    fn with_context(self, run: impl FnOnce(&IndexContext<'_>) -> Result<Report>) -> Result<Report> {
        let report = run(&IndexContext {
            source: self.source,
            store: self.index.snapshots.place(),
            reader: &*self.index.reader,
            embedder: &*self.index.embedder,
            now: (self.index.clock)(),
            options: &self.options,
            progress: self.progress,
            stop: self.stop.unwrap_or(&AtomicBool::new(false)),
        });
        // Snapshots of what was before are not asked again.
        if report.is_ok() {
            self.index.close_snapshots();
        }
        report
    }
}

/// One question, before it is asked.
pub struct Search<'a> {
    index: &'a Kenning,
    text: &'a str,
    options: SearchOptions<'a>,
    tuning: &'a Tuning,
    budget: Option<&'a Budget>,
}

impl<'a> Search<'a> {
    /// Asks only one retriever, or both.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.options.mode = mode;
        self
    }

    /// Returns at most so many hits.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.options.limit = limit;
        self
    }

    /// Returns at most so many hits of one note.
    #[must_use]
    pub fn per_note(mut self, per_note: usize) -> Self {
        self.options.per_note = per_note;
        self
    }

    /// Has hits tell how they came by their scores.
    #[must_use]
    pub fn explained(mut self) -> Self {
        self.options.is_explained = true;
        self
    }

    /// Sets every option at once, the time included.
    #[must_use]
    pub fn options(mut self, options: SearchOptions<'a>) -> Self {
        self.options = options;
        self
    }

    /// Ranks this question in another way.
    #[must_use]
    pub fn tuning(mut self, tuning: &'a Tuning) -> Self {
        self.tuning = tuning;
        self
    }

    /// Limits the work that it may cost, and lets others end it.
    #[must_use]
    pub fn budget(mut self, budget: &'a Budget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Answers from the index as it is now.
    pub fn run(self) -> Result<Answer> {
        let index = self.index;
        index.with_store(|store| self.run_on(store))
    }

    /// Answers from a snapshot that was lent by [`Kenning::with_store`].
    pub fn run_on(self, store: &Store) -> Result<Answer> {
        let unlimited = Budget::default();
        let cx = SearchContext {
            store,
            embedder: &*self.index.embedder,
            tuning: self.tuning,
            budget: self.budget.unwrap_or(&unlimited),
        };
        search::search(&cx, self.text, &self.options)
    }
}
