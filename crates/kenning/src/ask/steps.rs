//! Who asks how something is done is shown the steps: the items of the list that the best sentence
//! stands in, or leads to. Pure.

use super::Reach;
use super::sentences::{Sentence, is_item};

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
            false if best.text.ends_with(':') => at + 1,
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

fn marked(item: &Sentence, score: f32) -> Sentence {
    Sentence {
        score,
        span: Some(0..item.text.len()),
        ..item.clone()
    }
}
