//! The note of the selected hit, at its lines, with what was asked for marked. Pure.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::state::State;
use super::Look;
use super::text::{fitted_path, marked, matches};
use crate::render::inline;

/// Lines that stand above the passage.
const LEAD_LINES: usize = 2;

pub(super) fn draw(state: &State, look: Look, room: Rect, buffer: &mut Buffer) {
    let (Some(item), Some(preview)) = (state.item(), &state.preview) else {
        return;
    };
    if !item.is_of(preview) || room.height < 2 {
        return;
    }
    let width = usize::from(room.width);
    let title = fitted_path(&inline(&preview.path), width.saturating_sub(4));
    let rule = "─".repeat(width.saturating_sub(title.chars().count() + 4));
    let title = Line::styled(format!("── {title} {rule}"), look.dim);
    buffer.set_line(room.x, room.y, &title, room.width);
    let n_rows = usize::from(room.height) - 1;
    let passage =
        item.start_line.unwrap_or(1) as usize..=item.end_line.unwrap_or(u32::MAX) as usize;
    let has_passage = item.start_line.is_some() && !item.marks.is_empty();
    let words = item.words();
    let from = first_line(state, preview.lines.len(), n_rows);
    let digits = preview.lines.len().to_string().len();
    let lines = preview.lines.iter().enumerate().skip(from).take(n_rows);
    for (row, (at, text)) in lines.enumerate() {
        let number = at + 1;
        let is_inside = passage.contains(&number) && item.start_line.is_some();
        let number_style = if is_inside { look.head } else { look.dim };
        let bar = if is_inside { "│" } else { " " };
        let text = inline(text).into_owned();
        let marks = match has_passage && is_inside {
            true => matches(&text, &words),
            false => Vec::new(),
        };
        let is_marked = |at: usize| marks.get(at).copied().unwrap_or(false);
        let text_width = width.saturating_sub(digits + 2);
        let mut spans = vec![
            Span::styled(format!("{number:>digits$}"), number_style),
            Span::styled(format!("{bar} "), look.selected),
        ];
        let plain = if is_inside || item.start_line.is_none() {
            Style::new()
        } else {
            look.dim
        };
        spans.extend(marked(&text, is_marked, text_width, (plain, look.mark)));
        let y = room.y + 1 + row as u16;
        buffer.set_line(room.x, y, &Line::from(spans), room.width);
    }
}

/// Returns the first line on the screen, from 0: a little above the passage, as it was moved.
fn first_line(state: &State, n_lines: usize, n_rows: usize) -> usize {
    let start = state.item().and_then(|item| item.start_line).unwrap_or(1) as usize;
    let from = (start - 1).saturating_sub(LEAD_LINES) as isize + state.preview_moved;
    usize::try_from(from)
        .unwrap_or(0)
        .min(n_lines.saturating_sub(n_rows))
}
