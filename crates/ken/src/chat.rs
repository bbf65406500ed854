//! A conversation in the terminal: questions in, answers with their sources out, all of it written down as it
//! happens. Without a terminal, one question a line.

mod command;
mod input;
mod reply;

use std::sync::Arc;

use anyhow::Result;
use kenning::conversation::{Conversation, Turn};
use kenning::store::AskedAt;
use tokio::sync::Semaphore;

use crate::agent::{Library, Models, Options, Question, Request};
use crate::conversations::{OwnConversations, export, scope};
use crate::llm::ChatModel;
use crate::private;
use crate::render;
use crate::runtime;
use crate::searcher::Searchers;
use crate::settings::Settings;
use crate::wire::KeptSource;
use crate::wire::rag::RagScope;
use command::{COMMANDS, Command, Typed};
use input::{Input, Line};

/// The name that asks for answers in the words of the notes.
const EXTRACT: &str = "extract";
const PROMPT: &str = "> ";

/// A conversation that goes on.
pub(crate) struct Chat {
    searchers: Searchers,
    own: OwnConversations,
    /// `None` until something is asked.
    conversation: Option<Conversation>,
    scope: RagScope,
    models: Models,
    /// Who answers: a provider, or [`EXTRACT`]; without it, the settings decide.
    model: Option<String>,
    options: Options,
    has_said: bool,
}

impl Chat {
    /// Begins a conversation, or goes on with one.
    pub(crate) fn new(
        searchers: Searchers,
        own: OwnConversations,
        conversation: Option<Conversation>,
        settings: &Settings,
    ) -> Result<Self> {
        let kept = conversation.as_ref().and_then(|one| one.scope.as_deref());
        Ok(Self {
            scope: scope::kept(kept)?,
            searchers,
            own,
            conversation,
            models: Models::new(settings),
            model: None,
            options: Options::of(settings),
            has_said: false,
        })
    }

    /// Lets only some notes answer, as they are typed.
    pub(crate) fn limited_to(mut self, typed: Option<&str>) -> Result<Self> {
        if let Some(typed) = typed {
            self.set_scope(typed)?;
        }
        Ok(self)
    }

    /// Lets somebody else answer than the settings say.
    pub(crate) fn answered_by(mut self, model: Option<String>) -> Result<Self> {
        self.model = model;
        self.answering()?;
        Ok(self)
    }

    /// Talks until there is nothing more to answer; tells whether the notes ever said something.
    pub(crate) fn run(mut self, settings: &Settings) -> Result<bool> {
        // Set before the first question, so that Ctrl-C stops an answer and not the program.
        runtime::stop_flag();
        let mut input = Input::open(settings.data_dir.join("chat_history"))?;
        if input.is_typed() {
            self.greet()?;
        }
        loop {
            let line = match input.next(PROMPT)? {
                Line::Typed(line) => line,
                Line::Dropped => {
                    render::say("Ctrl-D leaves");
                    continue;
                }
                Line::End => break,
            };
            match command::parse(&line) {
                Typed::Nothing => {}
                Typed::Command(Command::Quit) => break,
                Typed::Unknown(nearest) => {
                    render::say(&format!(
                        "there is no such command; did you mean {nearest}?"
                    ));
                }
                // One question that fails does not end the conversation.
                typed => {
                    if let Err(error) = self.obey(typed) {
                        render::error(&error);
                    }
                }
            }
        }
        private::close_one(&settings.data_dir.join("chat_history"));
        Ok(self.has_said)
    }

    fn greet(&self) -> Result<()> {
        let names: Vec<&str> = self.searchers.all().iter().map(|one| one.name()).collect();
        render::say(&format!(
            "asking {}; {}; /help lists commands, Ctrl-D leaves",
            names.join(", "),
            self.who()?
        ));
        for turn in self.turns()? {
            render::print(&format!("{PROMPT}{}\n", turn.question))?;
            render::show_answer(&turn.answer)?;
        }
        Ok(())
    }

    fn obey(&mut self, typed: Typed) -> Result<()> {
        let command = match typed {
            Typed::Question(question) => return self.ask(&question, AskedAt::End),
            Typed::Command(command) => command,
            Typed::Nothing | Typed::Unknown(_) => return Ok(()),
        };
        match command {
            Command::Help => help(),
            Command::Scope(typed) => return self.limit(typed.as_deref()),
            Command::Sources => return self.sources(),
            Command::Regenerate => return self.edit(None, ""),
            Command::Edit(number, question) if !question.is_empty() => {
                return self.edit(number, &question);
            }
            Command::Edit(..) => render::say("say the question in other words behind /edit"),
            Command::Export(file) => return self.export(file.as_deref()),
            Command::Model(name) => return self.choose(name),
            Command::List => {
                for (number, turn) in (1..).zip(self.turns()?) {
                    render::print(&format!("{number}. {}\n", turn.question))?;
                }
            }
            Command::Quit => {}
        }
        Ok(())
    }

    fn turns(&self) -> Result<Vec<Turn>> {
        match &self.conversation {
            Some(conversation) => {
                let conversation = self.own.get(&conversation.id)?;
                self.own.turns(&conversation)
            }
            None => Ok(Vec::new()),
        }
    }

    /// Asks, shows and writes down.
    fn ask(&mut self, question: &str, at: AskedAt) -> Result<()> {
        let (library, model) = (self.library()?, self.answering()?);
        let conversation = self.begun()?;
        let turn = self.own.ask(&conversation, question, at)?;
        let request = Request {
            question: Question {
                text: question.to_owned(),
                history: self.own.before(&conversation, turn)?,
                ..Question::default()
            },
            library,
            model,
            options: self.options,
        };
        let heard = reply::reply(request)?;
        self.has_said |= heard.says_something();
        self.own.answer(turn, &heard)?;
        let (_, usage) = self.own.history(&self.own.get(&conversation.id)?)?;
        if usage.n_dropped > 0 {
            render::say(&format!(
                "note: the first {} are too long ago to be remembered",
                render::counted(usage.n_dropped, "question")
            ));
        }
        Ok(())
    }

    /// Opens what may be read.
    fn library(&self) -> Result<Library> {
        let turns = Arc::new(Semaphore::new(runtime::n_threads()));
        Library::open(&self.searchers, None, self.scope.clone().into(), turns)
    }

    /// Returns the model that answers; `None` if the notes do.
    fn answering(&self) -> Result<Option<Arc<dyn ChatModel>>> {
        match self.model.as_deref() {
            Some(EXTRACT) => Ok(None),
            Some(name) => self.models.named(name).map(Some),
            None => self.models.answering(),
        }
    }

    /// Says who answers.
    fn who(&self) -> Result<String> {
        Ok(match self.answering()? {
            Some(model) => format!("{} answers", model.id()),
            None => "the notes answer in their own words".to_owned(),
        })
    }

    /// Lets somebody else answer, or tells who does and who could.
    fn choose(&mut self, name: Option<String>) -> Result<()> {
        if name.is_some() {
            let before = std::mem::replace(&mut self.model, name);
            if let Err(error) = self.answering() {
                self.model = before;
                return Err(error);
            }
        }
        let names = self.models.names();
        render::say(&format!(
            "{}; /model takes {}",
            self.who()?,
            [names, vec![EXTRACT.to_owned()]].concat().join(", ")
        ));
        Ok(())
    }

    /// Returns the conversation, which the first question begins.
    fn begun(&mut self) -> Result<Conversation> {
        if let Some(conversation) = &self.conversation {
            return Ok(conversation.clone());
        }
        let searchers = self.searchers.all().iter();
        let domains = searchers.map(|one| one.name().to_owned()).collect();
        let begun = self.own.begin(domains, None, self.scope.kept())?;
        self.conversation = Some(begun.clone());
        Ok(begun)
    }

    /// Asks the last question, or that of a number, again; in other words if there are any.
    fn edit(&mut self, number: Option<usize>, question: &str) -> Result<()> {
        let turns = self.turns()?;
        let place = match number {
            Some(number) => number.checked_sub(1),
            None => turns.len().checked_sub(1),
        };
        let Some(turn) = place.and_then(|place| turns.get(place)) else {
            render::say("there is no such question; /list numbers them");
            return Ok(());
        };
        let question = match question {
            "" => turn.question.clone(),
            question => question.to_owned(),
        };
        self.ask(&question, AskedAt::InsteadOf(turn.id))
    }

    fn set_scope(&mut self, typed: &str) -> Result<()> {
        let scope = match typed {
            "all" => RagScope::default(),
            typed => scope::parse(typed)?,
        };
        let before = std::mem::replace(&mut self.scope, scope);
        if let Err(error) = self.library() {
            self.scope = before;
            return Err(error);
        }
        if let Some(conversation) = &self.conversation {
            let kept = self.scope.kept();
            self.own.set_scope(conversation, kept.as_deref())?;
        }
        Ok(())
    }

    /// Sets or tells what the conversation is limited to.
    fn limit(&mut self, typed: Option<&str>) -> Result<()> {
        if let Some(typed) = typed {
            self.set_scope(typed)?;
        }
        let library = self.library()?;
        let Some(told) = library.told() else {
            render::say("all notes may answer");
            return Ok(());
        };
        render::say(&match library.n_notes()? {
            0 => format!("there are no notes {told}; /scope all lifts it"),
            n => format!("only notes {told} answer, {n} of them; /scope all lifts it"),
        });
        Ok(())
    }

    fn sources(&self) -> Result<()> {
        let last = self.turns()?.pop();
        let sources = last.and_then(|turn| turn.sources);
        let sources = KeptSource::read(sources.as_deref());
        if sources.is_empty() {
            render::say("the last answer has no sources");
        }
        render::sources(&sources, true)
    }

    fn export(&self, file: Option<&str>) -> Result<()> {
        let Some(conversation) = &self.conversation else {
            render::say("nothing was asked yet");
            return Ok(());
        };
        let conversation = self.own.get(&conversation.id)?;
        let text = export::markdown(&conversation, &self.own.turns(&conversation)?);
        match file {
            Some(file) => {
                export::write(std::path::Path::new(file), &text)?;
                render::say(&format!("wrote {file}"));
                Ok(())
            }
            None => render::print(&text),
        }
    }
}

fn help() {
    for (name, given, does) in COMMANDS {
        render::say(&format!("{:<28} {does}", format!("{name} {given}")));
    }
}
