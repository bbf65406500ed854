//! What lints cannot check: sizes, who may use what, and that documents speak of what exists.

use std::fs;
use std::path::{Path, PathBuf};

use crate::vault::repository;

const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 70;
const ARCHITECTURE_LINES_MAX: usize = 200;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 7] = [
    "util", "utils", "helper", "helpers", "common", "misc", "manager",
];

/// What each room of the engine may use of the others: a whole room, or single types of it.
/// Rooms come before those that use them; the first ones are pure.
const ROOMS: [(&str, &[&str]); 26] = [
    ("words", &[]),
    ("secrets", &[]),
    ("extract", &[]),
    (
        "note",
        &["extract::Extracted", "extract::Kind", "secrets", "words"],
    ),
    ("chunk", &["note"]),
    ("graph", &[]),
    ("search/grammar", &[]),
    ("search/intent", &[]),
    ("search/decay", &[]),
    ("search/graph", &[]),
    ("search/query", &["store::TermGroup", "words"]),
    ("search/fuse", &["store::ChunkId"]),
    ("search/sentences", &[]),
    ("search/excerpt", &["words"]),
    (
        "search/tuning",
        &[
            "store::FieldWeights",
            "store::LexicalOptions",
            "words::Language",
        ],
    ),
    ("embed", &[]),
    ("vault", &["error", "note::Format"]),
    (
        "store",
        &[
            "error",
            "chunk::Chunk",
            "embed::ModelId",
            "note",
            "secrets::Finding",
            "vault::Rule",
            "vault::Skipped",
            "vault::Stamp",
            "words",
        ],
    ),
    (
        "index",
        &[
            "chunk", "embed", "error", "extract", "graph", "links", "note", "secrets", "store",
            "vault", "words",
        ],
    ),
    (
        "search",
        &["chunk", "embed", "error", "note", "store", "words"],
    ),
    ("links", &["error", "note", "store", "words"]),
    ("traverse/beam", &[]),
    (
        "traverse",
        &["chunk", "embed", "error", "links", "search::decay", "store"],
    ),
    ("cite/quote", &[]),
    ("cite", &["error", "note::Format", "search", "store"]),
    (
        "eval",
        &[
            "embed", "error", "links", "search", "store", "vault", "words",
        ],
    ),
];

/// What the binary may use of the engine.
const USED_BY_KEN: [&str; 13] = [
    "cite", "embed", "error", "eval", "extract", "index", "links", "search", "secrets", "store",
    "traverse", "vault", "Error",
];

/// Words that only some files of the engine may say, and which files those are.
const KEPT_IN: [(&str, &[&str]); 8] = [
    ("rusqlite", &["store", "error"]),
    ("tantivy", &["store", "error"]),
    ("std::fs", &["store", "vault", "embed", "eval"]),
    ("Instant::now", &["eval"]),
    ("std::env", &[]),
    ("SystemTime::now", &[]),
    ("println!", &[]),
    ("std::net", &[]),
];

/// A source file below `crates/*/src`.
struct Source {
    /// Path below the root of the repository, with `/`.
    path: String,
    text: String,
    /// The text without tests, with blanks in place of comments.
    code: String,
    /// The code with blanks in place of strings, too.
    bare: String,
}

impl Source {
    /// Returns the path below the engine's `src` without its ending, if it lies there.
    fn in_engine(&self) -> Option<&str> {
        self.path
            .strip_prefix("crates/kenning/src/")
            .and_then(|path| path.strip_suffix(".rs"))
    }

    fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("/tests/")
    }
}

fn sources() -> Vec<Source> {
    let root = repository();
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        walk(&entry.unwrap().path().join("src"), &mut files);
    }
    files.sort();
    files
        .into_iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "rs"))
        .map(|file| {
            let text = fs::read_to_string(&file).unwrap();
            let code = blank(before_tests(&text), false);
            let bare = blank(before_tests(&text), true);
            let path = below(&root, &file);
            Source {
                path,
                text,
                code,
                bare,
            }
        })
        .collect()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, files);
        } else {
            files.push(path);
        }
    }
}

fn below(root: &Path, file: &Path) -> String {
    let path = file.strip_prefix(root).unwrap();
    path.to_str().unwrap().replace('\\', "/")
}

/// Cuts the tests at the end of a file off.
fn before_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or(text)
}

/// Puts blanks in place of comments and, if asked for, of what stands in quotes. Lines stay.
fn blank(text: &str, strings: bool) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let (end, is_hidden) = match token(&chars, at) {
            Token::Comment(end) => (end, true),
            Token::Quoted(end) => (end, strings),
            Token::Other(end) => (end, false),
        };
        for &c in &chars[at..end] {
            out.push(if is_hidden && c != '\n' { ' ' } else { c });
        }
        at = end;
    }
    out
}

/// A piece of source and where it ends.
enum Token {
    Comment(usize),
    Quoted(usize),
    Other(usize),
}

fn token(chars: &[char], at: usize) -> Token {
    let until = |found: Option<usize>| found.map_or(chars.len(), |offset| at + offset);
    let rest = &chars[at..];
    let starts_word = at == 0 || !(chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    match rest {
        ['/', '/', ..] => Token::Comment(until(rest.iter().position(|c| *c == '\n'))),
        ['r', '"' | '#', ..] if starts_word => match raw_string(rest) {
            Some(len) => Token::Quoted(at + len),
            None => Token::Other(at + 1),
        },
        ['"', ..] => Token::Quoted(at + quoted(rest)),
        ['\'', '\\', ..] | ['\'', _, '\'', ..] => Token::Quoted(at + quoted(rest)),
        _ => Token::Other(at + 1),
    }
}

/// Returns the length of a string or character, its quotes included.
fn quoted(rest: &[char]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != rest[0] {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// Returns the length of a raw string; `r#type` is none.
fn raw_string(rest: &[char]) -> Option<usize> {
    let n_hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    if rest.get(1 + n_hashes) != Some(&'"') {
        return None;
    }
    let is_end = |at: usize| {
        rest[at] == '"' && (1..=n_hashes).all(|offset| rest.get(at + offset) == Some(&'#'))
    };
    let end = (2 + n_hashes..rest.len()).find(|&at| is_end(at))?;
    Some(end + 1 + n_hashes)
}

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

/// Returns name, first line and number of lines of every function with a body.
fn functions(bare: &str) -> Vec<(String, usize, usize)> {
    let lines: Vec<&str> = bare.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else {
            continue;
        };
        let mut depth = 0i32;
        for (offset, line) in lines[index..].iter().enumerate() {
            let n_open = line.matches('{').count() as i32;
            depth += n_open - line.matches('}').count() as i32;
            if depth <= 0 && (n_open > 0 || line.contains('}')) {
                found.push((name.to_owned(), index + 1, offset + 1));
                break;
            }
            if depth == 0 && line.trim_end().ends_with(';') {
                break;
            }
        }
    }
    found
}

fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let is_declaration = before.split_whitespace().all(|word| {
        word.starts_with("pub") || ["const", "unsafe", "async", "super)"].contains(&word)
    });
    let name = after.split(['(', '<']).next()?;
    (is_declaration && !name.is_empty()).then_some(name)
}

#[test]
fn sql_stands_in_the_store_only() {
    let mut problems = Vec::new();
    for source in sources() {
        let is_store = source
            .in_engine()
            .is_some_and(|path| is_room(path, "store"));
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
        let Some(path) = source.in_engine().filter(|_| !source.is_test()) else {
            continue;
        };
        for (word, rooms) in KEPT_IN {
            let is_allowed = rooms.iter().any(|room| is_room(path, room));
            for (line, text) in (1..).zip(source.bare.lines()) {
                if !is_allowed && says(text, word) {
                    problems.push(format!("{}:{line}: `{word}`", source.path));
                }
            }
        }
    }
    check(problems);
}

/// Whether a line holds the word and not only a longer one; `std::{env, fs}` counts, too.
fn says(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_named = line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    });
    let is_listed = word.strip_prefix("std::").is_some_and(|module| {
        line.strip_prefix("use std::{")
            .is_some_and(|list| list.split(is_not_part).any(|name| name == module))
    });
    is_named || is_listed
}

fn is_not_part(c: char) -> bool {
    !(c.is_alphanumeric() || c == '_')
}

/// Whether a file below `src` is the room or lies in it.
fn is_room(path: &str, room: &str) -> bool {
    path.strip_prefix(room)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[test]
fn rooms_use_only_what_the_table_allows() {
    let mut problems = Vec::new();
    for source in sources() {
        let Some(path) = source.in_engine().filter(|_| !source.is_test()) else {
            continue;
        };
        if ["lib", "error"].contains(&path) {
            continue;
        }
        // The most exact row of the table counts.
        let row = ROOMS
            .iter()
            .filter(|(room, _)| is_room(path, room))
            .max_by_key(|(room, _)| room.len());
        let Some((room, allowed)) = row else {
            problems.push(format!("{}: its room is not in the table", source.path));
            continue;
        };
        let own = room.split('/').next().unwrap();
        for used in used_paths(&source.bare, "crate::") {
            let is_own = used.split("::").next() == Some(own);
            let is_allowed = allowed
                .iter()
                .any(|allowed| used == *allowed || used.starts_with(&format!("{allowed}::")));
            if !is_own && !is_allowed {
                problems.push(format!("{}: `{room}` may not use `{used}`", source.path));
            }
        }
    }
    check(problems);
}

#[test]
fn the_binary_opens_rooms_and_hands_them_in() {
    let mut problems = Vec::new();
    for source in sources() {
        if !source.path.starts_with("crates/ken/") {
            continue;
        }
        for used in used_paths(&source.bare, "kenning::") {
            let room = used.split("::").next().unwrap();
            if !USED_BY_KEN.contains(&room) && room != "Result" {
                problems.push(format!("{}: ken may not use `{used}`", source.path));
            }
        }
    }
    check(problems);
}

/// Returns the paths behind `prefix`, lists in braces taken apart: `note::{A, B}` is two.
fn used_paths(bare: &str, prefix: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (at, _) in bare.match_indices(prefix) {
        if bare[..at].ends_with(|c| !is_not_part(c) || c == '$') {
            continue;
        }
        collect_paths(&bare[at + prefix.len()..], "", &mut paths);
    }
    paths
}

fn collect_paths(text: &str, outer: &str, paths: &mut Vec<String>) {
    if let Some(list) = text.strip_prefix('{') {
        let mut depth = 1;
        let mut start = 0;
        for (at, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if (c == ',' && depth == 1) || depth == 0 {
                let item = list[start..at].trim();
                if !item.is_empty() {
                    collect_paths(item, outer, paths);
                }
                start = at + 1;
            }
            if depth == 0 {
                return;
            }
        }
        return;
    }
    let name: &str = text.split(is_not_part).next().unwrap_or_default();
    let path = match (outer, name) {
        ("", name) => name.to_owned(),
        (outer, "self") => outer.to_owned(),
        (outer, name) => format!("{outer}::{name}"),
    };
    match text[name.len()..].strip_prefix("::") {
        Some(rest) => collect_paths(rest, &path, paths),
        None => paths.push(path),
    }
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
fn every_file_of_the_engine_is_on_the_map() {
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let mut problems = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        let (_, path) = source.path.split_once("/src/").unwrap();
        let is_named = text.contains(&format!("`{path}`"));
        let is_below = path
            .match_indices('/')
            .any(|(at, _)| text.contains(&format!("`{}`", &path[..=at])));
        if !is_named && !is_below {
            problems.push(format!("ARCHITECTURE.md: does not name `{path}`"));
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
            if name != "kenning" && !reasons.contains(&format!("| `{name}` |")) {
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
    assert!(!says("let stantivy = 1;", "tantivy"));
}
