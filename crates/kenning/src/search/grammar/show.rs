//! A filter in words, for `--explain`. Pure.

use std::fmt::{self, Display, Formatter};

use jiff::civil::Date;

use super::filter::{Expression, Filter, Matcher, TaskState, Text, Which};
use super::property::{Comparison, PropertyTest};

impl Display for Filter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::All(parts) => joined(f, parts, " AND "),
            Self::Any(parts) => joined(f, parts, " OR "),
            Self::Not(inner) => {
                f.write_str("NOT ")?;
                bracketed(f, inner)
            }
            Self::Word(text) => searched(f, text, &text.shown),
            Self::Phrase(text) => searched(f, text, &quoted(&text.shown)),
            Self::Regex(Expression {
                pattern,
                is_content,
            }) => marked(f, pattern.is_cased(), *is_content, &pattern.shown()),
            Self::Tag(matcher) => named(f, "tag:", matcher),
            Self::Type(matcher) => named(f, "type:", matcher),
            Self::Path(matcher) => named(f, "path:", matcher),
            Self::File(matcher) => named(f, "file:", matcher),
            Self::At(path) => write!(f, "at:{path}"),
            Self::Below(folder) => write!(f, "below:{folder}/"),
            Self::Line(inner) => scoped(f, "line:", inner),
            Self::Block(inner) => scoped(f, "block:", inner),
            Self::Section(inner) => scoped(f, "section:", inner),
            Self::Task(state, inner) => {
                let name = match state {
                    TaskState::Any => "task:",
                    TaskState::Todo => "task-todo:",
                    TaskState::Done => "task-done:",
                };
                match inner {
                    Some(inner) => scoped(f, name, inner),
                    None => write!(f, "{name}\"\""),
                }
            }
            Self::Property { name, test } => property(f, name, test),
            Self::Dated { which, from, to } => dated(f, *which, *from, *to),
        }
    }
}

fn dated(f: &mut Formatter<'_>, which: Which, from: Option<Date>, to: Option<Date>) -> fmt::Result {
    let (since, before) = match which {
        Which::Any => ("since:", "before:"),
        Which::Created => ("created:>=", "created:<"),
        Which::Modified => ("modified:>=", "modified:<"),
        Which::Published => ("published:>=", "published:<"),
    };
    match (from, to) {
        (Some(from), Some(to)) => write!(f, "{since}{from} AND {before}{to}"),
        (Some(from), None) => write!(f, "{since}{from}"),
        (None, Some(to)) => write!(f, "{before}{to}"),
        (None, None) => f.write_str("any date"),
    }
}

fn joined(f: &mut Formatter<'_>, parts: &[Filter], with: &str) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(with)?;
        }
        bracketed(f, part)?;
    }
    Ok(())
}

/// Writes a filter so that it reads as one thing.
fn bracketed(f: &mut Formatter<'_>, filter: &Filter) -> fmt::Result {
    match filter {
        Filter::All(_) | Filter::Any(_) => write!(f, "({filter})"),
        Filter::Dated {
            from: Some(_),
            to: Some(_),
            ..
        } => write!(f, "({filter})"),
        _ => write!(f, "{filter}"),
    }
}

/// Whether a filter is written as a mere word, phrase or expression.
fn is_bare(filter: &Filter) -> bool {
    match filter {
        Filter::Word(text) | Filter::Phrase(text) => !text.is_cased && !text.is_content,
        Filter::Regex(regex) => !regex.pattern.is_cased() && !regex.is_content,
        _ => false,
    }
}

fn scoped(f: &mut Formatter<'_>, name: &str, inner: &Filter) -> fmt::Result {
    if is_bare(inner) {
        write!(f, "{name}{inner}")
    } else {
        write!(f, "{name}({inner})")
    }
}

fn searched(f: &mut Formatter<'_>, text: &Text, shown: &str) -> fmt::Result {
    marked(f, text.is_cased, text.is_content, shown)
}

fn marked(f: &mut Formatter<'_>, is_cased: bool, is_content: bool, shown: &str) -> fmt::Result {
    match (is_cased, is_content) {
        (false, false) => f.write_str(shown),
        (true, false) => write!(f, "match-case:{shown}"),
        (false, true) => write!(f, "content:{shown}"),
        (true, true) => write!(f, "match-case:(content:{shown})"),
    }
}

fn named(f: &mut Formatter<'_>, name: &str, matcher: &Matcher) -> fmt::Result {
    let (is_cased, shown) = match matcher {
        Matcher::Text(text) if text.shown.contains([' ', '(', ')', '"']) => {
            (text.is_cased, quoted(&text.shown))
        }
        Matcher::Text(text) => (text.is_cased, text.shown.clone()),
        Matcher::Pattern(pattern) => (pattern.is_cased(), pattern.shown()),
    };
    if is_cased {
        write!(f, "match-case:({name}{shown})")
    } else {
        write!(f, "{name}{shown}")
    }
}

fn property(f: &mut Formatter<'_>, name: &str, test: &PropertyTest) -> fmt::Result {
    match test {
        PropertyTest::Exists => write!(f, "[{name}]"),
        PropertyTest::IsEmpty => write!(f, "[{name}:null]"),
        PropertyTest::Contains(text) => write!(f, "[{name}:{}]", text.shown),
        PropertyTest::Equals(text) => write!(f, "[{name}:{}]", quoted(&text.shown)),
        PropertyTest::Matches(pattern) => write!(f, "[{name}:{}]", pattern.shown()),
        PropertyTest::Compares(compare) => {
            let sign = match compare.comparison {
                Comparison::Less => "<",
                Comparison::LessOrEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterOrEqual => ">=",
                Comparison::Equal => "=",
            };
            write!(f, "[{name}:{sign}{}]", compare.shown)
        }
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
