//! Weighs candidates by age: by their place among an author's notes, or by a half-life. Pure.
//!
//! Decay re-orders near ties and never removes anything. What is not known (a date, an author) never
//! counts against a note.

#[cfg(test)]
mod tests;

use jiff::civil::Date;
use std::collections::{BTreeMap, HashMap};

/// How a domain's notes age.
#[derive(Clone, Debug, PartialEq)]
pub struct Decay {
    /// The rule.
    pub mode: Aging,
    /// Factor for a note that another one replaces, in every mode; 1 leaves it alone.
    pub superseded: f32,
}

impl Default for Decay {
    fn default() -> Self {
        Self {
            mode: Aging::Off,
            superseded: 0.5,
        }
    }
}

/// The rule by which notes age.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Aging {
    /// They do not.
    #[default]
    Off,
    /// By how many newer notes there are of the same author or folder.
    RankedGrouped(RankedGrouped),
    /// By their age alone.
    HalfLife(HalfLife),
}

impl Aging {
    /// Returns the name that settings use.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::RankedGrouped(_) => "ranked_grouped",
            Self::HalfLife(_) => "half_life",
        }
    }
}

/// Settings of `ranked_grouped`.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedGrouped {
    /// Factor of the newest note of a group, of the second newest and so on; the last is the floor.
    pub ladder: Vec<f32>,
    /// Days since its file was modified up to which a note is lifted.
    pub recency_boost_days: i32,
    /// What is added to the score of such a note; once, be it here or where links count.
    pub recency_boost_amount: f32,
    /// Kinds of note that are grouped by folder instead of author, each with its own ladder.
    pub kind_overrides: BTreeMap<String, Vec<f32>>,
}

impl Default for RankedGrouped {
    fn default() -> Self {
        Self {
            ladder: vec![1.0, 0.6, 0.45, 0.35, 0.25],
            recency_boost_days: 30,
            recency_boost_amount: 0.05,
            kind_overrides: BTreeMap::new(),
        }
    }
}

/// Settings of `half_life`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfLife {
    /// Share of the score that ages.
    pub weight: f32,
    /// Age at which half of that share is left.
    pub half_life_days: f32,
}

impl Default for HalfLife {
    fn default() -> Self {
        Self {
            weight: 0.15,
            half_life_days: 30.0,
        }
    }
}

/// What is known of a candidate's note that ages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Dated<'a> {
    /// Score so far.
    pub(crate) score: f32,
    /// Who wrote it.
    pub(crate) author: Option<&'a str>,
    /// `kind` of the note.
    pub(crate) kind: Option<&'a str>,
    /// Path of the note; candidates of one path are one note.
    pub(crate) path: &'a str,
    /// Day it was published.
    pub(crate) date: Option<Date>,
    /// Day its file was last modified.
    pub(crate) modified: Option<Date>,
    /// It never ages.
    pub(crate) is_evergreen: bool,
    /// Another note replaces it.
    pub(crate) is_superseded: bool,
}

/// What age does to a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Decayed {
    /// What the score is multiplied by, with the demotion of superseded notes.
    pub(crate) factor: f32,
    /// What is added afterwards for being recent.
    pub(crate) boost: f32,
    /// Why.
    pub(crate) reason: Reason,
    /// The factor holds the demotion of a superseded note.
    pub(crate) is_demoted: bool,
}

impl Decayed {
    /// Returns the new score.
    pub(crate) fn score(&self, score: f32) -> f32 {
        score * self.factor + self.boost
    }
}

/// Why a candidate has its factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reason {
    /// Notes of this domain do not age.
    Off,
    /// This note does not age.
    Evergreen,
    /// Its date is not known.
    NoDate,
    /// Its author is not known, so that it has nothing to be newer or older than.
    NoGroup,
    /// Its place among its group, 1 being the newest.
    Ladder {
        /// 1-based; notes of one day share a place.
        rank: usize,
    },
    /// Its age.
    HalfLife {
        /// Whole days, 0 for a date in the future.
        age_days: i32,
    },
}

impl Reason {
    /// Returns the name for explanations.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Evergreen => "evergreen",
            Self::NoDate => "no_date",
            Self::NoGroup => "no_group",
            Self::Ladder { .. } => "ladder",
            Self::HalfLife { .. } => "half_life",
        }
    }
}

/// Weighs each candidate, in the order given.
pub(crate) fn weigh(candidates: &[Dated<'_>], today: Date, decay: &Decay) -> Vec<Decayed> {
    let groups = match &decay.mode {
        Aging::RankedGrouped(settings) => dates_by_group(candidates, settings),
        Aging::Off | Aging::HalfLife(_) => HashMap::new(),
    };
    candidates
        .iter()
        .map(|candidate| {
            let (mut factor, reason) = match &decay.mode {
                Aging::Off => (1.0, Reason::Off),
                Aging::HalfLife(settings) => by_half_life(candidate, today, settings),
                Aging::RankedGrouped(settings) => by_ladder(candidate, &groups, settings),
            };
            let mut boost = match &decay.mode {
                Aging::RankedGrouped(settings) => recency_boost(candidate, today, settings),
                Aging::Off | Aging::HalfLife(_) => 0.0,
            };
            // That a note is replaced is not a matter of age: it holds for evergreen notes and
            // without decay too, and being recent does not make up for it.
            if candidate.is_superseded {
                factor *= decay.superseded;
                boost = 0.0;
            }
            Decayed {
                factor,
                boost,
                reason,
                is_demoted: candidate.is_superseded,
            }
        })
        .collect()
}

/// Whose notes a note is compared with.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Group<'a> {
    Author(String),
    Folder { kind: &'a str, folder: &'a str },
}

/// Returns the group of a candidate and the ladder that holds there.
fn group_of<'a>(
    candidate: &Dated<'a>,
    settings: &'a RankedGrouped,
) -> Option<(Group<'a>, &'a [f32])> {
    let own = candidate.kind.and_then(|kind| {
        settings
            .kind_overrides
            .iter()
            .find(|(name, _)| name.to_lowercase() == kind.to_lowercase())
    });
    if let Some((kind, ladder)) = own {
        let folder = candidate.path.rsplit_once('/').map_or("", |(dir, _)| dir);
        return Some((Group::Folder { kind, folder }, ladder));
    }
    let author = candidate.author?.trim();
    (!author.is_empty()).then(|| (Group::Author(author.to_lowercase()), &*settings.ladder))
}

/// Dates of the notes in each group, newest first. Notes that do not age take no place.
fn dates_by_group<'a>(
    candidates: &[Dated<'a>],
    settings: &'a RankedGrouped,
) -> HashMap<Group<'a>, Vec<(Date, &'a str)>> {
    let mut groups: HashMap<Group<'a>, Vec<(Date, &'a str)>> = HashMap::new();
    for candidate in candidates.iter().filter(|c| !c.is_evergreen) {
        if let (Some(date), Some((group, _))) = (candidate.date, group_of(candidate, settings)) {
            groups
                .entry(group)
                .or_default()
                .push((date, candidate.path));
        }
    }
    for dates in groups.values_mut() {
        dates.sort_unstable_by(|a, b| b.cmp(a));
        dates.dedup();
    }
    groups
}

fn by_ladder(
    candidate: &Dated<'_>,
    groups: &HashMap<Group<'_>, Vec<(Date, &str)>>,
    settings: &RankedGrouped,
) -> (f32, Reason) {
    if candidate.is_evergreen {
        return (1.0, Reason::Evergreen);
    }
    let Some(date) = candidate.date else {
        return (1.0, Reason::NoDate);
    };
    let Some((group, ladder)) = group_of(candidate, settings) else {
        return (1.0, Reason::NoGroup);
    };
    // Only newer notes push a note down: of two notes of one day neither is the older one.
    let n_newer = groups
        .get(&group)
        .map_or(0, |dates| dates.partition_point(|(other, _)| *other > date));
    let factor = ladder.get(n_newer).or(ladder.last()).copied();
    (factor.unwrap_or(1.0), Reason::Ladder { rank: n_newer + 1 })
}

fn recency_boost(candidate: &Dated<'_>, today: Date, settings: &RankedGrouped) -> f32 {
    match candidate.modified {
        Some(date) if age_days(date, today) <= settings.recency_boost_days => {
            settings.recency_boost_amount
        }
        _ => 0.0,
    }
}

fn by_half_life(candidate: &Dated<'_>, today: Date, settings: &HalfLife) -> (f32, Reason) {
    if candidate.is_evergreen {
        return (1.0, Reason::Evergreen);
    }
    let Some(date) = candidate.date else {
        return (1.0, Reason::NoDate);
    };
    let age_days = age_days(date, today);
    let left = if settings.half_life_days > 0.0 {
        (-(age_days as f32) / settings.half_life_days).exp2()
    } else {
        1.0
    };
    let factor = 1.0 - settings.weight + settings.weight * left;
    (factor, Reason::HalfLife { age_days })
}

/// Age in whole days; a date in the future is of today.
fn age_days(date: Date, today: Date) -> i32 {
    (today - date).get_days().max(0)
}
