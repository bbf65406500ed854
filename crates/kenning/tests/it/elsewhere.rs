//! A model that runs elsewhere: words answer while it is away, and its vectors come as it makes them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use kenning::embed::{EmbedError, Embedder, HashEmbedder, MadeFn, ModelId};
use kenning::index::{self, IndexContext, Rebuild, Report, Stage};
use kenning::search::SearchOptions;
use kenning::store::{By, Name};

use crate::support::{EMBEDDER, TestVault, ask, paths, vault};

/// Texts of one of its batches.
const BATCH: usize = 2;

/// A model whose batches fail where a test says so, by their texts.
struct Elsewhere {
    model: HashEmbedder,
    id: ModelId,
    fails: Box<dyn Fn(&str) -> bool + Send + Sync>,
    /// What it made vectors of.
    made: Mutex<Vec<String>>,
}

impl Elsewhere {
    fn failing(fails: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        let model = HashEmbedder::new(EMBEDDER.id().dimensions);
        Self {
            id: model.id().clone(),
            model,
            fails: Box::new(fails),
            made: Mutex::default(),
        }
    }

    fn there() -> Self {
        Self::failing(|_| false)
    }

    fn away() -> Self {
        Self::failing(|_| true)
    }

    fn made(&self) -> Vec<String> {
        let mut made = std::mem::take(&mut *self.made.lock().unwrap());
        made.sort();
        made
    }

    fn batch(&self, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let mut rows = Vec::new();
        if texts.iter().any(|text| (self.fails)(text)) {
            return Err(EmbedError::Unavailable {
                model: "far".to_owned(),
                reason: "nobody is there".to_owned(),
                hint: "start it".to_owned(),
            });
        }
        self.model.embed_passages(texts, &mut rows)?;
        Ok(rows)
    }
}

impl Embedder for Elsewhere {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn embed_passages(&self, texts: &[&str], rows: &mut Vec<f32>) -> Result<(), EmbedError> {
        rows.extend(self.batch(texts)?);
        Ok(())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.batch(&[text])
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn embed_each(&self, texts: &[&str], made: &mut MadeFn<'_>) {
        for (place, batch) in texts.chunks(BATCH).enumerate() {
            let start = place * BATCH;
            let rows = self.batch(batch);
            if rows.is_ok() {
                let mut all = self.made.lock().unwrap();
                all.extend(batch.iter().map(|text| (*text).to_owned()));
            }
            if !made(start..start + batch.len(), rows) {
                return;
            }
        }
    }
}

fn house() -> TestVault {
    vault(
        "-- Boiler.md --\n# Boiler\n\n## Service\n\nMarlys came in September. #house\n\n## Parts\n\nA valve and two seals.\n\
         -- Empty.md --\n---\nsummary: a note that says nothing else\n---\n\
         -- Garden.md --\n---\ntags: [green]\n---\n# Garden\n\nThe roses bloom in June.\n\
         -- Roof.md --\n# Roof\n\nEsko repaired the gutter in October.\n\
         -- Tax.md --\n# Tax\n\nThe letter of the office came in March.\n",
    )
}

/// How near each passage is to a question, by path and place; what has no vector is left out.
fn cosines(vault: &TestVault) -> Vec<(String, u32, f32)> {
    let store = vault.store();
    let question = EMBEDDER.embed_query("who repaired the roses").unwrap();
    let mut all = Vec::new();
    for path in ["Boiler.md", "Empty.md", "Garden.md", "Roof.md", "Tax.md"] {
        let note = store.resolve(Name::Path(path)).unwrap()[0].note;
        for chunk in store.chunks(By::Note(note)).unwrap() {
            let cosine = store.cosines(&question, &[chunk.id]).unwrap();
            all.extend(
                cosine
                    .first()
                    .map(|found| (path.to_owned(), chunk.ordinal, found.1)),
            );
        }
    }
    all
}

fn n_missing(vault: &TestVault) -> u64 {
    let store = vault.store();
    assert_eq!(store.verify().unwrap(), Vec::<String>::new());
    store.status().unwrap().n_chunks_without_vector
}

fn told(report: &Report) -> Vec<String> {
    let told = report.unembedded.iter();
    told.map(|one| format!("{}: {}", one.path, one.reason))
        .collect()
}

#[test]
fn it_makes_the_same_index_as_a_model_at_hand() {
    let (near, far) = (house(), house());
    near.update();
    let report = far.update_with(&Elsewhere::there()).unwrap();
    assert_eq!((report.n_vectors, report.n_without_vector), (5, 0));
    assert_eq!(told(&report), Vec::<String>::new());
    assert_eq!(cosines(&near), cosines(&far));
    assert_eq!(n_missing(&far), 0);
}

#[test]
fn words_answer_while_it_is_away_and_the_next_run_makes_the_vectors() {
    let vault = house();
    let report = vault.update_with(&Elsewhere::away()).unwrap();
    assert_eq!(
        (report.n_added, report.n_vectors, report.n_without_vector),
        (5, 0, 5)
    );
    assert!(told(&report)[0].ends_with("the model far does not answer: nobody is there"));
    assert_eq!(report.vector_hint.as_deref(), Some("start it"));
    assert_eq!(n_missing(&vault), 5);
    assert_eq!(vault.paths("gutter"), ["Roof.md"]);
    let there = Elsewhere::there();
    let answer = ask(
        &vault.store(),
        &there,
        "who repaired the gutter",
        &SearchOptions::at(0),
    );
    assert_eq!(paths(&answer.unwrap().hits)[0], "Roof.md");

    let report = vault.update_with(&there).unwrap();
    assert_eq!((report.n_unchanged, report.n_vectors), (5, 5));
    assert_eq!((report.rebuilt, n_missing(&vault)), (None, 0));
    let all = house();
    all.update();
    assert_eq!(cosines(&all), cosines(&vault));
}

#[test]
fn what_came_is_kept_and_nothing_is_embedded_twice() {
    let vault = house();
    let flaky = Elsewhere::failing(|text| text.contains("roses"));
    let report = vault.update_with(&flaky).unwrap();
    let made = flaky.made();
    assert_eq!((made.len(), report.n_vectors), (3, 3));
    let told = told(&report);
    assert!(
        told.iter().any(|told| told.starts_with("Garden.md: ")),
        "{told:?}"
    );
    assert_eq!(n_missing(&vault), 2);

    let there = Elsewhere::there();
    vault.update_with(&there).unwrap();
    let later = there.made();
    assert_eq!((later.len(), n_missing(&vault)), (2, 0));
    assert!(later.iter().all(|text| !made.contains(text)), "{later:?}");
    // One that has everything is not asked again, and one note that changes is one note.
    vault.update_with(&there).unwrap();
    assert_eq!(there.made(), Vec::<String>::new());
    vault.write("Roof.md", "# Roof\n\nThe gutter leaks again.\n");
    vault.update_with(&there).unwrap();
    assert_eq!(there.made(), ["Roof\n# Roof\n\nThe gutter leaks again."]);
}

#[test]
fn it_is_not_asked_on_and_on_once_it_is_away() {
    let vault = TestVault::empty();
    for number in 0..40 {
        vault.write(
            &format!("{number}.md"),
            format!("# Note {number}\n\nsays {number}\n"),
        );
    }
    let n_asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&n_asked);
    let model = Elsewhere::failing(move |text| {
        counted.fetch_add(1, Ordering::Relaxed);
        text.contains("says")
    });
    vault.update_with(&model).unwrap();
    n_asked.store(0, Ordering::Relaxed);
    let report = vault.update_with(&model).unwrap();
    assert_eq!(report.n_without_vector, 40);
    assert_eq!(n_asked.load(Ordering::Relaxed), 5);
}

#[test]
fn a_stopped_run_keeps_its_vectors() {
    let mut vault = house();
    vault.options.n_threads = 1;
    let model = Elsewhere::there();
    let stop = AtomicBool::new(false);
    let seen = Mutex::new(Vec::new());
    let report = vault.with_context(|cx| {
        let progress = |progress: index::Progress| {
            if progress.stage == Stage::Vectors {
                stop.store(true, Ordering::Relaxed);
                seen.lock()
                    .unwrap()
                    .push((progress.n_done, progress.n_total));
            }
        };
        index::update(&IndexContext {
            embedder: &model,
            progress: &progress,
            stop: &stop,
            ..cx
        })
    });
    let report = report.unwrap();
    assert!(report.is_stopped && report.n_left == 0);
    assert_eq!(
        (seen.into_inner().unwrap(), n_missing(&vault)),
        (vec![(2, 5)], 3)
    );
    model.made();
    vault.update_with(&model).unwrap();
    assert_eq!((model.made().len(), n_missing(&vault)), (3, 0));
}

#[test]
fn few_are_made_while_somebody_waits() {
    let mut vault = house();
    vault.options.vectors_max = 2;
    let report = vault.update_with(&Elsewhere::there()).unwrap();
    assert_eq!((report.n_vectors, report.n_without_vector), (2, 3));
    assert_eq!(n_missing(&vault), 3);
}

/// How long its vectors are may be known only when it answers for the first time.
#[test]
fn an_index_may_be_made_before_anybody_knows_the_dimensions() {
    let vault = house();
    let mut unknown = Elsewhere::away();
    unknown.id.dimensions = 0;
    let report = vault.update_with(&unknown).unwrap();
    assert_eq!((report.n_added, report.n_without_vector), (5, 5));
    assert_eq!(vault.paths("gutter"), ["Roof.md"]);
    let report = vault.update_with(&Elsewhere::there()).unwrap();
    assert!(matches!(report.rebuilt, Some(Rebuild::Model { .. })));
    assert_eq!((report.n_vectors, n_missing(&vault)), (5, 0));
    // It is away again: nobody knows its dimensions, but it is the same model.
    vault.write("New.md", "# New\n\nA quince tree.\n");
    let report = vault.update_with(&unknown).unwrap();
    assert_eq!((report.rebuilt, report.n_without_vector), (None, 1));
}

/// What has no vector yet must stand where it would stand with one, or higher.
#[test]
fn a_passage_is_not_worse_for_having_no_vector_yet() {
    let notes = |fails: fn(&str) -> bool| {
        let vault = TestVault::empty();
        for number in 0..30 {
            let text = format!("# Note {number}\n\nThe gutter of house {number} was painted.\n");
            vault.write(&format!("{number:02}.md"), text);
        }
        vault.write(
            "Roof.md",
            "# Roof\n\nEsko repaired the gutter in October.\n",
        );
        vault.write("Wall.md", "# Wall\n\nEsko repaired the wall in March.\n");
        vault.update_with(&Elsewhere::failing(fails)).unwrap();
        let asked = |text| {
            let store = vault.store();
            let answer = ask(&store, &Elsewhere::there(), text, &SearchOptions::at(0)).unwrap();
            let place = paths(&answer.hits)
                .iter()
                .position(|path| path == "Roof.md");
            (place.unwrap(), answer.evidence)
        };
        ["who repaired the gutter", "gutter October", "Esko"].map(asked)
    };
    let (whole, mixed) = (notes(|_| false), notes(|text| text.contains("in October.")));
    for (whole, mixed) in whole.into_iter().zip(mixed) {
        assert!(
            mixed.0 <= whole.0 && mixed.1 >= whole.1,
            "{mixed:?} {whole:?}"
        );
    }
}
