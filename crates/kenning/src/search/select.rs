//! Which notes a filter lets through. What the rows tell is decided at once; texts are read only
//! for notes that would be hits.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use jiff::ToSpan;

use super::grammar::{Filter, Request, View};
use crate::error::Result;
use crate::note;
use crate::store::{NoteFacts, NoteId, Store, Wanted};

/// The notes that may be hits.
pub(super) struct Selection<'a> {
    store: &'a Store,
    /// Those the rows let through; `None` is all.
    by_rows: Option<HashSet<NoteId>>,
    /// What only the text can tell.
    by_text: Option<Filter>,
    decided: RefCell<HashMap<NoteId, bool>>,
}

impl<'a> Selection<'a> {
    /// Decides what the rows can tell.
    pub(super) fn new(store: &'a Store, request: &Request) -> Result<Self> {
        let mut filter = request.filter.clone();
        if let Some(day) = request.as_of.and_then(|day| day.checked_add(1.days()).ok()) {
            let dated = Filter::Before(day);
            filter = Some(match filter {
                Some(filter) => Filter::All(vec![filter, dated]),
                None => dated,
            });
        }
        let by_rows = match filter.as_ref().and_then(Filter::meta_part) {
            None => None,
            Some(part) => Some(
                store
                    .facts(wanted(&part))?
                    .iter()
                    .filter(|facts| matches(&part, facts, ""))
                    .map(|facts| facts.id)
                    .collect(),
            ),
        };
        Ok(Self {
            store,
            by_rows,
            by_text: filter.filter(Filter::needs_text),
            decided: RefCell::default(),
        })
    }

    /// Whether nothing is left out.
    pub(super) fn is_everything(&self) -> bool {
        self.by_rows.is_none() && self.by_text.is_none()
    }

    /// Whether texts have to be read to decide.
    pub(super) fn reads_texts(&self) -> bool {
        self.by_text.is_some()
    }

    /// Whether the rows of a note let it through.
    pub(super) fn has_row(&self, note: NoteId) -> bool {
        self.by_rows
            .as_ref()
            .is_none_or(|notes| notes.contains(&note))
    }

    /// Whether a note may be a hit; reads its text if need be.
    pub(super) fn has(&self, note: NoteId) -> Result<bool> {
        let Some(filter) = self.by_text.as_ref().filter(|_| self.has_row(note)) else {
            return Ok(self.has_row(note));
        };
        if let Some(&known) = self.decided.borrow().get(&note) {
            return Ok(known);
        }
        let text = self.store.text(note)?;
        let is_wanted = matches(filter, &self.store.facts_of(note)?, &text);
        self.decided.borrow_mut().insert(note, is_wanted);
        Ok(is_wanted)
    }

    /// Whether a passage itself holds what its note was let through for.
    pub(super) fn is_shown_by(&self, passage: &str) -> bool {
        self.by_text
            .as_ref()
            .is_none_or(|filter| filter.positive_text_matches(passage))
    }

    /// Returns every note that may be a hit, newest first.
    pub(super) fn all(&self) -> Result<Vec<NoteId>> {
        let mut facts = self.store.facts(Wanted::Names)?;
        facts.sort_by(|a, b| (&b.date, &a.path).cmp(&(&a.date, &b.path)));
        let mut notes = Vec::new();
        for fact in facts {
            if self.has(fact.id)? {
                notes.push(fact.id);
            }
        }
        Ok(notes)
    }
}

/// What a filter looks at.
fn wanted(filter: &Filter) -> Wanted {
    match (filter.reads_properties(), filter.reads_tags()) {
        (true, _) => Wanted::All,
        (false, true) => Wanted::Tags,
        (false, false) => Wanted::Names,
    }
}

fn matches(filter: &Filter, facts: &NoteFacts, text: &str) -> bool {
    let mut names = facts.aliases.clone();
    names.push(facts.title.clone());
    let headings = if text.is_empty() {
        Vec::new()
    } else {
        headings(text)
    };
    filter.matches(&View {
        path: &facts.path,
        tags: &facts.tags,
        aliases: &names,
        properties: &facts.properties,
        date: facts.date.as_deref().and_then(|date| date.parse().ok()),
        text: &|| text,
        headings: &headings,
        body_start: note::body_start(text),
    })
}

/// Finds the headings of a text, as far as lines alone can tell.
fn headings(text: &str) -> Vec<(usize, u8)> {
    let mut found = Vec::new();
    let (mut at, mut is_code) = (0, false);
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let level = line.bytes().take_while(|&byte| byte == b'#').count();
        if !is_code && (1..=6).contains(&level) && line[level..].starts_with(' ') {
            found.push((at, level as u8));
        }
        at += line.len();
    }
    found
}
