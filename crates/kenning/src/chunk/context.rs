//! What is embedded of a passage: what it means depends on where it stands. Pure.

use super::breadcrumb;
use crate::note::Heading;

/// Every passage of a note carries its context; a longer one would make a long note longer by its square.
pub(crate) const CONTEXT_BYTES_MAX: usize = 4 << 10;

/// What stands in front of a passage.
pub(crate) struct Context<'a> {
    pub(crate) title: &'a str,
    pub(crate) headings: &'a [Heading],
    pub(crate) tags: &'a [String],
    pub(crate) summary: Option<&'a str>,
}

impl Context<'_> {
    /// Returns what is embedded of a passage below a heading.
    pub(crate) fn text(&self, heading: Option<usize>, body: &str) -> String {
        let mut text = breadcrumb(self.title, self.headings, heading).join(" > ");
        text.truncate(text.floor_char_boundary(CONTEXT_BYTES_MAX));
        for (position, tag) in self.tags.iter().enumerate() {
            if text.len() >= CONTEXT_BYTES_MAX {
                break;
            }
            text.push(if position == 0 { '\n' } else { ' ' });
            text.push_str(tag);
        }
        if let Some(summary) = self.summary.filter(|_| body.is_empty()) {
            text.push('\n');
            text.push_str(summary);
        }
        text.push('\n');
        text.push_str(body);
        text
    }
}
