//! The JSON of what a person who looks around asks for: counts, previews, notes that are alike, what is
//! kept an eye on.

use kenning::facets::{Count, Facets};
use kenning::map::Map;
use kenning::search;
use kenning::store::{LinkRow, Masked};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::http::{LIMIT_MAX, QUERY_CHARS_MAX};
use super::{Finding, Hit, SearchResponse};
use crate::searcher::Answered;

/// Most values of one kind that are told.
const VALUES_MAX: usize = 100;
/// Most entries of a long list.
pub(crate) const ENTRIES_MAX: usize = 1_000;

/// Which notes are counted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FacetsParams {
    /// Count the notes that answer this; without it, all of them.
    #[schemars(length(max = QUERY_CHARS_MAX))]
    pub(crate) q: Option<String>,
}

/// What notes have in common, counted.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct FacetsResponse {
    /// Notes that were counted: all, those that meet conditions, or the best that answer, up to 200.
    pub(crate) notes: usize,
    /// Tags, commonest first; one that has others below it counts theirs, too.
    pub(crate) tags: Vec<FacetCount>,
    /// Folders, commonest first; each counts what lies below it.
    pub(crate) folders: Vec<FacetCount>,
    /// Months, `YYYY-MM`, newest first.
    pub(crate) months: Vec<FacetCount>,
    /// Endings of files, commonest first.
    pub(crate) endings: Vec<FacetCount>,
}

/// A value and how many notes have it.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct FacetCount {
    pub(crate) value: String,
    pub(crate) n: usize,
}

impl From<Count> for FacetCount {
    fn from(count: Count) -> Self {
        Self {
            value: count.value,
            n: count.n,
        }
    }
}

fn counts(counts: Vec<Count>, most: usize) -> Vec<FacetCount> {
    counts.into_iter().take(most).map(Into::into).collect()
}

impl From<Facets> for FacetsResponse {
    fn from(facets: Facets) -> Self {
        Self {
            notes: facets.n_notes,
            tags: counts(facets.tags, VALUES_MAX),
            folders: counts(facets.folders, VALUES_MAX),
            months: counts(facets.months, usize::MAX),
            endings: counts(facets.endings, VALUES_MAX),
        }
    }
}

/// How many notes are of each day.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct CalendarResponse {
    /// Days with notes, `YYYY-MM-DD`, oldest first.
    pub(crate) days: Vec<FacetCount>,
}

impl From<Vec<Count>> for CalendarResponse {
    fn from(days: Vec<Count>) -> Self {
        Self {
            days: counts(days, usize::MAX),
        }
    }
}

/// What of a note is to be shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewParams {
    /// The path of the note whose link is followed.
    pub(crate) from: Option<String>,
    /// The line that must be among those shown of a long note.
    #[schemars(range(min = 1, max = u32::MAX))]
    pub(crate) line: Option<u32>,
}

/// A note as HTML that is safe to show.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct PreviewResponse {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) format: String,
    pub(crate) tags: Vec<String>,
    pub(crate) date: Option<String>,
    pub(crate) n_lines: u32,
    /// Lines that the reference names: all of them, or those of a heading.
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    /// Whether its lines can be pointed at.
    pub(crate) has_lines: bool,
    /// Address that opens it in Obsidian.
    pub(crate) uri: String,
    /// The file itself, for programs of this machine; null where the vault is not known.
    pub(crate) file: Option<String>,
    /// Whether only the lines around the wanted one are shown.
    pub(crate) is_cut: bool,
    /// Sanitised: nothing in it runs, and nothing in it asks another server for anything. Blocks tell their
    /// lines as `data-line` and `data-end`; links to notes name them as `data-note`.
    pub(crate) html: String,
}

/// How many notes that are alike.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimilarParams {
    /// Most notes; 10 by default.
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    pub(crate) k: Option<u32>,
}

/// Notes that are like one, by meaning.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct SimilarResponse {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) hits: Vec<Hit>,
}

impl From<(search::Passage, Answered)> for SimilarResponse {
    fn from((passage, answered): (search::Passage, Answered)) -> Self {
        Self {
            path: passage.note.path.clone(),
            title: passage.note.title.clone(),
            hits: SearchResponse::from(answered).hits,
        }
    }
}

/// Credentials that were masked: where, never what.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct FindingsResponse {
    /// How many there are, in this list or not.
    pub(crate) n_findings: usize,
    pub(crate) findings: Vec<Finding>,
}

impl From<Vec<Masked>> for FindingsResponse {
    fn from(masked: Vec<Masked>) -> Self {
        let n_findings = masked.len();
        let findings = masked.into_iter().take(ENTRIES_MAX);
        Self {
            n_findings,
            findings: findings
                .map(|masked| Finding {
                    domain: None,
                    path: masked.path,
                    line: masked.line,
                    pattern: masked.pattern,
                })
                .collect(),
        }
    }
}

/// Links that lead nowhere.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct DeadLinksResponse {
    /// How many there are, in this list or not.
    pub(crate) n_links: usize,
    pub(crate) links: Vec<DeadLink>,
}

/// A link that leads nowhere, and where it stands.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct DeadLink {
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) target: String,
}

impl From<Vec<(String, LinkRow)>> for DeadLinksResponse {
    fn from(dead: Vec<(String, LinkRow)>) -> Self {
        let n_links = dead.len();
        let links = dead.into_iter().take(ENTRIES_MAX);
        Self {
            n_links,
            links: links
                .map(|(path, link)| DeadLink {
                    path,
                    line: link.line,
                    target: link.target,
                })
                .collect(),
        }
    }
}

/// Who asks, and who else may.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ClientsResponse {
    /// Name of this client; null for the person at the machine.
    pub(crate) you: Option<String>,
    /// Whether anybody needs a token.
    pub(crate) tokens: bool,
    /// Whether this client may change notes.
    pub(crate) curate: bool,
    /// Every client, told only to those who may ask every domain.
    pub(crate) clients: Vec<ClientSummary>,
}

/// One client.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub(crate) struct ClientSummary {
    pub(crate) name: String,
    /// Domains that it may ask; null for all of them.
    pub(crate) domains: Option<Vec<String>>,
    /// Whether it may have notes written down.
    pub(crate) remembers: bool,
}

/// All notes as points, near those that they are like. Lists are of one length; places are from 0 to 10,000.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub(crate) struct MapResponse {
    /// Whether this is the map: while one is being drawn, which may take a while, there is nothing yet.
    pub(crate) drawn: bool,
    /// Parts of the map, the largest first.
    pub(crate) regions: Vec<MapRegion>,
    pub(crate) paths: Vec<String>,
    pub(crate) titles: Vec<String>,
    pub(crate) x: Vec<u16>,
    pub(crate) y: Vec<u16>,
    /// Which of the regions each note lies in.
    pub(crate) region: Vec<usize>,
}

/// A part of the map.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct MapRegion {
    /// Words that tell it from the others, the most telling first.
    pub(crate) words: Vec<String>,
    pub(crate) x: u16,
    pub(crate) y: u16,
    pub(crate) n_notes: usize,
}

/// Size of a map.
const MAP_EXTENT: f32 = 10_000.0;

impl From<&Map> for MapResponse {
    fn from(map: &Map) -> Self {
        let place = |x: f32| (x * MAP_EXTENT) as u16;
        let points = || map.points.iter();
        Self {
            drawn: true,
            regions: (map.regions.iter())
                .map(|region| MapRegion {
                    words: region.words.clone(),
                    x: place(region.x),
                    y: place(region.y),
                    n_notes: region.n_notes,
                })
                .collect(),
            paths: points().map(|point| point.path.clone()).collect(),
            titles: points().map(|point| point.title.clone()).collect(),
            x: points().map(|point| place(point.x)).collect(),
            y: points().map(|point| place(point.y)).collect(),
            region: points().map(|point| point.region).collect(),
        }
    }
}
