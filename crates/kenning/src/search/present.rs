//! From ranked passages to hits: excerpts are cut, and each hit tells how it was scored.

use super::excerpt::{self, Met};
use super::explain;
use super::grammar::Filter;
use super::matcher::Matcher;
use super::ranked::Ranked;
use super::verdict::Verdict;
use super::{Hit, Ranking, SearchContext, SearchOptions};
use crate::chunk;
use crate::error::Result;
use crate::note::{self, Format};
use crate::store::Part;

/// Makes hits of passages. Relative scores say who is best, not whether the best is any good: they are
/// shown by how certain the answer is.
pub(super) fn hits(
    cx: &SearchContext<'_>,
    ranking: &Ranking<'_>,
    shown: Vec<Ranked>,
    verdict: &Verdict,
    options: &SearchOptions,
) -> Result<Vec<Hit>> {
    let filter = ranking.plan.typed.request.filter.as_ref();
    let filter = filter.filter(|filter| filter.needs_text());
    let is_met = |line: &str| {
        filter.is_some_and(|filter| filter.positive_text_matches(line, &[], cx.budget))
    };
    let met = Met {
        is_met: &is_met,
        is_all: filter.is_some_and(Filter::asks_for_tasks),
    };
    let mut matcher = Matcher::new(&ranking.query);
    let mut hits = Vec::with_capacity(shown.len());
    for mut ranked in shown {
        ranked.read_text(cx.store)?;
        let stages = match options.is_explained {
            true => explain::stages(&ranked, &ranking.plan, verdict.certainty),
            false => Vec::new(),
        };
        let mut hit = hit(cx, ranked, met, &mut matcher)?;
        hit.stages = stages;
        if !hit.is_pinned {
            hit.score = (hit.score * verdict.certainty).min(1.0);
        }
        hits.push(hit);
    }
    cx.budget.check()?;
    Ok(hits)
}

fn hit(
    cx: &SearchContext<'_>,
    ranked: Ranked,
    met: Met<'_>,
    matcher: &mut Matcher<'_>,
) -> Result<Hit> {
    let is_pinned = ranked.is_pinned();
    let Ranked {
        fused,
        chunk,
        note,
        text,
        score,
        also_in,
        ..
    } = ranked;
    let text = text.unwrap_or_default();
    // A long table is cut between its rows.
    let whole = match text.starts_with('|') {
        true => cx.store.text(note.id, &Part::Whole)?,
        false => String::new(),
    };
    let source = excerpt::Source {
        text: &text,
        language: note.language,
        layout: Format::of(&note.path).unwrap_or(Format::Markdown).layout(),
        headings: &note::headings_in(&note.headings, &chunk.range),
        header: excerpt::table_header(&whole, chunk.range.start),
        met,
    };
    Ok(Hit {
        breadcrumb: chunk::breadcrumb(&note.title, &note.headings, chunk.heading)
            .into_iter()
            .map(str::to_owned)
            .collect(),
        excerpt: excerpt::cut(&source, matcher),
        stages: Vec::new(),
        also_in,
        is_pinned,
        score,
        lexical_rank: fused.candidate.lexical_rank,
        vector_rank: fused.candidate.vector_rank,
        text,
        note,
        chunk,
    })
}
