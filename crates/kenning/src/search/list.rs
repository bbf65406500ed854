//! From the order to a list: few passages of a note, as many as are wanted.
//!
//! The order never depends on how long the list is, so that a short list is the beginning of a long
//! one. It goes on below the passages that were looked at for as long as somebody wants more.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::fuse::{self, Candidate};
use super::rank::{self, Ranked, Rows, by_score_and_place};
use super::retrieve::{self, Net};
use super::signals::SignalId;
use super::{SearchOptions, Tuning, tuning};
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
pub(super) fn usual(looked: &[Ranked]) -> Vec<usize> {
    let mut per_note = PerNote::new(USUAL_PER_NOTE);
    (0..looked.len())
        .filter(|&place| per_note.has_room(looked[place].note.id))
        .collect()
}

/// Hits that a list has in any case.
const FIRST_FEW: usize = 3;

/// Where the notes answer well, what holds none of the telling words and is not near in meaning only
/// fills the list.
pub(super) fn drop_idle(looked: &mut Vec<Ranked>) {
    let mut place = 0;
    looked.retain(|ranked| {
        place += 1;
        place <= FIRST_FEW || !is_idle(ranked)
    });
}

fn is_idle(ranked: &Ranked) -> bool {
    let candidate = &ranked.candidate;
    // What its note says elsewhere is not said here.
    let (_, of_passage) = candidate.lexical_parts;
    let is_beside = candidate.beside.named | candidate.beside.partly != 0;
    let is_said = of_passage > 0.0 || is_beside || candidate.cosine.is_none();
    let is_told = candidate.look.map_or(is_said, |look| {
        look.is_telling || look.signals.get(SignalId::Compound) >= tuning::COMPOUND_TELLING
    });
    ranked.promise.is_none() && !is_told && candidate.meaning < Calibration::NEAR
}

/// Takes what is wanted from the beginning of the order.
pub(super) fn take(
    looked: Vec<Ranked>,
    mut further: Further<'_>,
    is_wanted: impl Fn(&Ranked) -> bool,
    options: &SearchOptions,
) -> Result<Vec<Ranked>> {
    let is_listing = further.net.is_listing;
    let mut per_note = PerNote::new(options.per_note);
    let mut taken: FxHashSet<ChunkId> = FxHashSet::default();
    let mut prints: FxHashSet<i64> = FxHashSet::default();
    let mut list = Vec::with_capacity(looked.len());
    further.most = (looked.iter()).fold(1.0, |most, ranked| ranked.candidate.score.min(most));
    let mut looked = looked.into_iter();
    while list.len() < options.limit {
        let next = match looked.next() {
            Some(next) => next,
            None => match further.next()? {
                Some(next) if further.drops_idle && is_idle(&next) => continue,
                Some(next) => next,
                None => break,
            },
        };
        // Further down, what was said before is left out without a word.
        let print = next.chunk.prints.whole;
        let is_known = print != 0 && !is_listing && !prints.insert(print) && !next.is_pinned();
        let is_taken = !is_known && is_wanted(&next) && taken.insert(next.chunk.id);
        if is_taken && per_note.has_room(next.note.id) {
            list.push(next);
        }
    }
    Ok(list)
}

/// The order below the passages that were looked at: the other candidates, then those of nets that
/// are cast twice as wide each time. What a wider net brings follows what a narrower one did.
pub(super) struct Further<'a> {
    net: Net<'a>,
    tuning: &'a Tuning,
    n_wanted: usize,
    is_all: bool,
    fused: Vec<Candidate>,
    places: VecDeque<usize>,
    seen: FxHashSet<ChunkId>,
    /// Candidates of one score, by path and line.
    equal: VecDeque<Ranked>,
    /// What the last one scored; nobody below scores more.
    most: f32,
    /// Whether what only fills the list is left out.
    pub(super) drops_idle: bool,
}

impl<'a> Further<'a> {
    /// Goes on where those that were looked at end; `tuning` is what they were fused by.
    pub(super) fn new(
        net: Net<'a>,
        tuning: &'a Tuning,
        fused: Vec<Candidate>,
        rest: Vec<usize>,
        is_all: bool,
    ) -> Self {
        Self {
            net,
            tuning,
            n_wanted: tuning.candidates,
            is_all,
            fused,
            places: rest.into(),
            seen: FxHashSet::default(),
            equal: VecDeque::new(),
            most: 1.0,
            drops_idle: false,
        }
    }

    fn next(&mut self) -> Result<Option<Ranked>> {
        if self.equal.is_empty() {
            while self.places.is_empty() && !self.is_all {
                self.widen()?;
            }
            self.read_equal()?;
        }
        Ok(self.equal.pop_front())
    }

    /// Reads the next candidates of one score.
    fn read_equal(&mut self) -> Result<()> {
        let rows = Rows::new(self.net.cx.store);
        let mut score = None;
        let mut equal = Vec::new();
        while let Some(&place) = self.places.front() {
            let mut candidate = self.fused[place].clone();
            if *score.get_or_insert(candidate.score) != candidate.score {
                break;
            }
            self.places.pop_front();
            candidate.score = unlooked(&candidate, self.tuning, &self.net).min(self.most);
            candidate.most = Some(self.most);
            let chunk = self.net.cx.store.chunk(candidate.chunk)?;
            equal.push(rows.ranked(candidate, chunk)?);
        }
        equal.sort_by(by_score_and_place);
        if let Some(last) = equal.last() {
            self.most = last.candidate.score;
        }
        self.equal.extend(equal);
        Ok(())
    }

    fn widen(&mut self) -> Result<()> {
        self.seen.extend(self.fused.iter().map(|one| one.chunk));
        self.n_wanted *= 2;
        let mut retrieved = retrieve::retrieve(&self.net, self.n_wanted)?;
        self.is_all = retrieved.is_all;
        let candidates = &mut retrieved.candidates;
        candidates.retain(|candidate| !self.seen.contains(&candidate.chunk));
        self.fused = fuse::fuse(retrieved.candidates, self.net.mode, self.tuning);
        self.places = rank::sorted(&self.fused).into();
        Ok(())
    }
}

/// The score of a candidate that was not looked at: as if nothing had been seen.
fn unlooked(candidate: &Candidate, tuning: &Tuning, net: &Net<'_>) -> f32 {
    match rank::is_looked_at(tuning, net.mode) {
        true => candidate.score / (1.0 + tuning.rerank.weights.most()),
        false => candidate.score,
    }
}
