//! What lints cannot check: sizes, who may use what, and that documents speak of what exists.

mod binary;
mod curate;
mod engine;
mod onnx;
mod postgres;
mod source;

use std::fs;
use std::path::Path;

use crate::vault::repository;
use binary::{KEN_ROOMS, KEPT_IN_KEN};
use curate::{CURATE_ROOMS, KEPT_IN_CURATE};
use engine::{KEPT_IN, ROOMS, STAGES};
use onnx::{KEPT_IN_ONNX, ONNX_ROOMS};
use postgres::{KEPT_IN_POSTGRES, POSTGRES_ROOMS};
use source::{Source, before_tests, below, blank, functions, says, sources, used_paths, walk};

const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 70;
const ARCHITECTURE_LINES_MAX: usize = 240;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 7] = [
    "util", "utils", "helper", "helpers", "common", "misc", "manager",
];

#[track_caller]
fn check(problems: Vec<String>) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn every_file_says_what_it_is() {
    let silent = sources()
        .into_iter()
        .filter(|source| !source.text.starts_with("//! "))
        .map(|source| format!("{}: begins without //!", source.path));
    check(silent.collect());
}

#[test]
fn no_file_is_too_long() {
    let mut problems = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        let n_lines = before_tests(&source.text).lines().count();
        if n_lines > FILE_LINES_MAX {
            problems.push(format!("{}: {n_lines} lines without tests", source.path));
        }
    }
    check(problems);
}

#[test]
fn no_function_is_too_long() {
    let mut problems = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        for (name, line, n_lines) in functions(&source.bare) {
            if n_lines > FUNCTION_LINES_MAX {
                problems.push(format!(
                    "{}:{line}: `{name}` has {n_lines} lines",
                    source.path
                ));
            }
        }
    }
    check(problems);
}

#[test]
fn sql_stands_in_the_store_only() {
    let mut problems = Vec::new();
    for source in sources() {
        let is_store = source
            .in_crate("kenning")
            .is_some_and(|path| is_room(path, "store"))
            || source.in_crate("kenning-postgres").is_some();
        if is_store || source.is_test() {
            continue;
        }
        for (line, text) in (1..).zip(source.code.lines()) {
            let is_sql = ["SELECT ", "INSERT ", "DELETE FROM"]
                .iter()
                .any(|word| text.contains(word))
                || (text.contains("UPDATE ") && text.contains(" SET "));
            if is_sql {
                problems.push(format!("{}:{line}: SQL outside of store", source.path));
            }
        }
    }
    check(problems);
}

#[test]
fn what_is_kept_in_one_room_stays_there() {
    let mut problems = Vec::new();
    for source in sources() {
        let tables = [
            ("kenning", &KEPT_IN[..]),
            ("kenning-curate", &KEPT_IN_CURATE[..]),
            ("kenning-onnx", &KEPT_IN_ONNX[..]),
            ("kenning-postgres", &KEPT_IN_POSTGRES[..]),
            ("ken", &KEPT_IN_KEN[..]),
        ];
        let mut found =
            (tables.iter()).filter_map(|(name, table)| Some((source.in_crate(name)?, table)));
        let Some((path, table)) = found.next() else {
            continue;
        };
        for (word, rooms) in *table {
            let is_allowed = rooms.iter().any(|room| is_room(path, room));
            if !is_allowed && says(&source.bare, word) {
                problems.push(format!("{}: `{word}`", source.path));
            }
        }
    }
    check(problems);
}

/// Whether a file below `src` is the room or lies in it.
fn is_room(path: &str, room: &str) -> bool {
    path.strip_prefix(room)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A room of a crate and what it may use: whole rooms, or single types of them.
type Room<'a> = (&'a str, &'a [&'a str]);

/// Checks every file of a crate against the row of its room; the most exact row counts.
fn check_rooms<'a>(name: &str, table: &[Room<'a>], used: impl Fn(&Source, &str) -> Vec<String>) {
    let mut problems = Vec::new();
    for source in sources() {
        let Some(path) = source.in_crate(name).filter(|path| !ROOTS.contains(path)) else {
            continue;
        };
        let row = table.iter().filter(|(room, _)| is_room(path, room));
        let Some((room, allowed)) = row.max_by_key(|(room, _)| room.len()) else {
            problems.push(format!("{}: its room is not in the table", source.path));
            continue;
        };
        let own = room.replace('/', "::");
        for used in used(&source, path) {
            let is_allowed = allowed.iter().any(|allowed| is_path_in(&used, allowed));
            if !is_allowed && !is_path_in(&used, &own) {
                problems.push(format!("{}: `{room}` may not use `{used}`", source.path));
            }
        }
    }
    check(problems);
}

/// Files that name the rooms and are none.
const ROOTS: [&str; 3] = ["lib", "main", "error"];

fn is_path_in(path: &str, above: &str) -> bool {
    path.strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[test]
fn rooms_of_the_engine_use_only_what_the_table_allows() {
    check_rooms("kenning", &ROOMS, Source::used_of_crate);
}

#[test]
fn no_stage_of_the_read_flow_uses_a_later_one() {
    let mut problems = Vec::new();
    let stage_of = |name: &str| STAGES.iter().position(|stage| *stage == name);
    for source in sources() {
        let path = source.in_crate("kenning").unwrap_or_default();
        let Some(below) = path.strip_prefix("search/") else {
            continue;
        };
        let name = below.split('/').next().unwrap_or(below);
        // Opening a note is not part of the flow.
        let Some(stage) = stage_of(name) else {
            if name != "lookup" {
                problems.push(format!("{}: which stage is it?", source.path));
            }
            continue;
        };
        for used in source.used_of_crate(path) {
            let used = used.strip_prefix("search::").unwrap_or_default();
            let other = used.split("::").next().unwrap_or(used);
            if stage_of(other).is_some_and(|other| other > stage) {
                problems.push(format!("{}: `{name}` uses `{other}`", source.path));
            }
        }
    }
    check(problems);
}

#[test]
fn rooms_of_the_binary_use_only_what_the_table_allows() {
    let rooms = KEN_ROOMS.map(|(room, own, _)| (room, own));
    check_rooms("ken", &rooms, Source::used_of_crate);
    let rooms = KEN_ROOMS.map(|(room, _, engine)| (room, engine));
    check_rooms("ken", &rooms, |source, _| {
        let mut used = used_paths(&source.bare, "kenning::");
        // Who may ask the engine may also pass on its errors.
        used.retain(|used| !["Error", "Result"].contains(&used.split("::").next().unwrap()));
        used
    });
}

#[test]
fn rooms_of_curation_use_only_what_the_table_allows() {
    let rooms = CURATE_ROOMS.map(|(room, own, _)| (room, own));
    check_rooms("kenning-curate", &rooms, Source::used_of_crate);
    let rooms = CURATE_ROOMS.map(|(room, _, engine)| (room, engine));
    check_rooms("kenning-curate", &rooms, |source, _| {
        used_paths(&source.bare, "kenning::")
    });
}

#[test]
fn rooms_of_transformers_use_only_what_the_table_allows() {
    check_rooms("kenning-onnx", &ONNX_ROOMS, Source::used_of_crate);
    let engine = ONNX_ROOMS.map(|(room, _)| (room, &["embed"][..]));
    check_rooms("kenning-onnx", &engine, |source, _| {
        used_paths(&source.bare, "kenning::")
    });
}

#[test]
fn rooms_of_the_second_store_use_only_what_the_table_allows() {
    check_rooms("kenning-postgres", &POSTGRES_ROOMS, Source::used_of_crate);
}

#[test]
fn only_wire_is_serialised() {
    let mut problems = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        let is_wire = source
            .in_crate("ken")
            .is_some_and(|path| is_room(path, "wire"));
        let mut derived = source.bare.split("derive(").skip(1);
        let is_serialised = |list: &str| {
            let list = list.split(')').next().unwrap_or_default();
            list.split(',')
                .any(|name| name.trim().ends_with("Serialize"))
        };
        if !is_wire && derived.any(is_serialised) {
            problems.push(format!("{}: types are serialised", source.path));
        }
    }
    check(problems);
}

#[test]
fn names_say_what_is_inside() {
    let mut problems = Vec::new();
    for source in sources() {
        let path = source.path.trim_end_matches(".rs");
        if path.split('/').any(|part| EMPTY_NAMES.contains(&part)) {
            problems.push(format!("{}: the name says nothing", source.path));
        }
    }
    check(problems);
}

#[test]
fn what_is_left_to_do_has_a_number() {
    let mut problems = Vec::new();
    for source in sources() {
        for (line, text) in (1..).zip(source.text.lines()) {
            let is_open = ["TODO", "FIXME"].iter().any(|word| says(text, word));
            let has_number = text
                .split('#')
                .skip(1)
                .any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            if is_open && !has_number {
                problems.push(format!("{}:{line}: {}", source.path, text.trim()));
            }
        }
    }
    check(problems);
}

#[test]
fn the_architecture_names_what_exists() {
    let root = repository();
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    assert!(text.lines().count() < ARCHITECTURE_LINES_MAX);
    let bases = [
        root.clone(),
        root.join("crates/kenning/src"),
        root.join("crates/kenning-curate/src"),
        root.join("crates/kenning-onnx/src"),
        root.join("crates/kenning-postgres/src"),
        root.join("crates/ken/src"),
        root.join("crates/kenning"),
        root.join("crates/ken"),
    ];
    let names: Vec<&str> = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| is_path(name))
        .collect();
    assert!(names.len() > 40, "paths stand in backticks");
    let missing = names
        .into_iter()
        .filter(|name| !bases.iter().any(|base| base.join(name).exists()))
        .map(|name| format!("ARCHITECTURE.md: there is no `{name}`"));
    check(missing.collect());
}

/// Whether a word in backticks is meant as a path.
fn is_path(name: &str) -> bool {
    let endings = [".rs", ".md", ".toml", ".sql", ".txt", "/"];
    let is_plain = !name.contains([' ', '<', '*', '=', ':', '\n']);
    is_plain && (endings.iter().any(|ending| name.ends_with(ending)) || name.contains('/'))
}

#[test]
fn every_file_is_on_the_map() {
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let (engine, binary) = text.split_once("## Code map: the binary").unwrap();
    let mut problems = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        let (name, path) = source.path.split_once("/src/").unwrap();
        let map = if name == "crates/ken" { binary } else { engine };
        let is_named = map.contains(&format!("`{path}`"));
        let is_below = path
            .match_indices('/')
            .any(|(at, _)| map.contains(&format!("`{}`", &path[..=at])));
        if !is_named && !is_below {
            problems.push(format!("ARCHITECTURE.md: does not name `{}`", source.path));
        }
    }
    check(problems);
}

#[test]
fn every_dependency_has_a_reason_and_is_used() {
    let root = repository();
    let reasons = fs::read_to_string(root.join("docs/dependencies.md")).unwrap();
    let mut problems = Vec::new();
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let mut files = Vec::new();
        walk(&folder, &mut files);
        let sources: Vec<String> = files
            .iter()
            .filter(|file| file.extension().is_some_and(|extension| extension == "rs"))
            .map(|file| blank(&fs::read_to_string(file).unwrap(), true))
            .collect();
        for name in dependencies(&folder.join("Cargo.toml")) {
            let manifest = below(&root, &folder.join("Cargo.toml"));
            if !name.starts_with("kenning") && !reasons.contains(&format!("| `{name}` |")) {
                problems.push(format!("docs/dependencies.md: no reason for {name}"));
            }
            let module = name.replace('-', "_");
            if !sources.iter().any(|source| says(source, &module)) {
                problems.push(format!("{manifest}: {name} is not used"));
            }
        }
    }
    check(problems);
}

/// Returns the names in the lists of dependencies of a manifest.
fn dependencies(manifest: &Path) -> Vec<String> {
    let text = fs::read_to_string(manifest).unwrap();
    let mut names = Vec::new();
    let mut is_list = false;
    for line in text.lines() {
        if line.starts_with('[') {
            is_list = line.ends_with("dependencies]");
        } else if is_list && let Some((name, _)) = line.split_once(['.', ' ', '=']) {
            names.push(name.to_owned());
        }
    }
    names
}

#[test]
fn no_test_file_is_forgotten() {
    let folder = repository().join("crates/ken/tests/it");
    let main = fs::read_to_string(folder.join("main.rs")).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(
            module == "main" || main.contains(&format!("mod {module};")),
            "{name}"
        );
    }
}

#[test]
fn the_checks_read_source_as_it_is_meant() {
    let source = "fn a() {\n    let s = \"} // no\"; // }\n    let c = '}';\n}\n\
        fn b<'a>(x: &'a str) -> &'a str {\n    r#\"}\"}\"#\n}\nfn c();\n";
    let found = functions(&blank(source, true));
    let expected = [("a", 1, 4), ("b", 5, 3)].map(|(name, line, n)| (name.to_owned(), line, n));
    assert_eq!(found, expected);
    let used = used_paths(
        "use crate::a::{self, B, c::{D, E}};\nlet x = crate::f::g(1);",
        "crate::",
    );
    assert_eq!(used, ["a", "a::B", "a::c::D", "a::c::E", "f::g"]);
    assert!(says("use std::{env, fs};", "std::env") && !says("use std::{fs};", "std::env"));
    assert!(says(
        "use std::{\n    fs,\n    process::Command,\n};",
        "std::process"
    ));
    assert!(!says("pub fn env() {}\nuse std::fs;", "std::env"));
    assert!(!says("let stantivy = 1;", "tantivy"));
    let bare = "use super::{Query, fuse};\nuse super::super::store::Store;\nx: super::rank::Ranked\n\
        use super::super::super::vault::Vault;";
    let source = Source {
        path: "crates/kenning/src/search/list/long.rs".to_owned(),
        text: String::new(),
        code: String::new(),
        bare: bare.to_owned(),
    };
    assert_eq!(
        source.used_of_crate(source.in_crate("kenning").unwrap()),
        [
            "search::list::Query",
            "search::list::fuse",
            "search::store::Store",
            "search::list::rank::Ranked",
            "vault::Vault"
        ]
    );
    let long = "pub(in crate::serve) fn far() {\n}\n";
    assert_eq!(functions(long)[0].0, "far");
}
