//! The picker: `ken` alone on a terminal. Results while one types, the note beside them, and a key to open
//! it.
//!
//! State, what changes it and what it looks like are pure; here are the loop and what it does to the world.

mod complete;
mod input;
mod keys;
mod state;
mod terminal;
#[cfg(test)]
mod tests;
mod update;
mod view;
mod worker;

use std::time::Duration;

use anyhow::{Context, Result};
use ratatui::crossterm::event::{self, Event as TerminalEvent, KeyEventKind};

use crate::open::{self, Target, With};
use crate::searcher::Searchers;
use crate::settings::Settings;
use state::{Item, State};
use terminal::Screen;
use update::{Effect, Event, update};
use view::{Look, view};
use worker::Worker;

/// How long keys are waited for while an answer is on its way.
const WAITING: Duration = Duration::from_millis(4);
/// How long keys are waited for otherwise.
const IDLE: Duration = Duration::from_millis(100);

/// Runs until somebody opens a note or leaves. Returns whether something was opened.
pub(crate) fn run(settings: &Settings, searchers: &Searchers, has_colour: bool) -> Result<bool> {
    let mut picker = Picker {
        settings,
        searchers,
        worker: Worker::start(
            searchers.clone(),
            settings.searches.keys().cloned().collect(),
        ),
        state: State::default(),
        look: Look::new(has_colour),
    };
    let mut screen = Screen::take()?;
    picker.worker.ask(0, String::new());
    picker.worker.learn();
    let chosen = picker.run(&mut screen)?;
    drop(screen);
    match chosen {
        Some(target) => open::open(settings, &target, With::Editor).map(|()| true),
        None => Ok(false),
    }
}

struct Picker<'a> {
    settings: &'a Settings,
    searchers: &'a Searchers,
    worker: Worker,
    state: State,
    look: Look,
}

impl Picker<'_> {
    /// Returns what is to be opened, or nothing.
    fn run(&mut self, screen: &mut Screen) -> Result<Option<Target>> {
        let mut is_dirty = true;
        loop {
            if is_dirty {
                self.draw(screen)?;
            }
            let mut events: Vec<Event> = Vec::new();
            let patience = if self.state.is_waiting { WAITING } else { IDLE };
            if event::poll(patience).context("the terminal cannot be read")? {
                events.extend(read()?);
            }
            events.extend(self.worker.events.try_iter());
            if self.worker.is_gone() {
                anyhow::bail!("the search ended unexpectedly");
            }
            is_dirty = !events.is_empty();
            for event in events {
                let effect = update(&mut self.state, event);
                match effect {
                    Effect::Leave => return Ok(None),
                    Effect::Open => return self.target().map(Some),
                    effect => self.follow(effect, screen)?,
                }
            }
        }
    }

    fn draw(&mut self, screen: &mut Screen) -> Result<()> {
        let state = &mut self.state;
        let look = self.look;
        screen.terminal.draw(|frame| {
            let area = frame.area();
            let n_shown = view::n_shown(area).max(1);
            // The selected item is on the screen, whatever its size.
            state.top = state
                .top
                .clamp((state.selected + 1).saturating_sub(n_shown), state.selected);
            let cursor = view(state, look, area, frame.buffer_mut());
            frame.set_cursor_position(cursor);
        })?;
        Ok(())
    }

    fn follow(&mut self, effect: Effect, screen: &mut Screen) -> Result<()> {
        match effect {
            Effect::Ask => {
                let line = self.state.input.text();
                let query = update::query(&line, self.state.input.is_at_end());
                // A saved search that there is not is looked for as it was typed.
                let query = self.settings.with_saved(&query).unwrap_or(query);
                self.worker.ask(self.state.n_asked, query);
                #[cfg(debug_assertions)]
                assert!(!Settings::panics_on(&line), "as KEN_TEST_PANIC says");
            }
            Effect::Look => {
                if let Some(item) = self.state.item() {
                    self.worker.look(item.domain.clone(), item.path.clone());
                }
            }
            Effect::OpenInObsidian => {
                let opened = self
                    .target()
                    .and_then(|target| open::open(self.settings, &target, With::Obsidian));
                self.state.message = Some(match opened {
                    Ok(()) => "opened in Obsidian".to_owned(),
                    Err(error) => format!("{error:#}"),
                });
            }
            Effect::Copy(text) => self.copy(&text)?,
            Effect::CopyPlace => {
                let target = self.target()?;
                let line = target
                    .line
                    .map_or_else(String::new, |line| format!(":{line}"));
                self.copy(&format!("{}{line}", target.file.display()))?;
            }
            Effect::Redraw => screen.terminal.clear()?,
            Effect::Nothing | Effect::Open | Effect::Leave => {}
        }
        Ok(())
    }

    fn copy(&mut self, text: &str) -> Result<()> {
        terminal::copy(text)?;
        self.state.message = Some(format!("copied {}", crate::render::inline(text)));
        Ok(())
    }

    /// Returns where the selected item is opened.
    fn target(&self) -> Result<Target> {
        let item: &Item = self.state.item().context("nothing is selected")?;
        let searcher = self.searchers.get(item.domain.as_deref())?;
        let vault = searcher
            .vault()
            .context("only an index is known here, not its vault")?;
        let has_lines = kenning::store::has_lines(&item.path);
        Ok(Target {
            file: vault.join(&item.path),
            line: has_lines.then_some(item.start_line.unwrap_or(1)),
            uri: item.uri.clone(),
        })
    }
}

/// Reads what the terminal tells, all that is there already: a paste without brackets comes as many keys.
fn read() -> Result<Vec<Event>> {
    let mut events = Vec::new();
    loop {
        match event::read().context("the terminal cannot be read")? {
            TerminalEvent::Key(key) if key.kind != KeyEventKind::Release => {
                events.push(Event::Key(key))
            }
            TerminalEvent::Paste(text) => events.push(Event::Paste(text)),
            TerminalEvent::Resize(..) => events.push(Event::Resized),
            _ => {}
        }
        if !event::poll(Duration::ZERO).context("the terminal cannot be read")? {
            return Ok(events);
        }
    }
}
