//! Asks the notes on behalf of an agent, and writes what they say within a budget.

use std::sync::Arc;

use anyhow::Result;
use kenning::search::Mode;

use super::session::Session;
use crate::render;
use crate::searcher::{SearchRequest, Searcher};
use crate::wire::{GivenPassage, Hit, SearchResponse, also_in};

pub(super) const CHARS_PER_TOKEN: usize = 4;
/// A piece that is cut shorter than this says nothing.
const PIECE_CHARS_MIN: usize = 80;
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

/// A passage worth giving.
pub(super) struct Piece {
    pub(super) domain: String,
    pub(super) hit: Hit,
}

impl Piece {
    pub(super) fn given(&self, tool_call: Option<&str>) -> GivenPassage {
        GivenPassage {
            id: self.hit.id.clone(),
            domain: self.domain.clone(),
            path: self.hit.path.clone(),
            start_line: self.hit.start_line,
            end_line: self.hit.end_line,
            page: self.hit.page,
            title: self.hit.title.clone(),
            tool_call: tool_call.map(str::to_owned),
        }
    }

    /// Returns where the note belongs: its area, its category, or the domain.
    fn project(&self) -> &str {
        let para = self.hit.area.as_deref().or(self.hit.category.as_deref());
        para.unwrap_or(&self.domain)
    }

    fn place(&self) -> String {
        self.hit.place()
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

/// Writes pieces as Markdown, as many as there is room for; returns how many.
pub(super) fn write(head: &str, pieces: &[Piece], chars_max: usize) -> (String, usize) {
    let mut out = head.to_owned();
    let mut n_written = 0;
    for piece in pieces {
        let hit = &piece.hit;
        let name = hit.section.as_ref().unwrap_or(&hit.title);
        let others = also_in(&hit.also_in).map(|others| format!(" · {others}"));
        let mut block = format!(
            "\n### {} ({})\n{} · {} · {}{}\n",
            render::told(name),
            render::told(piece.project()),
            render::told_as_code(&piece.place()),
            render::told(&hit.title),
            hit.id,
            render::told(&others.unwrap_or_default())
        );
        let room = chars_max.saturating_sub(out.chars().count() + block.chars().count());
        let Some(text) = fitted(hit, room) else {
            break;
        };
        block.push_str(&text);
        out.push_str(&block);
        n_written += 1;
    }
    (out, n_written)
}

/// Returns the whole passage, its best sentences, or the beginning of them, whichever fits.
fn fitted(hit: &Hit, chars_max: usize) -> Option<String> {
    for text in [&hit.text, &hit.excerpt] {
        let quoted = render::quoted(text, false);
        if quoted.chars().count() <= chars_max {
            return Some(quoted);
        }
    }
    let room = chars_max.checked_sub(PIECE_CHARS_MIN).map(|_| chars_max)?;
    let quoted = render::quoted(&hit.excerpt, false);
    let end = quoted
        .char_indices()
        .nth(room.saturating_sub(2))
        .map_or(quoted.len(), |(end, _)| end);
    let cut = quoted[..end].rsplit_once(' ').map_or("", |(cut, _)| cut);
    Some(format!("{cut}…\n"))
}
