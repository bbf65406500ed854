//! Language models: who provides them, at which address, with which key. Only the user's own settings say
//! so; a vault may name a model, and never an address.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use anyhow::Result;
use axum::http::Uri;
use serde::Deserialize;

use super::{Settings, env_text, is_name};
use crate::hint::Hinted;

/// `[llm]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LlmSettings {
    /// The provider that is asked, or nobody.
    provider: String,
    connect_ms: u64,
    first_token_ms: u64,
    total_ms: u64,
    #[serde(default)]
    providers: BTreeMap<String, ProviderSettings>,
}

/// `[llm.providers.NAME]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProviderSettings {
    kind: ProviderKind,
    base_url: Option<String>,
    #[serde(default)]
    model: String,
    key_env: Option<String>,
    context_tokens: Option<u32>,
    tools: Option<bool>,
    pictures: Option<bool>,
    thinking: Option<bool>,
    connect_ms: Option<u64>,
    first_token_ms: Option<u64>,
    total_ms: Option<u64>,
    proxy: Option<String>,
}

/// How a provider is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ProviderKind {
    Ollama,
    OpenAi,
    Anthropic,
}

impl ProviderKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// Where it is, if nothing else is told.
    fn base_url(self) -> &'static str {
        match self {
            Self::Ollama => "http://127.0.0.1:11434",
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
        }
    }

    /// How much its models see at once. Ollama shows a model as much as we ask for, and more takes more
    /// memory; of other servers nothing is known.
    fn context_tokens(self) -> u32 {
        match self {
            Self::Ollama | Self::OpenAi => 8_192,
            Self::Anthropic => 200_000,
        }
    }
}

/// A provider, ready to be asked.
#[derive(Clone, Debug)]
pub(crate) struct Provider {
    pub(crate) name: String,
    pub(crate) kind: ProviderKind,
    /// Without a slash at its end.
    pub(crate) base_url: String,
    pub(crate) model: String,
    pub(crate) key: Key,
    pub(crate) context_tokens: u32,
    pub(crate) tools: bool,
    pub(crate) pictures: bool,
    /// Whether a model that can think should; `None` leaves it to the provider.
    pub(crate) thinking: Option<bool>,
    pub(crate) connect: Duration,
    pub(crate) first_token: Duration,
    pub(crate) total: Duration,
    pub(crate) proxies: Proxies,
}

/// What a provider knows us by. It never shows in a log.
#[derive(Clone)]
pub(crate) enum Key {
    /// It wants none.
    None,
    /// The variable does not hold one.
    Missing {
        variable: String,
    },
    Set {
        variable: String,
        key: String,
    },
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Missing { variable } | Self::Set { variable, .. } => f.write_str(variable),
        }
    }
}

/// The ways out of the house.
#[derive(Clone, Default)]
pub(crate) struct Proxies {
    /// The one of the settings, for every address.
    pub(crate) own: Option<String>,
    /// Those of the environment, for plain and for encrypted addresses, and where none is to be used.
    pub(crate) http: String,
    pub(crate) https: String,
    pub(crate) none: String,
}

impl fmt::Debug for Proxies {
    /// An address of a proxy may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl Proxies {
    pub(super) fn load(own: Option<String>) -> Self {
        let either = |lower: &str, upper: &str| env_text(lower).or_else(|| env_text(upper));
        let all = either("all_proxy", "ALL_PROXY").unwrap_or_default();
        Self {
            own,
            http: either("http_proxy", "HTTP_PROXY").unwrap_or_else(|| all.clone()),
            https: either("https_proxy", "HTTPS_PROXY").unwrap_or(all),
            none: either("no_proxy", "NO_PROXY").unwrap_or_default(),
        }
    }
}

impl LlmSettings {
    /// Whether there is a provider of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.providers.contains_key(name)
    }
}

impl Settings {
    /// Returns the provider that answers, `None` if there is none.
    pub(crate) fn answering(&self) -> Result<Option<Provider>> {
        let name = &self.llm.provider;
        match name.is_empty() {
            true => Ok(None),
            false => self.provider(name).map(Some),
        }
    }

    /// Returns a provider by its name in the settings.
    pub(crate) fn provider(&self, name: &str) -> Result<Provider> {
        match self.llm.providers.get(name) {
            Some(own) => Ok(self.resolved(name, own)),
            None => Err(self.unknown_provider("llm.provider", name)),
        }
    }

    /// Returns every provider.
    pub(crate) fn providers(&self) -> Vec<Provider> {
        let all = self.llm.providers.iter();
        all.map(|(name, own)| self.resolved(name, own)).collect()
    }

    fn resolved(&self, name: &str, own: &ProviderSettings) -> Provider {
        let llm = &self.llm;
        let ms = |own: Option<u64>, of_all: u64| Duration::from_millis(own.unwrap_or(of_all));
        let key = match own.key_env.clone().filter(|name| !name.is_empty()) {
            None => Key::None,
            Some(variable) => match env_text(&variable) {
                Some(key) => Key::Set {
                    variable,
                    key: key.trim().to_owned(),
                },
                None => Key::Missing { variable },
            },
        };
        Provider {
            name: name.to_owned(),
            kind: own.kind,
            base_url: address(own),
            model: own.model.clone(),
            key,
            context_tokens: own
                .context_tokens
                .unwrap_or_else(|| own.kind.context_tokens()),
            tools: own.tools.unwrap_or(true),
            pictures: own.pictures.unwrap_or(own.kind == ProviderKind::Anthropic),
            thinking: own.thinking,
            connect: ms(own.connect_ms, llm.connect_ms),
            first_token: ms(own.first_token_ms, llm.first_token_ms),
            total: ms(own.total_ms, llm.total_ms),
            proxies: Proxies::load(own.proxy.clone()),
        }
    }

    pub(super) fn check_llm(&self) -> Result<()> {
        let llm = &self.llm;
        for (name, own) in &llm.providers {
            let key = |key: &str| format!("llm.providers.{name}.{key}");
            if !is_name(name) {
                return Err(self.bad_value(
                    "llm.providers",
                    name,
                    "a name of letters, digits, - and _",
                ));
            }
            if let Some(url) = &own.base_url
                && !is_address(url)
            {
                let wanted = "an address such as \"http://127.0.0.1:8080/v1\"";
                // Whatever stands there may hold a password.
                return Err(self.bad_value(&key("base_url"), "…", wanted));
            }
            if let Some(proxy) = &own.proxy
                && proxy
                    .parse::<Uri>()
                    .ok()
                    .is_none_or(|uri| uri.host().is_none())
            {
                let wanted = "an address such as \"http://proxy:3128\"";
                return Err(self.bad_value(&key("proxy"), "…", wanted));
            }
        }
        match llm.provider.is_empty() || llm.has(&llm.provider) {
            true => Ok(()),
            false => Err(self.unknown_provider("llm.provider", &llm.provider)),
        }
    }

    pub(super) fn unknown_provider(&self, key: &str, name: &str) -> anyhow::Error {
        let known: Vec<&str> = self.llm.providers.keys().map(String::as_str).collect();
        let hint = match known.is_empty() {
            true => format!("add [llm.providers.{name}] to {}", self.file.display()),
            false => format!("known providers: {}", known.join(", ")),
        };
        Hinted::error(format!("{key} = {name:?}: there is no such provider"), hint)
    }
}

/// Returns where a provider is. A server that speaks OpenAI's way does so below `/v1`, and most people
/// leave that out.
fn address(own: &ProviderSettings) -> String {
    let Some(url) = &own.base_url else {
        return own.kind.base_url().to_owned();
    };
    let url = url.trim_end_matches('/');
    let has_path = url.parse::<Uri>().is_ok_and(|uri| uri.path().len() > 1);
    match own.kind {
        ProviderKind::OpenAi | ProviderKind::Anthropic if !has_path => format!("{url}/v1"),
        _ => url.to_owned(),
    }
}

/// Whether this is an address of a server, without a login or a question in it.
fn is_address(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else {
        return false;
    };
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    let has_login = uri.authority().is_some_and(|at| at.as_str().contains('@'));
    is_web && uri.host().is_some_and(|host| !host.is_empty()) && !has_login && uri.query().is_none()
}

#[cfg(test)]
mod tests {
    use super::super::{DEFAULTS, merge};
    use super::*;

    fn settings(own: &str) -> Result<Settings> {
        let mut values: toml::Table = toml::from_str(DEFAULTS)?;
        merge(&mut values, toml::from_str(own)?);
        let settings: Settings = values.try_into()?;
        settings.check()?;
        Ok(settings)
    }

    #[test]
    fn nobody_is_asked_by_default() {
        let settings = settings("").unwrap();
        assert!(settings.answering().unwrap().is_none());
        assert!(settings.providers().is_empty());
        assert!(settings.embeddings().unwrap().is_empty());
    }

    #[test]
    fn three_lines_are_enough() {
        let own =
            "[llm]\nprovider = \"local\"\n[llm.providers.local]\nkind = \"ollama\"\nmodel = \"m\"";
        let provider = settings(own).unwrap().answering().unwrap().unwrap();
        assert_eq!(provider.base_url, "http://127.0.0.1:11434");
        assert_eq!(
            (provider.context_tokens, provider.tools, provider.pictures),
            (8192, true, false)
        );
        assert_eq!(provider.first_token, Duration::from_secs(120));
        assert!(matches!(provider.key, Key::None));
    }

    #[test]
    fn addresses_are_completed() {
        let check = |kind: &str, url: &str, expected: &str| {
            let own = format!("[llm.providers.a]\nkind = \"{kind}\"\nbase_url = \"{url}\"");
            let providers = settings(&own).unwrap().providers();
            assert_eq!(providers[0].base_url, expected);
        };
        check(
            "openai",
            "http://localhost:8080",
            "http://localhost:8080/v1",
        );
        check(
            "openai",
            "http://localhost:8080/",
            "http://localhost:8080/v1",
        );
        check("openai", "https://host/api/v3/", "https://host/api/v3");
        check("anthropic", "https://host", "https://host/v1");
        check("ollama", "http://host:11434/", "http://host:11434");
    }

    #[test]
    fn slips_are_told_without_secrets() {
        let secret = ["hun", "ter2"].concat();
        let check = |own: String, expected: &str| {
            let error = format!("{:#}", settings(&own).unwrap_err());
            assert!(
                error.contains(expected) && !error.contains(&secret),
                "{error}"
            );
        };
        let with = |key: &str, value: &str| {
            format!("[llm.providers.a]\nkind = \"openai\"\n{key} = \"{value}\"")
        };
        let login = format!("https://me:{secret}@host/v1");
        check(with("base_url", &login), "llm.providers.a.base_url = \"…\"");
        check(
            with("base_url", &format!("https://host/v1?key={secret}")),
            "base_url",
        );
        check(with("base_url", "file:///etc/passwd"), "base_url");
        check(with("proxy", "nowhere at all"), "llm.providers.a.proxy");
        check(with("key", "value"), "unknown field `key`");
        check(
            "[llm]\nprovider = \"b\"".to_owned(),
            "there is no such provider",
        );
        check(
            "[embeddings.x]\nprovider = \"b\"".to_owned(),
            "there is no such provider",
        );
        check(
            "[llm.providers.a]\nkind = \"other\"".to_owned(),
            "unknown variant `other`",
        );
    }

    #[test]
    fn embedding_models_are_known_by_either_name() {
        let own = "[llm.providers.a]\nkind = \"ollama\"\n[embeddings.\"BAAI/bge-large-en-v1.5\"]\nprovider = \"a\"\nmodel = \"x\"\n[embeddings.mine]\nprovider = \"a\"\nmodel = \"nomic-embed-text\"\nwindow_tokens = 9";
        let settings = settings(own).unwrap();
        let bge = settings
            .embedding("BAAI/bge-large-en-v1.5")
            .unwrap()
            .unwrap();
        assert_eq!((bge.model.as_str(), bge.dimensions), ("x", Some(1024)));
        assert!(bge.query_prefix.starts_with("Represent this sentence"));
        let mine = settings.embedding("mine").unwrap().unwrap();
        assert_eq!(
            (mine.passage_prefix.as_str(), mine.window_tokens),
            ("search_document: ", 9)
        );
        assert!(settings.embedding("other").unwrap().is_none());
    }
}
