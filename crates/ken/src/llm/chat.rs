//! One question to a model: send, listen, try again while nothing was heard, understand, give up in time.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use strsim::levenshtein;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_stream::StreamExt;

use super::error::{ModelError, Trouble};
use super::frames::Frames;
use super::http::Endpoint;
use super::retry::Patience;
use super::wire::{Framing, Garbled, Wire};
use super::{
    Abilities, BoxFuture, ChatEvent, ChatModel, ChatReply, ChatRequest, Listener, Message,
};
use crate::settings::Provider;

/// How many models are named where the one that was asked for is unknown.
const N_NAMED: usize = 5;

/// A model at a provider.
pub(super) struct Remote {
    id: String,
    pub(super) endpoint: Endpoint,
    pub(super) wire: Box<dyn Wire>,
}

impl Remote {
    pub(super) fn new(provider: Provider, wire: Box<dyn Wire>) -> Result<Self, ModelError> {
        Ok(Self {
            id: format!("{}/{}", provider.name, provider.model),
            endpoint: Endpoint::new(provider)?,
            wire,
        })
    }

    async fn ask(
        &self,
        request: &ChatRequest,
        events: Listener<'_>,
    ) -> Result<ChatReply, ModelError> {
        self.check(request)?;
        let deadline = Instant::now() + self.endpoint.provider.total;
        let mut thinking = self.endpoint.provider.thinking;
        let mut n_tries = 0;
        loop {
            let mut n_events = 0u64;
            let mut heard = |event: ChatEvent| {
                n_events += 1;
                events(event);
            };
            let error = match self.try_once(request, thinking, deadline, &mut heard).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            // Thoughts are welcome, and never needed.
            if error.trouble == Trouble::NoThinking && thinking.take().is_some() {
                continue;
            }
            let pause = Patience::PERSON.pause(&error, n_tries);
            let pause = pause.filter(|pause| n_events == 0 && Instant::now() + *pause < deadline);
            match pause {
                Some(pause) => sleep(pause).await,
                None => return Err(self.explained(error).await),
            }
            n_tries += 1;
        }
    }

    /// What the settings rule out need not be sent.
    fn check(&self, request: &ChatRequest) -> Result<(), ModelError> {
        let abilities = self.abilities();
        let has_picture = |message: &Message| matches!(message, Message::User { pictures, .. } if !pictures.is_empty());
        let (trouble, what) = if !request.tools.is_empty() && !abilities.tools {
            (Trouble::NoTools, "call tools")
        } else if !abilities.pictures && request.messages.iter().any(has_picture) {
            (Trouble::NoPictures, "see pictures")
        } else {
            return Ok(());
        };
        let setting = what.rsplit(' ').next().unwrap_or_default();
        Err(ModelError::new(
            trouble,
            format!("{} cannot {what}", self.id),
            format!(
                "choose another model; if this one can, set `{setting} = true` in [llm.providers.{}]",
                self.endpoint.provider.name
            ),
        ))
    }

    async fn try_once(
        &self,
        request: &ChatRequest,
        thinking: Option<bool>,
        deadline: Instant,
        events: Listener<'_>,
    ) -> Result<ChatReply, ModelError> {
        let first = deadline.min(Instant::now() + self.endpoint.provider.first_token);
        let call = self.wire.chat(request, thinking);
        let response = self.endpoint.send(&*self.wire, &call, first).await?;
        let kind = response.headers().get(CONTENT_TYPE);
        let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
        let framing = match self.wire.framing() {
            // Some servers do not stream, whatever they are asked for.
            Framing::Events if is_json => Framing::Whole,
            framing => framing,
        };
        let mut frames = Frames::new(framing);
        let mut decoder = self.wire.decoder();
        let mut body = response.into_body().into_data_stream();
        let mut has_begun = false;
        loop {
            let until = if has_begun { deadline } else { first };
            let piece = timeout_at(until, body.next()).await;
            let piece = piece.map_err(|_| self.endpoint.too_late())?;
            let is_last = piece.is_none();
            let complete = match piece {
                Some(Ok(piece)) => frames
                    .push(&piece)
                    .map_err(|_| self.endpoint.bad_reply("the reply is too large"))?,
                Some(Err(error)) => return Err(self.endpoint.broken_off(&error)),
                None => frames.end().into_iter().collect(),
            };
            let mut heard = |event: ChatEvent| {
                has_begun = true;
                events(event);
            };
            let mut is_done = is_last;
            for data in complete {
                let taken = decoder.take(&data, &mut heard);
                is_done |= taken.map_err(|garbled| self.garbled(garbled))?;
            }
            if is_done {
                return decoder.finish(&mut heard).ok_or_else(|| self.ended_early());
            }
        }
    }

    fn garbled(&self, garbled: Garbled) -> ModelError {
        match garbled {
            Garbled::Shape(what) => self
                .endpoint
                .bad_reply(&format!("the reply cannot be understood: {what}")),
            Garbled::Told { status, message } => {
                let status = StatusCode::from_u16(status);
                let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                self.endpoint.refused(status, &message)
            }
        }
    }

    fn ended_early(&self) -> ModelError {
        let early = std::io::Error::other("the reply ended before it was complete");
        self.endpoint.broken_off(&early)
    }

    /// Names the models that there are, where the one that was asked for is not among them.
    pub(super) async fn explained(&self, error: ModelError) -> ModelError {
        if error.trouble != Trouble::ModelUnknown {
            return error;
        }
        match self.names().await {
            Ok(names) if !names.is_empty() => {
                let nearest = nearest(names, &self.endpoint.provider.model);
                let hint = format!("it knows {}", nearest.join(", "));
                error.with_hint(hint)
            }
            _ => error,
        }
    }

    async fn names(&self) -> Result<Vec<String>, ModelError> {
        let deadline = Instant::now() + self.endpoint.provider.first_token;
        let call = self.wire.models();
        let list = self.endpoint.json(&*self.wire, &call, deadline).await?;
        Ok(self.wire.model_names(&list))
    }
}

/// Returns those of the names that are most like the wanted one.
fn nearest(mut names: Vec<String>, wanted: &str) -> Vec<String> {
    names.sort_by_cached_key(|name| {
        let is_part = name.contains(wanted) || wanted.contains(name.as_str());
        (!is_part, levenshtein(name, wanted), name.clone())
    });
    names.truncate(N_NAMED);
    names
}

impl ChatModel for Remote {
    fn id(&self) -> &str {
        &self.id
    }

    fn abilities(&self) -> Abilities {
        let provider = &self.endpoint.provider;
        Abilities {
            tools: provider.tools,
            pictures: provider.pictures,
            context_tokens: provider.context_tokens,
        }
    }

    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
        events: Listener<'a>,
    ) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(self.ask(request, events))
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, ModelError>> {
        Box::pin(self.names())
    }
}
