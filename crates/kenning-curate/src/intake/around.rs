//! What lies around a text that is no note yet: the notes nearest in meaning, those with the same words, and those it
//! names and links to. Read from the index.

use std::collections::{BTreeMap, HashMap};

use kenning::budget::Budget;
use kenning::chunk::{self, Profile, heading_path};
use kenning::embed::Embedder;
use kenning::links::Files;
use kenning::note::{self, Format, file_stem};
use kenning::search::Query;
use kenning::store::{LexicalQuery, LinksOf, NoteId, NoteSet, Store, TermGroup};
use kenning::words::name_key;
use kenning::{Tuning, secrets};

use super::item::Item;
use super::route::properties_of;
use crate::error::Result;
use crate::library::{Library, telling_words};

/// Passages of a text that are looked at, spread evenly.
const PASSAGES_MAX: usize = 8;
/// Passages near each of them that are looked at.
const N_NEAREST: usize = 40;
/// Notes that are remembered of each kind.
const NOTES_MAX: usize = 60;
/// Words of a text that are looked for.
const WORDS_MAX: usize = 100;

/// What an item is compared with.
pub struct Place<'a> {
    /// The index.
    pub store: &'a Store,
    /// What it knows of all notes.
    pub library: &'a Library,
    /// The model of the index; without it, only words count.
    pub embedder: Option<&'a dyn Embedder>,
    positions: HashMap<NoteId, usize>,
    files: Files,
    /// Which notes have a link to a name, by its key.
    calling: HashMap<String, Vec<usize>>,
}

/// What lies around a text, by positions in the library, the nearest first.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// Near in meaning: from 0, like any other, to 1, the same.
    pub near: Vec<(usize, f32)>,
    /// With the same words: 1 is the best.
    pub alike: Vec<(usize, f32)>,
    /// The share of its words that notes say.
    pub said: f32,
    /// Notes that it links to.
    pub linked: Vec<usize>,
    /// Notes that link to something of its name.
    pub called_by: Vec<usize>,
    /// Words of its title.
    pub title_words: Vec<String>,
    /// Words of its text that tell something.
    pub words: Vec<String>,
    /// Its headings, in lower case.
    pub headings: Vec<String>,
    /// What its properties are recognised by.
    pub properties: Vec<String>,
}

impl<'a> Place<'a> {
    /// Gets ready to compare.
    pub fn new(
        store: &'a Store,
        library: &'a Library,
        embedder: Option<&'a dyn Embedder>,
    ) -> Result<Self> {
        let positions = library.notes.iter().enumerate();
        let positions: HashMap<NoteId, usize> = positions.map(|(at, note)| (note.id, at)).collect();
        let mut calling: HashMap<String, Vec<usize>> = HashMap::new();
        for link in store.links(LinksOf::Every)? {
            if let Some(&at) = positions.get(&link.source) {
                calling
                    .entry(name_key(file_stem(&link.target)))
                    .or_default()
                    .push(at);
            }
        }
        Ok(Self {
            store,
            library,
            embedder,
            positions,
            calling,
            files: Files::new(store.files()?),
        })
    }

    /// Looks around a text, as if the note at position `hidden` were not there.
    pub fn around(&self, item: &Item, hidden: Option<usize>) -> Result<Around> {
        let (text, _) = secrets::mask(item.text.clone());
        let (note, _) = note::parse("item.md", text, Format::Markdown);
        let within = match hidden {
            None => NoteSet::every(),
            Some(hidden) => {
                let ids = self.library.notes.iter().enumerate();
                ids.filter(|(at, _)| *at != hidden)
                    .map(|(_, note)| note.id)
                    .collect()
            }
        };
        let (alike, said) = self.alike(item, &within)?;
        let from = match hidden {
            Some(hidden) => self.library.notes[hidden].path.as_str(),
            None => item.in_vault.as_deref().unwrap_or("item.md"),
        };
        let mut linked: Vec<usize> = (note.links.iter())
            .filter_map(|link| self.files.resolve(from, &link.target))
            .filter_map(|path| self.library.position(path))
            .filter(|at| Some(*at) != hidden)
            .collect();
        linked.sort_unstable();
        linked.dedup();
        let called_by = self.calling.get(&name_key(&item.title));
        let mut called_by = called_by.cloned().unwrap_or_default();
        called_by.retain(|at| Some(*at) != hidden);
        called_by.sort_unstable();
        called_by.dedup();
        Ok(Around {
            near: self.near(item, &note, &within)?,
            alike,
            said,
            linked,
            called_by,
            title_words: telling_words(&item.title),
            words: telling_words(&item.text),
            headings: note
                .headings
                .iter()
                .map(|heading| heading.text.to_lowercase())
                .collect(),
            properties: properties_of(&item.properties),
        })
    }

    /// Finds the notes nearest in meaning: on average over the passages of the text, by their best passage.
    fn near(&self, item: &Item, note: &note::Note, within: &NoteSet) -> Result<Vec<(usize, f32)>> {
        let Some(embedder) = self.embedder else {
            return Ok(Vec::new());
        };
        let chunks = chunk::chunk(note, Profile::Section);
        let step = chunks.len().div_ceil(PASSAGES_MAX).max(1);
        let mut passages: Vec<String> = (chunks.iter().step_by(step))
            .map(|chunk| {
                let above = heading_path(&note.headings, chunk.heading).join(" ");
                format!(
                    "{} {above}\n{}",
                    item.title,
                    &note.text[chunk.range.clone()]
                )
            })
            .collect();
        if passages.is_empty() {
            passages.push(item.title.clone());
        }
        let texts: Vec<&str> = passages.iter().map(String::as_str).collect();
        let mut rows = Vec::new();
        if embedder.embed_passages(&texts, &mut rows).is_err() {
            // A model that is away takes only the meaning with it.
            return Ok(Vec::new());
        }
        let n_dimensions = rows.len() / texts.len();
        let mut sums: BTreeMap<usize, f32> = BTreeMap::new();
        for row in rows.chunks_exact(n_dimensions.max(1)) {
            let found = self.store.nearest(row, N_NEAREST, within)?;
            let mut best: BTreeMap<usize, f32> = BTreeMap::new();
            for hit in &found.hits {
                let Some(&at) = self.positions.get(&hit.note) else {
                    continue;
                };
                let near =
                    ((hit.cosine - found.mean) / (1.0 - found.mean).max(0.01)).clamp(0.0, 1.0);
                let known = best.entry(at).or_default();
                *known = known.max(near);
            }
            for (at, near) in best {
                *sums.entry(at).or_default() += near / texts.len() as f32;
            }
        }
        Ok(first(sums.into_iter().collect()))
    }

    /// Finds the notes with the same words, and how many of the words there are in the vault at all.
    fn alike(&self, item: &Item, within: &NoteSet) -> Result<(Vec<(usize, f32)>, f32)> {
        let meta = self.store.meta()?;
        let text = format!("{}\n{}\n{}", item.title, item.title, item.text);
        let query = Query::parse(&text, &meta.languages);
        let mut order: Vec<usize> = (0..query.groups.len()).collect();
        order.sort_by_key(|&at| (std::cmp::Reverse(query.n_said[at]), at));
        order.truncate(WORDS_MAX);
        let groups: Vec<TermGroup> = order.iter().map(|&at| query.groups[at].clone()).collect();
        let found = self.store.lexical(
            &LexicalQuery {
                groups: &groups,
                typed: &[],
                options: &Tuning::default().lexical,
                limit: NOTES_MAX,
                per_note: 1,
            },
            within,
            &[],
            &Budget::default(),
        )?;
        let n_said = found.idf.iter().filter(|idf| **idf < found.unsaid).count();
        let said = n_said as f32 / found.idf.len().max(1) as f32;
        let hits = found.hits.iter();
        let hits = hits.filter_map(|hit| Some((*self.positions.get(&hit.note)?, hit.score)));
        Ok((first(hits.collect()), said))
    }
}

/// The best, the best first.
fn first(mut found: Vec<(usize, f32)>) -> Vec<(usize, f32)> {
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.truncate(NOTES_MAX);
    found
}
