//! Many agents and the store they share, through the built binary.
#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test may fail, and sets up files"
)]
#![cfg(unix)]

#[path = "../cli_home/mod.rs"]
mod cli_home;

mod artifacts;
mod home;
mod identity;
mod limits;
mod patterns;
mod plan;
mod store;
mod team;
