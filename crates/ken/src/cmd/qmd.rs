//! `ken query`, `vsearch`, `multi-get`, `ls` and `collection`: the verbs of qmd, for scripts and
//! habits. A collection is a domain.

mod document;

use std::path::Path;

use anyhow::{Context, Result};
use kenning::search::Mode;
use kenning::vault::PathList;

use super::{Found, domain, search};
use crate::args::{
    CollectionAction, DomainAction, Format, LsArgs, MultiGetArgs, Place, QmdFormat, QmdSearchArgs,
    SearchArgs,
};
use crate::render;
use crate::runtime;
use crate::searcher::{NotesRequest, Searcher, Searchers};
use crate::settings::{Located, Settings};
use crate::wire::{Passage, QmdHit, QmdNote, SearchResponse, two_digits};

/// What qmd calls all.
const ALL_HITS: u32 = 1_000;
const HITS_MAX: u32 = 5;
pub(super) const LISTED_HITS_MAX: u32 = 20;

pub(super) fn query(settings: &Settings, place: &Place, args: &QmdSearchArgs) -> Result<Found> {
    find(settings, place, args, None)
}

pub(super) fn vsearch(settings: &Settings, place: &Place, args: &QmdSearchArgs) -> Result<Found> {
    find(settings, place, args, Some(Mode::Vector))
}

fn find(
    settings: &Settings,
    place: &Place,
    args: &QmdSearchArgs,
    mode: Option<Mode>,
) -> Result<Found> {
    let format = args.format();
    let limit = match (args.limit, args.all, format) {
        (Some(limit), ..) => limit,
        (_, true, _) => ALL_HITS,
        (.., QmdFormat::Json | QmdFormat::Files) => LISTED_HITS_MAX,
        _ => HITS_MAX,
    };
    let document = document::parse(&args.query.join(" "), mode)?;
    let mut answers = Vec::new();
    for located in collections(settings, place, &args.collection)? {
        let mut lists = Vec::new();
        for (text, mode) in &document {
            let wanted = asked(text, *mode, limit, args.min_score);
            let request = search::request(&wanted, text.clone());
            let answer = search::ask(settings, located.clone(), &wanted, &request, place.quiet)?;
            lists.push(answer);
        }
        let Some(answer) = document::fused(lists, limit as usize) else {
            continue;
        };
        answers.push((located, answer));
    }
    print(answers, format, limit as usize, args)
}

fn asked(text: &str, mode: Option<Mode>, limit: u32, min_score: f32) -> SearchArgs {
    SearchArgs {
        query: vec![text.to_owned()],
        limit: Some(limit),
        mode,
        format: Format::Qmd,
        min_score,
        ..SearchArgs::default()
    }
}

/// Prints the answers of all collections as one, best first. Nothing found is an answer, too: what
/// was written for qmd does not expect another exit code for it.
fn print(
    answers: Vec<(Located, SearchResponse)>,
    format: QmdFormat,
    limit: usize,
    args: &QmdSearchArgs,
) -> Result<Found> {
    if matches!(format, QmdFormat::Cli | QmdFormat::Md) {
        for (_, answer) in &answers {
            match format {
                QmdFormat::Md => render::markdown(answer)?,
                _ => render::hits(answer)?,
            }
        }
    } else {
        let items = |(located, answer): &(Located, SearchResponse)| -> Vec<QmdHit> {
            let hits = answer.hits.iter();
            hits.map(|hit| {
                let mut item = QmdHit::new(hit, &located.name, args.full);
                if args.full_path {
                    item.file = on_disk(located.vault.as_deref(), &hit.path);
                }
                item
            })
            .collect()
        };
        let mut hits: Vec<QmdHit> = answers.iter().flat_map(items).collect();
        if answers.len() > 1 {
            hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        }
        hits.truncate(limit);
        if format == QmdFormat::Json {
            render::print_json(&hits)?;
        } else {
            let lines = hits.iter().map(|hit| {
                let file = render::inline(&hit.file);
                let score = two_digits(hit.score);
                format!("{},{score:.2},{file}\n", hit.docid)
            });
            render::print(&lines.collect::<String>())?;
        }
    }
    Ok(Found::Something)
}

/// Returns the path of a note's file, or below the vault where nobody knows where that is.
pub(super) fn on_disk(vault: Option<&Path>, path: &str) -> String {
    vault.map_or_else(
        || path.to_owned(),
        |vault| vault.join(path).display().to_string(),
    )
}

fn collections(settings: &Settings, place: &Place, names: &[String]) -> Result<Vec<Located>> {
    settings.locate_all(&with_collection(place, names))
}

pub(super) fn with_collection(place: &Place, names: &[String]) -> Place {
    let mut place = place.clone();
    if !names.is_empty() {
        (place.domain, place.vault) = (Some(names.join(",")), None);
    }
    place
}

pub(super) fn multi_get(settings: &Settings, place: &Place, args: &MultiGetArgs) -> Result<Found> {
    let names: Vec<String> = args.collection.iter().cloned().collect();
    let searchers = Searchers::open(settings, &with_collection(place, &names))?;
    let mut notes = Vec::new();
    let mut n_missing = 0;
    for pattern in args
        .pattern
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let (collection, pattern) = reference(pattern);
        let searcher = searchers.get(collection.as_deref())?;
        for path in paths(searcher, &pattern)? {
            match searcher.passage(&path).map(Passage::from) {
                Ok(note) if note.text.len() > args.max_bytes => {
                    let n_kb = note.text.len() / 1_024;
                    render::say(&format!(
                        "left out {}: {n_kb} kB; --max-bytes takes more",
                        note.path
                    ));
                }
                Ok(note) => notes.push((searcher, first_lines(note, args.lines))),
                Err(error) => {
                    render::error(&error);
                    n_missing += 1;
                }
            }
        }
    }
    let is_found = !notes.is_empty() && n_missing == 0;
    let items: Vec<QmdNote> = notes
        .into_iter()
        .map(|(searcher, note)| {
            let file = on_disk(searcher.vault(), &note.path);
            let mut item = QmdNote::new(note, searcher.name());
            if args.full_path {
                item.file = file;
            }
            item
        })
        .collect();
    if args.json {
        render::print_json(&items)?;
    } else {
        for note in &items {
            let file = render::inline(&note.file);
            let body = note.body.trim_end();
            match args.files {
                true => render::print(&format!("{file}\n"))?,
                false => render::print(&format!("=== {file} ===\n{body}\n\n"))?,
            }
        }
    }
    Ok(found(is_found))
}

/// Lists collections with their number of notes, or the addresses of notes below a place.
pub(super) fn ls(settings: &Settings, place: &Place, args: &LsArgs) -> Result<Found> {
    let Some(wanted) = &args.place else {
        let mut n_lines = 0;
        for searcher in Searchers::open(settings, place)?.all() {
            let n_notes = searcher
                .with_store(|store| Ok(store.meta()?.n_notes))
                .unwrap_or(0);
            let name = render::inline(searcher.name());
            render::print(&format!("{name}  (qmd://{name}/)  {n_notes} files\n"))?;
            n_lines += 1;
        }
        return Ok(found(n_lines > 0));
    };
    let wanted = wanted.strip_prefix("qmd://").unwrap_or(wanted);
    let (name, prefix) = wanted.split_once('/').unwrap_or((wanted, ""));
    let searchers = Searchers::open(settings, &with_collection(place, &[name.to_owned()]))?;
    let listed = searchers.get(Some(name))?.notes(&NotesRequest {
        prefix: prefix.to_owned(),
        limit: usize::MAX,
        ..NotesRequest::default()
    })?;
    for note in &listed.notes {
        let address = format!("qmd://{name}/{}", note.path);
        render::print(&format!("{}\n", render::inline(&address)))?;
    }
    Ok(found(!listed.notes.is_empty()))
}

fn found(is_found: bool) -> Found {
    match is_found {
        true => Found::Something,
        false => Found::Nothing,
    }
}

/// Returns the notes of a pattern, or the reference itself where it is none.
fn paths(searcher: &Searcher, pattern: &str) -> Result<Vec<String>> {
    if !pattern.contains(['*', '?', '{']) {
        return Ok(vec![pattern.to_owned()]);
    }
    let list = PathList::new(&[pattern.to_owned()])?;
    let all = searcher.notes(&NotesRequest {
        limit: usize::MAX,
        ..NotesRequest::default()
    })?;
    let paths = all.notes.into_iter().map(|note| note.path);
    Ok(paths.filter(|path| list.has(path)).collect())
}

fn first_lines(mut note: Passage, n_lines: Option<usize>) -> Passage {
    if let Some(n_lines) = n_lines {
        let lines: Vec<&str> = note.text.lines().take(n_lines).collect();
        note.text = lines.join("\n");
    }
    note
}

pub(super) fn collection(
    settings: &Settings,
    place: &Place,
    action: &CollectionAction,
) -> Result<Found> {
    match action {
        CollectionAction::Add { path, name } => {
            let name = match name {
                Some(name) => name.clone(),
                None => folder_name(path)?,
            };
            let added = DomainAction::Add {
                name: name.clone(),
                path: path.clone(),
            };
            domain::run(settings, place, &added)?;
            let settings = Settings::load(place, false)?;
            for located in collections(&settings, place, &[name])? {
                if let Some(vault) = &located.vault {
                    let (report, seconds) =
                        runtime::update(&located, vault, runtime::How::default())?;
                    render::report(&report, seconds, place.quiet);
                }
            }
            Ok(Found::Something)
        }
        CollectionAction::List { json } => {
            domain::run(settings, place, &DomainAction::List { json: *json })
        }
        CollectionAction::Remove { name } => domain::run(
            settings,
            place,
            &DomainAction::Remove {
                name: name.clone(),
                delete_index: false,
            },
        ),
    }
}

fn folder_name(path: &Path) -> Result<String> {
    let path = path
        .canonicalize()
        .map_err(|_| kenning::Error::VaultMissing {
            path: path.to_owned(),
        })?;
    let name = path
        .file_name()
        .context("the folder has no name; give one with --name")?;
    Ok(name.to_string_lossy().replace(' ', "-"))
}

/// Understands `qmd://collection/path` and `path:from:count`; anything else is as it was.
pub(super) fn reference(typed: &str) -> (Option<String>, String) {
    let (collection, rest) = match typed
        .strip_prefix("qmd://")
        .and_then(|rest| rest.split_once('/'))
    {
        Some((collection, rest)) => (Some(collection.to_owned()), rest),
        None => (None, typed),
    };
    let mut parts = rest.rsplitn(3, ':');
    let numbers = (parts.next(), parts.next(), parts.next());
    let (Some(count), Some(from), Some(path)) = numbers else {
        return (collection, rest.to_owned());
    };
    match (from.parse::<u32>(), count.parse::<u32>()) {
        (Ok(from), Ok(count)) if count > 0 && !path.is_empty() => {
            let to = from.saturating_add(count - 1);
            (collection, format!("{path}:{from}-{to}"))
        }
        _ => (collection, rest.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, collection: Option<&str>, expected: &str) {
        assert_eq!(
            reference(typed),
            (collection.map(str::to_owned), expected.to_owned())
        );
    }

    #[test]
    fn addresses_of_qmd_are_understood() {
        check("qmd://home/Roof.md", Some("home"), "Roof.md");
        check("qmd://home/a/Roof.md:3:10", Some("home"), "a/Roof.md:3-12");
        check("Roof.md:3:10", None, "Roof.md:3-12");
        check("Roof.md:3-10", None, "Roof.md:3-10");
        check("Roof.md:3", None, "Roof.md:3");
        check("10:30 call: notes", None, "10:30 call: notes");
        check("#a1b2c3d4", None, "#a1b2c3d4");
    }
}
