//! The ways in which a link to a file can be written, the one nearest to how it was first. Pure.

/// Returns how a link can be written that stood there as `target`, in the note at `source`, so that it leads to the
/// file at `path`.
pub(super) fn spellings(target: &str, was_relative: bool, source: &str, path: &str) -> Vec<String> {
    let has_ending = target.to_lowercase().ends_with(".md") || !is_note(path);
    let shown = |path: &str| match has_ending {
        true => path.to_owned(),
        false => path.strip_suffix(".md").unwrap_or(path).to_owned(),
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    let beside = relative(source, path);
    let mut ways = Vec::new();
    if target.starts_with("./") && !beside.starts_with("../") {
        ways.push(shown(&format!("./{beside}")));
    } else if was_relative || target.starts_with("../") || target.starts_with("./") {
        ways.push(shown(&beside));
    } else if target.starts_with('/') {
        ways.push(format!("/{}", shown(path)));
    } else if !target.contains('/') {
        ways.push(shown(name));
    }
    ways.push(shown(path));
    ways.push(shown(&beside));
    ways.push(format!("/{}", shown(path)));
    ways
}

/// Whether a target is the way from the folder of its note to the file at `path`.
pub(super) fn is_relative(target: &str, source: &str, path: &str) -> bool {
    let beside = relative(source, path).to_lowercase();
    let target = target.trim_start_matches("./").to_lowercase();
    target == beside || beside.strip_suffix(".md") == Some(&target)
}

fn is_note(path: &str) -> bool {
    path.to_lowercase().ends_with(".md")
}

/// Returns the way from the folder of one file to another.
fn relative(source: &str, path: &str) -> String {
    let folders: Vec<&str> = match source.rsplit_once('/') {
        Some((folder, _)) => folder.split('/').collect(),
        None => Vec::new(),
    };
    let parts: Vec<&str> = path.split('/').collect();
    let n_shared = (folders.iter().zip(&parts[..parts.len() - 1]))
        .take_while(|(a, b)| a == b)
        .count();
    let up = "../".repeat(folders.len() - n_shared);
    format!("{up}{}", parts[n_shared..].join("/"))
}

/// Writes a path as an address of Markdown: blanks and brackets would end it.
pub(super) fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            ' ' | '(' | ')' | '<' | '>' | '"' | '%' | '#' | '?' | '\\' => {
                out.push_str(&format!("%{:02X}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_written_as_it_was() {
        let first = |target: &str, source: &str, path: &str| {
            spellings(target, false, source, path).remove(0)
        };
        assert_eq!(first("Old", "a/S.md", "b/New.md"), "New");
        assert_eq!(first("Old.md", "a/S.md", "b/New.md"), "New.md");
        assert_eq!(first("a/Old", "S.md", "b/New.md"), "b/New");
        assert_eq!(first("../Old.md", "a/b/S.md", "c/New.md"), "../../c/New.md");
        assert_eq!(first("./Old", "a/S.md", "a/New.md"), "./New");
        assert_eq!(first("/x/Old", "a/S.md", "b/New.md"), "/b/New");
        assert_eq!(first("p.png", "a/S.md", "img/q.png"), "q.png");
        assert_eq!(spellings("O.md", true, "a/S.md", "b/N.md")[0], "../b/N.md");
        assert!(
            is_relative("../b/O.md", "a/S.md", "b/O.md") && !is_relative("O", "a/S.md", "b/O.md")
        );
        assert_eq!(encoded("a b/(c) d.md"), "a%20b/%28c%29%20d.md");
    }
}
