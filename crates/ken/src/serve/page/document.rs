//! The document of the page, and a search without scripts in it. Whatever comes from outside is escaped here.

use super::PageParams;
use crate::preview::escaped;
use crate::wire::browse::PreviewResponse;
use crate::wire::{Hit, SearchResponse, encode};

const PAGE: &str = include_str!("../../../assets/page/page.html");
const SIGN_IN: &str = include_str!("../../../assets/page/sign-in.html");

/// Returns the page with the answer to a search and a note, where they were asked for.
pub(super) fn page(
    asked: &PageParams,
    answer: Option<Result<SearchResponse, String>>,
    note: Option<Result<PreviewResponse, String>>,
) -> String {
    let query = asked.q.trim();
    let results = answer.map(|answer| match answer {
        Ok(answer) => results(asked, &answer),
        Err(trouble) => format!("<p class=\"trouble\">{}</p>", escaped(&trouble)),
    });
    let note = note.map(|note| match note {
        Ok(note) => shown_note(&note),
        Err(trouble) => format!("<p class=\"trouble\">{}</p>", escaped(&trouble)),
    });
    let title = match query {
        "" => "Kenning".to_owned(),
        query => format!("{query} · Kenning"),
    };
    let domain = asked.domain.as_deref().map(|domain| {
        let domain = escaped(domain);
        format!("<input type=\"hidden\" name=\"domain\" value=\"{domain}\">")
    });
    filled(
        PAGE,
        &[
            ("title", &escaped(&title)),
            ("query", &escaped(query)),
            ("domain", domain.as_deref().unwrap_or_default()),
            ("results", results.as_deref().unwrap_or_default()),
            ("note", note.as_deref().unwrap_or_default()),
        ],
    )
}

/// Returns the page that asks for a token.
pub(super) fn sign_in(next: &str, trouble: Option<&str>) -> String {
    let trouble = trouble.map(|trouble| {
        let trouble = escaped(trouble);
        format!("<p class=\"trouble\" role=\"alert\">{trouble}</p>")
    });
    let trouble = trouble.unwrap_or_default();
    filled(SIGN_IN, &[("next", &escaped(next)), ("trouble", &trouble)])
}

/// Puts values in the places of a template; what looks like a place in a value stays as it is.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut parts = template.split("{{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap_or(("", part));
        let value = values.iter().find(|(known, _)| *known == name);
        out.push_str(value.map_or("", |(_, value)| value));
        out.push_str(rest);
    }
    out
}

/// Says what a grade of evidence means.
fn meaning(evidence: &str) -> &'static str {
    match evidence {
        "strong" => "all of what you asked for stands in these notes",
        "moderate" => "much of what you asked for stands in these notes",
        "weak" => "this is only near what you asked for",
        _ => "your notes do not say",
    }
}

fn results(asked: &PageParams, answer: &SearchResponse) -> String {
    let mut html = format!(
        "<p class=\"evidence evidence-{0}\"><b>{0}</b> {1}</p>",
        answer.evidence,
        meaning(answer.evidence)
    );
    for notice in &answer.notices {
        html.push_str(&format!("<p class=\"notice\">{}</p>", escaped(notice)));
    }
    html.push_str("<ol class=\"hits\">");
    answer
        .hits
        .iter()
        .for_each(|hit| html.push_str(&listed(asked, hit)));
    html.push_str("</ol>");
    html
}

fn listed(asked: &PageParams, hit: &Hit) -> String {
    let mut address = format!("/?q={}&note={}", encode(asked.q.trim()), encode(&hit.path));
    if let Some(domain) = &asked.domain {
        address.push_str(&format!("&domain={}", encode(domain)));
    }
    if let Some(domain) = &hit.domain {
        address.push_str(&format!("&of={}", encode(domain)));
    }
    if let Some(line) = hit.start_line {
        address.push_str(&format!("&line={line}#L{line}"));
    }
    format!(
        "<li class=\"hit\"><a class=\"hit-title\" href=\"{}\" dir=\"auto\">{}</a>\
         <p class=\"hit-place\" dir=\"ltr\">{}{}</p><p class=\"hit-excerpt\" dir=\"auto\">{}</p></li>",
        escaped(&address),
        escaped(&hit.title),
        hit.domain
            .as_deref()
            .map_or(String::new(), |domain| format!(
                "<span class=\"hit-domain\">{}</span>",
                escaped(domain)
            )),
        escaped(&hit.place()),
        marked(&hit.excerpt, &hit.highlights)
    )
}

/// Marks ranges of characters.
fn marked(text: &str, ranges: &[(usize, usize)]) -> String {
    let chars: Vec<char> = text.chars().collect();
    let piece = |from: usize, to: usize| {
        let to = to.min(chars.len());
        let piece: String = chars[from.min(to)..to].iter().collect();
        escaped(&piece)
    };
    let mut html = String::new();
    let mut at = 0;
    for &(from, to) in ranges {
        html.push_str(&piece(at, from));
        html.push_str(&format!("<mark>{}</mark>", piece(from.max(at), to)));
        at = to.max(at);
    }
    html + &piece(at, chars.len())
}

fn shown_note(note: &PreviewResponse) -> String {
    format!(
        "<article class=\"note\" aria-label=\"{0}\"><header class=\"note-head\"><h2 dir=\"auto\">{0}</h2>\
         <p class=\"note-path\" dir=\"ltr\">{1}</p></header><div class=\"note-body\">{2}</div></article>",
        escaped(&note.title),
        escaped(&note.path),
        note.html
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_outside_is_escaped() {
        let asked = PageParams {
            q: "<b>\"x\"</b> {{note}}".to_owned(),
            domain: Some("\"><script>".to_owned()),
            ..PageParams::default()
        };
        let html = page(&asked, Some(Err("<i>".to_owned())), None);
        assert!(
            html.contains("value=\"&lt;b&gt;&quot;x&quot;&lt;/b&gt; {{note}}\""),
            "{html}"
        );
        assert!(!html.contains("<script>") && !html.contains("<i>"));
        assert!(sign_in("\"><script>", Some("<i>")).matches("<i>").count() == 0);
    }

    #[test]
    fn ranges_are_marked_by_character() {
        assert_eq!(
            marked("äb<c", &[(1, 2), (3, 9)]),
            "ä<mark>b</mark>&lt;<mark>c</mark>"
        );
        assert_eq!(marked("ab", &[]), "ab");
    }
}
