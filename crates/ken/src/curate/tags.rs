//! Proposals of tags: from the index into the review queue, and from there into notes.

use std::collections::BTreeMap;

use anyhow::Result;
use kenning_curate::library::Library;
use kenning_curate::tags::check::{Doubt, check};
use kenning_curate::tags::promote::{self, Promoted};
use kenning_curate::tags::propose::{CONFIDENCE_MIN, Proposal, Proposer};
use kenning_curate::tags::queue::Queue;
use kenning_curate::tags::{QUEUE, TAXONOMY, Vocabulary};
use kenning_curate::write::Batch;

use super::Curator;
use crate::hint::Hinted;

/// What is proposed.
pub(crate) struct Proposed {
    /// The queue, written anew.
    pub(crate) batch: Batch,
    pub(crate) notes: Vec<(String, Vec<Proposal>)>,
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
    paths: &[String],
    limit: usize,
) -> Result<Proposed> {
    let own = vocabulary(curator)?;
    let in_use = || Vocabulary::in_use(library.notes.iter().flat_map(|note| &note.tags));
    let vocabulary = own.unwrap_or_else(in_use);
    if vocabulary.entries.is_empty() {
        return Err(Hinted::error(
            "there are no tags to propose",
            format!("list them in {TAXONOMY}, see docs/curation.md"),
        ));
    }
    let known = |note: usize| -> Vec<String> {
        let tags = library.notes[note].tags.iter();
        tags.filter(|tag| vocabulary.get(tag).is_some())
            .cloned()
            .collect()
    };
    let mut proposer = Proposer::new(library, &vocabulary, known);
    let is_wanted = |note: &usize| match paths.is_empty() {
        true => library.notes[*note].tags.is_empty() && library.notes[*note].path.ends_with(".md"),
        false => paths.contains(&library.notes[*note].path),
    };
    let seen = curator.writer.read(QUEUE)?;
    let before = seen
        .as_ref()
        .map(|seen| String::from_utf8_lossy(&seen.bytes).into_owned());
    let mut queue = Queue::read(&before.unwrap_or_default());
    let mut notes = Vec::new();
    for note in (0..library.notes.len()).filter(is_wanted).take(limit) {
        let own = &library.notes[note];
        let mut found = proposer.propose(note);
        found.retain(|proposal| {
            proposal.confidence >= CONFIDENCE_MIN && !own.tags.contains(&proposal.tag)
        });
        queue.put(&own.path, &own.title, &found);
        if !found.is_empty() {
            notes.push((own.path.clone(), found));
        }
    }
    let mut batch = Batch::new("tags propose", &format!("{} notes", notes.len()));
    let text = queue.write().into_bytes();
    match seen {
        Some(seen) => batch.write(seen, text),
        None if notes.is_empty() => {}
        None => batch.create(QUEUE, text),
    }
    Ok(Proposed { batch, notes })
}

/// Plans to write what is ticked in the queue into the notes.
pub(crate) fn promote(curator: &Curator<'_>) -> Result<Promoted> {
    let vocabulary = vocabulary(curator)?;
    Ok(promote::plan(&curator.writer, vocabulary.as_ref())?)
}

/// Looks for tags that may be wrong; `counts` has every tag as it is written, and its notes.
pub(crate) fn doubts(
    curator: &Curator<'_>,
    counts: &BTreeMap<String, usize>,
) -> Result<Vec<Doubt>> {
    let vocabulary = vocabulary(curator)?;
    Ok(check(counts, vocabulary.as_ref()))
}
