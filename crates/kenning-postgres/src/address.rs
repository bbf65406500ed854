//! The address of a server, without ever telling its password.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kenning::error::{Error, Result};
use postgres::Config;
use postgres::config::{Host, SslMode};

/// How long a host may take to answer before the next one is asked.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long what was sent may go unconfirmed before a host is taken to be gone.
const SILENCE_MAX: Duration = Duration::from_secs(10);
/// Longest name of a schema.
const NAME_BYTES_MAX: usize = 63;

/// Where the index of a domain lies: hosts, database and schema.
#[derive(Clone)]
pub struct Address {
    pub(crate) config: Config,
    /// As it may be shown.
    pub(crate) name: PathBuf,
    pub(crate) schema: String,
    /// Who vouches for the server beside those whom the system trusts.
    pub(crate) root_certificate: Option<PathBuf>,
}

impl Address {
    /// Reads `postgres://user:password@host:port,host:port/database?options`.
    ///
    /// # Errors
    ///
    /// If it cannot be understood. The message does not repeat it: there may be a password in it.
    pub fn parse(url: &str, domain: &str) -> Result<Self> {
        let (url, root_certificate) = without_certificate(url);
        let (url, verifies) = with_known_mode(&url);
        let unreadable = |reason: String| Error::Store {
            path: PathBuf::from("postgres://…"),
            source: reason.into(),
        };
        let mut config: Config = (url.parse()).map_err(|error: postgres::Error| {
            unreadable(format!("the address is not one: {error}"))
        })?;
        if config.get_hosts().is_empty() {
            return Err(unreadable("the address names no host".to_owned()));
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        config.tcp_user_timeout(SILENCE_MAX);
        config.application_name("kenning");
        // What is not on this machine is not talked to in the clear unless somebody wants that. On this machine there is
        // nothing to hide, and the certificate that servers come with would be nobody's.
        let says_mode = url.contains("sslmode=");
        let is_here = config.get_hosts().iter().all(is_loopback);
        if verifies || (!says_mode && !is_here) {
            config.ssl_mode(SslMode::Require);
        } else if !says_mode {
            config.ssl_mode(SslMode::Disable);
        }
        let schema = schema_of(domain);
        Ok(Self {
            name: shown(&config, &schema),
            config,
            schema,
            root_certificate,
        })
    }

    /// As it may be shown: hosts, database and schema.
    pub fn name(&self) -> &Path {
        &self.name
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name.to_string_lossy())
    }
}

/// Takes `sslrootcert` out, which the driver does not know.
fn without_certificate(url: &str) -> (String, Option<PathBuf>) {
    let Some((front, query)) = url.split_once('?') else {
        return (url.to_owned(), None);
    };
    let mut certificate = None;
    let rest: Vec<&str> = query
        .split('&')
        .filter(|option| match option.strip_prefix("sslrootcert=") {
            Some(path) => {
                certificate = Some(PathBuf::from(path.replace("%2F", "/")));
                false
            }
            None => true,
        })
        .collect();
    match rest.is_empty() {
        true => (front.to_owned(), certificate),
        false => (format!("{front}?{}", rest.join("&")), certificate),
    }
}

/// Says `require` for the modes that the driver has no name for: certificates are always checked here.
fn with_known_mode(url: &str) -> (String, bool) {
    let known = url
        .replace("sslmode=verify-full", "sslmode=require")
        .replace("sslmode=verify-ca", "sslmode=require");
    let verifies = known != url;
    (known, verifies)
}

fn is_loopback(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

fn shown(config: &Config, schema: &str) -> PathBuf {
    let ports = config.get_ports();
    let port = |index: usize| ports.get(index).or(ports.first()).copied().unwrap_or(5432);
    let host = |(index, host): (usize, &Host)| match host {
        Host::Tcp(name) => format!("{name}:{}", port(index)),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    };
    let hosts: Vec<String> = config.get_hosts().iter().enumerate().map(host).collect();
    let database = config
        .get_dbname()
        .or(config.get_user())
        .unwrap_or_default();
    PathBuf::from(format!(
        "postgres://{}/{database}#{schema}",
        hosts.join(",")
    ))
}

/// Returns the schema of a domain: `ken_` and its name, told apart by a hash where letters had to go.
fn schema_of(domain: &str) -> String {
    let is_kept = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let kept: String = domain
        .chars()
        .map(|c| if is_kept(c) { c } else { '_' })
        .take(NAME_BYTES_MAX - "ken_".len() - 9)
        .collect();
    if kept == domain {
        return format!("ken_{kept}");
    }
    let hash = domain.bytes().fold(0x811C_9DC5u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    format!("ken_{kept}_{hash:08x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let url = "postgres://ann:s3cret@db1:5433,db2/notes?sslrootcert=/etc/ca.pem";
        let address = Address::parse(url, "work").unwrap();
        let shown = address.name().to_string_lossy().into_owned();
        assert_eq!(shown, "postgres://db1:5433,db2:5432/notes#ken_work");
        assert_eq!(format!("{address:?}"), shown);
        assert_eq!(address.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(address.root_certificate, Some(PathBuf::from("/etc/ca.pem")));
    }

    #[test]
    fn certificates_are_asked_for_where_they_mean_something() {
        let mode = |url: &str| Address::parse(url, "work").unwrap().config.get_ssl_mode();
        assert_eq!(mode("postgres://ann@localhost/notes"), SslMode::Disable);
        assert_eq!(mode("postgres://ann@db1/notes"), SslMode::Require);
        assert_eq!(
            mode("postgres://ann@localhost/notes?sslmode=verify-full"),
            SslMode::Require
        );
        assert_eq!(
            mode("postgres://ann@db1/notes?sslmode=disable"),
            SslMode::Disable
        );
    }

    #[test]
    fn an_address_that_is_none_is_not_repeated() {
        for url in [
            "postgres://ann:s3cret@/x?port=no",
            "postgres://ann:s3cret@h/x?s3cret=1",
        ] {
            let said = Address::parse(url, "work").unwrap_err().to_string();
            assert!(!said.contains("s3cret:") && !said.contains("ann"), "{said}");
        }
    }

    #[test]
    fn names_of_domains_become_names_of_schemas() {
        assert_eq!(schema_of("work"), "ken_work");
        let (upper, accent) = (schema_of("Work"), schema_of("wörk"));
        assert!(
            upper.starts_with("ken__ork_") && upper != schema_of("Vork"),
            "{upper}"
        );
        assert!(accent.is_ascii() && schema_of(&"x".repeat(200)).len() <= NAME_BYTES_MAX);
    }
}
