//! The answers of several domains as one. Each domain has an index, words and a mean similarity of its
//! own, so their scores are not on one scale; but each says how sure it is, and that decides.

use super::{Hit, SearchResponse};

/// Grades of evidence, worst first.
const GRADES: [&str; 4] = ["none", "weak", "moderate", "strong"];

const CHARS_PER_TOKEN: usize = 4;

/// Merges answers to the same question: best score by confidence first, earlier domains first among
/// equals. Each kept to the limits; together they must, too.
pub(crate) fn merge(
    answers: Vec<(String, SearchResponse)>,
    limit: usize,
    max_tokens: Option<usize>,
) -> Option<SearchResponse> {
    if answers.len() < 2 {
        return answers.into_iter().next().map(|(_, answer)| answer);
    }
    let mut joined: Option<SearchResponse> = None;
    let mut worth: Vec<f64> = Vec::new();
    for (domain, mut answer) in answers {
        for hit in &mut answer.hits {
            hit.domain = Some(domain.clone());
            worth.push(hit.score * answer.confidence);
        }
        let notices = answer.notices.into_iter();
        answer.notices = notices
            .map(|notice| format!("{domain}: {notice}"))
            .collect();
        joined = Some(match joined {
            None => answer,
            Some(so_far) => both(so_far, answer),
        });
    }
    let mut joined = joined?;
    let mut hits: Vec<_> = worth.into_iter().zip(joined.hits).collect();
    hits.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    joined.hits = hits.into_iter().map(|(_, hit)| hit).take(limit).collect();
    if let Some(max_tokens) = max_tokens {
        keep_tokens(&mut joined.hits, max_tokens);
    }
    for (rank, hit) in (1..).zip(&mut joined.hits) {
        hit.rank = rank;
    }
    Some(joined)
}

/// Keeps the hits that fit, up to the first one that does not.
fn keep_tokens(hits: &mut Vec<Hit>, max_tokens: usize) {
    let mut room = max_tokens.saturating_mul(CHARS_PER_TOKEN);
    let fitting = hits.iter().take_while(|hit| {
        let n_chars = hit.text.chars().count();
        let fits = n_chars <= room;
        room = room.saturating_sub(n_chars);
        fits
    });
    let n_fitting = fitting.count().max(1);
    hits.truncate(n_fitting);
}

fn both(mut a: SearchResponse, b: SearchResponse) -> SearchResponse {
    let grade = |name: &str| GRADES.iter().position(|grade| *grade == name);
    if grade(b.evidence) > grade(a.evidence) {
        a.evidence = b.evidence;
    }
    a.confidence = a.confidence.max(b.confidence);
    a.took_ms += b.took_ms;
    a.index_age_s = a.index_age_s.max(b.index_age_s);
    a.notices.extend(b.notices);
    // Notes of one domain in the language of the question are enough.
    a.notes_language = a.notes_language.filter(|_| b.notes_language.is_some());
    a.hits.extend(b.hits);
    a
}
