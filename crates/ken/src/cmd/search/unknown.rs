//! Where nothing is found: tags among the conditions that no note has, and what was probably meant.

use strsim::damerau_levenshtein;

/// Says which tags of a query no note has; `known` are those that there are.
pub(super) fn tags(query: &str, known: &[String]) -> Vec<String> {
    let known: Vec<String> = known.iter().map(|tag| tag.to_lowercase()).collect();
    let mut told = Vec::new();
    for tag in asked(query) {
        let below = format!("{tag}/");
        if known
            .iter()
            .any(|known| *known == tag || known.starts_with(&below))
        {
            continue;
        }
        told.push(match nearest(&tag, &known) {
            Some(near) => format!("no note has the tag #{tag}; did you mean tag:{near}?"),
            None => format!("no note has the tag #{tag}; `ken tags` lists those that there are"),
        });
    }
    told
}

/// Returns the tags that a query asks for, in lower case. Expressions and what is ruled out are not among them.
fn asked(query: &str) -> Vec<String> {
    let mut tags = Vec::new();
    let mut rest = query;
    while let Some(at) = rest.find("tag:") {
        let begins = !rest[..at].ends_with(|c: char| c.is_alphanumeric() || "-_\"".contains(c));
        rest = &rest[at + 4..];
        let value = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => rest.split([' ', ')', '"']).next(),
        };
        let tag = value.unwrap_or_default().trim().trim_start_matches('#');
        if begins && !tag.is_empty() && !tag.starts_with('/') {
            tags.push(tag.to_lowercase());
        }
    }
    tags
}

/// Returns a tag that is spelled alike, as a whole or in its last part.
fn nearest<'a>(tag: &str, known: &'a [String]) -> Option<&'a String> {
    let distance = |other: &String| {
        let last = other.rsplit('/').next().unwrap_or(other);
        damerau_levenshtein(tag, other).min(damerau_levenshtein(tag, last))
    };
    let near = known
        .iter()
        .min_by_key(|other| (distance(other), other.len()))?;
    (distance(near) <= 1 + tag.chars().count() / 5).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_that_nobody_has_is_told_with_the_one_that_was_meant() {
        let known = ["home", "home/kitchen", "Work"].map(str::to_owned);
        let check = |query: &str, told: &[&str]| assert_eq!(tags(query, &known), told, "{query}");
        check("roof tag:home", &[]);
        check("roof tag:#WORK tag:\"home/kitchen\"", &[]);
        check("roof -tag:nowhere mytag:x tag:/^h/", &[]);
        check(
            "roof (tag:kichen OR x)",
            &["no note has the tag #kichen; did you mean tag:home/kitchen?"],
        );
        check(
            "tag:\"astronomy\"",
            &["no note has the tag #astronomy; `ken tags` lists those that there are"],
        );
    }
}
