//! Who may ask, and what: the name the server is called by, the page a request comes from, the
//! token, and with it the domains. Everything that is served stands behind this.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use blake3::Hash;

use super::problem::Problem;
use super::{BODY_BYTES_MAX, FILES_BYTES_MAX, Options, input, page, routes};
use crate::searcher::Searchers;
use crate::settings::{Caller, Client};

/// No origin is trusted by its kind.
pub(super) const NO_SCHEMES: &[&str] = &[];
/// Whether what asks is a page of this site, of another, or none at all.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What is needed to decide about a request.
pub(super) struct Guard {
    /// What may be asked where no token is needed.
    searchers: Searchers,
    /// Those who may ask, if not everybody may.
    clients: Vec<Known>,
    /// Who asks where no token is needed.
    person: Caller,
    /// Methods and paths of routes that need no token.
    open: Vec<(&'static str, &'static str)>,
    bound: IpAddr,
    hosts: Vec<String>,
    origins: Vec<String>,
    /// Prefixes of origins that are not web pages.
    schemes: &'static [&'static str],
}

/// Somebody who may ask.
struct Known {
    /// What the token is compared by.
    token: Hash,
    /// What a browser shows instead, once its person has signed in.
    session: Hash,
    searchers: Searchers,
    caller: Caller,
}

impl Known {
    fn new(token: &str, searchers: Searchers, caller: Caller) -> Self {
        Self {
            token: digest(token),
            session: session(token),
            searchers,
            caller,
        }
    }
}

/// Lets a request pass with the searchers it may ask, or turns it away.
pub(super) async fn admit(
    State(guard): State<Arc<Guard>>,
    mut request: Request,
    next: Next,
) -> Response {
    match guard.searchers(request.method(), request.uri(), request.headers()) {
        Ok((searchers, caller)) => {
            request.extensions_mut().insert(searchers);
            request.extensions_mut().insert(caller);
            request.extensions_mut().insert(Arc::clone(&guard));
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    }
}

impl Guard {
    pub(super) fn new(searchers: Searchers, bound: IpAddr, options: &Options) -> Self {
        let may_ask = |client: &Client| match &client.domains {
            Some(names) => searchers.only(names),
            None => searchers.clone(),
        };
        let clients = options.clients.iter();
        Self {
            clients: clients
                .map(|client| Known::new(client.token(), may_ask(client), client.caller.clone()))
                .collect(),
            searchers,
            person: options.person.clone(),
            open: routes::open(),
            bound,
            hosts: options.allowed_hosts.clone(),
            origins: options.allowed_origins.clone(),
            schemes: NO_SCHEMES,
        }
    }

    /// Trusts origins that begin with one of these.
    pub(super) fn trusting(self, schemes: &'static [&'static str]) -> Self {
        Self { schemes, ..self }
    }

    /// Returns what the request may ask.
    fn searchers(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(Searchers, Caller), Problem> {
        let host = self.host(uri, headers)?;
        self.check_page(headers, host)?;
        let length = only(headers, header::CONTENT_LENGTH)?;
        let n_bytes = length.and_then(|length| length.parse::<u64>().ok());
        let most = body_bytes_max(uri.path());
        if n_bytes.is_some_and(|n_bytes| n_bytes > most as u64) {
            return Err(input::too_large(most));
        }
        if self.clients.is_empty() {
            return Ok((self.searchers.clone(), self.person.clone()));
        }
        let is_open = |(open, path): &(&str, &str)| {
            open.eq_ignore_ascii_case(method.as_str()) && *path == uri.path()
        };
        match self.known(method, headers, host)? {
            Some(known) => Ok((known.searchers.clone(), known.caller.clone())),
            None if page::is_open(method, uri.path()) || self.open.iter().any(is_open) => {
                Ok((self.searchers.only(&[]), Caller::default()))
            }
            None => Err(Problem::new(
                StatusCode::UNAUTHORIZED,
                "a token is needed, and this is none that is known",
            )
            .hint("send the header Authorization: Bearer TOKEN")),
        }
    }

    /// Returns the name that the request calls the server by. A page that had its own name point to
    /// this machine would otherwise read everything.
    fn host<'a>(&self, uri: &'a Uri, headers: &'a HeaderMap) -> Result<&'a str, Problem> {
        let refused = || {
            Problem::new(
                StatusCode::FORBIDDEN,
                "the server is not known by this name",
            )
            .hint("ask 127.0.0.1 or localhost, or start with `--allow-host NAME`")
        };
        let host = only(headers, header::HOST)?.ok_or_else(refused)?;
        let in_line = uri.authority().map(Authority::as_str);
        let names = [Some(host), in_line].into_iter().flatten();
        for name in names {
            if !self.is_own_name(name) {
                return Err(refused());
            }
        }
        Ok(host)
    }

    fn is_own_name(&self, authority: &str) -> bool {
        let Ok(parsed) = authority.parse::<Authority>() else {
            return false;
        };
        if authority.contains('@') {
            return false;
        }
        let host = parsed.host();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        // An address cannot be pointed elsewhere, only a name can.
        let is_own_address = bare.parse::<IpAddr>().is_ok_and(|address| {
            address.is_loopback() || address == self.bound || self.bound.is_unspecified()
        });
        let is_allowed = |name: &String| name.eq_ignore_ascii_case(host) || name == authority;
        is_own_address
            || host.eq_ignore_ascii_case("localhost")
            || self.hosts.iter().any(is_allowed)
    }

    /// A page may ask only if it comes from this server itself, or was allowed. Browsers name it by its
    /// origin, but not where a link is followed or a picture asked for; then they still tell whether
    /// the page was of another site.
    fn check_page(&self, headers: &HeaderMap, host: &str) -> Result<(), Problem> {
        let site = only(headers, FETCH_SITE)?;
        let may_ask = match only(headers, header::ORIGIN)? {
            Some(origin) => self.is_known_origin(origin, host),
            None => matches!(site, None | Some("none" | "same-origin")),
        };
        if may_ask {
            return Ok(());
        }
        Err(
            Problem::new(StatusCode::FORBIDDEN, "pages from elsewhere may not ask")
                .hint("start with `--allow-origin ORIGIN` if this one may"),
        )
    }

    fn is_known_origin(&self, origin: &str, host: &str) -> bool {
        let authority = origin
            .strip_prefix("http://")
            .or_else(|| origin.strip_prefix("https://"));
        let is_same = authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host));
        is_same
            || self.origins.iter().any(|allowed| allowed == origin)
            || self.schemes.iter().any(|scheme| origin.starts_with(scheme))
    }

    /// Returns who asks, if that is known: by the token, or by what a browser keeps of one.
    fn known(
        &self,
        method: &Method,
        headers: &HeaderMap,
        host: &str,
    ) -> Result<Option<&Known>, Problem> {
        let sent = only(headers, header::AUTHORIZATION)?.and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        });
        if let Some(sent) = sent {
            let sent = digest(sent);
            return Ok(self.find(|known| known.token == sent));
        }
        let Some(shown) = self.cookie(headers)? else {
            return Ok(None);
        };
        // A browser sends cookies by itself: what changes something must come from our own page.
        if !is_read(method) && !is_own_page(headers, host)? {
            return Err(Problem::new(
                StatusCode::FORBIDDEN,
                "a browser must say that its own page asks",
            ));
        }
        Ok(self.find(|known| known.session == shown))
    }

    /// Returns the client that fits. Every one is compared, so that the time tells nothing about which was
    /// near.
    fn find(&self, is_one: impl Fn(&Known) -> bool) -> Option<&Known> {
        let mut found = None;
        for known in &self.clients {
            if is_one(known) {
                found = Some(known);
            }
        }
        found
    }

    /// Returns what a browser shows from now on instead of a token, if that is known.
    pub(super) fn session(&self, token: &str) -> Option<String> {
        let sent = digest(token);
        let known = self.find(|known| known.token == sent)?;
        Some(known.session.to_hex().to_string())
    }

    /// Returns the name of the cookie. Browsers do not tell the ports of a machine apart, so the name does.
    pub(super) fn cookie_name(headers: &HeaderMap) -> String {
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        let authority = host.and_then(|host| host.parse::<Authority>().ok());
        let port = authority.and_then(|authority| authority.port_u16());
        format!("ken-{}", port.unwrap_or(80))
    }

    fn cookie(&self, headers: &HeaderMap) -> Result<Option<Hash>, Problem> {
        let Some(cookies) = only(headers, header::COOKIE)? else {
            return Ok(None);
        };
        let name = Self::cookie_name(headers);
        let mut pairs = cookies
            .split(';')
            .filter_map(|pair| pair.trim().split_once('='));
        let value = pairs.find(|(key, _)| *key == name).map(|(_, value)| value);
        Ok(value.and_then(|value| Hash::from_hex(value).ok()))
    }
}

fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Whether a browser says that a page of this very server asks.
fn is_own_page(headers: &HeaderMap, host: &str) -> Result<bool, Problem> {
    let Some(origin) = only(headers, header::ORIGIN)? else {
        return Ok(only(headers, FETCH_SITE)? == Some("same-origin"));
    };
    let schemes = ["http://", "https://"].into_iter();
    let mut authorities = schemes.filter_map(|scheme| origin.strip_prefix(scheme));
    Ok(authorities.any(|authority| authority.eq_ignore_ascii_case(host)))
}

/// Returns the value of a header that may stand there once only.
fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Problem> {
    let mut values = headers.get_all(&name).iter();
    let value = values.next();
    if values.next().is_some() {
        return Err(Problem::bad(format!(
            "the header {name} stands there twice"
        )));
    }
    let text = value.map(|value| value.to_str()).transpose();
    text.map_err(|_| Problem::bad(format!("the header {name} is not plain text")))
}

/// Returns what tokens are compared by. Digests are all of one length and compare in constant time, so
/// that time tells neither how long a token is nor how much of it was right.
fn digest(token: &str) -> Hash {
    blake3::hash(token.as_bytes())
}

/// Returns what a browser keeps of a token. Other programs of this machine may see it, since browsers do not
/// tell ports apart; they cannot tell the token by it.
fn session(token: &str) -> Hash {
    Hash::from_bytes(blake3::derive_key(
        "kenning 2026 sign-in of the page",
        token.as_bytes(),
    ))
}

/// Returns how large a body may be that is sent to a path.
pub(super) fn body_bytes_max(path: &str) -> usize {
    let route = match path.strip_prefix("/d/") {
        Some(rest) => rest.find('/').map_or("", |at| &rest[at..]),
        None => path,
    };
    match routes::with_files().contains(&route) {
        true => FILES_BYTES_MAX,
        false => BODY_BYTES_MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(bound: &str) -> Guard {
        Guard {
            open: routes::open(),
            searchers: Searchers::none(),
            clients: Vec::new(),
            person: Caller::default(),
            bound: bound.parse().unwrap(),
            hosts: vec!["notes.example".to_owned()],
            origins: vec!["https://page.example".to_owned()],
            schemes: &["moz-extension://"],
        }
    }

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| (name.clone(), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn only_own_names_are_answered() {
        let check = |bound: &str, host: &str, expected: bool| {
            assert_eq!(guard(bound).is_own_name(host), expected, "{bound} {host}");
        };
        for host in [
            "127.0.0.1",
            "127.0.0.1:7117",
            "localhost:1",
            "[::1]:80",
            "LOCALHOST",
        ] {
            check("127.0.0.1", host, true);
        }
        check("127.0.0.1", "notes.example:7117", true);
        check("127.0.0.1", "192.168.1.5", false);
        check("192.168.1.5", "192.168.1.5:7117", true);
        check("0.0.0.0", "192.168.1.5:7117", true);
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost@evil.example",
            "evil.example@localhost",
            "evil.example:7117",
            "",
            "local host",
        ] {
            check("127.0.0.1", host, false);
            check("0.0.0.0", host, false);
        }
    }

    #[test]
    fn pages_from_elsewhere_are_turned_away() {
        let check = |origin: &str, expected: bool| {
            let headers = headers(&[(header::ORIGIN, origin)]);
            let result = guard("127.0.0.1").check_page(&headers, "127.0.0.1:7117");
            assert_eq!(result.is_ok(), expected, "{origin}");
        };
        check("http://127.0.0.1:7117", true);
        check("https://page.example", true);
        check("moz-extension://abc", true);
        check("http://127.0.0.1:8000", false);
        check("http://localhost:7117", false);
        check("https://page.example.evil", false);
        check("null", false);
        check("http://evil.example", false);
    }

    #[test]
    fn a_token_is_compared_whole() {
        let guard = Guard {
            clients: vec![Known::new("abc", Searchers::none(), Caller::default())],
            ..guard("127.0.0.1")
        };
        for (sent, expected) in [
            ("Bearer abc", true),
            ("bearer abc", true),
            ("Bearer ab", false),
            ("Bearer abcd", false),
            ("Bearer ", false),
            ("Basic abc", false),
        ] {
            let headers = headers(&[(header::AUTHORIZATION, sent)]);
            let known = guard.known(&Method::POST, &headers, "127.0.0.1:7117");
            assert_eq!(known.unwrap().is_some(), expected, "{sent}");
        }
    }

    #[test]
    fn a_cookie_changes_nothing_from_another_page() {
        let guard = Guard {
            clients: vec![Known::new("abc", Searchers::none(), Caller::default())],
            ..guard("127.0.0.1")
        };
        let session = guard.session("abc").unwrap();
        assert!(guard.session("abd").is_none() && !session.contains("abc"));
        let host = "127.0.0.1:7117";
        let cookie = format!("other=1; ken-7117={session}");
        let check = |method: &Method,
                     cookie: &str,
                     more: &[(HeaderName, &str)],
                     expected: Result<bool, ()>| {
            let mut pairs = vec![(header::HOST, host), (header::COOKIE, cookie)];
            pairs.extend_from_slice(more);
            let headers = headers(&pairs);
            let known = guard.known(method, &headers, host);
            let known = known.map(|known| known.is_some()).map_err(|_| ());
            assert_eq!(known, expected, "{method} {more:?}");
        };
        let own = (header::ORIGIN, "http://127.0.0.1:7117");
        let beside = (header::ORIGIN, "http://127.0.0.1:8000");
        check(&Method::GET, &cookie, &[], Ok(true));
        check(&Method::POST, &cookie, &[], Err(()));
        check(&Method::POST, &cookie, &[own], Ok(true));
        check(
            &Method::DELETE,
            &cookie,
            &[(FETCH_SITE, "same-origin")],
            Ok(true),
        );
        check(&Method::POST, &cookie, &[beside], Err(()));
        check(
            &Method::POST,
            &cookie,
            &[(header::ORIGIN, "https://page.example")],
            Err(()),
        );
        check(
            &Method::POST,
            &cookie,
            &[(FETCH_SITE, "same-site")],
            Err(()),
        );
        let foreign = format!("ken-7118={session}");
        check(&Method::GET, &foreign, &[], Ok(false));
        check(&Method::GET, "ken-7117=abc", &[], Ok(false));
    }

    #[test]
    fn what_another_site_asks_for_is_turned_away() {
        let check = |pairs: &[(HeaderName, &str)], expected: bool| {
            let result = guard("127.0.0.1").check_page(&headers(pairs), "127.0.0.1:7117");
            assert_eq!(result.is_ok(), expected, "{pairs:?}");
        };
        let site = |site| (FETCH_SITE, site);
        let origin = |origin| (header::ORIGIN, origin);
        check(&[], true);
        check(&[site("none")], true);
        check(&[site("same-origin")], true);
        check(&[site("same-site")], false);
        check(&[site("cross-site")], false);
        check(&[site("Cross-Site")], false);
        check(&[site("")], false);
        check(&[site("none"), site("cross-site")], false);
        check(&[site("cross-site"), origin("https://page.example")], true);
        check(&[site("cross-site"), origin("moz-extension://abc")], true);
        check(&[site("cross-site"), origin("http://evil.example")], false);
        check(&[site("same-origin"), origin("http://evil.example")], false);
    }

    #[test]
    fn a_header_that_stands_there_twice_is_refused() {
        let twice = headers(&[(header::HOST, "localhost"), (header::HOST, "evil.example")]);
        let uri = Uri::from_static("/");
        assert!(guard("127.0.0.1").host(&uri, &twice).is_err());
        let none = HeaderMap::new();
        assert!(guard("127.0.0.1").host(&uri, &none).is_err());
    }
}
