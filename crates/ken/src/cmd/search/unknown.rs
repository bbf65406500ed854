//! Where nothing is found: tags and folders among the conditions that no note has, and what was probably meant.

use strsim::damerau_levenshtein;

/// Says which tags of a query no note has; `known` are those that there are.
pub(super) fn tags(query: &str, known: &[String]) -> Vec<String> {
    let known: Vec<String> = known.iter().map(|tag| tag.to_lowercase()).collect();
    let mut told = Vec::new();
    for tag in asked(query, "tag:") {
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

/// Says which paths of a query no note has in its own; `known` are the folders that there are.
pub(super) fn paths(query: &str, known: &[String]) -> Vec<String> {
    let known: Vec<String> = known.iter().map(|folder| folder.to_lowercase()).collect();
    let mut told = Vec::new();
    for path in asked(query, "path:") {
        let path = path.trim_matches('/');
        if path.is_empty() || known.iter().any(|folder| folder.contains(path)) {
            continue;
        }
        // Without one that is spelled alike it may be a part of a file's name.
        if let Some(near) = nearest(path, &known) {
            let near = match near.contains(' ') {
                true => format!("\"{near}\""),
                false => near.clone(),
            };
            told.push(format!(
                "no folder is called {path}; did you mean path:{near}?"
            ));
        }
    }
    told
}

/// Returns what a query asks for of tags or paths, in lower case. Expressions and what is ruled out are not among them.
fn asked(query: &str, operator: &str) -> Vec<String> {
    let mut tags = Vec::new();
    let mut rest = query;
    while let Some(at) = rest.find(operator) {
        let begins = !rest[..at].ends_with(|c: char| c.is_alphanumeric() || "-_\"".contains(c));
        rest = &rest[at + operator.len()..];
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

/// Returns a tag or folder that is spelled alike, as a whole or in its last part.
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

    #[test]
    fn a_folder_that_is_not_there_is_told_with_the_one_that_was_meant() {
        let known = ["en/Plugins", "en/User interface", "Home"].map(str::to_owned);
        let check = |query: &str, told: &[&str]| assert_eq!(paths(query, &known), told, "{query}");
        check("roof path:Plugins -path:x path:en/ path:2024", &[]);
        check(
            "roof path:Plugns",
            &["no folder is called plugns; did you mean path:en/plugins?"],
        );
        check(
            "path:\"user interfce\"",
            &["no folder is called user interfce; did you mean path:\"en/user interface\"?"],
        );
    }
}
