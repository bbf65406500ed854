//! Proposals of tags: from the index into the review queue, and from there into notes.

use std::collections::BTreeMap;

use anyhow::Result;
use kenning_curate::library::Library;
use kenning_curate::tags::check::{Doubt, check};
use kenning_curate::tags::promote::{self, Promoted};
use kenning_curate::tags::propose::{CONFIDENCE_MIN, Proposal, Proposer};
use kenning_curate::tags::queue::{Mark, Queue};
use kenning_curate::tags::{QUEUE, TAXONOMY, Vocabulary};
use kenning_curate::write::Batch;

use super::Curator;
use super::advice::{Adviser, Judged};
use crate::hint::Hinted;
use crate::searcher::Searcher;

/// What is proposed.
pub(crate) struct Proposed {
    /// The queue, written anew.
    pub(crate) batch: Batch,
    pub(crate) notes: Vec<(String, Vec<Proposal>)>,
    pub(crate) notices: Vec<String>,
}

/// Which notes get proposals, and who makes them.
pub(crate) struct Wanted<'a> {
    /// Some notes; none means all that have no tags.
    pub(crate) paths: &'a [String],
    pub(crate) limit: usize,
    /// A model, and where it reads notes.
    pub(crate) adviser: Option<(Adviser, &'a Searcher)>,
    /// Hears of each note: how many are done, and of how many.
    pub(crate) progress: &'a dyn Fn(usize, usize),
}

/// Returns the vocabulary that a person keeps, if there is one.
pub(crate) fn vocabulary(curator: &Curator<'_>) -> Result<Option<Vocabulary>> {
    let seen = curator.writer.read(TAXONOMY)?;
    let read = |text: &[u8]| Vocabulary::read(&String::from_utf8_lossy(text));
    Ok(seen.map(|seen| read(&seen.bytes)))
}

/// Proposes tags for some notes, or for all that have none.
pub(crate) fn propose(
    curator: &Curator<'_>,
    library: &Library,
    mut wanted: Wanted<'_>,
) -> Result<Proposed> {
    let vocabulary = vocabulary_or_in_use(curator, library)?;
    let known = |note: usize| -> Vec<String> {
        let tags = library.notes[note].tags.iter();
        tags.filter(|tag| vocabulary.get(tag).is_some())
            .cloned()
            .collect()
    };
    let mut proposer = Proposer::new(library, &vocabulary, known);
    let seen = curator.writer.read(QUEUE)?;
    let before = seen
        .as_ref()
        .map(|seen| String::from_utf8_lossy(&seen.bytes).into_owned());
    let mut queue = Queue::read(&before.unwrap_or_default());
    let mut notes = Vec::new();
    let chosen = chosen(library, &wanted);
    for (n_done, &note) in chosen.iter().enumerate() {
        let own = &library.notes[note];
        (wanted.progress)(n_done, chosen.len());
        let mut found = proposed(
            &mut proposer,
            &vocabulary,
            library,
            note,
            &mut wanted.adviser,
        )?;
        found.retain(|proposal| {
            proposal.confidence >= CONFIDENCE_MIN && !own.tags.contains(&proposal.tag)
        });
        queue.put(&own.path, &own.title, &found);
        if !found.is_empty() {
            notes.push((own.path.clone(), found));
        }
    }
    let plural = if notes.len() == 1 { "" } else { "s" };
    let detail = format!("{} note{plural}", notes.len());
    let mut batch = Batch::new("tags propose", &detail);
    let text = queue.write().into_bytes();
    match seen {
        Some(seen) => batch.write(seen, text),
        None if notes.is_empty() => {}
        None => batch.create(QUEUE, text),
    }
    let notices = wanted.adviser.map(|(adviser, _)| adviser.notices());
    Ok(Proposed {
        batch,
        notes,
        notices: notices.unwrap_or_default(),
    })
}

/// Returns the vocabulary that a person keeps, or the one that is in use.
fn vocabulary_or_in_use(curator: &Curator<'_>, library: &Library) -> Result<Vocabulary> {
    let in_use = || Vocabulary::in_use(library.notes.iter().flat_map(|note| &note.tags));
    let vocabulary = vocabulary(curator)?.unwrap_or_else(in_use);
    match vocabulary.entries.is_empty() {
        false => Ok(vocabulary),
        true => Err(Hinted::error(
            "there are no tags to propose",
            format!("list them in {TAXONOMY}, see docs/curation.md"),
        )),
    }
}

fn chosen(library: &Library, wanted: &Wanted<'_>) -> Vec<usize> {
    let is_chosen = |note: &usize| {
        let own = &library.notes[*note];
        match wanted.paths.is_empty() {
            true => own.tags.is_empty() && own.path.ends_with(".md"),
            false => wanted.paths.contains(&own.path),
        }
    };
    let all = (0..library.notes.len()).filter(is_chosen);
    all.take(wanted.limit).collect()
}

/// Asks the model, if there is one that is of use; otherwise the notes around it say what fits.
fn proposed(
    proposer: &mut Proposer<'_>,
    vocabulary: &Vocabulary,
    library: &Library,
    note: usize,
    adviser: &mut Option<(Adviser, &Searcher)>,
) -> Result<Vec<Proposal>> {
    let Some((adviser, searcher)) = adviser else {
        return Ok(proposer.propose(note));
    };
    let likely: Vec<String> = (proposer.all(note).into_iter())
        .map(|proposal| proposal.tag)
        .collect();
    let own = &library.notes[note];
    let judged = Judged {
        title: &own.title,
        path: &own.path,
        text: &searcher.passage(&own.path)?.text,
        likely: &likely,
    };
    let advised = adviser.propose(vocabulary, &judged);
    Ok(advised.unwrap_or_else(|| proposer.propose(note)))
}

/// Plans to write what is ticked in the queue into the notes.
pub(crate) fn promote(curator: &Curator<'_>, marks: &[Mark]) -> Result<Promoted> {
    let vocabulary = vocabulary(curator)?;
    Ok(promote::plan(&curator.writer, vocabulary.as_ref(), marks)?)
}

/// Reads the queue; one that is not there has nothing in it.
pub(crate) fn queue(curator: &Curator<'_>) -> Result<Queue> {
    let seen = curator.writer.read(QUEUE)?;
    let text = seen.map(|seen| String::from_utf8_lossy(&seen.bytes).into_owned());
    Ok(Queue::read(&text.unwrap_or_default()))
}

/// Looks for tags that may be wrong; `counts` has every tag as it is written, and its notes.
pub(crate) fn doubts(
    curator: &Curator<'_>,
    counts: &BTreeMap<String, usize>,
) -> Result<Vec<Doubt>> {
    let vocabulary = vocabulary(curator)?;
    Ok(check(counts, vocabulary.as_ref()))
}
