//! The JSON of what is indexed: what a run did, the index as a whole, files that were left out.

use kenning::index::Rebuild;
use schemars::JsonSchema;
use serde::Serialize;

use crate::searcher::{Indexed, Updated};

/// What an index run did.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct IndexReport {
    pub(crate) added: usize,
    pub(crate) changed: usize,
    pub(crate) removed: usize,
    pub(crate) renamed: usize,
    pub(crate) unchanged: usize,
    pub(crate) chunks: usize,
    /// Vectors that a provider made.
    pub(crate) vectors: usize,
    /// Files whose pictures were read, and those that wait for it.
    pub(crate) pictures: usize,
    pub(crate) unread_pictures: usize,
    /// Passages that have no vector yet; they are found by words only.
    pub(crate) without_vector: usize,
    /// Notes that no vector could be made of.
    pub(crate) unembedded: Vec<SkippedFile>,
    pub(crate) bytes: u64,
    pub(crate) rebuilt: Option<String>,
    pub(crate) stopped: bool,
    pub(crate) skipped: Vec<SkippedFile>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) masked: Vec<Finding>,
    /// What is not as it should be, and what to do about it.
    pub(crate) notices: Vec<String>,
    pub(crate) took_ms: f64,
}

/// A file that could not be taken.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct SkippedFile {
    pub(crate) path: String,
    pub(crate) reason: String,
}

/// Something in a note that could not be understood.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Warning {
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) message: String,
}

impl From<&Updated> for IndexReport {
    fn from(updated: &Updated) -> Self {
        let report = &updated.report;
        Self {
            notices: updated.notices.clone(),
            added: report.n_added,
            changed: report.n_changed,
            removed: report.n_removed,
            renamed: report.n_renamed,
            // Whoever asks wants to know what this run changed.
            unchanged: report.n_unchanged + report.n_by_others,
            chunks: report.n_chunks,
            vectors: report.n_vectors,
            pictures: report.n_pictures,
            unread_pictures: report.unread.len(),
            without_vector: report.n_without_vector,
            unembedded: skipped(&report.unembedded),
            bytes: report.n_bytes,
            rebuilt: report.rebuilt.as_ref().map(rebuild_reason),
            stopped: report.is_stopped,
            skipped: skipped(&report.skipped),
            warnings: warnings(&report.warnings),
            masked: report
                .masked
                .iter()
                .map(|(path, line, pattern)| Finding {
                    domain: None,
                    path: path.clone(),
                    line: *line,
                    pattern: pattern.clone().into_owned(),
                })
                .collect(),
            took_ms: (updated.seconds * 1e6).round() / 1e3,
        }
    }
}

fn skipped(files: &[kenning::vault::Skipped]) -> Vec<SkippedFile> {
    files
        .iter()
        .map(|file| SkippedFile {
            path: file.path.clone(),
            reason: file.reason.clone(),
        })
        .collect()
}

fn warnings(all: &[(String, u32, String)]) -> Vec<Warning> {
    all.iter()
        .map(|(path, line, message)| Warning {
            path: path.clone(),
            line: *line,
            message: message.clone(),
        })
        .collect()
}

/// Says why an index was made anew.
pub(crate) fn rebuild_reason(rebuild: &Rebuild) -> String {
    match rebuild {
        Rebuild::New => "there was no index yet".to_owned(),
        Rebuild::Asked => "as asked".to_owned(),
        Rebuild::Schema { found } => format!("the index was of an older format ({found})"),
        Rebuild::Model { from } => format!("the index was made with the model {from}"),
        Rebuild::Settings => "the settings for cutting notes changed".to_owned(),
        Rebuild::Damaged { reason, aside } => match aside {
            Some(aside) => {
                let aside = aside.display();
                format!("the index was damaged ({reason}); it is kept as {aside}")
            }
            None => format!("the index was damaged ({reason})"),
        },
    }
}

/// A model that reads passages again, and how far its vectors are.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ReadsAgain {
    pub(crate) model: String,
    /// Passages there were when vectors were last made.
    pub(crate) passages: u64,
    /// Those of them that have a vector.
    pub(crate) with_vector: u64,
}

/// The index as a whole.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct StatusResponse {
    pub(crate) vault: Option<String>,
    pub(crate) store: String,
    pub(crate) bytes: u64,
    pub(crate) notes: u64,
    pub(crate) chunks: u64,
    /// Passages that have no vector yet; they are found by words only.
    pub(crate) without_vector: u64,
    pub(crate) links: u64,
    pub(crate) masked: u64,
    pub(crate) model: Option<String>,
    /// Whether questions are adapted to the words of the notes (`ken model tune`).
    pub(crate) adapted: bool,
    /// The model that reads the best passages again by their vectors, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reads_again: Option<ReadsAgain>,
    pub(crate) languages: Vec<(String, u64)>,
    pub(crate) index_age_s: Option<i64>,
    pub(crate) left_out: Vec<LeftOut>,
    pub(crate) other_files: Vec<(String, u64)>,
    pub(crate) skipped: Vec<SkippedFile>,
    pub(crate) warnings: Vec<Warning>,
    /// What is not as it should be, and what to do about it.
    pub(crate) notices: Vec<String>,
}

impl From<Indexed> for StatusResponse {
    fn from(indexed: Indexed) -> Self {
        let status = indexed.status;
        Self {
            vault: indexed.vault.map(|vault| vault.display().to_string()),
            store: indexed.store.display().to_string(),
            bytes: indexed.n_bytes,
            notes: status.n_notes,
            chunks: status.n_chunks,
            without_vector: status.n_chunks_without_vector,
            links: status.n_links,
            masked: status.n_masked,
            model: status.model.as_ref().map(ToString::to_string),
            adapted: indexed.is_adapted,
            reads_again: indexed.reread.map(|(id, coverage)| ReadsAgain {
                model: id.to_string(),
                passages: coverage.n_passages as u64,
                with_vector: coverage.n_covered as u64,
            }),
            languages: status
                .languages
                .iter()
                .map(|(language, n)| (language.code().to_owned(), *n))
                .collect(),
            index_age_s: indexed.age_s,
            left_out: left_out(&status.left_out),
            other_files: status.attachments,
            skipped: skipped(&status.skipped),
            warnings: warnings(&status.warnings),
            notices: indexed.notices,
        }
    }
}

/// What one rule left out: how many files and folders, and the first of them.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct LeftOut {
    pub(crate) rule: String,
    pub(crate) n: usize,
    pub(crate) paths: Vec<String>,
}

fn left_out(all: &[(String, String)]) -> Vec<LeftOut> {
    const SHOWN_MAX: usize = 20;
    let mut rules: Vec<LeftOut> = Vec::new();
    for (rule, path) in all {
        match rules.last_mut().filter(|last| last.rule == *rule) {
            Some(last) => {
                last.n += 1;
                if last.paths.len() < SHOWN_MAX {
                    last.paths.push(path.clone());
                }
            }
            None => rules.push(LeftOut {
                rule: rule.clone(),
                n: 1,
                paths: vec![path.clone()],
            }),
        }
    }
    rules
}

/// A credential that stands in a note.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Finding {
    /// Where several domains were looked at, the one it is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) domain: Option<String>,
    pub(crate) path: String,
    /// 0 when it stands in the name of the file or of a folder around it.
    pub(crate) line: u32,
    pub(crate) pattern: String,
}
