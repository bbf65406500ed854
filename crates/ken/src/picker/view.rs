//! The state as a picture: the line, the hits, the note. Pure: it draws into a buffer.
//!
//! What comes from notes is made plain before it is drawn. Rooms are counted in columns, and wide characters
//! take two.

mod help;
mod list;
mod note;
mod text;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::state::State;
use text::fitted;

/// From this width on, the note stands beside the hits, and below them before.
const BESIDE_COLUMNS_MIN: u16 = 110;

/// How things look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) path: Style,
    pub(super) dim: Style,
    pub(super) mark: Style,
    pub(super) head: Style,
    pub(super) selected: Style,
}

impl Look {
    /// With colours, or with what a terminal without them has.
    pub(super) fn new(has_colour: bool) -> Self {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        match has_colour {
            true => Self {
                path: bold.fg(Color::Cyan),
                dim: plain.add_modifier(Modifier::DIM),
                mark: bold.fg(Color::Yellow),
                head: bold,
                selected: bold.fg(Color::Green),
            },
            false => Self {
                path: plain,
                dim: plain,
                mark: plain.add_modifier(Modifier::UNDERLINED),
                head: bold,
                selected: bold,
            },
        }
    }
}

/// Where things stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Places {
    line: Rect,
    said: Rect,
    list: Rect,
    note: Rect,
    keys: Rect,
}

/// Returns the rooms of a screen: the line on top, the keys at the bottom, hits and note between them.
fn places(area: Rect) -> Places {
    let row = |y: u16| {
        Rect::new(
            area.x,
            (area.y + y).min(area.bottom()),
            area.width,
            u16::from(y < area.height),
        )
    };
    let middle = Rect {
        y: (area.y + 2).min(area.bottom()),
        height: area.height.saturating_sub(3),
        ..area
    };
    let (list, note) = if area.width >= BESIDE_COLUMNS_MIN {
        let left = middle.width / 2;
        let list = Rect {
            width: left.saturating_sub(1),
            ..middle
        };
        let note = Rect {
            x: middle.x + left,
            width: middle.width - left,
            ..middle
        };
        (list, note)
    } else {
        let upper = middle.height.div_ceil(2);
        let list = Rect {
            height: upper,
            ..middle
        };
        let note = Rect {
            y: middle.y + upper,
            height: middle.height - upper,
            ..middle
        };
        (list, note)
    };
    Places {
        line: row(0),
        said: row(1),
        list,
        note,
        keys: row(area.height.saturating_sub(1)),
    }
}

/// Returns how many items the list shows at once.
pub(super) fn n_shown(area: Rect) -> usize {
    usize::from(places(area).list.height) / list::ITEM_ROWS
}

/// Draws the state; returns where the cursor stands.
pub(super) fn view(state: &State, look: Look, area: Rect, buffer: &mut Buffer) -> Position {
    if area.is_empty() {
        return area.as_position();
    }
    let places = places(area);
    let cursor = draw_line(state, look, places.line, buffer);
    draw_said(state, look, places.said, buffer);
    if state.is_helping {
        let below = Rect {
            width: area.width,
            height: area.height.saturating_sub(3),
            ..places.list
        };
        help::draw(look, below, buffer);
    } else {
        list::draw(state, look, places.list, buffer);
        note::draw(state, look, places.note, buffer);
        draw_completion(state, look, area, buffer);
    }
    let keys =
        "Enter open · Ctrl-O Obsidian · Ctrl-Y copy link · Tab complete · ? help · Esc leave";
    let keys = Span::styled(fitted(keys, places.keys.width.into()), look.dim);
    buffer.set_line(
        places.keys.x,
        places.keys.y,
        &Line::from(keys),
        places.keys.width,
    );
    cursor
}

/// The line that is typed; what does not fit is left out at its beginning.
fn draw_line(state: &State, look: Look, room: Rect, buffer: &mut Buffer) -> Position {
    const PROMPT: &str = "> ";
    let width = usize::from(room.width).saturating_sub(PROMPT.len() + 1);
    let before = state.input.before_cursor();
    let mut hidden = 0;
    while before[hidden..].width() > width {
        hidden += before[hidden..].chars().next().map_or(1, char::len_utf8);
    }
    let text = state.input.text();
    let line = Line::from(vec![
        Span::styled(PROMPT, look.selected),
        Span::raw(text[hidden..].to_owned()),
    ]);
    buffer.set_line(room.x, room.y, &line, room.width);
    if text.is_empty() {
        let hint = "type to search; ? helps";
        let x = room.x + PROMPT.len() as u16;
        buffer.set_line(
            x,
            room.y,
            &Line::styled(hint, look.dim),
            room.width.saturating_sub(2),
        );
    }
    let column = PROMPT.len() + before[hidden..].width();
    Position::new(room.x + column as u16, room.y)
}

fn draw_said(state: &State, look: Look, room: Rect, buffer: &mut Buffer) {
    if room.is_empty() {
        return;
    }
    let said = match (&state.message, state.is_waiting) {
        (Some(message), _) => Line::styled(message.clone(), look.head),
        (None, true) => Line::styled(format!("{} …", state.said), look.dim),
        (None, false) => Line::styled(state.said.clone(), look.dim),
    };
    buffer.set_line(
        room.x + 2.min(room.width),
        room.y,
        &said,
        room.width.saturating_sub(2),
    );
}

/// What the condition at the cursor can be completed to, below it.
fn draw_completion(state: &State, look: Look, area: Rect, buffer: &mut Buffer) {
    let Some(completion) = &state.completion else {
        return;
    };
    let widest = completion
        .values
        .iter()
        .map(|value| value.width())
        .max()
        .unwrap_or(0);
    let width = (widest as u16 + 4).min(area.width);
    let before = state.input.before_cursor().width() as u16 + 2;
    let x = before
        .saturating_sub(completion.n_typed as u16 + 2)
        .min(area.width - width);
    for (row, value) in completion.values.iter().enumerate() {
        let y = area.y + 1 + row as u16;
        if y + 1 >= area.bottom() {
            break;
        }
        let (sign, style) = match row == completion.selected {
            true => ("▸ ", look.selected.add_modifier(Modifier::REVERSED)),
            false => ("  ", Style::new().add_modifier(Modifier::REVERSED)),
        };
        let text = format!(
            "{sign}{value:<width$}",
            width = usize::from(width).saturating_sub(2)
        );
        buffer.set_line(
            area.x + x,
            y,
            &Line::styled(fitted(&text, width.into()), style),
            width,
        );
    }
}
