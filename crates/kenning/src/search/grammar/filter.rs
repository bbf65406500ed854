//! What must hold of a note, and what can be said of it without looking at one. Pure.

use jiff::civil::Date;

use super::fold::{collapse, fold};
use super::pattern::Pattern;
use super::property::PropertyTest;

/// A condition on a note, ready to be tested.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// All of them hold.
    All(Vec<Filter>),
    /// At least one holds.
    Any(Vec<Filter>),
    /// It does not hold.
    Not(Box<Filter>),
    /// A word of the note begins so.
    Word(Text),
    /// The note contains it, blanks counting alike.
    Phrase(Text),
    /// The expression matches.
    Regex(Expression),
    /// The note has the tag or one below it.
    Tag(Matcher),
    /// The note is of that type.
    Type(Matcher),
    /// The path in the vault contains it.
    Path(Matcher),
    /// The name of the file contains it.
    File(Matcher),
    /// The path in the vault is this one.
    At(String),
    /// The note lies below this folder.
    Below(String),
    /// It holds for one line.
    Line(Box<Filter>),
    /// It holds for one paragraph, heading or list item.
    Block(Box<Filter>),
    /// It holds for the text between two headings.
    Section(Box<Filter>),
    /// There is such a task, and it holds for it.
    Task(TaskState, Option<Box<Filter>>),
    /// A property passes the test.
    Property {
        /// Name of the property; case does not count.
        name: String,
        /// What is asked of its value.
        test: PropertyTest,
    },
    /// One of the note's dates lies in it.
    Dated {
        /// Which dates count.
        which: Which,
        /// The first day; `None` is any before.
        from: Option<Date>,
        /// The day after the last one; `None` is any after.
        to: Option<Date>,
    },
}

/// Which of its dates a condition on a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// All that it has.
    Any,
    /// When it was created.
    Created,
    /// When it was last modified.
    Modified,
    /// When it was published.
    Published,
}

/// Which tasks are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// Any `- [ ]`, `- [x]` or other mark.
    Any,
    /// `- [ ]`
    Todo,
    /// `- [x]`
    Done,
}

/// Words to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// As typed.
    pub(super) shown: String,
    /// As compared.
    pub(super) needle: String,
    /// Whether case and accents count.
    pub(super) is_cased: bool,
    /// Whether the note's names do not count, only what is written in it.
    pub(super) is_content: bool,
}

impl Text {
    pub(super) fn new(shown: &str, is_cased: bool, is_content: bool) -> Self {
        let shown = shown.trim();
        Self {
            shown: shown.to_owned(),
            needle: if is_cased {
                collapse(shown)
            } else {
                fold(shown)
            },
            is_cased,
            is_content,
        }
    }
}

/// A regular expression to look for.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The expression.
    pub(super) pattern: Pattern,
    /// Whether the note's names do not count, only what is written in it.
    pub(super) is_content: bool,
}

/// What a name or a path is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Matcher {
    /// Words.
    Text(Text),
    /// A regular expression.
    Pattern(Pattern),
}

impl Filter {
    /// The note with this path.
    pub(in crate::search) fn at(path: &str) -> Self {
        Self::At(plain_path(path).to_owned())
    }

    /// Every note below a folder.
    pub(in crate::search) fn below(folder: &str) -> Self {
        Self::Below(plain_path(folder).to_owned())
    }

    /// Every note with a tag or one below it.
    pub(in crate::search) fn tagged(tag: &str) -> Self {
        let tag = tag.trim().trim_start_matches('#');
        Self::Tag(Matcher::Text(Text::new(tag, false, false)))
    }

    pub(in crate::search) fn all(mut parts: Vec<Self>) -> Option<Self> {
        if parts.len() <= 1 {
            return parts.pop();
        }
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::All(inner) => flat.extend(inner),
                part => flat.push(part),
            }
        }
        join_dates(&mut flat);
        match flat.len() {
            1 => flat.pop(),
            _ => Some(Self::All(flat)),
        }
    }

    pub(super) fn negated(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            filter => Self::Not(Box::new(filter)),
        }
    }

    pub(in crate::search) fn any(mut parts: Vec<Self>) -> Option<Self> {
        if parts.len() <= 1 {
            return parts.pop();
        }
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::Any(inner) => flat.extend(inner),
                part => flat.push(part),
            }
        }
        Some(Self::Any(flat))
    }

    /// Whether the text of a note must be read to decide.
    pub(crate) fn needs_text(&self) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::needs_text),
            Self::Not(inner) => inner.needs_text(),
            Self::Word(_) | Self::Phrase(_) | Self::Regex(_) => true,
            Self::Line(_) | Self::Block(_) | Self::Section(_) | Self::Task(..) => true,
            Self::Tag(_) | Self::Type(_) | Self::Path(_) | Self::File(_) => false,
            Self::At(_) | Self::Below(_) => false,
            Self::Property { .. } | Self::Dated { .. } => false,
        }
    }

    /// Whether it asks for tasks, so that they are what is to be shown.
    pub(crate) fn asks_for_tasks(&self) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::asks_for_tasks),
            filter => matches!(filter, Self::Task(..)),
        }
    }

    /// Whether tags must be known to decide.
    pub(crate) fn reads_tags(&self) -> bool {
        self.has(&|filter| matches!(filter, Self::Tag(_)))
    }

    /// Whether the types of notes decide, too.
    pub(crate) fn reads_types(&self) -> bool {
        self.has(&|filter| matches!(filter, Self::Type(_)))
    }

    /// Whether properties must be known to decide, which may be tags and aliases, too.
    pub(crate) fn reads_properties(&self) -> bool {
        self.has(&|filter| matches!(filter, Self::Property { .. }))
    }

    /// Whether the dates of notes decide, too.
    pub fn reads_dates(&self) -> bool {
        self.has(&|filter| matches!(filter, Self::Dated { .. }))
    }

    /// Whether the day a note was last modified decides, too.
    pub(crate) fn reads_modified(&self) -> bool {
        let which = Which::Modified;
        self.has(&|filter| matches!(filter, Self::Dated { which: own, .. } if *own == which))
    }

    /// Whether a condition in it, at any depth, is of a kind.
    fn has(&self, is_of_kind: &dyn Fn(&Self) -> bool) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.has(is_of_kind)),
            Self::Not(inner) | Self::Line(inner) | Self::Block(inner) | Self::Section(inner) => {
                inner.has(is_of_kind)
            }
            Self::Task(_, Some(inner)) => inner.has(is_of_kind),
            filter => is_of_kind(filter),
        }
    }

    /// Returns a weaker filter that needs no text: whatever passes this one passes that one.
    ///
    /// `None` if nothing can be told without the text.
    pub(crate) fn meta_part(&self) -> Option<Self> {
        self.without_text(Bound::Weaker)
    }

    fn without_text(&self, bound: Bound) -> Option<Self> {
        let each = |parts: &[Self]| -> Vec<Option<Self>> {
            parts.iter().map(|part| part.without_text(bound)).collect()
        };
        match self {
            _ if !self.needs_text() => Some(self.clone()),
            // A weaker "all" may drop parts, a weaker "any" may not; for stronger ones it is
            // the other way round.
            Self::All(parts) if bound == Bound::Weaker => {
                Self::all(each(parts).into_iter().flatten().collect())
            }
            Self::All(parts) => Self::all(each(parts).into_iter().collect::<Option<_>>()?),
            Self::Any(parts) if bound == Bound::Weaker => {
                Self::any(each(parts).into_iter().collect::<Option<_>>()?)
            }
            Self::Any(parts) => Self::any(each(parts).into_iter().flatten().collect()),
            Self::Not(inner) => {
                let inner = inner.without_text(bound.opposite())?;
                Some(inner.negated())
            }
            Self::Line(inner)
            | Self::Block(inner)
            | Self::Section(inner)
            | Self::Task(_, Some(inner))
                if bound == Bound::Weaker =>
            {
                inner.without_text(bound)
            }
            _ => None,
        }
    }

    /// Returns how many conditions it is made of.
    pub(crate) fn n_conditions(&self) -> usize {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::n_conditions).sum(),
            Self::Not(inner)
            | Self::Line(inner)
            | Self::Block(inner)
            | Self::Section(inner)
            | Self::Task(_, Some(inner)) => inner.n_conditions(),
            _ => 1,
        }
    }
}

/// A path without what leads to the vault or ends a folder.
fn plain_path(path: &str) -> &str {
    let path = path.trim();
    path.strip_prefix("./").unwrap_or(path).trim_matches('/')
}

/// Makes one of `since:` and `before:`: the same date has to lie between them.
fn join_dates(filters: &mut Vec<Filter>) {
    let open = |filter: &Filter, has_from: bool| {
        matches!(filter, Filter::Dated { which: Which::Any, from, to }
            if from.is_some() == has_from && to.is_some() != has_from)
    };
    let since: Vec<usize> = (0..filters.len())
        .filter(|&n| open(&filters[n], true))
        .collect();
    let before: Vec<usize> = (0..filters.len())
        .filter(|&n| open(&filters[n], false))
        .collect();
    if let ([since], [before]) = (&since[..], &before[..])
        && let Filter::Dated { to, .. } = filters[*before]
        && let Filter::Dated { to: open_end, .. } = &mut filters[*since]
    {
        *open_end = to;
        filters.remove(*before);
    }
}

/// On which side of a filter an approximation lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Weaker,
    Stronger,
}

impl Bound {
    fn opposite(self) -> Self {
        match self {
            Self::Weaker => Self::Stronger,
            Self::Stronger => Self::Weaker,
        }
    }
}
