//! What an agent is told when a conversation begins: the notes that always come along, and passages about the
//! opening message, as labelled blocks. The same for the terminal, HTTP, MCP and hooks.

pub(crate) mod block;
pub(crate) mod prompt;

use std::sync::Arc;

use anyhow::Result;
use kenning::Error;

use crate::render;
use crate::searcher::{Answered, SearchRequest, Searcher, masked};
use crate::wire::{ContextBlock, ContextResponse, SearchResponse, merge};
use block::{CHARS_PER_TOKEN, Piece};
use prompt::Skip;

/// Stands above what was found for a message.
pub(crate) const HEADING: &str = "## Relevant Memory Context\n";
pub(crate) const BEGIN: &str = "<relevant-context>\n";
pub(crate) const END: &str = "</relevant-context>\n";
/// Most characters of a note that always comes along.
const ALWAYS_CHARS_MAX: usize = 4_000;

/// What is wanted. What is not told is taken from the settings.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContextRequest {
    pub(crate) message: String,
    pub(crate) limit: Option<u32>,
    pub(crate) min_score: Option<f32>,
    /// An answer that is less sure is left out; weak evidence always is.
    pub(crate) min_confidence: f64,
}

/// What is told, and the passages in it.
pub(crate) struct Context {
    pub(crate) response: ContextResponse,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) index_age_s: Option<i64>,
}

/// How a searcher is asked: a hook asks as of the time of the index, so that the same index says the same.
pub(crate) type Ask<'a> = &'a dyn Fn(&Searcher, &SearchRequest) -> Result<Answered>;

/// Collects what is told. Passages that the agent knows already are left out.
pub(crate) fn collect(
    searchers: &[Arc<Searcher>],
    request: &ContextRequest,
    ask: Ask<'_>,
    is_known: &dyn Fn(&str, &str) -> bool,
) -> Result<Context> {
    let message = masked(&request.message);
    let mut response = ContextResponse::new(&message);
    let always = always(searchers, &mut response)?;
    let mut index_age_s = None;
    let mut pieces = Vec::new();
    if let Some(answer) = found(searchers, &message, request, ask)? {
        index_age_s = answer.index_age_s;
        response.evidence = answer.evidence;
        response.confidence = answer.confidence;
        response.notices.extend(answer.notices);
        let is_sure = !matches!(answer.evidence, "none" | "weak")
            && answer.confidence >= request.min_confidence;
        for hit in answer.hits.into_iter().filter(|_| is_sure) {
            let domain = hit.domain.clone();
            let domain = domain.unwrap_or_else(|| searchers[0].name().to_owned());
            let is_always = always.iter().any(|(_, block)| block.path == hit.path);
            if !is_always && !is_known(&domain, &hit.id) {
                pieces.push(Piece { domain, hit });
            }
        }
    }
    write(searchers, &mut response, always, &mut pieces);
    Ok(Context {
        response,
        pieces,
        index_age_s,
    })
}

/// Writes the blocks that there is room for; the notes that always come along go first.
fn write(
    searchers: &[Arc<Searcher>],
    response: &mut ContextResponse,
    always: Vec<(String, ContextBlock)>,
    pieces: &mut Vec<Piece>,
) {
    let tokens_max = searchers.first().map_or(0, |s| s.settings().memory.tokens);
    let chars_max = (tokens_max * CHARS_PER_TOKEN).saturating_sub(END.len());
    let mut head = format!("{BEGIN}{}\n\n{HEADING}", render::FROM_NOTES);
    for (text, block) in always {
        head.push_str(&text);
        response.blocks.push(block);
    }
    let (text, n_written) = block::write(&head, pieces, chars_max);
    pieces.truncate(n_written);
    let found = pieces
        .iter()
        .map(|piece| ContextBlock::found(&piece.domain, &piece.hit));
    response.blocks.extend(found);
    if !response.blocks.is_empty() {
        response.text = text + END;
    }
}

/// Asks every searcher; `None` where the message says nothing to search with.
fn found(
    searchers: &[Arc<Searcher>],
    message: &str,
    request: &ContextRequest,
    ask: Ask<'_>,
) -> Result<Option<SearchResponse>> {
    let query = match prompt::query(message) {
        Ok(query) => query,
        // Few words are better than none where somebody asks for it.
        Err(Skip::Short) => prompt::content_words(message).0.join(" "),
        Err(_) => return Ok(None),
    };
    if query.is_empty() {
        return Ok(None);
    }
    let mut answers = Vec::new();
    let mut limit = 0;
    for searcher in searchers {
        let memory = &searcher.settings().memory;
        limit = request.limit.unwrap_or(memory.limit);
        let answer = ask(
            searcher,
            &SearchRequest {
                query: query.clone(),
                limit: Some(limit),
                min_score: request.min_score.unwrap_or(memory.min_score),
                ..SearchRequest::default()
            },
        )?;
        answers.push((searcher.name().to_owned(), SearchResponse::from(answer)));
    }
    // A domain that says nothing must not lend its hits the confidence of another.
    if answers.len() > 1 {
        for (_, answer) in &mut answers {
            if matches!(answer.evidence, "none" | "weak") {
                answer.hits.clear();
            }
        }
    }
    Ok(merge(answers, limit as usize, None))
}

/// Returns the notes that the settings name, as far as they are there.
fn always(
    searchers: &[Arc<Searcher>],
    response: &mut ContextResponse,
) -> Result<Vec<(String, ContextBlock)>> {
    let mut blocks = Vec::new();
    let names = searchers
        .first()
        .map(|s| s.settings().memory.always.clone());
    for name in names.unwrap_or_default() {
        let n_before = blocks.len();
        for searcher in searchers {
            let passage = match searcher.passage(&name) {
                Ok(passage) => passage,
                Err(error) if is_not_there(&error) => continue,
                Err(error) => return Err(error),
            };
            let block = ContextBlock::always(searcher.name(), passage);
            let text = block::cut(&render::quoted(&block.text, false), ALWAYS_CHARS_MAX);
            let label = format!(
                "\n### {} (always)\n{}{}\n",
                render::told(&block.title),
                render::told_as_code(&block.path),
                block
                    .memory_type
                    .map_or_else(String::new, |kind| format!(" · {kind}")),
            );
            blocks.push((label + &text, block));
        }
        if blocks.len() == n_before {
            response
                .notices
                .push(format!("{name} is to come along always, but is not a note"));
        }
    }
    Ok(blocks)
}

fn is_not_there(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(Error::NotFound { .. } | Error::Ambiguous { .. })
    )
}
