//! The hits: where each stands, and its excerpt. Pure.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::super::state::{Item, State};
use super::Look;
use super::text::{fitted, fitted_path, marked};
use crate::render::inline;

/// Rows of an item: its place, and its excerpt.
pub(super) const ITEM_ROWS: usize = 2;

pub(super) fn draw(state: &State, look: Look, room: Rect, buffer: &mut Buffer) {
    let n_shown = usize::from(room.height) / ITEM_ROWS;
    let items = state.items.iter().enumerate().skip(state.top).take(n_shown);
    for (row, (place, item)) in items.enumerate() {
        let y = room.y + (row * ITEM_ROWS) as u16;
        let is_selected = place == state.selected;
        let width = usize::from(room.width).saturating_sub(2);
        buffer.set_line(room.x, y, &head(item, look, is_selected, width), room.width);
        buffer.set_line(
            room.x,
            y + 1,
            &excerpt(item, look, is_selected, width),
            room.width,
        );
    }
}

/// The sign of the selected item; without colours it must be seen, too.
fn sign(is_selected: bool, look: Look) -> Span<'static> {
    match is_selected {
        true => Span::styled("▌ ", look.selected),
        false => Span::raw("  "),
    }
}

fn head(item: &Item, look: Look, is_selected: bool, width: usize) -> Line<'static> {
    let lines = item
        .start_line
        .map_or_else(String::new, |line| format!(":{line}"));
    let date = item
        .date
        .as_deref()
        .map_or_else(String::new, |date| format!("  {}", inline(date)));
    let domain = item
        .domain
        .as_deref()
        .map_or_else(String::new, |name| format!("[{}] ", inline(name)));
    let room = width.saturating_sub(lines.width() + date.width() + domain.width());
    let path = fitted_path(&inline(&item.path), room);
    let style = match is_selected {
        true => look.path.add_modifier(Modifier::REVERSED),
        false => look.path,
    };
    Line::from(vec![
        sign(is_selected, look),
        Span::styled(domain, look.dim),
        Span::styled(path, style),
        Span::styled(lines, look.dim),
        Span::styled(date, look.dim),
    ])
}

fn excerpt(item: &Item, look: Look, is_selected: bool, width: usize) -> Line<'static> {
    let mut spans = vec![sign(is_selected, look)];
    let crumbs = item.breadcrumb.get(1..).unwrap_or_default().join(" › ");
    let crumbs = fitted(&inline(&crumbs), width / 3);
    let mut room = width;
    if !crumbs.is_empty() {
        room = room.saturating_sub(crumbs.width() + 2);
        spans.push(Span::styled(crumbs + "  ", look.head));
    }
    // Made plain character by character, so that marks stay where they are.
    let text: String = item
        .excerpt
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let text = inline(&text).into_owned();
    let is_marked = |at: usize| {
        item.marks
            .iter()
            .any(|&(start, end)| (start..end).contains(&at))
    };
    spans.extend(marked(&text, is_marked, room, (Style::new(), look.mark)));
    Line::from(spans)
}
