//! The page of keys and conditions. Pure.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::keys::HELP;
use super::Look;
use super::text::fitted;

/// Columns of what is typed.
const KEYS_WIDTH: usize = 30;

pub(super) fn draw(look: Look, room: Rect, buffer: &mut Buffer) {
    for (row, (keys, what)) in HELP.iter().enumerate().take(room.height.into()) {
        let width = usize::from(room.width).saturating_sub(KEYS_WIDTH + 2);
        let line = Line::from(vec![
            Span::styled(format!("  {keys:<KEYS_WIDTH$}"), look.head),
            Span::raw(fitted(what, width)),
        ]);
        buffer.set_line(room.x, room.y + row as u16, &line, room.width);
    }
}
