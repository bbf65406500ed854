//! A conversation in the terminal: questions in, answers with their sources out, all of it written down as it
//! happens. Without a terminal, one question a line.

mod command;
mod input;
mod reply;

use std::sync::Arc;

use anyhow::Result;
use kenning::conversation::{Conversation, Turn};
use kenning::store::AskedAt;

use crate::conversations::{Answer, OwnConversations, export};
use crate::private;
use crate::render;
use crate::runtime;
use crate::searcher::Searcher;
use crate::settings::Settings;
use crate::wire::KeptSource;
use command::{COMMANDS, Command, Typed};
use input::{Input, Line};

/// What answers without a model are written down as.
const EXTRACT: &str = "extract";
const PROMPT: &str = "> ";

/// A conversation that goes on.
pub(crate) struct Chat {
    searchers: Vec<Arc<Searcher>>,
    own: OwnConversations,
    /// `None` until something is asked.
    conversation: Option<Conversation>,
    scope: Option<String>,
    has_said: bool,
}

impl Chat {
    pub(crate) fn new(
        searchers: Vec<Arc<Searcher>>,
        own: OwnConversations,
        conversation: Option<Conversation>,
        scope: Option<String>,
    ) -> Self {
        let kept = conversation.as_ref().and_then(|one| one.scope.clone());
        let kept = kept.and_then(|json| serde_json::from_str(&json).ok());
        Self {
            searchers,
            own,
            conversation,
            scope: scope.or(kept),
            has_said: false,
        }
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
        let names: Vec<&str> = self.searchers.iter().map(|one| one.name()).collect();
        render::say(&format!(
            "asking {}; /help lists commands, Ctrl-D leaves",
            names.join(", ")
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
            Command::Scope(scope) => return self.limit(scope),
            Command::Sources => return self.sources(),
            Command::Regenerate => return self.edit(None, ""),
            Command::Edit(number, question) if !question.is_empty() => {
                return self.edit(number, &question);
            }
            Command::Edit(..) => render::say("say the question in other words behind /edit"),
            Command::Export(file) => return self.export(file.as_deref()),
            Command::Model => {
                render::say("answers are in the words of your notes; no model is asked")
            }
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
        let conversation = self.begun()?;
        let turn = self.own.ask(&conversation, question, at)?;
        let (history, usage) = self.own.history(&self.own.get(&conversation.id)?)?;
        let before = history.last().map(|turn| turn.question.clone());
        let answered = reply::reply(
            &self.searchers,
            question,
            before.as_deref(),
            self.scope.as_deref(),
        )?;
        let Some(reply) = answered else {
            render::say("stopped");
            let stopped = Answer {
                is_stopped: true,
                ..Answer::default()
            };
            return self.own.answer(turn, &stopped);
        };
        render::show_answer(&reply.text)?;
        render::sources(&reply.sources, false)?;
        for notice in &reply.notices {
            render::say(&format!("note: {notice}"));
        }
        if usage.n_dropped > 0 {
            render::say(&format!(
                "note: the first {} are too long ago to be remembered",
                render::counted(usage.n_dropped, "question")
            ));
        }
        self.has_said |= !reply.sources.is_empty();
        let answer = Answer {
            text: &reply.text,
            sources: &reply.sources,
            model: Some(EXTRACT),
            is_stopped: false,
        };
        self.own.answer(turn, &answer)
    }

    /// Returns the conversation, which the first question begins.
    fn begun(&mut self) -> Result<Conversation> {
        if let Some(conversation) = &self.conversation {
            return Ok(conversation.clone());
        }
        let domains = self.searchers.iter().map(|one| one.name().to_owned());
        let scope = self.scope.as_ref().map(serde_json::to_string).transpose()?;
        let begun = self.own.begin(domains.collect(), None, scope)?;
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

    fn limit(&mut self, scope: Option<String>) -> Result<()> {
        if let Some(scope) = scope {
            self.scope = (scope != "all").then_some(scope);
            if let Some(conversation) = &self.conversation {
                let kept = self.scope.as_ref().map(serde_json::to_string).transpose()?;
                self.own.set_scope(conversation, kept.as_deref())?;
            }
        }
        render::say(&match &self.scope {
            Some(scope) => format!("only notes with {scope} answer; /scope all lifts it"),
            None => "all notes may answer".to_owned(),
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
            Some(file) => export::write(std::path::Path::new(file), &text),
            None => render::print(&text),
        }
    }
}

fn help() {
    for (name, given, does) in COMMANDS {
        render::say(&format!("{:<28} {does}", format!("{name} {given}")));
    }
}
