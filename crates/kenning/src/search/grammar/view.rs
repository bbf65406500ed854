//! Filters put to notes. Pure; the text of a note is asked for only when nothing else decides.

use std::cell::OnceCell;
use std::ops::Range;

use jiff::civil::Date;
use serde_json::{Map, Value};

use super::filter::{Filter, Matcher, Text, Which};
use super::fold::{collapse, finds_word, fold, is_same_ignoring_case};
use super::parts;
use crate::budget::Budget;

/// Units of work that a condition costs beside what it looks at.
const CONDITION_COST: u64 = 16;
/// Units that it costs to bring a byte into the form in which it is compared.
const REWRITE_COST: u64 = 2;
/// Bytes that are looked through for a word in one unit.
const BYTES_PER_UNIT: u64 = 4;

/// What a filter may look at of a note.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Path in the vault, with `/`.
    pub path: &'a str,
    /// Its tags, with or without `#`.
    pub tags: &'a [String],
    /// What it says it is, and what it is to an agent's memory.
    pub types: [Option<&'a str>; 2],
    /// Its other names.
    pub aliases: &'a [String],
    /// Its front matter.
    pub properties: &'a Map<String, Value>,
    /// The days it is of.
    pub dates: Dates,
    /// Reads its text; called once at most, and only if needed.
    pub text: &'a dyn Fn() -> &'a str,
    /// Where the text behind the front matter starts.
    pub body_start: usize,
    /// Where its headings stand in that text, in order.
    pub headings: &'a [Range<usize>],
}

/// The days a note is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dates {
    /// As the note says itself.
    pub created: Option<Date>,
    /// As the note says itself.
    pub modified: Option<Date>,
    /// As the note says itself.
    pub published: Option<Date>,
    /// As its name says.
    pub named: Option<Date>,
    /// As git or the file system tells.
    pub changed: Option<Date>,
}

impl Dates {
    /// Returns the days that are asked for. What a note says of itself goes before its name, and
    /// both before what others tell: a copy of a file is not a new note.
    pub fn of(self, which: Which) -> impl Iterator<Item = Date> {
        let Self {
            created,
            modified,
            published,
            named,
            changed,
        } = self;
        let days = match which {
            Which::Created => [created.or(named).or(published), None, None, None],
            Which::Modified => [modified.or(changed), None, None, None],
            Which::Published => [published.or(named), None, None, None],
            Which::Any => match created.or(modified).or(published).or(named) {
                Some(_) => [created, modified, published, named],
                None => [changed, None, None, None],
            },
        };
        days.into_iter().flatten()
    }
}

impl Filter {
    /// Whether the note passes.
    ///
    /// What it says after the budget is used up means nothing.
    pub fn matches(&self, note: &View<'_>, budget: &Budget) -> bool {
        Judge::of_note(note, budget).holds(self, None, true)
    }

    /// Whether a passage itself contains one of the texts that are asked for. `headings` are where those
    /// of the passage stand in it.
    pub(crate) fn positive_text_matches(
        &self,
        passage: &str,
        headings: &[Range<usize>],
        budget: &Budget,
    ) -> bool {
        let judge = Judge::of_passage(passage, headings, budget);
        self.any_positive_text(&|filter| judge.holds(filter, None, true))
    }

    fn any_positive_text(&self, holds: &dyn Fn(&Self) -> bool) -> bool {
        match self {
            // Beside tasks, other words only choose the notes.
            Self::All(parts) if self.asks_for_tasks() => {
                let mut tasks = parts.iter().filter(|part| part.asks_for_tasks());
                tasks.any(|part| part.any_positive_text(holds))
            }
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().any(|part| part.any_positive_text(holds))
            }
            Self::Not(_) => false,
            filter => filter.needs_text() && holds(filter),
        }
    }
}

/// A piece of text in the forms it is compared in, each made when first needed.
struct Scope<'a> {
    raw: &'a str,
    folded: OnceCell<String>,
    collapsed: OnceCell<String>,
}

impl<'a> Scope<'a> {
    fn new(raw: &'a str) -> Self {
        Self {
            raw,
            folded: OnceCell::new(),
            collapsed: OnceCell::new(),
        }
    }

    /// Returns the text as it is compared; none of it once the budget is used up.
    fn compared(&self, text: &Text, budget: &Budget) -> &str {
        let n_bytes = self.raw.len() as u64;
        let form = match text.is_cased {
            true => &self.collapsed,
            false => &self.folded,
        };
        let made = if form.get().is_none() {
            REWRITE_COST * n_bytes
        } else {
            0
        };
        if !budget.spend(made + n_bytes / BYTES_PER_UNIT) {
            return "";
        }
        form.get_or_init(|| match text.is_cased {
            true => collapse(self.raw),
            false => fold(self.raw),
        })
    }
}

/// Decides about one note, or about one passage of an unknown note.
struct Judge<'v, 'a> {
    budget: &'v Budget,
    view: Option<&'v View<'a>>,
    /// Where headings stand in the body.
    headings: &'v [Range<usize>],
    names: Vec<Scope<'a>>,
    body: OnceCell<Scope<'a>>,
}

impl<'v, 'a> Judge<'v, 'a> {
    fn of_note(view: &'v View<'a>, budget: &'v Budget) -> Self {
        let name = file_name(view.path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let aliases = view.aliases.iter().map(String::as_str);
        Self {
            budget,
            view: Some(view),
            headings: view.headings,
            names: std::iter::once(stem)
                .chain(aliases)
                .map(Scope::new)
                .collect(),
            body: OnceCell::new(),
        }
    }

    fn of_passage(passage: &'a str, headings: &'v [Range<usize>], budget: &'v Budget) -> Self {
        Self {
            budget,
            view: None,
            headings,
            names: Vec::new(),
            body: OnceCell::from(Scope::new(passage)),
        }
    }

    fn body(&self) -> &Scope<'a> {
        self.body.get_or_init(|| {
            let Some(view) = self.view else {
                return Scope::new("");
            };
            let text = (view.text)();
            Scope::new(text.get(view.body_start..).unwrap_or(text))
        })
    }

    /// Whether `filter` holds in `part` of the note, or in the whole of it.
    ///
    /// What cannot be known of a passage is taken to be as `assumed`.
    fn holds(&self, filter: &Filter, part: Option<&Scope<'_>>, assumed: bool) -> bool {
        let of_view = |test: &dyn Fn(&View<'_>) -> bool| self.view.map_or(assumed, test);
        if !self.budget.spend(CONDITION_COST) {
            return false;
        }
        match filter {
            Filter::All(parts) => {
                cheapest_first(parts).all(|filter| self.holds(filter, part, assumed))
            }
            Filter::Any(parts) => {
                cheapest_first(parts).any(|filter| self.holds(filter, part, assumed))
            }
            // Assuming the best of the whole is assuming the worst of what it must not be.
            Filter::Not(inner) => !self.holds(inner, part, !assumed),
            Filter::Word(text) => self.finds(part, text.is_content, &|scope| {
                finds_word(scope.compared(text, self.budget), &text.needle)
            }),
            Filter::Phrase(text) => self.finds(part, text.is_content, &|scope| {
                scope.compared(text, self.budget).contains(&text.needle)
            }),
            Filter::Regex(regex) => self.finds(part, regex.is_content, &|scope| {
                regex.pattern.is_match(scope.raw, self.budget)
            }),
            Filter::Tag(tag) => of_view(&|view| {
                let mut tags = view.tags.iter();
                tags.any(|have| has_tag(have, tag, self.budget))
            }),
            Filter::Type(wanted) => of_view(&|view| {
                let mut types = view.types.into_iter().flatten();
                types.any(|have| is_just(wanted, have, self.budget))
            }),
            Filter::Path(matcher) => of_view(&|view| is_in(matcher, view.path, self.budget)),
            Filter::File(matcher) => {
                of_view(&|view| is_in(matcher, file_name(view.path), self.budget))
            }
            Filter::At(path) => of_view(&|view| !path.is_empty() && view.path == path),
            Filter::Below(folder) => of_view(&|view| {
                let below = view.path.strip_prefix(folder.as_str());
                !folder.is_empty() && below.is_some_and(|below| below.starts_with('/'))
            }),
            Filter::Property { name, test } => {
                of_view(&|view| test.holds(name, view.properties, self.budget))
            }
            Filter::Dated { which, from, to } => of_view(&|view| {
                let is_in =
                    |day: Date| from.is_none_or(|from| from <= day) && to.is_none_or(|to| day < to);
                view.dates.of(*which).any(is_in)
            }),
            Filter::Line(_) | Filter::Block(_) | Filter::Section(_) | Filter::Task(..) => {
                self.holds_in_a_part(filter, part.unwrap_or_else(|| self.body()), part, assumed)
            }
        }
    }

    /// Looks in the names and the text, or in the text only.
    fn finds(
        &self,
        part: Option<&Scope<'_>>,
        is_content: bool,
        found: &dyn Fn(&Scope<'_>) -> bool,
    ) -> bool {
        match part {
            Some(part) => found(part),
            None => (!is_content && self.names.iter().any(found)) || found(self.body()),
        }
    }

    fn holds_in_a_part(
        &self,
        filter: &Filter,
        whole: &Scope<'_>,
        part: Option<&Scope<'_>>,
        assumed: bool,
    ) -> bool {
        let holds = |inner: &Filter, raw: &str| self.holds(inner, Some(&Scope::new(raw)), assumed);
        let may_hold = |inner: &Filter| may_hold(inner, whole, self.budget);
        // Inside of a part, nothing is cut once more.
        let headings = match part {
            None => self.headings,
            Some(_) => &[],
        };
        match filter {
            Filter::Line(inner) => {
                may_hold(inner) && whole.raw.lines().any(|line| holds(inner, line))
            }
            Filter::Block(inner) => {
                let blocks = || parts::blocks(whole.raw, headings);
                may_hold(inner) && blocks().into_iter().any(|raw| holds(inner, raw))
            }
            Filter::Section(inner) => {
                // A passage is taken to be of one section.
                let headings = self.view.map_or(&[][..], |_| headings);
                let sections = || parts::sections(whole.raw, headings);
                may_hold(inner) && sections().into_iter().any(|raw| holds(inner, raw))
            }
            Filter::Task(state, inner) => {
                let inner = inner.as_deref();
                inner.is_none_or(may_hold)
                    && parts::tasks(whole.raw, *state)
                        .any(|(_, raw)| inner.is_none_or(|inner| holds(inner, raw)))
            }
            _ => false,
        }
    }
}

/// Whether a part of `whole` may pass: it cannot contain what the whole does not.
///
/// Most notes fail here, before they are cut into lines.
fn may_hold(filter: &Filter, whole: &Scope<'_>, budget: &Budget) -> bool {
    match filter {
        Filter::All(parts) => parts.iter().all(|part| may_hold(part, whole, budget)),
        Filter::Any(parts) => parts.iter().any(|part| may_hold(part, whole, budget)),
        Filter::Word(text) | Filter::Phrase(text) => {
            let needle = text.needle.trim();
            whole.compared(text, budget).contains(needle)
        }
        _ => true,
    }
}

/// Returns first what needs no text.
fn cheapest_first(parts: &[Filter]) -> impl Iterator<Item = &Filter> {
    let cheap = parts.iter().filter(|part| !part.needs_text());
    cheap.chain(parts.iter().filter(|part| part.needs_text()))
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn is_in(matcher: &Matcher, name: &str, budget: &Budget) -> bool {
    if !budget.spend(name.len() as u64) {
        return false;
    }
    match matcher {
        Matcher::Text(text) if text.is_cased => name.contains(&text.shown),
        Matcher::Text(text) => fold(name).contains(&text.needle),
        Matcher::Pattern(pattern) => pattern.is_match(name, budget),
    }
}

/// Whether a name is the one that is asked for, and not only contains it.
fn is_just(wanted: &Matcher, have: &str, budget: &Budget) -> bool {
    if !budget.spend(have.len() as u64) {
        return false;
    }
    match wanted {
        Matcher::Pattern(pattern) => pattern.is_match(have, budget),
        Matcher::Text(text) if text.is_cased => have.trim() == text.shown,
        Matcher::Text(text) => is_same_ignoring_case(have.trim(), &text.shown),
    }
}

/// `work` is there as `work` and as `work/today`, but not as `my/work` or `workshop`.
fn has_tag(have: &str, wanted: &Matcher, budget: &Budget) -> bool {
    if !budget.spend(have.len() as u64) {
        return false;
    }
    let have = have.trim_start_matches('#');
    let wanted = match wanted {
        Matcher::Pattern(pattern) => return pattern.is_match(have, budget),
        Matcher::Text(text) => text,
    };
    let mut starts = have
        .match_indices('/')
        .map(|(at, _)| &have[..at])
        .chain(std::iter::once(have));
    starts.any(|start| {
        if wanted.is_cased {
            start == wanted.shown
        } else {
            is_same_ignoring_case(start, &wanted.shown)
        }
    })
}
