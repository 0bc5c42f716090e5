//! What people and agents type: every command through the built binary.
#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail, and sets up files"
)]

#[path = "../cli_home/mod.rs"]
mod cli_home;

mod allow;
mod bundles;
mod code;
mod data;
mod demo;
mod deploy;
mod guarded;
mod help;
mod history;
mod hook;
mod hooks;
mod large;
mod leave;
mod mcp;
mod sandbox;
mod self_update;
mod setup;
mod statusline;
mod upgrade;
mod verify;
mod width;
