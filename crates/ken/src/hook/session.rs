//! What one session of an agent was given, so that nothing is given twice.
//!
//! One file per session, one line per fact, only ever added to. The file is locked from the first
//! look to the last line: two hooks of one session that run at once do not give the same passage.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::private;
use crate::wire::{GivenPassage, SessionRecord};

/// Sessions that are remembered.
const SESSIONS_MAX: usize = 200;
/// A session nobody has spoken in for this long is forgotten.
const AGE_MAX: Duration = Duration::from_secs(30 * 24 * 3_600);
/// Beyond this nothing more is written down of a session.
const FILE_BYTES_MAX: u64 = 1 << 20;
const NAME_CHARS_MAX: usize = 80;

/// A session, as far as it is known.
#[derive(Default)]
pub(crate) struct Session {
    file: Option<File>,
    given: Vec<GivenPassage>,
    used: Vec<String>,
    prompt: String,
    fresh: Vec<SessionRecord>,
}

impl Session {
    /// Opens the session of a name. Trouble with the file makes a session that remembers nothing.
    pub(crate) fn open(folder: &Path, name: &str) -> Self {
        let mut session = Self::default();
        if name.is_empty() {
            return session;
        }
        let path = file_of(folder, name);
        if !path.exists() {
            forget_old(folder);
        }
        let opened = fs::create_dir_all(folder).and_then(|()| private::append(&path));
        let Ok(mut file) = opened.and_then(|file| file.lock().map(|()| file)) else {
            return session;
        };
        let mut text = String::new();
        if Read::by_ref(&mut file)
            .take(FILE_BYTES_MAX)
            .read_to_string(&mut text)
            .is_ok()
        {
            for memory in text
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok())
            {
                session.learn(memory);
            }
        }
        session.file = Some(file);
        session
    }

    fn learn(&mut self, memory: SessionRecord) {
        match memory {
            SessionRecord::Given(given) => self.given.push(given),
            SessionRecord::Used(id) => self.used.push(id),
            SessionRecord::Prompt(prompt) => self.prompt = prompt,
        }
    }

    /// Adds something to what is known; `save` writes it down.
    pub(crate) fn remember(&mut self, memory: SessionRecord) {
        self.fresh.push(memory.clone());
        self.learn(memory);
    }

    /// Whether a passage was given before.
    pub(crate) fn has(&self, domain: &str, id: &str) -> bool {
        let is_it = |given: &GivenPassage| given.id == id && given.domain == domain;
        self.given.iter().any(is_it)
    }

    pub(crate) fn given(&self) -> &[GivenPassage] {
        &self.given
    }

    /// Returns the words of the last prompt.
    pub(crate) fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Notes which of the passages given before are mentioned in what the agent did, by id, path or
    /// title. What was given for a call is not used by the same call.
    pub(crate) fn mark_used(&mut self, said: &str, tool_call: Option<&str>) -> Vec<String> {
        let said = said.to_lowercase();
        let is_new = |given: &&GivenPassage| {
            !self.used.contains(&given.id)
                && (tool_call.is_none() || given.tool_call.as_deref() != tool_call)
                && is_mentioned(given, &said)
        };
        let mut used: Vec<String> = self
            .given
            .iter()
            .filter(is_new)
            .map(|given| given.id.clone())
            .collect();
        used.dedup();
        for id in &used {
            self.remember(SessionRecord::Used(id.clone()));
        }
        used
    }

    /// Writes down what is new, in one piece.
    pub(crate) fn save(&mut self) {
        let Some(file) = &mut self.file else {
            return;
        };
        let lines: String = self
            .fresh
            .drain(..)
            .filter_map(|memory| serde_json::to_string(&memory).ok())
            .map(|line| line + "\n")
            .collect();
        let is_full = file
            .metadata()
            .is_ok_and(|meta| meta.len() > FILE_BYTES_MAX);
        if !lines.is_empty() && !is_full {
            // What cannot be written down is given again later: a nuisance, no harm.
            let _ = file.write_all(lines.as_bytes());
        }
    }
}

/// One word as a title says nothing: "Wren" may be the bird.
fn is_mentioned(given: &GivenPassage, said: &str) -> bool {
    let is_telling = given.title.split_whitespace().count() > 1;
    said.contains(&given.id)
        || said.contains(&given.path.to_lowercase())
        || (is_telling && said.contains(&given.title.to_lowercase()))
}

/// Returns the file of a session; its name comes from outside and is only trusted to be text.
fn file_of(folder: &Path, name: &str) -> PathBuf {
    let name: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .take(NAME_CHARS_MAX)
        .collect();
    folder.join(format!("{name}.jsonl"))
}

/// Deletes the sessions that are too old, and the oldest of too many.
fn forget_old(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    for (place, (changed, path)) in files.iter().enumerate() {
        let is_old = changed.elapsed().is_ok_and(|age| age > AGE_MAX);
        if place + 1 >= SESSIONS_MAX || is_old {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(id: &str) -> GivenPassage {
        GivenPassage {
            id: id.to_owned(),
            domain: "home".to_owned(),
            path: "Home/Roof.md".to_owned(),
            start_line: Some(1),
            end_line: Some(9),
            page: None,
            title: "Roof and Gutters".to_owned(),
            tool_call: Some("call-1".to_owned()),
        }
    }

    #[test]
    fn what_was_given_is_known_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let mut session = Session::open(folder.path(), "a/../b");
        assert!(!session.has("home", "#1"));
        session.remember(SessionRecord::Given(given("#1")));
        session.remember(SessionRecord::Prompt("roof".to_owned()));
        session.save();
        drop(session);
        let session = Session::open(folder.path(), "a/../b");
        assert!(session.has("home", "#1") && !session.has("work", "#1"));
        assert_eq!(session.prompt(), "roof");
        assert!(folder.path().join("a____b.jsonl").exists());
    }

    #[test]
    fn use_is_a_mention_after_the_fact() {
        let mut session = Session::default();
        session.remember(SessionRecord::Given(given("#1a2b")));
        assert!(
            session
                .mark_used("cat home/roof.md", Some("call-1"))
                .is_empty()
        );
        assert!(session.mark_used("cat Other.md", Some("call-2")).is_empty());
        assert_eq!(
            session.mark_used("cat Home/Roof.md", Some("call-2")),
            ["#1a2b"]
        );
        assert!(
            session.mark_used("ken get '#1a2b'", None).is_empty(),
            "counted once"
        );
    }

    #[test]
    fn there_are_never_too_many_sessions() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..SESSIONS_MAX + 20 {
            Session::open(folder.path(), &format!("s{n}"));
        }
        assert!(fs::read_dir(folder.path()).unwrap().count() <= SESSIONS_MAX);
    }
}
