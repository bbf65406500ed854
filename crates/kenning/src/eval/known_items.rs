//! Questions that a vault answers about itself: what its people call a note should find it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::Relevant;
use super::collection::{Judgements, Question};
use crate::error::Result;
use crate::links::Files;
use crate::store::{LinksOf, NoteId, Select, Store, Wanted};
use crate::words::{name_key, words};

/// Most questions of each kind.
const SAMPLE_MAX: usize = 200;
/// Headings of one word mean too many things.
const HEADING_WORDS_MIN: usize = 2;

/// What a text was found as. A text that is several things is asked once, as the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Alias,
    Title,
    Heading,
    Link,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Alias, Self::Title, Self::Heading, Self::Link];

    fn name(self) -> &'static str {
        match self {
            Self::Alias => "alias",
            Self::Title => "title",
            Self::Heading => "heading",
            Self::Link => "link",
        }
    }
}

/// A text, the note it stands for, and for links the note they stand in.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) key: String,
    pub(super) path: String,
    source: Option<String>,
}

/// Makes questions of aliases, titles, headings and the texts of links, each with the note that is
/// meant as its one answer. The same vault gives the same questions.
///
/// What stands for several notes is left out. Notes in which a link stands are not counted when its
/// text is asked for: they hold the very words, and were not meant.
pub fn known_items(store: &Store) -> Result<Judgements> {
    Ok(questions(&items(store)?, &Kind::ALL, SAMPLE_MAX))
}

/// Returns every text that stands for one note only.
pub(super) fn items(store: &Store) -> Result<Vec<Item>> {
    let facts = Arc::unwrap_or_clone(store.select(Select::Every, Wanted::NAMES)?).into_iter();
    let mut notes: Vec<(NoteId, String)> = facts.map(|note| (note.id, note.path)).collect();
    notes.sort_by(|a, b| a.1.cmp(&b.1));
    let mut items = Vec::new();
    let mut meant: HashMap<String, BTreeSet<String>> = HashMap::new();
    for (id, path) in &notes {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        meant
            .entry(name_key(stem))
            .or_default()
            .insert(path.clone());
        items.extend(items_of(store, *id, path)?);
    }
    items.extend(items_of_links(store, &notes)?);
    for item in &items {
        let paths = meant.entry(item.key.clone()).or_default();
        paths.insert(item.path.clone());
    }
    items.retain(|item| meant.get(&item.key).is_some_and(|paths| paths.len() == 1));
    Ok(items)
}

/// Makes questions of some of them, up to `n_max` of each kind.
pub(super) fn questions(items: &[Item], kinds: &[Kind], n_max: usize) -> Judgements {
    let mut asked = HashSet::new();
    let mut questions = Vec::new();
    for &kind in kinds {
        questions.extend(sample(items, kind, n_max, &mut asked));
    }
    Judgements {
        questions,
        absent: Vec::new(),
    }
}

fn items_of(store: &Store, id: NoteId, path: &str) -> Result<Vec<Item>> {
    let note = store.note(id)?;
    let headings = note.headings.iter().map(|heading| &heading.text);
    let texts = (note.aliases.iter().map(|text| (Kind::Alias, text)))
        .chain([(Kind::Title, &note.title)])
        .chain(headings.map(|text| (Kind::Heading, text)));
    Ok(texts
        .filter_map(|(kind, text)| item(kind, text.clone(), path, None))
        .collect())
}

fn items_of_links(store: &Store, notes: &[(NoteId, String)]) -> Result<Vec<Item>> {
    let files = Files::new(store.files()?);
    let known: HashSet<&str> = notes.iter().map(|(_, path)| path.as_str()).collect();
    let mut items = Vec::new();
    for (id, source) in notes {
        for link in store.links(LinksOf::Note(*id))? {
            let Some(shown) = link.shown.filter(|shown| *shown != link.target) else {
                continue;
            };
            match files.resolve(source, &link.target) {
                Some(target) if known.contains(target) && target != source => {
                    items.extend(item(Kind::Link, shown, target, Some(source)));
                }
                _ => {}
            }
        }
    }
    Ok(items)
}

fn item(kind: Kind, text: String, path: &str, source: Option<&str>) -> Option<Item> {
    let n_wanted = match kind {
        Kind::Heading => HEADING_WORDS_MIN,
        _ => 1,
    };
    let is_enough = words(&text).take(n_wanted).count() == n_wanted;
    // A link may show its address.
    (is_enough && !text.contains("://")).then(|| Item {
        kind,
        key: name_key(&text),
        text,
        path: path.to_owned(),
        source: source.map(str::to_owned),
    })
}

/// Takes up to `n_max` texts of a kind: those with the lowest hash, so that a note more or
/// less changes few of them.
fn sample(items: &[Item], kind: Kind, n_max: usize, asked: &mut HashSet<String>) -> Vec<Question> {
    let mut by_key: HashMap<&str, Question> = HashMap::new();
    for item in items.iter().filter(|item| item.kind == kind) {
        if asked.contains(&item.key) {
            continue;
        }
        let question = by_key.entry(&item.key).or_insert_with(|| Question {
            id: format!("{}: {}", kind.name(), item.text),
            text: item.text.clone(),
            kind: kind.name().to_owned(),
            relevant: Relevant::from([(item.path.clone(), 1.0)]),
            excluded: HashSet::new(),
        });
        question.excluded.extend(item.source.clone());
    }
    asked.extend(by_key.keys().map(|key| (*key).to_owned()));
    let mut sampled: Vec<_> = by_key
        .into_iter()
        .map(|(key, question)| (*blake3::hash(key.as_bytes()).as_bytes(), question))
        .collect();
    sampled.sort_by_key(|(hash, _)| *hash);
    sampled.truncate(n_max);
    let mut questions: Vec<Question> = sampled.into_iter().map(|(_, question)| question).collect();
    questions.sort_by(|a, b| a.id.cmp(&b.id));
    questions
}
