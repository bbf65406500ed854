//! What a person types into the search field: words that rank and conditions that hold. Pure.
//!
//! The grammar is Obsidian's, plus dates. Whatever is typed means something: a slip is read as
//! plain words, and a notice says so.

mod build;
mod date;
mod filter;
mod fold;
mod mend;
mod parts;
mod pattern;
mod property;
mod scan;
mod show;
#[cfg(test)]
mod tests;
mod token;
mod view;

pub use filter::{Expression, Filter, Matcher, TaskState, Text};
pub use pattern::Pattern;
pub use property::{Compare, Comparison, PropertyTest};
pub use view::View;

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
}

impl Request {
    /// Lets go of conditions that punctuation made and nobody meant: words in brackets, and quotes
    /// inside a sentence. They still rank.
    pub fn soften(&mut self, is_sentence: bool) {
        self.filter = self
            .filter
            .take()
            .and_then(|filter| soft(filter, is_sentence));
    }
}

fn soft(filter: Filter, is_sentence: bool) -> Option<Filter> {
    let is_plain = |filter: &Filter| match filter {
        Filter::Word(_) => true,
        Filter::Phrase(_) => is_sentence,
        _ => false,
    };
    match filter {
        filter if is_plain(&filter) => None,
        Filter::All(filters) => {
            let mut kept: Vec<Filter> = filters
                .into_iter()
                .filter_map(|filter| soft(filter, is_sentence))
                .collect();
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
