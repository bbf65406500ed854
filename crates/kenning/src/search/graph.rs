//! Lifts candidates that the vault's links vouch for. Pure.

use jiff::civil::Date;

/// What each term counts, and when the links count at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Share of the score so far.
    pub score: f32,
    /// Share of PageRank.
    pub pagerank: f32,
    /// Share of eigenvector centrality.
    pub centrality: f32,
    /// Added to a note modified lately.
    pub recent: f32,
    /// How long "lately" is.
    pub recent_days: i32,
    /// Fewest links around the candidates; fewer say too little to move anything.
    pub edges_min: usize,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            score: 0.6,
            pagerank: 0.25,
            centrality: 0.15,
            recent: 0.05,
            recent_days: 30,
            edges_min: 10,
        }
    }
}

/// A candidate with what the index knows about its note.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Candidate {
    /// Score so far, 0 to 1.
    pub score: f32,
    /// PageRank of its note, the vault's best being 1; `None` if there is none.
    pub pagerank: Option<f32>,
    /// Centrality of its note, the vault's best being 1; `None` if there is none.
    pub centrality: Option<f32>,
    /// Day its note was last modified.
    pub modified: Option<Date>,
}

/// What each term added to a candidate's score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// From the score so far, with the weight of missing terms.
    pub score: f32,
    /// From PageRank.
    pub pagerank: f32,
    /// From centrality.
    pub centrality: f32,
    /// For being modified lately.
    pub recent: f32,
}

impl Terms {
    /// Returns the new score: 0 to 1, plus what is added for being recent.
    pub fn total(&self) -> f32 {
        self.score + self.pagerank + self.centrality + self.recent
    }
}

/// Scores the candidates anew, or `None` when `n_edges` are too few to say anything.
///
/// `n_edges` is what [`edges_around`] counts. The terms stand in the order of the candidates.
pub fn rerank(
    candidates: &[Candidate],
    n_edges: usize,
    today: Date,
    weights: &Weights,
) -> Option<Vec<Terms>> {
    (n_edges >= weights.edges_min).then(|| {
        candidates
            .iter()
            .map(|candidate| terms(candidate, today, weights))
            .collect()
    })
}

/// Counts the distinct links that have a candidate's note at one end at least.
///
/// Links from a note to itself do not count. `notes` need not be sorted or distinct, since several
/// candidates may be of one note.
pub fn edges_around(notes: &[u32], edges: &[(u32, u32)]) -> usize {
    let mut notes = notes.to_vec();
    notes.sort_unstable();
    let is_candidate = |note: u32| notes.binary_search(&note).is_ok();
    let mut around: Vec<(u32, u32)> = edges
        .iter()
        .copied()
        .filter(|&(from, to)| from != to && (is_candidate(from) || is_candidate(to)))
        .collect();
    around.sort_unstable();
    around.dedup();
    around.len()
}

fn terms(candidate: &Candidate, today: Date, weights: &Weights) -> Terms {
    // A missing term's weight goes back to the score, so that nobody is punished for what is not
    // known and scores stay on one scale.
    let mut score_weight = weights.score;
    let mut term = |value: Option<f32>, weight: f32| match value {
        Some(value) => weight * value,
        None => {
            score_weight += weight;
            0.0
        }
    };
    let pagerank = term(candidate.pagerank, weights.pagerank);
    let centrality = term(candidate.centrality, weights.centrality);
    // A date in the future is a clock that was wrong, not a note that is old.
    let is_recent = candidate
        .modified
        .is_some_and(|date| age_days(date, today) <= weights.recent_days);
    Terms {
        score: score_weight * candidate.score,
        pagerank,
        centrality,
        recent: if is_recent { weights.recent } else { 0.0 },
    }
}

fn age_days(date: Date, today: Date) -> i32 {
    (today - date).get_days()
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use jiff::civil::date;

    fn check(candidate: Candidate) -> String {
        let terms = rerank(&[candidate], 10, date(2026, 7, 1), &Weights::default()).unwrap()[0];
        format!(
            "{:.3} + {:.3} + {:.3} + {:.3} = {:.3}",
            terms.score,
            terms.pagerank,
            terms.centrality,
            terms.recent,
            terms.total()
        )
    }

    #[test]
    fn a_worked_example() {
        // .6·.8 + .25·.4 + .15·.2 + .05 = .48 + .10 + .03 + .05 = .66
        let all = Candidate {
            score: 0.8,
            pagerank: Some(0.4),
            centrality: Some(0.2),
            modified: Some(date(2026, 6, 1)),
        };
        assert_snapshot!(check(all), @"0.480 + 0.100 + 0.030 + 0.050 = 0.660");
        // 31 days ago is not lately.
        let older = Candidate {
            modified: Some(date(2026, 5, 31)),
            ..all
        };
        assert_snapshot!(check(older), @"0.480 + 0.100 + 0.030 + 0.000 = 0.610");
        // (.6 + .15)·.8 + .25·.4 = .60 + .10
        let no_centrality = Candidate {
            centrality: None,
            ..older
        };
        assert_snapshot!(check(no_centrality), @"0.600 + 0.100 + 0.000 + 0.000 = 0.700");
        // (.6 + .25)·.8 + .15·.2 = .68 + .03
        let no_pagerank = Candidate {
            pagerank: None,
            ..older
        };
        assert_snapshot!(check(no_pagerank), @"0.680 + 0.000 + 0.030 + 0.000 = 0.710");
        let bare = Candidate {
            score: 0.8,
            ..Candidate::default()
        };
        assert_snapshot!(check(bare), @"0.800 + 0.000 + 0.000 + 0.000 = 0.800");
    }

    #[test]
    fn a_date_in_the_future_is_recent() {
        let note = Candidate {
            score: 1.0,
            modified: Some(date(2027, 1, 1)),
            ..Candidate::default()
        };
        assert_snapshot!(check(note), @"1.000 + 0.000 + 0.000 + 0.050 = 1.050");
    }

    #[test]
    fn few_links_move_nothing() {
        let rerank = |n_edges| rerank(&[], n_edges, date(2026, 7, 1), &Weights::default());
        assert_eq!(rerank(9), None);
        assert_eq!(rerank(10), Some(Vec::new()));
    }

    #[test]
    fn links_around_the_candidates() {
        let edges = [(1, 2), (2, 1), (1, 2), (3, 4), (5, 1), (1, 1), (4, 2)];
        // 1→2, 2→1 and 5→1 touch note 1; the second 1→2 and 1→1 do not count.
        assert_eq!(edges_around(&[1, 1], &edges), 3);
        assert_eq!(edges_around(&[1, 4], &edges), 5);
        assert_eq!(edges_around(&[], &edges), 0);
    }
}
