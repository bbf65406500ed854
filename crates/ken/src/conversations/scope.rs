//! What a conversation is limited to, as it is typed: `folder:Home tag:work`. Pure.

use anyhow::Result;

use crate::hint::Hinted;
use crate::wire::rag::RagScope;

const HINT: &str = "write folder:Home, file:Home/Roof.md, category:Areas, tag:work or domain:home";

/// Understands conditions. Several of one kind let through more, of tags and places both must hold.
pub(crate) fn parse(typed: &str) -> Result<RagScope> {
    let mut scope = RagScope::default();
    for word in words(typed) {
        let (key, name) = match word.strip_prefix('#') {
            Some(tag) => ("tag", tag),
            None => word.split_once(':').unwrap_or(("", &word)),
        };
        let name = name.trim().trim_matches('/');
        let names = match key {
            "file" => &mut scope.files,
            "folder" => &mut scope.folders,
            "path" if is_file(name) => &mut scope.files,
            "path" => &mut scope.folders,
            "category" => &mut scope.categories,
            "tag" => &mut scope.tags,
            "domain" => &mut scope.domains,
            _ => {
                let error = format!("{word:?} is not a condition");
                return Err(Hinted::error(error, HINT));
            }
        };
        let name = name.trim_start_matches('#');
        if name.is_empty() {
            return Err(Hinted::error(format!("{key}: names nothing"), HINT));
        }
        names.push(name.to_owned());
    }
    Ok(scope)
}

/// Returns what a conversation was limited to when it was left.
pub(crate) fn kept(json: Option<&str>) -> Result<RagScope> {
    let Some(json) = json else {
        return Ok(RagScope::default());
    };
    // Earlier conversations have it as it was typed.
    match serde_json::from_str::<String>(json) {
        Ok(typed) => parse(&typed),
        Err(_) => Ok(serde_json::from_str(json)?),
    }
}

/// Whether a path is that of a file rather than a folder.
fn is_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.')
        .is_some_and(|(stem, ending)| !stem.is_empty() && !ending.contains(' '))
}

/// Words, of which those in quotation marks may have blanks.
fn words(typed: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in typed.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            c if c.is_whitespace() && !is_quoted => words.push(String::new()),
            c => words.last_mut().expect("there is one").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_name_places_tags_and_domains() {
        let scope =
            parse("folder:\"2-Areas/My Home/\" path:a/b.md path:1-Projects tag:work #tax domain:home category:3-Resources file:x.md")
                .unwrap();
        let told = serde_json::to_string(&scope).unwrap();
        insta::assert_snapshot!(told, @r#"{"files":["a/b.md","x.md"],"folders":["2-Areas/My Home","1-Projects"],"tags":["work","tax"],"categories":["3-Resources"],"domains":["home"]}"#);
        assert_eq!(kept(scope.kept().as_deref()).unwrap(), scope);
        assert_eq!(kept(None).unwrap(), RagScope::default());
        assert_eq!(kept(Some("\"path:Home\"")).unwrap().folders, ["Home"]);
    }

    #[test]
    fn what_is_no_condition_is_told() {
        for typed in ["Home", "folder:", "since:2024", "folder:a Home", "#"] {
            let error = parse(typed).unwrap_err();
            assert!(crate::hint::of(&error).is_some(), "{typed}: {error}");
        }
    }
}
