//! Text to vectors by a provider: the engine's `Embedder` over the network.
//!
//! The engine asks and waits on threads of its own. The requests run beside them, a few at a time, in
//! batches. A batch that fails is tried again, and if that does not help, the error says why; the others go
//! on. Nothing is left out silently.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use kenning::embed::{EmbedError, Embedder, MadeFn, ModelId};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::chat::Remote;
use super::error::{ModelError, Trouble};
use super::retry::Patience;
use super::{remote, window};
use crate::settings::Embedding;

/// Requests that are under way at once.
const N_AT_ONCE: usize = 5;
/// Texts of one request, as long as the server can keep up.
const BATCH_TEXTS: usize = 32;
/// How often a text that is still too long is cut again, by a quarter each time.
const N_CUTS: u32 = 6;
/// The longest wait for the vector of a question: a model may have to be loaded first, and words can be
/// searched without.
const QUERY_MAX: Duration = Duration::from_secs(30);
/// A text that every model knows something of.
const PROBE: &str = "a cat sat on the mat";
/// Bump it when what is sent for the same text changes: vectors are then made anew.
const REVISION: u32 = 1;

/// Work that nobody waits for but the progress bar.
const INDEXING: Patience = Patience {
    n_retries: 5,
    pause: Duration::from_millis(300),
    pause_max: Duration::from_secs(60),
};
/// Somebody waits for the answer, and words can be searched without the vector.
const ASKING: Patience = Patience {
    n_retries: 1,
    pause: Duration::from_millis(100),
    pause_max: Duration::from_secs(1),
};

/// An embedding model at a provider.
pub(crate) struct RemoteEmbedder {
    id: ModelId,
    asked: Arc<Asked>,
    runtime: Option<Runtime>,
}

/// What the requests need to know.
struct Asked {
    remote: Remote,
    settings: Embedding,
    permits: Semaphore,
    /// How many texts go into one request.
    batch_texts: AtomicUsize,
}

impl RemoteEmbedder {
    /// Sets a model up. Nothing is sent, unless nobody knows how long its rows are.
    pub(crate) fn open(settings: Embedding) -> Result<Self, EmbedError> {
        let unavailable = |error: &ModelError| unavailable(&settings.name, error);
        let mut provider = settings.provider.clone();
        provider.model.clone_from(&settings.model);
        let remote = remote(provider).map_err(|error| unavailable(&error))?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("embed")
            .enable_all()
            .build()
            .map_err(|error| EmbedError::Unavailable {
                model: settings.name.clone(),
                reason: error.to_string(),
                hint: "close some programs".to_owned(),
            })?;
        let mut own = Self {
            id: ModelId {
                dimensions: settings.dimensions.unwrap_or(0),
                ..Self::id_of(&settings)
            },
            asked: Arc::new(Asked {
                remote,
                settings,
                permits: Semaphore::new(N_AT_ONCE),
                batch_texts: AtomicUsize::new(BATCH_TEXTS),
            }),
            runtime: Some(runtime),
        };
        if own.id.dimensions == 0 {
            // A server that is away is missed when vectors are asked for; words do without.
            let row = own.embed(&[PROBE], Side::Passage);
            own.id.dimensions = row.map_or(0, |row| row.len());
        }
        Ok(own)
    }

    /// Returns which model it would be, as far as the settings tell: without its dimensions.
    pub(crate) fn id_of(settings: &Embedding) -> ModelId {
        ModelId {
            name: settings.name.clone(),
            revision: revision(settings),
            dimensions: 0,
        }
    }

    /// Returns the rows of the texts behind each other.
    fn embed(&self, texts: &[&str], side: Side) -> Result<Vec<f32>, EmbedError> {
        let mut rows = vec![Vec::new(); texts.len().div_ceil(BATCH_TEXTS)];
        let mut failure = None;
        self.each(texts, side, &mut |places, batch| {
            match batch {
                Ok(batch) => rows[places.start / BATCH_TEXTS] = batch,
                Err(error) => failure = Some(error),
            }
            failure.is_none()
        });
        failure.map_or_else(|| Ok(rows.concat()), Err)
    }

    /// Hands on the rows of each batch as they come.
    fn each(&self, texts: &[&str], side: Side, made: &mut MadeFn<'_>) {
        let runtime = self
            .runtime
            .as_ref()
            .expect("it is taken when dropped only");
        let (told, heard) = mpsc::channel();
        let mut tasks = Tasks(Vec::new());
        let mut waited_for: Vec<Range<usize>> = Vec::new();
        for (place, batch) in texts.chunks(BATCH_TEXTS).enumerate() {
            let start = place * BATCH_TEXTS;
            waited_for.push(start..start + batch.len());
            let batch: Vec<String> = batch.iter().map(|text| (*text).to_owned()).collect();
            let (asked, told) = (Arc::clone(&self.asked), told.clone());
            let dimensions = self.id.dimensions;
            tasks.0.push(runtime.spawn(async move {
                let rows = asked.rows(&batch, side, dimensions).await;
                // If nobody listens, the others are not wanted any more.
                let _ = told.send((start, rows));
            }));
        }
        drop(told);
        let name = &self.id.name;
        for (start, rows) in heard {
            let Some(place) = waited_for.iter().position(|places| places.start == start) else {
                continue;
            };
            let places = waited_for.swap_remove(place);
            if !made(places, rows.map_err(|error| unavailable(name, &error))) {
                return;
            }
        }
        // A task that panicked says nothing.
        for places in waited_for {
            let lost = EmbedError::Unavailable {
                model: name.clone(),
                reason: "a batch was lost".to_owned(),
                hint: "run it again".to_owned(),
            };
            if !made(places, Err(lost)) {
                return;
            }
        }
    }
}

/// Requests that end when nobody waits for them any more.
struct Tasks(Vec<JoinHandle<()>>);

impl Drop for Tasks {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}

impl Drop for RemoteEmbedder {
    /// A runtime may not wait for its threads where it is dropped by another runtime's.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Embedder for RemoteEmbedder {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn embed_passages(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError> {
        rows.extend(self.embed(texts, Side::Passage)?);
        Ok(())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.embed(&[text], Side::Query)
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn embed_each(&self, texts: &[&str], made: &mut MadeFn<'_>) {
        self.each(texts, Side::Passage, made);
    }
}

/// Which side of a search a text is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Query,
    Passage,
}

impl Asked {
    /// Returns the rows of a batch behind each other. A server that is too slow for so many at once gets
    /// fewer from then on.
    async fn rows(
        &self,
        texts: &[String],
        side: Side,
        dimensions: usize,
    ) -> Result<Vec<f32>, ModelError> {
        let mut rows = Vec::new();
        let mut left = texts;
        while !left.is_empty() {
            let n_texts = left.len().min(self.batch_texts.load(Ordering::Relaxed));
            let (batch, rest) = left.split_at(n_texts.max(1));
            match self.batch(batch, side, dimensions).await {
                Ok(found) => {
                    rows.extend(found);
                    left = rest;
                }
                Err(error) if error.trouble == Trouble::TimedOut && batch.len() > 1 => {
                    self.batch_texts
                        .fetch_min(batch.len() / 2, Ordering::Relaxed);
                }
                Err(error) => return Err(self.remote.explained(error).await),
            }
        }
        Ok(rows)
    }

    /// Asks for the rows of some texts until they come or there is no hope.
    async fn batch(
        &self,
        texts: &[String],
        side: Side,
        dimensions: usize,
    ) -> Result<Vec<f32>, ModelError> {
        let (prefix, patience) = match side {
            Side::Query => (&self.settings.query_prefix, ASKING),
            Side::Passage => (&self.settings.passage_prefix, INDEXING),
        };
        let mut tokens_max = self.settings.window_tokens;
        let (mut n_tries, mut n_cuts) = (0, 0);
        loop {
            let cut = |text: &String| {
                let whole = format!("{prefix}{text}");
                window::cut(&whole, tokens_max).to_owned()
            };
            let sent: Vec<String> = texts.iter().map(cut).collect();
            let error = match self.once(&sent, side, dimensions).await {
                Ok(rows) => return Ok(rows),
                Err(error) => error,
            };
            if error.trouble == Trouble::TooLong && n_cuts < N_CUTS {
                tokens_max -= tokens_max / 4;
                n_cuts += 1;
                continue;
            }
            match patience.pause(&error, n_tries) {
                Some(pause) => sleep(pause).await,
                None => return Err(error),
            }
            n_tries += 1;
        }
    }

    async fn once(
        &self,
        texts: &[String],
        side: Side,
        dimensions: usize,
    ) -> Result<Vec<f32>, ModelError> {
        // Waiting for others is not the server's fault, so the clock starts behind it.
        let _permit = self.permits.acquire().await;
        let Remote { endpoint, wire, .. } = &self.remote;
        let patience = match side {
            Side::Query => endpoint.provider.first_token.min(QUERY_MAX),
            Side::Passage => endpoint.provider.total,
        };
        let deadline = Instant::now() + patience;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let call = wire.embed(&self.settings.model, &texts).ok_or_else(|| {
            ModelError::new(
                Trouble::Settings,
                format!("{} makes no vectors", endpoint.place()),
                "name a provider of the kind ollama or openai",
            )
        })?;
        let reply = endpoint.json(&**wire, &call, deadline).await?;
        let rows = wire
            .rows(reply)
            .ok_or_else(|| endpoint.bad_reply("there are no vectors in the reply"))?;
        check(&rows, texts.len(), dimensions).map_err(|what| endpoint.bad_reply(&what))?;
        Ok(rows.into_iter().flat_map(normalised).collect())
    }
}

/// Rows are as many and as long as they should be, and hold numbers.
fn check(rows: &[Vec<f32>], n_texts: usize, dimensions: usize) -> Result<(), String> {
    if rows.len() != n_texts {
        return Err(format!(
            "{n_texts} texts were sent, and {} vectors came back",
            rows.len()
        ));
    }
    let first = rows.first().map_or(0, Vec::len);
    let wanted = if dimensions == 0 { first } else { dimensions };
    match rows
        .iter()
        .find(|row| row.len() != wanted || row.is_empty())
    {
        Some(row) => {
            return Err(format!(
                "a vector has {} dimensions, not {wanted}",
                row.len()
            ));
        }
        None if rows.iter().flatten().all(|x| x.is_finite()) => {}
        None => return Err("a vector holds something that is not a number".to_owned()),
    }
    Ok(())
}

/// Brings a row to length 1; most servers do so themselves, not all.
fn normalised(mut row: Vec<f32>) -> Vec<f32> {
    let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        row.iter_mut().for_each(|x| *x /= length);
    }
    row
}

fn unavailable(model: &str, error: &ModelError) -> EmbedError {
    EmbedError::Unavailable {
        model: model.to_owned(),
        reason: error.to_string(),
        hint: error.hint().to_owned(),
    }
}

/// A name for how a text becomes a vector: whatever changes that changes the name. Where the server
/// stands does not.
fn revision(settings: &Embedding) -> String {
    let parts = [
        &REVISION.to_string(),
        &settings.model,
        &settings.query_prefix,
        &settings.passage_prefix,
        &settings.window_tokens.to_string(),
    ];
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part.as_bytes()).update(&[0]);
    }
    hasher.finalize().to_hex()[..16].to_owned()
}
