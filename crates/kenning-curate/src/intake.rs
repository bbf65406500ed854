//! Intake: what comes from outside is scored, and becomes a note in the folder it belongs into, waits for a person,
//! or is logged. Nothing is lost, the same thing is not taken twice, and the same input has the same outcome.

pub mod around;
mod feed;
pub mod item;
pub mod log;
pub mod measure;
pub mod note;
pub mod prints;
pub mod read;
pub mod route;
pub mod score;
mod shape;

use std::collections::{HashMap, HashSet};

use kenning::note::{body_start, file_stem};
use kenning::store::{Part, Store};

use crate::duplicate::Print;
use crate::error::Result;
use crate::library::{Known, Library};
use crate::tags::propose::{CONFIDENCE_MIN, PROPOSALS_MAX, Proposal, Proposer};
use crate::tags::queue::Queue;
use crate::tags::{QUEUE, Vocabulary};
use crate::write::{Batch, Seen, Writer};
use around::{Around, Place};
use item::Item;
use log::{Entry, Fate};
use prints::Prints;
use route::{Routed, Router};
use score::{Rules, Scorer, Scores};

/// Texts that share more are the same; those that share less, but much, are for a person to tell.
const SAME: f32 = 0.5;

/// What items are judged by.
pub struct Intake<'a> {
    place: Place<'a>,
    scorer: Scorer<'a>,
    router: Router,
    rules: Rules,
    vocabulary: &'a Vocabulary,
}

/// An item, and what is to become of it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Its id.
    pub id: String,
    /// The item.
    pub item: Item,
    /// What it scored.
    pub scores: Scores,
    /// Folders that it could go into, the best first.
    pub routes: Vec<Routed>,
    /// Tags that it could have.
    pub tags: Vec<Proposal>,
    /// What is to become of it.
    pub fate: Fate,
    /// Whether it came in before, and nothing is done.
    pub is_known: bool,
    around: Around,
}

impl Judged {
    /// Returns why, for a person: the scores and their reasons.
    pub fn reasons(&self) -> Vec<String> {
        let scores = &self.scores;
        let named = [
            ("relevance", &scores.relevance),
            ("actionability", &scores.actionability),
            ("depth", &scores.depth),
            ("authority", &scores.authority),
        ];
        let told = |(name, score): (&str, &score::Score)| {
            format!("{name} {:.2}: {}", score.value, score.reasons.join(", "))
        };
        named.map(told).into()
    }

    /// Returns the folder that it would go into.
    pub fn folder(&self) -> &str {
        self.routes.first().map_or("", |routed| &routed.folder)
    }

    /// Returns its line of the log.
    pub fn entry(&self, run: Option<u64>, at: i64) -> Entry {
        Entry {
            id: self.id.clone(),
            at,
            item: self.item.clone(),
            scores: log::numbers(&self.scores),
            reasons: self.reasons(),
            folder: self.folder().to_owned(),
            fate: self.fate.clone(),
            run: run.filter(|_| matches!(self.fate, Fate::Kept { .. })),
        }
    }
}

impl<'a> Intake<'a> {
    /// Learns what a vault is about. `folders` are those that notes may go into; without any, those at the top of the
    /// vault but for `left_out`.
    pub fn new(
        place: Place<'a>,
        rules: Rules,
        vocabulary: &'a Vocabulary,
        (folders, left_out): (&[String], &[String]),
    ) -> Result<Self> {
        let sample = sample(&place)?;
        let mut router = Router::new(&place, folders, left_out)?;
        router.learn(place.library, sample.iter());
        Ok(Self {
            scorer: Scorer::new(place.library, &sample, rules),
            router,
            place,
            rules,
            vocabulary,
        })
    }

    /// Returns the folders that notes may go into.
    pub fn folders(&self) -> &[String] {
        &self.router.folders
    }

    /// Judges items in order. What came in before, or lies in the vault already, is known again; `log` has what came
    /// in before.
    pub fn judge(&self, items: Vec<Item>, log: &[Entry], prints: &Prints) -> Result<Vec<Judged>> {
        let before: HashMap<&str, &Fate> =
            log.iter().map(|entry| (&*entry.id, &entry.fate)).collect();
        let mut prints = prints.clone();
        for entry in log
            .iter()
            .filter(|entry| !matches!(entry.fate, Fate::Kept { .. }))
        {
            prints.add(&entry.id, Print::of(&entry.item.text));
        }
        let mut seen = HashSet::new();
        let mut judged = Vec::with_capacity(items.len());
        for item in items {
            let one = self.judge_one(item, &before, &prints, &mut seen)?;
            if !one.is_known {
                prints.add(&one.item.title, Print::of(&one.item.text));
            }
            judged.push(one);
        }
        self.propose(&mut judged);
        Ok(judged)
    }

    /// Judges items again that came in before.
    pub fn judge_again(&self, entries: &[Entry], prints: &Prints) -> Result<Vec<Judged>> {
        let items = entries.iter().map(|entry| entry.item.clone()).collect();
        self.judge(items, &[], prints)
    }

    fn judge_one(
        &self,
        item: Item,
        before: &HashMap<&str, &Fate>,
        prints: &Prints,
        seen: &mut HashSet<String>,
    ) -> Result<Judged> {
        let id = item.id();
        let hidden = item
            .in_vault
            .as_deref()
            .and_then(|path| self.place.library.position(path));
        if let Some(fate) = before.get(id.as_str()).map(|fate| (*fate).clone()) {
            return Ok(Judged::known(id, item, fate));
        }
        if !seen.insert(id.clone()) {
            let fate = Fate::Duplicate {
                of: id.clone(),
                share: 1.0,
            };
            return Ok(Judged::known(id, item, fate));
        }
        let around = self.place.around(&item, hidden)?;
        let scores = self.scorer.score(&item, &around);
        let like = prints.like(&Print::of(&item.text), item.in_vault.as_deref());
        let like = like.filter(|_| !item.text.trim().is_empty());
        let fate = match like {
            Some((of, share)) if share >= SAME => Fate::Duplicate {
                of: of.to_owned(),
                share,
            },
            Some(_) if scores.total >= self.rules.review => Fate::Queued,
            _ if scores.total >= self.rules.keep => Fate::Kept {
                path: String::new(),
            },
            _ if scores.total >= self.rules.review => Fate::Queued,
            _ => Fate::Logged,
        };
        let mut scores = scores;
        if let (Some((of, share)), Fate::Queued) = (like, &fate) {
            let reason = format!("{:.0} % of it stands in {of:?}", share * 100.0);
            scores.relevance.reasons.push(reason);
        }
        Ok(Judged {
            routes: self.router.route(self.place.library, &around, hidden),
            tags: Vec::new(),
            is_known: false,
            id,
            item,
            scores,
            fate,
            around,
        })
    }

    /// Proposes tags for what is kept or waits for a person.
    fn propose(&self, judged: &mut [Judged]) {
        let library = self.place.library;
        let Some(first) = library.notes.first() else {
            return;
        };
        let wanted = |judged: &&mut Judged| {
            !judged.is_known && matches!(judged.fate, Fate::Kept { .. } | Fate::Queued)
        };
        let mut wanted: Vec<&mut Judged> = judged.iter_mut().filter(wanted).collect();
        if wanted.is_empty() || self.vocabulary.entries.is_empty() {
            return;
        }
        let mut with_items = library.clone();
        for judged in &wanted {
            with_items.notes.push(Known {
                path: format!(
                    "{}/{}.md",
                    judged.folder(),
                    note::file_name(&judged.item.title)
                ),
                title: judged.item.title.clone(),
                tags: Vec::new(),
                aliases: Vec::new(),
                headings: judged.around.headings.clone(),
                vector: Vec::new(),
                ..first.clone()
            });
        }
        let tags_of = |at: usize| -> Vec<String> {
            let tags = with_items.notes[at].tags.iter();
            tags.filter(|tag| self.vocabulary.get(tag).is_some())
                .cloned()
                .collect()
        };
        let mut proposer = Proposer::new(&with_items, self.vocabulary, tags_of);
        for (at, judged) in wanted.iter_mut().enumerate() {
            let mut found = proposer.propose_near(library.notes.len() + at, &judged.around.near);
            found.retain(|proposal| proposal.confidence >= CONFIDENCE_MIN);
            judged.tags = with_own(found, &judged.item.tags, self.vocabulary);
        }
    }
}

/// Puts the tags that an item has itself first, as far as they are in the vocabulary.
fn with_own(found: Vec<Proposal>, own: &[String], vocabulary: &Vocabulary) -> Vec<Proposal> {
    let mut all: Vec<Proposal> = Vec::new();
    for tag in own {
        let entry = vocabulary.get(tag).or_else(|| vocabulary.nearest(tag));
        if let Some(entry) = entry.filter(|entry| !all.iter().any(|known| known.tag == entry.tag)) {
            all.push(Proposal {
                tag: entry.tag.clone(),
                confidence: 0.9,
                reason: format!("its source says {tag:?}"),
            });
        }
    }
    let new = found
        .into_iter()
        .filter(|proposal| !own.contains(&proposal.tag));
    all.extend(new);
    all.dedup_by(|a, b| a.tag == b.tag);
    all.truncate(PROPOSALS_MAX);
    all
}

impl Judged {
    fn known(id: String, item: Item, fate: Fate) -> Self {
        Self {
            id,
            item,
            fate,
            scores: Scores::default(),
            routes: Vec::new(),
            tags: Vec::new(),
            is_known: true,
            around: Around::default(),
        }
    }
}

/// Notes of a vault that are looked at to learn what is usual in it.
const SAMPLE_MAX: usize = 200;
/// The same for a vault of more notes than this, where each takes longer.
const SAMPLE_MAX_LARGE: usize = 60;
const LARGE: usize = 3_000;

/// Looks around some notes of a vault, spread evenly, as if each were not there yet.
fn sample(place: &Place<'_>) -> Result<Vec<(usize, Around)>> {
    let n_notes = place.library.notes.len();
    let n_wanted = match n_notes > LARGE {
        true => SAMPLE_MAX_LARGE,
        false => SAMPLE_MAX,
    };
    let step = n_notes.div_ceil(n_wanted).max(1);
    let mut sample = Vec::new();
    for at in (0..n_notes).step_by(step) {
        let item = note_item(place.store, place.library, at)?;
        sample.push((at, place.around(&item, Some(at))?));
    }
    Ok(sample)
}

/// Says what became of items that all came in before.
pub fn known(items: Vec<Item>, log: &[Entry]) -> Vec<Judged> {
    let fates: HashMap<&str, &Fate> = log.iter().map(|entry| (&*entry.id, &entry.fate)).collect();
    let known = |item: Item| {
        let id = item.id();
        let fate = fates
            .get(id.as_str())
            .map_or(Fate::Logged, |fate| (*fate).clone());
        Judged::known(id, item, fate)
    };
    items.into_iter().map(known).collect()
}

/// Plans the notes of what is kept, and says where each of them will be; proposals of tags go into the queue of tags.
pub fn plan(writer: &Writer<'_>, judged: &mut [Judged], day: &str) -> Result<Batch> {
    let kept = judged.iter_mut();
    let mut kept: Vec<&mut Judged> = kept
        .filter(|judged| !judged.is_known && matches!(judged.fate, Fate::Kept { .. }))
        .collect();
    let n = kept.len();
    let mut batch = Batch::new(
        "intake",
        &format!("{n} {}", if n == 1 { "note" } else { "notes" }),
    );
    let seen = writer.read(QUEUE)?;
    let text = seen
        .as_ref()
        .map(|seen| String::from_utf8_lossy(&seen.bytes).into_owned());
    let mut queue = Queue::read(&text.unwrap_or_default());
    let mut has_tags = false;
    let mut taken = HashSet::new();
    for judged in &mut kept {
        let folder = judged.folder().to_owned();
        let path = place(writer, &mut batch, judged, &folder, day, &mut taken)?;
        if !judged.tags.is_empty() {
            queue.put(&path, &judged.item.title, &judged.tags);
            has_tags = true;
        }
        judged.fate = Fate::Kept { path };
    }
    match seen {
        _ if !has_tags => {}
        Some(seen) => batch.write(seen, queue.write().into_bytes()),
        None => batch.create(QUEUE, queue.write().into_bytes()),
    }
    Ok(batch)
}

/// Plans the note of one item in a folder, and returns its path. One that lies in the vault already is moved.
fn place(
    writer: &Writer<'_>,
    batch: &mut Batch,
    judged: &Judged,
    folder: &str,
    day: &str,
    taken: &mut HashSet<String>,
) -> Result<String> {
    let proposed: Vec<String> = judged
        .tags
        .iter()
        .map(|proposal| proposal.tag.clone())
        .collect();
    let facts = note::facts(&judged.scores, &proposed, day);
    // A note moves; of anything else a note is made.
    let is_note = |path: &&String| path.to_lowercase().ends_with(".md");
    let source = match judged.item.in_vault.as_ref().filter(is_note) {
        Some(path) => unchanged(writer, path, &judged.item)?,
        None => None,
    };
    let name = match &source {
        Some(seen) => file_stem(&seen.path).to_owned(),
        None => note::file_name(&judged.item.title),
    };
    let path = free_path(writer, folder, &name, source.as_ref(), taken)?;
    match source {
        Some(seen) => {
            let text = String::from_utf8_lossy(&seen.bytes).into_owned();
            let bytes = note::added(&text, &facts).into_bytes();
            match seen.path == path {
                true => batch.write(seen, bytes),
                false => batch.rename(seen, &path, bytes),
            }
        }
        None => {
            let text = note::text(&judged.item, &judged.id, &path, &facts);
            batch.create(&path, text.into_bytes());
        }
    }
    Ok(path)
}

/// Returns the file of an item in the vault, if it still says what was judged.
fn unchanged(writer: &Writer<'_>, path: &str, item: &Item) -> Result<Option<Seen>> {
    let seen = writer.read(path)?;
    Ok(seen.filter(|seen| {
        let Ok(text) = std::str::from_utf8(&seen.bytes) else {
            return false;
        };
        let body = text.get(body_start(text)..).unwrap_or_default();
        let (clean, _) = kenning::secrets::mask(body.to_owned());
        Print::of(&clean) == Print::of(&item.text)
    }))
}

fn free_path(
    writer: &Writer<'_>,
    folder: &str,
    name: &str,
    own: Option<&Seen>,
    taken: &mut HashSet<String>,
) -> Result<String> {
    for number in 1.. {
        let gap = if folder.is_empty() { "" } else { "/" };
        let path = match number {
            1 => format!("{folder}{gap}{name}.md"),
            number => format!("{folder}{gap}{name} ({number}).md"),
        };
        let is_own = own.is_some_and(|seen| seen.path == path);
        let is_free = is_own || writer.read(&path)?.is_none();
        if is_free && taken.insert(path.to_lowercase()) {
            return Ok(path);
        }
    }
    unreachable!("some number is free")
}

/// Plans the note of an item that waited for a person, in the folder that they chose.
pub fn keep(
    writer: &Writer<'_>,
    entry: &Entry,
    folder: &str,
    day: &str,
) -> Result<(Batch, String)> {
    let mut judged = Judged::known(entry.id.clone(), entry.item.clone(), entry.fate.clone());
    let [total, relevance, actionability, depth, authority] = entry.scores;
    let score = |value| score::Score {
        value,
        reasons: Vec::new(),
    };
    judged.scores = Scores {
        relevance: score(relevance),
        actionability: score(actionability),
        depth: score(depth),
        authority: score(authority),
        total,
    };
    let mut batch = Batch::new("intake review", &entry.item.title);
    let folder = folder.trim_matches('/');
    let path = place(
        writer,
        &mut batch,
        &judged,
        folder,
        day,
        &mut HashSet::new(),
    )?;
    Ok((batch, path))
}

/// Returns a note of the index as an item.
pub(crate) fn note_item(store: &Store, library: &Library, at: usize) -> Result<Item> {
    let known = &library.notes[at];
    let text = store.text(known.id, &Part::Whole)?;
    Ok(Item {
        kind: "note".to_owned(),
        title: known.title.clone(),
        author: known
            .properties
            .get("author")
            .and_then(|author| author.as_str())
            .map(str::to_owned),
        published: known.date.clone(),
        properties: known.properties.clone(),
        text: text.get(body_start(&text)..).unwrap_or_default().to_owned(),
        ..Item::default()
    })
}

#[cfg(test)]
mod tests;
