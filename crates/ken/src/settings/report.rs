//! Settings of reports.

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportSettings {
    /// Where reports are written, below the vault.
    pub(crate) folder: String,
    /// Whether questions are kept on this machine, to tell which had no answer.
    pub(crate) questions: bool,
}
