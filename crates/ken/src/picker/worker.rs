//! Asks the notes on a thread of its own, so that typing never waits: of several questions only the last is
//! answered.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use anyhow::Result;

use super::complete::Vocabulary;
use super::state::{Found, Item, Preview};
use super::update::Event;
use crate::searcher::{SearchRequest, Searcher, Searchers};
use crate::wire::{NoteLine, SearchResponse, merge};

/// Hits of a question.
const HITS_MAX: u32 = 30;
/// Notes that are listed before something is typed.
const RECENT_MAX: usize = 60;
/// File names that are kept for completion.
const FILES_MAX: usize = 20_000;

/// Something to do.
enum Job {
    Ask {
        number: u64,
        query: String,
    },
    Look {
        domain: Option<String>,
        path: String,
    },
    Learn,
}

/// The thread, what it is sent, and what it sends back.
pub(super) struct Worker {
    jobs: Sender<Job>,
    pub(super) events: Receiver<Event>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts the thread. `searches` are the names of saved searches.
    pub(super) fn start(searchers: Searchers, searches: Vec<String>) -> Self {
        let (jobs, received) = channel();
        let (sender, events) = channel();
        let thread = std::thread::spawn(move || work(&searchers, &searches, &received, &sender));
        Self {
            jobs,
            events,
            thread,
        }
    }

    pub(super) fn ask(&self, number: u64, query: String) {
        // A worker that is gone is noticed by the loop.
        let _ = self.jobs.send(Job::Ask { number, query });
    }

    pub(super) fn look(&self, domain: Option<String>, path: String) {
        let _ = self.jobs.send(Job::Look { domain, path });
    }

    pub(super) fn learn(&self) {
        let _ = self.jobs.send(Job::Learn);
    }

    /// Whether it has ended, which it does only by a panic while somebody listens.
    pub(super) fn is_gone(&self) -> bool {
        self.thread.is_finished()
    }
}

fn work(searchers: &Searchers, searches: &[String], jobs: &Receiver<Job>, events: &Sender<Event>) {
    while let Ok(first) = jobs.recv() {
        let (mut ask, mut look, mut learn) = (None, None, false);
        for job in std::iter::once(first).chain(jobs.try_iter()) {
            match job {
                Job::Ask { .. } => ask = Some(job),
                Job::Look { .. } => look = Some(job),
                Job::Learn => learn = true,
            }
        }
        if learn {
            let _ = events.send(Event::Vocabulary(vocabulary(searchers, searches)));
        }
        for job in [ask, look].into_iter().flatten() {
            let event = done(searchers, job);
            let event = event.unwrap_or_else(|error| Event::Trouble(format!("{error:#}")));
            if events.send(event).is_err() {
                return;
            }
        }
    }
}

fn done(searchers: &Searchers, job: Job) -> Result<Event> {
    Ok(match job {
        Job::Ask { number, query } if query.trim().is_empty() => {
            Event::Found(recent(searchers, number)?)
        }
        Job::Ask { number, query } => Event::Found(found(searchers, number, &query)?),
        Job::Look { domain, path } => {
            let searcher = searchers.get(domain.as_deref())?;
            let text = searcher.passage(&path)?.text;
            Event::Preview(Preview {
                domain,
                path,
                lines: text.lines().map(str::to_owned).collect(),
            })
        }
        Job::Learn => Event::Resized,
    })
}

fn found(searchers: &Searchers, number: u64, query: &str) -> Result<Found> {
    let request = SearchRequest {
        query: query.to_owned(),
        limit: Some(HITS_MAX),
        ..SearchRequest::default()
    };
    let mut answers = Vec::new();
    for searcher in searchers.all() {
        let answer = SearchResponse::from(searcher.search(&request)?);
        answers.push((searcher.name().to_owned(), answer));
    }
    let answer = merge(answers, HITS_MAX as usize, None);
    let Some(answer) = answer else {
        return Ok(Found {
            number,
            ..Found::default()
        });
    };
    let said = match answer.hits.len() {
        0 => "your notes do not seem to say anything about this".to_owned(),
        n => format!(
            "{n} hits · {} evidence · {:.1} ms",
            answer.evidence, answer.took_ms
        ),
    };
    let said = answer
        .notices
        .iter()
        .fold(said, |said, notice| format!("{said} · {notice}"));
    Ok(Found {
        number,
        items: answer.hits.into_iter().map(Item::from).collect(),
        said,
    })
}

/// What changed last, for who has not typed anything yet.
fn recent(searchers: &Searchers, number: u64) -> Result<Found> {
    let mut notes = Vec::new();
    for searcher in searchers.all() {
        let domain = (searchers.all().len() > 1).then(|| searcher.name());
        for note in searcher.recent(RECENT_MAX)? {
            notes.push((note.mtime_ns, item(searcher, &NoteLine::new(domain, &note))));
        }
    }
    notes.sort_by_key(|(mtime_ns, _)| std::cmp::Reverse(*mtime_ns));
    notes.truncate(RECENT_MAX);
    let n_notes: usize = searchers
        .all()
        .iter()
        .map(|searcher| n_notes(searcher))
        .sum();
    Ok(Found {
        number,
        items: notes.into_iter().map(|(_, item)| item).collect(),
        said: format!("{n_notes} notes; these changed last"),
    })
}

fn n_notes(searcher: &Searcher) -> usize {
    let n = searcher.with_store(|store| Ok(store.meta()?.n_notes));
    n.map_or(0, |n| usize::try_from(n).unwrap_or(0))
}

fn item(searcher: &Searcher, note: &NoteLine) -> Item {
    let vault = searcher
        .vault()
        .and_then(|vault| vault.file_name())
        .unwrap_or_default();
    Item {
        domain: note.domain.clone(),
        uri: crate::wire::obsidian_uri(&vault.to_string_lossy(), &note.path, None),
        path: note.path.clone(),
        breadcrumb: vec![note.title.clone()],
        date: note.modified.clone(),
        excerpt: note.title.clone(),
        ..Item::default()
    }
}

/// Collects what conditions can be completed to; what cannot be read is not offered.
fn vocabulary(searchers: &Searchers, searches: &[String]) -> Vocabulary {
    let mut tags: Vec<(usize, String)> = Vec::new();
    let (mut folders, mut files) = (std::collections::BTreeSet::new(), Vec::new());
    for searcher in searchers.all() {
        let counted = searcher.tags().unwrap_or_default().into_iter();
        tags.extend(counted.map(|(tag, n)| (n, tag)));
        for path in searcher.paths().unwrap_or_default() {
            folders.extend(path.match_indices('/').map(|(at, _)| path[..at].to_owned()));
            if files.len() < FILES_MAX {
                files.push(path.rsplit('/').next().unwrap_or(&path).to_owned());
            }
        }
    }
    tags.sort_by(|a, b| (b.0, &a.1).cmp(&(a.0, &b.1)));
    files.sort();
    files.dedup();
    let this_year = i32::from(crate::runtime::day().year());
    Vocabulary {
        tags: tags.into_iter().map(|(_, tag)| tag).collect(),
        folders: folders.into_iter().collect(),
        files,
        types: ["semantic", "procedural", "episodic"]
            .map(str::to_owned)
            .to_vec(),
        years: (0..6).map(|n| (this_year - n).to_string()).collect(),
        searches: searches.to_vec(),
    }
}
