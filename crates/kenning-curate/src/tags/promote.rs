//! Writes the proposals that a person ticked into the front matter of their notes, and makes the queue anew.

use kenning::note::front_matter;

use super::front::{front_tags, read_back};
use super::queue::{Mark, QUEUE, Queue, State};
use super::taxonomy::Vocabulary;
use crate::error::{Error, Result};
use crate::page::edited;
use crate::write::{Batch, Seen, Writer};

/// What is to be done.
#[derive(Clone, Debug, Default)]
pub struct Promoted {
    /// The changes: notes and queue.
    pub batch: Batch,
    /// Tags that are written: path and tag.
    pub tags: Vec<(String, String)>,
    /// What cannot be: why, for a person.
    pub refused: Vec<String>,
}

/// Plans the promotion of everything that is ticked, in the file or by `marks`. Without a vocabulary, any tag will do.
pub fn plan(
    writer: &Writer<'_>,
    vocabulary: Option<&Vocabulary>,
    marks: &[Mark],
) -> Result<Promoted> {
    let Some(seen) = writer.read(QUEUE)? else {
        return Err(nothing());
    };
    let text = String::from_utf8_lossy(&seen.bytes).into_owned();
    let mut queue = Queue::read(&text);
    let mut promoted = Promoted {
        batch: Batch::new("tags promote", ""),
        ..Promoted::default()
    };
    let mut is_marked = false;
    for mark in marks {
        match queue.mark(mark) {
            true => is_marked = true,
            false => promoted.refused.push(format!(
                "#{} is not proposed for {} any more",
                mark.tag, mark.path
            )),
        }
    }
    for part in queue.parts.clone() {
        let ticked = part.items().filter(|(state, _)| *state == State::Ticked);
        let (mut tags, mut done) = (Vec::new(), Vec::new());
        for (_, tag) in ticked {
            match known(vocabulary, tag) {
                Ok(known) => {
                    tags.push(known);
                    done.push(tag.to_owned());
                }
                Err(why) => promoted.refused.push(format!("{}: {why}", part.path)),
            }
        }
        if tags.is_empty() {
            continue;
        }
        let Some(note) = writer.read(&part.path)? else {
            promoted.refused.push(format!("{} is gone", part.path));
            continue;
        };
        let new = with_tags(&note, &tags)?;
        promoted.batch.write(note, new.into_bytes());
        queue.take(&part.path, |state, tag| {
            state == State::Ticked && done.iter().any(|done| done == tag)
        });
        promoted
            .tags
            .extend(tags.into_iter().map(|tag| (part.path.clone(), tag)));
    }
    if is_marked || !promoted.tags.is_empty() {
        promoted.batch.write(seen, queue.write().into_bytes());
    }
    Ok(promoted)
}

fn nothing() -> Error {
    Error::Nothing {
        what: format!("there is no {QUEUE}"),
        hint: "`ken tags propose` makes one".to_owned(),
    }
}

/// Returns a tag as the vocabulary writes it, or why it is refused.
fn known(vocabulary: Option<&Vocabulary>, tag: &str) -> Result<String, String> {
    let Some(vocabulary) = vocabulary else {
        return match kenning::note::is_tag(tag) {
            true => Ok(tag.to_owned()),
            false => Err(format!("#{tag} is not a tag")),
        };
    };
    match (vocabulary.get(tag), vocabulary.nearest(tag)) {
        (Some(entry), _) => Ok(entry.tag.clone()),
        (None, Some(nearest)) => Err(format!(
            "#{tag} is not in the vocabulary; #{} is",
            nearest.tag
        )),
        (None, None) => Err(format!(
            "#{tag} is not in the vocabulary, and nothing like it"
        )),
    }
}

/// Returns the text of a note with tags added to its front matter.
fn with_tags(note: &Seen, tags: &[String]) -> Result<String> {
    let unclear = |reason: &str| Error::Unclear {
        path: note.path.clone(),
        reason: reason.to_owned(),
    };
    let text = str::from_utf8(&note.bytes).map_err(|_| unclear("it is not UTF-8"))?;
    let yaml = front_matter(text);
    let front = yaml
        .clone()
        .map(|yaml| front_tags(text, yaml))
        .unwrap_or_default();
    let edit = front.added(text, yaml.clone(), tags);
    let new = edited(text, edit.into_iter().collect());
    let mut expected = read_back(text, yaml);
    expected.extend(tags.iter().map(|tag| tag.to_lowercase()));
    expected.sort();
    expected.dedup();
    match read_back(&new, front_matter(&new)) == expected {
        true => Ok(new),
        false => Err(unclear("the tags of its front matter")),
    }
}
