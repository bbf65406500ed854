//! TLS, against a server that has a certificate for `localhost` and no other name: `scripts/postgres test` makes it, where
//! the server was built with it, and says in `KEN_TEST_POSTGRES_CERTIFICATES` in which folder it lies.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::{Path, PathBuf};

use kenning::error::Error;

use crate::support::address;

/// Returns the address of the server under another name, with options, and the folder of certificates.
fn certified(host: &str) -> Option<(String, PathBuf)> {
    let folder = std::env::var_os("KEN_TEST_POSTGRES_CERTIFICATES");
    let Some(folder) = folder.filter(|folder| !folder.is_empty()) else {
        crate::support::say_untested("the server has no certificate; Debian's can have one");
        return None;
    };
    let address = address()?.replace("@127.0.0.1:", &format!("@{host}:"));
    Some((address, folder.into()))
}

/// Asks for an index that nobody made: a server that answers says so.
fn asked(address: &str, options: &str, authority: &Path) -> Error {
    let address = format!("{address}?{options}&sslrootcert={}", authority.display());
    let place = kenning_postgres::place(&address, "nobody_made_it").unwrap();
    place.read().err().unwrap()
}

#[test]
fn a_server_with_the_right_certificate_is_trusted() {
    let Some((address, folder)) = certified("localhost") else {
        return;
    };
    for mode in [
        "sslmode=verify-full",
        "sslmode=verify-ca",
        "sslmode=require",
    ] {
        let answered = asked(&address, mode, &folder.join("ca.pem"));
        assert!(
            matches!(answered, Error::StoreMissing { .. }),
            "{mode}: {answered}"
        );
    }
}

#[test]
fn a_server_that_somebody_else_vouches_for_is_not() {
    let Some((address, folder)) = certified("localhost") else {
        return;
    };
    for mode in [
        "sslmode=verify-full",
        "sslmode=verify-ca",
        "sslmode=require",
    ] {
        let refused = asked(&address, mode, &folder.join("other.pem"));
        let said = refused.to_string();
        assert!(matches!(refused, Error::StoreUnreachable { .. }), "{said}");
        assert!(
            said.contains("certificate") && said.contains("authority"),
            "{said}"
        );
    }
}

#[test]
fn a_certificate_of_another_name_is_not_taken() {
    let Some((address, folder)) = certified("127.0.0.1") else {
        return;
    };
    let refused = asked(&address, "sslmode=verify-full", &folder.join("ca.pem"));
    let said = refused.to_string();
    assert!(matches!(refused, Error::StoreUnreachable { .. }), "{said}");
    assert!(
        said.contains("certificate") && said.contains("127.0.0.1"),
        "{said}"
    );
}
