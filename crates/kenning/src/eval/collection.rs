//! A judged collection on disk: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`, `exclude.tsv`.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Relevant;
use crate::error::{Error, Result};
use crate::vault::{Found, Source, Stamp, Walk};

/// Questions and what answers them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgements {
    /// Questions with at least one relevant note.
    pub questions: Vec<Question>,
    /// Questions that no note answers.
    pub absent: Vec<String>,
}

/// A question and the notes that answer it.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Its id.
    pub id: String,
    /// What is asked.
    pub text: String,
    /// What sort of question it is; figures are also given by kind. May be empty.
    pub kind: String,
    /// Grades by note path.
    pub relevant: Relevant,
    /// Notes dropped before scoring.
    pub excluded: HashSet<String>,
}

impl Judgements {
    /// Reads the questions and judgements of the collection in `folder`.
    pub fn read(folder: &Path) -> Result<Self> {
        let relevant = pairs(&folder.join("qrels.tsv"), true)?;
        let excluded = pairs(&folder.join("exclude.tsv"), false)?;
        let queries = folder.join("queries.jsonl");
        let mut questions = Vec::new();
        for line in lines(&queries)? {
            let id = field(&line, "_id", &queries)?;
            let Some(judged) = relevant.get(&id) else {
                continue;
            };
            questions.push(Question {
                text: field(&line, "text", &queries)?,
                kind: String::new(),
                relevant: judged
                    .iter()
                    .map(|(path, grade)| (path.clone(), *grade))
                    .collect(),
                excluded: excluded
                    .get(&id)
                    .map(|notes| notes.iter().map(|(path, _)| path.clone()).collect())
                    .unwrap_or_default(),
                id,
            });
        }
        Ok(Self {
            questions,
            absent: Vec::new(),
        })
    }

    pub(super) fn most_excluded(&self) -> usize {
        self.questions
            .iter()
            .map(|question| question.excluded.len())
            .max()
            .unwrap_or(0)
    }
}

/// The documents of a collection, read as notes.
pub struct Collection {
    texts: HashMap<String, String>,
}

impl Collection {
    /// Reads `corpus.jsonl`; a title becomes the note's first heading.
    pub fn read(folder: &Path) -> Result<Self> {
        let corpus = folder.join("corpus.jsonl");
        let mut texts = HashMap::new();
        for line in lines(&corpus)? {
            let text = field(&line, "text", &corpus)?;
            let text = match line["title"].as_str().map(one_line) {
                Some(title) if !title.is_empty() => format!("# {title}\n\n{text}"),
                _ => text,
            };
            texts.insert(field(&line, "_id", &corpus)?, text);
        }
        Ok(Self { texts })
    }
}

impl Source for Collection {
    fn list(&self) -> Walk {
        let mut found: Vec<Found> = self
            .texts
            .iter()
            .map(|(path, text)| Found {
                path: path.clone(),
                stamp: Stamp {
                    size: text.len() as u64,
                    mtime_ns: 0,
                    inode: 0,
                    ctime_ns: 0,
                },
            })
            .collect();
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Walk {
            found,
            ..Walk::default()
        }
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let text = self.texts.get(path).ok_or("no such document")?;
        Ok(text.clone().into_bytes())
    }

    /// Ids of test collections mean nothing.
    fn names_by_file(&self) -> bool {
        false
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| Error::io(path, error))
}

pub(super) fn lines(path: &Path) -> Result<Vec<Value>> {
    read(path)?
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            serde_json::from_str(line)
                .map_err(|error| bad(path, format!("line {}: {error}", number + 1)))
        })
        .collect()
}

pub(super) fn field(line: &Value, name: &str, path: &Path) -> Result<String> {
    match &line[name] {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(bad(path, format!("a line has no {name:?}"))),
    }
}

type Pairs = HashMap<String, Vec<(String, f64)>>;

/// Reads `query-id, corpus-id[, score]` lines below a header.
fn pairs(path: &Path, is_required: bool) -> Result<Pairs> {
    if !is_required && !path.exists() {
        return Ok(Pairs::new());
    }
    let mut pairs = Pairs::new();
    for (number, line) in read(path)?.lines().enumerate() {
        let mut columns = line.split('\t');
        let (Some(query), Some(note)) = (columns.next(), columns.next()) else {
            if line.trim().is_empty() {
                continue;
            }
            return Err(bad(
                path,
                format!("line {} has less than two columns", number + 1),
            ));
        };
        let grade = columns
            .next()
            .map_or(Ok(1.0), |grade| grade.trim().parse::<f64>());
        match grade {
            Ok(grade) if grade > 0.0 && !(number == 0 && query == "query-id") => {
                pairs
                    .entry(query.to_owned())
                    .or_default()
                    .push((note.trim_end().to_owned(), grade));
            }
            Ok(_) => {}
            // The header is the one line whose third column is a word.
            Err(_) if number == 0 => {}
            Err(_) => {
                return Err(bad(
                    path,
                    format!("line {}: the score is not a number", number + 1),
                ));
            }
        }
    }
    Ok(pairs)
}

fn bad(path: &Path, reason: String) -> Error {
    Error::BadCollection {
        path: PathBuf::from(path),
        reason,
    }
}
