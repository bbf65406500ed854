//! What each key does; the keys are those of fzf. Pure.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What was asked for by a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Type(char),
    Edit(Edit),
    Move(isize),
    MovePage(isize),
    First,
    Last,
    Scroll(isize),
    ScrollPage(isize),
    Complete,
    NextCompletion,
    Open,
    OpenInObsidian,
    CopyLink,
    CopyPlace,
    Help,
    Redraw,
    Leave,
    Nothing,
}

/// Changes of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    Left,
    Right,
    WordLeft,
    WordRight,
    Start,
    End,
    Backspace,
    Delete,
    DeleteWord,
    DeleteToStart,
}

/// The keys as the help tells them.
pub(super) const HELP: [(&str, &str); 17] = [
    ("type", "words, or conditions: tag: path: file: since: …"),
    ("↑ ↓  Ctrl-P Ctrl-N", "another hit; PgUp PgDn a page"),
    ("Enter", "open in your editor at the line"),
    ("Ctrl-O", "open in Obsidian at the heading"),
    ("Ctrl-Y", "copy a link to it, [[Note#Heading]]"),
    ("Alt-Y", "copy its place, /path/to/note.md:12"),
    ("Shift-↑ Shift-↓", "move the note; with PgUp PgDn a page"),
    ("Tab", "take the suggestion; Shift-Tab the next one"),
    ("Ctrl-W", "delete a word; Ctrl-U the line"),
    ("Esc  Ctrl-C", "leave"),
    ("", ""),
    ("\"a phrase\"", "only notes with it; -word without it"),
    ("tag:house  #house", "only with the tag; preferring it"),
    ("path:Home  file:.pdf", "by path, by file name"),
    (
        "since:2025  before:last-week",
        "by date; on: created: modified:",
    ),
    ("a OR b  [status:done]", "one of them; by property"),
    ("? on an empty line, F1", "this page"),
];

/// Returns what a key asks for. `is_empty` tells whether nothing has been typed.
pub(super) fn action(key: KeyEvent, is_empty: bool) -> Action {
    let has = |modifier| key.modifiers.contains(modifier);
    match key.code {
        KeyCode::Char(c) if has(KeyModifiers::CONTROL) => with_control(c, is_empty),
        KeyCode::Char(c) if has(KeyModifiers::ALT) => match c {
            'b' => Action::Edit(Edit::WordLeft),
            'f' => Action::Edit(Edit::WordRight),
            'y' => Action::CopyPlace,
            _ => Action::Nothing,
        },
        KeyCode::Char('?') if is_empty => Action::Help,
        KeyCode::Char(c) => Action::Type(c),
        KeyCode::F(1) => Action::Help,
        KeyCode::Enter => Action::Open,
        KeyCode::Esc => Action::Leave,
        KeyCode::Tab => Action::Complete,
        KeyCode::BackTab => Action::NextCompletion,
        KeyCode::Up if has(KeyModifiers::SHIFT) => Action::Scroll(-1),
        KeyCode::Down if has(KeyModifiers::SHIFT) => Action::Scroll(1),
        KeyCode::PageUp if has(KeyModifiers::SHIFT) => Action::ScrollPage(-1),
        KeyCode::PageDown if has(KeyModifiers::SHIFT) => Action::ScrollPage(1),
        KeyCode::Up => Action::Move(-1),
        KeyCode::Down => Action::Move(1),
        KeyCode::PageUp => Action::MovePage(-1),
        KeyCode::PageDown => Action::MovePage(1),
        KeyCode::Home if is_empty => Action::First,
        KeyCode::End if is_empty => Action::Last,
        KeyCode::Left if has(KeyModifiers::CONTROL) => Action::Edit(Edit::WordLeft),
        KeyCode::Right if has(KeyModifiers::CONTROL) => Action::Edit(Edit::WordRight),
        KeyCode::Left => Action::Edit(Edit::Left),
        KeyCode::Right => Action::Edit(Edit::Right),
        KeyCode::Home => Action::Edit(Edit::Start),
        KeyCode::End => Action::Edit(Edit::End),
        KeyCode::Backspace if has(KeyModifiers::ALT) => Action::Edit(Edit::DeleteWord),
        KeyCode::Backspace => Action::Edit(Edit::Backspace),
        KeyCode::Delete => Action::Edit(Edit::Delete),
        _ => Action::Nothing,
    }
}

fn with_control(c: char, is_empty: bool) -> Action {
    match c {
        'n' | 'j' => Action::Move(1),
        'p' | 'k' => Action::Move(-1),
        'c' | 'g' | 'q' => Action::Leave,
        'm' => Action::Open,
        'o' => Action::OpenInObsidian,
        'y' => Action::CopyLink,
        'a' => Action::Edit(Edit::Start),
        'e' => Action::Edit(Edit::End),
        'b' => Action::Edit(Edit::Left),
        'f' => Action::Edit(Edit::Right),
        'h' => Action::Edit(Edit::Backspace),
        'w' => Action::Edit(Edit::DeleteWord),
        'u' => Action::Edit(Edit::DeleteToStart),
        'd' if is_empty => Action::Leave,
        'd' => Action::Edit(Edit::Delete),
        'l' => Action::Redraw,
        '/' | '_' | '7' => Action::Help,
        _ => Action::Nothing,
    }
}
