//! The plan of a search: what was typed, understood once and for all, and how it is put to the notes.
//! Later stages read it and never change it.

use std::rc::Rc;

use jiff::civil::Date;

use super::grammar::{self, Filter, Request};
use super::select::Selection;
use super::tuning::{Fusion, Tuning};
use super::when::{When, day_of};
use super::{Intent, Mode, Query, SearchContext, SearchOptions};
use crate::embed::Embedder;
use crate::error::{Error, Result};
use crate::store::{Name, Store};
use crate::words::name_key;

/// From this many words on, what was typed is a sentence, and its punctuation is grammar.
const SENTENCE_WORDS_MIN: usize = 7;
/// Most conditions of a question: nobody types more, and each may be put to every note.
const CONDITIONS_MAX: usize = 500;

/// What was typed, as words and conditions, and what kind of thing it is.
pub(super) struct Typed {
    pub(super) request: Request,
    pub(super) intent: Intent,
    /// The day it was typed on.
    pub(super) today: Date,
    /// The time that it names, if times are to be understood.
    pub(super) when: Option<Rc<When>>,
}

impl Typed {
    /// Understands `text`.
    pub(super) fn parse(store: &Store, text: &str, options: &SearchOptions) -> Result<Self> {
        let today = day_of(options.now);
        // A note that is called exactly this, dash or colon and all, is what is meant.
        let is_name = !store.resolve(Name::Key(&name_key(text)))?.is_empty();
        let mut request = match is_name {
            true => Request {
                words: text.trim().to_owned(),
                is_name: true,
                ..Request::default()
            },
            false => grammar::parse(text, today),
        };
        let intent = Intent::of(text);
        let is_long = request.words.split_whitespace().count() > SENTENCE_WORDS_MIN;
        let asks = intent == Intent::Question || text.trim_end().ends_with('?');
        request.soften(text, asks || is_long);
        let n_conditions = request.filter.as_ref().map_or(0, Filter::n_conditions);
        if n_conditions > CONDITIONS_MAX {
            return Err(Error::TooCostly {
                reason: format!("{n_conditions} conditions are more than {CONDITIONS_MAX}"),
            });
        }
        let is_quoted = text.contains(['"', '“', '„']);
        let when = match options.reads_dates && !is_name && !is_quoted {
            true => When::of(store, &request, today)?.map(Rc::new),
            false => None,
        };
        Ok(Self {
            request,
            intent,
            today,
            when,
        })
    }
}

/// How a question is put to the notes: what was typed, or what is left of it beside a time, with the
/// notes and retrievers that are asked.
pub(super) struct Plan<'a> {
    pub(super) typed: Rc<Typed>,
    /// The words that rank.
    pub(super) query: Query,
    /// The time whose notes are asked for, or come first.
    pub(super) when: Option<Rc<When>>,
    /// The notes that may be hits.
    pub(super) selection: Selection<'a>,
    pub(super) mode: Mode,
    /// As it suits the languages of the notes and the script of the question.
    pub(super) tuning: Tuning,
    /// Whether the model knows the script of the question.
    pub(super) is_known: bool,
    /// Nothing but conditions was typed.
    pub(super) is_listing: bool,
    /// Nothing but a time was asked for.
    pub(super) is_of_time: bool,
}

impl<'a> Plan<'a> {
    /// Asks for `words`, which are those that were typed or what is left of them beside a time.
    pub(super) fn new(
        cx: &SearchContext<'a>,
        typed: Rc<Typed>,
        words: &str,
        when: Option<Rc<When>>,
        options: &SearchOptions<'_>,
    ) -> Result<Self> {
        let request = &typed.request;
        let languages = &cx.store.meta()?.languages;
        let mut query = Query::parse(words, languages);
        query.widen(
            languages,
            |terms| cx.store.has_term(terms, None),
            |term, language| cx.store.has_term(&[term.to_owned()], Some(language)),
        )?;
        query.cut(languages, |terms| cx.store.has_term(terms, None))?;
        if let Some(last) = query.groups.last_mut().filter(|_| request.is_prefix) {
            last.is_prefix = true;
        }
        let limit = when.clone().filter(|when| when.is_limit());
        let is_of_time = limit.as_ref().is_some_and(|when| when.is_listing);
        let is_listing = query.groups.is_empty() && (request.filter.is_some() || is_of_time);
        let is_known = is_known(cx.embedder, &query.text);
        Ok(Self {
            selection: Selection::new(cx, request, options.scope)?.limited_to(limit),
            tuning: cx.tuning.suited(languages, is_known),
            // A list of notes is neither near nor far.
            mode: options.mode.unless(is_listing),
            query,
            when,
            is_known,
            is_listing,
            is_of_time,
            typed,
        })
    }

    /// Returns what the stages work with: the tuning is the question's own.
    pub(super) fn context<'q>(&'q self, cx: &SearchContext<'q>) -> SearchContext<'q> {
        SearchContext {
            tuning: &self.tuning,
            ..*cx
        }
    }

    /// Returns the day that ages are counted from.
    pub(super) fn today(&self) -> Date {
        self.typed.request.as_of.unwrap_or(self.typed.today)
    }

    /// Returns the fusion for what was typed, which moves the share of meaning.
    pub(super) fn fusion(&self) -> Fusion {
        match self.tuning.fusion {
            Fusion::Blend { vector } if self.tuning.leans => Fusion::Blend {
                vector: (vector * self.typed.intent.vector_factor()).min(1.0),
            },
            fusion => fusion,
        }
    }

    /// Whether words are asked for, so that what holds none of them is noise. Who asks for meaning alone
    /// gets what is nearest, however far that is.
    pub(super) fn drops_noise(&self) -> bool {
        self.mode == Mode::Hybrid && !self.query.groups.is_empty() && !self.is_of_time
    }
}

/// Whether a model knows the script of a question.
fn is_known(embedder: &dyn Embedder, text: &str) -> bool {
    let least = embedder.calibration().known_share_min;
    let model = embedder.token_vectors();
    model.is_none_or(|model| model.known_share(text) >= least)
}
