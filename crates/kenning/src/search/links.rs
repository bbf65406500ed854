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

/// What is known of a candidate's note.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Known {
    /// Score so far, 0 to 1.
    pub(super) score: f32,
    /// PageRank of its note, the vault's best being 1; `None` if there is none.
    pub(super) pagerank: Option<f32>,
    /// Centrality of its note, the vault's best being 1; `None` if there is none.
    pub(super) centrality: Option<f32>,
    /// Day its note was last modified.
    pub(super) modified: Option<Date>,
}

/// What each term added to a candidate's score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Terms {
    /// From the score so far, with the weight of missing terms.
    pub(super) score: f32,
    /// From PageRank.
    pub(super) pagerank: f32,
    /// From centrality.
    pub(super) centrality: f32,
    /// For being modified lately.
    pub(super) recent: f32,
}

impl Terms {
    /// Returns the new score: 0 to 1, plus what is added for being recent.
    pub(super) fn total(&self) -> f32 {
        self.score + self.pagerank + self.centrality + self.recent
    }
}

/// A candidate's note among its links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Linked<'a> {
    /// What tells it from other notes.
    pub(super) key: u32,
    /// Links from it and to it, each pair of notes once in each direction.
    pub(super) n_edges: u32,
    /// Keys of the notes it links to.
    pub(super) links_to: &'a [u32],
}

/// Counts the distinct links that have a candidate's note at one end at least.
///
/// Several candidates may be of one note, which counts once.
pub(super) fn edges_around(notes: &[Linked<'_>]) -> usize {
    let mut notes = notes.to_vec();
    notes.sort_unstable_by_key(|note| note.key);
    notes.dedup_by_key(|note| note.key);
    let is_candidate = |key: &u32| notes.binary_search_by_key(key, |note| note.key).is_ok();
    let n_ends: usize = notes.iter().map(|note| note.n_edges as usize).sum();
    // A link between two candidates has an end at each of them.
    let links = notes.iter().flat_map(|note| note.links_to);
    n_ends - links.filter(|to| is_candidate(to)).count().min(n_ends)
}

/// Scores a candidate anew: `0.6·score + 0.25·pagerank + 0.15·centrality`, and a little for being
/// recent.
pub(super) fn terms(candidate: &Known, today: Date, weights: &Weights) -> Terms {
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

    fn check(candidate: Known) -> String {
        let terms = terms(&candidate, date(2026, 7, 1), &Weights::default());
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
        let all = Known {
            score: 0.8,
            pagerank: Some(0.4),
            centrality: Some(0.2),
            modified: Some(date(2026, 6, 1)),
        };
        assert_snapshot!(check(all), @"0.480 + 0.100 + 0.030 + 0.050 = 0.660");
        // 31 days ago is not lately.
        let older = Known {
            modified: Some(date(2026, 5, 31)),
            ..all
        };
        assert_snapshot!(check(older), @"0.480 + 0.100 + 0.030 + 0.000 = 0.610");
        // (.6 + .15)·.8 + .25·.4 = .60 + .10
        let no_centrality = Known {
            centrality: None,
            ..older
        };
        assert_snapshot!(check(no_centrality), @"0.600 + 0.100 + 0.000 + 0.000 = 0.700");
        // (.6 + .25)·.8 + .15·.2 = .68 + .03
        let no_pagerank = Known {
            pagerank: None,
            ..older
        };
        assert_snapshot!(check(no_pagerank), @"0.680 + 0.000 + 0.030 + 0.000 = 0.710");
        let bare = Known {
            score: 0.8,
            ..Known::default()
        };
        assert_snapshot!(check(bare), @"0.800 + 0.000 + 0.000 + 0.000 = 0.800");
    }

    #[test]
    fn a_date_in_the_future_is_recent() {
        let note = Known {
            score: 1.0,
            modified: Some(date(2027, 1, 1)),
            ..Known::default()
        };
        assert_snapshot!(check(note), @"1.000 + 0.000 + 0.000 + 0.050 = 1.050");
    }

    #[test]
    fn links_around_the_candidates() {
        // 1→2, 2→1, 3→4, 5→1, 4→2
        let note = |key, n_edges, links_to| Linked {
            key,
            n_edges,
            links_to,
        };
        let (one, two, four) = (note(1, 3, &[2]), note(2, 3, &[1]), note(4, 2, &[2]));
        // 1→2, 2→1 and 5→1 touch note 1, however many of its passages are candidates.
        assert_eq!(edges_around(&[one, one]), 3);
        assert_eq!(edges_around(&[one, four]), 5);
        // 1→2 and 2→1 have both ends among them and count once: 1→2, 2→1, 5→1, 4→2.
        assert_eq!(edges_around(&[one, two]), 4);
        assert_eq!(edges_around(&[]), 0);
    }
}
