//! The address of a server, without ever telling its password.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kenning::error::{Error, Result};
use tokio_postgres::Config;
use tokio_postgres::config::{Host as Named, SslMode};

/// How long a host may take to answer before the next one is asked.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long what was sent may go unconfirmed before a host is taken to be gone, and after how long without a word it is
/// asked for a sign of life.
const SILENCE_MAX: Duration = Duration::from_secs(10);
/// How TLS can be asked for.
const MODES: &str = "disable, prefer, require, verify-ca and verify-full";
/// Longest name of a schema.
const NAME_BYTES_MAX: usize = 63;

/// Where the index of a domain lies: hosts, database and schema.
#[derive(Clone)]
pub struct Address {
    /// In the order in which they are asked.
    pub(crate) hosts: Vec<Host>,
    /// How long each may take to let somebody in.
    pub(crate) limit: Duration,
    /// As it may be shown.
    pub(crate) name: PathBuf,
    pub(crate) schema: String,
    /// Who vouches for the server beside those whom the system trusts.
    pub(crate) root_certificate: Option<PathBuf>,
}

/// One of the servers that copy each other.
#[derive(Clone)]
pub(crate) struct Host {
    /// As it may be shown.
    pub(crate) name: String,
    pub(crate) config: Config,
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
        if !is_mode_known(&url) {
            return Err(unreadable(format!(
                "the address has a sslmode that is none of {MODES}"
            )));
        }
        let mut config: Config = (url.parse()).map_err(|error: tokio_postgres::Error| {
            unreadable(format!("the address is not one: {error}"))
        })?;
        if config.get_hosts().is_empty() {
            return Err(unreadable("the address names no host".to_owned()));
        }
        let n_ports = config.get_ports().len();
        if n_ports > 1 && n_ports != config.get_hosts().len() {
            return Err(unreadable(
                "the address has not one port for each host".to_owned(),
            ));
        }
        let limit = config
            .get_connect_timeout()
            .copied()
            .unwrap_or(CONNECT_TIMEOUT);
        config.tcp_user_timeout(SILENCE_MAX);
        config.keepalives_idle(SILENCE_MAX);
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
            hosts: hosts(&config),
            limit,
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

/// The modes, as `with_known_mode` leaves them.
fn is_mode_known(url: &str) -> bool {
    let query = url.rsplit_once('?').map_or("", |(_, query)| query);
    let mut modes = query
        .split('&')
        .filter_map(|option| option.strip_prefix("sslmode="));
    modes.all(|mode| matches!(mode, "disable" | "prefer" | "require"))
}

/// Says `require` for the modes that the driver has no name for: certificates are always checked here.
fn with_known_mode(url: &str) -> (String, bool) {
    let known = url
        .replace("sslmode=verify-full", "sslmode=require")
        .replace("sslmode=verify-ca", "sslmode=require");
    let verifies = known != url;
    (known, verifies)
}

fn is_loopback(host: &Named) -> bool {
    match host {
        Named::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
        }
        #[cfg(unix)]
        Named::Unix(_) => true,
    }
}

/// Returns the port of a host.
fn port(config: &Config, index: usize) -> u16 {
    let ports = config.get_ports();
    ports.get(index).or(ports.first()).copied().unwrap_or(5432)
}

fn shown_host(config: &Config, index: usize) -> String {
    match &config.get_hosts()[index] {
        Named::Tcp(name) => format!("{name}:{}", port(config, index)),
        #[cfg(unix)]
        Named::Unix(path) => path.display().to_string(),
    }
}

/// Takes the hosts apart, each with all that is said of them: one that does not answer keeps nobody from the next.
fn hosts(config: &Config) -> Vec<Host> {
    let one = |index: usize| {
        let mut own = Config::new();
        match &config.get_hosts()[index] {
            Named::Tcp(name) => own.host(name),
            #[cfg(unix)]
            Named::Unix(path) => own.host_path(path),
        };
        if let Some(address) = config.get_hostaddrs().get(index) {
            own.hostaddr(*address);
        }
        own.port(port(config, index));
        copy_login(config, &mut own);
        Host {
            name: shown_host(config, index),
            config: own,
        }
    };
    (0..config.get_hosts().len()).map(one).collect()
}

/// Copies what is said of all hosts.
fn copy_login(config: &Config, own: &mut Config) {
    if let Some(user) = config.get_user() {
        own.user(user);
    }
    if let Some(password) = config.get_password() {
        own.password(password);
    }
    if let Some(database) = config.get_dbname() {
        own.dbname(database);
    }
    if let Some(options) = config.get_options() {
        own.options(options);
    }
    if let Some(name) = config.get_application_name() {
        own.application_name(name);
    }
    if let Some(silence) = config.get_tcp_user_timeout() {
        own.tcp_user_timeout(*silence);
    }
    own.keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .channel_binding(config.get_channel_binding());
    if let Some(interval) = config.get_keepalives_interval() {
        own.keepalives_interval(interval);
    }
    if let Some(retries) = config.get_keepalives_retries() {
        own.keepalives_retries(retries);
    }
}

fn shown(config: &Config, schema: &str) -> PathBuf {
    let n_hosts = config.get_hosts().len();
    let hosts: Vec<String> = (0..n_hosts)
        .map(|index| shown_host(config, index))
        .collect();
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
        assert_eq!(address.hosts[1].config.get_ssl_mode(), SslMode::Require);
        assert_eq!(address.root_certificate, Some(PathBuf::from("/etc/ca.pem")));
    }

    #[test]
    fn certificates_are_asked_for_where_they_mean_something() {
        let mode = |url: &str| {
            let address = Address::parse(url, "work").unwrap();
            address.hosts[0].config.get_ssl_mode()
        };
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
    fn a_slip_in_the_mode_is_told() {
        let url = "postgres://ann:s3cret@db1/notes?sslmode=verify_full";
        let said = Address::parse(url, "work").unwrap_err().to_string();
        assert!(
            said.contains("verify-full") && !said.contains("s3cret"),
            "{said}"
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
