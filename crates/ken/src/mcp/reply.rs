//! What a tool answers, made to fit: structured, readable, and where it is wanted as links to the
//! notes.

use anyhow::Result;
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde::Serialize;
use serde_json::{Value, json};

use super::{address, schema};
use crate::hint;
use crate::render::told;
use crate::searcher::masked;

/// Clients cut at 25,000 tokens, at about four characters each. What is said twice, structured and
/// readable, gets less than half of it; the rest is for links and for what stands around.
pub(super) const BYTES_MAX: usize = 44_000;

/// Links to notes behind one answer.
const LINKS_MAX: usize = 20;

/// The answer of a tool.
#[derive(Debug, Default)]
pub(super) struct Reply {
    structured: Value,
    text: String,
    links: Vec<Resource>,
}

impl Reply {
    pub(super) fn new(value: &impl Serialize, text: String) -> Result<Self> {
        Ok(Self {
            structured: schema::value(value)?,
            text,
            links: Vec::new(),
        })
    }

    /// Adds a link to a note, once.
    pub(super) fn link(&mut self, domain: &str, path: &str, title: &str) {
        let uri = address::uri(domain, path);
        let is_known = self.links.iter().any(|link| link.uri == uri);
        if !is_known && self.links.len() < LINKS_MAX {
            let link = Resource::new(uri, told(path))
                .with_title(told(title))
                .with_mime_type(address::mime_type(path));
            self.links.push(link);
        }
    }

    /// Some clients hand every part of an answer to models that know text only, so links are for
    /// those who asked for them.
    pub(super) fn into_result(self, has_links: bool) -> CallToolResult {
        let links = self.links.into_iter().filter(|_| has_links);
        let links = links.map(ContentBlock::ResourceLink);
        let mut result = CallToolResult::success(
            std::iter::once(ContentBlock::text(self.text))
                .chain(links)
                .collect(),
        );
        result.structured_content = Some(self.structured);
        result
    }
}

/// Says why a tool did nothing. What the client sent may stand in the message, so it is masked.
pub(super) fn failed(error: &anyhow::Error) -> CallToolResult {
    let message = told(&masked(&hint::told(error)));
    let hint = hint::of(error).map(|hint| told(&masked(&hint)));
    let mut text = format!("error: {message}\n");
    let mut structured = json!({"error": message, "executed": false});
    if let Some(hint) = hint {
        text.push_str(&format!("hint: {hint}\n"));
        structured["hint"] = hint.into();
    }
    text.push_str("Nothing was executed.");
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    result
}

/// Returns how long something is as JSON.
pub(super) fn size(value: &impl Serialize) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.len())
}

/// Keeps as many items as fit into `room`, and makes it smaller by what they take. Returns how many
/// were cut off.
pub(super) fn keep<T: Serialize>(items: &mut Vec<T>, room: &mut usize) -> usize {
    let n_items = items.len();
    let fits = items.iter().position(|item| {
        let size = size(item) + 1;
        let is_over = size > *room;
        *room = room.saturating_sub(size);
        is_over
    });
    if let Some(n_kept) = fits {
        items.truncate(n_kept);
    }
    n_items - items.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_cut_at_the_end() {
        let mut items = vec!["aaaa", "bbbb", "cccc"];
        let mut room = 15;
        assert_eq!(keep(&mut items, &mut room), 1);
        assert_eq!((items, room), (vec!["aaaa", "bbbb"], 0));
        let mut none: Vec<&str> = Vec::new();
        assert_eq!(keep(&mut none, &mut room), 0);
    }

    #[test]
    fn an_error_says_that_nothing_was_executed_and_shows_no_secret() {
        let token = format!("ghp_{}", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
        let error = crate::hint::Hinted::error(format!("there is no note {token}"), "look again");
        let result = failed(&error);
        let text = serde_json::to_string(&result).unwrap();
        assert!(text.contains("Nothing was executed") && text.contains("look again"));
        assert!(!text.contains(&token), "{text}");
        assert_eq!(result.is_error, Some(true));
    }
}
