//! Who may ask over the network, by token, and which domains.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::{Settings, TOKEN, env_text};
use crate::hint::Hinted;

/// A client as the settings file names it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClientSettings {
    token: Option<Token>,
    token_env: Option<String>,
    domains: Option<Vec<String>>,
    #[serde(default)]
    remember: bool,
    #[serde(default)]
    curate: bool,
}

/// A secret that never shows in a log.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// Somebody who may ask.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) name: String,
    token: Token,
    /// The domains it may ask; `None` is every one.
    pub(crate) domains: Option<Vec<String>>,
    pub(crate) caller: Caller,
}

/// Who asks, as far as it matters beside the domains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caller {
    /// Whose conversations these are; empty for the person at this machine.
    pub(crate) owner: String,
    /// Whether it may have notes written down over MCP.
    pub(crate) may_remember: bool,
    /// Whether it may have notes changed over HTTP.
    pub(crate) may_curate: bool,
}

impl Client {
    /// Returns the secret it shows.
    pub(crate) fn token(&self) -> &str {
        &self.token.0
    }

    fn check(self) -> Result<Self> {
        // A header cannot carry anything else.
        let is_sendable =
            !self.token().is_empty() && self.token().bytes().all(|b| b.is_ascii_graphic());
        if is_sendable {
            return Ok(self);
        }
        Err(Hinted::error(
            format!("the token of the client {:?} cannot be sent", self.name),
            "use letters, digits and punctuation without blanks, such as `openssl rand -hex 32` prints",
        ))
    }
}

impl Settings {
    /// Returns everybody who may ask: those of the settings, and one for the token of the file or
    /// the environment, who may ask everything.
    pub(crate) fn clients(&self, token_file: Option<&Path>) -> Result<Vec<Client>> {
        let mut clients = Vec::new();
        for (name, settings) in &self.clients {
            clients.push(self.client(name, settings)?.check()?);
        }
        let single = match token_file {
            Some(file) => {
                let text = fs::read_to_string(file)
                    .with_context(|| format!("the token file {}", file.display()))?;
                Some(("--token-file", text.trim().to_owned()))
            }
            None => env_text(TOKEN).map(|token| (TOKEN, token)),
        };
        if let Some((name, token)) = single {
            let client = Client {
                name: name.to_owned(),
                token: Token(token),
                domains: None,
                // Who holds the one token is the person.
                caller: self.person(),
            };
            clients.push(client.check()?);
        }
        self.check_different(&clients)?;
        Ok(clients)
    }

    /// Returns the person at this machine as somebody who asks.
    pub(crate) fn person(&self) -> Caller {
        Caller {
            owner: String::new(),
            may_remember: self.mcp.remember,
            may_curate: self.curate.http,
        }
    }

    /// A token that two clients share does not say who asks.
    fn check_different(&self, clients: &[Client]) -> Result<()> {
        for (place, client) in clients.iter().enumerate() {
            let mut before = clients[..place].iter();
            if let Some(twin) = before.find(|other| other.token() == client.token()) {
                return Err(Hinted::error(
                    format!("{} and {} have the same token", twin.name, client.name),
                    format!("edit {}", self.file.display()),
                ));
            }
        }
        Ok(())
    }

    /// A client that is limited to a domain that does not exist is a slip, not a limit.
    pub(crate) fn check_domains(&self, clients: &[Client], served: &[String]) -> Result<()> {
        let named = clients
            .iter()
            .flat_map(|client| client.domains.iter().flatten());
        for name in named {
            if !self.domains.contains_key(name) && !served.contains(name) {
                return Err(self.unknown_domain(name, served.iter()));
            }
        }
        Ok(())
    }

    fn client(&self, name: &str, settings: &ClientSettings) -> Result<Client> {
        let advice = || format!("edit {}", self.file.display());
        let token = match (&settings.token, &settings.token_env) {
            (Some(token), None) => token.clone(),
            (None, Some(variable)) => Token(env_text(variable).ok_or_else(|| {
                Hinted::error(
                    format!("the client {name:?} has its token in {variable}, which is not set"),
                    format!("set {variable}, or {}", advice()),
                )
            })?),
            _ => {
                return Err(Hinted::error(
                    format!("the client {name:?} needs either token or token_env"),
                    advice(),
                ));
            }
        };
        Ok(Client {
            name: name.to_owned(),
            token,
            domains: settings.domains.clone(),
            caller: Caller {
                owner: name.to_owned(),
                may_remember: settings.remember,
                may_curate: settings.curate,
            },
        })
    }
}
