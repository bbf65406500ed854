//! What the picker knows: what was typed, what was found, and what is looked at. Pure.

use super::complete::{Completion, Vocabulary};
use super::input::Input;
use crate::wire::Hit;

/// Everything that is on the screen.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(super) input: Input,
    /// What was found, best first; with nothing typed, the notes that changed last.
    pub(super) items: Vec<Item>,
    pub(super) selected: usize,
    /// The first item on the screen.
    pub(super) top: usize,
    /// The note of the selected item.
    pub(super) preview: Option<Preview>,
    /// Lines that the preview was moved by, from where its passage begins.
    pub(super) preview_moved: isize,
    pub(super) completion: Option<Completion>,
    pub(super) vocabulary: Vocabulary,
    pub(super) is_helping: bool,
    /// What is said of the last answer.
    pub(super) said: String,
    /// What was just done, until the next key.
    pub(super) message: Option<String>,
    /// How many questions were asked: an answer to an earlier one is stale.
    pub(super) n_asked: u64,
    pub(super) is_waiting: bool,
}

/// One line of the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Item {
    pub(crate) domain: Option<String>,
    pub(crate) path: String,
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    /// Title and headings above it.
    pub(crate) breadcrumb: Vec<String>,
    pub(crate) date: Option<String>,
    pub(crate) excerpt: String,
    /// Ranges of characters of the excerpt that were asked for.
    pub(crate) marks: Vec<(usize, usize)>,
    pub(crate) uri: String,
}

impl From<Hit> for Item {
    fn from(hit: Hit) -> Self {
        Self {
            domain: hit.domain,
            path: hit.path,
            start_line: hit.start_line,
            end_line: hit.end_line,
            breadcrumb: hit.breadcrumb,
            date: hit.date,
            excerpt: hit.excerpt,
            marks: hit.highlights,
            uri: hit.uri,
        }
    }
}

impl Item {
    /// Returns the words that are marked, in lower case.
    pub(super) fn words(&self) -> Vec<Vec<char>> {
        let chars: Vec<char> = self.excerpt.chars().collect();
        let ranges = self.marks.iter();
        let words = ranges.filter_map(|&(start, end)| chars.get(start..end));
        let mut words: Vec<Vec<char>> = words
            .map(|word| word.iter().map(|c| lower(*c)).collect())
            .collect();
        words.sort();
        words.dedup();
        words
    }

    /// Returns a link to it, as notes have them.
    pub(super) fn link(&self) -> String {
        let name = self.path.strip_suffix(".md").unwrap_or(&self.path);
        let heading = self.breadcrumb.get(1..).and_then(<[String]>::last);
        match heading {
            Some(heading) => format!("[[{name}#{heading}]]"),
            None => format!("[[{name}]]"),
        }
    }

    /// Whether both stand in the same note.
    pub(super) fn is_of(&self, preview: &Preview) -> bool {
        self.path == preview.path && self.domain == preview.domain
    }
}

/// The text of a note.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Preview {
    pub(crate) domain: Option<String>,
    pub(crate) path: String,
    pub(crate) lines: Vec<String>,
}

/// What the notes answered.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The number of the question.
    pub(crate) number: u64,
    pub(crate) items: Vec<Item>,
    pub(crate) said: String,
}

impl State {
    /// Returns the item that is looked at.
    pub(super) fn item(&self) -> Option<&Item> {
        self.items.get(self.selected)
    }
}

/// Returns a character in lower case, as far as that is one.
pub(super) fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}
