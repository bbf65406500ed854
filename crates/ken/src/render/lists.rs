//! Lists of notes, tags and tasks for people.

use std::path::Path;

use anyhow::Result;
use unicode_width::UnicodeWidthStr;

use super::hits::link;
use super::wrap::{broken_path, pieces, wrap};
use super::{DIM, HEAD, PATH, block, counted, inline, paged, say_styled, width};
use crate::wire::{NoteLine, NoteTasks, Passage, TagCount};

/// Prints tags, with how many notes have each.
pub(crate) fn tags(tags: &[TagCount]) -> Result<()> {
    let most = tags.iter().map(|tag| tag.notes).max().unwrap_or(0);
    let digits = most.to_string().len();
    let line = |tag: &TagCount| {
        let name = inline(&tag.tag);
        format!("{DIM}{:>digits$}{DIM:#}  {PATH}{name}{PATH:#}\n", tag.notes)
    };
    paged(&tags.iter().map(line).collect::<String>())
}

/// Prints tasks below their notes.
pub(crate) fn tasks(notes: &[NoteTasks], quiet: bool) -> Result<()> {
    let mut out = String::new();
    for note in notes {
        out += &head(note.domain.as_deref(), &note.path, note.date.as_deref());
        let digits = note
            .tasks
            .last()
            .map_or(1, |task| task.line.to_string().len());
        for task in &note.tasks {
            let text = inline(&task.text).into_owned();
            let lines = wrap(
                &pieces(&text, |_| false),
                width().saturating_sub(digits + 4),
            );
            for (at, line) in lines.into_iter().enumerate() {
                out += &match at {
                    0 => format!("  {DIM}{:>digits$}{DIM:#}  {line}\n", task.line),
                    _ => format!("  {:>digits$}  {line}\n", ""),
                };
            }
        }
        out.push('\n');
    }
    paged(&out)?;
    if !quiet {
        let n_tasks = notes.iter().map(|note| note.tasks.len()).sum();
        let (tasks, notes) = (counted(n_tasks, "task"), counted(notes.len(), "note"));
        say_styled(&format!("{DIM}{tasks} in {notes}{DIM:#}"));
    }
    Ok(())
}

fn head(domain: Option<&str>, path: &str, date: Option<&str>) -> String {
    let domain = domain.map_or_else(String::new, |domain| format!("[{}] ", inline(domain)));
    let (path, date) = (inline(path), inline(date.unwrap_or_default()).into_owned());
    format!("{DIM}{domain}{DIM:#}{PATH}{path}{PATH:#}{DIM}  {date}{DIM:#}\n")
}

/// Prints notes: day, score if there is one, path, and the title where it says more.
pub(crate) fn notes(notes: &[NoteLine]) -> Result<()> {
    let is_terminal = super::height().is_some();
    let room = if is_terminal { width() } else { usize::MAX };
    let lines = notes.iter().map(|note| listed(note, room));
    paged(&lines.collect::<String>())
}

/// What does not fit goes on below, inside of the indent.
fn listed(note: &NoteLine, room: usize) -> String {
    let day = note.modified.as_deref().filter(|_| note.score.is_none());
    let day = inline(day.or(note.date.as_deref()).unwrap_or_default()).into_owned();
    let score = note
        .score
        .map_or_else(String::new, |score| format!("{score:.2}  "));
    let domain = note.domain.as_deref();
    let domain = domain.map_or_else(String::new, |name| format!("[{}] ", inline(name)));
    let before = format!("{day:<10}  {score}{domain}");
    let indent = before.width();
    let left = room.saturating_sub(indent).max(16);
    let path = inline(&note.path);
    let parts = broken_path(&path, left);
    let last_width = parts.last().map_or(0, |part| part.width());
    let path = parts.join(&format!("\n{:indent$}", ""));
    let stem = note.path.rsplit('/').next().unwrap_or_default();
    let is_named_so = stem.strip_suffix(".md").unwrap_or(stem) == note.title;
    let title = inline(&note.title).into_owned();
    let title = match (is_named_so, last_width + 2 + title.width() <= left) {
        (true, _) => String::new(),
        (false, true) => format!("  {title}"),
        (false, false) => format!("\n{:indent$}{title}", ""),
    };
    format!("{DIM}{before}{DIM:#}{PATH}{path}{PATH:#}{DIM}{title}{DIM:#}\n")
}

/// Prints a whole note below its path.
pub(crate) fn note(note: &Passage, vault: Option<&Path>) -> Result<()> {
    let path = link(&note.path, vault, Some(1));
    let date = inline(note.date.as_deref().unwrap_or_default()).into_owned();
    let text = block(&note.text).into_owned();
    paged(&format!(
        "{PATH}{path}{PATH:#}{DIM}  {date}{DIM:#}\n{HEAD}{}{HEAD:#}\n\n{text}\n",
        inline(&note.title)
    ))
}
