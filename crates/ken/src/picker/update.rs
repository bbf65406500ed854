//! What happens, and what follows from it: keys, answers and notes into a new state. Pure.

use ratatui::crossterm::event::KeyEvent;

use super::complete::{Vocabulary, complete};
use super::keys::{Action, Edit, action};
use super::state::{Found, Preview, State};

/// Items that a page has.
const PAGE: isize = 5;
/// Lines of the preview that a page has.
const PREVIEW_PAGE: isize = 10;

/// Something that happened.
#[derive(Debug)]
pub(super) enum Event {
    Key(KeyEvent),
    Paste(String),
    Found(Found),
    Preview(Preview),
    Vocabulary(Vocabulary),
    /// Something could not be done.
    Trouble(String),
    /// The terminal has another size, or is to be drawn again.
    Resized,
}

/// What is to be done for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Nothing,
    /// The line is another: ask.
    Ask,
    /// Another item is selected: show its note.
    Look,
    Open,
    OpenInObsidian,
    Copy(String),
    /// The place of the selected item is copied, which only the caller knows in full.
    CopyPlace,
    Redraw,
    Leave,
}

/// Takes in what happened.
pub(super) fn update(state: &mut State, event: Event) -> Effect {
    match event {
        Event::Key(key) => {
            state.message = None;
            let action = action(key, state.input.is_empty());
            pressed(state, action)
        }
        Event::Paste(text) => {
            state.input.insert(&text);
            typed(state)
        }
        Event::Found(found) => answered(state, found),
        Event::Preview(preview) => {
            // The selection may have gone on since.
            if state.item().is_some_and(|item| item.is_of(&preview)) {
                state.preview = Some(preview);
            }
            Effect::Nothing
        }
        Event::Vocabulary(vocabulary) => {
            state.vocabulary = vocabulary;
            Effect::Nothing
        }
        Event::Trouble(message) => {
            state.is_waiting = false;
            state.message = Some(message);
            Effect::Nothing
        }
        Event::Resized => Effect::Nothing,
    }
}

fn answered(state: &mut State, found: Found) -> Effect {
    if found.number != state.n_asked {
        return Effect::Nothing;
    }
    state.is_waiting = false;
    state.items = found.items;
    state.said = found.said;
    (state.selected, state.top, state.preview_moved) = (0, 0, 0);
    Effect::Look
}

fn pressed(state: &mut State, action: Action) -> Effect {
    if state.is_helping {
        // Any key goes back; what leaves, leaves the help.
        state.is_helping = false;
        return match action {
            Action::Type(_) | Action::Edit(_) => pressed(state, action),
            _ => Effect::Nothing,
        };
    }
    let n_items = state.items.len() as isize;
    match action {
        Action::Type(c) => {
            state.input.insert(&c.to_string());
            typed(state)
        }
        Action::Edit(change) => edited(state, change),
        Action::Move(by) => selected(state, state.selected as isize + by),
        Action::MovePage(by) => selected(state, state.selected as isize + by * PAGE),
        Action::First => selected(state, 0),
        Action::Last => selected(state, n_items - 1),
        Action::Scroll(by) => scrolled(state, by),
        Action::ScrollPage(by) => scrolled(state, by * PREVIEW_PAGE),
        Action::Complete => completed(state),
        Action::NextCompletion => {
            if let Some(completion) = &mut state.completion {
                completion.next();
            }
            Effect::Nothing
        }
        Action::Help => {
            state.is_helping = true;
            Effect::Nothing
        }
        Action::Open => for_item(state, Effect::Open),
        Action::OpenInObsidian => for_item(state, Effect::OpenInObsidian),
        Action::CopyPlace => for_item(state, Effect::CopyPlace),
        Action::CopyLink => match state.item() {
            Some(item) => Effect::Copy(item.link()),
            None => Effect::Nothing,
        },
        Action::Redraw => Effect::Redraw,
        Action::Leave => Effect::Leave,
        Action::Nothing => Effect::Nothing,
    }
}

fn for_item(state: &State, effect: Effect) -> Effect {
    match state.item() {
        Some(_) => effect,
        None => Effect::Nothing,
    }
}

fn edited(state: &mut State, change: Edit) -> Effect {
    let before = state.input.text();
    let input = &mut state.input;
    match change {
        Edit::Left => input.left(),
        Edit::Right => input.right(),
        Edit::WordLeft => input.word_left(),
        Edit::WordRight => input.word_right(),
        Edit::Start => input.start(),
        Edit::End => input.end(),
        Edit::Backspace => input.backspace(),
        Edit::Delete => input.delete(),
        Edit::DeleteWord => input.delete_word(),
        Edit::DeleteToStart => input.delete_to_start(),
    }
    match state.input.text() == before {
        true => {
            state.completion = complete(&state.input.before_cursor(), &state.vocabulary);
            Effect::Nothing
        }
        false => typed(state),
    }
}

/// The line is another.
fn typed(state: &mut State) -> Effect {
    state.completion = complete(&state.input.before_cursor(), &state.vocabulary);
    state.n_asked += 1;
    state.is_waiting = true;
    Effect::Ask
}

fn completed(state: &mut State) -> Effect {
    match state.completion.take() {
        Some(completion) => {
            state
                .input
                .replace_before(completion.n_typed, &completion.text());
            typed(state)
        }
        None => Effect::Nothing,
    }
}

fn selected(state: &mut State, place: isize) -> Effect {
    let last = state.items.len().saturating_sub(1);
    let place = usize::try_from(place).unwrap_or(0).min(last);
    if place == state.selected {
        return Effect::Nothing;
    }
    state.selected = place;
    state.preview_moved = 0;
    Effect::Look
}

fn scrolled(state: &mut State, by: isize) -> Effect {
    let n_lines = state
        .preview
        .as_ref()
        .map_or(0, |preview| preview.lines.len()) as isize;
    state.preview_moved = (state.preview_moved + by).clamp(-n_lines, n_lines);
    Effect::Nothing
}

/// Returns the query that a line asks: its last word may not be finished.
pub(super) fn query(line: &str, is_at_end: bool) -> String {
    let last = line.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_plain = last.chars().count() > 1 && last.chars().all(char::is_alphanumeric);
    let is_open = line.matches('"').count() % 2 == 1;
    match is_at_end && is_plain && !is_open && last != "OR" {
        true => format!("{line}*"),
        false => line.to_owned(),
    }
}
