//! The JSON types shared by every interface; the only types that are serialised.

mod cite;
pub(crate) mod compat;
pub(crate) mod eval;
mod hook;
pub(crate) mod http;
mod mode;
mod notes;
mod qmd;
mod tools;
mod traverse;

use std::path::Path;

pub(crate) use cite::{CheckedCitation, CitationFields, QuotePlace, VerifyResponse, citations};
pub(crate) use hook::{GivenPassage, HookOutput, HookResponse, Receipt, SessionRecord};
pub(crate) use mode::Mode;
pub(crate) use notes::{NoteSummary, NotesResponse};
pub(crate) use qmd::{QmdHit, QmdNote};
pub(crate) use tools::{
    DomainStatus, FoundPassage, GetOutput, LinksOutput, ListOutput, ListedNote, MissingNote,
    MultiGetOutput, SearchOutput, StatusOutput, TraverseOutput, VerifyOutput,
};
pub(crate) use traverse::{
    MissedNote, RetainedNote, TraverseResponse, VisitedNote, WalkComparison, WalkSummary, Walked,
};

use kenning::index::{Rebuild, Report};
use kenning::links::Links;
use kenning::search::told_score as rounded;
use kenning::search::{self, Answer, PropertyType};
use kenning::store::{LinkRow, Status};
use schemars::JsonSchema;
use serde::Serialize;

/// One answer.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct SearchResponse {
    pub(crate) query: String,
    pub(crate) mode: &'static str,
    pub(crate) evidence: &'static str,
    pub(crate) confidence: f64,
    pub(crate) took_ms: f64,
    pub(crate) index_age_s: Option<i64>,
    pub(crate) notices: Vec<String>,
    pub(crate) hits: Vec<Hit>,
}

/// One hit. `highlights` are character ranges of `excerpt`.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Hit {
    pub(crate) rank: usize,
    pub(crate) id: String,
    /// Where several domains were asked, the one it is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) domain: Option<String>,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) category: Option<String>,
    pub(crate) area: Option<String>,
    pub(crate) section: Option<String>,
    pub(crate) breadcrumb: Vec<String>,
    /// First line of the file; null for formats that have none, such as PDF.
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    /// Page, slide or sheet.
    pub(crate) page: Option<u32>,
    pub(crate) score: f64,
    pub(crate) excerpt: String,
    pub(crate) highlights: Vec<(usize, usize)>,
    pub(crate) text: String,
    pub(crate) tags: Vec<String>,
    pub(crate) date: Option<String>,
    /// Other notes that have the same passage.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also_in: Vec<String>,
    /// The note that replaces this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) superseded_by: Option<String>,
    pub(crate) uri: String,
    pub(crate) sources: Vec<&'static str>,
    pub(crate) lexical_rank: Option<u32>,
    pub(crate) vector_rank: Option<u32>,
    /// How it was scored, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explain: Option<Vec<Stage>>,
}

/// One stage of the ranking: what it did to the score so far, by how much, and the score after it.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Stage {
    pub(crate) stage: &'static str,
    /// `adds`, `times`, `is` or `at most`.
    pub(crate) effect: &'static str,
    pub(crate) value: f64,
    pub(crate) score: f64,
    pub(crate) detail: String,
}

/// What stands around an answer.
pub(crate) struct Asked<'a> {
    pub(crate) query: &'a str,
    pub(crate) mode: search::Mode,
    pub(crate) took_ms: f64,
    pub(crate) index_age_s: Option<i64>,
    pub(crate) vault: Option<&'a Path>,
    pub(crate) is_explained: bool,
}

impl SearchResponse {
    pub(crate) fn new(answer: Answer, asked: &Asked<'_>) -> Self {
        let name = asked.vault.and_then(|vault| vault.file_name());
        let vault = name
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        Self {
            query: asked.query.to_owned(),
            mode: asked.mode.name(),
            evidence: answer.evidence.name(),
            confidence: rounded(answer.confidence),
            took_ms: (asked.took_ms * 1_000.0).round() / 1_000.0,
            index_age_s: asked.index_age_s,
            notices: answer.notices,
            hits: (1..)
                .zip(answer.hits)
                .map(|(rank, hit)| Hit::new(rank, hit, &vault, asked.is_explained))
                .collect(),
        }
    }
}

impl Hit {
    fn new(rank: usize, hit: search::Hit, vault: &str, is_explained: bool) -> Self {
        let section = (hit.breadcrumb.len() > 1)
            .then(|| hit.breadcrumb.last().cloned())
            .flatten();
        let mut sources = Vec::new();
        for (source, is_one) in [
            ("name", hit.is_pinned),
            ("lexical", hit.lexical_rank.is_some()),
            ("vector", hit.vector_rank.is_some()),
        ] {
            if is_one {
                sources.push(source);
            }
        }
        let (category, area) = hit.note.para();
        let has_lines = hit.note.has_lines();
        Self {
            rank,
            category: category.map(str::to_owned),
            area: area.map(str::to_owned),
            id: handle(hit.chunk.handle),
            domain: None,
            uri: obsidian_uri(vault, &hit.note.path, section.as_deref()),
            path: hit.note.path.clone(),
            title: hit.note.title.clone(),
            section,
            breadcrumb: hit.breadcrumb,
            start_line: has_lines.then_some(hit.chunk.start_line),
            end_line: has_lines.then_some(hit.chunk.end_line),
            page: hit.chunk.page,
            score: rounded(hit.score),
            excerpt: hit.excerpt.text,
            highlights: hit.excerpt.highlights,
            text: hit.text,
            tags: hit.note.tags.clone(),
            date: hit.note.date.clone(),
            also_in: hit.also_in,
            superseded_by: hit.note.superseded_by.clone(),
            sources,
            lexical_rank: hit.lexical_rank,
            vector_rank: hit.vector_rank,
            explain: is_explained.then(|| stages(hit.stages)),
        }
    }
}

impl Hit {
    /// Returns where it stands, as a person writes it: `Roof.md:3-9`, `Manual.pdf page 3`.
    pub(crate) fn place(&self) -> String {
        place(&self.path, self.start_line.zip(self.end_line), self.page)
    }
}

/// Returns a path with its lines, or with its page where it has no lines.
pub(crate) fn place(path: &str, lines: Option<(u32, u32)>, page: Option<u32>) -> String {
    match (lines, page) {
        (Some((start, end)), _) => format!("{path}:{start}-{end}"),
        (None, Some(page)) => format!("{path} page {page}"),
        (None, None) => path.to_owned(),
    }
}

/// Other notes with the same passage that are named; of the rest only the number is told.
const OTHERS_NAMED: usize = 3;

/// Says which other notes have the same passage, if any.
pub(crate) fn also_in(others: &[String]) -> Option<String> {
    let named = others[..others.len().min(OTHERS_NAMED)].join(", ");
    match others.len().saturating_sub(OTHERS_NAMED) {
        _ if others.is_empty() => None,
        0 => Some(format!("also in {named}")),
        n => Some(format!("also in {named} and {n} more")),
    }
}

fn stages(stages: Vec<search::Stage>) -> Vec<Stage> {
    let stages = stages.into_iter();
    stages
        .map(|stage| Stage {
            stage: stage.name,
            effect: stage.effect.name(),
            value: rounded(stage.value),
            score: rounded(stage.score),
            detail: stage.detail,
        })
        .collect()
}

/// Returns two digits of a score that was told with four, never more than it is: who asks for what is
/// printed gets what it was printed beside.
pub(crate) fn two_digits(score: f64) -> f64 {
    ((score * 10_000.0).round() / 100.0).floor() / 100.0
}

/// Returns the short public id of a chunk.
pub(crate) fn handle(handle: u32) -> String {
    format!("#{handle:08x}")
}

/// Returns the address that opens a note in Obsidian, at a heading if there is one.
fn obsidian_uri(vault: &str, path: &str, section: Option<&str>) -> String {
    let mut file = path.to_owned();
    if let Some(section) = section {
        file.push('#');
        file.push_str(section);
    }
    format!(
        "obsidian://open?vault={}&file={}",
        encode(vault),
        encode(&file)
    )
}

/// Percent-encodes everything but letters, digits and `-_.~`.
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Part of a note.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Passage {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) format: String,
    pub(crate) category: Option<String>,
    pub(crate) area: Option<String>,
    /// First line of the file, or of its text as read where the format has no lines.
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    pub(crate) n_lines: u32,
    pub(crate) tags: Vec<String>,
    pub(crate) aliases: Vec<String>,
    pub(crate) date: Option<String>,
    pub(crate) date_source: Option<String>,
    pub(crate) properties: Vec<Property>,
    pub(crate) text: String,
}

/// One property of a note, with its type.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) r#type: &'static str,
    pub(crate) value: serde_json::Value,
}

impl From<search::Passage> for Passage {
    fn from(passage: search::Passage) -> Self {
        let search::Passage { note, details, .. } = passage;
        let properties = details.properties.into_iter();
        Self {
            path: note.path.clone(),
            title: note.title.clone(),
            format: details.format,
            category: details.category,
            area: details.area,
            start_line: passage.start_line,
            end_line: passage.end_line,
            n_lines: note.n_lines,
            tags: note.tags.clone(),
            aliases: note.aliases.clone(),
            date: note.date.clone(),
            date_source: details.date_source,
            properties: properties
                .map(|(name, value)| Property {
                    r#type: PropertyType::of(&value).name(),
                    name,
                    value,
                })
                .collect(),
            text: passage.text,
        }
    }
}

/// What an index run did.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct IndexReport {
    pub(crate) added: usize,
    pub(crate) changed: usize,
    pub(crate) removed: usize,
    pub(crate) renamed: usize,
    pub(crate) unchanged: usize,
    pub(crate) chunks: usize,
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

impl IndexReport {
    pub(crate) fn new(report: &Report, took_ms: f64, notices: Vec<String>) -> Self {
        Self {
            notices,
            added: report.n_added,
            changed: report.n_changed,
            removed: report.n_removed,
            renamed: report.n_renamed,
            unchanged: report.n_unchanged,
            chunks: report.n_chunks,
            bytes: report.n_bytes,
            rebuilt: report.rebuilt.as_ref().map(rebuild_reason),
            stopped: report.is_stopped,
            skipped: skipped(&report.skipped),
            warnings: warnings(&report.warnings),
            masked: report
                .masked
                .iter()
                .map(|(path, line, pattern)| Finding {
                    path: path.clone(),
                    line: *line,
                    pattern: (*pattern).to_owned(),
                })
                .collect(),
            took_ms,
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

/// The index as a whole.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct StatusResponse {
    pub(crate) vault: Option<String>,
    pub(crate) store: String,
    pub(crate) bytes: u64,
    pub(crate) notes: u64,
    pub(crate) chunks: u64,
    pub(crate) links: u64,
    pub(crate) masked: u64,
    pub(crate) model: Option<String>,
    pub(crate) languages: Vec<(String, u64)>,
    pub(crate) index_age_s: Option<i64>,
    pub(crate) left_out: Vec<LeftOut>,
    pub(crate) other_files: Vec<(String, u64)>,
    pub(crate) skipped: Vec<SkippedFile>,
    pub(crate) warnings: Vec<Warning>,
    /// What is not as it should be, and what to do about it.
    pub(crate) notices: Vec<String>,
}

impl StatusResponse {
    pub(crate) fn new(status: &Status, store: &Path, vault: Option<&Path>, now: i64) -> Self {
        Self {
            vault: vault.map(|vault| vault.display().to_string()),
            store: store.display().to_string(),
            bytes: std::fs::metadata(store).map_or(0, |metadata| metadata.len()),
            notes: status.n_notes,
            chunks: status.n_chunks,
            links: status.n_links,
            masked: status.n_masked,
            model: status.model.as_ref().map(ToString::to_string),
            languages: status
                .languages
                .iter()
                .map(|(language, n)| (language.code().to_owned(), *n))
                .collect(),
            index_age_s: status.checked_at.map(|at| (now - at).max(0)),
            left_out: left_out(&status.left_out),
            other_files: status.attachments.clone(),
            skipped: skipped(&status.skipped),
            warnings: warnings(&status.warnings),
            notices: Vec::new(),
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

/// The links around a note.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct LinksResponse {
    pub(crate) path: String,
    pub(crate) outgoing: Vec<Link>,
    pub(crate) backlinks: Vec<Link>,
    pub(crate) unresolved: Vec<Link>,
}

/// A link. `path` is the file at its other end.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Link {
    pub(crate) path: Option<String>,
    pub(crate) line: u32,
    pub(crate) kind: &'static str,
    pub(crate) target: String,
    pub(crate) anchor: Option<String>,
    pub(crate) shown: Option<String>,
}

impl LinksResponse {
    pub(crate) fn new(path: String, links: Links) -> Self {
        let convert = |link: LinkRow, path: Option<String>| Link {
            path,
            line: link.line,
            kind: link.kind.name(),
            target: link.target,
            anchor: link.anchor,
            shown: link.shown,
        };
        Self {
            path,
            outgoing: links
                .outgoing
                .into_iter()
                .map(|l| convert(l.link, Some(l.target)))
                .collect(),
            backlinks: links
                .backlinks
                .into_iter()
                .map(|l| convert(l.link, Some(l.source)))
                .collect(),
            unresolved: links
                .unresolved
                .into_iter()
                .map(|link| convert(link, None))
                .collect(),
        }
    }
}

/// A credential that stands in a note.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Finding {
    pub(crate) path: String,
    /// 0 when it stands in the name of the file or of a folder around it.
    pub(crate) line: u32,
    pub(crate) pattern: String,
}
