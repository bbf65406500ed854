//! What is among the hits whatever its score. Decided by the usual list, not by how many hits are
//! asked for, so that a short list stays the beginning of a long one.

use std::cmp::Ordering;
use std::sync::Arc;

use super::grammar::Request;
use super::list::{self, USUAL_LENGTH};
use super::ranked::{Promise, Ranked, by_score_and_place};
use super::select::Selection;
use crate::error::Result;
use crate::note;
use crate::store::{By, Select, Store, Wanted};

/// A tag that was named is among the first so many: short lists are asked for, too.
const TAGGED_AMONG: usize = 3;

/// A `#tag` in the query is among the first hits if any note has it.
pub(super) fn keep_tags(
    store: &Store,
    request: &Request,
    selection: &Selection<'_>,
    best: &mut Vec<Ranked>,
) -> Result<()> {
    let mut n_kept = 0;
    for tag in &request.tags {
        let has_tag = |tags: &[String]| tags.iter().any(|own| note::is_tag_or_below(own, tag));
        let usual = list::usual(best);
        let is_tagged = |place: &&usize| has_tag(&best[**place].note.tags);
        let found = usual.iter().position(|place| is_tagged(&place));
        if found.is_some_and(|at| at < TAGGED_AMONG + n_kept) {
            continue;
        }
        let tagged = match found {
            Some(at) => Some(best.remove(usual[at])),
            None => newest_tagged(store, selection, has_tag)?,
        };
        if let Some(tagged) = tagged {
            let place = usual.get(TAGGED_AMONG + n_kept - 1);
            promote(best, tagged, place.copied(), Promise::Tag);
            n_kept += 1;
        }
    }
    Ok(())
}

/// The first passage of the newest note that has a tag.
fn newest_tagged(
    store: &Store,
    selection: &Selection<'_>,
    has_tag: impl Fn(&[String]) -> bool,
) -> Result<Option<Ranked>> {
    let wanted = Wanted {
        tags: true,
        ..Wanted::NAMES
    };
    let mut tagged = Arc::unwrap_or_clone(store.select(Select::Every, wanted)?);
    tagged.retain(|facts| has_tag(&facts.tags));
    tagged.sort_by(|a, b| (&b.date, &a.path).cmp(&(&a.date, &b.path)));
    for facts in tagged {
        if selection.has(facts.id)?
            && let Some(chunk) = store.chunks(By::Note(facts.id))?.into_iter().next()
        {
            return Ranked::unscored(store, chunk).map(Some);
        }
    }
    Ok(None)
}

/// The passage that is best by words, if it holds every one of them, is in the usual list in any
/// case: what was typed stands there.
pub(super) fn keep_perfect(best: &mut Vec<Ranked>) {
    let usual = list::usual(best);
    let Some((kept, below)) = usual.split_at_checked(USUAL_LENGTH) else {
        return;
    };
    let perfect = |places: &[usize]| {
        let places = places.iter().copied();
        let perfect = places.filter(|&place| is_perfect(&best[place]));
        perfect.max_by(|&a, &b| by_words(&best[a], &best[b]))
    };
    let Some(found) = perfect(below) else {
        return;
    };
    let is_better = |kept: usize| by_words(&best[kept], &best[found]).is_lt();
    let last = kept[USUAL_LENGTH - 1];
    if perfect(kept).is_none_or(is_better) && !best[last].is_pinned() {
        let found = best.remove(found);
        promote(best, found, Some(last), Promise::Words);
    }
}

/// Puts a passage in the place of another one, with the score of that one. Where its own score is better than that of
/// whoever stands above that place, it goes where that score belongs.
pub(super) fn promote(
    best: &mut Vec<Ranked>,
    mut one: Ranked,
    place: Option<usize>,
    promise: Promise,
) {
    let n_pinned = best.iter().take_while(|ranked| ranked.is_pinned()).count();
    let rest = best.iter().skip(n_pinned);
    let own = n_pinned + rest.take_while(|ranked| ranked.score >= one.score).count();
    let place = place.unwrap_or(best.len()).max(n_pinned).min(own);
    let above = best.get(place).or(best.last());
    let lifted = above.map_or(0.0, |above| above.score);
    // Being recent may take a score above one; whoever shows hits cuts that off, of all alike.
    one.score = one.score.max(lifted);
    one.promise = Some(promise);
    best.insert(place.min(best.len()), one);
}

fn is_perfect(ranked: &Ranked) -> bool {
    let features = ranked.features.as_ref();
    features.is_some_and(|features| features.coverage > 0.999)
}

fn by_words(a: &Ranked, b: &Ranked) -> Ordering {
    (a.candidate().lexical.total_cmp(&b.candidate().lexical)).then_with(|| by_score_and_place(b, a))
}
