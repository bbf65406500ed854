//! Where models come from that are fetched by name.

use serde::Deserialize;

/// `[models]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(
    not(feature = "onnx"),
    expect(dead_code, reason = "only transformers are fetched")
)]
pub(crate) struct ModelSettings {
    /// Address of the hub, or of a mirror that is laid out like it.
    mirror: String,
    /// A folder that holds them, or "" for none.
    folder: String,
}

/// Where the files of models come from.
#[cfg(feature = "onnx")]
pub(crate) struct ModelsOrigin {
    /// Address of the hub, or of a mirror that is laid out like it.
    pub(crate) mirror: String,
    /// A folder that holds them; then nobody is asked.
    pub(crate) folder: Option<std::path::PathBuf>,
    pub(crate) proxies: super::Proxies,
}

#[cfg(feature = "onnx")]
impl super::Settings {
    /// Returns where models are fetched from: a folder that was typed, that of the settings, or the hub.
    pub(crate) fn models_origin(&self, typed: Option<&std::path::Path>) -> ModelsOrigin {
        let own = Some(self.models.folder.as_str()).filter(|folder| !folder.is_empty());
        ModelsOrigin {
            mirror: self.models.mirror.clone(),
            folder: typed.map_or_else(|| own.map(Into::into), |typed| Some(typed.to_owned())),
            proxies: super::Proxies::load(None),
        }
    }
}
