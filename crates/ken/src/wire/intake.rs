//! The JSON of what comes in.

use std::collections::BTreeMap;

use kenning_curate::intake::Judged;
use kenning_curate::intake::log::{Entry, Fate};
use kenning_curate::intake::measure::{Doubles, Routing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::curate::TagProposal;

/// What is to be taken in.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IntakeParams {
    #[schemars(length(min = 1, max = 1000))]
    pub(crate) items: Vec<IntakeSignal>,
    /// Only tell what would become of it.
    pub(crate) dry_run: Option<bool>,
}

/// Something that may become a note.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IntakeSignal {
    pub(crate) title: Option<String>,
    pub(crate) url: Option<String>,
    /// Markdown, plain text or HTML.
    pub(crate) text: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) author: Option<String>,
    /// A date.
    pub(crate) published: Option<String>,
}

/// What is decided about an item that waits.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecideParams {
    pub(crate) id: String,
    /// `keep` or `drop`.
    pub(crate) decision: Decision,
    /// The folder to keep it in; without it, the one that was proposed.
    pub(crate) folder: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Decision {
    Keep,
    Drop,
}

/// What became of an item that waited.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct DecideResponse {
    pub(crate) id: String,
    /// Path of the note, where it was kept.
    pub(crate) path: Option<String>,
    pub(crate) run: Option<u64>,
    pub(crate) notices: Vec<String>,
}

/// What became of what came in.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct IntakeResponse {
    /// Number of the run, for `ken undo --list`; `null` where no note was made.
    pub(crate) run: Option<u64>,
    pub(crate) items: Vec<IntakeItem>,
    pub(crate) skipped: Vec<IntakeSkipped>,
    pub(crate) notices: Vec<String>,
}

/// An item, and what became of it.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct IntakeItem {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) kind: String,
    /// `kept`, `queued`, `logged`, `duplicate` or `dropped`.
    pub(crate) outcome: &'static str,
    /// Whether it came in before, and nothing was done.
    pub(crate) known: bool,
    pub(crate) score: f64,
    pub(crate) relevance: f64,
    pub(crate) actionability: f64,
    pub(crate) depth: f64,
    pub(crate) authority: f64,
    pub(crate) reasons: Vec<String>,
    /// Folders it could go into, the best first.
    pub(crate) folders: Vec<IntakeFolder>,
    /// Path of its note, or of the one that it is the same as.
    pub(crate) path: Option<String>,
    /// How much of it is the same.
    pub(crate) same: Option<f64>,
    pub(crate) tags: Vec<TagProposal>,
}

/// A folder that an item could go into.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct IntakeFolder {
    pub(crate) folder: String,
    /// How much speaks for it, from 0 to 1.
    pub(crate) share: f64,
    pub(crate) reason: String,
}

/// A file, or a part of one, that could not be read.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct IntakeSkipped {
    pub(crate) name: String,
    pub(crate) reason: String,
}

/// Folders that are told of each item.
const FOLDERS_TOLD: usize = 3;

impl IntakeResponse {
    pub(crate) fn new(
        judged: &[Judged],
        run: Option<u64>,
        skipped: Vec<(String, String)>,
        notices: Vec<String>,
    ) -> Self {
        let skipped = skipped.into_iter();
        Self {
            run,
            items: judged.iter().map(IntakeItem::from).collect(),
            skipped: skipped
                .map(|(name, reason)| IntakeSkipped { name, reason })
                .collect(),
            notices,
        }
    }
}

impl From<&Judged> for IntakeItem {
    fn from(judged: &Judged) -> Self {
        let scores = &judged.scores;
        let (path, same) = match &judged.fate {
            Fate::Kept { path } => (Some(path.clone()), None),
            Fate::Duplicate { of, share } => (Some(of.clone()), Some(super::rounded(*share))),
            _ => (None, None),
        };
        let folders = judged
            .routes
            .iter()
            .take(FOLDERS_TOLD)
            .map(|routed| IntakeFolder {
                folder: routed.folder.clone(),
                share: super::rounded(routed.share),
                reason: routed.reason.clone(),
            });
        Self {
            id: judged.id.clone(),
            title: judged.item.title.clone(),
            kind: judged.item.kind.clone(),
            outcome: judged.fate.name(),
            known: judged.is_known,
            score: super::rounded(scores.total),
            relevance: super::rounded(scores.relevance.value),
            actionability: super::rounded(scores.actionability.value),
            depth: super::rounded(scores.depth.value),
            authority: super::rounded(scores.authority.value),
            reasons: if judged.is_known {
                Vec::new()
            } else {
                judged.reasons()
            },
            folders: folders.collect(),
            tags: judged.tags.iter().map(TagProposal::from).collect(),
            path,
            same,
        }
    }
}

/// What waits for a person, the best first.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct WaitingResponse {
    pub(crate) items: Vec<WaitingItem>,
}

/// An item that waits for a person.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct WaitingItem {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) kind: String,
    pub(crate) url: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) published: Option<String>,
    pub(crate) score: f64,
    pub(crate) reasons: Vec<String>,
    pub(crate) folder: String,
    /// How its text begins.
    pub(crate) excerpt: String,
}

/// Characters of a text that are shown.
const EXCERPT_CHARS: usize = 400;

impl From<&Entry> for WaitingItem {
    fn from(entry: &Entry) -> Self {
        let item = &entry.item;
        let words: Vec<&str> = item.text.split_whitespace().collect();
        Self {
            id: entry.id.clone(),
            title: item.title.clone(),
            kind: item.kind.clone(),
            url: item.url.clone(),
            source: item.source.clone(),
            author: item.author.clone(),
            published: item.published.clone(),
            score: super::rounded(entry.scores[0]),
            reasons: entry.reasons.clone(),
            folder: entry.folder.clone(),
            excerpt: words.join(" ").chars().take(EXCERPT_CHARS).collect(),
        }
    }
}

/// What came in and what became of it, counted.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub(crate) struct IntakeStats {
    pub(crate) items: usize,
    pub(crate) outcomes: BTreeMap<&'static str, usize>,
    pub(crate) kinds: BTreeMap<String, usize>,
    pub(crate) folders: BTreeMap<String, usize>,
    /// How many items of each source came in, and how many of them were kept, the most first.
    pub(crate) sources: Vec<SourceCount>,
    /// Scores on average: total, relevance, actionability, depth, authority.
    pub(crate) means: [f64; 5],
}

/// A source of items.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct SourceCount {
    pub(crate) source: String,
    pub(crate) items: usize,
    pub(crate) kept: usize,
}

impl From<&[Entry]> for IntakeStats {
    fn from(entries: &[Entry]) -> Self {
        let mut stats = Self {
            items: entries.len(),
            ..Self::default()
        };
        let mut sources: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for entry in entries {
            *stats.outcomes.entry(entry.fate.name()).or_default() += 1;
            *stats.kinds.entry(entry.item.kind.clone()).or_default() += 1;
            let is_kept = matches!(entry.fate, Fate::Kept { .. });
            if let Fate::Kept { path } = &entry.fate {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                *stats.folders.entry(folder.to_owned()).or_default() += 1;
            }
            let source = entry
                .item
                .source
                .clone()
                .unwrap_or_else(|| "unknown".to_owned());
            let count = sources.entry(source).or_default();
            count.0 += 1;
            count.1 += usize::from(is_kept);
            for (mean, score) in stats.means.iter_mut().zip(entry.scores) {
                *mean += f64::from(score) / entries.len() as f64;
            }
        }
        stats.means = stats.means.map(|mean| (mean * 1000.0).round() / 1000.0);
        let count = |(source, (items, kept))| SourceCount {
            source,
            items,
            kept,
        };
        stats.sources = sources.into_iter().map(count).collect();
        stats
            .sources
            .sort_by(|a, b| b.items.cmp(&a.items).then_with(|| a.source.cmp(&b.source)));
        stats.sources.truncate(20);
        stats
    }
}

/// How well intake does.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct IntakeFigures {
    pub(crate) routing: Vec<RoutingFigure>,
    pub(crate) copies: Vec<CopiesFigure>,
    /// How often each label had which outcome; empty without labels.
    pub(crate) labels: BTreeMap<String, BTreeMap<&'static str, usize>>,
    /// The share of labelled items with the outcome of their label.
    pub(crate) agreement: Option<f64>,
    pub(crate) wrong: Vec<WrongItem>,
}

/// How often one way of routing is right.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct RoutingFigure {
    pub(crate) way: &'static str,
    pub(crate) notes: usize,
    pub(crate) right: f64,
    pub(crate) among_3: f64,
}

/// How well edited copies are known again.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct CopiesFigure {
    pub(crate) edited_percent: usize,
    pub(crate) copies: usize,
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) recall_same: f64,
    pub(crate) ms: f64,
}

/// A labelled item with another outcome.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct WrongItem {
    pub(crate) label: String,
    pub(crate) item: IntakeItem,
}

impl IntakeFigures {
    pub(crate) fn new(
        routing: Vec<Routing>,
        doubles: Vec<Doubles>,
        labelled: &[(String, Judged)],
    ) -> Self {
        let mut labels: BTreeMap<String, BTreeMap<&'static str, usize>> = BTreeMap::new();
        let mut wrong = Vec::new();
        for (label, judged) in labelled {
            let outcome = match &judged.fate {
                Fate::Kept { .. } => "keep",
                Fate::Queued => "review",
                _ => "drop",
            };
            *labels
                .entry(label.clone())
                .or_default()
                .entry(outcome)
                .or_default() += 1;
            if label != outcome {
                wrong.push(WrongItem {
                    label: label.clone(),
                    item: judged.into(),
                });
            }
        }
        let n = labelled.len();
        let agreement = (n > 0).then(|| (n - wrong.len()) as f64 / n as f64);
        let routing = routing.into_iter().map(|way| RoutingFigure {
            way: way.name,
            notes: way.n_notes,
            right: way.right,
            among_3: way.among_3,
        });
        let copies = doubles.into_iter().map(|doubles| CopiesFigure {
            edited_percent: doubles.percent,
            copies: doubles.n_copies,
            precision: doubles.precision,
            recall: doubles.recall,
            recall_same: doubles.recall_same,
            ms: doubles.ms,
        });
        Self {
            routing: routing.collect(),
            copies: copies.collect(),
            labels,
            agreement,
            wrong,
        }
    }
}
