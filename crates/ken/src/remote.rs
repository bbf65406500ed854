//! Indexes that a server keeps: their addresses, which may hold a password and are never shown, and their places.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use kenning::store::Place;
use serde::Deserialize;
use strsim::osa_distance;

use crate::hint::Hinted;

/// The address of a server. Whoever prints it sees nothing of it.
#[derive(Clone, Deserialize, PartialEq, Eq)]
#[serde(transparent)]
pub(crate) struct Address(String);

impl Address {
    /// Returns what was given for a store as an address, if it is one and not a file.
    pub(crate) fn of(store: &Path) -> Option<Self> {
        let store = store.to_str()?;
        let is_one = store.starts_with("postgres://") || store.starts_with("postgresql://");
        is_one.then(|| Self(store.to_owned()))
    }

    /// Returns it as what is given for a store.
    pub(crate) fn into_store(self) -> PathBuf {
        self.0.into()
    }

    /// Whether it is an address at all.
    pub(crate) fn is_one(&self) -> bool {
        Self::of(Path::new(&self.0)).is_some()
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Address(…)")
    }
}

/// How addresses begin. What comes near is a slip of the pen, even without slashes behind it.
const SCHEMES: [&str; 2] = ["postgres", "postgresql"];
/// How the other way begins in which PostgreSQL's own programs write addresses.
const KEYWORDS: [&str; 6] = [
    "host=",
    "hostaddr=",
    "port=",
    "dbname=",
    "user=",
    "service=",
];
/// Letters that may be wrong, missing or too many.
const SLIPS_MAX: usize = 2;

/// Looks whether what was given for a store is an address that nobody understands, so that it is not taken for a file.
/// Only how it begins is repeated: there may be a password in the rest.
pub(crate) fn check_no_address(store: &Path) -> Result<()> {
    let text = store.to_string_lossy();
    let (scheme, rest) = text.split_once(':').unwrap_or(("", &text));
    let is_near = |known: &&str| osa_distance(&scheme.to_lowercase(), known) <= SLIPS_MAX;
    let is_slip = SCHEMES.iter().any(is_near);
    // A single letter is a drive.
    let is_scheme = scheme.len() > 1
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let hint = "write a server as postgres://USER@HOST/DATABASE, and a file as its path";
    let problem = match is_scheme {
        true if is_slip => format!("\"{scheme}:…\" is not how an address begins"),
        true if rest.starts_with("//") => format!("an index is not kept at a {scheme}:// address"),
        _ if KEYWORDS.iter().any(|keyword| text.starts_with(keyword)) || has_password(&text) => {
            "this is not how an address is written".to_owned()
        }
        _ => return Ok(()),
    };
    match store.exists() {
        true => Ok(()),
        false => Err(Hinted::error(
            problem,
            match is_slip {
                true => "did you mean postgres://USER@HOST/DATABASE?",
                false => hint,
            },
        )),
    }
}

/// Whether it begins like `user:password@host`.
fn has_password(text: &str) -> bool {
    let login = text.rsplit_once('@').map(|(login, _)| login);
    login.is_some_and(|login| login.contains(':') && !login.starts_with(['/', '.', '~']))
}

/// The index of a domain on a server.
#[derive(Clone)]
pub(crate) struct Remote(Place);

impl Remote {
    /// Names the index of a domain on a server, without asking it.
    #[cfg(feature = "postgres")]
    pub(crate) fn new(address: &Address, domain: &str) -> Result<Self> {
        match kenning_postgres::place(&address.0, domain) {
            Ok(place) => Ok(Self(place)),
            // Where it leads is not known yet.
            Err(kenning::Error::Store { source, .. }) => Err(Hinted::error(
                source.to_string(),
                "write it as postgres://USER:PASSWORD@HOST/DATABASE?OPTION=VALUE; in a password, @ is written as %40, / as %2F, ? as %3F and % as %25",
            )),
            Err(error) => Err(Hinted::error(
                error.to_string(),
                "name the authority that vouches for the server with sslrootcert=FILE, a file of PEM",
            )),
        }
    }

    /// Says that this program has nothing to ask a server with.
    #[cfg(not(feature = "postgres"))]
    pub(crate) fn new(_: &Address, _: &str) -> Result<Self> {
        Err(Hinted::error(
            "this ken was built without PostgreSQL",
            "build it with `cargo install --path crates/ken --locked --features postgres`",
        ))
    }

    /// Returns where the index is kept.
    pub(crate) fn place(&self) -> &Place {
        &self.0
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0.name().display())
    }
}
