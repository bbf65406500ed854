//! Which notes a filter lets through. What the rows tell is decided at once; texts are read only
//! for notes that would be hits.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use jiff::ToSpan;

use super::SearchContext;
use super::grammar::{Dates, Filter, Request, View, Which};
use super::scope::Scope;
use super::when::{When, dates_of};
use crate::budget::Budget;
use crate::error::Result;
use crate::note::{self, Heading};
use crate::store::{ChunkRow, NoteFacts, NoteId, NoteRow, NoteSet, Part, Select, Store, Wanted};

/// Most texts that are read to see whether they name a time.
const TEXTS_MAX: usize = 300;

/// The notes that may be hits.
pub(super) struct Selection<'a> {
    store: &'a Store,
    budget: &'a Budget,
    /// Those that may be read at all.
    in_scope: NoteSet,
    /// Those of them that the rows let through.
    by_rows: NoteSet,
    /// What only the text can tell.
    by_text: Option<Filter>,
    /// A time that the question is about, and how many texts may still be read for it.
    when: Option<Rc<When>>,
    n_texts_left: Cell<usize>,
    decided: RefCell<HashMap<NoteId, bool>>,
}

impl<'a> Selection<'a> {
    /// Decides what the rows can tell.
    pub(super) fn new(
        cx: &SearchContext<'a>,
        request: &Request,
        scope: Option<&Scope>,
    ) -> Result<Self> {
        let (store, budget) = (cx.store, cx.budget);
        let mut filter = request.filter.clone();
        if let Some(day) = request.as_of.and_then(|day| day.checked_add(1.days()).ok()) {
            let dated = Filter::Dated {
                which: Which::Any,
                from: None,
                to: Some(day),
            };
            filter = Some(match filter {
                Some(filter) => Filter::All(vec![filter, dated]),
                None => dated,
            });
        }
        let in_scope = match scope {
            Some(scope) => scope.notes(store, budget)?,
            None => NoteSet::every(),
        };
        let by_rows = match filter.as_ref().and_then(Filter::meta_part) {
            Some(part) => in_scope.and(&passing(store, Select::Every, &part, budget)?),
            None => in_scope.clone(),
        };
        budget.check()?;
        Ok(Self {
            store,
            budget,
            in_scope,
            by_rows,
            by_text: filter.filter(Filter::needs_text),
            when: None,
            n_texts_left: Cell::new(TEXTS_MAX),
            decided: RefCell::default(),
        })
    }

    /// Leaves out notes that are neither of the time nor name it.
    pub(super) fn limited_to(self, when: Option<Rc<When>>) -> Self {
        Self { when, ..self }
    }

    /// Whether a note may be read at all.
    pub(super) fn may_read(&self, note: NoteId) -> bool {
        self.in_scope.contains(note)
    }

    /// Returns the notes that their rows let through; texts may leave out some of them.
    pub(super) fn by_rows(&self) -> &NoteSet {
        &self.by_rows
    }

    /// Returns those of them that are of the time, as far as their rows tell.
    pub(super) fn of_time(&self) -> Cow<'_, NoteSet> {
        match &self.when {
            Some(when) => Cow::Owned(self.by_rows.and(&when.notes)),
            None => Cow::Borrowed(&self.by_rows),
        }
    }

    /// Whether texts have to be read to decide.
    pub(super) fn reads_texts(&self) -> bool {
        self.by_text.is_some() || self.when.is_some()
    }

    /// Whether a passage has to show why its note was let through.
    pub(super) fn shows_texts(&self) -> bool {
        self.by_text.is_some()
    }

    /// Whether tasks are asked for, each of which is to be shown.
    pub(super) fn shows_tasks(&self) -> bool {
        self.by_text.as_ref().is_some_and(Filter::asks_for_tasks)
    }

    /// Whether a note may be a hit; reads its text if need be.
    pub(super) fn has(&self, note: NoteId) -> Result<bool> {
        let unnamed = self.when.as_deref().filter(|when| !when.has(note));
        let may_have = self.by_rows.contains(note);
        if !may_have || self.by_text.is_none() && unnamed.is_none() {
            return Ok(may_have);
        }
        if let Some(&known) = self.decided.borrow().get(&note) {
            return Ok(known);
        }
        let is_wanted = self.decide(note, unnamed)?;
        self.decided.borrow_mut().insert(note, is_wanted);
        Ok(is_wanted)
    }

    fn decide(&self, note: NoteId, unnamed: Option<&When>) -> Result<bool> {
        if unnamed.is_some() {
            // A text that names the time is worth a look, but not at every note of the vault.
            let Some(n_left) = self.n_texts_left.get().checked_sub(1) else {
                return Ok(false);
            };
            self.n_texts_left.set(n_left);
        }
        let text = self.store.text(note, &Part::Whole)?;
        if unnamed.is_some_and(|when| !when.time.is_named_in(&text)) {
            return Ok(false);
        }
        let Some(filter) = &self.by_text else {
            return Ok(true);
        };
        let wanted = Wanted {
            tags: true,
            properties: true,
            ..wanted(filter)
        };
        let facts = self.store.select(Select::Notes(&[note]), wanted)?;
        let row = self.store.note(note)?;
        let is_met = matches(filter, &facts[0], &text, &row.headings, self.budget);
        // What was not looked at to the end is neither.
        self.budget.check()?;
        Ok(is_met)
    }

    /// Whether a passage itself holds what its note was let through for.
    pub(super) fn is_shown_by(&self, note: &NoteRow, chunk: &ChunkRow, passage: &str) -> bool {
        let headings = note::headings_in(&note.headings, &chunk.range);
        self.by_text
            .as_ref()
            .is_none_or(|filter| filter.positive_text_matches(passage, &headings, self.budget))
    }

    /// Returns every note that may be a hit, newest first.
    pub(super) fn all(&self) -> Result<Vec<NoteId>> {
        let mut facts = Arc::unwrap_or_clone(self.store.select(Select::Every, Wanted::NAMES)?);
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

impl Scope {
    /// Whether a note of the store may be read.
    pub fn has(&self, store: &Store, note: NoteId, budget: &Budget) -> Result<bool> {
        let found = passing(store, Select::Notes(&[note]), &self.filter(), budget)?;
        Ok(found.contains(note))
    }

    /// Returns every note that may be read.
    pub fn notes(&self, store: &Store, budget: &Budget) -> Result<NoteSet> {
        passing(store, Select::Every, &self.filter(), budget)
    }
}

/// Returns those of some notes that a filter lets through that needs no text.
pub(super) fn passing(
    store: &Store,
    which: Select<'_>,
    filter: &Filter,
    budget: &Budget,
) -> Result<NoteSet> {
    let facts = store.select(which, wanted(filter))?;
    let passing = facts
        .iter()
        .filter(|facts| matches(filter, facts, "", &[], budget));
    let notes = passing.map(|facts| facts.id).collect();
    // What was not looked at to the end is neither.
    budget.check()?;
    Ok(notes)
}

/// What a filter looks at.
fn wanted(filter: &Filter) -> Wanted {
    Wanted {
        tags: filter.reads_tags() || filter.reads_properties(),
        properties: filter.reads_properties(),
        commits: filter.reads_modified(),
        standing: filter.reads_types(),
        ..Wanted::NAMES
    }
}

fn matches(
    filter: &Filter,
    facts: &NoteFacts,
    text: &str,
    headings: &[Heading],
    budget: &Budget,
) -> bool {
    let mut names = facts.aliases.clone();
    names.push(facts.title.clone());
    let body_start = note::body_start(text);
    let view = View {
        path: &facts.path,
        tags: &facts.tags,
        types: [
            facts.standing.kind.as_deref(),
            facts.memory_type.map(note::MemoryType::name),
        ],
        aliases: &names,
        properties: &facts.properties,
        dates: match filter.reads_dates() {
            true => dates_of(facts),
            false => Dates::default(),
        },
        text: &|| text,
        body_start,
        headings: &note::headings_in(headings, &(body_start..text.len())),
    };
    filter.matches(&view, budget)
}
