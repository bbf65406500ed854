//! The binary from the outside: each verb is wired, its output is stable, its exit codes hold.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod answer;
mod audit;
mod boundary;
mod cite;
mod costly;
mod damage;
mod domains;
mod eval;
mod get;
mod git;
mod golden;
mod grammar;
mod hook;
mod hook_install;
mod hook_output;
mod hook_safety;
mod hostile;
mod index;
mod lines;
mod links;
mod lists;
mod loss;
mod mcp;
mod mcp_client;
mod mcp_clients;
mod mcp_tools;
mod miyo;
mod model_server;
mod models;
mod pages;
mod parity;
mod place;
mod qmd;
mod quotes;
mod search;
mod serve;
mod serve_security;
mod server;
mod store;
mod tidy;
mod traverse;
mod vault;
mod watch;
