//! `ken serve`: answers over HTTP.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use kenning::index::Coverage;

use super::Found;
use crate::args::{CompatServer, Place, ServeArgs};
use crate::conversations::ConversationsPlace;
use crate::fill;
use crate::hint::Hinted;
use crate::memory;
use crate::open;
use crate::render;
use crate::searcher::{Searcher, Searchers};
use crate::serve::{self, Options};
use crate::settings::{Client, Settings};
use crate::watch::{self, Rhythm, Tell, Watching};

/// Port where none is named.
const PORT: u16 = 7117;
/// Least characters of a token that other machines can try to guess.
const TOKEN_CHARS_MIN: usize = 16;

pub(super) fn run(settings: &Settings, place: &Place, args: &ServeArgs) -> Result<Found> {
    memory::share();
    let address = address(args)?;
    let clients = settings.clients(args.token_file.as_deref())?;
    check_safety(address, &clients)?;
    let searchers = Searchers::open(settings, place)?;
    let served: Vec<String> = searchers
        .all()
        .iter()
        .map(|searcher| searcher.name().to_owned())
        .collect();
    settings.check_domains(&clients, &served)?;
    let watching = args.watch.then(|| watched(&searchers));
    if !args.watch && !args.no_update {
        refresh(&searchers);
    }
    let port = |server: &CompatServer| match server {
        CompatServer::Omnisearch => args.omnisearch_port,
        CompatServer::Miyo => args.miyo_port,
    };
    let options = Options {
        address,
        allowed_hosts: args.allow_host.clone(),
        allowed_origins: args.allow_origin.clone(),
        clients,
        person: settings.person(),
        conversations: ConversationsPlace::new(settings, &searchers),
        compat: (args.compat.iter())
            .map(|server| (*server, port(server)))
            .collect(),
        read_time_max: Duration::from_millis(args.read_timeout_ms),
        settings: settings.clone(),
    };
    let announce = |line: &str| {
        render::say(line);
        if args.open {
            open_page(line);
        }
    };
    let filling = fill::start(&searchers, Arc::new(say_trouble));
    warm(&searchers);
    serve::run(searchers, options, announce)?;
    drop((watching, filling));
    Ok(Found::Something)
}

/// Has what changed since be indexed in the background; nobody waits for it, nor for a server that says nothing.
fn refresh(searchers: &Searchers) {
    let all = searchers.all().iter().cloned();
    let (remote, own): (Vec<_>, Vec<_>) =
        all.partition(|searcher| searcher.located().remote.is_some());
    for searcher in remote {
        std::thread::spawn(move || drop(searcher.refresh(Duration::ZERO)));
    }
    for searcher in own {
        drop(searcher.refresh(Duration::ZERO));
    }
}

/// Reads indexes before the first question, beside everything else. Whoever asks is told of what is wrong with them.
fn warm(searchers: &Searchers) {
    let all = searchers.all().to_vec();
    std::thread::spawn(move || {
        for searcher in all {
            drop(searcher.warm());
        }
    });
}

/// Opens the page at the first address that a line tells, beside everything else.
fn open_page(line: &str) {
    let Some((_, rest)) = line.split_once("http://") else {
        return;
    };
    let end = rest.find([',', ' ']).unwrap_or(rest.len());
    // An address that stands for all of them is none to go to.
    let place = rest[..end]
        .replace("0.0.0.0", "127.0.0.1")
        .replace("[::]", "[::1]");
    std::thread::spawn(move || {
        if let Err(error) = open::address(&format!("http://{place}/")) {
            render::say(&format!("note: {error}; the page is at http://{place}/"));
        }
    });
}

fn address(args: &ServeArgs) -> Result<SocketAddr> {
    let bind = args.bind.replace("localhost", "127.0.0.1");
    let address = bind.parse::<SocketAddr>().or_else(|_| {
        let bare = bind.trim_start_matches('[').trim_end_matches(']');
        let ip = bare.parse::<IpAddr>();
        ip.map(|ip| SocketAddr::new(ip, PORT))
    });
    let mut address = address.map_err(|_| {
        Hinted::error(
            format!("{:?} is not an address to listen on", args.bind),
            "write it as 127.0.0.1:7117 or [::1]:7117",
        )
    })?;
    if let Some(port) = args.port {
        address.set_port(port);
    }
    Ok(address)
}

/// What other machines can reach needs a token that cannot be guessed.
fn check_safety(address: SocketAddr, clients: &[Client]) -> Result<()> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    const ADVICE: &str =
        "set KEN_TOKEN to what `openssl rand -hex 32` prints, or stay on 127.0.0.1";
    if clients.is_empty() {
        return Err(Hinted::error(
            format!("{address} can be reached by other machines, and no token is set"),
            ADVICE,
        ));
    }
    let is_short = |client: &&Client| client.token().len() < TOKEN_CHARS_MIN;
    match clients.iter().find(is_short) {
        Some(client) => Err(Hinted::error(
            format!(
                "the token of {} has less than {TOKEN_CHARS_MIN} characters, and {address} can be reached by other machines",
                client.name
            ),
            ADVICE,
        )),
        None => Ok(()),
    }
}

/// Says why no vectors can be made ahead.
fn say_trouble(searcher: &Searcher, filled: Result<&Coverage>) {
    let trouble = match filled {
        Ok(coverage) => coverage.trouble.clone(),
        Err(error) => Some(error.to_string()),
    };
    if let Some(trouble) = trouble {
        render::say(&format!("note: {}: no vectors: {trouble}", searcher.name()));
    }
}

/// Keeps the indexes up to date while serving. It reports only what goes wrong.
fn watched(searchers: &Searchers) -> Watching {
    let tell: Arc<Tell> = Arc::new(|searcher, _, report| {
        let notices = match report {
            Ok(report) => report.notices,
            Err(error) => vec![error.to_string()],
        };
        for notice in notices {
            render::say(&format!("note: {}: {notice}", searcher.name()));
        }
    });
    let watching = watch::start(searchers, Rhythm::default(), &tell);
    for problem in &watching.unwatched {
        render::say(&format!(
            "note: {problem}; it is looked at now and then instead"
        ));
    }
    watching
}
