//! Vectors of the model that reads again, made in the background of `ken watch` and `ken serve`: by one thread of low
//! priority, which rests while others need the machine or it runs on battery.
//!
//! Nobody waits for it. One process fills an index at a time; what questions made is written down by it, too.

mod rest;

use std::fs::File;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Result;
use kenning::embed::{Embedder, Reranker};
use kenning::index::{self, Coverage, FillContext};
use kenning::store::{IndexVersion, Watch};

use crate::private;
use crate::runtime;
use crate::searcher::{Searcher, Searchers};
use crate::settings::Fill;
use rest::Rest;

/// What the file is called, behind the name of the index, that the one who fills it holds.
pub(crate) const LOCK_SUFFIX: &str = ".fill";
/// How often to look whether there is something to do, and whether a rest is over.
const LOOK: Duration = Duration::from_secs(5);
/// How long to wait for another writer of an index: what was made would be lost.
const PATIENCE: Duration = Duration::from_secs(60);

/// Told what came of filling an index, as far as it is new.
pub(crate) type Tell = dyn Fn(&Searcher, Result<&Coverage>) + Send + Sync;

/// Fills indexes until it is dropped.
pub(crate) struct Filling {
    thread: Option<JoinHandle<()>>,
    /// Never sent through: its end is the signal.
    alive: Option<Sender<()>>,
}

impl Drop for Filling {
    fn drop(&mut self) {
        drop(self.alive.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so on standard error.
            let _ = thread.join();
        }
    }
}

/// Starts to fill the indexes of those searchers whose second model goes by vectors; `None` if there are none.
pub(crate) fn start(searchers: &Searchers, tell: Arc<Tell>) -> Option<Filling> {
    let is_reread = |searcher: &&Arc<Searcher>| searcher.vectors_of().is_some();
    let searchers: Vec<Arc<Searcher>> = searchers.all().iter().filter(is_reread).cloned().collect();
    let when = searchers.first()?.settings().reranker.fill;
    if when == Fill::Never {
        return None;
    }
    let (alive, ended) = channel();
    let thread = thread::spawn(move || {
        let mut indexes: Vec<Index> = searchers
            .into_iter()
            .map(|searcher| Index::new(searcher, when))
            .collect();
        // Questions wait for the model, too, and run on the threads that it starts as it is read.
        indexes.iter().for_each(Index::load);
        rest::lower_priority();
        loop {
            for index in &mut indexes {
                index.look(&ended, &*tell);
            }
            if has_ended(&ended, LOOK) {
                return;
            }
        }
    });
    Some(Filling {
        thread: Some(thread),
        alive: Some(alive),
    })
}

fn has_ended(ended: &Receiver<()>, wait: Duration) -> bool {
    !matches!(ended.recv_timeout(wait), Err(RecvTimeoutError::Timeout))
}

/// An index, and what was done of it.
struct Index {
    searcher: Arc<Searcher>,
    when: Fill,
    model: Option<Arc<dyn Embedder>>,
    watch: Option<Box<dyn Watch>>,
    /// The state of the index that nothing is missing of, or that the model failed at.
    done: Option<IndexVersion>,
    told: Option<String>,
}

impl Index {
    fn new(searcher: Arc<Searcher>, when: Fill) -> Self {
        Self {
            searcher,
            when,
            model: None,
            watch: None,
            done: None,
            told: None,
        }
    }

    /// Makes what is missing, if the index has changed since nothing was.
    fn look(&mut self, ended: &Receiver<()>, tell: &Tell) {
        match self.filled(ended) {
            Ok(None) => self.told = None,
            Ok(Some(coverage)) => tell(&self.searcher, Ok(&coverage)),
            // What keeps on failing is told once.
            Err(error) if self.told.as_deref() != Some(&error.to_string()) => {
                self.told = Some(error.to_string());
                tell(&self.searcher, Err(error));
            }
            Err(_) => {}
        }
    }

    fn filled(&mut self, ended: &Receiver<()>) -> Result<Option<Coverage>> {
        let Some(_lock) = self.lock() else {
            return Ok(None);
        };
        let searcher = Arc::clone(&self.searcher);
        let Some(reranker) = searcher.vectors_of() else {
            return Ok(None);
        };
        let rest = Rest::default();
        let when = self.when;
        let goes_on = || match when {
            Fill::Always => !has_ended(ended, Duration::ZERO),
            _ => rest.is_over(|wait| has_ended(ended, wait)),
        };
        let model = self.model(reranker)?;
        let place = searcher.located().place();
        let cx = FillContext {
            store: &place,
            embedder: &*model,
            now: runtime::now,
            patience: PATIENCE,
            progress: &|_, _| {},
            goes_on: &goes_on,
            asked: Some(reranker),
        };
        let now = self.version()?;
        if self.done.is_some_and(|done| done == now) {
            index::keep_asked(&cx)?;
            self.done = Some(self.version()?);
            return Ok(None);
        }
        let coverage = index::fill(&cx)?;
        let is_new = self.done.is_none() || coverage.trouble.is_some();
        self.done = match coverage.is_complete() || coverage.trouble.is_some() {
            true => Some(self.version()?),
            false => None,
        };
        Ok(is_new.then_some(coverage))
    }

    /// Keeps others from doing the same. Where no such file can be made, nobody else can either.
    fn lock(&self) -> Option<File> {
        let mut path = self.searcher.located().store.as_os_str().to_owned();
        path.push(LOCK_SUFFIX);
        let file = private::rewrite(path.as_ref()).ok()?;
        file.try_lock().ok()?;
        Some(file)
    }

    /// Reads the model. What goes wrong is told when it is needed. What makes vectors ahead is made anew then, with
    /// threads of the priority that they should have.
    fn load(&self) {
        drop(self.searcher.vectors_of().and_then(Reranker::maker));
    }

    fn model(&mut self, reranker: &dyn Reranker) -> Result<Arc<dyn Embedder>> {
        if let Some(model) = &self.model {
            return Ok(Arc::clone(model));
        }
        let model = match reranker.maker() {
            Some(model) => model?,
            None => anyhow::bail!("{} makes no vectors", reranker.id()),
        };
        self.model = Some(Arc::clone(&model));
        Ok(model)
    }

    fn version(&mut self) -> Result<IndexVersion> {
        let watch = match self.watch.take() {
            Some(watch) => watch,
            None => self.searcher.located().place().watch()?,
        };
        Ok(self.watch.insert(watch).now()?)
    }
}
