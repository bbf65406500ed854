//! The binary from the outside: each verb is wired, its output is stable, its exit codes hold.

mod answer;
mod eval;
mod get;
mod index;
mod pages;
mod place;
mod search;
mod store;
mod tidy;
mod vault;
