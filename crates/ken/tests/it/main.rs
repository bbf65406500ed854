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
mod mcp;
mod mcp_clients;
mod pages;
mod place;
mod search;
mod store;
mod tidy;
mod traverse;
mod vault;
