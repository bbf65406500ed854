//! Passages as labelled blocks for an agent, as many as there is room for.

use crate::render;
use crate::wire::{Hit, also_in};

pub(crate) const CHARS_PER_TOKEN: usize = 4;
/// A piece that is cut shorter than this says nothing.
const PIECE_CHARS_MIN: usize = 80;

/// A passage worth giving.
pub(crate) struct Piece {
    pub(crate) domain: String,
    pub(crate) hit: Hit,
}

impl Piece {
    /// Returns where the note belongs: its area, its category, or the domain.
    fn project(&self) -> &str {
        let para = self.hit.area.as_deref().or(self.hit.category.as_deref());
        para.unwrap_or(&self.domain)
    }

    /// Returns what stands above its text: what it is about, where it stands, and what it is.
    fn label(&self) -> String {
        let hit = &self.hit;
        let name = hit.section.as_ref().unwrap_or(&hit.title);
        let memory = hit.memory_type.map(|memory| format!(" · {memory}"));
        let others = also_in(&hit.also_in).map(|others| format!(" · {others}"));
        let picture = render::read_from(hit).map(|picture| format!(" · {picture}"));
        format!(
            "\n### {} ({})\n{} · {} · {}{}{}{}\n",
            render::told(name),
            render::told(self.project()),
            render::told_as_code(&hit.place()),
            render::told(&hit.title),
            hit.id,
            memory.unwrap_or_default(),
            render::told(&picture.unwrap_or_default()),
            render::told(&others.unwrap_or_default())
        )
    }
}

/// Writes pieces as Markdown, as many as there is room for; returns how many.
pub(crate) fn write(head: &str, pieces: &[Piece], chars_max: usize) -> (String, usize) {
    let mut out = head.to_owned();
    let mut n_written = 0;
    for piece in pieces {
        let mut block = piece.label();
        let room = chars_max.saturating_sub(out.chars().count() + block.chars().count());
        let Some(text) = fitted(&piece.hit, room) else {
            break;
        };
        block.push_str(&text);
        out.push_str(&block);
        n_written += 1;
    }
    (out, n_written)
}

/// Returns the whole passage, its best sentences, or the beginning of them, whichever fits.
fn fitted(hit: &Hit, chars_max: usize) -> Option<String> {
    for text in [&hit.text, &hit.excerpt] {
        let quoted = render::quoted(text, false);
        if quoted.chars().count() <= chars_max {
            return Some(quoted);
        }
    }
    chars_max.checked_sub(PIECE_CHARS_MIN)?;
    Some(cut(&render::quoted(&hit.excerpt, false), chars_max))
}

/// Returns the beginning of a quoted text, up to the end of a word.
pub(super) fn cut(quoted: &str, chars_max: usize) -> String {
    let end = quoted.char_indices().nth(chars_max.saturating_sub(2));
    match end {
        None => quoted.to_owned(),
        Some((end, _)) => {
            let cut = quoted[..end].rsplit_once(' ').map_or("", |(cut, _)| cut);
            format!("{cut}…\n")
        }
    }
}
