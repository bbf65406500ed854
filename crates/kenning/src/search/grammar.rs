//! What a person types into the search field: words that rank and conditions that hold. Pure.
//!
//! The grammar is Obsidian's, plus dates. Whatever is typed means something: a slip is read as
//! plain words, and a notice says so.

mod build;
mod date;
mod filter;
mod fold;
mod lead;
mod mend;
mod parts;
mod pattern;
mod property;
mod scan;
mod show;
#[cfg(test)]
mod tests;
mod time;
mod token;
mod tongue;
mod view;

pub use filter::{Expression, Filter, Matcher, TaskState, Text, Which};
pub use parts::tasks;
pub use pattern::Pattern;
pub use property::{Compare, Comparison, PropertyTest};
pub(crate) use time::is_asking;
pub use time::{Time, find as time_in};
pub use view::{Dates, View};

use jiff::civil::Date;

/// A query, understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// What ranks: free words and the words of what must be in the text, in order, without operators.
    pub words: String,
    /// What must hold of every hit.
    pub filter: Option<Filter>,
    /// Names in `[[…]]`: their notes come first.
    pub pinned: Vec<String>,
    /// Bare `#tags`, without `#`: their notes are among the hits.
    pub tags: Vec<String>,
    /// The day whose state of the notes is asked for.
    pub as_of: Option<Date>,
    /// What the person should know about how the query was read.
    pub notices: Vec<String>,
    /// Whether the last of the words is only the start of one.
    pub is_prefix: bool,
    /// Whether a note is called exactly so.
    pub is_name: bool,
}

impl Request {
    /// Lets go of conditions that punctuation made and nobody meant. Words in brackets only rank. In
    /// a sentence so do quotes, and dashes and slashes are punctuation, unless the last thing that
    /// was typed is left out on purpose.
    pub(crate) fn soften(&mut self, text: &str, is_sentence: bool) {
        let ends_in_negation = text
            .split_whitespace()
            .next_back()
            .is_some_and(|word| word.starts_with('-'));
        let is_prose = self.filter.as_ref().is_some_and(is_punctuation);
        if is_sentence && is_prose && !ends_in_negation {
            text.trim().clone_into(&mut self.words);
            self.filter = None;
            self.is_prefix = false;
        } else {
            self.filter = self.filter.take().and_then(soft);
        }
    }
}

/// Whether a condition is made of quotes, brackets, dashes and slashes alone.
fn is_punctuation(filter: &Filter) -> bool {
    match filter {
        Filter::Word(_) | Filter::Phrase(_) | Filter::Regex(_) => true,
        Filter::Not(inner) => is_punctuation(inner),
        Filter::All(filters) => filters.iter().all(is_punctuation),
        _ => false,
    }
}

fn soft(filter: Filter) -> Option<Filter> {
    match filter {
        Filter::Word(_) => None,
        Filter::All(filters) => {
            let mut kept: Vec<Filter> = filters.into_iter().filter_map(soft).collect();
            match kept.len() {
                0 | 1 => kept.pop(),
                _ => Some(Filter::All(kept)),
            }
        }
        filter => Some(filter),
    }
}

/// Understands what was typed on the day `today`.
pub fn parse(text: &str, today: Date) -> Request {
    build::build(text, today)
}
