//! Reads the best passages of a search again: by their vectors, or together with the question.
//!
//! Vectors come from the index, from questions before, or are made now, as long as there is time.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kenning::embed::{EmbedError, Embedder, ModelId, PassageKey, ReadPassage, Reranker};

use crate::cross::CrossEncoder;
use crate::embedder::Transformer;

/// Begins to count the time of a question; what it returns tells whether there is time for more.
pub type Patience = dyn Fn() -> Box<dyn Fn() -> bool> + Send + Sync;

/// Passages that vectors are made of between two looks at the clock.
const STEP_PASSAGES: usize = 2;
/// Vectors that are remembered at most until somebody writes them down: 384 dimensions are 30 MB.
const MADE_MAX: usize = 20_000;

/// A model that is read when it is first needed: most questions of a new index need none.
struct Lazy<T> {
    id: ModelId,
    folder: PathBuf,
    open: fn(&Path) -> Result<T, EmbedError>,
    loaded: Mutex<Option<Arc<T>>>,
}

impl<T> Lazy<T> {
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

/// How a model reads again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RerankOptions {
    /// Its share in the score of a passage, 0 to 1.
    pub share: f32,
    /// The best passages that it is asked about.
    pub n_passages: usize,
}

/// Reads again by vectors.
pub struct VectorReranker {
    model: Lazy<Transformer>,
    options: RerankOptions,
    patience: Box<Patience>,
    made: Mutex<HashMap<PassageKey, Vec<f32>>>,
}

impl VectorReranker {
    /// Uses the model of a folder, which is known to be this one. It makes missing vectors as long as there is
    /// time.
    pub fn new(
        id: ModelId,
        folder: PathBuf,
        options: RerankOptions,
        patience: Box<Patience>,
    ) -> Self {
        let open: fn(&Path) -> _ = Transformer::open;
        Self {
            model: Lazy {
                id,
                folder,
                open,
                loaded: Mutex::default(),
            },
            options,
            patience,
            made: Mutex::default(),
        }
    }

    /// Returns the vectors that were made since the last time, to be written down.
    pub fn take_made(&self) -> Vec<(PassageKey, Vec<f32>)> {
        std::mem::take(&mut *self.made()).into_iter().collect()
    }

    fn made(&self) -> MutexGuard<'_, HashMap<PassageKey, Vec<f32>>> {
        locked(&self.made)
    }

    /// Makes what is missing, the best passages first.
    fn make(
        &self,
        passages: &[ReadPassage],
        vectors: &mut [Option<Vec<f32>>],
    ) -> Result<(), EmbedError> {
        let has_time = (self.patience)();
        let missing: Vec<usize> = (0..vectors.len())
            .filter(|&place| vectors[place].is_none())
            .collect();
        for step in missing.chunks(STEP_PASSAGES) {
            if !has_time() {
                break;
            }
            let texts: Vec<&str> = step
                .iter()
                .map(|&place| passages[place].text.as_str())
                .collect();
            let mut rows = Vec::new();
            let model = self.model.get()?;
            model.embed_passages(&texts, &mut rows)?;
            for (&place, row) in step.iter().zip(rows.chunks(model.id().dimensions)) {
                vectors[place] = Some(row.to_vec());
                let mut made = self.made();
                if made.len() < MADE_MAX {
                    made.insert(passages[place].key, row.to_vec());
                }
            }
        }
        Ok(())
    }
}

impl Reranker for VectorReranker {
    fn id(&self) -> &ModelId {
        &self.model.id
    }

    fn share(&self) -> f32 {
        self.options.share
    }

    fn n_passages(&self) -> usize {
        self.options.n_passages
    }

    fn uses_vectors(&self) -> bool {
        true
    }

    fn judge(
        &self,
        question: &str,
        passages: &[ReadPassage],
    ) -> Result<Vec<Option<f32>>, EmbedError> {
        let mut vectors: Vec<Option<Vec<f32>>> = {
            let made = self.made();
            let known = |passage: &ReadPassage| {
                let vector = passage.vector.clone();
                vector.or_else(|| made.get(&passage.key).cloned())
            };
            passages.iter().map(known).collect()
        };
        self.make(passages, &mut vectors)?;
        if vectors.iter().all(Option::is_none) {
            return Ok(vec![None; passages.len()]);
        }
        let asked = self.model.get()?.embed_query(question)?;
        let cosine = |vector: Option<Vec<f32>>| {
            let vector = vector.filter(|vector| vector.len() == asked.len())?;
            Some(vector.iter().zip(&asked).map(|(a, b)| a * b).sum())
        };
        Ok(vectors.into_iter().map(cosine).collect())
    }
}

/// Reads again by a cross-encoder, which has no vectors that could be kept.
pub struct CrossReranker {
    model: Lazy<CrossEncoder>,
    options: RerankOptions,
    patience: Box<Patience>,
}

impl CrossReranker {
    /// Uses the model of a folder, which is known to be this one, for as long as there is time.
    pub fn new(
        id: ModelId,
        folder: PathBuf,
        options: RerankOptions,
        patience: Box<Patience>,
    ) -> Self {
        let open: fn(&Path) -> _ = CrossEncoder::open;
        Self {
            model: Lazy {
                id,
                folder,
                open,
                loaded: Mutex::default(),
            },
            options,
            patience,
        }
    }
}

impl Reranker for CrossReranker {
    fn id(&self) -> &ModelId {
        &self.model.id
    }

    fn share(&self) -> f32 {
        self.options.share
    }

    fn n_passages(&self) -> usize {
        self.options.n_passages
    }

    fn uses_vectors(&self) -> bool {
        false
    }

    fn judge(
        &self,
        question: &str,
        passages: &[ReadPassage],
    ) -> Result<Vec<Option<f32>>, EmbedError> {
        let has_time = (self.patience)();
        let mut judgements = vec![None; passages.len()];
        for (step, some) in passages.chunks(STEP_PASSAGES).enumerate() {
            if !has_time() {
                break;
            }
            let texts: Vec<&str> = some.iter().map(|passage| passage.text.as_str()).collect();
            let scores = self.model.get()?.scores(question, &texts)?;
            for (place, score) in scores.into_iter().enumerate() {
                judgements[step * STEP_PASSAGES + place] = Some(score);
            }
        }
        Ok(judgements)
    }
}
