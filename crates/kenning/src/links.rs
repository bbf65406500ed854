//! What links lead to, the way Obsidian resolves them, and who links back.

use std::collections::HashMap;

use crate::error::Result;
use crate::store::{LinkRow, LinksOf, NoteId, Select, Store, Wanted};

/// The links around one note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Links of the note that lead to another file.
    pub outgoing: Vec<Resolved>,
    /// Links of other notes that lead here.
    pub backlinks: Vec<Resolved>,
    /// Links of the note that lead nowhere.
    pub unresolved: Vec<LinkRow>,
}

/// A link and the file it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The link.
    pub link: LinkRow,
    /// Path of the note it stands in.
    pub source: String,
    /// Path of the file it leads to.
    pub target: String,
}

/// Returns the links from and to a note.
pub fn around(store: &Store, note: NoteId) -> Result<Links> {
    let files = Files::new(store.files()?);
    let here = store.note(note)?.path.clone();
    let mut links = Links::default();
    for link in store.links(LinksOf::Note(note))? {
        match files.resolve(&here, &link.target) {
            Some(target) => links.outgoing.push(Resolved {
                target: target.to_owned(),
                source: here.clone(),
                link,
            }),
            None => links.unresolved.push(link),
        }
    }
    let leading = store.links(LinksOf::Target(last_part(stem(&here))))?;
    let sources: Vec<NoteId> = leading.iter().map(|link| link.source).collect();
    let sources = store.select(Select::Notes(&sources), Wanted::NAMES)?;
    for (link, source) in leading.into_iter().zip(sources.iter()) {
        let target = files.resolve(&source.path, &link.target);
        if link.source != note && target == Some(here.as_str()) {
            links.backlinks.push(Resolved {
                link,
                source: source.path.clone(),
                target: here.clone(),
            });
        }
    }
    links
        .backlinks
        .sort_by(|a, b| (&a.source, a.link.line).cmp(&(&b.source, b.link.line)));
    Ok(links)
}

/// Lists every link that leads nowhere, with the path of the note it stands in, by path and line.
pub fn dead(store: &Store) -> Result<Vec<(String, LinkRow)>> {
    let files = Files::new(store.files()?);
    let notes = store.select(Select::Every, Wanted::NAMES)?;
    let paths: HashMap<NoteId, String> =
        (notes.iter().map(|note| (note.id, note.path.clone()))).collect();
    let mut dead = Vec::new();
    for link in store.links(LinksOf::Every)? {
        let Some(path) = paths.get(&link.source) else {
            continue;
        };
        if files.resolve(path, &link.target).is_none() {
            dead.push((path.clone(), link));
        }
    }
    dead.sort_by(|a, b| (&a.0, a.1.line).cmp(&(&b.0, b.1.line)));
    Ok(dead)
}

/// The files of a vault, by the names links call them.
pub struct Files {
    paths: Vec<String>,
    /// Lower-case path, with and without `.md`.
    by_path: HashMap<String, usize>,
    /// Lower-case file name, with and without `.md`.
    by_name: HashMap<String, Vec<usize>>,
}

impl Files {
    /// Takes the paths of all files of a vault.
    pub fn new(paths: Vec<String>) -> Self {
        let mut by_path = HashMap::new();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, path) in paths.iter().enumerate() {
            let lower = path.to_lowercase();
            // Logseq writes the page `a/b` into the file `a___b.md` or `a%2Fb.md`.
            let spelled = last_part(stem(&lower))
                .replace("___", "/")
                .replace("%2f", "/");
            if spelled.contains('/') {
                by_path.entry(spelled).or_insert(index);
            }
            for name in [lower.as_str(), stem(&lower)] {
                by_path.entry(name.to_owned()).or_insert(index);
                let names = by_name.entry(last_part(name).to_owned()).or_default();
                if !names.contains(&index) {
                    names.push(index);
                }
            }
        }
        Self {
            paths,
            by_path,
            by_name,
        }
    }

    /// Returns the file that `target`, written in the note at `source`, leads to.
    ///
    /// A path from the root of the vault wins, then one from the folder of the note, then any file
    /// whose path ends in it: beside the note first, the shortest path among the others.
    pub fn resolve(&self, source: &str, target: &str) -> Option<&str> {
        if target.is_empty() {
            // `[[#Heading]]` stays inside its note.
            return self
                .by_path
                .get(&source.to_lowercase())
                .map(|&index| self.paths[index].as_str());
        }
        let folder = source.rsplit_once('/').map_or("", |(folder, _)| folder);
        let wanted = target.trim_start_matches('/').to_lowercase();
        let beside = normal(&format!("{folder}/{target}")).to_lowercase();
        let exact = [beside.as_str(), wanted.as_str()]
            .into_iter()
            .find_map(|path| self.by_path.get(path));
        if let Some(&index) = exact {
            return Some(&self.paths[index]);
        }
        let wanted = normal(&wanted);
        let mut ending: Vec<&str> = self
            .by_name
            .get(last_part(&wanted))?
            .iter()
            .map(|&index| self.paths[index].as_str())
            .filter(|path| ends_in(&path.to_lowercase(), &wanted))
            .collect();
        ending.sort_by_key(|path| {
            (
                !is_beside(path, folder),
                path.matches('/').count(),
                path.len(),
                *path,
            )
        });
        ending.first().copied()
    }
}

/// Whether `path`, with or without `.md`, is `wanted` or ends in `/wanted`.
fn ends_in(path: &str, wanted: &str) -> bool {
    [path, stem(path)].into_iter().any(|path| {
        path.strip_suffix(wanted)
            .is_some_and(|before| before.is_empty() || before.ends_with('/'))
    })
}

fn is_beside(path: &str, folder: &str) -> bool {
    path.rsplit_once('/').map_or("", |(of_path, _)| of_path) == folder
}

/// Resolves `.` and `..`.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

fn stem(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, target: &str) -> Option<String> {
        let paths = [
            "Home.md",
            "a/Note.md",
            "b/Note.md",
            "b/deep/Note.md",
            "b/Other.md",
            "img/x.png",
            "v1.2.md",
            "pages/proj___plan.md",
        ];
        Files::new(paths.map(str::to_owned).to_vec())
            .resolve(source, target)
            .map(str::to_owned)
    }

    #[test]
    fn links_resolve_as_in_obsidian() {
        let cases = [
            ("Home.md", "a/Note", Some("a/Note.md")),
            ("Home.md", "home", Some("Home.md")),
            ("b/Other.md", "Note", Some("b/Note.md")),
            ("Home.md", "Note", Some("a/Note.md")),
            ("Home.md", "deep/Note", Some("b/deep/Note.md")),
            ("b/deep/Note.md", "../Other.md", Some("b/Other.md")),
            ("a/Note.md", "x.png", Some("img/x.png")),
            ("a/Note.md", "v1.2", Some("v1.2.md")),
            ("a/Note.md", "/Home", Some("Home.md")),
            ("a/Note.md", "Proj/Plan", Some("pages/proj___plan.md")),
            ("a/Note.md", "", Some("a/Note.md")),
            ("a/Note.md", "Missing", None),
            ("a/Note.md", "ote", None),
        ];
        for (source, target, expected) in cases {
            assert_eq!(
                check(source, target).as_deref(),
                expected,
                "{target} in {source}"
            );
        }
    }
}
