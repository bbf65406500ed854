//! What the map of a vault says beside where notes lie: dense and sparse regions, bridges between them, notes that are linked with no
//! other, that say the same, that are old or replaced, and links that could be there. All of it ranked by use.

use kenning::map::Map;
use kenning::store::{Part, Store};

use crate::duplicate::{Sketch, Sketches};
use crate::error::Result;
use crate::library::Library;
use crate::suggest::{Suggester, Suggestion};

/// Nearest notes that tell how dense a region is.
const N_NEAREST: usize = 5;
/// Notes of a region that are looked at to tell how dense it is.
const SAMPLE_MAX: usize = 40;
/// Notes that links are suggested for.
const SUGGESTED_MAX: usize = 300;
/// Entries of each list.
const LISTED_MAX: usize = 50;

/// The findings.
#[derive(Clone, Debug, Default)]
pub struct Atlas {
    /// How near notes of each region are to each other: 1 is the same.
    pub densities: Vec<f32>,
    /// Pairs of regions, with how many links there are between them and how many notes lie on the border, the most first.
    pub bridges: Vec<Bridge>,
    /// Notes that are linked with no other.
    pub orphans: Vec<usize>,
    /// Pairs of notes that say nearly the same, and how much of it.
    pub duplicates: Vec<(usize, usize, f32)>,
    /// Notes that were not touched for long, those that are linked most first, with their dates.
    pub stale: Vec<(usize, String)>,
    /// Notes that are replaced, and by what.
    pub superseded: Vec<(usize, String)>,
    /// Links that could be there.
    pub suggestions: Vec<Suggestion>,
}

/// Two regions, and what leads from one to the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bridge {
    /// The regions.
    pub regions: (usize, usize),
    /// Links between their notes.
    pub n_links: usize,
    /// Notes of either whose nearest notes lie in the other: what is asked about them is hard to place.
    pub border: Vec<usize>,
}

/// Looks at a vault. `long_ago` is the day before which a note counts as old, `YYYY-MM-DD`.
pub fn survey(store: &Store, library: &Library, map: &Map, long_ago: &str) -> Result<Atlas> {
    let mut region_of = vec![None; library.notes.len()];
    for point in &map.points {
        if let Some(note) = library.position(&point.path) {
            region_of[note] = Some(point.region);
        }
    }
    let suggester = Suggester::new(library);
    let (densities, borders) = densities(library, &region_of, map.regions.len());
    let mut atlas = Atlas {
        densities,
        bridges: bridges(library, &region_of, borders),
        orphans: suggester.orphans(),
        duplicates: duplicates(store, library)?,
        stale: Vec::new(),
        superseded: Vec::new(),
        suggestions: suggester.of_all(store, SUGGESTED_MAX, LISTED_MAX)?,
    };
    let mut order: Vec<usize> = (0..library.notes.len()).collect();
    order.sort_by(|&a, &b| {
        library.notes[b]
            .pagerank
            .total_cmp(&library.notes[a].pagerank)
            .then(a.cmp(&b))
    });
    for note in order {
        let known = &library.notes[note];
        if let Some(by) = &known.superseded_by {
            atlas.superseded.push((note, by.clone()));
        } else if let Some(date) = known.date.as_ref().filter(|date| date.as_str() < long_ago) {
            atlas.stale.push((note, date.clone()));
        }
    }
    atlas.stale.truncate(LISTED_MAX);
    Ok(atlas)
}

/// Notes on the border of two regions: which regions, and the note.
type Border = ((usize, usize), usize);

/// Returns how dense each region is, and the notes whose nearest ones lie mostly elsewhere.
fn densities(
    library: &Library,
    region_of: &[Option<usize>],
    n_regions: usize,
) -> (Vec<f32>, Vec<Border>) {
    let mut densities = vec![0.0; n_regions];
    let mut borders = Vec::new();
    for (region, density) in densities.iter_mut().enumerate() {
        let members: Vec<usize> = (0..region_of.len())
            .filter(|&note| region_of[note] == Some(region))
            .collect();
        let step = members.len().div_ceil(SAMPLE_MAX).max(1);
        let (mut sum, mut n) = (0.0, 0.0f32);
        for &note in members.iter().step_by(step) {
            let nearest = library.nearest(note, N_NEAREST, |other| region_of[other].is_some());
            sum += nearest.iter().map(|(_, near)| near).sum::<f32>() / N_NEAREST as f32;
            n += 1.0;
            let elsewhere: Vec<usize> = (nearest.iter())
                .filter_map(|(other, _)| region_of[*other])
                .filter(|other| *other != region)
                .collect();
            if 2 * elsewhere.len() > N_NEAREST {
                borders.push(((region.min(elsewhere[0]), region.max(elsewhere[0])), note));
            }
        }
        *density = sum / n.max(1.0);
    }
    (densities, borders)
}

fn bridges(library: &Library, region_of: &[Option<usize>], borders: Vec<Border>) -> Vec<Bridge> {
    let mut bridges: std::collections::BTreeMap<(usize, usize), Bridge> = Default::default();
    let empty = |regions: (usize, usize)| Bridge {
        regions,
        n_links: 0,
        border: Vec::new(),
    };
    for (source, targets) in library.links.iter().enumerate() {
        for &target in targets {
            if let (Some(a), Some(b)) = (region_of[source], region_of[target])
                && a != b
            {
                let key = (a.min(b), a.max(b));
                bridges.entry(key).or_insert_with(|| empty(key)).n_links += 1;
            }
        }
    }
    for (key, note) in borders {
        bridges
            .entry(key)
            .or_insert_with(|| empty(key))
            .border
            .push(note);
    }
    let mut bridges: Vec<Bridge> = bridges.into_values().collect();
    bridges.sort_by_key(|bridge| {
        (
            std::cmp::Reverse((bridge.border.len(), bridge.n_links)),
            bridge.regions,
        )
    });
    bridges.truncate(LISTED_MAX);
    bridges
}

fn duplicates(store: &Store, library: &Library) -> Result<Vec<(usize, usize, f32)>> {
    let mut sketches = Sketches::default();
    for note in &library.notes {
        let text = store.text(note.id, &Part::Whole)?;
        sketches.add(Sketch::of(
            text.get(kenning::note::body_start(&text)..)
                .unwrap_or_default(),
        ));
    }
    let mut pairs = sketches.pairs();
    pairs.truncate(LISTED_MAX);
    Ok(pairs)
}
