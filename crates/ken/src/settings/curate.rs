//! Settings of what changes notes.

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CurateSettings {
    /// Whether whoever asks without a token of their own may have notes changed.
    pub(crate) http: bool,
}
