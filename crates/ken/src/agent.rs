//! Answers a question over the notes with a language model, or in the words of the notes without one.
//!
//! Every request gets an agent of its own, which shares nothing with others. It searches first, so that what
//! an answer may rest on is told at once. A model that calls tools may then look further; one that does not
//! answers from what was found. What it says is checked while it forms. Where nothing was found and no tool
//! helped, the answer is that the notes do not say, whatever the model would like to add.

pub(crate) mod attach;
mod calculator;
mod check;
mod event;
mod expand;
mod extracted;
pub(crate) mod fence;
mod forming;
mod heard;
mod library;
mod models;
mod prompt;
mod room;
mod sources;
mod told;
mod tools;
mod translate;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use kenning::conversation::{BUDGET_CHARS, Exchange, recent};
use kenning::search::Evidence;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

use crate::context::prompt::{self as words, Skip};
use crate::hint::{self, Hinted};
use crate::llm::error::Trouble;
use crate::llm::{ChatEvent, ChatModel, ChatReply, ChatRequest, Message, ModelError, Stop, Usage};
use crate::runtime;
use crate::settings::Settings;
use crate::wire::SearchResponse;
use attach::Attachments;
use check::Checker;
use check::Tally;
pub(crate) use event::{Event, Events, Outcome};
use forming::Forming;
pub(crate) use heard::{Heard, answer_here};
pub(crate) use library::{Library, Limits};
pub(crate) use models::Models;
pub(crate) use prompt::NOT_SAID;
use room::Room;
use sources::Sources;
pub(crate) use told::exchanges;
use tools::ToolContext;

/// Most calls of tools that one reply may ask for.
const CALLS_MAX: usize = 8;

/// Words that stand for what was named before.
#[rustfmt::skip]
const POINTERS: [&str; 26] = [
    "he", "she", "it", "they", "him", "her", "them", "his", "its", "their", "that", "those", "there",
    "er", "ihn", "ihm", "ihr", "ihnen", "das", "dies", "davon", "dafür", "damit", "dort", "seine", "ihre",
];

/// What is asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Question {
    pub(crate) text: String,
    /// Earlier questions and answers, oldest first.
    pub(crate) history: Vec<Exchange>,
    /// How the person wants to be answered, beside our own rules.
    pub(crate) wishes: Option<String>,
    pub(crate) attachments: Attachments,
    /// Whether to walk widely along links, too.
    pub(crate) is_deep: bool,
}

impl Question {
    /// What leaves this machine holds no credential.
    fn masked(self) -> Self {
        let masked = crate::searcher::masked;
        let history = self.history.into_iter().map(|said| Exchange {
            question: masked(&said.question),
            answer: masked(&said.answer),
        });
        Self {
            text: masked(&self.text),
            history: history.collect(),
            wishes: self.wishes.as_deref().map(masked),
            ..self
        }
    }
}

/// How far an agent may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// Passages that the model is given with the question.
    pub(crate) passages: u32,
    /// Whether the model adds words to a thin question.
    pub(crate) expand: bool,
    /// Whether the model translates a question in another language than the notes.
    pub(crate) translate: bool,
    /// Times that the model may call tools.
    pub(crate) steps_max: usize,
    /// Most tokens of one reply.
    pub(crate) tokens_max: u32,
    pub(crate) time_max: Duration,
}

impl Options {
    /// As the settings have it.
    pub(crate) fn of(settings: &Settings) -> Self {
        let answers = &settings.answers;
        Self {
            passages: answers.passages,
            expand: answers.expand,
            translate: answers.translate,
            steps_max: answers.steps,
            tokens_max: answers.tokens,
            time_max: answers.time_max(),
        }
    }
}

/// Everything that an answer needs.
pub(crate) struct Request {
    pub(crate) question: Question,
    pub(crate) library: Library,
    /// Who answers; without one, the notes do in their own words.
    pub(crate) model: Option<Arc<dyn ChatModel>>,
    pub(crate) options: Options,
}

/// Answers, and ends when nobody listens any more: whatever the model is doing then stops.
pub(crate) async fn answer(request: Request, events: Events) {
    let options = request.options;
    let mut agent = Agent::new(request, events.clone());
    let answered = tokio::select! {
        () = events.gone() => return,
        answered = timeout(options.time_max, agent.run()) => answered,
    };
    let failed = match answered {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error),
        Err(_) => Some(Hinted::error(
            format!(
                "the answer took longer than {} s",
                options.time_max.as_secs()
            ),
            "ask for less, or set `seconds` in [answers]",
        )),
    };
    agent.finish(failed.as_ref()).await;
}

/// One request being answered.
struct Agent {
    question: Question,
    library: Library,
    model: Option<Arc<dyn ChatModel>>,
    options: Options,
    events: Events,
    sources: Sources,
    forming: Forming,
    checker: Checker,
    outcome: Outcome,
    /// Whether there is something that an answer can rest on.
    is_grounded: bool,
}

impl Agent {
    fn new(request: Request, events: Events) -> Self {
        let question = request.question.masked();
        let is_grounded = !question.history.is_empty() || !question.attachments.texts.is_empty();
        Self {
            is_grounded: is_grounded || !question.attachments.pictures.is_empty(),
            question,
            library: request.library,
            model: request.model,
            options: request.options,
            events,
            sources: Sources::default(),
            forming: Forming::default(),
            checker: Checker::default(),
            outcome: Outcome {
                evidence: Evidence::None.name(),
                ..Outcome::default()
            },
        }
    }

    async fn run(&mut self) -> Result<()> {
        let Some(model) = self.model.clone() else {
            return self.extract().await;
        };
        self.outcome.model = Some(model.id().to_owned());
        for (name, text) in std::mem::take(&mut self.question.attachments.texts) {
            let number = self.sources.add_attachment(&name, &text);
            self.tell(number);
        }
        self.search(&*model).await?;
        if !self.is_grounded && !model.abilities().tools {
            self.say(NOT_SAID);
            self.outcome.is_whole = true;
            return Ok(());
        }
        self.converse(&*model).await
    }

    /// Finds what the answer may rest on, and tells it.
    async fn search(&mut self, model: &dyn ChatModel) -> Result<()> {
        let text = self.question.text.clone();
        let mut found = self.library.search(&text, self.options.passages).await?;
        let points_back = self.points_back();
        if let Some(both) = self
            .with_before()
            .filter(|_| points_back || is_weak(&found))
        {
            let again = self.library.search(&both, self.options.passages).await?;
            found = match points_back && !is_weak(&again) {
                true => again,
                false => better(found, again),
            };
        }
        if self.options.translate
            && let Some(language) = found.notes_language.clone()
        {
            found = self.translate(model, found, &language).await?;
        }
        if self.options.expand && is_weak(&found) && expand::is_thin(&text) {
            found = self.expand(model, found).await?;
        }
        self.outcome.evidence = found.evidence;
        self.outcome.notices.append(&mut found.notices);
        if found.evidence == Evidence::None.name() {
            found.hits.clear();
        }
        if self.question.is_deep {
            let further = self
                .library
                .walk(&text, &found.hits, self.options.passages)
                .await?;
            found.hits.extend(further);
        }
        for hit in found.hits {
            let (number, _) = self.sources.add_hit(hit);
            self.tell(number);
            self.is_grounded = true;
        }
        Ok(())
    }

    /// "And when was that?" is about what was asked before: returns both, where the question says too little
    /// by itself. It goes first, since it says what is sought.
    fn with_before(&self) -> Option<String> {
        let text = &self.question.text;
        let before = self.question.history.last()?;
        let is_short = words::query(text) == Err(Skip::Short);
        is_short.then(|| format!("{text} {}", before.question))
    }

    /// Whether the question points to somebody or something that only an earlier one names. What is found
    /// for it alone is about others, however well it fits.
    fn points_back(&self) -> bool {
        let lower = self.question.text.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        words.any(|word| POINTERS.contains(&word))
    }

    fn tell(&self, number: usize) {
        if let Some(source) = self.sources.get(number) {
            self.events.send(Event::Found(Box::new(source.clone())));
        }
    }

    fn say(&mut self, text: &str) {
        self.events.text(text);
        self.forming.push(text);
    }

    /// Lets the model answer, and do what it asks for, until it is done or has had enough turns.
    async fn converse(&mut self, model: &dyn ChatModel) -> Result<()> {
        let mut room = Room::of(&model.abilities(), self.options.tokens_max);
        let mut request = self.request(&room, model.abilities().tools);
        while self.outcome.n_steps <= self.options.steps_max {
            self.outcome.n_steps += 1;
            let reply = match self.listen(model, &request).await {
                Ok(reply) => reply,
                Err(error) => {
                    self.outcome.n_steps -= 1;
                    request = self.without(error, request, &mut room)?;
                    continue;
                }
            };
            self.count(reply.usage);
            if reply.tool_calls.is_empty() {
                self.settle(&reply);
                return Ok(());
            }
            self.work(model, &mut request, reply).await;
        }
        let notice = format!(
            "the model called tools {} times and was stopped",
            self.options.steps_max
        );
        self.outcome.notices.push(notice);
        Ok(())
    }

    fn request(&self, room: &Room, has_tools: bool) -> ChatRequest {
        let scope = self.library.told();
        let today = runtime::today();
        let mut system = prompt::system(scope.as_deref(), has_tools, &today);
        if let Some(wishes) = &self.question.wishes {
            system += &format!("\n\nHow the user wants to be answered:\n{wishes}");
        }
        let asked = prompt::question(
            &self.question.text,
            scope.as_deref(),
            self.sources.all(),
            room.passage_chars,
        );
        let mut messages = room.told(&self.question.history);
        messages.push(Message::User {
            text: asked,
            pictures: self.question.attachments.pictures.clone(),
        });
        ChatRequest {
            system,
            messages,
            tools: match has_tools {
                true => tools::all(),
                false => Vec::new(),
            },
            max_tokens: Some(room.answer_tokens),
            ..ChatRequest::default()
        }
    }

    /// Returns the request without what the model cannot do; what is no matter of that is an error.
    fn without(
        &mut self,
        error: ModelError,
        request: ChatRequest,
        room: &mut Room,
    ) -> Result<ChatRequest> {
        let has_said = self.outcome.n_steps > 0 || !self.forming.whole().is_empty();
        match error.trouble {
            Trouble::NoTools if !request.tools.is_empty() && !has_said => {
                Ok(self.request(room, false))
            }
            Trouble::NoPictures if !self.question.attachments.pictures.is_empty() => {
                let notice = format!("{error}, so the pictures were left out");
                self.outcome.notices.push(notice);
                self.question.attachments.pictures.clear();
                Ok(self.request(room, !request.tools.is_empty()))
            }
            Trouble::TooLong if !has_said && room.halve() => {
                Ok(self.request(room, !request.tools.is_empty()))
            }
            _ => Err(error.into()),
        }
    }

    /// Hears what the model says, passes it on, and checks it while it forms.
    async fn listen(
        &mut self,
        model: &dyn ChatModel,
        request: &ChatRequest,
    ) -> Result<ChatReply, ModelError> {
        let is_grounded = self.is_grounded;
        let is_later = !self.forming.whole().is_empty();
        let Self {
            forming,
            events,
            checker,
            sources,
            library,
            ..
        } = self;
        let (complete, sentences) = unbounded_channel();
        let speaking = async {
            // Moved here, so that the checks end with the speech.
            let complete = complete;
            let mut gap = is_later.then_some("\n\n");
            let mut heard = |event: ChatEvent| match event {
                ChatEvent::Thinking(text) => events.thinking(text),
                ChatEvent::Text(text) if is_grounded => {
                    let text = gap.take().unwrap_or_default().to_owned() + &text;
                    for sentence in forming.push(&text) {
                        let _ = complete.send(sentence);
                    }
                    events.text(text);
                }
                ChatEvent::Text(_) | ChatEvent::ToolCall(_) => {}
            };
            model.chat(request, &mut heard).await
        };
        let checking = check_all(sentences, checker, sources, library, events);
        let (reply, ()) = tokio::join!(speaking, checking);
        reply
    }

    /// Does what the model asked for, and tells it what came of that.
    async fn work(&mut self, model: &dyn ChatModel, request: &mut ChatRequest, reply: ChatReply) {
        let calls = reply.tool_calls.clone();
        request.messages.push(reply.into_message());
        let is_last = self.outcome.n_steps >= self.options.steps_max;
        for (place, call) in calls.into_iter().enumerate() {
            let said = if is_last || place >= CALLS_MAX {
                Err("no more tools may be called; answer with what you have".to_owned())
            } else {
                self.events.thinking(tools::told(&call) + "\n");
                self.outcome.tools.push(call.name.clone());
                let mut usage = Vec::new();
                let mut cx = ToolContext {
                    library: &self.library,
                    model,
                    sources: &mut self.sources,
                    events: &self.events,
                    usage: &mut usage,
                };
                let said = tools::call(&mut cx, &call).await;
                usage.into_iter().for_each(|usage| self.count(usage));
                self.is_grounded |= said.is_ok() && tools::is_ground(&call, &self.sources);
                said
            };
            let is_error = said.is_err();
            request.messages.push(Message::ToolResult {
                id: call.id,
                name: call.name,
                text: said.unwrap_or_else(|error| error),
                is_error,
            });
        }
    }

    fn count(&mut self, usage: Usage) {
        self.outcome.input_tokens += u64::from(usage.input_tokens.unwrap_or(0));
        self.outcome.output_tokens += u64::from(usage.output_tokens.unwrap_or(0));
    }

    /// The model is done. What it says without anything to rest on is not passed on.
    fn settle(&mut self, reply: &ChatReply) {
        self.outcome.is_whole = matches!(reply.stop, Stop::Done | Stop::ToolCalls);
        match reply.stop {
            Stop::Length => self
                .outcome
                .notices
                .push("the answer was cut at its longest".to_owned()),
            Stop::Refused => self
                .outcome
                .notices
                .push("the model refused to answer".to_owned()),
            Stop::Done | Stop::ToolCalls => {}
        }
        if self.forming.whole().trim().is_empty() && reply.stop != Stop::Refused {
            self.say(NOT_SAID);
        }
    }

    /// Checks what is left, and tells what the answer came to.
    async fn finish(mut self, failed: Option<&anyhow::Error>) {
        let whole = self.forming.whole().to_owned();
        // What was extracted has been checked.
        if self.outcome.tally.status.is_empty() {
            let rest = self.checker.check(&whole, &self.sources, &self.library);
            for checked in rest.await.unwrap_or_default() {
                self.events.send(Event::Checked(Box::new(checked)));
            }
            self.outcome.tally = self.checker.tally(&whole);
        }
        if let Some(error) = failed {
            self.outcome.is_whole = false;
            self.events.send(Event::Failed {
                message: hint::told(error),
                hint: hint::of(error),
            });
        }
        self.question.history.push(Exchange {
            question: std::mem::take(&mut self.question.text),
            answer: whole.clone(),
        });
        let (_, usage) = recent(&self.question.history, BUDGET_CHARS);
        self.events.send(Event::Memory(usage));
        self.outcome.text = whole;
        self.events.send(Event::Done(Box::new(self.outcome)));
    }
}

/// Checks sentences as they come.
async fn check_all(
    mut sentences: UnboundedReceiver<String>,
    checker: &mut Checker,
    sources: &Sources,
    library: &Library,
    events: &Events,
) {
    while let Some(sentence) = sentences.recv().await {
        // What cannot be checked now is tried again when the answer is whole.
        let Ok(fresh) = checker.check(&sentence, sources, library).await else {
            continue;
        };
        for checked in fresh {
            events.send(Event::Checked(Box::new(checked)));
        }
    }
}

fn is_weak(found: &SearchResponse) -> bool {
    [Evidence::None, Evidence::Weak]
        .map(Evidence::name)
        .contains(&found.evidence)
}

/// The one of two answers that says more; the first if neither does.
fn better(first: SearchResponse, second: SearchResponse) -> SearchResponse {
    match second.confidence > first.confidence {
        true => second,
        false => first,
    }
}
