//! How the index of a domain is. It is looked at on a thread of its own, once for all who ask at a time: whoever watches
//! over servers gets an answer soon, even where a server says nothing at all. Nothing is mended here, and nothing made.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use kenning::Error;
use kenning::embed::ModelId;
use kenning::store::FileId;
use tokio::sync::watch;
use tokio::time::timeout;

use super::{Searcher, locked};
use crate::runtime;
use crate::settings::Located;

/// How long what was seen counts: however many ask, an index is looked at once in that time.
const AGE_MAX: Duration = Duration::from_secs(1);
/// Longest time to wait for a look. Who watches over servers waits for a second, as a rule.
const PATIENCE: Duration = Duration::from_millis(800);

/// Whether an index can be asked, and what keeps it from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Ready,
    Missing,
    Outdated,
    Unreachable,
    Damaged,
    Unusable,
}

/// What was seen of an index.
#[derive(Clone, Debug)]
pub(crate) struct Pulse {
    pub(crate) condition: Condition,
    /// Model that it was made with.
    pub(crate) model: Option<ModelId>,
    /// Whether one that is missing or no good is being made from the notes, or will be by the next question.
    is_on_its_way: bool,
}

impl Pulse {
    pub(crate) fn is_ready(&self) -> bool {
        self.condition == Condition::Ready
    }

    /// Whether questions will be answered, though the first may have to wait.
    pub(crate) fn can_be_asked(&self) -> bool {
        self.is_ready() || self.is_on_its_way
    }
}

impl From<Condition> for Pulse {
    fn from(condition: Condition) -> Self {
        Self {
            condition,
            model: None,
            is_on_its_way: false,
        }
    }
}

/// What was seen last, for everybody who waits for it.
pub(super) struct Looks(Arc<Shared>);

struct Shared {
    seen: watch::Sender<Option<(Instant, Pulse)>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    is_looking: bool,
    /// The file that a question found damaged. A look reads its beginning only.
    damaged: Option<FileId>,
}

impl Default for Looks {
    fn default() -> Self {
        Self(Arc::new(Shared {
            seen: watch::Sender::new(None),
            state: Mutex::default(),
        }))
    }
}

impl Searcher {
    /// Tells how the index is, within a second.
    pub(crate) async fn pulse(&self) -> Pulse {
        let mut seen = self.looks.0.seen.subscribe();
        self.looks.begin(&self.located);
        let looked = timeout(PATIENCE, seen.wait_for(is_new)).await;
        let pulse = looked.ok().and_then(|looked| {
            let seen = looked.ok()?;
            seen.as_ref().map(|(_, pulse)| pulse.clone())
        });
        let pulse = pulse.unwrap_or(Condition::Unreachable.into());
        let is_on_its_way = match pulse.condition {
            Condition::Missing | Condition::Outdated => self.is_updating(),
            Condition::Damaged => self.makes_anew(),
            _ => false,
        };
        Pulse {
            is_on_its_way,
            ..pulse
        }
    }

    /// Remembers that a question found the file damaged, and nobody mends it.
    pub(super) fn note_damage(&self, file: Option<FileId>) {
        locked(&self.looks.0.state).damaged = file;
    }
}

impl Looks {
    /// Looks, unless somebody does or just did.
    fn begin(&self, located: &Located) {
        let mut state = locked(&self.0.state);
        if state.is_looking || is_new(&self.0.seen.borrow()) {
            return;
        }
        state.is_looking = true;
        let damaged = state.damaged;
        drop(state);
        let (looking, located) = (Looking(Arc::clone(&self.0)), located.clone());
        thread::spawn(move || {
            let pulse = look(&located, damaged);
            let seen = Some((Instant::now(), pulse));
            looking.0.seen.send_replace(seen);
        });
    }
}

fn is_new(seen: &Option<(Instant, Pulse)>) -> bool {
    seen.as_ref().is_some_and(|(at, _)| at.elapsed() < AGE_MAX)
}

/// Lets others look when this one has, even if it ended in a panic.
struct Looking(Arc<Shared>);

impl Drop for Looking {
    fn drop(&mut self) {
        locked(&self.0.state).is_looking = false;
    }
}

fn look(located: &Located, damaged: Option<FileId>) -> Pulse {
    if damaged.is_some() && damaged == FileId::of(&located.store) {
        return Condition::Damaged.into();
    }
    let model = runtime::store(located).and_then(|store| {
        let model = store.meta()?.model.clone();
        store.rest();
        Ok(model)
    });
    match model {
        Ok(Some(model)) => Pulse {
            model: Some(model),
            ..Condition::Ready.into()
        },
        Ok(None) => Condition::Missing.into(),
        Err(error) => condition(located, error).into(),
    }
}

fn condition(located: &Located, error: Error) -> Condition {
    match error {
        Error::StoreMissing { .. } => Condition::Missing,
        Error::StoreOutdated { .. } | Error::StoreNewer { .. } => Condition::Outdated,
        Error::StoreUnreachable { .. } => Condition::Unreachable,
        error => match runtime::damage(located, &error.into()) {
            Some(_) => Condition::Damaged,
            None => Condition::Unusable,
        },
    }
}
