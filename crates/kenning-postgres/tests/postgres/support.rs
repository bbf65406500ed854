//! A server for tests, and places on it that go away.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on should stop, and say so"
)]

use std::sync::atomic::{AtomicU32, Ordering};

use kenning::store::Place;
use postgres::{Client, NoTls};

/// The index of a domain that goes away.
pub(crate) struct ScratchPlace {
    pub(crate) place: Place,
    pub(crate) domain: String,
}

/// Returns the address of the server, or says that there is none.
pub(crate) fn address() -> Option<String> {
    let address = std::env::var("KEN_TEST_POSTGRES").ok();
    if address.is_none() {
        say_untested("KEN_TEST_POSTGRES names no server; `scripts/postgres test` brings one up");
    }
    address
}

/// Says aloud that nothing was tested.
pub(crate) fn say_untested(why: &str) {
    eprintln!("*** NOT TESTED: {why}");
}

/// Makes a place of its own.
pub(crate) fn scratch_place() -> Option<ScratchPlace> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let domain = format!("test_{}_{number}", std::process::id());
    Some(ScratchPlace {
        place: kenning_postgres::place(&address()?, &domain).unwrap(),
        domain,
    })
}

/// Connects as an operator would.
pub(crate) fn operator() -> Option<Client> {
    Some(Client::connect(&address()?, NoTls).unwrap())
}

impl ScratchPlace {
    pub(crate) fn schema(&self) -> String {
        format!("ken_{}", self.domain)
    }
}

impl Drop for ScratchPlace {
    fn drop(&mut self) {
        if let Some(mut operator) = operator() {
            let sql = format!("DROP SCHEMA IF EXISTS {} CASCADE", self.schema());
            operator.batch_execute(&sql).unwrap();
        }
    }
}
