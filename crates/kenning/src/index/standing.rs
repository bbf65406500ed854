//! How much the links vouch for each note, counted anew whenever a link or a note came or went.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::error::Result;
use crate::graph::{LinkGraph, Options, eigenvector_centrality, pagerank, scaled_to_max};
use crate::links::Files;
use crate::note::path_key;
use crate::store::{ChangedGraph, NoteStanding, StoreWriter};

/// Anchor texts that are kept of each note: what others call it when they link to it.
const ANCHOR_TEXTS_MAX: usize = 12;
/// Longer ones are sentences, not names.
const ANCHOR_TEXT_CHARS_MAX: usize = 80;

/// Brings PageRank and centrality up to date.
pub(super) fn refresh(writer: &mut StoreWriter) -> Result<()> {
    let Some(ChangedGraph { notes, links }) = writer.changed_graph()? else {
        return Ok(());
    };
    let number: HashMap<&str, u32> = (0..)
        .zip(&notes)
        .map(|(n, (_, path))| (path.as_str(), n))
        .collect();
    let by_id: HashMap<_, u32> = (0..).zip(&notes).map(|(n, (id, _))| (*id, n)).collect();
    let files = Files::new(notes.iter().map(|(_, path)| path.clone()).collect());
    let mut edges = Vec::new();
    let mut anchor_texts: Vec<BTreeMap<Arc<str>, usize>> = vec![BTreeMap::new(); notes.len()];
    for link in links {
        let Some(&from) = by_id.get(&link.source) else {
            continue;
        };
        let path = &notes[from as usize].1;
        if let Some(&to) = files
            .resolve(path, &link.target)
            .and_then(|to| number.get(to))
        {
            edges.push((from, to));
            if let Some(shown) = link.shown.filter(|_| from != to) {
                *anchor_texts[to as usize].entry(shown).or_default() += 1;
            }
        }
    }
    let graph = LinkGraph::new(notes.len(), &edges);
    let options = Options::default();
    // Without a value for anybody nobody is compared; see `search/links.rs`.
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
        .map(|(n, (id, _))| {
            // A note that no link touches is not part of the graph and has no value in it, which is
            // not the same as a low one.
            let is_linked = n_neighbours[n] > 0;
            let value = |values: &Option<Vec<f32>>| values.as_ref().map(|values| values[n]);
            let links = graph.links_of(n as u32).iter();
            NoteStanding {
                note: *id,
                pagerank: value(&ranks).filter(|_| is_linked),
                centrality: value(&centrality).filter(|_| is_linked),
                n_neighbours: n_neighbours[n],
                anchor_texts: commonest(&anchor_texts[n]),
                links_to: links.map(|&to| path_key(&notes[to as usize].1)).collect(),
            }
        })
        .collect();
    writer.set_graph(&standings)
}

/// Returns the names that are used most, in the order of the alphabet among equals.
fn commonest(anchor_texts: &BTreeMap<Arc<str>, usize>) -> Vec<String> {
    let is_name = |name: &str| name.chars().count() <= ANCHOR_TEXT_CHARS_MAX;
    let mut names: Vec<(&Arc<str>, &usize)> = anchor_texts
        .iter()
        .filter(|(name, _)| is_name(name))
        .collect();
    names.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    let names = names.into_iter().take(ANCHOR_TEXTS_MAX);
    names.map(|(name, _)| name.to_string()).collect()
}
