//! What a session is told when it begins: notes about its project, notes that changed last, and how
//! to find more. After the agent has forgotten the conversation, also what it was given before.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use kenning::search::Mode;
use kenning::store::NoteRow;

use super::project::Project;
use super::recall::{self, Bar};
use super::session::Session;
use crate::context::block::{CHARS_PER_TOKEN, Piece};
use crate::context::{BEGIN, END, prompt};
use crate::render;
use crate::searcher::Searcher;
use crate::wire;

/// A session that begins wants to be reminded: what is merely near will do. Names are asked for by
/// their letters, which also takes half the time of asking for their meaning.
const BAR: Bar = Bar {
    mode: Some(Mode::Lexical),
    confidence: 0.5,
    score_share: 0.6,
    hits_max: 3,
};
const PIECES_MAX: usize = 5;
const EXCERPT_CHARS_MAX: usize = 240;
const RECENT_MAX: usize = 5;
const GIVEN_MAX: usize = 12;

/// What a session is told.
pub(super) struct Pack {
    pub(super) text: String,
    pub(super) pieces: Vec<Piece>,
    pub(super) index_age_s: Option<i64>,
}

/// Collects it.
pub(super) fn pack(
    searchers: &[Arc<Searcher>],
    cwd: &Path,
    session: &Session,
    is_compacted: bool,
    tokens_max: usize,
) -> Result<Pack> {
    let project = Project::at(cwd);
    let (found, index_age_s) = about(searchers, cwd, &project, session)?;
    let mut lines = Vec::new();
    if is_compacted && !session.given().is_empty() {
        lines.push("Notes given earlier in this session:".to_owned());
        let given = session.given();
        for given in &given[given.len().saturating_sub(GIVEN_MAX)..] {
            let lines_of = given.start_line.zip(given.end_line);
            let place = wire::place(&given.path, lines_of, given.page);
            let place = render::told_as_code(&place);
            lines.push(format!("- {place} {} · {}", given.title, given.id));
        }
    }
    let n_before = lines.len();
    if !found.is_empty() {
        lines.push(format!("Notes about {}:", project.name));
        lines.extend(found.iter().map(line_of));
    }
    let n_found_until = lines.len();
    for searcher in searchers {
        let recent = searcher.recent(RECENT_MAX)?;
        if !recent.is_empty() {
            lines.push(format!("Notes of {} that changed last:", searcher.name()));
            lines.extend(recent.iter().map(|note| recent_line(note)));
        }
    }
    lines.extend(searchers.iter().map(|searcher| how_to_search(searcher)));
    let how_chars: usize = lines
        .iter()
        .rev()
        .take(searchers.len())
        .map(|line| line.chars().count() + 1)
        .sum();
    let begin = format!("{BEGIN}{}\n", render::FROM_NOTES);
    let mut left =
        (tokens_max * CHARS_PER_TOKEN).saturating_sub(begin.len() + END.len() + how_chars);
    let n_body = lines.len() - searchers.len();
    let mut n_kept = 0;
    let mut text = begin;
    for (number, line) in lines.iter().map(|line| render::told(line)).enumerate() {
        let n_chars = line.chars().count() + 1;
        if number < n_body && n_chars > left {
            continue;
        }
        if number < n_body {
            left -= n_chars;
        }
        if (n_before + 1..n_found_until).contains(&number) {
            n_kept = number - n_before;
        }
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str(END);
    let pieces = found.into_iter().take(n_kept).collect();
    Ok(Pack {
        text,
        pieces,
        index_age_s,
    })
}

/// Finds notes about a project by all its names. Inside the vault itself there is no project.
fn about(
    searchers: &[Arc<Searcher>],
    cwd: &Path,
    project: &Project,
    session: &Session,
) -> Result<(Vec<Piece>, Option<i64>)> {
    let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
    let is_vault = searchers
        .iter()
        .any(|searcher| searcher.vault() == Some(cwd.as_path()));
    let mut pieces: Vec<Piece> = Vec::new();
    let mut index_age_s = None;
    for query in project.queries() {
        let recall = recall::recall(
            searchers,
            &prompt::content_words(&query).0.join(" "),
            BAR,
            session,
        )?;
        index_age_s = index_age_s.max(recall.index_age_s);
        for piece in recall.pieces.into_iter().filter(|_| !is_vault) {
            let is_known = pieces.iter().any(|known| known.hit.path == piece.hit.path);
            if !is_known && pieces.len() < PIECES_MAX {
                pieces.push(piece);
            }
        }
    }
    Ok((pieces, index_age_s))
}

fn line_of(piece: &Piece) -> String {
    let hit = &piece.hit;
    let excerpt: String = hit.excerpt.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = excerpt.chars().take(EXCERPT_CHARS_MAX).collect();
    let dots = if short.len() < excerpt.len() {
        "…"
    } else {
        ""
    };
    let picture = render::read_from(hit).map(|picture| format!(" ({picture})"));
    format!(
        "- {} {} · {}{}: {short}{dots}",
        render::told_as_code(&hit.place()),
        hit.breadcrumb.join(" › "),
        hit.id,
        render::told(&picture.unwrap_or_default())
    )
}

fn recent_line(note: &NoteRow) -> String {
    let date = note
        .date
        .as_ref()
        .map_or(String::new(), |date| format!(" ({date})"));
    let path = render::told_as_code(&note.path);
    format!("- {path} {}{date}", note.title)
}

/// A fact, not an order: what to do with it is the agent's business.
fn how_to_search(searcher: &Searcher) -> String {
    let name = searcher.name();
    let place = match searcher.vault() {
        Some(vault) if !searcher.settings().domains.contains_key(name) => {
            format!("--vault \"{}\"", vault.display())
        }
        _ => format!("--domain {name}"),
    };
    format!(
        "`ken search {place} \"words\"` searches the notes of {name}; \
         `ken get {place} \"path:from-to\"` prints the lines of a note."
    )
}
