//! A question of a conversation that is kept: written down before it is answered, with all it needs to be
//! answered; and its answer, as far as it came, whoever goes away.

use std::time::{Duration, Instant};

use anyhow::Result;
use axum::http::StatusCode;
use kenning::conversation::{BUDGET_CHARS, Conversation, Exchange, TurnId, recent};
use kenning::store::AskedAt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tokio_stream::{Stream, StreamExt};

use super::App;
use super::input::Asking;
use super::problem::Problem;
use crate::agent::{Event, Heard, Request};

use crate::conversations::{OwnConversations, scope};
use crate::hint;
use crate::searcher::Searchers;
use crate::wire::rag::{RagLine, RagParams, RagScope};

/// Asks for a conversation to be begun; no id looks like this.
const NEW: &str = "new";
/// How often a part of an answer is written down.
const SAVED_EVERY: Duration = Duration::from_secs(1);

/// A question that was written down.
#[derive(Clone)]
pub(super) struct KeptTurn {
    pub(super) conversation: String,
    pub(super) turn: TurnId,
    pub(super) question: String,
    /// What it comes after.
    pub(super) before: Vec<Exchange>,
    pub(super) scope: RagScope,
    /// The domains that the conversation is about.
    pub(super) searchers: Searchers,
}

impl App {
    /// Writes a question down.
    pub(super) async fn begin_turn(
        &self,
        asking: &Asking,
        asked: RagParams,
    ) -> Result<KeptTurn, Problem> {
        let (app, asking) = (self.clone(), asking.clone());
        let begun = self.0.questions.run(move || {
            let mut own = app.conversations(&asking)?;
            Ok(begin(&mut own, &asking.searchers, asked))
        });
        begun.await?
    }

    /// Answers it, and writes down what comes.
    pub(super) fn answer_kept(
        &self,
        request: Request,
        asking: Asking,
        kept: KeptTurn,
    ) -> Result<impl Stream<Item = RagLine> + use<>, Problem> {
        let heard = Heard::of(&request);
        let events = self.answer(request)?;
        let (sender, told) = unbounded_channel();
        let (_, usage) = recent(&kept.before, BUDGET_CHARS);
        let _ = sender.send(Event::Memory(usage));
        let clerk = Clerk {
            app: self.clone(),
            asking,
            turn: kept.turn,
        };
        tokio::spawn(clerk.listen(events, heard, sender));
        let line = move |event: Event| match event.into() {
            RagLine::Memory(mut memory) => {
                memory.conversation = Some(kept.conversation.clone());
                memory.turn = Some(kept.turn.0);
                RagLine::Memory(memory)
            }
            line => line,
        };
        Ok(UnboundedReceiverStream::new(told).map(line))
    }
}

fn begin(
    own: &mut OwnConversations,
    searchers: &Searchers,
    asked: RagParams,
) -> Result<KeptTurn, Problem> {
    let id = asked.conversation.unwrap_or_default();
    let names = |searchers: &Searchers| -> Vec<String> {
        let all = searchers.all().iter();
        all.map(|one| one.name().to_owned()).collect()
    };
    // What is refused leaves nothing behind.
    if id == NEW && (asked.instead_of.is_some() || asked.regenerate == Some(true)) {
        return Err(Problem::bad_value("nothing was said in it yet"));
    }
    let (known, domains) = match id.as_str() {
        NEW => (None, names(searchers)),
        id => {
            let known = own.get(id)?;
            let domains = known.domains.clone();
            (Some(known), domains)
        }
    };
    let scope = match (asked.scope, &known) {
        (Some(scope), _) => scope,
        (None, known) => scope::kept(known.as_ref().and_then(|one| one.scope.as_deref()))?,
    };
    if let Some(other) = scope.domains.iter().find(|one| !domains.contains(one)) {
        let detail = format!("there is no domain {other:?} in this conversation");
        let problem = Problem::new(StatusCode::NOT_FOUND, detail);
        return Err(problem.hint(format!("it is about {}", domains.join(", "))));
    }
    let (question, at) = match &known {
        Some(known) => placed(own, known, asked.question, asked.instead_of)?,
        None => (asked.question.unwrap_or_default(), AskedAt::End),
    };
    let conversation = match known {
        Some(known) => {
            if scope.kept() != known.scope {
                own.set_scope(&known, scope.kept().as_deref())?;
            }
            known
        }
        None => own.begin(domains.clone(), None, scope.kept())?,
    };
    let turn = own.ask(&conversation, &question, at)?;
    Ok(KeptTurn {
        before: own.before(&conversation, turn)?,
        conversation: conversation.id,
        turn,
        question,
        scope,
        searchers: searchers.only(&domains),
    })
}

/// Returns what is asked, and where it goes: behind all, in the place of a turn, or that turn once more.
fn placed(
    own: &OwnConversations,
    known: &Conversation,
    question: Option<String>,
    instead_of: Option<i64>,
) -> Result<(String, AskedAt), Problem> {
    let at = instead_of.map(|turn| AskedAt::InsteadOf(TurnId(turn)));
    if let Some(question) = question {
        return Ok((question, at.unwrap_or(AskedAt::End)));
    }
    let mut turns = own.turns(known)?;
    let again = match instead_of {
        Some(wanted) => turns.into_iter().find(|turn| turn.id.0 == wanted),
        None => turns.pop(),
    };
    let again = again.ok_or_else(|| {
        let detail = "there is no such question in what is shown of this conversation";
        Problem::new(StatusCode::NOT_FOUND, detail)
    })?;
    Ok((again.question, AskedAt::InsteadOf(again.id)))
}

/// Writes an answer down while it is passed on.
struct Clerk {
    app: App,
    asking: Asking,
    turn: TurnId,
}

impl Clerk {
    async fn listen(
        self,
        mut events: UnboundedReceiver<Event>,
        mut heard: Heard,
        told: UnboundedSender<Event>,
    ) {
        let mut saved_at = Instant::now();
        loop {
            let event = tokio::select! {
                () = told.closed() => break,
                event = events.recv() => event,
            };
            let Some(event) = event else { break };
            heard.hear(event.clone());
            let is_over = matches!(event, Event::Done(_));
            if is_over || saved_at.elapsed() > SAVED_EVERY {
                saved_at = Instant::now();
                heard = self.saved(heard, &told).await;
            }
            // Who hears that it is over finds it written down.
            if told.send(event).is_err() || is_over {
                break;
            }
        }
        drop(events);
        if heard.outcome.is_none() {
            self.saved(heard, &told).await;
        }
    }

    async fn saved(&self, heard: Heard, told: &UnboundedSender<Event>) -> Heard {
        let (app, asking, turn) = (self.app.clone(), self.asking.clone(), self.turn);
        let (saved, heard) = tokio::task::spawn_blocking(move || {
            let written = app
                .conversations(&asking)
                .and_then(|mut own| own.answer(turn, &heard));
            (written, heard)
        })
        .await
        .unwrap_or_else(|_| (Ok(()), Heard::default()));
        if let Err(error) = saved {
            let _ = told.send(Event::Failed {
                message: format!("the answer is not kept: {}", hint::told(&error)),
                hint: hint::of(&error),
            });
        }
        heard
    }
}
