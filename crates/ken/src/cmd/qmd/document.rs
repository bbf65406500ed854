//! Queries of several lines as qmd takes them: `lex:` asks for words, `vec:` and `hyde:` for meaning.

use std::collections::HashMap;

use anyhow::Result;
use kenning::search::Mode;

use crate::hint::Hinted;
use crate::wire::SearchResponse;

/// How much a rank counts, as qmd fuses lists.
const RRF_K: f64 = 60.0;
/// What is asked first counts twice.
const FIRST_WEIGHT: f64 = 2.0;

/// Returns what is to be asked, each in its mode: one query as it was typed, or the lines of a
/// document. `mode` is for what says nothing about it.
pub(super) fn parse(query: &str, mode: Option<Mode>) -> Result<Vec<(String, Option<Mode>)>> {
    let lines: Vec<&str> = query.lines().map(str::trim).collect();
    let lines: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    let mut asked = Vec::new();
    for line in &lines {
        let (name, text) = line.split_once(':').unwrap_or(("", line));
        let own = match name.trim().to_lowercase().as_str() {
            "lex" => Some(Mode::Lexical),
            "vec" | "hyde" => Some(Mode::Vector),
            "expand" if lines.len() == 1 => mode,
            // Says what is meant, to a language model that there is none of.
            "intent" => continue,
            _ if lines.len() == 1 => {
                asked.push((query.to_owned(), mode));
                continue;
            }
            _ => {
                return Err(Hinted::error(
                    format!("a line does not say how to search for it: {line:?}"),
                    "begin every line with lex:, vec:, hyde: or intent:, or ask in one line",
                ));
            }
        };
        if text.trim().is_empty() {
            return Err(Hinted::error(
                format!("there is nothing to look for behind `{name}:`"),
                "write it on the same line",
            ));
        }
        asked.push((text.trim().to_owned(), own));
    }
    match asked.is_empty() {
        true => Err(Hinted::error(
            "there is nothing to look for",
            "add a line that begins with lex: or vec:",
        )),
        false => Ok(asked),
    }
}

/// Makes one answer of several by their ranks; a hit keeps the best score it was given.
pub(super) fn fused(mut lists: Vec<SearchResponse>, limit: usize) -> Option<SearchResponse> {
    if lists.len() < 2 {
        return lists.pop();
    }
    let mut worth: HashMap<String, f64> = HashMap::new();
    let mut hits = Vec::new();
    for (number, list) in lists.iter_mut().enumerate() {
        let weight = if number == 0 { FIRST_WEIGHT } else { 1.0 };
        for hit in std::mem::take(&mut list.hits) {
            *worth.entry(hit.id.clone()).or_default() += weight / (RRF_K + hit.rank as f64);
            hits.push(hit);
        }
    }
    // The best score of a hit comes first, so that the others can go.
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut seen = std::collections::HashSet::new();
    hits.retain(|hit| seen.insert(hit.id.clone()));
    let of = |id: &String| worth.get(id).copied().unwrap_or_default();
    hits.sort_by(|a, b| of(&b.id).total_cmp(&of(&a.id)));
    hits.truncate(limit);
    for (at, hit) in hits.iter_mut().enumerate() {
        hit.rank = at + 1;
    }
    let surest = lists
        .into_iter()
        .max_by(|a, b| a.confidence.total_cmp(&b.confidence));
    surest.map(|answer| SearchResponse { hits, ..answer })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: &[(&str, Option<Mode>)]) {
        let parsed = parse(query, None).unwrap();
        let parsed: Vec<_> = parsed
            .iter()
            .map(|(text, mode)| (text.as_str(), *mode))
            .collect();
        assert_eq!(parsed, expected);
    }

    #[test]
    fn lines_say_how_they_are_asked() {
        use Mode::{Lexical, Vector};
        check("roof gutter", &[("roof gutter", None)]);
        check("tag:home roof", &[("tag:home roof", None)]);
        check("10:30 call", &[("10:30 call", None)]);
        check("lex: roof -gutter", &[("roof -gutter", Some(Lexical))]);
        check("expand: roof", &[("roof", None)]);
        check(
            "intent: the house\nLEX: roof\n\nvec: who mended it\nhyde: Esko did",
            &[
                ("roof", Some(Lexical)),
                ("who mended it", Some(Vector)),
                ("Esko did", Some(Vector)),
            ],
        );
        for wrong in [
            "lex:",
            "lex: roof\ngutter",
            "intent: house\n",
            "lex: a\nvec:",
        ] {
            assert!(parse(wrong, None).is_err(), "{wrong:?}");
        }
    }
}
