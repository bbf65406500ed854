//! Reads the best passages of a search again: by their vectors, or together with the question.
//!
//! Vectors come from the index, from questions before, or are made now, as long as there is time. Passages that there
//! was no time for are remembered: whoever makes vectors ahead begins with them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kenning::embed::{EmbedError, Embedder, ModelId, PassageKey, ReadPassage, Reranker};

use crate::cross::CrossEncoder;
use crate::embedder::{Beside, Transformer};

/// Begins to count the time of a question.
pub type Patience = dyn Fn() -> Watch + Send + Sync;

/// The time of one question.
pub struct Watch {
    /// How long reading may take; as long as it takes where there is none.
    pub deadline: Option<Duration>,
    /// Returns how long the question has taken so far.
    pub elapsed: Box<dyn Fn() -> Duration>,
}

/// What is left, with each question that had too little time, of how slow reading is thought to be: what was slow
/// while the machine was busy is tried again one day.
const PACE_KEPT: f64 = 0.98;
/// Vectors that are remembered at most until somebody writes them down: 384 dimensions are 30 MB.
const MADE_MAX: usize = 20_000;
/// Passages without a vector that are remembered at most.
const MISSED_MAX: usize = 20_000;

/// Passages by which it is told how well a model knows their language.
const KNOWN_BY: usize = 5;
/// Letters that a piece has on average in a language that a model does not know, and in one that it does. Where words
/// fall into crumbs, it never learnt what they mean. Of bge-small, German passages have 2.4 to 2.9, English ones 4.0 to
/// 4.9 (docs/benchmarks.md).
const LETTERS_STRANGE: f32 = 2.2;
const LETTERS_FAMILIAR: f32 = 3.4;

/// How a model reads again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RerankOptions {
    /// Its share in the score of a passage, 0 to 1.
    pub share: f32,
    /// The best passages that it is asked about.
    pub n_passages: usize,
}

/// A transformer that reads again.
pub struct TransformerReranker {
    id: ModelId,
    reads: Reads,
    options: RerankOptions,
    patience: Box<Patience>,
    /// Seconds that a byte of a passage took so far.
    pace: Mutex<Option<f64>>,
}

/// What it goes by.
enum Reads {
    /// Vectors of passages, which can be kept.
    Vectors {
        model: Lazy<Transformer>,
        made: Mutex<HashMap<PassageKey, Vec<f32>>>,
        missed: Mutex<HashMap<PassageKey, u32>>,
    },
    /// Question and passage together: there is nothing that could be kept.
    Pairs(Lazy<CrossEncoder>),
}

impl TransformerReranker {
    /// Uses the model of a folder, which is known to be this one. It makes missing vectors as long as there is
    /// time.
    pub fn by_vectors(
        id: ModelId,
        folder: PathBuf,
        options: RerankOptions,
        patience: Box<Patience>,
    ) -> Self {
        let reads = Reads::Vectors {
            model: Lazy::new(folder, Transformer::open),
            made: Mutex::default(),
            missed: Mutex::default(),
        };
        Self {
            id,
            reads,
            options,
            patience,
            pace: Mutex::default(),
        }
    }

    /// Uses the cross-encoder of a folder, which is known to be this one, for as long as there is time.
    pub fn by_pairs(
        id: ModelId,
        folder: PathBuf,
        options: RerankOptions,
        patience: Box<Patience>,
    ) -> Self {
        Self {
            id,
            reads: Reads::Pairs(Lazy::new(folder, CrossEncoder::open)),
            options,
            patience,
            pace: Mutex::default(),
        }
    }

    /// Returns how many letters of a text a piece has, if the model is there and the text has any.
    fn letters_a_piece(&self, text: &str) -> Option<f32> {
        match &self.reads {
            Reads::Vectors { model, .. } => model.get().ok()?.letters_a_piece(text),
            Reads::Pairs(model) => model.get().ok()?.letters_a_piece(text),
        }
    }

    /// Reads what is still to be read, the best passages first, as long as there is time. A passage that would take
    /// longer than is left is passed over.
    fn read_some<T>(
        &self,
        passages: &[ReadPassage],
        found: &mut [Option<T>],
        read: impl Fn(&str) -> Result<T, EmbedError>,
    ) -> Result<(), EmbedError> {
        let watch = (self.patience)();
        let mut is_hurried = false;
        for (passage, found) in passages.iter().zip(found) {
            if found.is_some() {
                continue;
            }
            let n_bytes = passage.text.len();
            let started = (watch.elapsed)();
            let left = watch
                .deadline
                .map(|deadline| deadline.saturating_sub(started));
            if left == Some(Duration::ZERO) {
                break;
            }
            if left.is_some_and(|left| self.takes(n_bytes) > left.as_secs_f64()) {
                is_hurried = true;
                continue;
            }
            *found = Some(read(&passage.text)?);
            self.learn_pace(n_bytes, (watch.elapsed)().saturating_sub(started));
        }
        if is_hurried {
            let mut pace = locked(&self.pace);
            *pace = pace.map(|pace| pace * PACE_KEPT);
        }
        Ok(())
    }

    /// Returns how many seconds reading will take; nothing as long as nobody knows.
    fn takes(&self, n_bytes: usize) -> f64 {
        locked(&self.pace).unwrap_or(0.0) * n_bytes as f64
    }

    /// The latest counts as much as all before.
    fn learn_pace(&self, n_bytes: usize, taken: Duration) {
        let latest = taken.as_secs_f64() / n_bytes.max(1) as f64;
        let mut pace = locked(&self.pace);
        *pace = Some(pace.map_or(latest, |before| (before + latest) / 2.0));
    }
}

impl Reranker for TransformerReranker {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn share(&self, passages: &[ReadPassage]) -> f32 {
        let some = passages.iter().take(KNOWN_BY);
        let read: Vec<f32> = some
            .filter_map(|passage| self.letters_a_piece(&passage.text))
            .collect();
        let mean = read.iter().sum::<f32>() / read.len().max(1) as f32;
        match read.is_empty() {
            true => self.options.share,
            false => self.options.share * familiarity(mean),
        }
    }

    fn n_passages(&self) -> usize {
        self.options.n_passages
    }

    fn uses_vectors(&self) -> bool {
        matches!(self.reads, Reads::Vectors { .. })
    }

    fn judge(
        &self,
        question: &str,
        passages: &[ReadPassage],
    ) -> Result<Vec<Option<f32>>, EmbedError> {
        let (model, made, missed) = match &self.reads {
            Reads::Pairs(model) => {
                let mut judgements = vec![None; passages.len()];
                let read = |text: &str| model.get()?.score(question, text);
                self.read_some(passages, &mut judgements, read)?;
                return Ok(judgements);
            }
            Reads::Vectors {
                model,
                made,
                missed,
            } => (model, made, missed),
        };
        let mut vectors = known(&locked(made), passages);
        let was_known: Vec<bool> = vectors.iter().map(Option::is_some).collect();
        self.read_some(passages, &mut vectors, |text| model.get()?.passage(text))?;
        for ((passage, vector), was_known) in passages.iter().zip(&vectors).zip(was_known) {
            match vector {
                Some(vector) if !was_known => keep(made, passage.key, vector),
                Some(_) => {}
                None => miss(missed, passage.key),
            }
        }
        if vectors.iter().all(Option::is_none) {
            return Ok(vec![None; passages.len()]);
        }
        let asked = model.get()?.embed_query(question)?;
        let cosine = |vector: Option<Vec<f32>>| {
            let vector = vector.filter(|vector| vector.len() == asked.len())?;
            Some(vector.iter().zip(&asked).map(|(a, b)| a * b).sum())
        };
        Ok(vectors.into_iter().map(cosine).collect())
    }

    fn maker(&self) -> Option<Result<Arc<dyn Embedder>, EmbedError>> {
        match &self.reads {
            Reads::Vectors { model, .. } => {
                let beside = |model| Arc::new(Beside::new(model)) as Arc<dyn Embedder>;
                Some(model.get().map(beside))
            }
            Reads::Pairs(_) => None,
        }
    }

    fn take_made(&self) -> Vec<(PassageKey, Vec<f32>)> {
        match &self.reads {
            Reads::Vectors { made, .. } => std::mem::take(&mut *locked(made)).into_iter().collect(),
            Reads::Pairs(_) => Vec::new(),
        }
    }

    fn take_missed(&self) -> Vec<PassageKey> {
        let Reads::Vectors { missed, .. } = &self.reads else {
            return Vec::new();
        };
        let mut missed: Vec<(PassageKey, u32)> =
            std::mem::take(&mut *locked(missed)).into_iter().collect();
        missed.sort_unstable_by_key(|&(key, n)| (std::cmp::Reverse(n), key));
        missed.into_iter().map(|(key, _)| key).collect()
    }
}

/// Returns how well a model knows a language, 0 to 1.
fn familiarity(letters_a_piece: f32) -> f32 {
    let above = (letters_a_piece - LETTERS_STRANGE) / (LETTERS_FAMILIAR - LETTERS_STRANGE);
    above.clamp(0.0, 1.0)
}

/// Returns the vectors that the index has, or that were made for questions before.
fn known(made: &HashMap<PassageKey, Vec<f32>>, passages: &[ReadPassage]) -> Vec<Option<Vec<f32>>> {
    let known = |passage: &ReadPassage| {
        let vector = passage.vector.clone();
        vector.or_else(|| made.get(&passage.key).cloned())
    };
    passages.iter().map(known).collect()
}

fn keep(made: &Mutex<HashMap<PassageKey, Vec<f32>>>, key: PassageKey, vector: &[f32]) {
    let mut made = locked(made);
    if made.len() < MADE_MAX {
        made.insert(key, vector.to_vec());
    }
}

fn miss(missed: &Mutex<HashMap<PassageKey, u32>>, key: PassageKey) {
    let mut missed = locked(missed);
    if missed.len() < MISSED_MAX || missed.contains_key(&key) {
        *missed.entry(key).or_default() += 1;
    }
}

/// A model that is read when it is first needed: most questions of a new index need none.
struct Lazy<T> {
    folder: PathBuf,
    open: fn(&Path) -> Result<T, EmbedError>,
    loaded: Mutex<Option<Arc<T>>>,
}

impl<T> Lazy<T> {
    fn new(folder: PathBuf, open: fn(&Path) -> Result<T, EmbedError>) -> Self {
        Self {
            folder,
            open,
            loaded: Mutex::default(),
        }
    }

    fn get(&self) -> Result<Arc<T>, EmbedError> {
        let mut loaded = locked(&self.loaded);
        if let Some(model) = &*loaded {
            return Ok(Arc::clone(model));
        }
        let model = Arc::new((self.open)(&self.folder)?);
        *loaded = Some(Arc::clone(&model));
        Ok(model)
    }
}

/// A panic elsewhere does not spoil what is behind the lock: it is whole between two statements.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
