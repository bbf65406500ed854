//! Completion in shells: verbs and options as they are, and domains, tags, notes and saved searches from the
//! settings and the index as it is. The script of a shell calls `ken` with the words so far; what cannot be
//! read is not offered, and nothing is said of it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::Resettable;
use clap::{Arg, Command, CommandFactory};
use clap_complete::env::{CompleteEnv, Shells};
use clap_complete::{ArgValueCompleter, CompletionCandidate};

use crate::args::{Args, Place};
use crate::searcher::{Searcher, Searchers};
use crate::settings::Settings;

/// Says which shell asks.
const VARIABLE: &str = "KEN_COMPLETE";
/// zsh reads the script at the first Tab, in the place of the function that completes: it has to be called then.
const ZSH_FIRST_TAB: &str =
    "if [ \"$funcstack[1]\" = _ken ]; then _clap_dynamic_completer_ken \"$@\"; fi\n";
/// Candidates that are told at most.
const CANDIDATES_MAX: usize = 500;

/// Verbs whose argument is a note.
const OF_NOTES: [(&str, &str); 5] = [
    ("get", "reference"),
    ("open", "reference"),
    ("links", "note"),
    ("similar", "note"),
    ("traverse", "note"),
];
/// Verbs that take tags.
const OF_TAGS: [&str; 4] = ["search", "tasks", "recent", "random"];

/// Completes what was typed, if a shell asks for it; tells whether it did.
pub(crate) fn answered(words: &[OsString], folder: Option<PathBuf>) -> bool {
    let place = place_in(words);
    let complete = CompleteEnv::with_factory(move || command(&place)).var(VARIABLE);
    complete
        .try_complete(words.iter().cloned(), folder.as_deref())
        .unwrap_or(true)
}

/// Returns the script that makes a shell ask.
pub(crate) fn script(shell: &str) -> Option<String> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let completer = shells.completer(shell)?;
    completer
        .write_registration(VARIABLE, "ken", "ken", "ken", &mut script)
        .ok()?;
    let mut script = String::from_utf8(script).ok()?;
    if shell == "zsh" {
        script.push_str(ZSH_FIRST_TAB);
    }
    Some(script)
}

/// The commands, with what completes their arguments.
fn command(place: &Place) -> Command {
    let with = |arg: Arg, values: fn(&Place, &str) -> Vec<String>| {
        let place = place.clone();
        arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
            let values = values(&place, &typed.to_string_lossy());
            let values = values.into_iter().take(CANDIDATES_MAX);
            values.map(CompletionCandidate::new).collect::<Vec<_>>()
        }))
    };
    let mut command = Args::command().mut_arg("domain", |arg| with(arg, domains));
    for (verb, argument) in OF_NOTES {
        command =
            command.mut_subcommand(verb, |verb| verb.mut_arg(argument, |arg| with(arg, notes)));
    }
    for verb in OF_TAGS {
        command = command.mut_subcommand(verb, |verb| verb.mut_arg("tag", |arg| with(arg, tags)));
    }
    // An argument that is changed goes behind the others, and the question stands behind the note.
    command
        .mut_subcommand("traverse", |verb| verb.mut_arg("query", |arg| arg))
        .mut_subcommand("search", |verb| {
            // The short names are offered instead of the names otherwise.
            verb.visible_alias(Resettable::Reset)
                .mut_arg("query", |arg| with(arg, saved))
        })
        .mut_subcommand("ask", |verb| verb.visible_alias(Resettable::Reset))
        .mut_subcommand("tags", |verb| verb.mut_arg("part", |arg| with(arg, tags)))
        .mut_subcommand("domain", |verb| {
            verb.mut_subcommand("remove", |verb| {
                verb.mut_arg("name", |arg| with(arg, domains))
            })
        })
}

/// Returns the notes that the words so far name, as far as that can be told.
fn place_in(words: &[OsString]) -> Place {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let value = |names: &[&str]| {
        let at = words.iter().position(|word| names.contains(&word.as_str()));
        at.and_then(|at| words.get(at + 1))
            .filter(|value| !value.is_empty())
            .cloned()
    };
    Place {
        vault: value(&["--vault"]).map(PathBuf::from),
        domain: value(&["--domain", "-d"]),
        store: value(&["--store"]).map(PathBuf::from),
        config: value(&["--config"]).map(PathBuf::from),
        ..Place::default()
    }
}

fn settings(place: &Place) -> Option<Settings> {
    let config = place
        .config
        .clone()
        .or_else(Settings::config_in_environment);
    let place = Place {
        config,
        ..place.clone()
    };
    Settings::load(&place, true).ok()
}

fn starting(values: impl Iterator<Item = String>, typed: &str) -> Vec<String> {
    let typed = typed.to_lowercase();
    values
        .filter(|value| value.to_lowercase().starts_with(&typed))
        .collect()
}

/// Several domains stand with commas between them.
fn domains(place: &Place, typed: &str) -> Vec<String> {
    let Some(settings) = settings(place) else {
        return Vec::new();
    };
    let known = settings.known_domains(&Place {
        domain: None,
        ..place.clone()
    });
    let names: Vec<String> = known
        .unwrap_or_default()
        .into_iter()
        .map(|domain| domain.name)
        .collect();
    let (before, last) = typed
        .rsplit_once(',')
        .map_or(("", typed), |(before, last)| (before, last));
    let before = if before.is_empty() {
        String::new()
    } else {
        format!("{before},")
    };
    let names = starting(names.into_iter(), last).into_iter();
    names.map(|name| format!("{before}{name}")).collect()
}

fn saved(place: &Place, typed: &str) -> Vec<String> {
    let settings = settings(place).filter(|_| typed.starts_with('@'));
    let names = settings.map_or_else(BTreeMap::new, |settings| settings.searches);
    starting(names.into_keys().map(|name| format!("@{name}")), typed)
}

/// Asks every domain that is meant; one that cannot be asked says nothing.
fn asked<T>(place: &Place, ask: impl Fn(&Searcher) -> anyhow::Result<Vec<T>>) -> Vec<T> {
    // What is typed for `--domain` just now may not be a name yet.
    let searchers = settings(place).and_then(|settings| Searchers::open(&settings, place).ok());
    let Some(searchers) = searchers else {
        return Vec::new();
    };
    searchers
        .all()
        .iter()
        .filter_map(|searcher| ask(searcher).ok())
        .flatten()
        .collect()
}

fn tags(place: &Place, typed: &str) -> Vec<String> {
    let mut tags = asked(place, |searcher| Ok(searcher.tags()?.into_keys().collect()));
    tags.sort();
    tags.dedup();
    starting(tags.into_iter(), typed.trim_start_matches('#'))
}

/// Notes by path, and by name where no path begins so.
fn notes(place: &Place, typed: &str) -> Vec<String> {
    let paths = asked(place, Searcher::paths);
    let by_path = starting(paths.iter().cloned(), typed);
    if !by_path.is_empty() {
        return by_path;
    }
    let names = paths.iter().map(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.strip_suffix(".md").unwrap_or(name).to_owned()
    });
    starting(names, typed)
}
