//! Vectors of the model that reads passages again, made ahead of questions: those that questions lacked first, then
//! those of the most linked notes. What is made is committed step by step; nothing is made twice.

use std::collections::VecDeque;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::vectors::passages;
use crate::embed::{EmbedError, Embedder, PassageKey, Reranker};
use crate::error::Result;
use crate::store::{ChunkId, Place, Store, StoreWriter};

/// Passages whose vectors are committed together: a commit has every reader open the index again.
const STEP_PASSAGES: usize = 64;
/// Passages that vectors are made of between two questions whether to go on.
const PART_PASSAGES: usize = 8;
/// Passages whose vectors are looked for at once.
const LOOKED_UP: usize = 1_024;
/// How often notes may change while vectors are made, before whoever asked for them is to ask again.
const ROUNDS_MAX: usize = 8;
/// The fact of an index that tells how far the vectors are, and of which model.
const FACT: &str = "reread";

/// How far the vectors of an index are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Passages of the index.
    pub n_passages: usize,
    /// Those that have a vector.
    pub n_covered: usize,
    /// Vectors of texts that are gone, or of another model, which were removed.
    pub n_removed: usize,
    /// Why the model could not go on.
    pub trouble: Option<String>,
}

impl Coverage {
    /// Whether no vector is missing.
    pub fn is_complete(&self) -> bool {
        self.n_covered >= self.n_passages
    }
}

/// Who fills an index with vectors, and for how long.
pub struct FillContext<'a> {
    /// Where the index is kept.
    pub store: &'a Place,
    /// The model that reads again.
    pub embedder: &'a dyn Embedder,
    /// Returns the seconds since 1970.
    pub now: fn() -> i64,
    /// How long to wait for another writer.
    pub patience: Duration,
    /// Is told how many passages are covered, and of how many.
    pub progress: &'a dyn Fn(usize, usize),
    /// Is asked every few passages; where it says no, the work ends with what is done so far. It may wait.
    pub goes_on: &'a dyn Fn() -> bool,
    /// Knows which vectors questions made, and which they lacked.
    pub asked: Option<&'a dyn Reranker>,
}

/// Tells how many passages of an index have a vector of a model, by looking at all of them.
pub fn coverage(store: &Store, embedder: &dyn Embedder) -> Result<Coverage> {
    let round = Round::look(store, embedder)?;
    Ok(Coverage {
        n_passages: round.n_passages,
        n_covered: round.n_passages - round.wanted.len(),
        ..Coverage::default()
    })
}

/// Tells how far the vectors of a model were when somebody last made some; cheap.
pub fn told_coverage(store: &Store, revision: &str) -> Result<Option<Coverage>> {
    let meta = store.meta()?;
    let told = meta.fact(FACT).and_then(|fact| {
        let mut words = fact.split(' ');
        let is_same = words.next()? == revision;
        let mut number = || words.next()?.parse().ok();
        let (n_covered, n_passages) = (number()?, number()?);
        is_same.then_some(Coverage {
            n_passages,
            n_covered,
            ..Coverage::default()
        })
    });
    Ok(told)
}

/// Makes the vectors that an index lacks. The one writer is asked for only to write: others may update the
/// index meanwhile. Vectors of another model, and of texts that are gone, stay until none is missing.
pub fn fill(cx: &FillContext<'_>) -> Result<Coverage> {
    let mut coverage = Coverage::default();
    for _ in 0..ROUNDS_MAX {
        keep_asked(cx)?;
        let mut round = Round::look(&cx.store.read()?, cx.embedder)?;
        coverage.n_passages = round.n_passages;
        coverage.n_covered = round.n_passages - round.wanted.len();
        (cx.progress)(coverage.n_covered, coverage.n_passages);
        if round.wanted.is_empty() {
            coverage.n_removed = write(cx, |writer| {
                tell(writer, cx.embedder, &coverage)?;
                writer.keep_text_vectors(&round.used)
            })?;
            return Ok(coverage);
        }
        if !round.run(cx, &mut coverage)? {
            break;
        }
    }
    Ok(coverage)
}

/// Writes down what questions made, if they made anything.
pub fn keep_asked(cx: &FillContext<'_>) -> Result<()> {
    keep_made(cx, &[], None)
}

/// The passages of one state of an index.
struct Round {
    n_passages: usize,
    /// Those without a vector, those of the most linked notes first.
    wanted: Vec<(ChunkId, PassageKey)>,
    /// The keys of all.
    used: FxHashSet<PassageKey>,
}

impl Round {
    fn look(store: &Store, embedder: &dyn Embedder) -> Result<Self> {
        let chunks = store.chunk_ids()?;
        let mut used = FxHashSet::default();
        let mut wanted = Vec::new();
        for some in chunks.chunks(LOOKED_UP) {
            let keys: Vec<PassageKey> = (passages(store, some)?.iter())
                .map(|(_, text)| PassageKey::of(embedder.id(), text))
                .collect();
            used.extend(keys.iter().copied());
            let missing = store.lacks_text_vectors(&keys)?;
            for ((&chunk, key), _) in (some.iter().zip(keys).zip(missing)).filter(|(_, is)| *is) {
                let note = store.note(store.chunk(chunk)?.note)?;
                wanted.push((std::cmp::Reverse(note.n_neighbours), chunk, key));
            }
        }
        wanted.sort_unstable();
        Ok(Self {
            n_passages: chunks.len(),
            wanted: wanted.into_iter().map(|(_, id, key)| (id, key)).collect(),
            used,
        })
    }

    /// Makes what is missing; returns whether to look again.
    fn run(&mut self, cx: &FillContext<'_>, coverage: &mut Coverage) -> Result<bool> {
        let mut queue = Queue::new(&self.wanted);
        loop {
            let step = queue.step(cx.asked);
            if step.is_empty() {
                return Ok(true);
            }
            let Some(texts) = texts(cx, &step)? else {
                return Ok(true);
            };
            let (vectors, end) = made(cx, &texts);
            coverage.n_covered += vectors.len();
            keep_made(cx, &vectors, Some(coverage))?;
            (cx.progress)(coverage.n_covered, coverage.n_passages);
            match end {
                End::Done => {}
                End::Stopped => return Ok(false),
                End::Trouble(error) => {
                    coverage.trouble = Some(error.to_string());
                    return Ok(false);
                }
            }
        }
    }
}

/// Which passages come next.
struct Queue<'a> {
    wanted: &'a [(ChunkId, PassageKey)],
    places: FxHashMap<PassageKey, usize>,
    is_taken: Vec<bool>,
    /// Those that questions lacked.
    first: VecDeque<usize>,
    next: usize,
}

impl<'a> Queue<'a> {
    fn new(wanted: &'a [(ChunkId, PassageKey)]) -> Self {
        Self {
            wanted,
            places: (wanted.iter().enumerate())
                .map(|(place, (_, key))| (*key, place))
                .collect(),
            is_taken: vec![false; wanted.len()],
            first: VecDeque::new(),
            next: 0,
        }
    }

    /// Takes the next few.
    fn step(&mut self, asked: Option<&dyn Reranker>) -> Vec<(ChunkId, PassageKey)> {
        let missed = asked.map(Reranker::take_missed).unwrap_or_default();
        (self.first).extend(
            missed
                .iter()
                .filter_map(|key| self.places.get(key).copied()),
        );
        let mut step = Vec::new();
        while step.len() < STEP_PASSAGES {
            let place = match self.first.pop_front() {
                Some(place) => place,
                None if self.next < self.wanted.len() => {
                    self.next += 1;
                    self.next - 1
                }
                None => break,
            };
            if !std::mem::replace(&mut self.is_taken[place], true) {
                step.push(self.wanted[place]);
            }
        }
        step
    }
}

/// Reads the texts of some passages; `None` where the notes have changed since they were listed.
fn texts(
    cx: &FillContext<'_>,
    step: &[(ChunkId, PassageKey)],
) -> Result<Option<Vec<(PassageKey, String)>>> {
    let store = cx.store.read()?;
    let there: FxHashSet<ChunkId> = store.chunk_ids()?.into_iter().collect();
    if !step.iter().all(|(chunk, _)| there.contains(chunk)) {
        return Ok(None);
    }
    let chunks: Vec<ChunkId> = step.iter().map(|(chunk, _)| *chunk).collect();
    let texts = passages(&store, &chunks)?.into_iter().zip(step);
    let same = |((_, text), (_, key)): ((String, String), &(ChunkId, PassageKey))| {
        (PassageKey::of(cx.embedder.id(), &text) == *key).then_some((*key, text))
    };
    Ok(texts.map(same).collect())
}

/// Why no more vectors were made.
enum End {
    Done,
    Stopped,
    Trouble(EmbedError),
}

/// Vectors by what they were made of.
type Made = Vec<(PassageKey, Vec<f32>)>;

/// Makes the vectors of some passages, as far as it may.
fn made(cx: &FillContext<'_>, texts: &[(PassageKey, String)]) -> (Made, End) {
    let mut all = Vec::new();
    for part in texts.chunks(PART_PASSAGES) {
        if !(cx.goes_on)() {
            return (all, End::Stopped);
        }
        let read: Vec<&str> = part.iter().map(|(_, text)| text.as_str()).collect();
        let mut rows = Vec::new();
        if let Err(error) = cx.embedder.embed_passages(&read, &mut rows) {
            return (all, End::Trouble(error));
        }
        let rows = rows.chunks(cx.embedder.id().dimensions.max(1));
        all.extend((part.iter().zip(rows)).map(|((key, _), row)| (*key, row.to_vec())));
    }
    (all, End::Done)
}

/// Writes down vectors, those that questions made with them.
fn keep_made(
    cx: &FillContext<'_>,
    vectors: &[(PassageKey, Vec<f32>)],
    coverage: Option<&Coverage>,
) -> Result<()> {
    let asked = cx.asked.map(Reranker::take_made).unwrap_or_default();
    if vectors.is_empty() && asked.is_empty() {
        return Ok(());
    }
    write(cx, |writer| {
        writer.put_text_vectors(vectors)?;
        writer.put_text_vectors(&asked)?;
        coverage.map_or(Ok(()), |coverage| tell(writer, cx.embedder, coverage))
    })
}

/// Notes down how far the vectors are, for those who ask.
fn tell(writer: &mut StoreWriter, embedder: &dyn Embedder, coverage: &Coverage) -> Result<()> {
    let Coverage {
        n_covered,
        n_passages,
        ..
    } = coverage;
    let revision = &embedder.id().revision;
    writer.set_fact(FACT, Some(&format!("{revision} {n_covered} {n_passages}")))
}

fn write<T>(cx: &FillContext<'_>, change: impl FnOnce(&mut StoreWriter) -> Result<T>) -> Result<T> {
    let mut writer = cx.store.write(cx.patience)?;
    let changed = change(&mut writer)?;
    writer.commit((cx.now)())?;
    writer.close()?;
    Ok(changed)
}
