//! What is known of all notes at once, for whoever proposes something: names, tags, outlines, links, and how near notes are
//! in meaning. Read from the index, never from files.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kenning::links::Files;
use kenning::store::{LinksOf, NoteFacts, NoteId, Select, Store, Wanted};
use kenning::words;

use crate::error::Result;

/// Notes that are the machinery of curation, and say nothing themselves.
pub const OWN_NOTES: [&str; 2] = [crate::tags::TAXONOMY, crate::tags::QUEUE];

/// All notes of an index.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// By path.
    pub notes: Vec<Known>,
    /// Which notes each one links to, by position, each once.
    pub links: Vec<Vec<usize>>,
}

/// A note.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its id in the index.
    pub id: NoteId,
    /// Path below the vault.
    pub path: String,
    /// Title.
    pub title: String,
    /// Tags without `#`, in lower case, each once.
    pub tags: Vec<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// Texts of its headings, in lower case.
    pub headings: Vec<String>,
    /// Where it lies in meaning, the mean of all notes taken off, of length 1; empty without vectors.
    pub vector: Vec<f32>,
    /// PageRank, the best being 1.
    pub pagerank: f32,
    /// Date, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Name of the note that replaces it.
    pub superseded_by: Option<String>,
    /// Properties as written, where they were asked for.
    pub properties: serde_json::Map<String, serde_json::Value>,
}

impl Library {
    /// Reads what the index knows.
    pub fn read(store: &Store) -> Result<Self> {
        let wanted = Wanted {
            properties: true,
            ..Wanted::NAMES
        };
        let mut facts = Arc::unwrap_or_clone(store.select(Select::Every, wanted)?);
        let is_report = |facts: &NoteFacts| {
            let kind = facts.properties.get("kenning");
            kind.is_some_and(|kind| kind == "report")
        };
        facts.retain(|facts| !OWN_NOTES.contains(&facts.path.as_str()) && !is_report(facts));
        facts.sort_by(|a, b| a.path.cmp(&b.path));
        let ids: Vec<NoteId> = facts.iter().map(|facts| facts.id).collect();
        let rows = store.notes(&ids)?;
        let mut vectors: HashMap<NoteId, Vec<f32>> = store.note_vectors()?.into_iter().collect();
        let mut notes = Vec::with_capacity(rows.len());
        for (row, facts) in rows.iter().zip(facts) {
            let mut tags: Vec<String> = row.tags.iter().map(|tag| tag.to_lowercase()).collect();
            tags.sort();
            tags.dedup();
            notes.push(Known {
                id: row.id,
                path: row.path.clone(),
                title: row.title.clone(),
                tags,
                aliases: row.aliases.clone(),
                headings: row
                    .headings
                    .iter()
                    .map(|heading| heading.text.to_lowercase())
                    .collect(),
                vector: vectors.remove(&row.id).unwrap_or_default(),
                pagerank: row.pagerank.unwrap_or(0.0),
                date: row.date.clone(),
                superseded_by: row.superseded_by.clone(),
                properties: facts.properties,
            });
        }
        centre(&mut notes);
        let links = links(store, &notes)?;
        Ok(Self { notes, links })
    }

    /// Returns the position of the note at a path.
    pub fn position(&self, path: &str) -> Option<usize> {
        self.notes
            .binary_search_by(|note| note.path.as_str().cmp(path))
            .ok()
    }

    /// Returns the notes nearest in meaning to one, the nearest first, with their cosines; among those that `is_wanted`.
    pub fn nearest(
        &self,
        note: usize,
        k: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Vec<(usize, f32)> {
        let own = &self.notes[note].vector;
        if own.is_empty() {
            return Vec::new();
        }
        let others = (0..self.notes.len()).filter(|&other| other != note && is_wanted(other));
        let mut found: Vec<(usize, f32)> = others
            .filter(|&other| !self.notes[other].vector.is_empty())
            .map(|other| (other, cosine(own, &self.notes[other].vector)))
            .collect();
        let by_nearness =
            |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if found.len() > k {
            found.select_nth_unstable_by(k, by_nearness);
            found.truncate(k);
        }
        found.sort_by(by_nearness);
        found
    }
}

/// The cosine of vectors of length 1.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 8];
    let (a, b) = (a.chunks(8), b.chunks(8));
    for (a, b) in a.zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

/// Takes what all notes have in common off each vector, and makes them of length 1.
fn centre(notes: &mut [Known]) {
    let n_dimensions = notes
        .iter()
        .map(|note| note.vector.len())
        .max()
        .unwrap_or(0);
    let mut mean = vec![0.0f32; n_dimensions];
    let mut n = 0.0f32;
    for note in notes
        .iter()
        .filter(|note| note.vector.len() == n_dimensions)
    {
        mean.iter_mut()
            .zip(&note.vector)
            .for_each(|(sum, value)| *sum += value);
        n += 1.0;
    }
    mean.iter_mut().for_each(|sum| *sum /= n.max(1.0));
    for note in notes {
        note.vector
            .iter_mut()
            .zip(&mean)
            .for_each(|(value, mean)| *value -= mean);
        unit(&mut note.vector);
    }
}

/// Gives a vector the length 1; what has none stays.
pub(crate) fn unit(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

fn links(store: &Store, notes: &[Known]) -> Result<Vec<Vec<usize>>> {
    let files = Files::new(store.files()?);
    let by_path: HashMap<&str, usize> = (notes.iter().enumerate())
        .map(|(at, note)| (note.path.as_str(), at))
        .collect();
    let by_id: HashMap<NoteId, usize> = (notes.iter().enumerate())
        .map(|(at, note)| (note.id, at))
        .collect();
    let mut links = vec![Vec::new(); notes.len()];
    let mut seen = HashSet::new();
    for link in store.links(LinksOf::Every)? {
        let Some(&source) = by_id.get(&link.source) else {
            continue;
        };
        let target = files.resolve(&notes[source].path, &link.target);
        let target = target.and_then(|target| by_path.get(target));
        if let Some(&target) = target.filter(|&&target| target != source)
            && seen.insert((source, target))
        {
            links[source].push(target);
        }
    }
    Ok(links)
}

/// Returns the words of a text that tell something, in lower case and in order.
pub(crate) fn telling_words(text: &str) -> Vec<String> {
    let lowered = words::words(text).map(|word| word.text.to_lowercase());
    lowered
        .filter(|word| word.chars().count() > 1 && !words::is_stop_word_anywhere(word))
        .collect()
}
