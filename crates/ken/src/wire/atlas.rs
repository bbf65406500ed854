//! The JSON of what the map of a vault says.

use kenning::map::Map;
use kenning_curate::atlas::Atlas;
use kenning_curate::library::Library;
use schemars::JsonSchema;
use serde::Serialize;

use super::curate::{LinkSuggestion, SuggestionsResponse};
use super::rounded;

/// What the map says.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct AtlasResponse {
    /// Parts of the map, the largest first.
    pub(crate) regions: Vec<AtlasRegion>,
    pub(crate) bridges: Vec<AtlasBridge>,
    /// Notes that are linked with no other.
    pub(crate) orphans: Vec<String>,
    pub(crate) duplicates: Vec<DuplicatePair>,
    /// Notes that were not touched for long, those that are linked most first.
    pub(crate) stale: Vec<DatedNote>,
    pub(crate) superseded: Vec<SupersededNote>,
    pub(crate) suggestions: Vec<LinkSuggestion>,
    pub(crate) points: Vec<AtlasPoint>,
}

/// A part of the map.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct AtlasRegion {
    /// Words that tell it from the others.
    pub(crate) words: Vec<String>,
    pub(crate) notes: usize,
    /// How near its notes are to each other: 1 is the same.
    pub(crate) density: f64,
}

/// What leads from one part to another.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct AtlasBridge {
    /// Positions in `regions`.
    pub(crate) regions: (usize, usize),
    pub(crate) links: usize,
    /// Notes that lie in one, and are most like those of the other.
    pub(crate) border: Vec<String>,
}

/// Two notes that say nearly the same.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct DuplicatePair {
    pub(crate) paths: (String, String),
    /// The share of what both say.
    pub(crate) similarity: f64,
}

/// A note and its date.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct DatedNote {
    pub(crate) path: String,
    pub(crate) date: String,
}

/// A note that another one replaces.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct SupersededNote {
    pub(crate) path: String,
    pub(crate) by: String,
}

/// A note on the map.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct AtlasPoint {
    pub(crate) path: String,
    /// From 0 to 1.
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Position in `regions`.
    pub(crate) region: usize,
}

impl AtlasResponse {
    pub(crate) fn new(map: &Map, library: &Library, atlas: Atlas) -> Self {
        let path = |note: usize| library.notes[note].path.clone();
        let suggested = SuggestionsResponse::new(library, atlas.suggestions, &atlas.orphans);
        let regions = map.regions.iter().zip(&atlas.densities);
        let bridges = atlas.bridges.into_iter();
        let duplicates = atlas.duplicates.into_iter();
        let points = map.points.iter();
        Self {
            regions: regions
                .map(|(region, density)| AtlasRegion {
                    words: region.words.clone(),
                    notes: region.n_notes,
                    density: rounded(*density),
                })
                .collect(),
            bridges: bridges
                .map(|bridge| AtlasBridge {
                    regions: bridge.regions,
                    links: bridge.n_links,
                    border: bridge.border.into_iter().map(path).collect(),
                })
                .collect(),
            orphans: suggested.orphans,
            duplicates: duplicates
                .map(|(a, b, similarity)| DuplicatePair {
                    paths: (path(a), path(b)),
                    similarity: rounded(similarity),
                })
                .collect(),
            stale: (atlas.stale.into_iter())
                .map(|(note, date)| DatedNote {
                    path: path(note),
                    date,
                })
                .collect(),
            superseded: (atlas.superseded.into_iter())
                .map(|(note, by)| SupersededNote {
                    path: path(note),
                    by,
                })
                .collect(),
            suggestions: suggested.suggestions,
            points: points
                .map(|point| AtlasPoint {
                    path: point.path.clone(),
                    x: rounded(point.x),
                    y: rounded(point.y),
                    region: point.region,
                })
                .collect(),
        }
    }
}
