//! Notes by what holds of them, and what notes have in common, without ranking.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use kenning::search::Mode;
use kenning::search::grammar::{TaskState, tasks};
use kenning::store::{NoteRow, Part, Select, Wanted};

use super::{SearchRequest, Searcher};

/// More notes than a vault has.
const EVERY_NOTE: u32 = 10_000_000;

impl Searcher {
    /// Counts the notes of each tag; a note that has one below it counts, too.
    pub(crate) fn tags(&self) -> Result<BTreeMap<String, usize>> {
        let wanted = Wanted {
            tags: true,
            ..Wanted::NAMES
        };
        let facts = self.with_store(|store| Ok(store.select(Select::Every, wanted)?))?;
        let mut counts = BTreeMap::new();
        for note in facts.iter() {
            let mut tags: Vec<&str> = Vec::new();
            for tag in &note.tags {
                let above = tag.match_indices('/').map(|(at, _)| &tag[..at]);
                tags.extend(above.chain([tag.as_str()]));
            }
            tags.sort_unstable();
            tags.dedup();
            for tag in tags {
                *counts.entry(tag.to_owned()).or_default() += 1;
            }
        }
        Ok(counts)
    }

    /// Lists the names that notes are called by in a command: their paths.
    pub(crate) fn paths(&self) -> Result<Vec<String>> {
        let facts = self.with_store(|store| Ok(store.select(Select::Every, Wanted::NAMES)?))?;
        let mut paths: Vec<String> = facts.iter().map(|note| note.path.clone()).collect();
        paths.sort();
        Ok(paths)
    }

    /// Lists the notes that meet the conditions of a query; of none, all.
    pub(crate) fn meeting(&self, query: &str) -> Result<Vec<Arc<NoteRow>>> {
        if query.trim().is_empty() {
            return self.with_store(|store| {
                let facts = store.select(Select::Every, Wanted::NAMES)?;
                let ids: Vec<_> = facts.iter().map(|note| note.id).collect();
                Ok(store.notes(&ids)?)
            });
        }
        let answer = self.search(&SearchRequest {
            query: query.to_owned(),
            limit: Some(EVERY_NOTE),
            per_note: Some(1),
            mode: Some(Mode::Lexical),
            ..SearchRequest::default()
        })?;
        Ok(answer.answer.hits.into_iter().map(|hit| hit.note).collect())
    }

    /// Lists the tasks of a note that say something, by line.
    pub(crate) fn tasks(&self, note: &NoteRow, state: TaskState) -> Result<Vec<(usize, String)>> {
        let text = self.with_store(|store| Ok(store.text(note.id, &Part::File)?))?;
        let found = tasks(&text, state).map(|(number, said)| (number + 1, said.trim().to_owned()));
        Ok(found.filter(|(_, said)| !said.is_empty()).collect())
    }
}
