//! What was typed into one query: words, standard input, saved searches, and options that are conditions.
//! An option is written into the query, so that both mean the same.

use std::io::{IsTerminal, Read, stdin};

use anyhow::{Context, Result};
use kenning::search::grammar;

use crate::args::Conditions;
use crate::hint::Hinted;
use crate::render;
use crate::runtime;
use crate::settings::{Settings, bracketed};

/// Longer texts are not queries.
const QUERY_BYTES_MAX: u64 = 1 << 20;

/// Returns the query that was typed.
pub(super) fn typed(
    settings: &Settings,
    words: &[String],
    conditions: &Conditions,
) -> Result<String> {
    let words = match words {
        [only] if only == "-" => from_stdin()?,
        words => words.join(" "),
    };
    let query = with_conditions(&settings.with_saved(words.trim())?, conditions)?;
    match query.is_empty() {
        false => Ok(query),
        true => Err(Hinted::error(
            "there is nothing to search for",
            "type words, or conditions such as `tag:house`; `ken search --help` lists them",
        )),
    }
}

fn from_stdin() -> Result<String> {
    if stdin().is_terminal() {
        render::say("note: reading the query from standard input; end with Ctrl-D");
    }
    let mut text = String::new();
    let read = stdin().take(QUERY_BYTES_MAX).read_to_string(&mut text);
    read.context("standard input could not be read as text")?;
    Ok(text)
}

/// Writes options into a query, behind what was typed.
pub(super) fn with_conditions(words: &str, conditions: &Conditions) -> Result<String> {
    let lists = [
        ("tag", &conditions.tag),
        ("path", &conditions.path),
        ("type", &conditions.kind),
    ];
    let texts = lists
        .into_iter()
        .flat_map(|(name, values)| values.iter().map(move |value| (name, value)));
    let dates = [("since", &conditions.since), ("before", &conditions.before)];
    let dates = dates
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let mut parts = Vec::new();
    for (name, value) in texts.chain(dates) {
        parts.push(condition(name, value)?);
    }
    if parts.is_empty() || words.is_empty() {
        parts.insert(0, words.to_owned());
    } else {
        parts.insert(0, bracketed(words));
    }
    Ok(parts.join(" ").trim().to_owned())
}

/// Writes one condition as the query language has it. What that would read as mere words is an error.
fn condition(name: &str, value: &str) -> Result<String> {
    let escaped = value.trim().replace('\\', "\\\\").replace('"', "\\\"");
    let text = format!("{name}:\"{escaped}\"");
    let request = grammar::parse(&text, runtime::day());
    match request.filter.is_some() && request.notices.is_empty() {
        true => Ok(text),
        false => Err(Hinted::error(
            format!("--{name} {value:?} says nothing that notes could meet"),
            match name {
                "since" | "before" => {
                    "a date is 2025, 2025-03, 2025-03-05, yesterday, \"last week\" or 30d"
                }
                _ => "leave the option out, or give it a value",
            },
        )),
    }
}

/// Whether nothing in a query ranks.
pub(super) fn is_condition_only(query: &str) -> bool {
    let request = grammar::parse(query, runtime::day());
    request.words.is_empty() && request.filter.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_written_into_the_query() {
        let conditions = Conditions {
            tag: vec!["house".to_owned(), "#to \"do\"".to_owned()],
            since: Some("last week".to_owned()),
            ..Conditions::default()
        };
        let check = |words: &str, expected: &str| {
            assert_eq!(with_conditions(words, &conditions).unwrap(), expected);
        };
        let written = r##"tag:"house" tag:"#to \"do\"" since:"last week""##;
        check("roof", &format!("roof {written}"));
        check("", written);
        check("roof OR wall", &format!("(roof OR wall) {written}"));
        assert!(is_condition_only(written) && !is_condition_only("roof tag:house"));
    }

    #[test]
    fn an_option_that_is_no_condition_is_an_error() {
        for (name, value) in [("since", "whenever"), ("before", ""), ("tag", " ")] {
            assert!(condition(name, value).is_err(), "{name} {value}");
        }
    }
}
