//! Moves a note and repairs every link that would lead elsewhere then, the way Obsidian does: headings, blocks
//! and shown texts stay, and a link is written in the style in which it was.

mod spelling;

use kenning::links::Files;
use kenning::note::{LinkKind, places};
use kenning::vault::{Skipped, Vault};

use crate::error::{Error, Result};
use crate::page::{Edit, Page, edited, is_canvas, pages};
use crate::write::{Batch, Writer};
use spelling::spellings;

/// What is to be done.
#[derive(Clone, Debug, Default)]
pub struct Moved {
    /// The changes.
    pub batch: Batch,
    /// Path of the note then.
    pub path: String,
    /// How many links are written anew.
    pub n_links: usize,
    /// Notes that could not be read.
    pub skipped: Vec<Skipped>,
}

/// Returns the path that a note gets: `New name` stays in its folder, `Folder/` keeps the name, and
/// `Folder/New name` changes both. The ending stays unless another is told.
pub fn new_path(path: &str, wanted: &str) -> Result<String> {
    let bad = || Error::BadName {
        name: wanted.to_owned(),
        wanted: "the name of a note, or a path below the vault",
    };
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let wanted_path = wanted.trim().trim_start_matches('/');
    let (new_folder, new_name) = match wanted_path.rsplit_once('/') {
        Some((folder, "")) => (folder, name),
        Some((folder, name)) => (folder, name),
        None => (folder, wanted_path),
    };
    // What Obsidian and file systems do not take, and what would end a link.
    let is_bad = |c: char| c.is_control() || matches!(c, '[' | ']' | '#' | '^' | '|' | '\\' | ':');
    if new_name.is_empty() || new_name.starts_with('.') || wanted.contains(is_bad) {
        return Err(bad());
    }
    let own = |ending: &str| {
        new_name
            .to_lowercase()
            .ends_with(&format!(".{}", ending.to_lowercase()))
    };
    let new_name = match ending {
        Some(ending) if !own(ending) => format!("{new_name}.{ending}"),
        _ => new_name.to_owned(),
    };
    let is_inside = |part: &str| !matches!(part, "" | "." | "..") && !part.starts_with('.');
    if !new_folder.is_empty() && !new_folder.split('/').all(is_inside) {
        return Err(bad());
    }
    Ok(match new_folder {
        "" => new_name,
        folder => format!("{folder}/{new_name}"),
    })
}

/// Plans the move of the note at `from` to `to`. `files` are the paths of everything that a link may lead to.
pub fn plan(
    writer: &Writer<'_>,
    vault: &Vault,
    files: Vec<String>,
    (from, to): (&str, &str),
) -> Result<Moved> {
    let is_taken = |path: &String| path.to_lowercase() == to.to_lowercase() && path != from;
    if files.iter().any(is_taken) || from == to {
        return Err(Error::Taken {
            path: to.to_owned(),
        });
    }
    let later = files
        .iter()
        .map(|path| if path == from { to } else { path.as_str() });
    let later = Files::new(later.map(str::to_owned).collect());
    let move_ = Move {
        now: Files::new(files),
        later,
        from,
        to,
    };
    let (pages, skipped) = pages(writer, vault, |path, text| {
        path == from
            || text.contains("[[")
            || text.contains("](")
            || text.contains("]:")
            || is_canvas(path)
    })?;
    let mut moved = Moved {
        batch: Batch::new("note rename", &format!("{from} → {to}")),
        path: to.to_owned(),
        skipped,
        ..Moved::default()
    };
    let mut own = None;
    for page in pages {
        let edits = move_.repairs(&page)?;
        moved.n_links += edits.len();
        let text = edited(&page.text, edits).into_bytes();
        match page.path() == from {
            true => own = Some((page.seen, text)),
            false => moved.batch.write(page.seen, text),
        }
    }
    let own = match own {
        Some(own) => Some(own),
        // A note that is not Markdown has no links of its own to repair.
        None => (writer.read(from)?).map(|seen| (seen.clone(), seen.bytes)),
    };
    let Some((seen, text)) = own else {
        return Err(Error::Changed {
            path: from.to_owned(),
        });
    };
    moved.batch.rename(seen, to, text);
    Ok(moved)
}

/// What every link is looked at with.
struct Move<'a> {
    now: Files,
    later: Files,
    from: &'a str,
    to: &'a str,
}

impl Move<'_> {
    /// Returns the edits of a note whose links would lead elsewhere after the move.
    fn repairs(&self, page: &Page) -> Result<Vec<Edit>> {
        if is_canvas(page.path()) {
            return Ok(self.in_canvas(&page.text));
        }
        let source = page.path();
        let later_source = if source == self.from { self.to } else { source };
        let mut edits = Vec::new();
        for link in places(&page.text).links {
            if link.target.is_empty() {
                continue;
            }
            let Some(target) = self.now.resolve(source, &link.target) else {
                continue;
            };
            let was_relative = link.kind == LinkKind::Markdown
                && spelling::is_relative(&link.target, source, target);
            let target = if target == self.from { self.to } else { target };
            let is_still =
                !was_relative || spelling::is_relative(&link.target, later_source, target);
            if is_still && self.later.resolve(later_source, &link.target) == Some(target) {
                continue;
            }
            let is_markdown = link.kind == LinkKind::Markdown;
            let is_angled = page.text[..link.range.start].ends_with('<');
            let mut ways = spellings(&link.target, was_relative, later_source, target).into_iter();
            let right = ways.find(|way| self.later.resolve(later_source, way) == Some(target));
            let Some(right) = right else {
                return Err(Error::Unclear {
                    path: source.to_owned(),
                    reason: format!("a link to {target} that no name leads to"),
                });
            };
            let right = match is_markdown && !is_angled {
                true => spelling::encoded(&right),
                false => right,
            };
            edits.push((link.range, right));
        }
        Ok(edits)
    }

    /// Returns the edits of a canvas, which names files by their paths: `"file":"Folder/Note.md"`.
    fn in_canvas(&self, text: &str) -> Vec<Edit> {
        let quoted = serde_json::Value::from(self.from).to_string();
        let new = serde_json::Value::from(self.to).to_string();
        let found = text.match_indices(&quoted).filter(|(at, _)| {
            let before = text[..*at].trim_end();
            before
                .strip_suffix(':')
                .is_some_and(|before| before.trim_end().ends_with("\"file\""))
        });
        found
            .map(|(at, _)| (at..at + quoted.len(), new.clone()))
            .collect()
    }
}

#[cfg(test)]
mod tests;
