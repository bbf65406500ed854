//! Settings of what agents are told when a conversation begins, and of what is written down for them.

use std::path::{Component, Path};

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemorySettings {
    /// Most passages about an opening message.
    pub(crate) limit: u32,
    pub(crate) min_score: f32,
    pub(crate) tokens: usize,
    /// Notes that always come along.
    pub(crate) always: Vec<String>,
    /// Folder below the vault that is written to.
    pub(crate) folder: String,
}

impl MemorySettings {
    /// Returns the first value that is none: its key, and what is wanted instead.
    pub(super) fn bad_value(&self) -> Option<(&'static str, String, &'static str)> {
        if !(1..=100).contains(&self.limit) {
            return Some((
                "memory.limit",
                self.limit.to_string(),
                "a number from 1 to 100",
            ));
        }
        if !(0.0..=1.0).contains(&self.min_score) {
            let value = self.min_score.to_string();
            return Some(("memory.min_score", value, "a number from 0 to 1"));
        }
        let is_inside = |part: Component<'_>| matches!(part, Component::Normal(name) if !name.to_string_lossy().starts_with('.'));
        let is_folder =
            !self.folder.contains('\\') && Path::new(&self.folder).components().all(is_inside);
        (!is_folder).then(|| {
            (
                "memory.folder",
                self.folder.clone(),
                "a folder below the vault",
            )
        })
    }
}
