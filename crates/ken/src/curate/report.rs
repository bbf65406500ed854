//! The health of a vault: its figures are collected, kept for the next report, and written as a note.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use kenning_curate::intake::log::Fate;
use kenning_curate::library::Library;
use kenning_curate::report::{self, Health, Snapshot};
use kenning_curate::write::Batch;
use serde_json::{Value, json};

use super::{Curator, intake, tags};
use crate::searcher::Searcher;
use crate::settings::Located;
use crate::{private, questions, runtime};

/// What the figures of earlier reports are kept in, behind the name of the index.
const SUFFIX: &str = ".reports.jsonl";

/// A report that was written.
pub(crate) struct Reported {
    pub(crate) files: Vec<PathBuf>,
    /// The run that wrote it, if that was into the vault.
    pub(crate) run: Option<u64>,
    pub(crate) notices: Vec<String>,
}

/// Collects what is to be reported.
pub(crate) fn health(searcher: &Searcher, curator: &Curator<'_>) -> Result<Health> {
    let located = searcher.located();
    let library = searcher.with_store(|store| Ok(Library::read(store)?))?;
    let dead = searcher.dead_links()?;
    let counts: BTreeMap<String, usize> = searcher.tags()?.into_iter().collect();
    let doubts = tags::doubts(curator, &counts)?;
    let mut months: BTreeMap<String, usize> = BTreeMap::new();
    let dates = library
        .notes
        .iter()
        .filter_map(|note| note.date.as_deref()?.get(..7));
    dates.for_each(|month| *months.entry(month.to_owned()).or_default() += 1);
    let today = runtime::today();
    let mut history = history(located);
    history.retain(|at| at.day != today);
    let since = history.last().map_or_else(String::new, |at| at.day.clone());
    history.push(Snapshot {
        day: today,
        n_notes: library.notes.len(),
        n_links: library.links.iter().map(Vec::len).sum(),
        n_dead: dead.len(),
        n_doubts: doubts.len(),
    });
    let mut health = Health {
        name: located.name.clone(),
        months: months.into_iter().collect(),
        dead: dead
            .into_iter()
            .map(|(path, link)| (path, link.line, link.target))
            .collect(),
        doubts: doubts
            .into_iter()
            .map(|doubt| (doubt.tag, doubt.n_notes, doubt.reason))
            .collect(),
        history,
        ..Health::default()
    };
    came_in(curator, &since, &mut health)?;
    if searcher.settings().report.questions {
        asked(located, &library, &mut health);
    }
    Ok(health)
}

fn came_in(curator: &Curator<'_>, since: &str, health: &mut Health) -> Result<()> {
    let (entries, _) = intake::entries(curator)?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    health.n_waiting = entries
        .iter()
        .filter(|entry| entry.fate == Fate::Queued)
        .count();
    for entry in entries
        .iter()
        .filter(|entry| day_of(entry.at).as_str() > since)
    {
        *counts.entry(entry.fate.name()).or_default() += 1;
        if let Fate::Kept { path } = &entry.fate {
            health.new_notes.push(path.clone());
        }
    }
    health.came_in = counts
        .into_iter()
        .map(|(name, n)| (name.to_owned(), n))
        .collect();
    Ok(())
}

fn day_of(at: i64) -> String {
    let at = jiff::Timestamp::from_second(at).unwrap_or_default();
    at.to_zoned(jiff::tz::TimeZone::system()).date().to_string()
}

fn asked(located: &Located, library: &Library, health: &mut Health) {
    let questions = questions::read(located);
    let mut unanswered: BTreeMap<String, usize> = BTreeMap::new();
    for question in questions.iter().filter(|question| !question.is_answered) {
        *unanswered.entry(question.text.to_lowercase()).or_default() += 1;
    }
    health.unanswered = unanswered.into_iter().collect();
    health
        .unanswered
        .sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    health.n_questions = Some(questions.len());
    let found: HashSet<&str> = questions
        .iter()
        .flat_map(|question| &question.paths)
        .map(String::as_str)
        .collect();
    let mut never: Vec<_> = library
        .notes
        .iter()
        .filter(|note| !found.contains(&*note.path))
        .collect();
    never.sort_by(|a, b| {
        b.pagerank
            .total_cmp(&a.pagerank)
            .then_with(|| a.path.cmp(&b.path))
    });
    health.never_found = never.into_iter().map(|note| note.path.clone()).collect();
}

fn history_file(located: &Located) -> PathBuf {
    let mut file = located.store.as_os_str().to_owned();
    file.push(SUFFIX);
    PathBuf::from(file)
}

fn history(located: &Located) -> Vec<Snapshot> {
    let text = std::fs::read(history_file(located)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut by_day = BTreeMap::new();
    for line in text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
    {
        let n = |name: &str| line[name].as_u64().unwrap_or(0) as usize;
        let day = line["day"].as_str().unwrap_or_default().to_owned();
        let snapshot = Snapshot {
            day: day.clone(),
            n_notes: n("notes"),
            n_links: n("links"),
            n_dead: n("dead"),
            n_doubts: n("doubts"),
        };
        by_day.insert(day, snapshot);
    }
    by_day.into_values().collect()
}

fn remember(located: &Located, now: &Snapshot) -> Result<()> {
    let line = json!({
        "day": now.day, "notes": now.n_notes, "links": now.n_links, "dead": now.n_dead, "doubts": now.n_doubts,
    });
    let file = history_file(located);
    let written =
        private::append(&file).and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    written.with_context(|| file.display().to_string())
}

/// Writes a report into a folder: of the vault, where it can be undone, or elsewhere.
pub(crate) fn write(
    mut curator: Curator<'_>,
    health: &Health,
    folder: &str,
    to: Option<&Path>,
) -> Result<Reported> {
    let day = health
        .history
        .last()
        .map(|now| now.day.clone())
        .unwrap_or_default();
    let mut files = vec![(format!("{day}.md"), report::markdown(health, &day))];
    let pictures = report::pictures(health).into_iter();
    files.extend(pictures.map(|(ending, _, svg)| (format!("{day}-{ending}.svg"), svg)));
    let inside = match to {
        None => Some(folder.trim_matches('/').to_owned()),
        Some(to) => curator.vault.relative(&to.join("x")).map(|path| {
            path.rsplit_once('/')
                .map_or(String::new(), |(folder, _)| folder.to_owned())
        }),
    };
    let (mut written, mut run) = (Vec::new(), None);
    match (inside, to) {
        (Some(folder), _) => {
            let mut batch = Batch::new("report", &day);
            for (name, text) in files {
                let path = match folder.is_empty() {
                    true => name,
                    false => format!("{folder}/{name}"),
                };
                match curator.writer.read(&path)? {
                    Some(seen) => batch.write(seen, text.into_bytes()),
                    None => batch.create(&path, text.into_bytes()),
                }
                written.push(curator.vault.root().join(&path));
            }
            run = curator.commit(&batch)?;
        }
        (None, to) => {
            let folder = to.unwrap_or(Path::new("."));
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
            for (name, text) in files {
                let file = folder.join(name);
                std::fs::write(&file, text).with_context(|| file.display().to_string())?;
                written.push(file);
            }
        }
    }
    if let Some(now) = health.history.last() {
        remember(curator.located, now)?;
    }
    Ok(Reported {
        files: written,
        run,
        notices: curator.notices,
    })
}
