//! How a hit came by its score: the figures of the code that scored it, stage by stage.

use super::fuse::Candidate;
use super::intent::Intent;
use super::rerank::Features;
use super::tuning::{Fusion, Tuning};

/// One stage of the ranking and what it said of a hit.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The stage.
    pub name: &'static str,
    /// The score after it, or the figure it contributed.
    pub value: f32,
    /// What it is made of.
    pub detail: String,
}

/// Tells the stages of one hit.
pub(super) fn stages(
    candidate: &Candidate,
    intent: Intent,
    tuning: &Tuning,
    is_pinned: bool,
) -> Vec<Stage> {
    let mut stages = Vec::new();
    let mut add = |name, value, detail| {
        stages.push(Stage {
            name,
            value,
            detail,
        })
    };
    let rank =
        |rank: Option<u32>| rank.map_or("unlisted".to_owned(), |rank| format!("rank {rank}"));
    let (note, chunk) = candidate.lexical_parts;
    add(
        "words",
        candidate.lexical,
        format!(
            "{}, note {note:.3}, passage {chunk:.3}",
            rank(candidate.lexical_rank)
        ),
    );
    if let Some(cosine) = candidate.cosine {
        let detail = format!(
            "{}, cosine {cosine:.3} above {:.3}",
            rank(candidate.vector_rank),
            candidate.background
        );
        add("meaning", candidate.vector, detail);
    }
    let how = match tuning.fusion {
        Fusion::Blend { vector } => {
            let share = vector_share(vector, intent, tuning);
            format!("{}, share of meaning {share:.2}", intent.name())
        }
        Fusion::Rrf { k, .. } => format!("reciprocal ranks, k {k}"),
    };
    add("fusion", candidate.fused, how);
    if let Some(look) = candidate.look {
        add("closer look", look.weighted(&tuning.look), seen(&look));
    }
    if let Some(decay) = candidate
        .decay
        .filter(|decay| decay.factor != 1.0 || decay.boost != 0.0)
    {
        let demoted = if decay.is_demoted { ", superseded" } else { "" };
        let detail = format!("{}, boost {:.2}{demoted}", decay.reason.name(), decay.boost);
        add("age", decay.factor, detail);
    }
    if let Some(terms) = candidate.graph {
        let detail = format!(
            "score {:.3}, pagerank {:.3}, centrality {:.3}, recent {:.2}",
            terms.score, terms.pagerank, terms.centrality, terms.recent
        );
        add("links", terms.total(), detail);
    }
    if is_pinned {
        add("name", 1.0, "its note was called by name".to_owned());
    }
    stages
}

/// What the closer look saw.
fn seen(look: &Features) -> String {
    let mut seen = String::new();
    for (name, value) in [
        ("phrase", look.phrase),
        ("together", look.proximity),
        ("title", look.title),
        ("called", look.called),
        ("heading", look.heading),
        ("linked", look.linked),
        ("kin", look.kin),
        ("like words", look.similarity),
        ("coverage", look.coverage),
    ] {
        seen += &format!("{name} {value:.2}, ");
    }
    match look.stuffing > 0.0 {
        true => format!("{seen}repeats what was asked {:.2}", look.stuffing),
        false => seen.trim_end_matches(", ").to_owned(),
    }
}

/// The share of meaning in the blend for what was typed.
pub(super) fn vector_share(share: f32, intent: Intent, tuning: &Tuning) -> f32 {
    if tuning.leans {
        (share * intent.vector_factor()).min(1.0)
    } else {
        share
    }
}
