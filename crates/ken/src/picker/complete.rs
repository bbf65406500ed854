//! Completes what stands behind `tag:`, `path:`, `file:` and the dates, from what the vault has. Pure.

/// Suggestions on the screen at most.
const SHOWN_MAX: usize = 6;

/// Operators behind which a date stands.
const DATED: [&str; 7] = [
    "since:",
    "before:",
    "on:",
    "created:",
    "modified:",
    "published:",
    "as-of:",
];

/// Dates that people type.
const DATES: [&str; 10] = [
    "today",
    "yesterday",
    "this-week",
    "last-week",
    "this-month",
    "last-month",
    "this-year",
    "last-year",
    "30d",
    "6w",
];

/// What conditions can be completed to, the commonest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    pub(crate) tags: Vec<String>,
    pub(crate) folders: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) types: Vec<String>,
    pub(crate) years: Vec<String>,
    /// Names of saved searches.
    pub(crate) searches: Vec<String>,
}

/// What could stand at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    /// Characters before the cursor that it takes the place of.
    pub(super) n_typed: usize,
    pub(super) values: Vec<String>,
    pub(super) selected: usize,
}

impl Completion {
    /// Goes to the next suggestion, from the last one to the first.
    pub(super) fn next(&mut self) {
        self.selected = (self.selected + 1) % self.values.len().max(1);
    }

    /// Returns what is typed if it is taken.
    pub(super) fn text(&self) -> String {
        self.values
            .get(self.selected)
            .map(|value| quoted(value) + " ")
            .unwrap_or_default()
    }
}

/// Returns what the condition before the cursor can be completed to.
pub(super) fn complete(before: &str, vocabulary: &Vocabulary) -> Option<Completion> {
    let token = last_token(before);
    let bare = token.trim_start_matches(['-', '(']);
    let (values, typed): (Vec<&String>, &str) = if let Some(name) = bare.strip_prefix('@') {
        (vocabulary.searches.iter().collect(), name)
    } else if let Some(tag) = bare.strip_prefix('#') {
        (vocabulary.tags.iter().collect(), tag)
    } else {
        let at = bare.find(':')? + 1;
        let (operator, typed) = bare.split_at(at);
        match operator {
            "tag:" => (
                vocabulary.tags.iter().collect(),
                typed.trim_start_matches('#'),
            ),
            "path:" => (vocabulary.folders.iter().collect(), typed),
            "file:" => (vocabulary.files.iter().collect(), typed),
            "type:" => (vocabulary.types.iter().collect(), typed),
            operator if DATED.contains(&operator) => return dates(typed, vocabulary),
            _ => return None,
        }
    };
    let n_quotes = usize::from(typed.starts_with('"'));
    chosen(
        values.into_iter().map(String::as_str),
        &typed[n_quotes..],
        n_quotes,
    )
}

fn dates(typed: &str, vocabulary: &Vocabulary) -> Option<Completion> {
    let values = DATES
        .into_iter()
        .chain(vocabulary.years.iter().map(String::as_str));
    chosen(values, typed, 0)
}

/// Takes the values that begin with what was typed, then those that contain it.
fn chosen<'v>(
    values: impl Iterator<Item = &'v str>,
    typed: &str,
    n_quotes: usize,
) -> Option<Completion> {
    let wanted = typed.to_lowercase();
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for value in values {
        let lower = value.to_lowercase();
        // What is typed already needs no help.
        if lower == wanted {
            continue;
        }
        if lower.starts_with(&wanted) {
            first.push(value.to_owned());
        } else if lower.contains(&wanted) && others.len() < SHOWN_MAX {
            others.push(value.to_owned());
        }
        if first.len() == SHOWN_MAX {
            break;
        }
    }
    first.extend(others);
    first.truncate(SHOWN_MAX);
    (!first.is_empty()).then(|| Completion {
        n_typed: typed.chars().count() + n_quotes,
        values: first,
        selected: 0,
    })
}

/// Returns the piece of a query at its end; a quote may hold blanks.
fn last_token(before: &str) -> &str {
    let mut start = 0;
    let mut is_quoted = false;
    for (at, c) in before.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            c if c.is_whitespace() && !is_quoted => start = at + c.len_utf8(),
            _ => {}
        }
    }
    &before[start..]
}

fn quoted(value: &str) -> String {
    match value.contains(|c: char| c.is_whitespace() || matches!(c, '(' | ')')) {
        true => format!("\"{value}\""),
        false => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let list = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        Vocabulary {
            tags: list(&["house", "house/roof", "work"]),
            folders: list(&["Home", "Home/Big Roof"]),
            files: list(&["Roof.md"]),
            years: list(&["2026", "2025"]),
            searches: list(&["kitchen"]),
            ..Vocabulary::default()
        }
    }

    #[track_caller]
    fn check(before: &str, expected: &str) {
        let found = complete(before, &vocabulary());
        let shown = found.map_or_else(String::new, |found| {
            format!(
                "-{} {}→ {}",
                found.n_typed,
                found.text(),
                found.values.join(",")
            )
        });
        assert_eq!(shown, expected, "{before}");
    }

    #[test]
    fn conditions_are_completed_from_the_vault() {
        check("leak tag:ho", "-2 house → house,house/roof");
        check("leak -tag:roof", "-4 house/roof → house/roof");
        check("#w", "-1 work → work");
        check("path:home/", "-5 \"Home/Big Roof\" → Home/Big Roof");
        check("path:\"home/big r", "-11 \"Home/Big Roof\" → Home/Big Roof");
        check("file:roof", "-4 Roof.md → Roof.md");
        check("since:la", "-2 last-week → last-week,last-month,last-year");
        check("since:202", "-3 2026 → 2026,2025");
        check("@k", "-1 kitchen → kitchen");
        check("tag:work", "");
        check("roof", "");
        check("https:x", "");
        check("tag:house roof", "");
    }
}
