//! From the order to a list: few passages of a note, as many as are wanted.
//!
//! The order never depends on how long the list is, so that a short list is the beginning of a long
//! one. It goes on below the passages that were reranked for as long as somebody wants more.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::fuse::{self, Fused};
use super::ranked::{Ranked, by_score_and_place};
use super::signals::SignalId;
use super::{Ranking, SearchContext, SearchOptions, rank, rerank, retrieve, tuning};
use crate::embed::Calibration;
use crate::error::Result;
use crate::store::{ChunkId, NoteId};

/// What promises and evidence go by, whatever is asked for: the list as it usually is.
pub(super) const USUAL_LENGTH: usize = 10;
/// Passages of one note in the usual list.
const USUAL_PER_NOTE: usize = 2;

/// Counts the passages of each note, so that there are few of any.
struct PerNote {
    most: usize,
    n_taken: FxHashMap<NoteId, usize>,
}

impl PerNote {
    fn new(most: usize) -> Self {
        Self {
            most,
            n_taken: FxHashMap::default(),
        }
    }

    fn has_room(&mut self, note: NoteId) -> bool {
        let n = self.n_taken.entry(note).or_default();
        *n += 1;
        *n <= self.most
    }
}

/// Returns the places of the passages that the usual list may hold, best first.
pub(super) fn usual(best: &[Ranked]) -> Vec<usize> {
    let mut per_note = PerNote::new(USUAL_PER_NOTE);
    (0..best.len())
        .filter(|&place| per_note.has_room(best[place].note.id))
        .collect()
}

/// Hits that a list has in any case.
const FIRST_FEW: usize = 3;

/// What a list goes without.
#[derive(Clone, Copy, Default)]
pub(super) struct Dropped {
    /// What holds none of the words and is hardly nearer in meaning than an unrelated passage.
    pub(super) noise: bool,
    /// What only fills the list.
    pub(super) idle: bool,
}

impl Dropped {
    /// Leaves out what a list goes without. The first few stay, be they idle or not.
    pub(super) fn drop_from(self, best: &mut Vec<Ranked>) {
        best.retain(|ranked| !self.noise || !is_noise(ranked));
        let mut place = 0;
        best.retain(|ranked| {
            place += 1;
            !self.idle || place <= FIRST_FEW || !is_idle(ranked)
        });
    }

    /// What a passage without any of the words has to mean to stay, where that is asked for at all.
    fn meaning_min(self) -> Option<f32> {
        match self {
            Self { idle: true, .. } => Some(Calibration::NEAR),
            Self { noise: true, .. } => Some(tuning::MEANING_WEAK),
            _ => None,
        }
    }
}

/// Whether a passage holds none of the words and is hardly nearer in meaning than an unrelated one:
/// it fills the list, but answers nothing.
fn is_noise(ranked: &Ranked) -> bool {
    let candidate = ranked.candidate();
    let features = ranked.features.as_ref();
    let is_held = features.is_some_and(|features| features.coverage > 0.0);
    let is_worded = candidate.lexical > 0.0 || is_held;
    ranked.promise.is_none() && !is_worded && candidate.meaning < tuning::MEANING_WEAK
}

/// Where the notes answer well, what holds none of the telling words and is not near in meaning only
/// fills the list.
fn is_idle(ranked: &Ranked) -> bool {
    let candidate = ranked.candidate();
    // What its note says elsewhere is not said here.
    let (_, of_passage) = candidate.lexical_parts;
    let is_beside = candidate.beside.named | candidate.beside.partly != 0;
    let is_said = of_passage > 0.0 || is_beside || candidate.cosine.is_none();
    let is_told = ranked.features.map_or(is_said, |features| {
        features.is_telling || features.signals.get(SignalId::Compound) >= tuning::COMPOUND_TELLING
    });
    ranked.promise.is_none() && !is_told && candidate.meaning < Calibration::NEAR
}

/// Takes what is wanted from the beginning of the order.
pub(super) fn take(
    cx: &SearchContext<'_>,
    ranking: &mut Ranking<'_>,
    dropped: Dropped,
    options: &SearchOptions,
) -> Result<Vec<Ranked>> {
    let best = std::mem::take(&mut ranking.best);
    let is_listing = ranking.plan.is_listing;
    let mut further = Further::new(cx, ranking, &best);
    // Of a note, words find only so many passages: where more are wanted, others may hold words as well.
    if options.per_note <= further.cx.tuning.candidates_per_note {
        further.meaning_min = dropped.meaning_min();
    }
    let mut per_note = PerNote::new(options.per_note);
    let mut taken: FxHashSet<ChunkId> = FxHashSet::default();
    let mut prints: FxHashSet<i64> = FxHashSet::default();
    let mut list = Vec::with_capacity(best.len());
    let mut best = best.into_iter();
    while list.len() < options.limit {
        let next = match best.next() {
            Some(next) => next,
            None => match further.next()? {
                Some(next) if dropped.idle && is_idle(&next) => continue,
                Some(next) => next,
                None => break,
            },
        };
        // Further down, what was said before is left out without a word.
        let print = next.chunk.prints.whole;
        let is_known = print != 0 && !is_listing && !prints.insert(print) && !next.is_pinned();
        let is_wanted = !dropped.noise || !is_noise(&next);
        let is_taken = !is_known && is_wanted && taken.insert(next.chunk.id);
        if is_taken && per_note.has_room(next.note.id) {
            list.push(next);
        }
    }
    Ok(list)
}

/// The order below the passages that were reranked: the other candidates, then those of retrievals
/// that ask for twice as many each time. What a later retrieval brings follows what an earlier one did.
struct Further<'r, 'a> {
    cx: SearchContext<'r>,
    ranking: &'r Ranking<'a>,
    n_wanted: usize,
    is_all: bool,
    fused: Vec<Fused>,
    order: VecDeque<usize>,
    seen: FxHashSet<ChunkId>,
    /// Candidates of one score, by path and line.
    equal: VecDeque<Ranked>,
    /// What the last one scored; nobody below scores more.
    most: f32,
    /// Whoever holds none of the words and means less is dropped anyway, so that nobody looks for them.
    meaning_min: Option<f32>,
}

impl<'r, 'a> Further<'r, 'a> {
    /// Goes on where the best end.
    fn new(cx: &SearchContext<'r>, ranking: &'r mut Ranking<'a>, best: &[Ranked]) -> Self {
        let fused = std::mem::take(&mut ranking.rest.fused);
        let order = std::mem::take(&mut ranking.rest.order);
        let ranking = &*ranking;
        Self {
            cx: ranking.plan.context(cx),
            n_wanted: ranking.plan.tuning.candidates,
            is_all: ranking.is_all,
            ranking,
            fused,
            order: order.into(),
            seen: FxHashSet::default(),
            equal: VecDeque::new(),
            most: best.iter().fold(1.0, |most, ranked| ranked.score.min(most)),
            meaning_min: None,
        }
    }

    fn next(&mut self) -> Result<Option<Ranked>> {
        if self.equal.is_empty() {
            while self.order.is_empty() && !self.is_all {
                self.widen()?;
            }
            self.read_equal()?;
        }
        Ok(self.equal.pop_front())
    }

    /// Reads the next candidates of one score.
    fn read_equal(&mut self) -> Result<()> {
        let store = self.cx.store;
        let mut score = None;
        let mut equal = Vec::new();
        while let Some(&index) = self.order.front() {
            let fused = self.fused[index].clone();
            if *score.get_or_insert(fused.score()) != fused.score() {
                break;
            }
            self.order.pop_front();
            let chunk = store.chunk(fused.candidate.chunk)?;
            let mut ranked = Ranked::open(store, fused, chunk)?;
            let mode = self.ranking.plan.mode;
            let unseen = rerank::unseen_score(ranked.score, self.cx.tuning, mode);
            ranked.score = unseen.min(self.most);
            ranked.most = Some(self.most);
            equal.push(ranked);
        }
        equal.sort_by(by_score_and_place);
        if let Some(last) = equal.last() {
            self.most = last.score;
        }
        self.equal.extend(equal);
        Ok(())
    }

    fn widen(&mut self) -> Result<()> {
        let plan = &self.ranking.plan;
        let seen = self.fused.iter().map(|fused| fused.candidate.chunk);
        self.seen.extend(seen);
        self.n_wanted *= 2;
        let query = &self.ranking.query;
        let mut retrieved = retrieve::retrieve(&self.cx, plan, query, self.n_wanted)?;
        let is_dropped = |meaning: f32| self.meaning_min.is_some_and(|least| meaning < least);
        self.is_all = retrieved.is_all || retrieved.unseen_meaning.is_some_and(is_dropped);
        let candidates = &mut retrieved.candidates;
        candidates.retain(|candidate| !self.seen.contains(&candidate.chunk));
        self.fused = fuse::fuse(retrieved.candidates, plan.mode, plan.fusion());
        self.order = rank::sorted(&self.fused).into();
        Ok(())
    }
}
