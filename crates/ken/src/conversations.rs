//! Conversations as interfaces use them: whose they are and may be seen by whom, what is told again with a new
//! question, and how questions and answers are written down.

pub(crate) mod export;
pub(crate) mod scope;

use std::path::{Path, PathBuf};

use anyhow::Result;
use kenning::Error;
use kenning::conversation::{BUDGET_CHARS, Conversation, Exchange, Turn, TurnId, TurnState, Usage};
use kenning::store::{AnswerRecord, AskedAt, Conversations, FoundConversation, NewConversation};

use crate::agent::Heard;
use crate::hint::Hinted;
use crate::runtime;
use crate::searcher::{Searchers, masked};
use crate::settings::{Caller, Settings};

/// The database in the data directory.
const FILE: &str = "conversations.db";

/// Where conversations are kept, and where they must not be.
#[derive(Clone, Debug)]
pub(crate) struct ConversationsPlace {
    file: PathBuf,
    vaults: Vec<PathBuf>,
}

impl ConversationsPlace {
    pub(crate) fn new(settings: &Settings, searchers: &Searchers) -> Self {
        let vaults = searchers.all().iter().filter_map(|one| one.vault());
        Self {
            file: Self::file(settings),
            vaults: vaults.map(Path::to_owned).collect(),
        }
    }

    /// Where the person's conversations are, whatever they are about.
    pub(crate) fn of_person(settings: &Settings) -> Self {
        Self {
            file: Self::file(settings),
            vaults: Vec::new(),
        }
    }

    /// Returns the file, which is beside the indexes.
    pub(crate) fn file(settings: &Settings) -> PathBuf {
        settings.data_dir.join(FILE)
    }

    /// Opens what somebody may see: their own conversations, and of these only those about domains that they
    /// may still ask.
    pub(crate) fn open(&self, caller: &Caller, searchers: &Searchers) -> Result<OwnConversations> {
        let names = searchers.all().iter().map(|one| one.name().to_owned());
        self.open_of(caller, Some(names.collect()))
    }

    /// Opens every conversation of the person at this machine.
    pub(crate) fn open_all(&self, settings: &Settings) -> Result<OwnConversations> {
        self.open_of(&settings.person(), None)
    }

    fn open_of(&self, caller: &Caller, domains: Option<Vec<String>>) -> Result<OwnConversations> {
        let place = std::path::absolute(&self.file).unwrap_or_else(|_| self.file.clone());
        if let Some(vault) = self.vaults.iter().find(|vault| place.starts_with(vault)) {
            return Err(Hinted::error(
                format!(
                    "conversations would lie inside the vault {}",
                    vault.display()
                ),
                "set `KEN_DATA_DIR` to a folder outside of it",
            ));
        }
        Ok(OwnConversations {
            book: Conversations::open(&self.file)?,
            owner: caller.owner.clone(),
            domains,
        })
    }
}

/// The conversations that somebody may see.
pub(crate) struct OwnConversations {
    book: Conversations,
    owner: String,
    /// Domains that may be asked; `None` is any.
    domains: Option<Vec<String>>,
}

impl OwnConversations {
    /// Begins a conversation about some domains.
    pub(crate) fn begin(
        &mut self,
        domains: Vec<String>,
        title: Option<&str>,
        scope: Option<String>,
    ) -> Result<Conversation> {
        let new = NewConversation {
            owner: self.owner.clone(),
            title: title.map(masked),
            domains,
            scope,
        };
        Ok(self.book.begin(&new, runtime::now())?)
    }

    /// Returns the conversations, the last changed one first.
    pub(crate) fn list(&self) -> Result<Vec<Conversation>> {
        let mut all = self.book.list(&self.owner)?;
        all.retain(|one| self.may_see(one));
        Ok(all)
    }

    /// Returns those that have every word.
    pub(crate) fn search(&self, words: &str) -> Result<Vec<FoundConversation>> {
        let mut found = self.book.search(&self.owner, words)?;
        found.retain(|one| self.may_see(&one.conversation));
        Ok(found)
    }

    /// Returns a conversation by its id or the beginning of it.
    pub(crate) fn get(&self, id: &str) -> Result<Conversation> {
        let found = self.book.get(&self.owner, id)?;
        match self.may_see(&found) {
            true => Ok(found),
            false => Err(Error::ConversationUnknown { id: id.to_owned() }.into()),
        }
    }

    fn may_see(&self, one: &Conversation) -> bool {
        let Some(domains) = &self.domains else {
            return true;
        };
        one.domains.iter().all(|domain| domains.contains(domain))
    }

    /// Returns what is shown of a conversation, oldest turn first.
    pub(crate) fn turns(&self, of: &Conversation) -> Result<Vec<Turn>> {
        Ok(self.book.turns(of)?)
    }

    /// Returns the turns to tell a model again, oldest first, and how full the budget is.
    pub(crate) fn history(&self, of: &Conversation) -> Result<(Vec<Turn>, Usage)> {
        Ok(self.book.history(of, BUDGET_CHARS)?)
    }

    /// Writes a question down before it is answered.
    pub(crate) fn ask(&mut self, of: &Conversation, question: &str, at: AskedAt) -> Result<TurnId> {
        let question = masked(question);
        Ok(self.book.ask(of, &question, at, runtime::now())?)
    }

    /// Writes an answer down, as far as it came.
    pub(crate) fn answer(&mut self, turn: TurnId, heard: &Heard) -> Result<()> {
        let sources = match heard.sources() {
            sources if sources.is_empty() => None,
            sources => Some(serde_json::to_string(&sources)?),
        };
        let record = AnswerRecord {
            text: masked(&heard.text),
            state: match heard.is_whole() {
                true => TurnState::Answered,
                false => TurnState::Stopped,
            },
            sources,
            model: Some(heard.model.clone()),
        };
        Ok(self.book.answer(turn, &record, runtime::now())?)
    }

    /// Returns what a new turn comes after, oldest first.
    pub(crate) fn before(&self, of: &Conversation, turn: TurnId) -> Result<Vec<Exchange>> {
        let mut turns = self.turns(&self.get(&of.id)?)?;
        turns.retain(|one| one.id != turn && !one.answer.is_empty());
        Ok(turns.into_iter().map(Exchange::from).collect())
    }

    /// Shows the branch that a turn is on.
    pub(crate) fn show(&mut self, of: &Conversation, turn: TurnId) -> Result<()> {
        Ok(self.book.show(of, turn)?)
    }

    /// Goes back to before a turn.
    pub(crate) fn rewind(&mut self, of: &Conversation, turn: TurnId) -> Result<()> {
        Ok(self.book.rewind(of, turn)?)
    }

    pub(crate) fn rename(&mut self, of: &Conversation, title: &str) -> Result<()> {
        Ok(self.book.rename(of, &masked(title), runtime::now())?)
    }

    pub(crate) fn set_scope(&mut self, of: &Conversation, scope: Option<&str>) -> Result<()> {
        Ok(self.book.set_scope(of, scope)?)
    }

    pub(crate) fn delete(&mut self, of: &Conversation) -> Result<()> {
        Ok(self.book.delete(of)?)
    }
}

/// Copies the conversations into a new file, if there are any; tells whether it did.
pub(crate) fn backup(settings: &Settings, target: &Path) -> Result<bool> {
    let file = ConversationsPlace::file(settings);
    if !file.exists() {
        return Ok(false);
    }
    Conversations::open(&file)?.backup(target)?;
    Ok(true)
}
