//! Scores what came in from 0 to 1, with the reasons in words: is it about what the vault is about, can something be
//! done with it, does it go deep, and who says it. The same item gets the same scores from the same index.

use std::collections::BTreeSet;

use super::around::Around;
use super::item::Item;
use super::shape::Shape;
use crate::library::Library;

/// What each score counts, and from which total on an item is kept or looked at by a person.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Weight of relevance.
    pub relevance: f32,
    /// Weight of actionability.
    pub actionability: f32,
    /// Weight of depth.
    pub depth: f32,
    /// Weight of authority.
    pub authority: f32,
    /// From this total on an item becomes a note.
    pub keep: f32,
    /// From this total on it waits for a person.
    pub review: f32,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            relevance: 0.4,
            actionability: 0.1,
            depth: 0.35,
            authority: 0.15,
            keep: 0.55,
            review: 0.40,
        }
    }
}

/// One score, and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// From 0 to 1.
    pub value: f32,
    /// Why, for a person.
    pub reasons: Vec<String>,
}

impl Score {
    fn add(&mut self, value: f32, reason: impl Into<String>) {
        self.value += value;
        let reason = reason.into();
        if value != 0.0 && !reason.is_empty() {
            self.reasons.push(reason);
        }
    }

    fn clamped(mut self) -> Self {
        // Two digits are what is told; comparing with more would look arbitrary.
        self.value = (self.value.clamp(0.0, 1.0) * 100.0).round() / 100.0;
        self
    }
}

/// The scores of an item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// Is it about what the vault is about?
    pub relevance: Score,
    /// Can something be done with it?
    pub actionability: Score,
    /// Does it go deep?
    pub depth: Score,
    /// Who says it?
    pub authority: Score,
    /// All of them by their weights.
    pub total: f32,
}

/// What is known of a vault, to score by.
pub struct Scorer<'a> {
    library: &'a Library,
    rules: Rules,
    /// How near the notes of the vault are to each other, usually.
    usual: f32,
    authors: BTreeSet<String>,
    hosts: BTreeSet<String>,
}

/// However deep it goes, what is about something else gets no more than this, and this times its relevance.
const FOREIGN: (f32, f32) = (0.40, 0.30);
/// However near it is, what says hardly anything gets no more than this, and this times its depth.
const EMPTY: (f32, f32) = (0.36, 0.55);
/// What is assumed of a vault that is too small to tell.
const USUAL: f32 = 0.5;
/// The nearest notes that tell how near a text is.
const N_NEAREST: usize = 3;

impl<'a> Scorer<'a> {
    /// Learns what is usual in a vault, from some of its notes.
    pub fn new(library: &'a Library, sample: &[(usize, Around)], rules: Rules) -> Self {
        let near = sample.iter().map(|(_, around)| nearness(&around.near));
        let mut own: Vec<f32> = near.collect();
        own.retain(|near| *near > 0.0);
        own.sort_by(f32::total_cmp);
        let usual = match own.len() {
            0..4 => USUAL,
            n => own[n / 2],
        };
        let property = |name: &'static str| {
            let notes = library.notes.iter();
            notes.filter_map(move |note| Some(note.properties.get(name)?.as_str()?.to_lowercase()))
        };
        Self {
            library,
            rules,
            usual,
            authors: property("author").collect(),
            hosts: property("source")
                .chain(property("url"))
                .filter_map(|url| host(&url))
                .collect(),
        }
    }

    /// Scores an item.
    pub fn score(&self, item: &Item, around: &Around) -> Scores {
        let shape = Shape::of(&item.title, &item.text);
        let relevance = self.relevance(around).clamped();
        let actionability = actionability(item, &shape).clamped();
        let depth = depth(&shape).clamped();
        let authority = self.authority(item, &shape).clamped();
        let rules = self.rules;
        let sum = rules.relevance + rules.actionability + rules.depth + rules.authority;
        let total = rules.relevance * relevance.value
            + rules.actionability * actionability.value
            + rules.depth * depth.value
            + rules.authority * authority.value;
        let total = (total / sum.max(f32::MIN_POSITIVE))
            .min(FOREIGN.0 + FOREIGN.1 * relevance.value)
            .min(EMPTY.0 + EMPTY.1 * depth.value);
        Scores {
            total: (total * 100.0).floor() / 100.0,
            relevance,
            actionability,
            depth,
            authority,
        }
    }

    fn relevance(&self, around: &Around) -> Score {
        let mut score = Score::default();
        let near = nearness(&around.near) / self.usual.max(0.05);
        let name = |at: usize| &self.library.notes[at].title;
        // Half as near as notes usually are to each other is not near at all.
        let value = 0.8 * ((near - 0.4) / 0.55).clamp(0.0, 1.0);
        match around.near.first().or(around.alike.first()) {
            Some((best, _)) if value > 0.4 => score.add(value, format!("near {:?}", name(*best))),
            Some((best, _)) if value > 0.0 => {
                score.add(value, format!("a little like {:?}", name(*best)))
            }
            _ => score.reasons.push("like nothing in the vault".to_owned()),
        }
        if around.near.is_empty() {
            // Without vectors, words have to do.
            score.add(
                0.8 * ((around.said - 0.4) / 0.5).clamp(0.0, 1.0),
                "by its words",
            );
        }
        let said = ((around.said - 0.6) / 0.4).clamp(0.0, 1.0);
        score.add(
            0.1 * said,
            if said > 0.7 {
                "in the words of the vault"
            } else {
                ""
            },
        );
        if !around.linked.is_empty() {
            let n = around.linked.len();
            score.add(
                0.1,
                format!("links to {n} {}", if n == 1 { "note" } else { "notes" }),
            );
        }
        let used = around
            .near
            .iter()
            .take(N_NEAREST)
            .map(|(at, _)| self.library.notes[*at].pagerank);
        let used = used.fold(0.0f32, f32::max);
        if used > 0.3 && value > 0.4 {
            score.add(0.05, "near what is linked much");
        }
        score
    }

    fn authority(&self, item: &Item, shape: &Shape) -> Score {
        let mut score = Score {
            value: 0.4,
            reasons: Vec::new(),
        };
        if let Some(author) = &item.author {
            let is_known = self.authors.contains(&author.to_lowercase());
            score.add(0.15, format!("by {author}"));
            score.add(if is_known { 0.2 } else { 0.0 }, "who wrote other notes");
        }
        if item.published.is_some() {
            score.add(0.1, "dated");
        }
        if let Some(host) = item.url.as_deref().and_then(host) {
            let is_known = self.hosts.contains(&host);
            score.add(0.1, format!("from {host}"));
            score.add(
                if is_known { 0.15 } else { 0.0 },
                "which other notes come from",
            );
        }
        if shape.n_links_out + shape.n_links_in > 0 && shape.n_prose >= 40 {
            score.add(0.15, "names its sources");
        }
        if shape.n_pitches > 0 {
            let n = shape.n_pitches.min(4) as f32;
            score.add(-0.2 * n, "sells something");
        }
        if shape.n_shouts * 25 > shape.n_words && shape.n_shouts > 1 {
            score.add(-0.2, "shouts");
        }
        score
    }
}

/// Returns how near the nearest notes are.
fn nearness(near: &[(usize, f32)]) -> f32 {
    let n = near.len().min(N_NEAREST);
    near.iter().take(n).map(|(_, near)| near).sum::<f32>() / n.max(1) as f32
}

fn actionability(item: &Item, shape: &Shape) -> Score {
    let mut score = Score::default();
    let title = item.title.to_lowercase();
    if [
        "how to ",
        "guide",
        "tutorial",
        "checklist",
        "set up",
        "install",
        "troubleshoot",
    ]
    .iter()
    .any(|mark| title.contains(mark))
    {
        score.add(0.25, "its title promises help");
    }
    if shape.n_steps > 1 {
        score.add(0.3, format!("{} steps", shape.n_steps));
    }
    if shape.n_tasks > 0 {
        score.add(0.3, format!("{} things to do", shape.n_tasks));
    }
    if shape.n_code > 0 {
        score.add(0.25, "has code");
    }
    if shape.n_orders > 0 && shape.n_pitches < 2 {
        let share = (shape.n_orders as f32 * 30.0 / shape.n_words.max(60) as f32).min(1.0);
        score.add(0.15 + 0.3 * share, "says what to do");
    }
    if shape.n_prose >= 40 {
        score.add(0.1, "");
    }
    if score.reasons.is_empty() {
        score.reasons.push("nothing to do".to_owned());
    }
    score
}

fn depth(shape: &Shape) -> Score {
    let mut score = Score::default();
    let n = shape.n_prose + 4 * shape.n_code + shape.n_linked / 3;
    let size = (n as f32 / 260.0).min(1.0).powf(0.6);
    score.add(0.75 * size, format!("{} words", shape.n_words));
    let n_headings = shape.n_headings;
    if n_headings > 1 {
        score.add(
            0.12 * (n_headings as f32 / 3.0).min(1.0),
            format!("{n_headings} sections"),
        );
    }
    score.add(0.13 * (shape.n_paragraphs as f32 / 3.0).min(1.0), "");
    let links = shape.link_share();
    if links > 0.4 && shape.n_links_out > 1 {
        let factor = (1.6 - 1.6 * links).clamp(0.6, 1.0);
        score.value *= factor;
        score
            .reasons
            .push(format!("{:.0} % of it are links", links * 100.0));
    }
    let variety = shape.n_distinct as f32 / shape.n_prose.max(1) as f32;
    if shape.n_prose > 60 && variety < 0.15 {
        score.value *= 0.5;
        score
            .reasons
            .push("says the same again and again".to_owned());
    }
    if shape.n_pitches > 1 {
        score.value *= 0.6;
        score.reasons.push("an advertisement".to_owned());
    }
    if n < 25 {
        score.reasons.push("a stub".to_owned());
    }
    score
}

/// Returns the host of an address.
pub(super) fn host(url: &str) -> Option<String> {
    let rest = url.split_once("://")?.1;
    let host = rest.split(['/', '?', '#', ':']).next()?;
    let host = host.trim_start_matches("www.").to_lowercase();
    (!host.is_empty()).then_some(host)
}
