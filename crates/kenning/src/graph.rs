//! How much the links of a vault vouch for each note: PageRank and eigenvector centrality. Pure.
//!
//! Runs at index time over every link of the vault; what it returns is stored beside the notes.

/// Links between notes, by source, each counted once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkGraph {
    /// Where the targets of each note start; one more entry than notes.
    starts: Vec<usize>,
    /// Targets of all notes, those of one note beside each other and ascending.
    targets: Vec<u32>,
}

impl LinkGraph {
    /// Builds the graph of `n_nodes` notes from `(source, target)` pairs.
    ///
    /// A pair that stands twice counts once, a note's link to itself does not count, and neither
    /// does a pair that names a note outside `0..n_nodes`.
    pub(crate) fn new(n_nodes: usize, edges: &[(u32, u32)]) -> Self {
        let counts = |&&(from, to): &&(u32, u32)| {
            from != to && (from as usize) < n_nodes && (to as usize) < n_nodes
        };
        let mut ends = vec![0usize; n_nodes + 1];
        for &(from, _) in edges.iter().filter(counts) {
            ends[from as usize + 1] += 1;
        }
        for node in 0..n_nodes {
            ends[node + 1] += ends[node];
        }
        let mut rows = vec![0u32; ends[n_nodes]];
        let mut next = ends.clone();
        for &(from, to) in edges.iter().filter(counts) {
            rows[next[from as usize]] = to;
            next[from as usize] += 1;
        }
        let mut starts = Vec::with_capacity(n_nodes + 1);
        let mut targets = Vec::with_capacity(rows.len());
        starts.push(0);
        for node in 0..n_nodes {
            let row = &mut rows[ends[node]..ends[node + 1]];
            row.sort_unstable();
            let mut last = None;
            for &target in row.iter() {
                if last.replace(target) != Some(target) {
                    targets.push(target);
                }
            }
            starts.push(targets.len());
        }
        Self { starts, targets }
    }

    /// Returns how many notes there are.
    pub(crate) fn n_nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns how many distinct links there are.
    pub(crate) fn n_edges(&self) -> usize {
        self.targets.len()
    }

    /// Returns the notes that `node` links to, ascending.
    pub(crate) fn links_of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        match (self.starts.get(node), self.starts.get(node + 1)) {
            (Some(&start), Some(&end)) => &self.targets[start..end],
            _ => &[],
        }
    }

    fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.starts
            .windows(2)
            .map(|ends| &self.targets[ends[0]..ends[1]])
    }
}

/// When to stop counting, and how far a reader follows links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Options {
    /// Chance that a reader follows a link rather than opening any note. PageRank only.
    pub(crate) damping: f64,
    /// Mean change of a note's value below which the values count as settled.
    pub(crate) tolerance: f64,
    /// Most rounds, each of which looks at every link once.
    pub(crate) iterations_max: usize,
}

impl Default for Options {
    /// What `networkx` uses.
    fn default() -> Self {
        Self {
            damping: 0.85,
            tolerance: 1e-6,
            iterations_max: 100,
        }
    }
}

/// Returns the PageRank of each note; all of them add up to 1.
///
/// A note without links passes its share to all notes evenly. Values that have not settled when the
/// rounds are used up are returned as they are: each round shrinks what is missing by `damping`.
pub(crate) fn pagerank(graph: &LinkGraph, options: &Options) -> Vec<f64> {
    let n_nodes = graph.n_nodes();
    if n_nodes == 0 {
        return Vec::new();
    }
    let n = n_nodes as f64;
    let mut values = vec![1.0 / n; n_nodes];
    let mut next = vec![0.0; n_nodes];
    for _ in 0..options.iterations_max {
        let dangling: f64 = graph
            .rows()
            .zip(&values)
            .filter(|(row, _)| row.is_empty())
            .map(|(_, value)| value)
            .sum();
        next.fill((1.0 - options.damping) / n + options.damping * dangling / n);
        for (row, value) in graph.rows().zip(&values) {
            let share = options.damping * value / row.len() as f64;
            for &target in row {
                next[target as usize] += share;
            }
        }
        let change = distance(&values, &next);
        std::mem::swap(&mut values, &mut next);
        if change < n * options.tolerance {
            break;
        }
    }
    values
}

/// Returns the eigenvector centrality of each note by the links that point to it, of length 1.
///
/// Powers of `A + I` rather than of `A` are taken, as `networkx` does: the vector is the same, but a
/// ring of notes settles instead of swinging. All zeros when there are no links or the values do not
/// settle, as happens when no chain of links ever leads back to where it began.
pub(crate) fn eigenvector_centrality(graph: &LinkGraph, options: &Options) -> Vec<f64> {
    let n_nodes = graph.n_nodes();
    if graph.n_edges() == 0 {
        return vec![0.0; n_nodes];
    }
    let n = n_nodes as f64;
    let mut values = vec![1.0 / n; n_nodes];
    let mut next = vec![0.0; n_nodes];
    for _ in 0..options.iterations_max {
        next.copy_from_slice(&values);
        for (row, value) in graph.rows().zip(&values) {
            for &target in row {
                next[target as usize] += value;
            }
        }
        let length = next.iter().map(|value| value * value).sum::<f64>().sqrt();
        next.iter_mut().for_each(|value| *value /= length);
        let change = distance(&values, &next);
        std::mem::swap(&mut values, &mut next);
        if change < n * options.tolerance {
            return values;
        }
    }
    vec![0.0; n_nodes]
}

/// Scales values so that the best is 1, for use in a ranking.
///
/// `None` when no value is above zero: then the links say nothing, and a ranking should leave the
/// term out rather than count it as zero for everybody.
pub(crate) fn scaled_to_max(values: &[f64]) -> Option<Vec<f32>> {
    let best = values.iter().copied().fold(0.0, f64::max);
    (best > 0.0).then(|| values.iter().map(|value| (value / best) as f32).collect())
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Settled far enough that nine digits agree.
    const EXACT: Options = Options {
        damping: 0.85,
        tolerance: 1e-12,
        iterations_max: 5000,
    };

    // The expected values below were printed by networkx 3.6.1:
    //
    //   import networkx as nx
    //   def show(n, edges):
    //       g = nx.DiGraph(); g.add_nodes_from(range(n)); g.add_edges_from(edges)
    //       pr = nx.pagerank(g, alpha=.85, tol=1e-12, max_iter=1000)
    //       ec = nx.eigenvector_centrality(g, tol=1e-12, max_iter=5000)
    //       print([round(pr[i], 9) for i in range(n)], [round(ec[i], 9) for i in range(n)])
    //   show(6, DANGLING); show(7, TWO_PARTS)
    //   k = nx.karate_club_graph()
    //   show(34, [e for u, v in k.edges() for e in ((u, v), (v, u))])
    const DANGLING: [(u32, u32); 7] = [(0, 1), (0, 2), (1, 2), (2, 0), (3, 2), (3, 4), (1, 5)];
    const TWO_PARTS: [(u32, u32); 9] = [
        (0, 1),
        (1, 2),
        (2, 0),
        (0, 2),
        (3, 4),
        (4, 3),
        (4, 5),
        (5, 6),
        (6, 3),
    ];

    fn check(actual: &[f64], expected: &[f64]) {
        assert_eq!(actual.len(), expected.len());
        for (node, (a, e)) in actual.iter().zip(expected).enumerate() {
            assert!((a - e).abs() < 2e-9, "note {node}: {a} is not {e}");
        }
    }

    #[test]
    fn notes_without_links_pass_their_share_to_all() {
        let graph = LinkGraph::new(6, &DANGLING);
        check(
            &pagerank(&graph, &EXACT),
            &[
                0.28777079,
                0.176581219,
                0.274696656,
                0.054278633,
                0.077347052,
                0.129325651,
            ],
        );
        check(
            &eigenvector_centrality(&graph, &EXACT),
            &[0.523464373, 0.395151564, 0.693442655, 0.0, 0.0, 0.298291091],
        );
    }

    #[test]
    fn two_parts_that_know_nothing_of_each_other() {
        let graph = LinkGraph::new(7, &TWO_PARTS);
        check(
            &pagerank(&graph, &EXACT),
            &[
                0.166195591,
                0.092061697,
                0.17031414,
                0.187459006,
                0.180768726,
                0.09825528,
                0.104945559,
            ],
        );
        // The denser part takes it all: that is what an eigenvector does.
        check(
            &eigenvector_centrality(&graph, &EXACT),
            &[0.548431758, 0.413998886, 0.726517398, 0.0, 0.0, 0.0, 0.0],
        );
    }

    #[test]
    fn the_karate_club_both_ways() {
        let both: Vec<(u32, u32)> = KARATE.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        let graph = LinkGraph::new(34, &both);
        assert_eq!(graph.n_edges(), 156);
        check(&pagerank(&graph, &EXACT), &KARATE_PAGERANK);
        check(&eigenvector_centrality(&graph, &EXACT), &KARATE_CENTRALITY);
    }

    #[test]
    fn a_worked_example() {
        // 0 -> 1 and 1 -> nothing. With p = rank of 0 and q = 1 - p of 1:
        // p = .15/2 + .85·q/2, so p·(1 + .425) = .075 + .425 = .5 and p = .350877193.
        let graph = LinkGraph::new(2, &[(0, 1)]);
        check(&pagerank(&graph, &EXACT), &[0.350877193, 0.649122807]);
    }

    #[test]
    fn links_are_counted_once_and_never_to_oneself() {
        let graph = LinkGraph::new(3, &[(0, 2), (0, 1), (0, 2), (1, 1), (2, 9), (9, 2)]);
        assert_eq!(graph.links_of(0), [1, 2]);
        assert_eq!((graph.n_nodes(), graph.n_edges()), (3, 2));
        assert!(graph.links_of(1).is_empty() && graph.links_of(9).is_empty());
    }

    #[test]
    fn where_links_say_nothing_the_term_is_missing() {
        let empty = LinkGraph::new(0, &[]);
        assert!(pagerank(&empty, &EXACT).is_empty());
        assert!(eigenvector_centrality(&empty, &EXACT).is_empty());
        let unlinked = LinkGraph::new(2, &[]);
        check(&pagerank(&unlinked, &EXACT), &[0.5, 0.5]);
        assert_eq!(
            scaled_to_max(&eigenvector_centrality(&unlinked, &EXACT)),
            None
        );
        // networkx: "power iteration failed to converge within 100 iterations".
        let chain = LinkGraph::new(4, &[(0, 1), (1, 2), (2, 3)]);
        assert_eq!(
            eigenvector_centrality(&chain, &Options::default()),
            [0.0; 4]
        );
    }

    #[test]
    fn the_best_is_one() {
        assert_eq!(scaled_to_max(&[0.1, 0.4, 0.0]), Some(vec![0.25, 1.0, 0.0]));
        assert_eq!(scaled_to_max(&[]), None);
    }

    proptest! {
        #[test]
        fn the_order_of_links_does_not_matter(
            mut edges in prop::collection::vec((0u32..12, 0u32..12), 0..60),
        ) {
            let graph = LinkGraph::new(12, &edges);
            let ranks = pagerank(&graph, &Options::default());
            prop_assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            edges.reverse();
            prop_assert_eq!(&graph, &LinkGraph::new(12, &edges));
            for value in eigenvector_centrality(&graph, &Options::default()) {
                prop_assert!((0.0..=1.0 + 1e-9).contains(&value));
            }
        }
    }

    #[rustfmt::skip]
    const KARATE: [(u32, u32); 78] = [
        (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (0, 7), (0, 8), (0, 10), (0, 11), (0, 12),
        (0, 13), (0, 17), (0, 19), (0, 21), (0, 31), (1, 2), (1, 3), (1, 7), (1, 13), (1, 17),
        (1, 19), (1, 21), (1, 30), (2, 3), (2, 7), (2, 8), (2, 9), (2, 13), (2, 27), (2, 28),
        (2, 32), (3, 7), (3, 12), (3, 13), (4, 6), (4, 10), (5, 6), (5, 10), (5, 16), (6, 16),
        (8, 30), (8, 32), (8, 33), (9, 33), (13, 33), (14, 32), (14, 33), (15, 32), (15, 33),
        (18, 32), (18, 33), (19, 33), (20, 32), (20, 33), (22, 32), (22, 33), (23, 25), (23, 27),
        (23, 29), (23, 32), (23, 33), (24, 25), (24, 27), (24, 31), (25, 31), (26, 29), (26, 33),
        (27, 33), (28, 31), (28, 33), (29, 32), (29, 33), (30, 32), (30, 33), (31, 32), (31, 33),
        (32, 33),
    ];
    #[rustfmt::skip]
    const KARATE_PAGERANK: [f64; 34] = [
        0.096997285, 0.052876924, 0.057078509, 0.035859858, 0.021977952, 0.029111155, 0.029111155,
        0.024490497, 0.029766056, 0.014309397, 0.021977952, 0.009564745, 0.014644892, 0.029536456,
        0.014535994, 0.014535994, 0.016784005, 0.014558677, 0.014535994, 0.019604636, 0.014535994,
        0.014558677, 0.014535994, 0.031522515, 0.021076034, 0.021006197, 0.015044038, 0.025639767,
        0.019573459, 0.026288538, 0.024590155, 0.037158087, 0.071693226, 0.100919182,
    ];
    #[rustfmt::skip]
    const KARATE_CENTRALITY: [f64; 34] = [
        0.355491445, 0.26595992, 0.317192504, 0.21117972, 0.075968818, 0.079483045, 0.079483045,
        0.170959748, 0.227403907, 0.102674251, 0.075968818, 0.052855697, 0.084254629, 0.22647272,
        0.101403262, 0.101403262, 0.023635628, 0.092399538, 0.101403262, 0.14791251, 0.101403262,
        0.092399538, 0.101403262, 0.150118572, 0.057052441, 0.059206475, 0.075579413, 0.133477153,
        0.131077823, 0.134960819, 0.174758302, 0.191033841, 0.30864422, 0.37336347,
    ];
}
