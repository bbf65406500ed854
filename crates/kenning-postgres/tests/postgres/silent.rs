//! Hosts that take connections and never say a word, as one that hangs does: nobody waits for them for ever. No server is
//! needed for that.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kenning::error::Error;

use crate::seam::{axis, prepared, put};
use crate::support::{address, scratch_place};

/// Far more than is allowed, on a machine that has other things to do; it would be for ever.
const LONG: Duration = Duration::from_secs(120);

/// A host that says nothing, and its address.
fn silent() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    (listener, host)
}

#[test]
fn a_host_that_says_nothing_is_an_error() {
    let (_listener, host) = silent();
    let address = format!("postgres://ann:s3cret@{host}/notes?connect_timeout=1");
    let place = kenning_postgres::place(&address, "work").unwrap();
    for error in [
        place.read().err().unwrap(),
        place.write(Duration::ZERO).err().unwrap(),
        place.watch().unwrap().now().unwrap_err(),
    ] {
        let said = error.to_string();
        assert!(matches!(error, Error::StoreUnreachable { .. }), "{said}");
        assert!(said.contains("says nothing"), "{said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
}

#[test]
fn every_host_is_told_of_that_cannot_be_asked() {
    let (_listener, host) = silent();
    let address = format!("postgres://ann:s3cret@127.0.0.1:1,{host}/notes?connect_timeout=1");
    let place = kenning_postgres::place(&address, "work").unwrap();
    let said = place.read().err().unwrap().to_string();
    assert!(
        said.contains("127.0.0.1:1: ") && said.contains("refused"),
        "{said}"
    );
    assert!(said.contains(&format!("{host}: it says nothing")), "{said}");
}

#[test]
fn who_asks_again_at_once_is_not_kept_waiting() {
    let (listener, host) = silent();
    let address = format!("postgres://ann@{host}/notes?connect_timeout=1");
    let place = kenning_postgres::place(&address, "work").unwrap();
    for _ in 0..10 {
        place.read().err().unwrap();
    }
    listener.set_nonblocking(true).unwrap();
    let n_tried = listener.incoming().take_while(Result::is_ok).count();
    assert_eq!(n_tried, 1);
}

#[test]
fn the_next_host_is_asked_where_one_says_nothing() {
    let (Some(scratch), Some(address)) = (scratch_place(), address()) else {
        return;
    };
    let note = prepared("a.md", "red roof", &[Some(axis(64, 1))]);
    put(&scratch.place, 64, vec![note]);
    let (_listener, host) = silent();
    let both = address.replacen('@', &format!("@{host},"), 1);
    let both = format!("{both}?connect_timeout=1");
    let place = kenning_postgres::place(&both, &scratch.domain).unwrap();
    let begun = Instant::now();
    assert!(place.read().unwrap().note_at("a.md").unwrap().is_some());
    place.write(Duration::ZERO).unwrap().abandon().unwrap();
    assert!(begun.elapsed() < LONG);
}

#[test]
fn a_host_that_falls_silent_in_the_middle_is_given_up() {
    let (Some(scratch), Some(address)) = (scratch_place(), address()) else {
        return;
    };
    let note = prepared("a.md", "red roof", &[Some(axis(64, 1))]);
    put(&scratch.place, 64, vec![note]);
    let (between, hangs) = between(&address);
    let through = format!("{between}?connect_timeout=1");
    let place = kenning_postgres::place(&through, &scratch.domain).unwrap();
    let store = place.read().unwrap();
    assert!(store.note_at("a.md").unwrap().is_some());
    hangs.store(true, Ordering::Relaxed);
    let begun = Instant::now();
    let error = store.note_at("b.md").unwrap_err();
    assert!(matches!(error, Error::StoreUnreachable { .. }), "{error}");
    assert!(begun.elapsed() < LONG, "{:?}", begun.elapsed());
}

/// Whether nothing is passed on any more.
type Hangs = Arc<AtomicBool>;

/// Stands before a server, and passes on what either side says until it hangs; returns its address.
fn between(address: &str) -> (String, Hangs) {
    let (listener, host) = silent();
    let (front, rest) = address.split_once('@').unwrap();
    let (server, database) = rest.split_once('/').unwrap();
    let own = format!("{front}@{host}/{database}");
    let hangs = Hangs::default();
    let (told, server) = (Arc::clone(&hangs), server.to_owned());
    thread::spawn(move || {
        for client in listener.incoming() {
            let client = client.unwrap();
            let server = TcpStream::connect(&server).unwrap();
            let sides = [client.try_clone().unwrap(), server.try_clone().unwrap()];
            let [from_client, from_server] = sides;
            pass(from_client, server, &told);
            pass(from_server, client, &told);
        }
    });
    (own, hangs)
}

fn pass(mut from: TcpStream, mut to: TcpStream, hangs: &Hangs) {
    let hangs = Arc::clone(hangs);
    thread::spawn(move || {
        let mut bytes = [0; 65_536];
        while let Ok(n @ 1..) = from.read(&mut bytes) {
            let is_kept = hangs.load(Ordering::Relaxed);
            if !is_kept && to.write_all(&bytes[..n]).is_err() {
                break;
            }
        }
        // Who hangs up is known to have gone, so that the server ends what was begun.
        let _ = to.shutdown(Shutdown::Both);
    });
}
