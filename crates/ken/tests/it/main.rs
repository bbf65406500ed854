//! The binary from the outside: each verb is wired, its output is stable, its exit codes hold.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod answer;
mod audit;
mod cite;
mod eval;
mod get;
mod golden;
mod grammar;
mod hostile;
mod index;
mod links;
mod lists;
mod pages;
mod place;
mod search;
mod serve;
mod serve_security;
mod server;
mod store;
mod tidy;
mod traverse;
mod vault;
