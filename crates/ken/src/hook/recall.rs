//! Asks the notes on behalf of an agent.

use std::sync::Arc;

use anyhow::Result;
use kenning::search::Mode;

use super::session::Session;
use crate::context::block::Piece;
use crate::searcher::{SearchRequest, Searcher};
use crate::wire::{GivenPassage, SearchResponse};

const HITS_MAX: u32 = 4;

/// How the notes are asked, and how sure an answer must be to be given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bar {
    pub(super) mode: Option<Mode>,
    pub(super) confidence: f64,
    /// Share of the best hit's score that another one must have.
    pub(super) score_share: f64,
    pub(super) hits_max: usize,
}

impl Bar {
    fn is_met(self, answer: &SearchResponse) -> bool {
        let is_weak = matches!(answer.evidence, "none" | "weak");
        !is_weak && answer.confidence >= self.confidence
    }
}

/// Returns what a session is to know of a passage that was given.
pub(super) fn given(piece: &Piece, tool_call: Option<&str>) -> GivenPassage {
    let hit = &piece.hit;
    GivenPassage {
        id: hit.id.clone(),
        domain: piece.domain.clone(),
        path: hit.path.clone(),
        start_line: hit.start_line,
        end_line: hit.end_line,
        page: hit.page,
        title: hit.title.clone(),
        tool_call: tool_call.map(str::to_owned),
    }
}

/// What the notes say, or why they are not quoted.
pub(super) struct Recall {
    pub(super) pieces: Vec<Piece>,
    pub(super) why: String,
    pub(super) index_age_s: Option<i64>,
}

/// Searches every searcher; an answer below the bar and passages the session knows are left out.
pub(super) fn recall(
    searchers: &[Arc<Searcher>],
    query: &str,
    bar: Bar,
    session: &Session,
) -> Result<Recall> {
    let mut answers = Vec::new();
    let mut recall = Recall {
        pieces: Vec::new(),
        why: "the notes do not say enough about it".to_owned(),
        index_age_s: None,
    };
    for searcher in searchers {
        let answer = searcher.remembered(&SearchRequest {
            query: query.to_owned(),
            limit: Some(HITS_MAX),
            mode: bar.mode,
            ..SearchRequest::default()
        })?;
        let answer = SearchResponse::from(answer);
        recall.index_age_s = recall.index_age_s.max(answer.index_age_s);
        if bar.is_met(&answer) {
            answers.push((searcher.name().to_owned(), answer));
        }
    }
    // The surest domain first; in the order they were named among equals.
    answers.sort_by(|(_, a), (_, b)| b.confidence.total_cmp(&a.confidence));
    for (domain, answer) in answers {
        let best = answer.hits.first().map_or(0.0, |hit| hit.score);
        for hit in answer.hits {
            let is_known = session.has(&domain, &hit.id);
            if is_known && recall.pieces.is_empty() {
                recall.why = "given in this session already".to_owned();
            }
            if !is_known
                && hit.score >= best * bar.score_share
                && recall.pieces.len() < bar.hits_max
            {
                let domain = domain.clone();
                recall.pieces.push(Piece { domain, hit });
            }
        }
    }
    Ok(recall)
}
