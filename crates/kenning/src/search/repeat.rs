//! Text that stands in several notes: the same passage is shown once, and what many notes repeat,
//! such as a footer, says little about any of them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ranked::Ranked;
use crate::chunk::{paragraphs, print};
use crate::error::Result;
use crate::store::{NoteId, Store};

/// Notes that must have a text for it to count as repeated.
const NOTES_MIN: usize = 4;

/// Leaves out passages that say what a better one says, word for word; that one tells where.
pub(super) fn collapse(best: &mut Vec<Ranked>) {
    let mut first: FxHashMap<i64, usize> = FxHashMap::default();
    let mut kept: Vec<Ranked> = Vec::with_capacity(best.len());
    let shown: FxHashSet<i64> = (best.iter())
        .filter(|ranked| is_shown_elsewhere(ranked))
        .map(|ranked| ranked.chunk.prints.whole)
        .collect();
    for ranked in best.drain(..) {
        let whole = ranked.chunk.prints.whole;
        let is_own = ranked.chunk.picture.as_ref() == Some(&ranked.note.path);
        // What a picture says belongs to the note that shows it.
        if is_own && !ranked.is_pinned() && shown.contains(&whole) {
            continue;
        }
        match first.get(&whole) {
            Some(&known) if whole != 0 && !ranked.is_pinned() => {
                let (known, path) = (&mut kept[known], &ranked.note.path);
                if known.note.path != *path && !known.also_in.contains(path) {
                    known.also_in.push(path.clone());
                }
            }
            _ => {
                first.entry(whole).or_insert(kept.len());
                kept.push(ranked);
            }
        }
    }
    *best = kept;
}

/// Whether a passage was read from a picture that its note shows.
fn is_shown_elsewhere(ranked: &Ranked) -> bool {
    let picture = ranked.chunk.picture.as_ref();
    picture.is_some_and(|picture| *picture != ranked.note.path)
}

/// Paragraphs that many notes have, by their fingerprints.
pub(super) struct Repeated(FxHashSet<u32>);

impl Repeated {
    /// Finds what the notes of these passages repeat. Texts are read only of passages that begin or
    /// end alike, which are few or none.
    pub(super) fn find(store: &Store, best: &mut [Ranked]) -> Result<Self> {
        let edges = many(best.iter().map(|ranked| {
            let prints = ranked.chunk.prints;
            (ranked.note.id, [prints.first, prints.last])
        }));
        let mut paragraphs_of = Vec::new();
        for ranked in best.iter_mut() {
            let prints = ranked.chunk.prints;
            if edges.contains(&prints.first) || edges.contains(&prints.last) {
                ranked.read_text(store)?;
                let all = paragraphs(ranked.passage()).map(print);
                paragraphs_of.extend(all.map(|print| (ranked.note.id, [print])));
            }
        }
        Ok(Self(many(paragraphs_of.into_iter())))
    }

    /// Returns the paragraphs of a passage that many notes have.
    pub(super) fn of<'t>(&self, ranked: &'t Ranked) -> impl Iterator<Item = &'t str> {
        let text = if self.0.is_empty() {
            ""
        } else {
            ranked.passage()
        };
        paragraphs(text).filter(|paragraph| self.0.contains(&print(paragraph)))
    }
}

/// Returns the fingerprints that enough different notes have.
fn many<const N: usize>(prints: impl Iterator<Item = (NoteId, [u32; N])>) -> FxHashSet<u32> {
    let mut notes: FxHashMap<u32, Vec<NoteId>> = FxHashMap::default();
    for (note, prints) in prints {
        for print in prints.into_iter().filter(|&print| print != 0) {
            let notes = notes.entry(print).or_default();
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    let many = notes
        .into_iter()
        .filter(|(_, notes)| notes.len() >= NOTES_MIN);
    many.map(|(print, _)| print).collect()
}
