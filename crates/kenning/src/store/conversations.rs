//! The conversations of a data directory, in a database of their own: what is asked and answered cannot be
//! made again from notes, so it is neither in the index nor as disposable.
//!
//! Turns form a tree. A question that is edited, or answered again, is another turn beside the one it
//! replaces; what came after that one is kept as a branch. What is shown is the way from the head to the root.

mod file;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::file::identity;
use crate::conversation::{Conversation, Turn, TurnId, TurnState, Usage, window};
use crate::error::{Error, Result};
use crate::words::name_key;

/// Characters of a first question that make a title.
const TITLE_CHARS_MAX: usize = 80;
/// Times that another id is tried when one is taken.
const ID_TRIES_MAX: usize = 8;

/// A new conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewConversation {
    /// The client that begins it; empty for the person at this machine.
    pub owner: String,
    /// What it is called; else its first question names it.
    pub title: Option<String>,
    /// Names of the domains that it asks.
    pub domains: Vec<String>,
    /// What it is limited to, as the interface writes it down.
    pub scope: Option<String>,
}

/// Where a question goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedAt {
    /// Behind what is shown.
    End,
    /// In the place of a turn; that one and what follows it become a branch of their own.
    InsteadOf(TurnId),
}

/// An answer, as far as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerRecord {
    /// The text.
    pub text: String,
    /// Whether it came to its end.
    pub state: TurnState,
    /// What it rests on, as the interface writes it down.
    pub sources: Option<String>,
    /// What wrote it.
    pub model: Option<String>,
}

/// A conversation that was searched for, and where in it the words stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundConversation {
    /// The conversation.
    pub conversation: Conversation,
    /// The first turn that has them all; `None` if the title has.
    pub turn: Option<(TurnId, String)>,
}

/// The database.
pub struct Conversations {
    path: PathBuf,
    connection: Connection,
}

impl Conversations {
    /// Opens the database at `path`, or makes it.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            connection: file::open(path)?,
        })
    }

    /// Begins a conversation.
    pub fn begin(&mut self, new: &NewConversation, now: i64) -> Result<Conversation> {
        let domains = serde_json::json!(new.domains).to_string();
        let (title, is_named) = (new.title.as_deref().unwrap_or(""), new.title.is_some());
        let id = self.write(|connection| {
            let mut statement = connection.prepare(
                "INSERT OR IGNORE INTO conversation
                 VALUES (lower(hex(randomblob(4))), ?1, ?2, ?3, ?4, ?5, ?6, ?6, NULL) RETURNING id",
            )?;
            for _ in 0..ID_TRIES_MAX {
                let values = params![new.owner, title, is_named, domains, new.scope, now];
                let id: Option<String> =
                    statement.query_row(values, |row| row.get(0)).optional()?;
                if let Some(id) = id {
                    return Ok(id);
                }
            }
            Err(rusqlite::Error::QueryReturnedNoRows)
        })?;
        self.get(&new.owner, &id)
    }

    /// Returns the conversations of an owner, the last changed one first.
    pub fn list(&self, owner: &str) -> Result<Vec<Conversation>> {
        self.read(|connection| {
            connection
                .prepare(&format!("{CONVERSATION} WHERE owner = ?1 {NEWEST_FIRST}"))?
                .query_map([owner], conversation)?
                .collect()
        })
    }

    /// Returns a conversation of an owner by its id or the beginning of it.
    pub fn get(&self, owner: &str, id: &str) -> Result<Conversation> {
        let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let unknown = || Error::ConversationUnknown { id: id.to_owned() };
        if !is_id {
            return Err(unknown());
        }
        let mut found: Vec<Conversation> = self.read(|connection| {
            connection
                .prepare(&format!(
                    "{CONVERSATION} WHERE owner = ?1 AND id LIKE ?2 || '%'"
                ))?
                .query_map([owner, &id.to_ascii_lowercase()], conversation)?
                .collect()
        })?;
        match found.len() {
            0 | 1 => found.pop().ok_or_else(unknown),
            _ => Err(Error::Ambiguous {
                name: id.to_owned(),
                candidates: found.into_iter().map(|found| found.id).collect(),
            }),
        }
    }

    /// Returns what is shown of a conversation, oldest turn first.
    pub fn turns(&self, of: &Conversation) -> Result<Vec<Turn>> {
        self.read(|connection| {
            let turns: Vec<Turn> = connection
                .prepare(&format!("{TURN} WHERE conversation = ?1 ORDER BY id"))?
                .query_map([&of.id], turn)?
                .collect::<rusqlite::Result<_>>()?;
            Ok(shown(turns, of.head))
        })
    }

    /// Returns the turns that are told again with the next question, and how full the budget is. A question
    /// without an answer is not part of it.
    pub fn history(&self, of: &Conversation, budget: usize) -> Result<(Vec<Turn>, Usage)> {
        let mut turns = self.turns(of)?;
        turns.retain(|turn| !turn.answer.is_empty());
        let n_chars: Vec<usize> = turns.iter().map(Turn::n_chars).collect();
        let usage = window(&n_chars, budget);
        Ok((turns.split_off(usage.n_dropped), usage))
    }

    /// Writes a question down before it is answered, and shows the branch it is on.
    pub fn ask(
        &mut self,
        of: &Conversation,
        question: &str,
        at: AskedAt,
        now: i64,
    ) -> Result<TurnId> {
        let title = title_of(question);
        let turn = self.write(|connection| {
            let parent: Option<Option<i64>> = match at {
                AskedAt::End => connection
                    .prepare("SELECT head FROM conversation WHERE id = ?1")?
                    .query_row([&of.id], |row| row.get(0))
                    .optional()?,
                AskedAt::InsteadOf(turn) => connection
                    .prepare("SELECT parent FROM turn WHERE id = ?2 AND conversation = ?1")?
                    .query_row(params![of.id, turn.0], |row| row.get(0))
                    .optional()?,
            };
            let Some(parent) = parent else {
                return Ok(None);
            };
            connection.execute(
                "INSERT INTO turn (conversation, parent, question, answer, state, asked_at)
                 VALUES (?1, ?2, ?3, '', 0, ?4)",
                params![of.id, parent, question, now],
            )?;
            let turn = connection.last_insert_rowid();
            // The first question names the conversation, and its edited form does so again.
            connection.execute(
                "UPDATE conversation SET head = ?2, changed_at = ?3,
                    title = CASE WHEN is_named OR ?5 IS NOT NULL THEN title ELSE ?4 END
                 WHERE id = ?1",
                params![of.id, turn, now, title, parent],
            )?;
            Ok(Some(TurnId(turn)))
        })?;
        turn.ok_or_else(|| unknown_turn(at))
    }

    /// Writes down what a question was answered; again and again while the answer comes.
    pub fn answer(&mut self, turn: TurnId, answer: &AnswerRecord, now: i64) -> Result<()> {
        self.write(|connection| {
            connection.execute(
                "UPDATE turn SET answer = ?2, state = ?3, sources = ?4, model = ?5 WHERE id = ?1",
                params![
                    turn.0,
                    answer.text,
                    answer.state as i64,
                    answer.sources,
                    answer.model
                ],
            )?;
            connection.execute(
                "UPDATE conversation SET changed_at = ?2
                 WHERE id = (SELECT conversation FROM turn WHERE id = ?1)",
                params![turn.0, now],
            )?;
            Ok(())
        })
    }

    /// Shows the branch that a turn is on, as far as it goes: to the newest turn behind it.
    pub fn show(&mut self, of: &Conversation, turn: TurnId) -> Result<()> {
        let is_known = self.write(|connection| {
            let head: Option<i64> = connection.query_row(
                "WITH RECURSIVE below(id) AS (
                    SELECT id FROM turn WHERE id = ?1 AND conversation = ?2
                    UNION ALL SELECT turn.id FROM turn JOIN below ON turn.parent = below.id
                 ) SELECT max(id) FROM below",
                params![turn.0, of.id],
                |row| row.get(0),
            )?;
            if head.is_some() {
                let sql = "UPDATE conversation SET head = ?2 WHERE id = ?1";
                connection.execute(sql, params![of.id, head])?;
            }
            Ok(head.is_some())
        })?;
        match is_known {
            true => Ok(()),
            false => Err(unknown_turn(AskedAt::InsteadOf(turn))),
        }
    }

    /// Goes back to before a turn: it and what follows are no longer shown, but kept as a branch.
    pub fn rewind(&mut self, of: &Conversation, turn: TurnId) -> Result<()> {
        let n_changed = self.write(|connection| {
            connection.execute(
                "UPDATE conversation SET head = (SELECT parent FROM turn WHERE id = ?2)
                 WHERE id = ?1 AND EXISTS (SELECT 1 FROM turn WHERE id = ?2 AND conversation = ?1)",
                params![of.id, turn.0],
            )
        })?;
        match n_changed {
            0 => Err(unknown_turn(AskedAt::InsteadOf(turn))),
            _ => Ok(()),
        }
    }

    /// Calls a conversation something else.
    pub fn rename(&mut self, of: &Conversation, title: &str, now: i64) -> Result<()> {
        self.write(|connection| {
            connection
                .prepare(
                    "UPDATE conversation SET title = ?2, is_named = 1, changed_at = ?3 WHERE id = ?1",
                )?
                .execute(params![of.id, title, now])
                .map(drop)
        })
    }

    /// Changes what a conversation is limited to.
    pub fn set_scope(&mut self, of: &Conversation, scope: Option<&str>) -> Result<()> {
        self.write(|connection| {
            let sql = "UPDATE conversation SET scope = ?2 WHERE id = ?1";
            connection.execute(sql, params![of.id, scope]).map(drop)
        })
    }

    /// Deletes a conversation with all its branches, from the file and from its log.
    pub fn delete(&mut self, of: &Conversation) -> Result<()> {
        self.write(|connection| {
            let sql = "DELETE FROM conversation WHERE id = ?1";
            connection.execute(sql, [&of.id]).map(drop)
        })?;
        // Where somebody else reads, what is gone stays in the log until they are done.
        self.read(|connection| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        })
    }

    /// Returns the conversations of an owner that have every word, in their title or in one turn of any
    /// branch; the last changed one first.
    pub fn search(&self, owner: &str, words: &str) -> Result<Vec<FoundConversation>> {
        let wanted = name_key(words);
        let wanted: Vec<&str> = wanted.split(' ').filter(|word| !word.is_empty()).collect();
        let has_all = |text: &str| {
            let key = name_key(text);
            !wanted.is_empty() && wanted.iter().all(|word| key.contains(word))
        };
        let mut found = Vec::new();
        for conversation in self.list(owner)? {
            if has_all(&conversation.title) {
                let turn = None;
                found.push(FoundConversation { conversation, turn });
                continue;
            }
            let turns = self.read(|connection| {
                connection
                    .prepare_cached(&format!("{TURN} WHERE conversation = ?1 ORDER BY id"))?
                    .query_map([&conversation.id], turn)?
                    .collect::<rusqlite::Result<Vec<Turn>>>()
            })?;
            let text = |turn: &Turn| format!("{}\n{}", turn.question, turn.answer);
            if let Some(turn) = turns.into_iter().find(|turn| has_all(&text(turn))) {
                let turn = Some((turn.id, text(&turn)));
                found.push(FoundConversation { conversation, turn });
            }
        }
        Ok(found)
    }

    /// Copies the database into a new file, consistent even while it is written to.
    pub fn backup(&self, target: &Path) -> Result<()> {
        super::copy_into(&self.connection, target, |error| {
            file::trouble(&self.path, error)
        })
    }

    fn read<T>(&self, run: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        run(&self.connection).map_err(|error| file::trouble(&self.path, error))
    }

    fn write<T>(&mut self, run: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        let all = || -> rusqlite::Result<T> {
            let transaction = rusqlite::Transaction::new(
                &mut self.connection,
                rusqlite::TransactionBehavior::Immediate,
            )?;
            let done = run(&transaction)?;
            identity::advance(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        all().map_err(|error| file::trouble(&self.path, error))
    }
}

const CONVERSATION: &str = "SELECT id, owner, title, domains, scope, begun_at, changed_at, head,
    (SELECT COUNT(*) FROM turn WHERE turn.conversation = conversation.id) FROM conversation";
const NEWEST_FIRST: &str = "ORDER BY changed_at DESC, begun_at DESC, id";
const TURN: &str = "SELECT id, parent, question, answer, state, sources, model, asked_at FROM turn";

fn conversation(row: &Row<'_>) -> rusqlite::Result<Conversation> {
    Ok(Conversation {
        id: row.get(0)?,
        owner: row.get(1)?,
        title: row.get(2)?,
        domains: super::rows::notes::list(row, 3)?,
        scope: row.get(4)?,
        begun_at: row.get(5)?,
        changed_at: row.get(6)?,
        head: row.get::<_, Option<i64>>(7)?.map(TurnId),
        n_turns: row.get(8)?,
    })
}

fn turn(row: &Row<'_>) -> rusqlite::Result<Turn> {
    let state: usize = row.get(4)?;
    Ok(Turn {
        id: TurnId(row.get(0)?),
        parent: row.get::<_, Option<i64>>(1)?.map(TurnId),
        question: row.get(2)?,
        answer: row.get(3)?,
        state: (TurnState::ALL.get(state).copied()).unwrap_or(TurnState::Asked),
        sources: row.get(5)?,
        model: row.get(6)?,
        asked_at: row.get(7)?,
        alternatives: Vec::new(),
    })
}

/// Returns the way to the head, each turn with those that could stand in its place.
fn shown(turns: Vec<Turn>, head: Option<TurnId>) -> Vec<Turn> {
    let mut beside: HashMap<Option<TurnId>, Vec<TurnId>> = HashMap::new();
    for turn in &turns {
        beside.entry(turn.parent).or_default().push(turn.id);
    }
    let mut turns: HashMap<TurnId, Turn> = turns.into_iter().map(|turn| (turn.id, turn)).collect();
    let mut way = Vec::new();
    let mut next = head;
    // Each turn is taken once, so that this ends whatever the file says.
    while let Some(mut turn) = next.and_then(|id| turns.remove(&id)) {
        turn.alternatives = beside.get(&turn.parent).cloned().unwrap_or_default();
        next = turn.parent;
        way.push(turn);
    }
    way.reverse();
    way
}

fn title_of(question: &str) -> String {
    let line = question.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TITLE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

fn unknown_turn(at: AskedAt) -> Error {
    let id = match at {
        AskedAt::InsteadOf(turn) => turn.0.to_string(),
        AskedAt::End => String::new(),
    };
    Error::ConversationUnknown { id }
}
