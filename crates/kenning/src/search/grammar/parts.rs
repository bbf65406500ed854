//! The parts of a note that a condition can be about: sections, blocks, tasks. Pure.

use super::filter::TaskState;

/// Cuts `body`, which starts at byte `body_start` of the note, before each heading.
pub(super) fn sections<'a>(body: &'a str, headings: &[usize], body_start: usize) -> Vec<&'a str> {
    let mut cuts: Vec<usize> = headings
        .iter()
        .filter_map(|start| start.checked_sub(body_start))
        .filter(|cut| body.is_char_boundary(*cut))
        .collect();
    cuts.extend([0, body.len()]);
    cuts.sort_unstable();
    cuts.windows(2)
        .map(|pair| &body[pair[0]..pair[1]])
        .filter(|section| !section.is_empty())
        .collect()
}

/// Cuts text into paragraphs, headings, list items and fenced code.
pub(super) fn blocks(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let mut start = None;
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let trimmed = line.trim();
        if let Some(mark) = fence {
            if trimmed.starts_with(mark) {
                fence = None;
            }
            at = end;
            continue;
        }
        fence = ["```", "~~~"]
            .into_iter()
            .find(|mark| trimmed.starts_with(mark));
        let is_heading = is_heading(line);
        if trimmed.is_empty() || is_heading || fence.is_some() || after_bullet(trimmed).is_some() {
            blocks.extend(start.take().map(|start| &text[start..at]));
        }
        if is_heading {
            blocks.push(line);
        } else if !trimmed.is_empty() {
            start.get_or_insert(at);
        }
        at = end;
    }
    blocks.extend(start.map(|start| &text[start..]));
    blocks
}

/// Returns what each task of that state says.
pub(super) fn tasks(text: &str, state: TaskState) -> impl Iterator<Item = &str> {
    text.lines().filter_map(move |line| {
        let (mark, said) = task(line)?;
        let is_meant = match state {
            TaskState::Any => true,
            TaskState::Todo => mark == ' ',
            TaskState::Done => matches!(mark, 'x' | 'X'),
        };
        is_meant.then_some(said)
    })
}

/// Reads `- [x] text`, also in a quote and in a numbered list.
fn task(line: &str) -> Option<(char, &str)> {
    let item = after_bullet(line.trim_start_matches([' ', '\t', '>']))?;
    let mut chars = item.trim_start().strip_prefix('[')?.chars();
    let mark = chars.next()?;
    let said = chars.as_str().strip_prefix(']')?;
    (said.is_empty() || said.starts_with([' ', '\t'])).then_some((mark, said))
}

fn is_heading(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - after.len())) && after.starts_with([' ', '\t'])
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
