//! How much the links vouch for each note, counted anew whenever a link or a note came or went.

use std::collections::HashMap;

use crate::error::Result;
use crate::graph::{LinkGraph, Options, eigenvector_centrality, pagerank, scaled_to_max};
use crate::links::Files;
use crate::store::{NoteStanding, StoreWriter};

/// Brings PageRank and centrality up to date.
pub(super) fn refresh(writer: &mut StoreWriter) -> Result<()> {
    if !writer.is_graph_outdated() {
        return Ok(());
    }
    let notes = writer.note_paths()?;
    let number: HashMap<&str, u32> = (0..)
        .zip(&notes)
        .map(|(n, (_, path))| (path.as_str(), n))
        .collect();
    let by_id: HashMap<_, u32> = (0..).zip(&notes).map(|(n, (id, _))| (*id, n)).collect();
    let files = Files::new(notes.iter().map(|(_, path)| path.clone()).collect());
    let mut edges = Vec::new();
    for (source, target) in writer.link_targets()? {
        let Some(&from) = by_id.get(&source) else {
            continue;
        };
        let path = &notes[from as usize].1;
        if let Some(&to) = files.resolve(path, &target).and_then(|to| number.get(to)) {
            edges.push((from, to));
        }
    }
    let graph = LinkGraph::new(notes.len(), &edges);
    let options = Options::default();
    // Without a value for anybody nobody is compared; see `search/graph.rs`.
    let ranks = scaled_to_max(&pagerank(&graph, &options)).filter(|_| graph.n_edges() > 0);
    let centrality = scaled_to_max(&eigenvector_centrality(&graph, &options));
    let mut n_neighbours = vec![0u32; notes.len()];
    for from in 0..notes.len() as u32 {
        for &to in graph.links_of(from) {
            n_neighbours[from as usize] += 1;
            n_neighbours[to as usize] += 1;
        }
    }
    let standings: Vec<NoteStanding> = notes
        .iter()
        .enumerate()
        .map(|(n, (id, _))| NoteStanding {
            note: *id,
            pagerank: ranks.as_ref().map(|values| values[n]),
            centrality: centrality.as_ref().map(|values| values[n]),
            n_neighbours: n_neighbours[n],
        })
        .collect();
    writer.set_standings(&standings)
}
