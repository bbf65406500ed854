//! The map of a vault: every note a point, near the notes that it is like, and the regions named by their telling
//! words. It reads vectors and names from the store; all else is arithmetic, and the same index gives the same map.

mod layout;
mod name;
mod project;
mod region;

use crate::budget::Budget;
use crate::error::Result;
use crate::store::{NoteId, Store};

/// Numbers that are left of a vector before notes are compared.
const KEPT_DIMENSIONS: usize = 16;

/// The map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// Notes, by path.
    pub points: Vec<MapPoint>,
    /// Parts of the map, the largest first.
    pub regions: Vec<Region>,
}

/// A note on the map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapPoint {
    /// Its id.
    pub note: NoteId,
    /// Its path.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Where it lies, from 0 to 1.
    pub x: f32,
    /// Where it lies, from 0 to 1.
    pub y: f32,
    /// Which of the regions it lies in.
    pub region: usize,
}

/// A part of the map.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Words that tell it from the others, the most telling first.
    pub words: Vec<String>,
    /// Its middle.
    pub x: f32,
    /// Its middle.
    pub y: f32,
    /// Notes that lie in it.
    pub n_notes: usize,
}

/// Draws the map of all notes that have a vector.
pub fn of(store: &Store, budget: &Budget) -> Result<Map> {
    let mut vectors = store.note_vectors()?;
    let ids: Vec<NoteId> = vectors.iter().map(|(note, _)| *note).collect();
    let rows = store.notes(&ids)?;
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&a, &b| rows[a].path.cmp(&rows[b].path));
    let kept = {
        let full: Vec<Vec<f32>> = order
            .iter()
            .map(|&at| std::mem::take(&mut vectors[at].1))
            .collect();
        project::onto_main_axes(&full, KEPT_DIMENSIONS)
    };
    let places = layout::places(&kept, budget)?;
    let (regions, middles) = region::of(&places);
    let notes: Vec<_> = order.iter().map(|&at| &*rows[at]).collect();
    let words = name::telling_words(&notes, &regions, middles.len());
    let mut n_notes = vec![0; middles.len()];
    regions.iter().for_each(|&region| n_notes[region] += 1);
    let points = notes.iter().zip(&places).zip(&regions);
    Ok(Map {
        points: points
            .map(|((note, place), &region)| MapPoint {
                note: note.id,
                path: note.path.clone(),
                title: note.title.clone(),
                x: place[0],
                y: place[1],
                region,
            })
            .collect(),
        regions: (words.into_iter().zip(middles).zip(n_notes))
            .map(|((words, [x, y]), n_notes)| Region {
                words,
                x,
                y,
                n_notes,
            })
            .collect(),
    })
}
