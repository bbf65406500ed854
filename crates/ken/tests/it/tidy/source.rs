//! Source files as the checks read them: without tests, comments and strings.

use std::fs;
use std::path::{Path, PathBuf};

use crate::vault::repository;

/// A source file below `crates/*/src`.
pub(super) struct Source {
    /// Path below the root of the repository, with `/`.
    pub(super) path: String,
    pub(super) text: String,
    /// The text without tests, with blanks in place of comments.
    pub(super) code: String,
    /// The code with blanks in place of strings, too.
    pub(super) bare: String,
}

impl Source {
    /// Returns the path below the `src` of a crate without its ending, if it lies there and is not a test.
    pub(super) fn in_crate(&self, name: &str) -> Option<&str> {
        let path = self.path.strip_prefix("crates/")?.strip_prefix(name)?;
        let path = path.strip_prefix("/src/")?.strip_suffix(".rs")?;
        (!self.is_test()).then_some(path)
    }

    /// Returns what the file uses of its own crate, from the root of the crate on: what it names by
    /// `crate::` and what it names by `super::`.
    pub(super) fn used_of_crate(&self, path: &str) -> Vec<String> {
        let mut used = used_paths(&self.bare, "crate::");
        let modules: Vec<&str> = path.split('/').collect();
        let mut rest = self.bare.as_str();
        while let Some(at) = rest.find("super::") {
            let is_word = rest[..at].ends_with(|c| !is_not_part(c) || c == ':');
            rest = &rest[at..];
            let mut n_up = 0;
            while let Some(behind) = rest.strip_prefix("super::") {
                (rest, n_up) = (behind, n_up + 1);
            }
            if !is_word && n_up <= modules.len() {
                let above = modules[..modules.len() - n_up].join("::");
                collect_paths(rest, &above, &mut used);
            }
        }
        // All of the file itself, for a module inside of it.
        used.retain(|path| !path.is_empty());
        used
    }

    pub(super) fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("/tests/")
    }
}

pub(super) fn sources() -> Vec<Source> {
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

pub(super) fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, files);
        } else {
            files.push(path);
        }
    }
}

pub(super) fn below(root: &Path, file: &Path) -> String {
    let path = file.strip_prefix(root).unwrap();
    path.to_str().unwrap().replace('\\', "/")
}

/// Cuts the tests at the end of a file off.
pub(super) fn before_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or(text)
}

/// Puts blanks in place of comments and, if asked for, of what stands in quotes. Lines stay.
pub(super) fn blank(text: &str, strings: bool) -> String {
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

/// Returns name, first line and number of lines of every function with a body.
pub(super) fn functions(bare: &str) -> Vec<(String, usize, usize)> {
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

/// Words that may stand before `fn`.
const QUALIFIERS: [&str; 4] = ["const", "unsafe", "async", "extern"];

fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let is_declaration = before
        .split_whitespace()
        .all(|word| word.starts_with("pub") || word.ends_with(')') || QUALIFIERS.contains(&word));
    let name = after.split(['(', '<']).next()?;
    (is_declaration && !name.is_empty()).then_some(name)
}

/// Whether a text holds the word and not only a longer one; `std::{env, fs}` counts, too.
pub(super) fn says(text: &str, word: &str) -> bool {
    let is_part = |c: char| !is_not_part(c);
    let is_named = text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    });
    let is_listed = word.strip_prefix("std::").is_some_and(|module| {
        let used = used_paths(text, "std::");
        used.iter()
            .any(|path| path.split("::").next() == Some(module))
    });
    is_named || is_listed
}

fn is_not_part(c: char) -> bool {
    !(c.is_alphanumeric() || c == '_')
}

/// Returns the paths behind `prefix`, lists in braces taken apart: `note::{A, B}` is two.
pub(super) fn used_paths(bare: &str, prefix: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (at, _) in bare.match_indices(prefix) {
        let before = &bare[..at];
        // `pub(in crate::search)` says who may use it, and uses nothing.
        if before.ends_with(|c| !is_not_part(c) || c == '$') || before.ends_with("pub(in ") {
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
        (outer, "self" | "") => outer.to_owned(),
        (outer, name) => format!("{outer}::{name}"),
    };
    match text[name.len()..].strip_prefix("::") {
        Some(rest) => collect_paths(rest, &path, paths),
        None => paths.push(path),
    }
}
