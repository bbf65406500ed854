//! Questions written by hand: a TOML file into what search is measured with. One file may hold the
//! questions of several vaults.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use kenning::eval::{Answerable, Judgements, Question};
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
    /// Texts of which one must be in the answer.
    #[serde(default)]
    answers: Vec<String>,
    #[serde(default)]
    kind: String,
    /// The vault that is asked, by the end of its path; any if left out.
    #[serde(default)]
    vault: Option<PathBuf>,
}

/// Reads the questions to the vault in `folder`.
pub(super) fn read(file: &Path, folder: Option<&Path>) -> Result<Judgements> {
    let mut judgements = Judgements::default();
    for query in queries(file, folder)? {
        if query.kind == ABSENT && !query.relevant.is_empty() {
            let reason = "is absent but has relevant notes";
            return Err(bad(file, &query.text, reason, "leave one out"));
        }
        if query.kind == ABSENT {
            judgements.absent.push(query.text);
            continue;
        }
        if query.relevant.is_empty() {
            let hint = "name them, or say kind = \"absent\" if there are none";
            return Err(bad(file, &query.text, "has no relevant notes", hint));
        }
        let grades = match &query.grades {
            None => vec![1.0; query.relevant.len()],
            Some(grades) => grades.clone(),
        };
        if grades.len() != query.relevant.len() || !grades.iter().all(|grade| *grade > 0.0) {
            let reason = "has grades that do not fit its notes";
            let hint = "give each relevant note a grade above 0, or none of them";
            return Err(bad(file, &query.text, reason, hint));
        }
        judgements.questions.push(Question {
            id: query.text.clone(),
            relevant: query.relevant.iter().cloned().zip(grades).collect(),
            text: query.text,
            kind: query.kind,
            excluded: HashSet::new(),
        });
    }
    Ok(judgements)
}

/// Reads the questions to the vault in `folder` with the answers that count.
pub(super) fn answerable(file: &Path, folder: Option<&Path>) -> Result<Vec<Answerable>> {
    let with_answers = |query: GoldenQuery| match query.answers.is_empty() {
        true => Err(bad(
            file,
            &query.text,
            "has no answers",
            "give texts of which one must be shown, such as answers = [\"9 meters\"]",
        )),
        false => Ok(Answerable {
            id: query.text.clone(),
            text: query.text,
            answers: query.answers,
        }),
    };
    queries(file, folder)?
        .into_iter()
        .map(with_answers)
        .collect()
}

/// Reads what is asked of the vault in `folder`, each question once.
fn queries(file: &Path, folder: Option<&Path>) -> Result<Vec<GoldenQuery>> {
    let text = fs::read_to_string(file).map_err(|error| kenning::Error::io(file, error))?;
    let golden: Golden =
        toml::from_str(&text).map_err(|error| settings::bad_toml(file, Some(&text), &error))?;
    let is_asked = |vault: &PathBuf| folder.is_some_and(|folder| folder.ends_with(vault));
    let mut queries = golden.query;
    queries.retain(|query| query.vault.as_ref().is_none_or(is_asked));
    let mut asked = HashSet::new();
    for query in &queries {
        if !asked.insert(query.text.as_str()) {
            return Err(bad(file, &query.text, "is asked twice", "keep one of them"));
        }
    }
    match queries.is_empty() {
        true => Err(Hinted::error(
            format!("{} has no question to this vault", file.display()),
            "name a vault that its questions are about; see docs/evaluation.md for the format"
                .to_owned(),
        )),
        false => Ok(queries),
    }
}

fn bad(file: &Path, question: &str, reason: &str, hint: &str) -> anyhow::Error {
    Hinted::error(
        format!("{}: {question:?} {reason}", file.display()),
        format!("{hint}; see docs/evaluation.md for the format"),
    )
}
