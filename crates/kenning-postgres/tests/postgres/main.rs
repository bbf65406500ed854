//! The store in PostgreSQL, on a real server: `scripts/postgres test`, or `KEN_TEST_POSTGRES` with an address whose
//! role may make schemas and roles. Without one, nothing is tested, and that is said.

mod domains;
mod parity;
mod shared;
mod silent;
mod support;
mod tls;
mod writers;

/// What every kind of store is asked.
#[path = "../../../kenning/tests/it/seam.rs"]
mod seam;

/// What every kind of store is copied from and to.
#[path = "../../../kenning/tests/it/copy.rs"]
mod copy;
