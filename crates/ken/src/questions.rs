//! What was asked, kept beside the index so that a report can say what the notes did not answer: masked, on this machine,
//! for its owner only, and not at all where the settings say so.

use std::io::{Read, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::private;
use crate::runtime;
use crate::settings::{Located, Settings};

/// What the file is called behind the name of the index.
pub(crate) const SUFFIX: &str = ".questions.jsonl";
/// A file that is larger loses its older half.
const BYTES_MAX: u64 = 4 << 20;
/// Notes that are remembered of each answer.
const PATHS_MAX: usize = 10;
/// Longer questions are cut.
const CHARS_MAX: usize = 500;

/// A question that was asked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) text: String,
    pub(crate) is_answered: bool,
    /// The notes that were found.
    pub(crate) paths: Vec<String>,
}

fn file_of(located: &Located) -> PathBuf {
    let mut file = located.store.as_os_str().to_owned();
    file.push(SUFFIX);
    PathBuf::from(file)
}

/// Notes a question down. Trouble with that is not worth an answer.
pub(crate) fn record<'a>(
    settings: &Settings,
    located: &Located,
    (question, evidence): (&str, &str),
    paths: impl Iterator<Item = &'a str>,
) {
    if !settings.report.questions || question.trim().is_empty() {
        return;
    }
    let (masked, _) = kenning::secrets::mask(question.to_owned());
    let text: String = masked.chars().take(CHARS_MAX).collect();
    let mut known: Vec<&str> = Vec::new();
    for path in paths {
        if known.len() < PATHS_MAX && !known.contains(&path) {
            known.push(path);
        }
    }
    let is_answered = !known.is_empty() && !matches!(evidence, "none" | "weak");
    let line =
        json!({"at": runtime::now(), "question": text, "answered": is_answered, "paths": known});
    let _ = append(located, &line);
}

fn append(located: &Located, line: &Value) -> std::io::Result<()> {
    let path = file_of(located);
    let mut file = private::append(&path)?;
    if file.metadata()?.len() > BYTES_MAX {
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let half = text.len() / 2;
        let start = text.as_bytes()[half..]
            .iter()
            .position(|byte| *byte == b'\n');
        let rest = &text.as_bytes()[start.map_or(half, |at| half + at + 1)..];
        file.set_len(0)?;
        file.write_all(rest)?;
    }
    file.write_all(format!("{line}\n").as_bytes())
}

/// Returns what was asked, the oldest first.
pub(crate) fn read(located: &Located) -> Vec<Question> {
    let text = std::fs::read(file_of(located)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let question = |line: Value| {
        let paths = line["paths"].as_array()?.iter();
        Some(Question {
            text: line["question"].as_str()?.to_owned(),
            is_answered: line["answered"].as_bool()?,
            paths: paths
                .filter_map(|path| path.as_str().map(str::to_owned))
                .collect(),
        })
    };
    lines.filter_map(question).collect()
}
