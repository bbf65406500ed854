//! Adapts the questions of a static model to the words of a vault, and tells whether that helps.
//!
//! What is learnt comes from titles, aliases, headings and link texts of some notes. When to stop is told by those of
//! others, and whether it helps by headings and link texts of yet others, asked of the whole search.

mod learn;
mod pairs;

use std::time::Duration;

use self::learn::{Learnt, Tokens, learn};
use self::pairs::{Pairs, rarity};
use super::known_items::{Item, Kind, items, questions};
use super::significance::{Comparison, N_RESAMPLES, SEED, paired_bootstrap};
use super::{Judgements, run};
use crate::embed::{Adapter, Embedder, OnTrial, TokenVectors};
use crate::error::Result;
use crate::search::{Mode, Tuning};
use crate::store::{ADAPTER, Place, Store};

/// Texts that are learnt from at most: more take longer and tell little more.
const LEARNT_MAX: usize = 6_000;
/// Fewer than this are learnt by heart.
const LEARNT_MIN: usize = 200;
/// Texts that tell when to stop, at most.
const HELD_OUT_MAX: usize = 1_000;
/// Fewer than this to ask afterwards tell nothing.
const ASKED_MIN: usize = 100;
/// Questions of each kind that are asked at most.
const ASKED_MAX: usize = 400;
/// Of ten notes, those that are learnt from, and those that tell when to stop. The others are asked for.
const LEARNT_OF_TEN: u8 = 5;
const HELD_OUT_OF_TEN: u8 = 1;

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Adaptation {
    /// Nothing was tried, for this reason.
    LeftAlone(String),
    /// It was tried.
    Tried(Box<Adapted>),
}

/// An adapter, and what it is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Adapted {
    /// What was learnt.
    pub adapter: Adapter,
    /// Texts that it was learnt from, and those that told when to stop.
    pub n_learnt: usize,
    /// Those that told when to stop.
    pub n_held_out: usize,
    /// Rounds over all texts until it was best.
    pub n_rounds: usize,
    /// Nearness in meaning alone.
    pub meaning: Measured,
    /// The whole search.
    pub whole: Measured,
    /// The whole search, if what other notes call a note counted for nothing: the words of a link are asked for.
    pub unlinked: Measured,
}

impl Adapted {
    /// Whether the whole search is better with confidence where the words of links are not told ahead, and not worse
    /// where they are.
    pub fn is_gain(&self) -> bool {
        let is_better = self.unlinked.comparison.low > 0.0;
        is_better && self.whole.comparison.mean_difference >= 0.0
    }
}

/// nDCG@10 of headings and link texts of notes that nothing was learnt from.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// As it was.
    pub before: f64,
    /// Adapted.
    pub after: f64,
    /// How sure that is.
    pub comparison: Comparison,
}

/// What a note is used for, by its path: so nothing of it is known before it is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Learnt,
    HeldOut,
    Asked,
}

impl Use {
    fn of(path: &str) -> Self {
        match blake3::hash(path.as_bytes()).as_bytes()[0] % 10 {
            tenth if tenth < LEARNT_OF_TEN => Self::Learnt,
            tenth if tenth < LEARNT_OF_TEN + HELD_OUT_OF_TEN => Self::HeldOut,
            _ => Self::Asked,
        }
    }
}

/// Learns from the texts of a vault, and measures what that is worth. Nothing is written.
pub fn adapt(store: &Store, embedder: &dyn Embedder, tuning: &Tuning) -> Result<Adaptation> {
    let alone = |reason: &str| Ok(Adaptation::LeftAlone(reason.to_owned()));
    let Some(model) = embedder.token_vectors() else {
        return alone("only a static model can be adapted");
    };
    let items = items(store)?;
    let texts = Texts::of(&items);
    if let Some(reason) = texts.reason_against(embedder, model) {
        return alone(&reason);
    }
    let rarity = rarity(store, model.n_tokens())?;
    let tokens = Tokens {
        model,
        rarity: &rarity,
    };
    let pairs = Pairs::of(store, embedder, &texts.learnt)?;
    let held_out = Pairs::of(store, embedder, &texts.held_out)?;
    let learnt = learn(&tokens, &pairs, &held_out);
    if learnt.n_rounds == 0 {
        return alone("what was learnt from some notes did not hold for others");
    }
    let trial = Trial {
        store,
        embedder,
        adapter: &adapter(embedder, &rarity, &learnt),
        asked: &texts.asked,
    };
    Ok(Adaptation::Tried(Box::new(Adapted {
        adapter: trial.adapter.clone(),
        n_learnt: pairs.all.len(),
        n_held_out: held_out.all.len(),
        n_rounds: learnt.n_rounds,
        meaning: trial.measure(tuning, Mode::Vector)?,
        whole: trial.measure(tuning, Mode::Hybrid)?,
        unlinked: trial.measure(&unlinked(tuning), Mode::Hybrid)?,
    })))
}

/// What notes are called, by what it is used for.
struct Texts<'a> {
    learnt: Vec<&'a Item>,
    held_out: Vec<&'a Item>,
    asked: Judgements,
}

impl<'a> Texts<'a> {
    fn of(items: &'a [Item]) -> Self {
        // A question is asked once, whoever says it; none of those who do is an answer.
        let asked = items
            .iter()
            .filter(|item| Use::of(&item.path) == Use::Asked);
        let asked: Vec<Item> = asked.cloned().collect();
        Self {
            learnt: some(items, Use::Learnt, LEARNT_MAX),
            held_out: some(items, Use::HeldOut, HELD_OUT_MAX),
            asked: questions(&asked, &[Kind::Heading, Kind::Link], ASKED_MAX),
        }
    }

    /// Says why nothing can be learnt from them, or nothing told by them.
    fn reason_against(&self, embedder: &dyn Embedder, model: &dyn TokenVectors) -> Option<String> {
        let (n, n_asked) = (self.learnt.len(), self.asked.questions.len());
        if n < LEARNT_MIN || n_asked < ASKED_MIN {
            return Some(format!(
                "too few names: {n} to learn from and {n_asked} to ask for, where {LEARNT_MIN} and {ASKED_MIN} are needed"
            ));
        }
        let known = self.learnt.iter().map(|item| model.known_share(&item.text));
        let known = known.sum::<f32>() / n as f32;
        (known < embedder.calibration().known_share_min).then(|| {
            let percent = known * 100.0;
            format!("the model knows only {percent:.0} % of what the notes are called")
        })
    }
}

/// Keeps an adapter in an index, or forgets it; returns whether there was one before.
pub fn keep_adapter(
    store: &Place,
    adapter: Option<&Adapter>,
    patience: Duration,
    now: i64,
) -> Result<bool> {
    let mut writer = store.write(patience)?;
    let was_there = writer.meta()?.fact(ADAPTER).is_some();
    if was_there || adapter.is_some() {
        let text = adapter.map(Adapter::write);
        writer.set_fact(ADAPTER, text.as_deref())?;
        writer.commit(now)?;
    }
    writer.close()?;
    Ok(was_there)
}

/// Returns the texts of the notes that are used so, those with the lowest hash where there are too many.
fn some(items: &[Item], used: Use, n_max: usize) -> Vec<&Item> {
    let mut some: Vec<&Item> = (items.iter())
        .filter(|item| Use::of(&item.path) == used)
        .collect();
    some.sort_by(|a, b| (&a.key, &a.path).cmp(&(&b.key, &b.path)));
    some.dedup_by(|a, b| a.key == b.key);
    some.sort_by_cached_key(|item| *blake3::hash(item.key.as_bytes()).as_bytes());
    some.truncate(n_max);
    some
}

fn adapter(embedder: &dyn Embedder, rarity: &[f32], learnt: &Learnt) -> Adapter {
    let logs = rarity.iter().zip(&learnt.factors);
    let logs: Vec<f32> = logs.map(|(rare, own)| learnt.rarity * rare + own).collect();
    let dimensions = embedder.id().dimensions.max(1);
    let rows =
        |rows: &[f32]| -> Vec<Vec<f32>> { rows.chunks(dimensions).map(<[f32]>::to_vec).collect() };
    let turns = rows(&learnt.from).into_iter().zip(rows(&learnt.to));
    Adapter::new(embedder.id(), &logs, turns.collect())
}

/// Returns the same ranking, where what other notes call a note counts for nothing.
fn unlinked(tuning: &Tuning) -> Tuning {
    let mut tuning = tuning.clone();
    if let Some(weight) = tuning.rerank.weights.named("link_text") {
        *weight = 0.0;
    }
    tuning
}

/// An adapter on trial.
struct Trial<'a> {
    store: &'a Store,
    embedder: &'a dyn Embedder,
    adapter: &'a Adapter,
    asked: &'a Judgements,
}

impl Trial<'_> {
    fn measure(&self, tuning: &Tuning, mode: Mode) -> Result<Measured> {
        let ask = |adapter| -> Result<Vec<f64>> {
            let model = self.embedder;
            let outcome = run(
                self.store,
                &OnTrial { model, adapter },
                tuning,
                self.asked,
                mode,
            )?;
            let figures = outcome
                .by_question
                .iter()
                .map(|(_, found)| found.ndcg_at_10);
            Ok(figures.collect())
        };
        let (before, after) = (ask(None)?, ask(Some(self.adapter))?);
        let mean = |figures: &[f64]| figures.iter().sum::<f64>() / figures.len().max(1) as f64;
        let nothing = Comparison {
            n_pairs: 0,
            mean_difference: 0.0,
            low: 0.0,
            high: 0.0,
            p: 1.0,
        };
        Ok(Measured {
            before: mean(&before),
            after: mean(&after),
            comparison: paired_bootstrap(&before, &after, N_RESAMPLES, SEED).unwrap_or(nothing),
        })
    }
}
