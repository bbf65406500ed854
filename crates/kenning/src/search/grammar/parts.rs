//! The parts of a note that a condition can be about: sections, blocks, tasks. Pure.

use std::ops::Range;

use super::filter::TaskState;
use crate::note::heading_on;

/// Cuts a text before each of its headings.
pub(super) fn sections<'a>(text: &'a str, headings: &[Range<usize>]) -> Vec<&'a str> {
    let mut cuts: Vec<usize> = headings
        .iter()
        .map(|heading| heading.start)
        .filter(|cut| text.is_char_boundary(*cut))
        .collect();
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    cuts.windows(2)
        .map(|pair| &text[pair[0]..pair[1]])
        .filter(|section| !section.is_empty())
        .collect()
}

/// Cuts text into paragraphs, headings, list items and fenced code.
pub(super) fn blocks<'a>(text: &'a str, headings: &[Range<usize>]) -> Vec<&'a str> {
    let mut blocks = Vec::new();
    let mut start = None;
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (from, end) = (at, at + line.len());
        at = end;
        let trimmed = line.trim();
        if let Some(mark) = fence {
            if trimmed.starts_with(mark) {
                fence = None;
            }
            continue;
        }
        let heading = heading_on(headings, &(from..end));
        if heading.is_none() {
            fence = fence_mark(trimmed);
        }
        let is_item = after_bullet(trimmed).is_some();
        if trimmed.is_empty() || heading.is_some() || fence.is_some() || is_item {
            blocks.extend(start.take().map(|start| &text[start..from]));
        }
        match heading {
            // A heading may take several lines.
            Some(heading) if heading.start >= from => {
                blocks.push(text.get(heading.clone()).unwrap_or(line));
            }
            Some(_) => {}
            None if trimmed.is_empty() => {}
            None => {
                start.get_or_insert(from);
            }
        }
    }
    blocks.extend(start.map(|start| &text[start..]));
    blocks
}

/// Returns what each task of that state says, with its line, counted from 0. Code only shows how one is
/// written.
pub fn tasks(text: &str, state: TaskState) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(number, line)| {
        let inside = line.trim_start_matches([' ', '\t', '>']);
        let inside = after_bullet(inside).map_or(inside, str::trim_start);
        let mark = fence_mark(inside);
        if fence.is_some() || mark.is_some() {
            fence = match fence {
                Some(open) if mark == Some(open) => None,
                Some(open) => Some(open),
                None => mark,
            };
            return None;
        }
        let (mark, said) = task(line)?;
        let is_meant = match state {
            TaskState::Any => true,
            TaskState::Todo => mark == ' ',
            TaskState::Done => matches!(mark, 'x' | 'X'),
        };
        is_meant.then_some((number, said))
    })
}

/// Returns what a line opens or closes code with.
fn fence_mark(line: &str) -> Option<&'static str> {
    ["```", "~~~"]
        .into_iter()
        .find(|mark| line.starts_with(mark))
}

/// Reads `- [x] text`, also in a quote and in a numbered list.
fn task(line: &str) -> Option<(char, &str)> {
    let item = after_bullet(line.trim_start_matches([' ', '\t', '>']))?;
    let mut chars = item.trim_start().strip_prefix('[')?.chars();
    let mark = chars.next()?;
    let said = chars.as_str().strip_prefix(']')?;
    (said.is_empty() || said.starts_with([' ', '\t'])).then_some((mark, said))
}

/// Returns what follows `- `, `* `, `+ `, `1. ` or `1) `.
fn after_bullet(line: &str) -> Option<&str> {
    let after = match line.strip_prefix(['-', '*', '+']) {
        Some(after) => after,
        None => {
            let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
            let is_numbered = after.len() < line.len();
            after.strip_prefix(['.', ')']).filter(|_| is_numbered)?
        }
    };
    after.strip_prefix([' ', '\t'])
}
