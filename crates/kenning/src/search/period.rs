//! Among which notes a question is asked: those of the time that it names if they answer it, otherwise
//! all of them.

use std::rc::Rc;

use super::evidence::Evidence;
use super::plan::{Plan, Typed};
use super::ranked::Ranked;
use super::when::When;
use super::{Ranking, SearchContext, SearchOptions, rank, verdict};
use crate::error::Result;

/// How much of what all notes say to a question those of a time must say, to be the answer alone: where
/// a word is in most notes, or in none, nothing is ever said surely, but the time is.
const AS_GOOD: f32 = 0.9;

/// How to have it otherwise, wherever the question was asked.
const SWITCH: &str = "`dates = false` (`--no-dates`) switches this off";

/// Ranks what answers `text`.
pub(super) fn find<'a>(
    cx: &SearchContext<'a>,
    text: &str,
    options: &SearchOptions,
) -> Result<Ranking<'a>> {
    let typed = Rc::new(Typed::parse(cx.store, text, options)?);
    let ask = |words: &str, when: Option<Rc<When>>| {
        let typed = Rc::clone(&typed);
        rank(cx, Plan::new(cx, typed, words, when, options)?)
    };
    let words = typed.request.words.as_str();
    let Some(when) = &typed.when else {
        return ask(words, None);
    };
    let shown = when.time.shown();
    let rest = when.words();
    let mut limited = None;
    if when.is_limit() && !when.notes.is_empty() {
        let left = rest.as_deref().unwrap_or(words);
        let mut ranking = ask(left, Some(Rc::clone(when)))?;
        let verdict = verdict::of(cx, &mut ranking)?;
        let notice = format!("only notes from {shown}; {SWITCH}");
        ranking.notices.push(notice);
        if verdict.evidence >= Evidence::Moderate {
            return Ok(ranking);
        }
        limited = Some((ranking, verdict)).filter(|(_, verdict)| verdict.evidence > Evidence::None);
    }
    // No note says "last month" of itself, neither those of it nor others. Where no note is of a time,
    // what was typed may be what notes tell of.
    let is_left =
        |rest: &&String| !rest.is_empty() && (when.time.is_limit || !when.notes.is_empty());
    let left = rest.as_ref().filter(is_left).map_or(words, String::as_str);
    let mut ranking = ask(left, Some(Rc::new(when.preferred())))?;
    if let Some((limited, verdict)) = limited
        && verdict.confidence >= AS_GOOD * verdict::of(cx, &mut ranking)?.confidence
    {
        return Ok(limited);
    }
    let is_lifted = |ranked: &Ranked| ranked.fused.period > 0.0;
    if when.time.is_limit {
        let notice = format!("no note from {shown} answers this, so all were searched; {SWITCH}");
        ranking.notices.push(notice);
    } else if ranking.best.iter().any(is_lifted) {
        let notice = format!("notes from {shown} are preferred; {SWITCH}");
        ranking.notices.push(notice);
    }
    Ok(ranking)
}
