//! What a session is told when it begins: notes about its project, notes that changed last, and how
//! to find more. After the agent has forgotten the conversation, also what it was given before.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use super::project::Project;
use super::recall::{self, Bar, CHARS_PER_TOKEN, Piece};
use super::session::Session;
use crate::args::ModeArg;
use crate::desk::Desk;
use crate::render;
use crate::wire::{self, NoteShape};

/// A session that begins wants to be reminded: what is merely near will do. Names are asked for by
/// their letters, which also takes half the time of asking for their meaning.
const BAR: Bar = Bar {
    mode: Some(ModeArg::Lexical),
    confidence: 0.5,
    score_share: 0.6,
    hits_max: 3,
};
const PIECES_MAX: usize = 5;
const EXCERPT_CHARS_MAX: usize = 240;
const RECENT_MAX: usize = 5;
const GIVEN_MAX: usize = 12;
const BEGIN: &str = "<relevant-context>\n";
const END: &str = "</relevant-context>\n";

/// What a session is told.
pub(super) struct Pack {
    pub(super) text: String,
    pub(super) pieces: Vec<Piece>,
    pub(super) index_age_s: Option<i64>,
}

/// Collects it.
pub(super) fn pack(
    desks: &[Arc<Desk>],
    cwd: &Path,
    session: &Session,
    is_compacted: bool,
    tokens_max: usize,
) -> Result<Pack> {
    let project = Project::at(cwd);
    let (found, index_age_s) = about(desks, cwd, &project, session)?;
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
    for desk in desks {
        let recent = desk.recent(RECENT_MAX)?;
        if !recent.is_empty() {
            lines.push(format!("Notes of {} that changed last:", desk.name()));
            lines.extend(recent.iter().map(recent_line));
        }
    }
    lines.extend(desks.iter().map(|desk| how_to_search(desk)));
    let how_chars: usize = lines
        .iter()
        .rev()
        .take(desks.len())
        .map(|line| line.chars().count() + 1)
        .sum();
    let begin = format!("{BEGIN}{}\n", render::FROM_NOTES);
    let mut left =
        (tokens_max * CHARS_PER_TOKEN).saturating_sub(begin.len() + END.len() + how_chars);
    let n_body = lines.len() - desks.len();
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
    desks: &[Arc<Desk>],
    cwd: &Path,
    project: &Project,
    session: &Session,
) -> Result<(Vec<Piece>, Option<i64>)> {
    let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
    let is_vault = desks.iter().any(|desk| desk.vault() == Some(cwd.as_path()));
    let mut pieces: Vec<Piece> = Vec::new();
    let mut index_age_s = None;
    for query in project.queries() {
        let recall = recall::recall(
            desks,
            &super::prompt::content_words(&query).0.join(" "),
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
    format!(
        "- {} {} · {}: {short}{dots}",
        render::told_as_code(&hit.place()),
        hit.breadcrumb.join(" › "),
        hit.id
    )
}

fn recent_line(note: &NoteShape) -> String {
    let date = note
        .date
        .as_ref()
        .map_or(String::new(), |date| format!(" ({date})"));
    let path = render::told_as_code(&note.path);
    format!("- {path} {}{date}", note.title)
}

/// A fact, not an order: what to do with it is the agent's business.
fn how_to_search(desk: &Desk) -> String {
    let name = desk.name();
    let place = match desk.vault() {
        Some(vault) if !desk.settings().domains.contains_key(name) => {
            format!("--vault \"{}\"", vault.display())
        }
        _ => format!("--domain {name}"),
    };
    format!(
        "`ken search {place} \"words\"` searches the notes of {name}; \
         `ken get {place} \"path:from-to\"` prints the lines of a note."
    )
}
