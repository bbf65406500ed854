//! Who asks how something is done is shown the steps: the items of the list that the best sentence
//! stands in, or leads to. Pure.

use super::Reach;
use super::quotable::is_item;
use super::sentences::Sentence;

/// Sentences that may lead to a list.
const LEADS_MAX: usize = 3;

/// Returns the first items of the list that one of the best sentences belongs to, in their order, each
/// with all of its text marked.
pub(super) fn listed(
    ranked: &[Sentence],
    all: &[Sentence],
    passages: &[Reach],
    n_max: usize,
) -> Option<Vec<Sentence>> {
    let is_step =
        |sentence: &Sentence| is_item(&passages[sentence.passage].text[sentence.raw.clone()]);
    for best in ranked.iter().take(LEADS_MAX) {
        let mut own: Vec<&Sentence> = all
            .iter()
            .filter(|one| one.passage == best.passage)
            .collect();
        own.sort_by_key(|one| one.place);
        let Some(at) = own.iter().position(|one| one.place == best.place) else {
            continue;
        };
        let start = match is_step(best) {
            true => own[..at]
                .iter()
                .rposition(|one| !is_step(one))
                .map_or(0, |last| last + 1),
            false if leads(&own, at, is_step) => first_lead(&own, at, is_step) + 1,
            false => continue,
        };
        let items = own[start..]
            .iter()
            .take_while(|one| is_step(one))
            .take(n_max);
        let items: Vec<Sentence> = items.map(|one| marked(one, best.score)).collect();
        if items.len() > 1 {
            return Some(items);
        }
    }
    None
}

/// Whether a sentence leads to a list.
fn leads(own: &[&Sentence], at: usize, is_step: impl Fn(&Sentence) -> bool) -> bool {
    !is_step(own[at]) && own.get(at + 1).is_some_and(|next| is_step(next))
}

/// The first sentence of the passage that leads to a list and says as much of what was asked: of two ways to
/// do it, the one that is told first.
fn first_lead(own: &[&Sentence], at: usize, is_step: impl Fn(&Sentence) -> bool + Copy) -> usize {
    let said = |place: usize| own[place].signals[0];
    let mut earlier = (0..at).filter(|&place| leads(own, place, is_step));
    earlier.find(|&place| said(place) >= said(at)).unwrap_or(at)
}

fn marked(item: &Sentence, score: f32) -> Sentence {
    Sentence {
        score,
        span: Some(0..item.text.len()),
        ..item.clone()
    }
}
