//! Questions written by hand: a TOML file into what search is measured with. One file may hold the
//! questions of several vaults.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use kenning::eval::{Judgements, Question};
use serde::Deserialize;

use crate::hint::Hinted;
use crate::settings;

/// The kind of questions that no note answers.
const ABSENT: &str = "absent";

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Golden {
    query: Vec<GoldenQuery>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GoldenQuery {
    text: String,
    #[serde(default)]
    relevant: Vec<String>,
    #[serde(default)]
    grades: Option<Vec<f64>>,
    #[serde(default)]
    kind: String,
    /// The vault that is asked, by the end of its path; any if left out.
    #[serde(default)]
    vault: Option<PathBuf>,
}

/// Reads the questions to the vault in `folder`.
pub(super) fn read(file: &Path, folder: Option<&Path>) -> Result<Judgements> {
    let text = fs::read_to_string(file).map_err(|error| kenning::Error::io(file, error))?;
    let golden: Golden =
        toml::from_str(&text).map_err(|error| settings::bad_toml(file, Some(&text), &error))?;
    let mut judgements = Judgements::default();
    let mut asked = HashSet::new();
    for query in golden.query {
        let is_asked = |vault| folder.is_some_and(|folder| folder.ends_with(vault));
        if !query.vault.as_ref().is_none_or(is_asked) {
            continue;
        }
        let bad = |reason: &str, hint: &str| {
            Hinted::error(
                format!("{}: {:?} {reason}", file.display(), query.text),
                format!("{hint}; see docs/evaluation.md for the format"),
            )
        };
        if !asked.insert(query.text.clone()) {
            return Err(bad("is asked twice", "keep one of them"));
        }
        if query.kind == ABSENT && !query.relevant.is_empty() {
            return Err(bad("is absent but has relevant notes", "leave one out"));
        }
        if query.kind == ABSENT {
            judgements.absent.push(query.text);
            continue;
        }
        if query.relevant.is_empty() {
            let hint = "name them, or say kind = \"absent\" if there are none";
            return Err(bad("has no relevant notes", hint));
        }
        let grades = match &query.grades {
            None => vec![1.0; query.relevant.len()],
            Some(grades) => grades.clone(),
        };
        if grades.len() != query.relevant.len() || !grades.iter().all(|grade| *grade > 0.0) {
            let hint = "give each relevant note a grade above 0, or none of them";
            return Err(bad("has grades that do not fit its notes", hint));
        }
        judgements.questions.push(Question {
            id: query.text.clone(),
            relevant: query.relevant.iter().cloned().zip(grades).collect(),
            text: query.text,
            kind: query.kind,
            excluded: HashSet::new(),
        });
    }
    if asked.is_empty() {
        return Err(Hinted::error(
            format!("{} has no question to this vault", file.display()),
            "name a vault that its questions are about; see docs/evaluation.md for the format"
                .to_owned(),
        ));
    }
    Ok(judgements)
}
