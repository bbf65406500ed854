//! `ken tags`, `tasks`, `recent`, `random` and `similar`: notes without a question.

use anyhow::Result;
use kenning::search::grammar::TaskState;
use kenning::search::told_score;

use super::fresh::{Update, asked};
use super::{Found, curate, named, open, query, tags};
use crate::args::{
    Place, RandomArgs, RecentArgs, SimilarArgs, TagsAction, TagsArgs, TagsListArgs, TasksArgs,
};
use crate::render;
use crate::searcher::Searchers;
use crate::settings::Settings;
use crate::wire::{NoteLine, NoteTasks, Passage, TagCount, Task};

/// Opens the searchers of a place, after bringing their indexes up to date.
pub(super) fn fresh(settings: &Settings, place: &Place) -> Result<Searchers> {
    let all = settings.locate_all(place)?;
    let update = Update {
        is_off: false,
        is_thorough: false,
        quiet: place.quiet,
    };
    for located in &all {
        asked(settings, located, update, |_, _, _| Ok(()))?;
    }
    Searchers::at(settings, all)
}

/// Returns the name of a domain where several are listed.
fn shown<'s>(searchers: &Searchers, name: &'s str) -> Option<&'s str> {
    (searchers.all().len() > 1).then_some(name)
}

fn found(is_found: bool) -> Found {
    match is_found {
        true => Found::Something,
        false => Found::Nothing,
    }
}

pub(super) fn tags(settings: &Settings, place: &Place, args: &TagsArgs) -> Result<Found> {
    match &args.action {
        Some(TagsAction::List(list)) => list_tags(settings, place, list),
        Some(TagsAction::Rename(args)) => curate::rename(settings, place, args),
        Some(TagsAction::Merge(args)) => curate::merge(settings, place, args),
        Some(TagsAction::Propose(args)) => tags::propose(settings, place, args),
        Some(TagsAction::Promote(how)) => tags::promote(settings, place, *how),
        Some(TagsAction::Check(args)) => tags::check(settings, place, args),
        Some(TagsAction::Eval(args)) => tags::eval(settings, place, args),
        None => list_tags(settings, place, &args.list),
    }
}

fn list_tags(settings: &Settings, place: &Place, args: &TagsListArgs) -> Result<Found> {
    let mut counts: std::collections::BTreeMap<String, usize> = Default::default();
    for searcher in fresh(settings, place)?.all() {
        for (tag, n) in searcher.tags()? {
            *counts.entry(tag).or_default() += n;
        }
    }
    let part = args
        .part
        .as_deref()
        .unwrap_or_default()
        .trim_start_matches('#')
        .to_lowercase();
    let mut tags: Vec<TagCount> = counts
        .into_iter()
        .filter(|(tag, _)| tag.to_lowercase().contains(&part))
        .map(|(tag, notes)| TagCount { tag, notes })
        .collect();
    if !args.by_name {
        tags.sort_by_key(|count| std::cmp::Reverse(count.notes));
    }
    match args.json {
        true => render::print_json(&tags)?,
        false => render::tags(&tags)?,
    }
    Ok(found(!tags.is_empty()))
}

pub(super) fn tasks(settings: &Settings, place: &Place, args: &TasksArgs) -> Result<Found> {
    let (operator, state) = match args.done {
        true => ("task-done", TaskState::Done),
        false => ("task-todo", TaskState::Todo),
    };
    // What is not a condition is what tasks say.
    let is_condition = |word: &str| word.contains(':') || word.starts_with(['-', '#', '[', '(']);
    let (conditions, words): (Vec<&str>, Vec<&str>) = args
        .query
        .iter()
        .map(String::as_str)
        .partition(|word| is_condition(word));
    let said: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let asked = said
        .iter()
        .map(|word| format!("{operator}:\"{}\"", word.replace('"', "")));
    let mut parts = vec![format!("{operator}:\"\"")];
    parts.extend(asked);
    parts.extend(conditions.into_iter().map(str::to_owned));
    let query = query::with_conditions(&parts.join(" "), &args.conditions)?;
    let searchers = fresh(settings, place)?;
    let mut notes = Vec::new();
    for searcher in searchers.all() {
        for note in searcher.meeting(&query)? {
            let tasks = searcher.tasks(&note, state)?.into_iter();
            let is_meant = |text: &str| {
                let text = text.to_lowercase();
                said.iter().all(|word| text.contains(word))
            };
            let tasks = tasks.filter(|(_, text)| is_meant(text));
            let tasks: Vec<Task> = tasks.map(|(line, text)| Task { line, text }).collect();
            if !tasks.is_empty() {
                notes.push(NoteTasks {
                    domain: shown(&searchers, searcher.name()).map(str::to_owned),
                    path: note.path.clone(),
                    title: note.title.clone(),
                    date: note.date.clone(),
                    tasks,
                });
            }
        }
    }
    notes.sort_by(|a, b| (&b.date, &a.path).cmp(&(&a.date, &b.path)));
    keep_tasks(&mut notes, args.limit.unwrap_or(usize::MAX));
    match args.json {
        true => render::print_json(&notes)?,
        false => render::tasks(&notes, place.quiet)?,
    }
    Ok(found(!notes.is_empty()))
}

/// Keeps the first tasks of a list.
fn keep_tasks(notes: &mut Vec<NoteTasks>, limit: usize) {
    let mut left = limit;
    for note in notes.iter_mut() {
        note.tasks.truncate(left);
        left -= note.tasks.len();
    }
    notes.retain(|note| !note.tasks.is_empty());
}

pub(super) fn recent(settings: &Settings, place: &Place, args: &RecentArgs) -> Result<Found> {
    let query = query::with_conditions("", &args.conditions)?;
    let searchers = fresh(settings, place)?;
    let limit = args.limit as usize;
    let mut notes = Vec::new();
    for searcher in searchers.all() {
        let mut own = match query.is_empty() {
            true => searcher.recent(limit)?,
            false => searcher.meeting(&query)?,
        };
        own.sort_by_key(|note| std::cmp::Reverse(note.mtime_ns));
        own.truncate(limit);
        let name = shown(&searchers, searcher.name());
        notes.extend(
            own.iter()
                .map(|note| (note.mtime_ns, NoteLine::new(name, note))),
        );
    }
    notes.sort_by_key(|(mtime_ns, _)| std::cmp::Reverse(*mtime_ns));
    let notes: Vec<NoteLine> = notes
        .into_iter()
        .map(|(_, note)| note)
        .take(limit)
        .collect();
    match args.json {
        true => render::print_json(&notes)?,
        false => render::notes(&notes)?,
    }
    Ok(found(!notes.is_empty()))
}

pub(super) fn random(settings: &Settings, place: &Place, args: &RandomArgs) -> Result<Found> {
    let query = query::with_conditions("", &args.conditions)?;
    let searchers = fresh(settings, place)?;
    let mut notes = Vec::new();
    for searcher in searchers.all() {
        let own = searcher.meeting(&query)?;
        notes.extend(own.into_iter().map(|note| (searcher, note)));
    }
    let Some((searcher, note)) = fastrand::choice(&notes) else {
        return Ok(Found::Nothing);
    };
    let passage = searcher.passage(&note.path)?;
    if args.open {
        let target = open::target(searcher, &passage)?;
        crate::open::open(settings, &target, crate::open::With::Editor)?;
    } else if args.json {
        render::print_json(&Passage::from(passage))?;
    } else {
        render::note(&Passage::from(passage), searcher.vault())?;
    }
    Ok(Found::Something)
}

pub(super) fn similar(settings: &Settings, place: &Place, args: &SimilarArgs) -> Result<Found> {
    let searchers = fresh(settings, place)?;
    let notes = named::ask(&searchers, &args.note, |searcher| {
        let note = searcher.passage(&args.note)?.note;
        let (_, around) = searcher.links(&note.path)?;
        let outgoing = around.outgoing.into_iter().map(|link| link.target);
        let linked: Vec<String> = outgoing
            .chain(around.backlinks.into_iter().map(|link| link.source))
            .collect();
        // Those that are linked are left out afterwards.
        let n_asked = args.limit
            + if args.unlinked {
                linked.len() as u32
            } else {
                0
            };
        let (_, answered) = searcher.similar(&note.path, n_asked)?;
        let mut notes = Vec::new();
        for hit in answered.answer.hits {
            if !args.unlinked || !linked.contains(&hit.note.path) {
                let mut listed = NoteLine::new(None, &hit.note);
                listed.score = Some(told_score(hit.score));
                notes.push(listed);
            }
        }
        notes.truncate(args.limit as usize);
        Ok(notes)
    })?;
    match args.json {
        true => render::print_json(&notes)?,
        false => render::notes(&notes)?,
    }
    Ok(found(!notes.is_empty()))
}
